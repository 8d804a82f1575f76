package fsm

import (
	"slices"
	"strings"
	"unicode"
)

// FindRemedies lists the agents that a denial by this rule proposes in a state, the
// best first. What was denied may put others before them where the rule names none.
func (p *Policy) FindRemedies(state string, r *Rule) []string { return p.findRemedies(state, r, "") }

// findRemedies lists the agents to delegate a refused call to, the best first. Each of
// them may start now.
func (p *Policy) findRemedies(state string, r *Rule, text string) []string {
	wanted := p.expandPatterns(r.DelegateTo)
	if len(r.DelegateTo) == 0 && len(p.Agents) > 0 {
		wanted = append(wanted, p.RouteTask(text))
	}
	if len(p.States) == 0 {
		return unique(append(wanted, "general-purpose"))
	}
	in, _ := p.FindState(state)
	var out []string
	for _, agent := range slices.Concat(wanted, p.expandPatterns(p.NextAgents(state)), []string{"general-purpose"}) {
		if _, ok := in.Admits(agent); ok {
			out = append(out, agent)
		}
	}
	return unique(out)
}

// expandPatterns replaces globs by the config's agents that they match.
func (p *Policy) expandPatterns(patterns []string) []string {
	var out []string
	for _, pattern := range patterns {
		if !IsGlob(pattern) {
			out = append(out, pattern)
			continue
		}
		for _, a := range p.Agents {
			if matchOne(pattern, a.Name) {
				out = append(out, a.Name)
			}
		}
	}
	return out
}

// RouteTask names the agent with the most keywords in the text, at least two; else
// general-purpose.
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
	var out []RouteScore
	for _, a := range p.Agents {
		out = append(out, RouteScore{Agent: a.Name, Found: findPhrases(a.Keywords, text)})
	}
	return out
}

// findPhrases lists the phrases that a text has, as whole words and in any case.
func findPhrases(phrases []string, text string) []string {
	words := " " + normalizeWords(text) + " "
	out := []string{}
	for _, phrase := range phrases {
		if phrase = normalizeWords(phrase); phrase != "" && strings.Contains(words, " "+phrase+" ") {
			out = append(out, phrase)
		}
	}
	return out
}

// normalizeWords joins a text's words by spaces. Signs in names of files and languages
// belong to words (c++, c#).
func normalizeWords(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("+#_-", r)
	}), " ")
}
