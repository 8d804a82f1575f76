package shell

import (
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// builtin is a command of the shell itself. It may change the shell's state.
type builtin struct {
	*evaluator
	command
}

// runBuiltin runs a builtin. It returns false if c needs no more than its call.
func (e *evaluator) runBuiltin(c command) bool {
	b, first := builtin{e, c}, len(e.calls)
	switch c.name {
	case "cd", "chdir", "pushd", "popd":
		e.addCommand(c, false)
		e.dir = b.targetDir()
		dir := strings.TrimRight(e.dir, "/") // if cd fails, it stays the same
		e.mayStay = !slices.Contains(e.existing, e.dir) && dir != "" && !hasWord("~ /tmp /var/tmp .. ../..", dir)
	case "exit":
		e.addCommand(c, false)
		e.dead = e.dead || len(c.args()) == 0 || len(c.args()) == 1 && !strings.HasPrefix(c.args()[0].text, "-")
	case "eval":
		e.withVia("eval", func() { e.runInline(joinFields(skipDashes(c.args()), " ")) })
	case "exec", "command", "builtin":
		b.runPastFunctions()
	case "trap":
		b.setTrap()
	case "alias":
		e.addCommand(c, false)
		for _, f := range c.args() { // what an alias makes of later words is unknown
			if name, code, has := strings.Cut(f.text, "="); has || f.isOption() {
				e.addUnknown()
				e.withVia("alias "+name, func() { e.inSubshell(func() { e.runInline(f.with(code)) }) })
			}
		}
	case "source", ".":
		e.addCommand(c, true)
		e.addFiles(Read, c.args()[:min(1, len(c.args()))])
		e.forgetEverything()
	case "test", "[":
		if !slices.ContainsFunc(c.args(), field.hasCode) {
			return false
		}
		e.addCommand(c, true) // the shell evaluates the subscript of a name
	default:
		if !b.setState() {
			return false
		}
		p := newProgram(e, c)
		e.addCommand(c, p.hidesCode() || !p.isModelled())
		p.addEffects()
	}
	newProgram(e, c).markCall(first)
	return true
}

// plainSettings are options of set by which commands do not mean something else: with -P, -k, -A or a name they do.
const plainSettings = `^(?:[-+](?:[abefhmnuvxBCEHT]*o (?:pipefail|errexit|nounset|xtrace|verbose|noclobber|noglob)|` +
	`[abefhmnuvxBCEHT]+) )*$`

// setState follows the builtins that set variables and options. It returns false for all others.
func (b builtin) setState() bool {
	args := b.args()
	switch b.name {
	case "set":
		text := joinFields(args, " ").text + " "
		if len(args) == 0 || regexp.MustCompile(plainSettings).MatchString(text) {
			break
		}
		if b.params = nil; !args[0].is("--") || slices.ContainsFunc(args[1:], field.isOption) { // they are not followed
			b.lost = true
			b.addUnknown()
		}
	case "shift":
		b.params = nil
	case "read", "mapfile", "readarray", "getopts", "unset", "let":
		b.setNames(args)
	case "printf", "wait":
		if len(args) > 0 && (!args[0].known || strings.HasPrefix(args[0].text, "-v") || args[0].is("-p")) {
			b.setNames(args)
		}
	case "export", "declare", "local", "typeset", "readonly": // as a word: \export
		for _, f := range args {
			b.assignText(f)
		}
	case "shopt":
		if findField(args, "cdable_vars") >= 0 {
			b.state.forget("CDPATH") // cd NAME goes where the variable says
		}
	default:
		return false
	}
	return true
}

// targetDir returns the directory that cd goes to.
func (b builtin) targetDir() string {
	var to []field
	for _, f := range b.args() {
		if !f.known || len(f.text) < 2 || f.text[0] != '-' {
			to = append(to, f)
		}
	}
	switch {
	case b.name == "popd" || len(to) > 1:
		return Unknown
	case len(to) == 0:
		if b.vars["HOME"] != nil || b.name == "pushd" || b.lost {
			return Unknown
		}
		return "~"
	case to[0].is("-"), b.vars["CDPATH"] != nil, b.linked:
		return Unknown
	case findField(b.args(), "-P") >= 0:
		return enterPath(b.dir, to[0])
	}
	return joinPath(b.dir, to[0].path())
}

// runPastFunctions runs exec, command and builtin. They ignore functions.
func (b builtin) runPastFunctions() {
	args, looks := b.args(), false
	for ; len(args) > 0 && len(args[0].text) > 1 && args[0].text[0] == '-'; args = args[1:] {
		looks = looks || b.name == "command" && strings.ContainsAny(args[0].text, "vV")
		if b.name == "exec" && strings.HasSuffix(args[0].text, "a") && len(args) > 1 {
			args = args[1:]
		}
	}
	if len(args) == 0 || looks {
		b.addCommand(b.command, false)
		newProgram(b.evaluator, b.command).addEffects()
		return
	}
	b.withVia(b.name, func() { b.descend(func() { b.runPlain(args) }) })
}

// setTrap runs the code of a trap: it can run at any later point.
func (b builtin) setTrap() {
	args := skipDashes(b.args())
	if len(args) < 2 || args[0].is("-", "") || strings.HasPrefix(args[0].text, "-") {
		b.addCommand(b.command, false)
		return
	}
	b.withVia("trap", func() {
		b.inSubshell(func() {
			b.forgetEverything()
			b.runInline(args[0])
		})
	})
	b.lost = b.lost || strings.Contains(args[0].text, "=") // at any time: unknown for good
}

// setNames forgets the variables that a builtin sets. The shell evaluates a subscript, which may contain code.
func (b builtin) setNames(args []field) {
	b.hasRead = b.hasRead || hasWord("read mapfile readarray", b.name)
	if b.name == "unset" && len(b.funcs) > 0 {
		b.addUnknown() // the program of the name may run again
	}
	for _, f := range args {
		name, _, isElement := strings.Cut(strings.TrimRight(f.text, "=+-*/%|&^<>?"), "[")
		if isElement || !f.known {
			b.addEvaluated(false)
		}
		switch isValid := syntax.ValidName(name); {
		case f.hasCode():
			b.addCommand(b.command, true)
		case isValid && b.name == "read" && b.input.names != "":
			b.bind(name, field{text: blank, shape: b.input.names, plain: b.input.plain})
		case isValid && b.name == "unset":
			b.state.forget(name)
		case isValid:
			b.forget(name)
		default:
			b.forgetNamed(f.text) // let x=1
			b.lost = b.lost || !f.known
		}
	}
}
