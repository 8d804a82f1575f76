package verify

import (
	"cmp"
	"slices"

	"github.com/agent-pipeline/pipeline/fsm"
)

// Powers are what may be done at one place of a pipeline, by the most lenient answer to such calls.
type Powers struct {
	State   string   `json:"state"`
	Agents  []string `json:"agents"`                // those that may do the same; "main agent"
	Since   string   `json:"admitted_in,omitempty"` // the state that let them start, where it is another
	Write   string   `json:"write"`                 // change a file of the project
	Leave   string   `json:"leave"`                 // leave the machine
	Build   string   `json:"build"`                 // build or run the project
	Unknown string   `json:"unknown"`               // run code that cannot be known
}

// mainAgent is what people read of it.
const mainAgent = "main agent"

// ChangingParts are calls that change a file of the project in this folder.
func ChangingParts(root string) (out []fsm.Part) {
	for _, t := range fsm.KnownTools() {
		if t.Files && !t.Reads {
			out = append(out, fsm.Part{Tool: t.Name, Path: root + "/" + anyName + "/" + anyName})
		}
	}
	return out
}

// ask is the most lenient answer to calls of an agent, in any environment and on any system, first or later.
func (x *explored) ask(at place, parts []fsm.Part) fsm.Verdict {
	d := drawer{rules: slices.Concat(x.Main.List, x.Subagents.List)}
	for _, part := range parts {
		d.add(probe{part: part})
	}
	least := fsm.Deny
	for _, env := range listEnvironments(d.rules) {
		for _, p := range d.out {
			for _, a := range p.ask(x, at, env) {
				least = min(least, a.Verdict)
			}
		}
	}
	return least
}

// listPlaces lists where agents may be at work: where they start, and wherever the session may move
// meanwhile.
func (x *explored) listPlaces(patterns ...string) (out []place) {
	states := x.order
	if len(x.States) == 0 {
		states = []string{""}
	}
	ways := map[string]map[string][]string{}
	for _, since := range states {
		_, ways[since] = x.walk(since)
	}
	for _, state := range states {
		out = append(out, place{state: state})
		for _, since := range states {
			if ways[since][state] != nil {
				for _, agent := range x.listCandidates(since, patterns...) {
					out = append(out, place{state, agent, since})
				}
			}
		}
	}
	return out
}

// ListPowers lists who may do what, by state: the main agent, the agents that may start there, and
// those that started elsewhere, where they may do something else than there. Agents that may do the
// same are one row. The root is the project's folder.
func ListPowers(p *fsm.Policy, root string) (out []Powers) {
	x := explore(p, nil)
	known, homes := x.judgePlaces(root), []place{} // and one place for each row
	for _, at := range x.listPlaces() {
		row, can := Powers{State: at.state}, known[at]
		if at.agent != "" && at.since != at.state {
			if can == known[place{at.since, at.agent, at.since}] {
				continue
			}
			row.Since = at.since
		}
		i := slices.IndexFunc(homes, func(o place) bool {
			return o.state == at.state && o.since == at.since && known[o] == can && (o.agent == "") == (at.agent == "")
		})
		if i < 0 {
			row.Write, row.Leave = can[0].String(), can[1].String()
			row.Build, row.Unknown = can[2].String(), can[3].String()
			i, out, homes = len(out), append(out, row), append(homes, at)
		}
		out[i].Agents = addMissing(out[i].Agents, cmp.Or(printName(at.agent), mainAgent))
	}
	for i, w := range out { // the name of a glob is enough
		out[i].Agents = without(w.Agents, func(a string) bool { return slices.Contains(w.Agents, a+"*") })
	}
	return out
}

// judgePlaces judges the calls of each power at all places. A warning stops nothing.
func (x *explored) judgePlaces(root string) map[place][4]fsm.Verdict {
	remote, _ := commandPart("git push")
	build, _ := groupPart(fsm.BuildCommands)
	probes := [4][]fsm.Part{ // the calls that stand for each power: the columns of the matrix
		ChangingParts(root), {remote}, {build}, {{Tool: "Bash", Words: []string{anyName}, Code: true}}}
	out := map[place][4]fsm.Verdict{}
	for _, at := range x.listPlaces() {
		var can [4]fsm.Verdict
		for i, parts := range probes {
			if can[i] = x.ask(at, parts); can[i] == fsm.Warn {
				can[i] = fsm.Pass
			}
		}
		out[at] = can
	}
	return out
}
