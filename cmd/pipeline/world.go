package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

// world is where to look for configs, from a directory.
func (p *program) world(dir, file string) config.World {
	return config.World{Dir: dir, Home: p.home(), ConfigHome: p.base("XDG_CONFIG_HOME", ".config"),
		StateHome: p.base("XDG_STATE_HOME", ".local/state"), Getenv: p.getenv, Version: version, Config: file}
}

func (p *program) home() string { return p.getenv("HOME") }

func (p *program) base(key, below string) string {
	if dir := p.getenv(key); filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(p.home(), below)
}

// here is the working directory's world, for commands.
func (p *program) here(c *cli.Context) (config.World, error) {
	dir, err := os.Getwd()
	if err != nil {
		return config.World{}, fmt.Errorf("find the working directory: %w", err)
	}
	return p.world(dir, c.String("config")), nil
}

// errNoConfig says that a command needs a pipeline and there is none.
var errNoConfig = hinted{errors.New("no pipeline is configured here (looked upward for configs/pipeline.yaml, .claude/pipeline.yaml and pipeline.yaml)"), "pipeline init"}

// project opens the pipeline of the working directory. Problems in its config are said; what is in force is used.
func (p *program) project(c *cli.Context) (config.Opened, error) {
	w, err := p.here(c)
	if err != nil {
		return config.Opened{}, err
	}
	o, err := config.Open(w)
	switch {
	case err != nil:
		return o, err
	case o.None:
		return o, errNoConfig
	case o.Policy == nil:
		printProblems(p, o.Problems)
		return o, errors.New("the config has problems and there is no earlier one to fall back to")
	case len(o.Problems) > 0:
		printProblems(p, o.Problems)
		p.sayf("the last config without problems is in force")
	}
	return o, nil
}

// store is where a project's sessions are kept.
func store(o config.Opened, wait time.Duration) session.Store {
	dir := o.Project.Home
	if o.Policy != nil && o.Policy.Dir != "" {
		dir = o.Policy.Dir
	}
	return session.Store{Dir: dir, Wait: wait}
}

// handler answers for an opened project.
func (p *program) handler(o config.Opened, wait time.Duration) *hooks.Handler {
	return &hooks.Handler{Policy: o.Policy, Sessions: store(o, wait), Guards: p.guards(o), Root: o.Project.Root, Getenv: p.getenv,
		Older: func(fingerprint string) (*fsm.Policy, error) { return config.Good(o.Project.Home, fingerprint) }}
}

func (p *program) guards(o config.Opened) hooks.Guards {
	binary, _ := os.Executable() // unknown: then it cannot be guarded by its path
	state := p.base("XDG_STATE_HOME", ".local/state")
	g := hooks.Guards{Root: o.Project.Root, Home: p.home(), Config: filepath.Join(p.base("XDG_CONFIG_HOME", ".config"), "pipeline"),
		States:  []string{filepath.Join(state, "pipeline"), filepath.Join(o.Project.Root, ".pipeline")},
		Clients: []string{filepath.Join(o.Project.Root, ".claude"), p.clientConfig()}, Binary: binary, Sources: o.Project.Files,
		PersonOnly: isPersonOnly}
	if o.Policy.Dir != "" {
		g.States = append(g.States, o.Policy.Dir)
	}
	return g
}

// clientConfig is where Claude Code keeps its own settings.
func (p *program) clientConfig() string {
	if dir := p.getenv("CLAUDE_CONFIG_DIR"); dir != "" {
		return dir
	}
	return filepath.Join(p.home(), ".claude")
}
