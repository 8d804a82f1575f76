package journal

import (
	"path"
	"slices"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
)

// A Want says which records are wanted: those that fit every list that is not empty. In
// the lists of agents, tools and rules * and ? stand for any characters. A tool in the
// list of kinds stands for requests of that tool, which is how they are printed.
type Want struct {
	Since, Until                          time.Time
	Agents, Tools, Rules, Verdicts, Kinds []string
}

func (w *Want) matches(l *Line) bool {
	switch {
	case l.Time.Before(w.Since), !w.Until.IsZero() && !l.Time.Before(w.Until):
		return false
	case len(w.Verdicts) > 0 && !slices.Contains(w.Verdicts, l.verdictOrPass()):
		return false
	case len(w.Kinds) > 0 && !slices.Contains(w.Kinds, l.Kind.String()) &&
		(l.Kind != fsm.ToolRequest || !matchGlobs(w.Kinds, l.Tool)):
		return false
	}
	return matchGlobs(w.Tools, l.Tool) && w.matchesRule(l) && w.matchesAgent(l)
}

// matchesRule reports whether a line is wanted by its rule, as it is recorded or as it is
// printed.
func (w *Want) matchesRule(l *Line) bool {
	return matchGlobs(w.Rules, l.Rule) || l.Rule != "" && matchGlobs(w.Rules, l.Decider())
}

// matchesAgent reports whether a line is wanted by its agent. "main" is the main agent; a
// type compares as in the config.
func (w *Want) matchesAgent(l *Line) bool {
	if len(w.Agents) == 0 || l.AgentID == "" && slices.Contains(w.Agents, "main") {
		return true
	}
	return l.AgentID != "" && (slices.Contains(w.Agents, l.AgentID) || fsm.MatchAgent(w.Agents, l.Agent))
}

func matchGlobs(patterns []string, s string) bool {
	return len(patterns) == 0 || s != "" && slices.ContainsFunc(patterns, func(p string) bool {
		ok, err := path.Match(p, s)
		return p == s || ok && err == nil
	})
}
