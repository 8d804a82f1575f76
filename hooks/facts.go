package hooks

import (
	"slices"

	"github.com/agent-pipeline/pipeline/fsm"
)

// role takes the caller from the environment where the payload names none and the config asks for it.
func (h *Handler) role(e *fsm.Event) { e.Agent = Role(h.Policy.Caller, h.Getenv, e.Agent) }

// Role is who calls, by the payload; where that names no agent, by the variables that the config names.
func Role(c fsm.Caller, getenv func(string) string, payload fsm.Agent) fsm.Agent {
	if !payload.IsMain() || c.RoleEnv == "" && c.NameEnv == "" {
		return payload
	}
	role, name := env(getenv, c.RoleEnv), env(getenv, c.NameEnv)
	who := name
	if role != "" {
		who = role
	}
	if who == "" || slices.Contains(c.Orchestrators, who) {
		return payload
	}
	if name != "" {
		who = name
	}
	return fsm.Agent{ID: "environment-" + who, Type: who, Basis: "environment"}
}

func env(getenv func(string) string, key string) string {
	if key == "" || getenv == nil {
		return ""
	}
	return getenv(key)
}

// environment are the variables that rules ask for, as far as they are set.
func (h *Handler) environment() map[string]string {
	out := map[string]string{}
	for _, name := range h.Policy.ListEnvNames() {
		if v := env(h.Getenv, name); v != "" {
			out[name] = v
		}
	}
	return out
}
