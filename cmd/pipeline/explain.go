package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/nearest"
	"github.com/agent-pipeline/pipeline/hooks/claude"
	"github.com/agent-pipeline/pipeline/hooks/rehearse"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

func newExplainCommand(p *program) *cli.Command {
	return &cli.Command{
		Usage:     "Show which rule decides a call or decided a record, and where it is written",
		ArgsUsage: "['TOOL(ARGUMENT)' | SESSION:N]",
		Description: `For example: pipeline explain 'Bash(cd src && git push)', 'Write(src/main.go)',
'Agent(bash-developer)', 'mcp__github__list'. An argument in braces is the tool's whole
input: 'Agent({"subagent_type": "Explore", "run_in_background": true})'.
Without a call, or with -, a hook payload is read from standard input. The hooks' own
handler answers, in memory, and nothing is recorded. It judges in the project's newest
live session, or in a new one if none is live: with its mode, bypasses, environment and
task graph. The first lines of the answer say which session that was.

SESSION:N is a record, the first column of pipeline log; N alone will do with --session or
where there is one session. Its parts are judged again by the policy that was in force, from
the recorded session before it.
` +
			"Exit codes: 0 fine, whatever the answer, 2 wrong usage, 3 no config, no such record, or it\n" +
			"could not be read.",
		UsageText: `pipeline explain 'Bash(cd src && git push)'
pipeline explain 3f2a:17
pipeline explain --agent c-developer --state EXECUTING 'Write(src/main.c)'
pipeline explain 'Agent({"subagent_type": "Explore", "run_in_background": true})'`,
		Flags: []cli.Flag{
			textFlag("state", "as in this `STATE`; without it the session's"),
			textFlag("agent", "as called by a subagent of this `TYPE`; else by the main agent"),
			namedSessionFlag("as in the recorded session"),
			boolFlag("fresh", "as in a new session"),
			jsonFlag()},
		Action: p.action(runExplain),
	}
}

func runExplain(p *program, c *cli.Context) error {
	if c.NArg() > 1 {
		return usageError{"explain takes one call: put it in quotes, as in pipeline explain 'Bash(git push)'"}
	}
	if namesRecord(c.Args().First()) {
		return explainRecord(p, c)
	}
	o, err := p.openProject(c)
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
	how := ""
	if q.Session, how, err = chooseSession(c, o); err != nil {
		return err
	}
	asked, client := p.asClientOf(o, q.Session)
	stage := asked.rehearsalStage(client)
	stage.Kernel = p.registeredKernel(stage.Host)
	e, err := rehearse.Explain(stage, q)
	if errors.Is(err, rehearse.ErrPayload) {
		return hinted{usageError{err.Error()}, "to ask about a call: pipeline explain 'Bash(git push)'"}
	}
	if err != nil {
		return err
	}
	e.Warnings = append(e.Warnings, warnUnknown(p, o, q.Agent, e.Answer.Event.Tool)...)
	return p.printResult(c, e, func() { printExplanation(p, e, how) })
}

// rehearsalStage sets a rehearsal up as the hooks of a project are.
func (p *program) rehearsalStage(o config.Opened) rehearse.Stage {
	host, _ := p.findHost("", "", o)
	st := store(o, 0)
	return rehearse.Stage{Handler: *p.newHandler(o, 0), Host: host, Base: &st}
}

// chooseSession returns the session in which the call is judged, "" for a new one, and how
// it was chosen.
func chooseSession(c *cli.Context, o config.Opened) (id, how string, err error) {
	name := c.String("session")
	switch {
	case c.Bool("fresh") && name != "":
		return "", "", usageError{"explain: either --session or --fresh"}
	case c.Bool("fresh"):
		return "", "a new one", nil
	case name != "":
		id, err = findSession(store(o, 0), name)
		return id, "the named one", err
	}
	live, err := store(o, 0).Live(time.Now().Add(-recently))
	if err != nil || len(live) == 0 {
		return "", "a new one: none is live", err
	}
	return live[0].ID, "the newest live one; --fresh judges in a new one", nil
}

// warnUnknown warns of a tool and of an agent that are not known here: a word may be
// misspelled, and no rule would fit it.
func warnUnknown(p *program, o config.Opened, agent string, t fsm.Tool) []string {
	var out []string
	if t.Unknown {
		hint := orMeant(t.Name, claude.Tools())
		if hint == "" && t.Name == strings.ToLower(t.Name) { // no tool is written so, and commands are
			hint = ": for a command write 'Bash(" + t.Name + ")'"
		}
		out = append(out, "no tool "+quote(t.Name)+" is known"+hint)
	}
	var known []string
	for _, a := range findAgents(p, o) {
		known = append(known, a.Name)
	}
	for _, a := range o.Policy.Agents {
		known = append(known, a.Name)
	}
	types := []string{agent}
	if t.Starts != nil && t.Starts.How == fsm.ByAgent {
		types = append(types, t.Starts.Type)
	}
	for _, name := range types {
		if name != "" && !fsm.MatchAgent(known, name) {
			out = append(out, "no agent "+quote(name)+" is known here"+orMeant(name, known))
		}
	}
	return out
}

func orMeant(word string, among []string) string {
	if meant := nearest.Find(word, among); meant != "" {
		return ": did you mean " + meant + "?"
	}
	return ""
}

func printExplanation(p *program, e rehearse.Explanation, how string) {
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
	p.printf("\nsession: %s\n", how)
	for _, w := range e.Warnings {
		p.printf("warning: %s\n", w)
	}
	for _, b := range e.Bypasses {
		p.printf("%s\n", b)
	}
	p.printf("\n")
	printParts(p, e.Parts)
	p.printf("\n%s\n", p.paint(rehearse.Ruling{Verdict: e.Verdict, Strict: e.Strict}.VerdictText()))
	if e.Reason != "" {
		p.printf("%s\n", e.Reason)
	}
	if l := e.Limits; l != nil {
		p.printf("it runs, and %s lets it write only here: %s\n", e.Kernel, describeLimits(*l))
	}
	for _, d := range e.Depends {
		p.printf("depends on %s\n", d)
	}
}

// describeLimits lists where a confined command may write.
func describeLimits(l fsm.WriteLimits) string {
	out := strings.Join(append(slices.Clone(l.Writable), "caches, what git ignores"), ", ")
	if len(l.ReadOnly) > 0 {
		out += "; not in " + strings.Join(l.ReadOnly, ", ")
	}
	return visible.Line(out)
}

// printParts prints what decided each part of a call.
func printParts(p *program, parts []rehearse.Ruling) {
	t := p.newTable()
	fmt.Fprintln(t, "PART\tWRAPPED IN\tRULE\tWHERE\tVERDICT")
	for _, r := range parts {
		part := visible.Shorten(strings.Join(strings.Fields(r.Part), " "), 60)
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", part, strings.Join(r.Via, " "), r.Rule, r.Where,
			p.paint(r.VerdictText()))
	}
	t.Flush()
}
