package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/claude"
	"github.com/agent-pipeline/pipeline/hooks/session"
	"github.com/agent-pipeline/pipeline/hooks/statusline"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

func newStatuslineCommand(p *program) *cli.Command {
	return &cli.Command{
		Usage: "Print the client's status line (this is what `install --statusline` registers)",
		Description: `It reads the client's payload from standard input and prints one line: state, running
agents, level, denials. What does not fit into COLUMNS is dropped from the right; NO_COLOR
disables colours.
Exit codes: 0; the line itself reports errors.`,
		UsageText: "pipeline statusline < payload.json",
		Action: func(c *cli.Context) error {
			if w, ok := p.out.(*visible.Writer); ok {
				p.out = w.Underlying() // the line has colours of its own
			}
			runStatusline(p, c.Args().Slice(), c.String("config"))
			return nil
		},
	}
}

// A statusRun is one run of the status line's command.
type statusRun struct {
	*program
	line statusline.Line
	open config.Opened
}

// runStatusline runs after each message: like the hook, before the command line's
// parser is built. It never fails the client, so the line itself reports what is wrong.
func runStatusline(p *program, args []string, file string) int {
	r := &statusRun{program: p}
	defer func() {
		if v := recover(); v != nil {
			r.printf("pipeline: the status line crashed: %s\n", visible.Line(fmt.Sprint(v)))
		}
	}()
	if len(args) > 0 {
		r.line.Trouble = "statusline takes no arguments"
	} else if err := r.readPayload(); err != nil {
		r.line.Trouble = err.Error()
	} else if err := r.openProject(file); err != nil {
		r.line.Trouble = err.Error()
	}
	if r.open.Policy != nil {
		overrides := r.newHandler(r.open, 0).FindOverrides(r.line.Session, time.Now())
		r.line.Level = statusline.DescribeLevel(r.open.Policy, r.line.State, overrides)
	}
	columns, _ := strconv.Atoi(r.getenv("COLUMNS")) // the client sets it to the terminal's width
	r.printf("%s\n", r.line.Draw(columns, r.wantsColours()))
	return 0
}

// readPayload does not wait for a person who tries the command in a terminal.
func (r *statusRun) readPayload() (err error) {
	if isTerminal(r.in) {
		return errors.New("the status line is for the client, which sends a payload: pipeline install --statusline")
	}
	r.line.Status, err = claude.ReadStatus(r.in)
	return err
}

// openProject finds the project that the client was started in, as its hooks do, and
// the session.
func (r *statusRun) openProject(file string) (err error) {
	dir := cmp.Or(r.getenv("CLAUDE_PROJECT_DIR"), r.line.Project)
	if dir == "" {
		dir, _ = os.Getwd() // unknown: then no config is found
	}
	r.open, err = openOrVanished(r.world(dir, file))
	switch {
	case r.open.None:
		return errors.New("no config")
	case r.open.Policy == nil:
		return cmp.Or(findLapse(r.open, r.line.Session, time.Time{}), err,
			errors.New("NOT ENFORCING: the config has problems: pipeline check"))
	}
	st := store(r.open, 0)
	missing := r.readSession(st)
	lapse := findLapse(r.open, r.line.Session, st.Heard(r.line.Session))
	switch isStale := err != nil || r.open.Stale; {
	case lapse != nil:
		return lapse
	case isStale && r.open.Policy.Level == fsm.Off:
		return errors.New("NOT ENFORCING: the last good config is in force, and its level is off: pipeline check")
	case isStale && missing == nil:
		return errors.New("the last good config is in force: pipeline check")
	}
	return missing
}

func (r *statusRun) readSession(st session.Store) (err error) {
	r.line.State, err = st.Last(r.line.Session)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("no session yet")
	case err != nil:
		return err
	case r.line.State.ID == "":
		return errors.New("the session's journal has no good record")
	}
	return nil
}

// findLapse says how many calls of a session were not judged, since the last that was.
func findLapse(o config.Opened, id string, judged time.Time) error {
	lapse := hooks.ErrorLog{Home: o.Project.Home}.Lapse(id)
	if !lapse.Last.After(judged) {
		return nil
	}
	return fmt.Errorf("NOT ENFORCING: %s not judged: %s", visible.Count(lapse.Calls, "call"), lapse.Cause)
}
