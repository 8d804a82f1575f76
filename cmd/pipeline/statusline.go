package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/claude"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

func newStatuslineCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:  "statusline",
		Usage: "print the client's status line (this is what `install --statusline` registers)",
		Description: "Reads the client's payload from standard input and prints one line: state, running agents, level, denials, context\n" +
			"used, cost, branch, the last turn's duration and those of ten, the client's version. What does not fit into COLUMNS is left\n" +
			"out from the right; NO_COLOR takes the colours out. Exit code: 0; what goes wrong is what the line says.",
		Action: func(c *cli.Context) error {
			runStatusline(p, c.Args().Slice(), c.String("config"))
			return nil
		},
	}
}

// A lineRun is one drawing of the status line: what the client tells, and what is known of its session.
type lineRun struct {
	*program
	claude.Status
	open    config.Opened
	session fsm.Session
	tally   session.Tally
	trouble string // why nothing is known of the session, or not all
}

// runStatusline is run after each message: like the hook it is on its way before the command line's parser is built. It
// never fails the client, so it says what is wrong in the line itself.
func runStatusline(p *program, args []string, file string) int {
	r := &lineRun{program: p}
	defer func() {
		if v := recover(); v != nil {
			r.printf("pipeline: the status line crashed: %s\n", plain(fmt.Sprint(v)))
		}
	}()
	if len(args) > 0 {
		r.trouble = "statusline takes no arguments"
	} else if err := r.read(); err != nil {
		r.trouble = err.Error()
	} else if err := r.know(file); err != nil {
		r.trouble = err.Error()
	}
	r.printf("%s\n", r.line())
	return 0
}

// read takes the payload. A person who tries the command in a terminal is told, rather than waited for.
func (r *lineRun) read() (err error) {
	if f, ok := r.in.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			return errors.New("the status line is for the client, which gives it a payload: pipeline install --statusline")
		}
	}
	r.Status, err = claude.ReadStatus(r.in)
	return err
}

// know finds the project that the client was started in, as its hooks do, and what was recorded of the session.
func (r *lineRun) know(file string) (err error) {
	dir := r.getenv("CLAUDE_PROJECT_DIR")
	if dir == "" {
		dir = r.Project
	}
	if dir == "" {
		dir, _ = os.Getwd() // unknown: then no config is found, and that is said
	}
	w, there := r.world(dir, file), true
	r.open, err = config.Open(w)
	if err == nil && r.open.None {
		r.open, there = vanished(w)
	}
	switch {
	case !there:
		return errors.New("no config")
	case r.open.Policy == nil && err == nil:
		return errors.New("the config has problems: pipeline check")
	case r.open.Policy == nil:
		return err
	}
	missing := r.recorded(store(r.open, 0))
	if missing == nil && (err != nil || r.open.Stale) {
		return errors.New("the last good config is in force: pipeline check")
	}
	return missing
}

func (r *lineRun) recorded(st session.Store) (err error) {
	r.session, err = st.Last(r.Session)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("no session yet")
	case err != nil:
		return err
	case r.session.ID == "":
		return errors.New("the session's journal has no good record")
	}
	r.tally, err = st.Tally(r.Session)
	return err
}

// A segment is one thing that the line tells: its text, empty for nothing to tell, and its colour.
type segment struct {
	name string
	tell func(*lineRun) (string, colour)
}

// segments are in the order in which they stand; the last is the first to go where there is no room.
func segments() []segment {
	return []segment{
		{"state", (*lineRun).stateNow},
		{"agents", (*lineRun).agents},
		{"level", (*lineRun).levelNow},
		{"denials", (*lineRun).denials},
		{"context", (*lineRun).context},
		{"cost", (*lineRun).cost},
		{"branch", (*lineRun).branch},
		{"turns", (*lineRun).turns},
		{"client", (*lineRun).client},
	}
}

func (r *lineRun) stateNow() (string, colour) {
	trouble := cut(r.trouble, 120)
	if trouble != "" && r.session.ID == "" {
		return "pipeline: " + trouble, yellow
	}
	state := r.session.Machine.State
	if state == "" {
		state = "no states"
	}
	if trouble != "" {
		return state + " (" + trouble + ")", yellow
	}
	return state, bold
}

// agents counts those that run and names their types, the first three.
func (r *lineRun) agents() (string, colour) {
	running := r.session.RunningAgents()
	if len(running) == 0 {
		return "", none
	}
	var names []string
	for _, a := range running {
		if !slices.Contains(names, a.Type) {
			names = append(names, a.Type)
		}
	}
	if len(names) > 3 {
		names = append(names[:3], "…")
	}
	return fmt.Sprintf("⚙ %d (%s)", len(running), strings.Join(names, ", ")), cyan
}

func (r *lineRun) levelNow() (string, colour) {
	if r.open.Policy == nil {
		return "", none
	}
	now := r.level()
	if now == fsm.Strict.String() {
		return now, green
	}
	return now, yellow
}

// level is the level in force for the session, and what a person has lifted in it.
func (r *lineRun) level() string {
	orders := r.handler(r.open, 0).Orders(r.Session, time.Now())
	text := r.open.Policy.EffectiveLevel(r.session, fsm.Event{Facts: fsm.Facts{Overrides: orders}}).String()
	for _, l := range orders.Bypasses {
		switch {
		case l.Once:
			text += ", once"
		case l.Until.IsZero():
			text += ", bypass"
		default:
			text += ", bypass until " + l.Until.Local().Format("15:04")
		}
	}
	return text
}

func (r *lineRun) denials() (string, colour) {
	if r.tally.Denied == 0 {
		return "", none
	}
	n := "✗" + strconv.Itoa(r.tally.Denied)
	if r.tally.Partial {
		n += "+" // at least so many
	}
	return n, red
}

// context is how much of the context window is used: near its end the client compacts what was said.
func (r *lineRun) context() (string, colour) {
	if r.Used == nil {
		return "", none
	}
	used := min(max(*r.Used, 0), 100)
	how := green
	switch {
	case used >= 80:
		how = red
	case used >= 60:
		how = yellow
	}
	return fmt.Sprintf("ctx %s %.0f%%", bar(used), used), how
}

func (r *lineRun) cost() (string, colour) {
	if r.Cost == nil {
		return "", none
	}
	return fmt.Sprintf("$%.2f", *r.Cost), none
}

func (r *lineRun) branch() (string, colour) { return cut(branch(r.Dir), 40), none }

// turns is how long the last one took, and how long the last ten did against each other.
func (r *lineRun) turns() (string, colour) {
	t := r.tally.Turns
	if len(t) == 0 {
		return "", none
	}
	last := brief(t[len(t)-1])
	if len(t) == 1 {
		return last, none
	}
	return last + " " + sparkline(t), none
}

func (r *lineRun) client() (string, colour) { return r.Version, dim }
