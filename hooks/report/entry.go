package report

import (
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/shell"
	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/visible"
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
	for _, p := range e.Parts {
		switch words := p.Words(); {
		case words != "":
			parts = append(parts, words)
		case p.Path != "":
			parts = append(parts, p.Tool+" "+p.Path)
		}
	}
	if len(parts) == 0 {
		return e.Tool
	}
	return visible.Shorten(strings.Join(parts, "; "), 100)
}

// eachPath gives the files that a call names to visit, as far as they are known.
func eachPath(e *journal.Line, visit func(string)) {
	seen := ""
	for _, p := range e.Parts {
		if p.Path != "" && p.Path != shell.Unknown && p.Path != seen {
			seen = p.Path
			visit(p.Path)
		}
	}
}
