// Package claude is the adapter for Claude Code: it reads its payloads, writes its answers
// and knows its files. What it relies on was established by experiment with clients
// 2.1.197 and 2.1.329; the recorded payloads in testdata are from those.
package claude

import (
	"cmp"
	"errors"
	"runtime"
	"strconv"
	"strings"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/clients"
	"github.com/agent-pipeline/pipeline/hooks/settings"
)

// Host is Claude Code.
type Host struct {
	hooks.Surroundings
	settings.Format          // the zero one is this client's
	Config          string   // the user's config folder
	Plugins         []string // folders of plugins that are there for the session: claude --plugin-dir
}

// New is the adapter in its surroundings.
func New(s hooks.Surroundings) Host {
	return Host{Surroundings: s, Config: cmp.Or(s.Env("CLAUDE_CONFIG_DIR"), system.Join(s.Home, ".claude"))}
}

// Name is how --host names it.
func (Host) Name() string { return "claude" }

// Can is all but one: what holds a turn does not come back as a prompt.
func (Host) Can() hooks.Set { return hooks.Everything &^ hooks.Echoes }

// Root takes the project from the client's variable.
func (h Host) Root(dir string) string { return cmp.Or(h.Env("CLAUDE_PROJECT_DIR"), dir) }

// IsGenuine tells what the client starts as a hook from what it starts as an agent's shell
// by AI_AGENT (by experiment, 2.1.197 and 2.1.329). Without the variable nothing is known.
func (h Host) IsGenuine() bool { return !strings.HasSuffix(h.Env("AI_AGENT"), "_agent") }

// CheckAttended refuses a client that runs without a person, or that was itself started
// under a client. The variables are the client's (by experiment, 2.1.197 and 2.1.329:
// sdk-cli with -p, cli in its window; CLAUDE_CODE_SESSION_ATTENDED and CLAUDE_PID from
// 2.1.329 on). What cannot be read proves nothing, and is refused.
func (h Host) CheckAttended() error {
	if h.Env("CLAUDE_CODE_ENTRYPOINT") != "cli" || h.Env("CLAUDE_CODE_SESSION_ATTENDED") == "0" {
		return errors.New("no person attends this client")
	}
	pid := clients.Nearest()
	if n, err := strconv.Atoi(h.Env("CLAUDE_PID")); err == nil && clients.IsAncestor(n) {
		pid = n
	}
	nested, basis := clients.IsNested(pid)
	switch {
	case basis == clients.NoBasis:
		return errors.New("cannot see who started this client: neither its environment nor a terminal")
	case nested || h.Env("CLAUDE_CODE_EXECPATH") != "": // which a client sets in its shell
		return errors.New("this client was started by another client")
	}
	return nil
}

// Places are the folders .claude of the project and of the user.
func (h Host) Places() hooks.Places {
	project := system.Join(h.Project, ".claude")
	return hooks.Places{Project: project, User: h.Config, Agents: "agents", Commands: "commands", Skills: "skills",
		Default: "local",
		Settings: []hooks.SettingsFile{
			{Scope: "user", Path: system.Join(h.Config, "settings.json")},
			{Scope: "project", Path: project + "/settings.json"},
			{Scope: "local", Path: project + "/settings.local.json"},
			{Scope: settings.ScopeManaged, Path: ManagedFile(runtime.GOOS)},
		}}
}

// PrefixVariable names the program that the client runs in place of its shell: with the whole line
// as the one argument, for the main agent's commands and all agents' (by experiment, 2.1.329).
// SessionVariable is what that program sees of the session.
const (
	PrefixVariable  = "CLAUDE_CODE_SHELL_PREFIX"
	SessionVariable = "CLAUDE_CODE_SESSION_ID"
)

// ManagedFile is where the client of an operating system looks for managed settings; "" where that is
// not known. The paths other than Linux's are from the client's documentation.
func ManagedFile(goos string) string {
	switch goos {
	case "linux":
		return "/etc/claude-code/managed-settings.json"
	case "darwin":
		return "/Library/Application Support/ClaudeCode/managed-settings.json"
	case "windows":
		return `C:\Program Files\ClaudeCode\managed-settings.json`
	}
	return ""
}
