package clients

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestStartedBy has a row for each client, its packages and the commands that start no agent.
func TestStartedBy(t *testing.T) {
	for line, want := range map[string]string{
		"claude -p hi":                           "claude",
		"/usr/bin/codex exec":                    "codex",
		"copilot":                                "copilot",
		"qwen -p x":                              "qwen",
		"gemini -p x":                            "gemini",
		"opencode run x":                         "opencode",
		"kimi":                                   "kimi",
		"kimi-code -p x":                         "kimi",
		"aider --message x":                      "aider",
		"cursor-agent -p x":                      "cursor-agent",
		"amp -x y":                               "amp",
		"droid exec x":                           "droid",
		"goose run -t x":                         "goose",
		"@anthropic-ai/claude-code@latest -p hi": "claude",
		"@anthropic-ai/claude-code -p hi":        "claude",
		"@openai/codex@1 exec":                   "codex",
		"@github/copilot -p x":                   "copilot",
		"@qwen-code/qwen-code":                   "qwen",
		"@google/gemini-cli -p x":                "gemini",
		"opencode-ai run x":                      "opencode",
		"@moonshot-ai/kimi-code":                 "kimi",
		"kimi-cli -p x":                          "kimi",
		"aider-chat":                             "aider",
		"@sourcegraph/amp":                       "amp",
		"goose-ai session":                       "goose",
		"node /usr/lib/node_modules/@google/gemini-cli/dist/index.js -p x": "gemini",
		"node node_modules/.bin/qwen -p x":                                 "qwen",
		"python3 /opt/bin/aider":                                           "aider",
		"claude --version -p x":                                            "claude",
		"claude mcp serve":                                                 "claude",
		"aider-chat==0.80":                                                 "aider",
		"aider-chat[browser]":                                              "aider",
		"deno run -A npm:@anthropic-ai/claude-code -p x":                   "claude",
		"bun run claude -p x":                                              "claude",
		"nix run nixpkgs#claude-code -- -p x":                              "claude",
		"crush run x":                                                      "crush",
		"@augmentcode/auggie":                                              "auggie",
		"cline x":                                                          "cline",
		"@kilocode/cli":                                                    "kilocode",
		"interpreter -y":                                                   "open-interpreter",
		"@mariozechner/pi-coding-agent":                                    "pi-coding-agent",
		"@google/gemini-cli@nightly -p x":                                  "gemini",
		"codex mcp":                                                        "codex",

		"":                "",
		"claude.exe -p x": "claude", "Claude.CMD -p x": "claude",
		"node.exe node_modules/@openai/codex/cli.js exec": "codex",

		"claude --version":       "",
		"claude -v":              "",
		"codex --help":           "",
		"gemini -h":              "",
		"claude mcp list":        "",
		"claude mcp get github":  "",
		"claude plugin list":     "",
		"claude doctor":          "",
		"claude update":          "",
		"claude config list":     "",
		"codex help":             "",
		"copilot help":           "",
		"crush logs":             "",
		"nix run nixpkgs#hello":  "",
		"bun run build":          "",
		"A=claude":               "",
		"codex mcp list":         "",
		"codex login status":     "",
		"qwen mcp list":          "",
		"gemini mcp list":        "",
		"gemini extensions list": "",
		"opencode mcp list":      "",
		"opencode auth list":     "",
		"opencode models":        "",
		"goose up":               "", // the migration tool
		"goose":                  "",
		"node build.js":          "",
		"node":                   "",
		"cat claude":             "",
		"claudette":              "",
	} {
		if got := StartedBy(strings.Fields(line)); got != want {
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
	}
}

// TestMarks: each variable of the table marks the shell of an agent, and no other does.
func TestMarks(t *testing.T) {
	marked := []string{"CLAUDECODE", "CODEX_SESSION_ID", "CODEX_CI", "COPILOT_CLI", "COPILOT_AGENT_SESSION_ID",
		"QWEN_CODE",
		"QWEN_CODE_SESSION_ID", "GEMINI_CLI", "OPENCODE", "OPENCODE_PID"}
	for _, name := range marked {
		if !isMarked(name+"=1", variables()) || !isMarked("HOME=/x\x00"+name+"=1\x00", variables()) {
			t.Errorf("%s does not mark an environment", name)
		}
		if !IsAbove(func(key string) string { return map[string]string{name: "1"}[key] }) {
			t.Errorf("%s does not mark our own environment", name)
		}
		if isMarked("X"+name+"=1", variables()) || isMarked("X="+name+"=1", variables()) {
			t.Errorf("%s marks where it is not a variable's name", name)
		}
	}
	if isMarked("AGENT=1\x00HOME=/x", variables()) || isMarked("", variables()) {
		t.Error("an ordinary environment is marked")
	}
}

// TestProcesses: a process is known by its name, and one that an interpreter runs by its script.
func TestProcesses(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	for line, want := range map[string]bool{"claude": true, "codex": true, "kimi-code": true, "opencode": true,
		"node gemini": true, "node build.js": false, "bash": false} {
		name, script, _ := strings.Cut(line, " ")
		program, args := filepath.Join(t.TempDir(), name), []string{"-c", "sleep 5; :"}
		if script != "" {
			args = []string{filepath.Join(t.TempDir(), script)}
			if err := os.WriteFile(args[0], []byte("sleep 5; :\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		body, err := os.ReadFile(shell)
		if err == nil {
			err = os.WriteFile(program, body, 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(program, args...)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		kernel := readTree()
		for range 100 { // until the kernel shows the new program's name
			if slices.Contains(kernel.Names(cmd.Process.Pid), name) && kernel.Environ(cmd.Process.Pid) != "" {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		if got := kernel.isClient(cmd.Process.Pid); got != want {
			t.Errorf("process %s: a client: %v, want %v", line, got, want)
		}
		if nested, basis := IsNested(cmd.Process.Pid); basis != ByEnvironment || nested &&
			!kernel.isUnder(os.Getppid(), variables()) {
			t.Errorf("process %s: nested %v, by %q", name, nested, basis)
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
}

func TestAncestors(t *testing.T) {
	if !IsAncestor(os.Getppid()) || IsAncestor(os.Getpid()) || IsAncestor(0) {
		t.Error("the processes above this one are not what the kernel shows")
	}
	if Nearest() <= 0 {
		t.Error("there is no caller")
	}
}

// TestVersions: a client's version is found in what it prints, and compared number by number.
func TestVersions(t *testing.T) {
	for said, want := range map[string]string{"2.1.330 (Claude Code)": "2.1.330", "codex-cli 0.169.0": "0.169.0",
		"GitHub Copilot CLI 1.0.102.\nRun 'copilot update'": "1.0.102", "0.24.4\n": "0.24.4", "": "", "1.2": "",
		"one.two.three": "", "codex-cli 0.170.0-alpha.3": "0.170.0"} {
		v, ok := ParseVersion(said)
		if ok != (want != "") || ok && v.String() != want {
			t.Errorf("%q: %s, %v", said, v, ok)
		}
	}
	if v := (Version{0, 9, 10}); v.Before(Version{0, 9, 9}) || !v.Before(Version{0, 10, 0}) || v.Before(v) {
		t.Error("versions are not in order")
	}
}
