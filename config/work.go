package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
)

// Limits bound what runs at once, and what an agent and a session may use; 0 is no bound.
type Limits struct {
	Running    int    `koanf:"running" range:"0 1000"`
	RunningEnv string `koanf:"running_env" as:"variable"`
	Depth      int    `koanf:"depth" range:"0 100"`

	Calls        int `koanf:"calls" range:"0 100000"`
	Minutes      int `koanf:"minutes" range:"0 10000"`
	Tokens       int `koanf:"tokens" range:"0 1000000000"`
	SessionCalls int `koanf:"session_calls" range:"0 1000000"`

	OwnWorktree []string `koanf:"own_worktree" as:"pattern"`
}

// Tasks says where the graph of tasks comes from.
type Tasks struct {
	Graph  string   `koanf:"graph"`
	From   []string `koanf:"from" of:"agent plan host"`
	Agents []string `koanf:"agents" as:"pattern"`
}

// Hold keeps a turn from ending while work is left. The client overrides the ninth block
// in a row, so there are at most seven tries.
type Hold struct {
	Until  []string `koanf:"until" of:"graph tasks plan checks"`
	Skills []string `koanf:"skills"`
	States []string `koanf:"states" as:"state"`
	Tries  int      `koanf:"tries" range:"1 7"`
	Say    string   `koanf:"say" as:"template"`
	Gate   Gate     `koanf:"gate"`
}

// Gate is a command that must succeed before the pipeline goes on, or a person who must
// agree.
type Gate struct {
	Run     string `koanf:"run"`
	Person  string `koanf:"person"`
	Timeout string `koanf:"timeout" as:"gate timeout"`
	Tries   int    `koanf:"tries" range:"1 7"`
}

// A FileCheck is a command that runs after an edit, or at the end of a turn with edits.
type FileCheck struct {
	Name      string            `koanf:"name" must:"be"`
	Files     []string          `koanf:"files" must:"be" as:"path"`
	Run       string            `koanf:"run" must:"be"`
	Env       map[string]string `koanf:"env" keys:"variable" as:"glob"`
	UnlessEnv map[string]string `koanf:"unless_env" keys:"variable" as:"glob"`
	Timeout   string            `koanf:"timeout" as:"check timeout"`
	At        []string          `koanf:"at" of:"edit turn_end"`
}

// Opening is what the main agent reads as a session begins.
type Opening struct {
	Inject string   `koanf:"inject" as:"template"`
	Files  []string `koanf:"files"`
	On     []string `koanf:"on" of:"startup resume clear compact fork"`
}

// Planning is what the main agent reads beside a prompt that asks for several steps.
type Planning struct {
	Words   []string `koanf:"words" must:"be"`
	AtLeast int      `koanf:"at_least" range:"1 100"`
	Say     string   `koanf:"say" must:"be" as:"template"`
}

// Remind is what agents read beside what their state says.
type Remind struct {
	SelfCheck       bool   `koanf:"self_check"`
	AfterDelegation string `koanf:"after_delegation" as:"template"`
	AfterAgent      string `koanf:"after_agent" as:"template"`
	Times           *int   `koanf:"times" range:"0 1000"`
}

// Talk bounds what is injected, in characters; 0 is no bound.
type Talk struct {
	PerPrompt  int `koanf:"per_prompt" range:"0 -"`
	PerSession int `koanf:"per_session" range:"0 -"`
}

// How long a gate and a check may take by default, and at most: less than the client
// waits for a hook.
const (
	gateTime  = time.Minute
	gateMost  = 9 * time.Minute
	checkTime = 30 * time.Second
	checkMost = 100 * time.Second
)

// checkTimeout makes a check of a duration, or of a word that means none.
func checkTimeout(most time.Duration, words ...string) textCheck {
	return func(s string) (message, hint string) {
		n, err := parseMeasure(s, timeoutUnits)
		switch {
		case slices.Contains(words, s):
		case s == never || err != nil:
			return found(s, "a duration such as 30s"), "a whole number and s or m, without a space"
		case time.Duration(n) > most:
			return fmt.Sprintf("found %s, expected at most %s", s, most), "the client does not wait longer"
		}
		return "", ""
	}
}

// checkGate reports a gate that is not one thing: a command with a timeout, or a person
// without one.
func (k *checker) checkGate(g Gate, at trail) {
	switch {
	case !k.isWritten(at) || k.bad[at.section()]:
	case g.Run == "" && g.Person == "":
		k.reportKey(at, "found a gate without `run` and `person`, expected one of them",
			"run: COMMAND, or person: what the person is to do before agreeing")
	case g.Run != "" && g.Person != "":
		k.report(at.key("person"), "found `person` beside `run`, expected one of them", "a move has one gate")
	case g.Person != "" && g.Tries != 0:
		k.report(at.key("tries"), "found `tries` beside `person`, expected it beside `run`",
			"a person who does not agree says why, and the agent starts again")
	case g.Person != "" && g.Timeout != "" && g.Timeout != unbounded:
		k.report(at.key("timeout"), "found "+quoteShort(g.Timeout)+", expected none: a person is waited for",
			"leave it out, or write timeout: none")
	case g.Run != "" && g.Timeout == unbounded:
		k.report(at.key("timeout"), "found none, expected a duration such as 30s: a command must end", "")
	}
}

// checkHold reports a hold that nothing is waited for: no turn would ever be held.
func (k *checker) checkHold() {
	h := k.Hold
	k.checkGate(h.Gate, to("hold", "gate"))
	if h.Gate.Person != "" {
		k.report(to("hold", "gate", "person"), "found `person`, expected `run`: a turn cannot wait for a person",
			"let a move wait: moves: [{agent: …, to: …, gate: {person: …}}]")
	}
	written := h.Skills != nil || h.States != nil || h.Tries != 0 || h.Say != ""
	if written && h.Until == nil && h.Gate.Run == "" && !k.bad["hold"] && !k.faulty["hold"] {
		k.reportKey("hold", "found `hold` without `until` or `gate`, expected what a turn is held for",
			"write until: [checks], or gate: {run: COMMAND}; the gate of a move holds no turn")
	}
}

func (k *checker) checkTalk() {
	for key, n := range map[string]int{"per_prompt": k.Talk.PerPrompt, "per_session": k.Talk.PerSession} {
		if n > 0 && n < 1000 {
			message := fmt.Sprintf("found %d, expected at least 1000 characters, or 0 for no bound", n)
			k.report(to("talk", key), message, "")
		}
	}
}

// parseTimeout reads a duration that was checked.
func parseTimeout(s string, otherwise time.Duration) time.Duration {
	n, err := parseMeasure(s, timeoutUnits)
	if s == "" || err != nil {
		return otherwise
	}
	return time.Duration(n)
}

func (g Gate) compile() *fsm.Gate {
	switch {
	case g.Person != "":
		return &fsm.Gate{Person: g.Person}
	case g.Run == "":
		return nil
	}
	return &fsm.Gate{Run: g.Run, Timeout: parseTimeout(g.Timeout, gateTime), Tries: cmp.Or(g.Tries, 3)}
}

func (h Hold) compile(o *Origins) fsm.Hold {
	if h.Until == nil && h.Gate.Run == "" {
		return fsm.Hold{}
	}
	return fsm.Hold{Until: h.Until, Skills: h.Skills, States: h.States, Tries: cmp.Or(h.Tries, 3), Say: h.Say,
		Gate: h.Gate.compile(), Place: o.placeOf("hold")}
}

func (c reading) compileTasks() fsm.TaskSource {
	out := fsm.TaskSource{From: c.Tasks.From, Agents: c.expandAgents(c.Tasks.Agents), Place: c.placeOf("tasks")}
	if c.Tasks.Graph != "" {
		out.Graph = c.absoluteFile(c.Tasks.Graph)
	}
	return out
}

func (c reading) compileChecks() (out []fsm.Check) {
	for _, check := range c.Checks {
		at := check.At
		if at == nil {
			at = []string{fsm.AtEdit}
		}
		out = append(out, fsm.Check{Name: check.Name, Files: c.absoluteGlobs(check.Files), Run: check.Run,
			Env: sortedInputs(check.Env), UnlessEnv: sortedInputs(check.UnlessEnv),
			Timeout: parseTimeout(check.Timeout, checkTime), At: at})
	}
	return out
}

func (s Opening) compile(o *Origins) fsm.SessionOpening {
	out := fsm.SessionOpening(s)
	out.Files = nil
	for _, f := range s.Files {
		out.Files = append(out.Files, o.absoluteFile(strings.TrimPrefix(f, "./")))
	}
	if out.On == nil && (out.Inject != "" || out.Files != nil) {
		out.On = []string{"startup", "resume", "clear", "compact", "fork"}
	}
	return out
}

func (p Planning) compile() fsm.PlanningHint {
	if p.Words != nil {
		p.AtLeast = cmp.Or(p.AtLeast, 1)
	}
	return fsm.PlanningHint(p)
}

func (r Remind) compile() fsm.Reminders {
	if r.AfterDelegation == "" && r.AfterAgent == "" {
		return fsm.Reminders{}
	}
	out := fsm.Reminders{AfterDelegation: r.AfterDelegation, AfterAgent: r.AfterAgent, Times: 20}
	if r.Times != nil {
		out.Times = *r.Times
	}
	return out
}

// usesScratch reports whether a template names the scratch folder.
func (c *Config) usesScratch() bool {
	texts := []string{c.SessionStart.Inject, c.Planning.Say, c.Remind.AfterDelegation, c.Remind.AfterAgent, c.Hold.Say}
	for _, s := range c.States {
		texts = append(texts, s.Inject, s.Brief)
	}
	return strings.Contains(strings.Join(texts, "\n"), ".Scratch")
}
