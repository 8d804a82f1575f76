package live

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// A watch is a comparison in progress: how far the files were read, and what is not decided.
// Between two checks it is kept as JSON, by the journal's codec.
type watch struct {
	Version       int                     `json:"v"`
	From          time.Time               `json:"from"`       // earlier calls do not concern us
	Transcript    string                  `json:"transcript"` // the main agent's
	Files         map[string]int64        `json:"files"`      // bytes that were read of each; "" is the main agent's
	journal.Place                         // how far the journal was read
	Asked         map[string]askedCall    `json:"asked"` // the calls that the journal has, by id
	Open          map[string]*pendingCall `json:"open"`  // the calls that the transcripts have and the journal has not
	Missed        []missedCall            `json:"missed"`
	Off           []span                  `json:"off"` // while the level was off
	notes         []string
	more          bool // the transcripts were not read to their ends
}

func newWatch() *watch {
	return &watch{Files: map[string]int64{}, Asked: map[string]askedCall{}, Open: map[string]*pendingCall{}}
}

type askedCall struct {
	Milli   int64 `json:"ms"` // when: in milliseconds, as the client writes it
	Refused bool  `json:"refused,omitempty"`
}

type pendingCall struct {
	Call `json:"call"`
	Done bool `json:"done,omitempty"` // it has its result
}

type missedCall struct {
	Call      `json:"call"`
	Announced bool `json:"announced,omitempty"`
}

// A span has no end yet while its end is zero.
type span struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to,omitzero"`
}

const (
	stateName    = "live.json"
	stateVersion = 3
)

// loadWatch fails for a file of another version, too.
func loadWatch(path string) (*watch, error) {
	w := newWatch()
	body, err := os.ReadFile(path)
	if err == nil {
		err = journal.Decode(body, w)
	}
	if err == nil && w.Version != stateVersion {
		err = errors.New("it is of another version")
	}
	if err != nil {
		return nil, fmt.Errorf("read the state of the comparison: %w", err)
	}
	return w, nil
}

// save writes the file, unless it is there already.
func (w *watch) save(path string) error {
	w.Version = stateVersion
	body := journal.Encode(w)
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, body) {
		return nil
	}
	if err := system.WriteFile(path, body); err != nil {
		return fmt.Errorf("keep the state of the comparison: %w", err)
	}
	return nil
}

// What is kept of a session at most, so that its file stays small.
const (
	maxAsked  = 500  // where the transcripts were read to their ends: they lag by a few calls
	maxBehind = 2000 // else
	maxOpen   = 500
	maxMissed = 500
)

// trim drops the oldest. Calls as old as what was dropped no longer count.
func (w *watch) trim() {
	most := maxAsked
	if w.more {
		most = maxBehind
	}
	asked := oldestFirst(w.Asked, func(c askedCall) int64 { return c.Milli })
	if n := len(asked) - most; n > 0 {
		for _, id := range asked[:n] {
			delete(w.Asked, id)
		}
		if first := time.UnixMilli(w.Asked[asked[n]].Milli); first.After(w.From) {
			w.From = first
		}
	}
	open := oldestFirst(w.Open, func(c *pendingCall) int64 { return c.Time.UnixMilli() })
	for _, id := range open[:max(0, len(open)-maxOpen)] { // calls that will never end
		delete(w.Open, id)
	}
}

// oldestFirst lists the ids of calls in the order of their times.
func oldestFirst[C any](calls map[string]C, milli func(C) int64) []string {
	return slices.SortedFunc(maps.Keys(calls), func(a, b string) int {
		return cmp.Or(cmp.Compare(milli(calls[a]), milli(calls[b])), strings.Compare(a, b))
	})
}
