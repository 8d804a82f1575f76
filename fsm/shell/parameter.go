package shell

import (
	"cmp"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// isOnlyName reports whether a parameter is its name and no more: $name, ${name}.
func isOnlyName(p *syntax.ParamExp) bool {
	return !(p.Excl || p.Length || p.Slice != nil || p.Repl != nil || p.Names != 0 || p.Exp != nil || p.Index != nil)
}

// addParameter adds $name or a positional parameter. Of ${name…} nothing is known.
func (x *expansion) addParameter(p *syntax.ParamExp, quoted bool) {
	x.begun = x.begun || quoted
	if isOnlyName(p) {
		x.addVariable(p.Param.Value, quoted)
		return
	}
	x.scanTree(p)
	x.addMissing(quoted && p.Index == nil)
}

func (x *expansion) addVariable(name string, quoted bool) {
	if name == "@" || name == "*" {
		x.addList(x.params, quoted, name)
		return
	}
	if name[0] >= '1' && name[0] <= '9' {
		switch n := int(name[0] - '1'); {
		case x.params == nil || len(name) > 1:
			x.addMissing(quoted)
		case n < len(*x.params):
			x.addValue((*x.params)[n], quoted)
		}
		return
	}
	value := x.lookup(name)
	if value == nil && x.addSystemVariable(name) {
		return
	}
	if x.lost {
		x.addEvaluated(false) // it may have been declared a reference
	}
	if value == nil {
		x.addMissing(quoted)
	} else {
		x.addValue(*value, quoted)
	}
}

// addSystemVariable adds a variable that the system sets, to a value that is no code.
func (x *expansion) addSystemVariable(name string) bool {
	switch name {
	case "HOME":
		if x.cur.text == "" {
			x.addHomeDir()
		} else {
			x.addTame("${HOME}")
		}
	case "PWD":
		if x.lost {
			return false
		}
		x.addWorkingDir()
	case "PATH":
		x.addTame("${PATH}")
	case "PPID":
		x.addTame(parentID)
	case "?", "$", "#":
		if x.split {
			x.addTame(blank)
		} else {
			x.addTame(aNumber)
		}
	case "!", "-", "RANDOM", "UID", "EUID", "SECONDS", "LINENO", "USER", "LOGNAME",
		"HOSTNAME", "OLDPWD", "SHLVL":
		x.addTame(blank)
	default:
		return false
	}
	return true
}

// addList adds several values. "$*", which joins them, is unknown.
func (x *expansion) addList(vs *[]field, quoted bool, how string) {
	if vs == nil || x.whole || quoted && how == "*" && len(*vs) > 1 {
		x.addMissing(false)
		return
	}
	if len(*vs) == 0 && quoted {
		x.begun = false
	}
	for i, v := range *vs {
		if i > 0 {
			x.startNext()
		}
		x.begun = x.begun || quoted
		x.addValue(v, quoted)
	}
}

// addValue adds the value of a variable.
func (x *expansion) addValue(v field, quoted bool) {
	x.cur.tilde = x.cur.tilde || v.tilde && x.cur.text == ""
	switch {
	case !v.known:
		x.cur.plain = x.cur.plain || v.plain && x.cur.text == ""
		x.addShaped(v.text, cmp.Or(v.shape, v.text))
		x.cur.tame = v.tame && (x.cur.known || x.cur.tame)
		x.cur.known = false
		x.cur.many = x.cur.many || !quoted && !x.whole
	case quoted || x.whole:
		x.addText(v.text)
	case x.split && v.text != "":
		x.addMissing(false)
	default: // the shell splits it at blanks and expands its patterns
		oneBlank := strings.NewReplacer("\t", " ", "\n", " ")
		for i, piece := range strings.Split(oneBlank.Replace(v.text), " ") {
			if i > 0 && (x.cur.text != "" || x.begun || !x.cur.known) {
				x.startNext()
			}
			x.cur.glob = x.cur.glob || strings.ContainsAny(piece, "*?[\\")
			x.addText(piece)
		}
	}
}
