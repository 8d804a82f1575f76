package main

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/verify"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/claude"
	"github.com/agent-pipeline/pipeline/hooks/guard"
	"github.com/agent-pipeline/pipeline/hooks/kernel"
	"github.com/agent-pipeline/pipeline/hooks/session"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

// How the handler of the hooks is set up: with the project's policy and sessions, with what it
// guards, and for which person.

// newHandler answers for an opened project.
func (p *program) newHandler(o config.Opened, st session.Store) *hooks.Handler {
	h := &hooks.Handler{Policy: o.Policy, Sessions: st, Guards: p.newGuards(o), Root: o.Project.Root,
		Getenv: p.getenv, Older: o.Project.FindPolicy, Widens: describeWidened, Groups: userGroups}
	dir := h.Guards.States[0]
	if p.getenv(claude.PrefixVariable) == dir+"/"+kernel.LauncherName { // through which shell lines run
		h.Kernel = hooks.Kernel{Dir: dir, Capability: kernel.ReadCapability(dir)}
		h.Guards.IsKept = h.Kernel.KeepsFiles()
	}
	return h
}

// describeWidened says what passes under a policy and did not under the one before, with the first
// such call as an example.
func describeWidened(old, now *fsm.Policy) string {
	var found []verify.Change
	for _, c := range verify.Diff(old, now) {
		if c.Direction == verify.Widened && c.Text != "level" { // which is told by itself
			found = append(found, c)
		}
	}
	switch {
	case len(found) == 0:
		return ""
	case len(found) == 1:
		return found[0].Text
	}
	return fmt.Sprintf("%s, and %s more", found[0].Text, visible.Count(len(found)-1, "thing"))
}

func (p *program) newGuards(o config.Opened) guard.Guards {
	w, clients := p.world("", ""), p.surroundings(o)
	state := w.StateFolder()
	g := guard.Guards{Root: o.Project.Root, Home: w.Home,
		Config: w.ConfigFolder(), System: system.SharedConfig,
		States: []string{state, state + "-heads", system.Join(o.Project.Root, ".pipeline")},
		Client: claude.New(clients).Places(), Binary: findProgram, Shell: p.findShell(),
		HasZsh:        func() bool { return p.hasProgram("zsh") },
		HasPowerShell: func() bool { return runtime.GOOS == "windows" || p.hasProgram("pwsh") }, // each Windows has one
		Others: func() (out []hooks.Places) {
			for _, h := range listHosts(clients)[1:] {
				out = append(out, h.Places())
			}
			return out
		},
		Sources: o.Project.Files, PersonOnly: isPersonOnly, Tools: o.Policy.ToolSets(),
		Exempt: o.Policy.Confinement.Exempt, Caches: o.Policy.Confinement.Writable,
		Path: filepath.SplitList(p.getenv("PATH")),
		Fold: system.IgnoresCase(o.Project.Root), Worktrees: o.Project.Worktrees}
	if o.Policy.Dir != "" {
		g.States = append(g.States, o.Policy.Dir)
	}
	// The plugin's own repository is worked on with the plugin.
	dir := p.getenv("CLAUDE_PLUGIN_ROOT")
	if dir != "" && !strings.HasPrefix(o.Project.Root+"/", system.Clean(dir)+"/") {
		g.Plugin = dir
	}
	return g
}

// findProgram is the path of this program. Where it is unknown, it cannot be guarded by it.
func findProgram() string {
	path, _ := os.Executable()
	return path
}

// findShell is the shell in which the client runs lines: the user's, if it is one that the
// client takes. Otherwise it is not named: it is zsh or, where there is none, bash.
func (p *program) findShell() string {
	for _, key := range [...]string{"CLAUDE_CODE_SHELL", "SHELL"} {
		for _, name := range [...]string{"zsh", "bash"} {
			if strings.Contains(filepath.Base(p.getenv(key)), name) {
				return name
			}
		}
	}
	return ""
}

// hasProgram reports whether a client finds a program: by PATH, or where it is usual.
func (p *program) hasProgram(name string) bool {
	dirs := append(filepath.SplitList(p.getenv("PATH")), "/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin")
	return slices.ContainsFunc(dirs, func(dir string) bool { return system.CanRun(system.Join(dir, name)) })
}

// newOverrider changes overrides in a person's name: of a session, or of the whole
// project.
func (o opened) newOverrider(session string) hooks.Overrider {
	return hooks.Overrider{Policy: o.Policy, Store: o.store, Session: session,
		By: userName(), Groups: userGroups(), Now: time.Now().UTC()}
}

// userGroups names the groups of who runs this, as the process has them: a list of a
// user's groups by name would believe $USER where the system does not know the user. What
// is not known is left out: then no permission of a group counts.
func userGroups() (names []string) {
	ids, err := system.Groups()
	if err != nil {
		return nil
	}
	for _, id := range ids {
		if g, err := user.LookupGroupId(id); err == nil {
			names = append(names, g.Name)
		}
	}
	return names
}

// userName is who runs this: a person, as far as that is known (see person).
func userName() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return fmt.Sprint("uid ", os.Getuid())
}
