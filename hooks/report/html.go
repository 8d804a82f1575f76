package report

import (
	_ "embed"
	"fmt"
	"html"
	"io"
	"strings"
	"text/template"
	"text/template/parse"

	"github.com/agent-pipeline/pipeline/hooks/visible"
)

//go:embed page.html
var pageTemplate string

//go:embed style.css
var style string

// A page is what the page's template shows.
type page struct {
	Report
	Title, ScoreClass, ScoreText string

	Plots  []plot
	Tables []table
}

// HTML writes the report as one page that needs nothing else: no script, no network,
// plots of boxes.
func (r Report) HTML(w io.Writer) error {
	t, err := parsePage(pageTemplate)
	if err != nil {
		return err
	}
	p := page{Report: r, Title: r.title(), ScoreClass: "none", ScoreText: "–", Plots: r.plots(), Tables: r.tables()}
	if s := r.ComplianceScore; s != nil {
		p.ScoreClass, p.ScoreText = "low", fmt.Sprintf("%.1f", *s)
		if *s >= 80 {
			p.ScoreClass = "good"
		}
	}
	var b strings.Builder
	if err = t.Execute(&b, p); err == nil {
		_, err = io.WriteString(visible.NewWriter(w), b.String())
	}
	if err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

// parsePage reads a template. What others wrote may stand in the text of its elements and in attributes in double
// quotes; html/template, which knows of more places, costs each hook call its start.
func parsePage(text string) (*template.Template, error) {
	escape := func(v any) string { return html.EscapeString(visible.Line(fmt.Sprint(v))) }
	t, err := template.New("page").Funcs(template.FuncMap{"escape": escape, "time": formatTime, "cell": formatCell,
		"stops": Pipelines.describeStops}).Parse(text)
	if err == nil {
		_, err = t.New("style").Parse(style)
	}
	if err != nil {
		return nil, fmt.Errorf("read the page's template: %w", err)
	}
	for _, part := range t.Templates() {
		escapeActions(part.Root)
	}
	return t, nil
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
