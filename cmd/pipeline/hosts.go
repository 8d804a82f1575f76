package main

import (
	"cmp"
	"os"
	"slices"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm/verify"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/claude"
	"github.com/agent-pipeline/pipeline/hooks/clients"
	"github.com/agent-pipeline/pipeline/hooks/codex"
	"github.com/agent-pipeline/pipeline/hooks/copilot"
	"github.com/agent-pipeline/pipeline/hooks/qwen"
	"github.com/agent-pipeline/pipeline/hooks/settings"
)

// hosts are the clients whose hooks we answer: one line each, Claude Code first.
var hosts = [...]struct {
	name string // as --host takes it
	make func(hooks.Surroundings) hooks.Installer
}{
	{"claude", func(s hooks.Surroundings) hooks.Installer { return claude.New(s) }},
	{"codex", func(s hooks.Surroundings) hooks.Installer { return codex.New(s) }},
	{"copilot", func(s hooks.Surroundings) hooks.Installer { return copilot.New(s) }},
	{"qwen", func(s hooks.Surroundings) hooks.Installer { return qwen.New(s) }},
}

// makeHost makes the adapter of a client; nil for one that is none of ours. The event is what its hook is
// registered for, as far as that is known.
func makeHost(name, event string, s hooks.Surroundings) hooks.Installer {
	s.Event = event
	for _, h := range hosts {
		if h.name == cmp.Or(name, "claude") {
			return h.make(s)
		}
	}
	return nil
}

// listHosts makes the adapters of all clients.
func listHosts(s hooks.Surroundings) (out []hooks.Installer) {
	for _, h := range hosts {
		out = append(out, h.make(s))
	}
	return out
}

// hostNames are the names of the clients.
func hostNames() (names []string) {
	for _, h := range hosts {
		names = append(names, h.name)
	}
	return names
}

// checkHost refuses the name of a client that is none of ours.
func checkHost(name string) error { return checkWord("no client", name, hostNames()...) }

// hostsFor are the clients of these names. Without names they are those that the project or the
// user has: that keep a folder there. Without any it is Claude Code.
func (p *program) hostsFor(names []string, o config.Opened) (out []hooks.Installer, err error) {
	all := listHosts(p.surroundings(o))
	for _, name := range names {
		if err := checkHost(name); err != nil {
			return nil, err
		}
	}
	for _, h := range all {
		if slices.Contains(names, h.Name()) || names == nil && isUsed(h.Places()) {
			out = append(out, h)
		}
	}
	if len(out) == 0 {
		out = all[:1]
	}
	return out, nil
}

// isUsed reports whether a client keeps agents or settings in the project, or a folder of the user's.
func isUsed(places hooks.Places) bool {
	there := []string{places.User, system.Join(places.Project, places.Agents)}
	for _, s := range places.Settings {
		if s.Scope != settings.ScopeManaged {
			there = append(there, s.Path)
		}
	}
	return slices.ContainsFunc(there, func(path string) bool {
		_, err := os.Stat(path)
		return err == nil
	})
}

func (p *program) surroundings(o config.Opened) hooks.Surroundings {
	s := hooks.Surroundings{Environment: p.getenv, Home: p.world("", "").Home, Project: o.Project.Root,
		Wants: p.readInstalled}
	if o.Policy != nil {
		for _, v := range o.Policy.Bypass.Env {
			s.BypassEnvs = append(s.BypassEnvs, v.Name)
		}
	}
	return s
}

// findAgents lists what the clients can start in a project: the agents that they find on disk,
// skills, their own agents, and other clients in a shell. The plugins are those of the session.
func (p *program) findAgents(o config.Opened, plugins ...string) (out []verify.Agent) {
	h := claude.New(p.surroundings(o))
	h.Plugins = plugins
	for _, d := range append(h.FindAgents(p.report), h.FindSkills()...) {
		out = append(out, verify.Agent{Name: d.Name, From: d.File, Shared: d.Shared, Skill: d.Skill, Tools: d.Tools,
			Without: d.Without})
	}
	for _, a := range claude.BuiltinAgents() {
		out = append(out, verify.Agent{Name: a.Name, Tools: a.Tools, Without: a.Without})
	}
	used, _ := p.hostsFor(nil, o) // without names there is no unknown one
	for _, h := range used {
		for _, a := range agentsOf(h) {
			if !slices.ContainsFunc(out, func(b verify.Agent) bool { return a.Name == b.Name }) {
				out = append(out, a)
			}
		}
	}
	return out
}

// agentsOf lists what one client can start in a project.
func agentsOf(h hooks.Installer) (out []verify.Agent) {
	defined, builtin := h.DefinedAgents()
	for _, name := range defined {
		out = append(out, verify.Agent{Name: name, From: h.Places().AgentFile(name)})
	}
	for _, name := range append(builtin, clients.Names()...) {
		out = append(out, verify.Agent{Name: name})
	}
	return out
}
