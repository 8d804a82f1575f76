package main

import (
	"os"
	"time"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/config/system/filepath"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// asClientOf is the program and the project as the hooks of a session's client saw them at
// its last call: with the variables of that client which set the level or a bypass, and
// not those of this terminal.
func (p *program) asClientOf(o config.Opened, session string) (*program, config.Opened) {
	if session == "" {
		return p, o
	}
	last, err := journal.Tail(filepath.Join(store(o, 0).Path(session), journal.Name))
	if err != nil || last.Policy == "" {
		return p, o
	}
	level, isSet := p.getenv(hooks.EnvLevel), p.getenv(hooks.EnvLevel) != ""
	if then, err := config.Good(o.Project.Home, last.Policy); err == nil && !changedSince(o, last.Event.Time) {
		plain := p.levelOfFiles(o)
		level, isSet = then.Level.String(), then.Level.String() != plain
		o.Policy = then
	}
	bypass := map[string]string{}
	for _, b := range o.Policy.Bypass.Env {
		bypass[b.Name] = ""
		for _, l := range last.Event.Facts.Overrides.Bypasses {
			if l.From == "environment" && l.Why == b.Name+"="+b.Value {
				bypass[b.Name] = b.Value
			}
		}
	}
	client := *p
	client.getenv = func(name string) string {
		if value, ok := bypass[name]; ok {
			return value
		}
		switch {
		case name != hooks.EnvLevel:
			return p.getenv(name)
		case isSet:
			return level
		}
		return ""
	}
	return &client, o
}

// changedSince reports whether a file of the config was written after a time.
func changedSince(o config.Opened, at time.Time) bool {
	for _, f := range o.Project.Files {
		if info, err := os.Stat(f); err != nil || info.ModTime().After(at) {
			return true
		}
	}
	return false
}

// levelOfFiles is the level that the config's files give, without the environment.
func (p *program) levelOfFiles(o config.Opened) string {
	w := p.world(o.Project.Root, "")
	w.Getenv = func(name string) string {
		if name == hooks.EnvLevel {
			return ""
		}
		return p.getenv(name)
	}
	c, _, problems, err := config.Load(o.Project, w)
	if err != nil || len(problems) > 0 {
		return o.Policy.Level.String()
	}
	return c.Level
}
