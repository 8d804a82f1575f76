package claude

import (
	"cmp"
	"os"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/agent-pipeline/pipeline/fsm"
)

// front is the head of a skill's file, as far as we look at it.
type front struct {
	Context string `yaml:"context"`
	Agent   string `yaml:"agent"`
}

// skill reads whether a skill or command runs in an agent of its own, and in which. Not known: a plugin's, or none.
func (h Host) skill(name string) (forks bool, agent string, known bool) {
	if name == "" || strings.ContainsAny(name, `/\`) || strings.HasPrefix(name, ".") {
		return false, "", false
	}
	places := h.Places()
	for _, dir := range []string{places.Project, places.User} {
		for _, path := range []string{places.SkillFile(dir, name), places.CommandFile(dir, name)} {
			body, err := os.ReadFile(path)
			if err != nil {
				continue
			}
			known = true
			var f front
			if head, ok := cutHead(body); ok {
				_ = yaml.Unmarshal(head, &f) // one that does not parse does not fork; its agent is checked when it starts
			}
			if f.Context == "fork" { // of two with one name the stricter counts
				return true, cmp.Or(f.Agent, "general-purpose"), true
			}
		}
	}
	return false, "", known
}

// typed is what a command that a person typed may start. One of a plugin, whose file we do not know, may start anything.
func (c *call) typed() *fsm.Start {
	forks, agent, known := c.host.skill(c.Command)
	if known && !forks {
		return nil
	}
	return &fsm.Start{How: fsm.ByPerson, Type: agent, Name: c.Command}
}
