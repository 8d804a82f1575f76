package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/tidwall/gjson"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// Overrides are what persons have ordered for a project, or for one of its sessions:
// levels and bypasses. They are a file of their own, orders.json, beside the sessions;
// every change is a line of orders.jsonl as well.
type Overrides struct {
	Modes    []Mode   `json:"modes,omitempty"` // at most one for the project, and one for each session
	Bypasses []Bypass `json:"lifts,omitempty"`
}

// A Mode is a level that a person has set, for a session or for all of them.
type Mode struct {
	Session string `json:"session,omitempty"`
	fsm.Mode
}

// A Bypass is a bypass by a person, for a session or for all of them.
type Bypass struct {
	Session string    `json:"session,omitempty"`
	Since   time.Time `json:"since"`
	fsm.Bypass
}

const overridesName = "orders.json"

// Overrides reads what persons have ordered. A file that cannot be read overrides
// nothing: the config holds, and the error says so.
func (st Store) Overrides() (o Overrides, err error) {
	path := st.Dir + "/" + overridesName
	body, err := system.ReadFile(path)
	if system.IsMissing(err) {
		return o, nil
	}
	if err != nil {
		return o, fmt.Errorf("read the overrides: %w", err)
	}
	if !gjson.ValidBytes(body) {
		return o, fmt.Errorf("%s is damaged: the overrides that persons have set are lost, "+
			"and the config's level holds", path)
	}
	root := gjson.ParseBytes(body)
	root.Get("modes").ForEach(func(_, item gjson.Result) bool {
		var m Mode
		if journal.Decode([]byte(item.Raw), &m) != nil { // its level holds all the same: it may be the stricter one
			m = Mode{item.Get("session").Str, fsm.Mode{Level: item.Get("level").Str}}
		}
		o.Modes = append(o.Modes, m)
		return true
	})
	root.Get("lifts").ForEach(func(_, item gjson.Result) bool {
		var b Bypass
		if journal.Decode([]byte(item.Raw), &b) == nil {
			o.Bypasses = append(o.Bypasses, b)
		}
		return true
	})
	return o, nil
}

// For is what holds for a session at a time. A session's own mode holds over the
// project's.
func (o Overrides) For(id string, now time.Time) (out fsm.Overrides) {
	for i, m := range o.Modes {
		if m.Session == id || m.Session == "" && out.Mode == nil {
			out.Mode = &o.Modes[i].Mode
		}
	}
	for _, l := range o.Bypasses {
		if (l.Session == "" || l.Session == id) && l.isActive(now) {
			out.Bypasses = append(out.Bypasses, l.Bypass)
		}
	}
	return out
}

// isActive: a bypass without an end that can be read is none, so that a damaged one
// does not last forever.
func (l Bypass) isActive(now time.Time) bool { return now.Before(l.Until) }

// SetMode puts a mode in the place of the one for the same session; without a level it
// takes that away.
func (o *Overrides) SetMode(m Mode) {
	o.Modes = slices.DeleteFunc(o.Modes, func(old Mode) bool { return old.Session == m.Session })
	if m.Level != "" {
		o.Modes = append(o.Modes, m)
	}
}

// A Command is a line of orders.jsonl: who has ordered what, when and why.
type Command struct {
	Time    time.Time `json:"time"`
	Session string    `json:"session,omitempty"`
	What    string    `json:"what"` // "mode guidance", "bypass on until …", "bypass off"
	By      string    `json:"by"`
	Why     string    `json:"why,omitempty"`
}

// ChangeOverrides changes the overrides under a lock of their own, forgets those that have
// run out, and keeps a line of the command.
func (st Store) ChangeOverrides(what Command, change func(*Overrides)) error {
	if err := os.MkdirAll(st.Dir, 0o700); err != nil {
		return fmt.Errorf("make the state's folder: %w", err)
	}
	if err := checkOwner(st.Dir); err != nil {
		return err
	}
	unlock, err := lock(st.Dir+"/orders.lock", st.Wait)
	if err != nil {
		return err
	}
	defer unlock()
	o, err := st.Overrides()                // damaged: what is ordered now is all there is
	if errors.As(err, new(*fs.PathError)) { // what it holds is not known
		return err
	}
	o.Bypasses = slices.DeleteFunc(o.Bypasses, func(l Bypass) bool { return !l.isActive(what.Time) })
	change(&o)
	body, err := json.MarshalIndent(o, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the overrides: %w", err)
	}
	line, _ := json.Marshal(what) // of strings and the time of now
	// It comes first: a command without a trace must not take effect.
	if err := system.AppendLine(st.Dir+"/orders.jsonl", line); err != nil {
		return fmt.Errorf("keep the command: %w", err)
	}
	return explain("write the overrides", system.WriteFile(st.Dir+"/"+overridesName, append(body, '\n')))
}

// EndTurn ends what was to last until the end of a session's turn. It reports whether
// there was such a thing. Overrides that cannot be read are not in force, so none of them
// is to be ended.
func (st Store) EndTurn(id string, now time.Time) (bool, error) {
	o, err := st.Overrides()
	ends := func(l Bypass) bool { return l.Once && l.Session == id }
	if err != nil || !slices.ContainsFunc(o.Bypasses, ends) {
		return false, nil
	}
	what := Command{Time: now, Session: id, What: "once ends", By: "the end of the turn"}
	return true, st.ChangeOverrides(what, func(o *Overrides) { o.Bypasses = slices.DeleteFunc(o.Bypasses, ends) })
}
