package survey

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

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

// A fitting is a preset that is made to fit a project.
type fitting struct {
	Project
	syntax
	preset string
}

// Fit writes a preset for a project, by its groups: the project's own agents take the places
// of the shipped ones. A preset without these groups stays as it is. The format is yaml or toml.
func (p Project) Fit(preset, format string) string {
	f := &fitting{p, syntax{"  ", ": ", "", "{", "}", "\nagents:", "  %s:"}, preset}
	if format == "toml" {
		f.syntax = syntax{"", " = ", `"`, "{ ", " }", "\n[agents]", "[agents.%s]"}
	}
	switch {
	case strings.Contains(preset, "\n"+f.startList("languages")):
		return f.fitLanguages()
	case strings.Contains(preset, "\n"+f.startList("workers")):
		return f.fitWorkers()
	}
	return preset
}

// fitLanguages fits a preset whose states name the agents that change files. Without agents
// of the project's own, those that are shipped for its languages change files.
func (f *fitting) fitLanguages() string {
	workers, helpers := f.divideAgents()
	hasOwn, shipped := len(workers) > 0, map[string]string{"C": "c-developer", "C++": "c-developer",
		"Nix": "nix-developer", "Shell": "bash-developer"}
	for _, l := range f.mainLanguages() { // without a worker the shipped agents that fit the languages
		name := cmp.Or(shipped[l], "developer")
		if !hasOwn && !slices.ContainsFunc(workers, func(a Agent) bool { return a.Name == name }) {
			workers = append(workers, Agent{Name: name})
		}
	}
	if len(workers) == 0 { // notes, or nothing yet
		workers = []Agent{{Name: "developer"}}
	}
	if len(helpers) > 0 {
		f.replaceList("utility", func(list string) []string { return append([]string{list}, f.namesOf(helpers)...) })
	}
	entries := f.describeEntries(workers)
	f.replaceList("languages", func(string) []string { return f.namesOf(workers) })
	before, rest, _ := strings.Cut(f.preset, f.agents) // each preset with such states describes agents
	head, rest, _ := strings.Cut(rest, "\n")
	return before + f.agents + head + "\n" + entries + cutLines(rest, f.indent)
}

// fitWorkers fits a preset without states. The project's agents are proposed first; those
// that can edit replace the ones that are shipped to do so. Only agents count that can do
// all that the rules propose them for.
func (f *fitting) fitWorkers() string {
	workers, helpers := f.divideAgents()
	runs := strings.Contains(f.preset, f.list("deny", "Bash"))
	workers = slices.DeleteFunc(workers, func(a Agent) bool { return runs && !a.hasTool("Bash") })
	helpers = slices.DeleteFunc(helpers, func(a Agent) bool {
		return !a.hasTool("Read") || !a.hasTool("Grep") || !a.hasTool("Glob")
	})
	f.replaceList("readers", func(list string) []string { return append(f.namesOf(helpers), list) })
	if len(workers) == 0 {
		return f.preset
	}
	own := f.describeEntries(workers)
	head, entries, described := strings.Cut(f.preset, f.agents+"\n")
	f.preset = head
	var rest []Agent // those that stay
	f.replaceList("workers", func(list string) []string {
		for name := range strings.SplitSeq(list, ", ") {
			name = strings.Trim(name, f.quote)
			before, after, isShipped := strings.Cut("\n"+entries, "\n"+fmt.Sprintf(f.entry, name))
			if !isShipped {
				rest = append(rest, Agent{Name: name})
				continue
			}
			_, after, _ = strings.Cut(after, "\n")
			entries = strings.TrimPrefix(before+"\n"+cutLines(after, f.indent+f.indent), "\n")
		}
		return f.namesOf(slices.Concat(workers, rest))
	})
	if len(rest) > 0 { // in the examples of the rules too
		f.preset = strings.ReplaceAll(f.preset, "subagent_type=\""+rest[0].Name+"\"",
			"subagent_type=\""+workers[0].Name+"\"")
	}
	if !described {
		return f.preset
	}
	return f.preset + f.agents + "\n" + own + entries
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
func (f *fitting) divideAgents() (workers, helpers []Agent) {
	for _, a := range f.Agents {
		switch {
		case strings.Contains(f.preset, f.list("agents", a.Name)):
		case a.CanEdit():
			workers = append(workers, a)
		default:
			helpers = append(helpers, a)
		}
	}
	return workers, helpers
}

// describeEntries writes agents' lines in `agents`: the preset's, or one made for each.
func (f *fitting) describeEntries(agents []Agent) (lines string) {
	for _, a := range agents {
		start := f.indent + quoteName(a.Name) + f.colon + f.open
		if _, rest, ok := strings.Cut(f.preset, "\n"+start+"keywords"); ok {
			rest, _, _ = strings.Cut(rest, "\n")
			lines += start + "keywords" + rest + "\n"
			continue
		}
		var fields []string
		if a.Description != "" {
			fields = append(fields, "description"+f.colon+strconv.Quote(cutWords(a.Description)))
		}
		if words := f.keywordsOf(a); len(words) > 0 {
			fields = append(fields, f.list("keywords", words...))
		}
		if len(fields) == 0 {
			fields = append(fields, "description"+f.colon+f.quote+"Changes files of this project."+f.quote)
		}
		lines += start + strings.Join(fields, ", ") + f.close + "\n"
	}
	return lines
}

// replaceList replaces the names in the list of a group, and keeps the comment behind
// it. Long lists take several lines.
func (f *fitting) replaceList(group string, names func(list string) []string) {
	start := f.startList(group)
	before, rest, ok := strings.Cut(f.preset, "\n"+start)
	list, after, closed := strings.Cut(rest, "]")
	if !ok || !closed {
		return
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
	f.preset = before + "\n" + strings.Join(append(lines, line), "\n") + after
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

// cutWords shortens a text to its first sentence and 60 characters.
func cutWords(text string) string {
	text, _, _ = strings.Cut(text, ". ")
	if text = strings.TrimRight(text, "."); utf8.RuneCountInString(text) > 60 {
		text = regexp.MustCompile(`^(.{1,59}) .*`).ReplaceAllString(text, "$1…")
	}
	return text
}
