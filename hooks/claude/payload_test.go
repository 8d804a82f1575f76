package claude

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/hooks"
)

// TestAnyType gives every field of every recorded payload a value of every wrong type: each is taken, noted, and
// becomes the same kind of event.
func TestAnyType(t *testing.T) {
	files, err := filepath.Glob("testdata/2.*/*.json")
	if err != nil || len(files) < 100 {
		t.Fatalf("%d recorded payloads, %v", len(files), err)
	}
	wrong := []string{`5`, `null`, `{"a":1}`, `["x"]`, `true`, `"text"`, `[{"id":5}]`, `-1e9`}
	for _, f := range files {
		body, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var fields map[string]json.RawMessage
		if json.Unmarshal(body, &fields) != nil || fields["hook_event_name"] == nil {
			continue
		}
		var event string
		if err := json.Unmarshal(fields["hook_event_name"], &event); err != nil {
			t.Fatal(err)
		}
		host := Host{Surroundings: hooks.Surroundings{Environment: func(string) string { return "" }, Event: event}}
		before, business := mustRead(t, host, body).Event(time.Time{})
		for name, was := range fields {
			for _, value := range wrong {
				if value == "null" && (name == "session_id" || name == "hook_event_name") ||
					name == "hook_event_name" && (value == `"text"` || !business) {
					continue // that is no payload, or another one
				}
				fields[name] = json.RawMessage(value)
				changed, err := json.Marshal(fields)
				if err != nil {
					t.Fatal(err)
				}
				e, ok := mustRead(t, host, changed).Event(time.Time{})
				sameKind := e.Kind == before.Kind || name == "agent_id" || name == "source"
				if ok != business || ok && (!sameKind || e.Session == "") {
					t.Errorf("%s: %s is %s: %v, %+v", filepath.Base(f), name, value, ok, e)
				}
			}
			fields[name] = was
		}
	}
}

func mustRead(t *testing.T, h Host, body []byte) hooks.Call {
	t.Helper()
	c, err := h.Read(bytes.NewReader(body))
	if err != nil {
		t.Fatalf("%v\n%s", err, body)
	}
	return c
}
