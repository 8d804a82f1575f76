package fsm_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/shell"
)

// shippedConfigs are all configs that we ship.
var shippedConfigs = []string{"pipeline.yaml", "minimal.yaml", "presets/boundary.yaml", "presets/delegation.yaml",
	"presets/everyday.yaml", "presets/guided.yaml", "presets/orchestrating.yaml", "presets/orchestrator.yaml"}

// TestNowhere: where no state leads to anybody who may do what was refused, the search ends. An agent that leads on
// may do it before it does.
func TestNowhere(t *testing.T) {
	agents := func(names ...string) []fsm.Trigger {
		return []fsm.Trigger{{Name: names[0], Agents: names[:1], To: names[1]}}
	}
	never := fsm.Rules{List: []fsm.Rule{{Name: "never", Verdict: fsm.Deny, Tools: []string{"WebFetch"}}}}
	p := &fsm.Policy{Level: fsm.Strict, Initial: "A", Main: never, Subagents: never, States: []fsm.State{
		{Name: "A", Triggers: agents("x", "B")}, {Name: "B", Triggers: agents("y", "A")}}}
	begin(t, p).uses(main(), "WebFetch").denied("Finish the turn and tell the user what is needed.")
	p.Subagents = fsm.Rules{}
	begin(t, p).uses(main(), "WebFetch").denied("The next step is x, with the user's task.")
}

// refusable are calls that one config or another refuses.
func refusable() []fsm.Tool {
	bash := func(words ...string) fsm.Tool {
		return fsm.Tool{Name: "Bash", Parts: []fsm.Part{{Tool: "Bash", Words: words}}}
	}
	out := []fsm.Tool{bash("git", "push"), bash("make", "test"), bash("npm", "run", "build"), bash("sed"),
		bash("rm", "-rf", "x"),
		{Name: "Bash", Parts: []fsm.Part{{Tool: "Bash", Code: true, Words: []string{"eval", "?"}}}},
		{Name: "Bash", Parts: []fsm.Part{{Tool: "Bash", Words: []string{"echo"}}, {Tool: "Write", Path: "/p/a.sh"}}}}
	for _, tool := range []string{"Read", "Grep", "Glob", "Write", "Edit", "NotebookEdit", "Delete"} {
		for _, path := range []string{"/p/src/main.c", "?"} {
			out = append(out, fsm.Tool{Name: tool, Parts: []fsm.Part{file(tool, path)}})
		}
	}
	for _, tool := range []string{"TaskList", "TaskOutput", "WebFetch", "mcp__github__create_issue", "LSP"} {
		out = append(out, fsm.Tool{Name: tool, Parts: []fsm.Part{{Tool: tool}}})
	}
	for _, agent := range []string{"Explore", "c-developer", "context-gatherer", "context-refiner", "nobody",
		strings.Repeat("long-", 40)} {
		out = append(out, agentTool(agent, "s"))
	}
	return out
}

// hostAgents are the agents that a project with our agents has.
func hostAgents() []fsm.KnownAgent {
	read, all := []string{"Read", "Grep", "Glob", "Bash"}, []string{"Read", "Grep", "Glob", "Edit", "Write", "Bash"}
	return []fsm.KnownAgent{{Name: "context-gatherer", Tools: read}, {Name: "context-refiner", Tools: read[:3]},
		{Name: "strategic-orchestrator", Tools: read[:3]}, {Name: "bash-developer", Tools: all},
		{Name: "nix-developer", Tools: all},
		{Name: "c-developer", Tools: all}, {Name: "developer", Tools: all}, {Name: "analyst", Tools: read},
		{Name: "qa", Tools: read},
		{Name: "general-purpose"}, {Name: "Explore", Without: []string{"Edit", "Write", "Agent"}},
		{Name: "Plan", Without: []string{"Edit", "Write", "Agent"}}}
}

// TestRefusalsHelp goes through all shipped configs, states and calls: what a refusal proposes passes and can do what
// was refused, or it says what the pipeline waits for; a repetition keeps its reason; none is long. So it is with none,
// one and two agents at work.
func TestRefusalsHelp(t *testing.T) {
	seen := map[string]int{}
	for _, config := range shippedConfigs {
		p := shipped(t, config)
		states := p.States
		if len(states) == 0 {
			states = []fsm.State{{}}
		}
		for _, level := range []fsm.Level{fsm.Strict, fsm.AskFirst} {
			for _, in := range states {
				for _, known := range [][]fsm.KnownAgent{nil, hostAgents()} {
					for _, tool := range refusable() {
						q := *p
						q.Level = level
						for atWork := range 3 {
							refuse(t, &q, in.Name, tool, known, atWork, seen)
						}
					}
				}
			}
		}
	}
	t.Log(seen)
	for _, what := range []string{"proposed", "waits", "asked", "again", "2 at work"} {
		if seen[what] < 30 {
			t.Errorf("%s: only %d times", what, seen[what])
		}
	}
}

// refuse makes a call three times and holds each refusal to what it promises.
func refuse(t *testing.T, p *fsm.Policy, state string, tool fsm.Tool, known []fsm.KnownAgent, atWork int,
	seen map[string]int) {
	t.Helper()
	e := fsm.Event{Kind: fsm.ToolRequest, Session: "s", Starter: starter, Tool: tool, Facts: fsm.Facts{Agents: known}}
	s, _ := p.Step(fsm.Session{}, fsm.Event{Kind: fsm.SessionStart, Session: "s", Source: "startup"})
	if state != "" {
		s, _ = p.Step(s, fsm.Event{Kind: fsm.Reset, Session: "s", Source: state})
	}
	if s = startSome(p, s, atWork); len(s.Agents.Runs) < atWork {
		return // so many may not start there
	}
	seen[fmt.Sprint(atWork, " at work")]++
	for times := range 3 {
		e.Tool.UseID = fmt.Sprint("u", times)
		after, d := p.Step(s, e)
		s = after
		if d.Verdict < fsm.Ask {
			continue
		}
		if times == 0 && strings.Contains(d.Reason, "again") {
			t.Errorf("%s is refused for the first time: %s", tool.Name, d.Reason)
		}
		where := fmt.Sprintf("%s %s %v with %d at work: %q", state, tool.Name, tool.Parts, atWork, d.Reason)
		if n := utf8.RuneCountInString(d.Reason); n >= 400 {
			t.Errorf("%s has %d characters", where, n)
		}
		if r := findRule(p, d.Rule); r != nil && times > 0 && r.Reason != "" {
			seen["again"]++
			if !strings.Contains(d.Reason, r.Reason[:20]) {
				t.Errorf("%s has lost its reason", where)
			}
		}
		if asks := strings.HasPrefix(d.Reason, "Allow "); asks != (d.Verdict == fsm.Ask) {
			t.Errorf("%s is %s", where, d.Verdict)
		} else if asks {
			seen["asked"]++
			if tool.Starts == nil && (d.Proposed != "" || strings.Contains(d.Reason, "elegate it")) {
				t.Errorf("%s asks a person and tells an agent what to do", where)
			}
			continue
		}
		follows(t, p, s, e, d, where, seen)
	}
}

// startSome starts so many agents that may start now.
func startSome(p *fsm.Policy, s fsm.Session, most int) fsm.Session {
	for _, a := range hostAgents() {
		if most == 0 {
			break
		}
		start := agentTool(a.Name, "work")
		start.UseID = "w-" + a.Name
		after, d := p.Step(s, fsm.Event{Kind: fsm.ToolRequest, Session: "s", Starter: starter, Tool: start})
		if d.Verdict >= fsm.Ask {
			continue
		}
		s, _ = p.Step(after, fsm.Event{Kind: fsm.AgentStart, Session: "s",
			Agent: fsm.Agent{ID: "w-" + a.Name, Type: a.Name}})
		most--
	}
	return s
}

// follows takes up what a refusal proposes.
func follows(t *testing.T, p *fsm.Policy, s fsm.Session, e fsm.Event, d fsm.Decision, where string,
	seen map[string]int) {
	t.Helper()
	strict := *p
	strict.Level = fsm.Strict
	agent, tool := d.Proposed, e.Tool
	if agent == "" {
		if !slices.ContainsFunc([]string{"nd your turn", "inish the turn", "nd of your turn", "start one of: ",
			"Instead: ", "rule team"},
			func(s string) bool { return strings.Contains(d.Reason, s) }) {
			t.Errorf("%s says no way on", where)
		}
		return
	}
	e.Tool = agentTool(agent, "next")
	s, answer := strict.Step(s, e)
	if answer.Verdict >= fsm.Deny {
		t.Errorf("%s: its start is refused: %s", where, answer.Reason)
	}
	if strings.Contains(d.Reason, "the next step is") {
		seen["waits"]++
		return
	}
	seen["proposed"]++
	wanted := e
	wanted.Agent, wanted.Tool = fsm.Agent{ID: "d", Type: agent}, tool
	s, _ = strict.Step(s, fsm.Event{Kind: fsm.AgentStart, Session: "s", Agent: wanted.Agent})
	if _, answer = strict.Step(s, wanted); tool.Starts == nil && answer.Verdict >= fsm.Deny {
		t.Errorf("%s: %s may not do it: %s", where, agent, answer.Reason)
	}
	for _, a := range e.Facts.Agents {
		if a.Name == agent && tool.Name == "Edit" && (len(a.Without) > 0 || len(a.Tools) > 0 &&
			!slices.Contains(a.Tools, "Edit")) {
			t.Errorf("%s: %s has no tool for it", where, agent)
		}
	}
}

func findRule(p *fsm.Policy, name string) *fsm.Rule {
	if name == "default" {
		return &p.Main.Default
	}
	for i := range p.Main.List {
		if p.Main.List[i].Name == name {
			return &p.Main.List[i]
		}
	}
	return nil
}

// wants is a call of the main agent that knows what the host can start.
func (pl *play) wants(tool fsm.Tool, known ...fsm.KnownAgent) string {
	pl.Helper()
	tool.UseID = fmt.Sprint("w", pl.now.Unix())
	return pl.do(fsm.Event{Kind: fsm.ToolRequest, Tool: tool, Facts: fsm.Facts{Agents: known}}).gets(fsm.Deny,
		"").d.Reason
}

// TestPluginsNames: an agent that only a plugin brings is named as the client finds it.
func TestPluginsNames(t *testing.T) {
	start := func(known ...fsm.KnownAgent) string {
		return defaults(t).wants(agentTool("bash-architect", "s"), known...)
	}
	ours, plain := fsm.KnownAgent{Name: "pipeline:context-gatherer"}, fsm.KnownAgent{Name: "context-gatherer"}
	for want, got := range map[string]string{
		"; start one of: pipeline:context-gatherer.": start(ours),
		"; start one of: context-gatherer.":          start(plain, ours)} {
		if !strings.HasSuffix(got, want) {
			t.Errorf("%q, expected %q", got, want)
		}
	}
	pl := defaults(t).executing()
	got := pl.wants(agentTool("context-refiner", "s"), fsm.KnownAgent{Name: "pipeline:bash-developer"},
		fsm.KnownAgent{Name: "kit:c-developer"}, fsm.KnownAgent{Name: "c-coder"}, fsm.KnownAgent{Name: "Explore"})
	if want := "; start one of: pipeline:bash-developer, kit:c-developer, c-coder, " +
		"context-gatherer, "; !strings.Contains(got, want) {
		t.Errorf("%q, expected %q", got, want)
	}
}

// TestWay: what is proposed depends on who may start, who exists, who has the tools and who runs.
func TestWay(t *testing.T) {
	edit := fsm.Tool{Name: "Edit", Parts: []fsm.Part{file("Edit", "/p/src/flake.nix")}}
	push := fsm.Tool{Name: "Bash", Parts: []fsm.Part{{Tool: "Bash", Words: []string{"git", "push"}}}}
	writer := func(name string) fsm.KnownAgent { return fsm.KnownAgent{Name: name} }
	begun := func() *play { return begin(t, shipped(t, "pipeline.yaml")) }
	executing := func() *play { return begun().do(fsm.Event{Kind: fsm.Reset, Source: "EXECUTING"}) }
	plan := `{"phases": [{"id": "one", "agent": "c-developer"}, {"id": "two", "agent": "nix-developer", "after": ["one"]}]}`
	planned := begun().do(fsm.Event{Kind: fsm.Reset, Source: "REFINING"}).
		asks(main(), "strategic-orchestrator", "so").starts("so", "strategic-orchestrator").stops("so",
		"strategic-orchestrator", plan)
	limited := *shipped(t, "pipeline.yaml")
	limited.Limits.Running = 1
	for _, test := range []struct {
		name string
		got  string
		want string
	}{
		{"in the first state", begun().wants(edit),
			"Files are changed in EXECUTING; the next step is context-gatherer, with the user's task."},
		{"while the first step runs", begun().asks(main(), "context-gatherer", "1").starts("g",
			"context-gatherer").wants(edit),
			"Files are changed in EXECUTING; context-gatherer is running; end your turn, its result will be " +
				"delivered."},
		{"before it has begun", begun().asks(main(), "context-gatherer", "1").wants(edit),
			"context-gatherer is running; end your turn"},
		{"another agent meanwhile", begun().asks(main(), "context-gatherer", "1").starts("g",
			"context-gatherer").wants(agentTool("Explore", "e")),
			"may not run (it may in GATHERING); context-gatherer is running; end your turn, its result will be " +
				"delivered."},
		{"where the work is done, for that file", executing().wants(edit), `Agent(subagent_type="nix-developer"`},
		{"of those that exist", executing().wants(edit, writer("c-developer"), writer("general-purpose")), `Agent(subagent_type="c-developer"`},
		{"of those with the tools", executing().wants(edit, fsm.KnownAgent{Name: "nix-developer", Tools: []string{"Read"}}, writer("bash-developer")), `Agent(subagent_type="bash-developer"`},
		{"none that the rule names", executing().wants(edit, fsm.KnownAgent{Name: "Explore", Without: []string{"Edit", "Write"}}, writer("general-purpose")), `Agent(subagent_type="general-purpose"`},
		{"by its whole name", executing().wants(edit, writer("team:nix-developer")), `Agent(subagent_type="team:nix-developer"`},
		{"the one that runs is not proposed again",
			executing().asks(main(), "bash-developer", "1").starts("b", "bash-developer").wants(push,
				writer("bash-developer")),
			"bash-developer is running; end your turn"},
		{"the order of the plan", planned.wants(edit), `Agent(subagent_type="bash-developer"`},
		{"the limit of agents", begin(t, &limited).do(fsm.Event{Kind: fsm.Reset, Source: "EXECUTING"}).asks(main(),
			"c-developer", "1").starts("c", "c-developer").wants(push),
			"c-developer is running; end your turn, its result will be delivered."},
	} {
		if !strings.Contains(test.got, test.want) {
			t.Errorf("%s: %q, expected %q", test.name, test.got, test.want)
		}
	}
}

// TestWaitsForWhatLeadsOut: an agent whose completion leads on is waited for, whatever else may start; one whose
// completion stays in the state is not.
func TestWaitsForWhatLeadsOut(t *testing.T) {
	p := &fsm.Policy{Level: fsm.Strict, Initial: "A", States: []fsm.State{
		{Name: "A", Triggers: []fsm.Trigger{{Name: "lead", Agents: []string{"lead"}, To: "B"},
			{Name: "stay", Agents: []string{"stay"}, To: "A"}, {Name: "other", Agents: []string{"other"}, To: "A"}}},
		{Name: "B", Triggers: []fsm.Trigger{{Name: "late", Agents: []string{"late"}, To: "B"}}}}}
	for agent, want := range map[string]string{
		"lead": "lead is running; end your turn", "stay": "start one of: ",
	} {
		got := begin(t, p).asks(main(), agent, "1").passes().starts("x", agent).wants(agentTool("late", "2"))
		if !strings.Contains(got, want) {
			t.Errorf("while %s runs: %q, expected %q", agent, got, want)
		}
	}
}

// TestNamesPatterns: at an event at which the host's agents are not known, those of a pattern may start too. A pattern
// is no name to call.
func TestNamesPatterns(t *testing.T) {
	p := &fsm.Policy{Level: fsm.Strict, Initial: "B", Fails: []string{"^Error: "}, States: []fsm.State{{Name: "B",
		Triggers: []fsm.Trigger{{Name: "work", Agents: []string{"dev-*"}, To: "B"},
			{Name: "help", Agents: []string{"Explore"}, Helper: true, To: "B"}}}}}
	begin(t, p).asks(main(), "dev-a", "1").starts("x", "dev-a").stops("x", "dev-a", "Error: no").
		result("dev-a", "1", "x").told("stays in B. Next: start one of: an agent of dev-*, Explore.")
	got := begin(t, p).wants(agentTool("other", "2"), fsm.KnownAgent{Name: "dev-b"})
	if want := "start one of: dev-b, Explore."; !strings.HasSuffix(got, want) {
		t.Errorf("%q, expected %q", got, want)
	}
}

// TestDelegateToPatterns: a rule may name globs or no one.
func TestDelegateToPatterns(t *testing.T) {
	edit := fsm.Tool{Name: "Edit", Parts: []fsm.Part{file("Edit", "/p/b.py")}}
	known := []fsm.KnownAgent{{Name: "ts-dev"}, {Name: "py-dev"}, {Name: "reader", Tools: []string{"Read"}},
		{Name: "general-purpose"}}
	for _, to := range [][]string{{"*-dev"}, nil} {
		p := &fsm.Policy{Level: fsm.Strict, Initial: "WORK", States: []fsm.State{{Name: "WORK",
			Triggers: []fsm.Trigger{{Name: "w", Agents: []string{"reader", "*-dev"}, To: "WORK"},
				{Name: "h", Agents: []string{"general-purpose"}, Helper: true, To: "WORK"}}}},
			Main: fsm.Rules{List: []fsm.Rule{{Name: "no-editing", Verdict: fsm.Deny, Tools: []string{"Edit"},
				DelegateTo: to}}}}
		if got := begin(t, p).wants(edit, known...); !strings.Contains(got, `Agent(subagent_type="py-dev"`) {
			t.Errorf("%q: %q", to, got)
		}
	}
}

// TestAdvice: a rule that only warns does not say that the call is not for its caller, and one that is softened does.
func TestAdvice(t *testing.T) {
	for _, test := range []struct {
		level fsm.Level
		rule  fsm.Verdict
		want  string
	}{
		{fsm.Strict, fsm.Warn, "Advice on git push (rule no). Ask first."},
		{fsm.Guidance, fsm.Deny, "git push is not for the main agent (rule no). Ask first."},
	} {
		p := &fsm.Policy{Level: test.level, Main: fsm.Rules{List: []fsm.Rule{{Name: "no", Verdict: test.rule,
			Tools: []string{"Bash"}, Reason: "Ask first."}}}}
		_, d := p.Step(fsm.Session{}, fsm.Event{Kind: fsm.ToolRequest, Session: "s", Tool: fsm.Tool{Name: "Bash",
			Parts: []fsm.Part{{Tool: "Bash", Words: []string{"git", "push"}}}}})
		if d.Verdict != fsm.Warn || !strings.HasPrefix(d.Reason, test.want) {
			t.Errorf("%v: %v %q", test.level, d.Verdict, d.Reason)
		}
	}
}

// TestNamedFiles: a refusal names a file from the caller's folder, so that another agent finds it too.
func TestNamedFiles(t *testing.T) {
	long := "/p/" + strings.Repeat("directory/", 6) + "a.go"
	p := &fsm.Policy{Level: fsm.Strict, Main: fsm.Rules{List: []fsm.Rule{{Name: "no", Verdict: fsm.Deny,
		Tools: []string{"Edit", "Delete"}}}}}
	for _, test := range []struct{ tool, path, want string }{
		{"Edit", "/p/src/a.go", `Edit of src/a.go is not for the main agent (rule no). Delegate it: start agent "general-purpose" ` +
			`with the prompt "Implement … in src/a.go".`},
		{"Delete", "/p/src/a.go", `Delete of src/a.go is not for the main agent (rule no). Delegate it: start agent ` +
			`"general-purpose" with the prompt "Delete src/a.go".`},
		{"Edit", "/etc/passwd", "Edit of /etc/passwd is not"},
		{"Edit", "/px/a.go", "Edit of /px/a.go is not"},
		{"Edit", long, "Edit of …/directory/directory/directory/a.go is not"},
	} {
		_, d := p.Step(fsm.Session{}, fsm.Event{Kind: fsm.ToolRequest, Session: "s", Dir: "/p",
			Tool: fsm.Tool{Name: test.tool, Parts: []fsm.Part{{Tool: test.tool, Path: test.path}}}})
		if !strings.HasPrefix(d.Reason, test.want) {
			t.Errorf("%s of %s: %s", test.tool, test.path, d.Reason)
		}
	}
}

// TestNeutralWords: without the words of a host a refusal names the agent and the prompt.
func TestNeutralWords(t *testing.T) {
	p := &fsm.Policy{Level: fsm.Strict, Main: fsm.Rules{List: []fsm.Rule{{Name: "no", Verdict: fsm.Deny,
		Tools: []string{"Edit"}}}}}
	_, d := p.Step(fsm.Session{}, fsm.Event{Kind: fsm.ToolRequest, Session: "s",
		Tool: fsm.Tool{Name: "Edit", Parts: []fsm.Part{{Tool: "Edit", Path: "/a"}}}})
	if !strings.Contains(d.Reason, `start agent "general-purpose" with the prompt "Implement … in /a"`) ||
		strings.Contains(d.Reason, "subagent_type") {
		t.Error(d.Reason)
	}
}

// TestPersonHears: the person hears of the first refusal of a kind, with the way out, and of each fifth. Agents never
// read the way out.
func TestPersonHears(t *testing.T) {
	p := *shipped(t, "pipeline.yaml")
	pl := begin(t, &p)
	if got := strings.Join(pl.d.Notices,
		"|"); got != "IDLE, strict. You can type /pipeline status, /pipeline once for a quick fix, /pipeline reset "+
		"REASON to start over" {
		t.Errorf("at the start: %q", got)
	}
	hears := func(want string) {
		t.Helper()
		if got := strings.Join(pl.d.Notices, "|"); got != want {
			t.Errorf("%q, expected %q", got, want)
		}
		if strings.Contains(pl.d.Reason+pl.d.Inject, "/pipeline") || strings.Contains(pl.d.Reason, " once") {
			t.Errorf("an agent reads %q", pl.d.Reason)
		}
	}
	edits := func(n int) *play {
		return pl.does(fmt.Sprint("e", n), file("Edit", fmt.Sprint("/elsewhere/", n, ".c"))).denied("")
	}
	edits(1)
	hears("refused Edit in IDLE (rule no-editing-elsewhere); /pipeline once lets the next turn through")
	for n := 2; n <= 4; n++ {
		edits(n)
		hears("")
		pl.says("go on") // a prompt begins no new count
	}
	edits(5)
	hears("refused Edit in IDLE (rule no-editing-elsewhere), 5 times in this session; /pipeline once lets the next " +
		"turn through")
	pl.asks(main(), "Explore", "x").denied("")
	hears("refused the start of Explore in IDLE (rule pipeline); /pipeline once lets the next turn through")
	pl.asks(main(), "Plan", "y").denied("")
	hears("")
	pl.runs("g", "context-gatherer", "found").does("w", file("Read", "/a"),
		fsm.Part{Tool: "Write", Path: "/s", Guards: "the state of pipeline"})
	hears("refused Read: agents may not touch the state of pipeline, only you may")
	pl.starts("r", "context-refiner").by(sub("r", "context-refiner"), "u", file("Write", "/elsewhere/a")).denied("")
	hears(`refused Write by agent "context-refiner" in GATHERING (rule work-elsewhere-begins-in-executing); /pipeline once lets the next turn through`)
	pl.ordered("guidance").does("z", fsm.Part{Tool: "Grep"}).gets(fsm.Warn, "")
	hears("the level was strict and is guidance now (mode by ann: a trial)")
	pl.does("z2", fsm.Part{Tool: "Grep"}).gets(fsm.Warn, "")
	hears("")
}

// TestWorkerFits: who is proposed knows the kind of file, whatever stands first in the config.
func TestWorkerFits(t *testing.T) {
	edits := fsm.Rule{Name: "edits", Verdict: fsm.Deny, Tools: []string{"Edit"},
		DelegateTo: []string{"bash-developer", "python-developer", "documentation-expert"}}
	p := &fsm.Policy{Level: fsm.Strict, Main: fsm.Rules{List: []fsm.Rule{edits}}}
	for name, want := range map[string]string{"app.py": "python-developer", "README.md": "documentation-expert",
		"run.sh": "bash-developer", "x.unknown": "bash-developer"} {
		pl := begin(t, p)
		for range 3 {
			if got := pl.does("u", file("Edit", "/p/"+name)).d.Proposed; got != want {
				t.Errorf("%s is given to %s, expected %s", name, got, want)
			}
		}
	}
	unnamed := fsm.Part{Tool: "Edit", Path: shell.Unknown, Words: []string{"sed", "-i", "app.py"}}
	if got := begin(t, p).does("u", unnamed).d.Proposed; got != "python-developer" {
		t.Errorf("what a line changes unnamed is given to %s", got)
	}
}
