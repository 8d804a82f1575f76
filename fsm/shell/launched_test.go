package shell

import "testing"

func TestReadLaunched(t *testing.T) {
	const snapshot = `source /h/.claude/shell-snapshots/snapshot-zsh-1.sh 2>/dev/null || true && { uiltin shopt -u extglob; } >/dev/null 2>&1 || true && eval `
	tests := []struct{ name, line, command, cwd string }{
		{"quotes", snapshot + `'echo '"'"'it'"'"' "$0"' && pwd -P >| /tmp/claude-1-cwd`, `echo 'it' "$0"`, "/tmp/claude-1-cwd"},
		{"background", snapshot + `'sleep 1' < /dev/null && pwd -P >| /tmp/claude-1-cwd`, "sleep 1", "/tmp/claude-1-cwd"},
		{"heredoc", snapshot + "'cat <<X\na\nX\n' && pwd -P >| /tmp/c", "cat <<X\na\nX\n", "/tmp/c"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			command, cwd, ok := ReadLaunched(tt.line)
			if !ok || command != tt.command || cwd != tt.cwd {
				t.Errorf("%v %q %q", ok, command, cwd)
			}
		})
	}
	for _, line := range []string{"/usr/bin/server 'arg one'", `eval "$X"`, `eval "$(git push)"`, "'",
		"pipeline statusline"} {
		if command, _, ok := ReadLaunched(line); ok {
			t.Errorf("%s: read as %q", line, command)
		}
	}
}
