package survey

import "strings"

// Add adds the project's agents to the groups of a config that was made by Fit: those that change
// files to its workers, the others to its helpers. All else stays as it is, byte for byte. It returns
// the agents for which there is no such list.
func (p Project) Add(text, format string) (added string, left []Agent) {
	s := newSyntax(format)
	for _, a := range p.Agents {
		lists := []string{"utility", "readers"}
		if a.CanEdit() {
			lists = []string{"languages", "workers"}
		}
		longer, ok := addToList(text, s, lists, s.namesOf([]Agent{a})[0])
		if !ok {
			left = append(left, a)
			continue
		}
		text = longer
		if head := s.agents + "\n"; a.CanEdit() && strings.Contains(text, head) {
			text = strings.Replace(text, head, head+p.describeEntry(text, a, s)+"\n", 1)
		}
	}
	return text, left
}

// addToList adds a name to the first of these lists that is there, behind its last one.
func addToList(text string, s syntax, lists []string, name string) (string, bool) {
	for _, list := range lists {
		before, rest, ok := strings.Cut(text, "\n"+s.startList(list))
		names, after, closed := strings.Cut(rest, "]")
		if !ok || !closed || strings.Contains(names, "#") {
			continue
		}
		last := strings.TrimRight(names, ", \n\t")
		space := strings.TrimLeft(names[len(last):], ",")
		if last != "" {
			last += ", "
		}
		return before + "\n" + s.startList(list) + last + name + space + "]" + after, true
	}
	return text, false
}
