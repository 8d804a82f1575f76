package session

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// An Item is a session in a list.
type Item struct {
	ID   string    `json:"session_id"`
	Last time.Time `json:"last"` // when it was last heard of
}

// List returns the project's sessions, the newest first.
func (st Store) List() (out []Item, err error) {
	dir := st.Dir + "/sessions"
	entries, err := os.ReadDir(dir)
	if system.IsMissing(err) {
		if _, err := os.Lstat(dir); err != nil { // on Windows a file in its place gives the same error
			return nil, nil
		}
	}
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	for _, e := range entries {
		if last, ok := lastWrite(st.Path(e.Name())); ok && e.IsDir() && CheckID(e.Name()) == nil {
			out = append(out, Item{e.Name(), last})
		}
	}
	slices.SortStableFunc(out, func(a, b Item) int { return b.Last.Compare(a.Last) })
	return out, nil
}

// Has reports whether anything was recorded of a session.
func (st Store) Has(id string) bool {
	if CheckID(id) != nil {
		return false
	}
	_, err := os.Stat(st.Path(id) + "/" + journal.Name)
	return err == nil
}

// mostSearched bounds in how many sessions an agent is looked for.
const mostSearched = 20

// FindByAgent is the newest session that has an agent, or the id itself where there is none.
func (st Store) FindByAgent(id string) string {
	if st.Has(id) {
		return id
	}
	items, _ := st.List() // what cannot be listed has no such agent
	for _, item := range items[:min(mostSearched, len(items))] {
		if s, err := st.Last(item.ID); err == nil && s.HasAgent(id) {
			return item.ID
		}
	}
	return id
}

// lastWrite is when a session was last written to: by its journal, or by its view where
// the journal was lost.
func lastWrite(dir string) (time.Time, bool) {
	for _, name := range []string{journal.Name, viewName} {
		if info, err := os.Stat(dir + "/" + name); err == nil {
			return info.ModTime(), true
		}
	}
	return time.Time{}, false
}

// Tail is a session's last record, without its lock; the zero record where there is none.
func (st Store) Tail(id string) (journal.Record, error) {
	if err := CheckID(id); err != nil {
		return journal.Record{}, err
	}
	return cmp.Or(st.Codec, new(journal.Codec)).Tail(st.Path(id))
}

// Last is a session as its last record has it, without its lock.
func (st Store) Last(id string) (fsm.Session, error) {
	r, err := st.Tail(id)
	return r.State, err
}

// Live returns the sessions that were heard of since then and of which it cannot be
// read that they were ended, the newest first.
func (st Store) Live(since time.Time) (out []Item, err error) {
	items, err := st.List()
	for _, i := range items {
		r, readErr := journal.Tail(st.Path(i.ID))
		if i.Last.After(since) && (readErr != nil || !r.Ended()) {
			out = append(out, i)
		}
	}
	return out, err
}

// Backup copies the journal and the view aside before a reset, and returns where. The
// texts are never deleted, so what the copies refer to stays.
func (st Store) Backup(id string, now time.Time) (string, error) {
	if err := CheckID(id); err != nil {
		return "", err
	}
	to := st.Path(id) + "/backup/" + now.UTC().Format("20060102T150405.000000000Z")
	for _, name := range []string{journal.Name, viewName} {
		body, err := os.ReadFile(st.Path(id) + "/" + name)
		if system.IsMissing(err) {
			continue
		}
		if err == nil {
			err = system.MakeFile(to+"/"+name, body)
		}
		if err != nil {
			return "", fmt.Errorf("back up session %s: %w", id, err)
		}
	}
	return to, nil
}
