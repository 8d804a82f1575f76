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
	b := g.board(pr)
	rows := make([][3]string, len(g.Phases))
	for i, p := range g.Phases {
		rows[i] = [3]string{string(b.sign(i)) + " " + p.ID, hands(p), cut(p.Title, 60)}
	}
	wide := widths(rows)
	for _, w := range g.waves() {
		title, indent := g.heading(w)
		out.WriteString(title)
		for i, p := range g.Phases {
			if p.Wave == w {
				line := padded(rows[i][0], wide[0]) + padded(rows[i][1], wide[1]) + padded(rows[i][2], wide[2]) + b.remark(i)
				out.WriteString(indent + strings.TrimRight(line, " ") + "\n")
			}
		}
	}
	fmt.Fprintf(&out, "%d of %d done\n", len(g.Phases)-len(g.Left(pr)), len(g.Phases))
	return out.String()
}

// heading stands above a wave, if there are waves at all.
func (g Graph) heading(wave int) (title, indent string) {
	switch {
	case wave > 0:
		return fmt.Sprintf("wave %d\n", wave), "  "
	case len(g.waves()) > 1:
		return "in no wave\n", "  "
	}
	return "", ""
}

// hands are who does a phase.
func hands(p Phase) string {
	if len(p.Teammates) == 0 {
		return p.Agent
	}
	var names []string
	for _, t := range p.Teammates {
		names = append(names, t.String())
	}
	return strings.Join(names, " + ")
}

// remark says why a phase stands where it stands.
func (b board) remark(i int) string {
	switch b.status(i) {
	case Failed:
		return "failed: to be tried again"
	case Waiting:
		return "waits for " + strings.Join(ids(b.g, b.unmet(i)), ", ")
	case Running:
		return "running" + b.parts(i)
	case Ready:
		return "ready" + b.parts(i)
	}
	return ""
}

// parts says how many of a team are done.
func (b board) parts(i int) string {
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

func ids(g Graph, phases []int) []string {
	var out []string
	for _, i := range phases {
		out = append(out, g.Phases[i].ID)
	}
	return out
}

func (b board) sign(i int) rune {
	return map[Status]rune{Done: '✓', Running: '▶', Failed: '✗', Ready: '○', Waiting: '○'}[b.status(i)]
}

// waves are the numbers of the waves, in order; the phases without come first, as wave 0.
func (g Graph) waves() []int {
	var out []int
	for _, p := range g.Phases {
		out = append(out, p.Wave)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func widths(rows [][3]string) (out [3]int) {
	for _, r := range rows {
		for c, s := range r {
			out[c] = max(out[c], utf8.RuneCountInString(s))
		}
	}
	return out
}

// padded is a column. One that is empty everywhere takes no room.
func padded(s string, width int) string {
	if width == 0 {
		return ""
	}
	return s + strings.Repeat(" ", width-utf8.RuneCountInString(s)+2)
}
