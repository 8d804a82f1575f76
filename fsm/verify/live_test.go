package verify_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/diagram"
	"github.com/agent-pipeline/pipeline/fsm/verify"
)

// TestThereIsAlwaysAMove: under every policy that passes, whatever happens to a session and in whatever order we hear
// of it, the main agent has a legal move, where the session stands can be told, and a person's reset begins again.
func TestThereIsAlwaysAMove(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 14))
	passed, events := 0, 0
	for range policies / 2 {
		p := drawn(r)
		restricted(r, p, true)
		if found := verify.Verify(p, nil); !verify.Passes(found) || len(of(found, "no-legal-move")) > 0 {
			continue
		}
		passed++
		for range 2 {
			events += live(t, p, r)
		}
	}
	if passed < policies/10 {
		t.Errorf("only %d of %d policies pass", passed, policies/2)
	}
	t.Logf("%d of %d policies pass; %d events", passed, policies/2, events)
}

// live plays one session, and holds it to the promise after each event.
func live(t *testing.T, p *fsm.Policy, r *rand.Rand) int {
	t.Helper()
	l := &life{p: p, r: r}
	l.hear(fsm.Event{Kind: fsm.SessionStart, Source: "startup"})
	for range 12 {
		l.mischief(l.happens())
		for _, e := range l.due() {
			if l.hear(e); !l.canMove(l.s) {
				t.Fatalf("no legal move in %s after\n%q\n%s", l.s.Machine.State, l.history, drawing(t, p))
			}
		}
		l.promises(t)
	}
	return l.heard
}

// A life is a session as it really goes on, and as we hear of it.
type life struct {
	p       *fsm.Policy
	r       *rand.Rand
	s       fsm.Session
	texts   map[string]string
	queue   []fsm.Event // happened, not yet heard
	running []string
	ids     int
	heard   int
	history []string
}

// happens is the next thing that happens, as events in their right order.
func (l *life) happens() []fsm.Event {
	switch l.r.IntN(8) {
	case 0:
		return []fsm.Event{{Kind: fsm.Prompt, Text: "go on"}}
	case 1:
		return []fsm.Event{{Kind: fsm.TurnStop, Tasks: &fsm.Background{IDs: l.running}}}
	case 2:
		return []fsm.Event{{Kind: fsm.SessionStart, Source: []string{"resume", "clear", "compact"}[l.r.IntN(3)]},
			{Kind: fsm.Compacted}}
	case 3:
		return []fsm.Event{{Kind: fsm.TurnFailure, Text: "API Error"}, {Kind: fsm.SessionEnd, Source: "other"}}
	}
	return l.agent()
}

// agent is the life of an agent: of the main agent's or of another's, which comes back, comes back with nothing, fails,
// is refused by the host, or is sent into the background and told of later.
func (l *life) agent() []fsm.Event {
	l.ids++
	id, agent := fmt.Sprint("a", l.ids), everybody()[l.r.IntN(5)]
	who, tool := fsm.Agent{ID: id, Type: agent}, start(agent, "use-"+id)
	var by fsm.Agent
	if l.ids > 1 && l.r.IntN(4) == 0 {
		by = fsm.Agent{ID: fmt.Sprint("a", l.ids-1), Type: agent}
	}
	text := []string{"done", "yes", "no", "", "API Error"}[l.r.IntN(5)]
	result := tool
	result.Result = fsm.Result{AgentID: id, Done: true}
	asked, starts := fsm.Event{Kind: fsm.ToolRequest, Agent: by, Tool: tool},
		fsm.Event{Kind: fsm.AgentStart, Agent: who}
	stops := fsm.Event{Kind: fsm.AgentStop, Agent: who, Text: text}
	switch l.r.IntN(6) {
	case 0:
		return []fsm.Event{asked, {Kind: fsm.ToolFailure, Agent: by, Tool: tool}}
	case 1:
		return []fsm.Event{asked, starts, {Kind: fsm.AgentFailure, Agent: who, Text: "API Error"},
			{Kind: fsm.ToolFailure, Agent: by, Tool: tool}}
	case 2:
		launched := result
		launched.Result.Done = false
		status := []string{"completed", "failed", "killed"}[l.r.IntN(3)]
		return []fsm.Event{asked, {Kind: fsm.ToolResult, Agent: by, Tool: launched}, starts, stops,
			{Kind: fsm.Prompt, Origin: fsm.Notification, Notice: fsm.Notice{Task: id, Status: status}}}
	case 3:
		l.running = append(l.running, id)
		return []fsm.Event{asked, starts}
	}
	return []fsm.Event{asked, starts, stops, {Kind: fsm.ToolResult, Agent: by, Tool: result}}
}

// mischief is how events come to be heard: lost, twice, in another order, late.
func (l *life) mischief(events []fsm.Event) {
	for _, e := range events {
		switch l.r.IntN(10) {
		case 0: // lost
		case 1:
			l.queue = append(l.queue, e, e)
		case 2:
			l.queue = slices.Insert(l.queue, l.r.IntN(len(l.queue)+1), e)
		default:
			l.queue = append(l.queue, e)
		}
	}
}

// due are the events that are heard now; the others are heard later.
func (l *life) due() []fsm.Event {
	n := len(l.queue) - l.r.IntN(min(len(l.queue), 3)+1)
	now := slices.Clone(l.queue[:n])
	l.queue = slices.Delete(l.queue, 0, n)
	return now
}

func (l *life) hear(e fsm.Event) {
	e.Session = "s"
	if l.p.IsNeeded(fsm.NeedCaptured, l.s, e) && l.r.IntN(4) > 0 { // sometimes the text is gone
		e.Facts.Captured = l.captured()
	}
	after, d := l.p.Step(l.s, e)
	for _, x := range d.Texts {
		if l.texts == nil {
			l.texts = map[string]string{}
		}
		l.texts[x.Ref.Hash] = x.Text
	}
	l.s, l.heard = after, l.heard+1
	l.history = append(l.history, fmt.Sprintf("%s %s %s → %s", e.Kind, e.Agent.Type, d.Verdict, after.Machine.State))
}

func (l *life) captured() map[string]string {
	out := map[string]string{}
	for _, r := range l.s.Agents.Runs {
		if r.Final != nil {
			out[r.ID] = l.texts[r.Final.Hash]
		}
	}
	return out
}

// promises: a session that can be told, and a reset after which there is a legal move again.
func (l *life) promises(t *testing.T) {
	t.Helper()
	l.told(t, l.s)
	after, d := l.p.Step(l.s, fsm.Event{Kind: fsm.Reset, Session: "s", Text: "a person says so"})
	if after.Machine.State != l.p.Initial || len(d.Moves) != 1 || !l.canMove(after) {
		t.Fatalf("a reset leads to %q, moves %+v\n%q\n%s", after.Machine.State, d.Moves, l.history, drawing(t, l.p))
	}
	for _, st := range l.p.States {
		if to, _ := l.p.Step(l.s, fsm.Event{Kind: fsm.Reset, Session: "s",
			Source: st.Name}); to.Machine.State != st.Name {
			t.Fatalf("a reset to %s leads to %s", st.Name, to.Machine.State)
		}
	}
}

// canMove: somebody may start; where the state names none, ending the turn is the move.
func (l *life) canMove(s fsm.Session) bool {
	in := l.p.FindState(s.Machine.State)
	if in.Name != "" && len(in.Triggers) == 0 {
		after, d := l.p.Step(s, fsm.Event{Kind: fsm.TurnStop, Session: "s"})
		return d.Verdict == fsm.Pass && after.Machine.State != ""
	}
	return in.Name != "" && slices.ContainsFunc(everybody(), func(agent string) bool {
		_, d := l.p.Step(s, fsm.Event{Kind: fsm.ToolRequest, Session: "s", Tool: start(agent, "next")})
		return d.Verdict < fsm.Deny
	})
}

// told: what status shows can be made of the session as it is kept.
func (l *life) told(t *testing.T, s fsm.Session) {
	t.Helper()
	body, err := json.Marshal(s)
	var back fsm.Session
	if err == nil {
		err = json.Unmarshal(body, &back)
	}
	if err != nil || back.Machine.State != s.Machine.State || len(back.RunningAgents()) != len(s.RunningAgents()) {
		t.Fatalf("%v: %s reads as %s", err, body, back.Machine.State)
	}
	if in := l.p.FindState(s.Machine.State); len(in.Triggers) > 0 && len(l.p.NewTable().Next(s.Machine.State)) == 0 {
		t.Fatalf("nothing is next in %s", s.Machine.State)
	}
	if _, err := diagram.Draw(l.p, s.Machine.State, "text"); err != nil {
		t.Fatal(err)
	}
}
