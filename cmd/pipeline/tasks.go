package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/configs"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/tasks"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

func newTasksCommand(p *program) *cli.Command {
	format := valueFlag("format", "text", "as `FORMAT`: text or mermaid")
	asJSON := boolFlag("json", "print the graph, or what is wrong with it, as JSON")
	return &cli.Command{
		Usage: "Show the session's task graph, check a plan, choose who works on a task",
		Description: `Without a subcommand the graph of the session: ✓ done, ▶ running, ○ waiting, ✗ failed.
Exit codes: 0 fine, 1 mistakes in the graph, 2 wrong usage, 3 no session, no graph, or it
could not be read.`,
		UsageText: "pipeline tasks\npipeline tasks --format mermaid",
		Flags:     []cli.Flag{sessionFlag(), format, asJSON},
		Action:    p.action(showTasks),
		Subcommands: []*cli.Command{{
			Name:      "check",
			Usage:     "Report everything that is wrong with a graph, and draw it if nothing is",
			ArgsUsage: "FILE",
			Description: "FILE is JSON, or a Markdown message with a ```json block; - is standard input.\n" +
				"Exit codes: 0 fine, 1 mistakes in the graph, 2 wrong usage, 3 it could not be read.",
			UsageText: "pipeline tasks check plan.json",
			Flags:     []cli.Flag{format, asJSON},
			Action:    p.action(checkTasks),
		}, {
			Name:        "schema",
			Usage:       "Print the JSON Schema of a graph",
			Description: "Exit codes: 0 fine, 2 wrong usage.",
			UsageText:   "pipeline tasks schema",
			Action: func(c *cli.Context) error {
				p.printWhole(configs.TaskSchema())
				return nil
			},
		}, newScoreCommand(p), newRouteCommand(p)},
	}
}

func checkFormat(c *cli.Context) error {
	if f := c.String("format"); f != "text" && f != "mermaid" {
		return usageError{fmt.Sprintf("unknown format %q: expected text or mermaid", f)}
	}
	return nil
}

// errNoTasks: a session has no graph.
var errNoTasks = errors.New("the session has no task graph")

func showTasks(p *program, c *cli.Context) error {
	if err := checkFormat(c); err != nil {
		return err
	}
	_, v, err := pickView(p, c, "")
	if err != nil {
		return err
	}
	g, pr, err := sessionGraph(v)
	if err != nil {
		return err
	}
	return drawTasks(p, c, g, pr)
}

// sessionGraph returns a session's task graph and its progress.
func sessionGraph(v session.View) (g tasks.Graph, pr tasks.Progress, err error) {
	if v.Session.Tasks.Progress == nil {
		return g, pr, errNoTasks
	}
	g, mistakes, found := tasks.ReadGraph(v.Context[fsm.TasksCapture])
	switch {
	case !found:
		return g, pr, fmt.Errorf("the text of session %s's task graph is missing", v.SessionID)
	case tasks.HasErrors(mistakes):
		return g, pr, fmt.Errorf("read the task graph of session %s: %v", v.SessionID, mistakes[0])
	}
	return g, *v.Session.Tasks.Progress, nil
}

// checkTasks reports what is wrong with a graph that is not in use yet.
func checkTasks(p *program, c *cli.Context) error {
	if err := checkFormat(c); err != nil {
		return err
	}
	if c.NArg() != 1 {
		return usageError{"missing file: pipeline tasks check FILE, or - for standard input"}
	}
	g, mistakes, err := readTasks(p, c.Args().First())
	if err != nil {
		return err
	}
	if !tasks.HasErrors(mistakes) {
		for _, m := range mistakes {
			p.sayf("note: %v", m)
		}
		return drawTasks(p, c, g, tasks.Progress{})
	}
	return failIf(true, p.printResult(c, mistakes, func() { printMistakes(p, mistakes) }))
}

// readTasks reads a graph from a file, or from standard input as "-".
func readTasks(p *program, file string) (tasks.Graph, []tasks.Mistake, error) {
	var body []byte
	var err error
	if file == "-" {
		body, err = io.ReadAll(p.in)
	} else {
		body, err = os.ReadFile(file)
	}
	if err != nil {
		return tasks.Graph{}, nil, fmt.Errorf("read task graph: %w", err)
	}
	g, mistakes, found := tasks.ReadGraph(string(body))
	if !found {
		err := fmt.Errorf("%s has no task graph: neither JSON nor a ```json block with \"phases\"", file)
		return g, nil, hinted{err, "pipeline tasks schema"}
	}
	return g, mistakes, nil
}

func printMistakes(p *program, all []tasks.Mistake) {
	for _, m := range all {
		note := ""
		if m.Note {
			note = "note: "
		}
		p.printf("%s%v\n", note, m)
	}
}

// A phaseDoc is one phase of `tasks --json`.
type phaseDoc struct {
	tasks.Phase
	Status   tasks.Status `json:"status"`
	WaitsFor []string     `json:"waits_for,omitempty"` // ids
}

// A tasksDoc is the document of `tasks --json`.
type tasksDoc struct {
	Mode   string     `json:"execution_mode"`
	Done   int        `json:"done"`
	Total  int        `json:"total"`
	Left   []string   `json:"left"` // ids
	Phases []phaseDoc `json:"phases"`
}

func drawTasks(p *program, c *cli.Context, g tasks.Graph, pr tasks.Progress) error {
	switch {
	case c.Bool("json"):
		return p.printJSON(describeTasks(g, pr))
	case c.String("format") == "mermaid":
		p.printWhole(g.Mermaid(pr))
	default:
		p.printWhole(g.Text(pr))
	}
	return nil
}

func describeTasks(g tasks.Graph, pr tasks.Progress) tasksDoc {
	out := tasksDoc{Mode: g.Mode, Total: len(g.Phases), Left: []string{}, Phases: []phaseDoc{}}
	if out.Mode == "" {
		out.Mode = tasks.Subagents
	}
	for i, ph := range g.Phases {
		d := phaseDoc{Phase: ph, Status: g.Status(pr, i)}
		for _, k := range g.Waits(pr, i) {
			if d.Status == tasks.Waiting {
				d.WaitsFor = append(d.WaitsFor, g.Phases[k].ID)
			}
		}
		if d.Status != tasks.Done {
			out.Left = append(out.Left, ph.ID)
		}
		out.Phases = append(out.Phases, d)
	}
	out.Done = out.Total - len(out.Left)
	return out
}
