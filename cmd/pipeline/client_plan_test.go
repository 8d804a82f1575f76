package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/cmd/pipeline/internal/e2e"
)

// planFile is where the newer client wants its plan written.
var planFile = regexp.MustCompile(`/\S+/\.claude/plans/[a-z0-9-]+\.md`)

// TestClientApprovedPlan: a plan that a person approves at the client's window binds the agents, and the turn goes on
// until it has begun.
func TestClientApprovedPlan(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := working(t, "tasks: {from: [plan]}\nhold: {until: [plan], tries: 2}\n")
		writes := e2e.Given(func(r *e2e.Request) e2e.Turn {
			return e2e.Call("Write", e2e.Input{"file_path": planFile.FindString(r.Told()), "content": graphPlan})
		})
		s.Say("main", e2e.Call("ToolSearch", e2e.Input{"query": "select:ExitPlanMode"}), writes,
			e2e.Call("ExitPlanMode", e2e.Input{"plan": graphPlan}),
			e2e.Text("that is the plan"), e2e.StartWait("c-developer", "two"), e2e.StartWait("bash-developer", "one"),
			e2e.Text("so much for today"))
		s.Say("bash-developer", e2e.Text("one is done"))
		w := s.Open(t, v, s.Model, e2e.Arg("--permission-mode", "plan"), e2e.Allow(everything))
		w.Say("plan it")
		w.Wait("Would you like to proceed?")
		looked, asked := 0, s.Answered("main", 4)
		w.Until("take the approval", func() bool { // keys that come soon after one another are not taken for an answer
			if looked++; looked%30 == 0 && !asked() {
				w.Press("1")
			}
			return asked()
		})
		w.Until("tell what the agent found", func() bool { return strings.Contains(s.toldMain(), "one is done") })
		w.Close()
		told := s.toldMain()
		for _, want := range []string{"The plan has not begun", `Agent "c-developer" has its turn in phase two`} {
			if !strings.Contains(told, want) {
				t.Errorf("the main agent was not told %q", want)
			}
		}
		if drawn := s.pipeline("tasks"); !strings.Contains(drawn, "1 of 2 done") {
			t.Errorf("the graph is drawn as\n%s", drawn)
		}
	})
}

// toldMain is all that the main agent was told so far.
func (s *enforced) toldMain() (told string) {
	for _, r := range s.Requests() {
		if r.Speaker == e2e.Main {
			told += r.New
		}
	}
	return told
}

// TestClientPlanLeadsOn: a plan that a person approves at the client's window moves the pipeline, and its text is told
// where the config names it.
func TestClientPlanLeadsOn(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := working(t, "initial: TALK\nstates:\n  TALK: {helpers: [Explore], on_plan: BUILD, capture: plan}\n"+
			"  BUILD: {agents: [bash-developer], inject: \"Build this: {{ .Context.plan }}\"}\n")
		writes := e2e.Given(func(r *e2e.Request) e2e.Turn {
			return e2e.Call("Write", e2e.Input{"file_path": planFile.FindString(r.Told()),
				"content": "first the parser"})
		})
		s.Say("main", e2e.StartWait("bash-developer", "too early"),
			e2e.Call("ToolSearch", e2e.Input{"query": "select:ExitPlanMode"}), writes,
			e2e.Call("ExitPlanMode", e2e.Input{"plan": "first the parser"}), e2e.Text("so be it"))
		w := s.Open(t, v, s.Model, e2e.Arg("--permission-mode", "plan"), e2e.Allow(everything))
		w.Say("plan it")
		w.Wait("Would you like to proceed?")
		if drawn := s.pipeline("status"); !strings.Contains(drawn, "TALK") {
			t.Errorf("before the approval the state is\n%s", drawn)
		}
		looked, asked := 0, s.Answered("main", 5)
		w.Until("take the approval", func() bool { // keys that come soon after one another are not taken for an answer
			if looked++; looked%30 == 0 && !asked() {
				w.Press("1")
			}
			return asked()
		})
		w.Close()
		if told := s.toldMain(); !strings.Contains(told, "Build this: first the parser") {
			t.Errorf("the main agent was told\n%s", told)
		}
		if drawn := s.pipeline("status"); !strings.Contains(drawn, "BUILD") {
			t.Errorf("after the approval the state is\n%s", drawn)
		}
	})
}
