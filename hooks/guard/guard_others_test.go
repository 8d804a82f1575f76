package guard

import (
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
)

// TestOtherClients: what makes another client call us is guarded like the settings of the one that calls, also where
// its folder is a link or not there yet; what else lies there is not.
func TestOtherClients(t *testing.T) {
	base := t.TempDir()
	g := ground(t, base)
	write(t, base+"/dots/codex/hooks.json", "")
	link(t, "../dots/codex", base+"/home/.codex")
	codex := Places{Project: g.Root + "/.codex", User: g.Home + "/.codex", Guarded: []string{"config.toml"},
		Settings: []SettingsFile{{"user", g.Home + "/.codex/hooks.json"}, {"project", g.Root + "/.codex/hooks.json"}}}
	copilot := Places{Project: g.Root + "/.github", User: g.Home + "/.copilot",
		Guarded:  []string{"copilot/settings.json", g.Home + "/.env", "hooks/*"},
		Settings: []SettingsFile{{"user", g.Home + "/.copilot/hooks/pipeline.json"}}}
	g.Others = func() []Places { return []Places{codex, copilot} }
	lines := map[string]bool{
		"echo '{}' > ~/.codex/hooks.json":                                     true,
		"echo x >> .codex/config.toml":                                        true,
		"echo x > ../dots/codex/hooks.json":                                   true,
		"rm -rf ~/.codex":                                                     true,
		"echo '{}' > ~/.copilot/hooks/pipeline.json":                          true,
		"rm -rf ~/.copilot":                                                   true,
		"mv ~/.copilot/hooks x":                                               true,
		"echo '{}' > ~/.copilot/hooks/mine.json":                              true,
		"cp x .github/hooks/other.json":                                       true,
		"echo x > .github/workflows/ci.yml":                                   false,
		"echo x > .github/pipeline.json":                                      false,
		"echo x > .github/copilot/settings.json":                              true,
		"mkdir .github/copilot && cd .github/copilot && echo > settings.json": true,
		"rm -rf .github/copilot":                                              true,
		"echo x > .github/settings.md":                                        false,
		"echo x > ~/.env":                                                     true,
		"echo x > .env":                                                       false,
		"rm ~/.codex/hooks.*":                                                 true,
		"cp x ~/.codex/config.toml":                                           true,
		"mkdir .codex && cp a .codex/hooks.json":                              true,
		"echo x > .codex/agents/a.toml":                                       false,
		"echo x > ~/.claude/hooks.json":                                       false,
		"echo x > config.toml":                                                false,
		"cat ~/.codex/hooks.json":                                             false,
		"echo x > ~/.codex/sessions/x":                                        false,
		"cp a.json other/hooks.json && cat x > y.z":                           false,
	}
	if !g.hasLinks() {
		delete(lines, "echo x > ../dots/codex/hooks.json")
	}
	for line, guarded := range lines {
		is := false
		for _, p := range g.Parts(fsm.Tool{Name: "Bash", Command: line}, g.Root) {
			is = is || p.Guards == hostConfig
		}
		if is != guarded {
			t.Errorf("%s: guarded: %v", line, is)
		}
	}
}
