package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"time"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/claude"
	"github.com/agent-pipeline/pipeline/hooks/statusline"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

func newStatuslineCommand(p *program) command {
	return command{
		Usage: "Print the client's status line (this is what `install --statusline` registers)",
		Description: `It reads the client's payload from standard input and prints one line: state,
running agents, level, denials. What does not fit into COLUMNS is dropped
from the right; NO_COLOR disables colours.
Exit codes: 0; the line itself reports errors.`,
		UsageText: "pipeline statusline < payload.json",
		Action: p.action(func(c invocation) error {
			c.out = rawOut(c.out) // the line has colours of its own
			runStatusline(c.program, c.Args().Slice(), c.String("config"))
			return nil
		}),
	}
}

// runStatusline runs after each message: like the hook, before the command line's
// parser is built. It never fails the client, so the line itself reports what is wrong.
func runStatusline(p *program, args []string, file string) int {
	defer func() {
		if v := recover(); v != nil {
			p.printf("pipeline: the status line crashed: %s\n", visible.Line(fmt.Sprint(v)))
		}
	}()
	var line statusline.Line
	var o config.Opened
	var err error
	switch {
	case len(args) > 0:
		err = errors.New("statusline takes no arguments")
	case isTerminal(p.in): // a person tries the command
		err = errors.New("the status line is for the client, which sends a payload: pipeline install --statusline")
	default:
		if line.Status, err = claude.ReadStatus(p.in); err == nil {
			o, err = openForLine(p, file, &line)
		}
	}
	if err != nil {
		line.Trouble = err.Error()
	}
	if o.Policy != nil {
		overrides := p.newHandler(o, store(o, 0)).FindOverrides(line.Session, time.Now())
		line.Level = statusline.DescribeLevel(o.Policy, line.State, overrides)
	}
	columns, _ := strconv.Atoi(p.getenv("COLUMNS")) // the client sets it to the terminal's width
	p.printf("%s\n", line.Draw(columns, p.wantsColours()))
	return 0
}

// openForLine opens the project that the client was started in, as its hooks do, and the session.
func openForLine(p *program, file string, line *statusline.Line) (config.Opened, error) {
	dir := cmp.Or(p.getenv("CLAUDE_PROJECT_DIR"), line.Project)
	if dir == "" {
		dir, _ = os.Getwd() // unknown: then no config is found
	}
	o, err := openOrVanished(p.world(dir, file))
	switch {
	case o.None:
		return o, errors.New("no config")
	case o.Policy == nil:
		return o, cmp.Or(findLapse(o, line.Session, time.Time{}), err,
			errors.New("NOT ENFORCING: the config has problems: pipeline check"))
	}
	isStale := err != nil || o.Stale
	last, err := store(o, 0).Tail(line.Session)
	line.State = last.State
	lapse := findLapse(o, line.Session, last.Event.Time)
	switch {
	case lapse != nil:
		return o, lapse
	case isStale && o.Policy.Level == fsm.Off:
		return o, errors.New("NOT ENFORCING: the last good config is in force, and its level is off: pipeline check")
	case errors.Is(err, fs.ErrNotExist):
		return o, errors.New("no session yet")
	case err != nil:
		return o, err
	case line.State.ID == "":
		return o, errors.New("the session's journal has no good record")
	case isStale:
		return o, errors.New("the last good config is in force: pipeline check")
	}
	return o, nil
}

// findLapse says how many calls of a session were not judged, since the last that was.
func findLapse(o config.Opened, id string, judged time.Time) error {
	lapse := hooks.ErrorLog{Home: o.Project.Home}.Lapse(id)
	if !lapse.Last.After(judged) {
		return nil
	}
	return fmt.Errorf("NOT ENFORCING: %s not judged: %s", visible.Count(lapse.Calls, "call"), lapse.Cause)
}
