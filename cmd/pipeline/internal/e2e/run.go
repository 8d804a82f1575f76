package e2e

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// Run is what came of one run of the client.
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
		if e.SessionID != "" {
			run.Session = e.SessionID
		}
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

// ToldTo is everything that the speaker was told in this run, as text, each
// thing once: prompts, what tools gave back, what hooks injected.
func (r *Run) ToldTo(speaker string) string {
	var told []string
	for _, q := range r.Asked(speaker) {
		told = append(told, q.New)
	}
	return strings.Join(told, "\n")
}
