package fsm_test

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/shell"
)

func bash(words ...string) fsm.Part { return fsm.Part{Tool: "Bash", Words: words} }

func file(tool, path string) fsm.Part { return fsm.Part{Tool: tool, Path: path} }

// TestToolGlobs: a rule covers the tools that its globs match, as package path says.
func TestToolGlobs(t *testing.T) {
	word := rapid.StringOfN(rapid.RuneFrom([]rune(`ab*?[]\\-^é`)), 0, 6, -1)
	rapid.Check(t, func(t *rapid.T) {
		glob, tool := word.Draw(t, "glob"), word.Draw(t, "tool")
		want, err := path.Match(glob, tool)
		r := fsm.Rule{Tools: []string{glob}}
		if got := r.CoversTool(tool); got != (want && err == nil) {
			t.Fatalf("%q covers %q: %v", glob, tool, got)
		}
	})
}

// TestRuleFits: which parts a rule speaks of.
func TestRuleFits(t *testing.T) {
	code := bash("eval", shell.Unknown)
	code.Code = true
	yes := true
	shows := func(code bool) fsm.Part {
		return fsm.Part{Tool: "Bash", Words: []string{"git", "log"}, Shows: true, Code: code}
	}
	for name, c := range map[string]struct {
		rule fsm.Rule
		part fsm.Part
		want bool
	}{
		"the tool":        {fsm.Rule{Tools: []string{"Write"}}, file("Write", "/p/a"), true},
		"another tool":    {fsm.Rule{Tools: []string{"Write"}}, file("Read", "/p/a"), false},
		"a glob of tools": {fsm.Rule{Tools: []string{"mcp__*"}}, fsm.Part{Tool: "mcp__github__list"}, true},
		"a server as Codex names it": {fsm.Rule{Tools: []string{"mcp__my-demo__*"}},
			fsm.Part{Tool: "mcp__my_demo__ping"}, true},
		"a server as Copilot names it": {fsm.Rule{Tools: []string{"mcp__my-demo__ping"}},
			fsm.Part{Tool: "mcp__my__demo-ping"}, true},
		"another server": {fsm.Rule{Tools: []string{"mcp__my-demo__*"}}, fsm.Part{Tool: "mcp__my_demon__ping"}, false},
		"no server":      {fsm.Rule{Tools: []string{"mcp__a__b"}}, fsm.Part{Tool: "mcp-a-b"}, false},
		"an older name":  {fsm.Rule{Tools: []string{"TodoWrite"}}, fsm.Part{Tool: "TaskCreate"}, true},
		"Task for Agent": {fsm.Rule{Tools: []string{"Task"}}, fsm.Part{Tool: "Agent"}, true},
		"a path": {fsm.Rule{Tools: []string{"Write"}, Paths: []string{"/p/**/plan*.json"}},
			file("Write", "/p/x/plan1.json"), true},
		"a path in other case": {fsm.Rule{Tools: []string{"Write"}, Paths: []string{"/P/**/Plan*.json"}},
			fsm.Part{Tool: "Write", Path: "/p/X/PLAN1.json", Fold: true}, true},
		"a path in other case that is another file": {fsm.Rule{Tools: []string{"Write"}, Paths: []string{"/P/**"}},
			file("Write", "/p/x"), false},
		"a pattern in other case": {fsm.Rule{Tools: []string{"Delete"}, Paths: []string{"/p/a.go"}, Verdict: fsm.Deny},
			fsm.Part{Tool: "Delete", Path: shell.Unknown, Names: []string{"/P/a*.GO"}, Fold: true}, true},
		"a lookalike": {fsm.Rule{Tools: []string{"Write"}, Paths: []string{"/p/**/plan*.json"}},
			file("Write", "/p/src/explanation.json"), false},
		"outside the project": {fsm.Rule{Tools: []string{"Write"}, Paths: []string{"/p/**/plan*.json"}},
			file("Write", "/q/plan.json"), false},
		"a path that cannot be known": {fsm.Rule{Tools: []string{"Write"}, Paths: []string{"/**"}},
			file("Write", shell.Unknown), false},
		"every git command": {fsm.Rule{Tools: []string{"Bash"}, Commands: [][]string{{"git"}}},
			bash("git", "status"), true},
		"git push with options": {fsm.Rule{Tools: []string{"Bash"}, Commands: [][]string{{"git", "push"}}},
			bash("/usr/bin/git", "-C", "x", "push"), true},
		"not git push": {fsm.Rule{Tools: []string{"Bash"}, Commands: [][]string{{"git", "push"}}},
			bash("git", "log", "push"), false},
		"what cannot be known": {fsm.Rule{Tools: []string{"Bash"}, Commands: [][]string{{"?"}}}, code, true},
		"what builds": {fsm.Rule{Tools: []string{"Bash"}, Commands: [][]string{{"git"}, {fsm.BuildCommands}}},
			fsm.Part{Tool: "Bash", Words: []string{"mvn"}, Groups: []string{"@builds"}, Code: true}, true},
		"what builds nothing": {fsm.Rule{Tools: []string{"Bash"}, Commands: [][]string{{fsm.BuildCommands}}},
			bash("ls"), false},
		"what tests": {fsm.Rule{Tools: []string{"Bash"}, Commands: [][]string{{fsm.TestCommands}}},
			fsm.Part{Tool: "Bash", Words: []string{"mvn", "test"}, Groups: []string{"@builds", "@tests"}}, true},
		"what builds is no test": {fsm.Rule{Tools: []string{"Bash"}, Commands: [][]string{{fsm.TestCommands}}},
			fsm.Part{Tool: "Bash", Words: []string{"mvn", "install"}, Groups: []string{"@builds"}}, false},
		"what can be known": {fsm.Rule{Tools: []string{"Bash"}, Commands: [][]string{{"?"}}}, bash("ls", shell.Unknown),
			false},
		"another state": {fsm.Rule{Tools: []string{"Read"}, States: []string{"GATHERING"}}, file("Read", "/p/a"),
			false},
		"the state": {fsm.Rule{Tools: []string{"Read"}, States: []string{"IDLE"}}, file("Read", "/p/a"), true},
		"an input": {fsm.Rule{Tools: []string{"Agent"}, Inputs: []fsm.Input{{Name: "model", Value: "opus*"}}},
			fsm.Part{Tool: "Agent"}, true},
		"another input": {fsm.Rule{Tools: []string{"Agent"}, Inputs: []fsm.Input{{Name: "model", Value: "haiku"}}},
			fsm.Part{Tool: "Agent"}, false},
		"the environment": {fsm.Rule{Tools: []string{"Read"}, Env: []fsm.Input{{Name: "TEAM", Value: "*"}}},
			file("Read", "/p/a"), true},
		"unless the environment": {fsm.Rule{Tools: []string{"Read"},
			UnlessEnv: []fsm.Input{{Name: "TEAM", Value: "1"}}}, file("Read", "/p/a"), false},
		"unless it is not so": {fsm.Rule{Tools: []string{"Read"},
			UnlessEnv: []fsm.Input{{Name: "TEAM", Value: "2"}}}, file("Read", "/p/a"), true},
		"an agent type of another": {fsm.Rule{Tools: []string{"Read"}, Agents: []string{"c-*"}}, file("Read", "/p/a"),
			false},
		"only shows":             {fsm.Rule{Tools: []string{"Bash"}, Changes: new(bool)}, shows(false), true},
		"shows unknown code":     {fsm.Rule{Tools: []string{"Bash"}, Changes: new(bool)}, shows(true), false},
		"may change something":   {fsm.Rule{Tools: []string{"Bash"}, Changes: new(bool)}, bash("make"), false},
		"reads":                  {fsm.Rule{Tools: []string{"*"}, Changes: new(bool)}, file("Read", "/p/a"), true},
		"writes":                 {fsm.Rule{Tools: []string{"*"}, Changes: new(bool)}, file("Write", "/p/a"), false},
		"changes: true, shows":   {fsm.Rule{Tools: []string{"Bash"}, Changes: &yes}, shows(false), false},
		"changes: true, changes": {fsm.Rule{Tools: []string{"Bash"}, Changes: &yes}, bash("make"), true},
		"a wrapper": {fsm.Rule{Tools: []string{"Bash"}, Commands: [][]string{{"sudo"}}},
			fsm.Part{Tool: "Bash", Words: []string{"rm", "x"}, Via: []string{"sudo"}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			c.rule.Name, c.rule.Verdict = "r", fsm.Deny
			p := &fsm.Policy{Level: fsm.Strict, Initial: "IDLE", Main: fsm.Rules{List: []fsm.Rule{c.rule}},
				States: []fsm.State{{Name: "IDLE", Triggers: []fsm.Trigger{{Name: "x", Agents: []string{"x"},
					To: "IDLE"}}}}}
			e := fsm.Event{Kind: fsm.ToolRequest, Tool: fsm.Tool{Name: c.part.Tool, UseID: "1",
				Parts: []fsm.Part{c.part}, Input: map[string]string{"model": "opus-4"}},
				Facts: fsm.Facts{Env: map[string]string{"TEAM": "1"}}}
			pl := begin(t, p).do(e)
			if got := pl.d.Verdict == fsm.Deny; got != c.want {
				t.Errorf("denied: %v, expected %v", got, c.want)
			}
		})
	}
}

// rules is a session under a policy of rules only.
func rules(t testing.TB, list ...fsm.Rule) *play {
	for i := range list {
		if list[i].Name == "" {
			list[i].Name = fmt.Sprint("r", i)
		}
	}
	return begin(t, &fsm.Policy{Level: fsm.Strict, Main: fsm.Rules{List: list}})
}

// does asks for a call of these parts, under an id of its own.
func (pl *play) does(use string, parts ...fsm.Part) *play {
	pl.Helper()
	return pl.do(fsm.Event{Kind: fsm.ToolRequest, Tool: fsm.Tool{Name: parts[0].Tool, UseID: use, Parts: parts}})
}

func (pl *play) did(use, tool string) *play {
	pl.Helper()
	return pl.do(fsm.Event{Kind: fsm.ToolResult, Tool: fsm.Tool{Name: tool, UseID: use}})
}

func TestFirstMatchDecides(t *testing.T) {
	pl := rules(t, fsm.Rule{Name: "scratch", Tools: []string{"Write"}, Paths: []string{"/tmp/**"}},
		fsm.Rule{Name: "ask", Tools: []string{"Write"}, Paths: []string{"/q/**"}, Verdict: fsm.Ask},
		fsm.Rule{Name: "no-editing", Tools: []string{"Write"}, Verdict: fsm.Deny})
	pl.does("1", file("Write", "/tmp/a")).passes().does("2", file("Write", "/q/a")).gets(fsm.Ask, "rule ask")
	pl.does("3", file("Write", "/p/a")).denied("rule no-editing").does("4", file("Read", "/p/a")).passes()
	// the strictest part
	pl.does("5", file("Write", "/tmp/a"), file("Write", "/q/a"), file("Write", "/p/b")).denied("no-editing")
}

// TestExceptionIsNoCover: an allowed command is none when what it runs cannot be known.
func TestExceptionIsNoCover(t *testing.T) {
	code := bash("./pytest")
	code.Code = true
	pl := rules(t, fsm.Rule{Name: "tests", Tools: []string{"Bash"}, Commands: [][]string{{"pytest"}}},
		fsm.Rule{Name: "unknown", Tools: []string{"Bash"}, Commands: [][]string{{"?"}}, Verdict: fsm.Deny})
	pl.does("1", bash("pytest", "-q")).passes().does("2", code).denied("rule unknown")
}

func TestDefaultVerdict(t *testing.T) {
	p := &fsm.Policy{Level: fsm.Strict, Main: fsm.Rules{List: []fsm.Rule{{Name: "coordinate",
		Tools: []string{"Agent", "AskUserQuestion"}}},
		Default: fsm.Rule{Verdict: fsm.Deny, Reason: "delegate the whole request"}}}
	pl := begin(t, p).does("1", fsm.Part{Tool: "Agent"}).passes().does("2",
		fsm.Part{Tool: "NewTool"}).denied("delegate the whole request")
	pl.uses(sub("a", "x"), "NewTool").passes()
}

func TestRuleLevels(t *testing.T) {
	for _, c := range []struct {
		policy   fsm.Level
		rule     fsm.Level
		levelled bool
		verdict  fsm.Verdict
		want     fsm.Verdict
	}{
		{fsm.Strict, 0, false, fsm.Ask, fsm.Ask}, {fsm.AskFirst, 0, false, fsm.Deny, fsm.Ask},
		{fsm.Guidance, 0, false, fsm.Ask, fsm.Warn},
		{fsm.Observe, 0, false, fsm.Deny, fsm.Pass}, {fsm.Strict, fsm.Guidance, true, fsm.Deny, fsm.Warn},
		{fsm.Guidance, fsm.Strict, true, fsm.Deny, fsm.Deny},
	} {
		p := &fsm.Policy{Level: c.policy, Main: fsm.Rules{List: []fsm.Rule{{Name: "r", Tools: []string{"Write"},
			Verdict: c.verdict, Level: c.rule, Levelled: c.levelled}}}}
		pl := begin(t, p).does("1", file("Write", "/a"))
		if pl.d.Verdict != c.want || pl.d.StrictVerdict != c.verdict {
			t.Errorf("%s, rule at %s: %s, would %s; expected %s", c.policy, c.rule, pl.d.Verdict, pl.d.StrictVerdict,
				c.want)
		}
	}
}

func TestRuleThatIsOff(t *testing.T) {
	off := fsm.Rule{Name: "off", Tools: []string{"Write"}, Verdict: fsm.Pass, Levelled: true, Level: fsm.Off}
	rules(t, off, fsm.Rule{Name: "on", Tools: []string{"Write"}, Verdict: fsm.Deny}).does("1",
		file("Write", "/a")).denied("rule on")
}

func readBudget() fsm.Rule {
	return fsm.Rule{Name: "read-budget", Tools: []string{"Read"}, Verdict: fsm.Deny, Budget: 2, Budgeted: true,
		ResetOn: []string{"delegate"}}
}

func TestBudget(t *testing.T) {
	read := func(i int) fsm.Part { return file("Read", fmt.Sprintf("/p/f%d.go", i)) }
	t.Run("in a row", func(t *testing.T) {
		pl := rules(t, readBudget()).does("1", read(1)).passes().did("1", "Read").does("2", read(2)).passes().did("2",
			"Read")
		pl.does("3", read(3)).denied("attempt 3 of 2 (so far: /p/f1.go, /p/f2.go)").does("4",
			read(4)).denied("attempt 4 of 2")
	})
	t.Run("eight at once", func(t *testing.T) {
		pl, passed := rules(t, readBudget()), 0
		for i := range 8 {
			if pl.does(fmt.Sprint(i), read(i)).d.Verdict == fsm.Pass {
				passed++
			}
		}
		if passed != 2 {
			t.Errorf("%d passed, expected 2", passed)
		}
	})
	t.Run("in one line", func(t *testing.T) {
		pl := rules(t, readBudget()).does("1", read(1), read(2), read(3)).denied("attempt 3 of 2")
		pl.does("2", read(1), read(2)).passes() // what was denied has used up nothing
	})
	t.Run("given back by delegating", func(t *testing.T) {
		pl := rules(t, readBudget()).does("1", read(1)).did("1", "Read").does("2", read(2)).did("2", "Read").does("3",
			read(3)).denied("")
		pl.asks(main(), "Explore", "a").starts("e", "Explore").does("4", read(4)).passes()
	})
	t.Run("not by an agent's agent", func(t *testing.T) {
		pl := rules(t, readBudget()).asks(main(), "Explore", "a").starts("e", "Explore").does("1", read(1)).did("1",
			"Read").does("2", read(2)).did("2", "Read")
		pl.asks(sub("e", "Explore"), "Plan", "b").starts("p", "Plan").does("3", read(3)).denied("")
	})
	t.Run("given back when the host refused", func(t *testing.T) {
		rules(t, readBudget()).does("1", read(1)).does("2", read(2)).passes().ends().does("3",
			read(3)).passes().does("4", read(4)).passes().does("5", read(5)).denied("")
	})
	t.Run("given back when the user declined", func(t *testing.T) {
		rules(t, readBudget()).does("1", read(1)).does("2", read(2)).says("no").does("3", read(3)).passes()
	})
	t.Run("a call that failed counts", func(t *testing.T) {
		pl := rules(t, readBudget()).does("1", read(1)).do(fsm.Event{Kind: fsm.ToolFailure,
			Tool: fsm.Tool{Name: "Read", UseID: "1"}})
		pl.does("2", read(2)).did("2", "Read").ends().does("3", read(3)).denied("")
	})
	t.Run("asked by two registrations", func(t *testing.T) {
		rules(t, readBudget()).does("1", read(1)).does("1", read(1)).passes().does("2", read(2)).does("2",
			read(2)).passes().does("3", read(3)).denied("attempt 3")
	})
	t.Run("on a prompt", func(t *testing.T) {
		r := readBudget()
		r.ResetOn = []string{"prompt"}
		pl := rules(t, r).does("1", read(1)).did("1", "Read").does("2", read(2)).did("2", "Read").does("3",
			read(3)).denied("")
		pl.notified("x", "completed").does("4", read(4)).denied("").says("go on").does("5", read(5)).passes()
	})
	t.Run("on a state", func(t *testing.T) {
		p := *shipped(t, "minimal.yaml")
		r := readBudget()
		r.ResetOn = []string{"state"}
		p.Main = fsm.Rules{List: []fsm.Rule{r}}
		pl := begin(t, &p).does("1", read(1)).did("1", "Read").does("2", read(2)).did("2", "Read").does("3",
			read(3)).denied("")
		pl.runs("p", "Plan", "planned").in("BUILD").does("4", read(4)).passes()
	})
	t.Run("each agent its own", func(t *testing.T) {
		p := &fsm.Policy{Level: fsm.Strict, Subagents: fsm.Rules{List: []fsm.Rule{readBudget()}}}
		pl := begin(t, p)
		for _, id := range []string{"a", "b"} {
			for i, want := range []fsm.Verdict{fsm.Pass, fsm.Pass, fsm.Deny} {
				pl.do(fsm.Event{Kind: fsm.ToolRequest, Agent: sub(id, "x"),
					Tool: fsm.Tool{Name: "Read", UseID: fmt.Sprint(id, i), Parts: []fsm.Part{read(i)}}}).gets(want, "")
			}
		}
	})
}

func TestWithin(t *testing.T) {
	pl := rules(t, fsm.Rule{Name: "single-lookup", Tools: []string{"Read"}, Verdict: fsm.Deny, Within: 2})
	pl.does("1", file("Read", "/a")).passes().does("2", file("Read", "/b")).denied("single-lookup")
	pl.does("3", file("Write", "/c")).passes().does("4", file("Read", "/b")).denied("").does("5",
		file("Write", "/c")).does("6", file("Read", "/b")).passes()
}

func TestForkIsTheOrchestrator(t *testing.T) {
	p := &fsm.Policy{Level: fsm.Strict, Main: fsm.Rules{List: []fsm.Rule{{Name: "no-editing", Tools: []string{"Write"},
		Verdict: fsm.Deny}}}}
	begin(t, p).uses(sub("f", "fork"), "Write").denied(`not for agent "fork"`).uses(sub("a", "x"), "Write").passes()
}

func TestRefusedAgain(t *testing.T) {
	p := states(t)
	q := *p
	q.Main = fsm.Rules{List: []fsm.Rule{{Name: "no-editing", Tools: []string{"Write"}, Verdict: fsm.Deny,
		DelegateTo: []string{"bash-developer", "c-developer"}, Reason: "the orchestrator does not change files"}}}
	pl := begin(t, &q).executing()
	first := pl.does("1", file("Write", "/p/a.sh")).denied(`Agent(subagent_type="bash-developer"`).d.Reason
	second := pl.does("2", file("Write", "/p/a.sh")).denied(`Agent(subagent_type="bash-developer"`).d.Reason
	if !strings.Contains(first, "does not change files.") ||
		!strings.Contains(second, "2 times). the orchestrator does not change files.") {
		t.Errorf("first %q, then %q", first, second)
	}
	for i := 3; i <= 5; i++ {
		if pl.does(fmt.Sprint(i), file("Write", "/p/a.sh")); (len(pl.d.Notices) > 0) != (i == 5) {
			t.Errorf("time %d: the user was told %q", i, pl.d.Notices)
		}
	}
	if pl.says("what?").does("6", file("Write", "/p/a.sh")); pl.d.Reason != first {
		t.Errorf("after a prompt: %q", pl.d.Reason)
	}
}

// TestDelegatePatterns: a glob of delegate_to stands for the agents that the config
// describes.
func TestDelegatePatterns(t *testing.T) {
	p := *states(t)
	p.Agents = []fsm.AgentInfo{{Name: "bash-developer"}, {Name: "c-developer"}}
	p.Main = fsm.Rules{List: []fsm.Rule{{Name: "r", Tools: []string{"Write"}, Verdict: fsm.Deny,
		DelegateTo: []string{"c-*"}}}}
	begin(t, &p).executing().does("1", file("Write", "/p/a.c")).denied(`Agent(subagent_type="c-developer"`)
}

// TestOneKeywordIsNoRoute: where no state says who may start, one keyword in a call proposes no agent, as in RouteTask.
func TestOneKeywordIsNoRoute(t *testing.T) {
	p := &fsm.Policy{Level: fsm.Strict, Agents: []fsm.AgentInfo{{Name: "porter",
		Keywords: []string{"zebra", "quagga"}}},
		Main: fsm.Rules{List: []fsm.Rule{{Name: "r", Tools: []string{"Write"}, Verdict: fsm.Deny}}}}
	begin(t, p).does("1", file("Write", "/p/zebra.md")).denied(`Agent(subagent_type="general-purpose"`).
		does("2", file("Write", "/p/zebra.quagga.md")).denied(`Agent(subagent_type="porter"`)
}

func TestRoute(t *testing.T) {
	p := &fsm.Policy{Agents: []fsm.AgentInfo{{Name: "c-developer", Keywords: []string{"c", "pointer", "make file"}},
		{Name: "nix-developer", Keywords: []string{"nix", "flake", "derivation"}},
		{Name: "python-dev"}}}
	for text, want := range map[string]string{
		"fix the pointer in the C code": "c-developer", "update the Nix flake": "nix-developer",
		"nix":               "general-purpose",
		"the nixos pointer": "general-purpose", "C, a make-file; pointer nix flake": "c-developer",
		"":                              "general-purpose",
		"fix the dev server (serve.py)": "python-dev", "fix serve.py": "general-purpose",
		"a make file in c for the nix flake derivation": "nix-developer",
	} {
		if got := p.RouteTask(text); got != want {
			t.Errorf("%q: %s, expected %s", text, got, want)
		}
	}
}

func TestProtocol(t *testing.T) {
	p := *states(t)
	p.Main = fsm.Rules{List: []fsm.Rule{readBudget(), {Name: "no-searching", Tools: []string{"Grep", "Glob"},
		Verdict: fsm.Deny, DelegateTo: []string{"Explore"}},
		{Name: "no-building", Tools: []string{"Bash"}, Commands: [][]string{{"git"}, {"npm", "run"}},
			Verdict: fsm.Deny}}}
	p.SelfCheck = true
	got := begin(t, &p).d.Inject
	for _, want := range []string{"1. Role:", "context-gatherer", "Tool: not for you: Grep, Glob",
		"Read: 2 are free, and again after delegate", "refused: git, npm run", "Analysis:", "to Explore"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}

// TestDescribe: a denial may say what each of the agents is for.
func TestDescribe(t *testing.T) {
	p := &fsm.Policy{Level: fsm.Strict,
		Agents: []fsm.AgentInfo{{Name: "builder", Description: "Writes code."},
			{Name: "hunter", Description: "Finds bugs."}},
		Main: fsm.Rules{List: []fsm.Rule{{Name: "no-editing", Verdict: fsm.Deny, Tools: []string{"Edit"},
			DelegateTo: []string{"builder", "hunter"}, Describe: true}}}}
	e := fsm.Event{Kind: fsm.ToolRequest, Session: "s", Starter: starter,
		Tool: fsm.Tool{Name: "Edit", Parts: []fsm.Part{{Tool: "Edit", Path: "/p/a.go"}}}}
	s, d := p.Step(fsm.Session{}, e)
	for _, want := range []string{"builder (Writes code)", "hunter (Finds bugs)", `Agent(subagent_type="builder"`} {
		if !strings.Contains(d.Reason, want) {
			t.Errorf("%q does not say %q", d.Reason, want)
		}
	}
	if _, d = p.Step(s, e); strings.Contains(d.Reason, "Writes code") {
		t.Errorf("told again it is not shorter: %q", d.Reason)
	}
}

// TestGroupsOfServerTools: an objection to a group of commands is one to the tools of servers in it. An exception is
// not, and neither is a confinement: no kernel holds what a server does.
func TestGroupsOfServerTools(t *testing.T) {
	remote := [][]string{{fsm.RemoteCommands}}
	for verdict, want := range map[fsm.Verdict]fsm.Verdict{fsm.Pass: fsm.Deny, fsm.Warn: fsm.Deny,
		fsm.Confine: fsm.Deny,
		fsm.Ask:     fsm.Ask, fsm.Deny: fsm.Deny} {
		p := &fsm.Policy{Level: fsm.Strict, Main: fsm.Rules{List: []fsm.Rule{
			{Name: "group", Verdict: verdict, Else: fsm.Deny, Tools: []string{"Bash"}, Commands: remote},
			{Name: "servers", Verdict: fsm.Deny, Tools: []string{"mcp__*"}}}}}
		pl := begin(t, p).do(fsm.Event{Kind: fsm.ToolRequest, Facts: fsm.Facts{Kernel: "bubblewrap"}, Tool: fsm.Tool{
			Name: "mcp__github__create_issue", UseID: "u", Parts: []fsm.Part{{Tool: "mcp__github__create_issue",
				Groups: []string{fsm.RemoteCommands}}}}})
		if pl.d.Verdict != want || (verdict >= fsm.Ask) != (pl.d.Rule == "group") {
			t.Errorf("%s: %s by %s", verdict, pl.d.Verdict, pl.d.Rule)
		}
	}
}

// TestRuleOfWrapper: an objection fits a command, and the one in which it was found.
func TestRuleOfWrapper(t *testing.T) {
	for line, want := range map[string]string{"sudo rm x": "sudo, rm", "bash -c 'rm x'": "bash, rm",
		"docker exec c rm x": "docker exec, rm", "rm x": "rm", "ls": ""} {
		var found []string
		for _, pattern := range []string{"sudo", "bash", "docker exec", "rm"} {
			rule := fsm.Rule{Verdict: fsm.Deny, Tools: []string{"Bash"}, Commands: [][]string{strings.Fields(pattern)}}
			p := &fsm.Policy{Level: fsm.Strict, Main: fsm.Rules{List: []fsm.Rule{rule}}}
			var parts []fsm.Part
			for _, c := range shell.Parse(line, shell.Options{}) {
				parts = append(parts, fsm.CommandPart(c))
			}
			tool := fsm.Tool{Name: "Bash", UseID: "u", Command: line, Parts: parts}
			if begin(t, p).do(fsm.Event{Kind: fsm.ToolRequest, Tool: tool}).d.Verdict == fsm.Deny {
				found = append(found, pattern)
			}
		}
		if got := strings.Join(found, ", "); got != want {
			t.Errorf("%s: an objection fits by %q, want %q", line, got, want)
		}
	}
}

// TestCommandGroups: rules name each group as the reader of lines does.
func TestCommandGroups(t *testing.T) {
	found := (shell.Builds | shell.Tests | shell.Remote | shell.Destroys | shell.Elsewhere).Names()
	if got := fsm.CommandGroups(); !slices.Equal(got, append([]string{fsm.UnknownCode}, found...)) {
		t.Errorf("the groups are %q, and lines have %q", got, found)
	}
}

// TestFoldPath: paths that lead to one file on a disk without case are one.
func TestFoldPath(t *testing.T) {
	for _, same := range [][]string{{"/A/b.Go", "/a/B.go"}, {"/\u212aelvin", "/kelvin"}, {"/e\u0301", "/\u00c9"},
		{"/a\u200db", "/AB"}, {"/\u03c3", "/\u03c2"}, {"/\u017f", "/S"}, {"/\uff21", "/a"}} {
		if a, b := fsm.FoldPath(same[0]), fsm.FoldPath(same[1]); a != b {
			t.Errorf("%q and %q: %q, %q", same[0], same[1], a, b)
		}
	}
	for _, other := range [][]string{{"/a", "/b"}, {"/\u00e9", "/e"}, {"/a b", "/ab"}} {
		if fsm.FoldPath(other[0]) == fsm.FoldPath(other[1]) {
			t.Errorf("%q and %q are one", other[0], other[1])
		}
	}
}

// TestCommandsOfRules: a rule about commands is about no other tool. What it allows a command it allows to the files
// that the command changes without naming them; a rule about the shell as such does not.
func TestCommandsOfRules(t *testing.T) {
	for _, v := range []fsm.Verdict{fsm.Pass, fsm.Warn, fsm.Confine, fsm.Ask, fsm.Deny} {
		r := fsm.Rule{Verdict: v, Tools: []string{"Bash"}, Commands: [][]string{{fsm.RemoteCommands}}}
		if r.CoversTool("Write") || r.CoversTool("mcp__a__b") || !r.CoversTool("Bash") {
			t.Errorf("%s: it covers Write %v, a server's tool %v", v, r.CoversTool("Write"), r.CoversTool("mcp__a__b"))
		}
	}
	code := func(group string, isCode bool) fsm.Part {
		return fsm.Part{Tool: "Bash", Words: []string{"mvn"}, Groups: []string{group}, Code: isCode}
	}
	changed := fsm.Part{Tool: "Write", Path: shell.Unknown, Words: []string{"sed", "-i"}}
	for name, c := range map[string]struct {
		verdict fsm.Verdict
		command string
		part    fsm.Part
		want    fsm.Verdict
	}{
		"a build":                 {fsm.Pass, fsm.BuildCommands, code(fsm.BuildCommands, false), fsm.Pass},
		"a build of unknown code": {fsm.Pass, fsm.BuildCommands, code(fsm.BuildCommands, true), fsm.Deny},
		"a test of unknown code":  {fsm.Pass, fsm.TestCommands, code(fsm.TestCommands, true), fsm.Pass},
		"a warning of a build":    {fsm.Warn, fsm.BuildCommands, code(fsm.BuildCommands, true), fsm.Warn},
		"what a command changes":  {fsm.Pass, "sed", changed, fsm.Pass},
		"with a warning":          {fsm.Warn, "sed", changed, fsm.Warn},
		"what it is asked about":  {fsm.Ask, "sed", changed, fsm.Deny},
		"what another changes":    {fsm.Pass, "tee", changed, fsm.Deny},
		"what any line changes":   {fsm.Pass, "", changed, fsm.Deny},
	} {
		r := fsm.Rule{Verdict: c.verdict, Tools: []string{"Bash"}}
		if c.command != "" {
			r.Commands = [][]string{{c.command}}
		}
		pl := rules(t, r, fsm.Rule{Verdict: fsm.Deny, Tools: []string{"*"}}).does("1", c.part)
		if pl.d.Verdict != c.want {
			t.Errorf("%s: %s, expected %s", name, pl.d.Verdict, c.want)
		}
	}
	scratch := fsm.Rule{Tools: []string{"Delete"}, Paths: []string{"/p/tmp/**"}}
	rules(t, scratch, fsm.Rule{Name: "no", Verdict: fsm.Deny, Tools: []string{"Delete"}}).does("1", fsm.Part{
		Tool: "Delete", Path: shell.Unknown, Names: []string{"/p/tmp/a*"}}).denied("rule no")
}
