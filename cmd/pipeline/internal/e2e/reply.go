package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
)

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

// stream sends the message as the server-sent events that the client expects.
func stream(w http.ResponseWriter, m message) {
	w.Header().Set("Content-Type", "text/event-stream")
	whole, reason := m.Content, m.StopReason
	m.Content, m.StopReason = []block{}, nil
	send(w, block{"type": "message_start", "message": m})
	for i, b := range whole {
		streamBlock(w, i, b)
	}
	send(w, block{
		"type": "message_delta", "usage": m.Usage,
		"delta": block{"stop_reason": reason, "stop_sequence": nil},
	})
	send(w, block{"type": "message_stop"})
}

func streamBlock(w http.ResponseWriter, i int, b block) {
	empty, delta := b.split()
	send(w, block{"type": "content_block_start", "index": i, "content_block": empty})
	send(w, block{"type": "content_block_delta", "index": i, "delta": delta})
	send(w, block{"type": "content_block_stop", "index": i})
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

func send(w http.ResponseWriter, event block) {
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
	_ = json.NewEncoder(w).Encode(v) // a client that has gone needs no answer
}
