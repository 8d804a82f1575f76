package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/fsm/tasks"
)

// teamVariable enables agent teams in Claude Code.
const teamVariable = "CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS"

func newScoreCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:      "score",
		Usage:     "Decide between subagents and a team of agents for a task, and show the sum",
		ArgsUsage: `["TASK"]`,
		Description: `It adds up what is known of the task; what is not given does not count. --graph takes the
phases, the tier and the data flow from a plan; a flag overrides it. Tier 1: at most 3
phases, 2 agent types, 5 files; tier 2: at most 8, 4 and 20; tier 3: more of any. In the
words of the task "collaborate" and "team" count.
Exit codes: 0 fine, 1 mistakes in the graph, 2 wrong usage, 3 it could not be read.`,
		UsageText: `pipeline tasks score --phases 5 --data-flow "build the importer as a team"
pipeline tasks score --graph plan.json`,
		Flags: []cli.Flag{
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

func runScore(p *program, c *cli.Context) error {
	s, err := collectSignals(p, c)
	if err != nil {
		return err
	}
	total, lines := tasks.ScoreTeam(s)
	teams := false
	switch strings.ToLower(strings.TrimSpace(p.getenv(teamVariable))) {
	case "1", "true", "yes", "on": // as Claude Code 2.1.329 reads it
		teams = true
	}
	out := choice{tasks.ChooseMode(total, teams), total, tasks.TeamFrom, teams, s, lines}
	return p.printResult(c, out, func() { printChoice(p, out) })
}

// collectSignals takes the signals of the graph, and over them those of the flags.
func collectSignals(p *program, c *cli.Context) (tasks.Signals, error) {
	if n := c.Int("tier"); c.IsSet("tier") && (n < 1 || n > 3) {
		return tasks.Signals{}, usageError{fmt.Sprintf("found --tier %d, expected 1, 2 or 3", n)}
	}
	if c.Int("phases") < 0 || c.Int("files") < 0 {
		return tasks.Signals{}, usageError{"--phases and --files must not be negative"}
	}
	s := tasks.Signals{Phases: c.Int("phases"), Tier: tasks.TierOf(c.Int("phases"), 0, c.Int("files"))}
	if file := c.String("graph"); file != "" {
		g, mistakes, err := readTasks(p, file)
		if err != nil {
			return s, err
		}
		if tasks.HasErrors(mistakes) {
			printMistakes(p, mistakes)
			return s, errProblems
		}
		s = tasks.SignalsOf(g, c.Int("files"))
	}
	if c.IsSet("phases") {
		s.Phases = c.Int("phases")
	}
	if c.IsSet("tier") {
		s.Tier = c.Int("tier")
	}
	s.DataFlow = s.DataFlow && !c.IsSet("data-flow") || c.Bool("data-flow")
	s.ReviewCycles, s.Iterative, s.Breadth = c.Bool("review-cycles"), c.Bool("iterative"), c.Bool("breadth")
	s.Words = strings.Join(c.Args().Slice(), " ")
	return s, nil
}

func printChoice(p *program, out choice) {
	p.printf("%s\n\n", p.bold(out.Mode))
	t := p.newTable()
	fmt.Fprintln(t, "SIGNAL\tPOINTS\tCOUNTED")
	var sum []string
	for _, l := range out.Lines {
		counted := "-"
		if l.Holds {
			counted = fmt.Sprintf("%+d", l.Points)
			sum = append(sum, counted)
		}
		fmt.Fprintf(t, "%s\t%+d\t%s\n", l.Signal, l.Points, counted)
	}
	t.Flush()
	if len(sum) == 0 {
		sum = []string{"nothing"}
	}
	isSet := "it is not"
	if out.Teams {
		isSet = "it is"
	}
	p.printf("\nscore %d = %s (tier %d)\n", out.Score, strings.Join(sum, " "), out.Signals.Tier)
	p.printf("a team from %d on, and only where %s is set: %s\n", out.TeamFrom, teamVariable, isSet)
}
