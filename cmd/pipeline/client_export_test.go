package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/agent-pipeline/pipeline/cmd/pipeline/internal/e2e"
)

// TestClientTelemetry: the client's own telemetry is a second witness. It agrees with the journal
// of a session, and reports one in which no hook ran.
func TestClientTelemetry(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := enforce(t)
		s.withoutRules()
		told := s.Path("telemetry.jsonl")
		collector := collectLines(t, told)
		telemetry := e2e.Env("CLAUDE_CODE_ENABLE_TELEMETRY=1", "OTEL_LOGS_EXPORTER=otlp",
			"OTEL_EXPORTER_OTLP_PROTOCOL=http/json", "OTEL_EXPORTER_OTLP_ENDPOINT="+collector,
			"OTEL_LOGS_EXPORT_INTERVAL=100", "DISABLE_TELEMETRY=", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=")
		s.Say("main", e2e.Call("Bash", e2e.Input{"command": "echo one"}), e2e.Call("Bash", e2e.Input{"command": "echo two"}),
			e2e.Text("done"))
		s.Claude(t, v, s.Model, "go", e2e.Allow(everything), telemetry)
		if out := s.pipeline("export", "--check", told); !strings.Contains(out, "1 session, 2 calls and 2 hook runs") {
			t.Errorf("check: %s\n%s", out, s.Read("telemetry.jsonl"))
		}

		s.Write(".claude/settings.local.json", `{"disableAllHooks":true}`)
		s.Say("main", e2e.Call("Bash", e2e.Input{"command": "echo three"}), e2e.Text("done"))
		run := s.Claude(t, v, s.Model, "go", e2e.Allow(everything), telemetry)
		cmd := exec.Command(binary(), "export", "--check", told)
		cmd.Dir, cmd.Env = s.Dir, s.env()
		out, err := cmd.Output()
		if err == nil || !strings.Contains(string(out), run.Session+"  no journal: the client names ") {
			t.Errorf("check without hooks: %v, %s", err, out)
		}
	})
}

// collectLines appends each request to a file, as a collector's file exporter does.
func collectLines(t *testing.T, path string) (address string) {
	var mu sync.Mutex
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		out, openErr := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil || openErr != nil {
			t.Error(err, openErr)
			return
		}
		defer out.Close()
		if _, err := out.Write(append(bytes.ReplaceAll(body, []byte("\n"), nil), '\n')); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}
