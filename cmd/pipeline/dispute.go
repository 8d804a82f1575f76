package main

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

func (p *program) disputeCommand() *cli.Command {
	return command(cli.Command{
		Name:      "dispute",
		Usage:     "record that a denial was wrong",
		ArgsUsage: `RECORD "WHY"`,
		Description: "RECORD is the first column of `pipeline log`, SESSION:N, or N alone with --session. What was denied, asked about, or would\n" +
			"have been under level strict can be disputed. Nothing is changed: `pipeline readiness` counts it.\n" +
			"Only a person may run it. Exit codes: 0 fine, 2 wrong usage, 3 no such record, or it could not be written.",
		Flags:  []cli.Flag{&cli.StringFlag{Name: "session", Usage: "the session with this `ID`, or the only one that begins so"}},
		Action: p.dispute,
	})
}

func (p *program) dispute(c *cli.Context) error {
	why := strings.TrimSpace(strings.Join(c.Args().Tail(), " "))
	if why == "" {
		return usageError{`dispute wants a record and a reason: pipeline dispute SESSION:N "why"`}
	}
	if err := p.person("dispute"); err != nil {
		return err
	}
	o, err := p.project(c)
	if err != nil {
		return err
	}
	st := store(o, 5*time.Second)
	id, n, err := recordNamed(st, c.String("session"), c.Args().First())
	if err != nil {
		return err
	}
	r, err := deniedRecord(st, id, n)
	if err != nil {
		return err
	}
	note := journal.Record{Event: fsm.Event{Time: time.Now().UTC(), Kind: journal.Dispute, Agent: fsm.Agent{ID: r.Event.Agent.ID, Type: r.Event.Agent.Type}, Tool: fsm.Tool{Name: r.Event.Tool.Name}},
		Of: n, Reason: why, Rule: r.Rule, RuleType: r.RuleType, Where: r.Where, Level: r.Level, Policy: r.Policy,
		Notes: []string{"by " + who() + " with pipeline dispute"}}
	if err := st.Note(id, note); err != nil {
		return err
	}
	p.printf("disputed: %s:%d, %s of %s by rule %s\n", id, n, denialOf(r), r.Event.Tool.Name, r.Rule)
	return nil
}

// who runs this: a person, as far as it can be told (see person).
func who() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return fmt.Sprint("uid ", os.Getuid())
}

// recordNamed reads SESSION:N, or N of a session that is named by itself.
func recordNamed(st session.Store, id, name string) (string, int64, error) {
	number := name
	if i := strings.LastIndexByte(name, ':'); i >= 0 {
		if id != "" {
			return "", 0, usageError{"found a session both in " + quote(name) + " and in --session, expected one"}
		}
		id, number = name[:i], name[i+1:]
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 1 || id == "" {
		return "", 0, usageError{fmt.Sprintf("found record %s, expected SESSION:N, as the first column of `pipeline log` has it", quote(name))}
	}
	items, err := st.List()
	if err != nil {
		return "", 0, err
	}
	id, err = oneSession(items, id)
	return id, n, err
}

var errNoDenial = errors.New("nothing was denied there")

// deniedRecord finds the record that is disputed, and refuses one that is no denial or is disputed already.
func deniedRecord(st session.Store, id string, n int64) (journal.Record, error) {
	var r journal.Record
	again := false
	_, err := journal.ReadAll(st.Path(id), func(x journal.Record) bool {
		if x.Seq == n {
			r = x
		}
		again = again || x.Event.Kind == journal.Dispute && x.Of == n
		return true
	})
	switch {
	case err != nil:
		return r, err
	case r.Seq == 0:
		return r, fmt.Errorf("session %s has no readable record %d", id, n)
	case r.Event.Kind == journal.Dispute || denialOf(r) == "":
		return r, fmt.Errorf("record %s:%d (%s) cannot be disputed: %w", id, n, strings.TrimSpace(r.Event.Kind.String()+" "+r.Event.Tool.Name), errNoDenial)
	case again:
		return r, fmt.Errorf("record %s:%d is disputed already", id, n)
	}
	return r, nil
}

// denialOf says in what way a call was denied; nothing when it was not.
func denialOf(r journal.Record) string {
	words := map[string]string{"deny": "denial", "ask": "question"}
	if w := words[r.Verdict]; w != "" {
		return w
	}
	if w := words[r.StrictVerdict]; w != "" {
		return w + " under strict"
	}
	return ""
}
