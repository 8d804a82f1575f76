package fsm_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
)

// promptID is a person's prompt that carries the id of its turn.
func (pl *play) prompt(id string) *play {
	pl.Helper()
	return pl.do(fsm.Event{Kind: fsm.Prompt, Text: "go on", Prompt: id})
}

// TestBudgetsAreChargedLast: a call that a state, a limit or the plan refuses uses up no budget.
func TestBudgetsAreChargedLast(t *testing.T) {
	p := *states(t)
	p.Main.List = []fsm.Rule{{Name: "few", Tools: []string{"Agent", "Bash"}, Verdict: fsm.Deny, Budgeted: true,
		Budget: 1}}
	pl := begin(t, &p).asks(main(), "bash-developer", "1").denied("IDLE")
	client := fsm.Tool{Name: "Bash", UseID: "2", Parts: []fsm.Part{{Tool: "Bash", Words: []string{"claude"},
		Client: "claude"}}}
	pl.do(fsm.Event{Kind: fsm.ToolRequest, Tool: client}).denied("Starting claude")
	pl.asks(main(), "context-gatherer", "3").passes().asks(main(), "context-gatherer", "4").denied("few")
	limited := limited(fsm.Limits{Running: 1})
	limited.Main.List = []fsm.Rule{{Name: "two", Tools: []string{"Agent"}, Verdict: fsm.Deny, Budgeted: true,
		Budget: 2}}
	pl = begin(t, limited).asks(main(), "dev", "1").passes().asks(main(), "dev", "2").denied("at most 1")
	pl.starts("a", "dev").stops("a", "dev", "done").asks(main(), "dev", "3").passes()
}

// TestRefusedCallsAreNotRecent: `within` counts the calls that were let through.
func TestRefusedCallsAreNotRecent(t *testing.T) {
	p := *states(t)
	p.Main.List = []fsm.Rule{{Name: "again", Tools: []string{"Agent"}, Verdict: fsm.Deny, Within: 5}}
	begin(t, &p).asks(main(), "bash-developer", "1").denied("IDLE").asks(main(), "context-gatherer", "2").passes()
}

// TestLimitsHoldWhileAPromptIsTyped: a prompt typed into a running turn gives nothing back; the next turn does.
func TestLimitsHoldWhileAPromptIsTyped(t *testing.T) {
	pl := begin(t, limited(fsm.Limits{Running: 8})).prompt("t1")
	count := func(from string) (n int) {
		for i := range 8 {
			if pl.asks(main(), "dev", fmt.Sprint(from, i)); pl.d.Verdict == fsm.Pass {
				n++
			}
		}
		return n
	}
	if n := count("a"); n != 8 {
		t.Fatalf("%d of 8", n)
	}
	if n := pl.prompt("t1"); count("b") != 0 {
		t.Errorf("%d more after a prompt that was typed into the turn", len(n.pending())-8)
	}
	if pl.prompt(""); count("c") != 0 {
		t.Error("more after a prompt without an id")
	}
	if pl.prompt("t2"); count("d") != 8 {
		t.Error("the next turn has nothing")
	}
	p := budgeted()
	p.Main.List[0].ResetOn = nil
	pl = begin(t, p).prompt("t1").does("1", file("Read", "/a")).passes().prompt("t1").does("2",
		file("Read", "/b")).denied("one")
	pl.prompt("t2").does("3", file("Read", "/b")).passes() // the first was never made
}

// TestWaitingChains: agents that wait for each other complete at one end of a turn, whatever their order.
func TestWaitingChains(t *testing.T) {
	pl := begin(t, free())
	by := main()
	for i := range 6 {
		id := fmt.Sprint("a", i)
		pl.asks(by, "dev", "u"+id).starts(id, "dev")
		by = sub(id, "dev")
	}
	for i := range 5 {
		pl.stops(fmt.Sprint("a", i), "dev", "done so far")
	}
	pl.do(fsm.Event{Kind: fsm.AgentFailure, Agent: sub("a5", "dev")}).ends()
	for _, r := range pl.s.Agents.Runs {
		if r.Status == fsm.Waiting {
			t.Errorf("%s still waits", r.ID)
		}
	}
}

// TestEndedSessionRunsNothing: what ran has ended with its client; a late end still counts.
func TestEndedSessionRunsNothing(t *testing.T) {
	pl := defaults(t).asks(main(), "context-gatherer", "1").starts("g", "context-gatherer")
	pl.do(fsm.Event{Kind: fsm.SessionEnd})
	if r := pl.s.RunningAgents(); len(r) != 0 {
		t.Errorf("running: %+v", r)
	}
	pl.stops("g", "context-gatherer", "found").in("GATHERING")
}

// TestRefusedTwiceByTwoRegistrations: one call is one refusal and one attempt.
func TestRefusedTwiceByTwoRegistrations(t *testing.T) {
	p := budgeted()
	pl := begin(t, p).does("1", file("Read", "/a")).passes()
	for i := range 3 {
		use := fmt.Sprint("x", i)
		pl.does(use, file("Read", "/b")).denied("").does(use, file("Read", "/b")).denied("one")
	}
	if r := pl.s.Budgets.Refusals; len(r) != 1 || r[0].Times != 3 || pl.s.Budgets.Uses[0].Tries != 3 {
		t.Errorf("%+v %+v", r, pl.s.Budgets.Uses)
	}
}

// TestDeclinedStart: an admission that came to nothing swallows no later agent's result.
func TestDeclinedStart(t *testing.T) {
	ask := func(t *testing.T) *play {
		return defaults(t).prompt("t1").asks(main(), "context-gatherer", "1").passes()
	}
	for name, pl := range map[string]*play{
		"reset":       ask(t).do(fsm.Event{Kind: fsm.Reset}),
		"reset to":    ask(t).do(fsm.Event{Kind: fsm.Reset, Source: "IDLE"}),
		"clear":       ask(t).do(fsm.Event{Kind: fsm.SessionStart, Source: "clear"}),
		"a new turn":  ask(t).prompt("t2"),
		"its failure": ask(t).do(fsm.Event{Kind: fsm.ToolFailure, Tool: agentTool("context-gatherer", "1")}),
		"its end":     ask(t).ends(),
	} {
		if len(pl.pending()) != 0 {
			t.Errorf("%s: %+v", name, pl.pending())
		}
		pl.asks(main(), "context-gatherer", "2").passes().starts("g", "context-gatherer").stops("g", "context-gatherer",
			"found").in("GATHERING")
	}
}

// TestNewestAdmission: of several requests that fit, the newest of this visit and epoch counts.
func TestNewestAdmission(t *testing.T) {
	pl := defaults(t).asks(main(), "context-gatherer", "old").passes() // declined, and the host does not say so
	pl.runs("g", "context-gatherer", "found").in("GATHERING")
	if r := pl.run("g"); r.UseID != "use-g" {
		t.Errorf("taken up by %s", r.UseID)
	}
	pl.asks(main(), "context-gatherer", "new").passes().starts("h", "context-gatherer").stops("h", "context-gatherer",
		"found again").in("GATHERING").holds("gathered", "found again")
	// A request of an earlier visit counts where there is no other: its agent is late.
	pl.starts("i", "context-gatherer")
	if r := pl.run("i"); r.UseID != "old" || r.Visit >= pl.s.Machine.Visit {
		t.Errorf("%+v", r)
	}
}

// TestUncountedResultsAreReported: the main agent hears of every result that does not count, and why.
func TestUncountedResultsAreReported(t *testing.T) {
	told := func(pl *play, words ...string) {
		t.Helper()
		pl.says("go on")
		for _, w := range words {
			if !strings.Contains(pl.d.Inject, w) {
				t.Errorf("told %q, expected %q", pl.d.Inject, w)
			}
		}
	}
	late := defaults(t).asks(main(), "context-gatherer", "1").starts("g", "context-gatherer").asks(main(),
		"context-gatherer", "2").starts("h", "context-gatherer")
	told(late.stops("g", "context-gatherer", "found").says("x").asks(main(), "context-refiner", "3").starts("r",
		"context-refiner").stops("r", "context-refiner", "refined").
		says("x").stops("h", "context-gatherer", "found too"), `"context-gatherer"`, "does not count", "REFINING")
	reset := defaults(t).asks(main(), "context-gatherer", "1").starts("g",
		"context-gatherer").do(fsm.Event{Kind: fsm.Reset})
	told(reset.stops("g", "context-gatherer", "found"), "does not count", "reset")
	told(defaults(t).starts("g", "context-gatherer").stops("g", "context-gatherer", "found"), "does not count",
		"not seen")
	told(defaults(t).starts("z", "bash-developer").stops("z", "bash-developer", "done"), "does not count",
		"not admitted")
	told(defaults(t).runs("g", "context-gatherer", "found").says("x").runs("h", "context-gatherer",
		"found else").says("x").
		stops("g", "context-gatherer", "found more"), "does not count", "before")
	many := defaults(t)
	for i := range 30 {
		many.starts(fmt.Sprint("z", i), fmt.Sprint("bash-developer-of-a-long-name-", i)).stops(fmt.Sprint("z", i),
			"bash-developer", "done")
	}
	told(many, "name-0", "name-9", "name-29")
}

// TestRewrittenCalls: the person hears once that another command ran than the one that was judged.
func TestRewrittenCalls(t *testing.T) {
	pl := begin(t, states(t))
	run := func(use, asked, ran string) string {
		part := []fsm.Part{{Tool: "Bash", Words: strings.Fields(asked), Shows: true}}
		pl.do(fsm.Event{Kind: fsm.ToolRequest, Tool: fsm.Tool{Name: "Bash", UseID: use,
			Digest: fsm.DigestCommand(asked), Parts: part}}).passes()
		pl.do(fsm.Event{Kind: fsm.ToolResult, Tool: fsm.Tool{Name: "Bash", UseID: use, Digest: fsm.DigestCommand(ran)}})
		return strings.Join(pl.d.Notices, "\n") + strings.Join(pl.d.Notes, "\n")
	}
	if told := run("1", "cat a.txt", "cat a.txt") + run("2", "ls", ""); told != "" {
		t.Errorf("nothing was changed: %s", told)
	}
	if told := run("3", "cat a.txt", "touch a.txt"); strings.Count(told,
		"another command ran than the one that was judged") != 2 {
		t.Errorf("told %q", told)
	}
	if run("4", "cat b.txt", "touch b.txt"); len(pl.d.Notices) > 0 || len(pl.d.Notes) != 1 {
		t.Errorf("told again %q, noted %q", pl.d.Notices, pl.d.Notes)
	}
	if told := run("5", "cat a.txt", "cat a.txt"); told != "" {
		t.Errorf("nothing was changed: %s", told)
	}
	pl = begin(t, states(t))
	pl.do(fsm.Event{Kind: fsm.ToolResult, Tool: fsm.Tool{Name: "Bash", UseID: "6", Digest: fsm.DigestCommand("ls")}})
	if len(pl.d.Notices)+len(pl.d.Notes) > 0 {
		t.Errorf("a call that was never judged: %q %q", pl.d.Notices, pl.d.Notes)
	}
}

// TestUsage: an agent that has used up its calls or its time is told in time to come to an end, and then
// may only return; a rule does not let it go on, and other agents are not held.
func TestUsage(t *testing.T) {
	p := *states(t)
	p.Limits = fsm.Limits{Calls: 10, Minutes: 30, SessionCalls: 40}
	p.Subagents.List = append([]fsm.Rule{{Name: "all", Verdict: fsm.Pass, Tools: []string{"*"}}}, p.Subagents.List...)
	pl := begin(t, &p).executing()
	pl.asks(main(), "c-developer", "1").starts("c", "c-developer").asks(main(), "bash-developer", "2").starts("b",
		"bash-developer")
	call := func(agent, name, use string) *play { return pl.by(sub(agent, name), use, file("Read", "/a")) }
	result := func(agent, name, use string) *play {
		return pl.do(fsm.Event{Kind: fsm.ToolResult, Agent: sub(agent, name), Tool: fsm.Tool{Name: "Read", UseID: use}})
	}
	told := 0
	for i := range 10 {
		call("c", "c-developer", fmt.Sprint("c", i)).passes()
		if result("c", "c-developer", fmt.Sprint("c", i)); strings.Contains(pl.d.Inject, "of 10 calls") {
			told++
		}
	}
	if told != 1 {
		t.Errorf("told %d times that the calls come to an end", told)
	}
	call("c", "c-developer", "c9").passes() // reported twice
	call("c", "c-developer", "c10").denied("has used its 10 calls (limits.calls). Return what you have")
	call("b", "bash-developer", "b1").passes()
	pl.now = pl.now.Add(25 * time.Minute)
	if result("b", "bash-developer", "b1"); !strings.Contains(pl.d.Inject, "of 30 minutes") {
		t.Errorf("told %q", pl.d.Inject)
	}
	pl.now = pl.now.Add(6 * time.Minute)
	call("b", "bash-developer", "b2").denied("has run for 30 minutes (limits.minutes). Return what you have")
	for i := range 40 {
		pl.by(main(), fmt.Sprint("m", i), file("Read", "/plan.json"))
	}
	pl.by(main(), "m", file("Read",
		"/plan.json")).denied("This session has used its 40 calls (limits.session_calls). End your turn")
}

// TestUsageOpensNothing: what a rule refuses stays refused, with uses left and without; and an agent that is given
// more to do begins again.
func TestUsageOpensNothing(t *testing.T) {
	p := *states(t)
	p.Limits = fsm.Limits{Calls: 1}
	p.Subagents.List = []fsm.Rule{{Name: "no-reading", Verdict: fsm.Deny, Tools: []string{"Read"}}}
	pl := begin(t, &p).asks(main(), "context-gatherer", "1").starts("g", "context-gatherer")
	who := sub("g", "context-gatherer")
	pl.by(who, "r1", file("Read", "/a")).denied("no-reading").by(who, "g1", fsm.Part{Tool: "Grep"}).passes()
	pl.by(who, "r2", file("Read", "/a")).denied("limits.calls").by(who, "g2",
		fsm.Part{Tool: "Grep"}).denied("limits.calls")
	if len(pl.by(who, "r3", file("Read", "/a")).d.Objections) != 2 {
		t.Errorf("%+v", pl.d.Objections)
	}
}

// TestStartsAreUsage: the calls that start agents are calls of their caller.
func TestStartsAreUsage(t *testing.T) {
	p := *states(t)
	p.Limits = fsm.Limits{Calls: 3}
	pl := begin(t, &p).executing().asks(main(), "c-developer", "1").starts("c", "c-developer")
	for i := range 3 {
		pl.asks(sub("c", "c-developer"), "bash-developer", fmt.Sprint("s", i)).passes()
	}
	pl.asks(sub("c", "c-developer"), "bash-developer", "s3").denied("has used its 3 calls (limits.calls)")
}

// TestTokens: what an agent's model has used is told by its host, and bound where that tells it.
func TestTokens(t *testing.T) {
	p := *states(t)
	p.Limits = fsm.Limits{Tokens: 1000}
	pl := begin(t, &p).asks(main(), "context-gatherer", "1").starts("g", "context-gatherer")
	call := func(kind fsm.Kind, use string, tokens int) *play {
		return pl.do(fsm.Event{Kind: kind, Agent: sub("g", "context-gatherer"), Facts: fsm.Facts{Tokens: tokens},
			Tool: fsm.Tool{Name: "Read", UseID: use, Parts: []fsm.Part{file("Read", "/a")}}})
	}
	call(fsm.ToolRequest, "1", 0).passes()
	if call(fsm.ToolResult, "1", 799); pl.d.Inject != "" {
		t.Errorf("told %q", pl.d.Inject)
	}
	call(fsm.ToolRequest, "2", 799).passes()
	if call(fsm.ToolResult, "2", 900); !strings.Contains(pl.d.Inject, "900 of 1000 tokens") {
		t.Errorf("told %q", pl.d.Inject)
	}
	call(fsm.ToolRequest, "3", 1000).denied("has used its 1000 tokens (limits.tokens). Return what you have")
}

// after gives an event so many seconds later than the last.
func (pl *play) after(seconds int, e fsm.Event) *play {
	pl.Helper()
	pl.now = pl.now.Add(time.Duration(seconds-1) * time.Second) // do adds one
	return pl.do(e)
}

// turned checks the counts, turns in seconds.
func (pl *play) turned(denied int, turns ...int) *play {
	pl.Helper()
	var seconds []int
	for _, ms := range pl.s.Counts.Turns {
		seconds = append(seconds, ms/1000)
	}
	if pl.s.Counts.Denied != denied || !slices.Equal(seconds, turns) {
		pl.Errorf("denied %d, turns %v; expected %d, %v", pl.s.Counts.Denied, seconds, denied, turns)
	}
	return pl
}

// TestTurnsAreCounted: from a person's prompt to its last end, the last ten.
func TestTurnsAreCounted(t *testing.T) {
	prompt, stop := fsm.Event{Kind: fsm.Prompt}, fsm.Event{Kind: fsm.TurnStop}
	notice, failure := fsm.Event{Kind: fsm.Prompt, Origin: fsm.Notification}, fsm.Event{Kind: fsm.TurnFailure}
	pl := defaults(t).after(0, stop).after(1, prompt).turned(0) // the first end is of a turn that began before
	pl.after(12, stop).turned(0, 12).after(80, prompt).after(1, failure).turned(0, 12, 1)
	pl.after(9, notice).after(1, stop).turned(0, 12, 11)
	of := fsm.Agent{ID: "a1", Type: "x"}
	pl.after(1, fsm.Event{Kind: fsm.Prompt, Agent: of}).after(1, fsm.Event{Kind: fsm.TurnStop, Agent: of}).turned(0, 12,
		11)
	for i := range 9 {
		pl.after(1, prompt).after(i, stop)
	}
	pl.turned(0, 11, 0, 1, 2, 3, 4, 5, 6, 7, 8)
	defaults(t).after(0, prompt).after(5, stop).turned(0, 5).after(2, stop).turned(0, 7) // the first was held back
}

// TestRepeated: a call that is reported again is marked, and counted once, also when other
// calls were made meanwhile. One without an id is one of its own, and so is one that comes late.
func TestRepeated(t *testing.T) {
	pl := defaults(t)
	for i, c := range []struct {
		use      string
		repeated bool
		denied   int
	}{{"t1", false, 1}, {"t2", false, 2}, {"t1", true, 2}, {"t2", true, 2}, {"", false, 3}, {"", false, 4}} {
		pl.asks(main(), "bash-developer", c.use).denied("IDLE").turned(c.denied)
		if pl.d.Repeated != c.repeated {
			t.Errorf("call %d: repeated %v", i, pl.d.Repeated)
		}
	}
	if r := pl.s.Talk.Refused; len(r) != 1 || r[0].Times != 4 {
		t.Errorf("refused %+v", r)
	}
	for i := range 99 {
		pl.asks(main(), "context-gatherer", fmt.Sprint("u", i))
	}
	for use, known := range map[string]bool{"u82": false, "u83": true, "u98": true} { // the last 16
		if again := *pl; again.asks(main(), "context-gatherer", use).d.Repeated != known {
			t.Errorf("%s is known: %v", use, !known)
		}
	}
	if n := len(pl.s.Counts.Calls); n > 200 {
		t.Errorf("%d bytes are kept in each line of the journal", n)
	}
}
