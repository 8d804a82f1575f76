package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/shell"
	"github.com/agent-pipeline/pipeline/hooks/clients"
	"github.com/agent-pipeline/pipeline/hooks/guard"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// A commandEntry is one command of the program, and which forms of it only a person may
// run.
type commandEntry struct {
	name       string
	build      func(*program) *cli.Command
	personOnly form // the zero form: an agent may run all of them
}

// A form is a set of command lines of a command.
type form struct {
	name     string // what messages add to the command's name
	includes func(args []string) bool
}

// A commandGroup is what the help shows under one heading.
type commandGroup struct {
	name    string
	entries []commandEntry
}

// plumbing is the group of commands that clients and shells call. The first help leaves it out.
const plumbing = "For clients and shells"

// commandGroups lists all commands. What marks a command here is refused from an agent's
// shell by the guard (isPersonOnly) and under an agent's client by the program
// (requirePerson).
func commandGroups() []commandGroup {
	return []commandGroup{
		{"Set up", []commandEntry{
			{"init", newInitCommand, withWord("--replace", "--add-agents")},
			{"install", newInstallCommand, form{}},
			{"uninstall", newUninstallCommand, anyForm()},
			{"doctor", newDoctorCommand, withWord("--fix")},
			{"demo", newDemoCommand, form{}},
			{"version", newVersionCommand, form{}},
		}},
		{"Write and test a config", []commandEntry{
			{"check", newCheckCommand, form{}},
			{"config", newConfigCommand, form{}},
			{"graph", newGraphCommand, form{}},
			{"explain", newExplainCommand, form{}},
			{"test", newTestCommand, form{}},
			{"replay", newReplayCommand, form{}},
		}},
		{"See what happens", []commandEntry{
			{"status", newStatusCommand, form{}},
			{"session", newSessionCommand, withWord("clear")},
			{"log", newLogCommand, form{}},
			{"report", newReportCommand, form{}},
			{"audit", newAuditCommand, form{}},
			{"export", newExportCommand, withWord("--otlp")},
		}},
		{"Change what is enforced (for persons)", []commandEntry{
			{"mode", newModeCommand, unlessStatus()},
			{"bypass", newBypassCommand, unlessStatus()},
			{"once", newOnceCommand, anyForm()},
			{"reset", newResetCommand, anyForm()},
			{"approve", newApproveCommand, anyForm()},
			{"reject", newRejectCommand, anyForm()},
			{"dispute", newDisputeCommand, anyForm()},
		}},
		{"Plan and delegate", []commandEntry{
			{"tasks", newTasksCommand, form{}},
		}},
		{plumbing, []commandEntry{
			{"hook", newHookCommand, anyForm()},
			{"statusline", newStatuslineCommand, form{}},
			{"policy-helper", newPolicyHelperCommand, form{}},
			{"completion", newCompletionCommand, form{}},
		}},
	}
}

// replacements says what to use for each command that there was once. It is made when it is asked
// for: each hook call would pay for a table.
func replacements() map[string]string {
	return map[string]string{
		"gate":         "report --gate N",
		"prompt":       "config --questions",
		"readiness":    "report --readiness",
		"route":        `tasks route "TASK"`,
		"score":        `tasks score ["TASK"]`,
		"session show": "status SESSION",
		"verify":       "check",
		"watch":        "status --watch",
		"why":          "explain SESSION:N",
	}
}

// commandTable lists all commands.
func commandTable() []commandEntry {
	var all []commandEntry
	for _, g := range commandGroups() {
		all = append(all, g.entries...)
	}
	return all
}

func anyForm() form { return form{"", func([]string) bool { return true }} }

// withWord includes the lines that have one of some words or flags. An argument that is only
// known when the shell line runs may be one.
func withWord(words ...string) form {
	return form{" " + strings.Join(words, " or "), func(args []string) bool {
		return slices.ContainsFunc(args, func(arg string) bool {
			if name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "="); strings.HasPrefix(arg, "-") {
				arg = "--" + name
			}
			return arg == shell.Unknown || slices.Contains(words, arg)
		})
	}}
}

// unlessStatus includes all lines but those that only show: no argument, or `status`.
func unlessStatus() form {
	return form{"", func(args []string) bool {
		return len(args) > 0 && args[0] != "status" && slices.ContainsFunc(args, func(arg string) bool {
			return arg != "--json" && arg != "--help" && arg != "--session"
		})
	}}
}

// isPersonOnly reports whether only a person may run this form of a command.
func isPersonOnly(command string, args []string) bool {
	for _, e := range commandTable() {
		if e.name == command {
			return e.personOnly.includes != nil && e.personOnly.includes(args)
		}
	}
	return false
}

// buildCommands builds the commands of the table, with what all of them share.
func buildCommands(p *program) []*cli.Command {
	var out []*cli.Command
	for _, e := range commandTable() {
		c := e.build(p)
		c.Name = e.name
		prepareCommand(p, e, c, nil)
		out = append(out, c)
	}
	return out
}

// prepareCommand adds to a command and its subcommands what all of them share. above are
// the words between the entry's name and this command.
func prepareCommand(p *program, e commandEntry, c *cli.Command, above []string) {
	path := strings.Join(append([]string{"pipeline", e.name}, above...), " ")
	c.OnUsageError = wrongFlag(c, path)
	c.HideHelp = true // the program prints the help
	switch {
	case len(c.Subcommands) > 0:
		c.Action = needSubcommand(c, c.Action)
	case c.ArgsUsage == "":
		c.Action = refuseArguments(path, c.Action)
	}
	if e.personOnly.includes != nil && len(c.Subcommands) == 0 {
		c.Before = func(c *cli.Context) error { return requirePerson(p, e, above, c) }
	}
	for _, sub := range c.Subcommands {
		prepareCommand(p, e, sub, append(above[:len(above):len(above)], sub.Name))
	}
}

// refuseArguments runs a command that takes none.
func refuseArguments(path string, action cli.ActionFunc) cli.ActionFunc {
	return func(ctx *cli.Context) error {
		if ctx.Args().Present() {
			name := strings.TrimPrefix(path, "pipeline ")
			return hinted{usageError{name + " takes no arguments"}, "see " + path + " --help"}
		}
		return action(ctx)
	}
}

// needSubcommand runs a command without arguments by its action, if it has one. An
// argument would be a subcommand that does not exist.
func needSubcommand(c *cli.Command, action cli.ActionFunc) cli.ActionFunc {
	return func(ctx *cli.Context) error {
		if name := ctx.Args().First(); name != "" {
			return unknownCommand(ctx.App, []*cli.Command{c}, name)
		}
		if action != nil {
			return action(ctx)
		}
		var names []string
		for _, sub := range c.Subcommands {
			names = append(names, strings.TrimSpace(sub.Name+" "+sub.ArgsUsage))
		}
		return hinted{usageError{"missing subcommand: " + strings.Join(names, ", ")},
			"see pipeline " + c.Name + " --help"}
	}
}

// requirePerson refuses a person-only form of a command under an agent's client.
func requirePerson(p *program, e commandEntry, above []string, c *cli.Context) error {
	words := append(above[:len(above):len(above)], c.Args().Slice()...)
	for _, flag := range c.LocalFlagNames() {
		words = append(words, "--"+flag)
	}
	if e.personOnly.includes(words) {
		if err := p.refuseAgents(e.name + e.personOnly.name); err != nil {
			return err
		}
		return p.refuseUnattended(c, e.name)
	}
	return nil
}

// refuseUnattended refuses an order where no terminal controls this process, and notes it in the live sessions:
// what an agent has detached would give it in a person's name.
func (p *program) refuseUnattended(c *cli.Context, word string) error {
	if _, isOrder := guard.FindTyped(word); !isOrder || system.HasTerminal() {
		return nil
	}
	above := clients.Above()
	note := journal.Record{Event: fsm.Event{Time: time.Now().UTC(), Kind: journal.Order}, Rule: guard.RuleOrder,
		Verdict: fsm.Deny.String(), Reason: fmt.Sprintf("%s, which no terminal controls, given by %s, run by %s",
			word, userName(), strings.Join(above[:min(4, len(above))], " < "))}
	if o, err := p.openProject(c); err == nil {
		st := store(o, time.Second)
		live, _ := st.Live(time.Now().Add(-recently)) // it is refused all the same
		for _, item := range live {
			_ = st.Note(item.ID, note)
		}
	}
	return hinted{errors.New(word + " is for a person, and no terminal controls this process"),
		"run it in a terminal, or type it into the client as a prompt: /pipeline " + word + " …"}
}

// refuseAgents refuses a command that only a person may run when it runs under an agent client.
// An agent can detach a process altogether; what it may run in its shell is judged before.
func (p *program) refuseAgents(name string) error {
	if !clients.IsAbove(p.getenv) {
		return nil
	}
	text := name + " is for a person: run it in a terminal of your own, outside the agent client"
	if _, typed := guard.FindTyped(name); typed {
		text += ", or type it into the client as a prompt: /pipeline " + name + " …"
	}
	return errors.New(text)
}

// withoutAgentVariables is the environment without what an agent has set for a client that
// it started: an agent may not loosen the policy for that client either. names are the
// variables that may loosen it beside ours; hidden is called for each one that is left out.
func (p *program) withoutAgentVariables(names []string, hidden func(string)) func(string) string {
	get := p.getenv
	return func(name string) string {
		v := get(name)
		loosens := strings.HasPrefix(name, "PIPELINE_") && name != "PIPELINE_DEBUG" || slices.Contains(names, name)
		if v == "" || !loosens || !clients.IsCallerNested() {
			return v
		}
		hidden(name)
		return ""
	}
}
