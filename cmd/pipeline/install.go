package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/natefinch/atomic"
	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/configs"
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
			out, err = line.applyTo(out)
		}
		return out, !bytes.Equal(src, out), err
	})
	line.reportKept(p)
	if err != nil {
		return err
	}
	if err := checkHooksRun(file, ours); err != nil {
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

// checkHooksRun reads back what was written, as the client will.
func checkHooksRun(file string, ours []settings.Entry) error {
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

// What a person has installed is remembered outside the settings files, so that a change of theirs which takes our
// hooks away can be told from one that a person made with install or uninstall.

func installsFile(p *program) string {
	return filepath.Join(p.base("XDG_STATE_HOME", ".local/state"), "pipeline", "installs.json")
}

func readInstalls(p *program) (map[string][]settings.Entry, error) {
	out := map[string][]settings.Entry{}
	body, err := os.ReadFile(installsFile(p))
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	if err == nil {
		err = json.Unmarshal(body, &out)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", installsFile(p), err)
	}
	return out, nil
}

// rememberInstall notes what a settings file is meant to hold from now on.
func rememberInstall(p *program, file string, ours []settings.Entry) error {
	all, err := readInstalls(p)
	if err != nil {
		all = map[string][]settings.Entry{} // damaged: begin anew, with what is being done now
		p.sayf("%v: written anew", err)
	}
	key := realPath(file)
	delete(all, key)
	if len(ours) > 0 {
		all[key] = ours
	}
	body, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return fmt.Errorf("encode installs: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(installsFile(p)), 0o700); err != nil {
		return fmt.Errorf("remember the installation: %w", err)
	}
	if err := atomic.WriteFile(installsFile(p), bytes.NewReader(body)); err != nil {
		return fmt.Errorf("remember the installation: %w", err)
	}
	return nil
}

// wants is what a person has installed in a settings file.
func (p *program) wants(file string) []settings.Entry {
	all, err := readInstalls(p)
	if err != nil {
		return nil
	}
	return all[realPath(file)]
}

func realPath(file string) string {
	dir, err := filepath.EvalSymlinks(filepath.Dir(file))
	if err != nil {
		return filepath.Clean(file)
	}
	return filepath.Join(dir, filepath.Base(file))
}

// The client takes /pipeline for an unknown command, and fires nothing, unless there is a command file of that name (by
// experiment, 2.1.197 and 2.1.329): install ships one, uninstall takes it away again if it is still ours.

// commandFile is the command file that belongs to a settings file.
func commandFile(settings string) string {
	return filepath.Join(filepath.Dir(settings), "commands", "pipeline.md")
}

// placeCommandFile writes the command file, unless somebody has one of his own there.
func placeCommandFile(p *program, settings string) error {
	text, _ := configs.Command("pipeline")
	path := commandFile(settings)
	switch old, err := os.ReadFile(path); {
	case err == nil && bytes.Equal(old, text):
		return nil
	case err == nil && !isOurCommandFile(old):
		p.sayf("%s is not ours and stays: orders typed as /pipeline may not reach pipeline", path)
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("read %s: %w", path, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	p.printf("%s: the command /pipeline, for orders of yours\n", path)
	return nil
}

// isOurCommandFile reports whether a command file is one that some version of pipeline has written.
func isOurCommandFile(text []byte) bool {
	return bytes.Contains(text, []byte("Orders to the pipeline, a person's only"))
}

func removeCommandFile(p *program, settings string) error {
	path := commandFile(settings)
	if old, err := os.ReadFile(path); err != nil || !isOurCommandFile(old) {
		return nil
	}
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("remove %s: %w", path, err)
	}
	_ = os.Remove(filepath.Dir(path)) // if nothing else is in it
	p.printf("%s: removed\n", path)
	return nil
}

// A statusInstall is what an installation does with the status line, and what it found.
type statusInstall struct {
	scope, binary  string
	add, replace   bool
	hidden         foreignLine // a person's in another file, which ours would hide
	kept, replaced string      // a person's in this file
}

// A foreignLine is a status line that a person has in a settings file.
type foreignLine struct{ file, command string }

func planStatusLine(c *cli.Context, binary string, other foreignLine) *statusInstall {
	replace := c.Bool("replace-statusline")
	return &statusInstall{scope: c.String("scope"), binary: binary, add: replace || c.Bool("statusline"), replace: replace, hidden: other}
}

// applyTo adds our status line where that was asked for, and brings one that is there already up to date.
func (l *statusInstall) applyTo(src []byte) ([]byte, error) {
	what, ours, err := settings.StatusLine(src)
	if err != nil || !ours && (!l.add || l.hidden.command != "" && !l.replace) {
		return src, err
	}
	out, kept, err := settings.InstallStatusLine(src, l.binary, l.replace)
	if l.kept = kept; !ours && kept == "" {
		l.replaced = what
	}
	return out, err
}

// reportKept tells a person of a status line of his own, and how it can be replaced.
func (l *statusInstall) reportKept(p *program) {
	switch {
	case l.replaced != "":
		p.sayf("your own status line was replaced: %s", cut(l.replaced, 200))
		return
	case !l.add || l.replace:
		return
	case l.kept != "":
		p.sayf("there is a status line of your own, which was kept: %s", cut(l.kept, 200))
	case l.hidden.command != "":
		p.sayf("%s has a status line of your own, which ours would hide: %s", l.hidden.file, cut(l.hidden.command, 200))
	default:
		return
	}
	p.hint("pipeline install --scope %s --replace-statusline", l.scope)
}

// findOtherLine is a status line that a person has in a file of another scope. The client shows one: the local file's before
// the project's before the user's.
func findOtherLine(p *program, scope, root string) foreignLine {
	files := map[string]string{
		"local":   filepath.Join(root, ".claude", "settings.local.json"),
		"project": filepath.Join(root, ".claude", "settings.json"),
		"user":    filepath.Join(p.clientConfig(), "settings.json"),
	}
	for _, other := range []string{"local", "project", "user"} {
		if other == scope {
			continue
		}
		body, err := os.ReadFile(files[other])
		if err != nil {
			continue // none, or none that the client could read
		}
		if what, ours, err := settings.StatusLine(body); err == nil && what != "" && !ours {
			return foreignLine{files[other], what}
		}
	}
	return foreignLine{}
}
