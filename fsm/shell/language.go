package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// language is the shell language in which a text is read.
type language uint8

const (
	bashOrZsh language = iota // bash's; what zsh reads otherwise is noted
	bash
	posix // of sh and dash: the syntax of bash, without its additions
)

// languageOf returns the language of a shell.
func languageOf(shell string) language {
	switch shell {
	case "bash", "rbash":
		return bash
	case "sh", "dash", "ash", "busybox", "ksh", "mksh", "yash":
		return posix
	}
	return bashOrZsh
}

// lineParser parses texts as the shells do.
type lineParser struct {
	bash *syntax.Parser
}

// parseText parses a text in the current language. It returns false if that is not possible.
func (lp *lineParser) parseText(text string, r *recorder) (*syntax.File, bool) {
	const mark = "\ufdd1" // for a carriage return, which is white space to the parser alone
	text = strings.ReplaceAll(text, "\r", mark)
	if strings.IndexByte(text, '#') >= 0 && strings.Contains(text, "\\\n") {
		text = endComments(text, r)
	}
	if strings.HasSuffix(text, "\\") && (len(text)-len(strings.TrimRight(text, "\\")))%2 == 1 {
		r.differs = true // to zsh it is nothing, to the others a character
	}
	file, err := lp.bash.Parse(strings.NewReader(text), "")
	if err == nil && strings.Contains(text, mark) && strings.Contains(blankQuotes(text, file, true), mark) {
		r.addUnknown()
	}
	return file, err == nil && !isMisparsed(text, file)
}

// endComments blanks each backslash that ends a comment. To the shells a comment ends
// with its line; the parser would join the next line to it.
func endComments(text string, r *recorder) string {
	parser := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true))
	for r.text < maxText {
		// An error does not matter here: text is parsed again.
		file, _ := parser.Parse(strings.NewReader(text), "")
		at := -1
		if file != nil {
			syntax.Walk(file, func(n syntax.Node) bool {
				if c, ok := n.(*syntax.Comment); ok && at < 0 && strings.HasSuffix(c.Text, "\\\n") {
					at = int(c.Hash.Offset()) + len(c.Text) - 1
				}
				return at < 0
			})
		}
		if at < 0 || at >= len(text) {
			return text
		}
		text = text[:at] + " " + text[at+1:]
		r.text += len(text)
	}
	r.over = true
	return text
}

// addBashForm is for forms that bash and zsh know. To dash, [[ a > b ]] writes a file and $'\” is not closed.
func (r *recorder) addBashForm() {
	if r.language == posix {
		r.addUnknown()
	}
}

// hasZshParameter reports whether a text has a parameter that is more than its name to zsh.
func hasZshParameter(text string) bool {
	for at := strings.IndexByte(text, '$'); at >= 0; {
		text = text[at+1:]
		if isReadByZsh(text) {
			return true
		}
		at = strings.IndexByte(text, '$')
	}
	return false
}

// hasZshForm reports whether a text has a pattern, a redirection or a brace that zsh reads otherwise.
func hasZshForm(text string) bool {
	for i := range len(text) {
		switch text[i] {
		case '(':
			if i == 0 || strings.IndexByte("?*+@!^", text[i-1]) < 0 {
				continue
			}
			// A pattern such as a|b is one to both; to zsh a qualifier such as .N runs no code.
			group, _, closed := strings.Cut(text[i+1:], ")")
			if !closed || strings.Contains(group, "e|") || strings.ContainsAny(group, "+ \t:{[<(#'\"\\$`") {
				return true
			}
		case '!':
			if i > 0 && (text[i-1] == '>' || text[i-1] == '&') {
				return true
			}
		case '<':
			rest, ok := strings.CutPrefix(strings.TrimLeft(text[i+1:], "0123456789"), "-")
			if ok && strings.HasPrefix(strings.TrimLeft(rest, "0123456789"), ">") { // <1-9>
				return true
			}
		case '}':
			before := strings.TrimRight(text[:i], " \t")
			if len(before) < i && before != "" && strings.IndexByte(";\n&{", before[len(before)-1]) < 0 {
				return true
			}
		}
	}
	return false
}

// isReadByZsh reports whether what follows a dollar is a parameter to zsh with more
// than its name: $=name, $name[1], $name:h.
func isReadByZsh(s string) bool {
	if s == "" {
		return false
	}
	if strings.IndexByte("=~^+[", s[0]) >= 0 {
		return true
	}
	n := 0
	for n < len(s) && isLetter(s[n]) {
		n++
	}
	if n == 0 || n == len(s) {
		return false
	}
	// Behind a modifier stands no further letter.
	return s[n] == '[' || s[n] == ':' && n+1 < len(s) && strings.IndexByte("aAcehlpPqQrstuxwWfF&", s[n+1]) >= 0 &&
		(n+2 == len(s) || !isLetter(s[n+2]))
}
