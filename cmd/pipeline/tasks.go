package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/configs"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/tasks"
	"github.com/agent-pipeline/pipeline/hooks/claude"
	"github.com/agent-pipeline/pipeline/hooks/session"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

func newTasksCommand(p *program) command {
	asJSON := boolFlag("json", "print the graph, or what is wrong with it, as JSON")
	return command{
		Usage: "Show the session's task graph, check a plan, choose who works on a task",
		Description: `Without a subcommand the graph of the session: ✓ done, ▶ running, ○ waiting,
✗ failed.
Exit codes: 0 fine, 1 mistakes in the graph, 2 wrong usage, 3 no session, no
graph, or it could not be read.`,
		UsageText: "pipeline tasks",
		Flags:     flags{sessionFlag(), asJSON},
		Action:    p.action(showTasks),
		Subcommands: []*command{{
			Name:      "check",
			Usage:     "Report everything that is wrong with a graph, and draw it if nothing is",
			ArgsUsage: "FILE",
			Description: `FILE is JSON, or a Markdown message with a json block; - is standard input.
Exit codes: 0 fine, 1 mistakes in the graph, 2 wrong usage, 3 it could not be
read.`,
			UsageText: "pipeline tasks check plan.json",
			Flags:     flags{asJSON},
			Action:    p.action(checkTasks),
		}, {
			Name:      "schema",
			Usage:     "Print the JSON Schema of a graph",
			UsageText: "pipeline tasks schema",
			Action:    p.action(func(c invocation) error { return c.printWhole(configs.TaskSchema()) }),
		}, newScoreCommand(p), newRouteCommand(p)},
	}
}

func showTasks(c invocation) error {
	_, v, err := pickView(c, "")
	if err != nil {
		return err
	}
	g, pr, err := sessionGraph(v)
	if err != nil {
		return err
	}
	return c.printResult(describeTasks(g, pr), func() { fmt.Fprint(c.wholeOut(), g.Text(pr)) })
}

// sessionGraph returns a session's task graph and its progress.
func sessionGraph(v session.View) (g tasks.Graph, pr tasks.Progress, err error) {
	if v.Session.Tasks.Progress == nil {
		return g, pr, errors.New("the session has no task graph")
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
func checkTasks(c invocation) error {
	if c.NArg() != 1 {
		return usagef("missing file: pipeline tasks check FILE, or - for standard input")
	}
	g, err := readTasks(c, c.Args().First())
	if err != nil {
		return err
	}
	var none tasks.Progress
	return c.printResult(describeTasks(g, none), func() { fmt.Fprint(c.wholeOut(), g.Text(none)) })
}

// readTasks reads a graph from a file, or from standard input as "-". It prints what is wrong with it.
func readTasks(c invocation, file string) (g tasks.Graph, err error) {
	var body []byte
	if file == "-" {
		body, err = io.ReadAll(c.in)
	} else {
		body, err = os.ReadFile(file)
	}
	if err != nil {
		return g, fmt.Errorf("read task graph: %w", err)
	}
	g, mistakes, found := tasks.ReadGraph(string(body))
	switch {
	case !found:
		err = fmt.Errorf("%s has no task graph: neither JSON nor a ```json block with \"phases\"", file)
		return g, hinted{err, "pipeline tasks schema"}
	case tasks.HasErrors(mistakes):
		return g, failIf(true, c.printResult(mistakes, func() {
			for _, m := range mistakes {
				note := ""
				if m.Note {
					note = "note: "
				}
				c.printf("%s%v\n", note, m)
			}
		}))
	}
	for _, m := range mistakes {
		c.sayf("note: %v", m)
	}
	return g, nil
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

func describeTasks(g tasks.Graph, pr tasks.Progress) tasksDoc {
	out := tasksDoc{Mode: cmp.Or(g.Mode, tasks.Subagents), Total: len(g.Phases), Left: []string{}, Phases: []phaseDoc{}}
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

// teamVariable enables agent teams in Claude Code.
const teamVariable = "CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS"

func newScoreCommand(p *program) *command {
	return &command{
		Name:      "score",
		Usage:     "Decide between subagents and a team of agents for a task, and show the sum",
		ArgsUsage: `["TASK"]`,
		Description: `It adds up what is known of the task; what is not given does not count.
--graph takes the phases, the tier and the data flow from a plan; a flag
overrides it. Tier 1: at most 3 phases, 2 agent types, 5 files; tier 2: at
most 8, 4 and 20; tier 3: more of any. In the words of the task "collaborate"
and "team" count.
Exit codes: 0 fine, 1 mistakes in the graph, 2 wrong usage, 3 it could not be
read.`,
		UsageText: `pipeline tasks score --phases 5 --data-flow "build the importer as a team"
pipeline tasks score --graph plan.json`,
		Flags: flags{
			numberFlag("phases", "the plan has `N` phases"),
			numberFlag("tier", "how complex it is: `TIER` 1 to 3; by default from the other figures"),
			numberFlag("files", "`N` files are changed"),
			boolFlag("data-flow", "phases need what other agents' phases made"),
			boolFlag("review-cycles", "work is reviewed, corrected and reviewed again"),
			boolFlag("iterative", "the result is refined step by step"),
			boolFlag("breadth", "only reading, over much: exploring, reviewing, summarizing"),
			textFlag("graph",
				"the plan in this `FILE`, or - for standard input: JSON, or Markdown with a ```json block"),
			jsonFlag(),
		},
		Action: p.action(runScore),
	}
}

// A choice is the answer to: subagents or a team?
type choice struct {
	Mode     string        `json:"execution_mode"`
	Score    int           `json:"score"`
	TeamFrom int           `json:"team_from"`
	Teams    bool          `json:"teams_enabled"` // the host's variable is set
	Signals  tasks.Signals `json:"signals"`
	Lines    []tasks.Line  `json:"lines"`
}

func runScore(c invocation) error {
	s, err := collectSignals(c)
	if err != nil {
		return err
	}
	total, lines := tasks.ScoreTeam(s)
	set := strings.ToLower(strings.TrimSpace(c.getenv(teamVariable)))
	teams := slices.Contains([]string{"1", "true", "yes", "on"}, set) // as Claude Code 2.1.329 reads it
	out := choice{tasks.ChooseMode(total, teams), total, tasks.TeamFrom, teams, s, lines}
	return c.printResult(out, func() {
		c.printf("%s\n\n", c.bold(out.Mode))
		t := c.newTable("SIGNAL", "POINTS", "COUNTED")
		var sum []string
		for _, l := range out.Lines {
			counted := "-"
			if l.Holds {
				counted = fmt.Sprintf("%+d", l.Points)
				sum = append(sum, counted)
			}
			t.row(l.Signal, fmt.Sprintf("%+d", l.Points), counted)
		}
		t.Flush()
		isSet := "it is not"
		if out.Teams {
			isSet = "it is"
		}
		c.printf("\nscore %d = %s (tier %d)\n", out.Score, cmp.Or(strings.Join(sum, " "), "nothing"), out.Signals.Tier)
		c.printf("a team from %d on, and only where %s is set: %s\n", out.TeamFrom, teamVariable, isSet)
	})
}

// collectSignals takes the signals of the graph, and over them those of the flags.
func collectSignals(c invocation) (tasks.Signals, error) {
	phases, tier, files := c.Int("phases"), c.Int("tier"), c.Int("files")
	s := tasks.Signals{Phases: phases, Tier: tasks.TierOf(phases, 0, files)}
	switch {
	case c.IsSet("tier") && (tier < 1 || tier > 3):
		return s, usagef("found --tier %d, expected 1, 2 or 3", tier)
	case phases < 0 || files < 0:
		return s, usagef("--phases and --files must not be negative")
	}
	if file := c.String("graph"); file != "" {
		g, err := readTasks(c, file)
		if err != nil {
			return s, err
		}
		s = tasks.SignalsOf(g, files)
	}
	if c.IsSet("phases") {
		s.Phases = phases
	}
	if c.IsSet("tier") {
		s.Tier = tier
	}
	s.DataFlow = s.DataFlow && !c.IsSet("data-flow") || c.Bool("data-flow")
	s.ReviewCycles, s.Iterative, s.Breadth = c.Bool("review-cycles"), c.Bool("iterative"), c.Bool("breadth")
	s.Words = strings.Join(c.Args().Slice(), " ")
	return s, nil
}

func newRouteCommand(p *program) *command {
	return &command{
		Name:      "route",
		Usage:     "Find the agent for a task, by the keywords that the config gives to agents",
		ArgsUsage: `"TASK"`,
		Description: `The agent with the most keywords in the text, at least two; otherwise
general-purpose. The words of its name are keywords too, and a file adds the
words of its language. Agents that are only defined in .claude/agents, the
project's or yours, are listed too: without a place in the config they are
never chosen.`,
		UsageText: "pipeline tasks route \"speed up the hash in c\"",
		Flags:     flags{jsonFlag()},
		Action:    p.inProject(runRoute),
	}
}

// A candidate is an agent that a task may go to.
type candidate struct {
	fsm.RouteScore
	Description string `json:"description,omitempty"` // the config's, or that of its definition
	File        string `json:"file,omitempty"`        // where it is defined
}

func runRoute(c invocation, o opened) error {
	text := joinWords(c.Args().Slice())
	if text == "" {
		return usagef(`missing task: pipeline tasks route "speed up the hash in c"`)
	}
	best, all := o.Policy.RouteTask(text), o.rankCandidates(text)
	return c.printResult(map[string]any{"agent": best, "candidates": all}, func() {
		c.printf("%s\n", c.bold(best))
		switch {
		case len(o.Policy.Agents) == 0:
			c.sayf("the config gives no agent keywords")
		case !slices.ContainsFunc(all, func(c candidate) bool { return len(c.Found) > 1 }):
			c.sayf("no agent has two of its keywords in this task")
		}
		if len(all) == 0 {
			return
		}
		c.printf("\n")
		t := c.newTable("AGENT", "KEYWORDS FOUND", "DESCRIPTION")
		for _, a := range all {
			found := fmt.Sprintf("%d of %d", len(a.Found), a.Keywords)
			if len(a.Found) > 0 {
				found += ": " + strings.Join(a.Found, ", ")
			}
			t.row(visible.Line(a.Agent), found, visible.Line(visible.Shorten(a.Description, 70)))
		}
		t.Flush()
	})
}

// rankCandidates returns the agents of the config and those on disk, the best first.
func (o opened) rankCandidates(text string) []candidate {
	described := slices.Clone(o.Policy.Agents)
	var others []string
	out := make([]candidate, len(described))
	for i, a := range described {
		out[i].Description = a.Description
	}
	for _, d := range claude.New(o.surroundings(o.Opened)).FindAgents(o.report) {
		i := slices.IndexFunc(described, func(a fsm.AgentInfo) bool { return fsm.NamesAgent(a.Name, d.Name) })
		if i < 0 {
			others = append(others, d.Name)
			out = append(out, candidate{Description: d.Description, File: d.File})
			continue
		}
		out[i].Description, out[i].File = cmp.Or(out[i].Description, d.Description), cmp.Or(out[i].File, d.File)
	}
	for i, r := range o.Policy.ScoreRoutes(text, others...) {
		out[i].RouteScore = r
	}
	slices.SortStableFunc(out, func(a, b candidate) int { return cmp.Compare(len(b.Found), len(a.Found)) })
	return out
}
