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
	NeedOverrides Need = iota // Facts.Overrides: whether the policy has anything to do depends on it
	NeedPresent               // Facts.Present; from here on what may take time, before other calls have to wait
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
	NeedParent                // Facts.Parent, and Facts.Captured of the parent; from here on the session counts too
	NeedEarlier               // Facts.Earlier
	NeedGate                  // Facts.Gate
	NeedChecks                // Facts.Checks
	NeedJudged                // Facts.Judged; from here on while no other call changes the session
	NeedCaptured              // Facts.Captured
	NeedAgents                // Facts.Agents of a refused call, which is decided once more; the last
)

// ListNeeds lists which needs, from one to another, an event may have, whatever session it meets.
func (p *Policy) ListNeeds(first, last Need, e Event) (needs []Need) {
	for n := first; n <= last; n++ {
		if p.CanNeed(n, e) {
			needs = append(needs, n)
		}
	}
	return needs
}

// CanNeed reports whether an event may need a fact, whatever session it meets.
func (p *Policy) CanNeed(n Need, e Event) bool {
	kind, isMain := e.Kind, e.Agent.IsMain()
	switch n {
	case NeedPresent:
		return kind == SessionStart && len(p.Activate.When) > 0
	case NeedEnv:
		return kind == ToolRequest && len(p.ListEnvNames()) > 0
	case NeedInput:
		return kind == ToolRequest && slices.ContainsFunc(p.AllRules(), func(r *Rule) bool { return len(r.Inputs) > 0 })
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
		confines := func(r *Rule) bool { return r.Verdict == Confine }
		return (kind == AgentStart || kind == ToolRequest && e.Tool.Command != "") &&
			(len(p.Limits.OwnWorktree) > 0 || slices.ContainsFunc(p.AllRules(), confines))
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

// IsNeeded reports whether Step must know a fact to answer an event.
func (p *Policy) IsNeeded(n Need, s Session, e Event) bool {
	if can := p.CanNeed(n, e); !can || n < NeedParent {
		return can
	}
	q := &situation{p: p, s: s, e: e}
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

// ListInputNames lists the inputs of tools that rules ask for.
func (p *Policy) ListInputNames() (names []string) {
	for _, r := range p.AllRules() {
		for _, in := range r.Inputs {
			names = append(names, in.Name)
		}
	}
	return names
}

// isRefused reports whether anything objects to a call; then the objection names what can be
// done instead.
func (st *situation) isRefused() bool {
	h := newStep(st.p, st.s, st.e)
	if h.findLevel(); h.level == Off {
		return false
	}
	h.verdictOnly = true
	h.openSession()
	judge(h).answerRequest()
	return len(h.Objections) > 0 && h.Rule != RuleProtect
}

// hasNewPolicy reports whether a session begins, or goes on under another policy.
func (st *situation) hasNewPolicy() bool {
	return st.s.ID == "" && st.e.Kind == SessionStart || st.s.ID != "" && st.s.Policy != st.p.Fingerprint
}

// needsCaptured: texts of the config quote what was captured, and the task graph is one of these texts. Few
// calls of tools ask for either.
func (st *situation) needsCaptured() bool {
	isWaiting := func(r Run) bool { return r.Status == Waiting }
	if st.e.Kind == Approve || slices.ContainsFunc(st.s.Runs, isWaiting) {
		return true
	}
	if len(st.s.Captures) == 0 {
		return false
	}
	t, byMain := st.e.Tool, st.e.Agent.IsMain()
	switch st.e.Kind {
	case ToolRequest:
		return st.s.Progress != nil &&
			(t.Starts != nil || !byMain && st.caller() == nil || st.isRefused())
	case ToolResult, ToolFailure: // what is announced may say who may start
		_, announced := st.findAnnounced()
		return t.Task != nil || byMain &&
			(t.Plan != "" || t.Starts != nil || !announced || len(st.s.Notices) > 0)
	}
	return true
}

func (st *situation) needsEarlier() bool {
	in, announced := st.findAnnounced()
	switch st.e.Kind {
	case AgentStart:
		a, id := st.s.Agents, st.e.Agent.ID
		isExpected := len(a.Workflows) > 0 ||
			slices.ContainsFunc(a.Runs, func(r Run) bool { return r.Status == Admitted || r.ID == id })
		return isExpected && strings.Contains(in.Brief, earlierField) ||
			slices.ContainsFunc(st.p.States, func(s State) bool { // a state's brief for such agents
				return strings.Contains(s.Brief, earlierField) && st.table().HasWorker(s.Name, st.e.Agent.Type)
			})
	case Prompt:
		return !announced || st.e.Origin == Notification // which may move the machine
	}
	return !announced || st.e.Kind == Compacted
}

// findAnnounced is the state that a session is in, or begins in, and whether the main agent
// knows what it says. An approved plan leads to the next before that is announced.
func (st *situation) findAnnounced() (in State, known bool) {
	in = st.state()
	switch {
	case in.Name == "" || st.s.Off:
		return st.p.FindState(st.p.Initial), false
	case st.e.Tool.Planned && st.e.Agent.IsMain() && in.OnPlan != "":
		return st.p.FindState(in.OnPlan), false
	}
	return in, st.s.AnnouncedVisit == st.s.Visit
}

// ListEnvNames lists the environment variables that rules ask for.
func (p *Policy) ListEnvNames() (out []string) {
	for _, r := range p.AllRules() {
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
