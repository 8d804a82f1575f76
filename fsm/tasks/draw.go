package tasks

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Text draws the graph for a terminal: a line for each phase with what it waits for, a
// paragraph for each wave.
func (g Graph) Text(pr Progress) string {
	var out strings.Builder
	b := g.layOut(pr)
	rows, wide := make([][3]string, len(g.Phases)), [3]int{}
	for i, p := range g.Phases {
		rows[i] = [3]string{cmp.Or(statusSigns[b.statusOf(i)], "○") + " " + p.ID, p.workers(), shorten(p.Title, 60)}
		for c, s := range rows[i] {
			wide[c] = max(wide[c], utf8.RuneCountInString(s))
		}
	}
	var waves []int // in order: the phases in no wave are wave 0
	for _, p := range g.Phases {
		waves = append(waves, p.Wave)
	}
	slices.Sort(waves)
	waves = slices.Compact(waves)
	for _, w := range waves {
		indent := "  "
		switch {
		case w > 0:
			fmt.Fprintf(&out, "wave %d\n", w)
		case len(waves) > 1:
			out.WriteString("in no wave\n")
		default:
			indent = ""
		}
		for i, p := range g.Phases {
			if p.Wave != w {
				continue
			}
			line := indent
			for c, s := range rows[i] {
				if wide[c] > 0 { // a column that is empty everywhere takes no room
					line += fmt.Sprintf("%-*s  ", wide[c], s)
				}
			}
			out.WriteString(strings.TrimRight(line+b.describeStatus(i), " ") + "\n")
		}
	}
	fmt.Fprintf(&out, "%d of %d done\n", len(g.Phases)-len(g.Left(pr)), len(g.Phases))
	return out.String()
}

// describeStatus says why a phase has its status.
func (b board) describeStatus(i int) string {
	switch b.statusOf(i) {
	case Failed:
		return "failed: to be tried again"
	case Waiting:
		var ids []string
		for _, k := range b.unmetBefore(i) {
			ids = append(ids, b.Phases[k].ID)
		}
		return "waits for " + strings.Join(ids, ", ")
	case Done:
		return ""
	}
	text, n, of := string(b.statusOf(i)), 0, len(b.Phases[i].Teammates)
	for _, s := range b.slots {
		if s.phase == i && s.mark == done {
			n++
		}
	}
	if of > 1 && n > 0 && n < of {
		text += fmt.Sprintf(" (%d of %d)", n, of)
	}
	return text
}

// statusSigns are the signs of those that have one of their own.
var statusSigns = map[Status]string{Done: "✓", Running: "▶", Failed: "✗"}
