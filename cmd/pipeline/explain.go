package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/claude"
	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/kernel"
	"github.com/agent-pipeline/pipeline/hooks/rehearse"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

func newExplainCommand(p *program) command {
	return command{
		Usage:     "Show which rule decides a call or decided a record, and where it is written",
		ArgsUsage: "['TOOL(ARGUMENT)' | SESSION:N]",
		Description: `For example: pipeline explain 'Bash(cd src && git push)',
'Write(src/main.go)', 'Agent(bash-developer)', 'mcp__github__list'. An
argument in braces is the tool's whole input: 'Agent({"subagent_type":
"Explore", "run_in_background": true})'. Without a call, or with -, a hook
payload is read from standard input. The hooks' own handler answers, in
memory, and nothing is recorded. It judges in the project's newest live
session, or in a new one if none is live: with its mode, bypasses,
environment and task graph. The first lines of the answer say which session
that was. The call is made in the working directory. An --agent that does not
run there counts as let in; a warning says where the state does not admit it.

SESSION:N is a record, the first column of pipeline log. Its parts are judged
again by the policy that was in force, from the recorded session before it.
Exit codes: 0 fine, whatever the answer, 2 wrong usage, 3 no config, no such
record, or it could not be read.`,
		UsageText: `pipeline explain 'Bash(cd src && git push)'
pipeline explain 3f2a:17
pipeline explain --agent c-developer --state EXECUTING 'Write(src/main.c)'
pipeline explain 'Agent({"subagent_type": "Explore", "run_in_background": true})'`,
		Flags: flags{
			textFlag("state", "as in this `STATE`; without it the session's"),
			textFlag("agent", "as called by a subagent of this `TYPE`; else by the main agent"),
			namedSessionFlag("as in the recorded session"),
			boolFlag("fresh", "as in a new session"),
			jsonFlag()},
		Action: p.inProject(runExplain),
	}
}

func runExplain(c invocation, o opened) (err error) {
	if c.NArg() > 1 {
		return usagef("explain takes one call: put it in quotes, as in pipeline explain 'Bash(git push)'")
	}
	if regexp.MustCompile(`^[^(){}\s]+:[0-9]+$`).MatchString(c.Args().First()) { // as `pipeline log` names a record
		return explainRecord(c, o)
	}
	q := rehearse.Question{Call: c.Args().First(), Dir: c.here().Dir, Agent: c.String("agent"),
		State: c.String("state")}
	if q.Call == "" || q.Call == "-" {
		q.Call = ""
		if isTerminal(c.in) {
			return usagef("missing call, or hook payload on standard input: pipeline explain 'Bash(git push)'")
		}
		if q.Payload, err = io.ReadAll(c.in); err != nil {
			return fmt.Errorf("read the payload: %w", err)
		}
	} else if _, err := rehearse.ParseCall(q.Call); err != nil {
		return usageError{err}
	}
	if err := checkTarget(o.Policy, q.State); err != nil {
		return err
	}
	how := ""
	if q.Session, how, err = chooseSession(c, o); err != nil {
		return err
	}
	stage := o.asClientOf(q.Session).rehearsalStage()
	for _, s := range stage.Host.Places().Settings { // what would hold shell lines here, where our launcher is named
		if hasLauncher(s.Path) {
			stage.Kernel = kernel.ReadCapability(c.stateFolder()).Engine
		}
	}
	e, err := rehearse.Explain(stage, q)
	if errors.Is(err, rehearse.ErrPayload) {
		return hinted{usageError{err}, "to ask about a call: pipeline explain 'Bash(git push)'"}
	}
	if err != nil {
		return err
	}
	e.Warnings = append(e.Warnings, o.warnUnknown(q.Agent, e.Answer.Event.Tool)...)
	return c.printResult(e, func() { printExplanation(c, e, how) })
}

// rehearsalStage sets a rehearsal up as the hooks of a project are.
func (o opened) rehearsalStage() rehearse.Stage {
	return rehearse.Stage{Handler: *o.newHandler(o.Opened, o.store), Host: claude.New(o.surroundings(o.Opened)),
		Base: &o.store}
}

// chooseSession returns the session in which the call is judged, "" for a new one, and how
// it was chosen.
func chooseSession(c invocation, o opened) (id, how string, err error) {
	name := c.String("session")
	switch {
	case c.Bool("fresh") && name != "":
		return "", "", usagef("explain: either --session or --fresh")
	case c.Bool("fresh"):
		return "", "a new one", nil
	case name != "":
		i, err := o.findSession(name)
		return i.ID, "the named one", err
	}
	live, err := o.live()
	if err != nil || len(live) == 0 {
		return "", "a new one: none is live", err
	}
	return live[0].ID, "the newest live one; --fresh judges in a new one", nil
}

// warnUnknown warns of a tool and of an agent that are not known here: a word may be
// misspelled, and no rule would fit it.
func (o opened) warnUnknown(agent string, t fsm.Tool) (out []string) {
	if t.Unknown {
		hint := config.DidYouMean(t.Name, claude.Tools())
		if hint == "" && t.Name == strings.ToLower(t.Name) { // no tool is written so, and commands are
			hint = "for a command write 'Bash(" + t.Name + ")'"
		}
		out = append(out, strings.TrimSuffix(fmt.Sprintf("no tool %q is known: %s", t.Name, hint), ": "))
	}
	var known []string
	for _, a := range o.findAgents(o.Opened) {
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
			out = append(out, strings.TrimSuffix(fmt.Sprintf("no agent %q is known here: %s", name,
				config.DidYouMean(name, known)), ": "))
		}
	}
	return out
}

func printExplanation(c invocation, e rehearse.Explanation, how string) {
	c.printf("%s\n", c.bold(e.Call))
	in := ""
	if e.State != "" {
		in = ", in state " + e.State
	}
	if e.Session != "" {
		in += " of session " + e.Session
	}
	c.printf("called by %s%s, level %s", e.Caller, in, e.Level)
	if e.Mode != "" {
		c.printf(" (%s)", e.Mode)
	}
	c.printf("\nsession: %s\n", how)
	for _, w := range e.Warnings {
		c.printf("warning: %s\n", w)
	}
	for _, b := range e.Bypasses {
		c.printf("%s\n", b)
	}
	c.printf("\n")
	printParts(c, e.Parts)
	c.printf("\n%s\n", c.paint(rehearse.Ruling{Verdict: e.Verdict, Strict: e.Strict}.VerdictText()))
	if e.Reason != "" {
		c.printf("%s\n", e.Reason)
	}
	if l := e.Limits; l != nil && e.Verdict != fsm.Deny.String() {
		where := strings.Join(append(slices.Clone(l.Writable), "caches, what git ignores"), ", ")
		if len(l.ReadOnly) > 0 {
			where += "; not in " + strings.Join(l.ReadOnly, ", ")
		}
		c.printf("it runs, and %s lets it write only here: %s\n", e.Kernel, visible.Line(where))
	}
	for _, d := range e.Depends {
		c.printf("depends on %s\n", d)
	}
}

// printParts prints what decided each part of a call.
func printParts(c invocation, parts []rehearse.Ruling) {
	t := c.newTable("PART", "WRAPPED IN", "RULE", "WHERE", "VERDICT")
	for _, r := range parts {
		part := visible.Shorten(strings.Join(strings.Fields(r.Part), " "), 60)
		t.row(part, strings.Join(r.Via, " "), r.Rule, r.Where, c.paint(r.VerdictText()))
	}
	t.Flush()
}

// A recordDoc is a record with all that explains it.
type recordDoc struct {
	Record   journal.Record    `json:"record"`
	Before   string            `json:"state_before,omitempty"`
	Decider  string            `json:"decider,omitempty"` // the rule, or the state whose list decided
	Parts    []rehearse.Ruling `json:"parts"`
	NotAgain string            `json:"not_judged_again,omitempty"` // why the parts are not known
	Rule     []string          `json:"rule_text"`                  // how the rule is written
	Edited   bool              `json:"config_changed"`             // the config is another by now
	Disputed bool              `json:"disputed"`
}

func explainRecord(c invocation, o opened) error {
	if c.IsSet("state") || c.IsSet("agent") || c.IsSet("session") || c.Bool("fresh") {
		return usagef("explain SESSION:N judges the record as it was: the flags are for a call")
	}
	r, err := o.findRecord(c.Args().First())
	if err != nil {
		return err
	}
	d := recordDoc{Record: r.Record, Before: r.before.State.Machine.State, Decider: r.Decider(),
		Parts: []rehearse.Ruling{}, Rule: quoteConfig(o.Opened, r.Where), Edited: changedSince(o.Opened, r.Event.Time),
		Disputed: r.disputed}
	policy := o.Policy
	if r.Policy != policy.Fingerprint {
		policy, err = o.Project.FindPolicy(r.Policy)
	}
	switch {
	case r.Event.Kind != fsm.ToolRequest:
	case err != nil:
		d.NotAgain = "that policy is no longer kept"
	default: // the policy of then judges, from the session before it
		again := &rehearse.Replay{Policy: policy, Base: &o.store, Older: o.Project.FindPolicy,
			Prev: r.before}
		out, _ := again.Next(r.Record)
		if d.NotAgain = out.Skipped; out.Skipped == "" {
			d.Parts = out.Rulings()
		}
	}
	return c.printResult(d, func() { printRecord(c, r.String(), d) })
}

// quoteConfig is how a rule is written: from its place on, up to the next of its depth; 8 lines at most.
func quoteConfig(o config.Opened, where string) []string {
	name, number, _ := strings.Cut(where, ":")
	at, err := strconv.Atoi(number)
	i := slices.IndexFunc(o.Project.Files, func(f string) bool { return filepath.Base(f) == name })
	if err != nil || i < 0 {
		return []string{}
	}
	body, err := os.ReadFile(o.Project.Files[i])
	lines := strings.Split(string(body), "\n")
	if err != nil || at < 1 || at > len(lines) {
		return []string{}
	}
	depth := func(s string) int { return len(s) - len(strings.TrimLeft(s, " ")) }
	lines = lines[at-1 : min(at+7, len(lines))]
	next := slices.IndexFunc(lines[1:], func(l string) bool { return depth(l) <= depth(lines[0]) })
	if next >= 0 {
		lines = lines[:next+1]
	}
	return lines
}

// printRecord prints what is known, one statement a line.
func printRecord(c invocation, name string, d recordDoc) {
	r, e := d.Record, d.Record.Event
	c.printf("%s\n\n", c.bold(name))
	t := c.newTable()
	row := func(what, text string) {
		if text != "" {
			t.row(what, c.paint(singleLine(text)))
		}
	}
	row("event", strings.TrimSpace(e.Kind.String()+" "+e.Tool.Name)+", "+formatTime(e.Time))
	if e.Agent.IsMain() {
		row("caller", "main")
	} else {
		row("caller", strings.TrimSpace(e.Agent.Type+" "+e.Agent.ID))
	}
	if after := r.State.Machine.State; d.Before == "" || d.Before == after {
		row("state", after)
	} else {
		row("state", d.Before+" → "+after)
	}
	row("level", r.Level)
	if m := e.Facts.Overrides.Mode; m != nil {
		row("mode", m.Origin())
	}
	for _, b := range e.Facts.Overrides.Bypasses {
		row("bypass", hooks.DescribeBypass(b))
	}
	row("answer", describeAnswer(d))
	row("bypassed", strings.Join(r.Bypassed, ", "))
	row("proposed", r.Proposed)
	for _, m := range r.Moves {
		row("move", m.From+" → "+m.To+" by "+m.Trigger)
	}
	for _, n := range r.Notes {
		row("note", n)
	}
	if d.Disputed {
		row("disputed", "a person says that it was wrong")
	}
	row("error", r.Error)
	t.Flush()
	if d.NotAgain != "" {
		c.printf("\nits parts cannot be judged again: %s\n", d.NotAgain)
	}
	if len(d.Parts) > 0 {
		c.printf("\n")
		printParts(c, d.Parts)
	}
	if r.Reason != "" {
		c.printf("\n%s\n%s\n", c.bold("reason"), r.Reason)
	}
	if len(d.Rule) > 0 {
		now := ""
		if d.Edited {
			now = " (as written now: the config has changed since)"
		}
		c.printf("\n%s%s\n%s\n", c.bold(r.Where), now, strings.Join(d.Rule, "\n"))
	}
}

// describeAnswer is the verdict, and what decided.
func describeAnswer(d recordDoc) string {
	r := d.Record
	if r.Verdict == "" && r.StrictVerdict == "" && d.Decider == "" {
		if r.Event.Kind == fsm.ToolRequest {
			return "pass: nothing objected"
		}
		return ""
	}
	out := rehearse.Ruling{Verdict: cmp.Or(r.Verdict, "pass"),
		Strict: cmp.Or(r.StrictVerdict, r.Verdict, "pass"), Bypassed: len(r.Bypassed) > 0}.VerdictText()
	if d.Decider != "" {
		out += " by " + rehearse.Ruling{Rule: d.Decider, Where: r.Where}.String()
	}
	return out
}
