package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/configs"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/claude"
	"github.com/agent-pipeline/pipeline/hooks/dialect"
)

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
