package e2e

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// Model is a scripted model on 127.0.0.1. It speaks what the clients speak, each in its
// own wire: Anthropic messages, OpenAI responses, OpenAI chat completions.
type Model struct {
	t      testing.TB
	server *httptest.Server

	mu       sync.Mutex
	scripts  map[string][]Turn
	specials []special
	requests []*Request
	answered map[string]int
	inOrder  bool
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
	mux.HandleFunc("POST /v1/messages", m.speak(messages{}))
	mux.HandleFunc("POST /v1/responses", m.speak(responses{}))
	mux.HandleFunc("POST /v1/chat/completions", m.speak(chat{}))
	mux.HandleFunc("GET /v1/models", listModels)
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

// InOrder makes the model give each speaker's turns one after the other, whatever the
// conversation says: some clients rewrite it when a session is resumed.
func (m *Model) InOrder() *Model {
	m.inOrder = true
	return m
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

// speak answers the requests of one wire.
func (m *Model) speak(in wire) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		came := time.Now()
		req, err := readRequest(r.Body, in)
		if err != nil {
			m.t.Errorf("model: %v", err)
			writeError(w, http.StatusBadRequest, err.Error())
			return
		}
		req.Came = came
		number, turn := m.take(req)
		turn = turn.resolve(req)
		if !turn.wait(r.Context()) {
			return
		}
		if turn.Status != 0 {
			writeError(w, turn.Status, turn.Body)
		} else {
			in.write(w, turn, number, req)
		}
		m.count(req)
	}
}

// take records the request and finds its turn. The number makes the ids of the
// answer's tool calls unique.
func (m *Model) take(req *Request) (number int, turn Turn) {
	m.mu.Lock()
	defer m.mu.Unlock()
	req.Speaker = req.speaker(m.scripted)
	if m.inOrder {
		req.Turn = 0
		for _, before := range m.requests {
			if before.Speaker == req.Speaker {
				req.Turn++
			}
		}
	}
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

func (m *Model) count(req *Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	req.Answered = time.Now()
	m.answered[req.Speaker]++
}

func listModels(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, block{"object": "list", "data": []block{}, "models": []block{}})
}

func countTokens(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]int{"input_tokens": 10})
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
