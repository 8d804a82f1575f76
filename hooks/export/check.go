package export

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

// A Finding is what the client's telemetry has and the journals have not.
type Finding struct {
	Session string    `json:"session_id"`
	Call    string    `json:"call,omitempty"` // its id
	Tool    string    `json:"tool,omitempty"`
	Time    time.Time `json:"time,omitzero"`
	What    string    `json:"what"`
}

// A Check is the comparison of the client's telemetry with the journals.
type Check struct {
	Sessions int       `json:"sessions"` // of which the telemetry tells
	Calls    int       `json:"calls"`    // that it names
	Hooks    int       `json:"hooks"`    // that it says were run before a call
	Findings []Finding `json:"findings"`
	Skipped  int       `json:"skipped"` // lines that are no telemetry
}

// A witness is what the telemetry says about one session.
type witness struct {
	calls  map[string]Finding // by id
	hooks  int                // completions before a call
	failed int                // hooks that ended with an error or were cancelled
}

// A Telemetry is what a client has told a collector, by session.
type Telemetry struct {
	sessions map[string]*witness
	skipped  int
}

// ReadTelemetry reads the lines that a collector's file exporter has written. Each is a
// request with logs or spans; what is not of an agent client is passed over.
func ReadTelemetry(in io.Reader) (*Telemetry, error) {
	t := &Telemetry{sessions: map[string]*witness{}}
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadString('\n')
		if strings.TrimSpace(line) != "" {
			t.takeLine(line)
		}
		if errors.Is(err, io.EOF) {
			return t, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read telemetry: %w", err)
		}
	}
}

func (t *Telemetry) takeLine(line string) {
	request := gjson.Parse(line)
	if !gjson.Valid(line) || !request.Get("resourceLogs").Exists() && !request.Get("resourceSpans").Exists() &&
		!request.Get("resourceMetrics").Exists() {
		t.skipped++
		return
	}
	eachRecord(request, "resourceLogs", "scopeLogs", "logRecords", t.takeLog)
	eachRecord(request, "resourceSpans", "scopeSpans", "spans", t.takeSpan)
}

func eachRecord(request gjson.Result, resources, scopes, records string, visit func(gjson.Result)) {
	for _, r := range request.Get(resources).Array() {
		for _, s := range r.Get(scopes).Array() {
			for _, record := range s.Get(records).Array() {
				visit(record)
			}
		}
	}
}

// readAttributes are the attributes of a log or a span, as text.
func readAttributes(record gjson.Result) map[string]string {
	out := map[string]string{}
	for _, a := range record.Get("attributes").Array() {
		a.Get("value").ForEach(func(_, v gjson.Result) bool {
			out[a.Get("key").Str] = v.String()
			return false
		})
	}
	return out
}

// takeLog takes a log of the client: that hooks have run, or what was decided about a call.
func (t *Telemetry) takeLog(log gjson.Result) {
	a := readAttributes(log)
	event := cmp.Or(a["event.name"], log.Get("eventName").Str, log.Get("body.stringValue").Str)
	w := t.session(a["session.id"])
	switch event = strings.TrimPrefix(event, "claude_code."); {
	case w == nil:
	case event == "hook_execution_complete" && a["hook_event"] == "PreToolUse":
		w.hooks++
		for _, key := range []string{"num_non_blocking_error", "num_cancelled"} {
			n, _ := strconv.Atoi(a[key]) // missing: none
			w.failed += n
		}
	case event == "tool_decision", event == "tool_result":
		w.addCall(a["session.id"], a["tool_use_id"], a["tool_name"], log.Get("timeUnixNano"))
	}
}

// takeSpan takes a span of the client: a call of a tool.
func (t *Telemetry) takeSpan(s gjson.Result) {
	a := readAttributes(s)
	if w := t.session(a["session.id"]); w != nil && s.Get("name").Str == "claude_code.tool" {
		w.addCall(a["session.id"], a["gen_ai.tool.call.id"], a["gen_ai.tool.name"], s.Get("startTimeUnixNano"))
	}
}

// session is what is known of a session; nil where none is named. Our own logs name
// sessions too, and witness nothing.
func (t *Telemetry) session(id string) *witness {
	if id == "" {
		return nil
	}
	if t.sessions[id] == nil {
		t.sessions[id] = &witness{calls: map[string]Finding{}}
	}
	return t.sessions[id]
}

func (w *witness) addCall(session, id, tool string, nano gjson.Result) {
	if _, known := w.calls[id]; id != "" && !known {
		w.calls[id] = Finding{Session: session, Call: id, Tool: tool, Time: time.Unix(0, nano.Int()).UTC()}
	}
}

// Compare looks each call of the telemetry up in the journals of the projects.
func (t *Telemetry) Compare(projects []Project) (Check, error) {
	c := Check{Skipped: t.skipped, Findings: []Finding{}}
	for id, w := range t.sessions {
		if len(w.calls) == 0 && w.hooks == 0 {
			continue
		}
		c.Sessions, c.Calls, c.Hooks = c.Sessions+1, c.Calls+len(w.calls), c.Hooks+w.hooks
		recorded, found, err := recordedCalls(projects, id)
		if err != nil {
			return c, err
		}
		c.Findings = append(c.Findings, w.compare(id, recorded, found)...)
	}
	if c.Sessions == 0 {
		c.Findings = []Finding{{What: "the telemetry names no call of a client: it witnesses nothing"}}
	}
	slices.SortFunc(c.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Session, b.Session), a.Time.Compare(b.Time), cmp.Compare(a.Call, b.Call))
	})
	return c, nil
}

func (w *witness) compare(id string, recorded map[string]bool, found bool) (out []Finding) {
	if !found {
		return []Finding{{Session: id, What: fmt.Sprintf(
			"no journal: the client names %d calls and ran hooks before %d", len(w.calls), w.hooks)}}
	}
	for use, call := range w.calls {
		if !recorded[use] {
			call.What = "no record of the call"
			out = append(out, call)
		}
	}
	if w.hooks > len(recorded) {
		out = append(out, Finding{Session: id, What: fmt.Sprintf(
			"the client ran hooks before %d calls, %d are recorded", w.hooks, len(recorded))})
	}
	if w.failed > 0 {
		out = append(out, Finding{Session: id, What: fmt.Sprintf(
			"%d hooks before a call ended with an error or were cancelled", w.failed)})
	}
	return out
}

// recordedCalls are the ids of the calls of a session that have a record, in any of the
// projects, cleared sessions included.
func recordedCalls(projects []Project, id string) (calls map[string]bool, found bool, err error) {
	calls = map[string]bool{}
	for _, p := range projects {
		for _, dir := range sessionFolders(p, id) {
			want := journal.Want{Kinds: []string{fsm.ToolRequest.String()}}
			err := journal.Scan(dir, &want, func(l *journal.Line) bool {
				calls[strings.Clone(l.UseID)] = true
				return true
			}, func(journal.Fault) {})
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, false, err
			}
			found = true
		}
	}
	delete(calls, "")
	return calls, found, nil
}

// sessionFolders are where a session's journals may lie.
func sessionFolders(p Project, id string) (out []string) {
	if session.CheckID(id) != nil {
		return nil // a text in the telemetry that no session of ours has
	}
	out = append(out, session.Store{Dir: p.Dir}.Path(id))
	entries, _ := os.ReadDir(filepath.Join(p.Dir, "cleared")) // none was cleared
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), id+"-") {
			out = append(out, filepath.Join(p.Dir, "cleared", e.Name()))
		}
	}
	return out
}
