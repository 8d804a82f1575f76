// Package rehearse answers "what would happen?". It puts calls before the hooks' own
// handler, on sessions that are kept in memory: nothing is recorded, and no command of
// the user's is run unless that is asked for.
package rehearse

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/kernel"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

// A Stage is what a rehearsal is set up with.
type Stage struct {
	Handler hooks.Handler  // as it answers the hooks; its sessions and its world are replaced
	Host    hooks.Host     // reads the payloads
	Base    *session.Store // live sessions, their texts and what persons have ordered; nil for none
	Run     bool           // gates and checks are run
	Kernel  string         // what can hold shell lines; empty for nothing
}

// A Rehearsal is a session that is kept in memory, and the handler that answers its
// calls.
type Rehearsal struct {
	Policy  *fsm.Policy // a copy: a scenario may change its level
	Memory  *session.Memory
	Results Results

	handler hooks.Handler
	host    hooks.Host
	id      string
	now     time.Time
	ids     int
	watch   func(hooks.Call, fsm.Event, Answer) // sees every answer; nil outside of tests
}

// newID is the id of a session that begins in a rehearsal.
const newID = "rehearsal"

// New prepares a rehearsal. Its session does not exist yet.
func New(s Stage) *Rehearsal {
	policy := *s.Handler.Policy
	r := &Rehearsal{Policy: &policy, Memory: &session.Memory{Base: s.Base}, handler: s.Handler, host: s.Host,
		id: newID, now: time.Now().UTC()}
	r.Results = Results{Said: map[string]bool{}, run: s.Run,
		disk: hooks.Disk{Root: s.Handler.Root, Getenv: s.Handler.Getenv}}
	r.handler.Policy, r.handler.Sessions, r.handler.World = r.Policy, r.Memory, &r.Results
	r.SetKernel(s.Kernel)
	if r.handler.Older == nil {
		r.handler.Older = func(string) (*fsm.Policy, error) { return nil, errors.New("no other policy is known") }
	}
	return r
}

// SetKernel says what can hold shell lines from here on; empty for nothing. No ticket is left for any.
func (r *Rehearsal) SetKernel(engine string) {
	r.handler.Kernel = hooks.Kernel{Capability: kernel.Capability{Engine: engine}}
}

// Begin begins a session as a client does.
func (r *Rehearsal) Begin() error {
	_, err := r.Send("SessionStart", map[string]any{"source": "startup"})
	return err
}

// Session is the session as it is now.
func (r *Rehearsal) Session() fsm.Session {
	s, _ := r.Memory.Last(r.id) // none yet: the zero session
	return s
}

// Overrides are the mode and the bypasses in force.
func (r *Rehearsal) Overrides() fsm.Overrides {
	h := r.handler // a copy: its warnings are those of one question
	return h.FindOverrides(r.id, r.now)
}

// NewID makes an id of the form that the client gives.
func (r *Rehearsal) NewID(prefix string) string {
	r.ids++
	return fmt.Sprintf("%s%016x", prefix, r.ids)
}

// An Answer is a call as the policy met it, and what was decided.
type Answer struct {
	fsm.Decision
	Event  fsm.Event
	Before fsm.Session
}

// Send makes one call of a hook, from its payload on.
func (r *Rehearsal) Send(event string, with ...map[string]any) (a Answer, err error) {
	payload := map[string]any{"session_id": r.id, "cwd": r.handler.Root, "hook_event_name": event}
	for _, w := range with {
		maps.Copy(payload, w)
	}
	body, _ := json.Marshal(payload) // of strings, and of what was JSON
	call, err := r.host.Read(bytes.NewReader(body))
	if err != nil {
		return a, err
	}
	e, _ := call.Event(r.now)
	return r.Answer(call, e)
}

// Answer puts an event of this session before the handler, a second after the last one.
func (r *Rehearsal) Answer(c hooks.Call, e fsm.Event) (Answer, error) {
	r.now = r.now.Add(time.Second)
	e.Time, e.Session = r.now, r.id
	return r.answer(c, e)
}

func (r *Rehearsal) answer(c hooks.Call, e fsm.Event) (Answer, error) {
	h := r.handler // a copy: each call has a handler of its own
	a := Answer{Event: e, Before: r.Session()}
	a.Event.Agent = hooks.Role(h.Policy.Caller, h.Getenv, e.Agent)
	if e.Tool.Parts == nil {
		a.Event.Tool.Parts = h.Guards.Parts(e.Tool, e.Dir)
	}
	var err error
	a.Decision, err = h.Answer(c, e)
	if r.watch != nil {
		r.watch(c, e, a)
	}
	return a, err
}

// Reset puts the session into a state, as a person does; "" is the initial one.
func (r *Rehearsal) Reset(to string) (Answer, error) {
	return r.Answer(hooks.NoCall{}, fsm.Event{Kind: fsm.Reset, Source: to, Text: "rehearsal"})
}

// Enlist makes an agent of this type one that the main agent has started and that runs,
// whatever the state admits.
func (r *Rehearsal) Enlist(id, agent, use string) {
	s := r.Session()
	s.Agents.Runs = append(slices.Clone(s.Agents.Runs), fsm.Run{ID: id, Type: agent, How: fsm.ByAgent, UseID: use,
		Status: fsm.Running, Visit: s.Machine.Visit, Epoch: s.Machine.Epoch})
	r.Memory.Put(s)
}

// Results stand for the world in a rehearsal: what gates and checks come to. Nothing is
// written.
type Results struct {
	Said  map[string]bool // the result of every "gate" and of every "check"
	Unrun []string        // what was not run, though an answer depends on it

	disk hooks.Disk
	run  bool
}

// Run gives the result that was said, or runs the command where that is asked for.
func (w *Results) Run(c hooks.Command) (r hooks.CommandResult, ran bool) {
	kind, what := "gate", "the gate `"+c.Line+"`"
	if c.Check != "" {
		kind, what = "check", "the check "+c.Check
	}
	if isOK, isSaid := w.Said[kind]; isSaid {
		return hooks.CommandResult{OK: isOK, Output: "(by the scenario)"}, true
	}
	if w.run {
		return w.disk.Run(c)
	}
	w.Unrun = append(w.Unrun, what)
	return r, false
}

// MakeScratch names the folder and does not make it.
func (w *Results) MakeScratch(session string) (string, error) {
	dir, _ := hooks.ScratchPath(session, w.disk.Getenv)
	return dir, nil
}

// KeepText says where a long text would be kept.
func (w *Results) KeepText(text string) (string, error) {
	return hooks.TextPath(w.disk.Root, text), nil
}
