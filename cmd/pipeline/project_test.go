package main

import (
	"path/filepath"
	"testing"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/hooks/claude"
)

// TestHomeIsAbsolute: without a usable HOME, state does not land in the work tree.
func TestHomeIsAbsolute(t *testing.T) {
	for _, home := range []string{"", ".", "relative/home"} {
		p := &program{console{getenv: func(name string) string {
			if name == "HOME" {
				return home
			}
			return ""
		}}}
		dirs := map[string]string{"home": p.world("/x", "").Home, "state": p.world("/x", "").StateFolder(),
			"client": claude.New(p.surroundings(config.Opened{})).Places().User}
		for what, dir := range dirs {
			if !filepath.IsAbs(dir) {
				t.Errorf("HOME=%q: %s is %q", home, what, dir)
			}
		}
	}
}
