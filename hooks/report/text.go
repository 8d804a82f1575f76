package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/agent-pipeline/pipeline/hooks/visible"
)

// Text writes the report for a terminal.
func (r Report) Text(w io.Writer) error {
	t := &text{Writer: tabwriter.NewWriter(visible.NewWriter(w), 0, 0, 2, ' ', 0)}
	t.writeHead(r)
	t.writeRequests(r)
	t.writeWork(r)
	t.writeEvidence(r)
	return t.Flush()
}

type text struct{ *tabwriter.Writer }

func (t *text) printf(format string, a ...any) { fmt.Fprintf(t, format+"\n", a...) }

func (t *text) writeHead(r Report) {
	t.printf("session\t%s", r.title())
	t.printf("time\t%s – %s", formatTime(r.SessionStart), formatTime(r.SessionEnd))
	t.printf("score\t%s", r.describeScore())
	t.printf("\t%s", r.Score.Formula)
	if s := r.Score; s.Unguarded.Requests+s.Bypassed.Requests > 0 {
		t.printf("not in it\t%d unguarded calls (strict would have objected to %d), %d bypassed (%d)",
			s.Unguarded.Requests, s.Unguarded.Objections, s.Bypassed.Requests, s.Bypassed.Objections)
	}
	v := r.Violations
	t.printf("orchestrator\t%d calls: %d blocked, %d asked, %d warned, %d confined, %d allowed", r.TotalToolCalls,
		v.Blocked, v.Asked, v.Warned, v.Confined, v.Allowed)
	t.printf("agents\t%d of all %d calls (%.1f %% delegated)%s", r.Calls.Agents, r.Calls.All, r.Calls.Delegated,
		r.describeConcurrency())
	if r.Injected.Texts > 0 {
		t.printf("sent to agents\t%s", r.Injected)
	}
	if p := r.Pipelines; p.Started > 0 {
		t.printf("pipelines\t%d started, %d finished, %d under way%s%s", p.Started, p.Finished, p.Open,
			r.describeStops(), withPrefix("; slowest state ", p.Slowest))
	}
	t.writeList("suggestions", r.Recommendations)
}

func (t *text) writeList(title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	t.printf("\n%s", title)
	for _, l := range lines {
		t.printf("  - %s", visible.Line(l))
	}
}

// rows is how long a table may be on a screen; the document has it all.
const rows = 12

// writeTable writes the rows that there are, under a heading.
func writeTable[T any](t *text, list []T, heading string, row func(T) []any) {
	if len(list) == 0 {
		return
	}
	t.printf("\n%s", heading)
	for _, x := range firstN(list, rows) {
		var cells []string
		for _, v := range row(x) {
			cells = append(cells, visible.Line(fmt.Sprint(v)))
		}
		t.printf("  %s", strings.Join(cells, "\t"))
	}
	if n := len(list) - rows; n > 0 {
		t.printf("  … %d more", n)
	}
}

func (t *text) writeRequests(r Report) {
	writeTable(t, r.Rules, "rule\tobjections\tblocked\tasked\twarned\tlet through\twritten at", func(x Rule) []any {
		return []any{x.Rule, x.Objections, x.Blocked, x.Asked, x.Warned, x.Allowed, x.Where}
	})
	for title, list := range r.eachTally() {
		writeTable(t, list, title+"\trequests\tobjections\tblocked",
			func(x Tally) []any { return []any{x.Name, x.Requests, x.Objections, x.Blocked} })
	}
	if len(r.Injected.Sessions) > 1 {
		writeTable(t, r.Injected.Sessions, "sent to agents of session\tcharacters\ttexts",
			func(x Injected) []any { return []any{x.Session, groupDigits(x.Characters), groupDigits(x.Texts)} })
	}
	writeTable(t, r.Steps, "refused step\tin state\ttimes",
		func(x Step) []any { return []any{x.Agent, x.State, x.Count} })
	writeTable(t, r.Repeated, "asked again\trule\ttimes",
		func(x Repeat) []any { return []any{visible.Shorten(x.What, 50), x.Rule, x.Count} })
	writeTable(t, r.Files, "file\tcalls\torchestrator's\tobjections",
		func(x File) []any { return []any{shortenPath(x.Path, 60), x.Requests, x.Orchestrator, x.Objections} })
}

// eachTally are the plain tables, with what their rows are; sessions and days only where
// there are several.
func (r Report) eachTally() func(func(string, []Tally) bool) {
	return func(yield func(string, []Tally) bool) {
		if !yield("tool", r.Tools) {
			return
		}
		if len(r.Days) > 1 && !yield("day", r.Days) {
			return
		}
		if len(r.Sessions) > 1 {
			yield("session", r.Sessions)
		}
	}
}

func (t *text) writeWork(r Report) {
	writeTable(t, r.States, "state\tvisits\tworking\twaiting\tper visit\trequests\tobjections", func(x State) []any {
		return []any{cmp.Or(x.Name, "(none)"), x.Visits, formatSeconds(x.Working), formatSeconds(x.Waiting),
			formatSeconds(x.PerVisit().Seconds()), x.Requests, x.Objections}
	})
	writeTable(t, r.Agents, "agent\truns\tdone\tfailed\tnot admitted\tmedian\tlongest\trequests\tobjections",
		func(x Agent) []any {
			return []any{x.Name, x.Runs, x.Done, x.Failed, x.Quarantined, formatSeconds(x.Median),
				formatSeconds(x.Longest), x.Requests, x.Objections}
		})
	writeTable(t, r.Concentration, "objections", func(x Concentration) []any { return []any{x} })
}

func (t *text) writeEvidence(r Report) {
	t.printf("\nrecords\t%s", r.Evidence)
	for _, f := range r.Evidence.Faults {
		t.printf("  %s", f)
	}
}

func (e Evidence) String() string {
	out := fmt.Sprintf("%d verified", e.Records)
	if n := e.Unread; n > 0 {
		out += fmt.Sprintf(", %d lines left out because they could not be verified", n)
	}
	if n := e.Breaks; n > 0 {
		out += fmt.Sprintf(", %d breaks in the chain", n)
	}
	if n := e.Missing; n > 0 {
		out += fmt.Sprintf(", %d missing at the end", n)
	}
	if n := e.Disputes; n > 0 {
		out += fmt.Sprintf(", %d disputes", n)
	}
	if e.Truncated {
		out += "; the rarest files and repetitions are not counted"
	}
	return out
}

func (f Fault) String() string {
	return fmt.Sprintf("session %s, %s", visible.Line(f.Session), f.Fault)
}

func (c Concentration) String() string {
	word := "concentrated"
	if c.Spread {
		word = "spread"
	}
	things := c.By + "s"
	return fmt.Sprintf("by %s: %s (%d of %d %s hold %.0f %%)", c.By, word, c.Holding, c.Among, things, c.Share)
}

func (r Report) title() string {
	switch len(r.SessionIDs) {
	case 0:
		return "none"
	case 1:
		return visible.Line(r.SessionID)
	}
	return fmt.Sprintf("%d sessions", len(r.SessionIDs))
}

func (r Report) describeScore() string {
	if r.ComplianceScore == nil {
		return "none"
	}
	return fmt.Sprintf("%.1f of 100", *r.ComplianceScore)
}

func (r Report) describeConcurrency() string {
	if r.Concurrency.Max == 0 {
		return ""
	}
	return fmt.Sprintf("; at most %d at once", r.Concurrency.Max)
}

func (r Report) describeStops() string {
	var out []string
	for _, s := range r.Pipelines.Stopped {
		out = append(out, fmt.Sprintf("%d in %s", s.Count, visible.Line(s.State)))
	}
	return withPrefix("; left in the middle: ", strings.Join(out, ", "))
}

func withPrefix(before, s string) string {
	if s == "" {
		return ""
	}
	return before + s
}

// shortenPath shortens a path to its end.
func shortenPath(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return "…" + string(r[len(r)-n+1:])
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
	d := toDuration(s)
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
