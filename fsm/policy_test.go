package fsm_test

import (
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
)

// locked is a policy whose own rules allow all, under an organisation's rule.
func locked(level fsm.Level) *fsm.Policy {
	return &fsm.Policy{Level: level, Fingerprint: "x", Main: fsm.Rules{List: []fsm.Rule{{Name: "all",
		Tools: []string{"*"}}}},
		Ceiling: fsm.Ceiling{Place: "/etc/pipeline/pipeline.yaml", RuleLevel: fsm.Strict,
			Allow: []string{"@sre", "INC-*"},
			Main: fsm.Rules{List: []fsm.Rule{{Name: "locked/no-web", Tools: []string{"WebFetch"}, Verdict: fsm.Deny,
				Place: "/etc/pipeline/pipeline.yaml:4"}}}}}
}

// TestLockedRules: no rule of the project, no level and no mode is above them; a bypass is where the organisation
// allows it.
func TestLockedRules(t *testing.T) {
	for name, c := range map[string]struct {
		p      *fsm.Policy
		orders fsm.Overrides
		want   fsm.Verdict
	}{
		"the project allows all":     {locked(fsm.Strict), fsm.Overrides{}, fsm.Deny},
		"the project's level is off": {locked(fsm.Off), fsm.Overrides{}, fsm.Deny},
		"a person's mode":            {locked(fsm.Strict), fsm.Overrides{Mode: &fsm.Mode{Level: "off"}}, fsm.Deny},
		"once": {locked(fsm.Strict), fsm.Overrides{Bypasses: []fsm.Bypass{{Once: true}}},
			fsm.Deny},
		"a bypass": {locked(fsm.Strict), fsm.Overrides{Bypasses: []fsm.Bypass{{ID: "1"}}}, fsm.Deny},
		"a bypass of this very rule": {locked(fsm.Strict),
			fsm.Overrides{Bypasses: []fsm.Bypass{{ID: "1", Rule: "locked/no-web"}}}, fsm.Deny},
		"a bypass that it allows": {locked(fsm.Strict),
			fsm.Overrides{Bypasses: []fsm.Bypass{{ID: "1", Allowed: "@sre"}}}, fsm.Pass},
		"one that it allows beside another": {locked(fsm.Strict),
			fsm.Overrides{Bypasses: []fsm.Bypass{{ID: "1"}, {ID: "2", Allowed: "@sre"}}}, fsm.Pass},
		"an allowed one of another": {locked(fsm.Strict),
			fsm.Overrides{Bypasses: []fsm.Bypass{{ID: "1", Rule: "x", Allowed: "@sre"}}}, fsm.Deny},
	} {
		pl := begin(t, c.p)
		pl.orders = c.orders
		if pl.uses(main(), "WebFetch"); pl.d.Verdict != c.want {
			t.Errorf("%s: %s, expected %s (%+v)", name, pl.d.Verdict, c.want, pl.d)
		}
		if c.want == fsm.Deny && (pl.d.Rule != "locked/no-web" || pl.d.Where != "/etc/pipeline/pipeline.yaml:4") {
			t.Errorf("%s: decided by %s (%s)", name, pl.d.Rule, pl.d.Where)
		}
		if pl.uses(main(), "Read"); pl.d.Verdict != fsm.Pass {
			t.Errorf("%s: what is not locked: %+v", name, pl.d)
		}
	}
}

// TestLockedRulesAlone: where the project's level is off, only they bind; elsewhere its own rules bind as before.
func TestLockedRulesAlone(t *testing.T) {
	for level, want := range map[fsm.Level]fsm.Verdict{fsm.Strict: fsm.Deny, fsm.Guidance: fsm.Warn,
		fsm.Off: fsm.Pass} {
		for _, levelled := range []bool{false, true} {
			p := locked(level)
			p.Main.List = []fsm.Rule{{Name: "no-writing", Tools: []string{"Write"}, Verdict: fsm.Deny, Level: level,
				Levelled: levelled}}
			if level == fsm.Off {
				p.Main.List[0].Level = fsm.Strict
			}
			if d := begin(t, p).uses(main(), "Write").d; d.Verdict != want {
				t.Errorf("%s, a level of its own %v: %s, expected %s", level, levelled, d.Verdict, want)
			}
		}
	}
}

// TestInheritedRules: where the project has only the organisation's rules, each objects once, as strictly as the
// stricter of both levels says.
func TestInheritedRules(t *testing.T) {
	p := locked(fsm.Strict)
	p.Main.Locked, p.Ceiling.RuleLevel = true, fsm.Guidance
	p.Main.List = []fsm.Rule{{Name: "no-web", Tools: []string{"WebFetch"}, Verdict: fsm.Deny}}
	for _, level := range []fsm.Level{fsm.Strict, fsm.Off} {
		p.Level = level
		want := map[fsm.Level]fsm.Verdict{fsm.Strict: fsm.Deny, fsm.Off: fsm.Warn}[level]
		pl := begin(t, p)
		if pl.uses(main(), "WebFetch"); pl.d.Verdict != want || len(pl.d.Objections) != 1 ||
			pl.d.Rule != "locked/no-web" {
			t.Errorf("%s: %+v", level, pl.d)
		}
	}
}

// TestLockedDefault: a locked section that has no rule but a default binds as well, at every level of the project.
func TestLockedDefault(t *testing.T) {
	for _, level := range []fsm.Level{fsm.Strict, fsm.Off} {
		p := locked(level)
		p.Ceiling.Main = fsm.Rules{Default: fsm.Rule{Name: "locked/default", Verdict: fsm.Deny, Reason: "nothing here"}}
		begin(t, p).uses(main(), "Read").denied("nothing here").would(fsm.Deny, "locked/default")
	}
}

// TestLockedRuleLevel: a locked rule keeps the level that the organisation gave it.
func TestLockedRuleLevel(t *testing.T) {
	p := locked(fsm.Strict)
	r := &p.Ceiling.Main.List[0]
	r.Level, r.Levelled = fsm.Guidance, true
	begin(t, p).uses(main(), "WebFetch").gets(fsm.Warn, "no-web")
}

// TestLockedLevel: nothing lowers it.
func TestLockedLevel(t *testing.T) {
	p := &fsm.Policy{Level: fsm.Strict, Fingerprint: "x", Ceiling: fsm.Ceiling{Place: "/etc/p.yaml",
		Level: fsm.AskFirst},
		Main: fsm.Rules{List: []fsm.Rule{{Name: "no", Tools: []string{"WebFetch"}, Verdict: fsm.Deny}}}}
	pl := begin(t, p)
	pl.orders = fsm.Overrides{Mode: &fsm.Mode{Level: "off"}, Bypasses: []fsm.Bypass{{Once: true}}}
	if pl.uses(main(), "WebFetch"); pl.d.Verdict != fsm.Ask || pl.d.Level != fsm.AskFirst {
		t.Errorf("%+v", pl.d)
	}
}

func TestPermits(t *testing.T) {
	c := locked(fsm.Strict).Ceiling
	for why, want := range map[string]string{"INC-42 the site is down": "INC-*", "I want to": "", "@sre": ""} {
		if got := c.Permits(why, nil); got != want {
			t.Errorf("%q: %q, expected %q", why, got, want)
		}
	}
	if got := c.Permits("x", []string{"users", "sre"}); got != "@sre" {
		t.Errorf("by group: %q", got)
	}
	if got := c.Permits("x", []string{"INC-*"}); got != "" {
		t.Errorf("by a group that is called as a pattern for reasons: %q", got)
	}
}

// TestLockedSectionsAndBypasses: a bypass covers what a locked section refuses only where the organisation allows it.
func TestLockedSectionsAndBypasses(t *testing.T) {
	for _, c := range []struct {
		locked, agent, allowed string
		want                   fsm.Verdict
	}{
		{"talk", "b", "", fsm.Pass}, {"states", "b", "", fsm.Deny}, {"states", "b", "INC-*", fsm.Pass},
		{"talk", "a", "", fsm.Pass}, {"limits", "a", "", fsm.Deny}, {"limits", "a", "INC-*", fsm.Pass},
	} {
		p := &fsm.Policy{Level: fsm.Strict, Fingerprint: "x", Initial: "A", Limits: fsm.Limits{Running: 1},
			Ceiling: fsm.Ceiling{Place: "/etc/p.yaml", Sections: []string{c.locked}},
			States:  []fsm.State{{Name: "A", Triggers: []fsm.Trigger{{Name: "a", Agents: []string{"a"}, To: "A"}}}}}
		pl := begin(t, p).asks(main(), "a", "t1").starts("a1", "a")
		pl.orders = fsm.Overrides{Bypasses: []fsm.Bypass{{ID: "1",
			Rule: map[string]string{"a": "limits", "b": ""}[c.agent], Allowed: c.allowed}}}
		if c.agent == "b" {
			pl.stops("a1", "a", "done")
		}
		if pl.asks(main(), c.agent, "t2"); pl.d.Verdict != c.want {
			t.Errorf("%+v: %s (%s)", c, pl.d.Verdict, pl.d.Reason)
		}
	}
}

// TestExpires: a session is dropped for its age, or for its place among the others; zero is without an end.
func TestExpires(t *testing.T) {
	now := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	old, recent := now.Add(-48*time.Hour), now.Add(-time.Hour)
	for _, test := range []struct {
		keep fsm.Retention
		n    int
		last time.Time
		want bool
	}{
		{fsm.Retention{}, 1000, old, false},
		{fsm.Retention{Sessions: 3}, 2, old, false}, {fsm.Retention{Sessions: 3}, 3, recent, true},
		{fsm.Retention{MaxAge: 24 * time.Hour}, 0, old, true},
		{fsm.Retention{MaxAge: 24 * time.Hour}, 9, recent, false},
		{fsm.Retention{MaxAge: 48 * time.Hour}, 0, old, false},
	} {
		if got := test.keep.Expires(test.n, test.last, now); got != test.want {
			t.Errorf("%+v: number %d of %s: %v", test.keep, test.n, test.last, got)
		}
	}
}

// TestOffersEarlier: a brief or a text that is injected names what was captured earlier.
func TestOffersEarlier(t *testing.T) {
	p := &fsm.Policy{States: []fsm.State{{Brief: "{{ .Earlier.plan }}"},
		{Inject: "{{ .Earlier.notes.Text }} .Other.x"}}}
	for name, want := range map[string]bool{"": true, "plan": true, "notes": true, "x": false} {
		if p.OffersEarlier(name) != want || new(fsm.Policy).OffersEarlier(name) {
			t.Errorf("%q: %t", name, !want)
		}
	}
}

// TestCondition: a gate is met by a command, or by a person.
func TestCondition(t *testing.T) {
	for want, g := range map[string]*fsm.Gate{"": nil, "make test": {Run: "make test"},
		"a person agrees: look": {Person: "look"}} {
		if got := g.Condition(); got != want {
			t.Errorf("%+v: %q", g, got)
		}
	}
}

// TestOpenCeiling: everything may be switched off where neither a level nor a rule is locked, and a project names tools
// alone where no rule is.
func TestOpenCeiling(t *testing.T) {
	rule := locked(fsm.Strict).Ceiling.Main
	for name, c := range map[string]struct {
		ceiling fsm.Ceiling
		isOpen  bool
		sets    int
	}{
		"nothing is locked": {fsm.Ceiling{}, true, 1}, "a section": {fsm.Ceiling{Sections: []string{"talk"}}, true, 1},
		"a level": {fsm.Ceiling{Level: fsm.Observe}, false, 1}, "a rule": {fsm.Ceiling{Main: rule}, false, 2},
		"a default": {fsm.Ceiling{Subagents: fsm.Rules{Default: fsm.Rule{Verdict: fsm.Deny}}}, false, 2},
		"both":      {fsm.Ceiling{Level: fsm.Strict, Main: rule}, false, 2},
	} {
		c.ceiling.Tools = []fsm.ToolUse{{Tool: "theirs"}}
		p := &fsm.Policy{Ceiling: c.ceiling, Tools: []fsm.ToolUse{{Tool: "ours"}}}
		sets := p.ToolSets()
		if p.Ceiling.IsOpen() != c.isOpen || len(sets) != c.sets || sets[0][0].Tool != "ours" ||
			sets[len(sets)-1][0].Tool != map[int]string{1: "ours", 2: "theirs"}[c.sets] {
			t.Errorf("%s: open %v, tools %+v", name, p.Ceiling.IsOpen(), sets)
		}
	}
}
