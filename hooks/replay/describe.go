package replay

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/shell"
)

// Describe names a call as people would, from the parts that were recorded: Bash(git push), Agent(Explore), Read(main.go).
func Describe(e fsm.Event) string {
	var about []string
	if s := e.Tool.Starts; s != nil {
		about = append(about, strings.Trim(s.Type+" "+s.Name, " "))
	}
	for _, p := range e.Tool.Parts {
		switch {
		case len(p.Words) > 0:
			about = append(about, strings.Join(p.Words, " "))
		case p.Code:
			about = append(about, "?")
		case p.Path != "" && e.Tool.Command == "" && p.Tool == e.Tool.Name:
			about = append(about, short(p.Path, e.Dir))
		}
	}
	text := strings.ReplaceAll(strings.Join(about, "; "), shell.Unknown, "?")
	text = strings.Join(strings.Fields(text), " ")
	if text == "" {
		return e.Tool.Name
	}
	return e.Tool.Name + "(" + clipped(text, 90) + ")"
}

// short is a path as it is seen from a directory, where it lies below it.
func short(path, dir string) string {
	rel, err := filepath.Rel(dir, path)
	if err != nil || dir == "" || strings.HasPrefix(rel, "..") || path == shell.Unknown {
		return path
	}
	return rel
}

func clipped(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// Count is a number of things: 1 call, 2 calls.
func Count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
