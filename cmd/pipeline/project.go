package main

import (
	"errors"
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

// world is where to look for configs, from a directory.
func (p *program) world(dir, file string) config.World {
	return config.World{Dir: dir, Home: p.home(), ConfigHome: p.baseFolder("XDG_CONFIG_HOME", ".config"),
		StateHome: p.stateBase(), Getenv: p.getenv, Version: findVersion(), Config: file,
		System: system.SharedConfig, Account: system.FindHome}
}

// home is the user's home directory. Where no variable says it, the system does; a
// relative one would put the state into the work tree.
func (p *program) home() string {
	if dir := p.getenv(system.HomeVariable); system.IsAbs(dir) {
		return dir
	}
	if dir := system.FindHome(); system.IsAbs(dir) {
		return dir
	}
	return system.Join(os.TempDir(), "pipeline-home-"+strconv.Itoa(os.Getuid()))
}

// baseFolder is a base directory of the XDG specification, or its default below the home
// directory.
func (p *program) baseFolder(key, below string) string {
	if dir := p.getenv(key); system.IsAbs(dir) {
		return dir
	}
	if system.IsAbs(below) {
		return below
	}
	return system.Join(p.home(), below)
}

// stateBase is the folder below which the state of programs lies.
func (p *program) stateBase() string {
	below := ".local/state"
	if dir := p.getenv(system.StateVariable); system.StateVariable != "" && system.IsAbs(dir) {
		below = dir
	}
	return p.baseFolder("XDG_STATE_HOME", below)
}

// stateFolder holds all our state.
func (p *program) stateFolder() string { return system.Join(p.stateBase(), "pipeline") }

// launcherFile is what the client runs in place of its shell.
func (p *program) launcherFile() string { return system.Join(p.stateFolder(), kernel.LauncherName) }

// here is the working directory's world, for commands.
func (p *program) here(c *cli.Context) config.World {
	dir, _ := os.Getwd() // run has tried it
	return p.world(system.Clean(dir), c.String("config"))
}

var errNoConfig = hinted{errors.New("no pipeline is configured here " +
	"(found no configs/pipeline.yaml, .claude/pipeline.yaml or pipeline.yaml in this folder, " +
	"nor above it in its git repository)"), "pipeline init"}

// openProject opens the pipeline of the working directory. It reports problems in the
// config, and uses what is in force.
func (p *program) openProject(c *cli.Context) (config.Opened, error) {
	w := p.here(c)
	o, err := openOrVanished(w)
	switch {
	case err != nil:
		return o, err
	case o.None:
		return o, errNoConfig
	case o.Policy != nil && len(o.Problems) == 0:
		if o.Stale {
			p.sayf("%s", o.Notes[0])
		}
		return o, nil
	}
	printProblems(p, o.Problems)
	if o.Policy == nil {
		return o, errors.New("the config has problems and there is no earlier one to fall back to")
	}
	p.sayf("the last config without problems is in force")
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
func compileConfig(w config.World) (config.Draft, error) {
	project, err := findProject(w)
	if err != nil {
		return config.Draft{}, err
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
	return session.Store{Dir: dir, Wait: wait, Witness: system.Join(heads, filepath.Base(o.Project.Home))}
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
