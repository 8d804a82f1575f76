package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/cmd/pipeline/internal/e2e"
	"github.com/agent-pipeline/pipeline/fsm"
)

// TestClientHosts is one scenario, the same with every host's client: what a user of any of
// them relies on.
func TestClientHosts(t *testing.T) {
	e2e.EachClient(t, func(t *testing.T, c e2e.Client) {
		t.Parallel()
		s := enforceOn(t, c)
		turns := []e2e.Turn{c.Start("bash-architect", "build it")[0], c.Write(s.Path("written.txt"), "made"),
			c.Shell("echo made > shell.txt"), c.Shell(binary() + " uninstall --host " + c.Name())}
		turns = append(turns, c.Start("context-gatherer", "[[context-gatherer]] go")...)
		turns = append(turns, c.Start("context-refiner", "[[context-refiner]] go")...)
		s.Say("main", append(turns, e2e.Text("that is all"), e2e.Text("really all"))...)
		s.Say("context-gatherer", e2e.Text("gathered 42"))
		s.Say("context-refiner", e2e.Text("refined 43"))
		s.Say("strategic-orchestrator", e2e.Text("planned 44"))

		first := c.Run(t, s.Project, s.Model, "build me a thing", allow(c)...)

		first.WantTold(t, "main", `where agent "bash-architect" may not run`, "Next, start the context-refiner",
			"gathered 42")
		for _, name := range []string{"written.txt", "shell.txt"} {
			if _, err := os.Stat(s.Path(name)); err == nil {
				t.Errorf("%s was written in a state where no file is", name)
			}
		}
		s.wantRefused(first, "pipeline uninstall")
		s.wantKnown(first, "context-refiner", "gathered 42")
		first.WantTold(t, "main", "the gate has run")
		s.wantState(first, "REFINING")
		s.wantPrompts(first, 1)
		s.wantHolds(first, 1)

		s.Say("main", append(c.Start("strategic-orchestrator", "[[strategic-orchestrator]] go"), e2e.Text("so far"))...)
		second := c.Run(t, s.Project, s.Model, "go on", append(allow(c), e2e.Resume(first.Session))...)
		if second.Session != first.Session {
			t.Errorf("resumed %s as %s", first.Session, second.Session)
		}
		s.wantKnown(second, "strategic-orchestrator", "refined 43")
		s.wantState(second, "EXECUTING")
		s.wantPrompts(second, 2)

		s.pipeline("uninstall", "--host", c.Name())
		s.wantAsBefore()
	})
}

// TestClientHostsFirstHour: one command in an empty repository, then the client refuses the wrong agent, and the
// right one is the agent that init has defined.
func TestClientHostsFirstHour(t *testing.T) {
	e2e.EachClient(t, func(t *testing.T, c e2e.Client) {
		t.Parallel()
		s := &onHost{enforced: &enforced{e2e.NewProject(t), e2e.NewModel(t).InOrder(), t}}
		s.Git() // without a repository Codex does not start
		s.initShipped("default", "--install", "--host", c.Name())
		turns := append([]e2e.Turn{c.Start("bash-developer", "build it")[0]},
			c.Start("context-gatherer", "[[context-gatherer]] go")...)
		s.Say("main", append(turns, e2e.Text("so far"))...)
		s.Say("context-gatherer", e2e.Text("gathered 42"))

		run := c.Run(t, s.Project, s.Model, "build me a thing", allow(c)...)

		run.WantTold(t, "main", `where agent "bash-developer" may not run`, "gathered 42")
		s.wantKnown(run, "context-gatherer", "You find out what a planner must know")
		s.wantState(run, "GATHERING")
	})
}

// TestClientHostsSkills: a client loads the command that its user types and lists the skill that init has written for
// it, and one that switches the policy on does so.
func TestClientHostsSkills(t *testing.T) {
	e2e.EachClient(t, func(t *testing.T, c e2e.Client) {
		t.Parallel()
		mark, loads := "/", []e2e.Turn(nil)
		switch c.Name() {
		case "codex":
			mark = "$"
		case "copilot": // in print mode the model reads what was typed, and loads the skill itself
			loads = []e2e.Turn{e2e.Call("skill", e2e.Input{"skill": "delegate"})}
		}
		onPreset := func(name string) *onHost {
			s := &onHost{enforced: &enforced{e2e.NewProject(t), e2e.NewModel(t).InOrder(), t}}
			s.Git()
			s.initShipped(name, "--install", "--host", c.Name())
			return s
		}

		s := onPreset("delegation")
		s.Say("main", append(loads, e2e.Text("fine"), e2e.Text("really"), e2e.Text("done"), e2e.Text("well"))...)
		run := c.Run(t, s.Project, s.Model, mark+"delegate build the thing", allow(c)...)
		run.WantTold(t, "main", "Delegate the whole of this task", "build the thing")
		s.wantKnown(run, "main", "You lead: you ask, plan")
		if c.Name() != "claude" {
			run.WantNotTold(t, "main", "TaskCreate", "TaskUpdate", "EnterPlanMode", "ExitPlanMode", "TeamCreate",
				"SendMessage")
		}
		if asked := run.Asked("main"); len(asked) == 0 || !strings.Contains(string(asked[0].Body), "breadth-reader") {
			t.Errorf("%s does not list the skill breadth-reader", c.Name())
		}

		s = onPreset("guided")
		s.Say("main", e2e.Text("fine"))
		run = c.Run(t, s.Project, s.Model, mark+"orchestrator go on", allow(c)...)
		s.wantNote(run, "switched on by the skill or command orchestrator")
	})
}

// TestClientHostsBackground: the main agent's turn ends before its agent does, on the hosts
// that tell the end of such an agent.
func TestClientHostsBackground(t *testing.T) {
	e2e.EachClient(t, func(t *testing.T, c e2e.Client) {
		t.Parallel()
		aside := map[string]func(e2e.Turn) e2e.Turn{
			"copilot": func(start e2e.Turn) e2e.Turn { return start.With("mode", "background") },
			"qwen":    func(start e2e.Turn) e2e.Turn { return start.With("run_in_background", true) },
		}[c.Name()]
		if aside == nil {
			return // TestClientBackground has Claude Code; Codex tells nothing after the turn's end
		}
		s := enforceOn(t, c)
		next := c.Start("context-refiner", "[[context-refiner]] go")
		next[0] = next[0].Until(s.recorded(`"kind":"agent-stop"`)) // the gate holds the turn, so the model goes on at once
		turns := append([]e2e.Turn{aside(c.Start("context-gatherer", "[[context-gatherer]] go")[0]),
			e2e.Text("waiting")}, next...)
		s.Say("main", append(turns, e2e.Text("that is all"), e2e.Text("really all"))...)
		s.Say("context-gatherer", e2e.Text("gathered 42").Until(s.stops(1)))
		s.Say("context-refiner", e2e.Text("refined 43"))

		run := c.Run(t, s.Project, s.Model, "build me a thing", allow(c)...)

		s.wantKnown(run, "context-refiner", "gathered 42")
		s.wantState(run, "REFINING")
		s.wantPrompts(run, 1)
	})
}

// TestClientHostsFork: a fork of a session goes on in the state where its parent is. TestClientFork has Claude Code.
func TestClientHostsFork(t *testing.T) {
	e2e.EachClient(t, func(t *testing.T, c e2e.Client) {
		t.Parallel()
		if c.Name() != "codex" && c.Name() != "qwen" {
			return // Copilot has none
		}
		s := enforceOn(t, c)
		s.Write("configs/pipeline.local.yaml", "version: 1\n")
		s.Say("main", append(c.Start("context-gatherer", "[[context-gatherer]] go"), e2e.Text("so far"))...)
		s.Say("context-gatherer", e2e.Text("gathered 42"))
		first := c.Run(t, s.Project, s.Model, "build me a thing", allow(c)...)
		s.Say("main", append(c.Start("context-refiner", "[[context-refiner]] go"), e2e.Text("so far"))...)
		s.Say("context-refiner", e2e.Text("refined 43"))

		second := c.Run(t, s.Project, s.Model, "go on", append(allow(c), e2e.ForkOf(first.Session))...)

		if second.Session == first.Session {
			t.Fatal("it was not forked")
		}
		s.wantKnown(second, "context-refiner", "gathered 42")
		s.wantState(second, "REFINING")
		s.wantState(first, "GATHERING")
	})
}

// TestClientHostsAgentFails: an agent whose API call fails is over on every host, and its place is free for the next.
func TestClientHostsAgentFails(t *testing.T) {
	e2e.EachClient(t, func(t *testing.T, c e2e.Client) {
		t.Parallel()
		s := enforceOn(t, c)
		s.Write("configs/pipeline.local.yaml", "version: 1\nlimits: {running: 1}\n")
		var turns []e2e.Turn
		for range 2 {
			turns = append(turns, c.Start("context-gatherer", "[[context-gatherer]] go")...)
		}
		s.Say("main", append(turns, e2e.Text("that is all"))...)
		s.Say("context-gatherer", e2e.Fail(400, "out of order"), e2e.Text("gathered 42"))
		options := allow(c)
		if c.Name() == "claude" {
			options = append(options, e2e.Env("CLAUDE_CODE_MAX_RETRIES=0"))
		}

		run := c.Run(t, s.Project, s.Model, "build me a thing", options...)

		run.WantTold(t, "main", "gathered 42")
		run.WantNotTold(t, "main", "is running;")
		s.wantState(run, "GATHERING")
	})
}

// allow are the permissions that a client needs in print mode, beside its arguments.
func allow(c e2e.Client) []e2e.Option {
	if c.Name() == "claude" {
		return []e2e.Option{e2e.Allow(everything)}
	}
	return nil
}

// An onHost is an enforced project under one of the hosts.
type onHost struct {
	*enforced
	before map[string]string // the files of the person that install may change, and theirs after it
	after  map[string]string
}

// enforceOn installs pipeline for a host beside what its person has there already. Turns
// are held once, by a gate that fails the first time.
func enforceOn(t *testing.T, c e2e.Client) *onHost {
	t.Helper()
	s := &onHost{enforced: &enforced{e2e.NewProject(t), e2e.NewModel(t).InOrder(), t}}
	s.Git()
	for file, text := range ownSettings[c.Name()] {
		file = strings.Replace(file, "~", s.Home, 1)
		if !filepath.IsAbs(file) {
			file = s.Path(file)
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s.initShipped("default")
	s.Write("configs/pipeline.local.yaml", "version: 1\nhold:\n  tries: 3\n  gate:\n"+
		"    run: 'test -e .git/held || { touch .git/held; echo the gate has run; exit 1; }'\n")
	for _, name := range []string{"context-gatherer", "context-refiner", "strategic-orchestrator", "bash-architect"} {
		c.Define(s.Project, name, "[["+name+"]]")
	}
	if c.Name() == "copilot" { // which runs the hooks of a Claude Code project too, without their arguments
		s.pipeline("install", "--scope", "local")
	}
	s.before = s.files()
	s.pipeline("install", "--host", c.Name())
	s.after = s.files()
	if maps.Equal(s.before, s.after) {
		t.Fatal("install changed no file")
	}
	return s
}

// ownSettings are what a person has in the files that install changes, written by hand.
var ownSettings = map[string]map[string]string{
	"claude":  {".claude/settings.json": "{ \"env\": {\n\t\"A\":\"b\" }   }"},
	"codex":   {"~/.codex/hooks.json": "{\n   \"description\" : \"mine\",\n\t\"hooks\": {\"Stop\": []}}\n"},
	"copilot": {"~/.copilot/hooks/mine.json": "{\"version\": 1, \"hooks\": {}}"},
	"qwen": {"~/.qwen/settings.json": "{\n\t\"$version\": 4, \"general\" : {\"disableAutoUpdate\": true},\n" +
		"  \"telemetry\": {\"enabled\": false} }"},
}

// files are the texts of all files in the home and the project, but those of git and the
// pipeline's state.
func (s *onHost) files() map[string]string {
	s.t.Helper()
	found := map[string]string{}
	for _, root := range []string{s.Home, s.Dir} {
		err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				if err == nil && slices.Contains([]string{".git", ".local", ".cache"}, d.Name()) {
					return filepath.SkipDir
				}
				return err
			}
			body, err := os.ReadFile(path)
			found[path] = string(body)
			return err
		})
		if err != nil {
			s.t.Fatal(err)
		}
	}
	return found
}

// wantAsBefore compares the files that install wrote with what they were before it.
func (s *onHost) wantAsBefore() {
	s.t.Helper()
	now := s.files()
	for path := range s.after {
		text, has := now[path]
		if was, had := s.before[path]; has != had || text != was {
			s.t.Errorf("%s: after uninstall it is there: %v, with %q; it was there: %v, with %q", path, has, text, had,
				was)
		}
	}
}

// wantKnown checks that an agent knows a text. Where a client puts it is its own affair.
func (s *onHost) wantKnown(run *e2e.Run, agent, text string) {
	s.t.Helper()
	if !strings.Contains(run.Knows(agent), text) {
		s.t.Errorf("%s does not know %q: %s", agent, text, run.ToldTo(agent))
	}
}

// wantRefused checks that a command was judged, once, and refused.
func (s *onHost) wantRefused(run *e2e.Run, words string) {
	s.t.Helper()
	found := 0
	for _, r := range s.records(run.Session) {
		if r.Event.Kind != fsm.ToolRequest || !slices.ContainsFunc(r.Event.Tool.Parts, func(p fsm.Part) bool {
			return strings.Contains(strings.Join(p.Words, " "), words)
		}) {
			continue
		}
		if found++; r.Verdict != fsm.Deny.String() {
			s.t.Errorf("%s: verdict %q", words, r.Verdict)
		}
	}
	if found != 1 {
		s.t.Errorf("%s was judged %d times", words, found)
	}
}

// wantPrompts counts the prompts that are a person's. What holds a turn is none, even
// where the client sends it as one.
func (s *onHost) wantPrompts(run *e2e.Run, want int) {
	s.t.Helper()
	got := 0
	for _, r := range s.records(run.Session) {
		if r.Event.Kind == fsm.Prompt && r.Event.Origin == fsm.Person && r.Event.Agent.IsMain() {
			got++
		}
	}
	if got != want {
		s.t.Errorf("%d prompts count as a person's, want %d", got, want)
	}
}

func (s *onHost) wantHolds(run *e2e.Run, want int) {
	s.t.Helper()
	got := 0
	for _, r := range s.records(run.Session) {
		if r.Event.Kind == fsm.TurnStop && r.Rule != "" {
			got++
		}
	}
	if got != want {
		s.t.Errorf("%d turns were held, want %d", got, want)
	}
}
