package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/fsm/shell"
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

// commandTable lists all commands. What marks a command here is refused from an agent's
// shell by the guard (isPersonOnly) and under an agent's client by the program
// (requirePerson).
func commandTable() []commandEntry {
	return []commandEntry{
		{"init", newInitCommand, withWord("--force")},
		{"install", newInstallCommand, form{}},
		{"uninstall", newUninstallCommand, anyForm()},
		{"check", newCheckCommand, form{}},
		{"doctor", newDoctorCommand, withWord("--fix")},
		{"verify", newVerifyCommand, form{}},
		{"config", newConfigCommand, form{}},
		{"status", newStatusCommand, form{}},
		{"session", newSessionCommand, withWord("clear")},
		{"graph", newGraphCommand, form{}},
		{"explain", (*program).explainCommand, form{}},
		{"test", (*program).testCommand, form{}},
		{"replay", (*program).replayCommand, form{}},
		{"readiness", newReadinessCommand, form{}},
		{"log", newLogCommand, form{}},
		{"audit", newAuditCommand, form{}},
		{"dispute", newDisputeCommand, anyForm()},
		{"tasks", newTasksCommand, form{}},
		{"score", newScoreCommand, form{}},
		{"route", newRouteCommand, form{}},
		{"prompt", newPromptCommand, form{}},
		{"report", newReportCommand, form{}},
		{"gate", newGateCommand, form{}},
		{"reset", newResetCommand, anyForm()},
		{"mode", newModeCommand, unlessStatus()},
		{"bypass", newBypassCommand, unlessStatus()},
		{"once", newOnceCommand, anyForm()},
		{"demo", newDemoCommand, form{}},
		{"statusline", newStatuslineCommand, form{}},
		{"hook", newHookCommand, anyForm()},
		{"version", newVersionCommand, form{}},
	}
}

func anyForm() form { return form{"", func([]string) bool { return true }} }

// withWord includes the lines that have a word or a flag. An argument that is only
// known when the shell line runs may be that word.
func withWord(word string) form {
	return form{" " + word, func(args []string) bool {
		return slices.ContainsFunc(args, func(arg string) bool {
			if name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "="); strings.HasPrefix(arg, "-") {
				arg = "--" + name
			}
			return arg == shell.Unknown || arg == word
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
		c.OnUsageError = func(_ *cli.Context, err error, _ bool) error { return usageError{err.Error()} }
		c.HideHelpCommand = true
		if e.personOnly.includes != nil {
			c.Before = func(c *cli.Context) error { return requirePerson(p, e, c) }
		}
		out = append(out, c)
	}
	return out
}

// requirePerson refuses a person-only form of a command under an agent's client.
func requirePerson(p *program, e commandEntry, c *cli.Context) error {
	words := c.Args().Slice()
	for _, flag := range c.LocalFlagNames() {
		words = append(words, "--"+flag)
	}
	if e.personOnly.includes(words) {
		return p.person(e.name + e.personOnly.name)
	}
	return nil
}
