package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// builtin runs a command of the shell itself, which may change the shell.  done is
// false if c is none of those that need more than a call; forked if it set the
// state of a failure.
func (r *reader) builtin(c command) (done, forked bool) {
	switch c.name {
	case "cd", "chdir", "pushd", "popd":
		r.call(c, false)
		r.cd(c)
		return true, true
	case "exit", "return", "break", "continue":
		r.call(c, false)
		r.dead = r.dead || r.stops(c)
	case "eval":
		r.within("eval", func() { r.inline(sentence(operands(c.args()), " ")) })
	case "exec", "command", "builtin":
		return r.prefix(c), false
	case "trap":
		r.trap(c)
	case "alias":
		r.alias(c)
	case "source", ".":
		r.call(c, true)
		r.amnesia()
	default:
		return r.setting(c), false
	}
	return true, false
}

// setting runs the builtins that set variables and options.
func (r *reader) setting(c command) bool {
	switch c.name {
	case "set":
		r.set(c.args())
	case "shift":
		r.params = nil
	case "read", "mapfile", "readarray", "getopts", "unset", "let", "export", "declare", "local", "typeset", "readonly":
		r.named(c)
	case "printf":
		r.printf(c)
	case "hash", "enable", "complete", "bind":
		r.call(c, len(c.args()) > 1)
		return true
	case "unalias":
		for _, f := range r.funcs {
			f.sure = false
		}
	default:
		return false
	}
	r.call(c, false)
	r.effects(c)
	return true
}

// operands leaves out what stands before a first "--".
func operands(args []field) []field {
	if len(args) > 0 && args[0].is("--") {
		return args[1:]
	}
	return args
}

// cd changes the directory: if it fails, the old one stays.
func (r *reader) cd(c command) {
	before := r.state
	r.dir = r.target(c)
	r.failed = before
	if certain(r.dir) {
		r.failed = r.state
	}
}

// target is the directory that cd goes to.
func (r *reader) target(c command) string {
	var to []field
	for _, f := range c.args() {
		if f.known && len(f.text) > 1 && f.text[0] == '-' {
			continue
		}
		to = append(to, f)
	}
	switch {
	case c.name == "popd" || len(to) > 1:
		return Unknown
	case len(to) == 0:
		return r.goHome(c)
	case to[0].is("-"), r.vars.find("CDPATH") != nil:
		return Unknown
	}
	if r.linked(to[0].path()) {
		return Unknown
	}
	return join(r.dir, to[0].path())
}

func (r *reader) goHome(c command) string {
	if r.vars.find("HOME") != nil || c.name == "pushd" || r.lost {
		return Unknown
	}
	return "~"
}

// certain tells whether a directory always exists.
func certain(dir string) bool {
	switch strings.TrimRight(dir, "/") {
	case "", "~", "/tmp", "/var/tmp", "..", "../..":
		return true
	}
	return false
}

// stops tells whether the statement is the last that its shell, function or loop
// round gets to.
func (r *reader) stops(c command) bool {
	if len(c.args()) > 1 || len(c.args()) == 1 && strings.HasPrefix(c.args()[0].text, "-") {
		return false
	}
	switch c.name {
	case "return":
		return r.frames > 0
	case "break", "continue":
		return r.loops > 0
	}
	return true
}

// prefix runs exec, command and builtin: they reach past functions.
func (r *reader) prefix(c command) bool {
	args := c.args()
	for len(args) > 0 && len(args[0].text) > 1 && args[0].text[0] == '-' {
		switch {
		case c.name == "command" && strings.ContainsAny(args[0].text, "vV"):
			r.call(c, false)
			return true
		case c.name == "exec" && strings.HasSuffix(args[0].text, "a") && len(args) > 1:
			args = args[1:]
		}
		args = args[1:]
	}
	if len(args) == 0 {
		r.call(c, false)
		r.effects(c)
		return true
	}
	r.within(c.name, func() { r.deeper(func() { r.bare(args) }) })
	return true
}

// trap runs its code, some time.
func (r *reader) trap(c command) {
	args := operands(c.args())
	if len(args) < 2 || args[0].is("-") || args[0].is("") || strings.HasPrefix(args[0].text, "-") {
		r.call(c, false)
		return
	}
	r.within("trap", func() {
		r.subshell(func() {
			r.amnesia()
			r.inline(args[0])
		})
	})
}

// alias runs what an alias stands for, and keeps it for when it is used.
func (r *reader) alias(c command) {
	r.call(c, false)
	for _, f := range c.args() {
		name, code, has := strings.Cut(f.text, "=")
		if !has {
			continue
		}
		code = strings.TrimSpace(code)
		alias := field{text: code, known: f.known}
		r.funcs = append(r.funcs, &function{name: name, alias: alias})
		r.within("alias", func() { r.subshell(func() { r.inline(alias) }) })
	}
}

// set follows the parameters and -e.
func (r *reader) set(args []field) {
	for i, f := range args {
		switch {
		case f.is("--"):
			r.parameters(args[i+1:])
			return
		case f.is("-o") || f.is("+o"):
			if i+1 < len(args) && args[i+1].is("errexit") {
				r.errexit = f.is("-o")
			}
		case len(f.text) > 1 && f.text[0] == '-':
			r.errexit = r.errexit || strings.Contains(f.text, "e")
		case strings.HasPrefix(f.text, "+"):
			r.errexit = r.errexit && !strings.Contains(f.text, "e")
		case i > 0 && len(args[i-1].text) > 1 && strings.IndexByte("-+", args[i-1].text[0]) >= 0 && strings.HasSuffix(args[i-1].text, "o"):
		default:
			r.parameters(args[i:])
			return
		}
	}
}

// named forgets the variables that a builtin is told to set.  A subscript is
// evaluated, and may hold code.
func (r *reader) named(c command) {
	if t := r.stdin.text; t != nil {
		r.loads([]field{*t})
	}
	for _, f := range c.args() {
		name, value, has := strings.Cut(f.text, "=")
		switch {
		case !f.known:
			r.lost = true
		case strings.Contains(name, "$(") || strings.Contains(name, "`"):
			r.emit(Call{Kind: Command, Words: words(c.words), Code: true})
		case !syntax.ValidName(strings.TrimRight(name, "+-*/%|&^<>")):
		case has && (c.name == "export" || c.name == "readonly"):
			b := binding{name: name, value: []field{{text: value, known: true, tilde: f.tilde}}, export: c.name == "export"}
			r.bind(b)
			r.loader(b)
		case c.name != "export":
			r.forget(strings.TrimRight(name, "+-*/%|&^<>"))
		}
	}
}

func (r *reader) printf(c command) {
	for i, f := range c.args() {
		if f.is("-v") && i+1 < len(c.args()) {
			r.named(command{name: "read", words: c.words[:1:1]})
			r.named(command{name: "read", words: []field{c.words[0], c.args()[i+1]}})
		}
	}
}
