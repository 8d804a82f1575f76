package claude

import (
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/dialect"
	"github.com/agent-pipeline/pipeline/hooks/settings"
)

// notInstalled is what a teammate without pipeline reads when a session starts.
const notInstalled = "This project is guarded by pipeline, which is not installed here, so nothing is enforced. " +
	"To install it: https://github.com/agent-pipeline/pipeline#install"

// Entries are the hooks to register: the binary in exec form, which saves a shell (7 ms,
// measured), or the lines that teammates share, where it is the bare name.
func (h Host) Entries(binary string, failClosed bool) (out []hooks.Entry) {
	for _, r := range dialect.Events(h.Can(), 10) {
		e := hooks.Entry{Event: r.Name, Command: binary, Args: []string{"hook", "--host", "claude", r.Called},
			Timeout: r.Timeout, OnFailureBlock: failClosed && r.Name == "PreToolUse"}
		if binary == settings.Bare {
			note := ""
			if r.Name == "SessionStart" {
				note = notInstalled
			}
			e = e.Shared(note)
		}
		out = append(out, e)
	}
	return out
}

// After is empty: the client runs what is registered.
func (Host) After(string) []string { return nil }

// Tampered says why our hooks would not run with the changed settings file; "" if they would.
func (c *call) Tampered() string {
	if c.File == "" || c.Source == "skills" {
		return ""
	}
	var want []hooks.Entry
	if c.host.Wants != nil {
		want = c.host.Wants(c.File)
	}
	body, err := os.ReadFile(c.File)
	if err != nil {
		body = nil // the client cannot read it either: none of our hooks is in it
	}
	if why := c.host.Blocks(body, want); why != "" {
		return why
	}
	return c.host.findLeak(body)
}

// findLeak says which variable a changed settings file puts into the environment of our
// hooks that would select another config or level: the client passes env on at once, in
// mid-session (by experiment, 2.1.197 and 2.1.329). A variable that this call has already
// was there when the client was started, or was accepted then.
func (h Host) findLeak(body []byte) string {
	env, err := settings.Environment(body)
	if err != nil || h.Environment == nil {
		return ""
	}
	for _, name := range slices.Sorted(maps.Keys(env)) {
		selects := strings.HasPrefix(name, "PIPELINE_") || slices.Contains(h.BypassEnvs, name) ||
			slices.Contains([]string{"HOME", "PATH", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR",
				"CLAUDE_PROJECT_DIR"}, name)
		if selects && h.Env(name) != env[name] {
			return "env sets " + name + ", which would make pipeline apply other rules"
		}
	}
	return ""
}
