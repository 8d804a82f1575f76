package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// chat is OpenAI's chat completions.
type chat struct{}

func (chat) read(body []byte, r *Request) error {
	var in struct {
		Model    string
		Stream   bool
		Tools    []struct{ Function, Custom struct{ Name string } }
		Messages []Message
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return err
	}
	r.Model, r.Stream = in.Model, in.Stream
	for _, t := range in.Tools {
		r.Tools = append(r.Tools, t.Function.Name+t.Custom.Name)
	}
	for _, m := range in.Messages {
		if m.Role == "system" || m.Role == "developer" {
			r.System += m.Text() + "\n"
			continue
		}
		r.Messages = append(r.Messages, m)
	}
	return nil
}

func (chat) write(w http.ResponseWriter, t Turn, number int, req *Request) {
	whole := block{"id": fmt.Sprintf("chatcmpl-%d", number), "model": req.Model, "created": 1}
	message, reason := block{"role": "assistant", "content": t.Text}, "stop"
	if calls := t.chatCalls(number); len(calls) > 0 {
		message["tool_calls"], reason = calls, "tool_calls"
	}
	used := block{"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}
	if !req.Stream {
		whole["object"], whole["usage"] = "chat.completion", used
		whole["choices"] = []block{{"index": 0, "message": message, "finish_reason": reason}}
		writeJSON(w, http.StatusOK, whole)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	whole["object"] = "chat.completion.chunk"
	send := func(choices ...block) {
		whole["choices"] = choices
		data, _ := json.Marshal(whole)
		fmt.Fprintf(w, "data: %s\n\n", data)
	}
	send(block{"index": 0, "delta": message, "finish_reason": nil})
	send(block{"index": 0, "delta": block{}, "finish_reason": reason})
	whole["usage"] = used
	send([]block{}...)
	fmt.Fprint(w, "data: [DONE]\n\n")
}

func (t Turn) chatCalls(number int) (calls []block) {
	for i, c := range t.Calls {
		calls = append(calls, block{"index": i, "id": callID(number, i), "type": "function",
			"function": block{"name": c.Name, "arguments": c.arguments()}})
	}
	return calls
}

// callID names a call of a tool: of the answer's number and its place there.
func callID(number, i int) string { return fmt.Sprintf("call_%d_%d", number, i) }

// arguments is the call's input as the OpenAI wires have it: a text of JSON.
func (c ToolCall) arguments() string {
	if c.Input == nil {
		return "{}"
	}
	data, _ := json.Marshal(c.Input)
	return string(data)
}
