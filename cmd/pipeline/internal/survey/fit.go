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

// Fit writes a preset for a project. Its own agents take the places of the preset's: those
// that can edit change files, the others help. Without any, the agents that are shipped
// for its languages change files. A preset without groups stays as it is.
func (p Project) Fit(preset string) string {
	if !strings.Contains(preset, "  languages: ["+presetWorkers+"]") {
		return preset
	}
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
	for _, l := range p.main() {
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
