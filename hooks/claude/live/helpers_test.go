package live

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

// must is what every call of ours that has to succeed goes through.
type must interface {
	Helper()
	Fatal(args ...any)
}

func ok(t must, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A scene is session s: its folder, its transcript, and a clock that goes on a second with everything that happens.
type scene struct {
	t          must
	st         session.Store
	transcript string
	now        time.Time
}

func newScene(t must, dir string) *scene {
	s := &scene{t: t, st: session.Store{Dir: filepath.Join(dir, "state")}, transcript: filepath.Join(dir, "projects",
		"p", "s.jsonl"),
		now: time.Date(2026, 11, 21, 21, 3, 9, 123456789, time.UTC)}
	ok(t, os.MkdirAll(s.st.Path("s"), 0o700))
	ok(t, os.MkdirAll(filepath.Dir(s.transcript), 0o700))
	return s
}

// started is a scene of which a first record was made.
func started(t *testing.T) *scene {
	s := newScene(t, t.TempDir())
	s.record("session-start", "", false)
	return s
}

func (s *scene) tick() time.Time {
	s.now = s.now.Add(time.Second)
	return s.now
}

// record makes the journal's next.
func (s *scene) record(kind, use string, off bool) {
	s.t.Helper()
	appendRecord(s.t, s.st.Path("s"), journal.Record{Event: fsm.Event{Time: s.tick(), Kind: fsm.Kind(kind),
		Tool: fsm.Tool{UseID: use}},
		State: fsm.Session{ID: "s", Machine: fsm.Machine{Off: off}}})
}

func appendRecord(t must, dir string, r journal.Record) {
	t.Helper()
	j, err := journal.Open(dir)
	ok(t, err)
	defer j.Close()
	ok(t, j.Append(&r, false))
}

// file is the transcript of an agent, or of the main agent.
func (s *scene) file(agent string) string {
	if agent == "" {
		return s.transcript
	}
	return filepath.Join(filepath.Dir(s.transcript), "s", "subagents", filepath.Dir(agent),
		"agent-"+filepath.Base(agent)+".jsonl")
}

// agent begins an agent's transcript, with the client's note of its type or without.
func (s *scene) agent(id string, noted bool) {
	s.t.Helper()
	ok(s.t, os.MkdirAll(filepath.Dir(s.file(id)), 0o700))
	if noted {
		ok(s.t, os.WriteFile(strings.TrimSuffix(s.file(id), ".jsonl")+".meta.json", []byte(`{"agentType":"worker"}`),
			0o600))
	}
}

// write adds to a transcript.
func (s *scene) write(agent, text string) {
	s.t.Helper()
	f, err := os.OpenFile(s.file(agent), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	ok(s.t, err)
	defer f.Close()
	_, err = f.WriteString(text)
	ok(s.t, err)
}

func (s *scene) line(kind, block string) string {
	return fmt.Sprintf(`{"type":%q,"message":{"content":[%s]},"timestamp":%q,"toolUseResult":{"type":"tool_use"}}`+"\n",
		kind, block, s.tick().Format("2006-01-02T15:04:05.000Z"))
}

func (s *scene) use(id, tool string) string {
	return s.line("assistant",
		fmt.Sprintf(`{"type":"text","text":"so"},{"type":"tool_use","id":%q,"name":%q,"input":{"a":"tool_result"}}`,
			id, tool))
}

func (s *scene) result(id string, failed bool) string {
	return s.line("user", fmt.Sprintf(`{"tool_use_id":%q,"type":"tool_result","content":"x","is_error":%v}`, id,
		failed))
}

// refuses is a call that we refuse.
func (s *scene) refuses(id string) {
	s.t.Helper()
	s.write("", s.use(id, "Bash"))
	appendRecord(s.t, s.st.Path("s"), journal.Record{Event: fsm.Event{Time: s.tick(), Kind: fsm.ToolRequest,
		Tool: fsm.Tool{UseID: id}}, Verdict: fsm.Deny.String()})
}

// missed are calls that succeed and of which we are never asked.
func (s *scene) missed(ids ...string) {
	for _, id := range ids {
		s.write("", s.use(id, "Bash")+s.result(id, false))
	}
}

// asked is a call of which we are.
func (s *scene) asked(id string) {
	s.write("", s.use(id, "Bash"))
	s.record("tool-request", id, false)
	s.write("", s.result(id, false))
}

// putAside makes an event wait for the session's lock.
func (s *scene) putAside(use string) (path string) {
	s.t.Helper()
	body, err := json.Marshal(fsm.Event{Session: "s", Tool: fsm.Tool{UseID: use}})
	ok(s.t, err)
	path = filepath.Join(s.st.Path("s"), "aside", use+".json")
	ok(s.t, os.MkdirAll(filepath.Dir(path), 0o700))
	ok(s.t, os.WriteFile(path, body, 0o600))
	return path
}

// check is one check of a hook.
func (s *scene) check() Report {
	s.t.Helper()
	r, err := Check(s.st, "s", s.transcript)
	ok(s.t, err)
	return r
}

// says checks what a check has to tell: empty for nothing.
func (s *scene) says(want string) {
	s.t.Helper()
	if got := s.check().Message(); got != want {
		s.t.Fatal(fmt.Sprintf("said %q, expected %q", got, want))
	}
}

// TestMain has times read as the tests expect them.
func TestMain(m *testing.M) {
	time.Local = time.UTC
	os.Exit(m.Run())
}

func countMissed(r Report) (n int) {
	for _, s := range r.Stretches {
		n += len(s.Calls)
	}
	return n
}

// wholeMessage is what a person would read of all stretches.
func wholeMessage(r Report) string {
	if countMissed(r) < minMissed {
		return ""
	}
	return Report{New: r.Stretches}.Message()
}

// ids are the missed calls, stretch by stretch: a b|c.
func ids(stretches []Stretch) string {
	var b bytes.Buffer
	for i, s := range stretches {
		if i > 0 {
			b.WriteByte('|')
		}
		for k, c := range s.Calls {
			if k > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(c.ID)
		}
	}
	return b.String()
}
