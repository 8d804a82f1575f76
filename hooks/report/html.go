package report

import (
	"cmp"
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/agent-pipeline/pipeline/hooks/visible"
)

// HTML writes the report as one page that needs nothing else: no script, no network,
// drawPlots as SVG.
func (r Report) HTML(w io.Writer) error {
	p := &page{}
	p.printf(`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" ` +
		`content="width=device-width, initial-scale=1">` +
		`<meta name="color-scheme" content="light dark"><meta http-equiv="Content-Security-Policy" ` +
		`content="default-src 'none'; style-src 'unsafe-inline'">`)
	p.printf("<title>pipeline report: %s</title><style>%s</style></head><body><main>", r.title(), markup(style))
	p.writeSummary(r)
	p.drawPlots(r)
	p.writeTables(r)
	p.writeEvidence(r)
	p.printf("</main></body></html>\n")
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
	p.printf(`<header><h1>%s</h1><p class="when">%s – %s</p></header>`, r.heading(), formatTime(r.SessionStart),
		formatTime(r.SessionEnd))
	p.printf(`<section class="top"><div class="score %s"><b>%s</b><span>compliance score</span></div><div><p>%s</p>`,
		r.scoreClass(), r.formatScore(), r.Score.Formula)
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
	if len(r.Recommendations) > 0 {
		p.printf("<section><h2>Suggestions</h2><ul>")
		for _, s := range r.Recommendations {
			p.printf("<li>%s</li>", s)
		}
		p.printf("</ul></section>")
	}
}

func (e Evidence) isWhole() bool { return e.Unread+e.Breaks == 0 && e.Missing == 0 }

func (r Report) heading() string {
	if len(r.SessionIDs) == 1 {
		return "Session " + r.SessionID
	}
	return r.title()
}

func (r Report) formatScore() string {
	if r.ComplianceScore == nil {
		return "–"
	}
	return fmt.Sprintf("%.1f", *r.ComplianceScore)
}

// scoreClass is the class of the score's colour.
func (r Report) scoreClass() string {
	switch {
	case r.ComplianceScore == nil:
		return "none"
	case *r.ComplianceScore >= 80:
		return "good"
	}
	return "low"
}

func (p *page) writeTiles(r Report) {
	v, n := r.Violations, r.Pipelines
	p.printf(`<section class="tiles">`)
	p.writeTile(groupDigits(r.TotalToolCalls), "calls of the orchestrator",
		fmt.Sprintf("%s blocked, %s asked, %s warned, %s confined, %s allowed", groupDigits(v.Blocked),
			groupDigits(v.Asked), groupDigits(v.Warned), groupDigits(v.Confined), groupDigits(v.Allowed)))
	p.writeTile(fmt.Sprintf("%.1f %%", r.Calls.Delegated), "delegated",
		fmt.Sprintf("%s of all %s calls were made by agents", groupDigits(r.Calls.Agents), groupDigits(r.Calls.All)))
	p.writeTile(groupDigits(r.Concurrency.Max), "agents at once", "at most")
	p.writeTile(groupDigits(n.Finished)+" of "+groupDigits(n.Started), "pipelines finished",
		strings.TrimPrefix(r.describeStops()+withPrefix("; slowest state: ", n.Slowest), "; "))
	p.writeTile(groupDigits(r.Injected.Characters), "characters sent to agents",
		fmt.Sprintf("in %s texts", groupDigits(r.Injected.Texts)))
	p.printf("</section>")
}

func (p *page) writeTile(figure, what, more string) {
	p.printf("<div><b>%s</b><span>%s</span><small>%s</small></div>", figure, what, more)
}

func (p *page) writeTables(r Report) {
	writeGrid(p, "Rules", "rule,written at,#objections,#blocked,#asked,#warned,#let through", r.Rules,
		func(x Rule) []any {
			return []any{x.Rule, x.Where, x.Objections, x.Blocked, x.Asked, x.Warned, x.Allowed}
		})
	writeGrid(p, "States", "state,#visits,#working,#waiting,#per visit,#requests,#objections", r.States,
		func(x State) []any {
			return []any{cmp.Or(x.Name, "(none)"), x.Visits, formatSeconds(x.Working), formatSeconds(x.Waiting),
				formatSeconds(x.PerVisit().Seconds()), x.Requests, x.Objections}
		})
	writeGrid(p, "Agents", "agent,#runs,#done,#failed,#not let "+
		"in,#unfinished,#success,#median,#longest,#requests,#objections", r.Agents, func(x Agent) []any {
		rate := "–"
		if x.Success != nil {
			rate = fmt.Sprintf("%.0f %%", *x.Success)
		}
		return []any{x.Name, x.Runs, x.Done, x.Failed, x.Quarantined, x.Unfinished, rate, formatSeconds(x.Median),
			formatSeconds(x.Longest), x.Requests, x.Objections}
	})
	tallied := func(x Tally) []any { return []any{x.Name, x.Requests, x.Objections, x.Blocked, x.Asked, x.Warned} }
	for title, list := range r.eachTally() {
		writeGrid(p, "By "+title, title+",#requests,#objections,#blocked,#asked,#warned", list, tallied)
	}
	writeGrid(p, "Most targeted files", "file,#calls,#orchestrator’s,#objections", r.Files,
		func(x File) []any { return []any{x.Path, x.Requests, x.Orchestrator, x.Objections} })
	writeGrid(p, "Refused steps", "agent,in state,#times", r.Steps,
		func(x Step) []any { return []any{x.Agent, x.State, x.Count} })
	writeGrid(p, "Asked again after an objection", "what,rule,session,#times", r.Repeated,
		func(x Repeat) []any { return []any{x.What, x.Rule, x.Session, x.Count} })
	if len(r.Injected.Sessions) > 1 {
		writeGrid(p, "Said to agents", "session,#characters,#texts", r.Injected.Sessions,
			func(x Injected) []any { return []any{x.Session, x.Characters, x.Texts} })
	}
	writeGrid(p, "Are the objections concentrated?", "", r.Concentration,
		func(x Concentration) []any { return []any{x} })
}

// longTable is how many rows a page shows; the JSON has them all.
const longTable = 100

// writeGrid writes a table; a column's heading that begins with # is of figures.
func writeGrid[T any](p *page, title, heads string, list []T, row func(T) []any) {
	if len(list) == 0 {
		return
	}
	p.printf(`<section><h2>%s</h2><table>`, title)
	columns := strings.Split(heads, ",")
	if heads != "" {
		p.printf("<thead><tr>")
		for _, h := range columns {
			p.printf(`<th class="%s">%s</th>`, verdictClass(h), strings.TrimPrefix(h, "#"))
		}
		p.printf("</tr></thead>")
	}
	for _, x := range firstN(list, longTable) {
		p.printf("<tr>")
		for i, v := range row(x) {
			p.printf(`<td class="%s" data-head="%s">%s</td>`, verdictClass(columns[i]),
				strings.TrimPrefix(columns[i], "#"), formatCell(v))
		}
		p.printf("</tr>")
	}
	p.printf("</table>")
	if n := len(list) - longTable; n > 0 {
		p.printf("<p>%d more</p>", n)
	}
	p.printf("</section>")
}

// formatCell writes a number with separators, and anything else as it is.
func formatCell(v any) string {
	if n, ok := v.(int); ok {
		return groupDigits(n)
	}
	return fmt.Sprint(v)
}

func verdictClass(head string) string {
	if strings.HasPrefix(head, "#") {
		return "n"
	}
	return "t"
}

func (p *page) writeEvidence(r Report) {
	p.printf("<footer><p>Records: %s.</p>", r.Evidence)
	if len(r.Evidence.Faults) > 0 {
		p.printf("<ul>")
		for _, f := range r.Evidence.Faults {
			p.printf("<li>%s</li>", f)
		}
		p.printf("</ul>")
	}
	p.printf("</footer>")
}
