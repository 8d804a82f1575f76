package config

import (
	"fmt"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
)

// Limits bound what runs at once; 0 is without a bound.
type Limits struct {
	Running    *int   `koanf:"running"`
	RunningEnv string `koanf:"running_env"`
	Depth      *int   `koanf:"depth"`
}

// Tasks says where the graph of tasks comes from.
type Tasks struct {
	Graph  string   `koanf:"graph"`
	From   []string `koanf:"from" of:"agent plan host"`
	Agents []string `koanf:"agents"`
}

// Hold keeps a turn from ending while work is left.
type Hold struct {
	Until  []string `koanf:"until" of:"graph tasks plan checks"`
	Skills []string `koanf:"skills"`
	States []string `koanf:"states"`
	Tries  *int     `koanf:"tries"`
	Say    string   `koanf:"say"`
	Gate   Gate     `koanf:"gate"`
}

// Gate is a command that must succeed before the pipeline goes on.
type Gate struct {
	Run     string `koanf:"run" must:"be"`
	Timeout string `koanf:"timeout"`
	Tries   *int   `koanf:"tries"`
}

// A FileCheck is a command that is run after an edit, or at the end of a turn that edited something.
type FileCheck struct {
	Name      string            `koanf:"name" must:"be"`
	Files     []string          `koanf:"files" must:"be"`
	Run       string            `koanf:"run" must:"be"`
	Env       map[string]string `koanf:"env"`
	UnlessEnv map[string]string `koanf:"unless_env"`
	Timeout   string            `koanf:"timeout"`
	At        []string          `koanf:"at" of:"edit turn_end"`
}

// Opening is what the main agent is told as a session begins.
type Opening struct {
	Inject string   `koanf:"inject"`
	Files  []string `koanf:"files"`
	On     []string `koanf:"on" of:"startup resume clear compact fork"`
}

// Planning is what the main agent is told beside a prompt that asks for several steps.
type Planning struct {
	Words   []string `koanf:"words" must:"be"`
	AtLeast *int     `koanf:"at_least"`
	Say     string   `koanf:"say" must:"be"`
}

// How long a gate and a check may take where the config does not say, and at most: less than the client waits for us.
const (
	gateTime  = time.Minute
	gateMost  = 9 * time.Minute
	checkTime = 30 * time.Second
	checkMost = 100 * time.Second
	triesMost = 7 // the client overrides the ninth block in a row
)

func moments() []unit { return append([]unit{{"s", int64(time.Second)}}, spans()...) }

func (k *checker) duration(at trail, s string, most time.Duration) {
	if s == "" {
		return
	}
	n, err := measure(s, moments())
	if s == never || err != nil {
		k.report(at, fmt.Sprintf("found %s, expected a duration such as 30s", quoted(s)), "a whole number and s or m, without a space")
	} else if time.Duration(n) > most {
		k.report(at, fmt.Sprintf("found %s, expected %s at most", s, most), "the client does not wait longer")
	}
}

func (k *checker) count(at trail, n *int, least, most int) {
	if n != nil && (*n < least || *n > most) {
		k.report(at, fmt.Sprintf("found %d, expected a number from %d to %d", *n, least, most), "")
	}
}

func (k *checker) gate(at trail, g Gate) {
	k.duration(at.key("timeout"), g.Timeout, gateMost)
	k.count(at.key("tries"), g.Tries, 1, triesMost)
}

// work checks the sections about tasks and turns.
func (k *checker) work() {
	k.count(to("limits", "running"), k.Limits.Running, 0, 1000)
	k.count(to("limits", "depth"), k.Limits.Depth, 0, 100)
	k.variable(to("limits", "running_env"), k.Limits.RunningEnv)
	for i, a := range k.Tasks.Agents {
		k.pattern(to("tasks", "agents").item(i), a)
	}
	k.count(to("hold", "tries"), k.Hold.Tries, 1, triesMost)
	k.gate(to("hold", "gate"), k.Hold.Gate)
	for i, s := range k.Hold.States {
		if !k.origins.bad["states"] {
			k.target(to("hold", "states").item(i), s)
		}
	}
	for i, c := range k.Checks {
		at := to("checks").item(i)
		k.duration(at.key("timeout"), c.Timeout, checkMost)
		k.variables(c.Env, at.key("env"))
		k.variables(c.UnlessEnv, at.key("unless_env"))
		for j, p := range c.Files {
			k.path(at.key("files").item(j), p)
		}
	}
	k.template(to("session_start", "inject"), k.SessionStart.Inject)
	k.template(to("planning", "say"), k.Planning.Say)
	k.template(to("remind", "after_delegation"), k.Remind.AfterDelegation)
	k.template(to("remind", "after_agent"), k.Remind.AfterAgent)
	k.template(to("hold", "say"), k.Hold.Say)
	k.count(to("planning", "at_least"), k.Planning.AtLeast, 1, 100)
	k.count(to("remind", "times"), k.Remind.Times, 0, 1000)
}

func (k *checker) returns() {
	for _, name := range k.origins.keys("agents") {
		k.regexp(to("agents", name, "returns"), k.Agents[name].Returns)
		k.count(to("agents", name, "tries"), k.Agents[name].Tries, 1, triesMost)
	}
}

func number(n *int, otherwise int) int {
	if n == nil {
		return otherwise
	}
	return *n
}

// lasting reads a duration that was checked.
func lasting(s string, otherwise time.Duration) time.Duration {
	n, err := measure(s, moments())
	if s == "" || err != nil {
		return otherwise
	}
	return time.Duration(n)
}

func (g Gate) compiled() *fsm.Gate {
	if g.Run == "" {
		return nil
	}
	return &fsm.Gate{Run: g.Run, Timeout: lasting(g.Timeout, gateTime), Tries: number(g.Tries, 3)}
}

func (h Hold) compiled(o *Origins) fsm.Hold {
	if h.Until == nil && h.Gate.Run == "" {
		return fsm.Hold{}
	}
	return fsm.Hold{Until: h.Until, Skills: h.Skills, States: h.States, Tries: number(h.Tries, 3), Say: h.Say, Gate: h.Gate.compiled(), Place: o.placeOfKey("hold")}
}

func (l Limits) compiled() fsm.Limits {
	return fsm.Limits{Running: number(l.Running, 0), RunningEnv: l.RunningEnv, Depth: number(l.Depth, 0)}
}

func (c *Config) tasks(o *Origins) fsm.TaskSource {
	out := fsm.TaskSource{From: c.Tasks.From, Agents: c.everyAgent(c.Tasks.Agents), Place: o.placeOfKey("tasks")}
	if c.Tasks.Graph != "" {
		out.Graph = absolute(c.Tasks.Graph, World{Home: o.home, Dir: o.project.Root})
	}
	return out
}

func (c *Config) checks(o *Origins) (out []fsm.Check) {
	for i, k := range c.Checks {
		at := k.At
		if at == nil {
			at = []string{fsm.AtEdit}
		}
		out = append(out, fsm.Check{Name: k.Name, Files: o.paths(k.Files), Run: k.Run, Env: inputs(k.Env), UnlessEnv: inputs(k.UnlessEnv),
			Timeout: lasting(k.Timeout, checkTime), At: at, Place: o.place(to("checks").item(i))})
	}
	return out
}

func (c *Config) opening(o *Origins) fsm.SessionOpening {
	out := fsm.SessionOpening{Inject: c.SessionStart.Inject, On: c.SessionStart.On}
	for _, f := range c.SessionStart.Files {
		out.Files = append(out.Files, absolute(strings.TrimPrefix(f, "./"), World{Home: o.home, Dir: o.project.Root}))
	}
	if out.On == nil && (out.Inject != "" || out.Files != nil) {
		out.On = []string{"startup", "resume", "clear", "compact", "fork"}
	}
	return out
}

func (p Planning) compiled() fsm.PlanningHint {
	if p.Words == nil {
		return fsm.PlanningHint{}
	}
	return fsm.PlanningHint{Words: p.Words, AtLeast: number(p.AtLeast, 1), Say: p.Say}
}

func (r Remind) compiled() fsm.Reminders {
	if r.AfterDelegation == "" && r.AfterAgent == "" {
		return fsm.Reminders{}
	}
	return fsm.Reminders{AfterDelegation: r.AfterDelegation, AfterAgent: r.AfterAgent, Times: number(r.Times, 20)}
}

// scratches reports whether a text names the scratch folder.
func (c *Config) scratches() bool {
	texts := []string{c.SessionStart.Inject, c.Planning.Say, c.Remind.AfterDelegation, c.Remind.AfterAgent, c.Hold.Say}
	for _, s := range c.States {
		texts = append(texts, s.Inject, s.Brief)
	}
	return strings.Contains(strings.Join(texts, "\n"), ".Scratch")
}
