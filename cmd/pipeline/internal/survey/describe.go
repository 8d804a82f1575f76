package survey

import (
	"fmt"
	"strings"
)

// Describe says in one line what there is.
func (p Project) Describe() string {
	files := fmt.Sprintf("%d files", p.Files)
	if p.More {
		files = "more than " + files
	}
	if p.Files == 1 {
		files = "1 file"
	}
	var languages, writers, readers []string
	for _, l := range p.main() {
		languages = append(languages, l.name)
	}
	for _, a := range p.Agents {
		if a.CanEdit() {
			writers = append(writers, a.Name)
		} else {
			readers = append(readers, a.Name)
		}
	}
	parts := []string{files}
	if len(languages) > 0 {
		parts[0] += " (" + strings.Join(languages, ", ") + ")"
	}
	if len(writers) > 0 {
		parts = append(parts, "agents that change files: "+strings.Join(writers, ", "))
	}
	if len(readers) > 0 {
		parts = append(parts, "agents that read: "+strings.Join(readers, ", "))
	}
	if len(p.Agents) == 0 {
		parts = append(parts, "no agents")
	}
	return strings.Join(parts, "; ")
}

// Preview is what a person sees of a config before it is written: what it is, and the
// agents in its groups.
func Preview(text string) string {
	var out []string
	inHead, inGroups := true, false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		inHead = inHead && strings.HasPrefix(line, "#")
		inGroups = strings.HasPrefix(line, "groups:") || inGroups && strings.HasPrefix(line, " ")
		switch {
		case inHead && (strings.Contains(line, "$schema=") || strings.HasPrefix(line, "# All keys")):
		case inHead:
			out = append(out, strings.TrimPrefix(strings.TrimPrefix(line, "#"), " "))
		case inGroups && strings.HasPrefix(line, " "):
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}
