package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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
	v := newView(h.dir, r, h.written...)
	old, err := decodeView(h.codec, h.dir)
	if err == nil && old.Session.Machine.Moves+len(r.Moves) == r.State.Machine.Moves {
		v.History = append(old.History, stepsOf(r)...)
	} else if v.History, err = readHistory(h.dir); err != nil {
		return err
	}
	var body bytes.Buffer
	if err := json.Indent(&body, h.codec.Encode(nil, &v), "", "  "); err != nil {
		return fmt.Errorf("encode state.json: %w", err)
	}
	body.WriteByte('\n')
	if err := system.WriteFile(filepath.Join(h.dir, viewName), body.Bytes()); err != nil {
		return fmt.Errorf("write state.json: %w", err)
	}
	return nil
}

// repairView writes the view that is missing, or that the last call was killed before it
// could write. A failure is reported and stops nothing: the journal has it all.
func (h *holder) repairView() {
	last := h.j.Last()
	if last.Seq == 0 {
		return
	}
	if len(last.Moves) == 0 {
		if _, err := os.Lstat(filepath.Join(h.dir, viewName)); !errors.Is(err, fs.ErrNotExist) {
			return
		}
	} else if v, err := readView(h.dir); err == nil && v.Head.Hash == last.Hash {
		return
	}
	if err := h.publishView(last); err != nil {
		h.notes = append(h.notes, err.Error())
	}
}

// newView makes the view after a record. Texts that are at hand are not read again.
func newView(dir string, r *journal.Record, known ...fsm.Text) View {
	v := View{Version: viewVersion, State: r.State.Machine.State, Timestamp: r.Event.Time, SessionID: r.State.ID,
		Context: map[string]string{}, History: []Step{}, Head: r.Head(), Session: r.State}
	for name, ref := range r.State.Machine.Captures {
		i := slices.IndexFunc(known, func(t fsm.Text) bool { return t.Ref.Hash == ref.Hash })
		if i >= 0 {
			v.Context[name] = known[i].Text
		} else if text, err := readText(dir, ref); err == nil {
			v.Context[name] = text
		}
	}
	return v
}

func stepsOf(r *journal.Record) []Step {
	out := []Step{}
	for _, m := range r.Moves {
		who := m.Agent
		if who == "" {
			who = m.Trigger
		}
		out = append(out, Step{who, r.Event.Time, m.From, m.To})
	}
	return out
}

func readHistory(dir string) ([]Step, error) {
	out := []Step{}
	_, err := journal.Read(dir, func(r journal.Record) bool {
		out = append(out, stepsOf(&r)...)
		return true
	})
	return out, err
}

func readView(dir string) (View, error) { return decodeView(new(journal.Codec), dir) }

func decodeView(codec *journal.Codec, dir string) (View, error) {
	var v View
	body, err := system.ReadFile(filepath.Join(dir, viewName))
	if err != nil {
		return v, err
	}
	if err := codec.Decode(body, &v); err != nil {
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
	old, oldErr := readView(dir) // before the journal, which is never behind it
	var last journal.Record
	hist := []Step{}
	damaged, err := journal.Read(dir, func(r journal.Record) bool {
		last = r
		hist = append(hist, stepsOf(&r)...)
		return true
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
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
	if oldErr == nil {
		v.compareWith(old)
	}
	return v, nil
}

// compareWith holds what the journal says against what was published: of a journal that
// was lost the history is left there.
func (v *View) compareWith(old View) {
	if len(v.History) < len(old.History) && old.Session.Machine.Moves == v.Session.Machine.Moves {
		v.History = old.History
	}
	if old.Head.Seq > v.Head.Seq {
		v.Notes = append(v.Notes,
			fmt.Sprintf("the journal ends at record %d, and state.json was written at record %d: records are missing",
				v.Head.Seq, old.Head.Seq))
	}
}
