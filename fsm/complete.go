package fsm

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// completeAgent: the agent is done. The machine moves if the main agent started it
// during this visit, and it has not moved the machine before.
func (st *step) completeAgent(r *Run, text string) {
	r.Status, r.Final, r.Delivered = Done, nil, false
	st.s.Tasks.finishAgent(r.ID, true)
	switch {
	case len(st.p.States) == 0:
	case r.By != "":
		st.d.note(r.label() + " was not started by the main agent: it moves nothing")
		if r.By == UnknownCaller && r.How != ByWorkflow && st.state().hasWorker(r.Type) {
			st.reportUncounted(r, startNotSeen)
		}
	case r.Fired:
		held, ok := st.s.Machine.Captures[r.Capture]
		if r.Capture == "" || !ok || held.Agent != r.ID {
			st.d.note(r.label() + " had completed before: it moves nothing twice")
			if st.leadsOn(r.Type) {
				st.reportUncounted(r, completedBefore)
			}
			return
		}
		st.s.Machine.Captures[r.Capture] = st.d.keepText(text, r.ID)
		st.d.note(r.label() + " replaces what it had " + r.Capture)
	case r.Epoch != st.s.Machine.Epoch:
		st.d.note(r.label() + " was started before the reset: it moves nothing")
		st.reportUncounted(r, startedBeforeReset)
	case r.Visit != st.s.Machine.Visit:
		st.d.note(fmt.Sprintf("%s is late: %s has been left since it was admitted", r.label(),
			orNone(st.s.Machine.State)))
		st.reportUncounted(r, startedTooEarly)
	default:
		st.fireTrigger(r, text)
	}
}

// leadsOn reports whether agents of this type lead out of the state, or leave a text in it.
func (st *situation) leadsOn(agent string) bool {
	t, ok := st.state().Admits(agent)
	return ok && !t.Helper && (t.To != st.s.Machine.State || t.Capture != "")
}

// reportUncounted tells the main agent that a result does not count, and why.
func (st *step) reportUncounted(r *Run, why string) {
	st.s.Talk.queueNotice(doesNotCount(r.Type, why, st.whereItStands()))
}

// mayMove reports whether the completion of a run may move the machine.
func (st *situation) mayMove(r *Run) bool {
	return r.By == "" && !r.Fired && r.Visit == st.s.Machine.Visit && r.Epoch == st.s.Machine.Epoch
}

// fireTrigger tries the state's triggers in order until one moves the machine.
func (st *step) fireTrigger(r *Run, text string) {
	in := st.state()
	m := st.machineFor(completion{r.Type, r.ID, func() Ref { return st.d.keepText(text, r.ID) }},
		func(t Trigger) error {
			if err := t.matchText(text); err != nil {
				return err
			}
			return st.passGate(t)
		})
	saysOther := false
	for _, t := range in.Triggers {
		if !MatchAgent(t.Agents, r.Type) || !m.engine.Can(t.Name) {
			continue
		}
		err := m.fire(t.Name)
		if err == nil {
			return
		}
		if errors.As(err, new(textError)) {
			saysOther = true
			continue
		}
		if errors.As(err, new(personError)) {
			st.awaitPerson(r, t, text)
			return
		}
		st.d.note(fmt.Sprintf("trigger %s: %v", t.Name, err))
		if gate := new(gateError); errors.As(err, gate) {
			st.s.Talk.queueNotice(staysBecause(r.Type, cameBackAt(gate.run, gate.wasRun), st.s.Machine.State))
			return
		}
	}
	if saysOther {
		st.s.Talk.queueNotice(staysBecause(r.Type, saysNothingKnown, st.s.Machine.State))
	}
	st.d.note(fmt.Sprintf("%s completed; nothing in %s leads on from it", r.label(), in.Name))
}

// A textError says that a final message does not match what a trigger asks for.
type textError struct{}

func (textError) Error() string { return "the final message does not say what the move asks for" }

// matchText reports whether a final message is one that the trigger asks for.
func (t Trigger) matchText(text string) error {
	if t.Says == "" {
		return nil
	}
	re, err := regexp.Compile(t.Says)
	if err != nil {
		return fmt.Errorf("says: %w", err)
	}
	if !re.MatchString(text) {
		return textError{}
	}
	return nil
}

// findMatchingTrigger is the trigger that a run's completion with this message fires,
// if its gate lets it.
func (st *situation) findMatchingTrigger(r *Run, text string) (Trigger, bool) {
	for _, t := range st.state().Triggers {
		if MatchAgent(t.Agents, r.Type) && t.matchText(text) == nil {
			return t, true
		}
	}
	return Trigger{}, false
}

// completeWaiting completes a run that waited, with its last message.
func (st *step) completeWaiting(r *Run) {
	text, ok := st.e.Facts.Captured[r.ID]
	if !ok {
		st.failAgent(r, leftNoText)
		return
	}
	if info, bound := st.p.findReturns(r); bound && st.isBinding() && st.findFormMistake(info, text) != "" {
		if _, ok := st.findBypass(RuleReturns); !ok {
			st.failForForm(r)
			return
		}
	}
	st.completeAgent(r, text)
	planner{st}.adoptMessage(r, text)
}

// A flaw is what is wrong with an agent's final message.
type flaw struct {
	rule   string
	reason string // for the agent, which can fix it
	tries  int    // how often the agent is sent back for it
	fatal  bool   // after that the agent counts as failed
}

// sendBack sends an agent back whose final message has a flaw, so often. It reports
// whether the agent goes on, or has failed.
func (st *step) sendBack(r *Run, text string) (handled bool) {
	f, found := st.findFlaw(r, text)
	if !found {
		return false
	}
	st.d.StrictVerdict = Deny
	if b, ok := st.findBypass(f.rule); ok {
		st.recordBypass(Objection{Verdict: Deny, StrictVerdict: Deny, Rule: f.rule}, b)
		return false
	}
	if !st.isBinding() {
		if st.level == Guidance {
			st.s.Talk.queueNotice(agentWarning(r.Type, f.reason))
		}
		st.d.note("it came back with a flaw (" + f.rule + "): " + short(f.reason, 200))
		return false
	}
	if r.Returned < f.tries {
		r.Returned++
		st.hold(f.rule, f.reason, r.Returned, f.tries)
		return true
	}
	if f.fatal {
		st.failForForm(r)
		return true
	}
	st.d.note("it was sent back " + timesText(r.Returned) + " for " + f.rule + " and may end")
	st.d.notify(notFixed(r.Type, f.reason, r.Returned))
	return false
}

// failForForm fails an agent whose final message does not have the agreed form, and has
// the main agent notified.
func (st *step) failForForm(r *Run) {
	why := cameBackWrong(r.Returned + 1)
	st.failAgent(r, why)
	if r.By == "" && !st.state().hasWorker(r.Type) { // else failAgent has queued a notice
		st.s.Talk.queueNotice(countsAsFailed(r.Type, why))
	}
}

// graphTries is how often a plan is sent back whose task graph has mistakes.
const graphTries = 3

// findFlaw finds the first flaw.
func (st *step) findFlaw(r *Run, text string) (flaw, bool) {
	if info, ok := st.p.findReturns(r); ok {
		if why := st.findFormMistake(info, text); why != "" {
			return flaw{RuleReturns, why, info.Tries, true}, true
		}
	}
	if _, mistakes := (planner{st}).readMessage(r, text); mistakes != "" {
		return flaw{RuleTasks, graphMistakes("The task graph in your final message", mistakes), graphTries, false}, true
	}
	for _, t := range st.state().Triggers {
		if !t.Gate.runs() || !MatchAgent(t.Agents, r.Type) || t.matchText(text) != nil {
			continue
		}
		if g := st.e.Facts.Gate; g != nil && g.Key == st.s.Machine.gateKey(t.Name) && !g.OK {
			return flaw{RuleGate, gateFailed(t.Gate.Run, g.Output), t.Gate.Tries, false}, true
		}
		break
	}
	return flaw{}, false
}

// findFormMistake is what a final message lacks of the agreed form.
func (st *step) findFormMistake(info AgentInfo, text string) string {
	re, err := regexp.Compile(info.Returns)
	if err != nil {
		st.d.note("agents." + info.Name + ".returns: " + err.Error())
		return ""
	}
	switch m := re.FindStringSubmatch(text); {
	case m == nil:
		return wrongForm(info.Returns)
	case st.e.Facts.Absent != "" && slices.Contains(m, st.e.Facts.Absent):
		return noSuchFile(st.e.Facts.Absent)
	}
	return ""
}

// FindReturnedFile is the file that a final message names and that must exist; empty
// for none.
func (p *Policy) FindReturnedFile(agent, text string) string {
	info, ok := p.findReturns(&Run{Type: agent})
	if !ok || !strings.Contains(info.Returns, "<file>") {
		return ""
	}
	re, err := regexp.Compile(info.Returns)
	if err != nil {
		return ""
	}
	if m, i := re.FindStringSubmatch(strings.TrimSpace(text)), re.SubexpIndex("file"); m != nil && i > 0 {
		return m[i]
	}
	return ""
}
