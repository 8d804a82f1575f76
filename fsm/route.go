package fsm

import (
	"path"
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
	Agent    string   `json:"agent"`
	Found    []string `json:"found"`
	Keywords int      `json:"keywords"` // how many it has
}

// ScoreRoutes scores the agents that the config describes, and others by their names.
func (p *Policy) ScoreRoutes(text string, others ...string) []RouteScore {
	var agents []string
	for _, a := range p.Agents {
		agents = append(agents, a.Name)
	}
	var out []RouteScore
	for _, agent := range append(agents, others...) {
		keywords := p.listKeywords(agent)
		out = append(out, RouteScore{Agent: agent, Found: findPhrases(keywords, text), Keywords: len(keywords)})
	}
	return out
}

// listKeywords lists the keywords of an agent: those of the config, and the words of its name.
func (p *Policy) listKeywords(agent string) []string {
	keywords := strings.FieldsFunc(agent[strings.LastIndex(agent, ":")+1:], isSeparator)
	for _, a := range p.Agents {
		if sameAgent(a.Name, agent) {
			keywords = append(keywords, a.Keywords...)
		}
	}
	return unique(keywords)
}

// findPhrases lists the phrases that a text has, as whole words and in any case. A file that the text
// names stands for the words of its kind too.
func findPhrases(phrases []string, text string) []string {
	for word := range strings.FieldsSeq(text) {
		text += " " + fileKinds[strings.ToLower(path.Ext(strings.TrimRight(word, ".,:;!?)\"'`")))]
	}
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

// fileKinds are the words by which agents are named and described that work on a kind of file.
var fileKinds = map[string]string{
	".md": "documentation docs document", ".rst": "documentation docs document", ".adoc": "documentation docs document",
	".py": "python", ".rs": "rust", ".go": "golang", ".rb": "ruby", ".cs": "csharp c#", ".kt": "kotlin",
	".cc": "cpp c++", ".cpp": "cpp c++", ".hpp": "cpp c++", ".h": "c", ".ts": "typescript",
	".tsx": "typescript frontend",
	".js":  "javascript", ".jsx": "javascript frontend", ".css": "frontend web", ".html": "frontend web",
	".sh": "bash shell", ".bash": "bash shell", ".tf": "terraform infrastructure", ".sql": "database",
}

// scoreAgent counts the keywords of an agent in a text.
func (p *Policy) scoreAgent(agent, text string) int {
	return len(findPhrases(p.listKeywords(agent), text))
}
