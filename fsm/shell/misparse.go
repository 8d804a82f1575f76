package shell

import (
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// isMisparsed reports whether a text has one of the forms in which the parser sees a comment and bash does not:
// behind a#b=(c)#, and a # in the word that ends a heredoc. Bash then runs more than the tree contains.
func isMisparsed(text string, file *syntax.File) bool {
	if !strings.Contains(text, "#") {
		return false
	}
	quoted := blankQuotes(text, file, true)
	if strings.Contains(quoted, "<<") {
		for _, at := range regexp.MustCompile(`<<-?[ \t]*[^ \t\n;|&<>()]*#`).FindAllStringIndex(text, -1) {
			if quoted[at[0]] == '<' {
				return true
			}
		}
	}
	return strings.Contains(quoted, ")#") && strings.Contains(quoted, "=(")
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
