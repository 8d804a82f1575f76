//go:build unix

package main

import (
	"embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

//go:embed testdata/*.json
var payloads embed.FS

// A session is started and prompted once. Each call is measured on the same files: what it
// adds is removed before the next.
type session struct {
	lab     *lab
	id, dir string
	size    int64             // of the journal, as kept
	files   map[string][]byte // the other files, as kept
}

func (l *lab) startSession(id string) (*session, error) {
	s := &session{lab: l, id: id}
	if err := s.callHook("session-start", "session-start"); err != nil {
		return nil, err
	}
	if err := s.callHook("user-prompt-submit", "prompt", "@USE", "prompt-first"); err != nil {
		return nil, err
	}
	pattern := filepath.Join(l.dir, "home", "state", "pipeline", "*", "sessions", id)
	found, _ := filepath.Glob(pattern) // no wildcard in it is malformed
	if len(found) != 1 {
		return nil, fmt.Errorf("session %s: found %d folders of it, expected 1", id, len(found))
	}
	s.dir = found[0]
	return s, s.keepFiles()
}

// callHook calls a hook without measuring it.
func (s *session) callHook(event, payload string, fields ...string) error {
	got, err := s.lab.hookProgram(event).run(s.fillPayload(payload, fields...))
	if err == nil && (got.code != 0 || got.err != "") {
		err = fmt.Errorf("%s: %s", event, got)
	}
	return err
}

// fillPayload replaces fields of a payload: "@USE", "toolu_1".
func (s *session) fillPayload(name string, fields ...string) []byte {
	text, err := payloads.ReadFile("testdata/" + name + ".json")
	if err != nil {
		panic(err) // a payload that is not there is a bug of the benchmark
	}
	fields = append(fields, "@SESSION", s.id, "@PROJECT", s.lab.project,
		"@TRANSCRIPT", s.transcriptDir()+".jsonl", "@SIDE", s.transcriptDir())
	return []byte(strings.NewReplacer(fields...).Replace(string(text)))
}

// transcriptDir is the client's folder for a session's agents.
func (s *session) transcriptDir() string {
	return filepath.Join(s.lab.dir, "home", "transcripts", s.id)
}

func (s *session) journalPath() string { return filepath.Join(s.dir, "journal.jsonl") }

// keepFiles remembers the session's folder.
func (s *session) keepFiles() error {
	info, err := os.Stat(s.journalPath())
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

// eachFile visits the folder's files except the journal, and the copy of its head that lies elsewhere.
func (s *session) eachFile(visit func(path string) error) error {
	copies, _ := filepath.Glob(filepath.Join(s.lab.dir, "home", "state", "pipeline-heads", "*", s.id))
	for _, path := range copies {
		if err := visit(path); err != nil {
			return err
		}
	}
	return filepath.WalkDir(s.dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() || path == s.journalPath() {
			return err
		}
		return visit(path)
	})
}

// restore resets the session's folder to what keepFiles has seen. It leaves no work to the
// file system that the next call would have to wait for: what a call has made is moved
// away, because ext4 searches longer for an inode when many have been deleted lately; and
// what a call has changed is overwritten, because a file that is cut to nothing first is
// written to the disk at once.
func (s *session) restore() error {
	if err := os.Truncate(s.journalPath(), s.size); err != nil {
		return fmt.Errorf("put back session %s: %w", s.id, err)
	}
	return s.eachFile(func(path string) error {
		was, kept := s.files[path]
		if !kept {
			return s.lab.moveAway(path)
		}
		if now, err := os.ReadFile(path); err == nil && string(now) == string(was) {
			return nil
		}
		return overwrite(path, was)
	})
}

// overwrite changes the content of a file in place.
func overwrite(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Truncate(int64(len(content))), f.Close())
}

// readGained returns the journal's lines since keepFiles.
func (s *session) readGained() ([]string, error) {
	f, err := os.Open(s.journalPath())
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

// wantRecord checks that the journal has gained one line, which contains each of the words.
func (s *session) wantRecord(words ...string) error {
	lines, err := s.readGained()
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

// startAgent starts a session in which context-gatherer runs.
func (l *lab) startAgent(id string) (*session, error) {
	s, err := l.startSession(id)
	if err != nil {
		return nil, err
	}
	use := l.nextUseID()
	if err := s.callHook("pre-tool-use", "agent", "@USE", use, "@AGENT", "context-gatherer"); err != nil {
		return nil, err
	}
	if err := s.callHook("subagent-start", "agent-start", "@AGENT", "context-gatherer"); err != nil {
		return nil, err
	}
	if err := s.writeAgentNote(use); err != nil {
		return nil, err
	}
	return s, s.keepFiles()
}

// writeAgentNote writes the client's own note about a started agent.
func (s *session) writeAgentNote(use string) error {
	const form = `{"agentType":"context-gatherer","description":"gather the context","toolUseId":%q,"spawnDepth":1}`
	note := fmt.Sprintf(form, use)
	path := filepath.Join(s.transcriptDir(), "subagents", "agent-a0bench.meta.json")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("write the client's note: %w", err)
	}
	return os.WriteFile(path, []byte(note), 0o600)
}
