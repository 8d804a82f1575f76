package e2e

import "strings"

// qwen drives Qwen Code, on a Node of its own: it needs 22, and machines have older ones.
type qwen struct{}

func (qwen) name() string    { return "qwen" }
func (qwen) needs() []string { return []string{"node@22.23.3"} }

func (qwen) program() []string { return []string{"node/bin/node", "@qwen-code/qwen-code/cli.js"} }

// configure leaves the user's settings alone, where hooks are. The client would write down
// what it remembers of a session, with an agent of its own.
func (qwen) configure(p *Project, _ *Model) {
	p.Write(".qwen/settings.json", toJSON(p.t, map[string]any{"$version": 4,
		"memory": map[string]any{"enableManagedAutoMemory": false, "enableManagedAutoDream": false}}))
}

func (qwen) register(p *Project, hooks hookTable) {
	writeFile(p.t, p.Home+"/.qwen/settings.json", toJSON(p.t, hooks.settings(30000)))
}

func (qwen) env(_ *Project, m *Model) []string {
	return []string{"NODE_COMPILE_CACHE=" + cachePath("node"), "OPENAI_BASE_URL=" + m.URL() + "/v1",
		"OPENAI_API_KEY=" + apiKey, "OPENAI_MODEL=scripted"}
}

func (qwen) args(prompt, session string) []string {
	args := []string{"--yolo", "--auth-type", "openai", "-p", prompt, "--output-format", "stream-json"}
	if id, isFork := strings.CutPrefix(session, forkOf); isFork {
		args = append(args, "--resume", id, "--fork-session")
	} else if session != "" {
		args = append(args, "--resume", session)
	}
	return args
}

// agent has the place where the client puts what a hook says at an agent's start. Without
// it the agent is not told.
func (qwen) agent(p *Project, name, marker string) {
	p.Write(".qwen/agents/"+name+".md", definition(name, marker+"\n${hook_context}", nil))
}

func (qwen) start(agent, prompt string) []Turn {
	return []Turn{Call("agent", Input{"subagent_type": agent, "description": "run " + agent, "prompt": prompt,
		"run_in_background": false})}
}

func (qwen) shell(line string) Turn {
	return Call("run_shell_command", Input{"command": line, "description": "run it", "is_background": false})
}

func (qwen) write(path, text string) Turn {
	return Call("write_file", Input{"file_path": path, "content": text})
}

// serve writes the user's settings: a project's server waits for a person's approval.
func (qwen) serve(p *Project, server, file string) {
	writeFile(p.t, p.Home+"/.qwen/settings.json", toJSON(p.t, map[string]any{"$version": 4,
		"mcpServers": map[string]any{server: map[string]any{"command": file}}}))
}

func (qwen) ask(server, tool string) Turn { return Call("mcp__"+server+"__"+tool, Input{}) }

func (qwen) window(*Project) []string { return []string{"--yolo", "--auth-type", "openai"} }

// isReady: what is typed before is lost.
func (qwen) isReady(screen string) bool {
	return strings.Contains(screen, "Type your message") && !strings.Contains(screen, "Initializing")
}
