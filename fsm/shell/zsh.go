package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// addZshVariable adds what the variables of zsh do that are more than values.
func (r *recorder) addZshVariable(name string, value []field) {
	switch name {
	case "path", "fpath", "module_path":
		for _, v := range value {
			if !isTrusted(v) {
				r.addZshForm()
				return
			}
		}
	case "functions", "commands", "aliases", "galiases", "saliases", "dis_functions", "dis_aliases",
		"dis_galiases", "dis_saliases", "options", "nameddirs", "userdirs", "builtins", "dis_builtins":
		r.addZshForm()
	case "argv":
		if r.language == zsh {
			r.params = nil
		}
		r.differs = true
	}
}

// addZshForm is for what zsh does with a form that bash knows as another.
func (r *recorder) addZshForm() {
	r.differs = true
	if r.language == zsh {
		r.addUnknown()
	}
}

// zshOptions are options that change nothing in what a line runs.
const zshOptions = "errexit errreturn nounset unset xtrace verbose pipefail nomatch nullglob cshnullglob " +
	"numericglobsort globdots dotglob nocaseglob caseglob noglob glob clobber noclobber localoptions localtraps " +
	"warncreateglobal typesetsilent monitor nomonitor bgnice notify hup histignoredups extendedhistory " +
	"sharehistory appendhistory interactivecomments beep autocd correct pushdsilent autopushd allexport " +
	"posixbuiltins nobeep noerrexit nonomatch noxtrace noverbose"

// isHarmlessOption reports whether an option of setopt or set -o leaves the meaning of
// a line as it is. Case and underscores do not count.
func isHarmlessOption(name string) bool {
	return hasWord(zshOptions, strings.ToLower(strings.ReplaceAll(name, "_", "")))
}

// runZshBuiltin runs a builtin that only zsh has. It returns false for all others.
func (b builtin) runZshBuiltin() bool {
	args := b.args()
	has := func(options string) bool {
		for _, f := range args {
			if len(f.text) > 1 && f.text[0] == '-' && strings.ContainsAny(f.text[1:], options) {
				return true
			}
		}
		return false
	}
	code := false
	switch b.name {
	case "repeat":
		b.runRepeated()
		return true
	case "emulate":
		code = len(args) > 0 && !args[len(args)-1].is("zsh")
		for i, f := range args {
			if f.is("-c") && i+1 < len(args) {
				code = true
				b.withVia("emulate", func() { b.runInline(args[i+1]) })
			}
		}
	case "zmodload":
		code = len(args) > 0 && !has("leL")
		if len(args) == 1 && hasWord("zsh/datetime zsh/mathfunc zsh/parameter zsh/terminfo zsh/regex zsh/langinfo "+
			"zsh/zutil zsh/stat", args[0].word()) {
			b.lost, code = true, false
		}
	case "foreach", "autoload", "zcompile", "sched", "zpty", "ztcp", "zsocket", "zftp", "zsystem", "sysopen",
		"syswrite", "sysread", "zle", "bindkey", "vared", "zmv", "zcp", "zln", "add-zsh-hook", "add-zle-hook-widget",
		"zargs", "zf_rm", "zf_mv", "zf_ln", "zf_mkdir", "zf_rmdir", "zf_chmod", "zf_chown", "zf_sync":
		code = true
	case "setopt", "unsetopt":
		for _, f := range args {
			code = code || !f.known || f.text != "" && f.text[0] != '-' && !isHarmlessOption(f.text)
		}
	case "zstyle", "zformat", "zparseopts", "zregexparse", "getln", "strftime":
		b.lost, code = true, b.name == "zstyle" && has("e")
	case "print":
		if b.lost = b.lost || has("v"); has("v") {
			b.setNames(args)
		}
		for _, f := range args {
			code = code || has("P") && (!f.known || f.hasCode())
		}
	case "integer", "float":
		b.setNames(args)
		b.numbers = true
	case "unfunction", "unhash", "disable":
		b.doubtFunctions()
	default:
		return false
	}
	b.addCommand(b.command, code)
	return true
}

// runRepeated runs the command of repeat COUNT COMMAND.
func (b builtin) runRepeated() {
	args := b.args()
	if len(args) < 2 || args[0].hasCode() {
		b.addCommand(b.command, true)
		return
	}
	args = args[1:]
	b.withVia("repeat", func() {
		for len(args) > 0 && strings.Contains(args[0].text, "=") {
			name, value, _ := strings.Cut(args[0].text, "=")
			b.bind(binding{name: name, value: []field{{text: value, known: args[0].known}}})
			args = args[1:]
		}
		if len(args) == 0 || hasWord("{ ( if for while until case select repeat foreach function [[ (( time ! -",
			args[0].text) {
			b.addUnknown()
		}
		b.descend(func() { b.runWords(args) })
	})
}

// isHarmlessGroup reports whether parentheses in a word of zsh are only a pattern, such
// as (a|b), or qualifiers that run no code, such as (.N).
func isHarmlessGroup(text string) bool {
	text = strings.TrimSuffix(strings.TrimPrefix(text, "("), ")")
	if strings.ContainsAny(text, "\\'\"$`{ ") {
		return false
	}
	if strings.Contains(text, "|") {
		return !strings.Contains(text, "#q") && !strings.HasPrefix(text, "e|") && strings.Count(text, "e|") < 2
	}
	return strings.Trim(text, "NDnFGMTYomLackhw./@=p*%rxAIERWXst0123456789,-^:U[]") == ""
}

// addZshLiteral adds an unquoted text with a pattern that only zsh knows. It returns
// false if there is none.
func (x *expansion) addZshLiteral(s string) bool {
	if strings.Contains(s, "$[") {
		x.sh.addUnknown() // arithmetic, which the parser does not read
	}
	at := 0
	for at < len(s) && s[at] != '(' && s[at] != '<' {
		if s[at] == '\\' {
			at++
		}
		at++
	}
	if at >= len(s) {
		return false
	}
	x.cur.glob = true
	if s[at] == '(' && !isHarmlessGroup(s[at:]) {
		x.sh.addUnknown()
	}
	shape := blank
	if group, rest, ok := strings.Cut(s[at:], ")"); ok && strings.Contains(group, "|") &&
		!strings.ContainsAny(group[1:]+rest, "(<") {
		shape = s[:at] + "@" + s[at:]
	}
	x.addShaped(s, shape)
	return true
}

// addZshExpansion adds the code that flags of zsh make an expansion run.
func (r *recorder) addZshExpansion(p *syntax.ParamExp) {
	if r.language != zsh {
		return
	}
	if p.Flags != nil && (strings.Contains(p.Flags.Value, "e") || strings.Contains(p.Flags.Value, "%%")) ||
		p.GlobSubst == syntax.OptOn {
		r.addUnknown()
	}
	if p.Flags != nil && strings.Contains(p.Flags.Value, "P") {
		r.addEvaluated()
		if assignsDefault(p) {
			r.forgetEverything() // it assigns the variable that another names
		}
	}
	for _, m := range p.Modifiers {
		if hasSubstitutionText(m.Value) {
			r.addUnknown()
		}
	}
}

// setsZshOptions reports whether zsh is started with options that change how it reads
// a line.
func setsZshOptions(args []field) bool {
	for i, f := range args {
		switch {
		case len(f.text) < 2 || f.text[0] != '-' && f.text[0] != '+':
			return false
		case strings.HasPrefix(f.text, "--"):
		case strings.HasSuffix(f.text, "o") && i+1 < len(args):
			return !isHarmlessOption(args[i+1].text) || setsZshOptions(args[i+2:])
		case strings.Trim(f.text, "-+cfilsxevnud") != "":
			return true
		}
	}
	return false
}

// isModifier reports whether a text changes the value of the variable before it, as
// in $file:t.
func isModifier(before, part syntax.WordPart) bool {
	p, ok := before.(*syntax.ParamExp)
	l, isText := part.(*syntax.Lit)
	return ok && isText && p.Short && len(l.Value) > 1 && l.Value[0] == ':' &&
		(isLetter(l.Value[1]) || l.Value[1] == '&')
}

// noteClosedBlock notes a brace at the end of a word that opens none: in zsh it closes the
// block around the command, and what follows is not of its words.
func (e *evaluator) noteClosedBlock(words []*syntax.Word) {
	if slices.ContainsFunc(words, closesBlock) {
		e.addZshForm()
	}
}

// closesBlock reports whether a word has more braces that close than braces that open.
func closesBlock(w *syntax.Word) bool {
	open := 0
	for _, part := range w.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			continue
		}
		for i := 0; i < len(lit.Value); i++ {
			switch lit.Value[i] {
			case '\\':
				i++
			case '{':
				open++
			case '}':
				open--
			}
		}
	}
	return open < 0
}
