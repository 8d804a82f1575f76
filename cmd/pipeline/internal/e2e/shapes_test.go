package e2e

import (
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the shapes of the clients that run")

// TestShapes compares what a client sends to its hooks with what it sent when its adapter
// was written: the members of each payload and their types, the variables of hooks and of
// an agent's shell, the tools that the model is offered. `make canary` runs it with the
// newest versions.
func TestShapes(t *testing.T) {
	EachClient(t, func(t *testing.T, c Client) {
		t.Parallel()
		file := filepath.Join("testdata", "shapes", c.Name()+"-"+string(c.Version)+".txt")
		if !fileExists(file) { // a version whose shapes are its own has a file, the others share one
			file = filepath.Join("testdata", "shapes", c.Name()+".txt")
		}
		got := strings.Join(shapeOf(t, c), "\n") + "\n"
		if *update {
			writeFile(t, file, got)
			return
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if changes := diffLines(string(want), got); changes != "" {
			t.Fatalf("%s %s differs from %s (- is gone, + is new):\n%s", c.Name(), c.Version, file, changes)
		}
		t.Logf("%s %s: as %s", c.Name(), c.Version, file)
	})
}

// shapeOf runs a client in which the main agent runs a command, writes a file and starts
// an agent, who runs a command too.
func shapeOf(t *testing.T, c Client) []string {
	t.Helper()
	p, m := NewProject(t), NewModel(t)
	p.Git()
	c.Define(p, "gatherer", "[[gatherer]]")
	dir := t.TempDir()
	hooks := hookTable{}
	for _, event := range []string{"SessionStart", "SessionEnd", "UserPromptSubmit", "PreToolUse", "PostToolUse",
		"PostToolUseFailure", "SubagentStart", "SubagentStop", "Stop"} {
		hooks[event] = "cat > " + dir + "/" + event + ".$$; env > " + dir + "/env.$$"
	}
	c.register(p, hooks)
	turns := append([]Turn{c.Shell("env > " + dir + "/shell.1"), c.Write(p.Path("out.txt"), "made")},
		c.Start("gatherer", "[[gatherer]] go")...)
	m.Say("main", append(turns, Text("done"))...)
	m.Say("gatherer", c.Shell("echo hello"), Text("gathered 42"))
	run := c.Run(t, p, m, "build me a thing", allowAll(c)...)
	run.WantTold(t, "main", "gathered 42")

	lines := map[string]bool{}
	for _, tool := range run.Asked("main")[0].Tools {
		lines["tool "+tool] = true
	}
	files, _ := filepath.Glob(dir + "/*")
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		switch kind, _, _ := strings.Cut(filepath.Base(file), "."); kind {
		case "env", "shell":
			for line := range strings.Lines(string(body)) {
				if name, _, ok := strings.Cut(line, "="); ok && isClients(name) {
					lines[kind+" "+name] = true
				}
			}
		default:
			addShape(t, lines, kind, body)
		}
	}
	return slices.Sorted(maps.Keys(lines))
}

func allowAll(c Client) []Option {
	if c.Name() == "claude" {
		return []Option{Allow("Bash Write Agent")}
	}
	return nil
}

// isClients reports whether a variable is one of the clients' own.
func isClients(name string) bool {
	return strings.HasPrefix(name, "AI_AGENT") || slices.ContainsFunc([]string{"CLAUDE", "CODEX", "COPILOT", "QWEN",
		"GEMINI"}, func(p string) bool { return strings.HasPrefix(name, p) })
}

// addShape adds the members of a payload, each with its type.
func addShape(t *testing.T, lines map[string]bool, event string, body []byte) {
	t.Helper()
	var payload map[string]any
	if err := json.Unmarshal(body, &payload); err != nil {
		t.Fatalf("payload of %s: %v in %s", event, err, body)
	}
	name := event
	if tool, ok := payload["tool_name"].(string); ok {
		name += " " + tool
	}
	if payload["agent_id"] != nil {
		name += " (agent)"
	}
	addMembers(lines, name, "", payload, 0)
}

func addMembers(lines map[string]bool, event, path string, v any, depth int) {
	kind := "null"
	switch v := v.(type) {
	case map[string]any:
		for key, member := range v {
			if depth < 2 {
				addMembers(lines, event, strings.TrimPrefix(path+"."+key, "."), member, depth+1)
			}
		}
		kind = "object"
	case []any:
		kind = "list"
	case string:
		kind = "string"
	case float64:
		kind = "number"
	case bool:
		kind = "bool"
	}
	if path != "" {
		lines[event+": "+path+" "+kind] = true
	}
}

// diffLines lists what is in one text only.
func diffLines(want, got string) string {
	var out []string
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for _, line := range w {
		if !slices.Contains(g, line) {
			out = append(out, "- "+line)
		}
	}
	for _, line := range g {
		if !slices.Contains(w, line) {
			out = append(out, "+ "+line)
		}
	}
	return strings.Join(out, "\n")
}
