package shell

import "strings"

// disputed tells whether a text has one of the forms in which the parser sees a
// comment and bash does not: there we read a part less than what runs.
func disputed(text string) bool {
	if !strings.Contains(text, "#") {
		return false
	}
	return strings.Contains(text, ")#") && strings.Contains(text, "=(") || oddHeredoc(text)
}

// poorer tells whether a text means something else to a shell without bash's
// forms: to dash, [[ a > b ]] writes a file and ((a)) runs a command.
func poorer(text string) bool {
	return strings.Contains(text, "[[") || strings.Contains(strings.ReplaceAll(text, "$((", ""), "((")
}

// oddHeredoc tells whether a heredoc's delimiter is quoted and has a # in it.
func oddHeredoc(text string) bool {
	for {
		_, rest, ok := strings.Cut(text, "<<")
		if !ok {
			return false
		}
		word := strings.TrimLeft(rest, "- \t")
		if end := strings.IndexAny(word, " \t\n;|&<>()"); end >= 0 {
			word = word[:end]
		}
		if strings.Contains(word, "#") && strings.ContainsAny(word, "'\"\\") && rest[:1] != "<" {
			return true
		}
		text = rest
	}
}

// nested is how deep the parentheses of a text stand in each other, at most: the
// parser needs stack for each.
func nested(text string) int {
	depth, deepest := 0, 0
	for i := 0; i < len(text); i++ {
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
