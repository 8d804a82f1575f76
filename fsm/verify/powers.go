package verify

import (
	"cmp"
	"slices"
	"strings"

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

// powerProbes lists the calls that stand for each power: the columns of the matrix.
func powerProbes(root string) [4][]fsm.Part {
	remote, _ := commandPart("git push")
	build, _ := groupPart(fsm.BuildCommands)
	return [4][]fsm.Part{ChangingParts(root), {remote}, {build}, {{Tool: "Bash", Words: []string{anyName}, Code: true}}}
}

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
	d := drawer{rules: slices.Concat(x.p.Main.List, x.p.Subagents.List)}
	for _, part := range parts {
		d.add("", "", part, []map[string]string{nil})
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

// listWorkers lists agents that represent all that a state lets in and that rules or other
// patterns tell apart. Without states they are all.
func (x *explored) listWorkers(state string, patterns ...string) (out []string) {
	for _, r := range x.p.Subagents.List {
		patterns = append(patterns, r.Agents...)
	}
	names := x.listNames()
	for _, pattern := range append(patterns, "*") {
		names = append(names, listMatches(pattern)...)
	}
	for _, name := range names {
		_, ok := x.table.Admits(state, name)
		if (ok || len(x.p.States) == 0) && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// listPlaces lists where agents may be at work: where they start, and wherever the session may move
// meanwhile.
func (x *explored) listPlaces(patterns ...string) (out []place) {
	if len(x.p.States) == 0 {
		out = append(out, place{})
		for _, agent := range x.listWorkers("", patterns...) {
			out = append(out, place{agent: agent})
		}
		return out
	}
	for _, state := range x.order {
		out = append(out, place{state: state})
		for _, since := range x.order {
			if since == state || x.canReach(since, []string{state}) {
				for _, agent := range x.listWorkers(since, patterns...) {
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
	known := x.judgePlaces(root)
	for _, at := range x.listPlaces() {
		row := known[at]
		if at.since != at.state {
			home := known[place{at.since, at.agent, at.since}]
			if row.cells() == home.cells() {
				continue
			}
			row.Since = at.since
		}
		i := slices.IndexFunc(out, func(o Powers) bool {
			return o.State == row.State && o.Since == row.Since && o.cells() == row.cells() &&
				(o.Agents[0] == mainAgent) == (at.agent == "")
		})
		who := cmp.Or(printName(at.agent), mainAgent)
		if i < 0 {
			row.Agents, i = nil, len(out)
			out = append(out, row)
		}
		if !slices.Contains(out[i].Agents, who) {
			out[i].Agents = append(out[i].Agents, who)
		}
	}
	for i, w := range out { // the name of a glob is enough
		out[i].Agents = slices.DeleteFunc(slices.Clone(w.Agents),
			func(a string) bool { return slices.Contains(w.Agents, a+"*") })
	}
	return out
}

// judgePlaces judges all calls at all places.
func (x *explored) judgePlaces(root string) map[place]Powers {
	out, probes := map[place]Powers{}, powerProbes(root)
	for _, at := range x.listPlaces() {
		row := Powers{State: at.state}
		for i, cell := range row.columns() {
			*cell = printPower(x.ask(at, probes[i]))
		}
		out[at] = row
	}
	return out
}

func (w *Powers) columns() [4]*string { return [4]*string{&w.Write, &w.Leave, &w.Build, &w.Unknown} }

func (w *Powers) cells() [4]string { return [4]string{w.Write, w.Leave, w.Build, w.Unknown} }

// printPower prints a verdict. A warning stops nothing.
func printPower(v fsm.Verdict) string { return strings.ReplaceAll(v.String(), "warn", "pass") }
