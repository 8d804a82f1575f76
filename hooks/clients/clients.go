// Package clients knows the agent clients: how they are started by a shell command, and
// the marks by which a process can tell that it runs under one. One row of one table
// describes a client, whether or not we have an adapter for its hooks.
package clients

import (
	"path/filepath"
	"slices"
	"strings"
)

// A Client is a program that runs agents. What there are several of has blanks between.
type Client struct {
	Name      string // the agent type of a delegation to it; also the name of its program
	Programs  string // further names of its program, and of its process
	Packages  string // npm and PyPI packages that npx, uvx and the like run it from
	Variables string // set in the shell of its agents
	Harmless  string // arguments with which it starts no agent, with commas between, beside --version and --help
	Agents    string // first arguments with which it starts one; empty: all others
	Tested    string // the versions that its adapter was tried with, the newest first
}

// table holds what was seen on Linux with the clients of November 2026. The variable
// AGENT, which opencode and others set, is left out: other programs use that name too.
var table = [...]Client{
	{Name: "claude", Programs: "claude-code", Packages: "@anthropic-ai/claude-code", Variables: "CLAUDECODE",
		Tested:   "2.1.332 2.1.197",
		Harmless: "mcp list, mcp get, plugin list, doctor, update, config list, config get"},
	{Name: "codex", Packages: "@openai/codex", Variables: "CODEX_SESSION_ID CODEX_CI",
		Tested: "0.171.0 0.169.0", Harmless: "mcp list, mcp get, login status, help, features list"},
	{Name: "copilot", Packages: "@github/copilot", Tested: "1.0.102",
		Variables: "COPILOT_CLI COPILOT_AGENT_SESSION_ID", Harmless: "help"},
	{Name: "qwen", Packages: "@qwen-code/qwen-code", Tested: "0.24.4",
		Variables: "QWEN_CODE QWEN_CODE_SESSION_ID", Harmless: "mcp list"},
	{Name: "gemini", Programs: "gemini-cli", Packages: "@google/gemini-cli",
		Variables: "GEMINI_CLI", Harmless: "mcp list, extensions list"},
	{Name: "opencode", Packages: "opencode-ai", Variables: "OPENCODE OPENCODE_PID",
		Harmless: "mcp list, auth list, models"},
	{Name: "kimi", Programs: "kimi-code kimi-cli", Packages: "@moonshot-ai/kimi-code"},
	{Name: "aider", Packages: "aider-chat"},
	{Name: "cursor-agent"},
	{Name: "amp", Packages: "@sourcegraph/amp"},
	{Name: "droid"},
	{Name: "crush", Packages: "@charmland/crush", Harmless: "dirs, logs, help"},
	{Name: "auggie", Packages: "@augmentcode/auggie"},
	{Name: "cline"},
	{Name: "kilocode", Packages: "@kilocode/cli"},
	{Name: "open-interpreter", Programs: "interpreter"},
	{Name: "pi-coding-agent", Packages: "@mariozechner/pi-coding-agent"},
	// A tool for database migrations has the same name.
	{Name: "goose", Packages: "goose-ai", Agents: "session run web acp"},
}

// Names lists the clients.
func Names() []string {
	names := make([]string, len(table))
	for i, c := range table {
		names[i] = c.Name
	}
	return names
}

// Package is the npm package that a client is installed from, "" if there is none.
func Package(name string) string {
	first, _, _ := strings.Cut(find(name).Packages, " ")
	return first
}

// Tested lists the versions of a client that its adapter was tried with, the newest first.
// The end-to-end tests install them, and doctor compares with them.
func Tested(name string) []string { return strings.Fields(find(name).Tested) }

// find is a client's row; an empty one where there is none.
func find(name string) (c Client) {
	if i := slices.IndexFunc(table[:], func(c Client) bool { return c.Name == name }); i >= 0 {
		c = table[i]
	}
	return c
}

// StartedBy names the client in which a shell command starts an agent, "" if it starts none.
func StartedBy(words []string) string {
	c, args := identify(words)
	if c == nil || len(args) == 1 && slices.Contains([]string{"--version", "-v", "--help", "-h"}, args[0]) {
		return ""
	}
	starts := len(args) > 0 && slices.Contains(strings.Fields(c.Agents), args[0])
	if c.Agents == "" {
		starts = !slices.ContainsFunc(strings.Split(c.Harmless, ","), func(list string) bool {
			words := strings.Fields(list)
			return len(words) > 0 && len(args) >= len(words) && slices.Equal(args[:len(words)], words)
		})
	}
	if !starts {
		return ""
	}
	return c.Name
}

// identify finds the client that a command line runs, and the arguments that it is given.
func identify(words []string) (*Client, []string) {
	if len(words) == 0 {
		return nil, nil
	}
	if c := findProgram(words[0]); c != nil {
		return c, words[1:]
	}
	name, rest := programName(words[0]), words[1:] // what an interpreter, or nix run, is given to run
	isInterpreter := slices.Contains([]string{"node", "bun", "deno", "MainThread"}, name) ||
		strings.HasPrefix(name, "python")
	if len(rest) > 1 && slices.Contains([]string{"bun", "deno", "nix"}, name) && rest[0] == "run" {
		for rest = rest[1:]; len(rest) > 1 && strings.HasPrefix(rest[0], "-"); {
			rest = rest[1:]
		}
	} else if !isInterpreter {
		return nil, nil
	}
	if len(rest) == 0 {
		return nil, nil
	}
	script, args := strings.TrimPrefix(rest[0], "npm:"), rest[1:]
	if _, part, ok := strings.Cut(script, "#"); ok && name == "nix" {
		script = part
	}
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	script = filepath.ToSlash(script)
	if c := findProgram(script); c != nil {
		return c, args
	}
	isOfPackage := func(name string) bool { return strings.Contains(script, "node_modules/"+name+"/") }
	for i, c := range table {
		if slices.ContainsFunc(strings.Fields(c.Packages), isOfPackage) {
			return &table[i], args
		}
	}
	return nil, nil
}

// findProgram is the client that a word runs, nil for none: its program, the path of that, or its package, with or
// without a version.
func findProgram(word string) *Client {
	name := programName(word)
	for i, c := range table {
		if name == c.Name || slices.Contains(strings.Fields(c.Programs), name) ||
			slices.Contains(strings.Fields(c.Packages), word) {
			return &table[i]
		}
	}
	if at := max(strings.LastIndexByte(word, '@'), strings.IndexByte(word, '='), strings.IndexByte(word,
		'[')); at > 0 {
		return findProgram(word[:at])
	}
	return nil
}

// programName is the name of a program without its folder and what Windows adds.
func programName(word string) string {
	name := filepath.Base(word)
	for _, suffix := range [...]string{".exe", ".cmd", ".ps1", ".bat"} {
		if n := len(name) - len(suffix); n > 0 && strings.EqualFold(name[n:], suffix) {
			return strings.ToLower(name[:n])
		}
	}
	return name
}
