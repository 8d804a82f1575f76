package main

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/agent-pipeline/pipeline/cmd/pipeline/internal/e2e"
	"github.com/agent-pipeline/pipeline/fsm"
)

// A trial is the first hour with pipeline in a fresh project: init, install, and at the client's
// window a question, a typo, a planned change and a follow-up.
type trial struct {
	folder string            // where the person works, below the repository's top
	files  map[string]string // what is there before init; the first one of source has the typo
	source string            // the file with the typo
	init   []string          // arguments of init
	told   []string          // what init tells the person
	hour   func(h *hour)
	denied []string // the rules that refuse calls of the main agent, in their order
}

// hour is one trial with one client.
type hour struct {
	*enforced
	trial
	window *e2e.Window

	main func(*e2e.Request) e2e.Turn // the main agent

	mu   sync.Mutex
	todo []e2e.Turn // its next turns
}

// proposal is the agent that a refusal names as the next move.
var proposal = regexp.MustCompile(`(?:Agent\(subagent_type="|the next step is |start one of: )([\w-]+)`)

// next is the main agent: it makes its turns in their order, and waits for an agent that runs in
// the background.
func (h *hour) next(r *e2e.Request) e2e.Turn {
	h.mu.Lock()
	defer h.mu.Unlock()
	if strings.Contains(r.New, "Async agent launched") {
		return e2e.Text("I wait for it.")
	}
	if len(h.todo) == 0 {
		return e2e.Text("ok")
	}
	turn := h.todo[0]
	h.todo = h.todo[1:]
	if turn.Make != nil {
		return turn.Make(r)
	}
	return turn
}

// follow makes the move that the last refusal proposes.
func (h *hour) follow() e2e.Turn {
	return e2e.Given(func(r *e2e.Request) e2e.Turn {
		found := proposal.FindStringSubmatch(r.New)
		if found == nil {
			h.t.Errorf("no agent is proposed in:\n%s", r.New)
			return e2e.Text("nothing is proposed")
		}
		return h.start(found[1])
	})
}

func (h *hour) start(agent string) e2e.Turn {
	return e2e.StartWait(agent, "[["+strings.ToLower(agent)+"]] do your part")
}

// resume gives an agent that has returned more to do: the first one of the session.
func (h *hour) resume() e2e.Turn {
	return e2e.Given(func(r *e2e.Request) e2e.Turn {
		found := regexp.MustCompile(`agentId: (\w+)`).FindStringSubmatch(r.Told())
		if found == nil {
			h.t.Error("the client names no agent")
			return e2e.Text("no agent")
		}
		return e2e.Call("SendMessage", e2e.Input{"to": found[1], "message": "document it", "summary": "more to do"})
	})
}

func (h *hour) fix() e2e.Turn {
	return e2e.Call("Edit", e2e.Input{"file_path": h.Path(h.source), "old_string": "totl", "new_string": "total"})
}

// ask is one prompt of the person. The main agent takes these turns, and ends with the answer; then
// the status line shows where the pipeline is.
func (h *hour) ask(prompt, answer, status string, turns ...e2e.Turn) {
	h.t.Helper()
	h.mu.Lock()
	h.todo = append(turns, e2e.Text(answer))
	h.mu.Unlock()
	h.window.Say(prompt)
	h.window.Wait("● "+answer, status)
}

// seeded is the hour with the default's states, in which that agent makes the changes.
func seeded(worker string) func(h *hour) {
	return func(h *hour) {
		h.window.Wait("pipeline: IDLE, strict. You can type /pipeline status", "IDLE · strict")
		h.ask("what does this repository do?", "It is a shop.", "GATHERING · strict",
			h.read(h.source), sh("ls -l"), sh("grep -rn totl ."), h.follow())
		h.window.Wait("refused Bash in IDLE (rule no-searching); /pipeline once lets the next turn through")
		h.ask("there is a typo in "+h.source, "That needs a plan.", "REFINING · strict",
			h.read(h.source), h.fix(), h.follow())
		h.window.Say("/pipeline once")
		h.ask("fix it right now", "The typo is fixed.", "REFINING · strict", h.fix())
		h.ask("now add a discount", "The discount is in.", "COMPLETE · strict",
			h.start(worker), h.follow(), h.start(worker))
		h.ask("and document it", "It is documented.", "COMPLETE · strict",
			h.start(worker), h.follow(), h.start("context-refiner"), h.start("strategic-orchestrator"), h.start(worker))
		h.ask("thanks; what has changed?", "One file is new.", "COMPLETE · strict", sh("git status --short"))
	}
}

// daily is the hour with the preset everyday: what reads is free, a plan that the person approves
// leads to the work.
func daily(h *hour) {
	h.window.Wait("pipeline: IDLE, strict. You can type /pipeline status", "IDLE · strict")
	h.ask("what does this repository do?", "It is a shop.", "IDLE · strict",
		h.read(h.source), sh("grep -rn totl . | head"), h.start("Explore"))
	h.ask("there is a typo in "+h.source, "The typo is fixed.", "IDLE · strict", h.fix(),
		sh("git add -A && git commit -qm typo"))
	looked := 0
	h.window.Until("be in plan mode", func() bool {
		isOn := strings.Contains(h.window.Screen(), "plan mode on")
		if looked++; looked%20 == 0 && !isOn {
			h.window.Press("BTab") // the next mode
		}
		return isOn
	})
	h.approve("now add a discount", e2e.Call("ToolSearch", e2e.Input{"query": "select:ExitPlanMode"}),
		e2e.Given(func(r *e2e.Request) e2e.Turn {
			return e2e.Call("Write", e2e.Input{"file_path": planFile.FindString(r.Told()), "content": "a discount"})
		}),
		e2e.Call("ExitPlanMode", e2e.Input{"plan": "a discount"}), h.start("developer"),
		e2e.Text("The discount is in."))
	h.window.Wait("● The discount is in.", "COMPLETE · strict")
	h.ask("and document it", "It needs a plan.", "EXECUTING · strict", // a new task: its plan is another one
		h.create("a.md"), h.create("b.md"), h.create("c.md"), h.create("d.md"), h.follow())
	h.window.Wait("refused Write in COMPLETE (rule small-edits)")
	h.ask("thanks; what has changed?", "Three files are new.", "EXECUTING · strict",
		sh("git status --short"), h.start("Explore"))
}

// approve is a prompt in plan mode, whose plan the person approves.
func (h *hour) approve(prompt string, turns ...e2e.Turn) {
	h.t.Helper()
	h.mu.Lock()
	h.todo = turns
	h.mu.Unlock()
	h.window.Say(prompt)
	h.window.Wait("Would you like to proceed?")
	looked := 0
	h.window.Until("take the approval", func() bool { // the client ignores keys that come too soon
		h.mu.Lock()
		defer h.mu.Unlock()
		if looked++; looked%30 == 0 && len(h.todo) > 1 {
			h.window.Press("1")
		}
		return len(h.todo) < 2
	})
}

// delegated is the hour with the preset delegation: the main agent has agents for everything.
func delegated(h *hour) {
	h.window.Wait("strict. You can type /pipeline status", "strict")
	h.ask("what does this repository do?", "It is a shop.", "strict", h.read(h.source), h.follow())
	h.ask("there is a typo in "+h.source, "It is fixed.", "strict",
		sh("sed -i s/totl/total/ "+h.source), h.follow())
	h.ask("add a discount, and then check it", "The discount is in.", "strict",
		e2e.Call("ToolSearch", e2e.Input{"query": "select:TaskList,SendMessage"}), h.start("general-purpose"),
		e2e.Call("TaskList", e2e.Input{}), h.start("task-completion-verifier"))
	h.ask("and document it", "It is documented.", "strict", h.resume())
	h.ask("thanks; what has changed?", "One file is new.", "strict", sh("git status --short"), h.follow())
}

var inSteps = []string{"--preset", "default"}

var seededDenials = []string{"no-searching", "no-editing", "pipeline", "pipeline"}

func trials() map[string]trial {
	agent := func(name, tools string) string {
		return "---\nname: " + name + "\ndescription: the " + name + " of the project\n" + tools + "---\nWork.\n"
	}
	return map[string]trial{
		"python with agents": {
			files: map[string]string{"pyproject.toml": "[project]\nname = \"shop\"\n", "shop.py": "totl = 1\n",
				".claude/agents/python-coder.md": agent("python-coder", "tools: Read, Write, Edit, Bash\n"),
				".claude/agents/test-writer.md":  agent("test-writer", ""),
				".claude/agents/reviewer.md":     agent("reviewer", "tools: Read, Grep, Glob\n")},
			source: "shop.py",
			told:   []string{"agents that change files: python-coder, test-writer; agents that read: reviewer"},
			init:   inSteps,
			hour:   seeded("python-coder"),
			denied: seededDenials,
		},
		"typescript without agents": {
			files: map[string]string{"package.json": "{}\n", "tsconfig.json": "{}\n",
				"src/shop.ts": "export const totl = 1\n"},
			init: inSteps, source: "src/shop.ts", told: []string{"TypeScript", "developer.md"},
			hour: seeded("developer"), denied: seededDenials,
		},
		"nix": {
			files: map[string]string{"flake.nix": "{ }\n", "shop.nix": "{ totl = 1; }\n"},
			init:  inSteps, source: "shop.nix", told: []string{"nix-developer.md"},
			hour: seeded("nix-developer"), denied: seededDenials,
		},
		"java with agents of odd names": {
			files: map[string]string{"pom.xml": "<project/>\n", "services/shop/pom.xml": "<project/>\n",
				"services/shop/src/main/java/Shop.java": "class Shop { int totl = 1; }\n",
				".claude/agents/zorro-coder.md":         agent("Zorro_Coder", "tools: Read, Write, Edit, Bash\n"),
				".claude/agents/coffee.md":              agent("Coffee Machine", "tools: Read, Bash\n")},
			init: inSteps, source: "services/shop/src/main/java/Shop.java",
			told:   []string{"(Java); agents that change files: Zorro_Coder; agents that read: Coffee Machine"},
			hour:   seeded("zorro-coder"), // the client takes it for Zorro_Coder
			denied: seededDenials,
		},
		"everyday": {
			files: map[string]string{"shop.py": "totl = 1\n"}, init: []string{"--preset", "everyday"},
			source: "shop.py", told: []string{"developer.md"},
			hour: daily, denied: []string{"small-edits"},
		},
		"delegation": {
			files: map[string]string{"shop.py": "totl = 1\n"}, init: []string{"--preset", "delegation"},
			source: "shop.py", told: []string{"delegate.md"},
			hour: delegated, denied: []string{"default", "default", "default"},
		},
		"monorepo": {
			folder: "services/shop",
			files:  map[string]string{"go.mod": "module shop\n", "shop.go": "package shop\n\nconst totl = 1\n"},
			init:   inSteps, source: "shop.go", told: []string{"part of the repository"},
			hour: seeded("developer"), denied: seededDenials,
		},
	}
}

func TestClientFirstHour(t *testing.T) {
	for name, test := range trials() {
		t.Run(name, func(t *testing.T) {
			both(t, func(t *testing.T, v e2e.Version) {
				h := newHour(t, test)
				h.window = h.Open(t, v, h.Model, e2e.Allow(everything))
				test.hour(h)
				t.Log(h.window.Screen())
				h.window.Close()
				h.judge(t)
			})
		})
	}
}

func newHour(t *testing.T, test trial) *hour {
	h := &hour{enforced: &enforced{e2e.NewProject(t), e2e.NewModel(t), t}, trial: test}
	h.main = h.next
	h.When(func(r *e2e.Request) bool { return r.Speaker == e2e.Main },
		e2e.Given(func(r *e2e.Request) e2e.Turn { return h.main(r) }))
	h.Git()
	h.Dir = filepath.Join(h.Dir, test.folder)
	for file, text := range test.files {
		h.Write(file, text)
	}
	out := h.pipeline(append([]string{"init", "--yes"}, test.init...)...)
	out += h.pipeline("install", "--statusline")
	t.Log(out)
	for _, text := range test.told {
		if !strings.Contains(out, text) {
			t.Errorf("init and install do not say %q:\n%s", text, out)
		}
	}
	for _, f := range h.agents() {
		h.script(f)
	}
	return h
}

// agents are the names of the project's agents and of the client's own.
func (h *hour) agents() []string {
	names := []string{"Explore", "Plan", "general-purpose"}
	files, _ := filepath.Glob(h.Path(".claude/agents/*.md"))
	for _, f := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(f), ".md"))
	}
	return names
}

// script lets an agent work by its name: developers write a file, others read one; in the preset
// delegation each delivers a report.
func (h *hour) script(agent string) {
	last, name := e2e.Text(agent+" is done"), strings.ToLower(agent)
	turns := []e2e.Turn{h.read(h.source)}
	switch {
	case strings.Contains(agent, "developer"), strings.Contains(agent, "coder"), agent == "general-purpose":
		turns = append(turns, h.fix(), h.create("discount.txt"))
	}
	if slices.Contains(h.init, "delegation") {
		report := filepath.Join(h.Home, name+".md")
		turns = append(turns, e2e.Call("Write", e2e.Input{"file_path": report, "content": "done\n"}))
		last = e2e.Text("DONE|" + report)
	}
	h.Say(name, append(turns, last)...)
}

// judge checks what holds in every trial: which rules refused, that each refusal is short and is
// followed by a move that passes, and that the work was done.
func (h *hour) judge(t *testing.T) {
	t.Helper()
	var denied []string
	refused := ""
	for _, r := range h.onlyRecords() {
		if r.Event.Kind != fsm.ToolRequest || r.Event.Agent.ID != "" {
			continue
		}
		if r.Verdict != fsm.Deny.String() {
			refused = ""
			continue
		}
		if refused != "" {
			t.Errorf("a refusal is followed by another:\n%s\n%s", refused, r.Reason)
		}
		if refused = r.Reason; len(refused) > 400 {
			t.Errorf("a refusal of %d characters: %s", len(refused), refused)
		}
		denied = append(denied, r.Rule)
		t.Log(r.Reason)
	}
	if !slices.Equal(denied, h.denied) {
		t.Errorf("denied by %q, expected %q", denied, h.denied)
	}
	if h.Read("discount.txt") != "written\n" || strings.Contains(h.Read(h.source), "totl") {
		t.Error("the work was not done")
	}
}
