package doctor

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/agent-pipeline/pipeline/hooks/claude/settings"
)

// places are the client's settings files that count in a project; of what they say twice, the last counts.
func places(root, client string) []source {
	return []source{
		{scope: "user", file: filepath.Join(client, "settings.json")},
		{scope: "project", file: filepath.Join(root, ".claude", "settings.json")},
		{scope: "local", file: filepath.Join(root, ".claude", "settings.local.json")},
	}
}

// Environ is the environment that a client gives to its hooks when it is started in this one: its settings add to it.
func Environ(root, client string, environ []string) []string {
	out := append([]string{}, environ...)
	for _, s := range places(root, client) {
		body, err := os.ReadFile(s.file)
		if err != nil || settings.Ignored(body) != "" {
			continue
		}
		added, _ := settings.Environment(body) // it was read just now
		for _, name := range sorted(added) {
			out = append(out, name+"="+added[name])
		}
	}
	return out
}

// Getenv looks up a variable in an environment, in which the last of two counts.
func Getenv(environ []string) func(string) string {
	return func(name string) string {
		for i := len(environ) - 1; i >= 0; i-- {
			if key, value, _ := strings.Cut(environ[i], "="); key == name {
				return value
			}
		}
		return ""
	}
}

func (x *exam) getenv(name string) string { return Getenv(x.Environ)(name) }

// environment: does something in it keep the client from running hooks, or the hooks from enforcing?
func (x *exam) environment() []Finding {
	var found []Finding
	if Getenv(x.Shell)("CLAUDE_CODE_SIMPLE") == "1" { // in the settings' env it has no such effect (tried)
		found = append(found, problem("unset CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SIMPLE is set: a client that is started here runs no hooks at all"))
	}
	for _, s := range x.sources {
		if !s.counts() || s.isPlugin() {
			continue
		}
		added, _ := settings.Environment(s.body) // it was read before
		for _, name := range sorted(added) {
			if !strings.HasPrefix(name, "PIPELINE_") {
				continue
			}
			f := warn("take it out of env in "+s.file, "%s sets %s=%s for the hooks, which counts more than the config", s, name, added[name])
			if name == "PIPELINE_LEVEL" && added[name] == "off" {
				f.Status = Problem
			}
			found = append(found, f)
		}
	}
	return orFine(found, "nothing in it keeps the client from running hooks, or the hooks from enforcing")
}
