package report

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/agent-pipeline/pipeline/hooks/visible"
)

// Text writes the report for a terminal.
func (r Report) Text(w io.Writer) error {
	t := &text{tabwriter.NewWriter(visible.NewWriter(w), 0, 0, 2, ' ', 0)}
	t.writeHead(r)
	writeList(t, "suggestions", r.Recommendations)
	for _, x := range r.tables() {
		t.writeTable(x)
	}
	writeList(t, "objections", r.Concentration)
	t.printf("\nrecords\t%s", r.Evidence)
	for _, f := range r.Evidence.Faults {
		t.printf("  %s", f)
	}
	return t.Flush()
}

type text struct{ *tabwriter.Writer }

func (t *text) printf(format string, a ...any) { fmt.Fprintf(t, format+"\n", a...) }

func (t *text) writeHead(r Report) {
	t.printf("session\t%s", r.title())
	t.printf("time\t%s – %s", formatTime(r.SessionStart), formatTime(r.SessionEnd))
	score := "none"
	if s := r.ComplianceScore; s != nil {
		score = fmt.Sprintf("%.1f of 100", *s)
	}
	t.printf("score\t%s", score)
	t.printf("\t%s", r.Score.Formula)
	if s := r.Score; s.Unguarded.Requests+s.Bypassed.Requests > 0 {
		t.printf("not in it\t%d unguarded calls (strict would have objected to %d), %d bypassed (%d)",
			s.Unguarded.Requests, s.Unguarded.Objections, s.Bypassed.Requests, s.Bypassed.Objections)
	}
	v := r.Violations
	t.printf("orchestrator\t%d calls: %d blocked, %d asked, %d warned, %d confined, %d allowed", r.TotalToolCalls,
		v.Blocked, v.Asked, v.Warned, v.Confined, v.Allowed)
	atOnce := ""
	if n := r.Concurrency.Max; n > 0 {
		atOnce = fmt.Sprintf("; at most %d at once", n)
	}
	t.printf("agents\t%d of all %d calls (%.1f %% delegated)%s", r.Calls.Agents, r.Calls.All, r.Calls.Delegated, atOnce)
	if r.Injected.Texts > 0 {
		t.printf("sent to agents\t%s", r.Injected)
	}
	if p := r.Pipelines; p.Started > 0 {
		t.printf("pipelines\t%d started, %d finished, %d under way%s", p.Started, p.Finished, p.Open,
			withPrefix("; ", p.describeStops()))
	}
}

func writeList[T any](t *text, title string, lines []T) {
	for i, l := range lines {
		if i == 0 {
			t.printf("\n%s", title)
		}
		t.printf("  - %s", visible.Line(fmt.Sprint(l)))
	}
}

// rows is how long a table may be on a screen; the document has it all.
const rows = 12

func (t *text) writeTable(x table) {
	if len(x.Rows) == 0 {
		return
	}
	var names []any
	for _, c := range x.Columns {
		names = append(names, c.Name)
	}
	t.printf("\n%s", x.line(names))
	for _, row := range firstN(x.Rows, rows) {
		t.printf("  %s", x.line(row))
	}
	if n := len(x.Rows) - rows; n > 0 {
		t.printf("  … %d more", n)
	}
}

// line is a row, without the columns that are too wide for it.
func (t table) line(row []any) string {
	var cells []string
	for i, v := range row {
		cell := formatCell(v)
		if s := []rune(cell); len(s) > 60 && v == clipped(cell) {
			cell = string(s[:20]) + "…" + string(s[len(s)-39:]) // a path says more at its end
		}
		if !t.Columns[i].IsWide {
			cells = append(cells, visible.Line(cell))
		}
	}
	return strings.Join(cells, "\t")
}
