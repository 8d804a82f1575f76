// Package e2e drives the real Claude Code client, without an account and
// without a network: a scripted model server on loopback takes the place of
// the model, and a test asserts on what that model received.
//
// A scenario is a Project (a temporary directory with its own home), a Model
// (what each agent says, turn by turn) and one or more runs of the client:
//
//	p := e2e.NewProject(t)
//	p.Agent("context-gatherer", "[[gatherer]]")
//	m := e2e.NewModel(t)
//	m.Say("main", e2e.Start("context-gatherer", "go"), e2e.Text("done"))
//	m.Say("gatherer", e2e.Text("gathered 42"))
//	run := p.Claude(t, e2e.Latest, m, "build me a thing", e2e.Allow("Agent"))
//	run.ToldTo("main") // has "gathered 42"
//
// Claude is the print mode. Open is the interactive client, in a terminal (tmux)
// where the test is the person:
//
//	w := p.Open(t, e2e.Latest, m)
//	w.Say("build me a thing")
//	w.Wait("done")
//
// Nothing here is skipped when the client is missing: Install fetches it from
// npm, and fails the test where it cannot. Without tmux Open fails in CI
// (CI=true), and skips the test elsewhere.
package e2e

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// Run is the outcome of one run of the client.
type Run struct {
	Version  Version
	Session  string
	Exit     int
	Events   []Event
	Stderr   string
	Requests []*Request
}

// Event is one line of the client's stream-json output.
type Event struct {
	Type      string
	Subtype   string
	SessionID string `json:"session_id"`
	Thread    string `json:"thread_id"` // Codex's word for it
	Copilot   string `json:"sessionId"`
	Result    string
	IsError   bool `json:"is_error"`
	Raw       json.RawMessage
}

func newRun(t testing.TB, exit int, stdout []byte, stderr string) *Run {
	t.Helper()
	run := &Run{Exit: exit, Stderr: stderr}
	for line := range bytes.Lines(stdout) {
		e := Event{Raw: line}
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatalf("client's output: %v in %s", err, line)
		}
		run.Events = append(run.Events, e)
		run.Session = cmp.Or(e.SessionID, e.Thread, e.Copilot, run.Session)
	}
	return run
}

// Results are the last words of each turn: a background agent's end makes a
// further one.
func (r *Run) Results() []string {
	var results []string
	for _, e := range r.Events {
		if e.Type == "result" {
			results = append(results, e.Result)
		}
	}
	return results
}

// Asked are the requests of one speaker, in order.
func (r *Run) Asked(speaker string) []*Request {
	var asked []*Request
	for _, q := range r.Requests {
		if q.Speaker == speaker {
			asked = append(asked, q)
		}
	}
	return asked
}

// ToldTo is everything that the speaker received in this run, as text, each
// thing once: prompts, results of tools, what hooks injected.
func (r *Run) ToldTo(speaker string) string {
	var told []string
	for _, q := range r.Asked(speaker) {
		told = append(told, q.New)
	}
	return strings.Join(told, "\n")
}

// Knows is everything that the speaker received, with its instructions.
func (r *Run) Knows(speaker string) string {
	told := r.ToldTo(speaker)
	for _, q := range r.Asked(speaker) {
		told = q.System + "\n" + told
	}
	return told
}

// WantTold fails the test unless the speaker received all of the texts.
func (r *Run) WantTold(t testing.TB, speaker string, texts ...string) {
	t.Helper()
	told := r.ToldTo(speaker)
	for _, text := range texts {
		if !strings.Contains(told, text) {
			t.Errorf("%s did not receive %q, but at last:\n%s", speaker, text, lastPart(told))
		}
	}
}

// WantNotTold fails the test if the speaker received one of the texts.
func (r *Run) WantNotTold(t testing.TB, speaker string, texts ...string) {
	t.Helper()
	told := r.ToldTo(speaker)
	for _, text := range texts {
		if strings.Contains(told, text) {
			t.Errorf("%s received %q:\n%s", speaker, text, told)
		}
	}
}

// WantResults compares the last words of each turn.
func (r *Run) WantResults(t testing.TB, want ...string) {
	t.Helper()
	if got := r.Results(); !slices.Equal(got, want) {
		t.Errorf("results are %q, want %q", got, want)
	}
}

// WantTrace compares the trace with the lines of want, without the events whose
// place is not certain: the start of a background agent, for one.
func (l *Log) WantTrace(t testing.TB, want string, without ...string) {
	t.Helper()
	got := slices.DeleteFunc(l.Payloads(), func(p Payload) bool { return slices.Contains(without, p.Event) })
	var lines []string
	for _, p := range got {
		lines = append(lines, p.String())
	}
	if trace := strings.Join(lines, "\n"); trace != trimLines(want) {
		t.Errorf("trace is\n%s\nwant\n%s", trace, trimLines(want))
	}
}

func trimLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	return strings.Join(lines, "\n")
}

// lastPart is the end of a text: the client begins with pages of its own.
func lastPart(s string) string {
	if len(s) > 3000 {
		return "…" + s[len(s)-3000:]
	}
	return s
}
