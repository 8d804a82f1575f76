package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/agent-pipeline/pipeline/config/system"
)

// TestScripts plays testdata/script/*.txtar: each is a user's session with the real main.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			env.Setenv("HOME", home)
			env.Setenv("CONFIGS", filepath.Join(repo(t), "configs"))
			env.Setenv("STATE", filepath.Join(home, ".local", "state", "pipeline"))
			return os.MkdirAll(home, 0o755)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"call": call, "sessionfile": sessionFile,
			"holdlock": holdLock, "each": each, "action": runAction},
	})
}

func repo(t testing.TB) string {
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// call is one hook call: `call EVENT KEY=VALUE…` makes the payload and runs `pipeline hook`. A value that begins with a
// brace or a bracket is JSON, and so are true and false.
func call(ts *testscript.TestScript, neg bool, args []string) {
	fields := []string{`"session_id":"s1"`, `"transcript_path":"/t/s1.jsonl"`, `"cwd":"` + ts.MkAbs(".") + `"`,
		`"hook_event_name":"` + args[0] + `"`}
	for _, a := range args[1:] {
		k, v, _ := strings.Cut(a, "=")
		if !strings.HasPrefix(v, "{") && !strings.HasPrefix(v, "[") && v != "true" && v != "false" {
			v = `"` + v + `"`
		}
		fields = append(fields, `"`+k+`":`+v)
	}
	ts.Check(os.WriteFile(ts.MkAbs(".payload"), []byte("{"+strings.Join(fields, ",")+"}"), 0o644))
	ts.Setenv("CLAUDE_PROJECT_DIR", ts.MkAbs("."))
	ts.Check(ts.Exec("sh", "-c", "pipeline hook --host claude < .payload"))
	ts.Check(os.WriteFile(ts.MkAbs(".answer"), []byte(ts.ReadFile("stdout")), 0o644))
	ts.Setenv("CLAUDE_PROJECT_DIR", "")
}

// sessionFile copies a file of the session's folder to where a script can look at it, or damages it:
// `sessionfile get NAME`, `sessionfile append NAME TEXT`, `sessionfile rm NAME`.
func sessionFile(ts *testscript.TestScript, neg bool, args []string) {
	found, err := filepath.Glob(filepath.Join(ts.Getenv("STATE"), "*", "sessions", "s1"))
	ts.Check(err)
	if len(found) != 1 {
		ts.Fatalf("session folders: %q", found)
	}
	path := filepath.Join(found[0], args[1])
	switch args[0] {
	case "get":
		body, err := os.ReadFile(path)
		ts.Check(err)
		ts.Check(os.WriteFile(ts.MkAbs(args[1]), body, 0o644))
	case "append":
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		ts.Check(err)
		_, err = f.WriteString(args[2])
		ts.Check(err)
		ts.Check(f.Close())
	case "rm":
		ts.Check(os.Remove(path))
	case "write":
		ts.Check(os.WriteFile(path, []byte(args[2]), 0o600))
	}
}

// holdLock takes the lock of the session until the script ends: `holdlock`.
func holdLock(ts *testscript.TestScript, neg bool, args []string) {
	found, err := filepath.Glob(filepath.Join(ts.Getenv("STATE"), "*", "sessions", "s1", "lock"))
	ts.Check(err)
	if len(found) != 1 {
		ts.Fatalf("locks: %q", found)
	}
	f, err := system.Open(found[0], os.O_RDWR)
	ts.Check(err)
	ts.Check(f.TryLock())
	ts.Defer(func() { f.Close() })
	if len(args) > 0 { // release: the lock is let go again
		ts.Check(f.Close())
	}
}

// each judges every line of a file as a worker's command: `each FILE refused`, `each FILE
// passed`. The worker may do everything that does not change what the pipeline enforces.
func each(ts *testscript.TestScript, neg bool, args []string) {
	for i, line := range strings.Split(strings.TrimSpace(ts.ReadFile(args[0])), "\n") {
		input, err := json.Marshal(map[string]string{"command": line})
		ts.Check(err)
		call(ts, false, []string{"PreToolUse", "agent_id=w1", "agent_type=bash-developer", "tool_name=Bash",
			fmt.Sprintf("tool_use_id=%s-%d", args[0], i), "tool_input=" + string(input)})
		refused := strings.Contains(ts.ReadFile(".answer"), "Agents may not touch")
		if refused != (args[1] == "refused") {
			ts.Logf("%s: %q: refused %t: %s", args[0], line, refused, ts.ReadFile(".answer"))
			neg = true
		}
	}
	if neg {
		ts.Fatalf("some lines of %s were not %s", args[0], args[1])
	}
}
