package claude_test

import (
	"path/filepath"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/claude"
)

const forks = "---\ncontext: fork\n---\nDo it.\n"

// TestSkill: which agent a skill or a command starts, when an agent calls it and when a person types it.
func TestSkill(t *testing.T) {
	for name, test := range map[string]struct {
		skill string
		files map[string]string // below the project's folder (p) and the client's (c)
		agent string            // that the tool call starts; "-" for none
		typed string            // that the person may start: "-" for none, "?" for any
	}{
		"forks": {"x", map[string]string{"p/.claude/skills/x/SKILL.md": forks}, "general-purpose",
			"general-purpose"},
		"forks into": {"x",
			map[string]string{"p/.claude/skills/x/SKILL.md": "---\nagent: Explore\ncontext: fork\n---\n"}, "Explore",
			"Explore"},
		"quoted": {"x",
			map[string]string{"p/.claude/skills/x/SKILL.md": "---\n\"context\": 'fork' # so\n---\n"},
			"general-purpose", "general-purpose"},
		"does not fork": {"x", map[string]string{"p/.claude/skills/x/SKILL.md": "---\nagent: Explore\n---\n"},
			"-", "-"},
		"another context": {"x", map[string]string{"p/.claude/skills/x/SKILL.md": "---\ncontext: inherit\n---\n"},
			"-", "-"},
		"no front matter": {"x", map[string]string{"p/.claude/skills/x/SKILL.md": "context: fork\n"}, "-", "-"},
		"not at the top":  {"x", map[string]string{"p/.claude/skills/x/SKILL.md": "\n" + forks}, "-", "-"},
		"empty":           {"x", map[string]string{"p/.claude/skills/x/SKILL.md": ""}, "-", "-"},
		"never closed":    {"x", map[string]string{"p/.claude/skills/x/SKILL.md": "---\ncontext: fork\n"}, "-", "-"},
		"broken YAML": {"x", map[string]string{"p/.claude/skills/x/SKILL.md": "---\ncontext: [fork\n---\n"},
			"-", "-"},
		"another type": {"x",
			map[string]string{"p/.claude/skills/x/SKILL.md": "---\ncontext: {fork: 1}\n---\n"}, "-", "-"},
		"an agent of a type": {"x",
			map[string]string{"p/.claude/skills/x/SKILL.md": "---\nagent: [a]\ncontext: fork\n---\n"},
			"general-purpose", "general-purpose"},
		"a YAML list": {"x", map[string]string{"p/.claude/skills/x/SKILL.md": "---\n- context: fork\n---\n"},
			"-", "-"},
		"said in the text": {"x",
			map[string]string{"p/.claude/skills/x/SKILL.md": "---\nname: x\n---\ncontext: fork\n---\n"}, "-", "-"},
		"CRLF": {"x",
			map[string]string{"p/.claude/skills/x/SKILL.md": "---\r\ncontext: fork\r\nagent: Plan\r\n---\r\nDo " +
				"it.\r\n"}, "Plan", "Plan"},
		"blanks": {"x", map[string]string{"p/.claude/skills/x/SKILL.md": "---  \ncontext: fork\n---\t\n"},
			"general-purpose", "general-purpose"},
		"a command": {"x", map[string]string{"p/.claude/commands/x.md": forks}, "general-purpose",
			"general-purpose"},
		"the person's own": {"x", map[string]string{"c/skills/x/SKILL.md": forks}, "general-purpose",
			"general-purpose"},
		"his command": {"x", map[string]string{"c/commands/x.md": forks}, "general-purpose", "general-purpose"},
		"two, one forks": {"x", map[string]string{"p/.claude/skills/x/SKILL.md": "---\nname: x\n---\n",
			"c/skills/x/SKILL.md": forks}, "general-purpose", "general-purpose"},
		"skill and command": {"x", map[string]string{"p/.claude/skills/x/SKILL.md": "x",
			"p/.claude/commands/x.md": forks}, "general-purpose", "general-purpose"},

		"unknown":    {"x", nil, "-", "?"},
		"a plugin's": {"plug:x", map[string]string{"p/.claude/skills/x/SKILL.md": forks}, "-", "?"},
		"an MCP's":   {"mcp__demo__greet", nil, "-", "?"},
		"no name": {"", map[string]string{"p/.claude/skills/SKILL.md": forks, "p/.claude/commands/.md": forks},
			"-", "?"},
		"up":          {"..", map[string]string{"p/.claude/SKILL.md": forks}, "-", "?"},
		"here":        {".", map[string]string{"p/.claude/skills/SKILL.md": forks}, "-", "?"},
		"elsewhere":   {"../../../q/x", map[string]string{"q/x/SKILL.md": forks, "q/x.md": forks}, "-", "?"},
		"a path":      {"a/x", map[string]string{"p/.claude/skills/a/x/SKILL.md": forks}, "-", "?"},
		"backslashes": {`a\x`, map[string]string{`p/.claude/skills/a\x/SKILL.md`: forks}, "-", "?"},
		"a folder": {"x", map[string]string{"p/.claude/skills/x/SKILL.md/y": "", "p/.claude/commands/x.md/y": ""},
			"-", "?"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for path, body := range test.files {
				write(t, filepath.Join(dir, path), body)
			}
			h := claude.Host{Surroundings: hooks.Surroundings{Project: filepath.Join(dir, "p")},
				Config: filepath.Join(dir, "c")}
			quoted := `"` + filepath.ToSlash(test.skill) + `"`
			if test.skill == `a\x` {
				quoted = `"a\\x"`
			}
			call := event(t, h, payload("PreToolUse",
				`"tool_name":"Skill","tool_input":{"skill":`+quoted+`}`)).Tool.Starts
			if got := started(call, fsm.BySkill, test.skill); got != test.agent {
				t.Errorf("called: got %s, want %s", got, test.agent)
			}
			typed := event(t, h, payload("UserPromptExpansion", `"command_name":`+quoted)).Tool.Starts
			if got := started(typed, fsm.ByPerson, test.skill); got != test.typed {
				t.Errorf("typed: got %s, want %s", got, test.typed)
			}
		})
	}
}

// started names the agent that is started, if that is how and by which name.
func started(s *fsm.Start, how fsm.How, name string) string {
	switch {
	case s == nil:
		return "-"
	case s.How != how || s.Name != name:
		return "wrong: " + string(s.How) + " " + s.Name
	case s.Type == "":
		return "?"
	}
	return s.Type
}
