package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/cmd/pipeline/internal/e2e"
)

// newMarketplace is the marketplace as it is released, with the binary of this system.
func newMarketplace(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command("go", "run", "./scripts/package", "-out", dir,
		"-binary", runtime.GOOS+"-"+runtime.GOARCH+"="+binary(), "plugins")
	cmd.Dir = repo(t)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("package the plugins: %v\n%s", err, out)
	}
	return filepath.Join(dir, "plugins")
}

// plugIn is a project with the default config and none of its agents, whose person has installed
// plugins of the marketplace, and nothing else.
func plugIn(t *testing.T, v e2e.Version, market string, plugins ...string) *enforced {
	t.Helper()
	s := &enforced{e2e.NewProject(t), e2e.NewModel(t), t}
	s.Git()
	s.initShipped("default")
	if err := os.RemoveAll(s.Path(".claude")); err != nil {
		t.Fatal(err)
	}
	s.plugin(v, "marketplace", "add", market)
	for _, p := range plugins {
		s.plugin(v, "install", p+"@agent-pipeline")
	}
	return s
}

// plugin runs the client's command for plugins.
func (s *enforced) plugin(v e2e.Version, args ...string) {
	s.t.Helper()
	cmd := exec.Command(e2e.Install(s.t, v), append([]string{"plugin"}, args...)...)
	cmd.Dir, cmd.Env = s.Dir, append(s.env(), "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Fatalf("plugin %q: %v\n%s", args, err, out)
	}
}

// TestClientPlugin: two commands of the client bring the hooks, the agents and the command. A
// refusal names the agents as the client finds them, and PATH has no pipeline.
func TestClientPlugin(t *testing.T) {
	market := newMarketplace(t)
	both(t, func(t *testing.T, v e2e.Version) {
		s := plugIn(t, v, market, "pipeline")
		s.Say("main", e2e.StartWait("bash-architect", "x"), e2e.StartWait("pipeline:context-gatherer", "[[plug]] go"),
			e2e.StartWait("pipeline:bash-developer", "x"),
			e2e.Call("Write", e2e.Input{"file_path": filepath.Join(market, "pipeline", "bin", "pipeline"),
				"content": "exit"}),
			e2e.Call("Bash", e2e.Input{"command": "pipeline status --json"}), e2e.Text("done"))
		s.Say("plug", e2e.Text("gathered 42"))
		run := s.Claude(t, v, s.Model, "go", e2e.Allow(everything))
		run.WantTold(t, "main", `agent "bash-architect" may not run`, "start one of: pipeline:context-gatherer.",
			"gathered 42", "start one of: pipeline:context-refiner", `"state": "GATHERING"`)
		s.wantState(run, "GATHERING")
		if body, err := os.ReadFile(filepath.Join(market, "pipeline", "bin", "pipeline")); err != nil ||
			len(body) < 10 {
			t.Errorf("the launcher was written over: %s %v", body, err)
		}
		if out, code := s.doctor(v); code != 0 || !strings.Contains(out,
			"registered in plugin pipeline@agent-pipeline") {
			t.Errorf("doctor %d:\n%s", code, out)
		}
		s.pipeline("install")
		if out, code := s.doctor(v); code != 1 || !strings.Contains(out, "registered 2 times") ||
			!strings.Contains(out, "claude plugin disable pipeline@agent-pipeline") {
			t.Errorf("doctor does not report two registrations (%d):\n%s", code, out)
		}
	})
}

// TestClientKits: each kit brings the agents, commands and skills of its preset.
func TestClientKits(t *testing.T) {
	market := newMarketplace(t)
	both(t, func(t *testing.T, v e2e.Version) {
		s := plugIn(t, v, market, "pipeline-delegation", "pipeline-everyday")
		s.Say("main", e2e.Text("hello"))
		run := s.Claude(t, v, s.Model, "go")
		agents := listed(t, run)
		for _, want := range []string{"pipeline-delegation:code-reviewer", "pipeline-everyday:bash-developer"} {
			if !slices.Contains(agents, want) {
				t.Errorf("no agent %s in %q", want, agents)
			}
		}
		for _, want := range []string{`"pipeline-delegation:delegate"`, `"pipeline-delegation:task-planner"`} {
			if !anyHasRaw(run, want) {
				t.Errorf("no command or skill %s", want)
			}
		}
	})
}

// anyHasRaw reports whether the client printed a text.
func anyHasRaw(run *e2e.Run, text string) bool {
	return slices.ContainsFunc(run.Events, func(e e2e.Event) bool { return strings.Contains(string(e.Raw), text) })
}

// TestClientOrderOfPlugin: the plugin's command is /pipeline:pipeline, and a person's only.
func TestClientOrderOfPlugin(t *testing.T) {
	market := newMarketplace(t)
	both(t, func(t *testing.T, v e2e.Version) {
		s := plugIn(t, v, market, "pipeline")
		w := s.Open(t, v, s.Model)
		w.Wait("pipeline: IDLE, strict. You can type /pipeline:pipeline status")
		w.Say("/pipeline:pipeline mode guidance to learn")
		w.Wait("operation blocked by hook", "guidance", "to learn")
		w.Close()
		if asked := s.Requests(); len(asked) != 0 {
			t.Errorf("the model was asked: %s", asked[0].New)
		}
	})
}
