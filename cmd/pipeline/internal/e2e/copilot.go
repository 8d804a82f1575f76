package e2e

import "strings"

// copilot drives the Copilot CLI.
type copilot struct{}

func (copilot) name() string               { return "copilot" }
func (copilot) needs() []string            { return nil }
func (copilot) program() []string          { return []string{"@github/copilot-*/copilot"} }
func (copilot) configure(*Project, *Model) {}

func (copilot) register(p *Project, hooks hookTable) {
	list := map[string]any{}
	for event, command := range hooks {
		list[event] = []any{map[string]any{"type": "command", "bash": command, "timeoutSec": 30}}
	}
	writeFile(p.t, p.Home+"/.copilot/hooks/test.json", toJSON(p.t, map[string]any{"version": 1, "hooks": list}))
}

func (copilot) env(p *Project, m *Model) []string {
	return []string{
		unpacked(),
		"COPILOT_HOME=" + p.Home + "/.copilot",
		"COPILOT_OFFLINE=true",
		"COPILOT_AUTO_UPDATE=false",
		"COPILOT_PROVIDER_BASE_URL=" + m.URL() + "/v1",
		"COPILOT_PROVIDER_API_KEY=" + apiKey,
		"COPILOT_PROVIDER_WIRE_API=completions",
		"COPILOT_MODEL=gpt-5.4",
	}
}

func (copilot) args(prompt, session string) []string {
	args := []string{"--allow-all-tools", "--allow-all-paths", "--no-color", "--output-format", "json", "-p", prompt}
	if session != "" {
		args = append(args, "--resume="+session)
	}
	return args
}

func (copilot) agent(p *Project, name, marker string) {
	p.Write(".github/agents/"+name+".agent.md", definition(name, marker, nil))
}

func (copilot) start(agent, prompt string) []Turn {
	return []Turn{Call("task", Input{"agent_type": agent, "name": agent, "description": "run " + agent,
		"prompt": prompt, "mode": "sync"})}
}

func (copilot) shell(line string) Turn {
	return Call("bash", Input{"command": line, "description": "run it"})
}

func (copilot) write(path, text string) Turn {
	patch := "*** Begin Patch\n*** Add File: " + path + "\n+" + text + "\n*** End Patch\n"
	return Call("apply_patch", Input{"input": patch})
}

func (copilot) serve(p *Project, server, file string) {
	writeFile(p.t, p.Home+"/.copilot/mcp-config.json", toJSON(p.t, map[string]any{"mcpServers": map[string]any{
		server: map[string]any{"type": "local", "command": file, "args": []string{}, "tools": []string{"*"}}}}))
}

func (copilot) ask(server, tool string) Turn { return Call(server+"-"+tool, Input{}) }

func (copilot) window(p *Project) []string {
	writeFile(p.t, p.Home+"/.copilot/config.json", toJSON(p.t, map[string]any{"banner": "never",
		"trusted_folders": []string{p.Dir}}))
	return []string{"--allow-all-tools", "--allow-all-paths", "--no-color"}
}

func (copilot) isReady(screen string) bool { return strings.Contains(screen, "/ commands") }
