package main

import (
	"encoding/json"
	"io"
	"path/filepath"
	"slices"
	"testing"

	"github.com/agent-pipeline/pipeline/cmd/pipeline/internal/e2e"
	"github.com/agent-pipeline/pipeline/config"
)

// TestClientFindsTheSameAgents: verify takes for agents what the client lists when a session begins.
func TestClientFindsTheSameAgents(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := &enforced{e2e.NewProject(t), e2e.NewModel(t), t}
		for name, file := range map[string]string{"here": ".claude/agents/a.md", "below": ".claude/agents/deep/b.md",
			"own": "../home/.claude/agents/o.md", "own-below": "../home/.claude/agents/x/y/o.md",
			"worker": "../market/plain/agents/w.md", "nested": "../market/plain/agents/deep/n.md",
			"hidden": "../market/on/agents/h.md", "extra": "../market/on/more/e.md",
			"quiet": "../market/off/agents/q.md"} {
			s.Write(file, "---\nname: "+name+"\ndescription: it: is for the test\n---\nWork.\n")
		}
		s.Write(".claude/agents/README.md", "No agent: it has no head.\n")
		s.Write("../market/.claude-plugin/marketplace.json", `{"name":"m","owner":{"name":"x"},"plugins":[{"name":"on","source":"./on"},{"name":"off","source":"./off"},{"name":"plain","source":"./plain"}]}`)
		s.Write("../market/on/.claude-plugin/plugin.json", `{"name":"on","version":"1.0.0","agents":["./more/e.md"]}`)
		s.Write("../market/off/.claude-plugin/plugin.json", `{"name":"off","version":"1.0.0"}`)
		s.Write("../market/plain/.claude-plugin/plugin.json", `{"name":"plain","version":"1.0.0"}`)
		for _, args := range [][]string{{"marketplace", "add", "../market"}, {"install", "on@m"},
			{"install", "plain@m"}, {"install", "off@m"}, {"disable", "off@m"}} {
			s.plugin(v, args...)
		}
		s.Say("main", e2e.Text("hello"))
		want := listed(t, s.Claude(t, v, s.Model, "go"))
		p := &program{console{err: io.Discard, getenv: func(key string) string {
			return map[string]string{"HOME": s.Home, "CLAUDE_CONFIG_DIR": filepath.Join(s.Home, ".claude")}[key]
		}}}
		var got []string
		for _, a := range p.findAgents(config.Opened{Project: config.Project{Root: s.Dir}}) {
			if a.From != "" || slices.Contains(want, a.Name) {
				got = append(got, a.Name)
			}
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("verify knows %q, the client %q", got, want)
		}
	})
}

// listed are the agents in the client's first line.
func listed(t *testing.T, run *e2e.Run) []string {
	t.Helper()
	for _, e := range run.Events {
		var first struct{ Agents []string }
		if e.Subtype != "init" {
			continue
		}
		if err := json.Unmarshal(e.Raw, &first); err != nil {
			t.Fatal(err)
		}
		slices.Sort(first.Agents)
		return first.Agents
	}
	t.Fatalf("the client lists no agents: %+v", run.Events)
	return nil
}
