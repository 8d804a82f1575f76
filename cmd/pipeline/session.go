package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

func newSessionCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:      "session",
		Usage:     "list the project's sessions, show one, remove old ones",
		ArgsUsage: "[list | show [ID] | clear ID…]",
		Description: "`list` shows them newest first. `show` tells all that is known of one: where it stands, its task graph, budgets,\n" +
			"orders, what was refused lately, and where its files are. `clear` removes those that are named, or chosen by --ended\n" +
			"and --older, and keeps a backup. One that may be going on is removed with --force only. An ID may be its beginning.\n" +
			"Only a person may clear. Exit codes: 0 fine, 2 wrong usage, 3 no such session, or one was not removed.",
		Flags: []cli.Flag{sessionFlag(),
			&cli.BoolFlag{Name: "json", Usage: "print it as JSON"},
			&cli.BoolFlag{Name: "ended", Usage: "clear those that have ended"},
			&cli.StringFlag{Name: "older", Usage: "clear those not heard of for this `AGE`: 30d, 12h, or since a date; with --ended both must be so"},
			&cli.BoolFlag{Name: "no-backup", Usage: "remove them for good"},
			&cli.BoolFlag{Name: "force", Usage: "clear also what may be going on"}},
		Action: func(c *cli.Context) error { return runSession(p, c) },
	}
}

func runSession(p *program, c *cli.Context) error {
	switch verb := c.Args().First(); {
	case c.NArg() == 0, verb == "list" && c.NArg() == 1:
		return listSessions(p, c)
	case verb == "show" && c.NArg() <= 2:
		return showSession(p, c)
	case verb == "clear":
		return clearSessions(p, c)
	}
	return usageError{"session wants to be told what to do: list, show [ID] or clear ID…"}
}

// How a session stands: whether anything may still come of it.
const (
	lifeLive   = "live"
	lifeSilent = "silent" // it was not ended, and not heard of for long
	lifeEnded  = "ended"
)

// A sessionDoc is one row of `session list --json`.
type sessionDoc struct {
	ID      string    `json:"session_id"`
	State   string    `json:"state"`
	Since   time.Time `json:"since,omitzero"` // when the state was entered
	Last    time.Time `json:"last"`           // when it was last heard of
	Life    string    `json:"life"`           // live, silent or ended
	Running []string  `json:"running"`        // agent types
	Denied  int       `json:"denied"`
	Partial bool      `json:"partial,omitempty"` // there were more denials, in records that are gone from the journal
	Bytes   int64     `json:"bytes"`             // of all its files
	Dir     string    `json:"dir"`
}

func listSessions(p *program, c *cli.Context) error {
	o, err := p.project(c)
	if err != nil {
		return err
	}
	st := store(o, 0)
	items, err := st.List()
	if err != nil {
		return err
	}
	all := make([]sessionDoc, 0, len(items))
	for _, i := range items {
		all = append(all, describeSession(p, st, i, time.Now()))
	}
	if c.Bool("json") {
		return p.json(all)
	}
	if len(all) == 0 {
		p.sayf("%v", errNoSession)
		return nil
	}
	printSessions(p, all, time.Now())
	return nil
}

// describeSession is what one session comes to. What cannot be read of it is said, and the rest is shown.
func describeSession(p *program, st session.Store, i session.Item, now time.Time) sessionDoc {
	s, err := st.Last(i.ID)
	if err != nil || s.ID == "" { // the journal is lost or damaged: it is as it was last published
		v, err := st.View(i.ID)
		if err != nil {
			p.sayf("%v", err)
		}
		s = v.Session
	}
	out := sessionDoc{ID: i.ID, State: s.Machine.State, Since: s.Machine.Since, Last: i.Last, Life: lifeOf(st, i, now), Running: runningTypes(s), Bytes: st.Size(i.ID), Dir: st.Path(i.ID)}
	t, err := st.TallyAll(i.ID)
	if err != nil {
		p.sayf("count what was denied in session %s: %v", i.ID, err)
	}
	out.Denied, out.Partial = t.Denied, t.Partial
	return out
}

func lifeOf(st session.Store, i session.Item, now time.Time) string {
	switch {
	case st.Ended(i.ID):
		return lifeEnded
	case now.Sub(i.Last) > recently:
		return lifeSilent
	}
	return lifeLive
}

func runningTypes(s fsm.Session) []string {
	out := []string{}
	for _, r := range s.RunningAgents() {
		out = append(out, r.Type)
	}
	return out
}

func printSessions(p *program, all []sessionDoc, now time.Time) {
	t := p.table()
	fmt.Fprintf(t, "session\tstate\tsince\tlast heard\t\trunning\tdenied\tsize\n")
	for _, s := range all {
		running := "-"
		if len(s.Running) > 0 {
			running = cut(strings.Join(s.Running, ", "), 40)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", s.ID, orDash(s.State), ago(s.Since, now), ago(s.Last, now), s.Life, running, denials(s), bytesOf(s.Bytes))
	}
	t.Flush()
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func denials(s sessionDoc) string {
	if s.Partial {
		return fmt.Sprintf("%d+", s.Denied)
	}
	return fmt.Sprint(s.Denied)
}

// ago is how long something is over, to one unit.
func ago(t, now time.Time) string {
	if t.IsZero() {
		return "-"
	}
	switch d := max(now.Sub(t), 0); {
	case d < time.Minute:
		return fmt.Sprintf("%ds ago", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh ago", int(d.Hours()))
	default:
		return fmt.Sprintf("%dd ago", int(d.Hours()/24))
	}
}

// bytesOf is a size as one reads it, in units of 1000.
func bytesOf(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1_000_000)
}
