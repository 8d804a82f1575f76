package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/configs"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/settings"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

func scopeFlag() cli.Flag {
	return textFlag("scope", "the settings of `SCOPE`: user, project (which a team shares), local or managed (for\n"+
		"everybody on this machine); for claude ~/.claude/settings.json, .claude/settings.json,\n"+
		".claude/settings.local.json, /etc/claude-code/managed-settings.json")
}

// hostFlag names the client whose settings or hooks are meant.
func hostFlag(usage string) cli.Flag {
	return valueFlag("host", "claude", usage+": "+strings.Join(hostNames(), ", "))
}

func newInstallCommand(p *program) command {
	return command{
		Usage: "Register the hooks in the client's settings",
		Description: `It adds our entries to the client's settings and changes nothing else in
them; a second run changes nothing. What the file was is kept with our state,
for uninstall. Without --scope, Claude Code's is local: your own settings of
this project; the other clients' is user. The file of the scope project is
shared by a team and names no path of yours: it runs what PATH finds, and
confines nothing.

In your own settings it also names a launcher, through which the client runs
agents' shell lines: the kernel then refuses what a state forbids them to
write. --no-confine leaves it out.

The scope managed needs root, and a pipeline that only root can replace. The
client's managed settings then have our hooks: a call is blocked when they
fail, and no other hooks run. They deny what the organisation's policy
(/etc/pipeline/pipeline.yaml) locks and refuses in every state. Nothing that
a project or a person sets switches that off. With --helper the client asks
pipeline policy-helper for them at each start, and does not start under a
broken policy.
Exit codes: 0 fine, 1 registered, but no config can be used, 2 wrong usage, 3
could not write.`,
		UsageText: `pipeline install
pipeline install --scope local --statusline
pipeline install --host codex
pipeline install --scope managed --helper`,
		Flags: flags{hostFlag("the `CLIENT` whose settings get the hooks"), scopeFlag(),
			boolFlag("no-confine", "leave agents' shell lines to the client alone: nothing confines them"),
			boolFlag("helper", "with --scope managed: the client asks for the settings at each start"),
			boolFlag("statusline", "also show the session in the status line; keeps one of your own"),
			boolFlag("replace-statusline", "show it, also in place of one of your own")},
		Action: p.action(func(c invocation) error { return runInstall(c, c.String("host")) }),
	}
}

func newUninstallCommand(p *program) command {
	return command{
		Usage: "Remove the hooks from the client's settings",
		Description: `It removes our entries from the client's settings. A file that was not
changed since the installation is as it was, byte for byte; in another
nothing else changes. Only a person may run it.`,
		UsageText: `pipeline uninstall --scope user
pipeline uninstall --host codex`,
		Flags:  flags{hostFlag("the `CLIENT` whose settings lose the hooks"), scopeFlag()},
		Action: p.action(runUninstall),
	}
}

// An installation is a settings file of a client, in which hooks are registered.
type installation struct {
	invocation
	host  hooks.Installer
	scope string
	file  string
	root  string // of the project
}

func runInstall(c invocation, host string) error {
	in, err := findInstallation(c, host)
	if err != nil {
		return err
	}
	switch {
	case in.scope == settings.ScopeManaged:
		return in.installManaged()
	case c.Bool("helper"):
		return usagef("--helper is for --scope managed")
	}
	binary, err := registeredBinary(in.scope)
	if err != nil {
		return err
	}
	o, openErr := config.Open(c.here())
	ours := in.host.Entries(binary, openErr == nil && o.Policy != nil && o.Policy.FailClosed)
	editLine, reportLine, err := in.editStatusLine(binary)
	if err != nil {
		return err
	}
	launcher, err := in.planLauncher()
	if err != nil {
		return err
	}
	more := []settings.Edit{editLine}
	if launcher.in.file == in.file {
		more = append(more, launcher.applyTo)
	}
	err = in.register("registered", "already registered", ours, more...)
	if own := launcher.in; err == nil && own.file != in.file && own.file != "" { // the hooks are in a shared file
		err = own.editSettings("the launcher of shell lines", "already names the launcher", launcher.applyTo)
	}
	if err != nil {
		return err
	}
	reportLine()
	switch file := launcher.in.file; {
	case launcher.kept != "":
		c.sayf("%s names another program for shell lines, which stays: %s; nothing is confined", file, launcher.kept)
	case file != "":
		c.printf("%s\n", launcher.found.Describe(o.Confines()))
	}
	if err := in.checkHooksRun(ours); err != nil {
		return err
	}
	for _, what := range in.host.After(in.file) {
		c.sayf("%s", what)
	}
	return in.reportEnforcement(o, openErr)
}

// reportEnforcement says what the hooks that were registered will enforce. It fails where
// that is nothing and a config says otherwise.
func (in installation) reportEnforcement(o config.Opened, err error) error {
	switch {
	case err == nil && o.None:
		in.sayf("there is no config here yet: the hooks will enforce nothing")
		in.hint("pipeline init")
		return nil
	case o.Policy == nil:
		if err == nil {
			err = fmt.Errorf("the config has %s", visible.Count(len(o.Problems), "problem"))
		}
		in.sayf("%v: the hooks are registered and will enforce nothing until that is fixed", err)
		in.hint("pipeline check")
		return errProblems
	case err != nil || len(o.Problems) > 0:
		in.sayf("the config cannot be used as it is: the hooks will enforce the last one without problems")
		in.hint("pipeline check")
		return nil
	case o.Policy.Level <= fsm.Observe && o.Policy.Activate.Level <= o.Policy.Level:
		in.sayf("the level is %s: the hooks will enforce nothing", o.Policy.Level)
	}
	in.hint("start the client in %s; pipeline status shows what it does", in.root)
	return nil
}

func runUninstall(c invocation) error {
	in, err := findInstallation(c, c.String("host"))
	if err != nil {
		return err
	}
	if in.scope == settings.ScopeManaged {
		if _, err := os.Stat(in.file); err == nil {
			if err := in.openManagedFolder("uninstall"); err != nil {
				return err
			}
		}
		err := in.editSettings("removed", "there are no hooks of ours")
		if err == nil {
			_ = os.Remove(helperFile(in.file)) // nothing names it any more
			_ = os.Remove(filepath.Dir(in.file))
		}
		return err
	}
	_, missing := os.Stat(in.file)
	if err := in.register("removed", "there are no hooks of ours", nil); err != nil {
		return err
	}
	for dir := filepath.Dir(in.file); missing == nil && dir != in.root; dir = filepath.Dir(dir) { // .copilot/hooks too
		name := filepath.Base(dir)
		info, err := os.Lstat(dir) // a link is a person's
		if err != nil || !info.IsDir() || name != "hooks" && name[0] != '.' || os.Remove(dir) != nil {
			break
		}
	}
	if own := in.personal(); own.file != in.file && hasLauncher(own.file) {
		return own.editSettings("the launcher is removed", "")
	}
	return nil
}

// checkHooksRun reads the settings again, as the client will.
func (in installation) checkHooksRun(ours []hooks.Entry) error {
	body, err := os.ReadFile(in.file)
	if err != nil {
		return fmt.Errorf("read back %s: %w", in.file, err)
	}
	if why := in.host.Blocks(body, ours); why != "" {
		return fmt.Errorf("%s: the hooks are registered and will not run: %s", in.file, why)
	}
	return nil
}

// putHooks has our hooks be these in a settings file, and no others.
func (in installation) putHooks(ours []hooks.Entry) settings.Edit {
	return func(src []byte) ([]byte, error) {
		out, _, err := in.host.Edit(src, ours)
		return out, err
	}
}

// register has our hooks be these in the settings file, remembers that, and writes the command file or, without
// hooks, removes it.
func (in installation) register(done, nothing string, ours []hooks.Entry, more ...settings.Edit) error {
	all, err := in.readInstalls()
	if err != nil {
		all = map[string][]hooks.Entry{} // damaged: start over with this installation
		in.sayf("%v: it is written again", err)
	}
	key := realPath(in.file)
	delete(all, key)
	if len(ours) > 0 {
		all[key] = ours
	}
	body, _ := json.MarshalIndent(all, "", "  ") // strings can always be encoded
	if err := keepFile("remember the installation", in.installsFile(), body, 0o600); err != nil {
		return err
	}
	var text []byte
	var edits []settings.Edit
	if len(ours) > 0 {
		text, _ = configs.Command("pipeline")
		edits = append([]settings.Edit{in.putHooks(ours)}, more...)
	}
	if err := in.editSettings(done, nothing, edits...); err != nil {
		return err
	}
	return in.setCommandFile(text)
}

// editSettings changes the settings file, or takes out what is ours where there are no edits, and prints
// whether it did.
func (in installation) editSettings(done, nothing string, edits ...settings.Edit) error {
	file := settings.File{Path: in.file, State: in.stateFolder(), Strip: in.putHooks(nil)}
	if in.scope == settings.ScopeManaged {
		file.Strip = settings.UninstallManaged
	}
	kept, changed, err := file.Edit(edits...)
	switch {
	case err != nil:
		return err
	case !changed:
		in.printf("%s: %s\n", showPath(in.file), nothing)
	case kept == "":
		in.printf("%s: %s\n", showPath(in.file), done)
	default:
		in.printf("%s: %s (backup: %s)\n", showPath(in.file), done, showPath(kept))
	}
	return nil
}

// findInstallation finds the settings file of a client that the flags mean: without a scope the client's usual one.
func findInstallation(c invocation, host string) (in installation, err error) {
	w := c.here()
	root := w.Dir
	if proj, found, err := config.Find(w); err == nil && found {
		root = proj.Root
	}
	if err := checkHost(host); err != nil {
		return in, err
	}
	h := makeHost(host, "", c.surroundings(config.Opened{Project: config.Project{Root: root}}))
	places, scope := h.Places(), c.String("scope")
	if file, ok := places.FindSettings("project"); ok && scope == "" {
		body, err := os.ReadFile(file)
		if _, ours, editErr := h.Edit(body, nil); err == nil && editErr == nil && ours {
			scope = "project" // where a team has our hooks: each call would else be judged twice
		}
	}
	scope = cmp.Or(scope, places.Default)
	if file, ok := places.FindSettings(scope); ok {
		return installation{invocation: c, host: h, scope: scope, file: file, root: root}, nil
	}
	var names []string
	for _, s := range places.Settings {
		names = append(names, s.Scope)
	}
	return in, checkWord("no scope", scope, names...)
}

// registeredBinary is how the settings name us: by our absolute path, so that PATH
// cannot replace us. In a file that teammates share it is the bare name.
func registeredBinary(scope string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find the pipeline binary: %w", err)
	}
	for _, cache := range []string{"/_npx/", "/go-build"} {
		if strings.Contains(filepath.ToSlash(self), cache) {
			return "", hinted{fmt.Errorf("%s lies in a cache that is emptied: the hooks would stop working", self),
				"npm install --global @agent-pipeline/pipeline && pipeline install"}
		}
	}
	onPath := findOnPath(self)
	switch {
	case scope != "project":
		return cmp.Or(onPath, self), nil
	case onPath == "":
		return "", hinted{errors.New("the project's settings name pipeline by its name alone, for all teammates, " +
			"and PATH does not find this program"), "pipeline install --scope local"}
	}
	return settings.Bare, nil
}

// findOnPath is the path by which PATH finds this program, "" if it finds none or another
// one. Unlike the program's own path it may be a link that an upgrade keeps.
func findOnPath(self string) string {
	onPath, err := exec.LookPath(settings.Bare)
	if err != nil {
		return ""
	}
	a, errA := os.Stat(onPath)
	b, errB := os.Stat(self)
	if errA != nil || errB != nil || !os.SameFile(a, b) {
		return ""
	}
	return onPath
}

// What a person has installed is remembered outside the settings files. If it is
// missing there later, and neither install nor uninstall removed it, something else
// did.

func (p *program) installsFile() string { return p.stateFolder() + "/installs.json" }

func (p *program) readInstalls() (map[string][]hooks.Entry, error) {
	out := map[string][]hooks.Entry{}
	body, err := os.ReadFile(p.installsFile())
	if err == nil {
		err = json.Unmarshal(body, &out)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read %s: %w", p.installsFile(), err)
	}
	return out, nil
}

// keepFile writes a file of ours, and makes its folder, which is for this user alone.
func keepFile(what, path string, body []byte, mode os.FileMode) error {
	err := system.MakeFile(path, body)
	if err == nil {
		err = os.Chmod(path, mode)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// readInstalled returns what a person has installed in a settings file.
func (p *program) readInstalled(file string) []hooks.Entry {
	all, _ := p.readInstalls() // none where they cannot be read
	return all[realPath(file)]
}

func realPath(file string) string {
	dir, err := system.EvalSymlinks(system.Dir(file))
	if err != nil {
		return system.Clean(file)
	}
	return system.Join(dir, filepath.Base(file))
}

// Without a command file the client takes /pipeline for an unknown command, and fires
// nothing (by experiment, 2.1.197 and 2.1.329). install writes one, and uninstall
// removes it if it is still ours.

// setCommandFile writes the command file, or removes it where there is no text, unless it is another's.
func (in installation) setCommandFile(text []byte) error {
	if !in.host.Can().Has(hooks.Ordered) {
		return nil // it has none
	}
	path := in.host.Places().CommandFile(system.Dir(in.file), "pipeline")
	old, err := os.ReadFile(path)
	isOurs := bytes.Contains(old, []byte("disable-model-invocation: true")) && // of whatever version
		bytes.Contains(old, []byte("pipeline doctor"))
	switch {
	case text == nil && !isOurs, err == nil && bytes.Equal(old, text):
		return nil
	case text == nil:
		if err := os.Remove(path); err != nil {
			return fmt.Errorf("remove %s: %w", path, err)
		}
		_ = os.Remove(system.Dir(path)) // if nothing else is in it
		in.printf("%s: removed\n", showPath(path))
		return nil
	case err == nil && !isOurs:
		in.sayf("%s is not ours and stays: commands typed as /pipeline may not reach pipeline", path)
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("read %s: %w", path, err)
	}
	if err := shareFile(path, text, 0); err != nil {
		return err
	}
	in.printf("%s: the command /pipeline, for you to type\n", showPath(path))
	return nil
}

// hasStatusLine reports whether a client's status line can show the session.
func hasStatusLine(h hooks.Host) bool { return h.Name() == "claude" }

// editStatusLine returns the edit that adds our status line where the flags ask for it, and updates ours where it is,
// and what then reports that ours was added, or names a person's own and how to replace it.
func (in installation) editStatusLine(binary string) (settings.Edit, func(), error) {
	replace, has := in.Bool("replace-statusline"), hasStatusLine(in.host)
	add := replace || in.Bool("statusline")
	if add && !has {
		return nil, nil, usagef("%s has no status line that pipeline could fill", in.host.Name())
	}
	var hidden, where string                      // a person's in another file, which ours would hide
	for _, s := range in.host.Places().Settings { // of which the client shows one: local's, project's, then user's
		body, err := os.ReadFile(s.Path)
		if err != nil || s.Scope == in.scope {
			continue // none, or none that the client could read
		}
		if what, ours, err := settings.StatusLine(body); err == nil && what != "" && !ours {
			hidden, where = what, s.Path
		}
	}
	var kept, replaced string // a person's in this file
	added := false
	edit := func(src []byte) ([]byte, error) {
		if !has {
			return src, nil
		}
		what, ours, err := settings.StatusLine(src)
		if err != nil || !ours && (!add || hidden != "" && !replace) {
			return src, err
		}
		out, own, err := settings.InstallStatusLine(src, binary, replace)
		if kept = own; !ours && kept == "" {
			replaced = what
		}
		added = err == nil && !bytes.Equal(src, out)
		return out, err
	}
	return edit, func() {
		if added {
			in.printf("%s: the status line, with the session's state and level\n", showPath(in.file))
		}
		switch {
		case replaced != "":
			in.sayf("your own status line was replaced: %s", visible.Shorten(replaced, 200))
			return
		case !add || replace || kept == "" && hidden == "":
			return
		case kept != "":
			in.sayf("there is a status line of your own, which was kept: %s", visible.Shorten(kept, 200))
		default:
			in.sayf("%s has a status line of your own, which ours would hide: %s", where, visible.Shorten(hidden, 200))
		}
		in.hint("pipeline install --scope %s --replace-statusline", in.scope)
	}, nil
}
