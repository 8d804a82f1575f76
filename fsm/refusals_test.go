package fsm_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agent-pipeline/pipeline/fsm"
)

// reads checks the whole text that an agent, or the person who is asked, reads.
func (pl *play) reads(want string) *play {
	pl.Helper()
	if pl.d.Reason != want {
		pl.Errorf("%q, expected %q", pl.d.Reason, want)
	}
	return pl
}

// ruled is a session in the state A, under one rule for the main agent and the agent d, which runs.
func ruled(t testing.TB, r fsm.Rule) *play {
	p := &fsm.Policy{Level: fsm.Strict, Initial: "A", States: []fsm.State{{Name: "A", Triggers: []fsm.Trigger{
		{Name: "dev", Agents: []string{"dev", "general-purpose", "writer"}, To: "A"}}}}}
	p.Main.List, p.Subagents.List = []fsm.Rule{r}, []fsm.Rule{r}
	p.Subagents.List[0].Agents = []string{"dev", "type*"}
	return begin(t, p).asks(main(), "dev", "1").starts("d", "dev")
}

const (
	leftOut = "Leave it out, and say in your final message what you would have done."
	general = `Delegate it: Agent(subagent_type="general-purpose", description="…", prompt="Implement … in /p/a").`
)

// TestRefusalTexts: what is refused, for which caller, why, and what to do instead.
func TestRefusalTexts(t *testing.T) {
	write, push := file("Write", "/p/a"), bash("git", "push")
	rule := func(set func(*fsm.Rule)) fsm.Rule {
		r := fsm.Rule{Name: "r", Verdict: fsm.Deny, Tools: []string{"Write", "Bash", "TaskCreate"}}
		if set != nil {
			set(&r)
		}
		return r
	}
	asks := rule(func(r *fsm.Rule) { r.Verdict, r.Reason = fsm.Ask, "it cannot be undone" })
	named := rule(func(r *fsm.Rule) { r.DelegateTo = []string{"writer"} })
	example := rule(func(r *fsm.Rule) { r.Example = "Ask the writer." })
	described := rule(func(r *fsm.Rule) { r.Describe = true })
	none := rule(func(r *fsm.Rule) { r.Budgeted = true })
	dev := sub("d", "dev")
	for name, c := range map[string]struct {
		rule fsm.Rule
		who  fsm.Agent
		part fsm.Part
		want string
	}{
		"a question about a command": {asks, dev, push, `Allow agent "dev" to run git push (rule r)? it cannot be undone.`},
		"a question about a file": {asks, main(), write,
			"Allow Write of /p/a by the main agent (rule r)? it cannot be undone."},
		"to the main agent": {rule(nil), main(), write, "Write of /p/a is not for the main agent (rule r). " + general},
		"to an agent":       {rule(nil), dev, write, `Write of /p/a is not for agent "dev" (rule r). ` + leftOut},
		"to an agent that may delegate": {named, dev, write, `Write of /p/a is not for agent "dev" (rule r). ` +
			strings.Replace(general, "general-purpose", "writer", 1)},
		"where one started": {rule(func(r *fsm.Rule) { r.AdmittedIn = []string{"A"} }), dev, write,
			`Write of /p/a is not for agent "dev" that started in A (rule r). ` + leftOut},
		"where the main agent is": {rule(func(r *fsm.Rule) { r.AdmittedIn = []string{"A"} }), main(), write,
			"Write of /p/a is not for the main agent (rule r). " + general},
		"in a state": {rule(func(r *fsm.Rule) { r.States = []string{"A"} }), dev, write,
			`Write of /p/a is not for agent "dev" in state A (rule r). ` + leftOut},
		"in a state, to the main agent": {rule(func(r *fsm.Rule) { r.States = []string{"A"} }), main(), write,
			"Write of /p/a is not for the main agent (rule r). " + general},
		"a budget of none": {none, dev, write, `Write of /p/a is not for agent "dev" (rule r). ` +
			"This is attempt 1 of 0. " + leftOut},
		"with an example": {example, main(), write,
			"Write of /p/a is not for the main agent (rule r). Instead: Ask the writer."},
		"an own tool, with an example": {example, main(), fsm.Part{Tool: "TaskCreate"},
			"TaskCreate is not for the main agent (rule r). Instead: Ask the writer."},
		"an own tool": {rule(nil), main(), fsm.Part{Tool: "TaskCreate"},
			"TaskCreate is not for the main agent (rule r). Go on without it, or end your turn."},
		"an own tool, with descriptions": {described, main(), fsm.Part{Tool: "TaskCreate"},
			"TaskCreate is not for the main agent (rule r). Go on without it, or end your turn."},
		"with descriptions": {described, main(), write, "Write of /p/a is not for the main agent (rule r). " +
			"Delegate it to one of: general-purpose, writer. For example: " +
			strings.TrimPrefix(general, "Delegate it: ")},
	} {
		t.Run(name, func(t *testing.T) {
			ruled(t, c.rule).by(c.who, "2", c.part).reads(c.want)
		})
	}
	ruled(t, example).does("2", write).does("3", write).
		reads("Write of /p/a is refused again (rule r, 2 times). " + general)
	kept := ruled(t, rule(nil))
	kept.p.NeverDelegated = [][]string{{"git", "push"}}
	kept.does("2", push).reads("git push is not for the main agent (rule r). " + leftOut)
	kept.does("3", bash("make")).reads("make is not for the main agent (rule r). Delegate it: " +
		`Agent(subagent_type="general-purpose", description="…", prompt="Run make and report what it prints").`)
	e := fsm.Event{Kind: fsm.ToolRequest, Tool: fsm.Tool{Name: "Write", Parts: []fsm.Part{write}},
		Starter: fsm.StartTool{Tool: "task", Agent: "kind", Prompt: "message"}}
	if _, d := kept.p.Step(kept.s, e); !strings.HasSuffix(d.Reason, `Delegate it: task(kind="general-purpose", `+
		`message="Implement … in /p/a").`) {
		t.Errorf("a tool that takes no description: %q", d.Reason)
	}
}

// TestWaitTexts: where no agent may do it now, the texts say which one leads on.
func TestWaitTexts(t *testing.T) {
	never := fsm.Rules{List: []fsm.Rule{{Name: "r", Verdict: fsm.Deny,
		Tools:  []string{"Write", "Bash", "Read", "Grep", "Glob", "Delete", "mcp__*"},
		States: []string{"A"}, Example: "Ask."}}}
	policy := func(a fsm.State) *fsm.Policy {
		a.Name = "A"
		return &fsm.Policy{Level: fsm.Strict, Initial: "A", Main: never, Subagents: never, States: []fsm.State{a,
			{Name: "B", Triggers: []fsm.Trigger{{Name: "dev", Agents: []string{"dev"}, To: "B"}}}}}
	}
	stops, plans := fsm.State{OnStop: "B"}, fsm.State{OnPlan: "B"}
	leads := fsm.State{Triggers: []fsm.Trigger{{Name: "lead", Agents: []string{"lead"}, To: "B"}}}
	const ends = "; end your turn, which leads there."
	for name, c := range map[string]struct {
		in   fsm.State
		part fsm.Part
		want string
	}{
		"a file":          {stops, file("Write", "/a"), "Files are changed in B" + ends},
		"a deleted file":  {stops, file("Delete", "/a"), "Files are changed in B" + ends},
		"reading":         {stops, file("Read", "/a"), "Files are read and searched in B" + ends},
		"searching":       {stops, file("Grep", "/a"), "Files are read and searched in B" + ends},
		"listing":         {stops, file("Glob", "/a"), "Files are read and searched in B" + ends},
		"a command":       {stops, bash("make"), "Such commands run in B" + ends},
		"a server's tool": {stops, fsm.Part{Tool: "mcp__a__b"}, "mcp__a__b is used in B" + ends},
		"a plan": {plans, bash("make"),
			"Such commands run in B; a plan that the user approves (ExitPlanMode) leads there."},
		"an agent": {leads, bash("make"),
			"Such commands run in B; the next step is lead, with the user's task."},
		"nothing leads on": {fsm.State{}, bash("make"), "Finish the turn and tell the user what is needed."},
	} {
		pl := begin(t, policy(c.in)).does("1", c.part)
		if _, way, _ := strings.Cut(pl.d.Reason, "is not for the main agent (rule r). "); way != c.want {
			t.Errorf("%s: %q", name, pl.d.Reason)
		}
	}
}

// TestReasonHasRoom: of a long refusal the reason is left out where little of it would be read, and what to do is not.
func TestReasonHasRoom(t *testing.T) {
	seen := map[int]bool{}
	for n := 1; n <= 40; n++ {
		text := func(reason string) string {
			r := few(strings.Repeat("n", n), "Write", 3)
			r.Reason = reason
			pl := ruled(t, r)
			pl.s.Agents.Runs[0].Type = strings.Repeat("type", 10)
			for i := range 4 {
				pl.by(sub("d", strings.Repeat("type", 10)), fmt.Sprint("w", i),
					file("Write", fmt.Sprint("/", strings.Repeat("x", 30), i, "/", strings.Repeat("y", 6))))
			}
			return pl.denied(leftOut).d.Reason
		}
		plain := text("")
		left, whole := 399-utf8.RuneCountInString(plain)-1, text(strings.Repeat("because ", 20))
		seen[left] = true
		if strings.Contains(whole, "because") != (left > 20) || utf8.RuneCountInString(whole) > 399 {
			t.Errorf("room for %d characters: %q", left, whole)
		}
	}
	if !seen[20] || !seen[21] {
		t.Errorf("room for %v", seen)
	}
}

// TestWayOut: the person reads how to let it pass, or who has locked it.
func TestWayOut(t *testing.T) {
	once, lockedBy := "; /pipeline once lets the next turn through", "; locked by /etc/p.yaml"
	for name, c := range map[string]struct {
		ceiling fsm.Ceiling
		want    string
	}{
		"nothing is locked": {fsm.Ceiling{}, once},
		"another section":   {fsm.Ceiling{Sections: []string{"limits"}}, once},
		"a lenient level":   {fsm.Ceiling{Level: fsm.Guidance}, once},
		"a level that asks": {fsm.Ceiling{Level: fsm.AskFirst}, lockedBy},
		"the states":        {fsm.Ceiling{Sections: []string{"states"}}, lockedBy},
	} {
		p := *states(t)
		c.ceiling.Place = "/etc/p.yaml"
		p.Ceiling = c.ceiling
		pl := begin(t, &p).asks(main(), "Explore", "1").denied("")
		got := strings.Join(pl.d.Notices, "|")
		if got != "refused the start of Explore in IDLE (rule pipeline)"+c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestNoticeTexts: what the main agent reads of an agent that came back, while its state lasts and after it.
func TestNoticeTexts(t *testing.T) {
	p := func() *fsm.Policy {
		return &fsm.Policy{Level: fsm.Strict, Initial: "A", States: []fsm.State{{Name: "A", Triggers: []fsm.Trigger{
			{Name: "dev", Agents: []string{"dev"}, Says: "^DONE", To: "B"}}},
			{Name: "B", Triggers: []fsm.Trigger{{Name: "other", Agents: []string{"other"}, To: "B"}}}}}
	}
	const unsaid = `Agent "dev" came back, and its final message does not say what a move asks for, so the pipeline ` +
		"stays in A."
	for name, c := range map[string]struct{ says, here, later string }{
		"it fails": {"", `Agent "dev" returned nothing, so the pipeline stays in A. Next: start one of: dev.`,
			`Agent "dev" returned nothing: it counts as failed.`},
		"it does not say enough": {"so so", unsaid, ""},
	} {
		ended := func() *play {
			return begin(t, p()).asks(main(), "dev", "1").starts("d", "dev").stops("d", "dev", c.says)
		}
		if pl := ended().used("Read"); pl.d.Inject != c.here {
			t.Errorf("%s: %q", name, pl.d.Inject)
		}
		left := ended()
		left.s.Machine.State, left.s.Machine.Visit = "B", 2
		if left.used("Read"); left.d.Inject != c.later {
			t.Errorf("%s, and the state is left: %q", name, left.d.Inject)
		}
	}
}

// TestProposals: who is proposed may start, may do it, and is not at work already.
func TestProposals(t *testing.T) {
	move := func(agents, to string) fsm.Trigger {
		return fsm.Trigger{Name: agents, Agents: strings.Fields(agents), To: to}
	}
	helps := func(agent string) fsm.Trigger {
		return fsm.Trigger{Name: agent, Agents: []string{agent}, To: "A", Helper: true}
	}
	policy := func(rules []fsm.Rule, a ...fsm.Trigger) *fsm.Policy {
		return &fsm.Policy{Level: fsm.Strict, Initial: "A", Main: fsm.Rules{List: rules}, States: []fsm.State{
			{Name: "A", Triggers: a}, {Name: "B", Triggers: []fsm.Trigger{move("maker", "B")}}}}
	}
	write := fsm.Rule{Name: "w", Verdict: fsm.Deny, Tools: []string{"Write"}}
	start := fsm.Rule{Name: "s", Verdict: fsm.Deny, Tools: []string{"Agent"}, Starts: []string{"c-*"}}
	named, described := start, write
	named.DelegateTo, described.Describe = []string{"writer"}, true
	file, known := file("Write", "/p/a"), []fsm.KnownAgent{{Name: "dev-x"}, {Name: "dev-y"}}
	proposes := func(name string, pl *play, want string) {
		t.Helper()
		if pl.d.Verdict != fsm.Deny || !strings.Contains(pl.d.Reason, want) {
			t.Errorf("%s: %q, expected %q", name, pl.d.Reason, want)
		}
	}
	two := begin(t, policy([]fsm.Rule{write}, move("one two", "A"))).asks(main(), "one", "1").starts("x", "one")
	proposes("one as good as who is at work", two.does("2", file), `Delegate it: Agent(subagent_type="two"`)
	proposes("instead of a start", begin(t, policy([]fsm.Rule{start}, move("c-dev", "A"), move("lead", "B"))).
		asks(main(), "c-dev", "1"), `Instead: Agent(subagent_type="lead", description="…", prompt="…").`)
	proposes("the agent that the rule names", begin(t, policy([]fsm.Rule{named}, move("c-dev lead writer", "A"))).
		asks(main(), "c-dev", "1"), `Instead: Agent(subagent_type="writer"`)
	proposes("four of five", begin(t, policy([]fsm.Rule{described}, move("a b c d e", "A"))).does("1", file),
		"Delegate it to one of: a, b, c, d. For example")
	takes := begin(t, policy([]fsm.Rule{write}, move("dev-x", "B"), move("dev-*", "A")))
	proposes("not the agent of an earlier trigger", takes.do(fsm.Event{Kind: fsm.ToolRequest, Facts: fsm.Facts{
		Agents: known}, Tool: fsm.Tool{Name: "Write", UseID: "1", Parts: []fsm.Part{file}}}),
		`Delegate it: Agent(subagent_type="dev-y"`)
	few := few("starts", "Agent", 1, "state")
	proposes("when the state has given back", begin(t, policy([]fsm.Rule{few, write}, move("lead", "B"))).
		asks(main(), "lead", "1").starts("l", "lead").does("2", file), "Files are changed in B; lead is running; ")
	leads := policy([]fsm.Rule{write}, helps("help"), move("stay", "A"), move("lead", "B"))
	leads.Subagents.List = []fsm.Rule{{Name: "n", Verdict: fsm.Deny, Tools: []string{"Write"},
		Agents: []string{"help", "stay", "maker"}}}
	proposes("who leads on", begin(t, leads).does("1", file), "The next step is lead, with the user's task.")

	deep := policy(nil, move("dev c-dev writer", "A"))
	deep.Limits.Depth, deep.Subagents.List = 2, []fsm.Rule{named}
	pl := begin(t, deep).asks(main(), "dev", "1").starts("d", "dev")
	proposes("as deep as it may be", pl.asks(sub("d", "dev"), "c-dev", "2"), `Instead: Agent(subagent_type="writer"`)
	pl.spawn = &fsm.Spawn{Depth: 2}
	proposes("deeper than it may be", pl.asks(sub("d", "dev"), "c-dev", "3"), leftOut)

	p := policy(nil, move("dev", "A"))
	call := fsm.Event{Kind: fsm.ToolRequest, Session: "s1", Tool: fsm.Tool{Name: "Write", Parts: []fsm.Part{file}}}
	s := begin(t, p).s
	if !p.CanDelegate(s, call, "dev") || p.CanDelegate(s, call, "maker") {
		t.Errorf("dev %v, maker %v", p.CanDelegate(s, call, "dev"), p.CanDelegate(s, call, "maker"))
	}
	if call.Tool.Parts = nil; p.CanDelegate(s, call, "dev") {
		t.Error("a call that does nothing known")
	}
}
