package main

import (
	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/fsm/verify"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/claude"
	"github.com/agent-pipeline/pipeline/hooks/clients"
)

// host returns the adapter of a name, for an opened project: one line each. The event is what its
// hook is registered for, as far as that is known.
func (p *program) host(name, event string, o config.Opened) (hooks.Host, bool) {
	switch name {
	case "claude", "":
		h := p.claude(o)
		h.Event = event
		return h, true
	}
	return nil, false
}

func (p *program) claude(o config.Opened) claude.Host {
	return claude.Host{Getenv: p.getenv, Project: o.Project.Root, Config: p.clientConfig(), Wants: p.wants,
		BypassEnvs: bypassEnvs(o)}
}

// places are the folders and files of the client, in a project or a folder that may become one.
func (p *program) places(root string) hooks.Places {
	return claude.Host{Project: root, Config: p.clientConfig()}.Places()
}

// clientConfig is where the client keeps its files of the user.
func (p *program) clientConfig() string {
	return claude.ConfigFolder(func(name string) string {
		if name == "HOME" {
			return p.home()
		}
		return p.getenv(name)
	})
}

// bypassEnvs names the variables that bypass the policy.
func bypassEnvs(o config.Opened) (names []string) {
	if o.Policy != nil {
		for _, v := range o.Policy.Bypass.Env {
			names = append(names, v.Name)
		}
	}
	return names
}

// findAgents lists what the client can start in a project: the agents that it finds on disk,
// skills, its own agents, and other clients in a shell. The plugins are those of the session.
func findAgents(p *program, o config.Opened, plugins ...string) []verify.Agent {
	h := p.claude(o)
	h.Plugins = plugins
	found, problems := h.FindAgents()
	return append(verifiable(p, found, problems), otherAgents(p, h)...)
}

// findAgentsIn lists the same, with the agents of a folder in place of those that the client finds.
func findAgentsIn(p *program, dir string, o config.Opened) []verify.Agent {
	found, problems := claude.FindAgentsIn(dir)
	return append(verifiable(p, found, problems), otherAgents(p, p.claude(o))...)
}

func otherAgents(p *program, h claude.Host) []verify.Agent {
	skills, _ := h.FindSkills() // its problems are those of FindAgents
	out := verifiable(p, skills, nil)
	for _, a := range claude.BuiltinAgents() {
		out = append(out, verify.Agent{Name: a.Name, Tools: a.Tools, Without: a.Without})
	}
	for _, name := range clients.Names() {
		if name != "claude" { // it is an agent and a client
			out = append(out, verify.Agent{Name: name})
		}
	}
	return out
}

func verifiable(p *program, found []claude.Definition, problems []error) (out []verify.Agent) {
	for _, err := range problems {
		p.sayf("%v", err)
	}
	for _, d := range found {
		a := verify.Agent{Name: d.Name, From: d.File, Shared: d.Shared, Skill: d.Skill, Tools: d.Tools,
			Without: d.Without}
		if d.Skill {
			a.From = "" // only agents are counted by their files
		}
		out = append(out, a)
	}
	return out
}
