package tasks

import (
	"fmt"
	"slices"
	"strings"
)

// Mermaid draws the graph as a flowchart, with a class for each status.
func (g Graph) Mermaid(pr Progress) string {
	var out strings.Builder
	out.WriteString("flowchart LR\n")
	waves := g.waveNumbers()
	for _, w := range waves {
		g.mermaidWave(&out, w, pr)
	}
	for i, p := range g.Phases {
		for _, id := range p.After {
			if k := g.indexOf(id); k >= 0 {
				fmt.Fprintf(&out, "    p%d --> p%d\n", k, i)
			}
		}
	}
	waves = slices.DeleteFunc(waves, func(w int) bool { return w == 0 })
	for i := 1; i < len(waves); i++ {
		fmt.Fprintf(&out, "    wave%d --> wave%d\n", waves[i-1], waves[i])
	}
	for _, c := range []struct {
		status Status
		style  string
	}{{Done, "fill:#d5f5d5,stroke:#2e7d32"}, {Running, "fill:#dbeafe,stroke:#1d4ed8,stroke-width:3px"}, {Failed, "fill:#fde2e2,stroke:#b91c1c"},
		{Ready, "stroke-width:3px"}, {Waiting, "stroke-dasharray:4 3"}} {
		fmt.Fprintf(&out, "    classDef %s %s\n", c.status, c.style)
	}
	return out.String()
}

func (g Graph) mermaidWave(out *strings.Builder, wave int, pr Progress) {
	b := g.layOut(pr)
	if wave > 0 {
		fmt.Fprintf(out, "    subgraph wave%d [wave %d]\n", wave, wave)
	}
	for i, p := range g.Phases {
		if p.Wave != wave {
			continue
		}
		label := escapeLabel(p.ID)
		for _, more := range []string{workersOf(p), p.Title} {
			if more != "" {
				label += "<br/>" + escapeLabel(shorten(more, 60))
			}
		}
		fmt.Fprintf(out, "    p%d[\"%s\"]:::%s\n", i, label, b.statusOf(i))
	}
	if wave > 0 {
		out.WriteString("    end\n")
	}
}

// escapeLabel keeps a text from being read as a part of the drawing: Mermaid writes characters as #NUMBER; in a label.
func escapeLabel(s string) string {
	return strings.NewReplacer("#", "#35;", `"`, "#34;", "<", "#60;", ">", "#62;", "&", "#38;", "`", "#96;", `\`, "#92;").Replace(s)
}
