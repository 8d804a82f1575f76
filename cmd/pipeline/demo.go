package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"
	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/config/system/filepath"
	"github.com/agent-pipeline/pipeline/configs"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

func newDemoCommand(p *program) *cli.Command {
	return &cli.Command{
		Usage: "Play a whole session through the real hooks, in a temporary directory",
		Description: `It touches nothing of yours.
Exit codes: 0 each call was answered as expected, 1 one was not, 3 could not run.`,
		UsageText: "pipeline demo",
		Action:    func(*cli.Context) error { return runDemo(p) },
	}
}

// A scene is one call of the client, and the expected answer.
type scene struct {
	title string
	event string // as the client names it
	with  map[string]any
	wants string // what the answer contains; "" for no answer
	state string // the state after it
}

const demoPlan = "1. bash-developer writes backup.sh. 2. c-developer speeds up hash.c."

// demoScenes: refusals, the walk from IDLE to COMPLETE, and the way out.
func demoScenes() []scene {
	prompt := func(text, state string) scene {
		with := map[string]any{"prompt": text}
		return scene{"the user asks: " + quote(text), "UserPromptSubmit", with, "context-gatherer", state}
	}
	denied := func(title string, call map[string]any, state string) scene {
		return scene{title, "PreToolUse", call, `"permissionDecision":"deny"`, state}
	}
	start := func(agent, id string) scene {
		return scene{"the main agent starts " + agent, "PreToolUse", agentCall(agent, id), "", ""}
	}
	begun := func(agent, id, wants string) scene {
		return scene{agent + " begins", "SubagentStart", map[string]any{"agent_id": id, "agent_type": agent}, wants, ""}
	}
	done := func(agent, id, says, state string) scene {
		return scene{agent + " comes back: " + quote(says), "SubagentStop",
			map[string]any{"agent_id": id, "agent_type": agent, "last_assistant_message": says}, "", state}
	}
	result := func(agent, id, wants string) scene {
		with := agentCall(agent, id)
		with["tool_response"] = map[string]any{"status": "completed", "agentId": id}
		return scene{"the main agent is given the result", "PostToolUse", with, wants, ""}
	}
	return []scene{
		{"a session starts", "SessionStart", map[string]any{"source": "startup"}, "IDLE, strict", "IDLE"},
		prompt("back up my files", "IDLE"),
		denied("the main agent starts bash-architect at once", agentCall("bash-architect", "x1"), "IDLE"),
		denied("it tries Explore instead", agentCall("Explore", "x2"), "IDLE"),
		denied("it tries to reset the pipeline from its shell",
			map[string]any{"tool_name": "Bash", "tool_use_id": "toolu_sh",
				"tool_input": map[string]any{"command": `bash -c 'pipeline reset "let me through"'`}}, "IDLE"),
		start("context-gatherer", "a1"),
		begun("context-gatherer", "a1", ""),
		done("context-gatherer", "a1", "backup.sh and hash.c exist; 40 GB in ~/data", "GATHERING"),
		result("context-gatherer", "a1", "context-refiner"),
		start("context-refiner", "a2"),
		begun("context-refiner", "a2", "40 GB in ~/data"),
		done("context-refiner", "a2", "only ~/data matters; hash.c is the slow part", "REFINING"),
		result("context-refiner", "a2", "strategic-orchestrator"),
		denied("the main agent does not wait for a plan", agentCall("bash-developer", "x3"), "REFINING"),
		start("strategic-orchestrator", "a3"),
		begun("strategic-orchestrator", "a3", "hash.c is the slow part"),
		done("strategic-orchestrator", "a3", demoPlan, "EXECUTING"),
		result("strategic-orchestrator", "a3", "The plan is ready"),
		start("bash-developer", "a4"),
		start("c-developer", "a5"),
		begun("bash-developer", "a4", "1. bash-developer writes backup.sh"),
		begun("c-developer", "a5", "2. c-developer speeds up hash.c"),
		done("bash-developer", "a4", "backup.sh written and tested", "EXECUTING"),
		{"the main agent ends its turn too early", "Stop", map[string]any{"background_tasks": []any{
			map[string]any{"id": "a5", "type": "subagent", "status": "running"}}}, "", "EXECUTING"},
		done("c-developer", "a5", "hash.c is four times faster", "EXECUTING"),
		result("c-developer", "a5", ""),
		{"the main agent ends its turn", "Stop", map[string]any{"background_tasks": []any{}}, "", "COMPLETE"},
		prompt("and now the tests", "COMPLETE"),
	}
}

func agentCall(agent, id string) map[string]any {
	return map[string]any{"tool_name": "Agent", "tool_use_id": "toolu_" + id,
		"tool_input": map[string]any{"subagent_type": agent, "description": "demo", "prompt": "demo"}}
}

// A stage is where the demo runs.
type stage struct {
	*program
	dir, self string
	env       []string
	failed    int
}

func runDemo(p *program) error {
	dir, err := os.MkdirTemp("", "pipeline-demo-")
	if err != nil {
		return fmt.Errorf("create a folder for the demo: %w", err)
	}
	defer os.RemoveAll(dir)
	s, err := newStage(p, dir)
	if err != nil {
		return err
	}
	p.printf("Each line is one call of a real `pipeline hook` process, with the default config.\n\n")
	for _, sc := range demoScenes() {
		if err := s.playScene(sc); err != nil {
			return err
		}
	}
	if err := s.endDemo(); err != nil {
		return err
	}
	if s.failed > 0 {
		p.sayf("%d of %d calls were not answered as expected", s.failed, len(demoScenes()))
		return errProblems
	}
	p.printf("\nAll %d calls were answered as expected.\n", len(demoScenes()))
	return nil
}

func newStage(p *program, dir string) (*stage, error) {
	text, _ := configs.Preset("default")
	if err := shareFile(filepath.Join(dir, "configs", "pipeline.yaml"), text, 0); err != nil {
		return nil, err
	}
	env := []string{"HOME=" + dir, "PATH=/usr/bin:/bin", "CLAUDE_PROJECT_DIR=" + dir}
	return &stage{program: p, dir: dir, self: findProgram(), env: env}, nil
}

func (s *stage) runPipeline(in []byte, args ...string) (string, error) {
	cmd := exec.Command(s.self, args...)
	var out, errs bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = s.dir, s.env, bytes.NewReader(in), &out, &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("pipeline %s: %w: %s", strings.Join(args, " "), err, errs.String())
	}
	return out.String() + errs.String(), nil
}

func (s *stage) playScene(sc scene) error {
	payload := map[string]any{"session_id": "demo", "transcript_path": filepath.Join(s.dir, "demo.jsonl"),
		"cwd": s.dir, "hook_event_name": sc.event}
	maps.Copy(payload, sc.with)
	in, _ := json.Marshal(payload) // strings and maps of them can always be encoded
	answer, err := s.runPipeline(in, "hook", "--host", "claude")
	if err != nil {
		return err
	}
	state, err := s.readState()
	if err != nil {
		return err
	}
	s.printf("%s %s\n", s.bold(padRight(state, demoColumn)), sc.title)
	r := gjson.Parse(answer)
	agent := r.Get("hookSpecificOutput.additionalContext").Str
	if verdict := r.Get("hookSpecificOutput.permissionDecision").Str; verdict != "" {
		agent = strings.ToUpper(verdict) + ": " + r.Get("hookSpecificOutput.permissionDecisionReason").Str
	}
	for _, said := range []struct{ to, text string }{{"◀ ", agent}, {"◁ to the user: ", r.Get("systemMessage").Str}} {
		if text := strings.Join(strings.Fields(said.text), " "); text != "" {
			indent := demoColumn + 3 + utf8.RuneCountInString(said.to)
			text = visible.Shorten(text, 300)
			if isTerminal(s.out) { // where it keeps its column
				text = strings.Join(foldWords(text, helpWidth-indent), "\n"+strings.Repeat(" ", indent))
			}
			s.printf("%*s   %s%s\n", demoColumn, "", said.to, s.paint(text))
		}
	}
	if sc.wants == "" && answer != "" || !strings.Contains(answer, sc.wants) {
		s.failed++
		s.sayf("expected an answer with %q, got %q", sc.wants, answer)
	}
	if sc.state != "" && sc.state != state {
		s.failed++
		s.sayf("expected state %s, got %s", sc.state, state)
	}
	return nil
}

func (s *stage) readState() (string, error) {
	body, err := s.runPipeline(nil, "status", "--json")
	return gjson.Get(body, "state").Str, err
}

// demoColumn is as wide as the longest state.
const demoColumn = 10

// endDemo resets the session as a person would, and draws its state.
func (s *stage) endDemo() error {
	commands, end := [][]string{{"reset", "the demo is over"}, {"graph"}}, "IDLE"
	if s.refuseAgents("reset") != nil || !system.HasTerminal() {
		s.printf("\n(pipeline reset is left out: it is refused under an agent's client, and without a terminal)\n")
		commands, end = commands[1:], "COMPLETE"
	}
	for _, args := range commands {
		s.printf("\n$ pipeline %s\n", strings.Join(args, " "))
		out, err := s.runPipeline(nil, args...)
		if err != nil {
			return err
		}
		s.printf("%s", out)
	}
	state, err := s.readState()
	if err == nil && state != end {
		s.failed++
		s.sayf("expected %s at the end, got %s", end, state)
	}
	return err
}
