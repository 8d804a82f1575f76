package main

import (
	"errors"
	"io/fs"
	"slices"
	"time"

	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

// A follower looks at the journals' lengths again and again: a few system calls a session, and nothing to be lost.
type follower struct {
	store session.Store
	want  journal.Want
	only  bool // those that begin was told of
	at    map[string]journal.Place
}

func newFollower(st session.Store, want journal.Want, only bool) *follower {
	return &follower{st, want, only, map[string]journal.Place{}}
}

// begin remembers where the sessions end now.
func (f *follower) begin(ids []string) {
	for _, id := range ids {
		f.at[id] = journal.End(f.store.Path(id))
	}
}

// run goes on until the output is gone.
func (f *follower) run(l *logger, tick <-chan time.Time) error {
	for range tick {
		if err := f.look(l); err != nil {
			return err
		}
		l.sayDamage()
	}
	return nil
}

// look prints what has come since.
func (f *follower) look(l *logger) error {
	items, err := f.store.List()
	if err != nil {
		return err
	}
	slices.Reverse(items) // the newest last
	for _, i := range items {
		if _, known := f.at[i.ID]; f.only && !known {
			continue
		}
		if err := f.news(l, i.ID); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func (f *follower) news(l *logger, id string) error {
	to, err := journal.From(f.store.Path(id), f.at[id], &f.want, func(line *journal.Line) { l.print(found{id, *line}) },
		func(x journal.Fault) { l.damage(id, x) })
	f.at[id] = to
	return err
}
