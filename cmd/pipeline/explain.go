package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/fsm"
)

func (p *program) explainCommand() *cli.Command {
	return &cli.Command{
		Name:      "explain",
		Usage:     "say which rule decides a call, where it is written, and what the agent would read",
		ArgsUsage: "['TOOL(ARGUMENT)']",
		Description: "For example: pipeline explain 'Bash(cd src && git push)', 'Write(src/main.go)', 'Agent(bash-developer)', 'mcp__github__list'.\n" +
			"An argument in braces is the tool's whole input: 'Agent({\"subagent_type\": \"Explore\", \"run_in_background\": true})'.\n" +
			"Without a call, or with -, a hook payload is read from standard input. The session is a fresh one; nothing is recorded.\n" +
			"Exit codes: 0 fine, whatever the answer, 2 wrong usage, 3 no config or it could not be read.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "state", Usage: "as in this `STATE`; without it the initial one"},
			&cli.StringFlag{Name: "agent", Usage: "as called by a subagent of this `TYPE`; without it by the main agent"},
			&cli.BoolFlag{Name: "json", Usage: "print it as JSON"}},
		Action: p.explain,
	}
}

// An explanation is a call, what decides each part of it, and the answer.
type explanation struct {
	Call    string   `json:"call"`
	Caller  string   `json:"caller"`
	State   string   `json:"state,omitempty"`
	Level   string   `json:"level"`
	Parts   []ruling `json:"parts"`
	Verdict string   `json:"verdict"`
	Strict  string   `json:"strict"`
	Rule    string   `json:"rule,omitempty"`
	Where   string   `json:"where,omitempty"`
	Reason  string   `json:"reason,omitempty"`
}

func (p *program) explain(c *cli.Context) error {
	if c.NArg() > 1 {
		return usageError{"explain wants one call: put it in quotes, as in pipeline explain 'Bash(git push)'"}
	}
	o, err := p.project(c)
	if err != nil {
		return err
	}
	t, err := p.explained(o, c.String("state"))
	if err != nil {
		return err
	}
	d, err := p.put(t, c.Args().First(), c.String("agent"))
	if err != nil {
		return err
	}
	out := t.explanation(o, d)
	if c.Bool("json") {
		return p.json(out)
	}
	p.printExplanation(out)
	return nil
}

// explained is a fresh session in the state that is asked for. A policy that is off is asked what it would say.
func (p *program) explained(o config.Opened, state string) (*trial, error) {
	policy := *o.Policy
	policy.Level = max(policy.Level, fsm.Observe)
	o.Policy = &policy
	t, err := p.trial(o, p.getenv)
	if err != nil || state == "" {
		return t, err
	}
	if err := checkTarget(picked{Opened: o}, state); err != nil {
		return nil, err
	}
	t.move(state)
	return t, nil
}

// put asks for the call that was written, or for the recorded one.
func (p *program) put(t *trial, call, agent string) (fsm.Decision, error) {
	if call == "" || call == "-" {
		return p.recorded(t, agent)
	}
	c, err := parseCall(call)
	if err != nil {
		return fsm.Decision{}, err
	}
	with := callPayload(c, t.id("toolu_"))
	if agent != "" {
		with["agent_id"], with["agent_type"] = t.id("a"), agent
		t.enlist(with["agent_id"].(string), agent, "")
	}
	return t.send("PreToolUse", with)
}

// recorded takes a call from a payload. Its caller was let in, or we are not asked about its calls.
func (p *program) recorded(t *trial, agent string) (fsm.Decision, error) {
	if terminal(p.in) {
		return fsm.Decision{}, usageError{"explain wants a call, or a hook payload on standard input: pipeline explain 'Bash(git push)'"}
	}
	call, err := t.host.Read(p.in)
	if err != nil {
		return fsm.Decision{}, usageError{err.Error()}
	}
	e, ok := call.Event(time.Now())
	if !ok || e.Tool.Name == "" {
		return fsm.Decision{}, usageError{"read payload: it is no tool call, and only those are judged by rules"}
	}
	e.Kind = fsm.ToolRequest
	if agent != "" {
		e.Agent = fsm.Agent{ID: t.id("a"), Type: agent}
	}
	if !e.Agent.IsMain() {
		t.enlist(e.Agent.ID, e.Agent.Type, "")
	}
	return t.step(call, e), nil
}

func terminal(in io.Reader) bool {
	f, ok := in.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

func (t *trial) explanation(o config.Opened, d fsm.Decision) explanation {
	out := explanation{Call: t.asked.Tool.Name, Caller: cmp.Or(t.asked.Agent.Type, "main"), State: t.before.Machine.State, Level: o.Policy.Level.String(),
		Parts: t.rulings(), Verdict: d.Verdict.String(), Strict: d.StrictVerdict.String(), Rule: d.Rule, Where: d.Where, Reason: d.Reason}
	if line := t.asked.Tool.Command; line != "" {
		out.Call = toolCall{t.asked.Tool.Name, line}.String()
	} else if len(out.Parts) == 1 {
		out.Call = out.Parts[0].Part
	}
	return out
}

func (p *program) printExplanation(e explanation) {
	p.printf("%s\n", p.bold(e.Call))
	in := ""
	if e.State != "" {
		in = ", in state " + e.State
	}
	p.printf("called by %s%s, level %s\n\n", e.Caller, in, e.Level)
	t := p.table()
	fmt.Fprintln(t, "PART\tWRAPPED IN\tRULE\tWHERE\tVERDICT")
	for _, r := range e.Parts {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", cut(strings.Join(strings.Fields(r.Part), " "), 60), strings.Join(r.Via, " "), r.Rule, r.Where, r.says())
	}
	t.Flush()
	p.printf("\n%s\n", p.bold(ruling{Verdict: e.Verdict, Strict: e.Strict}.says()))
	if e.Reason != "" {
		p.printf("%s\n", e.Reason)
	}
}
