package fsm_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/agent-pipeline/pipeline/fsm"
)

// ordered is the session with a mode from here on; no level is none.
func (pl *play) ordered(level string, lifts ...fsm.Bypass) *play {
	pl.orders = fsm.Overrides{Bypasses: lifts}
	if level != "" {
		pl.orders.Mode = &fsm.Mode{Level: level, From: "mode", By: "ann", Why: "a trial"}
	}
	return pl
}

func (pl *play) judgedBy(l fsm.Level) *play {
	pl.Helper()
	if pl.d.Level != l {
		pl.Fatalf("judged by %s, expected %s; notes: %q", pl.d.Level, l, pl.d.Notes)
	}
	return pl
}

// would checks what strict would have said, and what decided.
func (pl *play) would(v fsm.Verdict, rule string) *play {
	pl.Helper()
	if pl.d.StrictVerdict != v || pl.d.Rule != rule {
		pl.Fatalf("would %s by %q, expected %s by %q", pl.d.StrictVerdict, pl.d.Rule, v, rule)
	}
	return pl
}

// noWriting is a policy of one rule at this level, which a skill, a command and a file switch on.
func noWriting(l fsm.Level) *fsm.Policy {
	return &fsm.Policy{Level: l, Main: fsm.Rules{List: []fsm.Rule{{Name: "no-writing", Type: "WRITES",
		Tools: []string{"Write"}, Verdict: fsm.Deny, Place: "c:1"},
		{Name: "no-reading", Tools: []string{"Read"}, Verdict: fsm.Deny, Place: "c:2"}}},
		Activate: fsm.Activation{When: []string{"x"}, Skills: []string{"orchestrator"}, Commands: []string{"go-on"},
			Level: fsm.Strict}}
}

// TestLevelsBySource: a level from each source, and which holds over which.
func TestLevelsBySource(t *testing.T) {
	guided := fsm.Bypass{ID: "once", Once: true, From: "once", By: "ann"}
	for name, c := range map[string]struct {
		config fsm.Level
		active string
		mode   string
		lifts  []fsm.Bypass
		want   fsm.Level
	}{
		"the config's":                    {config: fsm.Strict, want: fsm.Strict},
		"switched on":                     {config: fsm.Observe, active: "x", want: fsm.Strict},
		"a mode that is more lenient":     {config: fsm.Strict, mode: "guidance", want: fsm.Guidance},
		"a mode that is stricter":         {config: fsm.Observe, mode: "strict", want: fsm.Strict},
		"a mode over what is switched on": {config: fsm.Observe, active: "x", mode: "guidance", want: fsm.Guidance},
		"off by a person over what is on": {config: fsm.Off, active: "x", mode: "off", want: fsm.Off},
		"once":                            {config: fsm.Strict, lifts: []fsm.Bypass{guided}, want: fsm.Guidance},
		"once over a mode": {config: fsm.Observe, mode: "ask", lifts: []fsm.Bypass{guided},
			want: fsm.Guidance},
		"once makes nothing stricter": {config: fsm.Observe, lifts: []fsm.Bypass{guided}, want: fsm.Observe},
		"once beside a bypass": {config: fsm.Strict, lifts: []fsm.Bypass{{ID: "1", Rule: "other"}, guided},
			want: fsm.Guidance},
		"once leaves off off": {config: fsm.Strict, mode: "off", lifts: []fsm.Bypass{guided},
			want: fsm.Off},
		"a level that is none changes none":     {config: fsm.AskFirst, mode: "lax", want: fsm.AskFirst},
		"what is on makes nothing more lenient": {config: fsm.Strict, active: "x", want: fsm.Strict},
	} {
		t.Run(name, func(t *testing.T) {
			pl := begin(t, noWriting(c.config))
			pl.s.ID, pl.s.Machine.ActivatedBy, pl.s.Machine.Level = "s1", c.active, "strict"
			pl.ordered(c.mode, c.lifts...).uses(main(), "Write").judgedBy(c.want)
			want := map[fsm.Level]fsm.Verdict{fsm.Strict: fsm.Deny, fsm.AskFirst: fsm.Ask,
				fsm.Guidance: fsm.Warn}[c.want]
			if pl.d.Verdict != want {
				t.Errorf("%s, expected %s", pl.d.Verdict, want)
			}
		})
	}
}

// TestModeIsNoted once, with where it comes from and why, and again when it ends.
func TestModeIsNoted(t *testing.T) {
	pl := begin(t, noWriting(fsm.Strict)).ordered("guidance")
	pl.uses(main(), "Write").gets(fsm.Warn,
		"no-writing").noted("the level is guidance (mode by ann: a trial)").would(fsm.Deny, "no-writing")
	if pl.uses(main(), "Write"); strings.Contains(strings.Join(pl.d.Notes, " "), "the level is") {
		t.Errorf("noted again: %q", pl.d.Notes)
	}
	pl.ordered("").uses(main(), "Write").denied("no-writing").noted("the level is strict (config)")
	pl.orders = fsm.Overrides{Mode: &fsm.Mode{Level: "ask", From: "environment"}}
	pl.uses(main(), "Write").noted("the level is ask (environment)")
	first := &play{TB: t, p: noWriting(fsm.Strict), texts: map[string]string{}}
	first.ordered("guidance").uses(main(), "Write").noted("the level is guidance (mode by ann: a trial)")
	if first.ordered("").s = (fsm.Session{}); strings.Contains(strings.Join(first.uses(main(), "Write").d.Notes, " "),
		"the level is") {
		t.Errorf("the config's, noted at the start: %q", first.d.Notes)
	}
}

// TestModeCapsRules: a rule's own level does not outlast a person's word to be more lenient, and is not made stricter.
func TestModeCapsRules(t *testing.T) {
	for _, c := range []struct {
		own  fsm.Level
		mode string
		want fsm.Verdict
	}{
		{fsm.Strict, "", fsm.Deny}, {fsm.Strict, "guidance", fsm.Warn}, {fsm.Strict, "observe", fsm.Pass},
		{fsm.Strict, "ask", fsm.Ask},
		{fsm.Strict, "strict", fsm.Deny}, {fsm.Guidance, "strict", fsm.Warn}, {fsm.Observe, "guidance", fsm.Pass},
		{fsm.Off, "strict", fsm.Pass},
	} {
		p := noWriting(fsm.Strict)
		p.Main.List[0].Level, p.Main.List[0].Levelled = c.own, true
		if pl := begin(t, p).ordered(c.mode).uses(main(), "Write"); pl.d.Verdict != c.want {
			t.Errorf("rule %s, mode %q: %s, expected %s", c.own, c.mode, pl.d.Verdict, c.want)
		}
	}
}

// TestOnceCapsRules whatever the level: what a rule of its own level refuses becomes a warning.
func TestOnceCapsRules(t *testing.T) {
	for _, level := range []fsm.Level{fsm.Observe, fsm.Guidance, fsm.AskFirst, fsm.Strict} {
		p := noWriting(level)
		p.Main.List[0].Level, p.Main.List[0].Levelled = fsm.Strict, true
		begin(t, p).ordered("", fsm.Bypass{Once: true}).uses(main(), "Write").gets(fsm.Warn, "no-writing")
	}
}

// TestBypass: what a bypass covers stops nothing, and is recorded as what it would have been.
func TestBypass(t *testing.T) {
	for name, c := range map[string]struct {
		lift fsm.Bypass
		tool string
		want fsm.Verdict
		rule string
	}{
		"the whole":           {fsm.Bypass{}, "Write", fsm.Pass, fsm.RuleBypass},
		"this rule":           {fsm.Bypass{Rule: "no-writing"}, "Write", fsm.Pass, fsm.RuleBypass},
		"another rule":        {fsm.Bypass{Rule: "no-writing"}, "Read", fsm.Deny, "no-reading"},
		"an agent's":          {fsm.Bypass{Agent: "c-developer"}, "Write", fsm.Deny, "no-writing"},
		"every agent's":       {fsm.Bypass{Agent: "*"}, "Write", fsm.Deny, "no-writing"}, // the main agent is none
		"what nothing is for": {fsm.Bypass{}, "Glob", fsm.Pass, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c.lift.From, c.lift.By, c.lift.Why = "bypass", "ann", "the build is down"
			pl := begin(t, noWriting(fsm.Strict)).ordered("", c.lift).uses(main(), c.tool)
			if pl.d.Verdict != c.want || pl.d.Rule != c.rule {
				t.Fatalf("%s by %q, expected %s by %q", pl.d.Verdict, pl.d.Rule, c.want, c.rule)
			}
			if c.rule == fsm.RuleBypass {
				pl.would(fsm.Deny,
					fsm.RuleBypass).noted("deny of rule no-writing is bypassed (bypass by ann: the build is down)")
				if pl.d.RuleType != "WRITES" || pl.d.Where != "c:1" || pl.d.Reason != "" ||
					!slices.Equal(pl.d.Bypassed, []string{"no-writing"}) {
					t.Errorf("recorded as %+v", pl.d)
				}
			}
			pl.ordered("").uses(main(), c.tool) // and is over
			if c.tool != "Glob" && pl.d.Verdict != fsm.Deny {
				t.Error("it holds still")
			}
		})
	}
}

// TestBypassOfAnAgent covers the agent's own calls and its start, no other agent's.
func TestBypassOfAnAgent(t *testing.T) {
	p := *shipped(t, "pipeline.yaml")
	p.Main, p.Subagents = fsm.Rules{}, fsm.Rules{List: []fsm.Rule{{Name: "no-writing", Tools: []string{"Write"},
		Verdict: fsm.Deny}}}
	pl := begin(t, &p).ordered("", fsm.Bypass{Agent: "c-*", From: "bypass"})
	pl.asks(main(), "bash-architect", "u0").denied("may not run")
	pl.asks(main(), "c-developer", "u1").passes().would(fsm.Deny, fsm.RuleBypass)
	pl.starts("a1", "c-developer").uses(sub("a1", "c-developer"), "Write").passes().would(fsm.Deny, fsm.RuleBypass)
	wakes := func(name string) fsm.Event {
		return fsm.Event{Kind: fsm.ToolRequest, Tool: fsm.Tool{Name: "SendMessage", UseID: "u3",
			Parts:  []fsm.Part{{Tool: "SendMessage"}},
			Starts: &fsm.Start{How: fsm.ByMessage, Name: name}}}
	}
	pl.p.Main = fsm.Rules{List: []fsm.Rule{{Name: "no-talk", Tools: []string{"SendMessage"}, Verdict: fsm.Deny}}}
	pl.do(wakes("a1")).passes().would(fsm.Deny, fsm.RuleBypass).do(wakes("unheard-of")).denied("no-talk")
	pl.asks(main(), "context-gatherer", "u2").passes().starts("a2",
		"context-gatherer").uses(sub("a2", "context-gatherer"), "Write").denied("no-writing")
}

// TestBypassByName covers the start of an agent by the name that it is given, and of two objections the first is
// recorded.
func TestBypassByName(t *testing.T) {
	p := noWriting(fsm.Strict)
	p.Main.List = append(p.Main.List, fsm.Rule{Name: "no-agents", Tools: []string{"Agent"}, Verdict: fsm.Deny})
	pl := begin(t, p).ordered("", fsm.Bypass{Agent: "ann"}).mate("dev", "ann").passes().would(fsm.Deny,
		fsm.RuleBypass).mate("dev", "bob").denied("no-agents")
	pl.ordered("", fsm.Bypass{}).does("2", file("Write", "/a"), file("Read", "/b")).passes()
	if pl.d.Where != "c:1" || !slices.Equal(pl.d.Bypassed, []string{"no-writing", "no-reading"}) {
		t.Errorf("%+v", pl.d)
	}
}

// TestBypassAdmits: who is let in by a bypass is not quarantined when it has ended, and what it finds moves nothing.
func TestBypassAdmits(t *testing.T) {
	pl := defaults(t).ordered("", fsm.Bypass{Rule: fsm.RulePipeline, From: "bypass"})
	pl.asks(main(), "bash-architect", "u1").passes().starts("a1", "bash-architect")
	pl.ordered("").uses(sub("a1", "bash-architect"), "Read").passes().stops("a1", "bash-architect", "done").in("IDLE")
	pl.asks(main(), "bash-architect", "u2").denied("may not run")
}

// TestBypassLiftsAQuarantine for as long as it lasts.
func TestBypassLiftsAQuarantine(t *testing.T) {
	pl := defaults(t).starts("a1", "bash-architect")
	if pl.d.Inject == "" {
		t.Fatal("it was not told that it may do nothing")
	}
	who := sub("a1", "bash-architect")
	pl.uses(who, "Read").denied("")
	pl.ordered("", fsm.Bypass{From: "environment"}).uses(who, "Read").passes().would(fsm.Deny, fsm.RuleBypass)
	pl.ordered("", fsm.Bypass{Rule: "no-reading"}).uses(who, "Read").denied("")
	pl.ordered("").uses(who, "Read").denied("")
}

// TestProtectionStays while the policy is lifted or softened, and goes with off.
func TestProtectionStays(t *testing.T) {
	guarded := fsm.Event{Kind: fsm.ToolRequest, Tool: fsm.Tool{Name: "Write", UseID: "u",
		Parts: []fsm.Part{{Tool: "Write", Path: "/p/pipeline.yaml", Guards: "the config"}}}}
	for _, level := range []string{"strict", "ask", "guidance", "observe", "off"} {
		for _, lifts := range [][]fsm.Bypass{nil, {{From: "bypass"}}, {{From: "environment"}},
			{{Rule: fsm.RuleProtect}}, {{Once: true}}} {
			pl := begin(t, noWriting(fsm.Strict)).ordered(level, lifts...).do(guarded)
			if want := level != "off"; (pl.d.Verdict == fsm.Deny && pl.d.Rule == fsm.RuleProtect) != want {
				t.Errorf("%s with %v: %s by %q", level, lifts, pl.d.Verdict, pl.d.Rule)
			}
		}
	}
}

// someOrders draws what persons may have ordered, with at least one thing that softens.
func someOrders(t *rapid.T) (o fsm.Overrides) {
	if rapid.Bool().Draw(t, "a mode") {
		o.Mode = &fsm.Mode{Level: fsm.Level(rapid.IntRange(int(fsm.Observe), int(fsm.Strict)).Draw(t, "mode")).String(),
			From: "mode"}
	}
	for range rapid.IntRange(0, 2).Draw(t, "lifts") {
		o.Bypasses = append(o.Bypasses, fsm.Bypass{From: "bypass", Once: rapid.Bool().Draw(t, "once"),
			Rule:  rapid.SampledFrom([]string{"", fsm.RulePipeline, "r"}).Draw(t, "rule"),
			Agent: rapid.SampledFrom(append(names, "", "")).Draw(t, "agent")})
	}
	return o
}

// TestOrdersOnlySoften: under a bypass or a mode nothing is stopped that strict would let pass, what is let through is
// recorded as what strict would have said, and what is ours is denied whatever is ordered.
func TestOrdersOnlySoften(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := somePolicy(t)
		p.Main = fsm.Rules{List: []fsm.Rule{{Name: "r", Tools: []string{"Agent"},
			Agents: []string{rapid.SampledFrom(names).Draw(t, "ruled")}, Verdict: fsm.Deny}}}
		strict := *p
		strict.Level = fsm.Strict
		var s fsm.Session
		for n := range rapid.IntRange(1, 40).Draw(t, "events") {
			e := someEvent(t, n)
			plain := e
			e.Facts.Overrides = someOrders(t)
			_, without := strict.Step(s, plain)
			after, d := p.Step(s, e)
			if d.Verdict > without.Verdict {
				t.Fatalf("%s under %+v: %s, strict says %s", e.Kind, e.Facts.Overrides, d.Verdict, without.Verdict)
			}
			if e.Kind == fsm.ToolRequest && d.StrictVerdict != without.StrictVerdict {
				t.Fatalf("%s under %+v: would %s, strict says %s", e.Kind, e.Facts.Overrides, d.StrictVerdict,
					without.StrictVerdict)
			}
			wouldChange(t, p, s, e)
			s = after
		}
	})
}

func wouldChange(t *rapid.T, p *fsm.Policy, s fsm.Session, e fsm.Event) {
	if e.Kind != fsm.ToolRequest {
		return
	}
	e.Tool.Parts = append(e.Tool.Parts, fsm.Part{Tool: "Write", Guards: "the config"})
	if _, d := p.Step(s, e); d.Verdict != fsm.Deny || d.Rule != fsm.RuleProtect {
		t.Fatalf("under %+v: %s by %q", e.Facts.Overrides, d.Verdict, d.Rule)
	}
}

func starts(present string) fsm.Event {
	return fsm.Event{Kind: fsm.SessionStart, Source: "startup", Facts: fsm.Facts{Present: present}}
}

func skill(kind fsm.Kind, by fsm.Agent, name string) fsm.Event {
	return fsm.Event{Kind: kind, Agent: by, Tool: fsm.Tool{Name: "Skill", UseID: "k", Skill: name,
		Parts: []fsm.Part{{Tool: "Skill"}}}}
}

// TestActivation: by what, in which session, and by what not.
func TestActivation(t *testing.T) {
	for name, c := range map[string]struct {
		e    fsm.Event
		want string
	}{
		"a file":  {starts("x/feature.json"), "switched on by the file x/feature.json"},
		"no file": {starts(""), ""},
		"a skill": {skill(fsm.ToolRequest, main(), "orchestrator"), "switched on by the skill or command orchestrator"},
		"a plugin's skill": {skill(fsm.ToolRequest, main(), "plug:orchestrator"),
			"switched on by the skill or command plug:orchestrator"},
		"a skill typed": {skill(fsm.PromptExpansion, main(), "orchestrator"),
			"switched on by the skill or command orchestrator"},
		"a skill in a prompt": {skill(fsm.Prompt, main(), "orchestrator"),
			"switched on by the skill or command orchestrator"},
		"an agent's prompt": {skill(fsm.Prompt, sub("a", "x"), "orchestrator"), ""},
		"a command": {skill(fsm.PromptExpansion, main(), "go-on"),
			"switched on by the skill or command go-on"},
		"another skill":        {skill(fsm.ToolRequest, main(), "orchestrators"), ""},
		"a subagent's skill":   {skill(fsm.ToolRequest, sub("a", "x"), "orchestrator"), ""},
		"what a skill came to": {skill(fsm.ToolResult, main(), "orchestrator"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			pl := begin(t, noWriting(fsm.Off)).do(c.e)
			if c.want == "" {
				pl.judgedBy(fsm.Off).uses(main(), "Write").passes()
				return
			}
			if pl.judgedBy(fsm.Strict); !slices.Contains(pl.d.Notes, c.want) {
				t.Errorf("noted %q", pl.d.Notes)
			}
			pl.uses(main(), "Write").denied("no-writing")
		})
	}
}

// TestActivationByFilesEnds when a session starts without them; by a skill it lasts as long as the session.
func TestActivationByFilesEnds(t *testing.T) {
	pl := begin(t, noWriting(fsm.Guidance)).do(starts("x")).judgedBy(fsm.Strict).uses(main(),
		"Write").denied("no-writing")
	if pl.do(starts("x")).judgedBy(fsm.Strict); slices.ContainsFunc(pl.d.Notes,
		func(n string) bool { return strings.Contains(n, "switched") }) {
		t.Errorf("the file is still there: %q", pl.d.Notes)
	}
	pl.do(starts("")).noted("switched off again").judgedBy(fsm.Guidance).uses(main(), "Write").gets(fsm.Warn,
		"no-writing")
	pl.do(skill(fsm.ToolRequest, main(), "orchestrator")).do(skill(fsm.ToolRequest, main(), "orchestrator"))
	if len(pl.d.Notes) > 0 {
		t.Errorf("switched on already: %q", pl.d.Notes)
	}
	pl.do(starts("")).judgedBy(fsm.Strict)
	pl.do(starts("x")).do(starts("")).judgedBy(fsm.Strict).uses(main(), "Write").denied("no-writing")
}

// TestActivationYields to a person, who has switched it off or set a level.
func TestActivationYields(t *testing.T) {
	for _, e := range []fsm.Event{starts("x"), skill(fsm.ToolRequest, main(), "orchestrator"),
		skill(fsm.PromptExpansion, main(), "go-on")} {
		for mode, want := range map[string]fsm.Level{"off": fsm.Off, "observe": fsm.Observe, "guidance": fsm.Guidance} {
			pl := begin(t, noWriting(fsm.Off)).ordered(mode).do(e).judgedBy(want)
			if pl.uses(main(), "Write"); pl.d.Level != want || pl.d.Verdict > fsm.Warn {
				t.Errorf("%s by a person, then %s: %s, level %s", mode, e.Kind, pl.d.Verdict, pl.d.Level)
			}
		}
	}
}

// TestActivationIsNeverLenient: a level that is stricter than the one it switches to stays.
func TestActivationIsNeverLenient(t *testing.T) {
	p := noWriting(fsm.AskFirst)
	p.Activate.Level = fsm.Guidance
	begin(t, p).do(starts("x")).judgedBy(fsm.AskFirst).uses(main(), "Write").gets(fsm.Ask, "no-writing")
}

// TestActivates: a policy that is off has to look only where something may switch it on, and asks for files only then.
func TestActivates(t *testing.T) {
	p := noWriting(fsm.Off)
	for _, c := range []struct {
		e    fsm.Event
		want bool
	}{
		{starts(""), true}, {skill(fsm.ToolRequest, main(), "orchestrator"), true},
		{skill(fsm.ToolRequest, main(), "other"), false},
		{fsm.Event{Kind: fsm.Prompt}, false}, {skill(fsm.ToolRequest, sub("a", "x"), "orchestrator"), false},
	} {
		if got := p.CanActivate(c.e); got != c.want {
			t.Errorf("%s %q: %v", c.e.Kind, c.e.Tool.Skill, got)
		}
	}
	if p.Activate.When = nil; p.CanActivate(starts("")) ||
		p.IsNeeded(fsm.NeedPresent, fsm.Session{}, starts("")) {
		t.Error("it looks for files that it does not name")
	}
}

// TestWeakerThatHolds: what a prompt tells of a weaker level still holds, and nothing of it is lost.
func TestWeakerThatHolds(t *testing.T) {
	const guided, observed = "the level was strict and is guidance now", "the level was guidance and is observe now"
	for name, c := range map[string]struct {
		modes []string
		want  string
	}{
		"strict again":       {[]string{"guidance", ""}, ""},
		"weaker still":       {[]string{"guidance", "observe"}, guided + "|" + observed},
		"as weak as at last": {[]string{"guidance", "observe", "guidance"}, guided},
	} {
		pl := begin(t, noWriting(fsm.Strict))
		for _, mode := range c.modes {
			pl.ordered(mode).uses(main(), "Write")
		}
		var told []string
		for _, notice := range pl.says("go on").d.Notices {
			if what, _, isLevel := strings.Cut(notice, " (mode by ann"); isLevel {
				told = append(told, what)
			}
		}
		if got := strings.Join(told, "|"); got != c.want {
			t.Errorf("%s: told %q, expected %q", name, got, c.want)
		}
	}
	pl := begin(t, noWriting(fsm.Guidance))
	pl.s.Machine.Off, pl.s.Machine.Level = true, "strict"
	if pl.uses(main(), "Write").says("go on"); !strings.Contains(strings.Join(pl.d.Notices, " "), guided) {
		t.Errorf("switched on again: told %q", pl.d.Notices)
	}
}

// TestWeakerIsNoAlias: two steps from one session do not share what waits for the next prompt.
func TestWeakerIsNoAlias(t *testing.T) {
	s := fsm.Session{ID: "s1", Machine: fsm.Machine{Level: "strict"},
		Talk: fsm.Talk{Weaker: make([]fsm.Weakening, 0, 4)}}
	step := func(l fsm.Level) []fsm.Weakening {
		after, _ := noWriting(l).Step(s, fsm.Event{Kind: fsm.ToolResult, Session: "s1"})
		return after.Talk.Weaker
	}
	first := step(fsm.Guidance)
	was := first[0]
	if step(fsm.Observe); first[0] != was {
		t.Errorf("%v became %v", was, first[0])
	}
}

// TestLevelIsTheConfigs: nothing else is said to set a level that the config sets as well.
func TestLevelIsTheConfigs(t *testing.T) {
	first := func(p *fsm.Policy, e fsm.Event, lifts ...fsm.Bypass) *play {
		pl := &play{TB: t, p: p, texts: map[string]string{}}
		return pl.ordered("", lifts...).do(e)
	}
	first(noWriting(fsm.Strict), starts("x")).judgedBy(fsm.Strict).noted("switched on").silent("the level is")
	first(noWriting(fsm.Guidance), starts(""), fsm.Bypass{Once: true}).judgedBy(fsm.Guidance).silent("the level is")
	first(noWriting(fsm.Strict), starts(""), fsm.Bypass{Once: true}).noted("the level is guidance (once)")
}

// TestWhatSetsTheLevel: the person hears what has made a project's sessions more lenient.
func TestWhatSetsTheLevel(t *testing.T) {
	for name, c := range map[string]struct{ from, mode, want string }{
		"the config":         {"", "", "config"},
		"what was found":     {"preset guided", "", "preset guided"},
		"a mode, before all": {"preset guided", "observe", "mode by ann: a trial"},
	} {
		pl := &play{TB: t, p: noWriting(fsm.Guidance), texts: map[string]string{}}
		e := starts("")
		e.Facts.Judged = &fsm.Judged{Policy: "older", Level: "strict", From: c.from}
		if c.mode != "" {
			e.Facts.Overrides.Mode = &fsm.Mode{Level: c.mode, From: "mode", By: "ann", Why: "a trial"}
		}
		if pl.do(e); !strings.HasPrefix(pl.d.Notices[0], "the level was strict and is ") ||
			!strings.HasSuffix(pl.d.Notices[0], " now ("+c.want+")") {
			t.Errorf("%s: %q", name, pl.d.Notices)
		}
	}
}
