package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/fsm/verify"
)

// TestDiffTraces plays the traces of widenings: the agent may start there under the new config, and not under the old
// one.
func TestDiffTraces(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	played := 0
	for _, e := range statedWidenings {
		text := edit(t, stated, e[0], e[1])
		old, changed := compileText(t, dir, stated), compileText(t, dir, text)
		for _, ch := range verify.Diff(old, changed) {
			agent, isStart := strings.CutPrefix(ch.Text, "start of ")
			if ch.Direction != verify.Widened || !isStart {
				continue
			}
			played++
			agent = strings.NewReplacer("any other", "zq7", "*", "zq7").Replace(agent)
			for config, answer := range map[string]string{stated: ch.Old, text: ch.New} {
				verdict, _, _ := strings.Cut(answer, " ")
				step := fmt.Sprintf("main  Agent(%s)  %s", agent, verdict)
				if out, ok := playTrace(t, dir, config, ch.Trace, step); !ok {
					t.Errorf("%q → %q: %+v\n%s", e[0], e[1], ch, out)
				}
			}
		}
	}
	if played < 10 {
		t.Errorf("only %d traces were played", played)
	}
}

// playTrace plays a scenario of the trace, and one in which the person agrees after each agent.
func playTrace(t *testing.T, dir, text string, trace []string, last string) (out string, ok bool) {
	t.Helper()
	p := &program{console{err: os.Stderr, getenv: func(string) string { return "" }}}
	file := filepath.Join(dir, "trace.txt")
	for _, agree := range []string{"", "approve\n"} {
		out = "config pipeline.yaml\n== trace\ngate ok\n"
		for _, way := range trace {
			if m := regexp.MustCompile(` –(.*)→ `).FindStringSubmatch(way); m != nil {
				out += stepOf(m[1]) + "\n" + agree
			}
		}
		out += last + "\n"
		for name, body := range map[string]string{"pipeline.yaml": text, "trace.txt": out} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(body), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var r testResult
		w := config.World{Dir: dir, Home: "/home/user", ConfigHome: dir, StateHome: dir, Getenv: p.getenv}
		if err := testFile(invocation{program: p}, file, w, false, &r); err != nil || len(r.Problems) > 0 {
			t.Fatalf("%v %+v\n%s", err, r.Problems, out)
		}
		if len(r.Failures) == 0 {
			return out, true
		}
		out += fmt.Sprintf("%+v\n", r.Failures)
	}
	return out, false
}

// stepOf is a step of a trace as a line of a scenario.
func stepOf(trigger string) string {
	agent, says, _ := strings.Cut(trigger, " says ")
	text := cmp.Or(strings.NewReplacer("/", "", "(?m)", "", "^", "", "$", "").Replace(says), "done")
	switch agent {
	case "turn ends":
		return "reviewer  done \"as before\"\nmain  ends"
	case "plan approved":
		return `main  ExitPlanMode({"plan": "as said"})`
	case "@writers":
		agent = "go-dev"
	case "@readers":
		agent = "Explore"
	}
	return fmt.Sprintf("%s  done %q", strings.ReplaceAll(agent, "*", "zq7"), text)
}

// stated is a config whose states and settings the default one does not have: gates, messages that move, a task graph
// in a file, conditions of the environment.
const stated = `version: 1
level: strict
on_error: deny
initial: PLAN
groups: {writers: [go-dev, py-dev], readers: [Explore, "look-*"]}
states:
  PLAN:
    helpers: ["@readers"]
    moves:
      - {agent: planner, says: "^PLAN READY", to: BUILD, capture: plan, gate: {person: read the plan}}
      - {agent: reviewer, to: PLAN}
    on_plan: BUILD
    on_stop: TEST
  BUILD:
    agents: ["@writers"]
    on_complete: TEST
    on_stop: PLAN
    inject: Build this.
  TEST:
    helpers: [Explore]
    moves:
      - {agent: tester, says: "(?m)^PASS$", to: DONE, gate: {run: make test, timeout: 5m, tries: 2}}
      - {agent: tester, says: "(?m)^FAIL$", to: BUILD}
  DONE:
    agents: [publisher]
    on_complete: PLAN
    clear: [plan]
tools: {"mcp__db__*": {runs: sql}, mcp__files__save: {writes: path}}
limits: {running: 3, depth: 2}
tasks: {graph: plan.json, from: [plan], agents: [planner]}
hold: {until: [tasks, checks], states: [BUILD, TEST], tries: 4, gate: {run: make lint}}
checks:
  - {name: fmt, files: ["**/*.go"], run: gofmt -l ., at: [turn_end], unless_env: {CI: "1"}}
agents: {tester: {returns: "(PASS|FAIL)", tries: 3}, go-dev: {description: writes Go}}
fails: ["^API Error", "^BLOCKED"]
caller: {env: {role: ROLE, name: NAME, orchestrators: [boss]}}
bypass: {env: {EMERGENCY: "yes"}, longest: 4h}
activate: {when: [go.mod], skills: [ship]}
remind: {self_check: true}
`

// ruled is a config whose rules the default one does not have: conditions of the environment and the input, budgets of
// agents, agents that are started, tools of servers.
const ruled = `version: 1
initial: PLAN
states:
  PLAN: {agents: [planner], on_complete: DONE}
  DONE: {agents: [publisher], on_complete: PLAN}
orchestrator:
  default: {deny: true, reason: Delegate it.}
  rules:
    - {name: looking, allow: [Read, Grep, Glob, TodoWrite]}
    - {name: bash-looks, allow: [Bash], changes: false}
    - {name: bash-tags, allow: [Bash], commands: [git tag], states: [DONE]}
    - {name: no-inside, deny: [WebFetch], input: {url: "*internal*"}, reason: Inside.}
    - {name: web, allow: [WebFetch, WebSearch], states: [PLAN]}
    - {name: no-publisher, deny: [Agent], starts: [publisher], unless_env: {RELEASE: "1"}}
    - {name: starting, allow: [Agent]}
    - {name: db-budget, deny: ["mcp__db__*"], budget: 3, reset_on: [prompt]}
    - {name: saves, allow: [mcp__files__save]}
    - {name: plans, allow: [Write, Edit], paths: ["plans/*.md"]}
subagents:
  default: {allow: true}
  rules:
    - {name: tests-only, deny: [Write, Edit], paths: ["src/**"], agents: [tester]}
    - {name: no-push, deny: [Bash], commands: [git push, docker push], agents: ["*-dev"]}
    - {name: publish, allow: [Bash], commands: [npm publish], agents: [publisher], states: [DONE], env: {RELEASE: "yes"}}
    - {name: no-publish, deny: [Bash], commands: [npm publish, twine upload], reason: CI publishes.}
    - {name: shell-budget, ask: [Bash], budget: 2, reset_on: [state]}
    - {name: no-repeats, warn: [WebFetch], within: 4}
    - {name: secrets, deny: [Read], paths: [.env, "**/*.pem", "~/.ssh/**"]}
    - {name: no-nesting, deny: [Agent], starts: ["*"], agents: [go-dev]}
    - {name: no-server-writes, deny: ["mcp__files__*"], states: [PLAN, DONE]}
`

var statedWidenings = [][2]string{
	{`, gate: {person: read the plan}`, ``},
	{`gate: {person: read the plan}`, `gate: {run: "true"}`},
	{`{agent: reviewer, to: PLAN}`, `{agent: reviewer, to: BUILD}`},
	{`on_plan: BUILD`, `on_plan: DONE`},
	{`on_stop: TEST`, `on_stop: DONE`},
	{`helpers: [Explore]`, `helpers: [Explore, go-dev]`},
	{`gate: {run: make test, timeout: 5m, tries: 2}`, `gate: {run: "true", timeout: 5m, tries: 2}`},
	{`(?m)^PASS$`, `PASS`},
	{`says: "(?m)^FAIL$", to: BUILD`, `says: "(?m)^FAIL$", to: DONE`},
	{`agents: [publisher]` + "\n", `agents: [publisher, go-dev]` + "\n"},
	{`on_complete: TEST`, `on_complete: DONE`},
	{`readers: [Explore, "look-*"]`, `readers: [Explore, "*"]`},
	{`, mcp__files__save: {writes: path}`, ``},
	{`mcp__files__save: {writes: path}`, `mcp__files__save: {reads: path}`},
	{`limits: {running: 3, depth: 2}`, `limits: {running: 3, depth: 4}`},
	{`limits: {running: 3, depth: 2}`, `limits: {running: 3, depth: 2, running_env: AGENTS}`},
	{`graph: plan.json, from: [plan]`, `from: [plan]`},
	{`until: [tasks, checks]`, `until: [tasks]`},
	{`, gate: {run: make lint}`, ``},
	{`tries: 4`, `tries: 1`},
	{`states: [BUILD, TEST], tries`, `states: [BUILD], tries`},
	{`at: [turn_end], unless_env: {CI: "1"}`, `at: [turn_end], unless_env: {CI: "*"}`},
	{`run: gofmt -l .`, `run: "true"`},
	{`{returns: "(PASS|FAIL)", tries: 3}`, `{tries: 3}`},
	{`fails: ["^API Error", "^BLOCKED"]`, `fails: ["^API Error"]`},
	{`orchestrators: [boss]`, `orchestrators: [boss, go-dev]`},
	{`env: {EMERGENCY: "yes"}, longest: 4h`, `env: {EMERGENCY: "*"}, longest: 4h`},
	{`on_error: deny`, `on_error: allow`},
	{`when: [go.mod], skills`, `skills`},
	{`says: "^PLAN READY", to: BUILD`, `to: BUILD`},
}

var statedHarmless = [][2]string{
	{"    on_stop: TEST\n", ``},
	{`on_stop: PLAN`, `on_stop: DONE`}, // no agent works there and stays: it leads nowhere
	{"    on_plan: BUILD\n", ``},
	{`inject: Build this.`, `inject: Build that.`},
	{`inject: Build this.`, `brief: Build this.`},
	{`timeout: 5m, tries: 2`, `timeout: 9m, tries: 3`},
	{`, timeout: 5m, tries: 2`, ``},
	{`{agent: reviewer, to: PLAN}`, `{agent: reviewer, to: PLAN, gate: {run: make plan}}`},
	{`"(?m)^FAIL$", to: BUILD`, `"(?m)^FAIL$", to: BUILD, capture: failure`},
	{`"(?m)^FAIL$", to: BUILD`, `"(?m)^FAIL$", to: BUILD, gate: {person: look at it}`},
	{`    clear: [plan]` + "\n", ``},
	{`readers: [Explore, "look-*"]`, `readers: ["look-*", Explore]`},
	{`readers: [Explore, "look-*"]`, `readers: [Explore, "look-a*"]`},
	{`groups: {writers: [go-dev, py-dev]`, `groups: {unused: ["*"], writers: [go-dev, py-dev]`},
	{`{"mcp__db__*": {runs: sql}`, `{"mcp__db__*": {runs: sql query}`},
	{`limits: {running: 3, depth: 2}`, `limits: {running: 1, depth: 2}`},
	{`until: [tasks, checks]`, `until: [checks, tasks, graph]`},
	{`tries: 4`, `tries: 6`},
	{`states: [BUILD, TEST], tries`, `states: [TEST, BUILD, DONE], tries`},
	{`at: [turn_end], unless_env: {CI: "1"}`, `at: [turn_end, edit], unless_env: {CI: "1"}`},
	{`at: [turn_end], unless_env: {CI: "1"}`, `at: [turn_end]`},
	{`go-dev: {description: writes Go}`, `go-dev: {description: writes good Go, keywords: [go]}`},
	{`go-dev: {description: writes Go}`, `go-dev: {description: writes Go, returns: "^Done"}`},
	{`fails: ["^API Error", "^BLOCKED"]`, `fails: ["^BLOCKED", "^API Error", "^Timeout"]`},
	{`env: {EMERGENCY: "yes"}, longest: 4h`, `longest: 4h, env: {EMERGENCY: "yes"}`},
	{`longest: 4h`, `longest: 30m`},
	{`remind: {self_check: true}`, `remind: {self_check: false}`},
	{`remind: {self_check: true}`, `talk: {per_prompt: 1000}`},
	{`remind: {self_check: true}`, `readiness: {days: 3}`},
	{`remind: {self_check: true}`, `planning: {words: [redesign], say: Plan it first.}`},
	{`remind: {self_check: true}`, `audit: {keep: 3}`},
	{`level: strict` + "\n", `level: strict # a comment` + "\n"},
	{`when: [go.mod], skills`, `when: [go.mod, go.work], skills`},
}

var ruledWidenings = [][2]string{
	{`default: {deny: true, reason: Delegate it.}`, `default: {ask: true, reason: Delegate it.}`},
	{`allow: [Read, Grep, Glob, TodoWrite]`, `allow: [Read, Grep, Glob, TodoWrite, NotebookEdit]`},
	{`commands: [git tag], states: [DONE]`, `commands: [git tag], states: [DONE, PLAN]`},
	{`commands: [git tag], states: [DONE]`, `commands: [git], states: [DONE]`},
	{`input: {url: "*internal*"}`, `input: {url: "*.internal/*"}`},
	{`{name: no-inside, deny: [WebFetch]`, `{name: no-inside, warn: [WebFetch]`},
	{`allow: [WebFetch, WebSearch], states: [PLAN]`, `allow: [WebFetch, WebSearch]`},
	{`starts: [publisher], unless_env: {RELEASE: "1"}`, `starts: [publish], unless_env: {RELEASE: "1"}`},
	{`unless_env: {RELEASE: "1"}`, `unless_env: {RELEASE: "*"}`},
	{`deny: ["mcp__db__*"], budget: 3`, `deny: ["mcp__db__*"], budget: 5`},
	{`reset_on: [prompt]`, `reset_on: [prompt, delegate]`},
	{`paths: ["plans/*.md"]`, `paths: ["plans/**"]`},
	{`paths: ["src/**"], agents: [tester]`, `paths: ["src/core/**"], agents: [tester]`},
	{`paths: ["src/**"], agents: [tester]`, `paths: ["src/**"], agents: [testers]`},
	{`commands: [git push, docker push]`, `commands: [git push --force, docker push]`},
	{`agents: ["*-dev"]`, `agents: [go-dev]`},
	{`states: [DONE], env: {RELEASE: "yes"}`, `states: [DONE]`},
	{`states: [DONE], env: {RELEASE: "yes"}`, `states: [DONE, PLAN], env: {RELEASE: "yes"}`},
	{`commands: [npm publish, twine upload]`, `commands: [npm publish]`},
	{`ask: [Bash], budget: 2`, `ask: [Bash], budget: 4`},
	{`ask: [Bash], budget: 2`, `warn: [Bash], budget: 2`},
	{`warn: [WebFetch], within: 4`, `warn: [WebFetch], within: 2`},
	{`paths: [.env, "**/*.pem", "~/.ssh/**"]`, `paths: [.env, "~/.ssh/**"]`},
	{`"~/.ssh/**"`, `"~/.ssh/id_*"`},
	{`{name: secrets, deny`, `{name: secrets, level: guidance, deny`},
	{`deny: [Agent], starts: ["*"]`, `deny: [Agent], starts: ["*-dev"]`},
	{`deny: ["mcp__files__*"], states: [PLAN, DONE]`, `deny: ["mcp__files__*"], states: [PLAN]`},
	{"    - {name: no-publish, deny: [Bash], commands: [npm publish, twine upload], reason: CI publishes.}\n", ""},
	{"    - {name: no-inside, deny: [WebFetch], input: {url: \"*internal*\"}, reason: Inside.}\n", ""},
	{`unless_env: {RELEASE: "1"}`, `unless_env: {RELEASE: "1", CI: "1"}`},
	{`allow: [mcp__files__save]`, `allow: ["mcp__files__*"]`},
	{`allow: [Bash], changes: false`, `allow: [Bash], commands: [ls, make]`},
}

var ruledHarmless = [][2]string{
	{`default: {deny: true, reason: Delegate it.}`, `default: {deny: true, reason: Let others do it., delegate_to: [go-dev]}`},
	{`{name: looking, allow`, `{name: reading, allow`},
	{`allow: [Read, Grep, Glob, TodoWrite]`, `allow: [TodoWrite, Glob, Grep, Read]`},
	{`allow: [Read, Grep, Glob, TodoWrite]`, `allow: [Read, Grep, TodoWrite]`},
	{`commands: [git tag], states: [DONE]`, `commands: [git tag --list], states: [DONE]`},
	{`input: {url: "*internal*"}`, `input: {url: "*intern*"}`},
	{`deny: [WebFetch], input`, `deny: [WebFetch, WebSearch], input`},
	{`reason: Inside.}`, `reason: Not from here., type: INSIDE, example: curl}`},
	{`starts: [publisher], unless_env`, `starts: ["publish*"], unless_env`},
	{`budget: 3, reset_on: [prompt]`, `budget: 1, reset_on: [prompt]`},
	{`budget: 3, reset_on: [prompt]`, `budget: 3, reset_on: [never]`},
	{`paths: ["plans/*.md"]`, `paths: ["plans/a*.md"]`},
	{`paths: ["src/**"], agents: [tester]`, `paths: ["src/**", "lib/**"], agents: [tester]`},
	{`paths: ["src/**"], agents: [tester]`, `paths: ["src/**"], agents: [tester, publisher]`},
	{`commands: [git push, docker push]`, `commands: [docker push, git push, git push --force]`},
	{`commands: [npm publish], agents: [publisher]`, `commands: [npm publish --dry-run], agents: [publisher]`},
	{`ask: [Bash], budget: 2`, `deny: [Bash], budget: 2`},
	{`reset_on: [state]`, `reset_on: [never]`},
	{`warn: [WebFetch], within: 4`, `warn: [WebFetch], within: 9`},
	{`"**/*.pem"`, `"**/*.pem", "**/*.key"`},
	{`{name: secrets, deny`, `{name: secrets, level: strict, deny`},
	{`starts: ["*"], agents: [go-dev]`, `agents: [go-dev]`},
	{`env: {RELEASE: "yes"}`, `env: {RELEASE: "yes", CI: "1"}`},
	{`allow: [mcp__files__save]`, `allow: ["mcp__files__sav[e]"]`},
}
