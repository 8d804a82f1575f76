package qwen

import (
	"os"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/hooks"
)

// Qwen Code loads .env files: the project's, and the user's. Each of these variables in one of
// them switches all hooks off. A project's file cannot set those that the user's settings
// exclude; that it can set none by which other settings are read, the client sees to.
const safeMode, simple = "QWEN_CODE_SAFE_MODE", "QWEN_CODE_SIMPLE"

const exclusion = `"advanced": {"excludedEnvVars": ["DEBUG", "DEBUG_MODE", "` + safeMode + `", "` + simple + `"]}`

// Places also have the .env files that could switch the hooks off, for one who uses Qwen Code.
func (h Host) Places() hooks.Places {
	p := h.Adapter.Places()
	p.Guarded = []string{".env"}
	if _, err := os.Stat(p.User); err == nil {
		p.Guarded = append(p.Guarded, system.Join(h.Home, ".env"))
		if !h.excludesSwitches() {
			p.Guarded = append(p.Guarded, system.Join(h.Project, ".env"))
		}
	}
	return p
}

func (h Host) excludesSwitches() bool {
	body, err := os.ReadFile(system.Join(h.Adapter.Places().User, h.Dialect.Settings))
	if err != nil || !gjson.ValidBytes(body) {
		return false
	}
	excluded := map[string]bool{}
	for _, name := range gjson.GetBytes(body, "advanced.excludedEnvVars").Array() {
		excluded[name.Str] = true
	}
	return excluded[safeMode] && excluded[simple]
}

// probeEnv looks for .env files that switch the hooks off, or could.
func (h Host) probeEnv() (found []hooks.Finding) {
	places := h.Places()
	for _, file := range []string{system.Join(h.Project, ".env"), system.Join(places.Project, ".env"),
		system.Join(places.User, ".env"), system.Join(h.Home, ".env")} {
		body, _ := os.ReadFile(file) // of one that cannot be read the client reads nothing either
		for _, name := range []string{safeMode, simple} {
			if strings.Contains(string(body), name) {
				found = append(found, hooks.Finding{Status: hooks.Problem, What: file + " names " + name +
					", which switches all hooks off", Remedy: "take it out of " + file})
			}
		}
	}
	if !h.excludesSwitches() {
		found = append(found, hooks.Finding{Status: hooks.Warning,
			What:   "qwen: a .env file of a project, or of a folder above it, could switch the hooks off",
			Remedy: "in " + system.Join(places.User, h.Dialect.Settings) + ": " + exclusion})
	}
	return found
}
