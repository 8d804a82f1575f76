package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/hooks/kernel"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

// world is where to look for configs, from a directory, and where a user's files lie.
func (p *program) world(dir, file string) config.World {
	home := p.getenv(system.HomeVariable)
	if !system.IsAbs(home) { // a relative one would put the state into the work tree
		if home = system.FindHome(); !system.IsAbs(home) {
			home = system.Join(os.TempDir(), "pipeline-home-"+strconv.Itoa(os.Getuid()))
		}
	}
	return config.World{Dir: dir, Home: home, ConfigHome: p.getenv("XDG_CONFIG_HOME"),
		StateHome: cmp.Or(p.getenv("XDG_STATE_HOME"), p.getenv(system.StateVariable)), Getenv: p.getenv,
		Version: findVersion(), Config: file, System: system.SharedConfig, Account: system.FindHome}
}

// stateFolder holds all our state.
func (p *program) stateFolder() string { return p.world("", "").StateFolder() }

// launcherFile is what the client runs in place of its shell.
func (p *program) launcherFile() string { return p.stateFolder() + "/" + kernel.LauncherName }

// here is the working directory's world, for commands.
func (c invocation) here() config.World {
	dir, _ := os.Getwd() // run has tried it
	return c.world(system.Clean(dir), c.String("config"))
}

var errNoConfig = hinted{errors.New("no pipeline is configured here " +
	"(found no configs/pipeline.yaml, .claude/pipeline.yaml or pipeline.yaml in this folder, " +
	"nor above it in its git repository)"), "pipeline init"}

// An opened project, with its sessions.
type opened struct {
	*program
	config.Opened
	store session.Store
}

// openProject opens the pipeline of the working directory. It reports problems in the
// config, and uses what is in force.
func (c invocation) openProject() (opened, error) {
	found, err := openOrVanished(c.here())
	o := opened{c.program, found, store(found, 5*time.Second)}
	switch {
	case err != nil:
		return o, err
	case o.None:
		return o, errNoConfig
	case o.Policy != nil && len(o.Problems) == 0:
		if o.Stale {
			c.sayf("%s", o.Notes[0])
		}
		return o, nil
	}
	c.printProblems(o.Problems)
	if o.Policy == nil {
		return o, errors.New("the config has problems and there is no earlier one to fall back to")
	}
	c.sayf("the last config without problems is in force")
	return o, nil
}

// openOrVanished opens what a hook call finds: also the last good policy of a project whose config has gone.
func openOrVanished(w config.World) (config.Opened, error) {
	o, err := config.Open(w)
	if err == nil && o.None {
		if gone, was := config.OpenVanished(w); was {
			return gone, nil
		}
	}
	return o, err
}

// findProject finds the project's config; that there is none is an error.
func findProject(w config.World) (config.Project, error) {
	project, exists, err := config.Find(w)
	if err == nil && !exists {
		err = errNoConfig
	}
	return project, err
}

// compileConfig compiles the config that is found, as it is written now.
func compileConfig(w config.World) (d config.Draft, err error) {
	project, err := findProject(w)
	if err != nil {
		return d, err
	}
	return config.Read(project, w)
}

// store is where a project's sessions are kept.
func store(o config.Opened, wait time.Duration) session.Store {
	dir := o.Project.Home
	if o.Policy != nil && o.Policy.Dir != "" {
		dir = o.Policy.Dir
	}
	heads := system.Dir(o.Project.Home) + "-heads"
	return session.Store{Dir: dir, Wait: wait, Witness: heads + "/" + filepath.Base(o.Project.Home)}
}

// showPath is a path as people read it: from the working directory, if it is in that.
func showPath(path string) string {
	dir, _ := os.Getwd() // run has tried it
	if real, err := system.EvalSymlinks(dir); err == nil && !strings.HasPrefix(path, dir+"/") {
		dir = real
	}
	if rel, err := system.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// How commands choose the sessions and times that they are about.

func sessionFlag() cli.Flag {
	return textFlag("session", "the session with this `ID`, or the only one that begins so; by default the newest")
}

// namedSessionFlag is the flag of commands that are about one session only if it is named.
func namedSessionFlag(what string) cli.Flag {
	return textFlag("session", what+" with this `ID`, or the only one that begins so")
}

// A picked session, and how it was picked.
type picked struct {
	opened
	session.Item
	how string // "named", "the only one", "the newest of 3"
}

func (s picked) String() string { return s.ID + " (" + s.how + ")" }

// pickSession returns the session that a command is about.
func pickSession(c invocation) (out picked, err error) {
	o, err := c.openProject()
	if err != nil {
		return out, err
	}
	out = picked{opened: o, how: "named"}
	items, err := o.selectSessions(c)
	if err != nil {
		return out, err
	}
	switch out.Item = items[0]; {
	case c.IsSet("session"):
	case len(items) == 1:
		out.how = "the only one"
	default:
		out.how = fmt.Sprintf("the newest of %d", len(items))
	}
	return out, nil
}

// pickView is pickSession, for a session that an argument may also name, with what is
// published of it.
func pickView(c invocation, id string) (s picked, v session.View, err error) {
	if id != "" {
		err = c.Set("session", id)
	}
	if err == nil {
		s, err = pickSession(c)
	}
	if err == nil {
		v, err = s.store.View(s.ID)
	}
	return s, v, err
}

// live lists the sessions that may be running, the newest first.
func (o opened) live() ([]session.Item, error) {
	return o.store.Live(time.Now().Add(-session.ActiveFor))
}

// inLiveSession makes an action of a function that changes a session. Of several that run it does not
// guess one.
func (p *program) inLiveSession(run func(invocation, picked) error) cli.ActionFunc {
	return p.action(func(c invocation) error {
		s, err := pickSession(c)
		if err != nil {
			return err
		}
		items, err := s.live()
		switch {
		case c.IsSet("session") || err == nil && len(items) < 2:
			return run(c, s)
		case err != nil:
			return err
		}
		for _, i := range items {
			p.hint("--session %s   (last active %s)", i.ID, i.Last.Format(time.DateTime))
		}
		return usagef("%d sessions are running: name one", len(items))
	})
}

var errNoSession = hinted{errors.New("no session has been recorded in this project yet"),
	"start the client in the project's folder; pipeline doctor shows whether its calls are judged"}

// findSession returns the session of a project with an ID, or the only one whose ID begins so; "newest" is the
// one that was active last.
func (o opened) findSession(id string) (found session.Item, err error) {
	items, err := o.store.List()
	switch {
	case err != nil:
		return found, err
	case id == "newest" && len(items) == 0:
		return found, errNoSession
	case id == "newest":
		return items[0], nil
	}
	var matches []string
	for _, i := range items {
		if i.ID == id {
			return i, nil
		}
		if strings.HasPrefix(i.ID, id) && id != "" {
			found, matches = i, append(matches, i.ID)
		}
	}
	switch n := len(matches); {
	case n == 0:
		err = fmt.Errorf("no session %q in this project", id)
	case n > 1:
		err = usagef("%d sessions begin with %q: %s", n, id, strings.Join(matches, ", "))
	}
	return found, err
}

// selectSessions returns the session that is named, or all of the project.
func (o opened) selectSessions(c invocation) ([]session.Item, error) {
	if c.IsSet("session") {
		i, err := o.findSession(c.String("session"))
		return []session.Item{i}, err
	}
	items, err := o.store.List()
	if err == nil && len(items) == 0 {
		err = errNoSession
	}
	return items, err
}

// parseAge reads a point in time: an age (90m, 12h, 7d, 2w) or a date (2026-03-01, or
// with a time). The empty text is the zero time.
func parseAge(s string, now time.Time) (at time.Time, err error) {
	if s == "" {
		return at, nil
	}
	if d, err := time.ParseDuration(s); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	for unit, days := range map[string]int{"d": 1, "w": 7} {
		number, ok := strings.CutSuffix(s, unit)
		if n, err := strconv.Atoi(number); ok && err == nil && n >= 0 && n < 100_000 {
			return now.AddDate(0, 0, -n*days), nil
		}
	}
	for _, form := range []string{time.RFC3339, time.DateTime, time.DateOnly} {
		if t, err := time.ParseInLocation(form, s, now.Location()); err == nil {
			return t, nil
		}
	}
	return at, usagef("found %q for a time, "+
		"expected an age such as 12h, 7d, 2w, or a date such as 2026-03-01", s)
}
