package report

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// A run is an agent at work, from its start to its stop.
type run struct {
	agent string
	from  time.Time
}

// An agent is what is kept of an agent type until the report is made.
type agent struct {
	Agent
	took []float64 // seconds, of the runs that came to an end
}

func newAgent(name string) agent { return agent{Agent: Agent{Tally: newTally(name)}} }

// unfinished is how a run ended that had not ended when the records did.
const unfinished = "unfinished"

// trackRun takes up an agent that starts and ends those that the session no longer
// counts as running.
func (t *track) trackRun(e *journal.Line, counts bool) {
	switch e.Kind {
	case fsm.ToolRequest:
		return
	case fsm.ToolResult, fsm.ToolFailure:
		if e.AgentID != "" {
			return // an agent's own calls end no agent
		}
	case fsm.AgentStart:
		t.startRun(e, counts)
		return
	}
	if len(t.open) > 0 {
		t.settleRuns(e)
	}
}

func (t *track) startRun(e *journal.Line, counts bool) {
	if _, ok := t.open[e.AgentID]; ok || e.AgentID == "" {
		return
	}
	t.open[strings.Clone(e.AgentID)] = &run{agent: strings.Clone(agentName(e)), from: e.Time}
	if c := &t.c.r.Concurrency; counts && len(t.open) > c.Max {
		*c = Concurrency{len(t.open), e.Time, t.id}
	}
}

// settleRuns ends the runs of which the record says how they ended.
func (t *track) settleRuns(e *journal.Line) {
	e.Session().Get("agents.runs").ForEach(func(_, a gjson.Result) bool {
		id, how := a.Get("id").Str, fsm.Status(a.Get("status").Str)
		r, ok := t.open[id]
		if !ok || how == fsm.Running || how == fsm.Waiting {
			return true
		}
		if a.Get("quarantined").Str != "" {
			how = "barred"
		}
		t.endRun(id, r, e.Time, how)
		return true
	})
}

func (t *track) endRun(id string, r *run, at time.Time, how fsm.Status) {
	delete(t.open, id)
	if at.Before(t.c.Since) {
		return
	}
	a := t.c.agents.at(r.agent, newAgent)
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
		a.Barred++
	}
	if how == fsm.Done || how == fsm.Failed {
		a.took = append(a.took, at.Sub(r.from).Seconds())
	}
	t.addToTimeline(func(l *Timeline) {
		if len(l.Agents) >= spans {
			l.Omitted++
			return
		}
		l.Agents = append(l.Agents, Span{r.agent, r.from, at, strings.Clone(string(how))})
	})
}

func (c *collector) listAgents() []Agent {
	out := []Agent{}
	for _, a := range c.agents {
		a.conclude()
		out = append(out, a.Agent)
	}
	slices.SortFunc(out, func(a, b Agent) int {
		return cmp.Or(b.Runs-a.Runs, b.Requests-a.Requests, strings.Compare(a.Name, b.Name))
	})
	return out
}

func (a *agent) conclude() {
	if n := a.Done + a.Failed; n > 0 {
		rate := percent(a.Done, n)
		a.Success = &rate
	}
	slices.Sort(a.took)
	if n := len(a.took); n > 0 {
		a.Median, a.Longest = (a.took[(n-1)/2]+a.took[n/2])/2, a.took[n-1]
	}
}
