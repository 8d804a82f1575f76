package e2e

import (
	"strings"
	"testing"
)

func TestResume(t *testing.T) {
	EachVersion(t, func(t *testing.T, v Version) {
		p, m, log := scene(t)
		m.Say("main", Text("one"), Text("two"), Text("three"))

		first := p.Claude(t, v, m, "first prompt")
		second := p.Claude(t, v, m, "second prompt", Resume(first.Session))
		forked := p.Claude(t, v, m, "third prompt", Resume(first.Session), Fork())

		first.WantResults(t, "one")
		second.WantResults(t, "two")
		forked.WantResults(t, "three")
		if second.Session != first.Session || forked.Session == first.Session {
			t.Errorf("sessions %s, %s, %s: want the third to differ", first.Session, second.Session, forked.Session)
		}
		if told := second.ToldTo("main"); strings.Contains(told, "first prompt") {
			t.Errorf("the second run was told again: %s", told)
		}
		if got := len(log.Payloads("SessionStart")); got != 3 {
			t.Errorf("%d session starts, want 3", got)
		}
	})
}

func TestCompaction(t *testing.T) {
	EachVersion(t, func(t *testing.T, v Version) {
		p, m, log := scene(t)
		m.Say("main", Call("Bash", Input{"command": "echo hello"}), Text("one"))
		m.When(IsCompaction, Text("<summary>it was short</summary>"))

		first := p.Claude(t, v, m, "first prompt", Allow("Bash"))
		p.Claude(t, v, m, "/compact", Resume(first.Session))
		after := p.Claude(t, v, m, "second prompt", Resume(first.Session))

		if asked := after.Asked("main"); len(asked) != 1 || !strings.Contains(asked[0].Told(), "it was short") {
			t.Errorf("after the compaction main was told %s", after.ToldTo("main"))
		}
		if got := log.Trace("PreCompact", "PostCompact"); len(got) != 2 {
			t.Errorf("trace is %q", got)
		}
	})
}

func TestSignal(t *testing.T) {
	EachVersion(t, func(t *testing.T, v Version) {
		p, m, log := scene(t)
		m.Say("main", StartWait("gatherer", "go"))
		m.Say("gatherer", Text("never").Until(func() bool { return false }))

		run := p.Claude(t, v, m, "build me a thing", Allow("Agent"), kill(log.Has("SubagentStart")))

		if run.Exit == 0 || len(run.Results()) != 0 {
			t.Errorf("exit %d, results %q", run.Exit, run.Results())
		}
	})
}
