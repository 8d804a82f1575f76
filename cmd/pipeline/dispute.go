package main

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/redact"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

func newDisputeCommand(p *program) command {
	return command{
		Usage:     "Record that a denial was wrong",
		ArgsUsage: `RECORD "WHY"`,
		Description: `RECORD is SESSION:N, the first column of pipeline log. What was denied, asked
about, or would have been under level strict can be disputed. It changes
nothing: pipeline report --readiness counts it. Only a person may run it.`,
		UsageText: `pipeline dispute 3f2a:17 "it was only a question"`,
		Action:    p.inProject(runDispute),
	}
}

func runDispute(c invocation, o opened) error {
	why := joinWords(c.Args().Tail())
	if why == "" {
		return usagef(`missing record or reason: pipeline dispute SESSION:N "why"`)
	}
	r, err := o.findRecord(c.Args().First())
	switch {
	case err != nil:
		return err
	case r.Event.Kind == journal.Dispute || describeDenial(r.Record) == "":
		what := strings.TrimSpace(r.Event.Kind.String() + " " + r.Event.Tool.Name)
		return fmt.Errorf("record %s (%s) cannot be disputed: nothing was denied there", r, what)
	case r.disputed:
		return fmt.Errorf("record %s is disputed already", r)
	}
	e := fsm.Event{Time: time.Now().UTC(), Kind: journal.Dispute,
		Agent: fsm.Agent{ID: r.Event.Agent.ID, Type: r.Event.Agent.Type}, Tool: fsm.Tool{Name: r.Event.Tool.Name}}
	why = redact.Text(why)
	note := journal.Record{Event: e, Of: r.Seq, Reason: why, Rule: r.Rule, RuleType: r.RuleType, Where: r.Where,
		Level: r.Level, Policy: r.Policy, Notes: []string{"by " + userName() + " with pipeline dispute"}}
	if err := o.store.Note(r.session, note); err != nil {
		return err
	}
	c.printf("disputed: %s, %s of %s by %s\n", r, describeDenial(r.Record),
		cmp.Or(r.Event.Tool.Name, r.Event.Kind.String()), journal.DescribeDecider(r.Decider()))
	return nil
}

// A foundRecord is a record of a session, the one before it, and whether a person has disputed it.
type foundRecord struct {
	journal.Record
	session  string
	before   journal.Record
	disputed bool
}

func (r foundRecord) String() string { return fmt.Sprintf("%s:%d", r.session, r.Seq) }

// findRecord reads SESSION:N.
func (o opened) findRecord(name string) (r foundRecord, err error) {
	id, number, _ := strings.Cut(name, ":")
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 1 {
		return r, usagef("found record %q, expected SESSION:N, the first column of `pipeline log`", name)
	}
	i, err := o.findSession(id)
	if err != nil {
		return r, err
	}
	r.session = i.ID
	_, err = journal.Read(o.store.Path(i.ID), func(x journal.Record) bool {
		switch x.Seq {
		case n - 1:
			r.before = x
		case n:
			r.Record = x
		}
		r.disputed = r.disputed || x.Event.Kind == journal.Dispute && x.Of == n
		return true
	})
	if err == nil && r.Seq == 0 {
		err = fmt.Errorf("session %s has no readable record %d", r.session, n)
	}
	return r, err
}

// describeDenial names the way in which a call was denied; empty when it was not.
func describeDenial(r journal.Record) string {
	words := map[string]string{"deny": "denial", "ask": "question"}
	if w := words[r.Verdict]; w != "" {
		return w
	}
	if w := words[r.StrictVerdict]; w != "" {
		return w + " under strict"
	}
	return ""
}
