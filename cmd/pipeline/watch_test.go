package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/scripts/browsertest"
)

// A secondTerminal is a shell in tmux, at a project in which a session runs.
type secondTerminal struct {
	*testing.T
	dir, home string
}

func openSecondTerminal(t *testing.T) *secondTerminal {
	browsertest.Need(t, "tmux", "tmux")
	w := &secondTerminal{t, t.TempDir(), t.TempDir()}
	w.run("", binary(), "init", "--preset", "default")
	w.hook("SessionStart", `"source":"startup"`)
	w.hook("PreToolUse", `"tool_name":"Agent","tool_use_id":"u1","tool_input":{"subagent_type":"context-gatherer",`+
		`"prompt":"go","description":"go"}`)
	w.hook("SubagentStart", `"agent_id":"g1","agent_type":"context-gatherer"`)
	w.tmux("-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", "sh")
	t.Cleanup(func() { w.tmux("kill-server") })
	return w
}

func (w *secondTerminal) run(in string, args ...string) string {
	w.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Stdin = w.dir, strings.NewReader(in)
	cmd.Env = []string{"HOME=" + w.home, "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "PS1=shell> ", "LANG=C.UTF-8"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.Fatalf("%v: %v\n%s", args, err, out)
	}
	return string(out)
}

func (w *secondTerminal) hook(event, fields string) {
	w.Helper()
	w.run(fmt.Sprintf(`{"session_id":"s1","transcript_path":"/t/s1.jsonl","cwd":%q,"hook_event_name":%q,%s}`, w.dir, event,
		fields), binary(), "hook", "--host", "claude")
}

func (w *secondTerminal) tmux(args ...string) string {
	w.Helper()
	return w.run("", append([]string{"tmux", "-u", "-S", filepath.Join(w.home, "tmux")}, args...)...)
}

// until waits for a text on the screen, and returns the screen.
func (w *secondTerminal) until(texts ...string) (screen string) {
	w.Helper()
next:
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		screen = w.tmux("capture-pane", "-p")
		for _, text := range texts {
			if !strings.Contains(screen, text) {
				continue next
			}
		}
		return screen
	}
	w.Fatalf("the screen does not show %q:\n%s", texts, screen)
	return ""
}

// TestWatch: in a terminal the screen follows the session and the window's size, and each
// way to end it leaves the terminal as it was.
func TestWatch(t *testing.T) {
	w := openSecondTerminal(t)
	const command = " watch; echo ended with $?; stty -a | tr ' ' '\\n' | grep -x echo"
	for _, key := range []string{"q", "C-c"} {
		w.tmux("send-keys", "clear; "+binary()+command, "Enter")
		w.until("[IDLE]", "● context-gatherer", "Last decisions")
		w.tmux("resize-window", "-x", "50", "-y", "20")
		if screen := w.until("\n   → COMPLETE"); strings.Contains(screen, "EXECUTING → COMPLETE") {
			t.Errorf("at 50 columns:\n%s", screen)
		}
		w.tmux("resize-window", "-x", "160", "-y", "50")
		w.until("EXECUTING → COMPLETE   ", "Last decisions")
		w.tmux("resize-window", "-x", "80", "-y", "24")
		w.tmux("send-keys", key)
		if screen := w.until("ended with 0", "\necho\n"); strings.Contains(screen, "Last decisions") {
			t.Errorf("the screen stays:\n%s", screen)
		}
	}
	w.tmux("send-keys", "clear; "+binary()+command, "Enter")
	w.until("[IDLE]", "Agents running  1")
	w.hook("SubagentStop", `"agent_id":"g1","agent_type":"context-gatherer","last_assistant_message":"found"`)
	w.until("[GATHERING]", "context-gatherer ends", "Agents running  0")
}
