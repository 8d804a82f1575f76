package fsm

import (
	"regexp"
	"slices"
	"strings"
)

// sendBack sends an agent back whose final message has a flaw, so often. It reports
// whether the agent goes on, or has failed.
func (tr tracker) sendBack(r *Run, text string) (handled bool) {
	rule, flaw, tries := tr.findFlaw(r, text)
	if flaw == "" || tr.isHoldBypassed(rule) {
		return false
	}
	if !tr.isBinding() {
		if tr.level == Guidance {
			tr.queueNotice(PendingNotice{Why: "Agent " + short(r.Type, 40) + ": " + short(flaw, 250)})
		}
		tr.note("it came back with a flaw (%s): %s", rule, short(flaw, 200))
		return false
	}
	if r.Returned < tries {
		r.Returned++
		tr.holdBack(rule, flaw, r.Returned, tries)
		return true
	}
	if rule == RuleReturns { // the agent counts as failed
		tr.failForForm(r)
		return true
	}
	tr.note("it was sent back %s for %s and may end", timesText(r.Returned), rule)
	tr.notify("agent %s was sent back %s and did not fix this: %s", short(r.Type, 40), timesText(r.Returned),
		short(flaw, 200))
	return false
}

// failForForm fails an agent whose final message does not have the agreed form, and has
// the main agent notified.
func (tr tracker) failForForm(r *Run) {
	why := "came back " + timesText(r.Returned+1) + " without the agreed form"
	tr.failAgent(r, why)
	if r.By == "" && !tr.table().HasWorker(tr.s.State, r.Type) { // else failAgent has queued a notice
		tr.queueNotice(PendingNotice{Why: countsAsFailed(r.Type, why)})
	}
}

// graphTries is how often a plan is sent back whose task graph has mistakes.
const graphTries = 3

// findFlaw finds what is wrong with a final message, for the agent, which can fix it; empty if nothing is. It also says
// by which rule, and how often the agent is sent back for it. What its gate came to is asked for first: nothing else
// that is wrong keeps the gate from being run.
func (tr tracker) findFlaw(r *Run, text string) (rule, flaw string, tries int) {
	var result *GateResult
	t, leads := tr.findLead(r, text)
	if t.Gate.runs() {
		result = tr.findResult(t.Gate, t.Name)
	}
	info := tr.p.findReturns(r)
	if why := tr.findFormMistake(info, text); why != "" {
		return RuleReturns, why, info.Tries
	}
	at, runs := tr.s.State, true // where the machine stands once the agent has completed
	if leads && r.isActive() {
		at, runs = t.To, t.To == at
	}
	if _, mistakes := tr.readMessage(r, text, at, runs); mistakes != "" {
		return RuleTasks, graphMistakes("The task graph in your final message", mistakes), graphTries
	}
	if result != nil && !result.OK {
		return RuleGate, gateFailed(t.Gate.Run, result.Output), t.Gate.Tries
	}
	return "", "", 0
}

// findFormMistake is what a final message lacks of the agreed form.
func (tr tracker) findFormMistake(info AgentInfo, text string) string {
	switch m := findSubmatch(info.Returns, text); {
	case m == nil:
		return "Your final message does not have the agreed form. It must match this regular expression: " +
			short(info.Returns, 160) +
			". Finish with a message of that form; put the details into a file if it names one."
	case tr.e.Facts.Absent != "" && slices.Contains(m, tr.e.Facts.Absent):
		return "Your final message names the file " + short(tr.e.Facts.Absent, 160) +
			", which does not exist. Write it, then finish with the same message."
	}
	return ""
}

// FindReturnedFile is the file that a final message names and that must exist; empty
// for none.
func (p *Policy) FindReturnedFile(agent, text string) string {
	re, err := regexp.Compile(p.findReturns(&Run{Type: agent}).Returns)
	if err != nil {
		return ""
	}
	if m, i := re.FindStringSubmatch(strings.TrimSpace(text)), re.SubexpIndex("file"); m != nil && i > 0 {
		return m[i]
	}
	return ""
}
