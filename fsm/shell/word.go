package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// field is one word after the shell has expanded it.
type field struct {
	text  string // the word; of one not known its shape, with blank for what is missing
	known bool   // text is all of it
	glob  bool   // text has a pattern that the shell matches against files
	tilde bool   // text begins with the home directory
	many  bool   // stands for none, one or several words
	tame  bool   // what is missing is a number, a directory or the like: no code
}

// blank stands in a shape for a piece that is not known.  It reads as a variable
// that no line sets, so that a shape can be read as shell again.
const blank = "${__}"

func unknown() field          { return field{text: blank} }
func constant(s string) field { return field{text: s, known: true} }

// word is the field as rules see it.
func (f field) word() string {
	if !f.known {
		return Unknown
	}
	return f.text
}

// path is the field as the name of a file.  A file that is called "~x" is
// written "./~x", to tell it from a home directory.
func (f field) path() string {
	switch {
	case !f.known || f.glob || f.text == "":
		return Unknown
	case f.text[0] == '~' && !f.tilde:
		return "./" + f.text
	}
	return f.text
}

// is tells whether the field is exactly this text.
func (f field) is(text string) bool { return f.known && f.text == text }

// vanishes tells whether the field may be no word at all, or an option.
func (f field) vanishes() bool {
	rest := f.rest()
	return f.many && (rest == "" || rest[0] == '-')
}

// rest is what remains of the field if the variables in it are empty.
func (f field) rest() string {
	if f.known {
		return f.text
	}
	return strings.ReplaceAll(f.text, blank, "")
}

// fixed tells whether the field is one word, whatever files there are.
func (f field) fixed() bool { return f.known && !f.glob }

// words are fields as rules see them.
func words(fs []field) []string {
	out := make([]string, len(fs))
	for i, f := range fs {
		out[i] = f.word()
	}
	return out
}

// expansion builds the fields that one word of the line becomes.
type expansion struct {
	r     *reader
	done  []field
	cur   field
	begun bool // cur is a word even if its text is empty
	whole bool // the word is not split: an assignment, a heredoc, a case word
}

// expand returns the fields of ws, running substitutions on the way.
func (r *reader) expand(ws []*syntax.Word) []field {
	out := make([]field, 0, len(ws))
	for _, w := range ws {
		if plain(w) {
			out = append(out, constant(w.Parts[0].(*syntax.Lit).Value))
			continue
		}
		out = append(out, r.fields(w)...)
	}
	return out
}

// plain tells whether a word is free of everything that the shell acts on.
func plain(w *syntax.Word) bool {
	if len(w.Parts) != 1 {
		return false
	}
	l, ok := w.Parts[0].(*syntax.Lit)
	return ok && !strings.ContainsAny(l.Value, "\\{*?[~")
}

// fields expands one word: braces first, then the rest.
func (r *reader) fields(w *syntax.Word) []field {
	split := *w // the tree stays as it is: it may be walked again
	syntax.SplitBraces(&split)
	ways, ok := alternatives(split.Parts)
	if !ok {
		r.scan(w)
		return []field{{text: blank, many: true}}
	}
	var out []field
	for _, parts := range ways {
		e := expansion{r: r, cur: constant("")}
		e.parts(parts, false)
		out = append(out, e.end()...)
	}
	return out
}

// single expands a word that stays one: the value of an assignment, a
// redirection's target, the text of a heredoc.
func (r *reader) single(w *syntax.Word) field {
	if w == nil {
		return constant("")
	}
	e := expansion{r: r, cur: constant(""), whole: true}
	e.parts(w.Parts, false)
	return e.cur
}

// heredoc is the text of a heredoc.
func (r *reader) heredoc(rd *syntax.Redirect) field {
	if rd.Hdoc == nil {
		return constant("")
	}
	e := expansion{r: r, cur: constant(""), whole: true}
	if quoted(rd.Word) {
		e.text(rd.Hdoc.Lit())
	} else {
		e.parts(rd.Hdoc.Parts, true)
	}
	return e.cur
}

// quoted tells whether any part of a heredoc's delimiter is quoted, so that its
// text is taken as it is.
func quoted(w *syntax.Word) bool {
	for _, p := range w.Parts {
		l, ok := p.(*syntax.Lit)
		if !ok || strings.Contains(l.Value, `\`) {
			return true
		}
	}
	return false
}

// end closes the last field.
func (e *expansion) end() []field {
	if e.cur.text == "[" {
		e.cur.glob = false
	}
	if e.r.spend(16) && (e.begun || e.cur.text != "" || !e.cur.known) {
		e.done = append(e.done, e.cur)
	}
	return e.done
}

// cut closes the field and begins another.
func (e *expansion) cut() {
	e.end()
	e.cur, e.begun = constant(""), false
}

// text adds text, as long as the line's expansions stay within bounds.
func (e *expansion) text(s string) {
	if e.r.spend(len(s)) {
		e.cur.text += s
	}
}

// number adds a piece that is not known, but is no code either.
func (e *expansion) number(shape string) {
	e.cur.tame = e.cur.known || e.cur.tame
	e.text(shape)
	e.cur.known = false
}

// missing adds a piece that is not known.
func (e *expansion) missing(quoted bool) {
	e.text(blank)
	e.cur.known, e.cur.tame = false, false
	if !quoted && !e.whole {
		e.cur.many = true
	}
}

func (e *expansion) parts(ps []syntax.WordPart, quoted bool) {
	for _, p := range ps {
		e.part(p, quoted)
	}
}

func (e *expansion) part(p syntax.WordPart, quoted bool) {
	switch p := p.(type) {
	case *syntax.Lit:
		if quoted {
			e.text(unescape(p.Value))
		} else {
			e.literal(p.Value)
		}
	case *syntax.SglQuoted:
		e.begun = true
		if p.Dollar {
			e.text(ansi(p.Value))
		} else {
			e.text(p.Value)
		}
	case *syntax.DblQuoted:
		e.begun = true
		e.parts(p.Parts, true)
	case *syntax.ParamExp:
		e.param(p, quoted)
	case *syntax.CmdSubst:
		e.substitution(p, quoted)
	case *syntax.ProcSubst:
		e.r.subshell(func() { e.r.stmts(p.Stmts) })
		e.text("/dev/fd/63")
	case *syntax.ExtGlob:
		e.cur.glob = true
		e.text(p.Op.String() + p.Pattern.Value + ")")
	default: // arithmetic: a number
		e.r.scan(p)
		e.number(blank)
	}
}

// literal adds unquoted text.
func (e *expansion) literal(s string) {
	if e.cur.text == "" && !e.begun && strings.HasPrefix(s, "~") {
		s = e.home(s)
	}
	if !strings.ContainsAny(s, "\\*?[") {
		e.text(s)
		return
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\\':
			if i++; i == len(s) {
				b.WriteByte(c) // at the very end it is itself
			} else if s[i] != '\n' {
				b.WriteByte(s[i])
				e.begun = true
			}
		case '*', '?', '[':
			e.cur.glob = true
			fallthrough
		default:
			b.WriteByte(c)
		}
	}
	e.text(b.String())
}
