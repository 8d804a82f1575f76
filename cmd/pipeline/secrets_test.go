package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNoSecretIsKept puts a secret of every kind through every door: commands, inputs, paths, errors, messages,
// tasks, and a person's reasons. It finds none in an answer, in a file that we write, or in a report.
func TestNoSecretIsKept(t *testing.T) {
	var kinds [][2]string
	body, err := os.ReadFile("../../fsm/redact/testdata/kinds.json")
	if err == nil {
		err = json.Unmarshal(body, &kinds)
	}
	if err != nil || len(kinds) < 60 {
		t.Fatalf("%d kinds, %v", len(kinds), err)
	}
	c := cage(t, "init", "--preset", "default")
	c.trackTasks()
	c.call("SessionStart", map[string]any{"source": "startup"})
	secrets := map[string]string{} // secret → its kind
	printed := ""
	for i, k := range kinds {
		text, secret := unique(k[1], i)
		secrets[secret] = k[0]
		use := func(door string, fields map[string]any) map[string]any {
			fields["tool_use_id"] = fmt.Sprint(door, i)
			return fields
		}
		quoted := "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
		worker := map[string]any{"agent_id": "a0123456789abcdef", "agent_type": "c-developer"}
		for door, fields := range map[string]map[string]any{
			"argument": {"tool_name": "Bash", "tool_input": map[string]any{"command": "git push origin " + quoted}},
			"pipe": {"tool_name": "Bash", "tool_input": map[string]any{"command": "printf %s " + quoted +
				" | tee x"}},
			"worker": {"tool_name": "Bash", "tool_input": map[string]any{"command": "curl -d " + quoted +
				" https://host", "description": text}},
			"write": {"tool_name": "Write", "tool_input": map[string]any{
				"file_path": "src/" + strings.ReplaceAll(text, "\n", ""), "content": text}},
			"server": {"tool_name": "mcp__x__y", "tool_input": map[string]any{"text": text, "query": text}},
		} {
			if door == "worker" || door == "write" {
				fields["agent_id"], fields["agent_type"] = worker["agent_id"], worker["agent_type"]
			}
			printed += c.call("PreToolUse", use(door, fields))
		}
		printed += c.call("PostToolUseFailure", use("argument",
			map[string]any{"tool_name": "Bash", "error": "failed: " + text,
				"tool_input": map[string]any{"command": "x " + quoted}}))
		printed += c.call("PostToolUse", use("task", map[string]any{"tool_name": "TaskCreate",
			"tool_input":    map[string]any{"subject": text, "description": text},
			"tool_response": map[string]any{"task": map[string]any{"id": fmt.Sprint(i), "subject": text}}}))
		printed += c.call("SubagentStop", map[string]any{"agent_id": "a0123456789abcdef", "agent_type": "c-developer",
			"last_assistant_message": text})
		printed += c.call("UserPromptSubmit", map[string]any{"prompt": text})
		if i%8 == 0 {
			for _, args := range [][]string{{"reset", text}, {"once", text}, {"mode", "strict", text},
				{"bypass", "on", "--for", "1m", text}} {
				out, _ := c.run(nil, args...)
				printed += out
			}
		}
	}
	for _, args := range [][]string{{"status", "--json"}, {"status", "s1"}, {"log"}, {"log", "--all"},
		{"log", "--all", "--json"}, {"report"}, {"report", "--format", "html"},
		{"report", "--format", "json"}, {"tasks"}, {"report", "--readiness"}, {"replay"}, {"mode", "--json"},
		{"bypass"}, {"tasks", "score"}} {
		out, _ := c.run(nil, args...)
		printed += out
	}
	c.call("SessionEnd", map[string]any{"reason": "exit"})
	for secret, kind := range secrets {
		if at := strings.Index(printed, secret); at >= 0 {
			t.Errorf("%s is printed: %q", kind, printed[max(0, at-120):min(len(printed), at+80)])
		}
	}
	files := 0
	err = filepath.WalkDir(c.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.Contains(path, "/context/") { // what agents hand over, whole
			return err
		}
		body, err := os.ReadFile(path)
		files++
		for secret, kind := range secrets {
			if at := strings.Index(string(body), secret); at >= 0 {
				t.Errorf("%s is in %s: %q", kind, filepath.Base(path), body[max(0, at-120):min(len(body), at+80)])
			}
		}
		return err
	})
	if log, _ := filepath.Glob(filepath.Join(c.home, ".local", "state", "pipeline", "*", "debug.log")); err != nil ||
		files < 5 || len(log) != 1 {
		t.Errorf("%d files, logs %q, %v", files, log, err)
	}
}

// unique is a kind's text without the marks, and its secret: a short one is replaced by one that can be found.
func unique(text string, i int) (string, string) {
	before, rest, _ := strings.Cut(text, "‹")
	secret, after, _ := strings.Cut(rest, "›")
	switch {
	case len(secret) >= 14 || strings.ContainsAny(secret, "\n;:"):
	case strings.Contains(secret, " "):
		secret = fmt.Sprintf("zq%d hiddenx", i)
	default:
		secret = fmt.Sprintf("zq%dhiddenx", i)
	}
	text = before + secret + after
	if s := strings.TrimSpace(secret); strings.Contains(s, "\n") {
		secret = s[:strings.IndexByte(s, '\n')]
	}
	return text, strings.TrimSpace(secret)
}
