package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/fsm/nearest"
)

// A commandLine is a command line taken apart. The library stops reading flags at the
// first argument, but people write `pipeline reset "reason" --to IDLE`.
type commandLine struct {
	path          []*cli.Command // the program, the command that is named, and its subcommand
	global, flags []string       // flags before the command, and after it
	args          []string
	help          bool
}

// rootCommand is the program as a command, with its commands below it.
func rootCommand(app *cli.App) *cli.Command {
	return &cli.Command{Name: app.Name, Usage: app.Usage, Description: app.Description, Flags: app.Flags,
		Subcommands: app.Commands}
}

// readCommandLine takes the arguments after the program's name apart. `help COMMAND` is
// another form of `COMMAND --help`.
func readCommandLine(app *cli.App, args []string) commandLine {
	l := commandLine{path: []*cli.Command{rootCommand(app)}}
	for i := 0; i < len(args); i++ {
		a := args[i]
		isFlag := strings.HasPrefix(a, "-") && a != "-"
		name, _, hasValue := strings.Cut(strings.TrimLeft(a, "-"), "=")
		switch {
		case a == "--":
			l.args = append(l.args, args[i:]...)
			i = len(args)
		case isFlag && (name == "help" || name == "h"):
			l.help = true
		case isFlag:
			known, into := app.Flags, &l.global
			if len(l.path) > 1 {
				known, into = slices.Clone(l.last().Flags), &l.flags
				for _, sub := range l.last().Subcommands { // a flag may stand before the subcommand that has it
					known = append(known, sub.Flags...)
				}
			}
			*into = append(*into, a)
			awaitsValue := slices.ContainsFunc(known, func(f cli.Flag) bool {
				return slices.Contains(f.Names(), name) && f.(cli.DocGenerationFlag).TakesValue()
			})
			if awaitsValue && !hasValue && i+1 < len(args) {
				i++
				*into = append(*into, args[i])
			}
		case len(l.args) > 0:
			l.args = append(l.args, a)
		case len(l.path) == 1 && !l.help && a == "help":
			l.help = true
		default:
			subs := l.last().Subcommands
			if at := slices.IndexFunc(subs, func(c *cli.Command) bool { return c.HasName(a) }); at >= 0 {
				l.path = append(l.path, subs[at])
			} else {
				l.args = append(l.args, a)
			}
		}
	}
	return l
}

func (l commandLine) last() *cli.Command { return l.path[len(l.path)-1] }

// words is the line as the library reads it: flags before arguments.
func (l commandLine) words() []string {
	return slices.Concat([]string{l.path[0].Name}, l.global, strings.Fields(joinNames(l.path[1:])), l.flags, l.args)
}

// runLine runs a command line, or prints the help that it asks for.
func (p *program) runLine(app *cli.App, args []string) error {
	if len(args) > 0 && args[len(args)-1] == askCompletion {
		return app.Run(append([]string{app.Name}, args...))
	}
	l := readCommandLine(app, args)
	if len(l.args) > 0 {
		name := joinNames(l.path) + " " + l.args[0]
		if now := replacements()[strings.TrimPrefix(name, "pipeline ")]; now != "" {
			return usageError{name + " was replaced by: pipeline " + now}
		}
	}
	switch {
	case l.help && len(l.args) > 0 && len(l.last().Subcommands) > 0:
		return unknownCommand(l.last(), l.args[0])
	case l.help:
		printHelp(p.out, l.path)
		return nil
	}
	return app.Run(l.words())
}

// unknownCommand reports a command or subcommand that does not exist, with the one that
// may be meant.
func unknownCommand(above *cli.Command, name string) error {
	var names []string
	for _, c := range above.Subcommands {
		if !c.Hidden {
			names = append(names, c.Name)
		}
	}
	if above.Name == "pipeline" {
		return hinted{usageError{"unknown command " + quote(name)}, didYouMean(name, names, "pipeline --help")}
	}
	what := "unknown subcommand of " + above.Name + " " + quote(name) + ": expected " + strings.Join(names, ", ")
	return hinted{usageError{what}, didYouMean(name, names, "pipeline "+above.Name+" --help")}
}

// wrongFlag adds to the library's error which flag may be meant.
func wrongFlag(c *cli.Command, path string) cli.OnUsageErrorFunc {
	return func(_ *cli.Context, err error, _ bool) error {
		name, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
		if !unknown {
			return hinted{usageError{err.Error()}, path + " --help"}
		}
		name = "--" + strings.TrimLeft(name, "-")
		var names []string
		for _, f := range c.Flags {
			names = append(names, "--"+f.Names()[0])
		}
		return hinted{usageError{"flag provided but not defined: " + name}, didYouMean(name, names, path+" --help")}
	}
}

// didYouMean is the hint for a wrong word: the nearest one, or else where the right ones
// are listed.
func didYouMean(word string, among []string, see string) string {
	if meant := nearest.Find(word, among); meant != "" {
		return "did you mean " + meant + "?"
	}
	return "see " + see
}
