package e2e

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

func post(t *testing.T, m *Model, path, body string) (status int, answer string) {
	t.Helper()
	resp, err := http.Post(m.URL()+path, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(data)
}

func TestServer(t *testing.T) {
	m := NewModel(t)
	m.Say("main", Together(Text("both"), Call("Bash", nil), Call("Read", nil)), Fail(529, "busy"))
	m.Say("leaf", Given(func(r *Request) Turn { return Text("heard " + r.New) }))
	const tools = `"tools":[{"name":"Bash"}],`
	rows := []struct {
		name, path, body string
		status           int
		has              string
	}{
		{"whole", "/v1/messages?beta=true", `{` + tools + `"messages":[{"role":"user","content":"go"}]}`, 200,
			`"id":"toolu_1_1"`},
		{"stream", "/v1/messages", `{"stream":true,` + tools + `"messages":[{"role":"user","content":"go"}]}`, 200,
			`"stop_reason":"tool_use"`},
		{"error", "/v1/messages",
			`{` + tools + `"messages":[{"role":"user","content":"go"},{"role":"assistant","content":"a"}]}`, 529,
			`"message":"busy"`},
		{"agent", "/v1/messages",
			`{` + tools + `"messages":[{"role":"user","content":[{"type":"text","text":"[[leaf]] go"}]}]}`, 200,
			"heard [[leaf]] go"},
		{"side question", "/v1/messages", `{"messages":[{"role":"user","content":"[[leaf]] a title?"}]}`, 200,
			`"text":"ok"`},
		{"past the end", "/v1/messages",
			`{` + tools + `"messages":[{"role":"user","content":"[[leaf]] go"},{"role":"assistant","content":"a"}]}`,
			200, `"text":"ok"`},
		{"tokens", "/v1/messages/count_tokens", `{}`, 200, `{"input_tokens":10}`},
		{"elsewhere", "/v1/else", `{}`, 404, ""},
	}
	for _, row := range rows {
		status, answer := post(t, m, row.path, row.body)
		if status != row.status || !strings.Contains(answer, row.has) {
			t.Errorf("%s: %d %s, want %d with %s", row.name, status, answer, row.status, row.has)
		}
	}
}

func TestSpeaker(t *testing.T) {
	scripted := func(name string) bool { return name == "leaf" }
	rows := []struct{ name, system, prompt, want string }{
		{"no marker", "link with [[name]]", "go", "main"},
		{"definition", "link with [[name]]. [[leaf]]", "go", "leaf"},
		{"prompt before definition", "[[leaf]]", "[[other]] go", "other"},
		{"injected text is no prompt", "", "<system-reminder>\nit was [[other]]</system-reminder>\ngo", "main"},
	}
	for _, row := range rows {
		r := Request{System: row.system, Tools: []string{"Bash"}}
		r.Messages = []Message{{Role: "user", Content: quoted(row.prompt)}}
		if got := r.speaker(scripted); got != row.want {
			t.Errorf("%s: speaker %q, want %q", row.name, got, row.want)
		}
	}
}

func quoted(text string) []byte {
	return []byte(`"` + strings.ReplaceAll(text, "\n", `\n`) + `"`)
}
