package report

import (
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// A track follows one session from record to record.
type track struct {
	c        *collector
	id       string
	seen     bool
	first    string // the state that the session began in
	state    string
	entered  time.Time
	kind     fsm.Kind // of the record before
	time     time.Time
	active   bool // a pipeline is under way
	doubles  journal.Doubles
	open     map[string]*run
	objected ledger[Repeat]
}

// takeLine adds a record. Those from before the time that was asked for only tell where
// the session stood; a dispute or a rotation happened to the journal, not to the
// session.
func (t *track) takeLine(e *journal.Line) {
	counts := !e.Time.Before(t.c.Since)
	if counts {
		t.countLine(e)
	}
	kind := eventKind(e.Kind)
	if kind == fsm.Unknown {
		return
	}
	state := e.State()
	if !t.seen {
		t.beginTrack(e, state)
	}
	if counts {
		t.addElapsed(e)
	}
	t.trackRun(e, counts)
	t.followMoves(e, state, counts)
	t.kind, t.time = kind, e.Time
}

// eventKind is the constant for an event's kind, which does not hold its line in
// memory; empty for what is no event.
func eventKind(kind fsm.Kind) fsm.Kind {
	for _, k := range fsm.Kinds() {
		if k == kind {
			return k
		}
	}
	return fsm.Unknown
}

func (t *track) beginTrack(e *journal.Line, state string) {
	t.seen, t.first, t.state, t.entered, t.time = true, strings.Clone(state), strings.Clone(state), e.Time, e.Time
	if !e.Time.Before(t.c.Since) {
		t.c.states.at(state, newState).Visits++
	}
}

func (t *track) countLine(e *journal.Line) {
	r := &t.c.r
	r.Evidence.Records++
	if e.Failed {
		r.Evidence.Errors++
	}
	if r.SessionStart.IsZero() || e.Time.Before(r.SessionStart) {
		r.SessionStart = e.Time
	}
	if e.Time.After(r.SessionEnd) {
		r.SessionEnd = e.Time
	}
	if n := len(r.SessionIDs); n == 0 || r.SessionIDs[n-1] != t.id {
		r.SessionIDs = append(r.SessionIDs, t.id)
	}
	t.c.addInjected(t.id, e)
	switch {
	case e.Kind == journal.Dispute:
		r.Evidence.Disputes++
	case e.Kind != fsm.ToolRequest:
	case t.doubles.IsDoubled(e.UseID):
		r.Calls.Doubled++
	default:
		t.c.addRequest(t, e)
		t.countRepeat(e)
	}
}

func (t *track) countRepeat(e *journal.Line) {
	if !e.IsObjected() {
		return
	}
	what := DescribeCall(e)
	t.addToTimeline(func(l *Timeline) {
		if len(l.Denials) >= spans {
			l.Omitted++
			return
		}
		l.Denials = append(l.Denials, Point{e.Time, strings.Clone(e.Decider()), strings.Clone(what)})
	})
	t.objected.at(e.Decider()+"\x00"+what, func(key string) Repeat {
		rule, what, _ := strings.Cut(key, "\x00")
		return Repeat{Session: t.id, Rule: rule, What: what}
	}).Count++
	if dropRarest(t.objected, func(r Repeat) int { return r.Count }) {
		t.c.r.Evidence.Truncated = true
	}
}

// addElapsed adds the time since the record before to the state that the session was
// in. Between the end of a turn and what a person says next no agent worked; between the
// end of a session and its resumption there was none. Where nothing was recorded for
// longer than silence, the client was closed or its machine asleep.
func (t *track) addElapsed(e *journal.Line) {
	from := t.time
	if from.Before(t.c.Since) {
		from = t.c.Since
	}
	d := e.Time.Sub(from).Seconds()
	if d <= 0 || t.kind == "" || t.kind == fsm.SessionEnd {
		return
	}
	s := t.c.states.at(t.state, newState)
	if d > silence.Seconds() || t.isIdle(e.Kind) {
		s.Waiting += d
		return
	}
	s.Working += d
}

const silence = time.Hour

func (t *track) isIdle(next fsm.Kind) bool {
	rests := []fsm.Kind{fsm.SessionStart, fsm.TurnStop, fsm.TurnFailure, fsm.SessionEnd}
	wakes := []fsm.Kind{fsm.Prompt, fsm.PromptExpansion, fsm.SessionStart, fsm.SessionEnd, fsm.Reset}
	return len(t.open) == 0 && slices.Contains(rests, t.kind) && slices.Contains(wakes, next)
}

// followMoves follows the machine.
func (t *track) followMoves(e *journal.Line, state string, counts bool) {
	e.Moves().ForEach(func(_, m gjson.Result) bool {
		if from, to := m.Get("from").Str, m.Get("to").Str; from != to {
			t.countMove(e, m.Get("trigger").Str, to, counts)
		}
		return true
	})
	if state == t.state {
		return
	}
	if e.Moves().Raw == "" && state == t.first { // it began again, as after a clear
		t.stopPipeline(counts)
	}
	t.leaveState(e.Time)
	t.state, t.entered = strings.Clone(state), e.Time
	if counts {
		t.c.states.at(state, newState).Visits++
	}
}

func (t *track) countMove(e *journal.Line, trigger, to string, counts bool) {
	p := &t.c.r.Pipelines
	reset := e.Kind == fsm.Reset
	if reset {
		t.stopPipeline(counts)
	}
	over := !reset && (trigger == fsm.TurnEnds || to == t.first)
	switch {
	case over && t.active && counts:
		p.Finished++
	case !over && !t.active && to != t.first && counts:
		p.Started++
	}
	t.active = !over && to != t.first
}

// stopPipeline notes where a pipeline ended that was not finished.
func (t *track) stopPipeline(counts bool) {
	if t.active && counts {
		t.c.stopped.at(t.state, func(s string) Stop { return Stop{State: s} }).Count++
	}
	t.active = false
}

// spans is how many of a kind a timeline holds.
const spans = 500

func (t *track) addToTimeline(add func(*Timeline)) {
	if t.c.r.Timeline != nil {
		add(t.c.r.Timeline)
	}
}

func (t *track) leaveState(at time.Time) {
	t.addToTimeline(func(l *Timeline) {
		if len(l.States) >= spans {
			l.Omitted++
			return
		}
		l.States = append(l.States, Span{Name: t.state, From: t.entered, To: at})
	})
}

// closeTrack ends what the last record left open.
func (t *track) closeTrack() {
	if !t.seen {
		return
	}
	ended := t.kind == fsm.SessionEnd
	for id, r := range t.open {
		t.endRun(id, r, t.time, unfinished)
	}
	t.leaveState(t.time)
	switch {
	case t.time.Before(t.c.Since):
	case t.active && ended:
		t.stopPipeline(true)
	case t.active:
		t.c.r.Pipelines.Open++
	}
	if ended && !t.time.Before(t.c.Since) {
		t.c.ended++
	}
	for _, r := range t.objected {
		if r.Count > 1 {
			t.c.repeated = append(t.c.repeated, *r)
		}
	}
	t.c.repeated = firstN(t.c.listRepeated(), 1000)
}
