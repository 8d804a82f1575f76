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

func newDoctorCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:  "doctor",
		Usage: "find out whether the policy is really enforced, and say what to do where it is not",
		Description: "Looks at everything between the client and the policy, and runs the registered commands as the client does, with a\n" +
			"call that must be refused. --fix registers the hooks anew in the files that have them, and takes others' rights to our\n" +
			"state away; only a person may run that. Exit codes: 0 fine, 1 problems found, 2 wrong usage, 3 could not work.",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "fix", Usage: "do what is safe to do, then look again"},
			&cli.BoolFlag{Name: "json", Usage: "print the findings as JSON"}},
		Action: func(c *cli.Context) error { return runDoctor(p, c) },
	}
}

// A consultation is what doctor found and did, for --json.
type consultation struct {
	Findings []doctor.Finding `json:"findings"`
	Fixed    []string         `json:"fixed,omitempty"`
}

func runDoctor(p *program, c *cli.Context) error {
	if c.Args().Present() || c.String("config") != "" {
		return usageError{"doctor takes no arguments and no --config: it looks at what the hooks will find"}
	}
	site, err := describeSite(p, c)
	if err != nil {
		return err
	}
	out := consultation{Findings: doctor.Examine(site)}
	if c.Bool("fix") {
		if out.Fixed, err = doctor.Mend(out.Findings); err != nil {
			p.fail(err.Error()) // what is still broken is found again
		}
		if site, err = describeSite(p, c); err != nil { // it may have changed
			return err
		}
		out.Findings = doctor.Examine(site)
	}
	return reportDiagnosis(p, c, out)
}

func reportDiagnosis(p *program, c *cli.Context, out consultation) error {
	if c.Bool("json") {
		if err := p.json(out); err != nil {
			return err
		}
	} else {
		printDiagnosis(p, out)
	}
	if doctor.Problems(out.Findings) > 0 {
		return errProblems
	}
	return nil
}

func printDiagnosis(p *program, out consultation) {
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
	switch n := doctor.Problems(out.Findings); n {
	case 0:
		p.printf("no problems\n")
	case 1:
		p.printf("1 problem\n")
	default:
		p.printf("%d problems\n", n)
	}
}

// describeSite is the installation as the hooks of this project will find it: in the environment that the client gives them.
func describeSite(p *program, c *cli.Context) (doctor.Site, error) {
	w, err := p.here(c)
	if err != nil {
		return doctor.Site{}, err
	}
	self, err := os.Executable()
	if err != nil {
		return doctor.Site{}, fmt.Errorf("find the pipeline binary: %w", err)
	}
	o, _ := openOrVanished(w) // what is wrong with it is told below
	root := projectRoot(w, o)
	environ := doctor.Environ(root, p.clientConfig(), os.Environ())
	hook := *p
	hook.getenv = doctor.Getenv(environ)
	o, openErr := openOrVanished(hook.world(w.Dir, ""))
	return doctor.Site{Root: root, Client: p.clientConfig(), Transcripts: filepath.Join(p.clientConfig(), "projects", munged(root)), State: filepath.Dir(installsFile(&hook)), Self: self, Version: version,
		Opened: o, OpenErr: openErr, Store: store(o, 0), Wants: p.wants, Shell: os.Environ(), Environ: environ, Now: time.Now(), Patience: 10 * time.Second,
		Register: func(scope string) (string, error) { return registerHooks(p, root, scope, o) }}, nil
}

// openOrVanished is what a hook call finds.
func openOrVanished(w config.World) (config.Opened, error) {
	o, err := config.Open(w)
	if err == nil && o.None {
		if gone, was := openVanished(w); was {
			return gone, nil
		}
	}
	return o, err
}

func projectRoot(w config.World, o config.Opened) string {
	if o.None || o.Project.Root == "" {
		return w.Dir
	}
	return o.Project.Root
}

// registerHooks installs anew into the settings file of a scope. A file that the client does not read is left alone.
func registerHooks(p *program, root, scope string, o config.Opened) (string, error) {
	var said bytes.Buffer
	quiet := *p
	quiet.out = &said
	file, err := settingsOf(&quiet, scope, root)
	if err != nil {
		return "", err
	}
	if body, err := os.ReadFile(file); err == nil && settings.Ignored(body) != "" {
		return "", fmt.Errorf("%s: the client does not read it: %s", file, settings.Ignored(body))
	}
	binary, err := registeredBinary(scope)
	if err != nil {
		return "", err
	}
	ours := claude.Entries(binary, o.Policy != nil && o.Policy.FailClosed)
	if err := rememberInstall(&quiet, file, ours); err != nil {
		return "", err
	}
	err = editSettings(&quiet, file, "registered anew", "already registered", func(src []byte) ([]byte, bool, error) { return settings.Install(src, ours) })
	if err == nil {
		err = placeCommandFile(&quiet, file)
	}
	return strings.TrimSpace(said.String()), err
}
