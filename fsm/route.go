package fsm

import (
	"strings"
	"unicode"
)

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
