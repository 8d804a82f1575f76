package qwen

import (
	"bytes"
	"os"
	"strings"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/hooks"
)

// Probe looks at the program, at settings and .env files that switch hooks off, and at agents
// that cannot be told anything.
//
// Under Node 20 npm installs 0.15.10 where no version is named. Its hooks report no session's
// start and no agents' ids.
func (h Host) Probe(string) []hooks.Finding {
	f := hooks.ProbeVersion(h.Name())
	if f.Status == hooks.Problem {
		f.What += "; npm installs such a version where Node is older than 22, and says nothing"
		f.Remedy = "install Node 22, then: npm install --global @qwen-code/qwen-code@latest"
	}
	found := append([]hooks.Finding{f}, h.probeEnv()...)
	for _, s := range h.Places().Settings {
		found = append(found, h.ProbeSwitches(s.Path)...)
	}
	if uninformed := h.listUninformedAgents(); uninformed != nil {
		found = append(found, hooks.Finding{Status: hooks.Warning,
			What:   "qwen: agents that are not told what others found: " + strings.Join(uninformed, ", "),
			Remedy: "add a line with " + hookContext + " to each of them"})
	}
	return found
}

// listUninformedAgents lists the definitions without a place for the text that hooks give an agent.
func (h Host) listUninformedAgents() (uninformed []string) {
	for _, folder := range []string{h.Places().Project, h.Places().User} {
		for _, file := range system.Glob(folder, "agents/*.md") {
			if body, err := os.ReadFile(file); err == nil && !bytes.Contains(body, []byte(hookContext)) {
				uninformed = append(uninformed, file)
			}
		}
	}
	return uninformed
}
