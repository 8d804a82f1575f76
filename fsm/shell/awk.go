package shell

import "strings"

// awkProgram tells whether an awk program runs commands or writes files: system(),
// a pipe, or > behind a print.
func awkProgram(s string) bool {
	a := awkReader{text: s}
	for a.at < len(a.text) && !a.found {
		a.token()
	}
	return a.found
}

// awkReader goes through a program token by token.
type awkReader struct {
	text     string
	at       int
	operand  bool // the last token ends an operand: a slash divides
	printing bool // in a print statement
	parens   int  // open since the print
	found    bool
}

func (a *awkReader) token() {
	c := a.text[a.at]
	switch {
	case c == ' ' || c == '\t' || c == '\r':
		a.at++
	case c == '#':
		a.skipTo('\n')
	case c == '"':
		a.quoted('"')
		a.operand = true
	case c == '/' && !a.operand:
		a.quoted('/')
		a.operand = true
	case letter(c):
		a.word()
	default:
		a.symbol(c)
	}
}

func (a *awkReader) skipTo(end byte) {
	if i := strings.IndexByte(a.text[a.at:], end); i >= 0 {
		a.at += i
	} else {
		a.at = len(a.text)
	}
}

// quoted skips a string or a regular expression.
func (a *awkReader) quoted(end byte) {
	for a.at++; a.at < len(a.text) && a.text[a.at] != end; a.at++ {
		if a.text[a.at] == '\\' {
			a.at++
		}
	}
	a.at++
}

func letter(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

func (a *awkReader) word() {
	start := a.at
	for a.at < len(a.text) && letter(a.text[a.at]) {
		a.at++
	}
	switch a.text[start:a.at] {
	case "print", "printf":
		a.printing, a.parens, a.operand = true, 0, false
	case "system":
		a.found = true
	case "return", "in", "case", "do", "else":
		a.operand = false
	default:
		a.operand = true
	}
}

func (a *awkReader) symbol(c byte) {
	next := byte(0)
	if a.at+1 < len(a.text) {
		next = a.text[a.at+1]
	}
	a.at++
	a.operand = c == ')' || c == ']' || c == '$'
	switch c {
	case '(':
		a.parens++
	case ')':
		a.parens--
	case ';', '\n', '}', '{':
		a.printing = false
	case '@':
		a.found = true
	case '|':
		a.pipe(next)
	case '>':
		a.redirect(next)
	}
}

// pipe tells || from the pipes that run a command.
func (a *awkReader) pipe(next byte) {
	if next == '|' {
		a.at++
		return
	}
	a.found = true
}

// redirect is > behind a print, outside of parentheses; a stream is no file.
func (a *awkReader) redirect(next byte) {
	if !a.printing || a.parens > 0 {
		return
	}
	if next == '>' {
		a.at++
	}
	rest := strings.TrimLeft(a.text[a.at:], " \t")
	for _, stream := range [...]string{`"/dev/stderr"`, `"/dev/stdout"`, `"/dev/null"`, `"/dev/tty"`} {
		if strings.HasPrefix(rest, stream) {
			return
		}
	}
	a.found = true
}
