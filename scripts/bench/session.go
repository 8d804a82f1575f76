//go:build unix

package main

import (
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

//go:embed testdata/*.json
var payloads embed.FS

// A session is one that the client has begun: started, and prompted once. Calls are measured against it as it was when
// it was kept; what a call adds is put back before the next.
type session struct {
	lab     *lab
	id, dir string
	size    int64             // of the journal, as kept
	files   map[string][]byte // the other files, as kept
}

func (l *lab) session(id string) (*session, error) {
	s := &session{lab: l, id: id}
	for _, c := range []struct{ event, payload string }{{"session-start", "session-start"}, {"user-prompt-submit", "prompt"}} {
		if err := s.tell(c.event, c.payload); err != nil {
			return nil, err
		}
	}
	found, _ := filepath.Glob(filepath.Join(l.dir, "home", "state", "pipeline", "*", "sessions", id)) // the pattern is ours
	if len(found) != 1 {
		return nil, fmt.Errorf("session %s: found %d folders of it, expected 1", id, len(found))
	}
	s.dir = found[0]
	return s, s.keep()
}

// tell lets a hook know of something, unmeasured.
func (s *session) tell(event, payload string, fields ...string) error {
	got, err := s.lab.hook(event).run(s.payload(payload, fields...))
	if err == nil && (got.code != 0 || got.err != "") {
		err = fmt.Errorf("%s: %s", event, got)
	}
	return err
}

// payload fills a payload's fields in: "@USE", "toolu_1".
func (s *session) payload(name string, fields ...string) []byte {
	text, err := payloads.ReadFile("testdata/" + name + ".json")
	if err != nil {
		panic(err) // a payload that is not there is a bug of the benchmark
	}
	fields = append(fields, "@SESSION", s.id, "@PROJECT", s.lab.project, "@TRANSCRIPT", s.side()+".jsonl", "@SIDE", s.side())
	return []byte(strings.NewReplacer(fields...).Replace(string(text)))
}

// side is the folder in which the client keeps what it knows of a session's agents.
func (s *session) side() string { return filepath.Join(s.lab.dir, "home", "transcripts", s.id) }

func (s *session) journal() string { return filepath.Join(s.dir, "journal.jsonl") }

// keep remembers the session's folder as it is now.
func (s *session) keep() error {
	info, err := os.Stat(s.journal())
	if err != nil {
		return fmt.Errorf("keep session %s: %w", s.id, err)
	}
	s.size, s.files = info.Size(), map[string][]byte{}
	return s.eachFile(func(path string) error {
		text, err := os.ReadFile(path)
		s.files[path] = text
		return err
	})
}

// eachFile visits the folder's files, all but the journal.
func (s *session) eachFile(visit func(path string) error) error {
	return filepath.WalkDir(s.dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() || path == s.journal() {
			return err
		}
		return visit(path)
	})
}

// putBack makes the session's folder again what it was when it was kept.
func (s *session) putBack() error {
	if err := os.Truncate(s.journal(), s.size); err != nil {
		return fmt.Errorf("put back session %s: %w", s.id, err)
	}
	return s.eachFile(func(path string) error {
		was, kept := s.files[path]
		if !kept {
			return os.Remove(path)
		}
		if now, err := os.ReadFile(path); err == nil && string(now) == string(was) {
			return nil
		}
		return os.WriteFile(path, was, 0o600)
	})
}

// gained are the journal's lines since the session was kept.
func (s *session) gained() ([]string, error) {
	f, err := os.Open(s.journal())
	if err != nil {
		return nil, fmt.Errorf("read the journal: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("read the journal: %w", err)
	}
	text := make([]byte, max(info.Size()-s.size, 0))
	if _, err := f.ReadAt(text, s.size); err != nil {
		return nil, fmt.Errorf("read what the journal gained: %w", err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"), nil
}

// recorded checks that the journal has gained one line, with each of the words in it.
func (s *session) recorded(words ...string) error {
	lines, err := s.gained()
	if err != nil {
		return err
	}
	if len(lines) != 1 {
		return fmt.Errorf("the journal gained %d lines, expected 1", len(lines))
	}
	for _, w := range words {
		if !strings.Contains(lines[0], w) {
			return fmt.Errorf("the journal's line has no %s: %s", w, lines[0])
		}
	}
	return nil
}
