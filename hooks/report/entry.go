package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/shell"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// An entry is what a report needs of a record. Its strings are parts of the line: what is kept of them is cloned.
type entry struct {
	version, n, said                              int64
	time                                          time.Time
	kind, id, agent, tool, use                    string
	verdict, would, rule, typ, where, role, level string
	prev                                          string
	reason, starts, moves, notes, parts, session  gjson.Result
	failed                                        bool
}

// decode reads an entry from a line whose hash has been checked.
func (e *entry) decode(line []byte) error {
	*e = entry{}
	if !gjson.ValidBytes(line) {
		return fmt.Errorf("%w: not JSON", journal.ErrDamaged)
	}
	gjson.ParseBytes(line).ForEach(func(k, v gjson.Result) bool {
		e.set(k.Str, v)
		return true
	})
	if e.version > journal.Version {
		return fmt.Errorf("record of version %d: this pipeline knows up to %d", e.version, journal.Version)
	}
	if e.version < 1 || e.kind == "" || e.time.IsZero() {
		return fmt.Errorf("%w: it lacks what every record has", journal.ErrDamaged)
	}
	return nil
}

func (e *entry) set(key string, v gjson.Result) {
	switch key {
	case "v":
		e.version = v.Int()
	case "n":
		e.n = v.Int()
	case "said":
		e.said = v.Int()
	case "event":
		v.ForEach(func(k, v gjson.Result) bool {
			e.setEvent(k.Str, v)
			return true
		})
	case "error":
		e.failed = v.Str != ""
	default:
		if at := e.text(key); at != nil {
			*at = v.Str
		} else if at := e.value(key); at != nil {
			*at = v
		}
	}
}

func (e *entry) setEvent(key string, v gjson.Result) {
	switch key {
	case "kind":
		e.kind = v.Str
	case "time":
		e.time, _ = time.Parse(time.RFC3339Nano, v.Str) // without a valid time the record counts as damaged
	case "agent":
		e.id, e.agent = v.Get("id").Str, v.Get("type").Str
	case "tool":
		e.tool, e.use, e.starts, e.parts = v.Get("name").Str, v.Get("use").Str, v.Get("starts"), v.Get("parts")
	}
}

func (e *entry) text(key string) *string {
	switch key {
	case "verdict":
		return &e.verdict
	case "would":
		return &e.would
	case "rule":
		return &e.rule
	case "type":
		return &e.typ
	case "where":
		return &e.where
	case "role":
		return &e.role
	case "level":
		return &e.level
	case "prev":
		return &e.prev
	}
	return nil
}

func (e *entry) value(key string) *gjson.Result {
	switch key {
	case "reason":
		return &e.reason
	case "moves":
		return &e.moves
	case "notes":
		return &e.notes
	case "session":
		return &e.session
	}
	return nil
}

func (e *entry) state() string { return e.session.Get("machine.state").Str }

// main reports whether the orchestrator's rules held for the caller.
func (e *entry) main() bool {
	if e.role != "" {
		return e.role == "orchestrator"
	}
	return e.id == ""
}

// objected reports whether strict would have objected: to anything less than a pass, a warning included.
func (e *entry) objected() bool {
	v := e.would
	if v == "" {
		v = e.verdict
	}
	return v != "" && v != fsm.Pass.String()
}

// unguarded reports whether nothing could have stopped the call.
func (e *entry) unguarded() bool {
	return e.level == fsm.Off.String() || e.level == fsm.Observe.String()
}

// bypassed reports whether a person had lifted what would have stopped the call.
func (e *entry) bypassed() bool {
	return e.rule == "bypass" || strings.Contains(e.notes.Raw, `"bypass`)
}

// what is what a call asked for, in a few words.
func (e *entry) what() string {
	if s := e.starts.Get("type").Str; s != "" {
		return e.tool + " " + s
	}
	var parts []string
	e.eachPart(func(p gjson.Result) {
		switch words := p.Get("words").Array(); {
		case len(words) > 0:
			parts = append(parts, join(words))
		case p.Get("path").Str != "":
			parts = append(parts, p.Get("tool").Str+" "+p.Get("path").Str)
		}
	})
	if len(parts) == 0 {
		return e.tool
	}
	return cut(strings.Join(parts, "; "), 100)
}

func (e *entry) eachPart(visit func(gjson.Result)) {
	e.parts.ForEach(func(_, p gjson.Result) bool {
		visit(p)
		return true
	})
}

// paths are the files that a call named, as far as they are known.
func (e *entry) paths(visit func(string)) {
	if !strings.Contains(e.parts.Raw, `"path":`) {
		return
	}
	seen := ""
	e.eachPart(func(p gjson.Result) {
		if path := p.Get("path").Str; path != "" && path != shell.Unknown && path != seen {
			seen = path
			visit(path)
		}
	})
}

func join(words []gjson.Result) string {
	var out []string
	for _, w := range words {
		out = append(out, w.Str)
	}
	return strings.Join(out, " ")
}

// cut shortens a text to so many characters.
func cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
