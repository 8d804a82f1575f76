package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/hooks/claude"
	"github.com/agent-pipeline/pipeline/hooks/claude/settings"
)

func scopeFlag() cli.Flag {
	return &cli.StringFlag{Name: "scope", Value: "project",
		Usage: "user (~/.claude/settings.json), project (.claude/settings.json) or local (.claude/settings.local.json)"}
}

func newInstallCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:  "install",
		Usage: "register the hooks in the client's settings",
		Description: "Adds our entries to settings.json and changes nothing else in it; a second run changes nothing.\n" +
			"The old file is kept beside it. Exit codes: 0 fine, 2 wrong usage, 3 could not write.",
		Flags: []cli.Flag{scopeFlag(),
			&cli.BoolFlag{Name: "statusline", Usage: "also show state, agents, denials and more in the client's status line; one of your own is kept"},
			&cli.BoolFlag{Name: "replace-statusline", Usage: "the same, in the place of one of your own"}},
		Action: func(c *cli.Context) error { return runInstall(p, c) },
	}
}

func newUninstallCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:  "uninstall",
		Usage: "take the hooks out of the client's settings",
		Description: "Removes our entries from settings.json and changes nothing else in it. Only a person may run it.\n" +
			"Exit codes: 0 fine, 2 wrong usage, 3 could not write.",
		Flags:  []cli.Flag{scopeFlag()},
		Action: func(c *cli.Context) error { return runUninstall(p, c) },
	}
}

func runInstall(p *program, c *cli.Context) error {
	file, root, err := findSettings(p, c)
	if err != nil {
		return err
	}
	binary, err := registeredBinary(c.String("scope"))
	if err != nil {
		return err
	}
	ours := claude.Entries(binary, failsClosed(p, c))
	if err := rememberInstall(p, file, ours); err != nil {
		return err
	}
	line := planStatusLine(c, binary, findOtherLine(p, c.String("scope"), root))
	err = editSettings(p, file, "registered", "already registered", func(src []byte) ([]byte, bool, error) {
		out, _, err := settings.Install(src, ours)
		if err == nil {
			out, err = line.install(out)
		}
		return out, !bytes.Equal(src, out), err
	})
	line.said(p)
	if err != nil {
		return err
	}
	if err := heeded(file, ours); err != nil {
		return err
	}
	if err := placeCommandFile(p, file); err != nil {
		return err
	}
	if _, found, err := config.Find(p.world(root, c.String("config"))); err == nil && !found {
		p.hint("there is no config here yet: pipeline init")
		return nil
	}
	p.hint("start the client in %s; pipeline status shows what it does", root)
	return nil
}

func runUninstall(p *program, c *cli.Context) error {
	file, _, err := findSettings(p, c)
	if err != nil {
		return err
	}
	if err := rememberInstall(p, file, nil); err != nil {
		return err
	}
	if err := removeCommandFile(p, file); err != nil {
		return err
	}
	return editSettings(p, file, "taken out", "nothing of ours is there", settings.Uninstall)
}

// heeded reads back what was written, as the client will.
func heeded(file string, ours []settings.Entry) error {
	body, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read back %s: %w", file, err)
	}
	if why := settings.Blocks(body, ours); why != "" {
		return fmt.Errorf("%s: the hooks are registered and will not run: %s", file, why)
	}
	return nil
}

// editSettings changes a settings file and says whether it did.
func editSettings(p *program, file, done, nothing string, change func([]byte) ([]byte, bool, error)) error {
	var changed bool
	backup, err := settings.Apply(file, func(src []byte) (out []byte, err error) {
		out, changed, err = change(src)
		return out, err
	})
	switch {
	case err != nil:
		return err
	case !changed:
		p.printf("%s: %s\n", file, nothing)
	case backup == "":
		p.printf("%s: %s\n", file, done)
	default:
		p.printf("%s: %s (before: %s)\n", file, done, backup)
	}
	return nil
}

// findSettings is the file of a scope, and the project it belongs to.
func findSettings(p *program, c *cli.Context) (file, root string, err error) {
	if c.Args().Present() {
		return "", "", usageError{c.Command.Name + " takes no arguments"}
	}
	w, err := p.here(c)
	if err != nil {
		return "", "", err
	}
	root = w.Dir
	if proj, found, err := config.Find(w); err == nil && found {
		root = proj.Root
	}
	file, err = settingsOf(p, c.String("scope"), root)
	return file, root, err
}

func settingsOf(p *program, scope, root string) (string, error) {
	switch scope {
	case "user":
		return filepath.Join(p.clientConfig(), "settings.json"), nil
	case "project":
		return filepath.Join(root, ".claude", "settings.json"), nil
	case "local":
		return filepath.Join(root, ".claude", "settings.local.json"), nil
	}
	return "", usageError{fmt.Sprintf("no scope %s: expected user, project or local", quote(scope))}
}

// registeredBinary is how the settings name us: by our absolute path, so that PATH cannot put another in our place. In a file that
// teammates share it is the bare name, if that is us.
func registeredBinary(scope string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find the pipeline binary: %w", err)
	}
	if scope != "project" {
		return self, nil
	}
	onPath, err := exec.LookPath("pipeline")
	if err != nil {
		return self, nil
	}
	a, errA := os.Stat(onPath)
	b, errB := os.Stat(self)
	if errA == nil && errB == nil && os.SameFile(a, b) {
		return "pipeline", nil
	}
	return self, nil
}

// failsClosed reports whether the config wants calls refused when pipeline fails.
func failsClosed(p *program, c *cli.Context) bool {
	w, err := p.here(c)
	if err != nil {
		return false
	}
	o, err := config.Open(w)
	return err == nil && o.Policy != nil && o.Policy.FailClosed
}
