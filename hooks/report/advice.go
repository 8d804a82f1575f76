package report

import (
	"fmt"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// advice is a list of suggestions.
type advice []string

// addIf adds a sentence where the figures call for it.
func (a *advice) addIf(isTrue bool, format string, figures ...any) {
	if isTrue {
		*a = append(*a, fmt.Sprintf(format, figures...))
	}
}

// listAdvice is what the figures suggest. Each sentence carries its figure; where nothing
// stands out there is none.
func (r *Report) listAdvice() []string {
	out, e, s := advice{}, r.Evidence, r.Score
	out.addIf(!e.IsWhole(), "%d lines of the journals could not be read, %d records do not follow the one before and "+
		"%d are missing at the end: run pipeline audit verify before you rely on these figures.",
		e.Unread, e.Breaks, e.Missing)
	aside := s.Unguarded.Requests + s.Bypassed.Requests
	out.addIf(aside > 0, "%d of the orchestrator's %d calls (%.0f %%) are not in the score, unguarded or "+
		"bypassed; strict would have objected to %d of them.",
		aside, r.Calls.Orchestrator, percent(aside, r.Calls.Orchestrator), s.Unguarded.Objections+s.Bypassed.Objections)
	worst, others := r.adviseRules()
	out = append(out, worst...)
	var failing advice
	for _, a := range r.Agents {
		n := a.Done + a.Failed
		failing.addIf(n >= 3 && a.Failed*5 > n, "%s failed in %d of %d runs", a.Name, a.Failed, n)
	}
	out.addIf(len(failing) > 0, "%s: read what it was asked and what it said last.", strings.Join(failing, ", "))
	stopped := 0
	for _, s := range r.Pipelines.Stopped {
		stopped += s.Count
	}
	if started := r.Pipelines.Started; stopped >= 2 && stopped*3 >= started {
		most := r.Pipelines.Stopped[0]
		out.addIf(true, "%d of %d pipelines were left before their end, most of them in %s (%d).", stopped, started,
			most.State, most.Count)
	}
	c, score := r.Calls, r.ComplianceScore // an orchestrator that works itself, and is objected to for it
	out.addIf(c.Orchestrator >= 20 && c.Delegated < 50 && score != nil && *score < 90, "The main agent made %d of %d "+
		"calls itself; agents made %.0f %%. More of the work can be delegated.", c.Orchestrator, c.All, c.Delegated)
	out.addIf(e.Errors > 0, "pipeline itself failed in %d of %d records: look at their error.", e.Errors, e.Records)
	return append(out, others...)
}

// adviseRules is what follows for the rule that objected most to the orchestrator, where it made a third of at least
// three objections, and for up to three others that objected often.
func (r *Report) adviseRules() (worst, others advice) {
	counts, sum, name := map[string]int{}, 0, ""
	for _, v := range r.Breakdown {
		counts[v.Rule] += v.Count
		sum += v.Count
		if name == "" || counts[v.Rule] > counts[name] {
			name = v.Rule
		}
	}
	runs := map[string]int{}
	for _, a := range r.Agents {
		runs[a.Name] = a.Runs
	}
	for _, x := range r.Rules {
		if x.Rule != name {
			others.addIf(x.Objections >= 3 && len(others) < 3,
				"%s objected %d times: %s.", x.subject(), x.Objections, x.suggestFix())
			continue
		}
		n, fix := counts[name], ": "+x.suggestFix()+"."
		if x.Remedy != "" {
			fix = fmt.Sprintf("; its refusals name %s, which ran %d times: delegate that work from the start.",
				x.Remedy, runs[x.Remedy])
		}
		worst.addIf(n >= 3 && n*3 >= sum, "%s made %d of the %d objections to the orchestrator (%.0f %%)%s",
			x.subject(), n, sum, percent(n, sum), fix)
	}
	return worst, others
}

// subject begins a sentence with a rule and the place where it is written.
func (x Rule) subject() string {
	subject := journal.DescribeDecider(x.Rule)
	subject = strings.ToUpper(subject[:1]) + subject[1:]
	if x.Where != "" {
		return subject + " (" + x.Where + ")"
	}
	return subject
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
