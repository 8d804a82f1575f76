package fsm

import (
	"fmt"
	"strings"
)

// short cuts a text at a word, to at most n characters.
func short(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	cut := string(r[:n-1])
	if i := strings.LastIndex(cut, " "); i > n/2 {
		cut = cut[:i]
	}
	return cut + "…"
}

func listShort(names []string, n int) string { return short(strings.Join(names, ", "), n) }

func countOf(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprint(n, " ", more)
}

func timesText(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func orDefault(rule string) string {
	if rule == "" {
		return "default"
	}
	return rule
}

func orNone(state string) string {
	if state == "" {
		return "(no state)"
	}
	return state
}

func capitalize(s string) string {
	if strings.HasPrefix(s, "a command") {
		return "A" + s[1:]
	}
	return s
}

func endSentence(s string) string {
	s = strings.TrimSpace(s)
	if !strings.HasSuffix(s, ".") && !strings.HasSuffix(s, "!") && !strings.HasSuffix(s, "?") {
		s += "."
	}
	return s
}
