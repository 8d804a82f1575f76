package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/configs"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/guard"
)

// personForms are lines of each person-only command, each of which must be refused to an agent.
func personForms() map[string][]string {
	return map[string][]string{
		"init":      {"init --replace", "init -replace", "init --replace=true", "init --preset x --replace", "init $X"},
		"uninstall": {"uninstall", "uninstall --scope user"},
		"session":   {"session clear", "session clear s1 --force", "session --force clear", "session $X"},
		"dispute":   {"dispute s1:3 why"},
		"reset": {"reset", "reset why", "--config x reset why", "-config x reset", "--config=x reset",
			"-- reset x"},
		"mode": {"mode strict", "mode off --json", "mode --session status off", "mode --clear", "mode clear",
			"mode $X"},
		"bypass":  {"bypass on", "bypass on status", "bypass off", "bypass on 'fix status'", "bypass --json on"},
		"once":    {"once", "once why"},
		"export":  {"export --otlp https://example.com", "export -otlp=https://example.com", "export $X"},
		"approve": {"approve", "approve --yes"},
		"reject":  {"reject why"},
		"hook":    {"hook stop", "hook --host claude pre-tool-use"},
	}
}

// harmlessForms are lines that an agent may run: of each command that is not person-only, and of the
// others the forms that only show.
func harmlessForms() map[string][]string {
	return map[string][]string{
		"init":          {"init", "init --preset default"},
		"install":       {"install", "install --scope local"},
		"check":         {"check", "check pipeline.yaml"},
		"doctor":        {"doctor", "doctor --json"},
		"config":        {"config", "config --questions"},
		"status":        {"status", "status --json", "status s1", "status --watch"},
		"session":       {"session", "session list"},
		"graph":         {"graph", "graph --format dot"},
		"explain":       {"explain Read(a)", "explain reset", "explain s1:1"},
		"test":          {"test"},
		"replay":        {"replay"},
		"log":           {"log", "log --json", "log --all"},
		"audit":         {"audit verify"},
		"tasks":         {"tasks", "tasks schema", "tasks score", "tasks route reset"},
		"report":        {"report", "report --gate 80", "report --readiness"},
		"mode":          {"mode", "mode --json", "mode status"},
		"bypass":        {"bypass", "bypass status", "bypass status --json"},
		"demo":          {"demo"},
		"statusline":    {"statusline"},
		"policy-helper": {"policy-helper"},
		"completion":    {"completion bash"},
		"version":       {"version"},
	}
}

// TestEveryCommandIsJudged fails for a command that is in neither list: the author of a new one decides
// whether an agent may run it.
func TestEveryCommandIsJudged(t *testing.T) {
	for _, e := range commandTable() {
		marked := e.personOnly != ""
		if marked != (len(personForms()[e.name]) > 0) {
			t.Errorf("%s: marked as person-only: %v, forms that are refused: %q", e.name, marked, personForms()[e.name])
		}
		if !marked && len(harmlessForms()[e.name]) == 0 {
			t.Errorf("%s is neither person-only nor listed as harmless", e.name)
		}
	}
}

// TestPersonOnly: the guard refuses them from an agent's shell, the program under an agent's client.
func TestPersonOnly(t *testing.T) {
	s := newAgentShell(t)
	for name, lines := range personForms() {
		for _, line := range lines {
			if why := s.guarded(line); !strings.Contains(why, "what the pipeline enforces") {
				t.Errorf("pipeline %s: the guard lets it pass: %q", line, why)
			}
		}
		line := map[string]string{"session": "session clear s1 --force", "reset": "reset why",
			"bypass": "bypass on why"}[name]
		if line == "" {
			line = lines[0]
		}
		out, err := s.run(line)
		want := "is for a person"
		switch name {
		case "hook":
			want = "a hook was called from an agent's shell"
		}
		if err == nil || !strings.Contains(out, want) {
			t.Errorf("pipeline %s: %v, %s", line, err, out)
		}
	}
	for _, c := range guard.TypedCommands() {
		file, _ := configs.Command("pipeline")
		if c.Usage != "" && !strings.Contains(string(file), c.Word) {
			t.Errorf("the command file does not name %s", c.Word)
		}
	}
}

// TestHarmless: what an agent may run changes nothing of what is enforced.
func TestHarmless(t *testing.T) {
	s := newAgentShell(t)
	before := s.enforcement()
	for _, lines := range harmlessForms() {
		for _, line := range lines {
			if why := s.guarded(line); why != "" {
				t.Errorf("pipeline %s is refused: %s", line, why)
			}
			if out, _ := s.run(line); strings.Contains(out, "is for a person") {
				t.Errorf("pipeline %s: %s", line, out)
			}
			if after := s.enforcement(); after != before {
				t.Fatalf("pipeline %s has changed what is enforced:\n%s\nexpected\n%s", line, after, before)
			}
		}
	}
}

// An agentShell runs the program as an agent would, in a project with the default config, where
// session s1 is under way.
type agentShell struct {
	t         *testing.T
	dir, home string
	session   string
	env       []string // beside HOME and PATH
}

func newAgentShell(t *testing.T) *agentShell {
	t.Helper()
	s := &agentShell{t: t, dir: t.TempDir(), home: t.TempDir(), session: "s1"}
	text, _ := configs.Preset("default")
	if err := os.WriteFile(filepath.Join(s.dir, "pipeline.yaml"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	s.hook("SessionStart", `"source":"startup"`)
	return s
}

func (s *agentShell) command(args ...string) *exec.Cmd {
	cmd := exec.Command(binary(), args...)
	cmd.Dir, cmd.Env = s.dir, append([]string{"HOME=" + s.home, "PATH=/usr/bin:/bin"}, s.env...)
	return cmd
}

// run runs a line as an agent does.
func (s *agentShell) run(line string) (string, error) {
	cmd := s.command(strings.Fields(line)...)
	cmd.Env = append(cmd.Env, "CLAUDECODE=1", "AI_AGENT=claude-code_agent")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// hook is a call of the client.
func (s *agentShell) hook(event, fields string) string {
	s.t.Helper()
	cmd := s.command("hook")
	cmd.Stdin = strings.NewReader(`{"session_id":"` + s.session + `","cwd":"` + s.dir + `","hook_event_name":"` +
		event + `",` + fields + `}`)
	out, err := cmd.Output()
	if err != nil {
		s.t.Fatal(err)
	}
	return string(out)
}

// guarded is what the guard says of a line in an agent's shell.
func (s *agentShell) guarded(line string) string {
	p := &program{console{getenv: func(k string) string { return map[string]string{"HOME": s.home}[k] }}}
	o := mustOpen(s.t, p, s.dir)
	for _, part := range p.newGuards(o).Parts(fsm.Tool{Name: "Bash", Command: "pipeline " + line}, s.dir) {
		if part.Guards != "" {
			return part.Guards
		}
	}
	return ""
}

// enforcement is what decides: the level, what is bypassed, the state, and the answer to a call that
// no state admits.
func (s *agentShell) enforcement() string {
	s.t.Helper()
	var all []string
	for _, args := range [][]string{{"mode", "--json"}, {"mode", "--json", "--session", "s1"},
		{"bypass", "status", "--json"}, {"graph"}, {"config"}} {
		out, err := s.command(args...).Output()
		if err != nil {
			s.t.Fatalf("pipeline %q: %v", args, err)
		}
		all = append(all, string(out))
	}
	return strings.Join(append(all, s.hook("PreToolUse",
		`"tool_name":"Agent","tool_use_id":"u","tool_input":{"subagent_type":"c-developer","prompt":"x"}`)), "\n")
}

// TestOnceForAnEndedSession is refused: no turn is left to be softened.
func TestOnceForAnEndedSession(t *testing.T) {
	s := newAgentShell(t)
	if out, err := s.command("once", "--session", "s1", "a", "typo").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	s.hook("SessionEnd", `"reason":"other"`)
	if out, err := s.command("once", "--session", "s1", "a", "typo").CombinedOutput(); err == nil ||
		!strings.Contains(string(out), "has ended") {
		t.Errorf("%v: %s", err, out)
	}
}
