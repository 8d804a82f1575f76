package main

import (
	"fmt"
	"strings"
)

// ellipsis stands for what a document leaves out.
const ellipsis = "…"

// differs says how what a command did differs from what is shown, or nothing.
func (c command) differs(got outcome) string {
	if len(c.output) == 0 {
		if got.code != 0 {
			return fmt.Sprintf("%s\n  exit code %d, and the document shows no output that would say so:\n%s", c.text, got.code, indented(got.lines))
		}
		return ""
	}
	if matches(c.output, got.lines) {
		return ""
	}
	return fmt.Sprintf("%s\n  the document shows:\n%s\n  it printed:\n%s", c.text, indented(c.output), indented(got.lines))
}

func indented(lines []string) string {
	if len(lines) == 0 {
		return "    (nothing)"
	}
	return "    " + strings.Join(lines, "\n    ")
}

// matches compares lines; an ellipsis alone on a line stands for any number of them.
func matches(shown, printed []string) bool {
	for i, line := range shown {
		if strings.TrimSpace(line) == ellipsis {
			return matchesSomewhere(shown[i+1:], printed[min(i, len(printed)):])
		}
		if i >= len(printed) || !matchesLine(line, printed[i]) {
			return false
		}
	}
	return len(shown) == len(printed)
}

func matchesSomewhere(shown, printed []string) bool {
	for from := range len(printed) + 1 {
		if matches(shown, printed[from:]) {
			return true
		}
	}
	return false
}

// matchesLine compares one line; an ellipsis in it stands for any text. Blanks at the end of a line do not count.
func matchesLine(shown, printed string) bool {
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
