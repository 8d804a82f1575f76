package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/configs"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/verify"
)

// TestPresetsVerify: every preset passes, with the agents that init writes for it.
func TestPresetsVerify(t *testing.T) {
	for _, name := range configs.Presets() {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			t.Chdir(dir)
			for _, key := range []string{"CLAUDE_CONFIG_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME"} {
				t.Setenv(key, "")
			}
			t.Setenv("HOME", dir)
			for _, args := range [][]string{{"init", "--preset", name}, {"check"}} {
				var out, errs bytes.Buffer
				if code := run(append([]string{"pipeline"}, args...), strings.NewReader(""), &out, &errs); code != 0 {
					t.Fatalf("%q: exit code %d\n%s%s", args, code, &out, &errs)
				}
			}
			if _, err := os.Stat("configs/pipeline.yaml"); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestCheckOfABrokenFile: what is in force is not judged in the place of what is written.
func TestCheckOfABrokenFile(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, key := range []string{"CLAUDE_CONFIG_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME"} {
		t.Setenv(key, "")
	}
	t.Setenv("HOME", dir)
	call := func(args ...string) (int, string) {
		var out, errs bytes.Buffer
		code := run(append([]string{"pipeline"}, args...), strings.NewReader(""), &out, &errs)
		return code, out.String()
	}
	for _, text := range []string{"version: 1\n", "version: 1\nlevle: strict\n"} {
		if err := os.WriteFile("pipeline.yaml", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		code, out := call("check")
		if broken := strings.Contains(text, "levle"); (code == 1) != broken ||
			strings.Contains(out, "pipeline.yaml:2:1: found unknown key") != broken {
			t.Errorf("exit code %d\n%s", code, out)
		}
	}
	if code, out := call("check", "--json"); code != 1 || !strings.Contains(out, `"message": "found unknown key`) {
		t.Errorf("exit code %d\n%s", code, out)
	}
}

// base is what the edits of this file change: the default config, and what it does not have.
const base = `
hold: {until: [graph], states: [EXECUTING, COMPLETE], tries: 3}
checks:
  - {name: vet, files: ["**/*.go"], run: go vet, at: [edit, turn_end]}
bypass: {env: {CI: "1"}, longest: 2h}
tools:
  "mcp__db__*": {runs: sql, writes: out}
`

// compileText compiles a config as the file of a project in dir.
func compileText(t *testing.T, dir, text string) *fsm.Policy {
	t.Helper()
	file := filepath.Join(dir, "pipeline.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p := &program{console{err: os.Stderr, getenv: func(string) string { return "" }}}
	policy, err := compileFile(invocation{program: p}, config.World{Dir: dir, Home: "/home/user",
		ConfigHome: dir, StateHome: dir, Getenv: p.getenv}, file)
	if err != nil {
		t.Errorf("%v", err)
		return &fsm.Policy{}
	}
	return policy
}

// edit replaces a text that is there once.
func edit(t *testing.T, text, from, to string) string {
	t.Helper()
	if strings.Count(text, from) != 1 {
		t.Fatalf("%q is there %d times, expected once", from, strings.Count(text, from))
	}
	return strings.Replace(text, from, to, 1)
}

// TestDiff: one line is edited. Each widening is found, undoing it is found as narrowing, and harmless edits are no
// widenings.
func TestDiff(t *testing.T) {
	t.Parallel()
	shipped, err := os.ReadFile("../../configs/pipeline.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(shipped), "agents:                               # which",
		base+"\nagents:                               # which", 1)
	checkEdits(t, text, widenings, harmless)
}

// TestDiffElsewhere does the same with what the default config does not have.
func TestDiffElsewhere(t *testing.T) {
	t.Parallel()
	checkEdits(t, stated, statedWidenings, statedHarmless)
	checkEdits(t, ruled, ruledWidenings, ruledHarmless)
}

func checkEdits(t *testing.T, text string, widenings, harmless [][2]string) {
	t.Helper()
	dir := t.TempDir()
	old := compileText(t, dir, text)
	has := func(found []verify.Change, d verify.Direction) bool {
		return slices.ContainsFunc(found, func(ch verify.Change) bool { return ch.Direction == d })
	}
	for _, e := range widenings {
		changed := compileText(t, dir, edit(t, text, e[0], e[1]))
		if !has(verify.Diff(old, changed), verify.Widened) {
			t.Errorf("%q → %q: nothing is widened", e[0], e[1])
		}
		if !has(verify.Diff(changed, old), verify.Narrowed) {
			t.Errorf("%q → %q and back: nothing is narrowed", e[0], e[1])
		}
	}
	for _, e := range harmless {
		found := verify.Diff(old, compileText(t, dir, edit(t, text, e[0], e[1])))
		if has(found, verify.Widened) {
			t.Errorf("%q → %q: widened: %+v", e[0], e[1], found)
		}
	}
}

var widenings = [][2]string{
	{"level: strict ", "level: ask "},
	{"level: strict ", "level: observe "},
	{"bypass: {env: {CI: \"1\"}, longest: 2h}", "bypass: {env: {CI: \"1\", DEV: \"*\"}, longest: 2h}"},
	{"longest: 2h", "longest: 8h"},
	{"longest: 2h", "longest: none"},
	{"limits: {running: 8, depth: 3}", "limits: {running: 9, depth: 3}"},
	{"limits: {running: 8, depth: 3}", "limits: {running: 8}"},
	{"until: [graph]", "until: [plan]"},
	{"states: [EXECUTING, COMPLETE], tries: 3", "states: [EXECUTING], tries: 3"},
	{"tries: 3", "tries: 1"},
	{"at: [edit, turn_end]", "at: [edit]"},
	{"files: [\"**/*.go\"]", "files: [\"cmd/**/*.go\"]"},
	{"run: go vet", "run: \"true\""},
	{"{runs: sql, writes: out}", "{runs: sql}"},
	{"tasks: {from: [agent], agents: [strategic-orchestrator]}", "tasks: {from: [host]}"},
	{"    agents: [context-gatherer]\n    on_complete: GATHERING\n    capture: gathered                 #",
		"    agents: [context-gatherer, general-purpose]\n    on_complete: GATHERING\n" +
			"    capture: gathered                 #"},
	{"    agents: [context-gatherer]\n    on_complete: GATHERING\n    capture: gathered                 #",
		"    agents: [context-gatherer]\n    on_complete: EXECUTING\n    capture: gathered                 #"},
	{"    agents: [context-gatherer]\n    on_complete: GATHERING\n    capture: gathered                 #",
		"    agents: [\"context-*\"]\n    on_complete: GATHERING\n    capture: gathered                 #"},
	{"    agents: [context-refiner]\n", "    agents: [context-refiner, strategic-orchestrator]\n"},
	{"    agents: [strategic-orchestrator]\n", "    agents: [strategic-orchestrator, bash-developer]\n"},
	{"    on_complete: REFINING", "    on_complete: EXECUTING"},
	{"    on_complete: GATHERING\n    capture: gathered                 #",
		"    on_complete: GATHERING\n    on_plan: EXECUTING\n    capture: gathered                 #"},
	{"initial: IDLE", "initial: EXECUTING"},
	{"initial: IDLE", "initial: GATHERING"},
	{"utility: [Explore, Plan, general-purpose]", "utility: [Explore, Plan, general-purpose, janitor]"},
	{"utility: [Explore, Plan, general-purpose]", "utility: [\"*\"]"},
	{"languages: [bash-*, nix-*, c-*]", "languages: [bash-*, nix-*, c-*, py-*]"},
	{"    helpers: [\"@utility\"]             #", "    helpers: [\"@utility\", \"@languages\"]             #"},
	{"    on_stop: COMPLETE", "    on_stop: EXECUTING"},
	{"allow: [Read, Write, Edit], paths: [~/.claude/plans/**]", "allow: [Read, Write, Edit], paths: [~/.claude/**]"},
	{"allow: [Read, Write, Edit], paths: [~/.claude/plans/**]",
		"allow: [Read, Write, Edit, Delete], paths: [~/.claude/plans/**]"},
	{"paths: [plan*.json, dashboard.md,", "paths: [\"*.json\", dashboard.md,"},
	{"paths: [plan*.json, dashboard.md,", "paths: [docs/**, plan*.json, dashboard.md,"},
	{"deny: [Read], budget: 2", "deny: [Read], budget: 3"},
	{"deny: [Read], budget: 2", "ask: [Read], budget: 2"},
	{"deny: [Read], budget: 2, reset_on: [delegate]", "deny: [Read], budget: 2, reset_on: [delegate, prompt]"},
	{"deny: [Grep, Glob]", "deny: [Grep]"},
	{"deny: [Grep, Glob]", "warn: [Grep, Glob]"},
	{"{name: no-searching, deny: [Grep, Glob]", "{name: no-searching, deny: [Grep, Glob], states: [IDLE]"},
	{"{name: no-searching, deny: [Grep, Glob]", "{name: no-searching, level: guidance, deny: [Grep, Glob]"},
	{"{name: no-searching, deny: [Grep, Glob]", "{name: no-searching, unless_env: {CI: \"*\"}, deny: [Grep, Glob]"},
	{"deny: &edit [Write, Edit, MultiEdit, NotebookEdit, Delete]",
		"deny: &edit [Write, Edit, MultiEdit, NotebookEdit]"},
	{"paths: [\"**\"],\n       delegate_to", "paths: [\"src/**\"],\n       delegate_to"},
	{"name: scratch-files, allow: [Write, Edit, Delete], paths: [/tmp/**, /private/tmp/**, /var/folders/**]}\n" +
		"    - {name: no",
		"name: scratch-files, allow: [Write, Edit, Delete], paths: [/tmp/**, /private/tmp/**, /var/folders/**, " +
			"/opt/**]}\n    - {name: no"},
	{"    - {name: no-editing-elsewhere, deny: *edit, delegate_to: *workers, reason: *why}\n", ""},
	{"confine: [Bash], reason: What this does cannot be known or held by the kernel.}   #",
		"allow: [Bash], commands: [\"?\"]}   #"},
	{"confine: [Bash], reason: What", "confine: [Bash], else: allow, reason: What"},
	{"commands: [git, \"@builds\"]", "commands: [\"@builds\"]"},
	{"commands: [git, \"@builds\"]", "commands: [git push, \"@builds\"]"},
	{"commands: [git, \"@builds\"]", "commands: [git, \"@tests\"]"},
	{"commands: [git, \"@builds\"]", "commands: [git, make, npm, cargo, go, mvn, gradle, \"@tests\"]"},
	{"deny: [Bash], changes: true, delegate_to: *workers, reason: *why, type",
		"warn: [Bash], changes: true, delegate_to: *workers, reason: *why, type"},
	{"confine: [Bash], reason: What", "warn: [Bash], reason: What"},
	{"    - {name: read-only-commands, confine: [Bash], reason",
		"    - {name: read-only-commands, states: [IDLE], confine: [Bash], reason"},
	{"admitted_in: &early [IDLE, GATHERING, REFINING, COMPLETE],", "admitted_in: &early [IDLE, GATHERING, COMPLETE],"},
	{"confine: [Bash], admitted_in: *early,", "confine: [Bash], admitted_in: *early, states: *early,"},
	{"    - {name: work-elsewhere-begins-in-executing, deny: *edit, admitted_in: *early, reason: *report}\n", ""},
	{"/var/folders/**, ~/.claude/plans/**]}", "/var/folders/**, ~/.claude/**]}"},
	{"confine: [Bash], agents: *planners, reason: *plan}",
		"confine: [Bash], commands: [\"?\", make, npm run], agents: *planners, reason: *plan}"},
	{"confine: [Bash], agents: *planners, reason: *plan}",
		"confine: [Bash], commands: [\"@builds\"], agents: *planners, reason: *plan}"},
}

var harmless = [][2]string{
	{"# The default pipeline: gather", "# Our pipeline: gather"},
	{"level: strict                         # or ask", "level: strict # or ask"},
	{"on_error: allow ", "on_error: deny "},
	{"longest: 2h", "longest: 120m"},
	{"longest: 2h", "longest: 1h"},
	{"bypass: {env: {CI: \"1\"}, longest: 2h}", "bypass: {env: {}, longest: 2h}"},
	{"limits: {running: 8, depth: 3}", "limits: {depth: 3, running: 8}"},
	{"limits: {running: 8, depth: 3}", "limits: {running: 4, depth: 3}"},
	{"limits: {running: 8, depth: 3}", "limits: {running: 8, depth: 1}"},
	{"until: [graph]", "until: [graph, checks]"},
	{"states: [EXECUTING, COMPLETE], tries: 3", "states: [COMPLETE, EXECUTING], tries: 3"},
	{"states: [EXECUTING, COMPLETE], tries: 3", "tries: 3"},
	{"tries: 3", "tries: 5"},
	{"tries: 3}", "tries: 3, say: Go on.}"},
	{"at: [edit, turn_end]", "at: [turn_end, edit]"},
	{"run: go vet, at", "run: go vet, timeout: 20s, at"},
	{"files: [\"**/*.go\"]", "files: [\"**/*.go\", \"**/*.mod\"]"},
	{"{runs: sql, writes: out}", "{writes: out, runs: sql}"},
	{"{runs: sql, writes: out}", "{runs: sql, writes: out, deletes: name}"},
	{"inject: Context comes first. Start", "inject: Context first. Start"},
	{"inject: Context is gathered. Next, start", "inject: Next, start"},
	{"capture: gathered                 #", "capture: gathered #"},
	{"brief: \"Agents for the parts:", "brief: \"Agents for its parts:"},
	{"clear: [refined, orchestration] ", "clear: [refined] "},
	{"utility: [Explore, Plan, general-purpose]", "utility: [general-purpose, Plan, Explore]"},
	{"utility: [Explore, Plan, general-purpose]", "utility: [Explore, Plan]"},
	{"utility: [Explore, Plan, general-purpose]", "utility: [explore, plan, general_purpose]"},
	{"languages: [bash-*, nix-*, c-*]", "languages: [c-*, bash-*, nix-*]"},
	{"languages: [bash-*, nix-*, c-*]", "languages: [bash-*, nix-*]"},
	{"    on_stop: COMPLETE\n", ""},
	{"    helpers: [\"@utility\"]             #", "    helpers: [Explore] #"},
	{"{agent: context-gatherer, to: GATHERING, capture: gathered}]   # gather again",
		"{agent: context-gatherer, to: IDLE, capture: gathered}]   # gather again"},
	{"{name: client-files,", "{name: files-of-the-client,"},
	{"{name: no-searching,", "{name: do-not-search,"},
	{"{name: read-budget,", "{name: reads,"},
	{"deny: [Read], budget: 2", "deny: [Read], budget: 1"},
	{"deny: [Read], budget: 2, reset_on: [delegate]", "deny: [Read], budget: 2, reset_on: [never]"},
	{"deny: [Grep, Glob]", "deny: [Glob, Grep]"},
	{"deny: [Grep, Glob]", "deny: [Grep, Glob, WebSearch]"},
	{"type: DIRECT_GREP", "type: SEARCH"},
	{"deny: &edit [Write, Edit, MultiEdit, NotebookEdit, Delete]",
		"deny: &edit [Delete, Edit, MultiEdit, NotebookEdit, Write]"},
	{"deny: &edit [Write, Edit, MultiEdit, NotebookEdit, Delete]",
		"deny: &edit [Write, Edit, MultiEdit, NotebookEdit, Delete, LSP]"},
	{"paths: [plan*.json, dashboard.md,", "paths: [dashboard.md, plan*.json,"},
	{"paths: [plan*.json, dashboard.md,", "paths: [plan*.json,"},
	{"allow: [Read, Write, Edit], paths: [~/.claude/plans/**]", "allow: [Read], paths: [~/.claude/plans/**]"},
	{"commands: [git, \"@builds\"]", "commands: [\"@builds\", git]"},
	{"commands: [git, \"@builds\"]", "commands: [git, \"@builds\", helm]"},
	{"commands: [git, \"@builds\"]", "commands: [git, git push, \"@builds\"]"},
	{"admitted_in: &early [IDLE, GATHERING, REFINING, COMPLETE],",
		"admitted_in: &early [REFINING, COMPLETE, GATHERING, IDLE],"},
	{"admitted_in: &early [IDLE, GATHERING, REFINING, COMPLETE],",
		"admitted_in: &early [IDLE, GATHERING, REFINING, COMPLETE, EXECUTING],"},
	{"bash-developer: {keywords: [bash, shell,", "bash-developer: {keywords: [bash,"},
	{"nix-developer: {keywords: [nix, nixos,", "nix-developer: {description: writes Nix, keywords: [nix, nixos,"},
	{"    on_complete: REFINING", "    on_complete: IDLE"},
	{"tasks: {from: [agent], agents: [strategic-orchestrator]}",
		"tasks: {from: [agent, plan], agents: [strategic-orchestrator]}"},
}
