package verify_test

import (
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/verify"
)

// pipeline makes a policy of lines: "S: a→T *→S ?helper; ends→U plans→V". A trigger says /x/ where it is written
// a/x/→T.
func pipeline(lines ...string) *fsm.Policy {
	p := &fsm.Policy{Level: fsm.Strict, Fingerprint: "x"}
	for _, line := range lines {
		name, rest, _ := strings.Cut(line, ":")
		st := fsm.State{Name: name, Place: "p.yaml:" + name}
		for _, f := range strings.Fields(rest) {
			agent, to, _ := strings.Cut(f, "→")
			agent, says, _ := strings.Cut(strings.TrimSuffix(agent, "/"), "/")
			helper, isHelper := strings.CutPrefix(agent, "?")
			switch {
			case agent == "ends":
				st.OnStop = to
			case agent == "plans":
				st.OnPlan = to
			case isHelper:
				st.Triggers = append(st.Triggers, fsm.Trigger{Name: helper, Agents: []string{helper}, To: name,
					Helper: true})
			default:
				label := agent
				if says != "" {
					label += " says /" + says + "/"
				}
				st.Triggers = append(st.Triggers, fsm.Trigger{Name: label, Agents: []string{agent}, Says: says, To: to})
			}
		}
		p.States = append(p.States, st)
	}
	if len(p.States) > 0 {
		p.Initial = p.States[0].Name
	}
	return p
}

// ruled gives the main agent rules.
func ruled(p *fsm.Policy, def fsm.Verdict, rules ...fsm.Rule) *fsm.Policy {
	for i := range rules {
		if rules[i].Place == "" {
			rules[i].Place = "p.yaml:" + rules[i].Name
		}
	}
	p.Main = fsm.Rules{List: rules, Default: fsm.Rule{Name: "default", Place: "p.yaml:default", Verdict: def}}
	return p
}

// subagents makes the rules those of all other agents.
func subagents(p *fsm.Policy) *fsm.Policy {
	p.Main, p.Subagents = fsm.Rules{}, p.Main
	return p
}

func deny(name string, tools ...string) fsm.Rule {
	return fsm.Rule{Name: name, Verdict: fsm.Deny, Tools: tools}
}

func with(r fsm.Rule, change func(*fsm.Rule)) fsm.Rule {
	change(&r)
	return r
}

// local are agents of the project.
func local(names ...string) (out []verify.Agent) {
	for _, n := range names {
		out = append(out, verify.Agent{Name: n, From: ".claude/agents/" + n + ".md"})
	}
	return out
}

// of are the findings of one check.
func of(found []verify.Finding, check string) []verify.Finding {
	return slices.DeleteFunc(slices.Clone(found), func(f verify.Finding) bool { return f.Check != check })
}

// named are the names in findings of one check, as far as they are of one severity.
func named(found []verify.Finding, check string, s verify.Severity) (out []string) {
	for _, f := range of(found, check) {
		if f.Severity == s {
			out = append(out, f.Names...)
		}
	}
	slices.Sort(out)
	return out
}
