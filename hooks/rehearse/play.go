package rehearse

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
)

// A player plays a scenario: each step becomes the hook calls that the client would
// make.
type player struct {
	*Rehearsal
	env  map[string]string
	runs []*agentRun
}

// An agentRun is an agent of the scenario, from the call that asks for it to its
// result.
type agentRun struct {
	agent string
	by    map[string]any // who asked for it, as payloads name the caller
	call  map[string]any // the call that asked for it, nil where there was none
	id    string         // once it has started
	over  bool
}

// An outcome is what a step came to.
type outcome struct {
	Answer          // the strictest of the step's
	injected string // by any of its calls
	from, to string // the state before and after
	notes    []string
	judged   bool // a call was put to the policy
}

// A Failure is a step that did not come out as expected.
type Failure struct {
	File     string   `json:"file"`
	Line     int      `json:"line"`
	Scenario string   `json:"scenario"`
	Step     string   `json:"step"`
	Expected []string `json:"expected"`
	Got      string   `json:"got"`
	Rule     string   `json:"rule,omitempty"`
	Where    string   `json:"where,omitempty"`
	Reason   string   `json:"reason,omitempty"`
	Notes    []string `json:"notes,omitempty"`
}

// A Dependence is a step whose outcome depends on a command that was not run.
type Dependence struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Command string `json:"command"`
}

// Result is what came of scenarios.
type Result struct {
	Scenarios int          `json:"scenarios"`
	Steps     int          `json:"steps"`
	Failed    int          `json:"failed"`
	Failures  []Failure    `json:"failures"`
	Depends   []Dependence `json:"depends_on"` // steps whose outcome depends on a command that was not run
}

// isAssumed reports whether a scenario takes a fact for granted: a file that an agent
// says it wrote exists, and so do all agents.
func isAssumed(n fsm.Need) bool { return n == fsm.NeedAbsent || n == fsm.NeedAgents }

// Play plays the scenarios of a file, each to its end. Only the variables that a
// scenario sets are set, and no person has ordered anything.
func (s *Script) Play(stage Stage, out *Result) error {
	stage.Handler.Given = isAssumed
	for _, sc := range s.Scenarios {
		out.Scenarios++
		env := map[string]string{}
		stage.Handler.Getenv, stage.Base = func(name string) string { return env[name] }, nil
		pl := &player{Rehearsal: New(stage), env: env}
		if err := pl.Begin(); err != nil {
			return fmt.Errorf("play %q: %w", sc.Title, err)
		}
		for _, st := range sc.Steps {
			out.Steps++
			pl.Results.Unrun = nil
			o := outcome{from: pl.Session().Machine.State, judged: st.verb == "call"}
			err := pl.act(st, &o)
			if o.to = pl.Session().Machine.State; err != nil {
				return fmt.Errorf("play %q: line %d: %w", sc.Title, st.Line, err)
			}
			// After a call, a check only adds to what is injected.
			if st.verb != "call" || slices.ContainsFunc(st.wants, func(w want) bool { return w.kind == "told" }) {
				for _, command := range pl.Results.Unrun {
					out.Depends = append(out.Depends, Dependence{s.file, st.Line, command})
				}
			}
			if f := o.compare(st); f != nil {
				f.File, f.Scenario = s.file, sc.Title
				out.Failed++
				out.Failures = append(out.Failures, *f)
			}
		}
	}
	return nil
}

// act takes one step.
func (pl *player) act(st Step, o *outcome) error {
	switch st.verb {
	case "call":
		return pl.makeCall(st, o)
	case "starts":
		return pl.start(pl.findWaiting(st.actor), o)
	case "done", "fails":
		return pl.end(st, o)
	case "says":
		return pl.send(o, "UserPromptSubmit", map[string]any{"prompt": st.arg})
	case "ends":
		running := []map[string]any{}
		for _, r := range pl.runs {
			if r.id != "" && !r.over {
				running = append(running, map[string]any{"id": r.id, "type": "subagent", "status": "running"})
			}
		}
		return pl.send(o, "Stop", map[string]any{"background_tasks": running})
	case "reset":
		return o.merge(pl.Reset(st.arg))
	case "approve", "reject":
		return o.merge(pl.Answer(hooks.NoCall{}, fsm.Event{Kind: fsm.Kind(st.verb), Text: "rehearsal"}))
	case "level":
		pl.Policy.Level, _ = fsm.ParseLevel(st.arg) // it was read before
	case "env":
		name, value, _ := strings.Cut(st.arg, "=")
		pl.env[name] = value
	case "kernel":
		pl.SetKernel(map[string]string{"yes": "any"}[st.arg])
	case "gate", "check":
		pl.Results.Said[st.verb] = st.arg == "ok"
	}
	return nil
}

// merge adds what an event brought, with its error. The strictest answer is the step's.
func (o *outcome) merge(a Answer, err error) error {
	o.injected = strings.TrimSpace(o.injected + "\n" + a.Inject)
	o.notes = append(o.notes, a.Notes...)
	if a.StrictVerdict > o.StrictVerdict || o.Event.Kind == fsm.Unknown || o.StrictVerdict == fsm.Pass &&
		a.Event.Kind == fsm.ToolRequest {
		o.Answer = a
	}
	return err
}

func (pl *player) send(o *outcome, event string, with ...map[string]any) error {
	return o.merge(pl.Send(event, with...))
}

// makeCall asks for a call, and if nothing stops it goes on to its result. An agent's
// result comes later. An agent that was not started counts as started earlier.
func (pl *player) makeCall(st Step, o *outcome) error {
	var who map[string]any
	if st.actor != "main" {
		r := pl.findRun(st.actor, true)
		if r == nil {
			r = pl.addRun(st.actor)
			r.id, r.call = pl.NewID("a"), Call{"Agent", st.actor}.payload(pl.NewID("toolu_"))
			pl.Enlist(r.id, st.actor, r.call["tool_use_id"].(string))
		}
		who = r.payload()
	}
	call := st.call.payload(pl.NewID("toolu_"))
	in := call["tool_input"].(map[string]any)
	var resumed *agentRun // the finished agent that a message wakes: scenarios name it by its type, clients by its id
	for _, r := range slices.Backward(pl.runs) {
		if st.call.Tool == "SendMessage" && r.over && in["to"] == r.agent {
			in["to"], resumed = r.id, r
			break
		}
	}
	if err := pl.send(o, "PreToolUse", who, call); err != nil || o.Verdict > fsm.Warn {
		return err
	}
	if start := o.Event.Tool.Starts; start != nil && start.How != fsm.ByWorkflow {
		if resumed == nil {
			resumed = pl.addRun(start.Type)
		}
		resumed.by, resumed.call, resumed.over = who, call, false
		return nil
	}
	return pl.send(o, "PostToolUse", who, call, map[string]any{"tool_response": map[string]any{}})
}

func (r *agentRun) payload() map[string]any {
	return map[string]any{"agent_id": r.id, "agent_type": r.agent}
}

// findRun is the oldest agent of this type that is not over: one that has begun, or one that was asked for and has
// not; nil where there is none.
func (pl *player) findRun(agent string, hasBegun bool) *agentRun {
	for _, r := range pl.runs {
		if (r.id != "") == hasBegun && !r.over && strings.EqualFold(r.agent, agent) {
			return r
		}
	}
	return nil
}

// findWaiting is the oldest agent of this type that was asked for and has not begun;
// else a new one that was not asked for.
func (pl *player) findWaiting(agent string) *agentRun {
	if r := pl.findRun(agent, false); r != nil {
		return r
	}
	return pl.addRun(agent)
}

func (pl *player) addRun(agent string) *agentRun {
	pl.runs = append(pl.runs, &agentRun{agent: agent})
	return pl.runs[len(pl.runs)-1]
}

// start starts an agent that has not begun.
func (pl *player) start(r *agentRun, o *outcome) error {
	r.id = pl.NewID("a")
	return pl.send(o, "SubagentStart", r.payload())
}

// end brings an agent to its end, and then the call that asked for it to its result. One that has not started is asked
// for and started first.
func (pl *player) end(st Step, o *outcome) error {
	r := pl.findRun(st.actor, true)
	if r == nil {
		if r = pl.findWaiting(st.actor); r.call == nil {
			r.call = Call{"Agent", st.actor}.payload(pl.NewID("toolu_"))
			o.judged = true
			if err := pl.send(o, "PreToolUse", r.call); err != nil || o.Verdict > fsm.Warn {
				r.over, r.id = true, "refused"
				return err
			}
		}
		if err := pl.start(r, o); err != nil {
			return err
		}
	}
	r.over = true
	stop, says, result := "SubagentStop", st.arg, "PostToolUse"
	with := map[string]any{"tool_response": map[string]any{"status": "completed", "agentId": r.id}}
	if st.verb == "fails" { // in an error of the client
		stop, says, result = "StopFailure", "API Error", "PostToolUseFailure"
		with = map[string]any{"error": "the agent failed"}
	}
	err := pl.send(o, stop, r.payload(), map[string]any{"last_assistant_message": says})
	if err != nil || r.call == nil {
		return err
	}
	return pl.send(o, result, r.by, r.call, with)
}

// ruling is what decided the step, also where nothing objected.
func (o outcome) ruling() Ruling {
	if all := o.Rulings(); o.StrictVerdict == fsm.Pass && o.judged && len(all) > 0 {
		return all[0]
	}
	return Ruling{Rule: o.Rule, Where: o.Where, Verdict: o.Verdict.String(), Strict: o.StrictVerdict.String()}
}

// compare compares a step with what is expected of it; nil when all is as expected.
func (o outcome) compare(st Step) *Failure {
	f := Failure{Line: st.Line, Step: st.Text}
	var got []string
	for _, w := range st.wants {
		if is, ok := o.meets(w); !ok {
			f.Expected = append(f.Expected, w.text)
			got = append(got, is)
		}
	}
	if len(got) == 0 {
		return nil
	}
	by := o.ruling()
	f.Got, f.Rule, f.Where, f.Reason, f.Notes = strings.Join(got, ", "), by.Rule, by.Where, o.Reason, o.notes
	return &f
}

// meets reports whether an outcome is as expected, and what it is.
func (o outcome) meets(w want) (is string, ok bool) {
	contains := func(word, text string) (string, bool) {
		return word + " " + strconv.Quote(text), strings.Contains(text, w.arg) && (w.arg != "" || text == "")
	}
	switch w.kind {
	case "state":
		if w.from != "" {
			return o.from + " -> " + o.to, w.from == o.from && w.arg == o.to
		}
		return cmp.Or(o.to, "no state"), w.arg == o.to
	case "told":
		return contains("told", o.injected)
	case "says":
		return contains("says", o.Reason)
	}
	rule := o.Rule
	if o.judged && rule == "" && (w.rule != "" || o.StrictVerdict > fsm.Pass) {
		rule = cmp.Or(o.ruling().Rule, fsm.DefaultRule)
	}
	return strings.TrimSpace(o.Verdict.String() + " " + rule), w.arg == o.Verdict.String() &&
		(w.rule == "" || w.rule == rule)
}
