package rehearse

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/shell"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

// A Question is what an explanation is asked for.
type Question struct {
	Call    string // as people write it; empty for a payload
	Payload []byte // a recorded hook call
	Dir     string // where the call is made; empty for the project's root
	Agent   string // the caller's type; empty for the main agent
	Session string // a live session to go on from; empty for a new one
	State   string // the state to go to first; empty to stay
}

// An Explanation is a call, what decides each part of it, and the answer.
type Explanation struct {
	Call    string   `json:"call"`
	Caller  string   `json:"caller"`
	Session string   `json:"session_id,omitempty"` // the live session that it is asked of
	State   string   `json:"state,omitempty"`
	Level   string   `json:"level"`
	Mode    string   `json:"mode,omitempty"` // who ordered the level, and why
	Parts   []Ruling `json:"parts"`
	Verdict string   `json:"verdict"`
	Strict  string   `json:"strict"`
	Rule    string   `json:"rule,omitempty"`
	Where   string   `json:"where,omitempty"`
	Reason  string   `json:"reason,omitempty"`
	Kernel  string   `json:"kernel,omitempty"` // what would hold the call: bubblewrap
	// where a call that it holds may write
	Limits   *fsm.WriteLimits `json:"limits,omitempty"`
	Depends  []string         `json:"depends_on,omitempty"` // gates and checks that were not run
	Bypasses []string         `json:"bypasses,omitempty"`   // that are in force, in words
	Warnings []string         `json:"warnings,omitempty"`   // what in the question may be a mistake
	Answer   Answer           `json:"-"`
}

// A Ruling is what decides one part of a call, as people read it.
type Ruling struct {
	Part     string   `json:"part"`
	Via      []string `json:"via,omitempty"` // the wrappers it was found in, outermost first
	Rule     string   `json:"rule"`          // "default" where no rule of the list fits
	Where    string   `json:"where,omitempty"`
	Verdict  string   `json:"verdict"`        // at the level in force
	Strict   string   `json:"strict"`         // what strict would say
	Free     int      `json:"free,omitempty"` // how many calls a budget gives
	Used     int      `json:"used,omitempty"` // how many of them are used up
	Bypassed bool     `json:"bypassed,omitempty"`
}

// VerdictText is the verdict in words.
func (r Ruling) VerdictText() string {
	out := r.Verdict
	if r.Free > 0 {
		out = fmt.Sprintf("the first %d are free, then %s", r.Free, r.Verdict)
		if r.Used > 0 {
			out = fmt.Sprintf("%d of %d free calls are used, then %s", r.Used, r.Free, r.Verdict)
		}
	}
	switch {
	case r.Bypassed:
		out += " (bypassed; strict: " + r.Strict + ")"
	case r.Strict != r.Verdict:
		out += " (strict: " + r.Strict + ")"
	}
	return out
}

// String is the rule and where it is written.
func (r Ruling) String() string {
	if r.Where == "" {
		return r.Rule
	}
	return fmt.Sprintf("%s (%s)", r.Rule, r.Where)
}

// ErrPayload says that a payload cannot be explained.
var ErrPayload = errors.New("explain payload")

// Explain answers what the hooks would answer to a call. While the level is off they
// say nothing; then the parts and the reason are what they would say if they observed.
func Explain(s Stage, q Question) (Explanation, error) {
	e, err := explain(New(s), q)
	if err != nil || e.Answer.Level > fsm.Off {
		return e, err
	}
	r := New(s)
	r.Policy.Level = fsm.Observe
	if r.Overrides().Mode != nil || q.Session != "" {
		r.Memory.Own.SetMode(session.Mode{Session: cmp.Or(q.Session, newID),
			Mode: fsm.Mode{Level: fsm.Observe.String(), From: newID}})
	}
	observed, err := explain(r, q)
	observed.Level, observed.Mode, observed.Verdict, observed.Answer = e.Level, e.Mode, e.Verdict, e.Answer
	for i := range observed.Parts {
		observed.Parts[i].Verdict = fsm.Pass.String()
	}
	return observed, err
}

func explain(r *Rehearsal, q Question) (e Explanation, err error) {
	if q.Session != "" { // a copy of its state, its texts and its orders
		var s fsm.Session
		if s, err = r.Memory.Last(q.Session); err != nil {
			return e, fmt.Errorf("rehearse session %s: %w", q.Session, err)
		}
		r.id = q.Session
		r.Memory.Put(s)
	} else {
		err = r.Begin()
	}
	if err == nil && q.State != "" {
		_, err = r.Reset(q.State)
	}
	if err != nil {
		return e, err
	}
	orders := r.Overrides()
	a, err := r.ask(q)
	if err != nil {
		return e, err
	}
	e = Explanation{Call: a.Event.Tool.Name, Caller: cmp.Or(a.Event.Agent.Type, "main"), Session: q.Session,
		State: a.Before.Machine.State,
		Level: a.Level.String(), Parts: a.Rulings(), Verdict: a.Verdict.String(), Strict: a.StrictVerdict.String(),
		Rule: a.Rule, Where: a.Where,
		Kernel: r.handler.Kernel.Engine, Limits: a.Limits,
		Reason: a.Reason, Depends: r.Results.Unrun, Answer: a}
	if line := a.Event.Tool.Command; line != "" {
		e.Call = Call{a.Event.Tool.Name, line}.String()
	} else if len(e.Parts) == 1 {
		e.Call = e.Parts[0].Part
	}
	if orders.Mode != nil {
		e.Mode = orders.Mode.Origin()
	}
	if q.Agent != "" && e.State != "" && r.Policy.NewTable().Admits(e.State, e.Caller) == nil {
		e.Warnings = append(e.Warnings, e.State+" does not admit "+e.Caller+
			": this is the answer if another state has let it start, else all is refused")
	}
	for _, b := range orders.Bypasses {
		e.Bypasses = append(e.Bypasses, hooks.DescribeBypass(b))
	}
	return e, nil
}

// ask puts the call of a question before the handler.
func (r *Rehearsal) ask(q Question) (a Answer, err error) {
	if q.Call != "" {
		c, err := ParseCall(q.Call)
		if err != nil {
			return a, err
		}
		with := c.payload(r.NewID("toolu_"))
		with["cwd"] = cmp.Or(q.Dir, r.handler.Root)
		if q.Agent != "" {
			with["agent_id"], with["agent_type"] = r.findAgent(q.Agent), q.Agent
		}
		return r.Send("PreToolUse", with)
	}
	call, err := r.host.Read(bytes.NewReader(q.Payload))
	if err != nil {
		return a, fmt.Errorf("%w: %w", ErrPayload, err)
	}
	e, ok := call.Event(time.Now())
	if !ok || e.Tool.Name == "" {
		return a, fmt.Errorf("%w: it is no tool call, and only those are judged by rules", ErrPayload)
	}
	e.Kind = fsm.ToolRequest
	if q.Agent != "" {
		e.Agent = fsm.Agent{ID: r.findAgent(q.Agent), Type: q.Agent}
	}
	return r.Answer(call, e)
}

// findAgent is the id of an agent of this type: one that runs in the session, else a
// new one that counts as admitted.
func (r *Rehearsal) findAgent(agent string) string {
	for _, run := range r.Session().RunningAgents() {
		if fsm.NamesAgent(agent, run.Type) {
			return run.ID
		}
	}
	id := r.NewID("a")
	r.Enlist(id, agent, "")
	return id
}

// Rulings are what decided each part of the call.
func (a Answer) Rulings() []Ruling {
	out := []Ruling{}
	for _, p := range a.Parts {
		r := Ruling{Part: namePart(a.Event, p.Part), Via: p.Part.Via, Rule: p.Rule, Where: p.Where, Free: p.Free,
			Bypassed: p.Bypassed, Verdict: p.Verdict.String(), Strict: p.StrictVerdict.String()}
		if p.Free > 0 {
			r.Verdict, r.Strict = p.Spent.String(), p.SpentStrict.String()
			for _, b := range a.Before.Budgets.Uses {
				if b.Rule == p.Rule && b.Agent == a.Event.Agent.ID {
					r.Used = b.Used + len(b.Held)
				}
			}
		}
		if r.Rule == fsm.RulePipeline {
			r.Rule = journal.NameDecider(r.Rule, nil, a.Before.Machine.State)
		}
		out = append(out, r)
	}
	return out
}

// namePart names a part of a call as people read it.
func namePart(e fsm.Event, p fsm.Part) string {
	tool, about := p.Tool, p.Path
	rel, err := filepath.Rel(e.Dir, p.Path)
	if err == nil && e.Dir != "" && !strings.HasPrefix(rel, "..") && p.Path != shell.Unknown {
		about = rel
	}
	switch {
	case e.Tool.Name == "PowerShell":
		tool = e.Tool.Name // its lines are not read
	case tool == "Bash" || e.Tool.Name == "Bash":
		for kind := shell.Command; kind <= shell.List; kind++ {
			if kind.Tool() == tool {
				return shell.Call{Kind: kind, Words: p.Words, Path: about, Code: p.Code}.String()
			}
		}
	case about == "" && e.Tool.Starts != nil:
		about = cmp.Or(e.Tool.Starts.Type, e.Tool.Starts.Name)
	}
	return Call{tool, strings.ReplaceAll(about, shell.Unknown, "?")}.String()
}
