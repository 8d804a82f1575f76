package fsm

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm/shell"
)

// refusalText is what an agent is told when a rule objects: what, why, and what to do instead. Told again it is shorter,
// and names another way. The second result is the agent type that it proposes to delegate to.
func (st *step) refusalText(r *Rule, part Part, attempt, times int) (text, proposed string) {
	what := describe(part)
	text = st.forWhom(r, what)
	if attempt > 0 {
		text += fmt.Sprintf(" This is attempt %d of %d%s.", attempt, r.Budget, st.soFar(r.Name))
	}
	if times > 1 {
		text = fmt.Sprintf("%s is refused again (rule %s, %d times).", capital(what), orDefault(r.Name), times)
	} else if r.Reason != "" {
		text += " " + sentence(r.Reason)
	}
	way, proposed := st.instead(r, part, times)
	return short(text, 250) + way, proposed
}

func (st *step) forWhom(r *Rule, what string) string {
	if st.orchestrates() {
		return fmt.Sprintf("%s is not for the orchestrator (rule %s).", capital(what), orDefault(r.Name))
	}
	where := ""
	if len(r.States) > 0 {
		where = " in state " + st.s.Machine.State
	}
	return fmt.Sprintf("%s is not for agent %q%s (rule %s).", capital(what), short(st.e.Agent.Type, 40), where, orDefault(r.Name))
}

// soFar names the files that a budget has gone to.
func (st *step) soFar(rule string) string {
	b := st.budget(rule)
	if len(b.Files) == 0 {
		return ""
	}
	var names []string
	for _, f := range b.Files {
		names = append(names, short(filepath.Base(f), 30))
	}
	return " (so far: " + strings.Join(names, ", ") + ")"
}

// instead is the way that is open, and the agent type that it proposes. The main agent delegates; another agent reports.
func (st *step) instead(r *Rule, part Part, times int) (text, proposed string) {
	if !st.orchestrates() && len(r.DelegateTo) == 0 {
		return " Leave it out, and say in your final message what you would have done.", ""
	}
	ways := st.p.remedies(st.s.Machine.State, r, describe(part)+" "+part.Path)
	if len(ways) == 0 {
		return " Finish the turn and tell the user what is needed.", ""
	}
	if r.Describe && times == 1 {
		return st.p.described(ways, order(part)), ways[0]
	}
	agent := ways[(times-1)%len(ways)]
	if r.Example != "" && times == 1 {
		return " Instead: " + short(r.Example, 130), ""
	}
	return fmt.Sprintf(" Delegate it: Agent(subagent_type=%q, description=\"…\", prompt=%q).", agent, short(order(part), 70)), agent
}

// described lists the agents to delegate to with what each is for, and a call of the first.
func (p *Policy) described(ways []string, ask string) string {
	var out []string
	for _, name := range ways {
		line := name
		for _, a := range p.Agents {
			if sameAgent(a.Name, name) && a.Description != "" {
				line += " (" + strings.TrimRight(short(a.Description, 60), ".") + ")"
			}
		}
		out = append(out, line)
	}
	return fmt.Sprintf(" Delegate it to one of: %s. For example: Agent(subagent_type=%q, description=\"…\", prompt=%q).",
		short(strings.Join(out, ", "), 400), ways[0], short(ask, 70))
}

// order is how one would ask an agent for what was refused.
func order(part Part) string {
	file := filepath.Base(part.Path)
	if part.Path == "" || part.Path == shell.Unknown {
		file = "…"
	}
	switch part.Tool {
	case "Write", "Edit", "MultiEdit", "NotebookEdit", "Delete":
		return "Implement … in " + file
	case "Read", "Grep", "Glob":
		return "Find out … in " + file
	case "Bash":
		return "Run … and report what it prints"
	}
	return "…"
}

// describe names a part as people would.
func describe(p Part) string {
	switch {
	case p.Tool == "Bash" && len(p.Words) > 0:
		return strings.ReplaceAll(short(open(p.Words), 60), shell.Unknown, "?")
	case p.Tool == "Bash" && p.Code:
		return "a command that cannot be known before it runs"
	case p.Path == shell.Unknown:
		return p.Tool + " of a file that cannot be known"
	case p.Path != "":
		return p.Tool + " of " + short(filepath.Base(p.Path), 50)
	}
	return p.Tool
}

// open are words without their secrets: what is told is also kept.
func open(words []string) string {
	var out []string
	prev := ""
	for _, w := range words {
		shown, _ := RedactWord(prev, w)
		out, prev = append(out, shown), w
	}
	return strings.Join(out, " ")
}

func stuck(who Agent, what, rule string, times int) string {
	name := "the main agent"
	if !who.IsMain() {
		name = fmt.Sprintf("agent %q", short(who.Type, 40))
	}
	return fmt.Sprintf("%s is stuck: it wants %s and was refused %d times (rule %s)", name, what, times, orDefault(rule))
}

func orDefault(rule string) string {
	if rule == "" {
		return "default"
	}
	return rule
}

func capital(s string) string {
	if strings.HasPrefix(s, "a command") {
		return "A" + s[1:]
	}
	return s
}

func sentence(s string) string {
	s = strings.TrimSpace(s)
	if !strings.HasSuffix(s, ".") && !strings.HasSuffix(s, "!") && !strings.HasSuffix(s, "?") {
		s += "."
	}
	return s
}
