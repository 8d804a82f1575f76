package fsm

import (
	"fmt"
	"strings"
)

// Every sentence that an agent may read stands in this file or in refusal.go: one paragraph, plain text, short, saying
// what may not be, why, and what to do instead. None says how to switch anything off.

func mayNotStart(state string, start Start, agent string, next []string) string {
	agent, name, instead := short(agent, 60), short(start.Name, 60), startOne(next)
	switch start.How {
	case BySkill:
		return fmt.Sprintf("The pipeline is in state %s, where skill %q may not start an agent; %s.", state, name, instead)
	case ByWorkflow:
		return fmt.Sprintf("The pipeline is in state %s, where a workflow may not start agents; %s.", state, instead)
	case ByShell:
		return fmt.Sprintf("Starting %s from a shell is a delegation that the pipeline cannot follow; use the Agent tool: %s.", agent, instead)
	case ByMessage:
		return fmt.Sprintf("The pipeline is in state %s, where agent %q may not be resumed; %s.", state, agent, instead)
	}
	return fmt.Sprintf("The pipeline is in state %s, where agent %q may not run; %s.", state, agent, instead)
}

func quarantined(r Run, next []string) string {
	return fmt.Sprintf("Agent %q was started in state %s, which does not admit it, so it may use no tool. Report that and finish; the main agent can %s.",
		short(r.Type, 60), r.Quarantined, startOne(next))
}

func guarded(what string) string {
	return fmt.Sprintf("This would change %s, which is the user's to change, not an agent's. Go on with the task, or tell the user what you need changed and why.", what)
}

func startOne(next []string) string {
	if len(next) == 0 {
		return "no agent may start here; finish the turn and report to the user"
	}
	return "start one of: " + short(strings.Join(next, ", "), 160)
}

func stands(state string, next []string) string {
	if state == "" {
		return ""
	}
	return fmt.Sprintf("The pipeline is in state %s; %s.", state, startOne(next))
}

func notYet(agent, phase string, first, ready []string) string {
	text := fmt.Sprintf("Agent %q has its turn in phase %s of the plan, which waits for: %s.", short(agent, 60), short(phase, 60), short(strings.Join(first, ", "), 140))
	if len(ready) > 0 {
		text += " Ready now: " + short(strings.Join(ready, ", "), 120) + "."
	}
	return text
}

func tooMany(n, most int, running []Run) string {
	var types []string
	for _, r := range running {
		types = append(types, r.Type)
	}
	text := many(n, "agent is", "agents are") + fmt.Sprintf(" at work or about to start, and at most %d may at once. Wait until one has come back", most)
	if len(types) > 0 {
		text += ": " + short(strings.Join(types, ", "), 200)
	}
	return text + "."
}

// many counts things in words.
func many(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprint(n, " ", more)
}

func tooDeep(depth, deepest int) string {
	return fmt.Sprintf("This agent would run at depth %d, and agents may run %d deep at most. Do this part yourself, or report that it should be delegated.", depth, deepest)
}

func wrongGraph(what, mistakes string) string {
	return what + " has mistakes: " + mistakes + ". Mend them and give it again, as a ```json block with \"phases\"."
}

func noGraph(file string) string {
	return "There is no task graph in " + file + ": neither JSON nor a ```json block with \"phases\"."
}

func otherForm(pattern string) string {
	return "Your final message does not have the form that was agreed on. It must match this regular expression: " + short(pattern, 160) + ". Finish with a message of that form; put the details into a file if it names one."
}

func noFile(name string) string {
	return "Your final message names the file " + short(name, 160) + ", which does not exist. Write it, then finish with the same message."
}

func gateFailed(run, output string) string {
	return fmt.Sprintf("The command %q must succeed first, and fails. The end of what it printed:\n%s", short(run, 80), strings.TrimSpace(output))
}

func ifMain(s string) string {
	if s == "" {
		return ""
	}
	return "If you are the main agent: " + s
}

func stayed(agent, why, state string) string {
	return fmt.Sprintf("Agent %q %s, so the pipeline stays in %s.", short(agent, 60), why, state)
}

// short cuts a text at a word, to at most n characters.
func short(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	cut := string(r[:n-1])
	if i := strings.LastIndex(cut, " "); i > n/2 {
		cut = cut[:i]
	}
	return cut + "…"
}
