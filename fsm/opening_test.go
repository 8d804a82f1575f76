package fsm_test

import (
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
)

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
		"refactor it, and THEN run it": "Plan first.", "tests": "", "refactoring and thence": "", "a (module-wide) refactor!": "Plan first.", "": "", "tests tests": "",
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
