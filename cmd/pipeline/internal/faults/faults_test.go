package faults

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A lab is a project with a session that is under way, and a copy of it to begin from again.
type lab struct {
	testing.TB
	binary, home, project, spare string
}

const sessionID = "5a72a8ac-3fd2-4c1e-9d4f-0f7b7d9a3f10"

// newLab builds the program and plays a session up to the state GATHERING.
func newLab(t testing.TB) *lab {
	dir := t.TempDir()
	l := &lab{TB: t, binary: filepath.Join(dir, "bin", "pipeline"), home: filepath.Join(dir, "home"),
		project: filepath.Join(dir, "home", "project"), spare: filepath.Join(dir, "spare")}
	build := exec.Command("go", "build", "-trimpath", "-tags", "urfave_cli_no_docs,urfave_cli_no_suggest", "-o",
		l.binary, "../..")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	if err := os.MkdirAll(l.project, 0o755); err != nil {
		t.Fatal(err)
	}
	l.run("git", "init", "-q", l.project)
	l.run(l.binary, "init", "--preset", "default")
	l.call("session-start", `"hook_event_name":"SessionStart","source":"startup"`)
	l.call("user-prompt-submit", `"hook_event_name":"UserPromptSubmit","prompt":"build it","prompt_id":"p1"`)
	l.call("pre-tool-use", agentRequest("t0", "context-gatherer"))
	l.call("subagent-start", `"hook_event_name":"SubagentStart","agent_id":"a1","agent_type":"context-gatherer"`)
	l.copyTree(l.home, l.spare)
	return l
}

func agentRequest(use, agent string) string {
	return `"hook_event_name":"PreToolUse","tool_name":"Agent","tool_use_id":"` + use +
		`","tool_input":{"subagent_type":"` + agent + `","prompt":"x","description":"x"}`
}

func bashRequest(use, command string) string {
	body, _ := json.Marshal(command) // a string always encodes
	return `"hook_event_name":"PreToolUse","tool_name":"Bash","tool_use_id":"` + use + `","tool_input":{"command":` +
		string(body) + `}`
}

// calls are the events that are broken, and whether a sound program refuses them.
var calls = []struct {
	event, payload string
	denied         bool
}{
	{"pre-tool-use", bashRequest("t1", "git commit --amend"), true},
	{"pre-tool-use", agentRequest("t2", "bash-developer"), true},
	{"pre-tool-use", bashRequest("t3", "echo off > configs/pipeline.yaml"), true},
	{"pre-tool-use", bashRequest("t4", "git status"), false},
	{"subagent-stop", `"hook_event_name":"SubagentStop","agent_id":"a1","agent_type":"context-gatherer","last_assistant_message":"found it"`, false},
	{"user-prompt-submit", `"hook_event_name":"UserPromptSubmit","prompt":"and now","prompt_id":"p2"`, false},
	{"stop", `"hook_event_name":"Stop","background_tasks":[{"id":"a1","type":"subagent","status":"running"}]`, false},
	{"session-end", `"hook_event_name":"SessionEnd","reason":"other"`, false},
}

// reset puts everything back to how the session stood.
func (l *lab) reset() {
	if err := os.RemoveAll(l.home); err != nil {
		l.Fatal(err)
	}
	l.copyTree(l.spare, l.home)
}

func (l *lab) copyTree(from, to string) {
	if out, err := exec.Command("cp", "-a", from, to).CombinedOutput(); err != nil {
		l.Fatalf("copy: %v\n%s", err, out)
	}
}

func (l *lab) command(name string, args ...string) *exec.Cmd {
	c := exec.Command(name, args...)
	c.Dir = l.project
	c.Env = []string{"HOME=" + l.home, "PATH=" + os.Getenv("PATH"), "CLAUDE_PROJECT_DIR=" + l.project}
	return c
}

func (l *lab) run(name string, args ...string) string {
	out, err := l.command(name, args...).CombinedOutput()
	if err != nil {
		l.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return string(out)
}

func payload(fields string) string {
	return `{"session_id":"` + sessionID + `","cwd":"/","transcript_path":"/none.jsonl",` + fields + "}\n"
}

// call is one sound call of a hook.
func (l *lab) call(event, fields string) string {
	c := l.command(l.binary, "hook", event)
	c.Stdin = strings.NewReader(payload(fields))
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		l.Fatalf("hook %s: %v\n%s", event, err, errs.String())
	}
	return string(out)
}

// An answer is what came of a broken call.
type answer struct {
	out, errs string
	killed    bool
	injected  bool // the fault was met
	blocked   bool // by the exit code
	trace     string
}

// breakCall runs one call with a fault: `inject` is strace's expression.
func (l *lab) breakCall(event, fields, inject string) answer {
	trace := filepath.Join(l.TempDir(), "trace")
	call, _, _ := strings.Cut(inject, ":")
	c := l.command("strace", "-f", "-qq", "-o", trace, "-e", "trace="+call, "-e", "inject="+inject, l.binary, "hook",
		event)
	c.Stdin = strings.NewReader(payload(fields))
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	err := c.Run()
	body, _ := os.ReadFile(trace) // what is missing says that nothing was injected
	a := answer{out: out.String(), errs: errs.String(), trace: string(body)}
	a.killed = err != nil && (strings.Contains(a.trace, "killed by SIGKILL") || c.ProcessState.ExitCode() == -1 ||
		c.ProcessState.ExitCode() == 137)
	a.blocked = c.ProcessState.ExitCode() == 2 && a.errs != ""
	a.injected = strings.Contains(a.trace, "(INJECTED)") || a.killed
	return a
}

func isDenial(out string) bool {
	return strings.Contains(out, `"permissionDecision":"deny"`) || strings.Contains(out, `"decision":"block"`)
}

// records counts the records of the session that carry this call's id.
func (l *lab) records(use string) int {
	c := l.command(l.binary, "log", "--all", "--json", "--session", sessionID)
	out, err := c.Output()
	if err != nil {
		return -1
	}
	return bytes.Count(out, []byte(`"`+use+`"`))
}

// inspect holds what is left after a fault to what was promised.
func (l *lab) inspect(what string, denied bool, fields string, a answer) (ok bool) {
	complain := func(format string, args ...any) {
		ok = false
		l.Errorf("%s: %s\n answer: %s\n stderr: %s", what, fmt.Sprintf(format, args...), a.out, a.errs)
	}
	ok = true
	if denied && !a.killed && !isDenial(a.out) && !a.blocked {
		complain("a denial became a pass")
	}
	if a.out != "" && !json.Valid([]byte(strings.TrimSpace(a.out))) {
		complain("the answer is no JSON, which the client takes for a pass")
	}
	if !isDenial(l.call("pre-tool-use", bashRequest("after", "git commit"))) {
		complain("the next call is not judged")
	}
	if use := callID(fields); use != "" && isDenial(a.out) && l.records(use) < 1 &&
		!strings.Contains(a.out, "systemMessage") {
		complain("an answered call has no record, and the answer does not report it")
	}
	if out, err := l.command(l.binary, "audit", "verify").CombinedOutput(); err != nil {
		complain("the journal does not verify: %v\n%s", err, out)
	}
	return ok
}

func callID(fields string) string {
	_, rest, _ := strings.Cut(fields, `"tool_use_id":"`)
	id, _, _ := strings.Cut(rest, `"`)
	return id
}

// What is broken: the system calls by which the program touches files, and how each may fail.
var (
	fileCalls = []string{"openat", "read", "pread64", "write", "pwrite64", "fstat", "newfstatat", "flock", "fsync",
		"renameat", "mkdirat", "unlinkat",
		"ftruncate", "close", "getdents64", "fchmod", "fchmodat", "fcntl", "lseek", "readlinkat", "getcwd"}
	faults = []string{"ENOSPC", "EIO", "EACCES", "EROFS", "EMFILE"}
)

// makeFault is strace's expression for a fault at the nth call of a kind.
func makeFault(call, fault string, n int) string {
	if !strings.Contains(fault, "=") {
		fault = "error=" + fault
	}
	return fmt.Sprintf("%s:%s:when=%d", call, fault, n)
}

// points is how many faults are tried: few in `make test`, all in `make faults`.
func points(t *testing.T) int {
	if n, err := strconv.Atoi(os.Getenv("PIPELINE_FAULTS")); err == nil {
		return n
	}
	if testing.Short() {
		return 10
	}
	return 30
}

func needStrace(t *testing.T) {
	if _, err := exec.LookPath("strace"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("strace is missing: .ci/run installs it")
		}
		t.Skip("needs strace")
	}
}

// TestFaults breaks calls at random points.
func TestFaults(t *testing.T) {
	needStrace(t)
	seed := uint64(time.Now().UnixNano())
	if s, err := strconv.ParseUint(os.Getenv("PIPELINE_FAULTS_SEED"), 10, 64); err == nil {
		seed = s
	}
	t.Logf("PIPELINE_FAULTS_SEED=%d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	l := newLab(t)
	hit, broken := 0, 0
	try := func(inject string) (met bool) {
		if strings.HasPrefix(inject, "close:error") {
			return false // the system closes a file whatever it answers; strace would leave it open
		}
		c := calls[r.IntN(len(calls))]
		l.reset()
		a := l.breakCall(c.event, c.payload, inject)
		if !a.injected {
			return false
		}
		hit++
		if !l.inspect(fmt.Sprintf("hook %s %s with %s", c.event, callID(c.payload), inject), c.denied, c.payload, a) {
			broken++
		}
		return true
	}
	if points(t) >= 1000 { // each kind of call with each fault at least once, where the program makes it
		for _, call := range fileCalls {
			for _, fault := range append([]string{"signal=SIGKILL"}, faults...) {
				met := false
				for n := 0; n < 6 && !met; n++ {
					met = try(makeFault(call, fault, 1+n/2))
				}
				if !met {
					t.Logf("%s with %s was not met", call, fault)
				}
			}
		}
	}
	for tries := 0; hit < points(t) && tries < 20*points(t) && broken < 20; tries++ {
		fault := faults[r.IntN(len(faults))]
		if r.IntN(3) == 0 {
			fault = "signal=SIGKILL"
		}
		try(makeFault(fileCalls[r.IntN(len(fileCalls))], fault, 1+r.IntN(12)))
	}
	t.Logf("%d faults met", hit)
	if hit < points(t)/2 {
		t.Errorf("only %d faults were met", hit)
	}
}

// TestSlowDisk: a system call that hangs for longer than the client waits does not let a call through
// without a word: what is decided is answered, and what names the config is refused.
func TestSlowDisk(t *testing.T) {
	needStrace(t)
	l := newLab(t)
	for _, c := range []struct{ line, call, want string }{
		{"git commit", "renameat", `"permissionDecision":"deny"`},              // hangs while it is recorded
		{"cp x configs/pipeline.yaml", "flock", "names the pipeline's config"}, // before it is decided
		{"git commit", "flock", `"permissionDecision":"ask"`},                  // as code that cannot be known
	} {
		l.reset()
		a := l.breakCall("pre-tool-use", bashRequest("slow", c.line), c.call+":delay_enter=5000000:when=1")
		if !strings.Contains(a.out, c.want) {
			t.Errorf("%s with a slow %s: %s %s", c.line, c.call, a.out, a.errs)
		}
		l.inspect(c.line+" with a slow "+c.call, false, bashRequest("slow", c.line), a)
	}
}
