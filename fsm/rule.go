package fsm

import (
	"path"
	"slices"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/agent-pipeline/pipeline/fsm/shell"
)

// Rules are read top to bottom; the first that fits decides.
type Rules struct {
	List    []Rule
	Default Rule // what no rule mentions; its Verdict, Reason and DelegateTo count
}

// A Rule says what to do with the calls that it fits. An empty list of a condition fits everything.
type Rule struct {
	Name       string
	Place      string
	Verdict    Verdict    // Pass for allow: no objection, look no further
	Tools      []string   // globs of canonical tool names
	Paths      []string   // globs of whole paths: absolute, "~" and the project's folder filled in
	Commands   [][]string // word patterns: {"git", "push"}; {"?"} for what cannot be known
	Inputs     []Input
	States     []string
	Agents     []string // patterns of the caller's type
	Env        []Input  // environment variables that must be set so; "*" for any value
	UnlessEnv  []Input
	Budget     int // so many are free; only with Budgeted
	Budgeted   bool
	ResetOn    []string // delegate, prompt, state
	Within     int      // fits only when the same tool was used in the last so many calls
	DelegateTo []string
	Reason     string // in the config's words
	Type       string // what reports call it: READ_LIMIT_EXCEEDED
	Example    string
	Describe   bool  // the denial says what the agents of DelegateTo are for
	Level      Level // of this rule alone; only with Levelled
	Levelled   bool
}

// Input is a condition on something that has a name: a tool's input, an environment variable.
type Input struct {
	Name  string
	Value string // a glob
}

// AgentInfo is what the config says of an agent, for routing.
type AgentInfo struct {
	Name        string
	Description string
	Keywords    []string
	Returns     string // regular expression of its final message; a group named file names a file that must exist
	Tries       int    // how often it is sent back
	Place       string
}

// fits reports whether the rule speaks of this part of a call. Budget and Within are not asked here: they depend on
// what was done before.
func (r *Rule) fits(st *step, p Part) bool {
	return r.fitsTool(p) && r.fitsPath(p) && r.fitsCommand(p) &&
		r.FitsState(st.s.Machine.State) &&
		(len(r.Agents) == 0 || MatchAgent(r.Agents, st.e.Agent.Type)) &&
		all(r.Inputs, st.e.Tool.Input) && all(r.Env, st.e.Facts.Env) && !some(r.UnlessEnv, st.e.Facts.Env)
}

func (r *Rule) fitsTool(p Part) bool {
	return slices.ContainsFunc(r.Tools, func(t string) bool {
		return glob(CanonicalTool(t), p.Tool) || slices.Contains(formerly(p.Tool), t)
	})
}

// fitsPath: a path that cannot be known fits no glob, so no exception can be had by hiding where one writes.
func (r *Rule) fitsPath(p Part) bool {
	if len(r.Paths) == 0 {
		return true
	}
	if p.Path == "" || p.Path == shell.Unknown {
		return false
	}
	return slices.ContainsFunc(r.Paths, func(pattern string) bool {
		ok, err := doublestar.Match(pattern, p.Path)
		return err == nil && ok
	})
}

// fitsCommand: an objection holds for the wrappers too (sudo, xargs); an exception only for a command of which it is
// known what it runs.
func (r *Rule) fitsCommand(p Part) bool {
	if len(r.Commands) == 0 {
		return true
	}
	call := shell.Call{Words: p.Words, Via: p.Via}
	return slices.ContainsFunc(r.Commands, func(pattern []string) bool {
		switch {
		case len(pattern) == 1 && pattern[0] == "?":
			return p.Code
		case r.Verdict > Pass:
			return call.Uses(pattern)
		}
		return !p.Code && shell.Match(pattern, p.Words)
	})
}

func glob(pattern, s string) bool {
	ok, err := path.Match(pattern, s)
	return err == nil && ok
}

func all(conds []Input, values map[string]string) bool {
	for _, c := range conds {
		if !c.holds(values) {
			return false
		}
	}
	return true
}

func some(conds []Input, values map[string]string) bool {
	return slices.ContainsFunc(conds, func(c Input) bool { return c.holds(values) })
}

func (c Input) holds(values map[string]string) bool {
	v, ok := values[c.Name]
	return ok && (c.Value == "*" || glob(c.Value, v))
}
