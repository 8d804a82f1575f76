package e2e

import (
	"strings"
	"testing"
)

// TestWires asks one script over each of the wires, as its client does: the prompt, then
// with the model's answer and the result of its call.
func TestWires(t *testing.T) {
	call := Turn{Text: "both", Calls: []ToolCall{{Name: "run", Space: "ns", Input: Input{"a": 1}},
		{Name: "patch", Raw: "*** Begin"}}}
	rows := []struct{ name, path, first, second, calls, text string }{
		{"chat", "/v1/chat/completions",
			`{"tools":[{"function":{"name":"run"}}],"messages":[{"role":"system","content":"s"},` +
				`{"role":"user","content":"go"}]}`,
			`{"stream":true,"tools":[{"function":{"name":"run"}}],"messages":[{"role":"user","content":"go"},` +
				`{"role":"assistant","tool_calls":[]},{"role":"tool","content":[{"type":"text","text":"ran"}]}]}`,
			`"tool_calls":[{"function":{"arguments":"{\"a\":1}","name":"run"},"id":"call_1_0","index":0,"type":"function"}`,
			`"content":"heard ran"`},
		{"responses", "/v1/responses",
			`{"tools":[{"name":"run"}],"input":[{"type":"message","role":"developer","content":"s"},` +
				`{"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]}]}`,
			`{"tools":[{"name":"run"}],"input":[{"type":"message","role":"user","content":"go"},` +
				`{"type":"message","role":"assistant","content":"both"},{"type":"function_call","name":"run"},` +
				`{"type":"function_call_output","output":"ran"}]}`,
			`{"arguments":"{\"a\":1}","call_id":"call_1_0","id":"fc_call_1_0","name":"run","namespace":"ns",` +
				`"status":"completed","type":"function_call"}`,
			`"text":"heard ran"`},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			m := NewModel(t)
			m.Say("main", call, Given(func(r *Request) Turn { return Text("heard " + r.New) }))
			for _, ask := range [][2]string{{row.first, row.calls}, {row.second, row.text}} {
				if status, answer := post(t, m, row.path, ask[0]); status != 200 || !strings.Contains(answer, ask[1]) {
					t.Errorf("%d %s, want %s", status, answer, ask[1])
				}
			}
		})
	}
}
