package main

import (
	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/claude"
)

// host returns the adapter of that name: one line each.
func (p *program) host(name string, o config.Opened) (hooks.Host, bool) {
	switch name {
	case "claude", "":
		return claude.Host{Getenv: p.getenv, Project: o.Project.Root, Config: p.clientConfig(), Wants: p.wants}, true
	}
	return nil, false
}
