package tasks_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/agent-pipeline/pipeline/fsm/tasks"
)

const plan = `{"phases":[
	{"id":"look","agent":"explore","wave":1},
	{"id":"build","agent":"dev","wave":2},
	{"id":"docs","agent":"writer","wave":2},
	{"id":"test","agent":"tester","wave":3},
	{"id":"polish","agent":"dev","wave":4},
	{"id":"news","agent":"writer","after":["look"]}]}`

// play follows a script: "+ID AGENT" starts a run, "-ID" ends it well, "!ID" badly, "?ID"
// loses it. "AGENT=first, second" is what must finish before the agent may start,
// "AGENT=" says that it may, "AGENT=free" that the graph does not know it.
func play(t *testing.T, g tasks.Graph, pr tasks.Progress, script ...string) tasks.Progress {
	t.Helper()
	for _, line := range script {
		agent, want, ask := strings.Cut(line, "=")
		run, agentOf, _ := strings.Cut(line[1:], " ")
		switch {
		case ask:
			o := g.MayStart(pr, agent, 0, same)
			got := strings.Join(o.First, ", ")
			if !o.Bound {
				got = "free"
			}
			if got != want {
				t.Errorf("%s: got %q", line, got)
			}
		case line[0] == '+':
			pr = g.Start(pr, agentOf, run, same)
		case line[0] == '-':
			pr = pr.Stop(run, true)
		case line[0] == '!':
			pr = pr.Stop(run, false)
		case line[0] == '?':
			pr = pr.Lose(run)
		}
	}
	return pr
}

func TestOrder(t *testing.T) {
	g := parsed(t, plan)
	for name, c := range map[string]struct{ script, left string }{
		"the beginning": {"explore= ; Dev=look (explore) ; tester=look (explore), build (dev), docs (writer) " +
			"; writer=look (explore) ; helper=free", "look build docs test polish news"},
		"while the first runs": {"+1 explore ; explore= ; dev=look (explore)", "look build docs test polish news"},
		"the second wave": {"+1 explore ; -1 ; dev= ; writer= ; tester=build (dev), docs (writer)",
			"build docs test polish news"},
		"a second of a type": {"+1 explore ; -1 ; +2 dev ; dev=build (dev), docs (writer), test (tester)",
			"build docs test polish news"},
		"a failure can be tried again": {"+1 explore ; !1 ; explore= ; dev=look (explore) ; +2 explore ; -2 ; dev=",
			"build docs test polish news"},
		"a lost run frees its phase": {"+1 explore ; ?1 ; explore= ; +2 explore ; -2 ; dev=",
			"build docs test polish news"},
		"a lost run wakes up":           {"+1 explore ; ?1 ; +1 explore ; -1", "build docs test polish news"},
		"a lost run ends after all":     {"+1 explore ; ?1 ; -1", "build docs test polish news"},
		"a later failure takes nothing": {"+1 explore ; -1 ; +1 explore ; !1 ; dev=", "build docs test polish news"},
		"a run that wakes up takes no other phase": {"+1 explore ; -1 ; +w writer ; -w ; +w writer ; -w",
			"build test polish news"},
		"doubled and unknown": {"+1 explore ; +1 explore ; -1 ; -1 ; -9 ; !9 ; ?9 ; dev=",
			"build docs test polish news"},
		"done work may be done again": {"+1 explore ; -1 ; explore= ; +2 explore ; !2 ; dev=",
			"build docs test polish news"},
		"a failure below is fixed": {"+1 explore ; -1 ; +d dev ; -d ; +w writer ; -w ; dev=test (tester) ; +t " +
			"tester ; !t ; dev= ; +e dev ; -e ; tester= ; +u tester ; -u ; dev=",
			"polish news"},
		"all": {"+1 explore ; -1 ; +d dev ; -d ; +w writer ; -w ; +x writer ; -x ; +t tester ; " +
			"-t ; +e dev ; -e ; dev= ; tester=", ""},
		"let in over an objection": {"+d dev ; -d ; explore=", "look docs test polish news"},
	} {
		t.Run(name, func(t *testing.T) {
			pr := play(t, g, tasks.Progress{}, strings.Split(c.script, " ; ")...)
			var left []string
			for _, l := range g.Left(pr) {
				id, _, _ := strings.Cut(l, " ")
				left = append(left, id)
			}
			if got := strings.Join(left, " "); got != c.left {
				t.Errorf("left: %s", got)
			}
		})
	}
}

// Those who were let in and have not started yet each take a ready phase away.
func TestLetIn(t *testing.T) {
	g := parsed(t, `{"phases":[{"id":"a","agent":"dev","wave":1},{"id":"b","agent":"dev","wave":1},{"id":"c","agent":"dev","wave":2}]}`)
	for letIn, want := range []int{0, 0, 2} {
		if o := g.MayStart(tasks.Progress{}, "dev", letIn, same); (len(o.First) > 0) != (want > 0) ||
			len(o.First) != want {
			t.Errorf("%d let in: %+v", letIn, o)
		}
	}
}

func TestTeams(t *testing.T) {
	g := parsed(t, `{"phases":[{"id":"look","teammates":[{"agent":"explore","name":"ann"},"explore"],"phase_type":"team","wave":1},{"id":"b","agent":"dev","wave":2}]}`)
	pr := play(t, g, tasks.Progress{}, "ann=", "+1 ann", "explore=", "+2 explore", "-1", "dev=look (team of 2)")
	if st := g.Status(pr, 0); st != tasks.Running {
		t.Errorf("one of two is done: %s", st)
	}
	play(t, g, pr, "-2", "dev=")
	g.Mode = tasks.Team
	play(t, g, tasks.Progress{}, "dev=", "+1 dev", "-1", "ann=") // a team orders its work itself
	if o := g.MayStart(tasks.Progress{}, "dev", 0, same); !o.Bound {
		t.Error("its progress is kept all the same")
	}
}

// someGraph draws a graph that Parse takes: a phase comes only after earlier ones, and waves do not fall.
func someGraph(t *rapid.T) tasks.Graph {
	g, wave := tasks.Graph{}, 1
	for i := range rapid.IntRange(1, 12).Draw(t, "phases") {
		p := tasks.Phase{ID: fmt.Sprint("p", i), Agent: rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t,
			"agent")}
		if wave += rapid.IntRange(0, 1).Draw(t, "next wave"); rapid.Bool().Draw(t, "in a wave") {
			p.Wave = wave
		}
		for k := range i {
			if rapid.IntRange(0, 3).Draw(t, "after") == 0 {
				p.After = append(p.After, g.Phases[k].ID)
			}
		}
		if rapid.IntRange(0, 4).Draw(t, "team") == 0 {
			p.Teammates = []tasks.Teammate{{Agent: p.Agent}, {Name: "b"}}
		}
		g.Phases = append(g.Phases, p)
	}
	return g
}

// finished starts and ends what is ready until nothing is, and returns what is left then.
func finished(t testing.TB, g tasks.Graph) []string {
	pr := tasks.Progress{}
	exactly := func(pattern, name string) bool { return pattern == name }
	for n := 0; len(g.Ready(pr)) > 0; n++ {
		i := g.Ready(pr)[0]
		run, agent := fmt.Sprint(n), hand(g, pr, i, exactly)
		if o := g.MayStart(pr, agent, 0, exactly); !o.Bound || len(o.First) > 0 {
			t.Fatalf("phase %s is ready, but %q is refused: %+v", g.Phases[i], agent, o)
		}
		before := g.Left(pr)
		if pr = g.Start(pr, agent, run, exactly).Stop(run, true); n > 1000 {
			t.Fatalf("%d starts, and still %v, %v", n, before, g.Left(pr))
		}
	}
	return g.Left(pr)
}

// hand is an agent that takes a part of the phase, or of another that is as ready.
func hand(g tasks.Graph, pr tasks.Progress, i int, same tasks.Same) string {
	for _, m := range g.Phases[i].Teammates {
		name := m.String()
		if o := g.MayStart(pr, name, 0, same); o.Phase >= 0 && len(o.First) == 0 {
			return name
		}
	}
	return g.Phases[i].Agent
}

func TestEveryGraphEnds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := someGraph(rt)
		text := g.Encode()
		parsed(t, text)
		if left := finished(t, g); left != nil {
			rt.Errorf("it stops with %v left", left)
		}
	})
}

// Events come doubled, late, in another order, or not at all. A caller that obeys May
// keeps the order, no mark is lost, and with the lost runs freed some phase can start.
func TestAnyEvents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, pr := someGraph(t), tasks.Progress{}
		for range rapid.IntRange(0, 60).Draw(t, "events") {
			run := fmt.Sprint("r", rapid.IntRange(0, 15).Draw(t, "run"))
			agent := rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}).Draw(t, "agent")
			was, text := g.Left(pr), fmt.Sprint(pr)
			before := pr
			switch rapid.IntRange(0, 4).Draw(t, "what") {
			case 0, 1:
				if o := g.MayStart(pr, agent, 0, same); len(o.First) == 0 {
					pr = g.Start(pr, agent, run, same)
					inOrder(t, g, pr)
				}
			case 2:
				pr = pr.Stop(run, true)
			case 3:
				pr = pr.Stop(run, false)
			case 4:
				pr = pr.Lose(run)
			}
			if fmt.Sprint(before) != text {
				t.Fatal("the old progress was changed")
			}
			for _, l := range g.Left(pr) {
				if !slices.Contains(was, l) {
					t.Fatalf("%s was done", l)
				}
			}
		}
		for _, id := range pr.Live() {
			pr = pr.Lose(id)
		}
		if len(g.Left(pr)) > 0 && len(g.Ready(pr)) == 0 {
			t.Fatalf("nothing may start, and %v are left", g.Left(pr))
		}
	})
}

// inOrder holds what has begun against the graph as it is written, not against what May makes of it.
func inOrder(t *rapid.T, g tasks.Graph, pr tasks.Progress) {
	for i, p := range g.Phases {
		if st := g.Status(pr, i); st != tasks.Running && st != tasks.Done {
			continue
		}
		for k, q := range g.Phases {
			needed := slices.Contains(p.After, q.ID) || p.Wave > 0 && q.Wave > 0 && q.Wave < p.Wave
			if needed && g.Status(pr, k) != tasks.Done {
				t.Fatalf("%s is %s, %s is %s", p, g.Status(pr, i), q, g.Status(pr, k))
			}
		}
	}
}

// The largest progress is small enough for a line of the journal.
func TestProgressIsSmall(t *testing.T) {
	g, pr := tasks.Graph{}, tasks.Progress{Graph: strings.Repeat("f", 64)}
	for i := range tasks.MaxPhases {
		g.Phases = append(g.Phases, tasks.Phase{ID: fmt.Sprint(i),
			Teammates: []tasks.Teammate{{Agent: "a"}, {Agent: "a"}}})
	}
	for i := range 1000 {
		run := fmt.Sprintf("a%016x", i)
		if pr = g.Start(pr, "a", run, same); i%2 == 0 {
			pr = pr.Stop(run, i%4 == 0)
		}
	}
	ended := 0
	for _, r := range pr.Runs {
		if r.Ended {
			ended++
		}
	}
	body, err := json.Marshal(pr)
	if err != nil || len(body) > 20000 || len(pr.Runs) < 20 || ended > 40 || !pr.More || pr.MayResume("a0") {
		t.Errorf("%d bytes, %d runs: %v", len(body), len(pr.Runs), err)
	}
}
