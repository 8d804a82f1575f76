package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/hooks/rehearse"
)

func newExplainCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:      "explain",
		Usage:     "Show which rule decides a call, where it is written, and what the agent would read",
		ArgsUsage: "['TOOL(ARGUMENT)']",
		Description: `For example: pipeline explain 'Bash(cd src && git push)', 'Write(src/main.go)',
'Agent(bash-developer)', 'mcp__github__list'. An argument in braces is the tool's whole
input: 'Agent({"subagent_type": "Explore", "run_in_background": true})'.
Without a call, or with -, a hook payload is read from standard input. The hooks' own
handler answers, in memory: with the mode and the bypasses in force, the environment and
the task graph. The session is a new one; with --session it is a copy of a recorded one.
Nothing is recorded.
` +
			"Exit codes: 0 fine, whatever the answer, 2 wrong usage, 3 no config or it could not be read.",
		UsageText: "pipeline explain 'Bash(cd src && git push)'\n" +
			"pipeline explain --agent c-developer --state EXECUTING 'Write(src/main.c)'\n" +
			"pipeline explain 'Agent({\"subagent_type\": \"Explore\", \"run_in_background\": true})'",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "state", Usage: "as in this `STATE`; without it the initial one"},
			&cli.StringFlag{Name: "agent", Usage: "as called by a subagent of this `TYPE`; else by the main agent"},
			&cli.StringFlag{Name: "session", Usage: "as in the recorded session with this `ID`, or \"newest\""},
			&cli.BoolFlag{Name: "json", Usage: "print it as JSON"}},
		Action: p.explain,
	}
}

func (p *program) explain(c *cli.Context) error {
	if c.NArg() > 1 {
		return usageError{"explain wants one call: put it in quotes, as in pipeline explain 'Bash(git push)'"}
	}
	o, err := p.project(c)
	if err != nil {
		return err
	}
	q := rehearse.Question{Call: c.Args().First(), Payload: p.in, Agent: c.String("agent"), State: c.String("state")}
	if q.Call == "" || q.Call == "-" {
		if isTerminal(p.in) {
			return usageError{"missing call, or hook payload on standard input: pipeline explain 'Bash(git push)'"}
		}
	} else if _, err := rehearse.ParseCall(q.Call); err != nil {
		return usageError{err.Error()}
	}
	if q.State != "" {
		if err := checkTarget(picked{Opened: o}, q.State); err != nil {
			return err
		}
	}
	if q.Session, err = liveSession(o, c.String("session")); err != nil {
		return err
	}
	e, err := rehearse.Explain(p.rehearsalStage(o), q)
	if errors.Is(err, rehearse.ErrPayload) {
		return usageError{err.Error()}
	}
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return p.json(e)
	}
	p.printExplanation(e)
	return nil
}

// rehearsalStage sets a rehearsal up as the hooks of a project are.
func (p *program) rehearsalStage(o config.Opened) rehearse.Stage {
	host, _ := p.host("", "", o)
	st := store(o, 0)
	return rehearse.Stage{Handler: *p.handler(o, 0), Host: host, Base: &st}
}

// liveSession is the id of a session that is named.
func liveSession(o config.Opened, name string) (string, error) {
	if name == "" {
		return "", nil
	}
	items, err := store(o, 0).List()
	if err != nil {
		return "", err
	}
	return resolveSession(items, name)
}

func (p *program) printExplanation(e rehearse.Explanation) {
	p.printf("%s\n", p.bold(e.Call))
	in := ""
	if e.State != "" {
		in = ", in state " + e.State
	}
	if e.Session != "" {
		in += " of session " + e.Session
	}
	p.printf("called by %s%s, level %s", e.Caller, in, e.Level)
	if e.Mode != "" {
		p.printf(" (%s)", e.Mode)
	}
	p.printf("\n")
	for _, b := range e.Bypasses {
		p.printf("%s\n", b)
	}
	p.printf("\n")
	t := p.table()
	fmt.Fprintln(t, "PART\tWRAPPED IN\tRULE\tWHERE\tVERDICT")
	for _, r := range e.Parts {
		part := cut(strings.Join(strings.Fields(r.Part), " "), 60)
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", part, strings.Join(r.Via, " "), r.Rule, r.Where, r.VerdictText())
	}
	t.Flush()
	p.printf("\n%s\n", p.bold(rehearse.Ruling{Verdict: e.Verdict, Strict: e.Strict}.VerdictText()))
	if e.Reason != "" {
		p.printf("%s\n", e.Reason)
	}
	for _, d := range e.Depends {
		p.printf("depends on %s\n", d)
	}
}
