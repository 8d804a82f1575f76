package report

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/agent-pipeline/pipeline/hooks/visible"
)

// Text writes the report for a terminal.
func (r Report) Text(w io.Writer) error {
	t := &text{tabwriter.NewWriter(visible.NewWriter(w), 0, 0, 2, ' ', 0)}
	t.writeHead(r)
	for i, l := range r.Recommendations {
		if i == 0 {
			t.printf("\nsuggestions")
		}
		t.printf("  - %s", visible.Line(l))
	}
	for _, x := range r.Tables() {
		t.writeTable(x)
	}
	t.printf("\nrecords\t%s", r.Evidence)
	for _, f := range r.Evidence.Faults {
		t.printf("  %s", f)
	}
	return t.Flush()
}

type text struct{ *tabwriter.Writer }

func (t *text) printf(format string, a ...any) { fmt.Fprintf(t, format+"\n", a...) }

func (t *text) writeHead(r Report) {
	t.printf("session\t%s", r.Title())
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
	if s := r.Injected; s.Texts > 0 {
		t.printf("sent to agents\t%s characters in %s texts", groupDigits(s.Characters), groupDigits(s.Texts))
	}
	if p := r.Pipelines; p.Started > 0 {
		t.printf("pipelines\t%d started, %d finished, %d under way%s", p.Started, p.Finished, p.Open,
			withPrefix("; ", p.describeStops()))
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

// A table is a part of the report that both the text and the page show.
type table struct {
	Title   string // the page has it; in the text the first column's name says it too
	Columns []column
	Rows    [][]any
}

type column struct {
	Name             string
	IsFigure, IsWide bool // IsWide: only the page has room for it
}

// newTable makes a table. The name of a column of figures begins with #, of one that only the page shows with +.
func newTable[T any](title, columns string, list []T, row func(T) []any) table {
	t := table{Title: title}
	for name := range strings.SplitSeq(columns, ",") {
		name, IsWide := strings.CutPrefix(name, "+")
		name, IsFigure := strings.CutPrefix(name, "#")
		t.Columns = append(t.Columns, column{name, IsFigure, IsWide})
	}
	for _, x := range list {
		t.Rows = append(t.Rows, row(x))
	}
	return t
}

// clipped is a cell that the text shortens.
type clipped string

// Tables are in the order of the text and of the page.
func (r Report) Tables() []table {
	return []table{
		newTable("Rules", "rule,#objections,#blocked,#asked,#warned,#let through,written at", r.Rules,
			func(x Rule) []any {
				return []any{x.Rule, x.Objections, x.Blocked, x.Asked, x.Warned, x.Allowed, x.Where}
			}),
		newTable("States", "state,#visits,#working,#waiting,#per visit,#requests,#objections", r.States,
			func(x State) []any {
				return []any{cmp.Or(x.Name, "(none)"), x.Visits, formatSeconds(x.Working), formatSeconds(x.Waiting),
					formatSeconds(x.PerVisit()), x.Requests, x.Objections}
			}),
		newTable("Agents", "agent,#runs,#done,#failed,#not admitted,+#unfinished,+#success,#median,#longest,"+
			"#requests,#objections", r.Agents, func(x Agent) []any {
			rate := "–"
			if x.Success != nil {
				rate = fmt.Sprintf("%.0f %%", *x.Success)
			}
			return []any{x.Name, x.Runs, x.Done, x.Failed, x.Quarantined, x.Unfinished, rate, formatSeconds(x.Median),
				formatSeconds(x.Longest), x.Requests, x.Objections}
		}),
		tallyTable("tool", r.Tools),
		tallyTable("day", r.Days),
		tallyTable("session", r.Sessions),
		newTable("Most targeted files", "file,#calls,#orchestrator’s,#objections", r.Files,
			func(x File) []any { return []any{clipped(x.Path), x.Requests, x.Orchestrator, x.Objections} }),
	}
}

func tallyTable(of string, list []Tally) table {
	if of != "tool" && len(list) < 2 { // a single session or day has no table
		list = nil
	}
	return newTable("By "+of, of+",#requests,#objections,#blocked,+#asked,+#warned", list, func(x Tally) []any {
		return []any{x.Name, x.Requests, x.Objections, x.Blocked, x.Asked, x.Warned}
	})
}

func (e Evidence) String() string {
	out := fmt.Sprintf("%d verified", e.Records)
	for _, x := range []struct {
		n      int
		format string
	}{{e.Unread, ", %d lines left out because they could not be verified"}, {e.Breaks, ", %d breaks in the chain"},
		{int(e.Missing), ", %d missing at the end"}, {e.Disputes, ", %d disputes"}} {
		if x.n > 0 {
			out += fmt.Sprintf(x.format, x.n)
		}
	}
	return out
}

func (e Evidence) IsWhole() bool { return e.Unread+e.Breaks == 0 && e.Missing == 0 }

func (f Fault) String() string {
	return fmt.Sprintf("session %s, %s", visible.Line(f.Session), f.Fault)
}

// Title names the session, or says how many there are.
func (r Report) Title() string {
	switch len(r.SessionIDs) {
	case 0:
		return "none"
	case 1:
		return visible.Line(r.SessionID)
	}
	return fmt.Sprintf("%d sessions", len(r.SessionIDs))
}

// describeStops says in which states pipelines were left, and which state took longest.
func (p Pipelines) describeStops() string {
	var out []string
	for _, s := range p.Stopped {
		out = append(out, fmt.Sprintf("%d in %s", s.Count, visible.Line(s.State)))
	}
	text := withPrefix("; left in the middle: ", strings.Join(out, ", ")) + withPrefix("; slowest state ", p.Slowest)
	return strings.TrimPrefix(text, "; ")
}

func withPrefix(before, s string) string {
	if s == "" {
		return ""
	}
	return before + s
}

// formatCell writes a number with separators, and anything else as it is.
func formatCell(v any) string {
	if n, ok := v.(int); ok {
		return groupDigits(n)
	}
	return fmt.Sprint(v)
}

// groupDigits writes a number with a comma between thousands.
func groupDigits(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func formatTime(t time.Time) string {
	if t.IsZero() {
		return "–"
	}
	return t.Local().Format(time.DateTime)
}

// formatSeconds is a duration for people: two units at most.
func formatSeconds(s float64) string {
	d := time.Duration(s * float64(time.Second))
	switch {
	case d == 0:
		return "–"
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Hour:
		d = d.Round(time.Second)
	default:
		d = d.Round(time.Minute)
	}
	out := d.String()
	for _, zero := range []string{"m0s", "h0m"} { // of 1h30m0s and 2h0m only what counts
		if strings.HasSuffix(out, zero) {
			out = out[:len(out)-2]
		}
	}
	return out
}
