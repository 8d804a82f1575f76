package shell

import (
	"strings"
)

// unwrap runs what a wrapper is given to run.  It is true if c was a wrapper, and
// all calls of it have been added.
func (r *reader) unwrap(c command) bool {
	for i := range wrappers {
		w := &wrappers[i]
		if w.name[0] != c.name[0] || !strings.HasPrefix(w.name, c.name) {
			continue
		}
		if at := w.at(c); at >= 0 {
			return r.open(w, c, command{name: w.name, words: c.words[at-1:]})
		}
	}
	return false
}

// at is where the wrapper's own arguments begin, or -1 if c is another command.
func (w *wrapper) at(c command) int {
	if w.name == c.name {
		return 1
	}
	if !strings.HasPrefix(w.name[len(c.name):], " ") {
		return -1
	}
	return position(strings.Fields(w.name), words(c.words))
}

// open runs what stands in the wrapper; rest are its arguments behind its name.
func (r *reader) open(w *wrapper, c, rest command) bool {
	inner, ok := w.inner(r, rest)
	if !ok {
		return false
	}
	if w.own {
		r.call(c, false)
	}
	r.sides(w, rest)
	saved := r.where
	r.where = max(r.where, w.place(rest))
	r.within(w.name, func() {
		r.subshell(func() { inner() })
	})
	r.where = saved
	return true
}

// place is where the files of the inner command are; ssh to this machine stays.
func (w *wrapper) place(rest command) place {
	if w.name != "ssh" {
		return w.where
	}
	_, words := w.leading(rest)
	if len(words) > 0 && words[0].known {
		host := words[0].text[strings.LastIndexByte(words[0].text, '@')+1:]
		switch host {
		case "localhost", "127.0.0.1", "::1", "0.0.0.0":
			return container
		}
	}
	return w.where
}

// inner returns what runs the inner command; false if there is none.
func (w *wrapper) inner(r *reader, rest command) (func(), bool) {
	switch w.style {
	case byOption:
		if run, ok := r.given(rest.options(w.short, w.long+" run command")); ok || w.name != "runuser" {
			return run, ok
		}
	case either:
		if run, ok := r.given(rest.leadingOptions(w)); ok {
			return run, true
		}
	case assigns:
		if w.name == "sudo" && rest.leadingOptions(w).has("e edit") {
			_, files := w.leading(rest)
			return func() { r.bare(append([]field{constant("sudoedit")}, files...)) }, true
		}
	case afterC:
		return r.behind(rest, "-c", "--command")
	case dashed:
		if run, ok := r.behind(rest, "--", "--args"); ok {
			return run, true
		}
	case each:
		return func() {
			for _, f := range rest.options(w.short, w.long).operands {
				r.inline(f)
			}
		}, true
	}
	return w.command(r, rest)
}

// given runs the code that is the value of an option.
func (r *reader) given(o options) (func(), bool) {
	for _, code := range o.values("c command call run session-command") {
		return func() { r.inline(code) }, true
	}
	return nil, false
}

// behind runs the words behind the first of some marks.
func (r *reader) behind(rest command, marks ...string) (func(), bool) {
	for i, f := range rest.args() {
		for _, m := range marks {
			if f.is(m) && i+1 < len(rest.args()) {
				return func() { r.bare(rest.args()[i+1:]) }, true
			}
		}
	}
	return nil, false
}

// command handles the styles where the command stands behind options and operands.
func (w *wrapper) command(r *reader, rest command) (func(), bool) {
	env, words := w.leading(rest)
	if len(words) > 0 && words[0].is("--") {
		words = words[1:]
	}
	if len(words) < w.skip {
		return nil, false
	}
	if words = words[w.skip:]; len(words) > 0 && w.skip > 0 && words[0].is("--") {
		words = words[1:]
	}
	if w.style == template {
		return func() { r.parallel(words) }, true
	}
	if len(words) == 0 {
		return r.nothing(w, rest, env)
	}
	switch {
	case w.style == joined:
		return func() { r.inline(sentence(words, " ")) }, true
	case w.style == fromList:
		mark := placeholder(rest.leadingOptions(w))
		return func() { r.bare(listed(mark, words)) }, true
	case w.style == either && len(words) > 1 && words[0].is("-c"):
		return func() { r.inline(words[1]) }, true
	}
	return func() {
		r.environment(env)
		r.changedDir(w, rest)
		r.bare(words)
	}, true
}

// nothing is a wrapper without a command: env and nohup alone do nothing.
func (r *reader) nothing(w *wrapper, rest command, env []field) (func(), bool) {
	if w.name != "env" {
		return nil, false
	}
	for _, f := range rest.options(w.short, w.long).values("S split-string") {
		return func() { r.inline(f) }, true
	}
	return nil, false
}

// leading skips options, and for some wrappers assignments, before the operands.
func (w *wrapper) leading(rest command) (env, words []field) {
	words = rest.args()
	for len(words) > 0 {
		f := words[0]
		switch {
		case f.is("--"):
			return env, words
		case len(f.text) > 1 && f.text[0] == '-':
			if f.known && len(words) > 1 && takesNext(f.text, w.short, w.long) {
				words = words[1:]
			}
		case w.style == assigns && strings.Contains(f.text, "=") && !strings.HasPrefix(f.text, blank):
			env = append(env, f)
		default:
			return env, words
		}
		words = words[1:]
	}
	return env, nil
}

// environment binds NAME=VALUE words.
func (r *reader) environment(env []field) {
	for _, f := range env {
		name, value, _ := strings.Cut(f.text, "=")
		b := binding{name: name, value: []field{{text: value, known: f.known}}, export: true}
		r.bind(b)
		r.loader(b)
	}
}

// changedDir follows env -C and sudo -D.
func (r *reader) changedDir(w *wrapper, rest command) {
	if w.style != assigns {
		return
	}
	o := rest.leadingOptions(w)
	for _, f := range o.values("C chdir D") {
		r.dir = join(r.dir, f.path())
	}
	for _, f := range o.values("S split-string") {
		r.inline(f)
	}
}

// leadingOptions are the options before the first operand.
func (c command) leadingOptions(w *wrapper) options {
	_, words := w.leading(c)
	n := len(c.words) - len(words)
	return command{words: c.words[:n]}.options(w.short, w.long)
}

// bare runs words as a program or a builtin, whatever functions the line defines.
func (r *reader) bare(ws []field) {
	saved := r.funcs
	r.funcs = nil
	r.run(ws)
	r.funcs = append(saved, r.funcs...)
}

// sides are the files that a wrapper itself writes.
func (r *reader) sides(w *wrapper, rest command) {
	switch w.name {
	case "ssh":
		for _, f := range rest.leadingOptions(w).values("o") {
			if i := strings.IndexAny(f.text, "= "); i > 0 && strings.HasSuffix(strings.ToLower(f.text[:i]), "command") {
				r.code(field{text: f.text[i+1:], known: f.known}, "ssh -o")
			}
		}
	case "time", "strace", "ltrace", "perf stat", "perf record":
		r.each(Write, rest.leadingOptions(w).values("o output"))
	case "script":
		if o := rest.options(w.short, w.long); len(o.operands) > 0 {
			r.each(Write, o.operands[:1])
		} else {
			r.file(Write, constant("typescript"))
		}
	}
}
