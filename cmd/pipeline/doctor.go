package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/cmd/pipeline/internal/doctor"
	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/hooks/claude"
	"github.com/agent-pipeline/pipeline/hooks/claude/settings"
)

func (p *program) doctorCommand() *cli.Command {
	return command(cli.Command{
		Name:  "doctor",
		Usage: "find out whether the policy is really enforced, and say what to do where it is not",
		Description: "Looks at everything between the client and the policy, and runs the registered commands as the client does, with a\n" +
			"call that must be refused. --fix registers the hooks again in the files that have them, and closes our state to\n" +
			"others; only a person may run that. Exit codes: 0 fine, 1 problems found, 2 wrong usage, 3 could not work.",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "fix", Usage: "do what is safe to do, then look again"},
			&cli.BoolFlag{Name: "json", Usage: "print the findings as JSON"}},
		Action: p.doctor,
	})
}

// A consultation is what doctor found and did, for --json.
type consultation struct {
	Findings []doctor.Finding `json:"findings"`
	Fixed    []string         `json:"fixed,omitempty"`
}

func (p *program) doctor(c *cli.Context) error {
	if c.Args().Present() || c.String("config") != "" {
		return usageError{"doctor takes no arguments and no --config: it looks at what the hooks will find"}
	}
	if c.Bool("fix") {
		if err := p.person("doctor --fix"); err != nil {
			return err
		}
	}
	site, err := p.site(c)
	if err != nil {
		return err
	}
	out := consultation{Findings: doctor.Examine(site)}
	if c.Bool("fix") {
		if out.Fixed, err = doctor.Fix(out.Findings); err != nil {
			p.fail(err.Error()) // what is still broken is reported below
		}
		if site, err = p.site(c); err != nil { // it may have changed
			return err
		}
		out.Findings = doctor.Examine(site)
	}
	return p.consult(c, out)
}

func (p *program) consult(c *cli.Context, out consultation) error {
	if c.Bool("json") {
		if err := p.json(out); err != nil {
			return err
		}
	} else {
		p.printFindings(out)
	}
	if doctor.CountProblems(out.Findings) > 0 {
		return errProblems
	}
	return nil
}

func (p *program) printFindings(out consultation) {
	for _, what := range out.Fixed {
		p.printf("fixed: %s\n", what)
	}
	for _, f := range out.Findings {
		word := map[doctor.Status]string{doctor.OK: "ok", doctor.Warning: "warn", doctor.Problem: "FAIL"}[f.Status]
		p.printf("%-4s  %-12s  %s\n", word, f.Check, f.What)
		if f.Remedy != "" {
			p.printf("%20shint: %s\n", "", f.Remedy)
		}
	}
	switch n := doctor.CountProblems(out.Findings); n {
	case 0:
		p.printf("no problems\n")
	case 1:
		p.printf("1 problem\n")
	default:
		p.printf("%d problems\n", n)
	}
}

// site is the installation as the hooks of this project will find it: in the environment that the client gives them.
func (p *program) site(c *cli.Context) (doctor.Site, error) {
	w, err := p.here(c)
	if err != nil {
		return doctor.Site{}, err
	}
	self, err := os.Executable()
	if err != nil {
		return doctor.Site{}, fmt.Errorf("find the pipeline binary: %w", err)
	}
	o, _ := openedOrGone(w) // what is wrong with it is told below
	root := rootOf(w, o)
	environ := doctor.Environ(root, p.clientConfig(), os.Environ())
	hook := *p
	hook.getenv = doctor.Getenv(environ)
	o, openErr := openedOrGone(hook.world(w.Dir, ""))
	return doctor.Site{Root: root, Client: p.clientConfig(), Transcripts: filepath.Join(p.clientConfig(), "projects", munged(root)), State: filepath.Dir(hook.installsFile()), Self: self, Version: version,
		Opened: o, OpenErr: openErr, Store: store(o, 0), Wants: p.wants, Shell: os.Environ(), Environ: environ, Now: time.Now(), Patience: 10 * time.Second,
		Register: func(scope string) (string, error) { return p.register(root, scope, o) }}, nil
}

// openedOrGone is what a hook call finds.
func openedOrGone(w config.World) (config.Opened, error) {
	o, err := config.Open(w)
	if err == nil && o.None {
		if gone, was := vanished(w); was {
			return gone, nil
		}
	}
	return o, err
}

func rootOf(w config.World, o config.Opened) string {
	if o.None || o.Project.Root == "" {
		return w.Dir
	}
	return o.Project.Root
}

// register installs again into the settings file of a scope. A file that the client does not read is left alone.
func (p *program) register(root, scope string, o config.Opened) (string, error) {
	var said bytes.Buffer
	quiet := *p
	quiet.out = &said
	file, err := quiet.scopeFile(scope, root)
	if err != nil {
		return "", err
	}
	if body, err := os.ReadFile(file); err == nil && settings.Ignored(body) != "" {
		return "", fmt.Errorf("%s: the client does not read it: %s", file, settings.Ignored(body))
	}
	binary, err := quiet.binary(scope)
	if err != nil {
		return "", err
	}
	ours := claude.Entries(binary, o.Policy != nil && o.Policy.FailClosed)
	if err := quiet.remember(file, ours); err != nil {
		return "", err
	}
	err = quiet.edit(file, "registered again", "already registered", func(src []byte) ([]byte, bool, error) { return settings.Install(src, ours) })
	if err == nil {
		err = quiet.placeOrders(file)
	}
	return strings.TrimSpace(said.String()), err
}
