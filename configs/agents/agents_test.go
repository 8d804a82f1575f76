// Package agents_test checks the agent definitions that are shipped, and those that the plugin names.
package agents_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/configs"
)

// maxLines is how long a definition may be: it is read before every piece of work.
const maxLines = 60

func TestEachDefinition(t *testing.T) {
	for _, file := range definitions(t) {
		t.Run(file, func(t *testing.T) {
			head, body := frontmatter(t, file)
			if want := "name: " + strings.TrimSuffix(file, ".md"); !slices.Contains(head, want) {
				t.Errorf("frontmatter %q lacks %q", head, want)
			}
			if !slices.ContainsFunc(head, func(l string) bool { return strings.HasPrefix(l, "description: ") }) {
				t.Errorf("frontmatter %q lacks a description", head)
			}
			if n := strings.Count(body, "\n") + len(head) + 2; n > maxLines {
				t.Errorf("%d lines, want at most %d", n, maxLines)
			}
			saysHowItEnds(t, body)
		})
	}
}

// saysHowItEnds: an agent that does not know how its work is taken loses it.
func saysHowItEnds(t *testing.T, body string) {
	t.Helper()
	text := strings.Join(strings.Fields(body), " ")
	for _, want := range []string{"final message is your result: it is kept and handed on", "empty final message counts as a failure", `"Error:"`, `"BLOCKED:"`} {
		if !strings.Contains(text, want) {
			t.Errorf("the text lacks %q", want)
		}
	}
}

func TestHandedOnInFull(t *testing.T) {
	for _, file := range []string{"context-gatherer.md", "context-refiner.md", "strategic-orchestrator.md"} {
		if _, body := frontmatter(t, file); !strings.Contains(strings.Join(strings.Fields(body), " "), "under 8,000 characters") {
			t.Errorf("%s does not limit what it hands on", file)
		}
	}
}

// TestPluginNamesTheDefaultsAgents: the plugin comes with the agents of the default config, as init writes them; those of
// other presets come with them.
func TestPluginNamesTheDefaultsAgents(t *testing.T) {
	var manifest struct{ Agents []string }
	decode(t, "plugin.json", &manifest)
	config, _ := configs.Preset("default")
	var want []string
	for _, file := range definitions(t) {
		name := strings.TrimSuffix(file, ".md")
		if bytes.Contains(config, []byte("agents: ["+name+"]")) || bytes.Contains(config, []byte("\n  "+name+": {")) {
			want = append(want, "./configs/agents/"+file)
		}
	}
	slices.Sort(manifest.Agents)
	if !slices.Equal(manifest.Agents, want) || len(want) != 6 {
		t.Errorf("plugin.json names %q, want %q", manifest.Agents, want)
	}
}

func TestPluginHooks(t *testing.T) {
	var file struct {
		Hooks map[string][]struct {
			Matcher *string
			Hooks   []struct {
				Type, Command string
				Args          []string
				Timeout       int
			}
		}
	}
	decode(t, "hooks.json", &file)
	for event, groups := range file.Hooks {
		if len(groups) != 1 || len(groups[0].Hooks) != 1 || groups[0].Matcher != nil {
			t.Errorf("%s: want one hook for every tool, found %+v", event, groups)
			continue
		}
		h := groups[0].Hooks[0]
		if want := []string{"hook", "--host", "claude", kebab(event)}; h.Type != "command" || h.Command != "pipeline" || !slices.Equal(h.Args, want) || h.Timeout == 0 {
			t.Errorf("%s runs %+v, want pipeline %q with a timeout", event, h, want)
		}
	}
}

func kebab(event string) string {
	var b strings.Builder
	for i, r := range event {
		if i > 0 && r >= 'A' && r <= 'Z' {
			b.WriteByte('-')
		}
		b.WriteRune(r)
	}
	return strings.ToLower(b.String())
}

func definitions(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("found %d definitions: %v", len(files), err)
	}
	return files
}

func frontmatter(t *testing.T, file string) (head []string, body string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	rest, ok := strings.CutPrefix(string(text), "---\n")
	top, body, ended := strings.Cut(rest, "\n---\n")
	if !ok || !ended {
		t.Fatalf("%s has no frontmatter", file)
	}
	return strings.Split(top, "\n"), body
}

func decode(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", ".claude-plugin", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}
