package claude

import (
	"cmp"
	"os"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/agent-pipeline/pipeline/hooks/dialect"
)

// readSkill reports whether a skill or command runs in an agent of its own, and in which.
// One of a plugin is not known.
func (h Host) readSkill(name string) (forks bool, agent string, known bool) {
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
			var fields struct{ Context, Agent string }
			if head, _, ok := dialect.CutHead(body); ok {
				// one that does not parse does not fork; its agent is checked when it starts
				_ = yaml.Unmarshal(head, &fields)
			}
			if fields.Context == "fork" { // of two with one name the stricter counts
				return true, cmp.Or(fields.Agent, "general-purpose"), true
			}
		}
	}
	return false, "", known
}
