package claude

import (
	"os"

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
	return settings.Blocks(body, want)
}
