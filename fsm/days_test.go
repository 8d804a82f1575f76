package fsm_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
)

// A day is a random session as clients report it: several tasks, agents side by side, in the
// background, failing, interrupted and late, plan mode, compaction, resumes and resets.
type day struct {
	*play
	r      *rand.Rand
	root   string
	agents []*worker
	prompt int
	calls  int
	story  []string
}

// A worker is an agent as it really is, whatever the session believes.
type worker struct {
	id, agent, use, by string
	state              string // that let it start
	background         bool
	alive, delivered   bool
}

var dayAgents = []string{"context-gatherer", "context-refiner", "strategic-orchestrator", "bash-developer",
	"c-developer",
	"nix-developer", "Explore", "Plan", "general-purpose", "stranger"}

// TestDays plays random days under the presets with states. Each piece of advice is followed in a
// copy of the session, and must pass; who is said to run runs; where no agent may start none may;
// and agents may do what the state allows that let them start, wherever the session stands.
// DAYS sets how many sessions are played for each preset.
func TestDays(t *testing.T) {
	t.Parallel()
	sessions, seed := 60, uint64(1)
	if n, err := strconv.Atoi(os.Getenv("DAYS")); err == nil {
		sessions, seed = n, rand.Uint64()
		t.Logf("seed %d", seed)
	}
	for _, preset := range []string{"pipeline.yaml", "presets/everyday.yaml", "presets/orchestrating.yaml"} {
		t.Run(preset, func(t *testing.T) {
			t.Parallel()
			p := shipped(t, preset)
			root, err := filepath.Abs(filepath.Dir(filepath.Join("..", "configs", preset)))
			if err != nil {
				t.Fatal(err)
			}
			seen := map[string]int{}
			for n := range sessions {
				r := rand.New(rand.NewPCG(seed, uint64(n)))
				d := &day{play: &play{TB: t, p: p, texts: map[string]string{}}, r: r, root: root}
				d.play.now = d.play.now.AddDate(2026, 0, 0)
				d.hear(fsm.Event{Kind: fsm.SessionStart, Source: "startup"})
				d.typePrompt(false)
				for range 120 {
					d.happen(seen)
				}
				if t.Failed() {
					return
				}
			}
			for _, what := range []string{"advice", "running", "write refused", "write passes", "interrupted",
				"moved"} {
				if seen[what] < sessions/6 {
					t.Errorf("%s: only %d times: %v", what, seen[what], seen)
				}
			}
		})
	}
}

func (d *day) hear(e fsm.Event) {
	d.do(e)
	line := fmt.Sprintf("%s %s %s%s → %s %s %q %q", e.Kind, e.Agent.ID, e.Tool.Name, startOf(e), d.s.Machine.State,
		d.d.Verdict,
		d.d.Reason, d.d.Inject)
	d.story = append(d.story, line)
}

func startOf(e fsm.Event) string {
	if e.Tool.Starts == nil {
		return ""
	}
	return "(" + e.Tool.Starts.Type + ")"
}

func (d *day) fail(format string, args ...any) {
	d.Helper()
	d.Errorf(format+"\n%s", append(args, strings.Join(d.story[max(0, len(d.story)-14):], "\n"))...)
	d.FailNow()
}

func (d *day) id(what string) string {
	d.calls++
	return fmt.Sprint(what, d.calls)
}

func (d *day) one(fits func(*worker) bool) *worker {
	var out []*worker
	for _, w := range d.agents {
		if fits(w) {
			out = append(out, w)
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out[d.r.IntN(len(out))]
}

func (w *worker) who() fsm.Agent {
	return fsm.Agent{ID: w.id, Type: w.agent, Parent: w.by, Basis: "agent_id"}
}

// typePrompt is a prompt of the person, in an open turn an interruption.
func (d *day) typePrompt(interrupts bool) {
	d.prompt++
	if interrupts {
		for _, w := range d.agents {
			w.alive = w.alive && d.isInBackground(w)
		}
	}
	d.hear(fsm.Event{Kind: fsm.Prompt, Prompt: fmt.Sprint(d.prompt), Text: "the next thing"})
}

func (d *day) isInBackground(w *worker) bool {
	for w != nil && w.by != "" && !w.background {
		by := w.by
		w = d.one(func(o *worker) bool { return o.id == by })
	}
	return w != nil && w.background
}

// happen plays one thing and looks at the answer.
func (d *day) happen(seen map[string]int) {
	before := d.s.Machine.State
	isForeground := func(w *worker) bool { return w.alive && !w.background }
	switch n := d.r.IntN(100); {
	case n < 30: // also several at once
		for range 1 + d.r.IntN(2) {
			d.start(nil)
			d.follow(seen)
		}
	case n < 34:
		if w := d.one(func(w *worker) bool { return w.alive && w.by == "" }); w != nil {
			d.start(w)
		}
	case n < 50:
		d.write(seen)
	case n < 78:
		if w := d.one(func(w *worker) bool { return w.alive }); w != nil {
			d.end(w)
		}
	case n < 84:
		d.hear(fsm.Event{Kind: fsm.ToolResult, Agent: main(), Tool: fsm.Tool{Name: "Read", UseID: d.id("u")}})
	case n < 93 && d.one(isForeground) == nil:
		d.endTurn()
	case n < 95:
		seen["interrupted"]++
		d.typePrompt(true)
	case n < 96:
		d.hear(fsm.Event{Kind: fsm.Compacted, Agent: main(), Source: "auto"})
	case n < 97:
		d.hear(fsm.Event{Kind: fsm.ToolResult, Agent: main(),
			Tool: fsm.Tool{Name: "ExitPlanMode", UseID: d.id("u"), Planned: true, Plan: "1. do it"}})
	case n < 98:
		for _, w := range d.agents {
			w.alive = false
		}
		d.hear(fsm.Event{Kind: fsm.SessionStart, Source: "resume"})
		d.typePrompt(false)
	case n < 99:
		d.hear(fsm.Event{Kind: fsm.Reset, Text: "wrong plan"})
	default: // it was interrupted, and goes on all the same
		if w := d.one(func(w *worker) bool { return !w.alive && !w.delivered }); w != nil {
			w.alive, w.background = true, true
			d.hear(fsm.Event{Kind: fsm.ToolRequest, Agent: w.who(),
				Tool: fsm.Tool{Name: "Read", UseID: d.id("u"), Parts: []fsm.Part{{Tool: "Read", Path: d.root + "/a"}}}})
		}
	}
	if d.s.Machine.State != before {
		seen["moved"]++
	}
	d.follow(seen)
}

func (d *day) endTurn() {
	var running []string
	for _, w := range d.agents {
		if w.alive {
			running = append(running, w.id)
		}
	}
	d.hear(fsm.Event{Kind: fsm.TurnStop, Tasks: &fsm.Background{IDs: running}})
	if !d.d.Hold {
		d.typePrompt(false)
	}
}

// start has the main agent, or an agent of it, start another one.
func (d *day) start(by *worker) {
	agent, use, caller := dayAgents[d.r.IntN(len(dayAgents))], d.id("u"), main()
	if next := d.p.NewTable().Next(d.s.Machine.State); d.r.IntN(2) == 0 && len(next) > 0 {
		agent = strings.NewReplacer("*", "developer").Replace(next[0])
	}
	w := &worker{id: d.id("a"), agent: agent, use: use, alive: true, state: d.s.Machine.State,
		background: d.r.IntN(4) == 0}
	if by != nil {
		caller, w.by = by.who(), by.id
	}
	if d.hear(d.asking(caller, agent, use)); d.d.Verdict == fsm.Deny {
		return
	}
	tool := agentTool(agent, use)
	if d.r.IntN(12) == 0 {
		d.hear(fsm.Event{Kind: fsm.ToolFailure, Agent: caller, Tool: tool})
		return
	}
	d.hear(fsm.Event{Kind: fsm.AgentStart, Agent: w.who()})
	d.agents = append(d.agents, w)
	if w.background {
		tool.Result = fsm.Result{AgentID: w.id}
		d.hear(fsm.Event{Kind: fsm.ToolResult, Agent: caller, Tool: tool})
	}
}

func (d *day) asking(caller fsm.Agent, agent, use string) fsm.Event {
	e := fsm.Event{Kind: fsm.ToolRequest, Agent: caller, Tool: agentTool(agent, use)}
	for _, a := range dayAgents {
		e.Facts.Agents = append(e.Facts.Agents, fsm.KnownAgent{Name: a})
	}
	return e
}

// end is the end of an agent: with a result, with nothing, or with an error.
func (d *day) end(w *worker) {
	if d.one(func(o *worker) bool { return o.alive && o.by == w.id }) != nil {
		return // it waits for its own agents
	}
	w.alive = false
	text := []string{"done", "done", "done", "", "API Error: 500"}[d.r.IntN(5)]
	if w.agent == "strategic-orchestrator" && d.r.IntN(2) == 0 {
		text = planOf("bash-developer", "c-developer")
	}
	d.hear(fsm.Event{Kind: fsm.AgentStop, Agent: w.who(), Text: text})
	if d.d.Hold {
		w.alive = true
		return
	}
	w.delivered = true
	if w.background {
		d.hear(fsm.Event{Kind: fsm.Prompt, Origin: fsm.Notification,
			Notice: fsm.Notice{Task: w.id, Status: "completed"}})
		return
	}
	caller, tool := main(), agentTool(w.agent, w.use)
	if w.by != "" {
		caller = fsm.Agent{ID: w.by, Basis: "agent_id"}
	}
	tool.Result = fsm.Result{AgentID: w.id, Done: true}
	d.hear(fsm.Event{Kind: fsm.ToolResult, Agent: caller, Tool: tool})
}

// write has an agent write a file of the project.
func (d *day) write(seen map[string]int) {
	w := d.one(func(w *worker) bool { return w.alive })
	if w == nil {
		return
	}
	isForgotten := !slices.ContainsFunc(d.s.Agents.Runs, func(r fsm.Run) bool { // then the strictest counts
		return r.ID == w.id && (r.State != d.p.Initial || w.state == d.p.Initial)
	})
	d.hear(fsm.Event{Kind: fsm.ToolRequest, Agent: w.who(), Tool: fsm.Tool{Name: "Write", UseID: d.id("u"),
		Parts: []fsm.Part{{Tool: "Write", Path: d.root + "/main.go"}}}})
	planner := slices.Contains([]string{"context-gatherer", "context-refiner", "strategic-orchestrator", "Explore",
		"Plan"}, w.agent)
	may := w.state == "EXECUTING" && !planner
	if refused := d.d.Verdict == fsm.Deny; refused == may && (!refused || !isForgotten) {
		d.fail("%s, which started in %s, writes in %s: %s", w.agent, w.state, d.s.Machine.State, d.d.Verdict)
	}
	seen[map[bool]string{true: "write passes", false: "write refused"}[may]]++
}

var (
	startAdvice   = regexp.MustCompile(`(?i:start one of): ([^;.]+)`)
	callAdvice    = regexp.MustCompile(`subagent_type="([^"]+)"`)
	runningAdvice = regexp.MustCompile(`([\w-]+) is running; end your turn`)
)

// follow takes what the last answer advises, each in a copy of the session.
func (d *day) follow(seen map[string]int) {
	said := d.d.Reason + " " + d.d.Inject
	var advised []string
	for _, m := range startAdvice.FindAllStringSubmatch(said, -1) {
		advised = append(advised, strings.Split(m[1], ", ")...)
	}
	for _, m := range callAdvice.FindAllStringSubmatch(said, -1) {
		advised = append(advised, m[1])
	}
	for _, pattern := range advised {
		if strings.Contains(pattern, "…") {
			continue
		}
		seen["advice"]++
		if !slices.ContainsFunc(dayAgents, func(a string) bool { return fsm.NamesAgent(pattern, a) && d.mayStart(a) }) {
			d.fail("it was advised to start %s", pattern)
		}
	}
	for _, m := range runningAdvice.FindAllStringSubmatch(said, -1) {
		seen["running"]++
		if d.one(func(w *worker) bool { return w.alive && w.agent == m[1] }) == nil {
			d.fail("%s is said to run", m[1])
		}
	}
	if strings.Contains(said, "no agent may start here") {
		for _, a := range dayAgents {
			if d.mayStart(a) {
				d.fail("%s may start", a)
			}
		}
		if w := d.one(func(w *worker) bool { return w.alive }); w != nil {
			d.fail("no agent may start, and %s runs", w.agent)
		}
	}
}

func (d *day) mayStart(agent string) bool {
	c := *d.play
	c.do(d.asking(main(), agent, "advised"))
	return c.d.Verdict < fsm.Deny
}
