package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
)

// What happens when pipeline itself fails: the call is answered as on_error says, and it is said aloud.

// A bomb is a payload that cannot be read without a crash.
type bomb struct{}

func (bomb) Read([]byte) (int, error) { panic("the bomb went off") }

// A failing project: a config, and a hook call in it.
type failing struct {
	*testing.T
	dir string
}

func fails(t *testing.T, onError string) failing {
	f := failing{t, t.TempDir()}
	f.write("configs/pipeline.yaml", "version: 1\non_error: "+onError+"\ninitial: A\nstates: {A: {agents: [x]}}\n")
	return f
}

func (f failing) write(name, text string) {
	path := filepath.Join(f.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		f.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		f.Fatal(err)
	}
}

func (f failing) hook(in io.Reader, event string) (answer, told string) {
	var out, errs bytes.Buffer
	env := map[string]string{"HOME": f.dir + "/home", "XDG_STATE_HOME": f.dir + "/state", "CLAUDE_PROJECT_DIR": f.dir}
	p := &program{console{in: in, out: &out, err: &errs, getenv: func(key string) string { return env[key] }}}
	if code := runHook(p, []string{"--host", "claude", event}); code != 0 {
		f.Errorf("exit code %d: %s", code, errs.String())
	}
	return out.String(), errs.String()
}

// kept is the text of the project's files of that name in the state folder.
func (f failing) kept(pattern string) string {
	found, _ := filepath.Glob(filepath.Join(f.dir, "state/pipeline/*", pattern))
	var all []string
	for _, path := range found {
		body, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		all = append(all, string(body))
	}
	return strings.Join(all, "\n")
}

func TestCrash(t *testing.T) {
	for onError, want := range map[string]string{"deny": `"permissionDecision":"deny"`,
		"allow": `"systemMessage":"pipeline: crashed: the bomb went off`} {
		f := fails(t, onError)
		answer, told := f.hook(bomb{}, "pre-tool-use")
		if !strings.Contains(answer, want) || !strings.Contains(answer, "crashed: the bomb went off") ||
			!strings.Contains(told, "the bomb went off") {
			t.Errorf("on_error %s: answered %s, and said %s", onError, answer, told)
		}
		if onError == "allow" && strings.Contains(answer, "permissionDecision") {
			t.Errorf("on_error allow: %s", answer)
		}
		if trace := f.kept("crashes/*.txt"); !strings.Contains(trace, "the bomb went off") ||
			!strings.Contains(trace, "hook_test.go") {
			t.Errorf("the trace is %q", trace)
		}
		if log := f.kept("errors.jsonl"); !strings.Contains(log, "the bomb went off") {
			t.Errorf("errors.jsonl: %q", log)
		}
	}
}

const someCall = `{"session_id":"s1","transcript_path":"","cwd":"/","hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{},"tool_use_id":"u%d"}`

// TestLockedOut: a call that does not get the lock in time says so, is queued, and the next one records it.
func TestLockedOut(t *testing.T) {
	f := fails(t, "allow")
	f.hook(strings.NewReader(fmt.Sprintf(someCall, 1)), "pre-tool-use")
	locks, _ := filepath.Glob(filepath.Join(f.dir, "state/pipeline/*/sessions/s1/lock"))
	if len(locks) != 1 {
		t.Fatalf("locks: %q", locks)
	}
	held, err := system.Open(locks[0], os.O_RDWR)
	if err != nil || held.TryLock() != nil {
		t.Fatal("cannot hold the lock", err)
	}
	answer, _ := f.hook(strings.NewReader(fmt.Sprintf(someCall, 2)), "pre-tool-use")
	if !strings.Contains(answer, "lock is held") || !strings.Contains(answer, "it is queued") ||
		strings.Contains(answer, "permissionDecision") {
		t.Errorf("answered %s", answer)
	}
	if again, _ := f.hook(strings.NewReader(fmt.Sprintf(someCall, 3)), "pre-tool-use"); again != "" {
		t.Errorf("the same cause is said again: %s", again)
	}
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
	f.hook(strings.NewReader(fmt.Sprintf(someCall, 4)), "pre-tool-use")
	journal := f.kept("sessions/s1/journal.jsonl")
	for _, use := range []string{"u1", "u2", "u3", "u4"} {
		if !strings.Contains(journal, `"use":"`+use+`"`) {
			t.Errorf("call %s is not in the journal", use)
		}
	}
}

// TestAnsweredOnce: what goes wrong after a call was answered is kept, and is no second answer: the client would take
// the two for none.
func TestAnsweredOnce(t *testing.T) {
	f := fails(t, "deny")
	f.write("configs/pipeline.yaml", "version: 1\non_error: deny\nhold: {until: [tasks]}\n")
	todo := `{"session_id":"s1","cwd":"/","hook_event_name":"PostToolUse","tool_name":"TodoWrite","tool_input":{"todos":[{"content":"x","status":"pending"}]},"tool_response":{},"tool_use_id":"u1"}`
	f.hook(strings.NewReader(todo), "post-tool-use")
	homes, _ := filepath.Glob(filepath.Join(f.dir, "state/pipeline/*/sessions"))
	if len(homes) != 1 {
		t.Fatalf("%q", homes)
	}
	home := strings.TrimPrefix(filepath.Dir(homes[0]), f.dir+"/")
	f.write(home+"/orders.json", `{"lifts":[{"session":"s1","id":"once","once":true,"until":"2999-01-01T00:00:00Z"}]}`)
	f.write(home+"/orders.lock/in-the-way", "")
	answer, told := f.hook(strings.NewReader(`{"session_id":"s1","cwd":"/","hook_event_name":"Stop","background_tasks":[]}`), "stop")
	if strings.Count(answer, "\n") != 1 || !strings.Contains(answer, "the turn ends with work left") {
		t.Errorf("answered %q", answer)
	}
	if !strings.Contains(told, "orders.lock") || !strings.Contains(f.kept("errors.jsonl"), "orders.lock") {
		t.Errorf("said %q, kept %q", told, f.kept("errors.jsonl"))
	}
}

// TestReplacedTranscript: that a transcript is another than it was, so that calls in it are not compared, is kept.
func TestReplacedTranscript(t *testing.T) {
	f := fails(t, "allow")
	stop := fmt.Sprintf(`{"session_id":"s1","cwd":"/","hook_event_name":"Stop","transcript_path":%q}`, f.dir+"/s1.jsonl")
	f.hook(strings.NewReader(fmt.Sprintf(someCall, 1)), "pre-tool-use")
	for _, text := range []string{strings.Repeat("{}\n", 100), "{}\n"} {
		f.write("s1.jsonl", text)
		f.hook(strings.NewReader(stop), "stop")
	}
	if log := f.kept("errors.jsonl"); strings.Count(log, "s1.jsonl is another than it was") != 1 {
		t.Errorf("errors.jsonl: %q", log)
	}
}

// TestLimitOfManyProcesses: of 64 hooks at once, as the client starts them, exactly as many let an agent start as may
// run.
func TestLimitOfManyProcesses(t *testing.T) {
	dir := t.TempDir()
	config := filepath.Join(dir, "configs", "pipeline.yaml")
	if err := os.MkdirAll(filepath.Dir(config), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, []byte("version: 1\nlevel: strict\nlimits: {running: 8}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	begin, release, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer begin.Close()
	outs := make([]bytes.Buffer, 64)
	var hooks []*exec.Cmd
	for i := range outs {
		payload := fmt.Sprintf(`{"session_id":"s1","transcript_path":"/t/s1.jsonl","cwd":%q,"hook_event_name":"PreToolUse","tool_name":"Agent","tool_use_id":"u%d","tool_input":{"subagent_type":"dev"}}`, dir, i)
		cmd := exec.Command("/bin/sh", "-c", `read -r _ <&3; exec "$0" hook --host claude pre-tool-use`, binary())
		cmd.Dir, cmd.Env = dir, []string{"HOME=" + filepath.Join(dir, "home"), "CLAUDE_PROJECT_DIR=" + dir,
			"PATH=/usr/bin:/bin"}
		cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = strings.NewReader(payload), &outs[i], &outs[i],
			[]*os.File{begin}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		hooks = append(hooks, cmd)
	}
	if err := release.Close(); err != nil { // all of them begin now
		t.Fatal(err)
	}
	passed := 0
	for i, cmd := range hooks {
		if err := cmd.Wait(); err != nil {
			t.Fatal(err, outs[i].String())
		}
		switch said := outs[i].String(); {
		case said == "":
			passed++
		case !strings.Contains(said, "8 agents are at work or about to start, and at most 8 may run at once"):
			t.Errorf("hook %d said %s", i, said)
		}
	}
	if passed != 8 {
		t.Errorf("%d agents may start, expected 8", passed)
	}
}

// TestUnjudgedWithoutPolicy: the clock answers as on_error says, too, where the config cannot be used.
func TestUnjudgedWithoutPolicy(t *testing.T) {
	var out, errs bytes.Buffer
	p := &program{console{out: &out, err: &errs, getenv: func(string) string { return "" }}}
	r := &hookCall{program: p, event: "pre-tool-use", session: "s1"}
	r.open.Project.Home = t.TempDir()
	r.host = makeHost("claude", r.event, p.surroundings(r.open))
	r.answerUnjudged(fsm.Event{Tool: fsm.Tool{Name: "Bash", Command: "ls"}}, nil)
	if !strings.Contains(out.String(), "could not be judged within 3s") || r.code != 0 {
		t.Errorf("answered %q, exit code %d", out.String(), r.code)
	}
}

// TestUnjudgedLine: a line that was not read to its end is code that cannot be known, and a rule about that decides.
func TestUnjudgedLine(t *testing.T) {
	const ask, deny = `"permissionDecision":"ask"`, `"permissionDecision":"deny"`
	for name, c := range map[string]struct {
		tool   fsm.Tool
		inHand *fsm.Decision
		want   string
	}{
		"a line":           {fsm.Tool{Name: "Bash", Command: "git push # long"}, nil, ask},
		"a guarded file":   {fsm.Tool{Name: "Write", Paths: []string{"configs/pipeline.yaml"}}, nil, deny},
		"another tool":     {fsm.Tool{Name: "WebFetch"}, nil, "could not be judged within 3s"},
		"a pass in hand":   {fsm.Tool{Name: "Bash", Command: "git push"}, &fsm.Decision{}, "answered and not recorded"},
		"a denial in hand": {fsm.Tool{Name: "Bash", Command: "ls"}, &fsm.Decision{Verdict: fsm.Deny}, deny},
	} {
		var out, errs bytes.Buffer
		p := &program{console{out: &out, err: &errs, getenv: func(string) string { return "" }}}
		r := &hookCall{program: p, event: "pre-tool-use", session: "s1"}
		r.open.Project.Home, r.open.Project.Root = t.TempDir(), t.TempDir()
		rule := fsm.Rule{Name: "far", Verdict: fsm.Ask, Tools: []string{"Bash"},
			Commands: [][]string{{fsm.RemoteCommands}}}
		r.open.Policy = &fsm.Policy{Level: fsm.Strict, Main: fsm.Rules{List: []fsm.Rule{rule}}}
		r.host = makeHost("claude", r.event, p.surroundings(r.open))
		r.call = r.host.Bare(r.event)
		e := fsm.Event{Kind: fsm.ToolRequest, Session: "s1", Dir: r.open.Project.Root, Tool: c.tool}
		if r.answerUnjudged(e, c.inHand); !strings.Contains(out.String(), c.want) {
			t.Errorf("%s: answered %q, expected %s", name, out.String(), c.want)
		}
	}
}
