package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/configs"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/rehearse"
)

// rehearsed answers shell lines in a project with the default policy.
type rehearsed struct {
	*testing.T
	stage rehearse.Stage
}

func newRehearsed(t *testing.T, shell string) rehearsed {
	t.Helper()
	dir, home := filepath.Join(t.TempDir(), "project"), t.TempDir() // some lines say ../project
	policy, _ := configs.Preset("default")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "pipeline.yaml"), policy, 0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"HOME": home, "SHELL": "/bin/" + shell}
	getenv := func(key string) string { return env[key] }
	p := &program{console{in: strings.NewReader(""), out: io.Discard, err: io.Discard, getenv: getenv}}
	o, err := config.Open(p.world(dir, ""))
	if err != nil || o.Policy == nil {
		t.Fatalf("open the project: %v %v", err, o.Problems)
	}
	return rehearsed{t, opened{p, o, store(o, 0)}.rehearsalStage()}
}

// ask returns the verdict on a line of an agent, or of the main agent, in a state.
func (r rehearsed) ask(state, agent, line string) rehearse.Explanation {
	r.Helper()
	call := rehearse.Call{Tool: "Bash", Argument: line}.String()
	e, err := rehearse.Explain(r.stage, rehearse.Question{Call: call, Agent: agent, State: state})
	if err != nil {
		r.Fatalf("%q: %v", line, err)
	}
	return e
}

// shellLines reads lines of shell from a list of the shell's tests.
func shellLines(t *testing.T, name string) (out []string) {
	t.Helper()
	data, err := os.ReadFile("../../fsm/shell/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for l := range strings.SplitSeq(strings.TrimSuffix(string(data), "\n"), "\n") {
		switch mark, text, _ := strings.Cut(l, " "); mark {
		case "$":
			out = append(out, text)
		case ">":
			out[len(out)-1] += "\n" + text
		}
	}
	return out
}

// TestAttacksAreRefused: no line that changes a file of the project passes by the
// default policy: neither the main agent's, nor that of an agent before there is a plan.
func TestAttacksAreRefused(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "dash"} {
		r := newRehearsed(t, shell)
		for _, line := range append(shellLines(t, "attacks.txt"), shellLines(t, "attacks-"+shell+".txt")...) {
			if shell == "dash" { // no client runs it by itself
				line = "dash <<'DASH'\n" + line + "\nDASH"
			}
			for _, who := range [][2]string{{"IDLE", ""}, {"GATHERING", "context-refiner"}} {
				if e := r.ask(who[0], who[1], line); e.Verdict == fsm.Pass.String() {
					t.Errorf("%s: %s %s: %q passes: %v", shell, who[0], who[1], line, e.Parts)
				}
			}
		}
	}
}

// TestBuildsAreDelegated: whatever the language, the default refuses the main agent what builds or
// runs a project and asks about it before there is a plan; then agents build in peace. What build
// tools only show passes.
func TestBuildsAreDelegated(t *testing.T) {
	r := newRehearsed(t, "bash")
	for _, c := range []struct{ file, state, agent, want string }{
		{"builds.txt", "IDLE", "", "deny"}, {"builds.txt", "GATHERING", "context-refiner", "ask deny"},
		{"builds.txt", "EXECUTING", "bash-developer", "pass"},
		{"looks.txt", "IDLE", "", "pass"}, {"looks.txt", "GATHERING", "context-refiner", "pass"},
	} {
		for _, line := range shellLines(t, c.file) {
			if e := r.ask(c.state, c.agent, line); !strings.Contains(c.want, e.Verdict) {
				t.Errorf("%s in %s: %q: %s by %s, want %s: %v", c.agent, c.state, line, e.Verdict, e.Rule, c.want,
					e.Parts)
			}
		}
	}
}

// TestGoodLinesPass: the lines that agents need for their work pass.
func TestGoodLinesPass(t *testing.T) {
	for _, list := range []struct{ file, state, agent string }{
		{"good-worker.txt", "EXECUTING", "bash-developer"}, {"good-orchestrator.txt", "IDLE", ""},
		{"good-orchestrator.txt", "GATHERING", "context-refiner"},
	} {
		lines := shellLines(t, list.file)
		if len(lines) < 300 {
			t.Errorf("%s has %d lines, want 300", list.file, len(lines))
		}
		for _, shell := range []string{"bash", "zsh"} {
			r := newRehearsed(t, shell)
			for _, line := range lines {
				if e := r.ask(list.state, list.agent, line); e.Verdict != fsm.Pass.String() {
					t.Errorf("%s in %s, %s: %q: %s by %s: %v", list.file, list.state, shell, line, e.Verdict, e.Rule,
						e.Parts)
				}
			}
		}
	}
}
