package hooks

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

// then is when the events of these tests happen.
func then() time.Time { return time.Unix(1_800_000_000, 0).UTC() }

// orders has a person order things of the project.
func (h *Handler) orders(t testing.TB, change func(*session.Overrides)) {
	t.Helper()
	if err := h.store().ChangeOverrides(session.Command{Time: then(), What: "test"}, change); err != nil {
		t.Fatal(err)
	}
}

// mode has a person set a level, for a session or for all; none takes it away.
func (h *Handler) mode(t testing.TB, id, level string) {
	t.Helper()
	m := session.Mode{Session: id, Mode: fsm.Mode{Level: level, From: "mode", By: "ann", Why: "a trial", Since: then()}}
	h.orders(t, func(o *session.Overrides) { o.SetMode(m) })
}

func (h *Handler) lift(t testing.TB, l fsm.Bypass) {
	t.Helper()
	l.From, l.By, l.Why, l.Until = "bypass", "ann", "a fire", then().Add(time.Hour)
	h.orders(t, func(o *session.Overrides) {
		o.Bypasses = append(o.Bypasses,
			session.Bypass{Since: then(), Bypass: l})
	})
}

func environ(all map[string]string) func(string) string {
	return func(key string) string { return all[key] }
}

// TestLevelPrecedence: a session's own mode, the environment, the project's mode, what
// is switched on, the config.
func TestLevelPrecedence(t *testing.T) {
	for name, c := range map[string]struct {
		config        fsm.Level // after the environment, if that says one
		env           string
		own, project  string
		active        bool
		want          string
		from          string
		noActivations bool
	}{
		"the config":                 {config: fsm.AskFirst, want: "ask"},
		"what is on over the config": {config: fsm.Guidance, active: true, want: "strict"},
		"the project over what is on": {config: fsm.Guidance, active: true, project: "observe",
			want: "observe", from: "mode"},
		"the environment over the project": {config: fsm.AskFirst, env: "ask", project: "observe", want: "ask",
			from: "environment"},
		"the environment over what is on": {config: fsm.Observe, env: "observe", active: true, want: "observe",
			from: "environment"},
		"without activation too": {config: fsm.Observe, env: "observe", project: "strict",
			noActivations: true, want: "observe"},
		"its own over the environment": {config: fsm.AskFirst, env: "ask", own: "guidance",
			project: "observe", want: "guidance", from: "mode"},
		"its own over the project": {config: fsm.Strict, own: "guidance", project: "observe",
			want: "guidance", from: "mode"},
		"off by the environment over the mode": {config: fsm.Off, env: "off", project: "strict", noActivations: true,
			want: "off"},
		"off by the environment over activated": {config: fsm.Off, env: "off", project: "strict", active: true,
			want: "off", from: "environment"},
	} {
		t.Run(name, func(t *testing.T) {
			h := handler(t)
			h.answer(t, NoCall{}, prompt("begin"))
			h.Policy.Level, h.Getenv = c.config, environ(map[string]string{"PIPELINE_LEVEL": c.env})
			if !c.noActivations {
				h.Policy.Activate = fsm.Activation{Skills: []string{"on"}, Level: fsm.Strict}
			}
			h.mode(t, "s1", c.own)
			h.mode(t, "", c.project)
			h.mode(t, "s2", "off")
			if c.active {
				h.answer(t, NoCall{}, fsm.Event{Kind: fsm.ToolRequest,
					Tool: fsm.Tool{Name: "Skill", UseID: "k", Skill: "on"}})
			}
			d := h.answer(t, NoCall{}, request("back"))
			if d.Level.String() != c.want {
				t.Errorf("judged by %s, expected %s: %q", d.Level, c.want, d.Notes)
			}
			if m := h.FindOverrides("s1", then()).Mode; m == nil && c.from != "" || m != nil && m.From != c.from {
				t.Errorf("comes from %+v, expected %q", m, c.from)
			}
		})
	}
}

// TestLevelOfTheProject, as it is shown: the environment holds over it for sessions
// that would begin now.
func TestLevelOfTheProject(t *testing.T) {
	h := handler(t)
	h.mode(t, "", "observe")
	if m := h.FindOverrides("", then()).Mode; m == nil || m.Level != "observe" {
		t.Errorf("%+v", m)
	}
	h.Getenv = environ(map[string]string{"PIPELINE_LEVEL": "strict"})
	if m := h.FindOverrides("", then()).Mode; m != nil {
		t.Errorf("%+v over the environment, which is in the policy", m)
	}
	h.Policy.Activate.Level = fsm.AskFirst
	if m := h.FindOverrides("", then()).Mode; m == nil || m.From != "environment" || m.Level != "strict" {
		t.Errorf("%+v", m)
	}
}

// TestEnvironmentLifts with exactly the variable and the value that the config names.
func TestEnvironmentLifts(t *testing.T) {
	for name, c := range map[string]struct {
		named []fsm.Input
		env   map[string]string
		want  bool
	}{
		"set": {[]fsm.Input{{Name: "MY_BYPASS", Value: "1"}}, map[string]string{"MY_BYPASS": "1"}, true},
		"the second": {[]fsm.Input{{Name: "A", Value: "1"}, {Name: "B", Value: "yes"}},
			map[string]string{"B": "yes"}, true},
		"other value":  {[]fsm.Input{{Name: "MY_BYPASS", Value: "1"}}, map[string]string{"MY_BYPASS": "0"}, false},
		"not set":      {[]fsm.Input{{Name: "MY_BYPASS", Value: "1"}}, nil, false},
		"not named":    {nil, map[string]string{"PIPELINE_BYPASS": "1"}, false},
		"empty values": {[]fsm.Input{{Name: "MY_BYPASS"}}, map[string]string{"MY_BYPASS": ""}, false},
	} {
		t.Run(name, func(t *testing.T) {
			h := handler(t)
			h.Policy.Bypass.Env, h.Getenv = c.named, environ(c.env)
			d := h.answer(t, NoCall{}, request("back"))
			if got := d.Verdict == fsm.Pass && d.Rule == fsm.RuleBypass && d.StrictVerdict == fsm.Deny; got != c.want {
				t.Errorf("lifted: %v; %s by %q", got, d.Verdict, d.Rule)
			}
		})
	}
}

// TestBypassIsRecorded with the order that it was decided on, and what it would have
// been.
func TestBypassIsRecorded(t *testing.T) {
	h := handler(t)
	h.lift(t, fsm.Bypass{ID: "b1"})
	if d := h.answer(t, NoCall{}, request("back")); d.Verdict != fsm.Pass {
		t.Fatalf("%s: %s", d.Verdict, d.Reason)
	}
	all := h.records(t, "s1")
	r := all[len(all)-1]
	if r.Rule != fsm.RuleBypass || r.StrictVerdict != "deny" || r.Verdict != "" ||
		len(r.Event.Facts.Overrides.Bypasses) == 0 || r.Event.Facts.Overrides.Bypasses[0].ID != "b1" {
		t.Errorf("recorded %+v", r)
	}
	contains(t, r.Notes, "deny of rule pipeline is bypassed (bypass by ann: a fire)")
	contains(t, r.Bypassed, fsm.RulePipeline)
}

// TestProposed: the agent that a refusal proposes is a field of the record, and the one
// that its text names.
func TestProposed(t *testing.T) {
	h := handler(t)
	h.Policy.Main.List = []fsm.Rule{{Name: "no-reading", Verdict: fsm.Deny, Tools: []string{"Read"},
		DelegateTo: []string{"go"}}}
	d := h.answer(t, NoCall{}, fsm.Event{Kind: fsm.ToolRequest, Tool: fsm.Tool{Name: "Read", Paths: []string{"/x"}},
		Starter: fsm.StartTool{Tool: "Agent", Agent: "subagent_type", Prompt: "prompt"}})
	if r := h.records(t, "s1")[0]; r.Proposed != "go" || d.Proposed != "go" {
		t.Errorf("%q, %q in %q", r.Proposed, d.Proposed, d.Reason)
	}
	contains(t, []string{d.Reason}, `Agent(subagent_type="go"`)
}

// TestStanding: what is ordered is shown to the person at each start of a session, and
// over and again until it ends.
func TestStanding(t *testing.T) {
	h := handler(t)
	h.mode(t, "", "guidance")
	h.lift(t, fsm.Bypass{ID: "b1", Rule: fsm.RulePipeline, Agent: "go"})
	h.Policy.Bypass.Env, h.Getenv = []fsm.Input{{Name: "B", Value: "1"}}, environ(map[string]string{"B": "1"})
	for range 2 {
		d := h.answer(t, NoCall{}, fsm.Event{Kind: fsm.SessionStart, Source: "startup"})
		contains(t, d.Notices, "the level is guidance, by mode by ann: a trial")
		contains(t, d.Notices, "a bypass is on for rule pipeline for agent go until ")
		contains(t, d.Notices, "(bypass by ann: a fire)")
		contains(t, d.Notices, "a bypass is on (environment: B=1)")
	}
	contains(t, h.answer(t, NoCall{}, prompt("hello")).Notices, "")
	h.Getenv = nil
	h.orders(t, func(o *session.Overrides) { *o = session.Overrides{} })
	if n := h.answer(t, NoCall{}, fsm.Event{Kind: fsm.SessionStart, Source: "resume"}).Notices; len(n) != 1 ||
		!strings.HasPrefix(n[0], "A, strict. ") {
		t.Errorf("%q", n)
	}
}

// TestLevelBelowTheLock: the notice names the level that the organisation locks, and the one asked for.
func TestLevelBelowTheLock(t *testing.T) {
	h := handler(t)
	h.mode(t, "", "off")
	h.Policy.Ceiling = fsm.Ceiling{Place: "/etc/p.yaml", Sections: []string{"level"}, Level: fsm.Strict}
	contains(t, h.answer(t, NoCall{}, fsm.Event{Kind: fsm.SessionStart, Source: "startup"}).Notices,
		"the level is strict, locked by /etc/p.yaml, above off by mode by ann")
}

// TestBypassBelowTheLock: the notice of a bypass says what holds all the same.
func TestBypassBelowTheLock(t *testing.T) {
	h := handler(t)
	h.lift(t, fsm.Bypass{ID: "b1"})
	begins := fsm.Event{Kind: fsm.SessionStart, Source: "startup"}
	said := strings.Join(h.answer(t, NoCall{}, begins).Notices, "\n")
	if !strings.Contains(said, "a bypass is on until ") || strings.Contains(said, "(bypass by ann: a fire);") {
		t.Errorf("nothing is locked: %q", said)
	}
	h.Policy.Ceiling = fsm.Ceiling{Place: "/etc/p.yaml", Sections: []string{"limits"}}
	contains(t, h.answer(t, NoCall{}, begins).Notices,
		"(bypass by ann: a fire); still in force: what /etc/p.yaml locks (limits)")
}

// TestLongPermission: a bypass that lasts longer than one may is none of what is locked, whatever its reason.
func TestLongPermission(t *testing.T) {
	for name, c := range map[string]struct {
		until time.Time
		want  string
	}{"as long as it may": {then().Add(time.Hour), "INC-*"}, "longer": {then().Add(time.Hour + 1), ""}} {
		h := handler(t)
		h.Policy.Bypass.Longest = time.Hour
		h.Policy.Ceiling = fsm.Ceiling{Place: "o", Level: fsm.Strict, Allow: []string{"INC-*"}}
		b := fsm.Bypass{ID: "b", From: "bypass", Why: "INC-7", Allowed: "INC-*", Until: c.until}
		h.orders(t, func(o *session.Overrides) {
			o.Bypasses = append(o.Bypasses, session.Bypass{Since: then(), Bypass: b})
		})
		if got := h.FindOverrides("s1", then()).Bypasses; len(got) != 1 || got[0].Allowed != c.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestDescribeUncovered(t *testing.T) {
	locked := fsm.Ceiling{Place: "/etc/p.yaml", Sections: []string{"level", "limits"}}
	for _, c := range []struct {
		ceiling fsm.Ceiling
		bypass  fsm.Bypass
		want    string
	}{
		{locked, fsm.Bypass{}, "still in force: what /etc/p.yaml locks (level, limits)"},
		{locked, fsm.Bypass{Allowed: "group admins"}, ""},
		{fsm.Ceiling{}, fsm.Bypass{}, ""},
	} {
		if got := DescribeUncovered(c.ceiling, c.bypass); got != c.want {
			t.Errorf("%+v: %q, want %q", c, got, c.want)
		}
	}
}

func TestDescribe(t *testing.T) {
	until := time.Date(2027, 1, 15, 12, 30, 0, 0, time.Local)
	for want, l := range map[string]fsm.Bypass{
		"a bypass is on until 12:30 on 2027-01-15 (bypass by ann: x)": {From: "bypass", By: "ann", Why: "x",
			Until: until},
		"a bypass is on (environment: A=1)": {From: "environment", Why: "A=1"},
		"guidance holds until the turn ends (once by ann)": {Once: true, From: "once", By: "ann",
			Until: until},
		"a bypass is on for rule r for agent a (bypass)": {Rule: "r", Agent: "a", From: "bypass"},
		"a bypass is on (bypass), also of what the organisation has locked (allowed by @sre)": {From: "bypass",
			Allowed: "@sre"},
	} {
		if got := DescribeBypass(l); got != want {
			t.Errorf("%q, expected %q", got, want)
		}
	}
}

// TestDamagedOrdersAreSaid, and the config's level holds.
func TestDamagedOrdersAreSaid(t *testing.T) {
	h := handler(t)
	h.mode(t, "", "observe")
	if d := h.answer(t, NoCall{}, request("back")); d.Verdict != fsm.Pass {
		t.Fatalf("%s under observe", d.Verdict)
	}
	write(t, system.Join(h.store().Dir, "orders.json"), `{"modes":[{"level":"obs`)
	if d := h.answer(t, NoCall{}, request("back")); d.Verdict != fsm.Deny || d.Level != fsm.Strict {
		t.Errorf("%s by %s", d.Verdict, d.Level)
	}
	contains(t, h.answer(t, NoCall{}, prompt("go")).Notices,
		"orders.json is damaged: the overrides that persons have set are lost, and the config's level holds")
}

// TestModeOff tracks nothing, and begins again when it ends.
func TestModeOff(t *testing.T) {
	h := handler(t)
	h.goes(t, "a1", "found")
	h.in(t, "s1", "B")
	h.mode(t, "", "off")
	if d := h.answer(t, NoCall{}, request("nobody")); d.Verdict != fsm.Pass {
		t.Fatalf("%s while off", d.Verdict)
	}
	contains(t, h.answer(t, NoCall{}, prompt("and")).Notices, "the level was strict and is off now (mode by ")
	n := len(h.records(t, "s1"))
	h.answer(t, NoCall{}, request("nobody"))
	contains(t, h.answer(t, NoCall{}, prompt("and")).Notices, "")
	if more := len(h.records(t, "s1")); more != n {
		t.Errorf("%d records were made while it was off", more-n)
	}
	h.mode(t, "", "")
	if d := h.answer(t, NoCall{}, request("nobody")); d.Verdict != fsm.Deny {
		t.Errorf("%s when it was on again", d.Verdict)
	}
	h.in(t, "s1", "A")
}

// TestPermissions: a permission that orders.json claims is asked for again at each call, and a reset needs one where
// states are locked.
func TestPermissions(t *testing.T) {
	h := handler(t)
	h.Policy = &fsm.Policy{Initial: "A",
		Ceiling: fsm.Ceiling{Place: "/etc/p.yaml", Sections: []string{"states"}, Allow: []string{"@sre", "a f*"}}}
	h.Groups = func() []string { return []string{"ops"} }
	h.lift(t, fsm.Bypass{ID: "1", Allowed: "@sre"})
	if got := h.FindOverrides("s", then()).Bypasses; len(got) != 1 || got[0].Allowed != "a f*" {
		t.Errorf("by the reason: %+v", got)
	}
	h.Policy.Ceiling.Allow = []string{"@sre"}
	for group, want := range map[string]string{"ops": "", "sre": "@sre"} {
		h.Groups = func() []string { return []string{group} }
		if got := h.FindOverrides("s", then()).Bypasses; got[0].Allowed != want {
			t.Errorf("group %s: %+v", group, got)
		}
		o := Overrider{Policy: h.Policy, Groups: h.Groups()}
		if allowed, err := o.PermitReset("B", "x"); allowed != want || (err == nil) != (want != "") {
			t.Errorf("group %s: %q %v", group, allowed, err)
		}
	}
	for _, state := range []string{"", "A"} {
		if _, err := (Overrider{Policy: h.Policy}).PermitReset(state, "x"); err != nil {
			t.Error(err)
		}
	}
	if _, err := (Overrider{Policy: &fsm.Policy{Initial: "A"}}).PermitReset("B", "x"); err != nil {
		t.Error(err)
	}
}

// TestBypassNamesWhatAllowsIt: what an organisation allows is in the bypass, which covers what is locked then.
func TestBypassNamesWhatAllowsIt(t *testing.T) {
	for why, want := range map[string]string{"INC-7": "INC-*", "in a hurry": ""} {
		h := handler(t)
		h.Policy.Ceiling = fsm.Ceiling{Place: "o", Level: fsm.Strict, Allow: []string{"INC-*"}}
		o := Overrider{Policy: h.Policy, Store: h.store(), By: "ann", Now: then()}
		if b, err := o.StartBypass(fsm.Bypass{Why: why}, time.Hour); err != nil || b.Allowed != want {
			t.Errorf("%s: allowed by %q, want %q (%v)", why, b.Allowed, want, err)
		}
	}
}

// TestEndBypasses: of a session its own end and those of the project, and no other session's.
func TestEndBypasses(t *testing.T) {
	for session, want := range map[string][]string{"": {"a", "b", "p"}, "a": {"a", "p"}} {
		h := handler(t)
		by := func(session string) Overrider {
			return Overrider{Policy: h.Policy, Store: h.store(), Session: session, By: "ann", Now: then()}
		}
		for _, id := range []string{"a", "b", ""} {
			if _, err := by(id).StartBypass(fsm.Bypass{Why: cmp.Or(id, "p")}, time.Hour); err != nil {
				t.Fatal(err)
			}
		}
		ended, err := by(session).EndBypasses()
		var got []string
		for _, b := range ended {
			got = append(got, b.Why)
		}
		slices.Sort(got)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("of %q: ended %q, expected %q (%v)", session, got, want, err)
		}
	}
}

// TestOverrider: what a person orders is kept as ordered, without secrets, and not below what the organisation locks.
func TestOverrider(t *testing.T) {
	h := handler(t)
	locked := fsm.Policy{Ceiling: fsm.Ceiling{Place: "/etc/p.yaml", Level: fsm.Strict}, Bypass: h.Policy.Bypass}
	o := Overrider{Policy: h.Policy, Store: h.store(), Session: "s1", By: "ann", Now: then()}
	for _, err := range []error{
		o.SetMode("warn", "a trial"), o.AllowOnce("Authorization: Bearer abcdefgh12345678"),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	all := h.FindOverrides("s1", then())
	if m := all.Mode; m == nil || m.Level != "warn" || m.From != "mode" || m.By != "ann" || m.Why != "a trial" ||
		!m.Since.Equal(then()) {
		t.Errorf("mode: %+v", m)
	}
	if b := all.Bypasses; len(b) != 1 || !b[0].Once || b[0].From != "once" || b[0].By != "ann" ||
		strings.Contains(b[0].Why, "abcdefgh") || !b[0].Until.Equal(then().Add(2*time.Hour)) {
		t.Errorf("once: %+v", b)
	}
	if got := h.FindOverrides("s2", then()); got.Mode != nil || got.Bypasses != nil {
		t.Errorf("another session: %+v", got)
	}
	if err := o.SetMode("", ""); err != nil || h.FindOverrides("s1", then()).Mode != nil {
		t.Errorf("the mode was not taken away: %v", err)
	}
	o.Policy = &locked
	for _, err := range []error{o.SetMode("guidance", "x"), o.AllowOnce("x")} {
		if err == nil || err.Error() != "/etc/p.yaml locks the level: it is strict at least" {
			t.Errorf("below what is locked: %v", err)
		}
	}
	for _, level := range []string{"strict", ""} {
		if err := o.SetMode(level, "x"); err != nil {
			t.Errorf("level %q: %v", level, err)
		}
	}
}

// TestStartBypass: a bypass is of a rule that there is, and no longer than it may last.
func TestStartBypass(t *testing.T) {
	h := handler(t)
	h.Policy.Bypass.Longest = time.Hour
	h.Policy.Subagents.List = []fsm.Rule{{Name: "other"}, {Name: "no-edits"}}
	o := Overrider{Policy: h.Policy, Store: h.store(), By: "ann", Now: then()}
	for _, c := range []struct {
		rule string
		span time.Duration
		want string
	}{
		{"", time.Hour, ""}, {fsm.RuleTasks, time.Minute, ""}, {"no-edits", time.Minute, ""},
		{"", time.Hour + time.Minute, "61m is longer than a bypass may last here: at most 1h (bypass.longest)"},
		{"none", time.Minute, `no rule "none" in the config (pipeline is what the states do not admit; ` +
			"tasks, limits, hold, returns, gate are built in too)"},
	} {
		b, err := o.StartBypass(fsm.Bypass{Rule: c.rule, Why: "a fire"}, c.span)
		switch {
		case c.want != "":
			if err == nil || err.Error() != c.want {
				t.Errorf("%q for %s: %v", c.rule, c.span, err)
			}
		case err != nil || b.ID == "" || b.From != "bypass" || b.By != "ann" || !b.Until.Equal(then().Add(c.span)):
			t.Errorf("%q for %s: %+v %v", c.rule, c.span, b, err)
		}
	}
	if got := h.FindOverrides("s1", then()).Bypasses; len(got) != 3 {
		t.Errorf("in force: %+v", got)
	}
}

func TestFormatSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{
		48 * time.Hour: "2d", 25 * time.Hour: "25h", 90 * time.Minute: "90m", time.Hour: "1h", time.Minute: "1m",
	} {
		if got := FormatSpan(d); got != want {
			t.Errorf("%s: %q, want %q", d, got, want)
		}
	}
}
