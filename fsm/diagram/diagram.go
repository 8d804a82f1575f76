// Package diagram draws a policy's machine: as text, as a picture, and in the languages of
// programs that draw graphs.
package diagram

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
)

// Formats are the formats that Draw knows.
const Formats = "text, mermaid or dot"

// Draw draws the machine with one state marked as the current one.
func Draw(p *fsm.Policy, current, format string) (string, error) {
	g := graph{}
	for _, st := range p.States {
		g.states = append(g.states, st.Name)
	}
	g.current = slices.Index(g.states, current)
	for i, st := range p.States {
		isHeld := len(p.Hold.States) == 0 || slices.Contains(p.Hold.States, st.Name)
		for _, t := range st.AllTriggers() {
			if t.Name == fsm.TurnEnds && isHeld {
				t.Gate = p.Hold.Gate
			}
			to := slices.Index(g.states, t.To)
			at := g.find(i, to)
			if at < 0 {
				g.edges, at = append(g.edges, edge{from: i, to: to}), len(g.edges)
			}
			l, labels := label{t.Name, t.Gate.Condition(), t.Helper}, &g.edges[at].labels
			if !slices.Contains(*labels, l) {
				*labels = append(*labels, l)
			}
		}
	}
	switch format {
	case "text":
		return g.text(), nil
	case "mermaid":
		return g.mermaid(), nil
	case "dot":
		return g.dot(), nil
	}
	return "", fmt.Errorf("unknown format %q: expected %s", format, Formats)
}

// A graph is the machine as it is drawn. There is one edge at most from a state to
// another, and from a state to itself: of several, renderers draw only the last.
type graph struct {
	states  []string // in the order in which they are reached
	current int      // -1 where it is none of them
	edges   []edge   // by the state that they leave
}

// An edge is everything that leads from one state to another.
type edge struct {
	from, to int
	labels   []label
}

// A label is one reason for which an edge is followed.
type label struct {
	name   string // the agents, in the words of the config, or an event
	gate   string // the command that must succeed first
	helper bool   // runs here, and moves nothing
}

func (g *graph) find(from, to int) int {
	return slices.IndexFunc(g.edges, func(e edge) bool { return e.from == from && e.to == to })
}

// isDashed reports whether helpers run along an edge.
func (e edge) isDashed() bool {
	return slices.ContainsFunc(e.labels, func(l label) bool { return l.helper })
}

// text is the labels of an edge, a line for each and for its gate.
func (e edge) text() (out string) {
	for _, l := range e.labels {
		out += l.title() + "\n"
		if l.gate != "" {
			out += "gate: " + shorten(l.gate) + "\n"
		}
	}
	return out
}

func (l label) title() string {
	out := shorten(l.name)
	if l.helper {
		out += " (helper)"
	}
	return out
}

// widest is how many characters of a pattern or a command are drawn.
const widest = 40

func shorten(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > widest {
		return string(r[:widest-1]) + "…"
	}
	return s
}

// text draws a paragraph for each state.
func (g graph) text() string {
	var b strings.Builder
	for i, name := range g.states {
		mark := "  "
		if i == g.current {
			mark = "▶ "
		}
		fmt.Fprintf(&b, "%s%s\n", mark, name)
		for _, e := range g.edges {
			for _, l := range e.labels {
				if e.from != i {
					continue
				}
				out := l.title()
				switch {
				case e.to != i:
					out += " ─▶ " + g.states[e.to]
				case !l.helper:
					out += " (stays)"
				}
				if l.gate != "" {
					out += "  [gate: " + shorten(l.gate) + "]"
				}
				fmt.Fprintf(&b, "    %s\n", out)
			}
		}
	}
	return b.String()
}

// mermaid draws a flowchart from left to right: there the labels of loops have room
// beside the states. A dashed loop has helpers.
func (g graph) mermaid() string {
	escape := strings.NewReplacer("#", "#35;", "&", "#amp;", `"`, "#quot;", "<", "#lt;", ">", "#gt;", "`",
		"#96;", "\n", "<br>").Replace
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	for i, name := range g.states {
		fmt.Fprintf(&b, "    s%d(\"%s\")\n", i, escape(name))
	}
	for _, e := range g.edges {
		arrow := "-->"
		if e.isDashed() {
			arrow = "-.->"
		}
		fmt.Fprintf(&b, "    s%d %s|\"%s\"| s%d\n", e.from, arrow, escape(strings.TrimSpace(e.text())), e.to)
	}
	if g.current >= 0 {
		fmt.Fprintf(&b, "    classDef current font-weight:bold,stroke-width:4px\n    class s%d current\n", g.current)
	}
	return b.String()
}

// dot draws from the top down, each state below the one before it. A dashed loop has
// helpers.
func (g graph) dot() string {
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\l`).Replace
	skips := slices.ContainsFunc(g.edges, func(e edge) bool { return e.to > e.from+1 })
	var b strings.Builder
	b.WriteString("digraph pipeline {\n    node [shape=box, style=rounded, fontname=\"Helvetica\"]\n" +
		"    edge [fontname=\"Helvetica\", fontsize=11]\n")
	for i, name := range g.states {
		mark := ""
		if i == g.current {
			mark = ", penwidth=3"
		}
		fmt.Fprintf(&b, "    s%d [label=\"%s\"%s]\n", i, escape(name), mark)
		if i > 0 && g.find(i-1, i) < 0 {
			fmt.Fprintf(&b, "    s%d -> s%d [style=invis, weight=100]\n", i-1, i)
		}
	}
	for _, e := range g.edges {
		var with string
		switch {
		case e.to == e.from && !skips: // on the left: what leads back is on the right
			with = ", tailport=w, headport=w"
		case e.to == e.from+1:
			with = ", weight=100"
		case e.to < e.from:
			with = ", constraint=false"
		}
		if e.isDashed() {
			with += ", style=dashed"
		}
		fmt.Fprintf(&b, "    s%d -> s%d [label=\"%s\"%s]\n", e.from, e.to, escape(e.text()), with)
	}
	b.WriteString("}\n")
	return b.String()
}
