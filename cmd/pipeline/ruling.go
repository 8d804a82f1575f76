package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/shell"
)

// A ruling is what decides one part of a call.
type ruling struct {
	Part    string   `json:"part"`
	Via     []string `json:"via,omitempty"` // the wrappers it was found in, outermost first
	Rule    string   `json:"rule"`          // "default" where no rule speaks of it
	Where   string   `json:"where,omitempty"`
	Verdict string   `json:"verdict"` // at the level in force
	Strict  string   `json:"strict"`  // what strict would say
	Free    int      `json:"free,omitempty"`
}

// noRule is what decides where no rule speaks of a call.
const noRule = "default"

// says is the verdict in words.
func (r ruling) says() string {
	out := r.Verdict
	if r.Free > 0 {
		out = fmt.Sprintf("the first %d are free, then %s", r.Free, r.Verdict)
	}
	if r.Strict != r.Verdict {
		out += " (strict: " + r.Strict + ")"
	}
	return out
}

// rulings puts each part of the latest call before the policy by itself.
func (t *trial) rulings() []ruling {
	var out []ruling
	names := partNames(t.asked)
	for i, part := range t.asked.Tool.Parts {
		e := t.asked
		e.Tool.Parts = []fsm.Part{part}
		r := t.ruling(e)
		if r.Part = part.Tool; i < len(names) {
			r.Part, r.Via = names[i].Part, names[i].Via
		}
		out = append(out, r)
	}
	return out
}

// partNames are the parts as people read them. Of a shell line there is a part for each of its calls.
func partNames(e fsm.Event) []ruling {
	var out []ruling
	if e.Tool.Command != "" {
		for _, c := range shell.Parse(e.Tool.Command) {
			out = append(out, ruling{Part: c.String(), Via: c.Via})
		}
		return out
	}
	of := e.Tool.Paths
	if s := e.Tool.Starts; s != nil {
		of = []string{cmp.Or(s.Type, s.Name)}
	}
	for _, name := range of {
		out = append(out, ruling{Part: toolCall{e.Tool.Name, name}.String()})
	}
	return append(out, ruling{Part: e.Tool.Name})
}

// ruling is what decides a call of one part in the session as it was before the latest call.
func (t *trial) ruling(e fsm.Event) ruling {
	_, d := t.policy.Step(t.before, e)
	if d.StrictVerdict > fsm.Pass {
		return ruling{Rule: cmp.Or(d.Rule, noRule), Where: d.Where, Verdict: d.Verdict.String(), Strict: d.StrictVerdict.String()}
	}
	r, ok := t.deciding(e)
	out := ruling{Rule: noRule, Verdict: fsm.Pass.String(), Strict: fsm.Pass.String()}
	if !ok {
		return out
	}
	out.Rule, out.Where = cmp.Or(r.Name, noRule), r.Place
	if r.Budgeted {
		spent := t.policy
		spent.Main, spent.Subagents = without(spent.Main), without(spent.Subagents)
		_, d = spent.Step(t.before, e)
		out.Free, out.Verdict, out.Strict = r.Budget, d.Verdict.String(), d.StrictVerdict.String()
	}
	return out
}

// without are the rules with no budgets, as when all is used up.
func without(set fsm.Rules) fsm.Rules {
	set.List = slices.Clone(set.List)
	for i := range set.List {
		set.List[i].Budgeted = false
	}
	return set
}

// deciding finds the rule that a call of one part meets, also one that lets it pass. Step names only what objects, so it
// is asked with every rule made an objection.
func (t *trial) deciding(e fsm.Event) (fsm.Rule, bool) {
	p := t.policy
	p.Level = fsm.Strict
	p.Main, p.Subagents = objecting(p.Main, "main"), objecting(p.Subagents, "sub")
	e.Tool.Starts = nil
	e.Tool.Parts = slices.Clone(e.Tool.Parts)
	for i := range e.Tool.Parts {
		e.Tool.Parts[i].Client = ""
	}
	_, d := p.Step(t.before, e)
	set, number, ok := strings.Cut(d.Rule, "/")
	rules := map[string]fsm.Rules{"main": t.policy.Main, "sub": t.policy.Subagents}[set]
	i, err := strconv.Atoi(number)
	switch {
	case !ok || err != nil:
		return fsm.Rule{}, false
	case i == len(rules.List):
		return rules.Default, true
	}
	return rules.List[i], true
}

// objecting are the rules as denials that are named by their number.
func objecting(set fsm.Rules, name string) fsm.Rules {
	set = without(set)
	for i := range append(set.List, set.Default) {
		r := &set.Default
		if i < len(set.List) {
			r = &set.List[i]
		}
		r.Name, r.Verdict, r.Levelled = fmt.Sprintf("%s/%d", name, i), fsm.Deny, false
	}
	return set
}
