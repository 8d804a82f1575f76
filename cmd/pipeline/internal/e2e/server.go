package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// Model is a scripted model behind the Messages API on 127.0.0.1.
type Model struct {
	t      testing.TB
	server *httptest.Server

	mu       sync.Mutex
	scripts  map[string][]Turn
	specials []special
	requests []*Request
	answered map[string]int
}

type special struct {
	match func(*Request) bool
	turn  Turn
}

// NewModel starts the server; it ends with the test.
func NewModel(t testing.TB) *Model {
	t.Helper()
	m := &Model{t: t, scripts: map[string][]Turn{}, answered: map[string]int{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/messages", m.messages)
	mux.HandleFunc("POST /v1/messages/count_tokens", countTokens)
	m.server = httptest.NewServer(mux)
	t.Cleanup(m.server.Close)
	return m
}

// Say adds turns to a speaker's script. The speaker is "main", or the name in
// the [[marker]] of the agent's prompt or definition. The turn given is the one
// at the number of answers that the conversation already has, so a resumed
// session goes on where it was and a compacted one begins again; past the end
// of the script the model says "ok".
func (m *Model) Say(speaker string, turns ...Turn) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.scripts[speaker] = append(m.scripts[speaker], turns...)
}

// When gives the turn to each request that matches, whatever the scripts say:
// such as a summary (IsCompaction).
func (m *Model) When(match func(*Request) bool, turn Turn) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.specials = append(m.specials, special{match, turn})
}

// Answered holds when the speaker has been given n answers.
func (m *Model) Answered(speaker string, n int) Cond {
	return func() bool {
		m.mu.Lock()
		defer m.mu.Unlock()
		return m.answered[speaker] >= n
	}
}

// Requests is every request so far.
func (m *Model) Requests() []*Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]*Request(nil), m.requests...)
}

// URL is what the client takes as the API's address.
func (m *Model) URL() string { return m.server.URL }

func (m *Model) messages(w http.ResponseWriter, r *http.Request) {
	req, err := readRequest(r.Body)
	if err != nil {
		m.t.Errorf("model: %v", err)
		writeError(w, http.StatusBadRequest, err.Error())
		return
	}
	number, turn := m.take(req)
	turn = turn.resolve(req)
	if !turn.wait(r.Context()) {
		return
	}
	turn.reply(w, number, req)
	m.count(req.Speaker)
}

// take records the request and finds its turn. The number makes the ids of the
// answer's tool calls unique.
func (m *Model) take(req *Request) (number int, turn Turn) {
	m.mu.Lock()
	defer m.mu.Unlock()
	req.Speaker = req.speaker(m.scripted)
	m.requests = append(m.requests, req)
	return len(m.requests), m.turn(req)
}

func (m *Model) turn(req *Request) Turn {
	for _, s := range m.specials {
		if s.match(req) {
			return s.turn
		}
	}
	script := m.scripts[req.Speaker]
	if !m.scripted(req.Speaker) && req.Speaker != Side {
		m.t.Errorf("model: no script for speaker %q, who was told: %.300s", req.Speaker, req.New)
	}
	if req.Turn < len(script) {
		return script[req.Turn]
	}
	return Text("ok")
}

func (m *Model) scripted(speaker string) bool {
	_, known := m.scripts[speaker]
	return known
}

func (m *Model) count(speaker string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.answered[speaker]++
}

func countTokens(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]int{"input_tokens": 10})
}

// message is an answer of the Messages API, as much of it as the client reads.
type message struct {
	ID         string  `json:"id"`
	Type       string  `json:"type"`
	Role       string  `json:"role"`
	Model      string  `json:"model"`
	Content    []block `json:"content"`
	StopReason *string `json:"stop_reason"`
	Sequence   *string `json:"stop_sequence"`
	Usage      usage   `json:"usage"`
}

type usage struct {
	Input  int `json:"input_tokens"`
	Output int `json:"output_tokens"`
}

type block map[string]any

func (t Turn) message(number int, model string) message {
	m := message{
		ID: fmt.Sprintf("msg_%d", number), Type: "message", Role: "assistant", Model: model,
		Content: []block{}, Usage: usage{Input: 10, Output: 10},
	}
	if t.Text != "" {
		m.Content = append(m.Content, block{"type": "text", "text": t.Text})
	}
	for i, c := range t.Calls {
		m.Content = append(m.Content, c.block(fmt.Sprintf("toolu_%d_%d", number, i)))
	}
	m.StopReason = t.stopReason()
	return m
}

func (t Turn) stopReason() *string {
	reason := "end_turn"
	if len(t.Calls) > 0 {
		reason = "tool_use"
	}
	return &reason
}

func (c ToolCall) block(id string) block {
	in := c.Input
	if in == nil {
		in = Input{}
	}
	return block{"type": "tool_use", "id": id, "name": c.Name, "input": in}
}

// streamMessage sends the message as the server-sent events that the client expects.
func streamMessage(w http.ResponseWriter, m message) {
	w.Header().Set("Content-Type", "text/event-stream")
	whole, reason := m.Content, m.StopReason
	m.Content, m.StopReason = []block{}, nil
	sendEvent(w, block{"type": "message_start", "message": m})
	for i, b := range whole {
		streamBlock(w, i, b)
	}
	sendEvent(w, block{
		"type": "message_delta", "usage": m.Usage,
		"delta": block{"stop_reason": reason, "stop_sequence": nil},
	})
	sendEvent(w, block{"type": "message_stop"})
}

func streamBlock(w http.ResponseWriter, i int, b block) {
	empty, delta := b.split()
	sendEvent(w, block{"type": "content_block_start", "index": i, "content_block": empty})
	sendEvent(w, block{"type": "content_block_delta", "index": i, "delta": delta})
	sendEvent(w, block{"type": "content_block_stop", "index": i})
}

// split is the block as it starts, without content, and the delta that fills it.
func (b block) split() (empty, delta block) {
	if b["type"] == "text" {
		return block{"type": "text", "text": ""}, block{"type": "text_delta", "text": b["text"]}
	}
	in, _ := json.Marshal(b["input"])
	empty = block{"type": "tool_use", "id": b["id"], "name": b["name"], "input": Input{}}
	return empty, block{"type": "input_json_delta", "partial_json": string(in)}
}

func sendEvent(w http.ResponseWriter, event block) {
	data, _ := json.Marshal(event)
	fmt.Fprintf(w, "event: %s\ndata: %s\n\n", event["type"], data)
}

func writeError(w http.ResponseWriter, status int, text string) {
	kind := "invalid_request_error"
	if status >= http.StatusInternalServerError {
		kind = "api_error"
	}
	writeJSON(w, status, block{"type": "error", "error": block{"type": kind, "message": text}})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // a client that has ended needs no answer
}
