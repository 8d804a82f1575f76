package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-pipeline/pipeline/cmd/pipeline/internal/survey"
	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/configs"
	"github.com/agent-pipeline/pipeline/fsm"
)

// begun is a folder in which `pipeline init` has run for a preset, and the policy that is in force there.
func begun(t *testing.T, preset string) (string, *fsm.Policy) {
	t.Helper()
	dir, home := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	for _, name := range []string{"XDG_CONFIG_HOME", "XDG_STATE_HOME", "CLAUDE_CONFIG_DIR", "PIPELINE_CONFIG",
		"PIPELINE_LEVEL"} {
		t.Setenv(name, "")
	}
	t.Chdir(dir)
	for _, source := range []string{"a.c", "a.nix", "a.sh"} { // the languages of the shipped agents
		if err := os.WriteFile(source, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	initPreset(t, preset)
	o, err := config.Open(config.World{Dir: dir, Home: home})
	if err != nil || o.Policy == nil {
		t.Fatalf("open what was written: %v", err)
	}
	return dir, o.Policy
}

func initPreset(t *testing.T, preset string) {
	t.Helper()
	var out bytes.Buffer
	if code := run([]string{"pipeline", "init", "--preset", preset}, strings.NewReader(""), &out, &out); code != 0 {
		t.Fatalf("init --preset %s: exit code %d\n%s", preset, code, &out)
	}
}

// TestInitShipsWhatIsNamed: an agent or a skill that a preset's config names is the client's own, or comes with it.
func TestInitShipsWhatIsNamed(t *testing.T) {
	for _, preset := range configs.Presets() {
		if preset == "minimal" { // an example of the language, with names for the user's own
			continue
		}
		dir, p := begun(t, preset)
		agents := namedAgents(p)
		for _, s := range p.States {
			for _, tr := range s.Triggers {
				agents = append(agents, slices.DeleteFunc(slices.Clone(tr.Agents), fsm.IsGlob)...)
			}
		}
		for _, a := range findUnknownNames(t, dir) {
			t.Errorf("preset %s: %s", preset, a)
		}
		for _, a := range agents {
			if !fsm.IsGlob(a) && !slices.Contains([]string{"Explore", "Plan", "general-purpose"}, a) {
				wantFile(t, preset, filepath.Join(dir, ".claude/agents", a+".md"))
			}
		}
		commands, _ := configs.Beside(preset)
		for _, s := range slices.Concat(p.Hold.Skills, p.Activate.Skills) {
			if !slices.Contains(commands, s) {
				wantFile(t, preset, filepath.Join(dir, ".claude/skills", s, "SKILL.md"))
			}
		}
		for _, c := range slices.Concat(commands, p.Activate.Commands) {
			wantFile(t, preset, filepath.Join(dir, ".claude/commands", c+".md"))
		}
	}
}

// findUnknownNames lists where a description in a folder names a shipped agent that is not there:
// the model would start it.
func findUnknownNames(t *testing.T, dir string) (wrong []string) {
	t.Helper()
	written, _ := filepath.Glob(filepath.Join(dir, ".claude/agents/*.md"))
	for _, file := range written {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		head, _, _ := strings.Cut(strings.TrimPrefix(string(text), "---\n"), "\n---\n")
		for _, other := range configs.Agents() {
			there := slices.Contains(written, filepath.Join(dir, ".claude/agents", other+".md"))
			if strings.Contains(other, "-") && strings.Contains(head, other) && !there && other != "general-purpose" {
				wrong = append(wrong, file+" speaks of "+other)
			}
		}
	}
	return wrong
}

func wantFile(t *testing.T, preset, path string) {
	t.Helper()
	if body, err := os.ReadFile(path); err != nil || !bytes.HasPrefix(body, []byte("---\n")) {
		t.Errorf("preset %s: %s was not written: %v", preset, path, err)
	}
}

// TestInitShipsNothingElse: a preset brings no agents, commands or skills of another one.
func TestInitShipsNothingElse(t *testing.T) {
	for preset, want := range map[string]string{
		"orchestrator": "agents/analyst.md agents/developer.md agents/qa.md",
		"boundary": "agents/bug-hunter.md agents/modular-builder.md agents/refactor-architect.md " +
			"agents/test-coverage.md",
		"guided": "skills/orchestrator/SKILL.md",
		"delegation": "agents/code-cleanup-optimizer.md agents/code-reviewer.md agents/codebase-context-analyzer.md " +
			"agents/dependency-manager.md agents/devops-experience-architect.md agents/documentation-expert.md " +
			"agents/task-completion-verifier.md agents/tech-lead-architect.md commands/add-statusline.md " +
			"commands/ask.md " +
			"commands/bypass.md commands/delegate.md skills/breadth-reader/SKILL.md skills/task-planner/SKILL.md",
		"default": "agents/bash-developer.md agents/c-developer.md agents/context-gatherer.md " +
			"agents/context-refiner.md " +
			"agents/nix-developer.md agents/strategic-orchestrator.md",
	} {
		dir, _ := begun(t, preset)
		var got []string
		for _, pattern := range []string{"agents/*", "commands/*", "skills/*/*"} {
			found, _ := filepath.Glob(filepath.Join(dir, ".claude", pattern))
			for _, f := range found {
				rel, _ := filepath.Rel(filepath.Join(dir, ".claude"), f)
				got = append(got, rel)
			}
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("preset %s wrote %s, expected %s", preset, s, want)
		}
	}
}

// TestInitKeepsWhatIsThere: a file of the user's is never written over.
func TestInitKeepsWhatIsThere(t *testing.T) {
	dir, _ := begun(t, "guided")
	path := filepath.Join(dir, ".claude/skills/orchestrator/SKILL.md")
	if err := os.WriteFile(path, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	initPreset(t, "guided")
	if body, _ := os.ReadFile(path); string(body) != "mine" {
		t.Errorf("the skill is now %q", body)
	}
}

// TestPluginsMatchPresets: the plugin pipeline brings the agents of the default preset, and each
// kit what init writes for its preset. The marketplace lists them.
func TestPluginsMatchPresets(t *testing.T) {
	root := repo(t)
	var market struct {
		Plugins []struct{ Name, Source string }
	}
	readJSON(t, filepath.Join(root, ".claude-plugin", "marketplace.json"), &market)
	var presets []string
	for _, p := range market.Plugins {
		var manifest struct {
			Name, Version            string
			Agents, Commands, Skills []string
		}
		dir := filepath.Join(root, p.Source)
		readJSON(t, filepath.Join(dir, ".claude-plugin", "plugin.json"), &manifest)
		preset, isKit := strings.CutPrefix(p.Name, "pipeline-")
		if manifest.Name != p.Name || manifest.Version == "" || isKit && !strings.HasSuffix(p.Source, "/"+preset) {
			t.Errorf("%s at %s calls itself %s %s", p.Name, p.Source, manifest.Name, manifest.Version)
		}
		var want []string
		if !isKit {
			preset, want = "default", []string{"./configs/commands/pipeline.md"}
		}
		presets = append(presets, preset)
		work, _ := begun(t, preset)
		for _, pattern := range []string{"agents/*.md", "commands/*.md", "skills/*"} {
			found, _ := filepath.Glob(filepath.Join(work, ".claude", pattern))
			for _, f := range found {
				want = append(want, "./configs/"+filepath.Base(filepath.Dir(f))+"/"+filepath.Base(f))
			}
		}
		got := slices.Concat(manifest.Agents, manifest.Commands, manifest.Skills)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s has %q, want %q", p.Name, got, want)
		}
		for _, f := range got {
			if _, err := os.Stat(filepath.Join(dir, f)); err != nil {
				t.Error(err)
			}
		}
	}
	slices.Sort(presets)
	if got := strings.Join(presets, " "); got != "boundary default delegation everyday guided orchestrator" {
		t.Errorf("plugins for the presets %s", got)
	}
}

func readJSON(t *testing.T, file string, into any) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// TestInitToNowhere: /dev/null is no person who could answer a question.
func TestInitToNowhere(t *testing.T) {
	cmd := exec.Command(binary(), "init") // without streams: they are /dev/null
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"HOME=" + cmd.Dir, "PATH=" + os.Getenv("PATH")}
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(cmd.Dir, "configs", "pipeline.yaml")); err != nil {
		t.Error(err)
	}
}

// TestFitInBothLanguages: a preset that is fitted to a project is the same config as YAML and as TOML.
func TestFitInBothLanguages(t *testing.T) {
	reading := []string{"Read", "Grep", "Glob"}
	projects := map[string]survey.Project{
		"nothing":   {},
		"languages": {Languages: []survey.Language{{Name: "Go", Files: 9}, {Name: "Shell", Files: 8}}},
		"agents": {Agents: []survey.Agent{{Name: "dev", Description: "Writes \"it\"."}, {Name: "team:dev"},
			{Name: "a.b"},
			{Name: "scout", Tools: reading}}},
		"shipped": {Agents: []survey.Agent{{Name: "developer", Description: "Ours."}, {Name: "modular-builder"},
			{Name: "bash-developer"}, {Name: "general-purpose"}, {Name: "context-gatherer", Tools: reading}}},
	}
	for _, preset := range configs.Presets() {
		for name, project := range projects {
			load := func(format string) *config.Config {
				i := &initialization{preset: preset, project: project}
				text, file := i.fittedPreset(format), filepath.Join(t.TempDir(), "pipeline."+format)
				if err := os.WriteFile(file, text, 0o644); err != nil {
					t.Fatal(err)
				}
				c, _, problems, err := config.Load(config.Project{Root: filepath.Dir(file), Files: []string{file}},
					config.World{})
				if err != nil || len(problems) > 0 {
					t.Fatalf("%s, %s: %v %v\n%s", preset, name, err, problems, text)
				}
				return c
			}
			if diff := cmp.Diff(load("yaml"), load("toml")); diff != "" {
				t.Errorf("%s, %s: -yaml +toml\n%s", preset, name, diff)
			}
		}
	}
}
