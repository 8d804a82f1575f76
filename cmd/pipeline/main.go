//go:debug containermaxprocs=0

// Pipeline makes an AI coding agent keep to a pipeline of agents. The agent's client
// calls it at every event.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	_ "github.com/agent-pipeline/pipeline/cmd/pipeline/internal/stack" // before other packages initialize
	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/copilot"
)

func main() { os.Exit(run(os.Args, os.Stdin, os.Stdout, os.Stderr)) }

// A program is one run of pipeline.
type program struct{ console }

// run returns the exit code.
func run(args []string, in io.Reader, out, errs io.Writer) int {
	p := &program{console{in: in, out: out, err: errs, getenv: os.Getenv}}
	isAsked := slices.Contains(args, "--help") || slices.Contains(args, "-h") || slices.Contains(args, askCompletion)
	if len(args) > 1 && !isAsked { // the hot path: the parser is not built
		switch args[1] {
		case "hook":
			return runHook(p, args[2:])
		case "statusline":
			return runStatusline(p, args[2:], "") // run after each message
		case "confine":
			return runConfine(p, args[2:])
		}
	}
	if len(args) == 1 && copilot.IsBareHook(os.Getenv) {
		return 0 // the help would be taken for an answer
	}
	debug.SetGCPercent(400) // a million records leave much garbage, and little that stays
	p.out, p.err = newPrinter(out), newPrinter(errs)
	if _, err := os.Getwd(); err != nil {
		return p.exitCode(fmt.Errorf("find the working directory: %w", err))
	}
	return p.exitCode(p.runLine(p.app(), args[min(1, len(args)):]))
}

func (p *program) app() *cli.App {
	app := &cli.App{
		Name:  "pipeline",
		Usage: "Make an AI coding agent keep to a pipeline of agents",
		Description: "Begin with: pipeline init, then pipeline install, then start the client.\n" +
			"`pipeline help COMMAND` describes a command.",
		Flags: flags{
			textFlag("config", "use this `FILE` instead of those that are found"),
			boolFlag("version", "print the version")},
		Reader:               p.in,
		Writer:               p.out,
		ErrWriter:            p.err,
		EnableBashCompletion: true,
		HideVersion:          true,
		HideHelp:             true,                         // the program prints the help
		ExitErrHandler:       func(*cli.Context, error) {}, // run returns the exit code
	}
	for _, e := range commandTable() {
		c := e.build(p)
		c.Name, c.Category = e.name, e.group
		prepareCommand(p, e, &c)
		app.Commands = append(app.Commands, &c)
	}
	app.OnUsageError = wrongFlag(&command{Flags: app.Flags}, "pipeline")
	app.Action = func(c *cli.Context) error {
		switch root := rootCommand(app); {
		case c.Args().Present():
			return unknownCommand(root, c.Args().First())
		case c.Bool("version"):
			return printVersion(invocation{p, c})
		default:
			printHelp(p.out, []*command{root})
			return nil
		}
	}
	return app
}

// errProblems ends a command that has printed the problems it found.
var errProblems = errors.New("problems found")

// A usageError is a wrong command line.
type usageError struct{ error }

func usagef(format string, a ...any) error { return usageError{fmt.Errorf(format, a...)} }

// A hinted error has a command that fixes it.
type hinted struct {
	error
	hint string
}

func (h hinted) Unwrap() error { return h.error }

// exitCode reports an error, and returns the code for it.
func (p *program) exitCode(err error) int {
	var usage usageError
	var override hooks.OverrideError
	var withHint hinted
	if errors.As(err, &withHint) {
		defer p.hint("%s", withHint.hint)
	}
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errProblems):
		return 1
	case errors.Is(err, errStopped):
		p.printf("%v\n", err)
		return 0
	}
	p.report(err)
	if errors.As(err, &usage) || errors.As(err, &override) {
		return 2
	}
	return 3
}

// A command is one of the program, with its flags and its subcommands.
type command = cli.Command

// flags are what a command takes.
type flags = []cli.Flag

// jsonFlag asks for a result that programs read.
func jsonFlag() cli.Flag { return boolFlag("json", "print the result as JSON") }

func boolFlag(name, usage string, aliases ...string) cli.Flag {
	return &cli.BoolFlag{Name: name, Usage: usage, Aliases: aliases}
}

func textFlag(name, usage string) cli.Flag { return valueFlag(name, "", usage) }

// valueFlag is a textFlag with a value where none is given.
func valueFlag(name, value, usage string) cli.Flag {
	return &cli.StringFlag{Name: name, Value: value, Usage: usage}
}

// listFlag may be repeated.
func listFlag(name, usage string) cli.Flag { return &cli.StringSliceFlag{Name: name, Usage: usage} }

func numberFlag(name, usage string) cli.Flag { return &cli.IntFlag{Name: name, Usage: usage} }

// An invocation is a command line that is carried out.
type invocation struct {
	*program
	*cli.Context
}

// action makes what the library runs of a command's function.
func (p *program) action(run func(invocation) error) cli.ActionFunc {
	return func(c *cli.Context) error { return run(invocation{p, c}) }
}

// inProject makes it of a function that needs the project's pipeline.
func (p *program) inProject(run func(invocation, opened) error) cli.ActionFunc {
	return p.action(func(c invocation) error {
		o, err := c.openProject()
		if err != nil {
			return err
		}
		return run(c, o)
	})
}

// checkWord refuses a word that is none of those that are expected.
func checkWord(what, word string, among ...string) error {
	if slices.Contains(among, word) {
		return nil
	}
	return usagef("%s %q: expected %s", what, word, config.JoinOr(among))
}

// expectOneOf is the error for a word that is none of a longer list.
func expectOneOf(what, word string, among []string) error {
	return usagef("%s %q: expected one of %s", what, word, strings.Join(among, ", "))
}

// failIf ends a command that has worked, and has found what must be fixed.
func failIf(found bool, err error) error {
	if err == nil && found {
		return errProblems
	}
	return err
}

// joinWords is a text that may be given with or without quotes around it.
func joinWords(words []string) string { return strings.Trim(strings.Join(words, " "), `"' `) }

// version is set by the linker: -ldflags "-X main.version=1.2.3".
var version string

// findVersion is the version that the linker was given, else that of the module, which go
// install knows: "dev" where neither is known.
func findVersion() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "dev"
	}
	return strings.TrimPrefix(info.Main.Version, "v")
}

// A versionDoc is the document of `version --json`.
type versionDoc struct {
	Version  string `json:"version"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func newVersionCommand(p *program) command {
	return command{
		Usage:     "Print the version",
		UsageText: "pipeline version --json",
		Flags:     flags{jsonFlag()},
		Action:    p.action(printVersion),
	}
}

func printVersion(c invocation) error {
	d := versionDoc{findVersion(), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
	return c.printResult(d, func() { c.printf("pipeline %s (%s, %s)\n", d.Version, d.Go, d.Platform) })
}
