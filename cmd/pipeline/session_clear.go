package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/hooks/session"
)

// clearSessions removes sessions. One that may be going on is left, and said to be; the others go all the same.
func clearSessions(p *program, c *cli.Context) error {
	if err := clearUsage(c); err != nil {
		return err
	}
	o, err := p.project(c)
	if err != nil {
		return err
	}
	st := store(o, 5*time.Second)
	ids, err := chosen(c, st, time.Now())
	if err != nil {
		return err
	}
	how := session.Clearing{By: who() + " with pipeline session clear", Backup: !c.Bool("no-backup"), Force: c.Bool("force")}
	left := 0
	for _, id := range ids {
		if !clearSession(p, st, id, how) {
			left++
		}
	}
	switch {
	case len(ids) == 0:
		p.sayf("no session is like that: nothing was removed")
	case left > 0:
		return fmt.Errorf("%d of %s not removed", left, plural(len(ids), "session"))
	}
	return nil
}

func clearUsage(c *cli.Context) error {
	named, by := c.NArg() > 1 || c.IsSet("session"), c.Bool("ended") || c.IsSet("older")
	switch {
	case !named && !by:
		return usageError{"session clear wants to be told which: an ID, --ended, or --older 30d"}
	case named && by:
		return usageError{"session clear: either IDs, or --ended and --older"}
	case c.IsSet("older") && c.String("older") == "":
		return usageError{"how old is old? expected --older 30d"}
	}
	return nil
}

// chosen are the sessions that are to be removed: those named, or those that have ended or are old. Of the latter none
// is chosen that may be going on, unless it is forced.
func chosen(c *cli.Context, st session.Store, now time.Time) (ids []string, err error) {
	items, err := st.List()
	if err != nil {
		return nil, err
	}
	names := c.Args().Tail()
	if c.IsSet("session") {
		names = append(names, c.String("session"))
	}
	for _, name := range names {
		id, err := oneSession(items, name)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	if len(names) > 0 {
		return ids, nil
	}
	before, err := ageOf(c.String("older"), now)
	if err != nil {
		return nil, err
	}
	for _, i := range items {
		life := lifeOf(st, i, now)
		if (!c.Bool("ended") || life == lifeEnded) && (!c.IsSet("older") || i.Last.Before(before)) && (life != lifeLive || c.Bool("force")) {
			ids = append(ids, i.ID)
		}
	}
	return ids, nil
}

// clearSession removes one session and says so, or why not.
func clearSession(p *program, st session.Store, id string, how session.Clearing) bool {
	backup, err := st.Clear(id, time.Now(), how)
	switch {
	case errors.Is(err, session.ErrLive):
		p.sayf("session %s may be going on: it stays", id)
		p.hint("pipeline session clear %s --force", id)
	case err != nil:
		p.sayf("%v", err)
	case backup == "":
		p.printf("session %s: removed, without a backup\n", id)
	default:
		p.printf("session %s: removed\nbackup: %s\n", id, backup)
	}
	return err == nil
}
