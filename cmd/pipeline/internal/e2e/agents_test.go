package e2e

import (
	"strings"
	"testing"
)

func TestForegroundAgent(t *testing.T) {
	EachVersion(t, func(t *testing.T, v Version) {
		p, m, log := scene(t)
		m.Say("main", StartWait("gatherer", "go"), Text("done"))
		m.Say("gatherer", Call("Bash", Input{"command": "echo hello"}), Text("gathered 42"))

		run := p.Claude(t, v, m, "build me a thing", Allow("Bash Agent"))

		run.WantTold(t, "main", "gathered 42")
		run.WantTold(t, "gatherer", "hello")
		log.WantTrace(t, `
			main SessionStart
			main UserPromptSubmit
			main PreToolUse(Agent)
			gatherer SubagentStart
			gatherer PreToolUse(Bash)
			gatherer PostToolUse(Bash)
			gatherer PostToolBatch
			gatherer SubagentStop
			main PostToolUse(Agent)
			main PostToolBatch
			main Stop
			main SessionEnd`)
	})
}

// The agent answers only after the main agent has stopped, so that its end is
// a turn of its own and not part of a tool's result.
func TestBackgroundAgent(t *testing.T) {
	EachVersion(t, func(t *testing.T, v Version) {
		p, m, log := scene(t)
		m.Say("main", StartAside("gatherer", "go"), Text("started"), Text("done"))
		m.Say("gatherer", Text("gathered 42").Until(log.Has("Stop")))

		run := p.Claude(t, v, m, "build me a thing", Allow("Agent"))

		run.WantTold(t, "main", "gathered 42")
		run.WantResults(t, "started", "done")
		log.WantTrace(t, `
			main SessionStart
			main UserPromptSubmit
			main PreToolUse(Agent)
			main PostToolUse(Agent)
			main PostToolBatch
			main Stop
			gatherer SubagentStop
			main UserPromptSubmit
			main Stop
			main SessionEnd`, "SubagentStart")
		notified := log.Payloads("UserPromptSubmit")[1].Prompt
		if !strings.HasPrefix(notified, "<task-notification>") {
			t.Errorf("second prompt is %.80q, want a notification", notified)
		}
	})
}

func TestDeniedTool(t *testing.T) {
	EachVersion(t, func(t *testing.T, v Version) {
		p, m, log := scene(t)
		p.Settings(denyHook("Bash", "ask the gatherer first"))
		m.Say("main", Call("Bash", Input{"command": "touch ran"}), Text("done"))

		run := p.Claude(t, v, m, "build me a thing", Allow("Bash"))

		run.WantTold(t, "main", "ask the gatherer first")
		if fileExists(p.Path("ran")) {
			t.Error("the denied command ran")
		}
		log.WantTrace(t, `
			main SessionStart
			main UserPromptSubmit
			main PreToolUse(Bash)
			main PostToolBatch
			main Stop
			main SessionEnd`)
	})
}

func TestAgentWithApiError(t *testing.T) {
	EachVersion(t, func(t *testing.T, v Version) {
		p, m, log := scene(t)
		m.Say("main", StartWait("gatherer", "go"), Text("done"))
		m.Say("gatherer", Fail(400, "out of order"))

		run := p.Claude(t, v, m, "build me a thing", Allow("Agent"), Env("CLAUDE_CODE_MAX_RETRIES=0"))

		run.WantTold(t, "main", "out of order")
		if got := log.Trace("StopFailure", "SubagentStop"); len(got) != 1 || got[0] != "gatherer StopFailure" {
			t.Errorf("trace is %q", got)
		}
	})
}

// A fork asks with the main agent's conversation before its own.
func TestForkedAgent(t *testing.T) {
	EachVersion(t, func(t *testing.T, v Version) {
		p, m, log := scene(t)
		m.Say("main", Start("fork", "[[twin]] go"), Text("started"), Text("done"))
		m.Say("twin", Call("Bash", Input{"command": "echo hello"}), Text("found 7").Until(log.Has("Stop")))

		run := p.Claude(t, v, m, "build me a thing", Allow("Bash Agent"), Env("CLAUDE_CODE_FORK_SUBAGENT=1"))

		run.WantTold(t, "twin", "hello")
		run.WantTold(t, "main", "found 7")
		run.WantNotTold(t, "main", "hello")
	})
}

func TestSkillThatForks(t *testing.T) {
	EachVersion(t, func(t *testing.T, v Version) {
		p, m, log := scene(t)
		p.Skill("survey", "[[survey]] look around", "context: fork", "agent: gatherer")
		m.Say("main", Call("Skill", Input{"skill": "survey"}), Text("done"))
		m.Say("survey", Text("surveyed 9"))

		run := p.Claude(t, v, m, "build me a thing", Allow("Skill"))

		run.WantTold(t, "main", "surveyed 9")
		log.WantTrace(t, `
			main SessionStart
			main UserPromptSubmit
			main PreToolUse(Skill)
			gatherer SubagentStart
			gatherer SubagentStop
			main PostToolUse(Skill)
			main PostToolBatch
			main Stop
			main SessionEnd`)
	})
}
