// Package hooks is the way from a hook call to its answer: everything at the edges.
package hooks

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/guard"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

// Sessions keeps the sessions that a Handler answers for: a session.Store on disk, a
// session.Memory for a rehearsal.
type Sessions interface {
	Update(e fsm.Event, decide session.Decide) error
	Last(id string) (fsm.Session, error)
	Texts(s fsm.Session) map[string]string
	Overrides() (session.Overrides, error)
	ReadFile(name string, v any) error
	WriteFile(name string, v any) error
}

// A Handler answers calls by a policy.
type Handler struct {
	Policy   *fsm.Policy
	Older    func(fingerprint string) (*fsm.Policy, error) // a policy that was in force before
	Widens   func(old, now *fsm.Policy) string             // what passes now and did not
	Sessions Sessions
	Guards   guard.Guards
	Root     string              // of the project: long texts are put below it
	Getenv   Environment         // for the roles that the config takes from the environment
	Began    time.Time           // when this call came; zero where no client waits for it
	Groups   func() []string     // of the person, on this system; nil for none
	World    World               // nil for the disk
	Kernel   Kernel              // what holds shell lines
	Given    func(fsm.Need) bool // facts that the event has already: they are not gathered
	InHand   func(*fsm.Decision) // called with what is decided of the call, before it is kept; may be nil
	Notes    []string            // for the next record
	Warnings []string            // for the person, at the next start or prompt
}

// Answer decides one call and records it. With a session.RecordError the decision
// stands, and was not recorded as it should be. With another error there is none.
func (h *Handler) Answer(c Call, e fsm.Event) (fsm.Decision, error) {
	var d fsm.Decision
	judged := false
	e.Agent = Role(h.Policy.Caller, h.Getenv, e.Agent)
	last := sync.OnceValue(func() fsm.Session {
		s, _ := h.Sessions.Last(e.Session) // of one that cannot be read nothing is known
		return s
	})
	if !system.IsAbs(e.Dir) { // guarded paths are absolute
		e.Dir = h.Root
	}
	if e.Host != (fsm.HostInfo{}) {
		e = last().Identify(e)
	}
	h.gatherFacts(fsm.NeedOverrides, fsm.NeedOverrides, h.Policy, c, last, &e)
	warn := func() {
		if isReadByPerson(e) {
			d.Notices = slices.Concat(h.Warnings, d.Notices)
		}
	}
	if h.Policy.Level == fsm.Off && h.isIdle(e, last) {
		warn()
		return d, nil
	}
	e.Tool.Digest = cmp.Or(e.Tool.Digest, fsm.DigestCommand(e.Tool.Command))
	if e.Tool.Parts == nil {
		e.Tool.Parts = h.Guards.Parts(e.Tool, e.Dir)
	}
	h.gatherFacts(fsm.NeedPresent, fsm.NeedChecks, h.Policy, c, last, &e)
	err := h.Sessions.Update(e, func(s fsm.Session, e fsm.Event) (session.Outcome, error) {
		var out session.Outcome
		d, out = h.decide(c, s, e)
		if kept := d; h.InHand != nil && !e.Late {
			h.InHand(&kept)
		}
		judged = true // the call comes last, after those that had to wait
		return out, nil
	})
	if !judged {
		return fsm.Decision{}, err
	}
	warn()
	if d.Inject != "" {
		d.Inject = h.fitText(d.Inject, d.InjectLimit)
	}
	if e.Kind == fsm.SessionStart || len(d.Moves) > 0 {
		h.keepForLater(e, &d)
	}
	return d, err
}

func (h *Handler) world() World {
	if h.World != nil {
		return h.World
	}
	return Disk{h.Root, h.Getenv}
}

// isIdle reports whether a policy that is off has nothing to do with the event: nothing
// switches it on, and nothing of the session is left to be ended.
func (h *Handler) isIdle(e fsm.Event, last func() fsm.Session) bool {
	if e.Facts.Overrides.Mode != nil || h.Policy.CanActivate(e) {
		return false
	}
	s := last()
	if s.ID == "" && e.Kind == fsm.SessionStart {
		var before fsm.Judged
		_ = h.Sessions.ReadFile(session.JudgedFile, &before) // of what cannot be read nothing is known
		return before.Level == "" || before.Level == fsm.Off.String()
	}
	return s.ID == "" || s.Machine.Off && s.Machine.ActivatedBy == "" && len(s.Talk.Weaker) == 0
}

// isReadByPerson reports whether the notices of an event say what is wrong in general.
func isReadByPerson(e fsm.Event) bool {
	return e.Kind == fsm.SessionStart || e.Kind == fsm.Prompt && e.Origin == fsm.Person
}

// decide takes the step and makes its record. It holds the session's lock. The policy in force binds the session,
// unless the session is in a state that it lacks.
func (h *Handler) decide(c Call, s fsm.Session, e fsm.Event) (fsm.Decision, session.Outcome) {
	e = s.Identify(e)
	p, stale := h.Policy, ""
	if s.Policy != p.Fingerprint && p.FindState(s.Machine.State).Name != s.Machine.State {
		if old, err := h.Older(s.Policy); err == nil {
			p, stale = old, "this session is in state "+s.Machine.State+
				", which the config no longer has: the previous config stays in force for it; "+
				"to move it, run: pipeline reset --session "+s.ID+" --to STATE \"reason\""
		}
	}
	if e.Facts.Parent != nil && !p.IsNeeded(fsm.NeedParent, s, e) { // it has begun meanwhile
		e.Facts.Parent, e.Facts.Captured = nil, nil
	}
	current := func() fsm.Session { return s }
	h.gatherFacts(fsm.NeedJudged, fsm.NeedCaptured, p, c, current, &e)
	e.Notes = append(slices.Clone(e.Notes), h.Notes...)
	after, d := p.Step(s, e)
	if len(d.Objections) > 0 {
		h.gatherFacts(fsm.NeedAgents, fsm.NeedAgents, p, c, current, &e)
		after, d = p.Step(s, e)
	}
	if h.Kernel.Dir != "" && !e.Late {
		e.Refused = h.leaveTicket(e, &d)
	}
	isTold := len(s.Talk.Weaker) == len(after.Talk.Weaker)
	stays := isTold && after.Machine.ActivatedBy == s.Machine.ActivatedBy
	if after.ID == "" || d.Level == fsm.Off && s.Machine.Off && stays {
		return d, session.Outcome{Skip: true}
	}
	if e.Late || e.Refused != "" {
		after = settleAnswer(s, after, e, &d)
	}
	if isReadByPerson(e) {
		d.Notices = append(d.Notices, listOverrides(e, &h.Policy.Ceiling)...)
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

// settleAnswer fits what comes of an event to the answer that its host gets, or had before if the event had to wait.
// What was refused did not happen. No agent has read an injected text: the next call says it.
func settleAnswer(before, after fsm.Session, e fsm.Event, d *fsm.Decision) fsm.Session {
	if e.Refused != "" && d.Verdict < fsm.Deny {
		if before.ID != "" {
			after = before
		}
		if e.Kind == fsm.ToolRequest {
			after.Passed, after.Denied = before.Passed, before.Denied+1
		}
		d.Verdict, d.StrictVerdict, d.Reason = fsm.Deny, fsm.Deny, e.Refused
		d.Limits, d.Moves, d.Texts = nil, nil, nil
	}
	if e.Agent.IsMain() && d.Inject != "" {
		after.Talk.AnnouncedVisit, after.Talk.Notices = 0, before.Talk.Notices
	}
	return after
}
