package verify_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/tasks"
)

// bound gives a policy random bounds on turns, tasks and final messages.
func bound(r *rand.Rand, p *fsm.Policy) {
	some := func(names ...string) []string {
		return slices.DeleteFunc(names, func(string) bool { return r.IntN(2) == 0 })
	}
	gate := func() *fsm.Gate {
		if r.IntN(3) > 0 {
			return nil
		}
		return &fsm.Gate{Run: "make test", Tries: 1 + r.IntN(7)}
	}
	p.Limits = fsm.Limits{Running: r.IntN(4), Depth: r.IntN(3), RunningEnv: "AT_ONCE"}
	p.Hold = fsm.Hold{Until: some("graph", "tasks", "plan", "checks"), States: some("Q0", "Q1"), Tries: 1 + r.IntN(7),
		Gate: gate()}
	if len(p.Main.List) == 0 { // a plan of agents that a rule refuses is for a person to see
		p.Tasks = fsm.TaskSource{From: some("agent", "plan", "host"), Agents: some("a", "b", "bash-*")}
	}
	p.Talk = fsm.TalkLimits{PerPrompt: r.IntN(2) * 500, PerSession: r.IntN(2) * 900}
	for _, name := range some("a", "bash-*") {
		p.Agents = append(p.Agents, fsm.AgentInfo{Name: name, Returns: "^(done|yes|no|[{])", Tries: 1 + r.IntN(3)})
	}
	for i := range p.States {
		p.States[i].Inject, p.States[i].Brief = "Go on.", "{{ .Context.tasks }}"
		if r.IntN(2) == 0 { // only where it moves the machine does an approved plan bind
			p.States[i].OnPlan = p.States[i].Name
		}
		for k := range p.States[i].Triggers {
			if t := &p.States[i].Triggers[k]; !t.Helper {
				t.Gate = gate()
			}
		}
	}
}

// A bounded life is one in which persons give orders, gates fail, and agents are sent back.
type bounded struct {
	life
	stays  []string // the states that only a person leaves
	orders fsm.Overrides
	gates  bool // they succeed
	held   bool // the turn was, just before
	seen   map[string]int
}

// person sets a level, lifts something, takes it back.
func (b *bounded) person() {
	switch b.r.IntN(8) {
	case 0:
		b.orders.Mode = &fsm.Mode{Level: fsm.LevelNames()[b.r.IntN(5)], From: "mode"}
	case 1:
		b.orders.Bypasses = []fsm.Bypass{{ID: "1", Rule: []string{"", fsm.RulePipeline, fsm.RuleTasks, fsm.RuleHold,
			fsm.RuleGate}[b.r.IntN(5)],
			Agent: []string{"", "", "b"}[b.r.IntN(3)], Once: b.r.IntN(4) == 0}}
	case 2, 3, 4:
		b.orders = fsm.Overrides{}
	}
	b.gates = b.r.IntN(3) > 0
}

// does is what happens next: an agent, a plan, a task of the host's, the end of the turn, a person's reset.
func (b *bounded) does() []fsm.Event {
	result := func(tool fsm.Tool) []fsm.Event {
		tool.UseID = "x"
		return []fsm.Event{{Kind: fsm.ToolResult, Tool: tool}}
	}
	switch b.r.IntN(12) {
	case 0:
		return result(fsm.Tool{Name: "ExitPlanMode", Planned: true, Plan: b.graph()})
	case 1:
		return result(fsm.Tool{Name: "TaskCreate", Task: &tasks.HostTask{ID: fmt.Sprint(b.r.IntN(4)), Subject: "work",
			Status: []string{"pending", "in_progress", "completed", "deleted"}[b.r.IntN(4)]}})
	case 2, 3:
		return []fsm.Event{{Kind: fsm.TurnStop, Tasks: &fsm.Background{IDs: b.running}}}
	case 4:
		b.running = nil
		return []fsm.Event{{Kind: fsm.TurnStop, Tasks: &fsm.Background{}}}
	case 5:
		if b.r.IntN(4) == 0 {
			return []fsm.Event{{Kind: fsm.Reset, Source: b.p.States[b.r.IntN(len(b.p.States))].Name, Text: "so be it"}}
		}
	case 6:
		return b.happens()
	}
	all := b.agent()
	for i := range all {
		if all[i].Kind == fsm.AgentStop && b.r.IntN(3) == 0 {
			all[i].Text = b.graph()
		}
	}
	return all
}

// graph is a random plan: some have mistakes, some name agents that may not run.
func (b *bounded) graph() string {
	var out []string
	for i := range 1 + b.r.IntN(4) {
		after := ""
		if n := b.r.IntN(5); n < i || n == 4 && b.r.IntN(10) == 0 {
			after = fmt.Sprintf(`,"after":["p%d"]`, n)
		}
		agent := append(everybody(), "bash-*")[b.r.IntN(6)]
		out = append(out, fmt.Sprintf(`{"id":"p%d","agent":%q%s}`, i, agent, after))
	}
	return `{"phases":[` + strings.Join(out, ",") + `]}`
}

// step is Step with the facts of this life.
func (b *bounded) step(s fsm.Session, e fsm.Event) (fsm.Session, fsm.Decision) {
	e.Session, e.Time = "s", time.Unix(1_800_000_000+int64(b.heard), 0)
	e.Facts.Overrides = b.orders
	e.Facts.Env = map[string]string{"AT_ONCE": []string{"", "0", "2", "many"}[b.heard%4]}
	if g, key := b.p.SelectGate(s, e); g != nil {
		e.Facts.Gate = &fsm.GateResult{Key: key, OK: b.gates, Output: "make: *** [test]"}
	}
	if e.Kind == fsm.TurnStop && b.heard%3 == 0 {
		e.Facts.Checks = []fsm.CheckResult{{Name: "vet", OK: b.gates, Missing: b.heard%2 == 0, Output: "not vetted"}}
	}
	if b.p.IsNeeded(fsm.NeedCaptured, s, e) {
		e.Facts.Captured = b.captured(s)
	}
	after, d := b.p.Step(s, e)
	for _, x := range d.Texts {
		if b.texts == nil {
			b.texts = map[string]string{}
		}
		b.texts[x.Ref.Hash] = x.Text
	}
	return after, d
}

func (b *bounded) captured(s fsm.Session) map[string]string {
	out := map[string]string{}
	for name, ref := range s.Machine.Captures {
		out[name] = b.texts[ref.Hash]
	}
	for _, r := range s.Agents.Runs {
		if r.Final != nil {
			out[r.ID] = b.texts[r.Final.Hash]
		}
	}
	return out
}
