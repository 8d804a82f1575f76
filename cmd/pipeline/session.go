package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/session"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

func newSessionCommand(p *program) command {
	asJSON := jsonFlag()
	return command{
		Usage: "List the project's sessions, remove old ones",
		Description: `Without a subcommand: the list. A session's ID may be shortened to its
beginning.`,
		UsageText: "pipeline session\npipeline session clear 3f2a",
		Flags:     flags{asJSON},
		Action:    p.inProject(listSessions),
		Subcommands: []*command{{
			Name:      "list",
			Usage:     "List the sessions, the newest first",
			UsageText: "pipeline session list --json",
			Flags:     flags{asJSON},
			Action:    p.inProject(listSessions),
		}, {
			Name:      "clear",
			Usage:     "Remove sessions, with a backup",
			ArgsUsage: "ID…",
			Description: `One that may still be running is removed with --force only. Old ones go by
themselves, as audit of the config says. Only a person may run it.`,
			UsageText: "pipeline session clear 3f2a",
			Flags: flags{
				boolFlag("no-backup", "remove them for good"),
				boolFlag("force", "also what may still be running")},
			Action: p.inProject(clearSessions),
		}},
	}
}

// A sessionDoc is one row of `session list --json`.
type sessionDoc struct {
	ID      string    `json:"session_id"`
	State   string    `json:"state"`
	Since   time.Time `json:"since,omitzero"` // when the state was entered
	Last    time.Time `json:"last"`           // its latest activity
	Life    string    `json:"life"`           // live, ended, or silent: not ended, and long without activity
	Running []string  `json:"running"`        // agent types
	Denied  int       `json:"denied"`
	Bytes   int64     `json:"bytes"` // of all its files
	Dir     string    `json:"dir"`
}

func listSessions(c invocation, o opened) error {
	items, err := o.store.List()
	if err != nil {
		return err
	}
	all := make([]sessionDoc, 0, len(items))
	for _, i := range items {
		all = append(all, o.describeSession(i))
	}
	return c.printResult(all, func() {
		if len(all) == 0 {
			c.report(errNoSession)
			return
		}
		t := c.newTable("session", "state", "since", "last active", "", "running", "denied", "size")
		for _, s := range all {
			running := visible.Line(visible.Shorten(strings.Join(s.Running, ", "), 40))
			t.row(s.ID, cmp.Or(s.State, "-"), formatAge(s.Since), formatAge(s.Last), s.Life,
				cmp.Or(running, "-"), s.Denied, formatSize(s.Bytes))
		}
		t.Flush()
	})
}

// describeSession summarizes one session. It reports what cannot be read, and shows the
// rest.
func (o opened) describeSession(i session.Item) sessionDoc {
	last, err := o.store.Tail(i.ID)
	s := last.State
	if err != nil || s.ID == "" { // the journal is lost or damaged: show what was last published
		v, err := o.store.View(i.ID)
		o.report(err)
		s = v.Session
	}
	life := "live"
	switch {
	case last.Ended():
		life = "ended"
	case time.Since(i.Last) > session.ActiveFor:
		life = "silent"
	}
	out := sessionDoc{ID: i.ID, State: s.Machine.State, Since: s.Machine.Since, Last: i.Last,
		Life: life, Running: []string{}, Denied: s.Counts.Denied,
		Bytes: o.store.Size(i.ID), Dir: o.store.Path(i.ID)}
	for _, r := range s.RunningAgents() {
		out.Running = append(out.Running, r.Type)
	}
	return out
}

func formatTime(t time.Time) string { return t.Local().Format(time.DateTime) }

// formatAge is the time since, to one unit.
func formatAge(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	d, unit, name := max(time.Since(t), 0), 24*time.Hour, "d"
	switch {
	case d < time.Minute:
		unit, name = time.Second, "s"
	case d < time.Hour:
		unit, name = time.Minute, "m"
	case d < 48*time.Hour:
		unit, name = time.Hour, "h"
	}
	return fmt.Sprintf("%d%s ago", d/unit, name)
}

// formatSize is a number of bytes, in units of 1000.
func formatSize(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1_000_000)
}

// A shownDoc is the document of `status SESSION --json`.
type shownDoc struct {
	sessionDoc
	Level   standingLevel      `json:"level"`
	Next    []string           `json:"next"`
	Agents  []fsm.Run          `json:"agents"` // that run
	Context map[string]fsm.Ref `json:"context"`
	Budgets []budgetDoc        `json:"budgets"`
	Refused []refusedDoc       `json:"refused"` // the latest
	Held    int                `json:"held"`    // how often in a row the turn was held
	Planned bool               `json:"planned"` // a plan was approved, and no agent has started since
	Open    []fsm.OpenTask     `json:"open"`    // the client's own tasks
	Tasks   *tasksDoc          `json:"tasks,omitempty"`
	Moves   int                `json:"moves"`
	Notes   []string           `json:"notes"`
	Files   []string           `json:"files"`
	drawn   string             // the task graph
}

// A budgetDoc is how much of a budget is used.
type budgetDoc struct {
	Rule   string   `json:"rule"`
	Agent  string   `json:"agent,omitempty"` // empty for the main agent
	Used   int      `json:"used"`
	Of     int      `json:"of"`
	Denied int      `json:"denied"`
	Files  []string `json:"files,omitempty"`
}

// A refusedDoc is a call that was refused.
type refusedDoc struct {
	Record int64     `json:"n"` // as `pipeline log` counts
	Time   time.Time `json:"time"`
	Agent  string    `json:"agent,omitempty"` // empty for the main agent
	Tool   string    `json:"tool"`
	Rule   string    `json:"rule"`
	Where  string    `json:"where,omitempty"`
	Reason string    `json:"reason"`
}

// gatherDetails gathers what is known of a session.
func gatherDetails(s picked, v session.View) shownDoc {
	d := shownDoc{sessionDoc: s.describeSession(s.Item), Level: readLevel(s, v),
		Next: s.Policy.NewTable().Next(v.State), Agents: v.Session.RunningAgents(),
		Context: v.Session.Machine.Captures, Budgets: []budgetDoc{}, Held: v.Session.Turn.Held,
		Planned: v.Session.Tasks.Planned, Open: v.Session.Tasks.Open, Moves: v.Session.Machine.Moves,
		Notes: v.Notes, Files: []string{}, Refused: []refusedDoc{}} // the oldest first
	for _, b := range v.Session.Budgets.Uses { // of which something is used, of rules that the config still has
		set := s.Policy.Subagents.List
		if b.Agent == "" {
			set = s.Policy.Main.List
		}
		for i := range set {
			if used := b.Used + len(b.Held); set[i].Name == b.Rule && used+b.Tries > 0 {
				d.Budgets = append(d.Budgets, budgetDoc{b.Rule, b.Agent, used, set[i].Budget, b.Tries, b.Files})
			}
		}
	}
	const most = 5
	_, err := journal.Read(s.store.Path(s.ID), func(r journal.Record) bool {
		e := r.Event
		if e.Kind == fsm.ToolRequest && r.Verdict == fsm.Deny.String() && !r.Repeated {
			d.Refused = append(d.Refused,
				refusedDoc{r.Seq, e.Time, e.Agent.Type, e.Tool.Name, r.Decider(), r.Where, r.Reason})
			d.Refused = d.Refused[max(0, len(d.Refused)-most):]
		}
		return true
	})
	s.report(err)
	entries, _ := os.ReadDir(d.Dir) // it was read a moment ago: on an error it has just been removed
	for _, e := range entries {
		d.Files = append(d.Files, d.Dir+"/"+e.Name())
	}
	if g, pr, err := sessionGraph(v); err == nil {
		doc := describeTasks(g, pr)
		d.Tasks, d.drawn = &doc, g.Text(pr)
	}
	return d
}

// printDetails prints what the overview leaves out.
func printDetails(c invocation, d shownDoc) {
	t := c.newTable()
	fmt.Fprintf(t, "%s\tlast active %s, %s\n", d.Life, formatAge(d.Last), visible.Count(d.Moves, "move"))
	for _, b := range d.Budgets {
		refused, agent := "", ""
		if b.Denied > 0 {
			refused = ", refused " + visible.Count(b.Denied, "time")
		}
		if b.Agent != "" {
			agent = " (agent " + b.Agent + ")"
		}
		fmt.Fprintf(t, "budget\t%s: %d of %d used%s%s\n", b.Rule, b.Used, b.Of, refused, agent)
	}
	t.row("denied", d.sessionDoc.Denied)
	for _, r := range d.Refused {
		fmt.Fprintf(t, "refused\t%s (%s): %s\n", formatAge(r.Time), r.Rule,
			visible.Shorten(singleLine(r.Reason), 120))
	}
	if d.Held > 0 {
		t.row("held", "the turn was kept from ending, "+visible.Count(d.Held, "time")+" in a row")
	}
	if d.Planned {
		t.row("planned", "a plan was approved, and no agent has been started for it")
	}
	for _, o := range d.Open {
		fmt.Fprintf(t, "open\ttask %s %s\n", visible.Line(o.ID), visible.Line(o.Subject))
	}
	fmt.Fprintf(t, "files\t%s (%s)\n", d.Dir, formatSize(d.Bytes))
	t.Flush()
	if d.drawn != "" {
		c.printf("tasks\n%s", d.drawn)
	}
}

// clearSessions removes sessions. It reports one that may still be running, leaves it,
// and removes the others.
func clearSessions(c invocation, o opened) error {
	if c.NArg() == 0 {
		return usagef("missing session: an ID, as pipeline session lists them")
	}
	var ids []string
	for _, name := range c.Args().Slice() {
		i, err := o.findSession(name)
		if err != nil {
			return err
		}
		ids = append(ids, i.ID)
	}
	how := session.Clearing{By: userName() + " with pipeline session clear",
		Backup: !c.Bool("no-backup"), Force: c.Bool("force")}
	left := 0
	for _, id := range ids {
		backup, err := o.store.Clear(id, time.Now(), how)
		if err != nil {
			left++
		}
		switch {
		case errors.Is(err, session.ErrLive):
			c.sayf("session %s may still be running: it stays", id)
			c.hint("pipeline session clear %s --force", id)
		case err != nil:
			c.report(err)
		case backup == "":
			c.printf("session %s: removed, without a backup\n", id)
		default:
			c.printf("session %s: removed\nbackup: %s\n", id, backup)
		}
	}
	if left > 0 {
		return fmt.Errorf("%d of %s not removed", left, visible.Count(len(ids), "session"))
	}
	return nil
}
