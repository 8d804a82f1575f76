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

// A commandEntry is one command of the program, and which of its command lines only a person may give: none, those
// that have a word or flag, anyLine or linesThatChange.
type commandEntry struct {
	group      string // the heading under which the help shows it
	name       string
	build      func(*program) command
	personOnly string
}

const (
	anyLine         = "any"
	linesThatChange = "no status" // all but those that only show: no argument, or `status`
)

// plumbing is the group of commands that clients and shells call. The first help leaves it out.
const plumbing = "For clients and shells"

// commandTable lists all commands. What marks a command here is refused from an agent's
// shell by the guard (isPersonOnly) and under an agent's client by the program
// (requirePerson).
func commandTable() []commandEntry {
	const setUp, write, see = "Set up", "Write and test a config", "See what happens"
	const change, plan = "Change what is enforced (for persons)", "Plan and delegate"
	return []commandEntry{
		{setUp, "init", newInitCommand, "--replace"},
		{setUp, "install", newInstallCommand, ""},
		{setUp, "uninstall", newUninstallCommand, anyLine},
		{setUp, "doctor", newDoctorCommand, ""},
		{setUp, "demo", newDemoCommand, ""},
		{setUp, "version", newVersionCommand, ""},
		{write, "check", newCheckCommand, ""},
		{write, "config", newConfigCommand, ""},
		{write, "graph", newGraphCommand, ""},
		{write, "explain", newExplainCommand, ""},
		{write, "test", newTestCommand, ""},
		{write, "replay", newReplayCommand, ""},
		{see, "status", newStatusCommand, ""},
		{see, "session", newSessionCommand, "clear"},
		{see, "log", newLogCommand, ""},
		{see, "report", newReportCommand, ""},
		{see, "audit", newAuditCommand, ""},
		{see, "export", newExportCommand, "--otlp"},
		{change, "mode", newModeCommand, linesThatChange},
		{change, "bypass", newBypassCommand, linesThatChange},
		{change, "once", newOnceCommand, anyLine},
		{change, "reset", newResetCommand, anyLine},
		{change, "approve", newApproveCommand, anyLine},
		{change, "reject", newRejectCommand, anyLine},
		{change, "dispute", newDisputeCommand, anyLine},
		{plan, "tasks", newTasksCommand, ""},
		{plumbing, "hook", newHookCommand, anyLine},
		{plumbing, "statusline", newStatuslineCommand, ""},
		{plumbing, "policy-helper", newPolicyHelperCommand, ""},
		{plumbing, "completion", newCompletionCommand, ""},
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

// isPersonOnly reports whether only a person may give a line of this command. An argument that is only known when the
// shell line runs may be the word.
func (e commandEntry) isPersonOnly(args []string) bool {
	switch e.personOnly {
	case "", anyLine:
		return e.personOnly == anyLine
	case linesThatChange:
		return len(args) > 0 && args[0] != "status" && slices.ContainsFunc(args, func(arg string) bool {
			return arg != "--json" && arg != "--help" && arg != "--session"
		})
	}
	return slices.ContainsFunc(args, func(arg string) bool {
		if name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "="); strings.HasPrefix(arg, "-") {
			arg = "--" + name
		}
		return arg == shell.Unknown || arg == e.personOnly
	})
}

// isPersonOnly reports whether only a person may run this form of a command.
func isPersonOnly(command string, args []string) bool {
	return slices.ContainsFunc(commandTable(), func(e commandEntry) bool {
		return e.name == command && e.isPersonOnly(args)
	})
}

// prepareCommand adds to a command and its subcommands what all of them share. The path ends in the
// command, and does not begin with the program.
func prepareCommand(p *program, e commandEntry, path ...*command) {
	c, name, action := path[len(path)-1], joinNames(path), path[len(path)-1].Action
	c.OnUsageError = wrongFlag(c, "pipeline "+name)
	c.HideHelp = true // the program prints the help
	see := "see pipeline " + name + " --help"
	switch {
	case len(c.Subcommands) > 0: // an argument would be one that does not exist
		c.Action = func(ctx *cli.Context) error {
			switch {
			case ctx.Args().Present():
				return unknownCommand(c, ctx.Args().First())
			case action != nil:
				return action(ctx)
			}
			var names []string
			for _, sub := range c.Subcommands {
				names = append(names, strings.TrimSpace(sub.Name+" "+sub.ArgsUsage))
			}
			return hinted{usagef("missing subcommand: %s", strings.Join(names, ", ")), see}
		}
	case c.ArgsUsage == "":
		c.Action = func(ctx *cli.Context) error {
			if ctx.Args().Present() {
				return hinted{usagef("%s takes no arguments", name), see}
			}
			return action(ctx)
		}
	}
	if e.personOnly != "" && len(c.Subcommands) == 0 {
		c.Before = func(c *cli.Context) error { return requirePerson(invocation{p, c}, e, path[1:]) }
	}
	for _, sub := range c.Subcommands {
		prepareCommand(p, e, append(slices.Clone(path), sub)...)
	}
}

func namesOf(commands []*command) (names []string) {
	for _, c := range commands {
		names = append(names, c.Name)
	}
	return names
}

// joinNames is how the commands of a path are written.
func joinNames(path []*command) string { return strings.Join(namesOf(path), " ") }

// requirePerson refuses a person-only form of a command under an agent's client. below are its subcommands.
// An agent can detach a process altogether; what it may run in its shell is judged before. Where no terminal controls
// this process, an order is noted in the live sessions: it would be given in a person's name.
func requirePerson(c invocation, e commandEntry, below []*command) error {
	words := append(namesOf(below), c.Args().Slice()...)
	for _, flag := range c.LocalFlagNames() {
		words = append(words, "--"+flag)
	}
	if !e.isPersonOnly(words) {
		return nil
	}
	name := e.name
	if e.personOnly != anyLine && e.personOnly != linesThatChange {
		name += " " + e.personOnly
	}
	isOrder := guard.IsTyped(e.name)
	switch {
	case clients.IsAbove(c.getenv):
		text := name + " is for a person: run it in a terminal of your own, outside the agent client"
		if guard.IsTyped(name) {
			text += ", or type it into the client as a prompt: /pipeline " + name + " …"
		}
		return errors.New(text)
	case !isOrder || system.HasTerminal():
		return nil
	}
	above := clients.Above()
	note := journal.Record{Event: fsm.Event{Time: time.Now().UTC(), Kind: journal.Order}, Rule: guard.RuleOrder,
		Verdict: fsm.Deny.String(), Reason: fmt.Sprintf("%s, which no terminal controls, given by %s, run by %s",
			e.name, userName(), strings.Join(above[:min(4, len(above))], " < "))}
	if o, err := c.openProject(); err == nil {
		live, _ := o.live() // it is refused all the same
		for _, item := range live {
			_ = o.store.Note(item.ID, note)
		}
	}
	return hinted{errors.New(e.name + " is for a person, and no terminal controls this process"),
		"run it in a terminal, or type it into the client as a prompt: /pipeline " + e.name + " …"}
}
