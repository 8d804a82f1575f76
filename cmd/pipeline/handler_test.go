package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestShell: the shell is the one that the client takes, by its variables.
func TestShell(t *testing.T) {
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "zsh"), nil, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ override, shell, path, want string }{
		{"", "/bin/bash", bin, "bash"},
		{"", "/usr/local/bin/zsh", "", "zsh"},
		{"/bin/bash", "/bin/zsh", "", "bash"},
		{"", "/usr/bin/fish", bin, ""},
		{"", "", "", ""},
	} {
		env := map[string]string{"CLAUDE_CODE_SHELL": tt.override, "SHELL": tt.shell, "PATH": tt.path}
		p := &program{console{getenv: func(name string) string { return env[name] }}}
		if got := p.findShell(); got != tt.want {
			t.Errorf("%v: %q", tt, got)
		}
		if tt.path == bin && !p.hasProgram("zsh") {
			t.Errorf("%v: no zsh", tt)
		}
	}
}
