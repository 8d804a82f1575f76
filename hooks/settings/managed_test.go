package settings_test

import (
	"slices"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/hooks/settings"
)

// TestReadManaged: what managed settings say of hooks, and of a helper.
func TestReadManaged(t *testing.T) {
	for src, want := range map[string]settings.Managed{
		"":                                settings.Managed{},
		`{"disableAllHooks": true}`:       {DisableAll: true},
		`{"disableAllHooks": "true"}`:     {},
		`{"allowManagedHooksOnly": true}`: {HooksOnly: true},
		`{"policyHelper": {"path": "/x", "timeoutMs": 1500}}`: {Helper: "/x", Patience: 1500 * time.Millisecond},
	} {
		if got, err := settings.ReadManaged([]byte(src)); err != nil || got != want {
			t.Errorf("%s: %+v, %v", src, got, err)
		}
	}
	if _, err := settings.ReadManaged([]byte("{")); err == nil {
		t.Error("half a file was read")
	}
}

// TestAllHooks lists hooks of every type that count, each with what it runs.
func TestAllHooks(t *testing.T) {
	all, err := settings.Hooks([]byte(`{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "hidden"}]}],
		"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "x", "prompt": "p"}, {"type": "http", "url": "http://y"}]}],
		"Stop": [{"hooks": [{"type": "prompt", "prompt": "z"}, {"type": "mcp_tool", "tool": "t"}, {"type": "none"}]}]}}`))
	var got []string
	for _, h := range all {
		got = append(got, h.Event+" "+h.Text)
	}
	want := []string{"PreToolUse x", "PreToolUse http://y", "Stop z", "Stop t", "Stop "}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v: %+v", err, got)
	}
	if _, err := settings.Hooks([]byte("{")); err == nil {
		t.Error("half a file was read")
	}
}

// TestUninstallManagedRefuses a file in which it is in doubt what counts, and takes back hooks without a record.
func TestUninstallManagedRefuses(t *testing.T) {
	for _, src := range []string{"{", `{"permissions": {}, "permissions": {}}`} {
		if out, err := settings.UninstallManaged([]byte(src)); err == nil {
			t.Errorf("%s became %s", src, out)
		}
	}
	const twice = `{"model": "a", "model": "b"}`
	if out, err := settings.UninstallManaged([]byte(twice)); err != nil || string(out) != twice {
		t.Errorf("%s, %v", out, err)
	}
}
