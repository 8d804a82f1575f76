package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/configs"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

func newDemoCommand(p *program) command {
	return command{
		Usage: "Play a whole session through the real hooks, in a temporary directory",
		Description: `It touches nothing of yours.
Exit codes: 0 each call was answered as expected, 1 one was not, 3 could not
run.`,
		UsageText: "pipeline demo",
		Action:    p.action(runDemo),
	}
}

// demoCalls are the calls of a session, one a line: refusals, and the walk from IDLE to COMPLETE.
//
//go:embed demo.jsonl
var demoCalls string

// A scene is one call of the client, and the expected answer.
type scene struct {
	Title   string
	Wants   string // what the answer contains; "" for no answer
	State   string // the state after it, where that is looked at
	Payload map[string]any
}

func readScenes() (all []scene) {
	for line := range strings.Lines(demoCalls) {
		var s scene
		_ = json.Unmarshal([]byte(line), &s) // a test plays each of them
		all = append(all, s)
	}
	return all
}

// A stage is where the demo runs.
type stage struct {
	*program
	dir, self string
	failed    int
}

func runDemo(c invocation) error {
	dir, err := os.MkdirTemp("", "pipeline-demo-")
	if err != nil {
		return fmt.Errorf("create a folder for the demo: %w", err)
	}
	defer os.RemoveAll(dir)
	s, err := newStage(c.program, dir)
	if err != nil {
		return err
	}
	scenes := readScenes()
	c.printf("Each line is one call of a real `pipeline hook` process, with the default config.\n\n")
	for _, sc := range scenes {
		if err := s.playScene(sc); err != nil {
			return err
		}
	}
	drawn, err := s.runPipeline(nil, "graph")
	if err != nil {
		return err
	}
	c.printf("\n$ pipeline graph\n%s", drawn)
	if s.failed > 0 {
		c.sayf("%d of %d calls were not answered as expected", s.failed, len(scenes))
		return errProblems
	}
	c.printf("\nAll %d calls were answered as expected.\n", len(scenes))
	return nil
}

func newStage(p *program, dir string) (*stage, error) {
	text, _ := configs.Preset("default")
	return &stage{program: p, dir: dir, self: findProgram()},
		shareFile(system.Join(dir, "configs", "pipeline.yaml"), text, 0)
}

func (s *stage) runPipeline(in []byte, args ...string) (string, error) {
	cmd := exec.Command(s.self, args...)
	var out, errs bytes.Buffer
	cmd.Env = []string{"HOME=" + s.dir, "PATH=/usr/bin:/bin", "CLAUDE_PROJECT_DIR=" + s.dir}
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = s.dir, bytes.NewReader(in), &out, &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("pipeline %s: %w: %s", strings.Join(args, " "), err, errs.String())
	}
	return out.String() + errs.String(), nil
}

// demoColumn is as wide as the longest state.
const demoColumn = 10

func (s *stage) playScene(sc scene) error {
	payload := map[string]any{"session_id": "demo", "transcript_path": s.dir + "/demo.jsonl", "cwd": s.dir}
	maps.Copy(payload, sc.Payload)
	in, _ := json.Marshal(payload) // it was JSON before
	answer, err := s.runPipeline(in, "hook", "--host", "claude")
	if err != nil {
		return err
	}
	status, err := s.runPipeline(nil, "status", "--json")
	if err != nil {
		return err
	}
	state := gjson.Get(status, "state").Str
	s.printf("%s %s\n", s.bold(padRight(state, demoColumn)), sc.Title)
	r := gjson.Parse(answer)
	agent := r.Get("hookSpecificOutput.additionalContext").Str
	if verdict := r.Get("hookSpecificOutput.permissionDecision").Str; verdict != "" {
		agent = strings.ToUpper(verdict) + ": " + r.Get("hookSpecificOutput.permissionDecisionReason").Str
	}
	for _, said := range []struct{ to, text string }{{"◀ ", agent}, {"◁ to the user: ", r.Get("systemMessage").Str}} {
		if text := strings.Join(strings.Fields(said.text), " "); text != "" {
			text, indent := visible.Shorten(text, 300), demoColumn+3+utf8.RuneCountInString(said.to)
			if isTerminal(s.out) { // where it keeps its column
				text = strings.Join(foldWords(text, helpWidth-indent), "\n"+strings.Repeat(" ", indent))
			}
			s.printf("%*s   %s%s\n", demoColumn, "", said.to, s.paint(text))
		}
	}
	if sc.Wants == "" && answer != "" || !strings.Contains(answer, sc.Wants) || sc.State != "" && sc.State != state {
		s.failed++
		s.sayf("expected an answer with %q and state %q, got %q and %q", sc.Wants, sc.State, answer, state)
	}
	return nil
}
