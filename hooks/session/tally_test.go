package session

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// A diary writes records of session s1, each so many seconds after the first.
type diary struct {
	t  testing.TB
	st Store
}

func (d diary) write(second int, kind fsm.Kind, change func(*journal.Record)) {
	d.t.Helper()
	e := note("diary")
	e.Kind, e.Time = kind, e.Time.Add(time.Duration(second)*time.Second)
	d.st.must(d.t, e, func(s session, e event) (Outcome, error) {
		out, _ := count(s, e)
		if change != nil {
			change(out.Record)
		}
		return out, nil
	})
}

func (d diary) prompt(second int) { d.write(second, fsm.Prompt, nil) }
func (d diary) stop(second int)   { d.write(second, fsm.TurnStop, nil) }

func (d diary) deny(use string) {
	d.write(0, fsm.ToolRequest, func(r *journal.Record) { r.Verdict, r.Event.Tool.UseID = fsm.Deny.String(), use })
}

func (d diary) tally() Tally {
	d.t.Helper()
	got, err := d.st.Tally("s1")
	if err != nil {
		d.t.Fatal(err)
	}
	return got
}

// holds checks a tally, its turns in seconds.
func (d diary) holds(denied int, turns ...int) {
	d.t.Helper()
	got := d.tally()
	var seconds []int
	for _, turn := range got.Turns {
		seconds = append(seconds, int(turn.Seconds()))
	}
	if got.Denied != denied || !slices.Equal(seconds, turns) {
		d.t.Errorf("denied %d, turns %v; expected %d, %v", got.Denied, seconds, denied, turns)
	}
}

func TestTallyGoesOn(t *testing.T) {
	d := diary{t, store(t)}
	d.stop(0) // of a turn that began before
	d.prompt(0)
	d.deny("t1")
	d.holds(1)
	d.deny("t2")
	d.stop(12)
	d.holds(2, 12)
	d.holds(2, 12)
	d.prompt(100)
	d.write(101, fsm.TurnFailure, nil)
	d.holds(2, 12, 1)
}

// What is not a turn of the main agent, or no denial of a call, does not count.
func TestTallyLeavesOut(t *testing.T) {
	d := diary{t, store(t)}
	agent := func(r *journal.Record) { r.Event.Agent.ID = "a1" }
	denied := func(r *journal.Record) { r.Verdict = fsm.Deny.String() }
	d.prompt(0)
	d.write(1, fsm.AgentStop, agent)
	d.write(2, fsm.Prompt, agent)
	d.write(3, fsm.Prompt, denied) // an order to us: no turn begins
	d.write(4, fsm.TurnStop, agent)
	d.write(5, fsm.TurnStop, denied) // held back: the turn goes on
	d.write(6, fsm.ToolRequest, func(r *journal.Record) { r.Reason = `"verdict":"deny"` })
	d.write(6, fsm.ToolRequest, func(r *journal.Record) { r.Verdict = fsm.Warn.String() })
	d.stop(7)
	d.holds(0, 7)
	d.write(20, fsm.Prompt, func(r *journal.Record) { r.Event.Origin = fsm.Notification })
	d.stop(21) // what ran in the background is told of, and the turn goes on
	d.holds(0, 21)
}

func TestTallyOfDoubledCalls(t *testing.T) {
	d := diary{t, store(t)}
	for _, use := range []string{"t1", "t2", "t1", "t2", "", ""} {
		d.deny(use)
	}
	d.holds(4)
}

func TestTallyKeepsTenTurns(t *testing.T) {
	d := diary{t, store(t)}
	for i := range 12 {
		d.prompt(100 * i)
		d.stop(101*i + 1)
	}
	d.holds(0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)
}

// The tally counts through rotations.
func TestTallyThroughRotation(t *testing.T) {
	d := diary{t, store(t)}
	rotate := func() {
		t.Helper()
		if _, err := journal.Rotate(d.st.Path("s1"), time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	d.prompt(0)
	d.deny("t1")
	d.holds(1)
	rotate()
	d.deny("t2")
	d.stop(9)
	d.holds(2, 9)
	d.deny("t3")
	rotate()
	d.deny("t4")
	d.holds(4, 9)
}

func TestTallyOfNoSession(t *testing.T) {
	if _, err := store(t).Tally("../x"); err == nil {
		t.Error("an id that is none was taken")
	}
	if _, err := store(t).Tally("s1"); !os.IsNotExist(err) {
		t.Errorf("a session that is none: %v", err)
	}
}
