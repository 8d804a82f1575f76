package hooks

import (
	"os"
	"slices"
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

// TestLengthsOfInput: a value of as many bytes as are kept is kept.
func TestLengthsOfInput(t *testing.T) {
	h := handler(t)
	h.Policy.Main.List = []fsm.Rule{{Name: "no-query", Verdict: fsm.Deny, Tools: []string{"mcp__db__*"},
		Inputs: []fsm.Input{{Name: "query", Value: "x"}}}}
	fits := strings.Repeat("a", maxInput)
	h.answer(t, inputCall{in: map[string]string{"fits": fits, "long": fits + "a"}},
		fsm.Event{Kind: fsm.ToolRequest, Tool: fsm.Tool{Name: "mcp__db__run", UseID: "u1"}})
	if in := h.records(t, "s1")[0].Event.Tool.Input; len(in) != 1 || in["fits"] != fits {
		t.Errorf("%q", in)
	}
}

// TestVariablesOfRules: a rule meets the variables that it asks for, as far as they are set, and the record has them.
func TestVariablesOfRules(t *testing.T) {
	for ci, want := range map[string]fsm.Verdict{"1": fsm.Deny, "": fsm.Pass} {
		h := handler(t)
		h.Policy.Main.List = []fsm.Rule{{Name: "no-ci", Verdict: fsm.Deny, Tools: []string{"Read"},
			Env: []fsm.Input{{Name: "CI", Value: "*"}}, UnlessEnv: []fsm.Input{{Name: "FREE", Value: "*"}}}}
		h.Getenv = environ(map[string]string{"CI": ci, "OTHER": "x"})
		d := h.answer(t, NoCall{}, fsm.Event{Kind: fsm.ToolRequest, Tool: fsm.Tool{Name: "Read", UseID: "u"}})
		env := h.records(t, "s1")[0].Event.Facts.Env
		if _, isSet := env["CI"]; d.Verdict != want || isSet != (ci != "") || len(env) != len(ci) {
			t.Errorf("CI=%s: %s, recorded %q", ci, d.Verdict, env)
		}
	}
}

// TestOneGivenFactOfTwo: what the event does not bring is gathered, also beside what it brings.
func TestOneGivenFactOfTwo(t *testing.T) {
	h := handler(t)
	h.Policy.Main.List = []fsm.Rule{{Name: "both", Verdict: fsm.Deny, Tools: []string{"mcp__db__*"},
		Env: []fsm.Input{{Name: "CI", Value: "1"}}, Inputs: []fsm.Input{{Name: "query", Value: "x"}}}}
	h.Given = func(n fsm.Need) bool { return n == fsm.NeedEnv }
	e := fsm.Event{Kind: fsm.ToolRequest, Tool: fsm.Tool{Name: "mcp__db__run", UseID: "u1"}}
	e.Facts.Env = map[string]string{"CI": "1"}
	if d := h.answer(t, inputCall{in: map[string]string{"query": "x"}}, e); d.Rule != "both" {
		t.Errorf("%s by %q", d.Verdict, d.Rule)
	}
}

// TestProjectIsListed: its files without those of git and ours, also where .git is a file, as in a linked worktree. A
// project that cannot be read is noted.
func TestProjectIsListed(t *testing.T) {
	h := handler(t)
	at := func(name string) string { return system.Join(h.Root, name) }
	for _, name := range []string{".git", "a.go", "b/.pipeline/x", "b/.git/x", "b/z.go"} {
		write(t, at(name), "x")
	}
	want := []string{at(".git"), at("b/z.go"), at("a.go")}
	if got := h.listProject([]string{at("a.go")}); !slices.Equal(got, want) || len(h.Notes) > 0 {
		t.Errorf("%q, expected %q; noted %q", got, want, h.Notes)
	}
	h.Root = at("none")
	if got := h.listProject(nil); len(got) > 0 {
		t.Errorf("%q", got)
	}
	contains(t, h.Notes, "look for files to check: ")
}

// TestTakeNames: a check is given as many files as there is room for, and one at least.
func TestTakeNames(t *testing.T) {
	half, long := strings.Repeat("x", maxNames/2-1), strings.Repeat("x", 2*maxNames)
	for name, c := range map[string]struct {
		files []string
		want  int
	}{"none": {nil, 0}, "what fits": {[]string{half, half}, 2}, "more": {[]string{half, half, "a"}, 2},
		"a longer one": {[]string{half, half + "x"}, 1}, "one that is too long": {[]string{long, "a"}, 1}} {
		if these, rest := takeNames(c.files); len(these) != c.want || len(these)+len(rest) != len(c.files) {
			t.Errorf("%s: %d, %d are left", name, len(these), len(rest))
		}
	}
}
