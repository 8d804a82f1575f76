package fsm

import (
	"slices"
	"strings"
	"unicode"
)

// remedies lists the agents to delegate a refused call to, the best first. Each of them may start now.
func (p *Policy) remedies(state string, r *Rule, text string) []string {
	wanted := slices.Clone(r.DelegateTo)
	if len(wanted) == 0 && len(p.Agents) > 0 {
		wanted = append(wanted, p.RouteTask(text))
	}
	if len(p.States) == 0 {
		return unique(append(wanted, "general-purpose"))
	}
	in, _ := p.FindState(state)
	var out []string
	for _, agent := range slices.Concat(wanted, p.named(p.NextAgents(state)), []string{"general-purpose"}) {
		if _, ok := in.Admits(agent); ok {
			out = append(out, agent)
		}
	}
	return unique(out)
}

// named turns patterns into names: the agents of the config that they match, and the names that are no patterns.
func (p *Policy) named(patterns []string) []string {
	var out []string
	for _, pat := range patterns {
		if !IsGlob(pat) {
			out = append(out, pat)
			continue
		}
		for _, a := range p.Agents {
			if MatchAgent([]string{pat}, a.Name) {
				out = append(out, a.Name)
			}
		}
	}
	return out
}

// RouteTask names the agent whose keywords the text has most of, at least two; else general-purpose.
func (p *Policy) RouteTask(text string) string {
	best, most := "general-purpose", 1
	for _, r := range p.ScoreRoutes(text) {
		if len(r.Found) > most {
			best, most = r.Agent, len(r.Found)
		}
	}
	return best
}

// A RouteScore is what of an agent's keywords a text has.
type RouteScore struct {
	Agent string   `json:"agent"`
	Found []string `json:"found"`
}

// ScoreRoutes scores every agent that has keywords.
func (p *Policy) ScoreRoutes(text string) []RouteScore {
	words := " " + strings.Join(strings.FieldsFunc(strings.ToLower(text), apart), " ") + " "
	var out []RouteScore
	for _, a := range p.Agents {
		s := RouteScore{Agent: a.Name, Found: []string{}}
		for _, k := range a.Keywords {
			k = strings.Join(strings.FieldsFunc(strings.ToLower(k), apart), " ")
			if k != "" && strings.Contains(words, " "+k+" ") {
				s.Found = append(s.Found, k)
			}
		}
		out = append(out, s)
	}
	return out
}

// apart separates words; what stands in names of files and languages does not (c++, c#, .nix).
func apart(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("+#_-", r)
}
