package hooks

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

func exists(t testing.TB, path string) bool {
	t.Helper()
	_, err := os.Stat(path)
	return err == nil
}

// TestLimitOfManyAtOnce: of 64 calls at once exactly as many pass as may run.
func TestLimitOfManyAtOnce(t *testing.T) {
	for _, most := range []int{8, 30} {
		first := runner(t)
		var passed atomic.Int32
		var all sync.WaitGroup
		for i := range 64 {
			h := &Handler{Policy: &fsm.Policy{Level: fsm.Strict, Fingerprint: "one",
				Limits: fsm.Limits{Running: most}}, Sessions: first.Sessions, Root: first.Root}
			h.Sessions = session.Store{Dir: first.store().Dir, Wait: time.Minute}
			all.Go(func() {
				e := request("go")
				e.Session, e.Time, e.Tool.UseID = "s1", time.Unix(1_800_000_000, 0), fmt.Sprint("use", i)
				if d, err := h.Answer(NoCall{}, e); err != nil {
					t.Error(err)
				} else if d.Verdict == fsm.Pass {
					passed.Add(1)
				} else if d.Rule != fsm.RuleLimits {
					t.Errorf("%s: %s", d.Rule, d.Reason)
				}
			})
		}
		if all.Wait(); int(passed.Load()) != most {
			t.Errorf("%d may start, expected %d", passed.Load(), most)
		}
	}
}

// checking is a handler with a check of Python files that fails.
func checking(t testing.TB, when ...string) *Handler {
	h := runner(t)
	h.Policy.Checks = []fsm.Check{{Name: "py", Files: []string{h.Root + "/**/*.py"}, At: when, Timeout: soon,
		Run: `echo "bad: $FILE of $FILES"; exit 1`}}
	return h
}

func result(tool fsm.Tool) fsm.Event { return fsm.Event{Kind: fsm.ToolResult, Tool: tool} }

// TestCheckAfterAnEdit: whichever agent made it, with a tool or in a shell; by none
// else's.
func TestCheckAfterAnEdit(t *testing.T) {
	h := checking(t, fsm.AtEdit)
	at := func(name string) string { return system.Join(h.Root, name) }
	for want, tool := range map[string]fsm.Tool{
		"bad: " + at("x.py") + " of " + at("x.py"): {Name: "Write", Paths: []string{at("x.py")}},
		"bad: " + at("b.py") + " of " + at("a.py") + "\n" +
			at("b.py"): {Name: "Bash", Command: "echo x > a.py; tee b.py c.txt"},
	} {
		for _, who := range []fsm.Agent{{}, {ID: "a1", Type: "go"}} {
			e := result(tool)
			e.Agent, e.Dir = who, h.Root
			if d := h.answer(t, NoCall{}, e); !strings.Contains(d.Inject, "The check py fails:\n"+want) {
				t.Errorf("%+v: told %q", tool, d.Inject)
			}
		}
	}
	for _, tool := range []fsm.Tool{{Name: "Read", Paths: []string{at("x.py")}},
		{Name: "Write", Paths: []string{at("x.c")}}, {Name: "Write", Paths: []string{"/elsewhere/x.py"}}} {
		if d := h.answer(t, NoCall{}, result(tool)); strings.Contains(d.Inject, "check") {
			t.Errorf("%+v: told %q", tool, d.Inject)
		}
	}
}

// TestCheckIsSwitched by the client's environment, and by the level: observing runs
// nothing.
func TestCheckIsSwitched(t *testing.T) {
	for name, tt := range map[string]struct {
		env   map[string]string
		level fsm.Level
		run   bool
	}{
		"as it is": {nil, fsm.Strict, false}, "switched on": {map[string]string{"CHECK": "1"}, fsm.Guidance, true},
		"and off": {map[string]string{"CHECK": "1", "QUIET": "x"}, fsm.Strict,
			false}, "observed": {map[string]string{"CHECK": "1"}, fsm.Observe, false},
	} {
		h := checking(t, fsm.AtEdit)
		h.Policy.Level, h.Getenv = tt.level, func(key string) string { return tt.env[key] }
		c := &h.Policy.Checks[0]
		c.Run, c.Env, c.UnlessEnv = "touch ran", []fsm.Input{{Name: "CHECK", Value: "1"}}, []fsm.Input{{Name: "QUIET",
			Value: "*"}}
		h.answer(t, NoCall{}, result(fsm.Tool{Name: "Write", Paths: []string{system.Join(h.Root, "x.py")}}))
		if got := exists(t, system.Join(h.Root, "ran")); got != tt.run {
			t.Errorf("%s: run %v", name, got)
		}
	}
}

// TestCheckWithoutItsProgram is told to the user once a session.
func TestCheckWithoutItsProgram(t *testing.T) {
	h := checking(t, fsm.AtEdit)
	h.Policy.Checks[0].Run = "no-such-linter $FILE"
	edit := result(fsm.Tool{Name: "Write", Paths: []string{system.Join(h.Root, "x.py")}})
	d := h.answer(t, NoCall{}, edit)
	contains(t, d.Notices, "the check py could not be run")
	contains(t, h.answer(t, NoCall{}, edit).Notices, "")
	edit.Session = "s2"
	contains(t, h.answer(t, NoCall{}, edit).Notices, "no-such-linter")
}

func TestCheckAtTheEndOfATurn(t *testing.T) {
	h := checking(t, fsm.AtTurnEnd)
	h.Policy.Hold = fsm.Hold{Until: []string{"checks"}, Tries: 1}
	h.Policy.Checks[0].Run = "touch ran; test -f fixed || { echo not fixed: $FILE; exit 1; }"
	ran := system.Join(h.Root, "ran")
	h.answer(t, NoCall{}, result(fsm.Tool{Name: "Write", Paths: []string{system.Join(h.Root, "x.py")}}))
	h.answer(t, NoCall{}, fsm.Event{Kind: fsm.TurnStop, Tasks: &fsm.Background{IDs: []string{"a9"}}})
	if exists(t, ran) {
		t.Error("a check was run at the end of a turn that cannot be held")
	}
	if d := h.answer(t, NoCall{}, fsm.Event{Kind: fsm.TurnStop, Tasks: &fsm.Background{}}); !d.Hold ||
		!strings.Contains(d.Reason, "not fixed: "+system.Join(h.Root, "x.py")) {
		t.Errorf("%+v", d)
	}
	write(t, system.Join(h.Root, "fixed"), "")
	if d := h.answer(t, NoCall{}, fsm.Event{Kind: fsm.TurnStop, Tasks: &fsm.Background{}, Held: true}); d.Hold {
		t.Error(d.Reason)
	}
	if err := os.Remove(ran); err != nil {
		t.Fatal(err)
	}
	if h.answer(t, NoCall{}, fsm.Event{Kind: fsm.TurnStop, Tasks: &fsm.Background{}}); exists(t, ran) {
		t.Error("what was written in another turn is checked")
	}
}

// TestCheckOfMoreFilesThanAreKept: the check runs over every file of the project, in as
// many calls as their names need.
func TestCheckOfMoreFilesThanAreKept(t *testing.T) {
	h := checking(t, fsm.AtTurnEnd)
	h.Policy.Hold = fsm.Hold{Until: []string{"checks"}, Tries: 1}
	h.Policy.Checks[0].Run = `for f in $FILES; do echo $f >> seen; grep -q bad $f && { echo bad: $f; exit 1; }; done; exit 0`
	const many = 1500
	deep := strings.Repeat("folder/", 8)
	for i := range many {
		write(t, system.Join(h.Root, deep, fmt.Sprint(i, ".py")), "fine")
	}
	write(t, system.Join(h.Root, ".git", "x.py"), "bad")
	for i := range 120 {
		path := system.Join(h.Root, deep, fmt.Sprint(i, ".py"))
		h.answer(t, NoCall{}, result(fsm.Tool{Name: "Write", Paths: []string{path}}))
	}
	if d := h.answer(t, NoCall{}, fsm.Event{Kind: fsm.TurnStop, Tasks: &fsm.Background{}}); d.Hold {
		t.Error(d.Reason)
	}
	seen, err := os.ReadFile(system.Join(h.Root, "seen"))
	if n := strings.Count(string(seen), "\n"); err != nil || n != many {
		t.Errorf("%d files were checked: %v", n, err)
	}
	for i := range 120 {
		path := system.Join(h.Root, deep, fmt.Sprint(i, ".py"))
		h.answer(t, NoCall{}, result(fsm.Tool{Name: "Write", Paths: []string{path}}))
	}
	write(t, system.Join(h.Root, deep, "119.py"), "bad")
	if d := h.answer(t, NoCall{}, fsm.Event{Kind: fsm.TurnStop, Tasks: &fsm.Background{}}); !d.Hold ||
		!strings.Contains(d.Reason, "119.py") {
		t.Errorf("%+v", d)
	}
}

// TestChecksTakeNoLongerThanIsWaited: one for which no time is left is not run, and
// that is recorded.
func TestChecksTakeNoLongerThanIsWaited(t *testing.T) {
	h := checking(t, fsm.AtEdit)
	if got := h.checkFiles(fsm.AtEdit, []string{system.Join(h.Root, "x.py")}, 0); got != nil {
		t.Errorf("%+v", got)
	}
	contains(t, h.Notes, "no time was left for the check py")
}

// gated is a handler whose way from A to B has a gate.
func gated(t testing.TB) *Handler {
	h := runner(t)
	h.Policy.States[0].Triggers[0].Gate = &fsm.Gate{Run: "echo tried >> tries; test -f ok.txt || { echo no ok.txt; " +
		"exit 1; }", Timeout: soon, Tries: 2}
	return h
}

func TestGate(t *testing.T) {
	h := gated(t)
	h.answer(t, NoCall{}, request("go"))
	h.answer(t, NoCall{}, fsm.Event{Kind: fsm.AgentStart, Agent: fsm.Agent{ID: "a1", Type: "go"}})
	stop := fsm.Event{Kind: fsm.AgentStop, Agent: fsm.Agent{ID: "a1", Type: "go"}, Text: "found"}
	if d := h.answer(t, NoCall{}, stop); !d.Hold || d.Rule != fsm.RuleGate ||
		!strings.HasSuffix(d.Reason, "no ok.txt") {
		t.Errorf("%+v", d)
	}
	h.in(t, "s1", "A")
	write(t, system.Join(h.Root, "ok.txt"), "")
	if d := h.answer(t, NoCall{}, stop); d.Hold {
		t.Error(d.Reason)
	}
	h.in(t, "s1", "B")
	if n := strings.Count(read(t, system.Join(h.Root, "tries")), "tried"); n != 2 {
		t.Errorf("the gate was run %d times", n)
	}
	if r := h.records(t, "s1")[2]; r.Rule != fsm.RuleGate || !strings.Contains(r.Reason, "ok.txt") || r.Verdict != "" {
		t.Errorf("recorded as %+v", r)
	}
}

// before gathers what an event needs before the session's lock is taken.
func (h *Handler) before(e *fsm.Event) {
	h.gatherFacts(fsm.NeedPresent, fsm.NeedChecks, h.Policy, NoCall{}, func() fsm.Session {
		s, _ := h.Sessions.Last(e.Session)
		return s
	}, e)
}

// TestGateOfAStateThatWasLeft: while the gate is run the session moves on; then its
// result counts for nothing.
func TestGateOfAStateThatWasLeft(t *testing.T) {
	h := gated(t)
	write(t, system.Join(h.Root, "ok.txt"), "")
	for _, id := range []string{"a1", "a2"} {
		h.answer(t, NoCall{}, request("go"))
		h.answer(t, NoCall{}, fsm.Event{Kind: fsm.AgentStart, Agent: fsm.Agent{ID: id, Type: "go"}})
	}
	e := fsm.Event{Kind: fsm.AgentStop, Session: "s1", Agent: fsm.Agent{ID: "a1", Type: "go"}, Text: "found"}
	h.before(&e)
	if e.Facts.Gate == nil || !e.Facts.Gate.OK {
		t.Fatalf("%+v", e.Facts.Gate)
	}
	h.answer(t, NoCall{}, fsm.Event{Kind: fsm.AgentStop, Agent: fsm.Agent{ID: "a2", Type: "go"}, Text: "found"})
	s := h.in(t, "s1", "B")
	if _, out := h.decide(NoCall{}, s, e); out.Session.Machine.State != "B" || len(out.Record.Moves) > 0 {
		t.Errorf("moved to %s: %+v", out.Session.Machine.State, out.Record.Moves)
	}
}

// TestGateIsRunInNeed only: not while it is observed, not for who cannot move anything.
func TestGateIsRunInNeed(t *testing.T) {
	for name, does := range map[string]func(h *Handler){
		"observed": func(h *Handler) { h.Policy.Level = fsm.Observe; h.goes(t, "a1", "found") },
		"no words": func(h *Handler) { h.goes(t, "a1", "") },
		"a phantom": func(h *Handler) {
			h.answer(t, NoCall{}, fsm.Event{Kind: fsm.AgentStop, Agent: fsm.Agent{ID: "p"}, Text: "x"})
		},
		"not admitted": func(h *Handler) {
			h.answer(t, NoCall{}, fsm.Event{Kind: fsm.AgentStop, Agent: fsm.Agent{ID: "x", Type: "back"}, Text: "x"})
		},
		"a turn ends": func(h *Handler) { h.answer(t, NoCall{}, fsm.Event{Kind: fsm.TurnStop}) },
	} {
		h := gated(t)
		if does(h); exists(t, system.Join(h.Root, "tries")) {
			t.Errorf("%s: the gate was run", name)
		}
	}
}

// TestAbsent: the file that a final message names is looked for where the agent is.
func TestAbsent(t *testing.T) {
	h := runner(t)
	h.Guards.Home = system.Join(h.Root, "home")
	h.Policy.Agents = []fsm.AgentInfo{{Name: "go", Returns: `^DONE\|(?P<file>.+)$`, Tries: 1}}
	write(t, system.Join(h.Root, "sub/out.txt"), "x")
	write(t, system.Join(h.Root, "home/mine.txt"), "x")
	for name, want := range map[string]string{"out.txt": "", "./out.txt ": "", "~/mine.txt": "",
		system.Join(h.Root, "sub/out.txt"): "", "sub/out.txt": "sub/out.txt", "none": "none", ".": "."} {
		e := fsm.Event{Kind: fsm.AgentStop, Session: "s1", Dir: system.Join(h.Root, "sub"),
			Agent: fsm.Agent{ID: "a1", Type: "go"}, Text: "DONE|" + name}
		if h.before(&e); e.Facts.Absent != want {
			t.Errorf("%q: %q, expected %q", name, e.Facts.Absent, want)
		}
	}
}

// TestAbsentOfUnnamedType: of an agent whose type its host leaves out, the message is held to the form of that type.
func TestAbsentOfUnnamedType(t *testing.T) {
	h := runner(t)
	h.Policy.Agents = []fsm.AgentInfo{{Name: "go", Returns: `^DONE\|(?P<file>.+)$`, Tries: 1}}
	h.answer(t, NoCall{}, request("go"))
	h.answer(t, NoCall{}, fsm.Event{Kind: fsm.AgentStart, Agent: fsm.Agent{ID: "a1", Type: "go"}})
	d := h.answer(t, NoCall{}, fsm.Event{Kind: fsm.AgentStop, Host: fsm.HostInfo{Name: "codex"},
		Agent: fsm.Agent{ID: "a1"}, Text: "DONE|out.txt"})
	contains(t, []string{d.Reason}, "names the file out.txt, which does not exist")
}

// TestTextsOfFiles: the graph, and what a session begins with.
func TestTextsOfFiles(t *testing.T) {
	h := runner(t)
	h.Policy.Initial, h.Policy.States = "", nil
	h.Policy.Tasks.Graph = system.Join(h.Root, "plan.json")
	h.Policy.Opening = fsm.SessionOpening{On: []string{"startup"},
		Files: []string{system.Join(h.Root, "rules.md"), system.Join(h.Root, "none.md")}}
	write(t, system.Join(h.Root, "rules.md"), "The rules.")
	write(t, h.Policy.Tasks.Graph,
		`{"phases": [{"id": "a", "agent": "first"}, {"id": "b", "agent": "go", "after": ["a"]}]}`)
	d := h.answer(t, NoCall{}, fsm.Event{Kind: fsm.SessionStart, Source: "startup"})
	contains(t, []string{d.Inject}, "The rules.\n(none.md belongs here, and cannot be read)")
	if d := h.answer(t, NoCall{}, request("go")); d.Rule != fsm.RuleTasks || d.Verdict != fsm.Deny {
		t.Errorf("%+v", d)
	}
	if err := os.Remove(h.Policy.Tasks.Graph); err != nil {
		t.Fatal(err)
	}
	if d := h.answer(t, NoCall{}, request("go")); d.Rule != fsm.RuleTasks {
		t.Errorf("without its file the plan is forgotten: %+v", d)
	}
	write(t, h.Policy.Tasks.Graph, strings.Repeat("x", 2*textLimit))
	if got := ReadHead(h.Policy.Tasks.Graph, textLimit); len(got) != textLimit {
		t.Errorf("%d bytes are read", len(got))
	}
}

// TestScratch: the user's own folder, or the one that he names; none where somebody
// else has made it.
func TestScratch(t *testing.T) {
	h := runner(t)
	t.Setenv("TMPDIR", h.Root)
	scratch := func() string {
		e := fsm.Event{Session: "s1"}
		gathering{Handler: h, Event: &e}.makeScratch()
		return e.Facts.Scratch
	}
	dir := scratch()
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 || filepath.Base(dir) != "s1" {
		t.Errorf("%s: %v %v", dir, info, err)
	}
	if err := os.Chmod(system.Dir(dir), 0o777); err != nil {
		t.Fatal(err)
	}
	if got := scratch(); got != "" {
		t.Errorf("%s is used, to which anybody may write", got)
	}
	contains(t, h.Notes, "others may write to it")
	h.Getenv = func(string) string { return "/tmp/mine" }
	if got := scratch(); got != "/tmp/mine" {
		t.Error(got)
	}
}

// TestLateIsNotHeld: no one waits for the answer to what was put aside, so nothing is
// held, and what is missing is still to be told.
func TestLateIsNotHeld(t *testing.T) {
	h := gated(t)
	h.Policy.Checks = []fsm.Check{{Name: "py", Files: []string{h.Root + "/**"}, At: []string{fsm.AtEdit},
		Timeout: soon, Run: "no-such-linter"}}
	edit := result(fsm.Tool{Name: "Write", Paths: []string{system.Join(h.Root, "x.py")}})
	h.answer(t, NoCall{}, request("go"))
	h.answer(t, NoCall{}, fsm.Event{Kind: fsm.AgentStart, Agent: fsm.Agent{ID: "a1", Type: "go"}})
	h.waits(t, NoCall{}, fsm.Event{Kind: fsm.AgentStop, Agent: fsm.Agent{ID: "a1", Type: "go"}, Text: "found"})
	h.waits(t, NoCall{}, edit)
	h.Policy.Hold = fsm.Hold{Gate: &fsm.Gate{Run: "false", Timeout: soon}, Tries: 3}
	h.waits(t, NoCall{}, fsm.Event{Kind: fsm.TurnStop, Tasks: &fsm.Background{}})
	contains(t, h.answer(t, NoCall{}, edit).Notices, "the check py could not be run")
	s := h.in(t, "s1", "A")
	if r := s.Agents.Runs[0]; r.Status != fsm.Done || r.Returned != 0 || s.Turn.Held != 0 {
		t.Errorf("%+v, held %d times", r, s.Turn.Held)
	}
	for _, r := range h.records(t, "s1") {
		if r.Rule == fsm.RuleGate || r.Rule == fsm.RuleHold {
			t.Errorf("held: %+v", r)
		}
	}
}
