package hooks

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
)

// TestEveryNeedIsGathered: a fact that is added without a gatherer fails here.
func TestEveryNeedIsGathered(t *testing.T) {
	if len(gatherers) != int(fsm.NeedAgents)+1 {
		t.Errorf("%d gatherers for %d needs", len(gatherers), fsm.NeedAgents+1)
	}
	for n := range fsm.NeedAgents + 1 {
		if int(n) >= len(gatherers) || gatherers[n] == nil {
			t.Errorf("need %d has no gatherer", n)
		}
	}
}

// TestGivenFactsAreNotGathered: what the event brings stands, whatever the disk says.
func TestGivenFactsAreNotGathered(t *testing.T) {
	h := gated(t)
	h.Given = func(n fsm.Need) bool { return n == fsm.NeedGate }
	h.answer(t, NoCall{}, request("go"))
	h.answer(t, NoCall{}, fsm.Event{Kind: fsm.AgentStart, Agent: fsm.Agent{ID: "a1", Type: "go"}})
	s := h.in(t, "s1", "A")
	stop := fsm.Event{Kind: fsm.AgentStop, Agent: fsm.Agent{ID: "a1", Type: "go"}, Text: "found"}
	_, key := h.Policy.SelectGate(s, stop)
	stop.Facts.Gate = &fsm.GateResult{Key: key, OK: true}
	if h.answer(t, NoCall{}, stop); exists(t, h.Root+"/tries") {
		t.Error("the gate was run")
	}
	h.in(t, "s1", "B")
}

// TestTextsAreCapturedForHolds: hold.say may quote what was captured.
func TestTextsAreCapturedForHolds(t *testing.T) {
	h := runner(t)
	h.goes(t, "a1", "what it found")
	h.Policy.Hold = fsm.Hold{Gate: &fsm.Gate{Run: "false", Timeout: soon}, Tries: 1, Say: "Found: {{ .Context.found }}"}
	d := h.answer(t, NoCall{}, fsm.Event{Kind: fsm.TurnStop, Tasks: &fsm.Background{}})
	contains(t, []string{d.Reason}, "Found: what it found")
}

// inputCall is a call whose tool was given something.
type inputCall struct {
	NoCall
	in map[string]string
}

func (c inputCall) Input() map[string]string { return c.in }

// TestLongInput: a rule meets the whole of an input that it asks for. What no rule asks
// for is kept only if it is short, and the record has no more than the beginning.
func TestLongInput(t *testing.T) {
	h := handler(t)
	h.Policy.Main.List = []fsm.Rule{{Name: "no-query", Verdict: fsm.Deny, Tools: []string{"mcp__db__*"},
		Inputs: []fsm.Input{{Name: "query", Value: "*drop table*"}}}}
	long := strings.Repeat("select 1; ", 100)
	e := fsm.Event{Kind: fsm.ToolRequest, Tool: fsm.Tool{Name: "mcp__db__run", UseID: "u1"}}
	d := h.answer(t, inputCall{in: map[string]string{"query": long + "drop table x", "note": long, "mode": "fast"}}, e)
	if d.Verdict != fsm.Deny || d.Rule != "no-query" {
		t.Errorf("%s by rule %q", d.Verdict, d.Rule)
	}
	r := h.records(t, "s1")[0]
	in := r.Event.Tool.Input
	if len(in["query"]) != maxInput || in["note"] != "" || in["mode"] != "fast" || !r.Cut {
		t.Errorf("recorded %q, cut %t", in, r.Cut)
	}
}

// runner runs commands in a project's folder.
func runner(t testing.TB) *Handler {
	t.Helper()
	h := handler(t)
	if err := os.MkdirAll(h.Root, 0o755); err != nil {
		t.Fatal(err)
	}
	return h
}

const soon = 20 * time.Second // more than any of these commands takes

// TestOffLeavesNoTrace of a session that nothing switches on.
func TestOffLeavesNoTrace(t *testing.T) {
	h := handler(t)
	h.Policy.Level, h.Policy.Activate = fsm.Off, fsm.Activation{When: []string{"*.on"}, Skills: []string{"on"},
		Level: fsm.Strict}
	h.answer(t, NoCall{}, fsm.Event{Kind: fsm.SessionStart, Source: "startup"})
	h.answer(t, NoCall{}, request("back"))
	if n := len(h.records(t, "s1")); n > 0 {
		t.Fatalf("%d records", n)
	}
	h.answer(t, NoCall{}, fsm.Event{Kind: fsm.ToolRequest, Tool: fsm.Tool{Name: "Skill", UseID: "k", Skill: "on"}})
	if d := h.answer(t, NoCall{}, request("back")); d.Verdict != fsm.Deny {
		t.Errorf("%s after it was switched on", d.Verdict)
	}
	if r := h.records(t, "s1"); len(r) != 2 || r[0].Event.Tool.Skill != "on" {
		t.Errorf("recorded %+v", r)
	}
}

// TestFilesSwitchOn at a session's start, and off again.
func TestFilesSwitchOn(t *testing.T) {
	h := handler(t)
	h.Policy.Level, h.Policy.Activate = fsm.Off, fsm.Activation{When: []string{"features/*.json"}, Level: fsm.Strict}
	begins := fsm.Event{Kind: fsm.SessionStart, Source: "startup"}
	write(t, system.Join(h.Root, "features", "x.json"), "")
	h.answer(t, NoCall{}, begins)
	if d := h.answer(t, NoCall{}, request("back")); d.Verdict != fsm.Deny {
		t.Errorf("%s while the file is there", d.Verdict)
	}
	if r := h.records(t, "s1")[0]; r.Event.Facts.Present != "features/x.json" {
		t.Errorf("recorded %+v", r.Event)
	}
	if err := os.Remove(system.Join(h.Root, "features", "x.json")); err != nil {
		t.Fatal(err)
	}
	if d := h.answer(t, NoCall{}, request("back")); d.Verdict != fsm.Deny {
		t.Errorf("%s though only a start looks for files", d.Verdict)
	}
	h.answer(t, NoCall{}, begins)
	if d := h.answer(t, NoCall{}, request("back")); d.Verdict != fsm.Pass {
		t.Errorf("%s when it is gone", d.Verdict)
	}
}

// TestUnreadableSwitch: a person hears of a folder that cannot be searched for a file that switches on, also where
// nothing does. The other patterns count all the same.
func TestUnreadableSwitch(t *testing.T) {
	h := handler(t)
	unreadable := "../*" // it leads out of the project
	h.Policy.Level, h.Policy.Activate = fsm.Off, fsm.Activation{When: []string{unreadable}, Level: fsm.Strict}
	begins := fsm.Event{Kind: fsm.SessionStart, Source: "startup"}
	write(t, system.Join(h.Root, "README.md"), "")
	if d := h.answer(t, NoCall{}, begins); len(d.Notices) != 1 || !strings.Contains(d.Notices[0], unreadable) {
		t.Errorf("a person hears %q", d.Notices)
	}
	write(t, system.Join(h.Root, "features", "x.json"), "")
	h.Policy.Activate.When = append(h.Policy.Activate.When, "features/*.json")
	h.answer(t, NoCall{}, begins)
	if d := h.answer(t, NoCall{}, request("back")); d.Verdict != fsm.Deny {
		t.Errorf("%s while the other file is there", d.Verdict)
	}
}

// TestPresent: which files switch on. Nothing outside the project does, nor what a link
// leads to.
func TestPresent(t *testing.T) {
	h := handler(t)
	for _, name := range []string{"features/a.json", "deep/er/b.yaml", "dir.on/x", "brace{s}.txt"} {
		write(t, system.Join(h.Root, name), "")
	}
	outside := system.Join(system.Dir(h.Root), "outside")
	write(t, outside+"/c.out", "")
	link(t, outside, system.Join(h.Root, "linked"))
	link(t, outside+"/gone", system.Join(h.Root, "gone.on"))
	for pattern, want := range map[string]string{
		"features/*.json":   "features/a.json",
		"**/*.yaml":         "deep/er/b.yaml",
		"**":                "brace{s}.txt",
		"*.yaml":            "",
		"features":          "",
		"dir.on":            "",
		"dir.on/**":         "dir.on/x",
		"{none,features}/*": "features/a.json",
		"linked/*.out":      "",
		"**/*.out":          "",
		"../outside/*":      "",
		"/etc/passwd":       "",
		"none/*":            "",
	} {
		h.Policy.Activate.When = []string{"never", pattern}
		if got := h.findPresent(); got != want {
			t.Errorf("%s: %q, expected %q", pattern, got, want)
		}
	}
	link(t, h.Root, h.Root+"-link")
	h.Root, h.Policy.Activate.When = h.Root+"-link", []string{"features/*.json"}
	if _, err := os.Lstat(h.Root); err != nil {
		return // the system makes no links
	}
	if got := h.findPresent(); got != "features/a.json" {
		t.Errorf("through a link to the project: %q", got)
	}
}
