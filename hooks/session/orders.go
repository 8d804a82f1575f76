package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/tidwall/gjson"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
)

// Orders are what persons have ordered for a project, or for one of its sessions:
// levels and bypasses. They are a file of their own, orders.json, beside the sessions;
// every change is a line of orders.jsonl as well.
type Orders struct {
	Modes []Mode `json:"modes,omitempty"` // at most one for the project, and one for each session
	Lifts []Lift `json:"lifts,omitempty"`
}

// A Mode is a level that a person has set, for a session or for all of them.
type Mode struct {
	Session string `json:"session,omitempty"`
	fsm.Mode
}

// A Lift is a bypass by a person, for a session or for all of them.
type Lift struct {
	Session string    `json:"session,omitempty"`
	Since   time.Time `json:"since"`
	fsm.Bypass
}

func (st Store) ordersPath() string { return filepath.Join(st.Dir, "orders.json") }

// Orders reads what persons have ordered. A file that cannot be read orders nothing:
// the config holds, and the error says so.
func (st Store) Orders() (Orders, error) {
	body, err := system.ReadFile(st.ordersPath())
	if errors.Is(err, fs.ErrNotExist) {
		return Orders{}, nil
	}
	if err != nil {
		return Orders{}, fmt.Errorf("read the orders about the level: %w", err)
	}
	if !gjson.ValidBytes(body) {
		return Orders{}, fmt.Errorf("%s is damaged: what persons have ordered is lost, the config's level holds",
			st.ordersPath())
	}
	return readOrders(gjson.ParseBytes(body)), nil
}

// readOrders is on the way of every call, where encoding/json would cost more than all
// else.
func readOrders(root gjson.Result) (o Orders) {
	root.Get("modes").ForEach(func(_, v gjson.Result) bool {
		o.Modes = append(o.Modes,
			Mode{Session: v.Get("session").Str, Mode: fsm.Mode{Level: v.Get("level").Str, From: v.Get("from").Str,
				By: v.Get("by").Str, Why: v.Get("why").Str, Since: v.Get("since").Time()}})
		return true
	})
	root.Get("lifts").ForEach(func(_, v gjson.Result) bool {
		o.Lifts = append(o.Lifts, Lift{Session: v.Get("session").Str, Since: v.Get("since").Time(),
			Bypass: fsm.Bypass{ID: v.Get("id").Str, Rule: v.Get("rule").Str, Agent: v.Get("agent").Str,
				Once: v.Get("once").Bool(),
				From: v.Get("from").Str, By: v.Get("by").Str, Why: v.Get("why").Str, Until: v.Get("until").Time(),
				Allowed: v.Get("allowed").Str}})
		return true
	})
	return o
}

// For is what holds for a session at a time. A session's own mode holds over the
// project's.
func (o Orders) For(id string, now time.Time) fsm.Overrides {
	var out fsm.Overrides
	for i, m := range o.Modes {
		if m.Session == id || m.Session == "" && out.Mode == nil {
			out.Mode = &o.Modes[i].Mode
		}
	}
	for _, l := range o.Lifts {
		if (l.Session == "" || l.Session == id) && l.isActive(now) {
			out.Bypasses = append(out.Bypasses, l.Bypass)
		}
	}
	return out
}

// isActive: a bypass without an end that can be read is none, so that a damaged one
// does not last forever.
func (l Lift) isActive(now time.Time) bool { return now.Before(l.Until) }

// Of is the mode that was set for exactly this session, or for the project if it is
// empty.
func (o Orders) Of(id string) (Mode, bool) {
	i := slices.IndexFunc(o.Modes, func(m Mode) bool { return m.Session == id })
	if i < 0 {
		return Mode{}, false
	}
	return o.Modes[i], true
}

// SetMode puts a mode in the place of the one for the same session; without a level it
// takes that away.
func (o *Orders) SetMode(m Mode) {
	o.Modes = slices.DeleteFunc(o.Modes, func(old Mode) bool { return old.Session == m.Session })
	if m.Level != "" {
		o.Modes = append(o.Modes, m)
	}
}

// An Order is a line of orders.jsonl: who has ordered what, when and why.
type Order struct {
	Time    time.Time `json:"time"`
	Session string    `json:"session,omitempty"`
	What    string    `json:"what"` // "mode guidance", "bypass on until …", "bypass off"
	By      string    `json:"by"`
	Why     string    `json:"why,omitempty"`
}

// ChangeOrders changes the orders under a lock of their own, forgets those that have
// run out, and keeps a line of what was ordered.
func (st Store) ChangeOrders(what Order, change func(*Orders)) error {
	if err := os.MkdirAll(st.Dir, 0o700); err != nil {
		return fmt.Errorf("make the state's folder: %w", err)
	}
	if err := checkOwner(st.Dir); err != nil {
		return err
	}
	unlock, err := lock(filepath.Join(st.Dir, "orders.lock"), st.Wait)
	if err != nil {
		return err
	}
	defer unlock()
	o, err := st.Orders() // damaged: what is ordered now is all there is
	if errors.Is(err, fs.ErrPermission) {
		return err
	}
	o.Lifts = slices.DeleteFunc(o.Lifts, func(l Lift) bool { return !l.isActive(what.Time) })
	change(&o)
	body, err := json.MarshalIndent(o, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the orders: %w", err)
	}
	if err := st.logOrder(what); err != nil {
		return err
	}
	if err := system.WriteFile(st.ordersPath(), append(body, '\n')); err != nil {
		return fmt.Errorf("write the orders: %w", err)
	}
	return nil
}

// logOrder comes first: an order without a trace must not take effect.
func (st Store) logOrder(o Order) error {
	line, err := json.Marshal(o)
	if err != nil {
		return fmt.Errorf("encode the order: %w", err)
	}
	if err := system.AppendLine(filepath.Join(st.Dir, "orders.jsonl"), line); err != nil {
		return fmt.Errorf("keep the order: %w", err)
	}
	return nil
}

// EndTurn ends what was to last until the end of a session's turn. It reports whether
// there was such a thing; orders that cannot be read order nothing, so that nothing of
// them is to be ended.
func (st Store) EndTurn(id string, now time.Time) (bool, error) {
	o, err := st.Orders()
	ends := func(l Lift) bool { return l.Once && l.Session == id }
	if err != nil || !slices.ContainsFunc(o.Lifts, ends) {
		return false, nil
	}
	what := Order{Time: now, Session: id, What: "once ends", By: "the end of the turn"}
	return true, st.ChangeOrders(what, func(o *Orders) { o.Lifts = slices.DeleteFunc(o.Lifts, ends) })
}
