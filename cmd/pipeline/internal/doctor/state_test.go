package doctor

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func atoi(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestStateMode(t *testing.T) {
	w := healthy(t)
	if err := os.Chmod(w.Store.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	w.want("state", Warning, "has mode 0755")
	if err := os.Chmod(w.Store.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	w.want("state", OK, "private to this user, and writable")
}

func TestStateOwner(t *testing.T) {
	w := healthy(t)
	if os.Geteuid() != 0 {
		w.Store.Dir = "/" // somebody else's, there
	} else if err := os.Chown(w.Store.Dir, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	w.want("state", Problem, "belongs to user")
}

func TestStateNotThere(t *testing.T) {
	w := healthy(t)
	w.Store.Dir = filepath.Join(w.Root, "new", "state")
	w.want("state", OK, "not there yet, and can be made")
	w.write(filepath.Join(w.Root, "new"), "a file")
	w.want("state", Problem, "not a directory")
}

// TestUnwritable: each cause has a remedy of its own.
func TestUnwritable(t *testing.T) {
	for err, want := range map[error]string{syscall.EROFS: "XDG_STATE_HOME", syscall.ENOSPC: "make room",
		syscall.EACCES: "chmod u+rwx /d"} {
		x := &exam{}
		explainUnwritable(x, "/d", err)
		if f := x.findings[0]; f.Status != Problem || !strings.Contains(f.Remedy, want) ||
			!strings.Contains(f.What, err.Error()) {
			t.Errorf("%v: %+v", err, f)
		}
	}
}

func TestAside(t *testing.T) {
	w := healthy(t)
	file := w.Store.Path("s1") + "/aside/1-2.json"
	w.write(file, "{}")
	w.want("locks", OK, "no lock is held")
	w.Now = w.Now.Add(time.Hour)
	w.want("locks", Warning, "session s1: not recorded yet: 1 event that")
}

func TestErrors(t *testing.T) {
	w := healthy(t)
	home := w.Opened.Project.Home
	line := func(session, what string, age time.Duration) string {
		body, _ := json.Marshal(map[string]any{"time": w.Now.Add(-age), "session": session, "error": what})
		return string(body) + "\n"
	}
	w.write(home+"/errors.jsonl", line("a", "too long ago", 8*24*time.Hour)+line(CanaryPrefix+"1", "a canary's",
		time.Hour)+"garbage\n")
	w.want("errors", OK, "has not failed")
	w.write(home+"/errors.jsonl", line("a", "first", 2*time.Hour)+line("a", "second", time.Hour))
	w.write(home+"/crashes/1.txt", "boom")
	w.want("errors", Warning, "2 errors of pipeline itself in the last 7 days, the last: second")
	w.want("errors", Warning, "1 crash(es)")
	w.Now = w.Now.Add(9 * 24 * time.Hour)
	w.want("errors", OK, "has not failed")
}

func TestVersionOfTheClient(t *testing.T) {
	for said, want := range map[string]struct {
		status Status
		text   string
	}{
		"1.9.999 (Claude Code)": {Problem, "too old"},
		"2.1.196 (Claude Code)": {Problem, "too old"},
		"2.1.197 (Claude Code)": {OK, "which pipeline was tested with"},
		"2.1.200 (Claude Code)": {OK, "within 2.1.197 to 2.1."},
		"2.2.0 (Claude Code)":   {OK, "newer than any"},
		"hello":                 {Warning, "does not print its version: hello"},
	} {
		w := healthy(t)
		w.program(filepath.Dir(w.binary)+"/claude", "#!/bin/sh\necho '"+said+"'\n")
		w.want("client", want.status, want.text)
	}
	w := healthy(t)
	w.Opened.Policy.FailClosed = true
	w.want("client", OK, "2.1.329")
	w.program(filepath.Dir(w.binary)+"/claude", "#!/bin/sh\necho 2.1.300\n")
	w.want("client", Warning, "needs a client that honors onFailure")
	_ = os.Remove(filepath.Dir(w.binary) + "/claude")
	w.want("client", Warning, "not on PATH, and there is no session here")
	w.write(w.Transcripts+"/s.jsonl", "garbage\n{\"type\":\"x\"}\n{\"version\":\"2.1.150\"}\n")
	w.want("client", Problem, "the newest session's client ("+w.Transcripts+"/s.jsonl) is version 2.1.150: too old")
	w.program(filepath.Dir(w.binary)+"/claude", "#!/bin/sh\necho 2.1.329\n")
	w.want("client", Problem, "2.1.150")
	w.want("client", OK, "2.1.329")
}
