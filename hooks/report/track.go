package report

import (
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

// A track follows one session from record to record.
type track struct {
	c      *collector
	id     string
	counts bool   // the record is from the time that was asked for; others only show where the session stood
	first  string // the state that the session began in
	state  string
	kind   fsm.Kind // of the record before; empty before the first
	time   time.Time
	active bool // a pipeline is under way
	open   map[string]run
}

// takeLine adds a record. A dispute or a rotation happened to the journal, not to the session.
func (t *track) takeLine(e *journal.Line) {
	if t.counts = !e.Time.Before(t.c.since); t.counts {
		t.countLine(e)
	}
	i := slices.Index(fsm.Kinds(), e.Kind)
	if i < 0 {
		return
	}
	if t.kind == "" {
		t.first, t.time = strings.Clone(e.State()), e.Time
		t.enterState(e)
	}
	if t.counts {
		t.addElapsed(e)
	}
	t.trackRun(e)
	t.followMoves(e)
	t.kind, t.time = fsm.Kinds()[i], e.Time // e.Kind would hold its line in memory
}

func (t *track) enterState(e *journal.Line) {
	t.state = strings.Clone(e.State())
	if t.counts {
		t.c.states.at(t.state).Visits++
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
	if e.InjectedChars > 0 {
		r.Injected.Texts++
		r.Injected.Characters += int(e.InjectedChars)
	}
	switch {
	case e.Kind == journal.Dispute:
		r.Evidence.Disputes++
	case e.Kind != fsm.ToolRequest:
	case e.Repeated:
		r.Calls.Doubled++
	default:
		t.c.addRequest(t, e)
	}
}

// addElapsed adds the time since the record before to the state that the session was
// in. Between the end of a turn and what a person says next no agent worked; between the
// end of a session and its resumption there was none. Where nothing was recorded for
// longer than silence, the client was closed or its machine asleep.
func (t *track) addElapsed(e *journal.Line) {
	from := t.time
	if from.Before(t.c.since) {
		from = t.c.since
	}
	d := e.Time.Sub(from).Seconds()
	if d <= 0 || t.kind == "" || t.kind == fsm.SessionEnd {
		return
	}
	s := t.c.states.at(t.state)
	rests := []fsm.Kind{fsm.SessionStart, fsm.TurnStop, fsm.TurnFailure, fsm.SessionEnd}
	wakes := []fsm.Kind{fsm.Prompt, fsm.PromptExpansion, fsm.SessionStart, fsm.SessionEnd, fsm.Reset}
	isIdle := len(t.open) == 0 && slices.Contains(rests, t.kind) && slices.Contains(wakes, e.Kind)
	if isIdle || d > silence.Seconds() {
		s.Waiting += d
		return
	}
	s.Working += d
}

const silence = time.Hour

// followMoves follows the machine.
func (t *track) followMoves(e *journal.Line) {
	e.Moves.ForEach(func(_, m gjson.Result) bool {
		to, isReset := m.Get("to").Str, e.Kind == fsm.Reset
		if m.Get("from").Str == to {
			return true
		}
		if isReset {
			t.stopPipeline()
		}
		over := !isReset && (m.Get("trigger").Str == fsm.TurnEnds || to == t.first)
		switch p := &t.c.r.Pipelines; {
		case !t.counts:
		case over && t.active:
			p.Finished++
		case !over && !t.active && to != t.first:
			p.Started++
		}
		t.active = !over && to != t.first
		return true
	})
	state := e.State()
	if state == t.state {
		return
	}
	if e.Moves.Raw == "" && state == t.first { // it began again, as after a clear
		t.stopPipeline()
	}
	t.enterState(e)
}

// stopPipeline notes where a pipeline ended that was not finished.
func (t *track) stopPipeline() {
	if t.active && t.counts {
		t.c.stopped.at(t.state).Count++
	}
	t.active = false
}

// closeTrack ends what the last record left open.
func (t *track) closeTrack() {
	if t.kind == "" {
		return
	}
	for id, r := range t.open {
		t.endRun(id, r, t.time, unfinished)
	}
	if t.counts = !t.time.Before(t.c.since); t.counts {
		switch {
		case t.kind == fsm.SessionEnd:
			t.c.ended++
			t.stopPipeline()
		case t.active:
			t.c.r.Pipelines.Open++
		}
	}
}

// A run is an agent at work, from its start to its stop.
type run struct {
	agent string
	from  time.Time
}

// How a run ended, beside the agents' own statuses.
const (
	unfinished  = "unfinished" // it had not ended when the records did
	quarantined = "barred"     // no state admitted it
)

// trackRun takes up an agent that starts and ends those that the session no longer
// counts as running.
func (t *track) trackRun(e *journal.Line) {
	switch e.Kind {
	case fsm.ToolRequest:
		return
	case fsm.ToolResult, fsm.ToolFailure:
		if e.AgentID != "" {
			return // an agent's own calls end no agent
		}
	case fsm.AgentStart:
		if _, ok := t.open[e.AgentID]; ok || e.AgentID == "" {
			return
		}
		t.open[strings.Clone(e.AgentID)] = run{strings.Clone(agentName(e)), e.Time}
		if c := &t.c.r.Concurrency; t.counts && len(t.open) > c.Max {
			*c = Concurrency{len(t.open), e.Time, t.id}
		}
		return
	}
	if len(t.open) == 0 {
		return
	}
	e.Session.Get("agents.runs").ForEach(func(_, a gjson.Result) bool {
		id, how := a.Get("id").Str, fsm.Status(a.Get("status").Str)
		r, ok := t.open[id]
		if !ok || how == fsm.Running || how == fsm.Waiting {
			return true
		}
		if a.Get("quarantined").Str != "" {
			how = quarantined
		}
		t.endRun(id, r, e.Time, how)
		return true
	})
}

func (t *track) endRun(id string, r run, at time.Time, how fsm.Status) {
	delete(t.open, id)
	if at.Before(t.c.since) {
		return
	}
	a := t.c.agents.at(r.agent)
	a.Runs++
	switch how {
	case fsm.Done:
		a.Done++
	case fsm.Failed:
		a.Failed++
	case fsm.Lost:
		a.Lost++
	case unfinished:
		a.Unfinished++
	default:
		a.Quarantined++
	}
	if how == fsm.Done || how == fsm.Failed {
		a.Took = append(a.Took, at.Sub(r.from).Seconds())
	}
}

// DescribeCall is what a call asked for, in a few words.
func DescribeCall(e *journal.Line) string {
	if s := e.Starts.Get("type").Str; s != "" {
		return e.Tool + " " + s
	}
	var parts []string
	for _, p := range e.Parts {
		switch words := p.Words(); {
		case words != "":
			parts = append(parts, words)
		case p.Path != "":
			parts = append(parts, p.Tool+" "+p.Path)
		}
	}
	if len(parts) == 0 {
		return e.Tool
	}
	return visible.Shorten(strings.Join(parts, "; "), 100)
}
