// Package clients knows the agent clients: how they are started by a shell command, and
// the marks by which a process can tell that it runs under one. One row of one table
// describes a client, whether or not we have an adapter for its hooks.
package clients

import (
	"path/filepath"
	"slices"
	"strings"
)

// A Client is a program that runs agents.
type Client struct {
	Name      string     // the agent type of a delegation to it; also the name of its program
	Programs  []string   // further names of its program, and of its process
	Packages  []string   // npm and PyPI packages that npx, uvx and the like run it from
	Variables []string   // set in the shell of its agents
	Harmless  [][]string // arguments with which it starts no agent, beside --version and --help
	Agents    []string   // first arguments with which it starts one; empty: all others
}

// table holds what was seen on Linux with the clients of November 2026. The variable
// AGENT, which opencode and others set, is left out: other programs use that name too.
var table = [...]Client{
	{Name: "claude", Packages: []string{"@anthropic-ai/claude-code"}, Variables: []string{"CLAUDECODE"},
		Harmless: [][]string{{"mcp", "list"}, {"mcp", "get"}, {"plugin", "list"}}},
	{Name: "codex", Packages: []string{"@openai/codex"}, Variables: []string{"CODEX_SESSION_ID", "CODEX_CI"},
		Harmless: [][]string{{"mcp", "list"}, {"mcp", "get"}, {"login", "status"}}},
	{Name: "copilot", Packages: []string{"@github/copilot"},
		Variables: []string{"COPILOT_CLI", "COPILOT_AGENT_SESSION_ID"}},
	{Name: "qwen", Packages: []string{"@qwen-code/qwen-code"}, Variables: []string{"QWEN_CODE", "QWEN_CODE_SESSION_ID"},
		Harmless: [][]string{{"mcp", "list"}}},
	{Name: "gemini", Packages: []string{"@google/gemini-cli"}, Variables: []string{"GEMINI_CLI"},
		Harmless: [][]string{{"mcp", "list"}, {"extensions", "list"}}},
	{Name: "opencode", Packages: []string{"opencode-ai"}, Variables: []string{"OPENCODE", "OPENCODE_PID"},
		Harmless: [][]string{{"mcp", "list"}, {"auth", "list"}, {"models"}}},
	{Name: "kimi", Programs: []string{"kimi-code", "kimi-cli"}, Packages: []string{"@moonshot-ai/kimi-code"}},
	{Name: "aider", Packages: []string{"aider-chat"}},
	{Name: "cursor-agent"},
	{Name: "amp", Packages: []string{"@sourcegraph/amp"}},
	{Name: "droid"},
	// A tool for database migrations has the same name.
	{Name: "goose", Packages: []string{"goose-ai"}, Agents: []string{"session", "run", "web", "acp"}},
}

// Names lists the clients.
func Names() []string {
	names := make([]string, len(table))
	for i, c := range table {
		names[i] = c.Name
	}
	return names
}

// StartedBy names the client in which a shell command starts an agent, "" if it starts none.
func StartedBy(words []string) string {
	c, args := identify(words)
	if c == nil || !c.startsAgent(args) {
		return ""
	}
	return c.Name
}

func (c *Client) startsAgent(args []string) bool {
	if len(args) == 1 && slices.Contains([]string{"--version", "-v", "--help", "-h"}, args[0]) {
		return false
	}
	if len(c.Agents) > 0 {
		return len(args) > 0 && slices.Contains(c.Agents, args[0])
	}
	return !slices.ContainsFunc(c.Harmless, func(words []string) bool {
		return len(args) >= len(words) && slices.Equal(args[:len(words)], words)
	})
}

// identify finds the client that a command line runs, and the arguments that it is given.
func identify(words []string) (*Client, []string) {
	if len(words) == 0 {
		return nil, nil
	}
	for i := range table {
		if table[i].isProgram(words[0]) {
			return &table[i], words[1:]
		}
	}
	if len(words) < 2 || !isInterpreter(filepath.Base(words[0])) {
		return nil, nil
	}
	for i := range table {
		if table[i].isScript(words[1]) {
			return &table[i], words[2:]
		}
	}
	return nil, nil
}

// isProgram reports whether a word runs the client: the program, its path, or its package
// with or without a version.
func (c *Client) isProgram(word string) bool {
	name := filepath.Base(word)
	if name == c.Name || slices.Contains(c.Programs, name) {
		return true
	}
	if at := strings.LastIndexByte(word, '@'); at > 0 {
		return c.isProgram(word[:at])
	}
	return slices.Contains(c.Packages, word)
}

// isScript reports whether an interpreter's script is the client: its program, or a file of
// its package.
func (c *Client) isScript(path string) bool {
	return c.isProgram(path) || slices.ContainsFunc(c.Packages, func(name string) bool {
		return strings.Contains(path, "node_modules/"+name+"/")
	})
}

func isInterpreter(name string) bool {
	return slices.Contains([]string{"node", "bun", "deno", "MainThread"}, name) || strings.HasPrefix(name, "python")
}
