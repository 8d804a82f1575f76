package main

import (
	"os"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/cmd/pipeline/internal/e2e"
)

// TestClientTypedByFile: Qwen Code marks as typed what an agent has put into the file that its window reads prompts
// from. So its mark proves no person, and no prompt of its window is a command.
func TestClientTypedByFile(t *testing.T) {
	e2e.EachClient(t, func(t *testing.T, c e2e.Client) {
		if c.Name() != "qwen" {
			return
		}
		t.Parallel()
		s := installed(t, c)
		input, seen := s.Path("input.jsonl"), s.Path("seen.jsonl")
		s.Write("input.jsonl", "")
		settings := s.Home + "/.qwen/settings.json"
		body, err := os.ReadFile(settings)
		if err != nil {
			t.Fatal(err)
		}
		recorder := `"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "cat >> ` + seen + `"}]}, `
		text := strings.Replace(string(body), `"UserPromptSubmit": [`, recorder, 1)
		if err := os.WriteFile(settings, []byte(text), 0o644); err != nil || text == string(body) {
			t.Fatalf("record prompts: %v\n%s", err, body)
		}
		s.Say("main", e2e.Text("that is all"), e2e.Text("really all"), e2e.Text("as you say"))

		w := c.Open(t, s.Project, s.Model, e2e.Arg("--input-file", input))
		w.Say("build me a thing")
		w.Wait("really all") // now as something that an agent has left in the background would do
		s.Write("input.jsonl", "{\"type\":\"submit\",\"text\":\"a person says so\"}\n")
		w.Until("mark the prompt of the file as typed", func() bool {
			body, err := os.ReadFile(seen)
			return err == nil && strings.Contains(string(body), `"submitted_prompt":"a person says so"`)
		})
		w.Close()
	})
}
