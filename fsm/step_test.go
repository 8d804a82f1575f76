package fsm_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
)

// resumed is a session that its client starts again.
func (pl *play) resumed(source string) *play {
	pl.Helper()
	return pl.do(fsm.Event{Kind: fsm.SessionStart, Source: source})
}

func (pl *play) silent(about string) *play {
	pl.Helper()
	if strings.Contains(strings.Join(pl.d.Notes, "\n"), about) {
		pl.Fatalf("noted %q", pl.d.Notes)
	}
	return pl
}

// TestCompactionAnnounces: what the main agent is told again after a compaction, it is not told once more.
func TestCompactionAnnounces(t *testing.T) {
	p := &fsm.Policy{Level: fsm.Strict, Initial: "A", States: []fsm.State{
		{Name: "A", Triggers: []fsm.Trigger{{Name: "lead", Agents: []string{"lead"}, To: "B"}}},
		{Name: "B", Inject: "The rules of B."}}}
	pl := begin(t, p).asks(main(), "lead", "1").starts("x", "lead").stops("x", "lead", "done").in("B")
	pl.do(fsm.Event{Kind: fsm.Compacted}).told("The rules of B.")
	pl.used("Read").told("")
}

// TestForkIsItsOwn: a fork has its parent's state and its own name, policy and budgets; once it has moved it has no
// parent.
func TestForkIsItsOwn(t *testing.T) {
	parent := defaults(t).runs("g", "context-gatherer", "found")
	parent.s.Agents.Runs[0].ID, parent.s.Policy = "x", "old"
	parent.s.Budgets.Uses = []fsm.Budget{{Rule: "few", Used: 1}, {Rule: "few", Agent: "x", Used: 1}}
	e := fsm.Event{Kind: fsm.SessionStart, Source: "fork", Session: "s2",
		Facts: fsm.Facts{Parent: &parent.s, Captured: map[string]string{"gathered": "found", "x": "its own"}}}
	s, d := parent.p.Step(fsm.Session{}, e)
	if d.ForkedFrom != "s1" || s.ID != "s2" || s.Policy != parent.p.Fingerprint || len(s.Agents.Runs) > 0 ||
		s.Machine.State != "GATHERING" {
		t.Errorf("from %q: %+v", d.ForkedFrom, s)
	}
	if len(s.Budgets.Uses) != 1 || s.Budgets.Uses[0].Agent != "" || len(d.Texts) != 1 || d.Texts[0].Text != "found" {
		t.Errorf("%+v, %+v", s.Budgets.Uses, d.Texts)
	}
	moved := defaults(t).runs("g", "context-gatherer", "found").runs("r", "context-refiner", "refined").s
	if s, d := parent.p.Step(moved, e); s.Machine.State != "REFINING" || d.ForkedFrom != "" {
		t.Errorf("a session that has moved: in %s, forked from %q", s.Machine.State, d.ForkedFrom)
	}
	gone := parent.s
	gone.Machine.State = "GONE"
	e.Facts.Parent = &gone
	if s, d := parent.p.Step(fsm.Session{}, e); s.Machine.State != "IDLE" ||
		!strings.Contains(strings.Join(d.Notes, " "), "whose state GONE") {
		t.Errorf("a state that is gone: in %s; %q", s.Machine.State, d.Notes)
	}
	e.Facts.Parent = &fsm.Session{ID: "s1", Tasks: fsm.Tasks{Open: []fsm.OpenTask{{ID: "1"}}}}
	if s, _ := free().Step(fsm.Session{}, e); len(s.Tasks.Open) != 1 {
		t.Errorf("without states: %+v", s)
	}
}

// TestStartsAgain: what a start ends, and what it says again.
func TestStartsAgain(t *testing.T) {
	pl := defaults(t).silent("under way").resumed("resume")
	if strings.Contains(pl.d.Inject, "is in state") {
		t.Errorf("a session that has not moved is told %q", pl.d.Inject)
	}
	moved := defaults(t).runs("g", "context-gatherer", "found")
	if moved.resumed("startup"); strings.Contains(moved.d.Inject, "is in state") {
		t.Errorf("one that is not resumed is told %q", moved.d.Inject)
	}
	moved.resumed("resume").told("is in state GATHERING")

	late := &play{TB: t, p: states(t), texts: map[string]string{}}
	late.says("go").noted("under way before pipeline saw it").says("on").silent("under way")

	begin(t, holding(3, "plan")).approved("Words.").resumed("resume").ends().over()
	begin(t, from(fsm.FromAgent)).do(fsm.Event{Kind: fsm.SessionStart, Source: "startup",
		Facts: fsm.Facts{Graph: plan}}).marks("")

	ended := defaults(t).asks(main(), "context-gatherer", "1").do(fsm.Event{Kind: fsm.SessionEnd})
	if len(ended.pending()) > 0 {
		t.Errorf("%+v", ended.pending())
	}
}

// TestOffIsNoted once, and not of a session that was never seen.
func TestOffIsNoted(t *testing.T) {
	p := *states(t)
	p.Level = fsm.Off
	pl := &play{TB: t, p: &p, texts: map[string]string{}}
	if pl.says("go").silent("nothing is tracked"); pl.s.ID != "" || pl.s.Machine.Off {
		t.Errorf("%+v", pl.s)
	}
	p.Level = fsm.Strict
	pl.says("go")
	p.Level = fsm.Off
	pl.says("go").noted("nothing is tracked").says("go").silent("nothing is tracked")
}

// TestUnseenAgents: what is said of an agent that was never seen is noted, and changes nothing.
func TestUnseenAgents(t *testing.T) {
	pl := defaults(t).do(fsm.Event{Kind: fsm.AgentFailure, Agent: sub("ghost", "dev")}).noted("never seen to start")
	pl.do(fsm.Event{Kind: fsm.Compacted, Agent: sub("ghost", "dev")}).told("")
	pl.do(fsm.Event{Kind: fsm.TurnFailure, Text: "overloaded",
		Notes: []string{"by the host"}}).noted("turn failed: overloaded").noted("by the host")
	quarantined := defaults(t).starts("z", "bash-developer").do(fsm.Event{Kind: fsm.Compacted,
		Agent: sub("z", "bash-developer")})
	quarantined.told("")
	begin(t, free()).do(fsm.Event{Kind: fsm.Compacted}).told("")
}

// TestTamperedSettings: a change of the settings that would take our hooks away is refused, and no other.
func TestTamperedSettings(t *testing.T) {
	change := fsm.Event{Kind: fsm.ConfigChange, Facts: fsm.Facts{Tampered: "our hooks are gone"}}
	pl := defaults(t).do(change).denied("our hooks are gone")
	if pl.d.Rule != fsm.RuleProtect || pl.d.StrictVerdict != fsm.Deny {
		t.Errorf("%+v", pl.d)
	}
	if pl.do(fsm.Event{Kind: fsm.ConfigChange}); pl.d.Verdict != fsm.Pass || pl.d.Rule != "" {
		t.Errorf("%+v", pl.d)
	}
}

// TestResetForgets what the turn and its calls have left, and is recorded.
func TestResetForgets(t *testing.T) {
	pl := defaults(t).runs("g", "context-gatherer", "found")
	pl.s.Talk.Notices, pl.s.Tasks.Planned, pl.s.Turn.Held, pl.s.Turn.Edited = []fsm.PendingNotice{{Why: "x"}}, true, 2,
		[]string{"/a"}
	pl.do(fsm.Event{Kind: fsm.Reset})
	if turn := pl.s.Turn; len(pl.s.Talk.Notices) > 0 || pl.s.Tasks.Planned || turn.Held != 0 || len(turn.Edited) > 0 ||
		turn.EditedMore {
		t.Errorf("%+v %+v %+v", pl.s.Talk, pl.s.Tasks, pl.s.Turn)
	}
	if want := (fsm.Move{Trigger: "reset", From: "GATHERING", To: "IDLE"}); len(pl.d.Moves) != 1 ||
		pl.d.Moves[0] != want || pl.s.Machine.Moves != 2 {
		t.Errorf("%+v, %d moves", pl.d.Moves, pl.s.Machine.Moves)
	}
	if pl := begin(t, free()).do(fsm.Event{Kind: fsm.Reset}).noted("are forgotten"); len(pl.d.Moves) > 0 {
		t.Errorf("without states: %+v", pl.d.Moves)
	}
}

// TestRefusedOnce: what is refused for one reason is not refused for others too, and schedules nothing.
func TestRefusedOnce(t *testing.T) {
	pl := defaults(t).starts("z", "bash-developer").uses(sub("z", "bash-developer"), "Write").denied("may use no tool")
	if len(pl.d.Objections) != 1 {
		t.Errorf("%+v", pl.d.Objections)
	}
	soft := *states(t)
	soft.Level, soft.Subagents = fsm.Guidance, fsm.Rules{List: []fsm.Rule{{Name: "no-writing", Tools: []string{"Write"},
		Verdict: fsm.Deny}}}
	if pl := begin(t, &soft).starts("z", "bash-developer").uses(sub("z", "bash-developer"),
		"Write"); len(pl.d.Objections) != 2 {
		t.Errorf("below strict the rules are asked too: %+v", pl.d.Objections)
	}
	p := free()
	p.Main.List = []fsm.Rule{{Name: "no-cron", Tools: []string{"CronCreate"}, Verdict: fsm.Deny}}
	cron := fsm.Tool{Name: "CronCreate", UseID: "c", Prompt: "go on", Parts: []fsm.Part{{Tool: "CronCreate"}}}
	if pl := begin(t, p).do(fsm.Event{Kind: fsm.ToolRequest, Tool: cron}).denied("no-cron"); pl.s.IsScheduled("go on") {
		t.Error("a refused call has scheduled a prompt")
	}
	full := begin(t, free())
	for i := range 256 {
		full.s.Turn.Scheduled = append(full.s.Turn.Scheduled, fmt.Sprint(i))
	}
	full.uses(main(), "Read").passes()
}

// TestObserved: at the level observe the record says which rule objects.
func TestObserved(t *testing.T) {
	begin(t, noWriting(fsm.Observe)).uses(main(), "Write").passes().would(fsm.Deny, "no-writing")
}

// TestLockedForWhom: an organisation's rules for subagents bind them, and those for the main agent bind it.
func TestLockedForWhom(t *testing.T) {
	p := locked(fsm.Strict)
	p.Ceiling.Subagents = fsm.Rules{List: []fsm.Rule{{Name: "locked/no-reading", Tools: []string{"Read"},
		Verdict: fsm.Deny}}}
	pl := begin(t, p).asks(main(), "dev", "1").starts("a", "dev")
	pl.uses(sub("a", "dev"), "Read").denied("").would(fsm.Deny, "locked/no-reading").uses(sub("a", "dev"),
		"WebFetch").passes()
	pl.uses(main(), "Read").passes().uses(main(), "WebFetch").denied("").would(fsm.Deny, "locked/no-web")
}

// TestStuckIsSaidOnce: at the fifth refusal of the same call the person hears one thing of it.
func TestStuckIsSaidOnce(t *testing.T) {
	pl := begin(t, noWriting(fsm.Strict))
	for i := range 10 {
		pl.does(fmt.Sprint(i), file("Write", "/a")).denied("no-writing")
		if want := map[int]int{0: 1, 4: 1, 9: 1}[i]; len(pl.d.Notices) != want {
			t.Errorf("refusal %d: the person hears %q", i+1, pl.d.Notices)
		}
	}
}
