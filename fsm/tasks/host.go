package tasks

import (
	"slices"
	"strings"
)

// A HostTask is what one TaskCreate or TaskUpdate of the host says about a task, or one entry of its list. What it leaves
// empty stays as it was.
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

// FromTasks makes a graph of the host's tasks, in the order in which they were made or changed.
func FromTasks(list []HostTask) (Graph, Progress, []Mistake) {
	g, pr, all := Graph{Source: FromHost}, Progress{}, []Mistake(nil)
	for _, t := range list {
		var found []Mistake
		g, pr, found = Amend(g, pr, t)
		all = append(all, found...)
	}
	return g, pr, all
}

// Amend takes a change of the host's tasks into their graph. What is wrong is left out of it and told.
//
// Who does a task is found, in this order, in its metadata ("agent"), in brackets at the beginning of its subject
// ("[bash-developer] write the script"), in a line "Agent: NAME" of its description, in its owner, unless that is a name
// for the main agent or the user. A task that names nobody waits for nothing and gates nothing; it is only left over until
// its status is completed, which is the model's word. A task with an agent is done when that agent is seen to stop; its
// status does not count.
func Amend(g Graph, pr Progress, t HostTask) (Graph, Progress, []Mistake) {
	r := &reader{}
	to := Graph{Mode: g.Mode, Source: FromHost, Phases: slices.Clone(g.Phases)}
	t.ID = cut(plain(t.ID), maxName)
	if t.ID == "" {
		return g, pr, []Mistake{{What: "a task without an id cannot be followed"}}
	}
	if t.Status == "deleted" {
		to = to.without(t.ID)
	} else if !r.put(&to, t) {
		return g, pr, r.found
	}
	pr = carry(g, to, pr, sameHands)
	return to, claim(to, pr, t), r.found
}

// put adds or changes a task.
func (r *reader) put(g *Graph, t HostTask) bool {
	i := g.index(t.ID)
	if i < 0 {
		if len(g.Phases) >= MaxPhases {
			r.wrong("", "there are %d tasks, more are not followed", MaxPhases)
			return false
		}
		g.Phases = append(g.Phases, Phase{ID: t.ID})
		i = len(g.Phases) - 1
	}
	p := &g.Phases[i]
	agent, title := t.names()
	if title != "" {
		p.Title = cut(title, maxTitle)
	}
	if agent != "" {
		p.Agent, p.Teammates = cut(agent, maxAgent), nil
	} else if p.Agent == "" && oneWord(t.Owner) && !leader(t.Owner) {
		p.Teammates = []Teammate{{Name: cut(t.Owner, maxAgent)}} // another owner may follow
	}
	for _, id := range t.BlockedBy {
		r.edge(g, id, t.ID)
	}
	for _, id := range t.Blocks {
		r.edge(g, t.ID, id)
	}
	return true
}

// edge lets a task wait for another, unless that would close a circle, in which nothing could ever start.
func (r *reader) edge(g *Graph, before, after string) {
	i, k := g.index(before), g.index(after)
	switch {
	case i < 0:
		r.note("", "task %s is not known here: task %s does not wait for it", quoted(before), quoted(after))
	case k < 0:
		r.note("", "task %s is not known here: it does not wait for task %s", quoted(after), quoted(before))
	case slices.Contains(g.Phases[k].After, before):
	case g.leads(k, i):
		r.wrong("", "task %s cannot wait for task %s, which waits for it", quoted(after), quoted(before))
	default:
		g.Phases[k].After = append(slices.Clone(g.Phases[k].After), before)
	}
}

// leads reports whether a phase comes, however far, before another.
func (g Graph) leads(from, to int) bool {
	seen := make([]bool, len(g.Phases))
	var look func(i int) bool
	look = func(i int) bool {
		if i == from {
			return true
		}
		if seen[i] {
			return false
		}
		seen[i] = true
		return slices.ContainsFunc(g.before(i), look)
	}
	return look(to)
}

func (g Graph) without(id string) Graph {
	g.Phases = slices.DeleteFunc(g.Phases, func(p Phase) bool { return p.ID == id })
	for i := range g.Phases {
		p := &g.Phases[i]
		p.After = slices.DeleteFunc(slices.Clone(p.After), func(a string) bool { return a == id })
	}
	return g
}

// claim marks a task that nobody is seen to do as its status says.
func claim(g Graph, pr Progress, t HostTask) Progress {
	i := g.index(t.ID)
	if i < 0 || !g.Phases[i].unseen() {
		return pr
	}
	n := slices.IndexFunc(g.slots(), func(s slot) bool { return s.phase == i })
	switch t.Status {
	case "completed":
		return pr.write(n, done)
	case "pending", "in_progress":
		return pr.write(n, pending)
	}
	return pr
}

// names finds the agent that a task is written for, and its title without it.
func (t HostTask) names() (agent, title string) {
	title = plain(t.Subject)
	if rest, ok := strings.CutPrefix(title, "["); ok {
		if name, after, ok := strings.Cut(rest, "]"); ok && oneWord(name) {
			agent, title = name, strings.TrimSpace(after)
		}
	}
	for line := range strings.Lines(t.Description) {
		key, name, ok := strings.Cut(line, ":")
		if ok && agent == "" && strings.EqualFold(strings.Trim(key, " \t*-_"), "agent") {
			if name = strings.Trim(name, " \t\r\n*`\"."); oneWord(name) {
				agent = name
			}
		}
	}
	if oneWord(t.Agent) {
		agent = t.Agent
	}
	return agent, title
}

func oneWord(s string) bool { return len(strings.Fields(s)) == 1 && plain(s) == s }

// leader reports whether an owner is the main agent, which starts others, or the user. "team-lead" is what Claude Code
// calls the main agent of a team (2.1.329); the others are what models write.
func leader(owner string) bool {
	return slices.Contains([]string{"team-lead", "lead", "main", "orchestrator", "claude", "assistant", "me", "user"}, strings.ToLower(owner))
}
