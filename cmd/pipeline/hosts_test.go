package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/agent-pipeline/pipeline/configs"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/claude"
	"github.com/agent-pipeline/pipeline/hooks/clients"
	"github.com/agent-pipeline/pipeline/hooks/dialect"
)

// TestCapabilityTable: the page about clients says of each what its adapter says.
func TestCapabilityTable(t *testing.T) {
	var want strings.Builder
	all := listHosts(hooks.Surroundings{})
	want.WriteString("| can it … |")
	for _, h := range all {
		want.WriteString(" " + h.Name() + " |")
	}
	want.WriteString("\n|" + strings.Repeat("---|", len(all)+1) + "\n")
	for _, a := range hooks.Abilities() {
		want.WriteString("| " + a.Text + " |")
		for _, h := range all {
			want.WriteString(map[bool]string{true: " yes |", false: " no |"}[h.Can().Has(a.Set)])
		}
		want.WriteString("\n")
	}
	page, err := os.ReadFile(filepath.Join(repo(t), "docs", "hosts.md"))
	if err != nil || !strings.Contains(string(page), "\n\n"+want.String()+"\n") {
		t.Errorf("docs/hosts.md lacks this table: %v\n%s", err, want.String())
	}
	for _, h := range all {
		if !strings.Contains(string(page), "`"+h.Name()+"`") ||
			!strings.Contains(string(page), clients.Tested(h.Name())[0]) {
			t.Errorf("docs/hosts.md does not name %s and its version %s", h.Name(), clients.Tested(h.Name())[0])
		}
	}
}

// TestHostTable: each client of the table is known as one that starts agents and marks its shell, and only Claude Code
// has nothing to say of itself in a record.
func TestHostTable(t *testing.T) {
	for _, h := range listHosts(hooks.Surroundings{Home: "/h", Project: "/p"}) {
		if clients.StartedBy([]string{h.Name(), "run", "x"}) != h.Name() {
			t.Errorf("%s: its program is not known", h.Name())
		}
		if (h.Can().Describe(h.Name()) == fsm.HostInfo{}) != (h.Name() == "claude") {
			t.Errorf("%s: %+v", h.Name(), h.Can().Describe(h.Name()))
		}
		if len(h.Entries("/usr/bin/pipeline", false)) == 0 || len(h.Places().Settings) == 0 {
			t.Errorf("%s: nothing is registered", h.Name())
		}
	}
}

// TestOrdersByHost: only a client that takes them has its prompts read as commands.
func TestOrdersByHost(t *testing.T) {
	for _, h := range listHosts(hooks.Surroundings{}) {
		e := fsm.Event{Kind: fsm.Prompt, Text: "/pipeline once", Host: h.Can().Describe(h.Name())}
		if _, _, ok := typedCommand(e); ok != h.Can().Has(hooks.Ordered) {
			t.Errorf("%s: a prompt is a command: %v", h.Name(), ok)
		}
	}
}

// TestShippedAgents: each host finds every shipped agent in the form that is written for it, with all of its text. Only
// lines with a tool's name may differ.
func TestShippedAgents(t *testing.T) {
	dir := t.TempDir()
	for _, h := range listHosts(hooks.Surroundings{Home: dir, Project: filepath.Join(dir, "project")}) {
		for _, name := range configs.Agents() {
			source, _ := configs.Agent(name)
			file, text := h.Places().AgentFile(name), h.DefineAgent(source)
			if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, text, 0o644)); err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(dialect.ParseDefinition(source).Text) {
				if !namesTool.MatchString(line) && !strings.Contains(string(text), line) ||
					strings.Contains(line, "'''") {
					t.Errorf("%s: %s lost its text: %s", h.Name(), name, line)
				}
			}
			if own := namesTool.FindString(string(text)); own != "" && h.Name() == "qwen" {
				t.Errorf("%s: %s names %s, which is Claude Code's", h.Name(), name, own)
			}
		}
		if defined, _ := h.DefinedAgents(); !slices.Equal(defined, configs.Agents()) {
			t.Errorf("%s finds %q", h.Name(), defined)
		}
		if err := os.RemoveAll(filepath.Join(dir, "project")); err != nil {
			t.Fatal(err)
		}
	}
}

// namesTool finds names of Claude Code's tools that are no common words.
var namesTool = regexp.MustCompile(`\b(Task(Create|Update|Get|List)|SendMessage|AskUserQuestion|(Enter|Exit)PlanMode)\b`)

// TestShippedSkills: what belongs to a preset has the form and the words of each host.
func TestShippedSkills(t *testing.T) {
	for _, h := range listHosts(hooks.Surroundings{Home: "/home", Project: "/project"}) {
		for _, preset := range configs.Presets() {
			commands, skills := configs.Beside(preset)
			for n, name := range slices.Concat(commands, skills) {
				source, _ := configs.Skill(name)
				if n < len(commands) {
					source, _ = configs.Command(name)
				}
				file, text := h.DefineSkill(name, source, n < len(commands))
				if h.Name() == "claude" {
					if !bytes.Equal(source, text) || !strings.HasPrefix(file, "/project/.claude/") {
						t.Errorf("%s: %s differs from its source", file, name)
					}
					continue
				}
				var fields struct{ Name, Description, Context, Agent string }
				head, body, ok := dialect.CutHead(text)
				if err := yaml.Unmarshal(head, &fields); err != nil || !ok || fields.Name != name ||
					fields.Description == "" || fields.Context != "" || fields.Agent != "" || len(body) < 100 {
					t.Errorf("%s: %v in its head:\n%s", file, err, text)
				}
				for _, foreign := range []string{"$ARGUMENTS", "`/pipeline "} {
					if strings.Contains(string(body), foreign) && name != "bypass" {
						t.Errorf("%s has %s, which is Claude Code's:\n%s", file, foreign, text)
					}
				}
				if own := namesTool.FindString(string(body)); own != "" && h.Name() == "qwen" {
					t.Errorf("%s names %s, which is Claude Code's", file, own)
				}
				forks := bytes.Contains(source, []byte("context: fork"))
				if starts := bytes.Contains(body, []byte("Start the agent ")); starts != forks {
					t.Errorf("%s starts an agent: %v, the source does: %v", file, starts, forks)
				}
			}
		}
	}
}

// toolsOf are a client's own names of tools, in payloads and to its model.
func toolsOf(h hooks.Installer) (names []string) {
	if h.Name() == "claude" {
		return append(claude.Tools(), "TeamCreate", "TeamDelete")
	}
	d := reflect.ValueOf(h).FieldByName("Dialect").Interface().(*dialect.Dialect)
	for _, t := range d.ListTools() {
		names = append(names, t.Native, t.Said)
	}
	return append(names, d.Starter.Tool, d.Starter.Agent)
}

// isUnlikeWord reports whether a name cannot be an English word: TaskCreate, read_file.
func isUnlikeWord(name string) bool {
	return strings.Contains(name, "_") || strings.ContainsFunc(name[min(1, len(name)):],
		func(r rune) bool { return 'A' <= r && r <= 'Z' })
}

// foreignWords finds what a text says in the words of another client than the one that reads it.
func foreignWords(h hooks.Installer, text string) (found []string) {
	own := append(toolsOf(h), "general-purpose")
	for _, other := range listHosts(hooks.Surroundings{}) {
		for _, name := range append(toolsOf(other), "the Agent tool", "Agent(", "Skill(", "subagent_type") {
			if slices.Contains(own, name) || other.Name() == h.Name() || h.Name() == "qwen" &&
				name == "subagent_type" ||
				!isUnlikeWord(name) && !strings.ContainsAny(name, " (") {
				continue
			}
			if at := regexp.MustCompile(`(^|\W)` + regexp.QuoteMeta(name) + `(\W|$)`).FindString(text); at != "" {
				found = append(found, name)
			}
		}
	}
	return found
}

// TestPresetWords: whatever a preset says reaches an agent in the words of the client that it runs in: the files that
// init writes, and the texts that hooks give at a session's start, with a prompt, in a refusal and at a turn's end.
func TestPresetWords(t *testing.T) {
	for _, preset := range configs.Presets() {
		for _, h := range listHosts(hooks.Surroundings{}) {
			t.Run(preset+"/"+h.Name(), func(t *testing.T) {
				if h.Name() == "claude" {
					return
				}
				dir, home := t.TempDir(), t.TempDir()
				setUpHosts(t, dir, home)
				if err := os.RemoveAll(dir + "/configs"); err != nil {
					t.Fatal(err)
				}
				call := func(stdin string, args ...string) string {
					var out bytes.Buffer
					run(append([]string{"pipeline"}, args...), strings.NewReader(stdin), &out, &out)
					return out.String()
				}
				call("", "init", "--yes", "--preset", preset, "--host", h.Name())
				texts := writtenTexts(t, h, dir)
				if preset == "delegation" && len(texts) < 10 {
					t.Fatalf("init wrote %d files", len(texts))
				}
				tell := func(event, fields string) {
					payload := fmt.Sprintf(`{"session_id":"s1","cwd":%q,"hook_event_name":%q,%s}`, dir, event, fields)
					if !json.Valid([]byte(payload)) {
						t.Fatal(payload)
					}
					texts[event+" "+fields] = call(payload, "hook", "--host", h.Name(), event)
				}
				tell("SessionStart", `"source":"startup"`)
				tell("UserPromptSubmit", `"submitted_prompt":"p","prompt":"First do a and then b, including c, finally d; the orchestrator skill"`)
				for _, name := range slices.Compact(toolsOf(h)) {
					tell("PreToolUse", fmt.Sprintf(`"tool_use_id":"u%d","tool_name":%q,"tool_input":{"command":"npm test; claude -p go",`+
						`"file_path":"a.go","path":"a.go","agent_type":"nobody","subagent_type":"nobody"}`, len(texts), name))
				}
				tell("Stop", `"stop_hook_active":false`)
				said := 0
				for from, text := range texts {
					said += len(text)
					if found := foreignWords(h, text); found != nil {
						t.Errorf("%s says %q:\n%s", from, found, text)
					}
				}
				if said < 500 {
					t.Errorf("only %d bytes were said", said)
				}
			})
		}
	}
}

// writtenTexts are the agents, commands and skills that init wrote for a client, without
// the head of each, which lists tools by names that the client reads.
func writtenTexts(t *testing.T, h hooks.Installer, dir string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.Contains(path, "/configs/") || !strings.Contains(path, "/.") {
			return err
		}
		body, err := os.ReadFile(path)
		if _, text, ok := dialect.CutHead(body); ok {
			body = text
		}
		texts[strings.TrimPrefix(path, dir)] = string(body)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// forbidding refuses what the tries below try. Its rules name tools as Claude Code does.
const forbidding = `version: 1
on_error: deny
orchestrator:
  default: {allow: true}
  rules: &rules
    - {name: no-writing, deny: [Write, Edit, Delete, NotebookEdit], paths: ["src/**", "*.go"], reason: Not here.}
    - {name: no-secrets, deny: [Read, Grep, Glob, LS], paths: [secret, secret/**], reason: Not these.}
    - {name: no-code, deny: [Bash], commands: ["?", terraform], reason: Not that.}
    - {name: no-agents, deny: [Agent, Bash], reason: None.,
       starts: ["bad*", default, general-purpose, claude, codex, copilot, qwen, gemini, opencode]}
    - {name: no-server, deny: [mcp__e-vil__run, WebFetch], reason: Not this server.}
subagents:
  default: {allow: true}
  rules: *rules
`

// A try is one call of a tool in a host's own words. It is refused, but for a control.
type try struct {
	tool, input string // ~ is the user's home, . the project
	passes      bool
}

// hostTries are ways to what the config forbids, and to files by which a client calls pipeline.
var hostTries = map[string][]try{
	"codex": {
		{tool: "Bash", input: `{"command":"go test ./..."}`, passes: true},
		{tool: "apply_patch", input: `{"command":"*** Begin Patch\n*** Add File: src/a.go\n+x\n*** End Patch\n"}`},
		{tool: "apply_patch", input: `{"command":"*** Begin Patch\n*** Update File: b.txt\n*** Move to: ./src/b.go\n@@\n-a\n+b\n*** End Patch\n"}`},
		{tool: "apply_patch", input: `{"command":"*** Begin Patch\n*** Delete File: ~/.codex/hooks.json\n*** End Patch\n"}`},
		{tool: "Bash", input: `{"command":"apply_patch <<'E'\n*** Begin Patch\n*** Add File: src/a.go\n+x\n*** End Patch\nE"}`},
		{tool: "Bash", input: `{"command":"echo '{}' > hooks.json"},"cwd":"~/.codex"`},
		{tool: "Bash", input: `{"command":"sed -i s/true/false/ ~/.codex/config.toml"}`},
		{tool: "Bash", input: `{"command":"mkdir -p .codex && printf '[features]\\nhooks = false' > .codex/config.toml"}`},
		{tool: "Bash", input: `{"command":"CODEX_HOME=/tmp/x codex exec 'write it'"}`},
		{tool: "Bash", input: `{"command":"npx @openai/codex@0.169.0 exec go"}`},
		{tool: "Bash", input: `{"command":"bash"}`},
		{tool: "Bash", input: `{"command":"python3 -i"}`},
		{tool: "Bash", input: `{"command":["bash","-lc","terraform apply"]}`},
		{tool: "shell", input: `{"command":"terraform apply"}`},
		{tool: "spawn_agent", input: `{"agent_type":"bad-one","message":"go"}`},
		{tool: "multi_agent_v1spawn_agent", input: `{"agent_type":"bad-one","message":"go"}`},
		{tool: "collaborationspawn_agent", input: `{"task_name":"t","message":"go"}`},
		{tool: "view_image", input: `{"path":"secret/key.png"}`},
		{tool: "mcp__e_vil__run", input: `{}`},
		{tool: "Bash", input: `{"command":"pipeline mode off"}`},
		{tool: "Bash", input: `{"command":"pipeline uninstall --host codex"}`},
	},
	"copilot": {
		{tool: "Write", input: `{"path":"doc/a.txt","file_text":"x"}`, passes: true},
		{tool: "Write", input: `{"path":"./src/a.go","file_text":"x"}`},
		{tool: "Edit", input: `"*** Begin Patch\n*** Update File: src/a.go\n@@\n-a\n+b\n*** End Patch\n"`},
		{tool: "apply_patch", input: `"*** Begin Patch\n*** Add File: src/a.go\n+x\n*** End Patch\n"`},
		{tool: "Edit", input: `"*** Begin Patch\n*** Add File: .github/copilot/settings.json\n+{\"disableAllHooks\":true}\n*** End Patch\n"`},
		{tool: "Bash", input: `{"command":"mkdir -p .github/copilot; echo '{}' > .github/copilot/settings.local.json"}`},
		{tool: "Write", input: `{"path":".claude/settings.local.json","file_text":"{}"}`},
		{tool: "Bash", input: `{"command":"rm ~/.copilot/hooks/pipeline.json"}`},
		{tool: "Bash", input: `{"command":"cd ~/.copilot/hooks && mv pipeline.json x.json"}`},
		{tool: "Write", input: `{"path":"~/.copilot/settings.json","file_text":"{}"}`},
		{tool: "Grep", input: `{"pattern":"key","paths":["doc","secret"]}`},
		{tool: "Glob", input: `{"pattern":"*","paths":"secret"}`},
		{tool: "Read", input: `{"path":"./secret/key"}`},
		{tool: "Agent", input: `{"agent_type":"bad-one","name":"b","prompt":"go","mode":"background"}`},
		{tool: "Agent", input: `{"name":"b","prompt":"go"}`},
		{tool: "Bash", input: `{"command":"bash","mode":"async"}`},
		{tool: "Bash", input: `{"command":"COPILOT_HOME=/tmp/x copilot -p go --allow-all-tools"}`},
		{tool: "e-vil-run", input: `{}`},
		{tool: "Bash", input: `{"command":"pipeline once"}`},
		{tool: "bash", input: `{"command":"terraform apply"}`},
	},
	"qwen": {
		{tool: "run_shell_command", input: `{"command":"echo x > a.txt","directory":"."}`, passes: true},
		{tool: "write_file", input: `{"file_path":"./src/a.go","content":"x"}`},
		{tool: "edit", input: `{"file_path":"src/a.go","old_string":"a","new_string":"b"}`},
		{tool: "notebook_edit", input: `{"notebook_path":"src/a.ipynb","new_source":"x"}`},
		{tool: "run_shell_command", input: `{"command":"echo x > a.txt","directory":"./src"}`},
		{tool: "run_shell_command", input: `{"command":"echo '{}' > settings.json","directory":"~/.qwen"}`},
		{tool: "write_file", input: `{"file_path":"./.env","content":"QWEN_CODE_SAFE_MODE=1"}`},
		{tool: "write_file", input: `{"file_path":".qwen/.env","content":"QWEN_CODE_SIMPLE=1"}`},
		{tool: "run_shell_command", input: `{"command":"echo QWEN_HOME=/tmp/x >> ~/.env"}`},
		{tool: "run_shell_command", input: `{"command":"cp /tmp/x ~/.qwen/.env"}`},
		{tool: "run_shell_command", input: `{"command":"QWEN_HOME=/tmp/x qwen -p go --yolo"}`},
		{tool: "read_file", input: `{"file_path":"./secret/key"}`},
		{tool: "list_directory", input: `{"path":"secret"}`},
		{tool: "grep_search", input: `{"pattern":"k","path":"secret"}`},
		{tool: "monitor", input: `{"command":"terraform apply"}`},
		{tool: "agent", input: `{"subagent_type":"bad-one","prompt":"go","run_in_background":true}`},
		{tool: "agent", input: `{"prompt":"go"}`},
		{tool: "create_sub_session", input: `{"subagent_type":"bad-one","prompt":"go"}`},
		{tool: "mcp__e_vil__run", input: `{}`},
		{tool: "cron_create", input: `{"prompt":"/pipeline mode off","schedule":"* * * * *"}`},
		{tool: "skill", input: `{"skill":"pipeline"}`},
	},
}

// moreTries are further ones: inputs in other forms, tools of other versions, clients that start clients.
var moreTries = map[string][]try{
	"claude": {
		{tool: "Write", input: `{"file_path":"doc/a.txt","content":"x"}`, passes: true},
		{tool: "Bash", input: `{"command":"go test ./...","run_in_background":true}`, passes: true},
		{tool: "Write", input: `{"path":"src/b.go","content":"x"}`},
		{tool: "Write", input: `{"file_path":["src/b.go"],"content":"x"}`},
		{tool: "Write", input: `"{\"file_path\":\"src/b.go\"}"`},
		{tool: "Write", input: `{"file_path":"doc/a.txt","file_path":"src/b.go","content":"x"}`},
		{tool: "Write", input: `{"file_path":"src/b.go\u0000.txt","content":"x"}`},
		{tool: "Edit", input: `{"edits":[{"file_path":"doc/a.txt"},{"file_path":"src/a.go"}]}`},
		{tool: "NotebookEdit", input: `{"notebook_path":"linked/a.ipynb","new_source":"x"}`},
		{tool: "Artifact", input: `{"file_path":"secret/key"}`},
		{tool: "Bash", input: `{"cmd":"terraform apply"}`},
		{tool: "Bash", input: `{"command":"go version","command":"terraform apply"}`},
		{tool: "Bash", input: `{"command":"go version\u0000; terraform apply"}`},
		{tool: "Bash", input: `{"command":"./node_modules/.bin/codex exec --yolo go"}`},
		{tool: "Bash", input: `{"command":"env -i sh -c 'qwen -p go --yolo'"}`},
		{tool: "Bash", input: `{"command":"pnpm dlx @github/copilot -p go"}`},
		{tool: "Monitor", input: `{"command":"terraform apply"}`},
		{tool: "REPL", input: `{"code":"require('fs').writeFileSync('src/a.go','')"}`},
		{tool: "mcp__ide__executeCode", input: `{"code":"open('src/a.go','w')"}`},
		{tool: "Task", input: `{"subagent_type":"bad-one","prompt":"go","isolation":"worktree"}`},
		{tool: "Write", input: `{"file_path":"~/.codex/config.toml","content":"[features]\nhooks = false"}`},
		{tool: "Write", input: `{"file_path":".qwen/settings.json","content":"{\"disableAllHooks\":true}"}`},
		{tool: "Bash", input: `{"command":"@5MB; terraform apply"}`},
	},
	"codex": {
		{tool: "apply_patch", input: `{"command":"*** Begin Patch\n*** Add File: doc/a.txt\n+*** Add File: src/a.go\n*** End Patch"}`,
			passes: true},
		{tool: "Bash", input: `{"command":"cd src && apply_patch <<'E'\n*** Begin Patch\n*** Add File: notes.txt\n+x\n*** End Patch\nE"}`},
		{tool: "Bash", input: `{"command":"cd doc && cd ../src; apply_patch <<'E'\n*** Begin Patch\n*** Add File: notes.txt\n+x\n*** End Patch\nE"}`},
		{tool: "Bash", input: `{"command":"cd ./doc && apply_patch <<'E'\n*** Begin Patch\n*** Add File: notes.txt\n+x\n*** End Patch\nE"}`,
			passes: true},
		{tool: "Bash", input: `{"command":"cd ~/.codex && apply_patch <<'E'\n*** Begin Patch\n*** Update File: hooks.json\n+x\n*** End Patch\nE"}`},
		{tool: "Bash", input: `{"command":"applypatch '*** Begin Patch\n*** Add File: src/n.txt\n+x\n*** End Patch'"}`},
		{tool: "apply_patch", input: `{"command":"*** Begin Patch\r\n*** Add File: ./src/n.txt\r\n+x\r\n*** End Patch\r\n"}`},
		{tool: "apply_patch", input: `{"command":"*** Begin Patch\n*** Add File: doc/../src/n.txt\n+x\n*** End Patch\n"}`},
		{tool: "apply_patch", input: `{"command":"*** Begin Patch\n*** Add File: linked/n.txt\n+x\n*** End Patch\n"}`},
		{tool: "apply_patch", input: `{"command":"*** Begin Patch\n*** Add File: doc/n.txt\n+x\n*** Delete File: src/a.go\n*** End Patch\n"}`},
		{tool: "apply_patch", input: `{"command":"*** Begin Patch\n*** Update File: src/x.txt\n*** Move to: doc/b.txt\n@@\n*** End Patch\n"}`},
		{tool: "apply_patch", input: `{"command":"*** Begin Patch\n*** Add File: doc/n.txt\n+@5MB\n*** Add File: src/n.txt\n*** End Patch\n"}`},
		{tool: "apply_patch", input: `{"input":"*** Begin Patch\n*** Add File: src/n.txt\n+x\n*** End Patch\n"}`},
		{tool: "apply_patch", input: `{"command":"diff --git a/src/a.go b/src/a.go\nrename from src/a.go\nrename to b"}`},
		{tool: "Bash", input: `{"cmd":"terraform apply"}`},
		{tool: "Bash", input: `{"command":7}`},
		{tool: "Bash", input: `"terraform apply"`},
		{tool: "write_stdin", input: `{"session_id":1,"chars":"terraform apply\n"}`},
		{tool: "Bash", input: `{"command":"claude -p go --dangerously-skip-permissions"}`},
		{tool: "Bash", input: `{"command":"npm exec --yes -- @google/gemini-cli -p go"}`},
		{tool: "Bash", input: `{"command":"~/.opencode/bin/opencode run go"}`},
		{tool: "Bash", input: `{"command":"printf '{}' > .claude/settings.json"}`},
		{tool: "functions.apply_patch", input: `{"command":"*** Begin Patch\n*** Add File: src/n.txt\n+x\n*** End Patch\n"}`},
		{tool: "local_shell", input: `{"action":{"command":["terraform","apply"]}}`},
	},
	"copilot": {
		{tool: "Edit", input: `{"command":"create","path":"doc/a.txt","file_text":"x"}`, passes: true},
		{tool: "AskUserQuestion", input: `{"question":"Which one?"}`, passes: true},
		{tool: "Write", input: `"{\"path\":\"src/a.go\"}"`},
		{tool: "Write", input: `{"file":"src/a.go","file_text":"x"}`},
		{tool: "Write", input: `{"path":7,"file_text":"x"}`},
		{tool: "Edit", input: `{"edits":[{"path":"src/a.go","old_str":"a","new_str":"b"}]}`},
		{tool: "Edit", input: `{"path":"linked/a.txt","old_str":"a","new_str":"b"}`},
		{tool: "Edit", input: `["src/a.go"]`},
		{tool: "Edit", input: `"*** Begin Patch\r\n*** Update File: doc/a.txt\r\n*** Move to: src/n.txt\r\n*** End Patch\r\n"`},
		{tool: "Edit", input: `"*** Begin Patch\n*** Add File: ~/.copilot/hooks/pipeline.json\n+{}\n*** End Patch\n"`},
		{tool: "Edit", input: `{"patch":"*** Begin Patch\n*** Add File: src/n.txt\n+x\n*** End Patch\n"}`},
		{tool: "str_replace_editor", input: `{"command":"create","path":"src/n.txt","file_text":"x"}`},
		{tool: "create", input: `{"path":"src/n.txt","file_text":"x"}`},
		{tool: "write_bash", input: `{"shellId":"1","input":"terraform apply{enter}"}`},
		{tool: "write_powershell", input: `{"shellId":"1","input":"terraform apply{enter}"}`},
		{tool: "powershell", input: `{"command":"terraform apply"}`},
		{tool: "WebFetch", input: `{"url":"http://127.0.0.1/"}`},
		{tool: "web_fetch", input: `{"url":"http://127.0.0.1/"}`},
		{tool: "view", input: `{"path":"secret/key"}`},
		{tool: "show_file", input: `{"path":"secret/key"}`},
		{tool: "task", input: `{"agent_type":"bad-one","prompt":"go"}`},
		{tool: "Bash", input: `{"command":"npx -y -p @anthropic-ai/claude-code claude -p go"}`},
		{tool: "Bash", input: `{"command":"node /opt/node_modules/@qwen-code/qwen-code/cli.js -p go"}`},
		{tool: "Bash", input: `{"command":"python3","mode":"async","detach":true}`},
		{tool: "Bash", input: `{"command":"echo 'hooks = false' >> ~/.codex/config.toml"}`},
	},
	"qwen": {
		{tool: "write_file", input: `{"file_path":"./doc/a.txt","content":"*** Begin Patch\n*** Add File: src/a.go"}`, passes: true},
		{tool: "replace", input: `{"file_path":"src/a.go","old_string":"a","new_string":"b"}`},
		{tool: "task", input: `{"subagent_type":"bad-one","prompt":"go"}`},
		{tool: "task", input: `{"prompt":"go"}`},
		{tool: "search_file_content", input: `{"pattern":"k","path":"secret"}`},
		{tool: "read_many_files", input: `{"paths":["doc","secret/key"]}`},
		{tool: "write_file", input: `{"absolute_path":"./src/n.txt","content":"x"}`},
		{tool: "write_file", input: `{"content":"x"}`},
		{tool: "write_file", input: `{"file_path":"./linked/n.txt","content":"x"}`},
		{tool: "edit", input: `{"file_path":"./doc/a.txt","file_path":"./src/a.go"}`},
		{tool: "edit", input: `[{"file_path":"./src/a.go"}]`},
		{tool: "notebook_edit", input: `{"cells":[{"notebook_path":"src/a.ipynb"}]}`},
		{tool: "artifact", input: `{"file_path":"./secret/key"}`},
		{tool: "exec", input: `{"code":"tools.write_file({file_path:'src/a.go'})"}`},
		{tool: "run_shell_command", input: `{"command":"go version","args":["; terraform apply"],"command":["terraform","apply"]}`},
		{tool: "run_shell_command", input: `{"command":"touch n.txt","directory":"src"}`},
		{tool: "run_shell_command", input: `{"command":"terraform apply","is_background":true}`},
		{tool: "monitor", input: `{"cmd":"terraform apply"}`},
		{tool: "mcp__qwen__write_file", input: `{"file_path":"./src/n.txt","content":"x"}`},
		{tool: "run_shell_command", input: `{"command":"codex exec --yolo go"}`},
		{tool: "run_shell_command", input: `{"command":"bunx @github/copilot -p go"}`},
		{tool: "run_shell_command", input: `{"command":"uvx --from git+https://x/y claude -p go"}`},
		{tool: "write_file", input: `{"file_path":"./.github/copilot/settings.json","content":"{}"}`},
		{tool: "run_shell_command", input: `{"command":"cp x hooks.json","directory":"~/.codex"}`},
	},
}

// TestHostTries: what a config forbids is refused to the main agent, to an agent and to an
// agent's agent, with each host's own tools. So is what would keep a client from calling
// pipeline.
func TestHostTries(t *testing.T) {
	dir, home := t.TempDir(), t.TempDir()
	setUpHosts(t, dir, home)
	for host := range moreTries {
		tries := slices.Concat(hostTries[host], moreTries[host])
		for _, caller := range []string{"", `"agent_id":"a1","agent_type":"worker","parent_agent_id":"s",`,
			`"agent_id":"a2","agent_type":"worker","parent_agent_id":"a1",`} {
			for _, try := range tries {
				input := strings.NewReplacer(`"~/`, `"`+home+`/`, `"./`, `"`+dir+`/`,
					`"."`, `"`+dir+`"`, "@5MB", strings.Repeat("x", 5<<20)).Replace(try.input)
				payload := `{"session_id":"s","hook_event_name":"PreToolUse",` + caller +
					`"tool_use_id":"u","tool_name":"` + try.tool + `","cwd":"` + dir + `","tool_input":` + input + `}`
				if !json.Valid([]byte(payload)) {
					t.Fatalf("no JSON: %s", payload)
				}
				var out bytes.Buffer
				line := []string{"pipeline", "hook", "--host", host, "pre-tool-use"}
				run(line, strings.NewReader(payload), &out, &out)
				if denied := strings.Contains(out.String(), `"permissionDecision":"deny"`); denied == try.passes {
					t.Errorf("%s: %q %s of %s: refused: %v\n%s", host, caller, try.input, try.tool, denied, &out)
				}
			}
		}
	}
}

// setUpHosts makes a project and a home with the folders of each host.
func setUpHosts(t *testing.T, dir, home string) {
	t.Helper()
	for name, value := range map[string]string{"HOME": home, "XDG_STATE_HOME": home + "/.local/state",
		"XDG_CONFIG_HOME": home + "/.config", "CODEX_HOME": "", "COPILOT_HOME": "", "CLAUDE_CONFIG_DIR": "",
		"PIPELINE_CONFIG": "", "PIPELINE_LEVEL": ""} {
		t.Setenv(name, value)
	}
	t.Chdir(dir)
	for file, text := range map[string]string{dir + "/configs/pipeline.yaml": forbidding, dir + "/.git/HEAD": "",
		home + "/.codex/hooks.json": "{}", home + "/.copilot/hooks/pipeline.json": "{}",
		home + "/.qwen/settings.json": "{}", dir + "/src/a.go": "", dir + "/secret/key": "", dir + "/src/a.ipynb": ""} {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("src", dir+"/linked"); err != nil {
		t.Fatal(err)
	}
}
