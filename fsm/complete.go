package fsm

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
)

// complete: the agent is done. The machine moves if it was one of the main agent's, let in during this visit, for the
// first time.
func (st *step) complete(r *Run, text string) {
	r.Status, r.Final, r.Delivered = Done, nil, false
	st.ended(r, true)
	switch {
	case len(st.p.States) == 0:
	case r.By != "":
		st.d.note(fmt.Sprintf("agent %s (%s) was not started by the main agent: it moves nothing", r.ID, r.Type))
	case r.Fired:
		st.replace(r, text)
	case r.Epoch != st.s.Machine.Epoch:
		st.d.note(fmt.Sprintf("agent %s (%s) was started before the reset: it moves nothing", r.ID, r.Type))
	case r.Visit != st.s.Machine.Visit:
		st.d.note(fmt.Sprintf("agent %s (%s) is late: %s has been left since it was let in", r.ID, r.Type, orNone(st.s.Machine.State)))
	default:
		st.fire(r, text)
	}
}

// replace: an agent that has completed before says something newer.
func (st *step) replace(r *Run, text string) {
	held, ok := st.s.Machine.Captures[r.Capture]
	if r.Capture == "" || !ok || held.Agent != r.ID {
		st.d.note(fmt.Sprintf("agent %s (%s) had completed before: it moves nothing twice", r.ID, r.Type))
		return
	}
	st.s.Machine.Captures[r.Capture] = *st.keep(text, r.ID)
	st.d.note(fmt.Sprintf("agent %s (%s) replaces what it had %s", r.ID, r.Type, r.Capture))
}

var errSays = errors.New("the final message does not say what the move asks for")

var errGate = errors.New("the gate is not passed")

var errNotRun = fmt.Errorf("%w: it was not run for this", errGate)

func gateWords(t Trigger, err error) string {
	if errors.Is(err, errNotRun) {
		return fmt.Sprintf("%q could not be tried", short(t.Gate.Run, 60))
	}
	return fmt.Sprintf("%q does not succeed", short(t.Gate.Run, 60))
}

// fire tries the state's triggers in order until one lets the agent through.
func (st *step) fire(r *Run, text string) {
	in := st.state()
	m := st.p.machine(in.Name, machine{
		find:  in.trigger,
		guard: func(t Trigger) error { return errors.Join(says(t, text), st.gate(t)) },
		enter: st.enter,
		record: func(t Trigger, m Move) {
			m.Agent, m.AgentID = r.Type, r.ID
			st.record(r, t, m, text)
		},
	})
	for _, t := range in.Triggers {
		if !MatchAgent(t.Agents, r.Type) || !m.engine.Can(t.Name) {
			continue
		}
		err := m.fire(t.Name)
		if err == nil {
			return
		}
		if errors.Is(err, errSays) {
			continue
		}
		st.d.note(fmt.Sprintf("trigger %s: %v", t.Name, err))
		if errors.Is(err, errGate) {
			st.owe(stayed(r.Type, "came back, and "+gateWords(t, err), st.s.Machine.State))
			return
		}
	}
	st.d.note(fmt.Sprintf("agent %s (%s) completed; nothing in %s leads on from it", r.ID, r.Type, in.Name))
}

func (s State) trigger(name string) Trigger {
	for _, t := range s.Triggers {
		if t.Name == name {
			return t
		}
	}
	return Trigger{Name: name, To: s.OnStop}
}

func says(t Trigger, text string) error {
	if t.Says == "" {
		return nil
	}
	re, err := regexp.Compile(t.Says)
	if err != nil {
		return fmt.Errorf("says: %w", err)
	}
	if !re.MatchString(text) {
		return errSays
	}
	return nil
}

// record remembers what a firing brought: the history, and the final message under its name.
func (st *step) record(r *Run, t Trigger, m Move, text string) {
	r.Fired = true
	if !t.Helper && m.From == m.To {
		st.s.Machine.Worked = true
	}
	if t.Capture != "" {
		r.Capture, m.Capture = t.Capture, t.Capture
		if st.s.Machine.Captures == nil {
			st.s.Machine.Captures = map[string]Ref{}
		}
		st.s.Machine.Captures[t.Capture] = *st.keep(text, r.ID)
	}
	st.moved(m)
}

// keep asks for a text to be kept, and refers to it.
func (st *step) keep(text, agent string) *Ref {
	sum := sha256.Sum256([]byte(text))
	ref := Ref{Hash: hex.EncodeToString(sum[:]), Size: len(text), Agent: agent}
	st.d.Texts = append(st.d.Texts, Text{ref, text})
	return &ref
}

// ripen completes those that waited for an agent of their own, once it has gone and the host has not woken them: that
// shows at the main agent's Stop. (Or when their own result is handed over: see notified.)
func (st *step) ripen() {
	for i := range st.s.Agents.Runs {
		r := &st.s.Agents.Runs[i]
		if r.Status == Waiting && !st.s.parents(r.ID) && !st.listed(r.ID) {
			st.mature(r)
		}
	}
}

func (st *step) listed(id string) bool { return st.e.Tasks != nil && st.e.Tasks.has(id) }

// mature completes a run that waited, with what it had said.
func (st *step) mature(r *Run) {
	text, ok := st.e.Facts.Captured[r.ID]
	if !ok {
		st.fail(r, "left no text that could be found")
		return
	}
	if info, bound := st.p.returns(r); bound && st.binding() && st.misses(info, text) != "" {
		if _, ok := st.lifted(RuleReturns); !ok {
			st.failForm(r)
			return
		}
	}
	st.complete(r, text)
	st.adoptFrom(r, text)
}

func orNone(state string) string {
	if state == "" {
		return "(no state)"
	}
	return state
}
