package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"

	"github.com/agent-pipeline/pipeline/cmd/pipeline/internal/doctor"
	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/verify"
	"github.com/agent-pipeline/pipeline/hooks/claude"
	"github.com/agent-pipeline/pipeline/hooks/clients"
	"github.com/agent-pipeline/pipeline/hooks/settings"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

func newPolicyHelperCommand(p *program) command {
	return command{
		Usage: "Print the managed settings of the client, for the client",
		Description: `Claude Code calls it where pipeline install --scope managed --helper was run.
It prints the managed settings: what else is in their file, our hooks, and
what the organisation's policy (/etc/pipeline/pipeline.yaml) locks and always
refuses. If that policy is broken, it fails with the reason, and the client
does not start.
Exit codes: 0 fine, 1 the policy or the file is broken, 2 wrong usage.`,
		UsageText: "pipeline policy-helper",
		Action:    p.action(runPolicyHelper),
	}
}

// runPolicyHelper prints the settings in the file, as install would write them now, without the
// helper: its answer counts in place of the file.
func runPolicyHelper(c invocation) error {
	file := claude.ManagedFile(runtime.GOOS)
	src, err := os.ReadFile(file)
	client := c.getenv("CLAUDE_CODE_VERSION")
	v, ok := clients.ParseVersion(client)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		err = fmt.Errorf("read the managed settings: %w", err)
	// 2.1.197 runs no hooks under --bare, not even managed ones, 2.1.330 does, in between it was not tried.
	case c.getenv("CLAUDE_CODE_SIMPLE") == "1" && (!ok || v.Before(clients.Version{2, 1, 330})):
		err = fmt.Errorf("with --bare Claude Code %s runs no hooks, not even managed ones: start it without, "+
			"or update it", client)
	default:
		var want settings.ManagedInstall
		if want, _, err = c.planManaged(); err != nil {
			break
		}
		if src, err = editManaged(src, want); err != nil {
			err = fmt.Errorf("edit %s: %w", file, err)
		}
	}
	if err != nil {
		c.report(err)
		return errProblems
	}
	return c.printJSON(map[string]json.RawMessage{"managedSettings": src})
}

// editManaged makes of managed settings what they are to be. It fails where our hooks would not run then.
func editManaged(src []byte, want settings.ManagedInstall) ([]byte, error) {
	out, err := settings.InstallManaged(src, want)
	if err != nil {
		return nil, err
	}
	if why := (settings.Format{}).Blocks(out, want.Hooks); why != "" {
		return nil, errors.New("our hooks would not run: " + why)
	}
	return out, nil
}

// planManaged is what managed settings are to say: the hooks, which block a call when we
// fail, and what the organisation's policy always refuses.
func (p *program) planManaged() (want settings.ManagedInstall, policy *fsm.Policy, err error) {
	self, err := os.Executable()
	if err == nil {
		self, err = system.EvalSymlinks(self)
	}
	if err != nil {
		return want, nil, fmt.Errorf("find the pipeline binary: %w", err)
	}
	if err := checkWay(self, false); err != nil {
		return want, nil, hinted{err,
			"install it where only root can write, such as /usr/local/bin, then run it from there"}
	}
	if err := settings.CheckDropIns(claude.ManagedFile(runtime.GOOS)); err != nil {
		return want, nil, err
	}
	want.Hooks = claude.Host{}.Entries(self, true)
	policy, locked, err := p.compileShared()
	if err != nil {
		return want, nil, fmt.Errorf("the organisation's policy: %w", err)
	}
	if policy != nil {
		refused := verify.FindRefused(policy, locked)
		for _, name := range refused.Agents {
			want.Deny = append(want.Deny, "Agent("+name+")")
		}
		want.Deny = append(want.Deny, refused.Tools...)
	}
	return want, policy, nil
}

// compileShared reads the organisation's policy alone; nil where there is none. No
// variable and no file of a person counts: those that it binds could change them.
func (p *program) compileShared() (policy *fsm.Policy, locked []string, err error) {
	w := config.World{Dir: system.Dir(system.SharedConfig), System: system.SharedConfig, Version: version}
	o, err := compileConfig(w)
	switch {
	case errors.Is(err, errNoConfig):
		return nil, nil, nil
	case err != nil:
		return nil, nil, err
	case len(o.Problems) > 0:
		p.printProblems(o.Problems)
		return nil, nil, fmt.Errorf("%s has %s", o.Project.Org, visible.Count(len(o.Problems), "problem"))
	}
	return o.Policy, o.Config.Locked, checkWay(o.Project.Org, true)
}

// checkWay refuses a file that somebody other than root can replace, at each folder on the way to it. One for
// everybody must be one that everybody can read.
func checkWay(path string, isForAll bool) error {
	at, err := system.EvalSymlinks(path)
	if err != nil {
		return fmt.Errorf("look at %s: %w", path, err)
	}
	for ; ; at = system.Dir(at) {
		info, err := os.Stat(at)
		if err != nil {
			return fmt.Errorf("look at %s: %w", at, err)
		}
		bits := fs.FileMode(0o004)
		if info.IsDir() {
			bits = 0o001
		}
		switch {
		case !system.IsRootsAlone(info):
			return fmt.Errorf("%s can be changed by others than root, and with it what is enforced", at)
		case isForAll && runtime.GOOS != "windows" && info.Mode().Perm()&bits == 0:
			return hinted{fmt.Errorf("%s cannot be read by everybody, and the policy binds everybody", at),
				"chmod o+rX " + at}
		case at == system.Dir(at):
			return nil
		}
	}
}

// helperFile is the program that the settings name, beside the settings: it gets
// no arguments.
func helperFile(settingsFile string) string {
	return system.Join(system.Dir(settingsFile), "pipeline-policy-helper")
}

// installManaged writes the settings of the machine's administrator: all of it, or nothing.
func (in installation) installManaged() error {
	if slices.ContainsFunc([]string{"statusline", "replace-statusline"}, in.Bool) {
		return usagef("managed settings have no status line of ours: it is each person's own")
	}
	if in.Bool("helper") && runtime.GOOS == "windows" {
		return usagef("on Windows name a program of yours as policyHelper that calls pipeline policy-helper")
	}
	if err := in.openManagedFolder("install"); err != nil {
		return err
	}
	defer os.Remove(system.Dir(in.file)) // if nothing was written
	want, policy, err := in.planManaged()
	if err != nil {
		return err
	}
	helper := helperFile(in.file)
	if in.Bool("helper") {
		want.Helper = helper
	}
	at := in.file
	if _, err := os.Stat(at); err != nil { // then where it is to be
		at = system.Dir(at)
	}
	if err := checkWay(at, false); err != nil {
		return err
	}
	before, unread := os.ReadFile(helper)
	if want.Helper != "" {
		script := "#!/bin/sh\nexec " + settings.QuoteWord(want.Hooks[0].Command) + " policy-helper\n"
		if err := keepFile("write the helper", helper, []byte(script), 0o755); err != nil {
			return err
		}
	}
	err = in.editSettings("registered for everybody on this machine", "already registered",
		func(src []byte) ([]byte, error) { return editManaged(src, want) })
	if err != nil {
		err = fmt.Errorf("nothing was written: %w", err)
	}
	switch isLeft := err != nil && want.Helper != ""; {
	case isLeft && unread == nil: // the settings are as they were, and so is the helper
		err = errors.Join(err, keepFile("restore the helper", helper, before, 0o755))
	case isLeft, err == nil && want.Helper == "": // nothing names it
		_ = os.Remove(helper)
	}
	if err == nil {
		err = os.Chmod(in.file, 0o644) // every client reads it, whatever root's mask
	}
	if err != nil {
		return err
	}
	in.printf("hooks of other files do not run; %s for permissions.deny\n", visible.Count(len(want.Deny), "rule"))
	if want.Helper != "" {
		in.printf("each start of a client asks %s for the settings\n", helper)
	}
	if err := in.checkHooksRun(want.Hooks); err != nil {
		return err
	}
	if what, next := config.DescribeOpen(policy); what != "" {
		in.sayf("%s", what)
		in.hint("%s", next)
	}
	in.hint("pipeline doctor, in a project, as one who works there")
	return nil
}

// openManagedFolder makes the folder, and tries whether we may write there.
func (in installation) openManagedFolder(command string) error {
	dir := system.Dir(in.file)
	err := os.MkdirAll(dir, 0o755)
	if err == nil {
		err = doctor.TryWriting(dir)
	}
	if err != nil {
		return hinted{fmt.Errorf("the managed settings are root's, and nothing was written: %w", err),
			"sudo pipeline " + command + " --scope " + settings.ScopeManaged}
	}
	return nil
}
