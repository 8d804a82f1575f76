package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// runBuiltin runs a command of the shell itself, which may change the shell's state. It returns false if the command
// needs no more than its call.
func (p *program) runBuiltin() bool {
	c, args, first := p.whole, p.whole.args(), len(p.calls)
	switch c.name {
	case "cd", "chdir", "pushd", "popd":
		p.addCommand(false)
		p.dir = p.targetDir()
		dir := strings.TrimRight(p.dir, "/") // if cd fails, it stays the same
		p.mayStay = !slices.Contains(p.existing, p.dir) && dir != "" && !hasWord("~ /tmp /var/tmp .. ../..", dir)
	case "exit":
		p.addCommand(false)
		p.dead = p.dead || len(args) == 0 || len(args) == 1 && !strings.HasPrefix(args[0].text, "-")
	case "eval":
		p.withVia("eval", func() { p.runInline(joinFields(skipDashes(args), " ")) })
	case "exec", "command", "builtin":
		p.runPastFunctions()
	case "trap":
		p.setTrap()
	case "alias":
		p.addCommand(false)
		for _, f := range args { // what an alias makes of later words is unknown
			if name, code, has := strings.Cut(f.text, "="); has || f.isOption() {
				p.addUnknown()
				p.withVia("alias "+name, func() { p.inSubshell(func() { p.runInline(f.with(code)) }) })
			}
		}
	case "source", ".":
		p.addCommand(true)
		p.addFiles(Read, args[:min(1, len(args))])
		p.forgetEverything()
	case "test", "[":
		if strings.Contains(joinFields(args, "").text, "[") {
			p.addEvaluated(true) // the subscript of a name, and in zsh a number
		}
		return false
	default:
		if !p.setState() {
			return false
		}
		p.addCommand(p.hidesCode() || !p.isModelled())
		p.addEffects()
	}
	p.markCall(first)
	return true
}

// plainSettings are options of set by which commands do not mean something else: with -P, -k, -A or a name they do.
const plainSettings = `^(?:[-+](?:[abefhmnuvxBCEHT]*o (?:pipefail|errexit|nounset|xtrace|verbose|noclobber|noglob)|` +
	`[abefhmnuvxBCEHT]+) )*$`

// setState follows the builtins that set variables and options. It returns false for all others.
func (p *program) setState() bool {
	args := p.whole.args()
	switch p.whole.name { // docker export is none of them
	case "set":
		text := joinFields(args, " ").text + " "
		if len(args) == 0 || matches(plainSettings, text) {
			break
		}
		if p.params = nil; !args[0].is("--") || slices.ContainsFunc(args[1:], field.isOption) { // they are not followed
			p.lost = true
			p.addUnknown()
		}
	case "shift":
		p.params = nil
	case "read", "mapfile", "readarray", "getopts", "unset", "let":
		p.setNames(args)
	case "printf", "wait":
		if len(args) > 0 && (!args[0].known || strings.HasPrefix(args[0].text, "-v") || args[0].is("-p")) {
			p.setNames(args)
		}
	case "export", "declare", "local", "typeset", "readonly": // as a word: \export
		for _, f := range args {
			p.assignText(f)
		}
	case "shopt":
		if findField(args, "cdable_vars") >= 0 {
			p.state.forget("CDPATH") // cd NAME goes where the variable says
		}
	default:
		return false
	}
	return true
}

// targetDir returns the directory that cd goes to.
func (p *program) targetDir() string {
	var to []field
	past := false // the options
	for _, f := range p.args() {
		if past || !f.known || len(f.text) < 2 || f.text[0] != '-' {
			to = append(to, f)
		}
		past = past || f.is("--")
	}
	switch {
	case p.name == "popd" || len(to) > 1:
		return Unknown
	case len(to) == 0:
		if p.vars["HOME"] != nil || p.name == "pushd" || p.lost {
			return Unknown
		}
		return "~"
	case to[0].is("-"), p.vars["CDPATH"] != nil, p.linked:
		return Unknown
	case findField(p.args(), "-P") >= 0:
		return enterPath(p.dir, to[0])
	}
	return joinPath(p.dir, to[0].path())
}

// runPastFunctions runs exec, command and builtin. They ignore functions.
func (p *program) runPastFunctions() {
	args, looks := p.args(), false
	for ; len(args) > 0 && len(args[0].text) > 1 && args[0].text[0] == '-'; args = args[1:] {
		looks = looks || p.name == "command" && strings.ContainsAny(args[0].text, "vV")
		if p.name == "exec" && strings.HasSuffix(args[0].text, "a") && len(args) > 1 {
			args = args[1:]
		}
	}
	if len(args) == 0 || looks {
		p.addCommand(false)
		p.addEffects()
		return
	}
	p.withVia(p.name, func() { p.descend(func() { p.runPlain(args) }) })
}

// setTrap runs the code of a trap: it can run at any later point.
func (p *program) setTrap() {
	args := skipDashes(p.args())
	if len(args) < 2 || args[0].is("") || strings.HasPrefix(args[0].text, "-") {
		p.addCommand(false)
		return
	}
	p.withVia("trap", func() {
		p.inSubshell(func() {
			p.forgetEverything()
			p.runInline(args[0])
		})
	})
	p.lost = p.lost || strings.Contains(args[0].text, "=") // at any time: unknown for good
}

// setNames forgets the variables that a builtin sets. The shell evaluates a subscript, which may contain code.
func (p *program) setNames(args []field) {
	p.hasRead = p.hasRead || hasWord("read mapfile readarray", p.name)
	if p.name == "unset" && len(p.funcs) > 0 {
		p.addUnknown() // the program of the name may run again
	}
	for _, f := range args {
		name, _, isElement := strings.Cut(strings.TrimRight(f.text, "=+-*/%|&^<>?"), "[")
		if isElement || !f.known {
			p.addEvaluated(isElement)
		}
		switch isValid := syntax.ValidName(name); {
		case hasAnyPart(f.text, "$(", "`", blank+"("): // an unknown piece may end in a dollar
			p.addCommand(true)
		case isValid && p.name == "read" && p.input.names != "":
			p.bind(name, field{text: blank, shape: p.input.names, plain: p.input.plain})
		case isValid && p.name == "unset":
			p.state.forget(name)
		case isValid:
			p.forget(name)
		default:
			p.forgetNamed(f.text) // let x=1
			p.lost = p.lost || !f.known
		}
	}
}
