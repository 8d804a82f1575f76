package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// A Tally is what a session's last record does not tell, and who shows the session
// after each message wants to know: how often something was denied, and how long the
// turns took. It is counted on from where the last reader stopped, whose place is a
// file beside the journal. Nothing is decided by it, so it needs no lock: of two that count
// at once the later stays, and both have counted the same.
type Tally struct {
	Denied int             // tool requests; one that was asked twice counts once
	Turns  []time.Duration // of the main agent, from the prompt to the end: the last ten, the oldest first
	// Partial says that the journal holds more than was counted: it grew faster than it
	// is read, or was rotated before.
	Partial bool
}

const (
	tallyName = "statusline.json"
	// tallyBytes is how many bytes of a journal are read at a time: a few hundred calls,
	// in a millisecond or two.
	tallyBytes = 256 << 10
	// turnsKept is how many turns are remembered.
	turnsKept = 10
	// usesKept is how many denied calls are remembered: one that is asked again by a
	// second registration comes soon.
	usesKept = 8
)

// A counting is a tally under way, as it is kept.
type counting struct {
	At     journal.Mark `json:"at"`
	Last   int64        `json:"last"` // number of the last record that was read
	Denied int          `json:"denied"`
	More   bool         `json:"more,omitempty"`
	Gap    bool         `json:"gap,omitempty"` // records were rotated away uncounted
	Uses   []string     `json:"uses,omitempty"`
	Began  time.Time    `json:"began,omitzero"` // the turn
	Ended  bool         `json:"ended,omitempty"`
	Turns  []int64      `json:"turns,omitempty"` // milliseconds
}

// Tally counts on, reading at most a quarter of a megabyte of the journal.
func (st Store) Tally(id string) (Tally, error) { return st.continueTally(id, 1) }

// TallyAll counts on to the end of the journal. It is for those who have the time: a
// journal of ten megabytes that was not counted before takes some forty reads.
func (st Store) TallyAll(id string) (Tally, error) { return st.continueTally(id, 1<<20) }

// continueTally counts on in so many reads at most.
func (st Store) continueTally(id string, reads int) (Tally, error) {
	if err := CheckID(id); err != nil {
		return Tally{}, err
	}
	dir := st.Path(id)
	c := readCounting(dir)
	was := c.At
	for range reads {
		since, err := journal.ReadSince(dir, c.At, tallyBytes, mayCount)
		if err != nil {
			return c.makeTally(), err
		}
		if since.Restarted {
			c = counting{}
		}
		if since.Mark == c.At {
			break
		}
		if c.addLines(since); !c.More {
			break
		}
	}
	if c.At != was {
		c.saveFile(dir) // where that fails the next reader begins where this one did
	}
	return c.makeTally(), nil
}

func readCounting(dir string) (c counting) {
	body, err := os.ReadFile(filepath.Join(dir, tallyName))
	if err != nil || json.Unmarshal(body, &c) != nil {
		return counting{} // never counted, or not to be read: then from the beginning
	}
	return c
}

// saveFile replaces the file in one step. It is not forced to the disk: what is lost is
// counted again.
func (c counting) saveFile(dir string) {
	body, err := json.Marshal(c)
	if err != nil {
		return
	}
	f, err := os.CreateTemp(dir, ".statusline.*.tmp")
	if err != nil {
		return
	}
	_, err = f.Write(body)
	if errors.Join(err, f.Close()) == nil {
		err = system.Replace(f.Name(), filepath.Join(dir, tallyName))
	}
	if err != nil {
		os.Remove(f.Name())
	}
}

func (c *counting) makeTally() Tally {
	t := Tally{Denied: c.Denied, Partial: c.Gap || c.More}
	if c.More {
		return t // what was read are the turns of long ago
	}
	for _, ms := range c.Turns {
		t.Turns = append(t.Turns, time.Duration(ms)*time.Millisecond)
	}
	return t
}

// mayCount reports whether a record may be one that counts: most are not, and taking
// them apart takes longer than all the rest.
func mayCount(raw []byte) bool {
	head := raw[:min(len(raw), 128)] // {"v":2,"n":1234,"event":{"kind":"…"
	return bytes.Contains(head, []byte(`"kind":"prompt"`)) || bytes.Contains(head, []byte(`"kind":"turn-`)) ||
		bytes.Contains(raw, []byte(`"verdict":"deny"`))
}

func (c *counting) addLines(s journal.Since) {
	c.Gap = c.Gap || s.From > c.Last+1
	c.At, c.Last, c.More = s.Mark, max(s.To, c.Last), s.More
	for i := range s.Lines {
		c.countLine(&s.Lines[i])
	}
}

func (c *counting) countLine(l *journal.Line) {
	switch {
	case l.Kind == fsm.ToolRequest && l.Verdict == fsm.Deny.String():
		c.countDenial(l.UseID)
	case l.AgentID != "": // an agent's turns are its own
	case l.Kind == fsm.Prompt && l.Verdict != fsm.Deny.String() && l.Event("origin").Str == "":
		c.Began, c.Ended = l.Time, false
	case l.Kind == fsm.TurnStop, l.Kind == fsm.TurnFailure:
		c.endTurn(l.Time)
	}
}

func (c *counting) countDenial(use string) {
	if use != "" && slices.Contains(c.Uses, use) {
		return
	}
	c.Denied++
	if c.Uses = append(c.Uses, use); len(c.Uses) > usesKept {
		c.Uses = c.Uses[1:]
	}
}

// endTurn takes the end of a turn. One that was held back, or that a background agent's
// notification takes up again, ends once more, later: the client counts so too, by
// experiment with 2.1.329 ("Worked for 5s").
func (c *counting) endTurn(at time.Time) {
	if c.Began.IsZero() {
		return
	}
	took := max(at.Sub(c.Began), 0).Milliseconds()
	if c.Ended && len(c.Turns) > 0 {
		c.Turns[len(c.Turns)-1] = took
		return
	}
	c.Ended = true
	if c.Turns = append(c.Turns, took); len(c.Turns) > turnsKept {
		c.Turns = c.Turns[1:]
	}
}
