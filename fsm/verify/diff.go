package verify

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
)

// A Direction says what an edit does to what agents may do.
type Direction string

// The directions. What cannot be ordered, such as one regular expression in place of
// another, is reported in both.
const (
	Widened  Direction = "widened"
	Narrowed Direction = "narrowed"
)

// A Change is one thing that an edit of a policy lets happen, or stops.
type Change struct {
	Direction Direction `json:"direction"`
	Kind      string    `json:"kind"` // agents, moves, tools, commands, budgets or settings
	Text      string    `json:"text"`
	Old       string    `json:"old,omitempty"` // what decided before: deny by no-editing (pipeline.yaml:66)
	New       string    `json:"new,omitempty"` // what decides now
	States    []string  `json:"states,omitempty"`
	// the shortest way to where it shows: "IDLE –context-gatherer→ GATHERING"; alone, the
	// initial state
	Trace []string `json:"trace,omitempty"`

	who   string              // of calls: the caller
	calls map[string][]string // and what for, by the tool and when it is called
}

// The kinds of changes.
const (
	ofAgents   = "agents"
	ofMoves    = "moves"
	ofTools    = "tools"
	ofCommands = "commands"
	ofBudgets  = "budgets"
	ofSettings = "settings"
)

// Diff compares what two policies allow, both as under the level strict. It goes through
// both side by side, and asks both the same: so a state that only has another name is
// no change. Where the two lead to different states, what differs there is reported.
//
// It asks about calls that the rules of either policy can tell apart, and one beside
// them. What it reports is certain. It can miss a change that shows only where several
// conditions meet, such as a path that two globs have in common.
func Diff(old, changed *fsm.Policy) []Change {
	c := &comparison{old: explore(old, nil), new: explore(changed, nil), seen: map[[2]string]bool{}}
	c.probes = drawProbes(sortedUnion(c.old.listNames(), c.new.listNames()), c.old.Policy, c.new.Policy)
	c.envs = listEnvironments(slices.Concat(old.Main.List, old.Subagents.List, changed.Main.List,
		changed.Subagents.List))
	c.visit(stop{old: old.Initial, new: changed.Initial})
	for len(c.queue) > 0 {
		at := c.queue[0]
		c.queue = c.queue[1:]
		c.compareStarts(at)
		c.compareEnds(at)
		c.compareCalls(at)
	}
	c.comparePowers()
	settings := listSettings(changed, old)
	for i, s := range listSettings(old, changed) {
		directions, before, after := s.compare(settings[i])
		c.addEach(stop{}, directions, Change{Kind: ofSettings, Text: s.name, Old: before, New: after})
	}
	for i := range c.found {
		if ch := &c.found[i]; ch.who != "" {
			ch.Text = ch.who + ": " + describeCalls(ch.calls)
		}
	}
	return c.found
}

// A comparison goes through two policies at once.
type comparison struct {
	old, new *explored
	probes   []probe
	envs     []map[string]string
	seen     map[[2]string]bool
	queue    []stop
	found    []Change
}

// A stop is where the same steps lead in the two policies. Both names are empty where
// there are no states.
type stop struct {
	old, new string
	trace    []string
}

func (s stop) name() string {
	switch {
	case s.old == s.new || s.new == "":
		return s.old
	case s.old == "":
		return s.new
	}
	return s.new + " (was " + s.old + ")"
}

// then is the stop to which a step leads from here.
func (s stop) then(old, changed, step string) stop {
	to := stop{old: old, new: changed}
	to.trace = append(slices.Clone(s.trace), s.name()+" –"+step+"→ "+to.name())
	return to
}

func (c *comparison) visit(s stop) {
	if key := [2]string{s.old, s.new}; !c.seen[key] {
		c.seen[key] = true
		c.queue = append(c.queue, s)
	}
}

// add reports a change. The same change in another state is reported once, with both.
func (c *comparison) add(at stop, ch Change) *Change {
	i := slices.IndexFunc(c.found, func(f Change) bool {
		return f.Direction == ch.Direction && f.Kind == ch.Kind && f.Text == ch.Text && f.Old == ch.Old &&
			f.New == ch.New && f.who == ch.who
	})
	if i < 0 {
		if ch.Trace = at.trace; len(ch.Trace) == 0 && at.name() != "" {
			ch.Trace = []string{at.name()}
		}
		i, c.found = len(c.found), append(c.found, ch)
	}
	f := &c.found[i]
	if at.name() != "" {
		f.States = addMissing(f.States, at.name())
	}
	return f
}

// addEach reports a change in each of its directions.
func (c *comparison) addEach(at stop, directions []Direction, ch Change) {
	ch.Old, ch.New = cmp.Or(ch.Old, "none"), cmp.Or(ch.New, "none")
	for _, ch.Direction = range directions {
		c.add(at, ch)
	}
}

// directionOf tells where a change of a verdict goes.
func directionOf(old, changed fsm.Verdict) Direction {
	if changed < old {
		return Widened
	}
	return Narrowed
}

// compareStarts compares which agents may start, and where they lead.
func (c *comparison) compareStarts(at stop) {
	for _, agent := range sortedUnion(c.old.listNames(), c.new.listNames(), []string{anyName}) {
		mayBoth := false
		for _, env := range c.envs {
			old := c.old.answer(situation{c.old.newSession(at.old), env}, agent)
			changed := c.new.answer(situation{c.new.newSession(at.new), env}, agent)
			if old.Verdict != changed.Verdict {
				c.add(at, Change{Direction: directionOf(old.Verdict, changed.Verdict), Kind: ofAgents,
					Text: "start of " + printName(agent) + printValues(", with %s=%s", env), Old: describeAnswer(old),
					New: describeAnswer(changed)})
			}
			mayBoth = mayBoth || old.Verdict < fsm.Deny && changed.Verdict < fsm.Deny
		}
		if mayBoth {
			c.compareLeads(at, agent)
		}
	}
}

// compareLeads compares what the completion of an agent leads to, and goes on there. Leads that ask for the
// same final message are compared with each other, and what is left in its order.
func (c *comparison) compareLeads(at stop, agent string) {
	old, changed := c.old.FindLeads(at.old, agent), c.new.FindLeads(at.new, agent)
	for _, exact := range []bool{true, false} {
		for i := 0; i < len(old); i++ {
			j := slices.IndexFunc(changed, func(l fsm.Trigger) bool {
				return !exact || l.Says == old[i].Says
			})
			if j < 0 {
				continue
			}
			a, b := old[i], changed[j]
			c.compareCondition(at, "final message of "+printName(agent)+" that moves", a.Says, b.Says)
			c.compareCondition(at, "gate after "+printName(agent), a.Gate.Condition(), b.Gate.Condition())
			c.visit(at.then(a.To, b.To, a.Name))
			old, changed = slices.Delete(old, i, i+1), slices.Delete(changed, j, j+1)
			i--
		}
	}
	for _, l := range old {
		c.add(at, Change{Direction: Narrowed, Kind: ofMoves, Text: describeLead(agent, l), Old: l.To, New: "nowhere"})
	}
	for _, l := range changed {
		c.add(at, Change{Direction: Widened, Kind: ofMoves, Text: describeLead(agent, l), Old: "nowhere", New: l.To})
	}
}

func describeLead(agent string, l fsm.Trigger) string {
	text := "completion of " + printName(agent)
	if l.Says != "" {
		text += " that says /" + l.Says + "/"
	}
	return text
}

// compareCondition compares what must hold for something. Empty asks for nothing.
func (c *comparison) compareCondition(at stop, what, old, changed string) {
	directions, _, _ := compareLists([]string{old}, []string{changed})
	c.addEach(at, directions, Change{Kind: ofMoves, Text: what, Old: old, New: changed})
}

// compareEnds compares where the end of the turn and an approved plan lead, as far as
// these ways can be taken.
func (c *comparison) compareEnds(at stop) {
	for _, end := range []struct{ step, text string }{
		{fsm.TurnEnds, "end of the turn"}, {fsm.PlanApproved, "approved plan"},
	} {
		old, changed := c.old.findLead(at.old, end.step), c.new.findLead(at.new, end.step)
		if old != "" && changed != "" {
			c.visit(at.then(old, changed, end.step))
			continue
		}
		directions, _, _ := compareLists([]string{changed}, []string{old}) // another way out is wider
		c.addEach(at, directions, Change{Kind: ofMoves, Text: end.text, Old: cmp.Or(old, "nowhere"),
			New: cmp.Or(changed, "nowhere")})
	}
}

// comparePowers compares what agents may do where they are still at work, as far as both let them do
// the same where they start: by a rule's states instead of admitted_in.
func (c *comparison) comparePowers() {
	root := findGuardedFolder(c.old.Policy, c.new.Policy)
	old, changed := c.old.judgePlaces(root), c.new.judgePlaces(root)
	for _, at := range c.new.listPlaces() {
		was, both := old[at]
		home := place{at.since, at.agent, at.since}
		if !both || at.agent == "" || at.since == at.state || old[home] != changed[home] {
			continue
		}
		for i, name := range [4]string{"change a file", "leave the machine", "build", "run unknown code"} {
			if a, b := was[i], changed[at][i]; a != b {
				text := fmt.Sprintf("agent %s that started in %s: %s", printName(at.agent), at.since, name)
				c.add(stop{at.state, at.state, c.new.trace[at.state]}, Change{Direction: directionOf(a, b),
					Kind: ofTools, Text: text, Old: a.String(), New: b.String()})
			}
		}
	}
}

// findGuardedFolder is the folder below which agents may change nothing, by a rule of one of the
// policies: most often the project's. A policy does not say which that is.
func findGuardedFolder(policies ...*fsm.Policy) string {
	for _, p := range policies {
		for _, r := range p.Subagents.List {
			for _, glob := range r.Paths {
				folder, all := strings.CutSuffix(glob, "/**")
				if all && r.Verdict > fsm.Warn && !fsm.IsGlob(folder) {
					return folder
				}
			}
		}
	}
	return "/" + anyName
}

// compareCalls asks both policies about each call of each caller. Calls for which the same rules decide
// are one change.
func (c *comparison) compareCalls(at stop) {
	for _, env := range c.envs {
		for _, p := range c.probes {
			who := cmp.Or(map[string]string{"": mainAgent, anyName: "other agents"}[p.caller],
				"agent "+printName(p.caller))
			old := p.ask(c.old, place{at.old, p.caller, ""}, env)
			changed := p.ask(c.new, place{at.new, p.caller, ""}, env)
			for i := range old {
				if v := changed[i].Verdict; old[i].Verdict == v || min(old[i].Verdict, v) == fsm.Confine &&
					max(old[i].Verdict, v) == fsm.Ask { // a question is no stricter than what the kernel holds
					continue
				}
				ch := Change{Direction: directionOf(old[i].Verdict, changed[i].Verdict), Kind: p.kind, who: who,
					calls: map[string][]string{}, Old: describeAnswer(old[i].Decision),
					New: describeAnswer(changed[i].Decision)}
				if old[i].when != "" {
					ch.Kind = ofBudgets
				}
				f := c.add(at, ch)
				call := printName(p.part.Tool) + printValues(" with %s %s", p.input) + "\x00" + old[i].when
				f.calls[call] = append(f.calls[call], p.target+printValues(", with %s=%s", env))
				break
			}
		}
	}
}

// mostTargets bounds how many targets of a tool are named for one change.
const mostTargets = 6

// describeCalls names calls by their tools, and what for: all, if that is among it.
func describeCalls(calls map[string][]string) string {
	var out []string
	for _, call := range slices.Sorted(maps.Keys(calls)) {
		tool, when, _ := strings.Cut(call, "\x00")
		targets := sortedUnion(calls[call])
		if slices.Contains(targets, anyTarget) {
			targets = nil
		}
		if len(targets) > mostTargets {
			targets = append(targets[:mostTargets], fmt.Sprintf("and %d more", len(targets)-mostTargets))
		}
		out = append(out, strings.TrimSpace(tool+" "+strings.Join(targets, ", "))+when)
	}
	return strings.Join(out, "; ")
}

// describeAnswer says what is answered, and which rule says so.
func describeAnswer(d fsm.Decision) string {
	rule, where := d.Rule, d.Where
	if rule == "" && len(d.Parts) > 0 {
		rule, where = d.Parts[0].Rule, d.Parts[0].Where
	}
	switch {
	case rule == "", rule == "default" && d.Verdict == fsm.Pass:
		return d.Verdict.String()
	case rule == fsm.RulePipeline:
		rule = "the state"
	}
	return fmt.Sprintf("%s by %s%s", d.Verdict, rule, parenthesize(where))
}

func sortedUnion(lists ...[]string) []string {
	out := slices.Concat(lists...)
	slices.Sort(out)
	return slices.Compact(out)
}

// without is a list without some of it.
func without(list []string, is func(string) bool) []string {
	return slices.DeleteFunc(slices.Clone(list), is)
}

// addMissing adds to a list what is not in it.
func addMissing(list []string, one string) []string {
	if slices.Contains(list, one) {
		return list
	}
	return append(list, one)
}
