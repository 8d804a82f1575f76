// Package hooks is the way from a hook call to its answer: everything at the edges.
package hooks

import (
	"io"
	"slices"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

// A Host is a program whose hooks call us.
type Host interface {
	Name() string
	Read(r io.Reader) (Call, error) // one hook call, from its payload
	Bare(event string) Call         // one whose payload could not be read, by the event it was registered for
}

// A Call is one call of a hook. It knows how its host wants to be answered.
type Call interface {
	Event(now time.Time) (e fsm.Event, ok bool) // not ok: none of our business
	Spawn() *fsm.Spawn                          // the host's own note of how the calling agent was started
	Parent() string                             // the session that this one was forked from
	Input() map[string]string                   // what a tool was given, as far as it is short and no structure
	Tampered() string                           // why our hooks would not run as the changed file now stands
	Reply(w io.Writer, d fsm.Decision) error    // no objection is no output
}

// Sessions keeps the sessions that a Handler answers for: a session.Store on disk, a session.Memory for a rehearsal.
type Sessions interface {
	Update(e fsm.Event, apply session.Apply) error
	Last(id string) (fsm.Session, error)
	Texts(s fsm.Session) map[string]string
	Orders() (session.Orders, error)
	Earlier(name string) (session.Earlier, error)
	KeepEarlier(name string, e session.Earlier) error
}

// A Handler answers calls by a policy.
type Handler struct {
	Policy   *fsm.Policy
	Older    func(fingerprint string) (*fsm.Policy, error) // a policy that was in force before
	Sessions Sessions
	Guards   Guards
	Root     string                  // of the project: long texts are put below it
	Getenv   func(key string) string // for the roles that the config takes from the environment
	Began    time.Time               // when this call came; zero where nobody waits for it
	Notes    []string                // for the next record
	Warnings []string                // for the person, at the next start or prompt
}

// Answer decides one call and records it.
func (h *Handler) Answer(c Call, e fsm.Event) (fsm.Decision, error) {
	var d fsm.Decision
	h.role(&e)
	e.Facts.Overrides = h.Orders(e.Session, e.Time)
	if h.idle(e) {
		return d, nil
	}
	e.Tool.Parts = h.Guards.Parts(e.Tool, e.Dir)
	h.ask(c, &e)
	h.work(&e)
	err := h.Sessions.Update(e, func(s fsm.Session, e fsm.Event) (session.Outcome, error) {
		var out session.Outcome
		d, out = h.decide(s, e)
		return out, nil
	})
	if err != nil {
		return fsm.Decision{}, err
	}
	d.Inject = h.fit(d.Inject, d.InjectLimit)
	if err := h.keepEarlier(e, d); err != nil { // which is no reason not to answer
		d.Notices = append(d.Notices, "it will not be offered to later sessions: "+err.Error())
	}
	return d, nil
}

// idle reports whether a policy that is off has nothing to do with the event: nothing switches it on, and there is
// nothing of the session that it would have to end.
func (h *Handler) idle(e fsm.Event) bool {
	return h.Policy.Level == fsm.Off && e.Facts.Overrides.Mode == nil && !h.Policy.CanActivate(e) && h.untracked(e.Session)
}

// untracked reports whether there is nothing of a session that a policy which is off would have to end.
func (h *Handler) untracked(id string) bool {
	s, err := h.Sessions.Last(id)
	return err != nil || s.ID == "" || s.Machine.Off && s.Machine.ActivatedBy == ""
}

// decide gathers the facts, takes the step and makes its record.
func (h *Handler) decide(s fsm.Session, e fsm.Event) (fsm.Decision, session.Outcome) {
	p, stale := h.policyFor(s)
	h.recall(p, s, &e)
	e.Notes = append(slices.Clone(e.Notes), h.Notes...)
	after, d := p.Step(s, e)
	if after.ID == "" || d.Level == fsm.Off && s.Machine.Off && after.Machine.ActivatedBy == s.Machine.ActivatedBy {
		return d, session.Outcome{Skip: true}
	}
	if e.Late && e.Agent.IsMain() && d.Inject != "" {
		after.Talk.AnnouncedVisit, after.Talk.PendingNotice = 0, s.Talk.PendingNotice // it reached nobody: whoever comes next is told
	}
	if e.Kind == fsm.SessionStart || e.Kind == fsm.Prompt && e.Origin == fsm.Person {
		d.Notices = append(append([]string{}, h.Warnings...), d.Notices...)
		d.Notices = append(d.Notices, standing(e)...)
		if stale != "" {
			d.Notices = append(d.Notices, stale)
		}
	}
	r := newRecord(p, e, d)
	if !h.Began.IsZero() && !e.Late {
		r.Took = max(1, time.Since(h.Began).Microseconds())
	}
	return d, session.Outcome{Session: after, Record: r, Texts: d.Texts,
		Publish: e.Kind == fsm.SessionStart || e.Kind == fsm.SessionEnd}
}

// policyFor is the policy that binds a session: the one in force, unless the session is in a state that it lacks.
func (h *Handler) policyFor(s fsm.Session) (*fsm.Policy, string) {
	if s.Machine.State == "" || s.Policy == h.Policy.Fingerprint {
		return h.Policy, ""
	}
	if _, ok := h.Policy.FindState(s.Machine.State); ok {
		return h.Policy, ""
	}
	old, err := h.Older(s.Policy)
	if err != nil {
		return h.Policy, ""
	}
	return old, "this session is in state " + s.Machine.State + ", which the config no longer has: the config of before stays in force for it; " +
		"to move it, run: pipeline reset --session " + s.ID + " --to STATE \"reason\""
}

// ask adds what only the call itself can tell: an event that has to wait for the lock is played by another call.
func (h *Handler) ask(c Call, e *fsm.Event) {
	for _, need := range h.Policy.Needs(fsm.Session{}, *e) {
		switch need {
		case fsm.NeedSpawn:
			e.Facts.Spawn = c.Spawn()
		case fsm.NeedInput:
			e.Tool.Input = c.Input()
		case fsm.NeedGraph:
			e.Facts.Graph = textOf(h.Policy.Tasks.Graph)
		case fsm.NeedOpening:
			e.Facts.Opening = h.opening()
		case fsm.NeedEarlier: // git may take its time: not under the session's lock
			e.Facts.Earlier = h.earlier(h.Policy)
		case fsm.NeedPresent:
			e.Facts.Present = h.present()
		case fsm.NeedEnv:
			e.Facts.Env = h.environment()
		case fsm.NeedParent:
			if parent, err := h.Sessions.Last(c.Parent()); err == nil && parent.ID != "" {
				e.Facts.Parent, e.Facts.Captured = &parent, h.Sessions.Texts(parent)
			}
		}
	}
	if e.Kind == fsm.ConfigChange {
		e.Facts.Tampered = c.Tampered()
	}
}

// recall adds what the session has kept, and takes back what it turns out not to need.
func (h *Handler) recall(p *fsm.Policy, s fsm.Session, e *fsm.Event) {
	needs := p.Needs(s, *e)
	if e.Facts.Parent != nil && !slices.Contains(needs, fsm.NeedParent) {
		e.Facts.Parent, e.Facts.Captured = nil, nil
	}
	if slices.Contains(needs, fsm.NeedCaptured) {
		e.Facts.Captured = h.Sessions.Texts(s)
	}
}
