package claude

import (
	"errors"
	"io/fs"
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
	if errors.Is(err, fs.ErrNotExist) {
		body = nil
	} else if err != nil {
		return ""
	}
	return settings.Blocks(body, want)
}
