package hooks

import (
	"path/filepath"
	"slices"

	"github.com/agent-pipeline/pipeline/fsm"
)

// role takes the caller from the environment where the payload names none and the config asks for it.
func (h *Handler) role(e *fsm.Event) {
	c := h.Policy.Caller
	if !e.Agent.Main() || c.RoleEnv == "" && c.NameEnv == "" {
		return
	}
	role, name := env(h.Getenv, c.RoleEnv), env(h.Getenv, c.NameEnv)
	who := name
	if role != "" {
		who = role
	}
	if who == "" || slices.Contains(c.Orchestrators, who) {
		return
	}
	if name != "" {
		who = name
	}
	e.Agent = fsm.Agent{ID: "environment-" + who, Type: who, Basis: "environment"}
}

func env(getenv func(string) string, key string) string {
	if key == "" || getenv == nil {
		return ""
	}
	return getenv(key)
}

// client names the agent client that a command starts.
func client(words []string) string {
	if len(words) == 0 {
		return ""
	}
	switch name := filepath.Base(words[0]); name {
	case "claude", "codex", "gemini", "qwen", "copilot", "opencode":
		if len(words) == 2 && (words[1] == "--version" || words[1] == "--help") {
			return ""
		}
		return name
	}
	return ""
}

// environment are the variables that rules ask for, as far as they are set.
func (h *Handler) environment() map[string]string {
	out := map[string]string{}
	for _, name := range h.Policy.EnvNames() {
		if v := env(h.Getenv, name); v != "" {
			out[name] = v
		}
	}
	return out
}
