package e2e

import (
	"fmt"
	"regexp"
	"strings"
)

// codex drives the Codex CLI.
type codex struct{}

func (codex) name() string    { return "codex" }
func (codex) needs() []string { return nil }

func (codex) program() []string { return []string{"@openai/codex-*/vendor/*/bin/codex"} }

// configure leaves hooks to the test. The model is one whose tools are the older ones.
func (codex) configure(p *Project, m *Model) {
	writeFile(p.t, p.Home+"/.codex/config.toml", fmt.Sprintf(`model = "gpt-5.1-codex"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.scripted]
name = "scripted"
base_url = "%s/v1"
wire_api = "responses"
requires_openai_auth = false
supports_websockets = false
[features]
apps = false
plugins = false
remote_plugin = false
[projects."%s"]
trust_level = "trusted"
%s`, m.URL(), p.Dir, p.servers))
}

func (codex) register(p *Project, hooks hookTable) {
	delete(hooks, "PostToolUseFailure")
	writeFile(p.t, p.Home+"/.codex/hooks.json", toJSON(p.t, hooks.settings(30)))
}

// env leads what a window asks of the network at its start nowhere: it would wait for a minute
// where that hangs.
func (codex) env(p *Project, _ *Model) []string {
	return []string{"CODEX_HOME=" + p.Home + "/.codex", "HTTPS_PROXY=http://127.0.0.1:1"}
}

// args leaves out the approval of hooks, which only a person can give.
func (codex) args(prompt, session string) []string {
	args := []string{"exec"}
	if id, isFork := strings.CutPrefix(session, forkOf); isFork {
		args = append(args, "fork", id)
	} else if session != "" {
		args = append(args, "resume", session)
	}
	return append(args, "--json", "--dangerously-bypass-hook-trust", prompt)
}

func (codex) agent(p *Project, name, marker string) {
	p.Write(".codex/agents/"+name+".toml", fmt.Sprintf("name = %q\ndescription = %q\ndeveloper_instructions = %q\n",
		name, "the "+name+" of the test", marker))
}

// start waits in a turn of its own, for the agent that the last answer names.
func (codex) start(agent, prompt string) []Turn {
	spawn := ToolCall{Name: "spawn_agent", Space: "multi_agent_v1",
		Input: Input{"agent_type": agent, "message": prompt}}
	return []Turn{{Calls: []ToolCall{spawn}}, Given(func(r *Request) Turn {
		id := regexp.MustCompile(`"agent_id":"([0-9a-f-]+)"`).FindStringSubmatch(r.New)
		if id == nil {
			return Text("it was not started")
		}
		return Turn{Calls: []ToolCall{{Name: "wait_agent", Space: "multi_agent_v1",
			Input: Input{"targets": []string{id[1]}, "timeout_ms": 30000}}}}
	})}
}

func (codex) shell(line string) Turn { return Call("exec_command", Input{"cmd": line}) }

// write goes through the shell: the older tools have no other way.
func (c codex) write(path, text string) Turn { return c.shell("printf '" + text + "' > " + path) }

func (codex) serve(p *Project, server, file string) {
	p.servers += fmt.Sprintf("[mcp_servers.%s]\ncommand = %q\n", server, file)
}

// ask names the server as Codex does: without hyphens.
func (codex) ask(server, tool string) Turn {
	return Turn{Calls: []ToolCall{{Name: tool, Space: "mcp__" + strings.ReplaceAll(server, "-", "_"), Input: Input{}}}}
}

// window leaves out the approval of hooks, as args does.
func (codex) window(*Project) []string { return []string{"--dangerously-bypass-hook-trust"} }

func (codex) isReady(screen string) bool { return strings.Contains(screen, "Ask Codex to do anything") }
