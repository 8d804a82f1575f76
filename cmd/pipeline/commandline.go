package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/urfave/cli/v2"
)

// A commandLine is a command line taken apart. The library stops reading flags at the
// first argument, but people write `pipeline reset "reason" --to IDLE`.
type commandLine struct {
	path          []*command // the program, the command that is named, and its subcommand
	global, flags []string   // flags before the command, and after it
	args          []string
	help          bool
}

// rootCommand is the program as a command, with its commands below it.
func rootCommand(app *cli.App) *command {
	return &command{Name: app.Name, Usage: app.Usage, Description: app.Description, Flags: app.Flags,
		Subcommands: app.Commands}
}

// readCommandLine takes the arguments after the program's name apart. `help COMMAND` is
// another form of `COMMAND --help`.
func readCommandLine(app *cli.App, args []string) commandLine {
	l := commandLine{path: []*command{rootCommand(app)}}
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
			if at := slices.IndexFunc(subs, func(c *command) bool { return c.HasName(a) }); at >= 0 {
				l.path = append(l.path, subs[at])
			} else {
				l.args = append(l.args, a)
			}
		}
	}
	return l
}

func (l commandLine) last() *command { return l.path[len(l.path)-1] }

// words is the line as the library reads it: flags before arguments.
func (l commandLine) words() []string {
	return slices.Concat([]string{l.path[0].Name}, l.global, namesOf(l.path[1:]), l.flags, l.args)
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
			return usagef("%s was replaced by: pipeline %s", name, now)
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
func unknownCommand(above *command, name string) error {
	names := namesOf(above.Subcommands)
	if above.Name == "pipeline" {
		return hinted{usagef("unknown command %q", name), didYouMean(name, names, "pipeline --help")}
	}
	err := usagef("unknown subcommand of %s %q: expected %s", above.Name, name, strings.Join(names, ", "))
	return hinted{err, didYouMean(name, names, "pipeline "+above.Name+" --help")}
}

// wrongFlag adds to the library's error which flag may be meant.
func wrongFlag(c *command, path string) cli.OnUsageErrorFunc {
	return func(_ *cli.Context, err error, _ bool) error {
		name, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
		if !unknown {
			return hinted{usageError{err}, path + " --help"}
		}
		name = "--" + strings.TrimLeft(name, "-")
		var names []string
		for _, f := range c.Flags {
			names = append(names, "--"+f.Names()[0])
		}
		return hinted{usagef("flag provided but not defined: %s", name), didYouMean(name, names, path+" --help")}
	}
}

// didYouMean is the hint for a wrong word: the nearest one, or else where the right ones
// are listed.
func didYouMean(word string, among []string, see string) string {
	return cmp.Or(config.DidYouMean(word, among), "see "+see)
}

// A helpRow is a command or a flag and what it does. Without a text it is a heading.
type helpRow struct{ name, text string }

// printHelp prints the help of the last command of a path, which begins with the program. The man pages
// and docs/commands.md are made of it. A command's UsageText holds the examples: the line of usage is
// made from the rest.
func printHelp(w io.Writer, path []*command) {
	c, name, isProgram := path[len(path)-1], joinNames(path), len(path) == 1
	var commands []helpRow
	group := ""
	for _, sub := range c.Subcommands {
		if sub.Category == plumbing {
			continue
		}
		if sub.Category != group {
			group = sub.Category
			commands = append(commands, helpRow{name: group})
		}
		row := helpRow{sub.Name, sub.Usage}
		if !isProgram {
			row.name = strings.TrimSpace(sub.Name + " " + sub.ArgsUsage)
		}
		commands = append(commands, row)
	}
	synopsis := name
	if len(c.Flags) > 0 {
		synopsis += " [OPTIONS]"
	}
	if c.ArgsUsage != "" {
		synopsis += " " + c.ArgsUsage
	}
	if len(commands) > 0 {
		synopsis += " [COMMAND]"
	}
	last := "EXAMPLES:\n   " + strings.ReplaceAll(c.UsageText, "\n", "\n   ")
	if isProgram {
		synopsis = name + " [--config FILE] COMMAND [OPTIONS]"
		last = "EXIT CODES:\n   0 fine, 1 problems found, 2 wrong usage, 3 could not work"
	}
	title := strings.Join(foldWords(name+" - "+c.Usage, helpWidth-3), "\n   ")
	fmt.Fprintf(w, "NAME:\n   %s\n\nUSAGE:\n   %s\n", title, synopsis)
	text := c.Description
	if !isProgram && !strings.Contains(text, exitCodes) {
		text += "\n" + exitCodes + " 0 fine, 2 wrong usage, 3 could not work."
	}
	fmt.Fprintf(w, "\nDESCRIPTION:\n   %s\n", strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n   "))
	if len(commands) > 0 {
		fmt.Fprintf(w, "\nCOMMANDS:\n")
		printRows(w, commands)
	}
	fmt.Fprintf(w, "\nOPTIONS:\n")
	printRows(w, describeFlags(c.Flags))
	fmt.Fprintf(w, "\n%s\n", last)
}

// exitCodes is how a description says what they mean. One that does not has the usual ones.
const exitCodes = "Exit codes:"

// describeFlags lists the flags of a command, with the one that all have.
func describeFlags(flags []cli.Flag) (out []helpRow) {
	for _, f := range flags {
		name, text, _ := strings.Cut(f.String(), "\t")
		name, _, _ = strings.Cut(name, " [ ") // a flag that may be repeated stands there twice
		text, value, hasDefault := strings.Cut(text, " (default: ")
		if hasDefault && value != "false)" && value != "0)" {
			text += " (default: " + strings.ReplaceAll(value, `"`, "")
		}
		out = append(out, helpRow{name, text})
	}
	return append(out, helpRow{"--help, -h", "show this help"})
}

// helpWidth is how wide the texts of help are.
const helpWidth = 80

// printRows prints rows in two columns.
func printRows(w io.Writer, rows []helpRow) {
	width := 0
	for _, r := range rows {
		if r.text != "" {
			width = max(width, utf8.RuneCountInString(r.name))
		}
	}
	for _, r := range rows {
		if r.text == "" {
			fmt.Fprintf(w, "  %s\n", r.name)
			continue
		}
		for _, line := range foldWords(r.text, helpWidth-width-5) {
			fmt.Fprintln(w, strings.TrimRight("   "+padRight(r.name, width)+"  "+line, " "))
			r.name = ""
		}
	}
}

// foldWords breaks a text into lines of so many characters.
func foldWords(text string, width int) (lines []string) {
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && utf8.RuneCountInString(line+" "+word) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return append(lines, line)
}
