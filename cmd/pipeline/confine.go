package main

import (
	"cmp"
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/config/system/filepath"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/claude"
	"github.com/agent-pipeline/pipeline/hooks/kernel"
	"github.com/agent-pipeline/pipeline/hooks/settings"
)

// runConfine runs a shell line for the client, confined as the hook has decided:
//
//	confine DIR LINE                   what the launcher calls; DIR holds our state
//	confine --try ENGINE LIMITS LINE   how kernel.FindCapability tries an engine
//
// It does not come back: the shell takes its place.
func runConfine(p *program, args []string) int {
	var err error
	switch {
	case len(args) > 3 && args[0] == "--try":
		err = kernel.Try(args[1], args[2], args[3], args[4:]...)
	case len(args) == 2:
		err = kernel.Shell{Dir: args[0], Session: p.getenv(claude.SessionVariable), Program: shellOf(p)}.Confine(args[1])
	default:
		p.fail("confine: expected DIR LINE; the client's launcher calls it")
		return 2
	}
	p.fail("this command was not run, because it could not be confined: " + err.Error() + " (see: pipeline doctor)")
	return 126
}

// shellOf is the shell that the client would have used: it says so.
func shellOf(p *program) string {
	return cmp.Or(p.getenv("CLAUDE_CODE_SHELL"), p.getenv("SHELL"), "/bin/sh")
}

// stateFolder holds all our state.
func (p *program) stateFolder() string { return filepath.Join(p.stateBase(), "pipeline") }

// launcherFile is what the client runs in place of its shell.
func (p *program) launcherFile() string { return filepath.Join(p.stateFolder(), "shell") }

// findKernel is what can hold the shell lines of the client that calls us; nil where it runs them
// without our launcher.
func (p *program) findKernel() *hooks.Kernel {
	if p.getenv(claude.PrefixVariable) != p.launcherFile() {
		return nil
	}
	return &hooks.Kernel{Dir: p.stateFolder(), Capability: kernel.ReadCapability(p.stateFolder())}
}

// writeLauncher writes what the client runs in place of its shell. Where this program has gone, lines
// run as ever, and that is said once.
func (p *program) writeLauncher(binary string) error {
	file := p.launcherFile()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return fmt.Errorf("write the launcher: %w", err)
	}
	script := "#!/bin/sh\n" +
		"# Runs the shell lines of an agent client, confined as pipeline has decided. Written by `pipeline install`.\n" +
		"dir=${0%/*}\n" +
		"[ -x " + quoteShell(binary) + " ] && exec " + quoteShell(binary) + " confine \"$dir\" \"$1\"\n" +
		"[ -e \"$dir/shell.missing\" ] || { echo 'pipeline: " + strings.ReplaceAll(binary, "'", "") +
		" is gone: commands are not confined' >&2; : > \"$dir/shell.missing\"; }\n" +
		"exec \"${CLAUDE_CODE_SHELL:-${SHELL:-/bin/sh}}\" -c \"$1\"\n"
	err := system.WriteFile(file, []byte(script))
	if err == nil {
		err = os.Chmod(file, 0o700)
	}
	if err != nil {
		return fmt.Errorf("write the launcher: %w", err)
	}
	return nil
}

func quoteShell(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// A launcherInstall is what an installation does with the program that runs shell lines, and what
// it found.
type launcherInstall struct {
	file  string // empty where none is registered
	kept  string // a person's own prefix, which stays
	found kernel.Capability
}

// planLauncher writes the launcher, and finds out what this machine can confine. Only a person's own
// settings name it: every command of a client fails that does not find it.
func (in installation) planLauncher(c *cli.Context, binary string) (l launcherInstall, err error) {
	if !in.host.Can().Has(hooks.Confines) || in.scope != "local" && in.scope != "user" || c.Bool("no-confine") {
		return l, nil
	}
	if l.found, err = kernel.FindCapability(binary, in.stateFolder()); err != nil || l.found.Engine == "" {
		return l, err
	}
	l.file = in.launcherFile()
	return l, in.writeLauncher(binary)
}

func (l *launcherInstall) applyTo(src []byte) (out []byte, err error) {
	if l.file == "" {
		return src, nil
	}
	out, l.kept, err = settings.InstallPrefix(src, l.file)
	return out, err
}

func (l *launcherInstall) report(in installation) {
	switch {
	case l.kept != "":
		in.sayf("the settings name another program for shell lines, which stays: %s; nothing is confined", l.kept)
	case l.file != "":
		in.printf("%s\n", describeKernel(l.found))
	case l.found.Why != "":
		in.sayf("%s", describeKernel(l.found))
	}
}

// describeKernel says in one line what a machine can confine.
func describeKernel(c kernel.Capability) string {
	switch {
	case c.Engine == "":
		return "kernel: nothing here confines commands (" + cmp.Or(c.Why, "this system has no engine") + ")"
	case c.Keeps:
		return "kernel: " + c.Engine + ": agents' commands cannot change pipeline's files, nor the project's before a plan"
	}
	return "kernel: " + c.Engine + ": agents' commands cannot change the project's files before a plan"
}
