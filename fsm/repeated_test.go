package fsm_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
)

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
	if n := len(pl.s.Counts.Calls); n > 200 {
		t.Errorf("%d bytes are kept in each line of the journal", n)
	}
}
