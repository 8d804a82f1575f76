package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// A wire is a protocol between a client and its model.
type wire interface {
	read(body []byte, r *Request) error
	write(w http.ResponseWriter, t Turn, number int, req *Request) // the number makes ids unique
}

// messages is the Anthropic Messages API.
type messages struct{}

func (messages) read(body []byte, r *Request) error {
	var in struct {
		Model    string
		Stream   bool
		System   json.RawMessage
		Tools    []struct{ Name string }
		Messages []Message
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return err
	}
	r.Model, r.Stream, r.System, r.Messages = in.Model, in.Stream, textOf(in.System), in.Messages
	for _, t := range in.Tools {
		r.Tools = append(r.Tools, t.Name)
	}
	return nil
}

func (messages) write(w http.ResponseWriter, t Turn, number int, req *Request) {
	if m := t.message(number, req.Model); req.Stream {
		streamMessage(w, m)
	} else {
		writeJSON(w, http.StatusOK, m)
	}
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

// sendEvent sends a server-sent event, which is named by its type.
func sendEvent(w http.ResponseWriter, event block) {
	w.Header().Set("Content-Type", "text/event-stream")
	data, _ := json.Marshal(event)
	fmt.Fprintf(w, "event: %s\ndata: %s\n\n", event["type"], data)
}
