package verify

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
)

// An Intention is what may never happen, by a config's `never`: a call that gets a verdict, or a
// state that is reached. Empty conditions fit everything.
type Intention struct {
	Place      string
	Agents     []string    // patterns of callers; without them the main agent as well
	AdmittedIn []string    // states, one of which let the caller start
	Calls      []fsm.Part  // such calls
	What       string      // the calls, for people
	Most       fsm.Verdict // an answer up to this one breaks it
	State      string      // that is reached, on any way from a beginning
	Without    []string    // although no such agent completed on it; fsm.PlanApproved for an approved plan
}

// CommandParts are calls of the words of a command, or of a group of commands.
func CommandParts(pattern string) (out []fsm.Part) {
	if part, what := groupPart(pattern); what != "" {
		return []fsm.Part{part}
	}
	for _, line := range []string{pattern, pattern + " " + anyName, "sudo " + pattern} {
		out = append(out, listCommands(strings.ReplaceAll(line, "*", anyName))...)
	}
	return out
}

// ToolParts are calls of the tools that a glob means.
func ToolParts(glob string) (out []fsm.Part) {
	for _, t := range fsm.FindTools(glob) {
		part := fsm.Part{Tool: t.Name}
		switch {
		case t.Files:
			part.Path = "/" + anyName + "/" + anyName
		case t.Commands:
			part.Words = []string{anyName}
		}
		out = append(out, part)
	}
	if len(out) == 0 {
		out = append(out, fsm.Part{Tool: findMatch(glob)})
	}
	return out
}

// Prove goes through all reachable sessions, and reports each intention that fails, with the
// shortest way there.
func Prove(p *fsm.Policy, all []Intention) (out []Finding) {
	x := explore(p, nil)
	for _, it := range all {
		find := x.breakCall
		if it.State != "" {
			find = x.breakState
		}
		if f := find(it); f.Text != "" {
			f.Check, f.Severity, f.Where = "never", Problem, it.Place
			out = append(out, f)
		}
		places := x.listPlaces(it.Agents...)
		absent := without(it.Agents, func(pattern string) bool { // they are never at work
			return slices.ContainsFunc(places, func(at place) bool { return fsm.NamesAgent(pattern, at.agent) })
		})
		if len(absent) > 0 {
			out = append(out, Finding{Check: "never", Severity: Note, Where: it.Place, Names: absent,
				Text: fmt.Sprintf("%s: of %s no state that is reached lets any start", it.What,
					strings.Join(absent, ", ")),
				Hint: "it holds for them anyway: correct the names, if others are meant"})
		}
	}
	return out
}

// breakCall finds the nearest place where a caller gets what it may never get; without a text there is none.
func (x *explored) breakCall(it Intention) (best Finding) {
	for _, at := range x.listPlaces(it.Agents...) {
		if len(it.Agents) > 0 && (at.agent == "" || !fsm.MatchAgent(it.Agents, at.agent)) ||
			len(it.AdmittedIn) > 0 && (at.agent == "" || !slices.Contains(it.AdmittedIn, at.since)) {
			continue
		}
		var v fsm.Verdict
		i := slices.IndexFunc(it.Calls, func(part fsm.Part) bool {
			v = x.ask(at, []fsm.Part{part})
			return v <= it.Most
		})
		if i < 0 {
			continue
		}
		who, where, trace := cmp.Or(printName(at.agent), mainAgent), "", x.trace[at.state]
		if at.state != "" {
			where = " in " + at.state
		}
		if at.agent != "" && at.since != "" { // to where the agent starts, and on while it is at work
			trace = append(x.wayTo(at.since), at.since+": "+who+" starts")
			_, ways := x.walk(at.since)
			trace = append(trace, ways[at.state]...)
		}
		if best.Text != "" && len(trace) >= len(best.Trace) {
			continue
		}
		part := it.Calls[i]
		call := part.Tool
		if len(part.Words) > 0 {
			call = printLine(strings.Join(slices.Concat(part.Via, part.Words), " "))
		}
		best = Finding{Trace: trace, Names: []string{who},
			Text: fmt.Sprintf("%s: %s gets %s%s (%s)", it.What, who, v, where, call),
			Hint: "a rule above lets it, or one is missing: pipeline graph --powers"}
	}
	return best
}

// breakState finds a way to a state, from the first one or from where a turn has ended, on which
// nothing was completed that it needs.
func (x *explored) breakState(it Intention) (best Finding) {
	var begins []string
	if len(x.order) > 0 {
		begins = append(begins, x.order[0])
	}
	for _, name := range x.order {
		if to := x.FindState(name).OnStop; to != "" && to != it.State && x.isReached(to) {
			begins = addMissing(begins, to)
		}
	}
	for _, begin := range begins {
		_, ways := x.walk(begin, it.Without...)
		trace := append(x.wayTo(begin), ways[it.State]...)
		if ways[it.State] != nil && (best.Text == "" || len(trace) < len(best.Trace)) {
			best = Finding{Names: []string{it.State}, Trace: trace,
				Text: fmt.Sprintf("%s is reached without %s", it.State, it.What),
				Hint: "each way there must lead through it, since the session or its last turn began"}
		}
	}
	return best
}
