package fsm_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agent-pipeline/pipeline/fsm"
)

// talkative is a policy whose one state wants n characters said, and whose one rule says as many.
func talkative(n int, bound fsm.TalkLimits) *fsm.Policy {
	return &fsm.Policy{Level: fsm.Strict, Initial: "A", Talk: bound,
		States: []fsm.State{{Name: "A", Inject: strings.Repeat("é", n),
			Triggers: []fsm.Trigger{{Name: "a", Agents: []string{"a"}, To: "A"}}}},
		Main: fsm.Rules{List: []fsm.Rule{{Name: "r", Tools: []string{"Write"}, Verdict: fsm.Deny,
			Reason: strings.Repeat("reason ", n/7)}}}}
}

// again has the state's text said once more: a compaction has taken it from the context.
func (pl *play) again() *play {
	pl.Helper()
	return pl.do(fsm.Event{Kind: fsm.Compacted})
}

// spent checks what the last answer says, and what all of them have said since a person spoke, and in all.
func (pl *play) spent(said, now, all int) *play {
	pl.Helper()
	if pl.d.InjectedChars != said || pl.s.Talk.CharsSincePrompt != now || pl.s.Talk.Chars != all {
		pl.Fatalf("said %d, %d since the prompt, %d in all; expected %d, %d, %d", pl.d.InjectedChars,
			pl.s.Talk.CharsSincePrompt, pl.s.Talk.Chars, said, now, all)
	}
	return pl
}

func (pl *play) room(n int) *play {
	pl.Helper()
	if pl.d.InjectLimit != n {
		pl.Fatalf("room for %d characters, expected %d", pl.d.InjectLimit, n)
	}
	return pl
}

// TestTalkIsCounted in characters, also where nothing bounds it.
func TestTalkIsCounted(t *testing.T) {
	pl := begin(t, talkative(700, fsm.TalkLimits{})).says("go")
	n := utf8.RuneCountInString(pl.d.Inject)
	if n < 700 || n == len(pl.d.Inject) {
		t.Fatalf("%d characters in %d bytes", n, len(pl.d.Inject))
	}
	pl.room(0).spent(n, n, n).uses(main(), "Read").spent(0, n, n)
	pl.uses(main(), "Write").denied("reason").spent(0, n, n) // an answer is no injection
	m := utf8.RuneCountInString(pl.again().d.Inject)
	pl.room(0).spent(m, n+m, n+m)
}

// TestTalkPerPrompt: what does not fit has the room that is left, no less than where the text lies takes; a person's
// prompt begins again, a notification or a scheduled one does not.
func TestTalkPerPrompt(t *testing.T) {
	pl := begin(t, talkative(900, fsm.TalkLimits{PerPrompt: 1700})).says("go").room(0)
	n := pl.d.InjectedChars
	pl.again().room(1700-n).spent(1700-n, 1700, 1700).noted("are left of the budget")
	pl.again().room(400).spent(400, 2100, 2100)
	if whole := utf8.RuneCountInString(pl.d.Inject); whole < 900 {
		t.Fatalf("%d characters are left of the text: the rest is lost", whole)
	}
	pl.notified("x", "completed").again().room(400)
	pl.s.Turn.Scheduled = nil
	pl.do(fsm.Event{Kind: fsm.TurnStop, Crons: []string{"go  on"}}).says("go on").again().room(400)
	pl.says("something else").again().room(0)
}

// TestTalkPerSession lasts over prompts.
func TestTalkPerSession(t *testing.T) {
	pl := begin(t, talkative(900, fsm.TalkLimits{PerPrompt: 5000, PerSession: 2000})).says("go").room(0)
	n := pl.d.InjectedChars
	pl.says("on").again().room(0).says("and on").again().room(max(400, 2000-pl.s.Talk.Chars+pl.d.InjectedChars))
	if pl.d.InjectLimit >= n {
		t.Fatalf("room for %d of %d", pl.d.InjectLimit, n)
	}
	pl.says("and on").again().room(400)
}

// TestTalkAtOnce: of one text no more is said than the client takes at once, and no more is charged.
func TestTalkAtOnce(t *testing.T) {
	pl := begin(t, talkative(30_000, fsm.TalkLimits{PerPrompt: 20_000})).says("go").spent(9500, 9500, 9500).room(0)
	pl.again().spent(9500, 19_000, 19_000).again().room(1000).spent(1000, 20_000, 20_000).again().room(400)
}

// TestTalkWarns: warnings are injected too. One that fits is said as it is, one that does not as its beginning; the
// record has the whole.
func TestTalkWarns(t *testing.T) {
	p := talkative(700, fsm.TalkLimits{PerPrompt: 3000})
	p.Level = fsm.Guidance
	pl := begin(t, p).says("go").uses(main(), "Write")
	whole := pl.d.Reason
	if n := utf8.RuneCountInString(whole); n < 300 || pl.d.Verdict != fsm.Warn || pl.d.InjectedChars != n {
		t.Fatalf("%s with %d of %d characters", pl.d.Verdict, pl.d.InjectedChars, n)
	}
	for pl.s.Talk.CharsSincePrompt < 2950 {
		pl.again()
	}
	pl.uses(main(), "Write")
	beginning := strings.TrimSuffix(pl.d.Reason, "…")
	if n := utf8.RuneCountInString(pl.d.Reason); n > 120 || n < 60 || pl.d.InjectedChars != n ||
		!strings.Contains(beginning, "rule r") {
		t.Fatalf("said %d characters, charged %d: %q", n, pl.d.InjectedChars, pl.d.Reason)
	}
	pl.noted("as a whole: " + beginning).noted(`prompt="Implement … in …").`)
}

// TestTalkOfAQuarantine: what an agent is told at its start is said once, and charged once.
func TestTalkOfAQuarantine(t *testing.T) {
	pl := defaults(t).ordered("guidance").starts("a1", "bash-architect").gets(fsm.Warn, "")
	if n := utf8.RuneCountInString(pl.d.Inject); n == 0 || pl.d.InjectedChars != n {
		t.Fatalf("said %d characters, charged %d", n, pl.d.InjectedChars)
	}
}

// TestTalkIsUnbounded where it is 0.
func TestTalkIsUnbounded(t *testing.T) {
	pl := begin(t, talkative(9000, fsm.TalkLimits{})).says("go")
	for range 100 {
		pl.again().room(0)
	}
}

func TestOpening(t *testing.T) {
	p := free()
	p.Opening = fsm.SessionOpening{Inject: "You lead {{ .Session }}.", Files: []string{"/p/rules.md"},
		On: []string{"resume", "compact"}}
	pl := begin(t, p).told("")
	facts := fsm.Facts{Opening: []string{"The rules."}}
	for _, source := range []string{"startup", "clear", "fork"} {
		pl.do(fsm.Event{Kind: fsm.SessionStart, Source: source, Facts: facts}).told("")
	}
	pl.do(fsm.Event{Kind: fsm.SessionStart, Source: "resume", Facts: facts})
	if pl.d.Inject != "You lead s1.\nThe rules." {
		t.Errorf("told %q", pl.d.Inject)
	}
	pl.do(fsm.Event{Kind: fsm.Compacted, Facts: facts}).told("The rules.").asks(main(), "dev", "1").starts("d", "dev")
	pl.do(fsm.Event{Kind: fsm.Compacted, Agent: sub("d", "dev"), Facts: facts}).told("") // it is not the main agent
	if p.IsNeeded(fsm.NeedOpening, pl.s, fsm.Event{Kind: fsm.Prompt}) {
		t.Error("the files are read at a prompt")
	}
	p.Opening.Inject = "{{ .Nothing }}"
	begin(t, p).do(fsm.Event{Kind: fsm.SessionStart, Source: "resume"}).told("").noted("session_start.inject")
}

func TestPlanning(t *testing.T) {
	p := free()
	p.Planning = fsm.PlanningHint{Words: []string{"and then", "Refactor", "module-wide", "tests"}, AtLeast: 2,
		Say: "Plan first."}
	for prompt, want := range map[string]string{
		"refactor it, and THEN run it": "Plan first.", "tests": "", "refactoring and thence": "",
		"a (module-wide) refactor!": "Plan first.", "": "", "tests tests": "",
	} {
		if pl := begin(t, p).says(prompt); pl.d.Inject != want {
			t.Errorf("%q: told %q", prompt, pl.d.Inject)
		}
	}
	begin(t, p).do(fsm.Event{Kind: fsm.Prompt, Origin: fsm.Notification, Text: "refactor and then tests"}).told("")
}

func TestRemind(t *testing.T) {
	p := free()
	p.Remind = fsm.Reminders{AfterDelegation: "{{ .Agent }} is at work.", AfterAgent: "Look at what {{ .Agent }} did.",
		Times: 3}
	pl := begin(t, p).asks(main(), "dev", "1").starts("d", "dev").launched("dev", "1", "d").told("dev is at work.")
	pl.stops("d", "dev", "done").told("").notified("d", "completed").told("Look at what dev did.")
	pl.asks(main(), "dev", "2").launched("dev", "2", "e").told("dev is at work.").starts("e", "dev").stops("e", "dev",
		"done").notified("e", "completed").told("")
	nested := begin(t, p).asks(main(), "dev", "1").starts("d", "dev").asks(sub("d", "dev"), "helper", "2").starts("h",
		"helper")
	tool := agentTool("helper", "2")
	nested.do(fsm.Event{Kind: fsm.ToolResult, Agent: sub("d", "dev"), Tool: tool}).told("").stops("h", "helper",
		"done").used("Read").told("")
	p.Remind.Times = 0
	begin(t, p).asks(main(), "dev", "1").launched("dev", "1", "d").told("")
	p.Remind = fsm.Reminders{AfterAgent: strings.Repeat("word ", 90), Times: 1}
	begin(t, p).runs("d", "dev", "done").told(strings.TrimSpace(p.Remind.AfterAgent))
}

// TestTalkThatFits: what just fits is said as it is; a text and a warning beside it are both charged.
func TestTalkThatFits(t *testing.T) {
	n := begin(t, talkative(700, fsm.TalkLimits{})).says("go").d.InjectedChars
	begin(t, talkative(700, fsm.TalkLimits{PerPrompt: n})).says("go").room(0).silent("are left of the budget")
	begin(t, talkative(700, fsm.TalkLimits{PerPrompt: n - 1})).says("go").room(n - 1).noted("are left of the budget")
	p := free()
	p.Level, p.Tasks.Graph = fsm.Guidance, "/plan.json"
	p.Main.List = []fsm.Rule{{Name: "no", Verdict: fsm.Deny, Tools: []string{"Agent"}}}
	pl := begin(t, p).do(fsm.Event{Kind: fsm.ToolRequest, Tool: agentTool("dev", "1"),
		Facts: fsm.Facts{Graph: "Words."}})
	pl.gets(fsm.Warn, "rule no").told("There is no task graph")
	if n := utf8.RuneCountInString(pl.d.Reason + pl.d.Inject); pl.d.InjectedChars != n {
		t.Errorf("charged %d of %d", pl.d.InjectedChars, n)
	}
}

// TestTextThatFails: where a state's text cannot be filled in, the main agent is told where the pipeline stands.
func TestTextThatFails(t *testing.T) {
	p := talkative(1, fsm.TalkLimits{})
	p.States[0].Inject = "{{ .Nothing }}"
	begin(t, p).says("go").noted("inject of A: ").told("The pipeline is in state A; start one of: a.")
}
