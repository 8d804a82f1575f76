package transcript

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// trace is who did what: main PreToolUse(Read).
func trace(s *Session) string {
	var out []string
	for _, c := range s.Calls {
		who := "main"
		if kind, ok := c.Payload["agent_type"]; ok {
			who = fmt.Sprint(kind)
		}
		what := fmt.Sprint(who, " ", c.Payload["hook_event_name"])
		if tool, ok := c.Payload["tool_name"]; ok {
			what += fmt.Sprintf("(%s)", tool)
		}
		out = append(out, what)
	}
	return strings.Join(out, "\n")
}

// The transcripts in testdata are of the two clients: a read, an agent that is waited for, two calls in one message
// that fail, a skill that forks, an agent in the background, its notification, and a second prompt after a resume.
const told = `main SessionStart
main UserPromptSubmit
main PreToolUse(Read)
main PostToolUse(Read)
main PreToolUse(Agent)
context-gatherer SubagentStart
context-gatherer PreToolUse(Bash)
context-gatherer PostToolUse(Bash)
context-gatherer SubagentStop
main PostToolUse(Agent)
main PreToolUse(Bash)
main PreToolUse(Read)
main PostToolUseFailure(Read)
main PostToolUseFailure(Bash)
main PreToolUse(Skill)
context-gatherer SubagentStart
context-gatherer SubagentStop
main PostToolUse(Skill)
main PreToolUse(Agent)
bash-developer SubagentStart
main PostToolUse(Agent)
bash-developer PreToolUse(Write)
main Stop
bash-developer PostToolUse(Write)
bash-developer SubagentStop
main UserPromptSubmit
main Stop
main UserPromptSubmit
main Stop`

func TestRead(t *testing.T) {
	for _, version := range []string{"2.1.329", "2.1.197"} {
		s, err := Read(filepath.Join("testdata", "s-"+version+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		if got := sorted(trace(s)); got != sorted(told) || s.Damaged != 0 || s.Unattributed != 0 {
			t.Errorf("%s: %d damaged, %d aside\n%s", version, s.Damaged, s.Unattributed, trace(s))
		}
		for _, c := range s.Calls {
			if c.Payload["hook_event_name"] == "Stop" && c.Payload["last_assistant_message"] == "waiting" {
				if tasks := c.Payload["background_tasks"].([]any); len(tasks) != 1 {
					t.Errorf("%s: %v run at the first Stop", version, tasks)
				}
			}
			if c.Dir != "/home/me/project" || c.ID == "" {
				t.Errorf("%+v", c)
			}
		}
	}
}

// sorted leaves out the order of what happens at once: the main agent goes on while one runs in the background.
func sorted(trace string) string {
	head, tail, _ := strings.Cut(trace, "bash-developer SubagentStart")
	before, after, _ := strings.Cut(tail, "bash-developer SubagentStop")
	n := strings.Count(before, "\n")
	return fmt.Sprint(head, n, after)
}

// A conversation that was copied leaves its agents' transcripts with the one it was copied from.
func TestCopied(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "s-2.1.329"), os.DirFS("testdata/s-2.1.329")); err != nil {
		t.Fatal(err)
	}
	body, err := os.ReadFile("testdata/s-2.1.329.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "copy.jsonl")
	if err := os.WriteFile(path, body, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := trace(s); strings.Count(got, "context-gatherer SubagentStop") != 1 || strings.Count(got,
		"bash-developer SubagentStop") != 1 {
		t.Error(got) // the skill's agent has no call by which it could be found
	}
}

func write(t *testing.T, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func msg(kind, content string, more ...string) string {
	return fmt.Sprintf(`{"type":%q,"timestamp":"2026-01-01T00:00:00Z","message":{"content":%s}%s}`, kind, content,
		strings.Join(more, ""))
}

func TestBadLines(t *testing.T) {
	for name, c := range map[string]struct {
		lines          []string
		want           string
		damaged, aside int
	}{
		"nothing": {nil, "", 0, 0},
		"foreign": {[]string{`[1,2]`, `{"type":"other"}`, `"x"`, `17`}, "", 0, 0},
		"damaged": {[]string{msg("user", `"go"`), `{"type":`, msg("assistant",
			`[{"type":"text","text":"done"}]`)}, "main SessionStart\nmain UserPromptSubmit\nmain Stop", 1, 0},
		"half written": {[]string{msg("user", `"go"`), `{"type":"assi`}, "main SessionStart\nmain UserPromptSubmit",
			0, 0},
		"no time": {[]string{`{"type":"user","message":{"content":"go"}}`}, "", 1, 0},
		"odd content": {[]string{msg("user", `17`), msg("assistant", `[1,"x",{"type":"tool_use"}]`), msg("user",
			`{"a":1}`)}, "main SessionStart\nmain PreToolUse()", 0, 0},
		"remarks": {[]string{msg("user", `"x"`, `,"isMeta":true`), msg("user", `"<local-command-stdout>x"`),
			msg("user", `"[Request interrupted by user]"`)}, "main SessionStart", 0, 0},
		"compaction": {[]string{`{"type":"system","subtype":"compact_boundary","timestamp":"2026-01-01T00:00:00Z"}`}, "main SessionStart\nmain SessionStart", 0, 0},
		"API error": {[]string{msg("assistant", `[{"type":"text","text":"API Error"}]`,
			`,"isApiErrorMessage":true`)}, "main SessionStart\nmain StopFailure", 0, 0},
		"turned down": {[]string{msg("assistant", `[{"type":"tool_use","id":"t","name":"Read","input":{}}]`),
			msg("user", `[{"type":"tool_result","tool_use_id":"t","is_error":true,"content":"<tool_use_error>InputValidationError"}]`)}, "main SessionStart", 0, 0},
		"older clients": {[]string{msg("assistant", `[{"type":"tool_use","id":"t","name":"Read","input":{}}]`,
			`,"isSidechain":true`)}, "main SessionStart", 0, 1},
	} {
		s, err := Read(write(t, c.lines...))
		if err != nil {
			t.Fatal(err)
		}
		if trace(s) != c.want || s.Damaged != c.damaged || s.Unattributed != c.aside {
			t.Errorf("%s: %d damaged, %d aside\n%s", name, s.Damaged, s.Unattributed, trace(s))
		}
	}
	if _, err := Read(filepath.Join(t.TempDir(), "none.jsonl")); err == nil {
		t.Error("a file that is not there was read")
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(msg("user", `"go"`)))
	f.Add([]byte(msg("assistant", `[{"type":"tool_use","id":"t","name":"Read","input":{}}]`)))
	f.Fuzz(func(t *testing.T, body []byte) {
		if _, err := Read(write(t, string(body))); err != nil {
			t.Fatal(err)
		}
	})
}
