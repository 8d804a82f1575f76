package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

func newAuditCommand(p *program) command {
	return command{
		Usage:       "Check that the journals are unchanged",
		Description: "Exit codes: as those of the subcommand.",
		UsageText:   "pipeline audit verify",
		Subcommands: []*command{{
			Name:  "verify",
			Usage: "Follow the chain of hashes through every record",
			Description: `It finds lines that were changed, removed, added, moved or cut off. Without
--session it checks all sessions of the project. It also lists what it cannot
prove.
Exit codes: 0 the chains hold, 1 one does not, 2 wrong usage, 3 no session,
or it could not be read.`,
			UsageText: "pipeline audit verify\npipeline audit verify --session 3f2a --json",
			Flags:     flags{namedSessionFlag("only the session"), jsonFlag()},
			Action:    p.inProject(verifyJournals),
		}},
	}
}

// A verifiedSession is the result for one session.
type verifiedSession struct {
	ID string `json:"session_id"`
	journal.Audit
	Notes []string `json:"notes"`
}

// An auditDoc is the document of `audit verify --json`.
type auditDoc struct {
	Sessions  []verifiedSession `json:"sessions"`
	Faults    int               `json:"faults"`
	NotProven []string          `json:"not_proven"` // what a chain of hashes without a secret cannot show
}

func verifyJournals(c invocation, o opened) error {
	out := auditDoc{NotProven: []string{
		"anyone who can write the state folder can write a journal again from its first record, " +
			"with state.json, heads.jsonl and pipeline-heads beside the state folder",
		"who removes the state folder and pipeline-heads beside it leaves nothing to compare with",
		"what happened while no hook was called was never recorded; times are this machine's clock",
	}}
	add := func(v verifiedSession) {
		v.Faults, v.Resumed = append([]journal.Fault{}, v.Faults...), append([]journal.Fault{}, v.Resumed...)
		out.Sessions, out.Faults = append(out.Sessions, v), out.Faults+len(v.Faults)
	}
	if !c.IsSet("session") {
		gone, err := o.store.Vanished()
		if err != nil {
			return err
		}
		for _, id := range gone {
			fault := journal.Fault{File: "heads.jsonl", What: "the session's folder is missing: it was not cleared"}
			add(verifiedSession{id, journal.Audit{Faults: []journal.Fault{fault}}, []string{}})
		}
	}
	items, err := o.selectSessions(c)
	if err != nil && (out.Faults == 0 || !errors.Is(err, errNoSession)) {
		return err
	}
	for _, i := range items {
		a, note, err := o.store.Verify(i.ID)
		v := verifiedSession{i.ID, a, []string{}}
		if note != "" {
			v.Notes = append(v.Notes, note)
		}
		if errors.Is(err, fs.ErrNotExist) {
			missing := "a part of the journal is missing: " + err.Error()
			v.Faults = append(v.Faults, journal.Fault{File: journal.Name, What: missing})
		} else if err != nil {
			return fmt.Errorf("verify session %s: %w", i.ID, err)
		}
		add(v)
	}
	return failIf(out.Faults > 0, c.printResult(out, func() { printAudit(c, out) }))
}

func printAudit(c invocation, out auditDoc) {
	for _, v := range out.Sessions {
		c.printf("%s: %s, %s: ", v.ID, visible.Count(v.Records, "record"), visible.Count(v.Files, "file"))
		if len(v.Faults) == 0 {
			c.printf("the chain holds\n")
		} else {
			c.printf("%s in the chain; the first:\n  %s\n", visible.Count(len(v.Faults), "fault"), v.Faults[0])
		}
		for _, f := range v.Faults[min(1, len(v.Faults)):] {
			c.printf("  then %s\n", f)
		}
		for _, f := range v.Resumed {
			c.printf("  recovered: %s\n", f)
		}
		for _, n := range v.Notes {
			c.printf("  note: %s\n", n)
		}
	}
	c.printf("%s, %s\nnot proven:\n  %s\n", visible.Count(len(out.Sessions), "session"),
		visible.Count(out.Faults, "fault"), strings.Join(out.NotProven, "\n  "))
}
