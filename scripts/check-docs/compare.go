package main

import (
	"fmt"
	"strings"
)

// ellipsis stands for output that a document leaves out.
const ellipsis = "…"

// describeDifference compares what a command did with the document. It returns "" when
// they agree.
func (c command) describeDifference(got outcome) string {
	if len(c.output) == 0 {
		if got.code != 0 {
			return fmt.Sprintf("%s\n  exit code %d, which the document does not show:\n%s",
				c.text, got.code, indentLines(got.lines))
		}
		return ""
	}
	if matchLines(c.output, got.lines) {
		return ""
	}
	return fmt.Sprintf("%s\n  the document shows:\n%s\n  it printed:\n%s",
		c.text, indentLines(c.output), indentLines(got.lines))
}

func indentLines(lines []string) string {
	if len(lines) == 0 {
		return "    (nothing)"
	}
	return "    " + strings.Join(lines, "\n    ")
}

// matchLines compares lines; an ellipsis alone on a line stands for any number of them.
func matchLines(shown, printed []string) bool {
	for i, line := range shown {
		if strings.TrimSpace(line) == ellipsis {
			return matchAnywhere(shown[i+1:], printed[min(i, len(printed)):])
		}
		if i >= len(printed) || !matchLine(line, printed[i]) {
			return false
		}
	}
	return len(shown) == len(printed)
}

func matchAnywhere(shown, printed []string) bool {
	for from := range len(printed) + 1 {
		if matchLines(shown, printed[from:]) {
			return true
		}
	}
	return false
}

// matchLine compares one line; an ellipsis in it stands for any text. It ignores blanks at
// the end.
func matchLine(shown, printed string) bool {
	shown, printed = strings.TrimRight(shown, " \t"), strings.TrimRight(printed, " \t")
	pieces := strings.Split(shown, ellipsis)
	rest, begins := strings.CutPrefix(printed, pieces[0])
	if len(pieces) == 1 {
		return begins && rest == ""
	}
	if !begins {
		return false
	}
	for _, piece := range pieces[1 : len(pieces)-1] {
		_, after, found := strings.Cut(rest, piece)
		if !found {
			return false
		}
		rest = after
	}
	return strings.HasSuffix(rest, pieces[len(pieces)-1])
}
