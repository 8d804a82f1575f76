package config

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/agent-pipeline/pipeline/fsm"
)

// A State is what one state of the pipeline allows, and where it leads.
type State struct {
	Agents     []string `koanf:"agents" as:"pattern"`
	OnComplete string   `koanf:"on_complete" as:"state"`
	Capture    string   `koanf:"capture" as:"capture"`
	Helpers    []string `koanf:"helpers" as:"pattern"`
	Moves      []Move   `koanf:"moves"`
	OnStop     string   `koanf:"on_stop" as:"state"`
	OnPlan     string   `koanf:"on_plan" as:"state"`
	Clear      []string `koanf:"clear" as:"captured"`
	Inject     string   `koanf:"inject" as:"template"`
	Brief      string   `koanf:"brief" as:"template"`
}

// A Move leads to another state than on_complete.
type Move struct {
	Agent   string `koanf:"agent" must:"be" as:"pattern"`
	Says    string `koanf:"says" as:"regexp"`
	To      string `koanf:"to" must:"be" as:"state"`
	Capture string `koanf:"capture" as:"capture"`
	Gate    Gate   `koanf:"gate"`
}

// stateNames lists the states as they are written, also those that could not be decoded.
func (k *checker) stateNames() []string { return k.keysBelow("states") }

func (k *checker) checkInitial() {
	names := k.stateNames()
	switch {
	case k.bad["states"]:
	case k.Initial == "" && len(names) > 0:
		k.reportMissing("initial", "NAME", ", the state in which a session begins")
	case k.Initial != "" && len(names) == 0:
		k.reportKey("initial", "found `initial` without `states`, expected both or neither", "")
	case k.Initial != "":
		if message, hint := k.checkTarget(k.Initial); message != "" {
			k.report("initial", message, hint)
		}
	}
}

// checkTarget checks that a state exists.
func (k *checker) checkTarget(name string) (message, hint string) {
	if k.bad["states"] {
		return "", ""
	}
	return wantOneOf(k.stateNames(), "an existing state", "states")(name)
}

func (k *checker) checkCaptured(name string) (message, hint string) {
	return wantOneOf(k.captureNames(), "the name of a capture", "captures")(name)
}

// captureNames lists the names under which any state keeps a message.
func (k *checker) captureNames() []string {
	names := map[string]bool{}
	for _, s := range k.States {
		names[s.Capture] = true
		for _, m := range s.Moves {
			names[m.Capture] = true
		}
	}
	delete(names, "")
	return slices.Sorted(maps.Keys(names))
}

// checkStates reports keys that have no effect, and what goes wrong between the triggers of a
// state.
func (k *checker) checkStates() {
	for _, name := range k.stateNames() {
		s, at := k.States[name], to("states", name)
		if len(s.Agents)+len(s.Helpers)+len(s.Moves) == 0 && s.OnPlan == "" {
			k.reportKey(at, "found a state in which no agent may run, expected `agents`, `helpers` or `moves`", "")
			continue
		}
		k.checkBeside(at, "on_complete", "the agents that complete the state", "agents")
		k.checkBeside(at, "capture", "the agents whose message is kept", "agents", "on_plan")
		k.checkBeside(at, "on_stop", "the agents that work until the turn ends", "agents", "moves")
		for i, m := range s.Moves {
			k.checkGate(m.Gate, at.key("moves").item(i).key("gate"))
		}
		all := s.listTriggers(name)
		for i, t := range all { // of agents that are named twice only the first has an effect
			if j := slices.IndexFunc(all[:i], t.isCoveredBy); j >= 0 {
				message := "found %s twice in this state, first on line %d"
				hint := "remove one of them: only the first has an effect"
				if t.Says != all[j].Says {
					message, hint = "found %s below line %d, where any message of this agent moves the state",
						"put the move with `says` first"
				}
				k.report(t.agentAt, fmt.Sprintf(message, quoteShort(t.Name), k.lineOf(all[j].agentAt)), hint)
			}
		}
	}
}

// A writtenTrigger is a trigger, the pattern of its agents as the user wrote it, and where.
type writtenTrigger struct {
	fsm.Trigger
	agent   string
	at      trail
	agentAt trail
}

// listTriggers lists a state's triggers in the order in which they are tried: moves, agents,
// helpers.
func (s State) listTriggers(name string) (all []writtenTrigger) {
	at := to("states", name)
	for i, m := range s.Moves {
		t := fsm.Trigger{Name: m.Agent, Says: m.Says, To: m.To, Capture: m.Capture, Gate: m.Gate.compile()}
		if m.Says != "" {
			t.Name += " says /" + m.Says + "/"
		}
		here := at.key("moves").item(i)
		all = append(all, writtenTrigger{t, m.Agent, here, here.key("agent")})
	}
	for i, a := range s.Agents {
		here := at.key("agents").item(i)
		t := fsm.Trigger{Name: a, To: cmp.Or(s.OnComplete, name), Capture: s.Capture}
		all = append(all, writtenTrigger{t, a, here, here})
	}
	for i, a := range s.Helpers {
		here := at.key("helpers").item(i)
		all = append(all, writtenTrigger{fsm.Trigger{Name: a, To: name, Helper: true}, a, here, here})
	}
	return all
}

// isCoveredBy reports whether an earlier trigger takes all that this one could.
func (t writtenTrigger) isCoveredBy(earlier writtenTrigger) bool {
	if earlier.Says != "" && earlier.Says != t.Says {
		return false
	}
	return earlier.agent == t.agent || !fsm.IsGlob(earlier.agent) && fsm.NamesAgent(earlier.agent, t.agent)
}

// orderStates lists the states breadth first from the initial one, along on_complete
// first. States that nothing leads to come last, by name.
func orderStates(c *Config) []string {
	if len(c.States) == 0 {
		return nil
	}
	out := []string{c.Initial}
	add := func(names []string) {
		for _, name := range names {
			if name != "" && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	for i := 0; i < len(out); i++ {
		s := c.States[out[i]]
		add([]string{s.OnComplete, s.OnPlan, s.OnStop})
		for _, m := range s.Moves {
			add([]string{m.To})
		}
	}
	add(slices.Sorted(maps.Keys(c.States)))
	return out
}

func (c reading) compileState(name string) fsm.State {
	s := c.States[name]
	out := fsm.State{Name: name, Place: c.placeOf(to("states", name)), OnStop: s.OnStop, OnPlan: s.OnPlan,
		Inject: s.Inject, Brief: s.Brief, Clear: s.Clear}
	if s.OnPlan != "" {
		out.Capture = s.Capture
	}
	for _, t := range s.listTriggers(name) {
		t.Trigger.Agents, t.Trigger.Place = c.expandAgents([]string{t.agent}), c.placeOf(t.at)
		out.Triggers = append(out.Triggers, t.Trigger)
	}
	return out
}
