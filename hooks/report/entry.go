package report

import (
	"strings"

	"github.com/tidwall/gjson"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/shell"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// isUnguarded reports whether nothing could have stopped the call.
func isUnguarded(e *journal.Line) bool {
	return e.Level == fsm.Off.String() || e.Level == fsm.Observe.String()
}

// DescribeCall is what a call asked for, in a few words.
func DescribeCall(e *journal.Line) string {
	if s := e.Starts().Get("type").Str; s != "" {
		return e.Tool + " " + s
	}
	var parts []string
	e.EachPart(func(p gjson.Result) {
		switch words := p.Get("words").Array(); {
		case len(words) > 0:
			parts = append(parts, joinWords(words))
		case p.Get("path").Str != "":
			parts = append(parts, p.Get("tool").Str+" "+p.Get("path").Str)
		}
	})
	if len(parts) == 0 {
		return e.Tool
	}
	return shorten(strings.Join(parts, "; "), 100)
}

// eachPath gives the files that a call names to visit, as far as they are known.
func eachPath(e *journal.Line, visit func(string)) {
	seen := ""
	e.EachPart(func(p gjson.Result) {
		if path := p.Get("path").Str; path != "" && path != shell.Unknown && path != seen {
			seen = path
			visit(path)
		}
	})
}

func joinWords(words []gjson.Result) string {
	var out []string
	for _, w := range words {
		out = append(out, w.Str)
	}
	return strings.Join(out, " ")
}

// shorten shortens a text to so many characters.
func shorten(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
