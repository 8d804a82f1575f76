package config

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/configs"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/shell"
)

// shipped is a shipped config, compiled for the project /work/p of a person who lives in /home/me.
func shipped(t *testing.T, name string) *fsm.Policy {
	t.Helper()
	file, err := filepath.Abs(system.Join("../configs", name))
	if err != nil {
		t.Fatal(err)
	}
	policy, problems, err := buildPolicy(Project{Root: "/work/p", Owner: "/work/p", Files: []string{file}},
		World{Home: "/home/me"})
	if err != nil || len(problems) > 0 {
		t.Fatal(problems, err)
	}
	return policy
}

// TestReplacedWorkers: other workers are one line of the default config, in force at once.
func TestReplacedWorkers(t *testing.T) {
	text, err := os.ReadFile("../configs/pipeline.yaml")
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^  languages: .*$`)
	changed := line.ReplaceAllString(string(text), "  languages: [python-*, pytest-runner]")
	if changed == string(text) {
		t.Fatal("the default has no line of languages")
	}
	p := compiledText(t, changed)
	if p.NewTable().Admits("EXECUTING", "pytest-runner") == nil {
		t.Error("pytest-runner may not start in EXECUTING")
	}
}

// TestDelegates: delegate_to takes names, globs and groups.
func TestDelegates(t *testing.T) {
	p := compiledText(t, `version: 1
orchestrator:
  default: {deny: true, delegate_to: ["@workers"]}
  rules: [{name: a, deny: [Read], delegate_to: [Plan, "@workers", x-*]}]
groups: {workers: [python-*, pytest-runner]}
`)
	if got := p.Main.Default.DelegateTo; !slices.Equal(got, []string{"python-*", "pytest-runner"}) {
		t.Error(got)
	}
	if got := p.Main.List[0].DelegateTo; !slices.Equal(got, []string{"Plan", "python-*", "pytest-runner", "x-*"}) {
		t.Error(got)
	}
}

// partsOf reads "Write(/work/p/a)" as it is, and anything else as a shell line in the project.
func partsOf(call string) (out []fsm.Part) {
	if tool, path, ok := strings.Cut(strings.TrimSuffix(call, ")"), "("); ok && !strings.Contains(tool, " ") {
		return []fsm.Part{{Tool: tool, Path: path}}
	}
	for _, c := range shell.Parse(call, shell.Options{}) {
		part := fsm.CommandPart(c)
		part.Tool, part.Path = c.Kind.Tool(), c.Path
		if c.Kind != shell.Command && c.Path != shell.Unknown && !system.IsAbs(c.Path) {
			part.Path = system.Join("/work/p", c.Path)
		}
		out = append(out, part)
	}
	return out
}

// ruled is what the policy answers to a call in a state, and the rule that decides.
func ruled(p *fsm.Policy, state string, who fsm.Agent, call string) string {
	parts := partsOf(call)
	s := fsm.Session{ID: "s", Machine: fsm.Machine{State: state},
		Agents: fsm.Agents{Runs: []fsm.Run{{ID: who.ID, Type: who.Type, Status: fsm.Running}}}}
	_, d := p.Step(s, fsm.Event{Kind: fsm.ToolRequest, Session: "s", Agent: who,
		Tool: fsm.Tool{Name: parts[0].Tool, UseID: "1", Parts: parts}})
	return strings.TrimSpace(d.Verdict.String() + " " + d.Rule)
}

func TestShippedRulesForTheOrchestrator(t *testing.T) {
	for _, name := range []string{"pipeline.yaml", "toml/default.toml", "presets/orchestrating.yaml"} {
		p := shipped(t, name)
		for call, want := range map[string]string{
			"Write(/work/p/main.go)":              "deny no-editing",
			"MultiEdit(/work/p/.git/hooks/x)":     "deny no-editing",
			"Write(/work/q/main.go)":              "deny no-editing-elsewhere",
			"Write(" + shell.Unknown + ")":        "deny no-editing-elsewhere",
			"Write(/tmp/x/y)":                     "pass",
			"Write(/home/me/.claude/plans/a.md)":  "pass",
			"Delete(/home/me/.claude/plans/a.md)": "deny no-editing-elsewhere",
			"Read(/work/p/main.go)":               "pass",
			"Grep(/work/p)":                       "deny no-searching",
			"AskUserQuestion()":                   "pass",
			"cat > main.go <<EOF\nx\nEOF":         "deny no-editing",
			"git log > /tmp/out":                  "pass",
			"git log > out":                       "deny no-editing",
			"git status && git diff --stat":       "pass",
			"git branch --list 'a*'":              "pass",
			"git branch -D a":                     "deny no-building",
			"git -C x push":                       "ask cannot-be-undone",
			"echo 'git push'":                     "pass",
			"rm -rf build":                        "deny no-editing",
			"npm run test":                        "deny tests-run-read-only", // without the kernel
			"python -m pytest -q":                 "deny tests-run-read-only",
			"npm run build":                       "deny no-building",
			`eval "$X"`:                           "ask read-only-commands",
			"git $SUB":                            "ask cannot-be-undone",
			"rg foo src":                          "deny no-searching",
			"ls -la | head":                       "pass",
		} {
			if got := ruled(p, "EXECUTING", fsm.Agent{}, call); got != want {
				t.Errorf("%s: %s: %s, want %s", name, call, got, want)
			}
		}
	}
}

func TestShippedRulesForSubagents(t *testing.T) {
	states := map[string][]string{"pipeline.yaml": {"IDLE", "GATHERING", "REFINING", "COMPLETE"},
		"presets/orchestrating.yaml": {"IDLE", "REFINING", "ORCHESTRATING", "COMPLETE"}}
	for name, early := range states {
		p := shipped(t, name)
		for _, s := range p.States {
			wanted := func(rule string) string {
				if slices.Contains(early, s.Name) {
					return "deny " + rule
				}
				return "pass"
			}
			for call, want := range map[string]string{
				"Write(/work/p/main.go)":  wanted("work-begins-in-executing"),
				"sed -i s/a/b/ main.go":   wanted("work-begins-in-executing"),
				"Edit(/work/q/main.go)":   wanted("work-elsewhere-begins-in-executing"),
				"Write(/tmp/notes.md)":    "pass",
				"Read(/work/p/main.go)":   "pass",
				"git log --grep 'rm -rf'": "pass",
			} {
				if got := ruled(p, s.Name, fsm.Agent{ID: "a1", Type: "x"}, call); got != want {
					t.Errorf("%s: %s: %s: %s, want %s", name, s.Name, call, got, want)
				}
			}
		}
	}
}

// TestPresetsAskBeforeWhatCannotBeUndone: in each preset and state, the main agent and other agents may not push or
// destroy unasked.
func TestPresetsAskBeforeWhatCannotBeUndone(t *testing.T) {
	files := append(system.Glob("../configs", "*.yaml"), system.Glob("../configs/presets", "*.yaml")...)
	if len(files) < 8 {
		t.Fatalf("only %d presets", len(files))
	}
	for _, file := range files {
		p := shipped(t, strings.TrimPrefix(file, "../configs/"))
		p.Level = fsm.Strict // guided is off until a person switches it on
		states := append([]fsm.State{{}}, p.States...)
		for _, s := range states[min(1, len(p.States)):] {
			for _, who := range []fsm.Agent{{}, {ID: "a1", Type: "x"}} {
				for _, call := range []string{"git push", "npm publish", "terraform destroy", "sudo reboot"} {
					if got := ruled(p, s.Name, who, call); !strings.HasPrefix(got, "ask ") &&
						!strings.HasPrefix(got, "deny ") {
						t.Errorf("%s: %s: %q: %s: %s", file, s.Name, who.Type, call, got)
					}
				}
			}
		}
	}
}

// TestPlannersChangeNothing: agents that gather, refine or plan change no files and run nothing
// unknown, in any state.
func TestPlannersChangeNothing(t *testing.T) {
	for name, planners := range map[string][]string{
		"pipeline.yaml":              {"context-gatherer", "context-refiner", "strategic-orchestrator"},
		"presets/orchestrating.yaml": {"context-gatherer", "context-refiner", "strategic-orchestrator"},
		"presets/everyday.yaml":      {"strategic-orchestrator"},
	} {
		p := shipped(t, name)
		for _, agent := range planners {
			for _, call := range []string{"Write(/work/p/main.go)", "Edit(/work/q/main.go)", "sed -i s/a/b/ main.go"} {
				if got := ruled(p, "EXECUTING", fsm.Agent{ID: "a1", Type: agent}, call); !strings.HasPrefix(got,
					"deny planners-") {
					t.Errorf("%s: %s: %s: %s", name, agent, call, got)
				}
			}
			if got := ruled(p, "EXECUTING", fsm.Agent{ID: "a1", Type: agent}, "Write(/tmp/notes.md)"); got != "pass" {
				t.Errorf("%s: %s: scratch files: %s", name, agent, got)
			}
		}
	}
}

// The presets with this pipeline have one set of rules, but for the names of the states.
func TestShippedRulesAreTheSame(t *testing.T) {
	a, b := shipped(t, "pipeline.yaml"), shipped(t, "presets/orchestrating.yaml")
	for i := range a.Subagents.List {
		a.Subagents.List[i].AdmittedIn, b.Subagents.List[i].AdmittedIn = nil, nil
	}
	if diff := cmp.Diff([]any{a.Main, a.Subagents, a.Agents}, []any{b.Main, b.Subagents, b.Agents},
		asWritten()); diff != "" {
		t.Error(diff)
	}
}

// TestPresetsConfineTheUnknown: no preset asks about, or refuses, what the kernel can hold.
func TestPresetsConfineTheUnknown(t *testing.T) {
	for _, name := range configs.Presets() {
		text, _ := configs.Preset(name)
		file := system.Join(t.TempDir(), "pipeline.yaml")
		write(t, file, string(text))
		isUnknown := func(words []string) bool { return slices.Equal(words, []string{"?"}) }
		for _, r := range compiled(t, file).AllRules() {
			if slices.ContainsFunc(r.Commands, isUnknown) && r.Verdict != fsm.Confine {
				t.Errorf("%s: rule %s has the verdict %s for a command that is not known", name, r.Name, r.Verdict)
			}
		}
	}
}

// TestPresetsSayTheSame: each preset is the same policy in both languages.
func TestPresetsSayTheSame(t *testing.T) {
	for _, name := range configs.Presets() {
		t.Run(name, func(t *testing.T) {
			inYAML, _ := configs.Preset(name)
			inTOML, _ := configs.TOMLPreset(name)
			dir := t.TempDir()
			first, twin := system.Join(dir, "first.yaml"), system.Join(dir, "twin.toml")
			write(t, first, string(inYAML))
			write(t, twin, string(inTOML))
			if diff := cmp.Diff(compiled(t, first), compiled(t, twin), asWritten()); diff != "" {
				t.Errorf("-yaml +toml\n%s", diff)
			}
		})
	}
}
