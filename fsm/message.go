package fsm

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// What the machine and the rules say to agents stands in this file and in refusal.go, and short sentences where
// they are decided: one paragraph, plain text. None says how to switch anything off. Only notices for the user
// do, at the end. Agents also read the self-check (selfcheck.go), the texts of the
// config, and what the hook says when it fails or answers a typed command (cmd/pipeline).

func startOneOf(agents []string) string {
	if len(agents) == 0 {
		return "no agent may start here; finish the turn and report to the user"
	}
	return "start one of: " + listShort(agents, 160)
}

const ifMain = "If you are the main agent: "

func graphMistakes(what, mistakes string) string {
	return what + " has mistakes: " + mistakes + ". Fix them and send it again, as a ```json block with \"phases\"."
}

// checksFailed is what checks have found, for the agent that made the edit.
func checksFailed(results []CheckResult) string {
	var out []string
	for _, r := range results {
		if !r.OK && !r.Missing {
			out = append(out, fmt.Sprintf("The check %s fails:\n%s", r.Name, strings.TrimSpace(r.Output)))
		}
	}
	return strings.Join(out, "\n")
}

func gateFailed(run, output string) string {
	return fmt.Sprintf("The command %q must succeed first, and fails. The end of what it printed:\n%s",
		short(run, 80), strings.TrimSpace(output))
}

// What a pending notice is about.
type noticeKind string

const (
	asItIs       noticeKind = ""             // what Why says, at any time
	notCounted   noticeKind = "not-counted"  // an agent's result does not count
	agentFailed  noticeKind = "agent-failed" // an agent failed on which the state waits
	stateStays   noticeKind = "state-stays"  // an agent came back, and the state stays
	personAsked  noticeKind = "person-asked" // a person must agree to an agent's result
	personAgreed noticeKind = "person-agreed"
)

// wordNotice puts a notice into words, as things stand now; empty where it no longer holds.
func (st *situation) wordNotice(n PendingNotice) string {
	switch n.About {
	case notCounted:
		return fmt.Sprintf("The result of agent %q does not count: %s. %s", short(n.Agent, 60), n.Why,
			st.whereItStands())
	case agentFailed, stateStays:
		stays := fmt.Sprintf("Agent %q %s, so the pipeline stays in %s.", short(n.Agent, 60), n.Why, st.s.Machine.State)
		switch isFailed, isHere := n.About == agentFailed, n.Visit == st.s.Machine.Visit; {
		case isFailed && isHere:
			return stays + " Next: " + st.describeNext(Agent{}) + "."
		case isFailed:
			return countsAsFailed(n.Agent, n.Why)
		case isHere:
			return stays
		}
	case personAsked:
		if a := st.s.Machine.Approval; a != nil {
			return fmt.Sprintf("Agent %q came back. The user must agree before the pipeline goes on: %s. "+
				"End your turn and say so.", short(a.Agent, 60), short(a.Ask, 160))
		}
	case personAgreed:
		return strings.TrimSpace(fmt.Sprintf("The user agrees to what agent %q found. %s", short(n.Agent, 60),
			st.whereItStands()))
	case asItIs:
		return n.Why
	}
	return ""
}

func countsAsFailed(agent, why string) string {
	return fmt.Sprintf("Agent %q %s: it counts as failed.", short(agent, 60), why)
}

// moreNotices ends notices for the main agent that became too many.
const moreNotices = "More agents came back and do not count: start again what the pipeline asks for."

// The notices for the user. They alone name the user's ways out.

// describeRefused says which call was refused, why and how often, and the way out.
func (st *situation) describeRefused(d Decision, times int) string {
	what := short(cmp.Or(st.e.Tool.Native, st.e.Tool.Name), 60)
	if start := st.e.Tool.Starts; start != nil {
		what = "the start of " + short(cmp.Or(start.Type, start.Name, "a workflow"), 40)
	}
	if !st.e.Agent.IsMain() {
		what += " by " + callerName(st.e.Agent)
	}
	if d.Rule == RuleProtect {
		i := slices.IndexFunc(st.e.Tool.Parts, func(p Part) bool { return p.Guards != "" })
		return fmt.Sprintf("refused %s: agents may not touch %s, only you may", what, st.e.Tool.Parts[i].Guards)
	}
	if st.s.Machine.State != "" {
		what += " in " + st.s.Machine.State
	}
	text := fmt.Sprintf("refused %s (rule %s)", what, ruleName(d.Rule))
	if times > 1 {
		text += fmt.Sprintf(", %d times in this session", times)
	}
	return text + "; " + st.wayOut(d.Rule)
}

// wayOut is how the person lets pass what a rule refuses.
func (st *situation) wayOut(rule string) string {
	if st.p.Ceiling.binds(rule) || st.p.Ceiling.Level > Guidance {
		return "locked by " + st.p.Ceiling.Place
	}
	if st.e.Host.NoCommands {
		return "pipeline once in a terminal lets the next turn through"
	}
	return "/pipeline once lets the next turn through"
}

// askPerson asks the person for what the machine waits for.
func askPerson(a Approval, h HostInfo) string {
	what := "the result"
	if a.Again {
		what = "another result than before,"
	}
	way, pipeline := h.takesCommands("Type ")
	return fmt.Sprintf("waits for you: %s (%s %s of %s). %s%s %s, or %[6]s reject REASON",
		short(a.Ask, 160), what, a.Hash(), short(a.Agent, 60), way, pipeline, a.Command())
}
