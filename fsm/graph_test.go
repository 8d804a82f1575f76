package fsm_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/tasks"
)

// plan has two waves, and in the second one phase after another.
const plan = `{"phases": [{"id": "look", "agent": "Explore", "wave": 1}, {"id": "build", "agent": "dev", "wave": 2}, {"id": "test", "agent": "tester", "wave": 2, "after": ["build"]}]}`

func fenced(graph string) string { return "The plan:\n\n```json\n" + graph + "\n```\n" }

// free is a policy without states, in which any agent may start.
func free() *fsm.Policy { return &fsm.Policy{Level: fsm.Strict, Fingerprint: "test"} }

// from is one that takes graphs from there.
func from(where ...string) *fsm.Policy {
	p := free()
	p.Tasks = fsm.TaskSource{From: where, Agents: []string{"planner"}}
	return p
}

// planned is a session in which a planner has brought a graph.
func planned(t testing.TB, p *fsm.Policy, graph string) *play {
	return begin(t, p).runs("p", "planner", fenced(graph))
}

// marks are the letters of what is done of the graph, or "none".
func (pl *play) marks(want string) *play {
	pl.Helper()
	got := "none"
	if pl.s.Tasks.Progress != nil {
		got = pl.s.Tasks.Progress.Marks
	}
	if got != want {
		pl.Fatalf("the graph is at %q, expected %q; notes: %q", got, want, pl.d.Notes)
	}
	return pl
}

// prompted is a prompt while the graph's file has this text.
func (pl *play) prompted(file string) *play {
	pl.Helper()
	return pl.do(fsm.Event{Kind: fsm.Prompt, Text: "go on", Facts: fsm.Facts{Graph: file}})
}

func (pl *play) approved(text string) *play {
	pl.Helper()
	return pl.do(fsm.Event{Kind: fsm.ToolResult, Agent: main(),
		Tool: fsm.Tool{Name: "ExitPlanMode", UseID: "x", Planned: true, Plan: text}})
}

func (pl *play) task(t tasks.HostTask) *play {
	pl.Helper()
	return pl.do(fsm.Event{Kind: fsm.ToolResult, Agent: main(),
		Tool: fsm.Tool{Name: "TaskUpdate", UseID: "t", Task: &t}})
}

func TestGraphOfAnAgent(t *testing.T) {
	pl := planned(t, from(fsm.FromAgent), plan).marks("")
	pl.asks(main(), "dev", "1").denied(`Agent "dev" has its turn in phase build (dev) of the plan, which waits for: look (Explore). Ready now: look (Explore).`)
	if pl.d.Rule != fsm.RuleTasks {
		t.Errorf("rule %s", pl.d.Rule)
	}
	pl.asks(main(), "tester", "2").denied("look (Explore)")
	pl.asks(main(), "stranger", "3").passes()
	pl.runs("e", "Explore", "found").marks("d")
	pl.asks(main(), "tester", "4").denied("build (dev)").runs("d", "dev", "built").marks("dd").runs("t", "tester",
		"fine").marks("ddd")
}

// TestGraphIsOnlyFromWhereItMayCome: an agent that is no planner, and sources that are not configured.
func TestGraphIsOnlyFromWhereItMayCome(t *testing.T) {
	begin(t, from(fsm.FromAgent)).runs("x", "dev", fenced(plan)).marks("none")
	planned(t, from(fsm.FromPlan, fsm.FromHost), plan).marks("none")
	begin(t, from(fsm.FromAgent)).approved(fenced(plan)).marks("none").task(tasks.HostTask{ID: "1", Subject: "[dev] x",
		Status: "pending"}).marks("none")
	open := from(fsm.FromAgent)
	open.Tasks.Agents = nil
	begin(t, open).runs("x", "dev", fenced(plan)).marks("")
}

// TestGraphWithMistakes: the planner is sent back with what is wrong, so often; then the main agent and the user hear
// of it.
func TestGraphWithMistakes(t *testing.T) {
	pl := begin(t, from(fsm.FromAgent)).asks(main(), "planner", "1").starts("p", "planner")
	bad := fenced(strings.Replace(plan, `["build"]`, `["bild"]`, 1))
	for i := range 3 {
		if pl.stops("p", "planner", bad); !pl.d.Hold || pl.d.Rule != fsm.RuleTasks ||
			!strings.Contains(pl.d.Reason, `did you mean "build"?`) {
			t.Fatalf("%d: %+v", i, pl.d)
		}
	}
	pl.stops("p", "planner", bad).marks("none")
	if pl.d.Hold || !strings.Contains(strings.Join(pl.d.Notices, ""), "was sent back 3 times") {
		t.Fatalf("%+v", pl.d)
	}
	pl.result("planner", "1", "p").told("The task graph of agent planner has mistakes")
	fixed := begin(t, from(fsm.FromAgent)).asks(main(), "planner", "1").starts("p", "planner").stops("p", "planner",
		bad)
	fixed.stops("p", "planner", fenced(plan)).marks("")
}

func TestGraphOfAPlan(t *testing.T) {
	pl := begin(t, from(fsm.FromPlan)).approved("Just words.").marks("none").told("")
	pl.approved(fenced(`{"phases": [{"id": "a"}, {"id": "a"}]}`)).marks("none").told("The task graph in the approved plan has mistakes")
	pl.approved(fenced(plan)).marks("").asks(main(), "dev", "1").denied("look")
}

func TestGraphOfTheHost(t *testing.T) {
	pl := begin(t, from(fsm.FromHost)).task(tasks.HostTask{ID: "1", Subject: "[Explore] look", Status: "pending"})
	pl.task(tasks.HostTask{ID: "2", Subject: "[dev] build", Status: "pending"}).asks(main(), "dev", "1").passes()
	pl.task(tasks.HostTask{ID: "2", BlockedBy: []string{"1"}}).asks(main(), "dev", "2").denied("1 (Explore)")
	// a word is no evidence
	pl.task(tasks.HostTask{ID: "1", Status: "completed"}).asks(main(), "dev", "3").denied("1 (Explore)")
	pl.task(tasks.HostTask{ID: "1", BlockedBy: []string{"2"}}).told("The task list has mistakes")
	pl.runs("e", "Explore", "found").asks(main(), "dev", "4").passes()
	pl.task(tasks.HostTask{ID: "1", Status: "deleted"}).task(tasks.HostTask{ID: "2", Status: "deleted"}).marks("none")
	both := planned(t, from(fsm.FromAgent, fsm.FromHost), plan).task(tasks.HostTask{ID: "9", Subject: "[dev] x",
		Status: "pending"})
	both.asks(main(), "dev", "1").denied("look") // the list is kept of the plan, not in its place
}

// TestGraphOfAFile: it counts at once, its mistakes are told once, and a change takes over what is done.
func TestGraphOfAFile(t *testing.T) {
	p := free()
	p.Tasks.Graph = "/p/plan.json"
	pl := begin(t, p).prompted(plan).marks("")
	pl.runs("e", "Explore", "found").marks("d").prompted(plan).marks("d")
	pl.prompted(`{"phases": [{"id": "look"`).told("The task graph in /p/plan.json has mistakes").marks("d").prompted(`{"phases": [{"id": "look"`).told("")
	pl.prompted("Words.").told("There is no task graph in /p/plan.json")
	pl.prompted(strings.Replace(plan, `{"id": "build"`, `{"id": "more", "agent": "more", "wave": 1}, {"id": "build"`,
		1)).marks("d")
	pl.asks(main(), "dev", "1").denied("more (more)")
}

// TestGraphOfAFileAtAStart: a file that came to be since the prompt binds the very agent that is to start.
func TestGraphOfAFileAtAStart(t *testing.T) {
	p := free()
	p.Tasks.Graph = "/p/plan.json"
	asked := fsm.Event{Kind: fsm.ToolRequest, Agent: main(), Tool: agentTool("dev", "1"), Facts: fsm.Facts{Graph: plan}}
	begin(t, p).do(asked).denied("look (Explore)")
	asked.Agent, asked.Facts.Graph = sub("x", "other"), "Words."
	pl := begin(t, p).do(asked).passes().told("") // that agent cannot fix it
	pl.says("and?").told("There is no task graph in /p/plan.json")
}

// TestGraphOfAnAgentHoldsOverTheFile until the file is changed.
func TestGraphOfAnAgentHoldsOverTheFile(t *testing.T) {
	p := from(fsm.FromAgent)
	p.Tasks.Graph = "/p/plan.json"
	pl := begin(t, p).prompted(plan).runs("p", "planner",
		fenced(`{"phases": [{"id": "one", "agent": "dev"}]}`)).prompted(plan)
	pl.asks(main(), "dev", "1").passes().prompted(strings.Replace(plan, `"wave": 1`, `"wave": 1, "title": "anew"`,
		1)).asks(main(), "dev", "2").denied("look")
}

// TestGraphProgressIsEvidence: what failed, was lost, or never started is not done.
func TestGraphProgressIsEvidence(t *testing.T) {
	p := from(fsm.FromAgent)
	p.Fails = []string{"^BLOCKED"}
	pl := planned(t, p, plan).runs("e1", "Explore", "BLOCKED: no").marks("x").asks(main(), "dev", "1").denied("look")
	// the host no longer lists it
	pl.asks(main(), "Explore", "2").passes().starts("e2", "Explore").ends().marks("x").asks(main(), "dev",
		"3").denied("look")
	pl.stops("e2", "Explore", "found after all").marks("d")
	missed := planned(t, p, plan)
	missed.spawn = &fsm.Spawn{Type: "Explore", UseID: "z", Depth: 1}
	missed.stops("e3", "Explore", "found").marks("d") // its start was not seen, but it was here
	calling := planned(t, p, plan).uses(sub("e4", "Explore"), "Read").stops("e4", "Explore", "found").marks("d")
	calling.asks(main(), "dev", "1").passes()
}

// TestGraphSurvives a resume and a compaction: what is done stays done, who ran is free again.
func TestGraphSurvives(t *testing.T) {
	pl := planned(t, from(fsm.FromAgent), plan).runs("e", "Explore", "found").asks(main(), "dev", "1").starts("d",
		"dev")
	pl.do(fsm.Event{Kind: fsm.Compacted}).marks("d").asks(main(), "tester", "2").denied("build")
	pl.do(fsm.Event{Kind: fsm.SessionStart, Source: "resume"}).marks("d")
	if live := pl.s.Tasks.Progress.Live(); len(live) > 0 {
		t.Errorf("still at work: %q", live)
	}
	pl.asks(main(), "tester", "3").denied("build").runs("d2", "dev", "built").marks("dd")
}

func TestGraphOfAFork(t *testing.T) {
	parent := planned(t, from(fsm.FromAgent), plan).runs("e", "Explore", "found").asks(main(), "dev", "1").starts("d",
		"dev")
	pl := &play{TB: t, p: parent.p, texts: parent.texts, now: parent.now}
	pl.do(fsm.Event{Kind: fsm.SessionStart, Source: "fork",
		Facts: fsm.Facts{Parent: &parent.s, Captured: parent.captured()}}).marks("d")
	if live := pl.s.Tasks.Progress.Live(); len(live) > 0 {
		t.Errorf("the parent's agents are at work in the fork: %q", live)
	}
	pl.asks(main(), "tester", "2").denied("build").asks(main(), "dev", "3").passes()
}

// TestGraphNewVersion: the same phases keep what was done, one that another agent is to do does not.
func TestGraphNewVersion(t *testing.T) {
	pl := planned(t, from(fsm.FromAgent), plan).runs("e", "Explore", "found").runs("d", "dev", "built").marks("dd")
	again := strings.Replace(strings.Replace(plan, `"agent": "dev"`, `"agent": "other"`, 1), `{"id": "look"`,
		`{"id": "first", "agent": "x", "wave": 1}, {"id": "look"`, 1)
	pl.runs("p2", "planner", fenced(again)).marks(".d").asks(main(), "tester", "1").denied("first (x), build (other)")
}

func TestGraphIsForgotten(t *testing.T) {
	pl := planned(t, from(fsm.FromAgent), plan)
	pl.do(fsm.Event{Kind: fsm.Reset, Text: "why"}).marks("none").asks(main(), "dev", "1").passes()
	p := from(fsm.FromAgent)
	p.Initial = "A"
	p.States = []fsm.State{{Name: "A", Triggers: []fsm.Trigger{{Name: "planner", Agents: []string{"planner", "*"},
		To: "B"}}},
		{Name: "B", Clear: []string{fsm.TasksCapture},
			Triggers: []fsm.Trigger{{Name: "*", Agents: []string{"*"}, To: "A"}}}}
	pl = planned(t, p, plan).in("B").marks("") // what is cleared on the way is what was there before
	pl.runs("e", "Explore", "found").in("A").marks("d").runs("x", "x", "y").in("B").marks("none")
}

// TestGraphLetsIn: each agent takes a phase of its own, and one call that is registered twice takes one.
func TestGraphLetsIn(t *testing.T) {
	two := `{"phases": [{"id": "a", "agent": "dev", "wave": 1}, {"id": "b", "agent": "dev", "wave": 1}, {"id": "c", "agent": "dev", "wave": 2}]}`
	pl := planned(t, from(fsm.FromAgent), two)
	pl.asks(main(), "dev", "1").passes().asks(main(), "dev", "1").passes().asks(main(), "dev",
		"2").passes().asks(main(), "dev", "2").passes()
	pl.asks(main(), "dev", "3").denied("a (dev), b (dev)")
	one := planned(t, from(fsm.FromAgent),
		`{"phases": [{"id": "a", "agent": "dev", "wave": 1}, {"id": "c", "agent": "dev", "wave": 2}]}`)
	one.asks(main(), "dev", "1").passes().asks(main(), "dev", "1").passes()
}

// TestGraphAndTeams: while a team is at work, its members are not bound by the waves; others are.
func TestGraphAndTeams(t *testing.T) {
	pl := planned(t, from(fsm.FromAgent), plan).mate("dev", "ann").denied("look")
	pl.mate("Explore", "eve").passes().starts("e@t", "eve")
	if r := pl.s.RunningAgents(); len(r) != 1 || !r[0].Teammate {
		t.Fatalf("%+v", r)
	}
	pl.mate("dev", "bob").passes().asks(main(), "dev", "1").denied("look")
}

// mate: the main agent wants to start a member of a team.
func (pl *play) mate(agent, name string) *play {
	pl.Helper()
	tool := agentTool(agent, "use-"+name)
	tool.Starts.Name = name
	return pl.do(fsm.Event{Kind: fsm.ToolRequest, Agent: main(), Tool: tool})
}

func TestGraphLevels(t *testing.T) {
	for level, want := range map[fsm.Level]fsm.Verdict{fsm.Observe: fsm.Pass, fsm.Guidance: fsm.Warn,
		fsm.AskFirst: fsm.Ask, fsm.Strict: fsm.Deny} {
		p := from(fsm.FromAgent)
		p.Level = level
		if pl := planned(t, p, plan).asks(main(), "dev", "1"); pl.d.Verdict != want || pl.d.StrictVerdict != fsm.Deny {
			t.Errorf("%s: %s, strict would %s", level, pl.d.Verdict, pl.d.StrictVerdict)
		}
	}
	pl := planned(t, from(fsm.FromAgent), plan)
	pl.do(fsm.Event{Kind: fsm.ToolRequest, Agent: main(), Tool: agentTool("dev", "1"),
		Facts: fsm.Facts{Overrides: fsm.Overrides{Bypasses: []fsm.Bypass{{ID: "1",
			Rule: fsm.RuleTasks}}}}}).passes().noted("bypass")
}

// TestGraphThatIsLost: where its text cannot be read any more it binds no agent, and that is noted.
func TestGraphThatIsLost(t *testing.T) {
	pl := planned(t, from(fsm.FromAgent), plan)
	clear(pl.texts)
	pl.asks(main(), "dev", "1").passes().noted("cannot be read")
}

// TestSessionStaysSmall: the largest graph and the longest lists leave a session's line under 16 KB.
func TestSessionStaysSmall(t *testing.T) {
	var phases []string
	for i := range tasks.MaxPhases {
		phases = append(phases, fmt.Sprintf(`{"id": "phase-%d", "agent": "agent-%d", "title": %q}`, i, i%7,
			strings.Repeat("long ", 30)))
	}
	p := from(fsm.FromAgent, fsm.FromHost)
	p.Checks = []fsm.Check{{Name: "c", Files: []string{"**"}, At: []string{fsm.AtTurnEnd}}}
	pl := planned(t, p, `{"phases": [`+strings.Join(phases, ",")+`]}`).marks("")
	for i := range 60 {
		pl.task(tasks.HostTask{ID: fmt.Sprint(i), Subject: strings.Repeat("what is to be done ", 10),
			Status: "pending"})
		pl.do(fsm.Event{Kind: fsm.ToolResult, Agent: main(),
			Tool: fsm.Tool{Name: "Write", Parts: []fsm.Part{{Tool: "Write",
				Path: "/home/somebody/" + strings.Repeat("folder/", 20) + fmt.Sprint(i)}}}})
	}
	for i := range 40 {
		pl.runs(fmt.Sprintf("a%016d", i), fmt.Sprintf("agent-%d", i%7), "done")
	}
	if n := len(written(t, pl.s)); n >= 16<<10 {
		t.Errorf("%d bytes: %s", n, written(t, pl.s))
	} else {
		t.Logf("%d bytes", n)
	}
}

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
			{Name: "BUILD", Triggers: []fsm.Trigger{move("dev-*", "BUILD"), move("p:maker", "BUILD"), help},
				OnStop: "REVIEW"},
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

// TestGraphLeadsOn: who has a turn in the graph leads to where the next one may run.
func TestGraphLeadsOn(t *testing.T) {
	p := inForce()
	p.States[1].OnStop = ""
	p.States[1].Triggers = []fsm.Trigger{{Name: "maker", Agents: []string{"maker"}, To: "REVIEW"}}
	const plan = `{"phases":[{"id":"a","agent":"maker"},{"id":"b","agent":"critic","after":["a"]}]}`
	pl := begin(t, p).runs("a1", "planner", plan)
	if pl.in("BUILD"); pl.d.Hold || pl.s.Tasks.Progress == nil {
		t.Fatalf("%+v", pl.d)
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
	p.States[2].Triggers = append(p.States[2].Triggers,
		fsm.Trigger{Name: "planner", Agents: []string{"planner"}, To: "REVIEW"})
	pl = begin(t, p).runs("a1", "planner", plan).in("BUILD").asks(main(), "p:maker", "u1").starts("a2", "p:maker")
	pl.do(fsm.Event{Kind: fsm.Reset, Source: "REVIEW", Text: "go there"})
	pl.runs("a3", "planner", plan[:len(plan)-2]+`,{"id":"c","agent":"critic"}]}`) // while a phase's agent is at work
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

	// who leads back has done a phase, and waits for the critic with the next; without a next one he may lead back
	back = inForce()
	back.States[2].Triggers = append(back.States[2].Triggers,
		fsm.Trigger{Name: "fixer", Agents: []string{"fixer"}, To: "BUILD"})
	plan = `{"phases":[{"id":"f","agent":"fixer"},` + plan[len(`{"phases":[`):len(plan)-2] +
		`,{"id":"g","agent":"fixer","after":["b"]}]}`
	to(to(built(back), "REVIEW").runs("a3", "fixer", "fixed").in("BUILD"), "REVIEW").
		asks(main(), "critic", "u").passes()
	plan = strings.Replace(plan, `,{"id":"g","agent":"fixer","after":["b"]}`, "", 1)
	to(to(built(back), "REVIEW").runs("a3", "fixer", "fixed").in("BUILD"), "REVIEW").
		asks(main(), "critic", "u").denied("which waits for: a (maker)")
}

// judgesPlan has the planner come back with a graph in a policy's first state, and says what is wrong with it.
func judgesPlan(t *testing.T, p *fsm.Policy, phases string) string {
	t.Helper()
	pl := begin(t, p).asks(main(), "planner", "u1").passes().starts("a1", "planner")
	pl.stops("a1", "planner", `{"phases":[`+phases+`]}`)
	if pl.d.Hold == (pl.s.Tasks.Progress != nil) {
		t.Errorf("held %v, and in force %+v", pl.d.Hold, pl.s.Tasks.Progress)
	}
	return pl.d.Reason
}

// TestGraphForeseesWays: a phase can be done where its agent may run by then, by whatever leads there.
func TestGraphForeseesWays(t *testing.T) {
	to := func(agent, state string) fsm.Trigger {
		return fsm.Trigger{Name: agent, Agents: []string{agent}, To: state}
	}
	keeps := to("planner", "A")
	keeps.Capture = "plan"
	policy := func(a fsm.State, b ...fsm.Trigger) *fsm.Policy {
		a.Name, a.Triggers = "A", append(a.Triggers, keeps)
		return &fsm.Policy{Level: fsm.Strict, Initial: "A", Tasks: fsm.TaskSource{From: []string{fsm.FromAgent}},
			States: []fsm.State{a, {Name: "B", Triggers: b}, {Name: "C", Triggers: []fsm.Trigger{to("last", "C")}}}}
	}
	const refuses = `no state that the pipeline can reach by then admits agent "maker"`
	maker := `{"id":"a","agent":"maker"}`
	late := `,{"id":"b","agent":"lead","after":["a"]}`
	lead := fsm.State{Triggers: []fsm.Trigger{to("lead", "B")}}
	helps := fsm.State{Triggers: []fsm.Trigger{{Name: "lead", Agents: []string{"lead"}, To: "B", Helper: true}}}
	for name, c := range map[string]struct {
		p      *fsm.Policy
		phases string
		want   string // "" for no mistake
	}{
		"by a plan that is approved":  {policy(fsm.State{OnPlan: "B"}, to("maker", "B")), maker, ""},
		"by the end of a turn":        {policy(fsm.State{OnStop: "B"}, to("maker", "B")), maker, ""},
		"by an agent":                 {policy(lead, to("maker", "B")), maker, ""},
		"by one that may run already": {policy(lead, to("maker", "B")), maker + late, ""},
		"by two agents":               {policy(lead, to("next", "C")), `{"id":"a","agent":"last"}`, ""},
		"by a helper":                 {policy(helps, to("maker", "B")), maker, refuses + "; those that may run are"},
		"by nothing": {policy(fsm.State{}, to("maker", "B")), maker,
			refuses + "; those that may run are planner"},
		"a team's members by name": {policy(lead), `{"id":"a","teammates":[{"name":"ann","agent":"maker"}]}`, ""},
		"a team's members":         {policy(lead), `{"id":"a","teammates":["maker"]}`, refuses},
		"the last of a chain": {policy(lead, to("dev", "B")), `{"id":"d","agent":"maker","after":["c"]},` +
			`{"id":"c","agent":"dev","after":["b"]},{"id":"b","agent":"dev","after":["a"]},{"id":"a","agent":"dev"}`,
			"phases[0].agent: " + refuses},
		"wrong as it is": {policy(fsm.State{}), `{"id":"a","agent":"maker"},{"id":"a","agent":"maker"}`, "phases[1].id"},
	} {
		got := judgesPlan(t, c.p, c.phases)
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, expected %q", name, got, c.want)
		}
		if name == "wrong as it is" && strings.Contains(got, "no state") {
			t.Errorf("a graph that cannot be read is judged by the states too: %q", got)
		}
	}
	dead := &fsm.Policy{Level: fsm.Strict, Initial: "A", Tasks: fsm.TaskSource{From: []string{fsm.FromAgent}},
		States: []fsm.State{{Name: "A", Triggers: []fsm.Trigger{to("planner", "B")}}, {Name: "B"}}}
	got := judgesPlan(t, dead, maker)
	if !strings.Contains(got, refuses) || strings.Contains(got, "those that may run") {
		t.Errorf("where no agent may run: %q", got)
	}
	noted := begin(t, from(fsm.FromPlan)).approved(`{"phases":[` + maker + `],"unheard_of":1}`)
	noted.marks("").told("").noted("the task graph of the approved plan is in force: 1 phases")
}

// TestGraphOfAFileWhileAgentsRun: an agent that may run already may lead on, though its turn is later.
func TestGraphOfAFileWhileAgentsRun(t *testing.T) {
	p := inForce()
	p.Tasks.Graph = "/plan.json"
	pl := begin(t, p).prompted(`{"phases":[{"id":"a","agent":"maker"},{"id":"b","agent":"planner","after":["a"]}]}`)
	pl.told("").marks("").prompted(`{"phases":[{"id":"a","agent":"nobody"}]}`).told("has mistakes").marks("").
		noted("the task graph in /plan.json has mistakes: the one before stays")
}

// TestGraphForesightBinds: the order of a graph binds where the end of a turn leads to who is waited for, once an
// agent has worked or an agent without a turn may. Else it would lock the session.
func TestGraphForesightBinds(t *testing.T) {
	move := func(agent, to string) fsm.Trigger { return fsm.Trigger{Name: agent, Agents: []string{agent}, To: to} }
	policy := func(works ...fsm.Trigger) *fsm.Policy {
		return &fsm.Policy{Level: fsm.AskFirst, Initial: "A", Tasks: fsm.TaskSource{From: []string{fsm.FromPlan}},
			States: []fsm.State{{Name: "A", OnStop: "B", OnPlan: "A", Triggers: works},
				{Name: "B", Triggers: []fsm.Trigger{move("critic", "B")}}}}
	}
	const waits = `,{"id":"c","agent":"critic"%s},{"id":"m","agent":"maker","after":["c"]}]}`
	first := `{"phases":[{"id":"f","agent":"maker"}` + fmt.Sprintf(waits, `,"after":["f"]`)
	only := `{"phases":[` + fmt.Sprintf(waits, "")[1:]
	begin(t, policy(move("maker", "A"))).approved(first).marks("").runs("1", "maker", "made").marks("d").
		asks(main(), "maker", "2").gets(fsm.Ask, "waits for: c (critic)")
	begin(t, policy(move("maker", "A"))).approved(only).marks("").asks(main(), "maker", "2").passes().
		noted("it does not bind agent maker")
	begin(t, policy(move("maker", "A"), move("dev", "A"))).approved(only).marks("").asks(main(), "maker", "2").
		gets(fsm.Ask, "waits for: c (critic)")
	planned := policy(move("maker", "A"))
	planned.States[0].OnStop, planned.States[0].OnPlan = "", "B"
	at := begin(t, planned).approved(only).marks("").do(fsm.Event{Kind: fsm.Reset, Source: "A"})
	at.asks(main(), "maker", "2").passes().noted("it does not bind agent maker") // nobody may approve another plan
}

// TestGraphNamesMembers: a member of a team has its turn by its name, any other agent by its type.
func TestGraphNamesMembers(t *testing.T) {
	const graph = `{"phases":[{"id":"t","teammates":[{"agent":"dev","name":"ann"}]},{"id":"d","agent":"maker"},` +
		`{"id":"c","agent":"critic"}]}`
	for name, c := range map[string]struct {
		run  fsm.Run
		slot int
	}{
		"a member":            {fsm.Run{Type: "critic", Name: "ann", Teammate: true}, 0},
		"a member unnamed":    {fsm.Run{Type: "critic", Teammate: true}, 2},
		"another agent":       {fsm.Run{Type: "maker"}, 1},
		"one that has a name": {fsm.Run{Type: "critic", Name: "ann"}, 2},
	} {
		pl := begin(t, from(fsm.FromPlan)).approved(graph).marks("")
		c.run.ID, c.run.Status = "x", fsm.Lost
		if c.run.Teammate {
			c.run.ID = "x@t"
		}
		pl.s.Agents.Runs = []fsm.Run{c.run}
		pl.starts(c.run.ID, c.run.Type)
		if runs := pl.s.Tasks.Progress.Runs; len(runs) != 1 || runs[0].Slot != c.slot {
			t.Errorf("%s: %+v", name, runs)
		}
	}
}

// TestGraphWaits: a skill's agent waits for its turn too, and what is ready is named only where something is.
func TestGraphWaits(t *testing.T) {
	pl := planned(t, from(fsm.FromAgent), plan).do(starting(fsm.BySkill, "dev", "s")).denied("which waits for: look")
	pl.do(starting(fsm.ByWorkflow, "dev", "")).passes()
	pl.asks(main(), "Explore", "2").passes().starts("e", "Explore").asks(main(), "dev", "3").
		reads(`Agent "dev" has its turn in phase build (dev) of the plan, which waits for: look (Explore).`)
	lost := planned(t, from(fsm.FromAgent), plan).runs("e", "Explore", "found").marks("d")
	clear(lost.texts)
	lost.asks(main(), "dev", "1").passes().starts("d", "dev").marks("d") // what is done stays done
}
