package doctor

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/hooks/claude"
)

func TestCommands(t *testing.T) {
	other := strings.Replace(answers, "dev", "0.9", 1)
	for _, c := range []struct {
		name   string
		break_ func(w *ward)
		status Status
		want   string
	}{
		{"not executable", func(w *ward) { _ = os.Chmod(w.binary, 0o600) }, Problem, "not a program that can run"},
		{"a folder", func(w *ward) { w.install(claude.Host{}.Entries(mkdir(w, "pipeline"), false)) }, Problem,
			"not a program that can run"},
		{"relative", func(w *ward) {
			w.program(w.Root+"/x/pipeline", answers)
			w.install(claude.Host{}.Entries("./x/pipeline", false))
		}, Problem, "is relative"},
		{"bare", func(w *ward) { w.install(claude.Host{}.Entries("pipeline", false)) }, OK, "is this binary"},
		{"not on PATH", func(w *ward) {
			w.install(claude.Host{}.Entries("pipeline",
				false))
			w.Environ = []string{"PATH=/usr/bin"}
		}, Problem, "not on PATH"},
		{"shadowed", func(w *ward) {
			w.install(claude.Host{}.Entries("pipeline", false))
			w.program(w.Root+"/first/pipeline", other)
			w.Environ = append(w.Environ, "PATH="+w.Root+"/first:"+Getenv(w.Environ)("PATH"))
		}, Warning, "here it is"},
		{"another version", func(w *ward) { w.another(other) }, Warning, "is version 0.9, this binary"},
		{"another build", func(w *ward) { w.another(answers + "# built elsewhere\n") }, Warning, "another build"},
		{"older than the config", func(w *ward) {
			w.another(other + "case $1 in check) echo 'pipeline.yaml:3: unknown key'; exit 1;; esac\n")
		},
			Problem, "is older than the config, of which it says: pipeline.yaml:3: unknown key"},
		{"no pipeline", func(w *ward) { w.another("#!/bin/sh\necho hello\n") }, Problem,
			"does not answer as pipeline does"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := healthy(t)
			c.break_(w)
			w.want("command", c.status, c.want)
		})
	}
}

func mkdir(w *ward, name string) string {
	dir := filepath.Join(w.Root, name)
	if err := os.Mkdir(dir, 0o700); err != nil {
		w.t.Fatal(err)
	}
	return dir
}

// another registers another program.
func (w *ward) another(script string) {
	w.program(w.Root+"/other/pipeline", script)
	w.install(claude.Host{}.Entries(w.Root+"/other/pipeline", false))
}

func TestCanary(t *testing.T) {
	deny := `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"because"}}`
	for _, c := range []struct{ name, script, want string }{
		{"silence", "exit 0", "was not refused, the tool would have run"},
		{"asks", "echo '" + strings.Replace(deny, `"deny"`, `"ask"`, 1) + "'", "was not refused"},
		{"another reason", "echo '" + deny + "'", "refused for another reason: because"},
		{"exit 1", "echo oh >&2; exit 1", "exit 1: oh: the tool would have run"},
		{"exit 127", "/gone/x", "exit 127, the shell did not find the command"},
		{"killed", "kill -9 $$", "it was killed by signal 9"},
		{"says why in vain", `echo '{"systemMessage": "no room"}'`,
			"was not refused, the tool would have run: no room"},
		{"another event's answer", "echo '" + strings.Replace(deny, "PreToolUse", "Stop", 1) + "'",
			"hookEventName is Stop"},
		{"answers every call", "case $4 in pre-tool-use) exec " + "$PIPELINE" + ` "$@";; esac; echo hello`,
			"writes what was not asked for: hello"},
		{"crashes for others", "case $4 in pre-tool-use) exec " + "$PIPELINE" + ` "$@";; stop) exit 2;; esac`,
			"Stop: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := healthy(t)
			w.another("#!/bin/sh\ncase $1 in version) echo '{\"version\":\"dev\"}'; exit 0;; check) exit 0;; " +
				"esac\n" + strings.ReplaceAll(c.script, "$PIPELINE", w.binary) + "\n")
			w.want("canary", Problem, c.want)
		})
	}
}

// TestCanaryAsTheClient: the shell form goes through a shell, and both get the client's environment, folder and
// payload.
func TestCanaryAsTheClient(t *testing.T) {
	seen := "#!/bin/sh\n[ $4 = pre-tool-use ] && { pwd; env; cat; } > \"$HOME/seen\"\nexec $PIPELINE \"$@\"\n"
	for _, form := range []string{"exec", "shell"} {
		t.Run(form, func(t *testing.T) {
			w := healthy(t)
			w.program(w.Root+"/o/pipeline", strings.Replace(seen, "$PIPELINE", w.binary, 1))
			w.install(claude.Host{}.Entries("${CLAUDE_PROJECT_DIR}/o/pipeline", false))
			if form == "shell" {
				w.handwritten("true && $CLAUDE_PROJECT_DIR/o/pipeline hook --host claude")
			}
			if err := os.MkdirAll(Getenv(w.Environ)("HOME"), 0o700); err != nil {
				t.Fatal(err)
			}
			w.want("canary", OK, "refused a call")
			got := read(w, Getenv(w.Environ)("HOME")+"/seen")
			for _, want := range []string{w.Root + "\n", "CLAUDECODE=1\n", "CLAUDE_CODE_ENTRYPOINT=cli\n",
				"CLAUDE_PROJECT_DIR=" + w.Root, `"hook_event_name":"PreToolUse"`,
				`"session_id":"` + CanaryPrefix, `"file_path":"` + w.Root + `/configs/pipeline.yaml"`} {
				if !strings.Contains(got, want) {
					t.Errorf("no %q in %s", want, got)
				}
			}
		})
	}
}

// TestCanaryLate: what does not answer is ended, its children too.
func TestCanaryLate(t *testing.T) {
	w := healthy(t)
	w.another("#!/bin/sh\ncase $1 in version) echo '{\"version\":\"dev\"}'; exit 0;; check) exit 0;; esac\ncase $4 " +
		"in pre-tool-use) (sleep 600 & echo $! > child; wait);; esac\n")
	w.Patience = time.Second
	w.want("canary", Problem, "did not answer in time: the tool would have run")
	if body, err := os.ReadFile(w.Root + "/child"); err != nil || slices.Equal(system.ReadProcesses().Args(atoi(t,
		string(body))), []string{"sleep", "600"}) {
		t.Errorf("the child goes on: %s %v", body, err)
	}
}

// TestCanaryLeavesNothing: what a command keeps of the canary's session is taken away, other sessions are not.
func TestCanaryLeavesNothing(t *testing.T) {
	w := healthy(t)
	sessions := filepath.Join(w.Store.Dir, "sessions")
	w.another(answers + `[ "$1" = hook ] || exit 0; id=$(sed 's/.*"session_id":"\([^"]*\)".*/\1/'); mkdir -p "` +
		sessions + `/$id"; echo x > "` + sessions + `/$id/journal.jsonl"` + "\n")
	w.want("canary", OK, "refused a call")
	if _, err := os.Stat(sessions); err == nil {
		t.Error("a folder was left")
	}
	w.write(sessions+"/mine/journal.jsonl", "")
	w.want("canary", OK, "refused a call")
	left, err := os.ReadDir(sessions)
	if err != nil || len(left) != 1 {
		t.Errorf("left: %v, %v", left, err)
	}
}
