package fsm_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
)

// few is a rule that lets an agent use a tool n times.
func few(name, tool string, n int, resetOn ...string) fsm.Rule {
	return fsm.Rule{Name: name, Tools: []string{tool}, Verdict: fsm.Deny, Budgeted: true, Budget: n, ResetOn: resetOn}
}

// TestBudgetsApart: each rule and each agent has a budget of its own; what refills one refills no other.
func TestBudgetsApart(t *testing.T) {
	p := free()
	list := []fsm.Rule{few("reads", "Read", 1, "prompt"), few("greps", "Grep", 1), few("states", "Glob", 1, "state")}
	p.Main.List, p.Subagents.List = list, list
	pl := begin(t, p).asks(main(), "dev", "0").starts("a", "dev")
	spend := func(prefix string, who fsm.Agent) (passed string) {
		for _, tool := range []string{"Read", "Grep", "Glob"} {
			pl.by(who, prefix+tool, file(tool, "/a"))
			if pl.d.Verdict == fsm.Pass {
				passed += tool[:1]
			}
			pl.do(fsm.Event{Kind: fsm.ToolResult, Agent: who, Tool: fsm.Tool{Name: tool, UseID: prefix + tool}})
		}
		return passed
	}
	for i, step := range []struct {
		who  fsm.Agent
		want string
	}{{main(), "RGG"}, {main(), ""}, {sub("a", "dev"), "RGG"}, {sub("a", "dev"), ""}} {
		if got := spend(fmt.Sprint(i), step.who); got != step.want {
			t.Errorf("step %d: %q passed, expected %q", i, got, step.want)
		}
	}
	pl.says("go on")
	if got := spend("4", main()) + "," + spend("5", sub("a", "dev")); got != "R," {
		t.Errorf("after a prompt %q passed: it refills what says so, of the main agent", got)
	}
}

// TestBudgetAttempts: a refusal says which attempt it was; the same call asked twice is one, and calls without ids
// are many.
func TestBudgetAttempts(t *testing.T) {
	attempt := func(ids ...string) string {
		pl := rules(t, few("reads", "Read", 1)).does("0", file("Read", "/a"))
		for _, id := range ids {
			pl.does(id, file("Read", "/b"))
		}
		return fmt.Sprint(pl.s.Budgets.Uses[0].Tries)
	}
	if got := attempt("1", "1") + attempt("1", "2") + attempt("", ""); got != "122" {
		t.Error(got)
	}
}

// TestBudgetLoweredToNone: a budget of 0 gives nothing, not even a file that it gave before. What a call reads
// that is refused for another reason agrees.
func TestBudgetLoweredToNone(t *testing.T) {
	pl := rules(t, few("edits", "Edit", 1)).does("1", file("Edit", "/a")).passes().did("1", "Edit")
	pl.does("2", file("Edit", "/a")).passes().did("2", "Edit")
	pl.p.Main.List[0].Budget = 0
	pl.does("3", file("Edit", "/a")).denied("rule edits")
	guarded := file("Edit", "/a")
	guarded.Guards = "our files"
	if pl.does("4", file("Edit", "/a"), guarded); pl.d.Parts[0].Rule != "edits" || pl.d.Parts[0].Verdict != fsm.Deny {
		t.Errorf("%+v", pl.d.Parts[0])
	}
}

// TestBudgetFiles: the latest three files of a budget are remembered.
func TestBudgetFiles(t *testing.T) {
	pl := rules(t, few("reads", "Read", 9))
	for i := range 5 {
		pl.does(fmt.Sprint(i), file("Read", fmt.Sprint("/", i)))
	}
	pl.does("x", fsm.Part{Tool: "Read"})
	if got := strings.Join(pl.s.Budgets.Uses[0].Files, " "); got != "/3 /4" {
		t.Errorf("%q", got)
	}
}

// TestBudgetsAreRestored: a call that is refused gives back what it took, each budget its own.
func TestBudgetsAreRestored(t *testing.T) {
	p := free()
	p.Main.List = []fsm.Rule{few("greps", "Grep", 3), few("reads", "Read", 2),
		{Name: "no", Tools: []string{"Write"}, Verdict: fsm.Deny}}
	pl := begin(t, p).does("1", file("Read", "/a")).passes().does("2", file("Grep", "/b")).passes()
	pl.does("3", file("Read", "/c"), file("Grep", "/d"), file("Write", "/e")).denied("rule no")
	held := map[string]string{}
	for _, u := range pl.s.Budgets.Uses {
		held[u.Rule] = strings.Join(u.Held, " ") + " " + strings.Join(u.Files, " ")
	}
	if held["reads"] != "1 /a" || held["greps"] != "2 /b" {
		t.Errorf("%q", held)
	}
	pl.does("4", file("Read", "/c")).passes().did("1", "Read").does("5", file("Read", "/c")).denied("reads")
}

// TestAskAboutAStart: an ask that a person must answer about a start names what is asked.
func TestAskAboutAStart(t *testing.T) {
	p := *states(t)
	p.Level = fsm.AskFirst
	pl := begin(t, &p).asks(main(), "bash-developer", "1").gets(fsm.Ask,
		`Allow the start of "bash-developer" by the main agent? `+
			`The pipeline is in state IDLE, where agent "bash-developer" may not run (it may in EXECUTING).`)
	if strings.Contains(pl.d.Reason, "start one of") {
		t.Errorf("the person reads what the agent is to do: %s", pl.d.Reason)
	}
	p.Level = fsm.Guidance
	if pl := begin(t, &p).asks(main(), "bash-developer", "1"); pl.d.Verdict != fsm.Warn ||
		strings.Contains(pl.d.Reason, "Allow the start") {
		t.Errorf("%s: %s", pl.d.Verdict, pl.d.Reason)
	}
}

// TestSelfCheckSays what the rules refuse, and nothing of those that do not.
func TestSelfCheckSays(t *testing.T) {
	bashes := [][]string{{"git", "push"}}
	for name, c := range map[string]struct {
		p    fsm.Policy
		want string
	}{
		"nothing": {fsm.Policy{}, "1. Role: you are the orchestrator; you coordinate, agents do the work.\n"},
		"a tool, and an exception": {fsm.Policy{Main: fsm.Rules{List: []fsm.Rule{
			{Name: "scratch", Tools: []string{"Write"}, Paths: []string{"/tmp/**"}},
			{Name: "no-writing", Tools: []string{"Write"}, Verdict: fsm.Deny},
			{Name: "not-there", Tools: []string{"Edit"}, Paths: []string{"/etc/**"}, Verdict: fsm.Deny},
			{Name: "reading", Tools: []string{"Read"}},
			{Name: "sometimes", Tools: []string{"WebFetch"}, States: []string{"A"}, Verdict: fsm.Deny}}}},
			"2. Tool: not for you: Write (exceptions: scratch).\n"},
		"a default": {fsm.Policy{Main: fsm.Rules{Default: fsm.Rule{Verdict: fsm.Deny}}},
			"2. Tool: not for you: every tool that no rule allows.\n"},
		"counts": {fsm.Policy{Main: fsm.Rules{List: []fsm.Rule{few("reads", "Read", 2, "prompt", "state"),
			few("one", "Edit", 1, "never"),
			few("two", "Task", 2), {Name: "again", Tools: []string{"Bash"}, Within: 3, Verdict: fsm.Warn},
			{Name: "free", Tools: []string{"X"}, Within: 3}}}},
			"2. Counted: Read: 2 are free, and again after prompt or state; Edit: 1 are free; Task: 2 are free; " +
				"Bash: not again within 3 calls.\n"},
		"commands": {fsm.Policy{Main: fsm.Rules{List: []fsm.Rule{{Name: "push", Tools: []string{"Bash"},
			Commands: bashes, Verdict: fsm.Ask},
			{Name: "looking", Tools: []string{"Bash"}, Commands: [][]string{{"ls"}}}}}},
			"2. Commands: only if the user agrees: git push.\n"},
		"searching": {fsm.Policy{Main: fsm.Rules{List: []fsm.Rule{{Name: "s", Tools: []string{"Glob"},
			Verdict: fsm.Deny, Budgeted: true,
			DelegateTo: []string{"Explore", "Plan"}}}}},
			"2. Counted: Glob: 0 are free.\n3. Analysis: are you about to search or to study code yourself? " +
				"Delegate it to Explore or Plan.\n"},
		"searching, first": {fsm.Policy{Main: fsm.Rules{List: []fsm.Rule{{Name: "none", Verdict: fsm.Deny},
			{Name: "a", Tools: []string{"Grep"}, Verdict: fsm.Ask},
			{Name: "s", Tools: []string{"Grep"}, Verdict: fsm.Deny, States: []string{"A"}, DelegateTo: []string{"x"}},
			{Name: "t", Tools: []string{"Glob"}, Verdict: fsm.Deny, States: []string{"B"},
				DelegateTo: []string{"y"}}}}},
			"2. Analysis: are you about to search or to study code yourself? Delegate it to x.\n"},
		"searching, asked": {fsm.Policy{Main: fsm.Rules{List: []fsm.Rule{{Name: "a", Tools: []string{"Grep"},
			Verdict: fsm.Ask}}}}, "1. Role: you are the orchestrator; you coordinate, agents do the work.\n"},
		"searching, to no one": {fsm.Policy{Main: fsm.Rules{List: []fsm.Rule{{Name: "s", Tools: []string{"Grep"},
			Verdict: fsm.Deny, Within: 2}}}},
			"2. Counted: Grep: not again within 2 calls.\n3. Analysis: are you about to search or to study code " +
				"yourself? Delegate it.\n"},
	} {
		text := c.p.SelfCheckText()
		rest, _ := strings.CutPrefix(text, "Before each tool call, ask yourself:\n")
		rest, ok := strings.CutSuffix(rest, "If an answer speaks against the call, delegate instead.")
		if want := strings.TrimPrefix(rest,
			"1. Role: you are the orchestrator; you coordinate, agents do the work.\n"); !ok ||
			rest != c.want && want != c.want {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// budgeted is a policy that lets an agent read once for each prompt.
func budgeted() *fsm.Policy {
	return &fsm.Policy{Level: fsm.Strict, Main: fsm.Rules{List: []fsm.Rule{{Name: "one", Tools: []string{"Read"},
		Verdict: fsm.Deny, Budgeted: true, Budget: 1, ResetOn: []string{"prompt"}}}}}
}

func (pl *play) cron(prompt string) *play {
	pl.Helper()
	return pl.do(fsm.Event{Kind: fsm.ToolRequest, Tool: fsm.Tool{Name: "CronCreate", UseID: "c", Prompt: prompt,
		Parts: []fsm.Part{{Tool: "CronCreate"}}}}).passes()
}

// TestScheduledRefillsNothing: a prompt that an agent has had scheduled is no person's, by whichever way it is known.
func TestScheduledRefillsNothing(t *testing.T) {
	for name, schedule := range map[string]func(pl *play){
		"the call":        func(pl *play) { pl.cron("read on") },
		"the turn's end":  func(pl *play) { pl.do(fsm.Event{Kind: fsm.TurnStop, Crons: []string{"else", "read on"}}) },
		"spaced as it is": func(pl *play) { pl.cron(" read \n on ") },
	} {
		t.Run(name, func(t *testing.T) {
			pl := begin(t, budgeted()).says("go").does("1", file("Read", "/a")).passes().did("1", "Read").does("2",
				file("Read", "/b")).denied("one")
			schedule(pl)
			pl.says("read on").noted("a scheduled prompt").does("3", file("Read", "/c")).denied("one")
			pl.s.Talk.Notices = []fsm.PendingNotice{{Why: "what is new"}}
			pl.says("read on").told("what is new")
			pl.says("read on!").does("4", file("Read", "/d")).passes()
		})
	}
}

// TestExpects: each is remembered, words alone count, and nothing is no prompt.
func TestExpects(t *testing.T) {
	pl := begin(t, budgeted())
	for i := range 20 {
		pl.cron(fmt.Sprint("prompt ", i)).cron(fmt.Sprint("prompt ", i))
	}
	pl.cron("").cron("  ")
	for text, want := range map[string]bool{"prompt 0": true, "prompt 19": true, "prompt  4 ": true, "prompt": false,
		"": false, " ": false} {
		if got := pl.s.IsScheduled(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	if n := len(pl.s.Turn.Scheduled); n != 20 {
		t.Errorf("%d are remembered", n)
	}
}

// TestBudgetOfCallsAtOnce: of two calls that were let through, the one that was made counts once, and the other goes on
// to hold its place.
func TestBudgetOfCallsAtOnce(t *testing.T) {
	read := func(i int) fsm.Part { return file("Read", fmt.Sprint("/", i)) }
	pl := rules(t, few("reads", "Read", 3)).does("1", read(1)).does("2", read(2)).did("1", "Read")
	if u := pl.s.Budgets.Uses[0]; u.Used != 1 || len(u.Held) != 1 {
		t.Errorf("%d are used, %d held", u.Used, len(u.Held))
	}
	pl.does("3", read(3)).passes().does("4", read(4)).denied("")
}
