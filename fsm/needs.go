package fsm

import (
	"slices"
	"strings"
)

// A Need names a fact that Step may have to know. The caller gathers it and puts it
// into the event.
type Need int

// The needs, in the order in which they are gathered: the level decides whether a gate
// or a check is needed at all.
const (
	NeedOverrides Need = iota // Facts.Overrides
	NeedPresent               // Facts.Present
	NeedEnv                   // Facts.Env
	NeedInput                 // Tool.Input
	NeedSpawn                 // Facts.Spawn
	NeedGraph                 // Facts.Graph
	NeedOpening               // Facts.Opening
	NeedScratch               // Facts.Scratch
	NeedKernel                // Facts.Kernel
	NeedWorktrees             // Facts.Worktrees
	NeedTokens                // Facts.Tokens
	NeedTicket                // Facts.Ticket
	NeedTampered              // Facts.Tampered
	NeedAbsent                // Facts.Absent
	NeedParent                // Facts.Parent, and Facts.Captured of the parent; the first that depends on the session
	NeedEarlier               // Facts.Earlier
	NeedJudged                // Facts.Judged
	NeedGate                  // Facts.Gate
	NeedChecks                // Facts.Checks
	NeedCaptured              // Facts.Captured
	NeedAgents                // Facts.Agents; the last
)

// CanNeed reports whether an event may need a fact, whatever session it meets.
func (p *Policy) CanNeed(n Need, e Event) bool {
	kind, isMain := e.Kind, e.Agent.IsMain()
	switch n {
	case NeedPresent:
		return kind == SessionStart && len(p.Activate.When) > 0
	case NeedEnv:
		return kind == ToolRequest && len(p.ListEnvNames()) > 0
	case NeedInput:
		return kind == ToolRequest && p.hasRule(func(r *Rule) bool { return len(r.Inputs) > 0 })
	case NeedSpawn:
		startsClient := func(part Part) bool { return part.Client != "" }
		return kind == AgentStop && e.Agent.Type != "" || kind == ToolRequest && p.Limits.Depth > 0 && !isMain &&
			(e.Tool.Starts != nil || slices.ContainsFunc(e.Tool.Parts, startsClient))
	case NeedParent:
		return kind == SessionStart && e.Source == "fork"
	case NeedEarlier: // briefs may name what was captured earlier, and so may what a state says
		return slices.Contains([]Kind{AgentStart, Compacted, Prompt, ToolResult, ToolFailure}, kind) &&
			p.OffersEarlier("")
	case NeedGraph:
		return p.Tasks.Graph != "" &&
			(kind == SessionStart || kind == Prompt || kind == ToolRequest && e.Tool.Starts != nil)
	case NeedOpening:
		return (kind == SessionStart || kind == Compacted) && len(p.Opening.Files) > 0
	case NeedScratch:
		return p.Scratch
	case NeedKernel:
		return (kind == AgentStart || kind == ToolRequest && e.Tool.Command != "") &&
			(len(p.Limits.OwnWorktree) > 0 || p.hasRule(func(r *Rule) bool { return r.Verdict == Confine }))
	case NeedWorktrees:
		return kind == ToolRequest && !isMain && p.holdsToWorktree(e.Agent)
	case NeedTokens:
		return p.Limits.Tokens > 0 && !isMain && (kind == ToolRequest || kind == ToolResult)
	case NeedTicket:
		return (kind == ToolResult || kind == ToolFailure) && e.Tool.Command != ""
	case NeedTampered:
		return kind == ConfigChange
	case NeedAbsent:
		return kind == AgentStop && p.FindReturnedFile(e.Agent.Type, e.Text) != ""
	case NeedGate:
		runs := func(t Trigger) bool { return t.Gate.runs() }
		isGated := func(s State) bool { return slices.ContainsFunc(s.Triggers, runs) }
		return (kind == AgentStop || kind == TurnStop) && (p.Hold.Gate != nil || slices.ContainsFunc(p.States, isGated))
	case NeedChecks:
		return len(p.Checks) > 0 && (kind == ToolResult || kind == TurnStop)
	case NeedAgents:
		return kind == ToolRequest && !e.Late
	}
	return true
}

// DependsOnSession reports whether a fact is needed in some sessions and not in others.
func (n Need) DependsOnSession() bool { return n >= NeedParent }

// IsNeeded reports whether Step must know a fact to answer an event.
func (p *Policy) IsNeeded(n Need, s Session, e Event) bool {
	if can := p.CanNeed(n, e); !can || !n.DependsOnSession() {
		return can
	}
	q := inquiry{&situation{p: p, s: s, e: e}}
	switch n {
	case NeedParent:
		return s.ID == ""
	case NeedEarlier:
		return q.needsEarlier()
	case NeedJudged:
		return q.hasNewPolicy()
	case NeedCaptured:
		return q.needsCaptured()
	case NeedAgents:
		return q.isRefused()
	}
	if p.EffectiveLevel(s, e) < Guidance { // no gate and no check can hold anything
		return false
	}
	if n == NeedGate { // only for a session that is known
		gate, _ := p.SelectGate(s, e)
		return s.ID != "" && gate != nil
	}
	if e.Kind == ToolResult {
		return len(EditedFiles(e.Tool)) > 0
	}
	st := newStep(p, s, e) // no checks are needed for a turn that may not be held
	st.reconcileAgents()
	return slices.Contains(p.Hold.Until, "checks") && (len(s.Edited) > 0 || s.EditedMore) && st.canHold()
}

// An inquiry asks what a situation needs to know.
type inquiry struct{ *situation }

// ListInputNames lists the inputs of tools that rules ask for.
func (p *Policy) ListInputNames() (names []string) {
	for r := range p.EveryRule {
		for _, in := range r.Inputs {
			names = append(names, in.Name)
		}
	}
	return names
}

// isRefused reports whether anything objects to a call; then the objection names what can be
// done instead.
func (q inquiry) isRefused() bool {
	st := newStep(q.p, q.s, q.e)
	if st.findLevel(); st.level == Off {
		return false
	}
	st.verdictOnly = true
	st.openSession()
	st.judge().answerRequest()
	return len(st.Objections) > 0 && st.Rule != RuleProtect
}

// hasNewPolicy reports whether a session begins, or goes on under another policy.
func (q inquiry) hasNewPolicy() bool {
	return q.s.ID == "" && q.e.Kind == SessionStart || q.s.ID != "" && q.s.Policy != q.p.Fingerprint
}

// needsCaptured: texts of the config quote what was captured, and the task graph is one of these texts. Few
// calls of tools ask for either.
func (q inquiry) needsCaptured() bool {
	isWaiting := func(r Run) bool { return r.Status == Waiting }
	if q.e.Kind == Approve || slices.ContainsFunc(q.s.Runs, isWaiting) {
		return true
	}
	if len(q.s.Captures) == 0 {
		return false
	}
	t, byMain := q.e.Tool, q.e.Agent.IsMain()
	switch q.e.Kind {
	case ToolRequest:
		return q.s.Progress != nil &&
			(t.Starts != nil || !byMain && q.caller() == nil || q.isRefused())
	case ToolResult, ToolFailure: // what is announced may say who may start
		_, announced := q.findAnnounced()
		return t.Task != nil || byMain &&
			(t.Plan != "" || t.Starts != nil || !announced || len(q.s.Notices) > 0)
	}
	return true
}

func (q inquiry) needsEarlier() bool {
	in, announced := q.findAnnounced()
	switch q.e.Kind {
	case AgentStart:
		a, id := q.s.Agents, q.e.Agent.ID
		isExpected := len(a.Workflows) > 0 ||
			slices.ContainsFunc(a.Runs, func(r Run) bool { return r.Status == Admitted || r.ID == id })
		return isExpected && strings.Contains(in.Brief, earlierField) ||
			slices.ContainsFunc(q.p.States, func(s State) bool { // a state's brief for such agents
				return strings.Contains(s.Brief, earlierField) && q.table().HasWorker(s.Name, q.e.Agent.Type)
			})
	case Prompt:
		return !announced || q.e.Origin == Notification // which may move the machine
	}
	return !announced || q.e.Kind == Compacted
}

// findAnnounced is the state that a session is in, or begins in, and whether the main agent
// knows what it says. An approved plan leads to the next before that is announced.
func (q inquiry) findAnnounced() (in State, known bool) {
	in, ok := q.p.FindState(q.s.State)
	switch {
	case !ok || q.s.Off:
		in, _ = q.p.FindState(q.p.Initial)
		return in, false
	case q.e.Tool.Planned && q.e.Agent.IsMain() && in.OnPlan != "":
		in, _ = q.p.FindState(in.OnPlan)
		return in, false
	}
	return in, q.s.AnnouncedVisit == q.s.Visit
}

// ListEnvNames lists the environment variables that rules ask for.
func (p *Policy) ListEnvNames() []string {
	var out []string
	for r := range p.EveryRule {
		for _, c := range slices.Concat(r.Env, r.UnlessEnv) {
			out = append(out, c.Name)
		}
	}
	if v := p.Limits.RunningEnv; v != "" {
		out = append(out, v)
	}
	return out
}

// SelectChecks lists the checks to be run, each with its files. The variables are the
// client's.
func (p *Policy) SelectChecks(when string, files []string, env map[string]string) (out []Check, on [][]string) {
	for _, c := range p.Checks {
		if !slices.Contains(c.At, when) || !hold(c.Env, c.UnlessEnv, env) {
			continue
		}
		var these []string
		for _, f := range files {
			if matchPath(c.Files, f) {
				these = append(these, f)
			}
		}
		if len(these) > 0 {
			out, on = append(out, c), append(on, these)
		}
	}
	return out, on
}

// SelectGate is the command that must be run before an event is decided, and the key
// for its result; nil for none. The session may move before the event is decided; then
// the result does not count.
func (p *Policy) SelectGate(s Session, e Event) (*Gate, string) {
	st := newStep(p, s, e)
	st.e.Facts.Gate = nil
	st.run()
	return st.asked, st.askedKey
}
