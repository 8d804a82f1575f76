package verify_test

import (
	"slices"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/verify"
)

// also changes a policy.
func also(p *fsm.Policy, change func(*fsm.Policy)) *fsm.Policy {
	change(p)
	return p
}

// gate puts a gate before a trigger.
func gate(p *fsm.Policy, state, trigger string) *fsm.Policy {
	for i := range p.States {
		for k := range p.States[i].Triggers {
			if t := &p.States[i].Triggers[k]; p.States[i].Name == state && t.Name == trigger {
				t.Gate, t.Place = &fsm.Gate{Run: "make test"}, "p.yaml:gate"
			}
		}
	}
	return p
}

func until(what ...string) func(*fsm.Policy) {
	return func(p *fsm.Policy) { p.Hold = fsm.Hold{Until: what, Tries: 3} }
}

func heldIn(p *fsm.Policy, states ...string) *fsm.Policy {
	return also(p, func(p *fsm.Policy) { p.Hold.States = states })
}

func TestChecksOfWork(t *testing.T) {
	plan := func(p *fsm.Policy) { until("plan")(p) }
	from := func(from string, agents ...string) func(*fsm.Policy) {
		return func(p *fsm.Policy) { p.Tasks = fsm.TaskSource{From: []string{from}, Agents: agents} }
	}
	returns := func(agent string) func(*fsm.Policy) {
		return func(p *fsm.Policy) { p.Agents = []fsm.AgentInfo{{Name: agent, Returns: "^done"}, {Name: "nobody"}} }
	}
	skills := append(local("a", "b", "h"), verify.Agent{Name: "plan", Skill: true},
		verify.Agent{Name: "p:go", Skill: true})
	table := []finds{

		{name: "held where no session comes", policy: heldIn(also(pipeline("A: a→A", "B: a→A"), plan), "B"),
			check: "hold", severity: verify.Problem, names: "B", text: "no turn is ever held"},
		{name: "no graph", policy: also(pipeline(round...), until("plan", "graph")), check: "hold",
			severity: verify.Problem, names: "graph", text: "there is never a task graph"},
		{name: "no checks at the end", policy: also(pipeline(round...), func(p *fsm.Policy) {
			until("checks")(p)
			p.Checks = []fsm.Check{{Name: "vet", At: []string{fsm.AtEdit}}}
		}), check: "hold", severity: verify.Problem, names: "checks", text: "no check is run at turn_end"},

		{name: "a form of no agent", policy: also(pipeline(round...), returns("x")), check: "unused-returns",
			severity: verify.Note, names: "x", text: "no reachable state"},
		{name: "the form of one who is not there", policy: also(pipeline(round...), returns("b")),
			known: local("a", "h"), check: "unused-returns", severity: verify.Note, names: "b", text: "no such agent"},
		{name: "the form of one who may run nowhere", policy: also(pipeline("A: a→A", "B: b→B"), returns("b")),
			check: "unused-returns", severity: verify.Note, names: "b"},

		{name: "plans of no agent", policy: also(pipeline(round...), from("agent", "x", "y-*")), check: "task-agents",
			severity: verify.Problem, names: "x y-*", text: "no task graph ever comes"},
		{name: "plans of some", policy: also(pipeline(round...), from("agent", "x", "a")), check: "task-agents",
			severity: verify.Note, names: "x"},
		{name: "approved plans move nothing", policy: also(pipeline(round...), from("plan")), check: "task-agents",
			severity: verify.Note, names: "plan", text: "no state has on_plan"},
		{name: "plans of agents are not taken", policy: also(pipeline(round...), from("host", "a")),
			check: "task-agents", severity: verify.Note, names: "a", text: "tasks.from does not say agent"},

		{name: "skills", known: skills, policy: also(pipeline(round...),
			func(p *fsm.Policy) { p.Activate.Skills = []string{"plan", "plam", "p:go", "go"} }), check: "unknown-skill",
			severity: verify.Note, names: "plam", text: "activate.skills names plam"},
		{name: "commands", known: skills, policy: also(pipeline(round...),
			func(p *fsm.Policy) { p.Activate.Commands = []string{"a", "plan"} }), check: "unknown-skill",
			severity: verify.Note, names: "a", text: "activate.commands"},
		{name: "skills that are plans", known: skills,
			policy: also(pipeline(round...), func(p *fsm.Policy) {
				p.Hold = fsm.Hold{Until: []string{"plan"},
					Skills: []string{"x"}}
			}), check: "unknown-skill", severity: verify.Note, names: "x", text: "hold.skills"},

		{name: "a subagent that may not go deeper",
			policy: also(subagents(ruled(pipeline(round...), fsm.Pass,
				with(deny("no", "Read"), func(r *fsm.Rule) { r.DelegateTo = []string{"h"} }))),
				func(p *fsm.Policy) { p.Limits.Depth = 1 }), check: "refused-remedy", severity: verify.Note, names: "h",
			text: "rule no delegates to h"},
	}
	for _, f := range table {
		t.Run(f.name, func(t *testing.T) { f.test(t) })
	}
	for _, check := range []string{"hold", "unused-returns", "task-agents", "unknown-skill"} {
		if !slices.ContainsFunc(table, func(f finds) bool { return f.check == check }) {
			t.Errorf("%s: no case", check)
		}
	}
}

// TestNoFalseAlarmOfWork: what is bound well.
func TestNoFalseAlarmOfWork(t *testing.T) {
	all := map[string]*fsm.Policy{
		"a way beside the gate": gate(pipeline("A: a→B b→B", "B: a→A"), "A", "a"),
		"by another message":    gate(pipeline("A: a/yes/→B a→B", "B: a→A"), "A", "a says /yes/"),
		"a gate that stays":     gate(pipeline("A: a→A b→B", "B: a→A"), "A", "a"),
		"the turn ends as well": gate(pipeline("A: a→A b→B ends→B", "B: a→A"), "A", "b"),
		"held where work is":    heldIn(also(pipeline("A: a→B", "B: b→A"), until("plan", "tasks")), "A"),
		"held by a gate alone":  also(pipeline(round...), func(p *fsm.Policy) { p.Hold.Gate = &fsm.Gate{Run: "make"} }),
		"checks at the end": also(pipeline(round...),
			func(p *fsm.Policy) { until("checks")(p); p.Checks = []fsm.Check{{At: []string{fsm.AtTurnEnd}}} }),
		"no states": also(pipeline(), func(p *fsm.Policy) {
			p.Tasks = fsm.TaskSource{From: []string{"agent"}, Agents: []string{"x"}}
			p.Agents = []fsm.AgentInfo{{Name: "x", Returns: "y"}}
		}),
		"a plugin's planner": also(pipeline("A: a→A p:b→A"),
			func(p *fsm.Policy) { p.Tasks = fsm.TaskSource{From: []string{"agent"}, Agents: []string{"b"}} }),
		"one of a glob plans": also(pipeline("A: dev-*→A"), func(p *fsm.Policy) {
			p.Tasks = fsm.TaskSource{From: []string{"agent"}, Agents: []string{"dev-c"}}
			p.Agents = []fsm.AgentInfo{{Name: "dev-c", Returns: "y"}}
		}),
		"a main agent alone": also(pipeline(round...),
			func(p *fsm.Policy) { p.Limits = fsm.Limits{Running: 1, Depth: 1} }),
		"other values forbidden": also(pipeline(round...), func(p *fsm.Policy) {
			p.Checks = []fsm.Check{{Env: []fsm.Input{{Name: "CI", Value: "1"}},
				UnlessEnv: []fsm.Input{{Name: "CI", Value: "2"}}}}
		}),
	}
	for name, p := range all {
		t.Run(name, func(t *testing.T) {
			for _, f := range verify.Verify(p, nil) {
				if f.Check != "person-only" {
					t.Errorf("%+v", f)
				}
			}
		})
	}
}
