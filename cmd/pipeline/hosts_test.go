package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/configs"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/clients"
	"github.com/agent-pipeline/pipeline/hooks/dialect"
)

// TestCapabilityTable: the page about clients says of each what its adapter says.
func TestCapabilityTable(t *testing.T) {
	var want strings.Builder
	all := listHosts(hooks.Surroundings{})
	want.WriteString("| can it … |")
	for _, h := range all {
		want.WriteString(" " + h.Name() + " |")
	}
	want.WriteString("\n|" + strings.Repeat("---|", len(all)+1) + "\n")
	for _, a := range hooks.Abilities() {
		want.WriteString("| " + a.Text + " |")
		for _, h := range all {
			want.WriteString(map[bool]string{true: " yes |", false: " no |"}[h.Can().Has(a.Set)])
		}
		want.WriteString("\n")
	}
	page, err := os.ReadFile(filepath.Join(repo(t), "docs", "hosts.md"))
	if err != nil || !strings.Contains(string(page), "\n\n"+want.String()+"\n") {
		t.Errorf("docs/hosts.md lacks this table: %v\n%s", err, want.String())
	}
	for _, h := range all {
		if !strings.Contains(string(page), "`"+h.Name()+"`") ||
			!strings.Contains(string(page), clients.Tested(h.Name())[0]) {
			t.Errorf("docs/hosts.md does not name %s and its version %s", h.Name(), clients.Tested(h.Name())[0])
		}
	}
}

// TestHostTable: each client of the table is known as one that starts agents and marks its shell, and only Claude Code
// has nothing to say of itself in a record.
func TestHostTable(t *testing.T) {
	for _, h := range listHosts(hooks.Surroundings{Home: "/h", Project: "/p"}) {
		if clients.StartedBy([]string{h.Name(), "run", "x"}) != h.Name() {
			t.Errorf("%s: its program is not known", h.Name())
		}
		if (h.Can().Describe(h.Name()) == fsm.HostInfo{}) != (h.Name() == "claude") {
			t.Errorf("%s: %+v", h.Name(), h.Can().Describe(h.Name()))
		}
		if len(h.Entries("/usr/bin/pipeline", false)) == 0 || len(h.Places().Settings) == 0 {
			t.Errorf("%s: nothing is registered", h.Name())
		}
	}
}

// TestReliancesAreAbilities: what a config relies on is something that a client says it can do.
func TestReliancesAreAbilities(t *testing.T) {
	for _, name := range config.RelianceNames() {
		if _, ok := hooks.FindAbility(name); !ok {
			t.Errorf("no client can %s", name)
		}
	}
}

// TestOrdersByHost: only a client that takes them has its prompts read as commands.
func TestOrdersByHost(t *testing.T) {
	for _, h := range listHosts(hooks.Surroundings{}) {
		e := fsm.Event{Kind: fsm.Prompt, Text: "/pipeline once", Host: h.Can().Describe(h.Name())}
		if _, _, ok := typedCommand(e); ok != h.Can().Has(hooks.Ordered) {
			t.Errorf("%s: a prompt is a command: %v", h.Name(), ok)
		}
	}
}

// TestShippedAgents: each host finds every shipped agent in the form that is written for it, with all of its text. Only
// lines with a tool's name may differ.
func TestShippedAgents(t *testing.T) {
	dir := t.TempDir()
	for _, h := range listHosts(hooks.Surroundings{Home: dir, Project: filepath.Join(dir, "project")}) {
		for _, name := range configs.Agents() {
			source, _ := configs.Agent(name)
			file, text := h.Places().AgentFile(name), h.DefineAgent(source)
			if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, text, 0o644)); err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(dialect.ParseDefinition(source).Text) {
				if !namesTool.MatchString(line) && !strings.Contains(string(text), line) ||
					strings.Contains(line, "'''") {
					t.Errorf("%s: %s lost its text: %s", h.Name(), name, line)
				}
			}
			if own := namesTool.FindString(string(text)); own != "" && h.Name() == "qwen" {
				t.Errorf("%s: %s names %s, which is Claude Code's", h.Name(), name, own)
			}
		}
		if defined, _ := h.DefinedAgents(); !slices.Equal(defined, configs.Agents()) {
			t.Errorf("%s finds %q", h.Name(), defined)
		}
		if err := os.RemoveAll(filepath.Join(dir, "project")); err != nil {
			t.Fatal(err)
		}
	}
}

// namesTool finds names of Claude Code's tools that are no common words.
var namesTool = regexp.MustCompile(`\b(Task(Create|Update|Get|List)|SendMessage|AskUserQuestion|(Enter|Exit)PlanMode)\b`)

// TestShippedSkills: what belongs to a preset has the form and the words of each host.
func TestShippedSkills(t *testing.T) {
	for _, h := range listHosts(hooks.Surroundings{Home: "/home", Project: "/project"}) {
		for _, preset := range configs.Presets() {
			commands, skills := configs.Beside(preset)
			for n, name := range slices.Concat(commands, skills) {
				source, _ := configs.Skill(name)
				if n < len(commands) {
					source, _ = configs.Command(name)
				}
				file, text := h.DefineSkill(name, source, n < len(commands))
				if h.Name() == "claude" {
					if !bytes.Equal(source, text) || !strings.HasPrefix(file, "/project/.claude/") {
						t.Errorf("%s: %s differs from its source", file, name)
					}
					continue
				}
				var fields struct{ Name, Description, Context, Agent string }
				head, body, ok := dialect.CutHead(text)
				if err := yaml.Unmarshal(head, &fields); err != nil || !ok || fields.Name != name ||
					fields.Description == "" || fields.Context != "" || fields.Agent != "" || len(body) < 100 {
					t.Errorf("%s: %v in its head:\n%s", file, err, text)
				}
				for _, foreign := range []string{"$ARGUMENTS", "`/pipeline "} {
					if strings.Contains(string(body), foreign) && name != "bypass" {
						t.Errorf("%s has %s, which is Claude Code's:\n%s", file, foreign, text)
					}
				}
				if own := namesTool.FindString(string(body)); own != "" && h.Name() == "qwen" {
					t.Errorf("%s names %s, which is Claude Code's", file, own)
				}
				forks := bytes.Contains(source, []byte("context: fork"))
				if starts := bytes.Contains(body, []byte("Start the agent ")); starts != forks {
					t.Errorf("%s starts an agent: %v, the source does: %v", file, starts, forks)
				}
			}
		}
	}
}
