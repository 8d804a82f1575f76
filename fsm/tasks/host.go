package tasks

import (
	"slices"
	"strings"
)

// A HostTask is what one TaskCreate or TaskUpdate of the host says about a task, or one
// entry of its list. What it leaves empty stays as it was.
type HostTask struct {
	ID          string   `json:"id,omitempty"`          // TaskCreate: tool_response.task.id; TaskUpdate: taskId
	Subject     string   `json:"subject,omitempty"`     // both
	Description string   `json:"description,omitempty"` // both
	Agent       string   `json:"agent,omitempty"`       // metadata.agent, if there is one
	Owner       string   `json:"owner,omitempty"`       // TaskUpdate
	Status      string   `json:"status,omitempty"`      // pending, in_progress, completed, deleted
	BlockedBy   []string `json:"blocked_by,omitempty"`  // TaskUpdate's addBlockedBy; TaskList's blockedBy
	Blocks      []string `json:"blocks,omitempty"`      // TaskUpdate's addBlocks
}

// AmendGraph applies a change of one of the host's tasks to their graph. What is wrong is left
// out and reported. The agent of a task is, in this order:
//
//  1. "agent" in its metadata;
//  2. the name in brackets at the start of its subject ("[bash-developer] write it");
//  3. the name in a line "Agent: NAME" of its description;
//  4. its owner, unless that is a name for the main agent or the user.
//
// A task with an agent is done when that agent is seen to stop; its status is ignored. A
// task without an agent waits for nothing, and none waits for it. It is left until its
// status is completed, which is only the model's claim.
func AmendGraph(g Graph, pr Progress, t HostTask) (Graph, Progress, []Mistake) {
	r := &reader{}
	to := Graph{Mode: g.Mode, Source: FromHost, Phases: slices.Clone(g.Phases)}
	t.ID = shorten(plainText(t.ID), maxName)
	if t.ID == "" {
		return g, pr, []Mistake{{What: "a task without an id cannot be tracked"}}
	}
	if t.Status == "deleted" {
		to.Phases = slices.DeleteFunc(to.Phases, func(p Phase) bool { return p.ID == t.ID })
		for i := range to.Phases {
			p := &to.Phases[i]
			p.After = slices.DeleteFunc(slices.Clone(p.After), func(a string) bool { return a == t.ID })
		}
	} else if !r.putTask(&to, t) {
		return g, pr, r.found
	}
	pr = carryProgress(g, to, pr, haveSameWorkers)
	if i := to.indexOf(t.ID); i >= 0 && to.Phases[i].isUnseen() { // its status is all that is known of it
		n := slices.IndexFunc(to.listSlots(), func(s slot) bool { return s.phase == i })
		switch t.Status {
		case "completed":
			pr = pr.writeMark(n, done)
		case "pending", "in_progress":
			pr = pr.writeMark(n, pending)
		}
	}
	return to, pr, r.found
}

// putTask adds or changes a task.
func (r *reader) putTask(g *Graph, t HostTask) bool {
	i := g.indexOf(t.ID)
	switch {
	case i < 0 && len(g.Phases) >= MaxPhases:
		r.addError("", "there are %d tasks, more are not tracked", MaxPhases)
		return false
	case i < 0:
		i, g.Phases = len(g.Phases), append(g.Phases, Phase{ID: t.ID})
	}
	p := &g.Phases[i]
	// The main agent, which starts others, or the user. Claude Code 2.1.329 calls the main agent of a team "team-lead";
	// models write the others.
	leaders := []string{"team-lead", "lead", "main", "orchestrator", "claude", "assistant", "me", "user"}
	agent, title := t.agentAndTitle()
	if title != "" {
		p.Title = shorten(title, maxTitle)
	}
	if agent != "" {
		p.Agent, p.Teammates = shorten(agent, maxAgent), nil
	} else if p.Agent == "" && isOneWord(t.Owner) && !slices.Contains(leaders, strings.ToLower(t.Owner)) {
		p.Teammates = []Teammate{{Name: shorten(t.Owner, maxAgent)}} // another owner may follow
	}
	for _, id := range t.BlockedBy {
		r.addEdge(g, id, t.ID)
	}
	for _, id := range t.Blocks {
		r.addEdge(g, t.ID, id)
	}
	return true
}

// addEdge lets a task wait for another, unless that closes a cycle, in which nothing
// could start.
func (r *reader) addEdge(g *Graph, before, after string) {
	i, k := g.indexOf(before), g.indexOf(after)
	ahead := make([]bool, len(g.Phases))
	if i >= 0 {
		g.markBefore(i, ahead, true)
	}
	switch {
	case i < 0:
		r.addNote("", "task %s is not known here: task %s does not wait for it", quoteName(before), quoteName(after))
	case k < 0:
		r.addNote("", "task %s is not known here: it does not wait for task %s", quoteName(after), quoteName(before))
	case slices.Contains(g.Phases[k].After, before):
	case i == k || ahead[k]:
		r.addError("", "task %s cannot wait for task %s, which waits for it", quoteName(after), quoteName(before))
	default:
		g.Phases[k].After = append(slices.Clone(g.Phases[k].After), before)
	}
}

// agentAndTitle finds the agent that a task is written for, and its title without it.
func (t HostTask) agentAndTitle() (agent, title string) {
	title = plainText(t.Subject)
	if rest, ok := strings.CutPrefix(title, "["); ok {
		if name, after, ok := strings.Cut(rest, "]"); ok && isOneWord(name) {
			agent, title = name, strings.TrimSpace(after)
		}
	}
	for line := range strings.Lines(t.Description) {
		key, name, ok := strings.Cut(line, ":")
		if ok && agent == "" && strings.EqualFold(strings.Trim(key, " \t*-_"), "agent") {
			if name = strings.Trim(name, " \t\r\n*`\"."); isOneWord(name) {
				agent = name
			}
		}
	}
	if isOneWord(t.Agent) {
		agent = t.Agent
	}
	return agent, title
}

func isOneWord(s string) bool { return len(strings.Fields(s)) == 1 && plainText(s) == s }
