package fsm

import "strconv"

// The rules that come from the sections about tasks and turns.
const (
	RuleTasks   = "tasks"
	RuleLimits  = "limits"
	RuleHold    = "hold"
	RuleReturns = "returns"
	RuleGate    = "gate"
)

// crowded is why one more agent may not start now; empty if it may.
func (st *step) crowded() string {
	if most := st.most(); most > 0 {
		if n := len(st.s.RunningAgents()) + st.coming(); n >= most {
			return tooMany(n, most, st.s.RunningAgents())
		}
	}
	if deepest := st.p.Limits.Depth; deepest > 0 {
		if depth := st.depth(st.e.Agent.ID) + 1; depth > deepest {
			return tooDeep(depth, deepest)
		}
	}
	return ""
}

// expected reports whether an admission is one that an agent is still to come by, other than this very call's: two
// registrations may ask for it.
func (st *step) expected(a Admission) bool {
	return !a.Stale && st.wanted(a) && (a.UseID == "" || a.UseID != st.e.Tool.UseID)
}

// coming counts who was let in and has not started yet.
func (st *step) coming() (n int) {
	for _, a := range st.s.Agents.Pending {
		if st.expected(a) {
			n++
		}
	}
	return n
}

// wanted reports whether the main agent, or one that is at work, has asked for an agent that was let in. Whom an agent
// wanted that is gone will hardly come.
func (st *step) wanted(a Admission) bool {
	by := st.s.run(a.By)
	return a.By == "" || by != nil && by.active()
}

// most is how many agents may run at once. The variable that says otherwise must be a number above zero.
func (st *step) most() int {
	l := st.p.Limits
	if l.RunningEnv != "" {
		if n, err := strconv.Atoi(st.e.Facts.Env[l.RunningEnv]); err == nil && n > 0 {
			return n
		}
	}
	return l.Running
}

// depth is how deep an agent runs: 0 for the main agent. The host's own note counts most; else what we saw.
func (st *step) depth(id string) int {
	if id == "" {
		return 0
	}
	if spawn := st.e.Facts.Spawn; spawn != nil && spawn.Depth > 0 && id == st.e.Agent.ID {
		return spawn.Depth
	}
	for deep := 1; deep < 100; deep++ {
		r := st.s.run(id)
		if r == nil || r.By == UnknownCaller {
			return deep
		}
		if r.Depth > 0 {
			return r.Depth + deep - 1
		}
		if r.By == "" {
			return deep
		}
		id = r.By
	}
	return 100
}
