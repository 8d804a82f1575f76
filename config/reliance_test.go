package config

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/hooks"
)

// TestReliances: each key that relies on a client is found where it is written, and where its value does not rely on
// one it is not.
func TestReliances(t *testing.T) {
	dir := t.TempDir()
	file := system.Join(dir, "pipeline.yaml")
	body := `version: 1
level: ask
on_error: deny
initial: A
states:
  A:
    agents: [x]
    on_complete: A
    brief: hello
    on_plan: A
orchestrator:
  rules:
    - {name: q, ask: [Edit]}
    - {name: d, deny: [Write]}
  default: {ask: true}
subagents:
  rules:
    - name: s
      deny: [Write]
      level: ask
agents:
  x: {returns: ok}
hold:
  until: [tasks, checks]
tasks:
  from: [plan, agent]
  agents: [x]
session_start:
  inject: hi
  on: [startup, compact]
activate:
  commands: [go]
`
	if err := os.WriteFile(file, []byte(body), 0o644); err != nil {
		t.Fatal(err)
	}
	w := World{Dir: dir, Config: file}
	p, _, err := Find(w)
	if err != nil {
		t.Fatal(err)
	}
	draft, err := Read(p, w)
	if err != nil {
		t.Fatal(err)
	}
	found := draft.Reliances()
	var got []string
	for _, r := range found {
		got = append(got, fmt.Sprintf("%d:%d %s %s", r.Line, r.Col, r.On, r.Message))
		if r.Effect == "" || r.Source == "" {
			t.Errorf("%+v", r)
		}
	}
	want := `2:1 Asks level
3:1 FailsClosed on_error
9:5 InjectsAgent states.A.brief
10:5 TellsPlan states.A.on_plan
13:17 Asks orchestrator.rules[0].ask
15:13 Asks orchestrator.default.ask
17:3 TellsInput subagents.rules
18:7 TellsCaller subagents.rules[0].name
20:7 Asks subagents.rules[0].level
22:7 HoldsAgents agents.x.returns
24:3 Holds hold.until
24:11 TellsTodos hold.until[0]
26:10 TellsPlan tasks.from[0]
29:3 InjectsStart session_start.inject
30:17 TellsCompaction session_start.on[1]
32:14 Ordered activate.commands[0]`
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

// TestReliancesAreAbilities: what a config relies on is something that a client says it can do.
func TestReliancesAreAbilities(t *testing.T) {
	for _, k := range reliantKeys() {
		if _, ok := hooks.FindAbility(k.on); !ok {
			t.Errorf("no client can %s", k.on)
		}
	}
}

// TestRelianceOnInput: rules let what is typed into an open shell pass, unless one of them objects to unknown code.
func TestRelianceOnInput(t *testing.T) {
	for rules, want := range map[string]bool{
		"{rules: [{name: a, deny: [Write]}]}":                           true,
		`{rules: [{name: a, deny: [Bash], commands: ["?"]}]}`:           false,
		`{rules: [{name: a, allow: [Bash], commands: ["?"]}]}`:          true,
		"{rules: [{name: a, confine: [Bash]}]}":                         false,
		"{rules: [{name: a, deny: [Write]}], default: {ask: true}}":     false,
		"{rules: [{name: a, deny: [Write]}], default: {deny: true}}":    false,
		"{rules: [{name: a, deny: [Write]}], default: {allow: true}}":   true,
		"{rules: [{name: a, deny: [Bash], commands: [git, 'make x']}]}": true,
	} {
		file := system.Join(t.TempDir(), "pipeline.yaml")
		write(t, file, "version: 1\nsubagents: "+rules+"\n")
		d, err := Read(alone(file), World{})
		if err != nil || len(d.Problems) > 0 {
			t.Fatal(rules, d.Problems, err)
		}
		got := false
		for _, r := range d.Reliances() {
			got = got || r.On == "TellsInput"
		}
		if got != want {
			t.Errorf("%s: %v", rules, got)
		}
	}
}
