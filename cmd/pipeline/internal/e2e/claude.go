package e2e

import "strings"

// claude drives Claude Code.
type claude struct{}

func (claude) name() string      { return "claude" }
func (claude) needs() []string   { return nil }
func (claude) program() []string { return []string{".bin/claude"} }

func (claude) configure(*Project, *Model) {}

func (claude) register(p *Project, hooks hookTable) {
	writeFile(p.t, p.ConfigDir+"/settings.json", toJSON(p.t, hooks.settings(30)))
}

func (claude) env(p *Project, m *Model) []string {
	return []string{
		"CLAUDE_CONFIG_DIR=" + p.ConfigDir,
		"CLAUDE_CODE_TMPDIR=" + p.tmp(),
		"ANTHROPIC_BASE_URL=" + m.URL(),
		"ANTHROPIC_API_KEY=" + apiKey,
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"DISABLE_TELEMETRY=1",
		"DISABLE_AUTOUPDATER=1",
	}
}

func (claude) args(prompt, session string) []string {
	args := []string{"-p", prompt, "--model", "claude-sonnet-4-5", "--output-format", "stream-json", "--verbose"}
	if session != "" {
		args = append(args, "-r", session)
	}
	return args
}

func (claude) agent(p *Project, name, marker string) { p.Agent(name, marker) }

func (claude) start(agent, prompt string) []Turn { return []Turn{StartWait(agent, prompt)} }

func (claude) shell(line string) Turn { return Call("Bash", Input{"command": line}) }

func (claude) write(path, text string) Turn {
	return Call("Write", Input{"file_path": path, "content": text})
}

func (claude) serve(p *Project, server, file string) {
	p.Write(".mcp.json", toJSON(p.t, map[string]any{"mcpServers": map[string]any{
		server: map[string]any{"command": file}}}))
	p.Write(".claude/settings.local.json", `{"enableAllProjectMcpServers": true}`)
}

func (claude) ask(server, tool string) Turn { return Call("mcp__"+server+"__"+tool, Input{}) }

func (claude) window(p *Project) []string {
	p.trust()
	return []string{"--model", "claude-sonnet-4-5"}
}

func (claude) isReady(screen string) bool { return strings.HasPrefix(boxOf(screen), "❯") }
