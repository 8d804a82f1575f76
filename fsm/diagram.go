package fsm

import (
	"fmt"
	"strings"

	loop "github.com/looplab/fsm"
)

// DrawDiagram draws the machine with one state marked as the current one. The formats are looplab's "mermaid" and "dot".
func (p *Policy) DrawDiagram(current, format string) (string, error) {
	engine := p.machine(current, machine{}).engine
	switch format {
	case "mermaid":
		out, err := loop.VisualizeForMermaidWithGraphType(engine, loop.StateDiagram)
		if err != nil {
			return "", err
		}
		return out + fmt.Sprintf("    classDef current font-weight:bold,stroke-width:4px\n    class %s current\n", current), nil
	case "dot":
		return loop.Visualize(engine), nil
	case "text":
		return p.table(current), nil
	}
	return "", fmt.Errorf("unknown format %q: expected mermaid, dot or text", format)
}

// table draws the machine for a terminal: a state a paragraph, in the order in which they are reached.
func (p *Policy) table(current string) string {
	var b strings.Builder
	for _, st := range p.States {
		mark := "  "
		if st.Name == current {
			mark = "▶ "
		}
		fmt.Fprintf(&b, "%s%s\n", mark, st.Name)
		for _, t := range st.Triggers {
			fmt.Fprintf(&b, "    %s\n", t.arrow(st.Name))
		}
		if st.OnStop != "" {
			fmt.Fprintf(&b, "    %s ─▶ %s\n", TurnEnds, st.OnStop)
		}
	}
	return b.String()
}

func (t Trigger) arrow(from string) string {
	switch {
	case t.Helper:
		return t.Name + " (helper)"
	case t.To == from:
		return t.Name + " (stays)"
	}
	return t.Name + " ─▶ " + t.To
}
