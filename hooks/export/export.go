package export

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

// An Exporter sends what journals hold, each record at least once: a cursor moves behind
// records only when the collector has taken them.
type Exporter struct {
	Resource Resource
	Name     string // of the folder of cursors: of each collector one
	UserKey  string // where it is set, a hash with this key is sent in place of a person's name
	NoSpans  bool
	// Post sends the body of a request to a path of the collector: /v1/logs, /v1/traces.
	Post func(ctx context.Context, path string, body []byte) error
	// Report says what is wrong with one session, and that the others go on.
	Report func(format string, a ...any)

	unwritten map[string]cursor      // that could not be written, by path
	unchanged map[string]fs.FileInfo // journals that were read to their end, by folder
	reported  sync.Map               // what was reported once
	used      map[string]bool        // cursors of journals that there are, by path
	swept     map[string]bool        // projects without cursors of other journals, by folder
}

// A Project is where the sessions of one project are kept.
type Project struct {
	Name, Dir string
	sharers   []Project // the projects whose sessions lie in Dir, if it is nobody's state folder
}

// ListProjects lists the projects whose state folders lie in a folder, and the folders where
// their sessions are kept instead. A project's name is in its state folder's, before the hash
// of its path.
func ListProjects(dir string) (out []Project, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list projects: %w", err)
	}
	at := map[string]int{} // the index of each folder in out
	for _, e := range entries {
		p := Project{Name: e.Name(), Dir: filepath.Join(dir, e.Name())}
		if _, err := os.Stat(filepath.Join(p.Dir, "sessions")); err != nil {
			continue
		}
		if i := strings.LastIndexByte(p.Name, '-'); i > 0 {
			p.Name = p.Name[:i]
		}
		out = append(out, p)
		for _, other := range session.OtherFolders(p.Dir) {
			if _, ok := at[other]; !ok {
				at[other] = len(out)
				out = append(out, Project{Name: p.Name, Dir: other})
			}
			shared := &out[at[other]]
			shared.sharers = append(shared.sharers, p)
		}
	}
	return out, nil
}

// nameOf names the project of a session.
func (p Project) nameOf(id string) string {
	for _, s := range p.sharers {
		if _, err := os.Stat(filepath.Join(s.Dir, "sessions", id)); err == nil {
			return s.Name
		}
	}
	return p.Name
}

// batch and batchSize are how many records, and about how many bytes, are sent at once.
const (
	batch     = 512
	batchSize = 2 << 20
)

const cursorExt = ".json"

// ErrBusy says that another process exports the same project to the same collector.
var ErrBusy = errors.New("another export to this collector is running")

// Lock keeps other processes from exporting the project to the same collector until it is
// unlocked, or this process has ended.
func (x *Exporter) Lock(p Project) (unlock func(), err error) {
	dir := x.cursors(p)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("keep cursors: %w", err)
	}
	f, err := system.Open(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE|system.NoFollow)
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", dir, err)
	}
	if err := f.TryLock(); err != nil {
		f.Close()
		return nil, ErrBusy
	}
	return func() { f.Close() }, nil
}

func (x *Exporter) cursors(p Project) string { return system.Join(p.Dir, "export", x.Name) }

// Send sends what is new in a project's journals, those of cleared sessions included, and
// returns how many records that were. What is wrong with one journal does not hold up the
// others; what is wrong with the collector ends it.
func (x *Exporter) Send(ctx context.Context, p Project) (sent int, err error) {
	if x.unchanged == nil {
		x.unchanged, x.unwritten = map[string]fs.FileInfo{}, map[string]cursor{}
		x.used, x.swept = map[string]bool{}, map[string]bool{}
	}
	failed := false
	for _, folder := range []string{"sessions", "cleared"} {
		entries, err := os.ReadDir(filepath.Join(p.Dir, folder))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return sent, fmt.Errorf("list sessions: %w", err)
		}
		for _, e := range entries {
			n, err := x.sendSession(ctx, p, filepath.Join(p.Dir, folder, e.Name()))
			sent += n
			var post postError
			switch {
			case errors.As(err, &post):
				return sent, post.error
			case err != nil && !errors.Is(err, fs.ErrNotExist):
				x.ReportOnce("session %s: %v", e.Name(), err)
				failed = true
			}
		}
	}
	if !failed && !x.swept[p.Dir] { // cursors of journals that are gone; what cannot be removed stays: it is small
		for _, path := range system.Glob(x.cursors(p), "*"+cursorExt) {
			if !x.used[path] {
				_ = os.Remove(path)
			}
		}
		x.swept[p.Dir] = true
	}
	return sent, nil
}

// A postError is one of the collector, not of a journal.
type postError struct{ error }

// ReportOnce reports what was not reported before.
func (x *Exporter) ReportOnce(format string, a ...any) {
	text := fmt.Sprintf(format, a...)
	if _, known := x.reported.LoadOrStore(text, true); !known {
		x.Report("%s", text)
	}
}

// sendSession sends what is new in the journal of a folder.
func (x *Exporter) sendSession(ctx context.Context, p Project, dir string) (sent int, err error) {
	info, err := os.Stat(filepath.Join(dir, journal.Name))
	if err != nil {
		return 0, err
	}
	if old := x.unchanged[dir]; os.SameFile(old, info) && old.Size() == info.Size() && len(x.unwritten) == 0 {
		return 0, nil
	}
	var name, id string // the first record names a journal, so that its cursor follows it when its session is cleared
	_, err = journal.From(dir, journal.Place{}, &journal.Want{}, func(l *journal.Line) bool {
		name, id = l.Hash(), cmp.Or(strings.Clone(l.Session.Get("id").Str), filepath.Base(dir))
		return false
	}, func(journal.Fault) {})
	if err != nil || name == "" {
		return 0, err
	}
	s := &sender{Exporter: x, ctx: ctx, dir: dir, project: p.nameOf(id), session: id,
		person: findPerson(dir, x.UserKey), path: system.Join(x.cursors(p), name+cursorExt)}
	x.used[s.path] = true
	kept, isKept := x.unwritten[s.path]
	if !isKept {
		kept, err = readCursor(s.path)
	}
	if err == nil {
		err = s.send(kept)
	}
	if isKept && s.sent == 0 {
		s.keepCursor(kept)
	}
	if err == nil {
		x.unchanged[dir] = info // from before the read
	}
	return s.sent, err
}

// A sender sends one journal.
type sender struct {
	*Exporter
	ctx              context.Context
	dir, path        string // of the journal; of its cursor
	project, session string
	person           person

	next  cursor // behind what is in the batch
	logs  []object
	spans []object
	size  int
	sent  int
	err   error
}

// send sends what lies behind a cursor. The record at the cursor is read again: if it
// is another than it was, the journal is sent from its start.
func (s *sender) send(at cursor) error {
	for _, from := range []cursor{at, {}} {
		s.next = from.clone()
		found := from.Hash == ""
		_, err := journal.From(s.dir, from.Place, &journal.Want{}, func(l *journal.Line) bool {
			if !found {
				found = l.Hash() == from.Hash
				return found
			}
			return s.add(l)
		}, func(f journal.Fault) { s.ReportOnce("session %s: %s is left out", s.session, f) })
		if found {
			if err == nil {
				err = s.flush()
			}
			return errors.Join(s.err, err)
		}
		if err != nil {
			return err
		}
		s.ReportOnce("session %s: the journal is not as it was: it is sent from its start", s.session)
	}
	return nil
}

// add puts a record into the batch, and sends the batch when it is full.
func (s *sender) add(l *journal.Line) bool {
	src := source{l, s.session, s.project, s.person}
	at, ended := s.next.Open.take(src)
	s.logs, s.spans, s.size = append(s.logs, newLog(src, at)), append(s.spans, ended...), s.size+len(l.Raw)
	s.next.Place, s.next.Hash = l.At, l.Hash()
	if len(s.logs) < batch && s.size < batchSize {
		return true
	}
	s.err = s.flush()
	return s.err == nil
}

// flush sends the batch and moves the cursor behind it.
func (s *sender) flush() error {
	if len(s.logs) == 0 || s.err != nil {
		return nil
	}
	err := s.Post(s.ctx, "/v1/logs", encode(s.Resource, "Logs", "logRecords", s.logs))
	if err == nil && len(s.spans) > 0 && !s.NoSpans {
		err = s.Post(s.ctx, "/v1/traces", encode(s.Resource, "Spans", "spans", s.spans))
	}
	if err != nil {
		return postError{err}
	}
	s.sent += len(s.logs)
	s.logs, s.spans, s.size = nil, nil, 0
	s.keepCursor(s.next)
	return nil
}

// keepCursor writes a cursor. While it cannot be written, this process remembers it, and does
// not send the same again and again.
func (s *sender) keepCursor(c cursor) {
	body, err := json.Marshal(c)
	if err == nil {
		err = system.WriteFile(s.path, body)
	}
	if err == nil {
		delete(s.unwritten, s.path)
		return
	}
	s.unwritten[s.path] = c.clone()
	if _, known := s.reported.LoadOrStore(filepath.Dir(s.path), true); !known {
		s.Report("session %s: write cursor: %v; how far it was sent is remembered until this export ends",
			s.session, err)
	}
}

// A cursor is the last record that a collector has taken, and what went on then. The zero
// cursor is before the first record.
type cursor struct {
	journal.Place        // where the record begins
	Hash          string `json:"hash"` // of the record
	Open          spans  `json:"open"`
}

func (c cursor) clone() cursor {
	if c.Open = maps.Clone(c.Open); c.Open == nil {
		c.Open = spans{}
	}
	return c
}

// readCursor reads a cursor. One that is damaged is none: what was sent is sent again.
func readCursor(path string) (c cursor, err error) {
	body, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return c, fmt.Errorf("read cursor: %w", err)
	}
	if json.Unmarshal(body, &c) != nil || c.Offset < 0 || c.Segments < 0 {
		c = cursor{}
	}
	return c, nil
}
