package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/fsm/verify"
)

// TestNever: what a config says may never happen is proved, and where it may, the shortest way is shown.
func TestNever(t *testing.T) {
	file, err := os.ReadFile("../../configs/pipeline.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text := string(file)
	rules := strings.Index(text, "# What all other agents may do")
	bare := strings.NewReplacer("*early", "[IDLE, GATHERING, REFINING, COMPLETE]", "*planners", "[context-gatherer]").
		Replace(text[:rules] + text[strings.Index(text, "agents:                               # which"):])
	const first, short = "subagents:\n  rules:\n", "  COMPLETE:\n    agents: [context-gatherer]\n"
	push := func(at string) string {
		return text + "  - {" + at + "tools: [Bash], commands: [git fetch], verdict: pass}\n"
	}
	stated := edit(t, text, "confine: [Bash], admitted_in: *early,",
		"confine: [Bash], admitted_in: *early, states: *early,")
	for _, c := range []struct{ name, text, want string }{
		{"as shipped", text, ""},
		{"no rules for agents", bare,
			"never changes: true: context-gatherer gets pass in IDLE (Delete) by IDLE: context-gatherer starts\n" +
				"never changes: true: context-gatherer gets pass in IDLE (Delete) by IDLE: context-gatherer starts\n"},
		{"an exception above", edit(t, text, first, first+
			"    - {name: all, allow: [Edit], paths: [\"**\"], agents: [context-refiner]}\n"),
			"never changes: true: context-refiner gets pass in GATHERING (Edit) by IDLE –context-gatherer→ " +
				"GATHERING, GATHERING: context-refiner starts\n" +
				"never changes: true: context-refiner gets pass in GATHERING (Edit) by IDLE –context-gatherer→ " +
				"GATHERING, GATHERING: context-refiner starts\n"},
		{"a shortcut", edit(t, text, short, short+"    moves: [{agent: bash-*, to: EXECUTING}]\n"),
			"EXECUTING is reached without strategic-orchestrator or an approved plan by IDLE –context-gatherer→ " +
				"GATHERING, " +
				"GATHERING –context-refiner→ REFINING, REFINING –strategic-orchestrator→ EXECUTING, EXECUTING –turn " +
				"ends→ COMPLETE, COMPLETE –bash-*→ EXECUTING\n"},
		{"a shortcut at the start", edit(t, text, "  IDLE:\n", "  IDLE:\n    moves: [{agent: Plan, to: EXECUTING}]\n"),
			"EXECUTING is reached without strategic-orchestrator or an approved plan by IDLE –Plan→ EXECUTING\n"},
		{"a plan instead", edit(t, edit(t, text, "  IDLE:\n", "  IDLE:\n    on_plan: EXECUTING\n"), ", or: plan}", "}"),
			"EXECUTING is reached without strategic-orchestrator by IDLE –plan approved→ EXECUTING\n"},
		{"a plan instead, as allowed", edit(t, text, "  IDLE:\n", "  IDLE:\n    on_plan: EXECUTING\n"), ""},
		{"anybody pushes", push(""),
			"never commands: [git fetch]: context-gatherer gets pass in IDLE (`git fetch`) by IDLE: " +
				"context-gatherer starts\n"},
		{"builders push", push("agents: [\"@languages\"], "),
			"never commands: [git fetch]: bash-* gets pass in EXECUTING (`git fetch`) by " +
				"IDLE –context-gatherer→ GATHERING, GATHERING –context-refiner→ REFINING, REFINING " +
				"–strategic-orchestrator→ EXECUTING, EXECUTING: bash-* starts\n"},
		{"a widening while it works", stated + "  - {admitted_in: *early, tools: [Bash], commands: [\"?\"]}\n",
			"never commands: [?]: general-purpose gets pass in EXECUTING (Bash) by IDLE –context-gatherer→ " +
				"GATHERING, GATHERING: general-purpose starts, " +
				"GATHERING –context-refiner→ REFINING, REFINING –strategic-orchestrator→ EXECUTING\n"},
		{"a name of nobody", text + "  - {agents: [context-gathrer], changes: true}\n",
			"note: never changes: true: of context-gathrer no state that is reached lets any start by \n"},
		{"tools alone", text +
			"  - {tools: [WebFetch], agents: [context-gatherer]}\n  - {tools: [Grep], agents: [\"*\"]}\n",
			"never tools: [WebFetch]: context-gatherer gets pass in IDLE (WebFetch) by IDLE: context-gatherer " +
				"starts\n" +
				"never tools: [Grep]: context-gatherer gets pass in IDLE (Grep) by IDLE: context-gatherer starts\n"},
		{"nobody pushes", edit(t, push(""), first, first+
			"    - {name: no-push, ask: [Bash], commands: [git fetch]}\n"), ""},
	} {
		dir := t.TempDir()
		policy := compileText(t, dir, c.text)
		w := config.World{Dir: dir, Home: "/home/user", ConfigHome: dir, StateHome: dir,
			Config: filepath.Join(dir, "pipeline.yaml"),
			Getenv: func(string) string { return "" }}
		draft, err := compileConfig(w)
		if err != nil {
			t.Fatal(err)
		}
		never := draft.Intentions()
		if len(never) < 3 {
			t.Fatal(len(never), err)
		}
		got := ""
		for _, f := range verify.Prove(policy, never) {
			if !strings.HasPrefix(f.Where, "pipeline.yaml:") || f.Check != "never" {
				t.Errorf("%s: %+v", c.name, f)
			}
			if f.Severity == verify.Note {
				got += "note: "
			}
			got += f.Text + " by " + strings.Join(f.Trace, ", ") + "\n"
		}
		if got != c.want {
			t.Errorf("%s:\n%swant\n%s", c.name, got, c.want)
		}
	}
}
