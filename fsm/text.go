package fsm

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm/redact"
)

// What is printed in place of a rule without a name, and of no state.
const (
	defaultRule = "default"
	noState     = "(no state)"
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

func capitalize(s string) string {
	if strings.HasPrefix(s, "a command") {
		return "A" + s[1:]
	}
	return s
}

func endSentence(s string) string {
	s = strings.TrimSpace(s)
	if s != "" && !strings.HasSuffix(s, ".") && !strings.HasSuffix(s, "!") && !strings.HasSuffix(s, "?") {
		s += "."
	}
	return s
}

// nameFile is the path of a file, without the secrets in it: from the caller's folder, if
// it lies there. Of a long path it is the end.
func (st *situation) nameFile(path string) string {
	const most = 40
	if rel, err := filepath.Rel(st.e.Dir, path); err == nil && filepath.IsLocal(rel) {
		path = filepath.ToSlash(rel)
	}
	name, _ := redact.Text(path)
	for rest := name; len([]rune(name)) > most; name = "…/" + rest {
		_, after, ok := strings.Cut(rest, "/")
		if !ok {
			break
		}
		rest = after
	}
	return name
}
