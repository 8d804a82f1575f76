package session

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// A View is a session as it is published: state.json, and `pipeline status --json`.
type View struct {
	Version   string            `json:"version"`
	State     string            `json:"state"`
	Timestamp time.Time         `json:"timestamp"`
	SessionID string            `json:"session_id"`
	Context   map[string]string `json:"context"`
	History   []Step            `json:"history"`
	Head      journal.Head      `json:"head"` // the last record then: a journal that ends before it was cut
	Session   fsm.Session       `json:"session"`
	Notes     []string          `json:"-"` // what was found wrong while reading
}

// A Step is one firing of the machine.
type Step struct {
	Agent       string    `json:"agent"`
	Timestamp   time.Time `json:"timestamp"`
	StateBefore string    `json:"state_before"`
	StateAfter  string    `json:"state_after"`
}

const (
	viewVersion = "1.0"
	viewName    = "state.json"
)

// publishView writes the view. Its history is the last view's and what is new; where
// that does not add up it is read from the journal.
func (h *holder) publishView(r *journal.Record) error {
	v := newView(h.dir, r)
	old, err := h.readView(h.dir)
	if err == nil && old.Session.Machine.Moves+len(r.Moves) == r.State.Machine.Moves {
		v.History = append(old.History, stepsOf(r)...)
	} else if _, err = journal.Read(h.dir, func(r journal.Record) bool {
		v.History = append(v.History, stepsOf(&r)...)
		return true
	}); err != nil {
		return err
	}
	var body bytes.Buffer
	if err := json.Indent(&body, journal.Encode(&v), "", "  "); err != nil {
		return fmt.Errorf("encode state.json: %w", err)
	}
	body.WriteByte('\n')
	return explain("write state.json", system.WriteFile(h.dir+"/"+viewName, body.Bytes()))
}

// newView makes the view after a record.
func newView(dir string, r *journal.Record) View {
	return View{Version: viewVersion, State: r.State.Machine.State, Timestamp: r.Event.Time, SessionID: r.State.ID,
		Context: readTexts(dir, r.State.Machine.Captures), History: []Step{}, Head: r.Head(), Session: r.State}
}

func stepsOf(r *journal.Record) []Step {
	out := []Step{}
	for _, m := range r.Moves {
		out = append(out, Step{cmp.Or(m.Agent, m.Trigger), r.Event.Time, m.From, m.To})
	}
	return out
}

// readView reads the view of a session's folder.
func (st Store) readView(dir string) (View, error) {
	var v View
	body, err := system.ReadFile(dir + "/" + viewName)
	if err != nil {
		return v, err
	}
	if err := cmp.Or(st.Codec, new(journal.Codec)).Decode(body, &v); err != nil {
		return v, fmt.Errorf("read state.json: %w", err)
	}
	if v.Session.ID == "" {
		return v, errors.New("read state.json: it holds no session")
	}
	return v, nil
}

// View shows a session as it is now, from its journal. It needs no lock and changes
// nothing.
func (st Store) View(id string) (View, error) {
	if err := CheckID(id); err != nil {
		return View{}, err
	}
	dir := st.Path(id)
	old, oldErr := st.readView(dir) // before the journal, which is never behind it
	var last journal.Record
	hist := []Step{}
	damaged, err := journal.Read(dir, func(r journal.Record) bool {
		last = r
		hist = append(hist, stepsOf(&r)...)
		return true
	})
	if err != nil && !system.IsMissing(err) {
		return View{}, err
	}
	if last.Seq == 0 {
		if oldErr != nil {
			return View{}, fmt.Errorf("session %s has neither a readable journal nor a state.json", id)
		}
		old.Notes = append(old.Notes, "the journal has no good record: this is the session as it was last published")
		return old, nil
	}
	v := newView(dir, &last)
	v.History = hist
	if damaged > 0 {
		v.Notes = append(v.Notes, fmt.Sprintf("%d lines of the journal are damaged and left out", damaged))
	}
	if oldErr == nil && len(hist) < len(old.History) && old.Session.Machine.Moves == v.Session.Machine.Moves {
		v.History = old.History // of a journal that was lost the history is left there
	}
	if oldErr == nil && old.Head.Seq > v.Head.Seq {
		v.Notes = append(v.Notes,
			fmt.Sprintf("the journal ends at record %d, and state.json was written at record %d: records are missing",
				v.Head.Seq, old.Head.Seq))
	}
	return v, nil
}

// A captured text is a file named by its hash: a reference proves that it is the one.
func textPath(dir string, ref fsm.Ref) string {
	return dir + "/context/" + ref.Hash + ".md"
}

// writeText keeps a text, and waits until it is on the disk: a record will refer to it.
// One that was not written whole has another hash than its name says, and is written
// again.
func writeText(dir string, t fsm.Text) error {
	if _, err := readText(dir, t.Ref); err == nil {
		return nil
	}
	return explain("keep a captured text", system.MakeFile(textPath(dir, t.Ref), []byte(t.Text)))
}

// Texts reads what a session has captured, by name, and what agents said that wait for
// an agent of theirs, by id. What is missing or is not the text that was recorded is
// left out.
func (st Store) Texts(s fsm.Session) map[string]string {
	return readTexts(st.Path(s.ID), textRefs(s))
}

func readTexts(dir string, refs map[string]fsm.Ref) map[string]string {
	out := map[string]string{}
	for name, ref := range refs {
		if text, err := readText(dir, ref); err == nil {
			out[name] = text
		}
	}
	return out
}

// textRefs are the texts that a session refers to: captures by name, and by the agent's
// id the final messages of agents that wait, and the one that waits for a person.
func textRefs(s fsm.Session) map[string]fsm.Ref {
	out := map[string]fsm.Ref{}
	maps.Copy(out, s.Machine.Captures)
	for _, r := range s.Agents.Runs {
		if r.Final != nil {
			out[r.ID] = *r.Final
		}
	}
	if a := s.Machine.Approval; a != nil {
		out[a.AgentID] = a.Text
	}
	return out
}

func readText(dir string, ref fsm.Ref) (string, error) {
	body, err := system.ReadFile(textPath(dir, ref))
	if err != nil {
		return "", err
	}
	if sum := sha256.Sum256(body); hex.EncodeToString(sum[:]) != ref.Hash {
		return "", fmt.Errorf("captured text %s has been changed", ref.Hash)
	}
	return string(body), nil
}
