package main

import (
	"cmp"
	"os"
	"strings"

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
		shell := kernel.Shell{Dir: args[0], Session: p.getenv(claude.SessionVariable), // and the client's own shell:
			Program: cmp.Or(p.getenv("CLAUDE_CODE_SHELL"), p.getenv("SHELL"), "/bin/sh")}
		err = shell.Confine(args[1])
	default:
		p.sayf("confine: expected DIR LINE; the client's launcher calls it")
		return 2
	}
	p.sayf("this command was not run, because it could not be confined: %v (see: pipeline doctor)", err)
	return 126
}

// renewKernel finds out again what this machine can confine, where a session starts on another system
// than it was found for: the home folder is shared, a container was made, bubblewrap was removed.
func (p *program) renewKernel(k *hooks.Kernel) error {
	if k.Dir == "" || k.IsCurrent() {
		return nil
	}
	self, err := os.Executable()
	if err == nil {
		k.Capability, err = kernel.FindCapability(self, k.Dir)
	}
	return err
}

// A launcherInstall is what an installation does with the program that runs shell lines, and what
// it found.
type launcherInstall struct {
	in    installation // whose file names the launcher; without a file none does
	kept  string       // a person's own prefix, which stays
	found kernel.Capability
}

// personal is the installation's file that only this person reads: every command of a client fails
// that does not find the program its settings name, so no file that a team shares names one.
func (in installation) personal() installation {
	if file, ok := in.host.Places().FindSettings("local"); ok && in.scope == "project" {
		in.file, in.scope = file, "local"
	}
	return in
}

func hasLauncher(file string) bool {
	body, err := os.ReadFile(file)
	return err == nil && settings.HasLauncher(body)
}

// planLauncher finds out what this machine can confine, and writes the launcher: what the client runs in
// place of its shell. Where this program has gone, lines run as ever, and that is said once.
func (in installation) planLauncher() (l launcherInstall, err error) {
	if !in.host.Can().Has(hooks.Confines) || in.Bool("no-confine") {
		return l, nil
	}
	self := findProgram()
	if l.found, err = kernel.FindCapability(self, in.stateFolder()); err != nil || l.found.Engine == "" {
		return l, err
	}
	l.in = in.personal()
	binary := settings.QuoteWord(cmp.Or(findOnPath(self), self))
	script := "#!/bin/sh\n" +
		"# Runs an agent client's shell lines, confined as pipeline decides. Written by `pipeline install`.\n" +
		"dir=${0%/*}\n" +
		"[ -x " + binary + " ] && exec " + binary + " confine \"$dir\" \"$1\"\n" +
		"[ -e \"$dir/shell.missing\" ] || { echo 'pipeline: " + strings.ReplaceAll(binary, "'", "") +
		" is gone: commands are not confined' >&2; : > \"$dir/shell.missing\"; }\n" +
		"exec \"${CLAUDE_CODE_SHELL:-${SHELL:-/bin/sh}}\" -c \"$1\"\n"
	return l, keepFile("write the launcher", in.launcherFile(), []byte(script), 0o700)
}

func (l *launcherInstall) applyTo(src []byte) (out []byte, err error) {
	out, l.kept, err = settings.InstallPrefix(src, l.in.launcherFile())
	return out, err
}
