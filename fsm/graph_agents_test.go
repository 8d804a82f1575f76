package fsm_test

import (
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
)

// planned is PLAN –planner→ BUILD –turn ends→ REVIEW –critic→ DONE, where graphs come from the planner.
func inForce() *fsm.Policy {
	move := func(agent, to string) fsm.Trigger {
		return fsm.Trigger{Name: agent, Agents: []string{agent}, To: to}
	}
	help := fsm.Trigger{Name: "scout", Agents: []string{"scout"}, To: "BUILD", Helper: true}
	return &fsm.Policy{Level: fsm.Strict, Initial: "PLAN", Fingerprint: "x",
		Tasks: fsm.TaskSource{From: []string{fsm.FromAgent, fsm.FromPlan}, Agents: []string{"planner"}},
		States: []fsm.State{
			{Name: "PLAN", Triggers: []fsm.Trigger{move("planner", "BUILD"), move("asker", "PLAN")}},
			{Name: "BUILD", Triggers: []fsm.Trigger{move("dev-*", "BUILD"), move("p:maker", "BUILD"), help}, OnStop: "REVIEW"},
			{Name: "REVIEW", Triggers: []fsm.Trigger{move("critic", "DONE")}},
			{Name: "DONE"},
		}}
}

func TestGraphOfAgentsThatMayNotRun(t *testing.T) {
	const asker = `phases[0].agent: no state that the pipeline can reach by then admits agent "asker"; those that may run are dev-*, p:maker, scout, critic`
	for _, tt := range []struct {
		name, phases string
		mistakes     string // "" for none
	}{
		{"all may run", `{"id":"a","agent":"dev-c"},{"id":"b","agent":"critic","after":["a"]}`, ""},
		{"a plugin's, without its prefix", `{"id":"a","agent":"maker"}`, ""},
		{"a pattern may be anybody", `{"id":"a","agent":"x-*"}`, ""},
		{"who may run in no state", `{"id":"a","agent":"dev-c"},{"id":"b","agent":"stranger"}`, `phases[1].agent: no state that the pipeline can reach by then admits agent "stranger"`},
		{"who could have run before", `{"id":"a","agent":"asker"},{"id":"b","agent":"dev-c","after":["a"]}`, asker},
		{"those behind him are not named", `{"id":"a","agent":"asker"},{"id":"b","agent":"dev-c","after":["a"]},{"id":"c","agent":"critic","after":["b"]}`, asker},
		{"who leads on waits for who comes later", `{"id":"a","agent":"critic"},{"id":"b","agent":"dev-*","after":["a"]}`, ""}, // another of dev-* may lead on
		{"in two states that wait for each other", `{"id":"a","agent":"critic"},{"id":"b","agent":"maker","after":["a"]}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			graph := "```json\n{\"phases\":[" + tt.phases + "]}\n```"
			pl := begin(t, inForce()).asks(main(), "planner", "u1").passes().starts("a1", "planner").stops("a1",
				"planner", graph)
			if tt.mistakes == "" {
				if pl.in("BUILD"); pl.d.Hold || pl.s.Tasks.Progress == nil {
					t.Fatalf("%+v", pl.d)
				}
				return
			}
			if pl.in("PLAN"); !pl.d.Hold || pl.d.Rule != fsm.RuleTasks || !strings.Contains(pl.d.Reason, tt.mistakes) ||
				strings.Count(pl.d.Reason, "phases[") != 1 {
				t.Fatalf("%+v", pl.d)
			}
			for range 3 {
				pl.stops("a1", "planner", graph)
			}
			if pl.in("BUILD"); pl.s.Tasks.Progress != nil {
				t.Fatal("a graph that locks the session is in force")
			}
		})
	}
}

// TestGraphLocksNoAgent: where states and turns wait for each other crosswise, no agent could ever start.
func TestGraphLocksNoAgent(t *testing.T) {
	p := inForce()
	p.States[1].Triggers = p.States[1].Triggers[1:2] // only maker works in BUILD
	graph := "```json\n" + `{"phases":[{"id":"a","agent":"critic"},{"id":"b","agent":"maker","after":["a"]}]}` + "\n```"
	pl := begin(t, p).asks(main(), "planner", "u1").starts("a1", "planner").stops("a1", "planner", graph)
	if !pl.d.Hold || !strings.Contains(pl.d.Reason, `admits agent "critic"; those that may run are p:maker.`) {
		t.Fatalf("%+v", pl.d)
	}
}

// TestGraphOfAgentsBelowStrict: an agent that no state lets in may start all the same, and so may have its turn.
func TestGraphOfAgentsBelowStrict(t *testing.T) {
	for _, level := range []fsm.Level{fsm.AskFirst, fsm.Guidance} {
		p := inForce()
		p.Level = level
		pl := begin(t, p).asks(main(), "planner", "u1").starts("a1", "planner").stops("a1", "planner",
			`{"phases":[{"id":"a","agent":"stranger"}]}`)
		if pl.d.Hold || pl.s.Tasks.Progress == nil {
			t.Errorf("%s: %+v", level, pl.d)
		}
	}
}

// TestGraphKeepsWhatIsDone: a plan that is given again may name agents whose turn is over, though they may not run
// any more.
func TestGraphKeepsWhatIsDone(t *testing.T) {
	p := inForce()
	p.Tasks.Agents = []string{"planner", "critic"}
	p.States[2].Triggers[0].To = "REVIEW"
	plan := `{"phases":[{"id":"a","agent":"maker"},{"id":"b","agent":"critic","after":["a"]}]}`
	pl := begin(t, p).runs("a1", "planner", plan).in("BUILD").runs("a2", "p:maker", "made").ends().in("REVIEW")
	pl.runs("a3", "critic", plan[:len(plan)-2]+`,{"id":"c","agent":"critic"}]}`)
	if text := pl.texts[pl.s.Machine.Captures[fsm.TasksCapture].Hash]; !strings.Contains(text, `"id":"c"`) {
		t.Fatalf("in force is %s", text)
	}
}

// TestGraphLetsGo: where the order of a graph that is in force cannot be kept any more, it does not lock the session;
// where it can be, or somebody who has a part in it is at work, it holds.
func TestGraphLetsGo(t *testing.T) {
	plan := `{"phases":[{"id":"a","agent":"maker"},{"id":"b","agent":"critic","after":["a"]}]}`
	built := func(p *fsm.Policy) *play { return begin(t, p).runs("a1", "planner", plan).in("BUILD") }
	to := func(pl *play, state string) *play {
		return pl.do(fsm.Event{Kind: fsm.Reset, Source: state, Text: "go there"}).in(state)
	}
	to(built(inForce()), "REVIEW").asks(main(), "critic", "u").passes().noted("it does not bind agent critic")

	none := inForce()
	none.States, none.Initial = nil, ""
	begin(t, none).runs("a1", "planner", plan).asks(main(), "critic", "u").denied("which waits for: a (maker)")

	to(built(inForce()).asks(main(), "p:maker", "u1").passes().starts("a2", "p:maker"), "REVIEW").
		asks(main(), "critic", "u").denied("which waits for: a (maker)")

	back := inForce()
	back.States[2].Triggers = append(back.States[2].Triggers,
		fsm.Trigger{Name: "fixer", Agents: []string{"fixer"}, To: "BUILD"})
	to(built(back), "REVIEW").asks(main(), "critic", "u").denied("which waits for: a (maker)")

	// a pattern leads back, but who fits it has his turn in the graph: there may be no other
	back = inForce()
	back.States[2].Triggers = append(back.States[2].Triggers,
		fsm.Trigger{Name: "cri*", Agents: []string{"cri*"}, To: "BUILD"})
	to(built(back), "REVIEW").asks(main(), "critic", "u").passes()
}
