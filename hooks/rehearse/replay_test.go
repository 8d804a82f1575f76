package rehearse_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/rehearse"
)

// next puts one record after another before a policy. No earlier policy is kept, unless p finds one.
func next(p *rehearse.Replay, prev, r journal.Record) rehearse.Outcome {
	if p.Older == nil {
		p.Older = func(string) (*fsm.Policy, error) { return nil, errors.New("gone") }
	}
	p.Next(prev)
	o, _ := p.Next(r)
	return o
}

func before() journal.Record {
	return journal.Record{Event: fsm.Event{Kind: "session-start"}, Seq: 1, Hash: "h1", Policy: "old",
		State: fsm.Session{ID: "s1", Machine: fsm.Machine{State: "A", Visit: 1}, Talk: fsm.Talk{AnnouncedVisit: 0},
			Policy: "old"}}
}

func request(tool string) journal.Record {
	return journal.Record{Event: fsm.Event{Kind: "tool-request",
		Tool: fsm.Tool{Name: tool, UseID: "u1", Parts: []fsm.Part{{Tool: tool}}}},
		Seq: 2, Prev: "h1", Policy: "old", State: fsm.Session{ID: "s1", Machine: fsm.Machine{State: "A"}}}
}

// TestDoubledCountsOnce: a call that two registrations have reported is one.
func TestDoubledCountsOnce(t *testing.T) {
	p := &rehearse.Replay{Policy: &fsm.Policy{Level: fsm.Strict, Fingerprint: "old", States: []fsm.State{{Name: "A"}},
		Initial: "A"}}
	tally, prev := rehearse.NewTally(), before()
	p.Next(prev)
	for i, use := range []string{"a", "a", "b"} {
		r := request("Grep")
		r.Repeated = i == 1
		r.Event.Tool.UseID, r.Prev, r.Hash, r.Seq = use, prev.Hash, "h"+use+string(rune('0'+i)), prev.Seq+1
		o, _ := p.Next(r)
		tally.Add(o)
		prev = r
	}
	if tally.Calls != 2 || tally.Doubled != 1 || tally.Judged != 2 || tally.Events != 3 {
		t.Errorf("%+v", tally)
	}
}

// What a record lacks is told, and nothing is guessed.
func TestNotReplayable(t *testing.T) {
	long := strings.Repeat("x ", 200)
	stop := func(agent, text string, length int) journal.Record {
		return journal.Record{Seq: 2, Event: fsm.Event{Kind: "agent-stop", Agent: fsm.Agent{ID: "a1", Type: agent},
			Text: text},
			TextLength: length, Prev: "h1", Policy: "old", State: fsm.Session{ID: "s1",
				Machine: fsm.Machine{State: "A"}}}
	}
	for name, c := range map[string]struct {
		with func(prev, r *journal.Record)
		r    journal.Record
		want string
	}{
		"whole":       {nil, request("Read"), ""},
		"cut":         {func(_, r *journal.Record) { r.Cut = true }, request("Read"), rehearse.WhyCut},
		"input: none": {func(_, r *journal.Record) { r.Event.Tool.Parts = nil }, request("Read"), rehearse.WhyNone},
		"a gap":       {func(_, r *journal.Record) { r.Prev = "other" }, request("Read"), rehearse.WhyGap},
		"recovered":   {func(_, r *journal.Record) { r.Recovered = true }, request("Read"), rehearse.WhyGap},
		"words are no protocol": {func(_, r *journal.Record) {
			r.Notes = []string{"the journal has no good record",
				"forked from s0"}
		}, request("Read"), ""},
		"a state of others": {func(p, _ *journal.Record) { p.State.Machine.State = "GONE" }, request("Read"),
			rehearse.WhyState},
		"without states": {func(p, _ *journal.Record) { p.State.Machine.State = "" }, request("Read"),
			rehearse.WhyState},
		"forked": {func(_, r *journal.Record) {
			r.Event.Kind, r.ForkedFrom = "session-start",
				"s0"
		}, request(""), rehearse.WhyFork},
		"inputs not asked":                {nil, request("Agent"), rehearse.WhyAsked},
		"inputs not asked, but of no use": {nil, request("Grep"), ""},
		"env not asked":                   {nil, request("Write"), rehearse.WhyAsked},
		"waiting, text gone": {func(p, _ *journal.Record) {
			p.State.Agents.Runs = []fsm.Run{{ID: "a1", Type: "gatherer", Status: fsm.Waiting,
				Final: &fsm.Ref{Hash: "x"}}}
		}, request("Read"), rehearse.WhyCapture},
		"long, only fails": {nil, stop("gatherer", long, 5000), rehearse.WhyText},
		"long, says":       {nil, stop("refiner", long, 5000), rehearse.WhyText},
		"a secret":         {nil, stop("gatherer", "token=[secret]", 30), rehearse.WhyText},
		"blank so far":     {nil, stop("gatherer", strings.Repeat(" ", 400), 500), rehearse.WhyText},
		"a dispute":        {func(_, r *journal.Record) { r.Event.Kind = "dispute" }, request(""), ""},
	} {
		prev, r := before(), c.r
		if c.with != nil {
			c.with(&prev, &r)
		}
		if o := next(&rehearse.Replay{Policy: policy(fsm.Strict)}, prev, r); o.Skipped != c.want {
			t.Errorf("%s: %q, expected %q", name, o.Skipped, c.want)
		}
	}
}

// TestLockedRuleIsNotReplayable: a locked rule that asks for what was not recorded counts as
// one of the project's does.
func TestLockedRuleIsNotReplayable(t *testing.T) {
	p := policy(fsm.Strict)
	p.Main = fsm.Rules{}
	p.Ceiling.Main.List = []fsm.Rule{{Name: fsm.LockedPrefix + "ci", Verdict: fsm.Deny, Tools: []string{"Read"},
		Env: []fsm.Input{{Name: "CI", Value: "*"}}, Level: fsm.Strict, Levelled: true}}
	for tool, want := range map[string]string{"Read": rehearse.WhyAsked, "Grep": ""} {
		if o := next(&rehearse.Replay{Policy: p}, before(), request(tool)); o.Skipped != want {
			t.Errorf("%s: %q, expected %q", tool, o.Skipped, want)
		}
	}
}

// What the policy of then had asked for and was not there was not set. That policy is read once for all its records.
func TestKnownToBeUnset(t *testing.T) {
	var asked []string
	p := &rehearse.Replay{Policy: policy(fsm.Strict), Older: func(fingerprint string) (*fsm.Policy, error) {
		asked = append(asked, fingerprint)
		return policy(fsm.Observe), nil
	}}
	for _, by := range []string{"old", "old", "older"} {
		r := request("Write")
		r.Policy = by
		if o := next(p, before(), r); o.Skipped != "" || o.Decision.Verdict != fsm.Deny {
			t.Errorf("%q %+v", o.Skipped, o.Decision)
		}
	}
	if !slices.Equal(asked, []string{"old", "older"}) {
		t.Errorf("asked for %q", asked)
	}
}

// Another policy decides otherwise, and a session follows it only when it is asked to.
func TestAnotherPolicy(t *testing.T) {
	mild := policy(fsm.Strict)
	mild.Main = fsm.Rules{}
	mild.Fingerprint = "mild"
	r := request("Grep")
	r.Verdict, r.Rule = "deny", "often"
	o := next(&rehearse.Replay{Policy: mild}, before(), r)
	tally := rehearse.NewTally()
	tally.Add(o)
	if o.IsSame() || tally.Differ != 1 || tally.Rules[0].Rule != "often" || tally.Rules[0].Was != "deny" ||
		tally.Rules[0].Would != "pass" {
		t.Errorf("%+v %+v", o.Decision, tally)
	}
	mild.States, mild.Initial = nil, ""
	prev, of := before(), request("Grep")
	prev.State.Agents.Runs = []fsm.Run{{ID: "a1", Type: "stranger", Quarantined: "A", Status: fsm.Running}}
	of.Event.Agent.ID, of.Event.Agent.Type = "a1", "stranger"
	if o := next(&rehearse.Replay{Policy: mild}, prev, of); o.Skipped != "" || o.Decision.Verdict != fsm.Pass {
		t.Errorf("%q %+v", o.Skipped, o.Decision)
	}
	if prev.State.Agents.Runs[0].Quarantined == "" {
		t.Error("the record was changed")
	}
	cut := request("Read")
	cut.Cut = true
	if o := next(&rehearse.Replay{Policy: policy(fsm.Strict)}, before(), cut); o.Skipped == "" {
		t.Error("it was replayed")
	}
}

// What a gate's command came to is a fact of the record: the move that it let through
// is made again, the other is not.
func TestGateIsReplayed(t *testing.T) {
	p := &fsm.Policy{Level: fsm.Strict, Initial: "A", Fingerprint: "old", States: []fsm.State{
		{Name: "A", Triggers: []fsm.Trigger{{Name: "dev", Agents: []string{"dev"}, To: "B",
			Gate: &fsm.Gate{Run: "make", Tries: 1}}}},
		{Name: "B", Triggers: []fsm.Trigger{{Name: "dev", Agents: []string{"dev"}, To: "B"}}}}}
	for ok, moved := range map[bool]int{true: 1, false: 0} {
		prev := before()
		prev.State.Agents.Runs = []fsm.Run{{ID: "a1", Type: "dev", Status: fsm.Running, Visit: 1}}
		r := journal.Record{Event: fsm.Event{Kind: "agent-stop", Text: "done", Agent: fsm.Agent{ID: "a1", Type: "dev"},
			Facts: fsm.Facts{Gate: &fsm.GateResult{Key: "A/1/dev", OK: ok}}},
			Seq: 2, Prev: "h1", Policy: "old", State: fsm.Session{ID: "s1", Machine: fsm.Machine{State: "A"}},
			TextLength: 4}
		if o := next(&rehearse.Replay{Policy: p}, prev, r); o.Skipped != "" || len(o.Decision.Moves) != moved {
			t.Errorf("gate passed %v: skipped %q, moves %+v, notes %q", ok, o.Skipped, o.Decision.Moves,
				o.Decision.Notes)
		}
	}
}

// TestCutTextOfOtherType: the patterns of the type by which the session knows an agent
// count too, when its recorded message was cut.
func TestCutTextOfOtherType(t *testing.T) {
	p := &fsm.Policy{Level: fsm.Strict, Fingerprint: "old", Initial: "A", States: []fsm.State{{Name: "A",
		Triggers: []fsm.Trigger{{Name: "dev", Agents: []string{"dev"}, Says: "PLAN", To: "A"}}}}}
	prev := before()
	prev.State.Agents.Runs = []fsm.Run{{ID: "a1", Type: "dev", Status: fsm.Running, Visit: 1}}
	r := journal.Record{Event: fsm.Event{Kind: "agent-stop", Agent: fsm.Agent{ID: "a1", Type: "helper"}, Text: "word"},
		TextLength: 5000, Seq: 2, Prev: "h1", Policy: "old", State: prev.State}
	if o := next(&rehearse.Replay{Policy: p}, prev, r); o.Skipped != rehearse.WhyText {
		t.Errorf("skipped: %q", o.Skipped)
	}
}

// TestTallyOrder: the strictest changes come first.
func TestTallyOrder(t *testing.T) {
	tally := rehearse.NewTally()
	for _, verdict := range []string{"pass", "ask", "confine", "deny", "warn"} {
		tally.Rules = append(tally.Rules, &rehearse.Change{Rule: "r", Would: verdict})
	}
	tally.Sort()
	var got []string
	for _, c := range tally.Rules {
		got = append(got, c.Would)
	}
	if want := "deny ask confine warn pass"; strings.Join(got, " ") != want {
		t.Errorf("found %s, want %s", got, want)
	}
}
