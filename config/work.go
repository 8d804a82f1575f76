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

func timeoutUnits() []unit { return append([]unit{{"s", int64(time.Second)}}, spanUnits()...) }

func (k *checker) checkDuration(at trail, s string, most time.Duration) {
	if s == "" {
		return
	}
	n, err := parseMeasure(s, timeoutUnits())
	if s == never || err != nil {
		k.report(at, fmt.Sprintf("found %s, expected a duration such as 30s", quoteShort(s)), "a whole number and s or m, without a space")
	} else if time.Duration(n) > most {
		k.report(at, fmt.Sprintf("found %s, expected %s at most", s, most), "the client does not wait longer")
	}
}

func (k *checker) checkCount(at trail, n *int, least, most int) {
	if n != nil && (*n < least || *n > most) {
		k.report(at, fmt.Sprintf("found %d, expected a number from %d to %d", *n, least, most), "")
	}
}

func (k *checker) checkGate(at trail, g Gate) {
	k.checkDuration(at.key("timeout"), g.Timeout, gateMost)
	k.checkCount(at.key("tries"), g.Tries, 1, triesMost)
}

// checkWork checks the sections about tasks and turns.
func (k *checker) checkWork() {
	k.checkCount(to("limits", "running"), k.Limits.Running, 0, 1000)
	k.checkCount(to("limits", "depth"), k.Limits.Depth, 0, 100)
	k.checkVariable(to("limits", "running_env"), k.Limits.RunningEnv)
	for i, a := range k.Tasks.Agents {
		k.checkPattern(to("tasks", "agents").item(i), a)
	}
	k.checkCount(to("hold", "tries"), k.Hold.Tries, 1, triesMost)
	k.checkGate(to("hold", "gate"), k.Hold.Gate)
	for i, s := range k.Hold.States {
		if !k.origins.bad["states"] {
			k.checkTarget(to("hold", "states").item(i), s)
		}
	}
	for i, c := range k.Checks {
		at := to("checks").item(i)
		k.checkDuration(at.key("timeout"), c.Timeout, checkMost)
		k.checkVariables(c.Env, at.key("env"))
		k.checkVariables(c.UnlessEnv, at.key("unless_env"))
		for j, p := range c.Files {
			k.checkPath(at.key("files").item(j), p)
		}
	}
	k.checkTemplate(to("session_start", "inject"), k.SessionStart.Inject)
	k.checkTemplate(to("planning", "say"), k.Planning.Say)
	k.checkTemplate(to("remind", "after_delegation"), k.Remind.AfterDelegation)
	k.checkTemplate(to("remind", "after_agent"), k.Remind.AfterAgent)
	k.checkTemplate(to("hold", "say"), k.Hold.Say)
	k.checkCount(to("planning", "at_least"), k.Planning.AtLeast, 1, 100)
	k.checkCount(to("remind", "times"), k.Remind.Times, 0, 1000)
}

func (k *checker) checkReturns() {
	for _, name := range k.origins.keysBelow("agents") {
		k.checkRegexp(to("agents", name, "returns"), k.Agents[name].Returns)
		k.checkCount(to("agents", name, "tries"), k.Agents[name].Tries, 1, triesMost)
	}
}

func valueOr(n *int, otherwise int) int {
	if n == nil {
		return otherwise
	}
	return *n
}

// parseTimeout reads a duration that was checked.
func parseTimeout(s string, otherwise time.Duration) time.Duration {
	n, err := parseMeasure(s, timeoutUnits())
	if s == "" || err != nil {
		return otherwise
	}
	return time.Duration(n)
}

func (g Gate) compile() *fsm.Gate {
	if g.Run == "" {
		return nil
	}
	return &fsm.Gate{Run: g.Run, Timeout: parseTimeout(g.Timeout, gateTime), Tries: valueOr(g.Tries, 3)}
}

func (h Hold) compile(o *Origins) fsm.Hold {
	if h.Until == nil && h.Gate.Run == "" {
		return fsm.Hold{}
	}
	return fsm.Hold{Until: h.Until, Skills: h.Skills, States: h.States, Tries: valueOr(h.Tries, 3), Say: h.Say, Gate: h.Gate.compile(), Place: o.placeOfKey("hold")}
}

func (l Limits) compile() fsm.Limits {
	return fsm.Limits{Running: valueOr(l.Running, 0), RunningEnv: l.RunningEnv, Depth: valueOr(l.Depth, 0)}
}

func (c *Config) compileTasks(o *Origins) fsm.TaskSource {
	out := fsm.TaskSource{From: c.Tasks.From, Agents: c.expandAgents(c.Tasks.Agents), Place: o.placeOfKey("tasks")}
	if c.Tasks.Graph != "" {
		out.Graph = absolutePath(c.Tasks.Graph, World{Home: o.home, Dir: o.project.Root})
	}
	return out
}

func (c *Config) compileChecks(o *Origins) (out []fsm.Check) {
	for i, k := range c.Checks {
		at := k.At
		if at == nil {
			at = []string{fsm.AtEdit}
		}
		out = append(out, fsm.Check{Name: k.Name, Files: o.absoluteGlobs(k.Files), Run: k.Run, Env: sortedInputs(k.Env), UnlessEnv: sortedInputs(k.UnlessEnv),
			Timeout: parseTimeout(k.Timeout, checkTime), At: at, Place: o.placeOf(to("checks").item(i))})
	}
	return out
}

func (c *Config) compileOpening(o *Origins) fsm.SessionOpening {
	out := fsm.SessionOpening{Inject: c.SessionStart.Inject, On: c.SessionStart.On}
	for _, f := range c.SessionStart.Files {
		out.Files = append(out.Files, absolutePath(strings.TrimPrefix(f, "./"), World{Home: o.home, Dir: o.project.Root}))
	}
	if out.On == nil && (out.Inject != "" || out.Files != nil) {
		out.On = []string{"startup", "resume", "clear", "compact", "fork"}
	}
	return out
}

func (p Planning) compile() fsm.PlanningHint {
	if p.Words == nil {
		return fsm.PlanningHint{}
	}
	return fsm.PlanningHint{Words: p.Words, AtLeast: valueOr(p.AtLeast, 1), Say: p.Say}
}

func (r Remind) compile() fsm.Reminders {
	if r.AfterDelegation == "" && r.AfterAgent == "" {
		return fsm.Reminders{}
	}
	return fsm.Reminders{AfterDelegation: r.AfterDelegation, AfterAgent: r.AfterAgent, Times: valueOr(r.Times, 20)}
}

// usesScratch reports whether a text names the scratch folder.
func (c *Config) usesScratch() bool {
	texts := []string{c.SessionStart.Inject, c.Planning.Say, c.Remind.AfterDelegation, c.Remind.AfterAgent, c.Hold.Say}
	for _, s := range c.States {
		texts = append(texts, s.Inject, s.Brief)
	}
	return strings.Contains(strings.Join(texts, "\n"), ".Scratch")
}
