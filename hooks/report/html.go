package report

import (
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/agent-pipeline/pipeline/hooks/visible"
)

// HTML writes the report as one page that needs nothing else: no script, no network,
// plots as SVG.
func (r Report) HTML(w io.Writer) error {
	p := &page{}
	p.printf(`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" ` +
		`content="width=device-width, initial-scale=1">` +
		`<meta name="color-scheme" content="light dark"><meta http-equiv="Content-Security-Policy" ` +
		`content="default-src 'none'; style-src 'unsafe-inline'">`)
	p.printf("<title>pipeline report: %s</title><style>%s</style></head><body><main>", r.title(), markup(style))
	p.writeSummary(r)
	p.drawPlots(r)
	for _, t := range r.tables() {
		p.writeTable(t)
	}
	writeItems(p, "<section><h2>Are the objections concentrated?</h2>", r.Concentration, "</section>")
	p.printf("<footer><p>Records: %s.</p>", r.Evidence)
	writeItems(p, "", r.Evidence.Faults, "")
	p.printf("</footer></main></body></html>\n")
	if _, err := io.WriteString(visible.NewWriter(w), p.String()); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

// A page is HTML as it is made. Whatever is put into it is escaped, unless it is
// markup.
type page struct{ strings.Builder }

// markup is HTML of our own.
type markup string

func (p *page) printf(format string, a ...any) {
	for i, v := range a {
		switch s := v.(type) {
		case markup, int, float64:
		default:
			a[i] = html.EscapeString(visible.Line(fmt.Sprint(s)))
		}
	}
	fmt.Fprintf(p, format, a...)
}

func (p *page) writeSummary(r Report) {
	heading, class, score := r.title(), "none", "–"
	if len(r.SessionIDs) == 1 {
		heading = "Session " + heading
	}
	if s := r.ComplianceScore; s != nil {
		class, score = "low", fmt.Sprintf("%.1f", *s)
		if *s >= 80 {
			class = "good"
		}
	}
	p.printf(`<header><h1>%s</h1><p class="when">%s – %s</p></header>`, heading, formatTime(r.SessionStart),
		formatTime(r.SessionEnd))
	p.printf(`<section class="top"><div class="score %s"><b>%s</b><span>compliance score</span></div><div><p>%s</p>`,
		class, score, r.Score.Formula)
	if s := r.Score; s.Unguarded.Requests+s.Bypassed.Requests > 0 {
		p.printf("<p>Not in the score: %d calls made unguarded (strict would have objected to %d) and %d "+
			"bypassed (%d).</p>",
			s.Unguarded.Requests, s.Unguarded.Objections, s.Bypassed.Requests, s.Bypassed.Objections)
	}
	if !r.Evidence.isWhole() {
		p.printf(`<p class="warn">Not all records can be trusted: %s. What could not be verified is in no `+
			`figure.</p>`, r.Evidence)
	}
	p.printf("</div></section>")
	p.writeTiles(r)
	writeItems(p, "<section><h2>Suggestions</h2>", r.Recommendations, "</section>")
}

// writeItems writes a list, if there is something in it.
func writeItems[T any](p *page, before markup, list []T, after markup) {
	if len(list) == 0 {
		return
	}
	p.printf("%s<ul>", before)
	for _, x := range list {
		p.printf("<li>%s</li>", fmt.Sprint(x))
	}
	p.printf("</ul>%s", after)
}

func (p *page) writeTiles(r Report) {
	v, n, format := r.Violations, r.Pipelines, groupDigits
	p.printf(`<section class="tiles">`)
	for _, tile := range [][3]string{
		{format(r.TotalToolCalls), "calls of the orchestrator",
			fmt.Sprintf("%s blocked, %s asked, %s warned, %s confined, %s allowed", format(v.Blocked),
				format(v.Asked), format(v.Warned), format(v.Confined), format(v.Allowed))},
		{fmt.Sprintf("%.1f %%", r.Calls.Delegated), "delegated",
			fmt.Sprintf("%s of all %s calls were made by agents", format(r.Calls.Agents), format(r.Calls.All))},
		{format(r.Concurrency.Max), "agents at once", "at most"},
		{format(n.Finished) + " of " + format(n.Started), "pipelines finished",
			strings.TrimPrefix(n.describeStops(), "; ")},
		{format(r.Injected.Characters), "characters sent to agents",
			fmt.Sprintf("in %s texts", format(r.Injected.Texts))},
	} {
		p.printf("<div><b>%s</b><span>%s</span><small>%s</small></div>", tile[0], tile[1], tile[2])
	}
	p.printf("</section>")
}

// longTable is how many rows a page shows; the JSON has them all.
const longTable = 100

func (p *page) writeTable(t table) {
	if len(t.rows) == 0 {
		return
	}
	p.printf(`<section><h2>%s</h2><table><thead><tr>`, t.title)
	for _, c := range t.columns {
		p.printf(`<th class="%s">%s</th>`, c.class(), c.name)
	}
	p.printf("</tr></thead>")
	for _, row := range firstN(t.rows, longTable) {
		p.printf("<tr>")
		for i, v := range row {
			p.printf(`<td class="%s" data-head="%s">%s</td>`, t.columns[i].class(), t.columns[i].name, formatCell(v))
		}
		p.printf("</tr>")
	}
	p.printf("</table>")
	if n := len(t.rows) - longTable; n > 0 {
		p.printf("<p>%d more</p>", n)
	}
	p.printf("</section>")
}

func (c column) class() string {
	if c.isFigure {
		return "n"
	}
	return "t"
}
