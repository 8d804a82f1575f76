package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

func (p *program) logCommand() *cli.Command {
	return command(cli.Command{
		Name:  "log",
		Usage: "show what was asked and what was answered, filtered",
		Description: "Without --session the records of all of the project's sessions, merged by time. A filter may be given more than once, and\n" +
			"then any of its values fits; * stands for any characters. The first column is what `pipeline dispute` wants to be given.\n" +
			"Hashes are not checked here: `pipeline audit verify` does. Damaged lines are left out, counted and named.\n" +
			"Exit codes: 0 fine, 2 wrong usage, 3 no session, or it could not be read.\n\n" +
			"The members of a record, as --json prints it:\n" + journal.Fields(),
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "session", Usage: "the session with this `ID`, or the only one that begins so"},
			&cli.StringSliceFlag{Name: "agent", Usage: "of agents of this `TYPE`, or with this id; main is the main agent"},
			&cli.StringSliceFlag{Name: "tool", Usage: "calls of this `TOOL`"},
			&cli.StringSliceFlag{Name: "rule", Usage: "decided by this `RULE`"},
			&cli.StringSliceFlag{Name: "verdict", Usage: "answered by `VERDICT`: pass, warn, ask, deny"},
			&cli.StringSliceFlag{Name: "kind", Usage: "of this `KIND` of event: prompt, tool-request, agent-start, …"},
			&cli.StringFlag{Name: "since", Usage: "from this `TIME` on: 7d, 2h, 2026-03-01"},
			&cli.StringFlag{Name: "until", Usage: "before this `TIME`"},
			&cli.IntFlag{Name: "limit", Usage: "only the newest `N` of them"},
			&cli.BoolFlag{Name: "follow", Aliases: []string{"f"}, Usage: "go on with what is recorded from now on, also of new sessions"},
			&cli.BoolFlag{Name: "json", Usage: "print the records as they are, one a line"},
		},
		Action: p.log,
	})
}

func (p *program) log(c *cli.Context) error {
	want, err := wanted(c, time.Now())
	if err != nil {
		return err
	}
	o, err := p.project(c)
	if err != nil {
		return err
	}
	st := store(o, 5*time.Second)
	ids, err := p.logged(c, st)
	if err != nil {
		return err
	}
	l := &logger{program: p, asJSON: c.Bool("json"), many: c.String("session") == "", colour: p.colours(p.out)}
	defer l.flush()
	f := newFollower(st, want, c.IsSet("session"))
	if c.Bool("follow") {
		f.begin(ids) // before the first record is shown, so that none is missed
	}
	err = l.all(st, ids, want, c.Int("limit"))
	if l.sayDamage(); err != nil || !c.Bool("follow") {
		return err
	}
	return f.run(l, time.Tick(300*time.Millisecond))
}

// logged are the sessions that are asked for, and says which.
func (p *program) logged(c *cli.Context, st session.Store) ([]string, error) {
	ids, err := asked(c, st)
	switch {
	case c.IsSet("session") || err != nil && !(c.Bool("follow") && errors.Is(err, errNoSession)):
		return ids, err
	case len(ids) == 1:
		p.sayf("session %s (the only one)", ids[0])
	default:
		p.sayf("all %d sessions of this project, merged by time", len(ids))
	}
	return ids, nil
}

// oneSession is the session with an id, or the only one whose id begins so.
func oneSession(items []session.Item, id string) (string, error) {
	var found []string
	for _, i := range items {
		if i.ID == id {
			return id, nil
		}
		if strings.HasPrefix(i.ID, id) && id != "" {
			found = append(found, i.ID)
		}
	}
	switch len(found) {
	case 0:
		return "", known(items, id)
	case 1:
		return found[0], nil
	}
	return "", usageError{fmt.Sprintf("%d sessions begin with %s: %s", len(found), quote(id), strings.Join(found, ", "))}
}

// wanted reads the filters.
func wanted(c *cli.Context, now time.Time) (journal.Want, error) {
	w := journal.Want{Agents: c.StringSlice("agent"), Tools: c.StringSlice("tool"), Rules: c.StringSlice("rule"),
		Verdicts: c.StringSlice("verdict"), Kinds: c.StringSlice("kind")}
	if c.Args().Present() {
		return w, usageError{"log takes no arguments, only filters: see pipeline log --help"}
	}
	if c.Int("limit") < 0 || c.IsSet("limit") && c.Int("limit") == 0 {
		return w, usageError{"found --limit below 1, expected how many records"}
	}
	for _, v := range w.Verdicts {
		if !slices.Contains([]string{"pass", "warn", "ask", "deny"}, v) {
			return w, usageError{fmt.Sprintf("found verdict %s, expected pass, warn, ask or deny", quote(v))}
		}
	}
	if err := kinds(w.Kinds); err != nil {
		return w, err
	}
	var err error
	if w.Since, err = ageOf(c.String("since"), now); err == nil {
		w.Until, err = ageOf(c.String("until"), now)
	}
	return w, err
}

func kinds(asked []string) error {
	all := []string{journal.Rotated.String(), journal.Dispute.String(), journal.Order.String()}
	for _, k := range fsm.Kinds() {
		all = append(all, k.String())
	}
	for _, k := range asked {
		if !slices.Contains(all, k) {
			return usageError{fmt.Sprintf("found kind %s, expected one of %s", quote(k), strings.Join(all, ", "))}
		}
	}
	return nil
}

// all prints what is recorded so far.
func (l *logger) all(st session.Store, ids []string, want journal.Want, limit int) error {
	ring := newRing(limit, l.print)
	err := merged(st, ids, want, ring.add, l.damage)
	ring.flush()
	return err
}

// A logger prints records as they come.
type logger struct {
	*program
	asJSON, many, colour bool
	damaged              []string
	lost                 int
	buf                  []byte
}

// named is how many damaged lines are named; of the others the number is told.
const namedDamage = 5

func (l *logger) damage(id string, f journal.Fault) {
	if l.lost++; l.lost <= namedDamage {
		l.damaged = append(l.damaged, id+"/"+f.String())
	}
}

func (l *logger) sayDamage() {
	l.flush()
	if l.lost > 0 {
		l.sayf("%d damaged lines were left out: %s%s", l.lost, strings.Join(l.damaged, "; "), map[bool]string{true: "; …"}[l.lost > namedDamage])
		l.hint("pipeline audit verify")
	}
	l.damaged, l.lost = nil, 0
}

// flush writes what is printed so far. A reader who is gone ends us.
func (l *logger) flush() {
	if len(l.buf) > 0 {
		if _, err := l.out.Write(l.buf); err != nil {
			os.Exit(0)
		}
	}
	l.buf = l.buf[:0]
}
