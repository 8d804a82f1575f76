package hooks

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/guard"
)

// TestSecretLines: whatever way a line with a secret takes, as a command, as the error of one, as a reason or as a
// final message, neither the record nor the debug log shows the secret.
func TestSecretLines(t *testing.T) {
	shown := map[string]int{}
	total := 0
	for line := range strings.Lines(read(t, "../fsm/redact/testdata/lines.txt")) {
		if strings.HasPrefix(line, "#") || !strings.Contains(line, "‹") {
			continue
		}
		total++
		line = strings.TrimSuffix(line, "\n")
		plain := strings.NewReplacer("‹", "", "›", "").Replace(line)
		for name, text := range linesWritten(t, plain) {
			for _, rest := range strings.Split(line, "‹")[1:] {
				if secret, _, _ := strings.Cut(rest, "›"); strings.Contains(text, jsonText(t, secret)) {
					shown[name]++
					t.Logf("%s shows %s\n  %s", name, line, text)
					break
				}
			}
		}
	}
	for name, n := range shown {
		if n > 3 {
			t.Errorf("%s: %d of %d lines show their secret", name, n, total)
		}
	}
	if total < 97 {
		t.Errorf("%d lines", total)
	}
}

func jsonText(t *testing.T, s string) string {
	t.Helper()
	body, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Trim(string(body), `"`)
}

// linesWritten is what is written of a line, by the way that it takes.
func linesWritten(t *testing.T, line string) map[string]string {
	t.Helper()
	bash := fsm.Tool{Name: "Bash", UseID: "u1", Command: line}
	bash.Parts = guard.Guards{Root: "/p"}.Parts(bash, "/p")
	out := map[string]string{}
	for name, e := range map[string]fsm.Event{
		"command": {Kind: fsm.ToolRequest, Tool: bash},
		"error":   {Kind: fsm.ToolFailure, Tool: bash, Text: "Exit code 1\n" + line},
		"message": {Kind: fsm.AgentStop, Agent: fsm.Agent{ID: "a", Type: "go"}, Text: "I ran this:\n\n    " + line + "\n\nIt failed."},
		"reset":   {Kind: fsm.Reset, Text: line},
	} {
		r, err := json.Marshal(newRecord(policy(), e, fsm.Decision{Reason: "Refused: " + line, Notes: []string{line}}))
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if err := WriteDebug(dir, e, fsm.Decision{Reason: line, Parts: []fsm.Ruling{}}); err != nil {
			t.Fatal(err)
		}
		debug, err := os.ReadFile(filepath.Join(dir, "debug.log"))
		if err != nil {
			t.Fatal(err)
		}
		out[name], out[name+" in debug.log"] = string(r), string(debug)
	}
	return out
}
