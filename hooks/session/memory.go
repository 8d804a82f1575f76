package session

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// A Memory keeps sessions in memory, with the semantics of a Store and without its
// disk: nothing waits for a lock, and nothing remains. It is not safe for concurrent
// use. The zero Memory is empty.
type Memory struct {
	Base *Store    // read where the memory has nothing of its own; never written to
	Past *Store    // where only texts are read that the memory does not have
	Own  Overrides // overrides beside those of the base

	sessions map[string]fsm.Session
	texts    map[string]string // by hash
	files    map[string][]byte // of the project, by name
}

// Put puts a session in the place of the one with the same id, and adds texts that it
// refers to.
func (m *Memory) Put(s fsm.Session, texts ...fsm.Text) {
	if m.sessions == nil {
		m.sessions, m.texts = map[string]fsm.Session{}, map[string]string{}
	}
	m.sessions[s.ID] = s
	for _, t := range texts {
		m.texts[t.Ref.Hash] = t.Text
	}
}

// Update decides an event. Its record is not kept.
func (m *Memory) Update(e fsm.Event, decide Decide) error {
	if err := CheckID(e.Session); err != nil {
		return err
	}
	cur, _ := m.Last(e.Session) // none: it begins now
	e.Notes = slices.Clone(e.Notes)
	out, err := decide(cur, e)
	if err == nil && !out.Skip {
		m.Put(out.Session, out.Texts...)
	}
	return err
}

// Last is a session as it is now; fs.ErrNotExist where there is none.
func (m *Memory) Last(id string) (fsm.Session, error) {
	if s, ok := m.sessions[id]; ok {
		return s, nil
	}
	if m.Base != nil {
		return m.Base.Last(id)
	}
	return fsm.Session{}, fmt.Errorf("read session %s: %w", id, fs.ErrNotExist)
}

// Texts are the texts that a session refers to: see Store.Texts.
func (m *Memory) Texts(s fsm.Session) map[string]string {
	out := map[string]string{}
	if from := cmp.Or(m.Base, m.Past); from != nil {
		out = from.Texts(s)
	}
	for name, ref := range textRefs(s) {
		if text, ok := m.texts[ref.Hash]; ok {
			out[name] = text
		}
	}
	return out
}

// Overrides are what persons have ordered.
func (m *Memory) Overrides() (Overrides, error) {
	if m.Base == nil {
		return m.Own, nil
	}
	o, err := m.Base.Overrides()
	for _, mode := range m.Own.Modes {
		o.SetMode(mode)
	}
	o.Bypasses = slices.Concat(o.Bypasses, m.Own.Bypasses)
	return o, err
}

// ReadFile reads what an earlier session has left: see Store.ReadFile. By what the base was judged does not count.
func (m *Memory) ReadFile(name string, v any) error {
	if body, ok := m.files[name]; ok {
		return journal.Decode(body, v)
	}
	if m.Base != nil && name != JudgedFile {
		return m.Base.ReadFile(name, v)
	}
	return nil
}

// WriteFile keeps it for the next session.
func (m *Memory) WriteFile(name string, v any) error {
	if m.files == nil {
		m.files = map[string][]byte{}
	}
	m.files[name] = journal.Encode(v)
	return nil
}
