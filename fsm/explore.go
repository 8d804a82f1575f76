package fsm

import "slices"

// What stands here is for those who look at a policy as a whole, such as a model check: it answers by the code that Step
// goes by, without a session.

// A Lead is one thing that the completion of an agent may come to.
type Lead struct {
	Trigger Trigger // as it was written
	To      string  // the state it leads to; its own state to stay
}

// FindLeads lists what the completion of an agent of this type may come to in a state, if the main agent started it there:
// one lead for each trigger that asks for a certain final message, and last the one that asks for nothing. Which of
// them it is depends on the message; it may also be none of them, unless one asks for nothing. Of triggers that ask for
// the same the first counts.
func (p *Policy) FindLeads(state, agent string) []Lead {
	in, _ := p.FindState(state)
	var out []Lead
	m := machine{find: in.trigger, guard: func(Trigger) error { return nil }, enter: func(string) {},
		record: func(t Trigger, m Move) { out = append(out, Lead{t, m.To}) }}
	for _, t := range in.Triggers {
		taken := slices.ContainsFunc(out, func(l Lead) bool { return l.Trigger.Says == t.Says })
		if taken || !MatchAgent(t.Agents, agent) {
			continue
		}
		at := p.machine(state, m)
		if !at.engine.Can(t.Name) {
			continue
		}
		if err := at.fire(t.Name); err == nil && out[len(out)-1].Trigger.Says == "" {
			return out
		}
	}
	return out
}

// FindRemedies lists the agents that a denial by this rule proposes in a state, the best first; what exactly was denied may
// put others before them where the rule does not name any.
func (p *Policy) FindRemedies(state string, r *Rule) []string { return p.remedies(state, r, "") }
