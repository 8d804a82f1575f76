package verify_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/verify"
)

// TestAlive is TestThereIsAlwaysAMove for policies that also bind turns, tasks and final messages, while persons set
// levels and lift things: from everywhere there is a legal move, if only to end the turn; holds end; a graph of tasks
// locks no state; what is refused has a reason; and where the session stands can be told, and reset.
func TestAlive(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(27, 18))
	seen := map[string]int{}
	for range policies / 2 {
		p := drawn(r)
		if r.IntN(4) == 0 {
			restricted(r, p, true)
		}
		bound(r, p)
		found := slices.DeleteFunc(verify.Verify(p, nil), func(f verify.Finding) bool {
			return f.Check == "dead-move" || strings.Contains(f.Text, "holds no turn") // which stops no agent
		})
		if !verify.Passes(found) || len(of(found, "no-legal-move")) > 0 {
			continue
		}
		seen["policies"]++
		b := &bounded{life: life{p: p, r: r}, stays: named(found, "person-only", verify.Note), seen: seen}
		b.live(t)
	}
	t.Log(seen)
	for _, what := range []string{"policies", "turn held", "agent held", "refused by tasks", "refused by limits",
		"graph in force", "left in spite of a graph", "lifted", "freed by the end of the turn"} {
		if seen[what] < 40 {
			t.Errorf("%s: only %d times", what, seen[what])
		}
	}
}

func (b *bounded) live(t *testing.T) {
	t.Helper()
	b.hear(t, fsm.Event{Kind: fsm.SessionStart, Source: "startup"})
	for range 25 {
		b.person()
		b.mischief(b.does())
		for _, e := range b.due() {
			b.hear(t, e)
			b.mayGoOn(t)
		}
		b.promises(t)
	}
	b.leads(t)
}

// hear gives an event its facts, and goes after those that are held back.
func (b *bounded) hear(t *testing.T, e fsm.Event) {
	t.Helper()
	if e.Kind == fsm.TurnStop {
		e.Held = b.held
	}
	s, d := b.step(b.s, e)
	b.s, b.heard = s, b.heard+1
	b.history = append(b.history, fmt.Sprintf("%s %s %q %s %s %v → %s", e.Kind, e.Agent.Type, e.Text, d.Level,
		d.Verdict, d.Notes, s.Machine.State))
	b.notice(e, d)
	switch {
	case d.Verdict == fsm.Deny && d.Reason == "", d.Hold && d.Reason == "":
		t.Fatalf("no reason\n%s", b.story(t))
	case s.Machine.State == "" && d.Level != fsm.Off && s.ID != "":
		t.Fatalf("no state\n%s", b.story(t))
	case d.Hold && e.Kind == fsm.AgentStop:
		b.letGo(t, e)
		if b.r.IntN(4) > 0 { // it comes back once more, or is never heard of again
			b.queue = append(b.queue, e)
		}
	}
}

// letGo: an agent that comes back with the same again and again is let go at some time.
func (b *bounded) letGo(t *testing.T, e fsm.Event) {
	t.Helper()
	s := b.s
	for range 7 {
		after, d := b.step(s, e)
		if s = after; !d.Hold {
			return
		}
	}
	t.Fatalf("agent %s is sent back forever\n%s", e.Agent.ID, b.story(t))
}

func (b *bounded) notice(e fsm.Event, d fsm.Decision) {
	count := func(what string, is bool) {
		if is {
			b.seen[what]++
		}
	}
	b.held = d.Hold && e.Kind == fsm.TurnStop
	count("turn held", b.held)
	count("agent held", d.Hold && e.Kind == fsm.AgentStop)
	count("refused by "+d.Rule, d.Verdict == fsm.Deny)
	count("lifted", d.Rule == fsm.RuleBypass)
	count("graph in force", b.s.Tasks.Progress != nil)
}

// starts lists who may start now.
func (b *bounded) starts(s fsm.Session) (out []string) {
	for _, agent := range everybody() {
		_, d := b.step(s, fsm.Event{Kind: fsm.ToolRequest, Tool: start(agent, "next")})
		switch {
		case d.Verdict < fsm.Deny:
			out = append(out, agent)
		case d.Rule == fsm.RuleTasks:
			b.seen["refused by tasks"]++
		}
	}
	return out
}

// refusals are the reasons why no agent may start.
func (b *bounded) refusals(s fsm.Session) (out []string) {
	for _, agent := range everybody() {
		_, d := b.step(s, fsm.Event{Kind: fsm.ToolRequest, Tool: start(agent, "next")})
		out = append(out, d.Rule+": "+d.Reason)
	}
	return out
}

// mayGoOn: somebody may start; or the turn can be ended, perhaps after it was held so often, and then somebody may.
func (b *bounded) mayGoOn(t *testing.T) {
	t.Helper()
	in := b.p.FindState(b.s.Machine.State)
	now := b.starts(b.s)
	if len(in.Triggers) > 0 && len(now) > 0 {
		return
	}
	s, held := b.s, false
	for n := 0; ; n++ {
		after, d := b.step(s, fsm.Event{Kind: fsm.TurnStop, Tasks: &fsm.Background{}, Held: held})
		s, held = after, d.Hold
		if !held {
			break
		}
		if n > b.p.Hold.Tries {
			t.Fatalf("the turn is held %d times in a row\n%s", n, b.story(t))
		}
	}
	if in = b.p.FindState(s.Machine.State); len(in.Triggers) > 0 && len(b.starts(s)) == 0 {
		t.Fatalf("no agent may start in %s, nor after the end of the turn in %s: %q\n%s", b.s.Machine.State,
			s.Machine.State, b.refusals(s), b.story(t))
	}
	b.seen["freed by the end of the turn"]++
}

// leads: with all orders gone, gates that succeed and agents that do their work, the pipeline still leaves every state
// that it may leave at all, a graph in force or not.
func (b *bounded) leads(t *testing.T) {
	t.Helper()
	b.orders, b.gates = fsm.Overrides{}, true
	s := b.finished(b.s)
	if len(b.p.Main.List) > 0 || slices.Contains(b.stays, s.Machine.State) || b.s.Machine.State == "" {
		return // rules that count may have it depend on the way
	}
	todo, known := []fsm.Session{s}, map[string]bool{}
	for n := 0; n < len(todo); n++ {
		if todo[n].Machine.State != s.Machine.State {
			if s.Tasks.Progress != nil {
				b.seen["left in spite of a graph"]++
			}
			return
		}
		for _, next := range b.works(todo[n]) {
			key := fmt.Sprint(next.Machine.State, next.Machine.Worked)
			if next.Tasks.Progress != nil {
				key += next.Tasks.Progress.Marks + next.Tasks.Progress.Graph
			}
			if !known[key] {
				known[key] = true
				todo = append(todo, next)
			}
		}
	}
	t.Fatalf("%s cannot be left any more\n%s\nnow %+v of %s", s.Machine.State, b.story(t), s.Tasks.Progress,
		b.texts[s.Machine.Captures["tasks"].Hash])
}

// finished is a session whose turn has ended, held or not.
func (b *bounded) finished(s fsm.Session) fsm.Session {
	for n := range 10 {
		after, d := b.step(s, fsm.Event{Kind: fsm.TurnStop, Tasks: &fsm.Background{}, Held: n > 0})
		if s = after; !d.Hold {
			break
		}
	}
	return s
}

// works plays everybody who may start, with each message that leads on, and the end of the turn.
func (b *bounded) works(s fsm.Session) (out []fsm.Session) {
	for _, agent := range b.starts(s) {
		for _, text := range []string{"done", "yes", "no"} {
			b.ids++
			who, tool := fsm.Agent{ID: fmt.Sprint("a", b.ids), Type: agent}, start(agent, fmt.Sprint("use-", b.ids))
			next := s
			next, _ = b.step(next, fsm.Event{Kind: fsm.ToolRequest, Tool: tool})
			next, _ = b.step(next, fsm.Event{Kind: fsm.AgentStart, Agent: who})
			next, _ = b.step(next, fsm.Event{Kind: fsm.AgentStop, Agent: who, Text: text})
			tool.Result = fsm.Result{AgentID: who.ID, Done: true}
			next, _ = b.step(next, fsm.Event{Kind: fsm.ToolResult, Tool: tool})
			out = append(out, next, b.finished(next))
		}
	}
	return out
}

// promises: a session that can be told, and a reset after which there is a legal move.
func (b *bounded) promises(t *testing.T) {
	t.Helper()
	b.told(t, b.s)
	after, d := b.step(b.s, fsm.Event{Kind: fsm.Reset, Text: "a person says so"})
	if d.Level == fsm.Off {
		return // nothing is tracked
	}
	if after.Machine.State != b.p.Initial || len(d.Moves) != 1 || after.Tasks.Progress != nil {
		t.Fatalf("a reset leads to %q, moves %+v\n%s", after.Machine.State, d.Moves, b.story(t))
	}
	if in := b.p.FindState(after.Machine.State); len(in.Triggers) > 0 && len(b.starts(b.finished(after))) == 0 {
		t.Fatalf("no agent may start after a reset\n%s", b.story(t))
	}
}

func (b *bounded) story(t *testing.T) string {
	last := b.history[max(0, len(b.history)-12):]
	return strings.Join(last, "\n") + "\n" + drawing(t, b.p) + fmt.Sprintf("\n%+v %+v %+v\nagents %+v", b.p.Limits,
		b.p.Hold, b.p.Tasks, b.s.Agents.Runs)
}
