package tasks

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Text draws the graph for a terminal: a phase a line, the waves as paragraphs, each phase with what it waits for.
func (g Graph) Text(pr Progress) string {
	var out strings.Builder
	b := g.layOut(pr)
	rows := make([][3]string, len(g.Phases))
	for i, p := range g.Phases {
		rows[i] = [3]string{string(b.statusSign(i)) + " " + p.ID, workersOf(p), shorten(p.Title, 60)}
	}
	wide := columnWidths(rows)
	for _, w := range g.waveNumbers() {
		title, indent := g.waveHeading(w)
		out.WriteString(title)
		for i, p := range g.Phases {
			if p.Wave == w {
				line := padColumn(rows[i][0], wide[0]) + padColumn(rows[i][1], wide[1]) + padColumn(rows[i][2], wide[2]) + b.describeStatus(i)
				out.WriteString(indent + strings.TrimRight(line, " ") + "\n")
			}
		}
	}
	fmt.Fprintf(&out, "%d of %d done\n", len(g.Phases)-len(g.Left(pr)), len(g.Phases))
	return out.String()
}

// waveHeading stands above a wave, if there are waves at all.
func (g Graph) waveHeading(wave int) (title, indent string) {
	switch {
	case wave > 0:
		return fmt.Sprintf("wave %d\n", wave), "  "
	case len(g.waveNumbers()) > 1:
		return "in no wave\n", "  "
	}
	return "", ""
}

// workersOf are who does a phase.
func workersOf(p Phase) string {
	if len(p.Teammates) == 0 {
		return p.Agent
	}
	var names []string
	for _, t := range p.Teammates {
		names = append(names, t.String())
	}
	return strings.Join(names, " + ")
}

// describeStatus says why a phase stands where it stands.
func (b board) describeStatus(i int) string {
	switch b.statusOf(i) {
	case Failed:
		return "failed: to be tried again"
	case Waiting:
		return "waits for " + strings.Join(phaseIDs(b.g, b.unmetBefore(i)), ", ")
	case Running:
		return "running" + b.countDone(i)
	case Ready:
		return "ready" + b.countDone(i)
	}
	return ""
}

// countDone says how many of a team are done.
func (b board) countDone(i int) string {
	n, of := 0, len(b.g.Phases[i].Teammates)
	for k, s := range b.slots {
		if s.phase == i && b.done[k] {
			n++
		}
	}
	if of < 2 || n == 0 || n == of {
		return ""
	}
	return fmt.Sprintf(" (%d of %d)", n, of)
}

func phaseIDs(g Graph, phases []int) []string {
	var out []string
	for _, i := range phases {
		out = append(out, g.Phases[i].ID)
	}
	return out
}

func (b board) statusSign(i int) rune {
	return map[Status]rune{Done: '✓', Running: '▶', Failed: '✗', Ready: '○', Waiting: '○'}[b.statusOf(i)]
}

// waveNumbers are the numbers of the waves, in order; the phases without come first, as wave 0.
func (g Graph) waveNumbers() []int {
	var out []int
	for _, p := range g.Phases {
		out = append(out, p.Wave)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func columnWidths(rows [][3]string) (out [3]int) {
	for _, r := range rows {
		for c, s := range r {
			out[c] = max(out[c], utf8.RuneCountInString(s))
		}
	}
	return out
}

// padColumn is a column. One that is empty everywhere takes no room.
func padColumn(s string, width int) string {
	if width == 0 {
		return ""
	}
	return s + strings.Repeat(" ", width-utf8.RuneCountInString(s)+2)
}
