package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// foreign is a name that an agent may have: it would colour what follows, reverse it, and forge a line.
const foreign = "\x1b[31mevil\u202e\u009b2J\u200f\r\nforged"

// A caged runs the shipped binary in a project of its own.
type caged struct {
	t         *testing.T
	dir, home string
}

func cage(t *testing.T, args ...string) caged {
	c := caged{t, t.TempDir(), t.TempDir()}
	if out, err := c.run(nil, args...); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return c
}

// run returns what is printed, to either stream.
func (c caged) run(stdin []byte, args ...string) (string, error) {
	cmd := exec.Command(binary(), args...)
	cmd.Dir, cmd.Stdin = c.dir, bytes.NewReader(stdin)
	cmd.Env = []string{"HOME=" + c.home, "PATH=" + os.Getenv("PATH"), "CLAUDE_PROJECT_DIR=" + c.dir, "PIPELINE_DEBUG=1"}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// call is one hook call.
func (c caged) call(event string, fields map[string]any) string {
	c.t.Helper()
	payload := map[string]any{"session_id": "s1", "transcript_path": "/t/s1.jsonl", "cwd": c.dir,
		"hook_event_name": event}
	maps.Copy(payload, fields)
	body, err := json.Marshal(payload)
	if err != nil {
		c.t.Fatal(err)
	}
	out, err := c.run(body, "hook", "--host", "claude")
	if err != nil {
		c.t.Fatalf("%v: %s", err, out)
	}
	return out
}

// trackTasks makes the config follow the client's own tasks.
func (c caged) trackTasks() {
	path := filepath.Join(c.dir, "configs", "pipeline.yaml")
	text, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, bytes.Replace(text, []byte("from: [agent]"), []byte("from: [agent, host]"), 1), 0o644)
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

// TestForeignTextIsVisible: what agents and the client wrote steers no terminal, whichever command prints it.
func TestForeignTextIsVisible(t *testing.T) {
	c := cage(t, "init", "--preset", "default")
	c.trackTasks()
	agent := func(more map[string]any) map[string]any {
		fields := map[string]any{"agent_id": "a0123456789abcdef", "agent_type": foreign}
		maps.Copy(fields, more)
		return fields
	}
	c.call("SessionStart", map[string]any{"source": "startup"})
	c.call("UserPromptSubmit", map[string]any{"prompt": "go " + foreign})
	answers := c.call("PreToolUse", map[string]any{"tool_name": "Agent", "tool_use_id": "t1",
		"tool_input": map[string]any{"subagent_type": foreign, "prompt": foreign, "description": foreign}})
	answers += c.call("SubagentStart", agent(nil))
	for i, tool := range []string{"Bash", "Write", "Read", foreign} {
		answers += c.call("PreToolUse", agent(map[string]any{"tool_name": tool,
			"tool_use_id": "b" + string(rune('0'+i)),
			"tool_input":  map[string]any{"command": "echo '" + foreign + "'", "file_path": "src/" + foreign}}))
	}
	answers += c.call("SubagentStop", agent(map[string]any{"last_assistant_message": foreign}))
	c.call("PostToolUse", map[string]any{"tool_name": "TaskCreate", "tool_use_id": "tc",
		"tool_input":    map[string]any{"subject": foreign, "description": foreign},
		"tool_response": map[string]any{"task": map[string]any{"id": "1", "subject": foreign}}})
	c.call("SubagentStart", agent(nil))
	if err := os.WriteFile(filepath.Join(c.dir, ".claude", "agents", "evil.md"), []byte("---\nname: \""+
		`\e[31mevil\u202e\nforged`+"\"\ndescription: x\n---\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	lines := []string{"status", "status --json", "session", "session list", "status s1", "status s1 --json",
		"session list --json",
		"doctor", "doctor --json", "log", "log --all", "log --all --json", "report", "report --format json",
		"report --format html", "graph", "graph --format dot",
		"tasks", "tasks --json", "check --fast", "check", "check --json", "config", "tasks score", "report --readiness",
		"report --readiness --json", "audit verify",
		"audit verify --json", "replay", "replay --json", "mode", "bypass", "config --questions",
		"tasks route " + foreign, "explain " + foreign, "test", "report --gate 80",
		"statusline", "reset why", "version", "dispute s1:3 " + foreign, "once " + foreign,
		strings.ReplaceAll(foreign, "\n", ""), "status --" + strings.ReplaceAll(foreign, "\n", ""),
		"report --session " + foreign}
	shown := 0
	for _, line := range lines {
		name, rest, _ := strings.Cut(line, " ")
		args := []string{name}
		for a := range strings.SplitSeq(rest, " ") {
			if a != "" {
				args = append(args, a)
			}
		}
		var stdin []byte
		if name == "statusline" {
			stdin = []byte(`{"session_id":"s1","version":"\u001b[2J","workspace":{"project_dir":"` + c.dir + `"}}`)
		}
		out, _ := c.run(stdin, args...)
		if name == "statusline" {
			out = colours().ReplaceAllString(out, "")
		}
		checkVisible(t, line, out)
		if strings.Contains(out, "evil") {
			shown++
		}
	}
	checkVisible(t, "the answers", answers)
	if shown < 12 {
		t.Errorf("%d commands show the name", shown)
	}
}

func checkVisible(t *testing.T, what, out string) {
	t.Helper()
	for i, r := range out {
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 ||
			strings.ContainsRune("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069", r) ||
			r == utf8.RuneError {
			t.Errorf("%q prints %U: %q", what, r, out[max(0, i-60):min(len(out), i+60)])
			return
		}
	}
	for line := range strings.SplitSeq(out, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "forged") {
			t.Errorf("%q prints a forged line in %q", what, out[:min(len(out), 600)])
			return
		}
	}
}

// colours matches the sequences that set a style.
func colours() *regexp.Regexp { return regexp.MustCompile(`\x1b\[[0-9]*m`) }
