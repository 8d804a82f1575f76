package claude

import (
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/hooks/claude/settings"
)

// Wants tells what a person has installed in a settings file; nil for nothing.
type Wants func(file string) []settings.Entry

// Tampered says why our hooks would not run as the changed settings file now stands; empty if they would.
func (c *call) Tampered() string {
	if c.File == "" || c.Source == "skills" {
		return ""
	}
	var want []settings.Entry
	if c.host.Wants != nil {
		want = c.host.Wants(c.File)
	}
	body, err := os.ReadFile(c.File)
	if err != nil {
		body = nil // what we cannot read the client cannot read either: none of our hooks is in it
	}
	if why := settings.Blocks(body, want); why != "" {
		return why
	}
	return c.host.leaks(body)
}

// leaks says which variable a changed settings file puts into the environment of our hooks that would turn us to another
// config or level: the client hands `env` on at once, in mid-session (by experiment, 2.1.197 and 2.1.329). One that this
// call has already was there when the client was started, or was let pass then.
func (h Host) leaks(body []byte) string {
	env, err := settings.Environment(body)
	if err != nil || h.Getenv == nil {
		return ""
	}
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if turns(name, h.BypassEnvs) && h.Getenv(name) != env[name] {
			return "env sets " + name + ", by which pipeline would go by other rules"
		}
	}
	return ""
}

// turns reports whether a variable says by which rules we go, or where we look for them.
func turns(name string, lifting []string) bool {
	return strings.HasPrefix(name, "PIPELINE_") || slices.Contains(lifting, name) ||
		slices.Contains([]string{"HOME", "PATH", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CLAUDE_PROJECT_DIR"}, name)
}
