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
		return claude.Host{Getenv: p.getenv, Project: o.Project.Root, Config: p.clientConfig(), Wants: p.wants, Lifting: lifting(o)}, true
	}
	return nil, false
}

// lifting names the variables that lift the policy.
func lifting(o config.Opened) (names []string) {
	if o.Policy != nil {
		for _, v := range o.Policy.Bypass.Env {
			names = append(names, v.Name)
		}
	}
	return names
}
