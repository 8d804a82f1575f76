package report

import (
	"fmt"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

// listAdvice is what the figures suggest. Each sentence carries its figure; where nothing
// stands out there is none.
func (r *Report) listAdvice() []string {
	out := []string{}
	for _, find := range []func() string{r.adviseAudit, r.adviseUnscored, r.adviseWorstRule, r.adviseRepeated,
		r.adviseSteps, r.adviseFailures, r.adviseUnfinished, r.adviseDelegation, r.adviseConcentration,
		r.adviseOwnErrors} {
		if s := find(); s != "" {
			out = append(out, s)
		}
	}
	return append(out, r.adviseOtherRules()...)
}

func (r *Report) adviseAudit() string {
	e := r.Evidence
	if e.Unread+e.Breaks == 0 && e.Missing == 0 {
		return ""
	}
	return fmt.Sprintf("%d lines of the journals could not be read, %d records do not follow the one before and "+
		"%d are missing at the end: run pipeline audit verify before you rely on these figures.",
		e.Unread, e.Breaks, e.Missing)
}

func (r *Report) adviseUnscored() string {
	s := r.Score
	aside := s.Unguarded.Requests + s.Bypassed.Requests
	if aside == 0 {
		return ""
	}
	return fmt.Sprintf("%d of the orchestrator's %d calls (%.0f %%) are not in the score, unguarded or "+
		"bypassed; strict would have objected to %d of them.",
		aside, r.Calls.Orchestrator, percent(aside, r.Calls.Orchestrator), s.Unguarded.Objections+s.Bypassed.Objections)
}

// adviseWorstRule: one rule makes up a third of at least three objections to the
// orchestrator.
func (r *Report) adviseWorstRule() string {
	worst, n, sum := r.findWorst()
	if n < 3 || n*3 < sum {
		return ""
	}
	out := fmt.Sprintf("%s made %d of the %d objections to the orchestrator (%.0f %%)", r.describeRule(worst), n, sum,
		percent(n, sum))
	if remedy := r.findRule(worst).Remedy; remedy != "" {
		return out + fmt.Sprintf("; its refusals name %s, which ran %d times: delegate that work from the start.",
			remedy, r.countRuns(remedy))
	}
	return out + ": " + r.findRule(worst).suggestFix() + "."
}

// findWorst finds the rule that objected most to the orchestrator, and how often, of all
// objections to it.
func (r *Report) findWorst() (worst string, n, sum int) {
	counts := map[string]int{}
	for _, v := range r.Breakdown {
		counts[v.Rule] += v.Count
		sum += v.Count
		if worst == "" || counts[v.Rule] > counts[worst] {
			worst = v.Rule
		}
	}
	return worst, counts[worst], sum
}

// adviseOtherRules is what follows for up to three more rules that objected often.
func (r *Report) adviseOtherRules() []string {
	out := []string{}
	worst, _, _ := r.findWorst()
	for _, x := range r.Rules {
		isStep := x.Kind == fsm.RulePipeline && r.adviseSteps() != "" // which says it already
		if x.Objections >= 3 && len(out) < 3 && x.Rule != worst && !isStep {
			out = append(out,
				fmt.Sprintf("%s objected %d times: %s.", r.describeRule(x.Rule), x.Objections, x.suggestFix()))
		}
	}
	return out
}

// suggestFix is what can be done about a kind of violation.
func (x Rule) suggestFix() string {
	switch x.Kind {
	case fsm.RulePipeline:
		return "add the agent to the state, or say in the state's inject which agent comes first"
	case fsm.RuleProtect:
		return "read with pipeline log --rule protect what the agents tried"
	case fsm.RuleLimits:
		return "plan fewer agents at once, or raise the limit"
	case fsm.RuleTasks:
		return "agents start out of the plan's order: compare with pipeline tasks"
	}
	switch x.Tool {
	case "Edit", "MultiEdit", "Write", "NotebookEdit":
		return "have a worker edit files: name one in delegate_to, or narrow the rule's paths"
	case "Read":
		return "have an agent read for the main agent, or raise the budget"
	case "Grep", "Glob", "WebSearch", "WebFetch":
		return "have an agent search: name one in delegate_to"
	case "Bash", "PowerShell":
		return "allow the commands that only look, and name in delegate_to who runs the others"
	}
	return "look whether the rule or the habit is wrong"
}

func (r *Report) findRule(name string) Rule {
	for _, x := range r.Rules {
		if x.Rule == name {
			return x
		}
	}
	return Rule{}
}

// describeRule begins a sentence with a rule and the place where it is written.
func (r *Report) describeRule(name string) string {
	subject := journal.DescribeDecider(name)
	subject = strings.ToUpper(subject[:1]) + subject[1:]
	if at := r.findRule(name).Where; at != "" {
		return subject + " (" + at + ")"
	}
	return subject
}

func (r *Report) countRuns(agent string) int {
	for _, a := range r.Agents {
		if a.Name == agent {
			return a.Runs
		}
	}
	return 0
}

func (r *Report) adviseRepeated() string {
	if len(r.Repeated) == 0 || r.Repeated[0].Count < 3 {
		return ""
	}
	x := r.Repeated[0]
	return fmt.Sprintf("%q was asked for %d times in session %s against %s: the refusal did not get "+
		"through; give the rule a reason or a delegate_to that the agent can follow.",
		visible.Shorten(x.What, 60), x.Count, x.Session, journal.DescribeDecider(x.Rule))
}

func (r *Report) adviseSteps() string {
	if len(r.Steps) == 0 || r.Steps[0].Count < 3 {
		return ""
	}
	s := r.Steps[0]
	return fmt.Sprintf("Starting %s in state %s was objected to %d times: let it run there as a helper, or say "+
		"in the state's inject what comes first.", s.Agent, s.State, s.Count)
}

func (r *Report) adviseFailures() string {
	var bad []string
	for _, a := range r.Agents {
		if n := a.Done + a.Failed; n >= 3 && a.Failed*5 > n {
			bad = append(bad, fmt.Sprintf("%s failed in %d of %d runs", a.Name, a.Failed, n))
		}
	}
	if len(bad) == 0 {
		return ""
	}
	return strings.Join(bad, ", ") + ": read what it was asked and what it said last."
}

func (r *Report) adviseUnfinished() string {
	p := r.Pipelines
	stopped := 0
	for _, s := range p.Stopped {
		stopped += s.Count
	}
	if stopped < 2 || stopped*3 < p.Started {
		return ""
	}
	return fmt.Sprintf("%d of %d pipelines were left before their end, most of them in %s (%d).", stopped, p.Started,
		p.Stopped[0].State, p.Stopped[0].Count)
}

// adviseDelegation: an orchestrator that does the work itself, and is objected to for it.
func (r *Report) adviseDelegation() string {
	c := r.Calls
	if c.Orchestrator < 20 || c.Delegated >= 50 || r.ComplianceScore == nil || *r.ComplianceScore >= 90 {
		return ""
	}
	return fmt.Sprintf("The main agent made %d of %d calls itself; agents made %.0f %%. More of the work can be "+
		"delegated.", c.Orchestrator, c.All, c.Delegated)
}

func (r *Report) adviseConcentration() string {
	for _, c := range r.Concentration {
		if c.By == "session" && !c.Spread {
			return fmt.Sprintf("%d of %d sessions hold %.0f %% of the objections, first of all %s: look at "+
				"those before you change a rule for all.", c.Holding, c.Among, c.Share, r.Sessions[0].Name)
		}
	}
	return ""
}

func (r *Report) adviseOwnErrors() string {
	if r.Evidence.Errors == 0 {
		return ""
	}
	return fmt.Sprintf("pipeline itself failed in %d of %d records: look at their error.", r.Evidence.Errors,
		r.Evidence.Records)
}
