package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/clients"
)

// refuseAgents refuses a command that only a person may run when it runs under an agent client.
// An agent can detach a process altogether; what it may run in its shell is judged before.
func (p *program) refuseAgents(name string) error {
	if !clients.IsAbove(p.getenv) {
		return nil
	}
	text := name + " is for a person: run it in a terminal of your own, outside the agent client"
	if _, typed := hooks.FindTyped(name); typed {
		text += ", or type it into the client as a prompt: /pipeline " + name + " …"
	}
	return errors.New(text)
}

// withoutAgentVariables is the environment without what an agent has set for a client that
// it started: an agent may not loosen the policy for that client either. names are the
// variables that may loosen it beside ours; hidden is called for each one that is left out.
func (p *program) withoutAgentVariables(names []string, hidden func(string)) func(string) string {
	get := p.getenv
	return func(name string) string {
		v := get(name)
		loosens := strings.HasPrefix(name, "PIPELINE_") && name != "PIPELINE_DEBUG" || slices.Contains(names, name)
		if v == "" || !loosens || !clients.IsCallerNested() {
			return v
		}
		hidden(name)
		return ""
	}
}
