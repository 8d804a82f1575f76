package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/report"
	"github.com/agent-pipeline/pipeline/hooks/session"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

func newLogCommand(p *program) command {
	return command{
		Usage: "Show what was refused, asked and warned of, or all calls and answers",
		Description: `Without filters the records to which strict objects; --all shows the others
too, and so does a filter by tool, rule, verdict or kind. Without --session
the records of all of the project's sessions, merged by time. A filter may be
repeated, and then any of its values matches; * stands for any characters.
explain and dispute take the first column. Hashes are not checked here:
pipeline audit verify does that. Damaged lines are skipped, counted, named.
Exit codes: 0 fine, 2 wrong usage, 3 no session, or it could not be read.

The members of a record, as --json prints it:
` + journal.Fields(),
		UsageText: `pipeline log --verdict deny --since 2h
pipeline log --follow --session 3f2a`,
		Flags: flags{
			namedSessionFlag("the session"),
			listFlag("agent", "of agents of this `TYPE` or id; main is the main agent"),
			listFlag("tool", "calls of this `TOOL`"),
			listFlag("rule", "decided by this `RULE`"),
			listFlag("verdict", "answered by `VERDICT`: pass, warn, confine, ask, deny"),
			listFlag("kind",
				"of this `KIND`: prompt, agent-start, …, or the tool of a request, as it is printed: Bash"),
			textFlag("since", "from this `TIME` on: 7d, 2h, 2026-03-01"),
			textFlag("until", "before this `TIME`"),
			boolFlag("all", "also what passed, and what was no call"),
			numberFlag("limit", "only the newest `N` of them"),
			boolFlag("follow", "continue with new records", "f"),
			boolFlag("json", "print the records as they are, one a line"),
		},
		Action: p.inProject(runLog),
	}
}

func runLog(c invocation, o opened) error {
	want, err := parseFilters(c, time.Now())
	if err != nil {
		return err
	}
	isNamed, isFollowing := c.IsSet("session"), c.Bool("follow")
	items, err := o.selectSessions(c)
	switch {
	case err != nil && (isNamed || !isFollowing || !errors.Is(err, errNoSession)):
		return err
	case isNamed:
	case len(items) == 1:
		c.sayf("session %s (the only one)", items[0].ID)
	default:
		c.sayf("all %d sessions of this project, merged by time", len(items))
	}
	l := newLogger(c.program, o.store, want)
	l.asJSON, l.only, l.newest = c.Bool("json"), isNamed, c.Int("limit")
	l.refused = !c.Bool("all") && len(want.Tools)+len(want.Rules)+len(want.Verdicts)+len(want.Kinds) == 0
	var journals []journal.Source
	for _, i := range items {
		journals = append(journals, journal.Source{ID: i.ID, Dir: o.store.Path(i.ID)})
	}
	l.at, err = journal.Merge(journals, want, l.printRecord, l.noteDamage)
	l.reportCounts()
	if l.reportDamage(); err != nil || !isFollowing {
		return err
	}
	for range time.Tick(300 * time.Millisecond) { // until the output is gone
		if err := l.printNew(); err != nil {
			return err
		}
		l.reportDamage()
	}
	return nil
}

func parseFilters(c invocation, now time.Time) (journal.Want, error) {
	w := journal.Want{Agents: c.StringSlice("agent"), Tools: c.StringSlice("tool"), Rules: c.StringSlice("rule"),
		Verdicts: c.StringSlice("verdict"), Kinds: c.StringSlice("kind")}
	if c.IsSet("limit") && c.Int("limit") < 1 {
		return w, usagef("found --limit below 1, expected how many records")
	}
	for _, v := range w.Verdicts {
		if err := checkWord("unknown verdict", v, fsm.VerdictNames()...); err != nil {
			return w, err
		}
	}
	kinds := []string{journal.Rotated.String(), journal.Dispute.String(), journal.Order.String()}
	for _, k := range fsm.Kinds() {
		kinds = append(kinds, k.String())
	}
	for _, k := range w.Kinds {
		if isTool := strings.HasPrefix(k, "mcp__") || strings.ToLower(k) != k; !isTool && !slices.Contains(kinds, k) {
			return w, usagef("found kind %q, expected one of %s", k, strings.Join(kinds, ", "))
		}
	}
	var err error
	if w.Since, err = parseAge(c.String("since"), now); err == nil {
		w.Until, err = parseAge(c.String("until"), now)
	}
	return w, err
}

// A logger prints records as they come. Of new ones it polls the journals' lengths: a few system
// calls a session, and nothing can be missed.
type logger struct {
	*program
	store           session.Store
	want            journal.Want
	only            bool // the one session that is named
	at              map[string]journal.Place
	out             *bufio.Writer
	asJSON, colour  bool
	refused         bool     // only what strict objects to
	newest          int      // only so many, where it is not 0
	kept            []func() // print the newest so far
	printed, others int
	damaged         []string
}

func newLogger(p *program, st session.Store, want journal.Want) *logger {
	return &logger{program: p, store: st, want: want, at: map[string]journal.Place{}, colour: p.hasColours(),
		out: bufio.NewWriterSize(p.out, 32<<10)}
}

func (l *logger) noteDamage(id string, f journal.Fault) {
	l.damaged = append(l.damaged, id+"/"+f.String())
}

// reportDamage names the first damaged lines, and counts all.
func (l *logger) reportDamage() {
	l.flush()
	lost, named := len(l.damaged), l.damaged
	if lost > 5 {
		named = append(named[:5], "…")
	}
	if lost > 0 {
		l.sayf("%d lines that cannot be read were left out: %s", lost, strings.Join(named, "; "))
		l.hint("pipeline audit verify")
	}
	l.damaged = nil
}

// reportCounts says what is not shown, and that nothing was found.
func (l *logger) reportCounts() {
	for _, print := range l.kept {
		print()
	}
	l.newest = 0 // what follows is printed as it comes
	l.flush()
	switch {
	case l.others > 0:
		shown := visible.Count(l.printed, "objection")
		if n := len(l.kept); 0 < n && n < l.printed {
			shown = fmt.Sprintf("%d of %s", n, shown)
		}
		l.sayf("%s shown; others: %d (pipeline log --all)", shown, l.others)
	case l.printed == 0 && len(l.want.Rules) > 0:
		l.sayf("no record was decided by rule %s", strings.Join(l.want.Rules, ", "))
	case l.printed == 0:
		l.sayf("no record matches")
	}
}

// write prints a record as it is, or in columns of fixed width: a month is printed as it is read. It exits when the
// reader is gone.
func (l *logger) write(id string, r *journal.Line) {
	text := string(r.Raw) + "\n"
	if !l.asJSON {
		text = l.formatColumns(id, r)
	}
	if _, err := l.out.WriteString(text); err != nil {
		os.Exit(0)
	}
}

func (l *logger) flush() {
	if l.out.Flush() != nil {
		os.Exit(0)
	}
}

// printRecord prints a record, or keeps it where only the newest are printed.
func (l *logger) printRecord(id string, r *journal.Line) {
	if r.Repeated && !l.asJSON {
		return // the record before it has the call
	}
	if l.refused && !r.IsObjected() {
		l.others++
		return
	}
	l.printed++
	if l.newest == 0 {
		l.write(id, r)
		return
	}
	l.kept = append(l.kept, func() { l.write(id, r) })
	l.kept = l.kept[max(0, len(l.kept)-l.newest):]
}

func (l *logger) formatColumns(id string, r *journal.Line) string {
	verdict := r.Verdict
	if verdict == "" && r.StrictVerdict != "" {
		verdict = "pass"
	}
	kind := r.Kind.String()
	if len(id) > 8 && !l.only {
		id = id[:8]
	}
	if r.Kind == fsm.ToolRequest {
		kind = r.Tool
	}
	agent := "main"
	if r.AgentID != "" {
		agent = cmp.Or(r.Agent, r.AgentID)
	}
	name := fmt.Sprintf("%s:%d", id, r.Seq) // as `pipeline dispute` takes it
	if verdict = padRight(verdict, 4); l.colour && verdict != "pass" {
		verdict = l.paint(verdict)
	}
	tail := strings.TrimSpace(singleLine(summarizeRecord(r)))
	if r.Rule != "" {
		rule := r.Decider()
		if r.StrictVerdict != "" && r.StrictVerdict != r.Verdict {
			rule += " (strict: " + r.StrictVerdict + ")"
		}
		tail = strings.TrimSpace(rule + "  " + tail)
	}
	if reason := strings.TrimSpace(singleLine(r.Reason)); r.IsObjected() && reason != "" {
		tail = visible.Shorten(tail, 90) + " — " + reason
	}
	return fmt.Sprintf("%s  %s  %s  %s  %s  %s\n", padRight(name, 13), r.Time.Local().Format("01-02 15:04:05"),
		padRight(agent, 20), padRight(kind, 13), verdict, visible.Shorten(tail, 200))
}

// summarizeRecord is a record in a few words.
func summarizeRecord(r *journal.Line) string {
	out := r.ListMoves()
	if call := report.DescribeCall(r); call != r.Tool { // which has a column of its own
		out = append(out, strings.TrimPrefix(call, r.Tool+" "))
	}
	if len(out) == 0 {
		reason := r.Reason
		if r.IsObjected() {
			reason = "" // it is printed behind the rest
		}
		out = append(out, cmp.Or(r.Starts.Get("name").Str, r.Event.Get("text").Str, reason,
			r.Event.Get("source").Str))
	}
	return strings.Join(out, " · ")
}

// singleLine keeps a text of others on one line.
func singleLine(s string) string {
	return visible.Line(strings.ReplaceAll(strings.ReplaceAll(s, "\n", " "), "\t", " "))
}

func padRight(s string, width int) string {
	s = singleLine(s)
	return s + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s)))
}

// printNew prints what is new in all sessions.
func (l *logger) printNew() error {
	items, err := l.store.List()
	if err != nil {
		return err
	}
	for _, i := range slices.Backward(items) { // the newest last
		if _, known := l.at[i.ID]; l.only && !known {
			continue
		}
		to, err := journal.From(l.store.Path(i.ID), l.at[i.ID], &l.want,
			func(line *journal.Line) bool { l.printRecord(i.ID, line); return true },
			func(x journal.Fault) { l.noteDamage(i.ID, x) })
		l.at[i.ID] = to
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
