package journal

import (
	"bytes"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/agent-pipeline/pipeline/fsm"
)

// A Want says which records are wanted: those that fit every list that is not empty. In
// the lists of agents, tools and rules * and ? stand for any characters. A tool in the
// list of kinds stands for requests of that tool, which is how they are printed.
type Want struct {
	Since, Until                          time.Time
	Agents, Tools, Rules, Verdicts, Kinds []string

	bytes [][][]byte // of each list: one of these must be in the line
	ready bool

	agent     string // whose type was looked at last
	agentFits bool
}

// canMatch is false where the bytes of a line show that no reader wants it.
func (w *Want) canMatch(raw []byte) bool {
	if !w.ready {
		w.prepareBytes()
	}
	head := raw
	if i := bytes.Index(raw, []byte(sessionKey+"{")); i > 0 && len(w.bytes) > 0 {
		head = raw[:i]
	}
	for _, any := range w.bytes {
		if !slices.ContainsFunc(any, func(b []byte) bool { return bytes.Contains(head, b) }) {
			return false
		}
	}
	if len(w.Agents)+len(w.Kinds) > 0 || !w.Since.IsZero() || !w.Until.IsZero() {
		var l Line
		return !l.parseOrigin(raw) || w.matchesOrigin(&l)
	}
	return true
}

func (w *Want) prepareBytes() {
	w.ready = true
	const tool = `tool":{"name`
	for key, list := range map[string][]string{tool: w.Tools, "verdict": w.Verdicts} {
		if any := requiredBytes(key, list); any != nil {
			w.bytes = append(w.bytes, any)
		}
	}
	if rules := requiredBytes("rule", w.Rules); rules != nil {
		if !slices.ContainsFunc(w.Rules, canBeState) {
			rules = append(rules, []byte(`"rule":"`+fsm.RuleBypass+`"`))
			w.bytes = append(w.bytes, rules)
		}
	}
	if kinds, tools := requiredBytes("kind", w.Kinds), requiredBytes(tool, w.Kinds); kinds != nil && tools != nil {
		w.bytes = append(w.bytes, append(kinds, tools...))
	}
}

// requiredBytes are the bytes that a line must have some of; nil where they cannot
// tell.
func requiredBytes(key string, list []string) (out [][]byte) {
	for _, s := range list {
		if key == "verdict" && s == fsm.Pass.String() {
			return nil // which is left out
		}
		end := `"`
		if i := strings.IndexAny(s, "*?["); i >= 0 {
			s, end = s[:i], ""
		}
		if strings.ContainsAny(s, `"\`) || !utf8.ValidString(s) ||
			strings.ContainsFunc(s, func(r rune) bool { return r < ' ' }) {
			return nil // it is written in another way
		}
		out = append(out, []byte(`"`+key+`":"`+s+end))
	}
	return out
}

func (w *Want) matches(l *Line) bool {
	if len(w.Verdicts) > 0 && !slices.Contains(w.Verdicts, l.verdictOrPass()) {
		return false
	}
	if len(w.Kinds) > 0 && !slices.Contains(w.Kinds, l.Kind.String()) &&
		(l.Kind != fsm.ToolRequest || !matchGlobs(w.Kinds, l.Tool)) {
		return false
	}
	return matchGlobs(w.Tools, l.Tool) && w.matchesRule(l) && w.matchesOrigin(l)
}

// matchesRule reports whether a line is wanted by its rule, as it is recorded or as it is
// printed.
func (w *Want) matchesRule(l *Line) bool {
	return matchGlobs(w.Rules, l.Rule) || l.Rule != "" && matchGlobs(w.Rules, l.Decider())
}

// canBeState reports whether a rule may be the name of what decided where no rule did.
func canBeState(rule string) bool {
	i := strings.IndexAny(rule, "*?[")
	return strings.HasPrefix(rule, statePrefix) ||
		i >= 0 && strings.HasPrefix(statePrefix, rule[:min(i, len(statePrefix))])
}

// matchesOrigin reports whether a line is wanted by its time, its kind and its agent.
// "main" is the main agent; a type compares as in the config.
func (w *Want) matchesOrigin(l *Line) bool {
	switch {
	case l.Time.Before(w.Since), !w.Until.IsZero() && !l.Time.Before(w.Until):
		return false
	case len(w.Kinds) > 0 && l.Kind != fsm.ToolRequest && !slices.Contains(w.Kinds, l.Kind.String()):
		return false
	case len(w.Agents) == 0, l.AgentID == "" && slices.Contains(w.Agents, "main"):
		return true
	}
	return l.AgentID != "" && (slices.Contains(w.Agents, l.AgentID) || w.matchesType(l.Agent))
}

// matchesType reports whether an agent's type is wanted. Records of an agent follow each
// other.
func (w *Want) matchesType(agent string) bool {
	if w.agent == "" || w.agent != agent {
		w.agent, w.agentFits = strings.Clone(agent), fsm.MatchAgent(w.Agents, agent)
	}
	return w.agentFits
}

func matchGlobs(patterns []string, s string) bool {
	return len(patterns) == 0 || s != "" && slices.ContainsFunc(patterns, func(p string) bool {
		ok, err := path.Match(p, s)
		return p == s || ok && err == nil
	})
}
