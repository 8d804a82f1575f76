package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/fsm/nearest"
)

// A commandLine is a command line taken apart. The library stops reading flags at the
// first argument, but people write `pipeline reset "reason" --to IDLE`.
type commandLine struct {
	path          []*cli.Command // the command that is named, and its subcommand
	global, flags []string       // flags before the command, and after it
	args          []string
	help, version bool
}

// readCommandLine takes the arguments after the program's name apart. `help COMMAND` is
// another form of `COMMAND --help`.
func readCommandLine(app *cli.App, args []string) commandLine {
	var l commandLine
	for i := 0; i < len(args); i++ {
		a := args[i]
		name, isFlag := flagName(a)
		switch {
		case a == "--":
			l.args = append(l.args, args[i:]...)
			i = len(args)
		case name == "help" || name == "h":
			l.help = true
		case isFlag:
			known, into := app.Flags, &l.global
			if len(l.path) > 0 {
				known, into = l.knownFlags(), &l.flags
			}
			l.version = l.version || name == "version"
			*into = append(*into, a)
			if awaitsValue(known, a) != nil && i+1 < len(args) {
				i++
				*into = append(*into, args[i])
			}
		case len(l.args) == 0 && !l.help && len(l.path) == 0 && a == "help":
			l.help = true
		case len(l.args) == 0 && l.descend(app, a):
		default:
			l.args = append(l.args, a)
		}
	}
	return l
}

// flagName is the name of a flag, without dashes and value.
func flagName(arg string) (string, bool) {
	if !strings.HasPrefix(arg, "-") || arg == "-" || arg == "--" {
		return "", false
	}
	name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	return name, true
}

// descend goes on to a command or subcommand of this name, if there is one.
func (l *commandLine) descend(app *cli.App, name string) bool {
	among := app.Commands
	if n := len(l.path); n > 0 {
		among = l.path[n-1].Subcommands
	}
	for _, c := range among {
		if c.HasName(name) {
			l.path = append(l.path, c)
			return true
		}
	}
	return false
}

// knownFlags are the flags of the command so far, and of its subcommands: a flag may
// stand before the subcommand that has it.
func (l *commandLine) knownFlags() []cli.Flag {
	c := l.path[len(l.path)-1]
	all := slices.Clone(c.Flags)
	for _, sub := range c.Subcommands {
		all = append(all, sub.Flags...)
	}
	return all
}

// awaitsValue returns the flag whose value is the argument after this one.
func awaitsValue(flags []cli.Flag, arg string) cli.DocGenerationFlag {
	name, _ := flagName(arg)
	for _, f := range flags {
		doc := f.(cli.DocGenerationFlag)
		if slices.Contains(f.Names(), name) && doc.TakesValue() && !strings.Contains(arg, "=") {
			return doc
		}
	}
	return nil
}

// words is the line as the library reads it: flags before arguments.
func (l commandLine) words() []string {
	out := append([]string{"pipeline"}, l.global...)
	for _, c := range l.path {
		out = append(out, c.Name)
	}
	return slices.Concat(out, l.flags, l.args)
}

// runLine runs a command line, or prints the help that it asks for.
func (p *program) runLine(app *cli.App, args []string) error {
	l := readCommandLine(app, args)
	if err := findReplacement(l); err != nil {
		return err
	}
	switch {
	case l.help && len(l.args) > 0 && (len(l.path) == 0 || len(l.path[len(l.path)-1].Subcommands) > 0):
		return unknownCommand(app, l.path, l.args[0])
	case l.help:
		describeCommand(app, l.path).print(p.out)
		return nil
	case l.version && len(l.path) == 0:
		l.global = slices.DeleteFunc(l.global, func(a string) bool { return strings.Contains(a, "version") })
		l.descend(app, "version")
	}
	return app.Run(l.words())
}

// findReplacement reports a command that there was once, with what to use now.
func findReplacement(l commandLine) error {
	if len(l.args) == 0 {
		return nil
	}
	var names []string
	for _, c := range l.path {
		names = append(names, c.Name)
	}
	name := strings.Join(append(names, l.args[0]), " ")
	if now := replacements()[name]; now != "" {
		return usageError{"pipeline " + name + " was replaced by: pipeline " + now}
	}
	return nil
}

// unknownCommand reports a command or subcommand that does not exist, with the one that
// may be meant.
func unknownCommand(app *cli.App, path []*cli.Command, name string) error {
	what, see, among := "command", "pipeline --help", app.Commands
	if len(path) > 0 {
		c := path[len(path)-1]
		what, see, among = "subcommand of "+c.Name, "pipeline "+c.Name+" --help", c.Subcommands
	}
	var names []string
	for _, c := range among {
		if !c.Hidden {
			names = append(names, c.Name)
		}
	}
	err := usageError{"unknown " + what + " " + quote(name)}
	if len(path) > 0 {
		err.what += ": expected " + strings.Join(names, ", ")
	}
	return hinted{err, didYouMean(name, names, see)}
}

// wrongFlag adds to the library's error which flag may be meant.
func wrongFlag(c *cli.Command, path string) cli.OnUsageErrorFunc {
	return func(_ *cli.Context, err error, _ bool) error {
		usage := usageError{err.Error()}
		name, unknown := strings.CutPrefix(usage.what, "flag provided but not defined: -")
		if !unknown {
			return hinted{usage, path + " --help"}
		}
		var names []string
		for _, f := range c.Flags {
			for _, n := range f.Names() {
				if len(n) > 1 {
					names = append(names, "--"+n)
				}
			}
		}
		usage.what = fmt.Sprintf("flag provided but not defined: --%s", strings.TrimLeft(name, "-"))
		return hinted{usage, didYouMean("--"+strings.TrimLeft(name, "-"), names, path+" --help")}
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
