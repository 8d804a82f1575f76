package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// param adds $name, ${name…} or a positional parameter.
func (e *expansion) param(p *syntax.ParamExp, quoted bool) {
	e.begun = e.begun || quoted
	e.r.nested(p)
	switch {
	case p.Param == nil || !simple(p):
		e.missing(quoted)
	case p.Index != nil:
		e.element(p, quoted)
	default:
		e.variable(p.Param.Value, quoted)
	}
}

// simple tells whether the parameter stands for its value and nothing else, or
// for one of its elements.
func simple(p *syntax.ParamExp) bool {
	return !p.Excl && !p.Length && !p.Width && !p.IsSet && p.Flags == nil && p.NestedParam == nil &&
		len(p.Modifiers) == 0 && p.Slice == nil && p.Repl == nil && p.Names == 0 && p.Exp == nil
}

func (e *expansion) variable(name string, quoted bool) {
	switch name {
	case "@", "*":
		e.list(e.r.params, quoted, name)
		return
	case "PWD":
		if _, bound := e.r.value(name); !bound && !e.r.lost {
			e.working()
			return
		}
	}
	if name[0] >= '1' && name[0] <= '9' {
		e.positional(name, quoted)
		return
	}
	if _, bound := e.r.value(name); !bound && e.system(name) {
		return
	}
	if e.r.lost {
		e.r.evaluates() // it may have been declared a reference
	}
	if b, ok := e.r.value(name); ok && !b.array && len(b.value) == 1 {
		e.values(b.value, quoted)
		return
	}
	e.missing(quoted)
}

// system adds a variable that the system sets, to something that is no code.
func (e *expansion) system(name string) bool {
	switch name {
	case "HOME":
		if e.cur.text == "" {
			e.homedir()
		} else {
			e.number("${HOME}")
		}
	case "?", "$", "!", "#", "-", "UID", "EUID", "PPID", "RANDOM", "SECONDS", "LINENO", "USER", "LOGNAME", "HOSTNAME", "OLDPWD", "SHLVL":
		e.number(blank)
	default:
		return false
	}
	return true
}

func (e *expansion) positional(name string, quoted bool) {
	if ps := e.r.params; ps != nil && len(name) == 1 {
		if n := int(name[0] - '1'); n < len(*ps) {
			e.values((*ps)[n:n+1], quoted)
		}
		return
	}
	e.missing(quoted)
}

// element adds ${name[@]}; single elements count differently from shell to shell.
func (e *expansion) element(p *syntax.ParamExp, quoted bool) {
	w, ok := p.Index.(*syntax.Word)
	if b, bound := e.r.value(p.Param.Value); ok && bound && b.array {
		if at := w.Lit(); at == "@" || at == "*" {
			e.list(&b.value, quoted, at)
			return
		}
	}
	e.r.arithmetic(p.Index)
	e.missing(false)
}

// list adds several values; "$*" joins them, which is not followed.
func (e *expansion) list(vs *[]field, quoted bool, how string) {
	if vs == nil || e.whole || quoted && how == "*" && len(*vs) > 1 {
		e.missing(false)
		return
	}
	if len(*vs) == 0 && quoted {
		e.begun = false
	}
	for i, v := range *vs {
		if i > 0 {
			e.cut()
		}
		e.begun = e.begun || quoted
		e.values([]field{v}, quoted)
	}
}

// values adds one known value, as it falls into words.
func (e *expansion) values(vs []field, quoted bool) {
	v := vs[0]
	switch {
	case !v.known:
		e.text(v.text)
		e.cur.tame = v.tame && (e.cur.known || e.cur.tame)
		e.cur.known = false
		e.cur.many = e.cur.many || !quoted && !e.whole
	case quoted || e.whole:
		e.cur.tilde = e.cur.tilde || v.tilde && e.cur.text == ""
		e.text(v.text)
	case e.r.split && v.text != "":
		e.missing(false)
	default:
		e.splitValue(v)
	}
}

// splitValue adds an unquoted value: blanks part it, patterns in it are active.
func (e *expansion) splitValue(v field) {
	if !strings.ContainsAny(v.text, " \t\n*?[\\") {
		e.cur.tilde = e.cur.tilde || v.tilde && e.cur.text == ""
		e.text(v.text)
		return
	}
	start := -1
	for i := 0; i <= len(v.text); i++ {
		if i < len(v.text) && strings.IndexByte(" \t\n", v.text[i]) < 0 {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			e.piece(v.text[start:i], v.tilde && start == 0)
			start = -1
		}
		if i < len(v.text) && (e.cur.text != "" || e.begun || !e.cur.known) {
			e.cut()
		}
	}
}

func (e *expansion) piece(s string, tilde bool) {
	e.cur.tilde = e.cur.tilde || tilde && e.cur.text == ""
	e.cur.glob = e.cur.glob || strings.ContainsAny(s, "*?[\\")
	e.text(s)
}

// nested runs what is inside a parameter expansion, and forgets what it assigns.
func (r *reader) nested(p *syntax.ParamExp) {
	if p.Exp != nil && p.Exp.Word != nil {
		r.scan(p.Exp.Word)
		r.misread(p.Exp.Word)
		if (p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull) && p.Param != nil {
			r.forget(p.Param.Value)
		}
	}
	if p.Repl != nil {
		r.scanWord(p.Repl.Orig)
		r.scanWord(p.Repl.With)
	}
	if p.Slice != nil {
		r.arithmetic(p.Slice.Offset)
		r.arithmetic(p.Slice.Length)
	}
	if p.Excl || p.Exp != nil && p.Exp.Op == syntax.OtherParamOps {
		r.evaluates()
	}
}

// misread adds an unknown call for a process substitution in a default value,
// which bash runs and the parser takes for text.
func (r *reader) misread(w *syntax.Word) {
	for _, p := range w.Parts {
		if l, ok := p.(*syntax.Lit); ok && (strings.Contains(l.Value, "<(") || strings.Contains(l.Value, ">(")) {
			r.emit(Call{Kind: Command, Code: true})
		}
	}
}

func (r *reader) scanWord(w *syntax.Word) {
	if w != nil {
		r.scan(w)
	}
}
