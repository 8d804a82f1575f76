package claude_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
)

// TestMain lets the test binary stand for a client: something with a command line that lives until its input ends.
func TestMain(m *testing.M) {
	if os.Getenv("STAND_FOR_CLIENT") != "" {
		_, _ = io.Copy(io.Discard, os.Stdin)
		return
	}
	os.Exit(m.Run())
}

// client starts a process with these arguments and returns its id.
func client(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Args[0] = "claude"
	cmd.Env = append(os.Environ(), "STAND_FOR_CLIENT=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := in.Close(); err != nil {
			t.Error(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	pid := strconv.Itoa(cmd.Process.Pid)
	for range 1000 { // the kernel lets the parent go on before the arguments are in place
		if line, err := os.ReadFile("/proc/" + pid + "/cmdline"); err != nil || len(line) > 0 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	return pid
}

// conversations makes transcripts in a folder, each later than the one before, and returns the folder.
func conversations(t *testing.T, names ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "-home-[user]") // a folder's name may look like a pattern
	for i, name := range names {
		path := filepath.Join(dir, name)
		write(t, path, "{}\n")
		if err := os.Chtimes(path, time.Time{}, now.Add(time.Duration(i)*time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func sessionStart(source, dir string) string {
	return `{"session_id":"new","hook_event_name":"SessionStart","source":"` + source + `","transcript_path":"` +
		filepath.ToSlash(filepath.Join(dir, "new.jsonl")) + `"}`
}

// TestParent: the session that one was forked from (2.1.329).
func TestParent(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("command lines of other processes are read from /proc")
	}
	dir := conversations(t, "old.jsonl", "last.jsonl", "notes.txt", "folder.jsonl/x", "new.jsonl")
	for name, test := range map[string]struct {
		source string
		args   []string
		want   string
	}{
		"-r":                    {"fork", []string{"-r", "old", "--fork-session"}, "old"},
		"--resume":              {"fork", []string{"-p", "x", "--fork-session", "--resume", "old"}, "old"},
		"--resume=":             {"fork", []string{"--resume=old", "--fork-session"}, "old"},
		"-c":                    {"fork", []string{"-c", "--fork-session"}, "last"},
		"--continue":            {"fork", []string{"--fork-session", "--continue"}, "last"},
		"chosen from a list":    {"fork", []string{"--resume", "--fork-session"}, "last"},
		"nothing after -r":      {"fork", []string{"--fork-session", "-r"}, "last"},
		"/fork in the terminal": {"fork", nil, "last"},
		"no fork":               {"startup", []string{"-r", "old"}, ""},
		"resumed":               {"resume", []string{"-r", "old"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			h := host(map[string]string{"CLAUDE_PID": client(t, test.args...)})
			if got := call(t, h, sessionStart(test.source, dir)).Parent(); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// TestParentUnknown: without a command line it is the latest conversation, and where there is none, no one.
func TestParentUnknown(t *testing.T) {
	dir := conversations(t, "old.jsonl", "last.jsonl", "new.jsonl")
	alone := conversations(t, "new.jsonl")
	t.Chdir(dir) // what lies in the working directory is not the client's
	for name, test := range map[string]struct{ pid, dir, want string }{
		"no process":     {"", dir, "last"},
		"no number":      {"1/../self", dir, "last"},
		"long gone":      {"99999999", dir, "last"},
		"the only one":   {"", alone, ""},
		"no such folder": {"", filepath.Join(dir, "gone"), ""},
	} {
		if got := call(t, host(map[string]string{"CLAUDE_PID": test.pid}), sessionStart("fork",
			test.dir)).Parent(); got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
	if got := call(t, host(nil),
		`{"session_id":"new","hook_event_name":"SessionStart","source":"fork"}`).Parent(); got != "" {
		t.Errorf("without a transcript: got %q", got)
	}
}

// TestRenamed: client 2.1.197 starts a fork as a resume of the old session; the folder of its environment file has the
// new id.
func TestRenamed(t *testing.T) {
	for name, test := range map[string]struct {
		source, file string
		session      string // that goes on, with its source
		parent       string
	}{
		"a fork":            {"resume", "/c/session-env/forked/hook-1.sh", "forked fork", "new"},
		"a resume":          {"resume", "/c/session-env/new/hook-1.sh", "new resume", ""},
		"no file":           {"resume", "", "new resume", ""},
		"another folder":    {"resume", "/c/env/forked/hook-1.sh", "new resume", ""},
		"too short":         {"resume", "/session-env/x", "new resume", ""},
		"a start":           {"startup", "/c/session-env/forked/hook-1.sh", "new startup", ""},
		"a fork that is so": {"fork", "/c/session-env/new/hook-1.sh", "new fork", ""},
	} {
		c := call(t, host(map[string]string{"CLAUDE_ENV_FILE": test.file}), sessionStart(test.source, t.TempDir()))
		e, ok := c.Event(now)
		if got := e.Session + " " + e.Source; !ok || e.Kind != fsm.SessionStart || got != test.session {
			t.Errorf("%s: got %s, want %s", name, got, test.session)
		}
		if got := c.Parent(); got != test.parent {
			t.Errorf("%s: parent %q, want %q", name, got, test.parent)
		}
	}
}

// A compaction is no start: it goes on under the id that it names.
func TestCompactionIsNotRenamed(t *testing.T) {
	h := host(map[string]string{"CLAUDE_ENV_FILE": "/c/session-env/forked/hook-1.sh"})
	for _, body := range []string{payload("SessionStart", `"source":"compact"`), payload("SessionStart",
		`"source":"resume","agent_id":"a1","agent_type":"x"`)} {
		if e := event(t, h, body); e.Session != "s" || e.Kind != fsm.Compacted {
			t.Errorf("got %v of %s", e.Kind, e.Session)
		}
	}
}
