//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/cmd/pipeline/internal/e2e"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

// Ways to switch it off, tried with the real client on a machine with managed settings. After each the agent makes a
// call that the policy refuses.

// probed is the reason that the policy gives.
const probed = "PROBED"

// free lets agents run anything but that call: their attempts are not stopped by other rules.
const free = `version: 1
initial: A
states: {A: {agents: [worker], on_stop: A}}
orchestrator: {rules: [{name: no-probe, deny: [Write], paths: ["**/probe*"], reason: PROBED}]}
`

// A switch is one way to switch it off.
type switchOff struct {
	name     string
	helper   bool                  // the settings come from pipeline policy-helper
	do       func(o *organisation) // what a person changes before
	opts     []e2e.Option          // how the client is started
	attempts []string              // what an agent runs, in scripts, each before such a call
	// report is what a person reads where the call was made all the same; empty where it must not be.
	report, olderReport string
	control             bool // with hooks in the user's settings it works
}

func switchesOff() []switchOff {
	file := func(name, text string) func(*organisation) {
		return func(o *organisation) { o.Write(name, text) }
	}
	opts := func(o ...e2e.Option) []e2e.Option { return o }
	const bareReport = "started with --bare runs no hook of ours"
	return []switchOff{
		{name: "disableAllHooks of the project", do: file(".claude/settings.json", `{"disableAllHooks": true}`), control: true},
		{name: "disableAllHooks, local", do: file(".claude/settings.local.json", `{"disableAllHooks": true}`)},
		{name: "disableAllHooks of the user", do: func(o *organisation) { o.userSettings(`{"disableAllHooks": true}`) }},
		{name: "disableAllHooks by flag", opts: opts(e2e.Arg("--settings", `{"disableAllHooks": true}`))},
		{name: "other sources", opts: opts(e2e.Arg("--setting-sources", "project")), control: true},
		{name: "bare", opts: opts(e2e.Arg("--bare")), olderReport: bareReport, control: true},
		{name: "bare, with a helper", opts: opts(e2e.Arg("--bare")), helper: true},
		{name: "safe mode", opts: opts(e2e.Arg("--safe-mode")), control: true},
		{name: "CLAUDE_CODE_SIMPLE", opts: opts(e2e.Env("CLAUDE_CODE_SIMPLE=1")), olderReport: bareReport},
		{name: "CLAUDE_CODE_SIMPLE, with a helper", opts: opts(e2e.Env("CLAUDE_CODE_SIMPLE=1")), helper: true},
		{name: "CLAUDE_CODE_SAFE_MODE", opts: opts(e2e.Env("CLAUDE_CODE_SAFE_MODE=1"))},
		{name: "managed settings elsewhere", opts: opts(e2e.Env("CLAUDE_CODE_MANAGED_SETTINGS_PATH=/nowhere"))},
		{name: "config folder elsewhere", opts: opts(e2e.Env("CLAUDE_CONFIG_DIR=/tmp/managed-nowhere"))},
		{name: "home elsewhere", opts: opts(e2e.Env("HOME=/tmp/managed-nowhere"))},
		{name: "state elsewhere", opts: opts(e2e.Env("XDG_STATE_HOME=/tmp/managed-nowhere"))},
		{name: "another pipeline on PATH", do: func(o *organisation) {
			o.Write("bin/pipeline", "#!/bin/sh\n")
			o.must("chmod", "755", o.Path("bin/pipeline"))
			o.userSettings(`{"env": {"PATH": "` + o.Path("bin") + `:/usr/bin:/bin"}}`)
		}},
		{name: "a hook that allows", do: file(".claude/settings.json", `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command",
			"command": "echo '{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"allow\"}}'"}]}]}}`)},
		{name: "permissions skipped", opts: opts(e2e.Arg("--dangerously-skip-permissions"))},
		{name: "plugins off", do: file(".claude/settings.json", `{"enabledPlugins": {"pipeline@agent-pipeline": false}}`)},
		{name: "config broken", do: func(o *organisation) {
			o.run(nobody, "status")
			o.Write("pipeline.yaml", "version: [")
		}},
		{name: "config removed", do: func(o *organisation) {
			o.must("rm", o.Path("pipeline.yaml"))
		}, report: "passes unjudged: there is no config", olderReport: "passes unjudged: there is no config"},
		{name: "config removed, under the organisation's", do: func(o *organisation) {
			o.lock()
			o.must("rm", o.Path("pipeline.yaml"))
		}},
		{name: "level in the project's env", do: file(".claude/settings.json", `{"env": {"PIPELINE_LEVEL": "off"}}`),
			olderReport: "sets PIPELINE_LEVEL=off for the hooks"},
		{name: "level in the environment, locked", do: (*organisation).lock, opts: opts(e2e.Env("PIPELINE_LEVEL=off"))},
		{name: "a wrong word in the environment, locked", do: (*organisation).lock,
			opts: opts(e2e.Env("PIPELINE_ON_ERROR=maybe"))},
		{name: "helper under a broken policy", helper: true, do: func(o *organisation) {
			o.must("sh", "-c", "echo 'levle: x' > "+o.etc+"/pipeline/pipeline.yaml")
		}},
		{name: "an agent's attempts", attempts: []string{
			"env -i HOME=$HOME /usr/local/bin/pipeline mode off",
			"echo '{}' > /etc/claude-code/managed-settings.json; rm -rf /etc/claude-code",
			"chmod -x /usr/local/bin/pipeline; rm -f /usr/local/bin/pipeline",
			`echo '{"disableAllHooks": true}' | tee .claude/settings.json > ~/.claude/settings.json; sleep 1`,
			"rm -rf ~/.local/state/pipeline",
			"rm pipeline.yaml",
		}},
		{name: "an agent that kills hooks", attempts: []string{
			"(timeout 20 sh -c 'while :; do pkill -9 -x pipeline; done' >/dev/null 2>&1 &)",
		}, olderReport: "enforcement was off from "},
	}
}

// lock makes the policy the organisation's, and locks it.
func (o *organisation) lock() {
	text := strings.Replace(free, "version: 1", "version: 1\nlocked: [level, orchestrator]\nlevel: strict", 1)
	if err := os.WriteFile(o.etc+"/pipeline/pipeline.yaml", []byte(text), 0o644); err != nil {
		o.t.Fatal(err)
	}
}

// userSettings writes the settings of who works there.
func (o *organisation) userSettings(text string) {
	if err := os.WriteFile(filepath.Join(o.ConfigDir, "settings.json"), []byte(text), 0o644); err != nil {
		o.t.Fatal(err)
	}
}

func TestClientManaged(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		for _, s := range switchesOff() {
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				o := manage(t)
				args := []string{"install", "--scope", "managed"}
				if s.helper {
					args = append(args, "--helper")
				}
				o.Write("pipeline.yaml", free)
				o.wantRun(0, 0, "registered for everybody", args...)
				s.try(t, o, v)
			})
			if s.control && v == e2e.Latest {
				t.Run(s.name+" works on others", func(t *testing.T) {
					t.Parallel()
					o := manage(t)
					o.Write("pipeline.yaml", free)
					o.wantRun(nobody, 0, "registered", "install", "--scope", "user")
					s.prepare(o)
					if _, written := o.probe(v, s.opts); !written {
						t.Error("it does not work on hooks in the user's settings either: the test shows nothing")
					}
				})
			}
		}
	})
}

func (s switchOff) prepare(o *organisation) {
	if s.do != nil {
		s.do(o)
	}
	for i, line := range s.attempts {
		name := fmt.Sprint("attempt-", i, ".sh")
		o.Write(name, line+"\n")
		if o.Say("main", e2e.Call("Bash", e2e.Input{"command": "sh " + name})); i < len(s.attempts)-1 {
			o.Say("main", e2e.Call("Bash", e2e.Input{"command": "echo x > probe-" + fmt.Sprint(i) + ".txt"}))
		}
	}
}

// probe lets the agent make the call, and reports whether it was made.
func (o *organisation) probe(v e2e.Version, opts []e2e.Option) (*e2e.Run, bool) {
	o.Say("main", e2e.Call("Bash", e2e.Input{"command": "echo x > probe.txt"}), e2e.Text("done"))
	run := o.Claude(o.t, v, o.Model, "go", append(opts, e2e.Allow("Bash"))...)
	made, _ := filepath.Glob(o.Path("probe*"))
	return run, len(made) > 0
}

// try fails unless the call was refused, the client did not start, or a person reads of it.
func (s switchOff) try(t *testing.T, o *organisation, v e2e.Version) {
	s.prepare(o)
	run, written := o.probe(v, s.opts)
	report := s.report
	if v == e2e.Older {
		report = s.olderReport
	}
	told := run.ToldTo("main")
	switch {
	case written && report == "":
		t.Errorf("the call was made; the agent was told:\n%s", visible.Shorten(told, 3000))
	case written:
		if out, code := o.runWith(nobody, e2e.Install(t, v), []string{"PATH=/usr/local/bin:/usr/bin:/bin"},
			"doctor"); code != 1 || !strings.Contains(out, report) {
			t.Errorf("the call was made, and doctor (%d) does not say %q:\n%s", code, report, out)
		}
		t.Logf("made, and reported: %s", report)
	case run.Exit != 0 && len(run.Requests) == 0 && s.helper:
		t.Logf("the client did not start: %s", run.Stderr)
	case strings.Count(told, probed) >= max(1, len(s.attempts)):
		t.Logf("refused by the policy, %d times", strings.Count(told, probed))
	case strings.Contains(told, "onFailure"):
		t.Log("blocked by the client, since the hook was killed")
	default:
		t.Errorf("the call was not made, and not because of us: exit %d %s\n%s", run.Exit, run.Stderr, lastOf(told))
	}
}

func lastOf(text string) string { return text[max(0, len(text)-1500):] }
