package report

import (
	"cmp"
	_ "embed"
	"fmt"
	"html"
	"io"
	"slices"
	"text/template"
	"text/template/parse"
	"time"

	"github.com/agent-pipeline/pipeline/hooks/visible"
)

//go:embed page.html
var pageTemplate string

//go:embed style.css
var style string

// A page is what the page's template shows.
type page struct {
	Report
	ScoreClass, ScoreText string
}

// HTML writes the report as one page that needs nothing else: no script, no network,
// plots of boxes.
func (r Report) HTML(w io.Writer) error {
	p := page{r, "none", "–"}
	if s := r.ComplianceScore; s != nil {
		p.ScoreClass, p.ScoreText = "low", fmt.Sprintf("%.1f", *s)
		if *s >= 80 {
			p.ScoreClass = "good"
		}
	}
	if err := parsePage(pageTemplate).Execute(visible.NewWriter(w), p); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

// parsePage reads a template, which a test has tried. What others wrote may stand in the text of its elements and in
// attributes in double quotes; html/template, which knows of more places, costs each hook call its start.
func parsePage(text string) *template.Template {
	escape := func(v any) string { return html.EscapeString(visible.Line(fmt.Sprint(v))) }
	t := template.Must(template.New("page").Funcs(template.FuncMap{"escape": escape, "time": formatTime,
		"cell": formatCell, "stops": Pipelines.describeStops}).Parse(text))
	template.Must(t.New("style").Parse(style))
	for _, part := range t.Templates() {
		escapeActions(part.Root)
	}
	return t
}

// escapeActions has each action of a template escape what it prints.
func escapeActions(list *parse.ListNode) {
	if list == nil {
		return
	}
	for _, n := range list.Nodes {
		switch n := n.(type) {
		case *parse.ActionNode:
			if len(n.Pipe.Decl) == 0 {
				n.Pipe.Cmds = append(n.Pipe.Cmds, &parse.CommandNode{NodeType: parse.NodeCommand,
					Args: []parse.Node{parse.NewIdentifier("escape")}})
			}
		case *parse.IfNode:
			escapeActions(n.List)
			escapeActions(n.ElseList)
		case *parse.RangeNode:
			escapeActions(n.List)
			escapeActions(n.ElseList)
		case *parse.WithNode:
			escapeActions(n.List)
			escapeActions(n.ElseList)
		}
	}
}

// longTable is how many rows a page shows; the JSON has them all.
const longTable = 100

// Shown are the rows that the page shows.
func (t table) Shown() [][]any { return firstN(t.Rows, longTable) }

// More is how many rows it does not show.
func (t table) More() int { return max(0, len(t.Rows)-longTable) }

// A plot has lying bars, or standing ones where it has an axis. The page draws them as boxes whose sizes are shares of
// the page's width, so that they fit each screen: every library that draws charts costs each hook call more at
// start-up, or each page a script.
type plot struct {
	Title string
	Keys  []key
	Bars  []bar
	Axis  []string // what the highest bar is, its half, and nothing
	most  float64  // the sum of the highest bar
}

// A key is a colour and what it stands for.
type key struct{ Class, Name string }

// A bar has a figure for each key, one after the other.
type bar struct {
	Name    string
	Figures []float64
	Text    string
}

func (b bar) sum() (s float64) {
	for _, v := range b.Figures {
		s += v
	}
	return s
}

// Share is a figure's part of the highest bar, in percent.
func (p plot) Share(v float64) string { return fmt.Sprintf("%.2f%%", v/p.most*100) }

// Plots are the plots in which there is something to see.
func (r Report) Plots() []plot {
	var rules, states, agents []bar
	for _, x := range r.Rules {
		rules = append(rules, bar{x.Rule, []float64{float64(x.Blocked), float64(x.Asked), float64(x.Warned),
			float64(x.Allowed)}, groupDigits(x.Objections)})
	}
	for _, x := range r.States {
		text := formatSeconds(x.Working)
		if x.Waiting > 0 {
			text += " + " + formatSeconds(x.Waiting)
		}
		states = append(states, bar{cmp.Or(x.Name, "(none)"), []float64{x.Working, x.Waiting}, text})
	}
	for _, x := range r.Agents {
		agents = append(agents, bar{x.Name, []float64{x.Median, x.Longest - x.Median},
			formatSeconds(x.Median) + " / " + formatSeconds(x.Longest)})
	}
	plots := []plot{
		plotBars("Objections by rule", []key{{"r", "blocked"}, {"o", "asked"}, {"y", "warned"}, {"g", "let through"}},
			rules),
		plotDays(r.Days),
		plotBars("Time per state",
			[]key{{"b", "agents worked"}, {"w", "waiting for a person, or silent for over an hour"}}, states),
		plotBars("How long agents took", []key{{"b", "median"}, {"w", "longest"}}, agents),
	}
	return slices.DeleteFunc(plots, func(p plot) bool { return p.most == 0 })
}

// plotBars plots the first bars that have a length.
func plotBars(title string, keys []key, list []bar) plot {
	p := plot{Title: title, Keys: keys}
	p.Bars = firstN(slices.DeleteFunc(list, func(b bar) bool { return b.sum() == 0 }), 15)
	for i, b := range p.Bars {
		p.Bars[i].Name, p.most = visible.Shorten(b.Name, 60), max(p.most, b.sum())
	}
	return p
}

// plotDays plots a bar for each of the last ninety days, also where nothing was recorded, and names about ten of them.
// One day alone is no plot.
func plotDays(days []Tally) plot {
	p := plot{Title: "Objections per day", Keys: []key{{"r", "blocked"}, {"y", "other objections"}}}
	if len(days) < 2 {
		return p
	}
	first, _ := time.Parse(time.DateOnly, days[0].Name) // the names are ours
	last, _ := time.Parse(time.DateOnly, days[len(days)-1].Name)
	count := min(90, 1+int(last.Sub(first)/(24*time.Hour)))
	for i := range count {
		d := Tally{Name: last.AddDate(0, 0, i+1-count).Format(time.DateOnly)}
		if at := slices.IndexFunc(days, func(t Tally) bool { return t.Name == d.Name }); at >= 0 {
			d = days[at]
		}
		b := bar{Figures: []float64{float64(d.Blocked), float64(d.Objections - d.Blocked)}, Text: fmt.Sprintf(
			"%s: %d objections, %d blocked, %d calls", d.Name, d.Objections, d.Blocked, d.Requests)}
		if i%((count+9)/10) == 0 {
			b.Name = d.Name[len("2006-"):]
		}
		p.Bars, p.most = append(p.Bars, b), max(p.most, b.sum())
	}
	p.Axis = []string{fmt.Sprintf("%.0f", p.most), fmt.Sprintf("%.0f", p.most/2), "0"}
	return p
}
