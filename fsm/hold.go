package fsm

import (
	"fmt"
	"slices"
	"strings"
)

// binding reports whether the level is one at which turns are held and agents sent back.
func (st *step) binding() bool { return st.d.Level >= AskFirst && !st.e.Late }

// hold keeps a turn or an agent from ending, and says why.
func (st *step) hold(rule, reason string, times, most int) {
	st.d.Hold, st.d.Rule, st.d.Reason = true, rule, reason
	st.d.note(fmt.Sprintf("held by %s, %d of %d times", rule, times, most))
}

// heldTurn holds the end of the main agent's turn while work is left that somebody could do now. A turn that is held moves
// nothing. After so many times in a row it ends, and the user is told what is left.
func (st *step) heldTurn() bool {
	h := st.p.Hold
	if !st.e.Held {
		st.s.Turn.Held = 0
	}
	if !st.holdable() {
		return false
	}
	rule, left := st.left()
	if left == "" || st.s.Turn.Interrupted {
		return false
	}
	st.d.StrictVerdict = Deny
	if l, ok := st.lifted(rule); ok {
		st.bypass(Objection{Verdict: Deny, StrictVerdict: Deny, Rule: rule}, l)
		return false
	}
	if !st.binding() || st.s.Turn.Held >= h.Tries {
		if st.d.Level == Guidance {
			st.d.tell("the turn ends with work left: " + short(left, 300))
		}
		st.d.note("the turn ends with work left: " + short(left, 300))
		if st.binding() {
			st.d.tell("the turn ended with work left, after it was held " + times(st.s.Turn.Held) + ": " + short(left, 300))
		}
		return false
	}
	st.s.Turn.Held++
	st.hold(rule, st.holding(left), st.s.Turn.Held, h.Tries)
	return true
}

// holdable reports whether the turn is one that may be held: in one of the states, and while no agent runs.
func (st *step) holdable() bool {
	in := st.p.Hold.States
	return (len(in) == 0 || slices.Contains(in, st.s.Machine.State)) && !st.s.busy() && !st.e.Tasks.busy()
}

// CanHoldTurn reports whether a turn that is about to end may be held: else nothing needs to be found out for that.
func (p *Policy) CanHoldTurn(s Session, e Event) bool {
	st := &step{p: p, s: s.clone(), e: e}
	st.reconcile()
	return e.Kind == TurnStop && st.holdable()
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// left is what is left to do before a turn may end, and the rule that asks for it.
func (st *step) left() (rule, left string) {
	var parts []string
	rule = RuleHold
	for _, until := range st.p.Hold.Until {
		if text := st.leftOf(until); text != "" {
			parts = append(parts, text)
		}
	}
	if gate := st.p.Hold.Gate; gate != nil {
		if r := st.e.Facts.Gate; r != nil && r.Key == gateKey(st.s, TurnEnds) && !r.OK {
			if len(parts) == 0 {
				rule = RuleGate
			}
			parts = append(parts, gateFailed(gate.Run, r.Output))
		}
	}
	return rule, strings.Join(parts, " ")
}

func (st *step) leftOf(until string) string {
	switch until {
	case "graph":
		if g, ok := st.graph(); ok {
			return leftOver(g, *st.s.Tasks.Progress)
		}
	case "tasks":
		if n := len(st.s.Tasks.Open); n > 0 {
			var names []string
			for _, o := range st.s.Tasks.Open {
				names = append(names, strings.TrimSpace(o.ID+" "+o.Subject))
			}
			return many(n, "task of the task list is", "tasks of the task list are") + " open: " + short(strings.Join(names, ", "), 300) + "."
		}
	case "plan":
		if st.s.Tasks.Planned {
			return "What was planned has not begun: no agent was started for it."
		}
	case "checks":
		return failures(st.e.Facts.Checks)
	}
	return ""
}

// holding is what a main agent is told whose turn is held.
func (st *step) holding(left string) string {
	w := st.words("")
	w.Left = left
	say, err := RenderTemplate(st.p.Hold.Say, w)
	if err != nil {
		st.d.note("hold.say: " + err.Error())
	}
	return strings.TrimSpace("The turn is not over yet. " + left + " " + strings.TrimSpace(say))
}

// A GateResult is what became of a gate's command.
type GateResult struct {
	Key    string `json:"key"` // of the gate: where the machine stood, and what was to move it
	OK     bool   `json:"ok,omitempty"`
	Output string `json:"output,omitempty"` // the end of what it printed
}

// gateKey tells a gate's result from that of another one, and from one of before.
func gateKey(s Session, trigger string) string {
	return fmt.Sprintf("%s/%d/%s", s.Machine.State, s.Machine.Visit, trigger)
}

// HasGates reports whether there is any gate.
func (p *Policy) HasGates() bool {
	return p.Hold.Gate != nil || slices.ContainsFunc(p.States, func(s State) bool {
		return slices.ContainsFunc(s.Triggers, func(t Trigger) bool { return t.Gate != nil })
	})
}

// SelectGate is the command that must be run before an event is decided, and the key for its result; nil for none. The
// session may have moved by the time that the event is decided: then the result counts for nothing.
func (p *Policy) SelectGate(s Session, e Event) (*Gate, string) {
	switch e.Kind {
	case TurnStop:
		if p.Hold.Gate != nil && p.CanHoldTurn(s, e) {
			return p.Hold.Gate, gateKey(s, TurnEnds)
		}
	case AgentStop:
		st := &step{p: p, s: s.clone(), e: e}
		if t, ok := st.leadsOn(strings.TrimSpace(e.Text)); ok {
			return t.Gate, gateKey(s, t.Name)
		}
	}
	return nil, ""
}

// leadsOn is the trigger that an agent which is about to end would fire.
func (st *step) leadsOn(text string) (Trigger, bool) {
	r := st.s.run(st.e.Agent.ID)
	if r == nil {
		r = st.onDisk()
	}
	if r == nil || text == "" || st.failing(text) {
		return Trigger{}, false
	}
	st.parentage(r)
	if r.By != "" || r.Fired || r.Quarantined != "" || r.Visit != st.s.Machine.Visit || r.Epoch != st.s.Machine.Epoch || st.s.parents(r.ID) {
		return Trigger{}, false
	}
	for _, t := range st.state().Triggers {
		if MatchAgent(t.Agents, r.Type) && says(t, text) == nil {
			return t, true
		}
	}
	return Trigger{}, false
}

// gate is the gate in an agent's way, and whether it has passed it.
func (st *step) gate(t Trigger) error {
	if t.Gate == nil || st.d.Level <= Guidance {
		return nil
	}
	if _, ok := st.lifted(RuleGate); ok {
		return nil
	}
	r := st.e.Facts.Gate
	switch {
	case r == nil || r.Key != gateKey(st.s, t.Name):
		return fmt.Errorf("%w (%s)", errNotRun, short(t.Gate.Run, 60))
	case !r.OK:
		return fmt.Errorf("%w: %s failed", errGate, short(t.Gate.Run, 60))
	}
	return nil
}
