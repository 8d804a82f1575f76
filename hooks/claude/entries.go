package claude

import (
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/settings"
)

// registeredEvents lists the events that we are called for, by the client's name and by the one
// on our command line.
func registeredEvents() [][2]string {
	return [][2]string{
		{"SessionStart", "session-start"}, {"UserPromptSubmit", "user-prompt-submit"},
		{"UserPromptExpansion", "user-prompt-expansion"}, {"PreToolUse", "pre-tool-use"},
		{"PostToolUse", "post-tool-use"}, {"PostToolUseFailure", "post-tool-use-failure"},
		{"SubagentStart", "subagent-start"}, {"SubagentStop", "subagent-stop"}, {"Stop", "stop"},
		{"StopFailure", "stop-failure"}, {"SessionEnd", "session-end"}, {"ConfigChange", "config-change"},
	}
}

// notInstalled is what a teammate without pipeline reads when a session starts.
const notInstalled = "This project is guarded by pipeline, which is not installed here, so nothing is enforced. " +
	"To install it: https://github.com/agent-pipeline/pipeline#install"

// Entries are the hooks to register: the binary in exec form, which saves a shell (7 ms,
// measured), or the lines that teammates share, where it is the bare name. A client that
// waits longer than the timeout, in seconds, goes on without us; an agent's end is worth
// the longest wait.
func Entries(binary string, failClosed bool) []settings.Entry {
	var out []settings.Entry
	for _, r := range registeredEvents() {
		e := settings.Entry{Event: r[0], Command: binary, Args: []string{"hook", "--host", "claude", r[1]}, Timeout: 10}
		switch r[0] {
		case "SubagentStop", "Stop": // a gate may run
			e.Timeout = 600
		case "PostToolUse": // checks may run
			e.Timeout = 120
		}
		e.OnFailureBlock = failClosed && r[0] == "PreToolUse"
		if binary == settings.Bare {
			note := ""
			if r[0] == "SessionStart" {
				note = notInstalled
			}
			e = e.Shared(note)
		}
		out = append(out, e)
	}
	return out
}

// Entries are the hooks to register.
func (Host) Entries(binary string, failClosed bool) []hooks.Entry { return Entries(binary, failClosed) }

// Edit leaves the wanted hooks of ours in a settings file. Without any our status line goes too.
func (Host) Edit(src []byte, want []hooks.Entry) ([]byte, bool, error) {
	return settings.Format{}.Edit(src, want)
}

// Blocks says why the hooks would not run with a settings file.
func (Host) Blocks(src []byte, want []hooks.Entry) string { return settings.Blocks(src, want) }

// After is empty: the client runs what is registered.
func (Host) After(string) []string { return nil }

// eventName is the client's name of an event that we were called with.
func eventName(kebab string) string {
	for _, r := range registeredEvents() {
		if r[1] == kebab || r[0] == kebab {
			return r[0]
		}
	}
	return ""
}

// Tampered says why our hooks would not run with the changed settings file; "" if they would.
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
		body = nil // the client cannot read it either: none of our hooks is in it
	}
	if why := settings.Blocks(body, want); why != "" {
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
	if err != nil || h.Getenv == nil {
		return ""
	}
	for _, name := range slices.Sorted(maps.Keys(env)) {
		selects := strings.HasPrefix(name, "PIPELINE_") || slices.Contains(h.BypassEnvs, name) ||
			slices.Contains([]string{"HOME", "PATH", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR",
				"CLAUDE_PROJECT_DIR"}, name)
		if selects && h.Getenv(name) != env[name] {
			return "env sets " + name + ", which would make pipeline apply other rules"
		}
	}
	return ""
}
