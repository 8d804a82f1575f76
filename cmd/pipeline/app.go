package main

import (
	"errors"
	"io"
	"os"

	"github.com/urfave/cli/v2"
)

// version is set by the linker: -ldflags "-X main.version=1.2.3".
var version = "dev"

// A program is one run of pipeline: everything that it takes from outside.
type program struct {
	in       io.Reader
	out, err io.Writer
	getenv   func(string) string
}

// run is main without the process: it returns the exit code.
func run(args []string, in io.Reader, out, errs io.Writer) int {
	p := &program{in, out, errs, os.Getenv}
	if len(args) > 1 && args[1] == "hook" && !asksHelp(args[2:]) {
		return p.hook(args[2:]) // the hot path: the command line parser is not even built
	}
	if len(args) > 1 && args[1] == "statusline" && !asksHelp(args[2:]) {
		return p.statusline(args[2:], "") // run after each message
	}
	app := p.app()
	return p.exit(app.Run(flagsFirst(app, args)))
}

func asksHelp(args []string) bool {
	for _, a := range args {
		if a == "--help" || a == "-h" {
			return true
		}
	}
	return false
}

// commands is the table of contents.
func (p *program) commands() []*cli.Command {
	return []*cli.Command{
		p.initCommand(),
		p.installCommand(),
		p.uninstallCommand(),
		p.checkCommand(),
		p.doctorCommand(),
		p.verifyCommand(),
		p.configCommand(),
		p.statusCommand(),
		p.sessionCommand(),
		p.graphCommand(),
		p.explainCommand(),
		p.testCommand(),
		p.replayCommand(),
		p.readinessCommand(),
		p.logCommand(),
		p.auditCommand(),
		p.disputeCommand(),
		p.tasksCommand(),
		p.scoreCommand(),
		p.routeCommand(),
		p.promptCommand(),
		p.reportCommand(),
		p.gateCommand(),
		p.resetCommand(),
		p.modeCommand(),
		p.bypassCommand(),
		p.onceCommand(),
		p.demoCommand(),
		p.statuslineCommand(),
		p.hookCommand(),
		p.versionCommand(),
	}
}

func (p *program) app() *cli.App {
	return &cli.App{
		Name:            "pipeline",
		Usage:           "make an AI coding agent keep to a pipeline of agents",
		Description:     "Begin with: pipeline init, then pipeline install, then start the client.",
		Commands:        p.commands(),
		Flags:           []cli.Flag{&cli.StringFlag{Name: "config", Usage: "use this `FILE` instead of the ones that are found"}},
		Reader:          p.in,
		Writer:          p.out,
		ErrWriter:       p.err,
		HideVersion:     true,
		HideHelpCommand: true,
		ExitErrHandler:  func(*cli.Context, error) {}, // the exit code is main's to give
		OnUsageError:    func(_ *cli.Context, err error, _ bool) error { return usageError{err.Error()} },
		Action:          p.noCommand,
		CustomAppHelpTemplate: cli.AppHelpTemplate + `
EXIT CODES:
   0 fine, 1 problems found, 2 wrong usage, 3 could not work
`,
	}
}

func (p *program) noCommand(c *cli.Context) error {
	if name := c.Args().First(); name != "" {
		return usageError{"unknown command " + quote(name) + ": see pipeline --help"}
	}
	return cli.ShowAppHelp(c)
}

// command fills in what all commands share.
func command(c cli.Command) *cli.Command {
	c.OnUsageError = func(_ *cli.Context, err error, _ bool) error { return usageError{err.Error()} }
	c.HideHelpCommand = true
	return &c
}

// errProblems ends a command that has found and printed problems.
var errProblems = errors.New("problems found")

// A usageError is a command line that we cannot make sense of.
type usageError struct{ what string }

func (e usageError) Error() string { return e.what }

// A hinted error has a command that mends it.
type hinted struct {
	error
	hint string
}

// exit says what went wrong, and returns the code for it.
func (p *program) exit(err error) int {
	var usage usageError
	var mend hinted
	if errors.As(err, &mend) {
		defer p.hint("%s", mend.hint)
	}
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errProblems):
		return 1
	case errors.As(err, &usage):
		p.fail(usage.what)
		return 2
	}
	p.fail(err.Error())
	return 3
}
