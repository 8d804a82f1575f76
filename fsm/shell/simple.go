package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// command is a simple command after expansion.
type command struct {
	name  string // the first word without its directory
	words []field
}

func (c command) args() []field { return c.words[1:] }

// simple runs a simple command.
func (r *reader) simple(c *syntax.CallExpr) {
	if len(c.Args) == 0 {
		for _, a := range c.Assigns {
			r.assign(a, false)
		}
		r.failed = r.state
		return
	}
	fields := r.expand(c.Args)
	if len(c.Assigns) == 0 {
		r.run(fields)
		return
	}
	saved := r.vars
	for _, a := range c.Assigns {
		r.assign(a, true)
	}
	r.run(fields)
	for _, a := range c.Assigns {
		r.restore(a.Name.Value, saved)
	}
}

// assign binds a variable; one that is read by the loader or by a shell before
// its first line makes any command unknown.
func (r *reader) assign(a *syntax.Assign, export bool) {
	b := binding{export: export}
	if a.Name == nil {
		r.scan(a.Value)
		r.lost = true
		return
	}
	b.name = a.Name.Value
	switch {
	case a.Array != nil:
		b.array = true
		b.value = r.array(a.Array)
	default:
		b.value = []field{r.plainValue(a)}
	}
	r.loads(b.value)
	if a.Append {
		b = r.appended(b)
	}
	if a.Index != nil {
		r.scan(a.Index)
		b.array, b.value = false, []field{unknown()}
	}
	if r.lost && a.Value != nil {
		r.hides(a.Value) // it may have been declared a number
	}
	r.bind(b)
	r.loader(b)
}

// plainValue is the value of a plain assignment.
func (r *reader) plainValue(a *syntax.Assign) field {
	if a.Value == nil {
		return constant("")
	}
	v := r.single(a.Value)
	v.glob = false
	return v
}

func (r *reader) array(a *syntax.ArrayExpr) []field {
	var out []field
	for _, e := range a.Elems {
		if e.Index != nil {
			r.scan(e.Index)
		}
		if e.Value == nil || e.Index != nil {
			out = append(out, unknown())
			continue
		}
		out = append(out, r.fields(e.Value)...)
	}
	for i, f := range out {
		if f.glob {
			out[i] = unknown()
		}
	}
	return out
}

// appended is the value after name+=value.
func (r *reader) appended(b binding) binding {
	old, ok := r.value(b.name)
	switch {
	case !ok || old.array != b.array:
		b.array, b.value = false, []field{unknown()}
	case !r.spend(len(old.value) + len(b.value) + len(first(old.value).text)):
	case b.array:
		b.value = append(append([]field(nil), old.value...), b.value...)
	default:
		o, v := old.value[0], b.value[0]
		b.value = []field{{text: o.text + v.text, known: o.known && v.known, tilde: o.tilde || o.text == "" && v.tilde}}
	}
	return b
}

// first is the first value, if there is one.
func first(fs []field) field {
	if len(fs) == 0 {
		return field{}
	}
	return fs[0]
}

// restore gives a variable back the value it had in saved.
func (r *reader) restore(name string, saved *binding) {
	if old := saved.find(name); old != nil {
		r.bind(*old)
		return
	}
	if name != "IFS" {
		r.forget(name)
	}
}

// loader reports variables by which a program or a shell runs other code.
func (r *reader) loader(b binding) {
	v := b.value
	if len(v) == 0 {
		return
	}
	switch b.name {
	case "LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "BASH_ENV", "ENV", "PROMPT_COMMAND",
		"PYTHONSTARTUP", "PERL5OPT", "RUBYOPT", "BASH_ALIASES", "BASH_CMDS":
	case "NODE_OPTIONS":
		if v[0].known && !strings.Contains(v[0].text, "-r") && !strings.Contains(v[0].text, "--import") &&
			!strings.Contains(v[0].text, "--loader") && !strings.Contains(v[0].text, "--experimental-loader") {
			return
		}
	case "GIT_PAGER", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_SSH_COMMAND", "GIT_SSH", "GIT_EXTERNAL_DIFF",
		"GIT_ASKPASS", "PAGER", "EDITOR", "VISUAL", "LESSOPEN", "MANPAGER", "GIT_PROXY_COMMAND":
		if v[0].text != "" {
			r.code(v[0], b.name)
		}
		return
	default:
		return
	}
	r.emit(Call{Kind: Command, Words: []string{b.name + "=" + v[0].word()}, Code: true})
}

// run runs a command given by its words.
func (r *reader) run(ws []field) {
	r.failed = state{}
	forked := r.dispatch(ws)
	if !forked {
		r.failed = r.state
	}
}

// dispatch finds out what the words do; true if it set the state of a failure.
func (r *reader) dispatch(ws []field) (forked bool) {
	if len(ws) == 0 || ws[0].is("") {
		return false // an empty command fails
	}
	if !ws[0].fixed() {
		r.unknownCommand(ws)
		return false
	}
	c := command{name: base(ws[0].text), words: ws}
	if !strings.Contains(ws[0].text, "/") {
		if r.callFunction(c) {
			return false
		}
		if done, forked := r.builtin(c); done {
			return forked
		}
	}
	r.external(c)
	return false
}

// external runs what is a program of its own.
func (r *reader) external(c command) {
	if program(c.words[0].text) {
		r.call(c, true)
		at := len(r.calls)
		r.inside(c)
		r.unrepeat(at)
	} else if !r.inside(c) {
		r.call(c, r.hidden(c))
	}
	r.effects(c)
}

// unrepeat drops the call at index at if it says no more than the one before.
func (r *reader) unrepeat(at int) {
	if at < len(r.calls) && slices.Equal(r.calls[at].Words, r.calls[at-1].Words) {
		r.calls = slices.Delete(r.calls, at, at+1)
	}
}

// inside runs the command or the code that c is given to run; true if c itself
// needs no call of its own any more.
func (r *reader) inside(c command) (done bool) {
	r.deeper(func() { done = r.unwrap(c) || r.interpret(c) })
	return done
}

// call adds the call of a command.
func (r *reader) call(c command, code bool) {
	r.emit(Call{Kind: Command, Words: words(c.words), Code: code})
}

// unknownCommand is a command whose first word is not known.  If that word may
// vanish, as an unset $SUDO does, the next one is the command.
func (r *reader) unknownCommand(ws []field) {
	r.emit(Call{Kind: Command, Words: words(ws), Code: true})
	if ws[0].many && len(ws) > 1 {
		r.deeper(func() { r.run(ws[1:]) })
	}
}

// program tells whether a command word is a file that may have been made for the
// purpose: a path outside of where systems keep their programs.
func program(word string) bool {
	dir, _ := path.Split(word)
	if strings.HasPrefix(word, "@") {
		return false // npx @scope/package
	}
	switch dir {
	case "", "/bin/", "/usr/bin/", "/usr/local/bin/", "/sbin/", "/usr/sbin/", "/usr/local/sbin/",
		"/opt/homebrew/bin/", "/run/current-system/sw/bin/", "/snap/bin/", "/usr/local/go/bin/":
		return false
	}
	return true
}
