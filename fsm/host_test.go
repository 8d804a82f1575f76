package fsm_test

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/configs"
	"github.com/agent-pipeline/pipeline/fsm"
)

func edit(host fsm.HostInfo) fsm.Event {
	return fsm.Event{Kind: fsm.ToolRequest, Host: host,
		Tool: fsm.Tool{Name: "Edit", Native: "apply_patch", UseID: "u1",
			Parts: []fsm.Part{{Tool: "Edit", Path: "/p/a.go"}}}}
}

// TestUnaskedIsDenied: a host that cannot ask gets a denial that says so, by a rule and by a state.
func TestUnaskedIsDenied(t *testing.T) {
	mute := fsm.HostInfo{Name: "codex", CannotAsk: true}
	start := fsm.Event{Kind: fsm.ToolRequest, Host: mute, Tool: fsm.Tool{Name: "Agent", UseID: "u2",
		Starts: &fsm.Start{How: fsm.ByAgent, Type: "plan-verifier"}, Parts: []fsm.Part{{Tool: "Agent"}}}}
	p := *shipped(t, "pipeline.yaml")
	p.Level = fsm.AskFirst
	for name, e := range map[string]fsm.Event{"rule": edit(mute), "state": start} {
		d := begin(t, &p).do(e).d
		if d.Verdict != fsm.Deny || !strings.Contains(d.Reason, "codex lets no hook ask") {
			t.Errorf("%s: %s: %s", name, d.Verdict, d.Reason)
		}
		e.Host = fsm.HostInfo{}
		if d := begin(t, &p).do(e).d; d.Verdict != fsm.Ask || strings.Contains(d.Reason, "no hook ask") {
			t.Errorf("%s, a host that asks: %s: %s", name, d.Verdict, d.Reason)
		}
	}
	p.Level = fsm.Strict
	mute.NoCommands = true
	if d := begin(t, &p).do(edit(mute)).d; len(d.Notices) == 0 || strings.Contains(d.Notices[0], "/pipeline") {
		t.Errorf("what no one can type: %q", d.Notices)
	}
	if d := begin(t, &p).do(edit(mute)).d; strings.Contains(d.Reason, "no hook ask") {
		t.Errorf("a plain denial: %s", d.Reason)
	}
}

// TestNativeNames: a refusal says the tool as the host calls it.
func TestNativeNames(t *testing.T) {
	pl := begin(t, shipped(t, "pipeline.yaml")).do(edit(fsm.HostInfo{Name: "codex"}))
	if !strings.Contains(pl.d.Reason, "apply_patch of /p/a.go") || !strings.Contains(pl.d.Notices[0], "apply_patch") {
		t.Errorf("%s; %q", pl.d.Reason, pl.d.Notices)
	}
}

// TestEcho: what held the turn is no person's prompt when the host gives it back, and any other text is one.
func TestEcho(t *testing.T) {
	host := fsm.HostInfo{Name: "copilot", Echoes: true}
	p := *states(t)
	p.Hold = fsm.Hold{Until: []string{"tasks"}, Tries: 2}
	s := fsm.Session{}
	s.Tasks.Open = []fsm.OpenTask{{ID: "1", Subject: "write it"}}
	pl := begin(t, &p)
	pl.s.Tasks.Open = s.Tasks.Open
	pl.do(fsm.Event{Kind: fsm.Prompt, Host: host, Prompt: "p1", Text: "do it"})
	pl.do(fsm.Event{Kind: fsm.TurnStop, Host: host})
	if !pl.d.Hold {
		t.Fatal("the turn is not held")
	}
	held := pl.d.Reason
	for text, own := range map[string]bool{held: true, " " + held + "\n": true, "something else": false} {
		e := pl.s.Identify(fsm.Event{Kind: fsm.Prompt, Host: host, Prompt: "p2", Text: text})
		if (e.Origin == fsm.Own) != own {
			t.Errorf("%q: origin %q", text, e.Origin)
		}
		after, _ := p.Step(pl.s, e)
		if (after.Turn.Prompt == pl.s.Turn.Prompt) != own {
			t.Errorf("%q: a turn begins: %v", text, !own)
		}
	}
	plain := begin(t, &p)
	plain.s.Tasks.Open = s.Tasks.Open
	if plain.do(fsm.Event{Kind: fsm.TurnStop}); !plain.d.Hold || plain.s.Talk.Held != "" {
		t.Errorf("held %v, and a host that echoes nothing has %q remembered", plain.d.Hold, plain.s.Talk.Held)
	}
	child := fsm.Event{Kind: fsm.Prompt, Host: fsm.HostInfo{Name: "codex"}, Agent: fsm.Agent{ID: "a1"}, Text: "go"}
	if e := pl.s.Identify(child); e.Origin != fsm.Own {
		t.Errorf("an agent's prompt: origin %q", e.Origin)
	}
}

// TestTypeLearnedAtStart: a host that names the type at an agent's start only.
func TestTypeLearnedAtStart(t *testing.T) {
	host := fsm.HostInfo{Name: "qwen"}
	pl := defaults(t)
	pl.do(fsm.Event{Kind: fsm.AgentStart, Agent: fsm.Agent{ID: "x-1", Type: "context-gatherer", Parent: "s1"}})
	e := fsm.Event{Kind: fsm.ToolRequest, Host: host, Agent: fsm.Agent{ID: "x-1"}}
	if got := pl.s.Identify(e).Agent.Type; got != "context-gatherer" {
		t.Errorf("type %q", got)
	}
	e.Agent.ID = "x-2"
	if got := pl.s.Identify(e).Agent.Type; got != "" {
		t.Errorf("of an agent that never started: type %q", got)
	}
	if r := pl.s.Agents.Runs[0]; r.By != "" || r.Depth != 1 {
		t.Errorf("the host named its parent: by %q, depth %d", r.By, r.Depth)
	}
}

// TestOneAtATime: a host that hides the caller runs one agent at a time, whose calls are all calls meanwhile.
func TestOneAtATime(t *testing.T) {
	host := fsm.HostInfo{Name: "gemini", HidesCaller: true}
	p := *states(t)
	start := func(use string) fsm.Event {
		return fsm.Event{Kind: fsm.ToolRequest, Host: host, Tool: fsm.Tool{Name: "Agent", UseID: use,
			Starts: &fsm.Start{How: fsm.ByAgent, Type: "context-gatherer"}, Parts: []fsm.Part{{Tool: "Agent"}}}}
	}
	pl := begin(t, &p).do(start("u1"))
	if pl.d.Verdict != fsm.Pass {
		t.Fatalf("the first start: %s", pl.d.Reason)
	}
	if pl.do(start("u2")); pl.d.Verdict != fsm.Deny || !strings.Contains(pl.d.Reason, "one may run at a time") {
		t.Errorf("a second one that is pending: %s %s", pl.d.Verdict, pl.d.Reason)
	}
	pl.do(fsm.Event{Kind: fsm.AgentStart, Host: host, Agent: fsm.Agent{ID: "g", Type: "context-gatherer"}})
	if pl.do(start("u3")); pl.d.Verdict != fsm.Deny {
		t.Error("a second one beside one that runs passes")
	}
	read := fsm.Event{Kind: fsm.ToolRequest, Host: host, Tool: fsm.Tool{Name: "Read"}}
	if got := pl.s.Identify(read).Agent; got.ID != "g" || got.Type != "context-gatherer" {
		t.Errorf("the caller is %+v", got)
	}
	read.Host = fsm.HostInfo{}
	if got := pl.s.Identify(read).Agent; !got.IsMain() {
		t.Errorf("of a host that names callers: %+v", got)
	}
}

// TestStartsWithoutIDs: a host that gives calls no ids may start two agents at once.
func TestStartsWithoutIDs(t *testing.T) {
	pl := defaults(t)
	for range 2 {
		pl.do(fsm.Event{Kind: fsm.ToolRequest, Host: fsm.HostInfo{Name: "copilot"}, Tool: fsm.Tool{Name: "Agent",
			Starts: &fsm.Start{How: fsm.ByAgent, Type: "context-gatherer"}, Parts: []fsm.Part{{Tool: "Agent"}}}})
	}
	if n := len(pl.pending()); n != 2 {
		t.Errorf("%d admissions are kept of two", n)
	}
}

// TestHostWords: what a config says of starting agents reaches an agent in the words of its host.
func TestHostWords(t *testing.T) {
	const said = `Agents are started with the Agent tool: Agent(subagent_type="x", description="find …", prompt="Do …"). Go.`
	for _, c := range []struct {
		starter fsm.StartTool
		want    string
	}{
		{fsm.StartTool{Tool: "spawn_agent", Agent: "agent_type", Prompt: "message"},
			`Agents are started with the tool spawn_agent: spawn_agent(agent_type="x", message="Do …"). Go.`},
		{fsm.StartTool{Tool: "task", Agent: "agent_type", Describe: "name", Prompt: "prompt"},
			`Agents are started with the tool task: task(agent_type="x", name="find …", prompt="Do …"). Go.`},
	} {
		p := fsm.Policy{Level: fsm.Strict, Main: fsm.Rules{Default: fsm.Rule{Name: "d", Verdict: fsm.Deny,
			Reason: said}}}
		e := edit(fsm.HostInfo{Name: "codex"})
		e.Session, e.Starter = "s1", c.starter
		if _, d := p.Step(fsm.Session{}, e); !strings.Contains(d.Reason, c.want) {
			t.Errorf("%s: %s", c.starter.Tool, d.Reason)
		}
		e.Host = fsm.HostInfo{}
		if _, d := p.Step(fsm.Session{}, e); !strings.Contains(d.Reason, said) {
			t.Errorf("Claude Code: %s", d.Reason)
		}
	}
}

// TestToolWords: a text names tools as the host does. A tool that it lacks is left out of a list and of parentheses.
func TestToolWords(t *testing.T) {
	words := fsm.Words{{Tool: "TodoWrite", Said: "update_plan"}, {Tool: "AskUserQuestion", Said: "ask"}}
	for text, want := range map[string]string{
		"Call TaskCreate, then TaskUpdate.":          "Call update_plan, then update_plan.",
		"AskUserQuestion":                            "ask",
		"ask with AskUserQuestion, twice":            "ask with ask, twice",
		"in plan mode (EnterPlanMode), or":           "in plan mode, or",
		"with it\n       (ExitPlanMode):":            "with it:",
		"Edit, MultiEdit, NotebookEdit (exceptions)": "Edit (exceptions)",
		"Edit, NotebookEdit.":                        "Edit.",
		"Then, SendMessage to it":                    "Then, SendMessage to it",
		"{{ .Context.TaskCreate }} TaskCreate {{ x":  "{{ .Context.TaskCreate }} update_plan {{ x",
		"MyTaskCreate TaskCreates task_TaskCreate":   "MyTaskCreate TaskCreates task_TaskCreate",
		"Read, Write … a Task":                       "Read, Write … a Task",
		"é (ExitPlanMode) TaskList   ":               "é update_plan   ",
		"a, NotebookEdit   ":                         "a, NotebookEdit   ",
		"with LSP, LS, Edit (LS).":                   "with LSP, LS, Edit (LS).",
		"Edit, Read, MyTool.":                        "Edit, Read, MyTool.",
		"a list (TaskCreate), and a, TaskCreate.":    "a list (update_plan), and a, update_plan.",
		"(see NotebookEdit) NotebookEdit, b":         "(see NotebookEdit) NotebookEdit, b",
	} {
		if got := words.Translate(text); got != want {
			t.Errorf("%q: %q, expected %q", text, got, want)
		}
		if got := (fsm.Event{Words: words}).Say(text); got != text {
			t.Errorf("%q to Claude Code: %q", text, got)
		}
	}
}

// TestCapturedWords: what an agent found keeps its words, also those that are names of tools.
func TestCapturedWords(t *testing.T) {
	p := fsm.Policy{Level: fsm.Strict, Opening: fsm.SessionOpening{On: []string{"startup"},
		Inject: "TaskCreate: {{ .Earlier.x.Text }}"}}
	e := fsm.Event{Kind: fsm.SessionStart, Session: "s1", Source: "startup", Host: fsm.HostInfo{Name: "codex"},
		Words: fsm.Words{{Tool: "TodoWrite", Said: "update_plan"}}}
	e.Facts.Earlier = map[string]*fsm.Earlier{"x": {Text: "TaskCreate is in a.go"}}
	if _, d := p.Step(fsm.Session{}, e); !strings.Contains(d.Inject, "update_plan: TaskCreate is in a.go") {
		t.Errorf("%q", d.Inject)
	}
}

// TestFewTools: what is shipped names no tool to a host that has only a shell, whichever host comes next.
func TestFewTools(t *testing.T) {
	var texts []string
	add := func(text []byte, ok bool) {
		if !ok {
			t.Fatal("a text is missing")
		}
		_, body, _ := strings.Cut(string(text), "\n---") // the head lists tools for the client
		texts = append(texts, body)
	}
	for _, name := range configs.Agents() {
		add(configs.Agent(name))
	}
	for _, preset := range configs.Presets() {
		commands, skills := configs.Beside(preset)
		for _, name := range commands {
			add(configs.Command(name))
		}
		for _, name := range skills {
			add(configs.Skill(name))
		}
		file := map[string]string{"default": "pipeline.yaml", "minimal": "minimal.yaml"}[preset]
		p := shipped(t, cmp.Or(file, "presets/"+preset+".yaml"))
		texts = append(texts, p.Opening.Inject, p.Planning.Say, p.Hold.Say, p.Remind.AfterAgent,
			p.Remind.AfterDelegation)
		for _, s := range p.States {
			texts = append(texts, s.Inject, s.Brief)
		}
		for _, set := range []fsm.Rules{p.Main, p.Subagents} {
			for _, r := range append(set.List, set.Default) {
				texts = append(texts, r.Reason, r.Example)
			}
		}
	}
	named := regexp.MustCompile(`\b[A-Z][a-z]+([A-Z][a-z]+)+\b`)
	for _, text := range texts {
		for _, word := range named.FindAllString((fsm.Words{{Tool: "Bash", Said: "sh"}}).Translate(text), -1) {
			if slices.ContainsFunc(fsm.KnownTools(), func(k fsm.ToolInfo) bool { return k.Name == word }) {
				t.Errorf("%s is named outside of parentheses:\n%s", word, text)
			}
		}
	}
}

// TestHostsThatSaySo: only what a host leaves out is completed.
func TestHostsThatSaySo(t *testing.T) {
	pl := begin(t, free()).asks(main(), "dev", "1").starts("d", "dev")
	hides, names := fsm.HostInfo{Name: "gemini", HidesCaller: true}, fsm.HostInfo{Name: "qwen", Echoes: true}
	call, agent := fsm.Tool{Name: "Read"}, fsm.Agent{ID: "d", Type: "its own"}
	for name, c := range map[string]struct {
		e    fsm.Event
		want fsm.Agent
	}{
		"a call": {fsm.Event{Kind: fsm.ToolRequest, Host: hides, Tool: call},
			fsm.Agent{ID: "d", Type: "dev"}},
		"a prompt":                     {fsm.Event{Kind: fsm.Prompt, Host: hides}, fsm.Agent{}},
		"of a host that names callers": {fsm.Event{Kind: fsm.ToolRequest, Host: names, Tool: call}, fsm.Agent{}},
		"a type that is said":          {fsm.Event{Kind: fsm.ToolRequest, Host: names, Agent: agent}, agent},
		"a type that is not": {fsm.Event{Kind: fsm.ToolRequest, Host: names, Agent: fsm.Agent{ID: "d"}},
			fsm.Agent{ID: "d", Type: "dev"}},
		"an empty prompt": {fsm.Event{Kind: fsm.Prompt, Host: names}, fsm.Agent{}},
	} {
		got := pl.s.Identify(c.e)
		if got.Agent.Basis = ""; got.Agent != c.want || got.Origin != fsm.Person {
			t.Errorf("%s: %+v, origin %q", name, got.Agent, got.Origin)
		}
	}
	if fsm.Unknown.String() != "unknown" || fsm.Prompt.String() != "prompt" {
		t.Errorf("%s, %s", fsm.Unknown, fsm.Prompt)
	}
	const text = `Use the Agent tool: Agent(subagent_type="x", prompt="y").`
	for _, tool := range []string{"", "Agent"} {
		e := fsm.Event{Host: names, Starter: fsm.StartTool{Tool: tool, Agent: "kind", Prompt: "message"}}
		if got := e.Say(text); got != text {
			t.Errorf("a host whose tool is %q: %q", tool, got)
		}
	}
}
