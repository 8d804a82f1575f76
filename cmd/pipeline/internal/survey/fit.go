package survey

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// presetWorkers is how the presets write the agents that change files, in their groups and
// in their texts.
const presetWorkers = "bash-*, nix-*, c-*"

// fallbackWorker changes files of any language.
const fallbackWorker = "developer"

// IsGeneric reports whether a fitted preset names workers for languages that the project may not have:
// nothing was known of it.
func IsGeneric(fitted string) bool {
	return strings.Contains(fitted, "  languages: ["+presetWorkers+"]")
}

// Fit writes a preset for a project, by its groups: the project's own agents take the places
// of the shipped ones. A preset without these groups stays as it is.
func (p Project) Fit(preset string) string {
	switch {
	case IsGeneric(preset):
		return p.fitLanguages(preset)
	case strings.Contains(preset, "\n  workers: ["):
		return p.fitWorkers(preset)
	}
	return preset
}

// fitLanguages fits a preset whose states name the agents that change files. Without agents
// of the project's own, those that are shipped for its languages change files.
func (p Project) fitLanguages(preset string) string {
	workers, helpers := p.divideAgents(preset)
	if len(workers) == 0 {
		workers = p.shippedWorkers()
	}
	if len(helpers) > 0 {
		preset = replaceList(preset, "  utility: [", func(list string) []string {
			return append([]string{list}, namesOf(helpers)...)
		})
	}
	if len(workers) == 0 { // nothing is known of the project yet
		return preset
	}
	var entries []string
	for _, w := range workers {
		entries = append(entries, p.describeEntry(preset, w))
	}
	preset = replaceList(preset, "  languages: [", func(string) []string { return namesOf(workers) })
	preset = replaceEntries(preset, "\nagents:", entries)
	return strings.ReplaceAll(preset, presetWorkers, strings.Join(namesOf(workers), ", "))
}

// fitWorkers fits a preset without states. The project's agents are proposed first; those
// that can edit replace the ones that are shipped to do so. Only agents count that can do
// all that the rules propose them for.
func (p Project) fitWorkers(preset string) string {
	workers, helpers := p.divideAgents(preset)
	runs := strings.Contains(preset, "deny: [Bash]")
	workers = slices.DeleteFunc(workers, func(a Agent) bool { return runs && !a.hasTool("Bash") })
	helpers = slices.DeleteFunc(helpers, func(a Agent) bool {
		return !a.hasTool("Read") || !a.hasTool("Grep") || !a.hasTool("Glob")
	})
	preset = replaceList(preset, "  readers: [", func(list string) []string {
		return append(namesOf(helpers), list)
	})
	if len(workers) == 0 {
		return preset
	}
	head, entries, described := strings.Cut(preset, "\nagents:\n")
	var rest []string
	head = replaceList(head, "  workers: [", func(list string) []string {
		for name := range strings.SplitSeq(list, ", ") {
			if short, ok := cutEntry(entries, name); ok { // it is shipped
				entries = short
			} else {
				rest = append(rest, name)
			}
		}
		return append(namesOf(workers), rest...)
	})
	if len(rest) > 0 { // in the examples of the rules too
		head = strings.ReplaceAll(head, "subagent_type=\""+rest[0]+"\"", "subagent_type=\""+workers[0].Name+"\"")
	}
	if !described {
		return head
	}
	for i := len(workers) - 1; i >= 0; i-- {
		entries = p.describeEntry(preset, workers[i]) + "\n" + entries
	}
	return head + "\nagents:\n" + entries
}

// cutEntry removes an agent's lines from those below `agents`.
func cutEntry(entries, name string) (rest string, found bool) {
	before, after, found := strings.Cut("\n"+entries, "\n  "+name+":")
	if !found {
		return entries, false
	}
	_, after, _ = strings.Cut(after, "\n")
	for strings.HasPrefix(after, "    ") {
		_, after, _ = strings.Cut(after, "\n")
	}
	return strings.TrimPrefix(before+"\n"+after, "\n"), true
}

// divideAgents returns the project's agents that a preset's states do not name: those that
// change files, and the others.
func (p Project) divideAgents(preset string) (workers, helpers []Agent) {
	for _, a := range p.Agents {
		switch {
		case strings.Contains(preset, "agents: ["+a.Name+"]"):
		case a.CanEdit():
			workers = append(workers, a)
		default:
			helpers = append(helpers, a)
		}
	}
	return workers, helpers
}

// shippedWorkers lists the shipped agents that fit the project's languages.
func (p Project) shippedWorkers() (out []Agent) {
	for _, l := range p.mainLanguages() {
		name := l.agent
		if name == "" {
			name = fallbackWorker
		}
		if !slices.ContainsFunc(out, func(a Agent) bool { return a.Name == name }) {
			out = append(out, Agent{Name: name})
		}
	}
	return out
}

// describeEntry is an agent's line in `agents`: the preset's, or one made for it.
func (p Project) describeEntry(preset string, a Agent) string {
	for line := range strings.Lines(preset) {
		if strings.HasPrefix(line, "  "+a.Name+": {keywords") {
			return strings.TrimRight(line, "\n")
		}
	}
	var fields []string
	if a.Description != "" {
		fields = append(fields, "description: "+strconv.Quote(cutWords(a.Description, 60)))
	}
	if words := p.keywordsOf(a); len(words) > 0 {
		fields = append(fields, "keywords: ["+strings.Join(words, ", ")+"]")
	}
	if len(fields) == 0 {
		fields = append(fields, "description: Changes files of this project.")
	}
	return fmt.Sprintf("  %s: {%s}", quoteName(a.Name), strings.Join(fields, ", "))
}

// replaceList replaces the names in the list that starts so, and keeps the comment behind
// it. Long lists take several lines.
func replaceList(text, start string, names func(list string) []string) string {
	before, rest, ok := strings.Cut(text, "\n"+start)
	list, after, closed := strings.Cut(rest, "]")
	if !ok || !closed {
		return text
	}
	lines := []string{start}
	for i, name := range names(list) {
		if i > 0 {
			lines[len(lines)-1] += ","
		}
		if last := lines[len(lines)-1]; i > 0 && len(last)+len(name) > 110 {
			lines = append(lines, strings.Repeat(" ", len(start))+name)
			continue
		}
		if i > 0 {
			lines[len(lines)-1] += " "
		}
		lines[len(lines)-1] += name
	}
	last := lines[len(lines)-1] + "]"
	if comment := strings.TrimLeft(after, " "); strings.HasPrefix(comment, "#") {
		after = strings.Repeat(" ", max(1, 38-len(last))) + comment
	}
	return before + "\n" + strings.Join(append(lines[:len(lines)-1], last), "\n") + after
}

// replaceEntries replaces the lines below a key at the left.
func replaceEntries(text, key string, entries []string) string {
	before, rest, ok := strings.Cut(text, key)
	head, rest, _ := strings.Cut(rest, "\n")
	for ok && strings.HasPrefix(rest, " ") {
		_, rest, _ = strings.Cut(rest, "\n")
	}
	if !ok {
		return text
	}
	return before + key + head + "\n" + strings.Join(entries, "\n") + "\n" + rest
}

func namesOf(agents []Agent) (out []string) {
	for _, a := range agents {
		out = append(out, quoteName(a.Name))
	}
	return out
}

// quoteName writes a name as YAML: that of a plugin's agent has a colon.
func quoteName(name string) string {
	if strings.ContainsAny(name, `:#'"[]{},&*!|>%@ `) {
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
