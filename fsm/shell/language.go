package shell

import (
	"regexp"
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

// parseText parses a text in the current language. It returns false if that is not possible, and for the forms in
// which the parser sees a comment and bash does not: behind a#b=(c)#, a # in the word that ends a heredoc, and the line
// behind a comment that ends with a backslash. Bash then runs more than the tree contains.
func (e *evaluator) parseText(text string) (*syntax.File, bool) {
	const mark = "\ufdd1" // for a carriage return, which is white space to the parser alone
	text = strings.ReplaceAll(text, "\r", mark)
	file, err := e.parser.Parse(strings.NewReader(text), "")
	if err != nil || !strings.ContainsAny(text, "#"+mark) {
		return file, err == nil
	}
	quoted := blankQuotes(text, file, true)
	if strings.Contains(quoted, mark) {
		e.addUnknown()
	}
	return file, !(matches(`=\((?s:.*)\)#|(?m:^|[\s;|&()])#.*\\\n`, quoted) ||
		strings.Contains(quoted, "<<") && matches(`<<-?[ \t]*[^ \t\n;|&<>()]*#`, text))
}

// blankQuotes returns the text with spaces for what stands in single quotes, in heredocs and, if
// double is set, in double quotes without substitutions.
func blankQuotes(text string, file *syntax.File, double bool) string {
	out := []byte(text)
	blankNode := func(n syntax.Node) {
		for i := n.Pos().Offset(); i < min(n.End().Offset(), uint(len(out))); i++ {
			out[i] = ' '
		}
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.SglQuoted:
			blankNode(n)
		case *syntax.Redirect:
			if n.Hdoc != nil && isQuoted(n.Word) {
				blankNode(n.Hdoc)
			}
		case *syntax.DblQuoted:
			if double && !hasSubstitution(n) {
				blankNode(n)
			}
		}
		return true
	})
	return string(out)
}

// countNested returns the greatest nesting depth of parentheses in a text. The parser needs stack for each level.
func countNested(text string) int {
	depth, deepest := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '(':
			depth++
			deepest = max(deepest, depth)
		case ')':
			depth = max(0, depth-1)
		}
	}
	return deepest
}

// addBashForm is for forms that bash and zsh know. To dash, [[ a > b ]] writes a file and $'\” is not closed.
func (r *recorder) addBashForm() {
	if r.language == posix {
		r.addUnknown()
	}
}

// zshForms are patterns, redirections, braces and a last backslash that zsh reads otherwise. A pattern such as *(a|b)
// is one to both, and zsh's *(.N) runs no code. > {b,c} writes two files.
const zshForms = `>[^;|&\n]*\{\w*,|(?:^|[^\\])(?:\\\\)*\\$|[?*+@!^]\([^)]*(?:$|e\||` +
	`[+ \t:{\[<(#'"\\$` + "`" + `])|[>&]!|<\d*-\d*>|[^;\n&{ \t][ \t]+\}`

// zshParameters are parameters that are more than their names to zsh: $=name, $name[1], $name:h. Behind a modifier
// stands no further letter.
const zshParameters = `\$(?:[=~^+\[]|\w+(?:\[|:[aAcehlpPqQrstuxwWfF&](?:\W|$)))`

// hasZshForm reports whether zsh reads a text otherwise. In quotes only parameters matter, and in double ones.
func hasZshForm(text string, file *syntax.File) bool {
	has := func(signs, pattern string, double bool) bool {
		if !strings.ContainsAny(text, signs) {
			return false
		}
		found := regexp.MustCompile(pattern)
		return found.MatchString(text) && found.MatchString(blankQuotes(text, file, double))
	}
	return has("(!<}\\", zshForms, true) || has("$", zshParameters, false)
}
