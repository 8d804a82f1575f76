package fsm

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A flaw is what is wrong with what an agent came back with, and how often it is sent back for it.
type flaw struct {
	rule   string
	reason string // for the agent, which can mend it
	tries  int
	fatal  bool // after that it counts as failed
}

// sentBack sends an agent back whose final message is not what was agreed on, so often. It reports whether the agent goes
// on, or has failed.
func (st *step) sentBack(r *Run, text string) (over bool) {
	f, bad := st.flawed(r, text)
	if !bad {
		return false
	}
	st.d.StrictVerdict = Deny
	if l, ok := st.lifted(f.rule); ok {
		st.bypass(Objection{Verdict: Deny, StrictVerdict: Deny, Rule: f.rule}, l)
		return false
	}
	if !st.binding() {
		if st.d.Level == Guidance {
			st.owe("Agent " + short(r.Type, 40) + ": " + short(f.reason, 250))
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
		st.failForm(r)
		return true
	}
	st.d.note("it was sent back " + times(r.Returned) + " for " + f.rule + " and is let go")
	st.d.tell("agent " + short(r.Type, 40) + " was sent back " + times(r.Returned) + " and did not mend this: " + short(f.reason, 200))
	return false
}

// failForm counts an agent as failed whose final message is not what was agreed on, and has the main agent told of it.
func (st *step) failForm(r *Run) {
	why := "came back " + times(r.Returned+1) + " in another form than was agreed on"
	st.fail(r, why)
	if t, ok := st.state().Admits(r.Type); r.By == "" && (!ok || t.Helper) { // else that was said
		st.owe(fmt.Sprintf("Agent %q %s: it counts as failed.", short(r.Type, 60), why))
	}
}

// tasksTries is how often a plan is sent back whose task graph has mistakes.
const tasksTries = 3

// flawed finds the first flaw.
func (st *step) flawed(r *Run, text string) (flaw, bool) {
	if info, ok := st.p.returns(r); ok {
		if why := st.misses(info, text); why != "" {
			return flaw{RuleReturns, why, info.Tries, true}, true
		}
	}
	if _, mistakes := st.fromMessage(r, text); mistakes != "" {
		return flaw{RuleTasks, wrongGraph("The task graph in your final message", mistakes), tasksTries, false}, true
	}
	for _, t := range st.state().Triggers {
		if t.Gate == nil || !MatchAgent(t.Agents, r.Type) || says(t, text) != nil {
			continue
		}
		if g := st.e.Facts.Gate; g != nil && g.Key == gateKey(st.s, t.Name) && !g.OK {
			return flaw{RuleGate, gateFailed(t.Gate.Run, g.Output), t.Gate.Tries, false}, true
		}
		break
	}
	return flaw{}, false
}

// returns is what was agreed on with an agent; a member of a team hands its work over in messages.
func (p *Policy) returns(r *Run) (AgentInfo, bool) {
	if r.Teammate {
		return AgentInfo{}, false
	}
	for _, a := range p.Agents {
		if a.Returns != "" && MatchAgent([]string{a.Name}, r.Type) {
			return a, true
		}
	}
	return AgentInfo{}, false
}

// misses is what a final message lacks of the form that was agreed on.
func (st *step) misses(info AgentInfo, text string) string {
	re, err := regexp.Compile(info.Returns)
	if err != nil {
		st.d.note("agents." + info.Name + ".returns: " + err.Error())
		return ""
	}
	switch m := re.FindStringSubmatch(text); {
	case m == nil:
		return otherForm(info.Returns)
	case st.e.Facts.Absent != "" && slices.Contains(m, st.e.Facts.Absent):
		return noFile(st.e.Facts.Absent)
	}
	return ""
}

// FindReturnedFile is the file that a final message names and that must exist; empty for none.
func (p *Policy) FindReturnedFile(agent, text string) string {
	info, ok := p.returns(&Run{Type: agent})
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

// adoptFrom puts the graph in force that an agent's final message carries.
func (st *step) adoptFrom(r *Run, text string) {
	if g, mistakes := st.fromMessage(r, text); mistakes == "" && len(g.Phases) > 0 {
		st.adopt(g, "agent "+r.Type)
	} else if mistakes != "" {
		st.owe(wrongGraph("The task graph of agent "+r.Type, short(mistakes, 300)))
	}
}
