package survey

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// fallbackWorker changes files of any language.
const fallbackWorker = "developer"

// A syntax is how a language writes what Fit looks for.
type syntax struct {
	indent, colon string // around a key of `groups` and `agents`
	quote         string // around a word
	open, close   string // around an entry's fields
	agents        string // the head of `agents`
	entry         string // the head of an entry that takes several lines
}

// startList is what the list of a group starts with.
func (s syntax) startList(group string) string { return s.indent + group + s.colon + "[" }

// list is a list of words behind a key.
func (s syntax) list(key string, words ...string) string {
	return key + s.colon + "[" + s.quote + strings.Join(words, s.quote+", "+s.quote) + s.quote + "]"
}

// Fit writes a preset for a project, by its groups: the project's own agents take the places
// of the shipped ones. A preset without these groups stays as it is. The format is yaml or toml.
func (p Project) Fit(preset, format string) string {
	s := syntax{"  ", ": ", "", "{", "}", "\nagents:", "  %s:"}
	if format == "toml" {
		s = syntax{"", " = ", `"`, "{ ", " }", "\n[agents]", "[agents.%s]"}
	}
	switch {
	case strings.Contains(preset, "\n"+s.startList("languages")):
		return p.fitLanguages(preset, s)
	case strings.Contains(preset, "\n"+s.startList("workers")):
		return p.fitWorkers(preset, s)
	}
	return preset
}

// fitLanguages fits a preset whose states name the agents that change files. Without agents
// of the project's own, those that are shipped for its languages change files.
func (p Project) fitLanguages(preset string, s syntax) string {
	workers, helpers := p.divideAgents(preset, s)
	hasOwn, shipped := len(workers) > 0, map[string]string{"C": "c-developer", "C++": "c-developer",
		"Nix": "nix-developer", "Shell": "bash-developer"}
	for _, l := range p.mainLanguages() { // without a worker the shipped agents that fit the languages
		name := cmp.Or(shipped[l.name], fallbackWorker)
		if !hasOwn && !slices.ContainsFunc(workers, func(a Agent) bool { return a.Name == name }) {
			workers = append(workers, Agent{Name: name})
		}
	}
	if len(workers) == 0 { // notes, or nothing yet
		workers = []Agent{{Name: fallbackWorker}}
	}
	if len(helpers) > 0 {
		preset = replaceList(preset, s.startList("utility"), func(list string) []string {
			return append([]string{list}, s.namesOf(helpers)...)
		})
	}
	var entries []string
	for _, w := range workers {
		entries = append(entries, p.describeEntry(preset, w, s))
	}
	preset = replaceList(preset, s.startList("languages"), func(string) []string { return s.namesOf(workers) })
	before, rest, ok := strings.Cut(preset, s.agents)
	if !ok {
		return preset
	}
	head, rest, _ := strings.Cut(rest, "\n")
	return before + s.agents + head + "\n" + strings.Join(entries, "\n") + "\n" + cutLines(rest, s.indent)
}

// fitWorkers fits a preset without states. The project's agents are proposed first; those
// that can edit replace the ones that are shipped to do so. Only agents count that can do
// all that the rules propose them for.
func (p Project) fitWorkers(preset string, s syntax) string {
	workers, helpers := p.divideAgents(preset, s)
	runs := strings.Contains(preset, s.list("deny", "Bash"))
	workers = slices.DeleteFunc(workers, func(a Agent) bool { return runs && !a.hasTool("Bash") })
	helpers = slices.DeleteFunc(helpers, func(a Agent) bool {
		return !a.hasTool("Read") || !a.hasTool("Grep") || !a.hasTool("Glob")
	})
	preset = replaceList(preset, s.startList("readers"), func(list string) []string {
		return append(s.namesOf(helpers), list)
	})
	if len(workers) == 0 {
		return preset
	}
	head, entries, described := strings.Cut(preset, s.agents+"\n")
	var rest []Agent // those that stay
	head = replaceList(head, s.startList("workers"), func(list string) []string {
		for name := range strings.SplitSeq(list, ", ") {
			name = strings.Trim(name, s.quote)
			before, after, isShipped := strings.Cut("\n"+entries, "\n"+fmt.Sprintf(s.entry, name))
			if !isShipped {
				rest = append(rest, Agent{Name: name})
				continue
			}
			_, after, _ = strings.Cut(after, "\n")
			entries = strings.TrimPrefix(before+"\n"+cutLines(after, s.indent+s.indent), "\n")
		}
		return s.namesOf(slices.Concat(workers, rest))
	})
	if len(rest) > 0 { // in the examples of the rules too
		head = strings.ReplaceAll(head, "subagent_type=\""+rest[0].Name+"\"", "subagent_type=\""+workers[0].Name+"\"")
	}
	if !described {
		return head
	}
	for i := len(workers) - 1; i >= 0; i-- {
		entries = p.describeEntry(preset, workers[i], s) + "\n" + entries
	}
	return head + s.agents + "\n" + entries
}

// cutLines removes the lines at the start that have an indent, or without one those up to an empty line, a
// comment or the next table.
func cutLines(text, indent string) string {
	for text != "" && strings.HasPrefix(text, indent) && !strings.ContainsAny(text[:1], "#[\n") {
		_, text, _ = strings.Cut(text, "\n")
	}
	return text
}

// divideAgents returns the project's agents that a preset's states do not name: those that
// change files, and the others.
func (p Project) divideAgents(preset string, s syntax) (workers, helpers []Agent) {
	for _, a := range p.Agents {
		switch {
		case strings.Contains(preset, s.list("agents", a.Name)):
		case a.CanEdit():
			workers = append(workers, a)
		default:
			helpers = append(helpers, a)
		}
	}
	return workers, helpers
}

// describeEntry is an agent's line in `agents`: the preset's, or one made for it.
func (p Project) describeEntry(preset string, a Agent, s syntax) string {
	for line := range strings.Lines(preset) {
		if strings.HasPrefix(line, s.indent+a.Name+s.colon+s.open+"keywords") {
			return strings.TrimRight(line, "\n")
		}
	}
	var fields []string
	if a.Description != "" {
		fields = append(fields, "description"+s.colon+strconv.Quote(cutWords(a.Description, 60)))
	}
	if words := p.keywordsOf(a); len(words) > 0 {
		fields = append(fields, s.list("keywords", words...))
	}
	if len(fields) == 0 {
		fields = append(fields, "description"+s.colon+s.quote+"Changes files of this project."+s.quote)
	}
	return s.indent + quoteName(a.Name) + s.colon + s.open + strings.Join(fields, ", ") + s.close
}

// replaceList replaces the names in the list that starts so, and keeps the comment behind
// it. Long lists take several lines.
func replaceList(text, start string, names func(list string) []string) string {
	before, rest, ok := strings.Cut(text, "\n"+start)
	list, after, closed := strings.Cut(rest, "]")
	if !ok || !closed {
		return text
	}
	var lines []string
	line := start
	for i, name := range names(list) {
		switch {
		case i == 0:
			line += name
		case len(line)+1+len(name) > 110:
			lines, line = append(lines, line+","), strings.Repeat(" ", len(start))+name
		default:
			line += ", " + name
		}
	}
	line += "]"
	if comment := strings.TrimLeft(after, " "); strings.HasPrefix(comment, "#") {
		after = strings.Repeat(" ", max(1, 38-len(line))) + comment
	}
	return before + "\n" + strings.Join(append(lines, line), "\n") + after
}

// namesOf writes the names of agents as the members of a list.
func (s syntax) namesOf(agents []Agent) (out []string) {
	for _, a := range agents {
		if s.quote == "" {
			out = append(out, quoteName(a.Name))
		} else {
			out = append(out, strconv.Quote(a.Name))
		}
	}
	return out
}

// quoteName writes a name that is no plain word in quotes: that of a plugin's agent has a colon.
func quoteName(name string) string {
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" {
		return strconv.Quote(name)
	}
	return name
}

// cutWords shortens a text to its first sentence and so many characters.
func cutWords(text string, most int) string {
	text, _, _ = strings.Cut(text, ". ")
	runes := []rune(strings.TrimRight(text, "."))
	if len(runes) <= most {
		return string(runes)
	}
	short := string(runes[:most])
	if i := strings.LastIndex(short, " "); i > 0 {
		short = short[:i]
	}
	return short + "…"
}
