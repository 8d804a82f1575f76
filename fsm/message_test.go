package fsm

import (
	"slices"
	"strings"
	"testing"
)

// TestShortens: a text that fits stays; of a longer one whole words are left, if they are more than half.
func TestShortens(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want string
	}{
		{"abcd", 4, "abcd"}, {"abcde", 4, "abc…"}, {"  ab \n cd ", 5, "ab cd"}, {"abc def", 6, "abc d…"},
		{"abcd efg", 7, "abcd…"},
		{"ééééé", 4, "ééé…"}, {"", 4, ""},
	} {
		if got := short(c.text, c.n); got != c.want {
			t.Errorf("short(%q, %d) is %q, expected %q", c.text, c.n, got, c.want)
		}
	}
	if timesText(1) != "once" || timesText(2) != "2 times" {
		t.Errorf("%s, %s", timesText(1), timesText(2))
	}
}

// TestEndSentence: a sentence ends with a full stop or a mark of its own; no sentence stays none.
func TestEndSentence(t *testing.T) {
	for text, want := range map[string]string{"": "", " a ": "a.", "a.": "a.", "a!": "a!", "a?": "a?"} {
		if got := endSentence(text); got != want {
			t.Errorf("endSentence(%q) is %q, expected %q", text, got, want)
		}
	}
}

// TestBinds: by which locked section a rule of ours binds.
func TestBinds(t *testing.T) {
	for section, rules := range map[string][]string{
		"states": {RulePipeline, RuleGate}, "hold": {RuleGate, RuleHold}, "agents": {RuleReturns},
		"limits": {RuleLimits}, "tasks": {RuleTasks}, "talk": {},
	} {
		c := Ceiling{Sections: []string{section}}
		for _, rule := range []string{RulePipeline, RuleGate, RuleReturns, RuleLimits, RuleTasks, RuleHold} {
			if got := c.binds(rule); got != slices.Contains(rules, rule) {
				t.Errorf("%s locked: %s binds: %v", section, rule, got)
			}
		}
	}
}

// TestRaise: of the objections to a part the strictest is its ruling; one that is not bypassed counts for more than
// one that is.
func TestRaise(t *testing.T) {
	deny, ask := Objection{Rule: "d", Verdict: Deny, StrictVerdict: Deny},
		Objection{Rule: "a", Verdict: Ask, StrictVerdict: Ask}
	passed := Objection{Rule: "b", Verdict: Pass, StrictVerdict: Deny, Bypassed: true}
	observed := Objection{Rule: "o", Verdict: Pass, StrictVerdict: Deny}
	for name, c := range map[string]struct {
		raised []Objection
		rule   string
		bypass bool
	}{
		"the strictest":         {[]Objection{ask, deny}, "d", false},
		"of equal ones, first":  {[]Objection{{Rule: "x", Verdict: Deny, StrictVerdict: Deny}, deny}, "x", false},
		"a bypass, then a rule": {[]Objection{passed, observed}, "o", false},
		"a rule, then a bypass": {[]Objection{ask, passed}, "a", false},
		"a bypass alone":        {[]Objection{passed}, "b", true},
	} {
		r := Ruling{Rule: "free", Free: 2, Spent: Deny, SpentStrict: Deny}
		for _, o := range c.raised {
			r.raise(o)
		}
		if r.Rule != c.rule || r.Bypassed != c.bypass || r.Free != 0 || r.Spent != Pass || r.SpentStrict != Pass {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// TestDescribeAgents: as many agents as there is room for, the first in any case, with what the config says of them.
func TestDescribeAgents(t *testing.T) {
	p := &Policy{Agents: []AgentInfo{{Name: "a", Description: "Builds."}, {Name: "b", Description: "Tests it."},
		{Name: "c"}}}
	const two = "a (Builds), b (Tests it)"
	for room, want := range map[int]string{1: "a (Builds)", len(two) - 1: "a (Builds)", len(two): two,
		len(two) + 2: two, len(two) + 3: two + ", c", 99: two + ", c"} {
		if got := p.describeAgents([]string{"a", "b", "c"}, room); got != want {
			t.Errorf("room for %d: %q, expected %q", room, got, want)
		}
	}
}

// TestNamesFiles: a path is named from the caller's folder, and of a long one the end.
func TestNamesFiles(t *testing.T) {
	st := &situation{e: Event{Dir: "/p"}}
	long := strings.Repeat("x", 40)
	for path, want := range map[string]string{"/p/a/b.go": "a/b.go", "/q/a.go": "/q/a.go", "/p/" + long: long,
		"/p/y/" + long[:38]: "y/" + long[:38], "/p/y/" + long[:39]: "…/" + long[:39], "/p/" + long + "z": long + "z"} {
		if got := st.nameFile(path); got != want {
			t.Errorf("%s: %q, expected %q", path, got, want)
		}
	}
}
