package fsm_test

import (
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
)

// locked is a policy whose own rules allow all, under an organisation's rule.
func locked(level fsm.Level) *fsm.Policy {
	return &fsm.Policy{Level: level, Fingerprint: "x", Main: fsm.Rules{List: []fsm.Rule{{Name: "all", Tools: []string{"*"}}}},
		Ceiling: fsm.Ceiling{Place: "/etc/pipeline/pipeline.yaml", RuleLevel: fsm.Strict, Allow: []string{"@sre", "INC-*"},
			Main: fsm.Rules{List: []fsm.Rule{{Name: "locked/no-web", Tools: []string{"WebFetch"}, Verdict: fsm.Deny, Place: "/etc/pipeline/pipeline.yaml:4"}}}}}
}

// TestLockedRules: no rule of the project, no level and no mode is above them; a bypass is where the organisation allows it.
func TestLockedRules(t *testing.T) {
	for name, c := range map[string]struct {
		p      *fsm.Policy
		orders fsm.Overrides
		want   fsm.Verdict
	}{
		"the project allows all":     {locked(fsm.Strict), fsm.Overrides{}, fsm.Deny},
		"the project's level is off": {locked(fsm.Off), fsm.Overrides{}, fsm.Deny},
		"a person's mode":            {locked(fsm.Strict), fsm.Overrides{Mode: &fsm.Mode{Level: "off"}}, fsm.Deny},
		"once":                       {locked(fsm.Strict), fsm.Overrides{Bypasses: []fsm.Bypass{{Once: true}}}, fsm.Deny},
		"a bypass":                   {locked(fsm.Strict), fsm.Overrides{Bypasses: []fsm.Bypass{{ID: "1"}}}, fsm.Deny},
		"a bypass of this very rule": {locked(fsm.Strict), fsm.Overrides{Bypasses: []fsm.Bypass{{ID: "1", Rule: "locked/no-web"}}}, fsm.Deny},
		"a bypass that it allows":    {locked(fsm.Strict), fsm.Overrides{Bypasses: []fsm.Bypass{{ID: "1", Allowed: "@sre"}}}, fsm.Pass},
		"an allowed one of another":  {locked(fsm.Strict), fsm.Overrides{Bypasses: []fsm.Bypass{{ID: "1", Rule: "x", Allowed: "@sre"}}}, fsm.Deny},
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

// TestInheritedRules: where the project has only the organisation's rules, each objects once, as strictly as the stricter
// of both levels says.
func TestInheritedRules(t *testing.T) {
	p := locked(fsm.Strict)
	p.Main.Locked, p.Ceiling.RuleLevel = true, fsm.Guidance
	for _, level := range []fsm.Level{fsm.Strict, fsm.Off} {
		p.Level = level
		want := map[fsm.Level]fsm.Verdict{fsm.Strict: fsm.Deny, fsm.Off: fsm.Warn}[level]
		pl := begin(t, p)
		if pl.uses(main(), "WebFetch"); pl.d.Verdict != want || len(pl.d.Objections) != 1 || pl.d.Rule != "locked/no-web" {
			t.Errorf("%s: %+v", level, pl.d)
		}
	}
}

// TestLockedLevel: nothing lowers it.
func TestLockedLevel(t *testing.T) {
	p := &fsm.Policy{Level: fsm.Strict, Fingerprint: "x", Ceiling: fsm.Ceiling{Place: "/etc/p.yaml", Level: fsm.AskFirst},
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
}
