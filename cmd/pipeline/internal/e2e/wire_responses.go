package e2e

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// responses is OpenAI's Responses API, as Codex uses it: it keeps nothing on the server
// and streams.
type responses struct{}

func (responses) read(body []byte, r *Request) error {
	var in struct {
		Model        string
		Stream       bool
		Instructions string
		Tools        []struct{ Name, Type string }
		Input        []struct {
			Message
			Type   string
			Output json.RawMessage
		}
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return err
	}
	r.Model, r.Stream, r.System = in.Model, in.Stream, in.Instructions
	for _, t := range in.Tools {
		r.Tools = append(r.Tools, cmp.Or(t.Name, t.Type))
	}
	for _, item := range in.Input {
		m := item.Message
		switch {
		case strings.HasSuffix(item.Type, "_output"):
			m.Role, m.Content = "tool", item.Output
		case item.Type != "message" && item.Type != "": // a call, or what the model thought
			m.Role = "assistant"
		case m.Role == "developer" && len(r.Messages) == 0:
			r.System += m.Text() + "\n"
			continue
		}
		if n := len(r.Messages); n > 0 && m.Role == "assistant" && r.Messages[n-1].Role == "assistant" {
			continue // one answer is several items
		}
		r.Messages = append(r.Messages, m)
	}
	return nil
}

func (responses) write(w http.ResponseWriter, t Turn, number int, _ *Request) {
	id := fmt.Sprintf("resp_%d", number)
	sendEvent(w, block{"type": "response.created", "response": block{"id": id}})
	items := t.items(number)
	for i, item := range items {
		sendEvent(w, block{"type": "response.output_item.added", "output_index": i, "item": item})
		sendEvent(w, block{"type": "response.output_item.done", "output_index": i, "item": item})
	}
	sendEvent(w, block{"type": "response.completed", "response": block{
		"id": id, "object": "response", "status": "completed", "output": items,
		"usage": block{"input_tokens": 10, "output_tokens": 10, "total_tokens": 20},
	}})
}

// items are the parts of an answer: its text, and one for each call.
func (t Turn) items(number int) (items []block) {
	if t.Text != "" {
		items = append(items, block{"type": "message", "role": "assistant", "id": fmt.Sprintf("msg_%d", number),
			"content": []block{{"type": "output_text", "text": t.Text, "annotations": []block{}}}})
	}
	for i, c := range t.Calls {
		id := callID(number, i)
		item := block{"type": "function_call", "id": "fc_" + id, "call_id": id, "name": c.Name,
			"arguments": c.arguments(), "status": "completed"}
		if c.Space != "" {
			item["namespace"] = c.Space
		}
		if c.Raw != "" {
			delete(item, "arguments")
			item["type"], item["input"] = "custom_tool_call", c.Raw
		}
		items = append(items, item)
	}
	return items
}
