package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/config/system/filepath"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/session"
	"github.com/agent-pipeline/pipeline/hooks/visible"
	"github.com/agent-pipeline/pipeline/hooks/watch"
)

func newWatchCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:  "watch",
		Usage: "Show a running session in a second terminal",
		Description: "One screen: the machine with its state, the agents at work, the budgets and the last\n" +
			"decisions with their reasons. It follows the project's newest session and draws again when\n" +
			"something is recorded; q ends it. Where the output is no terminal it prints the screen once.\n" +
			"Exit codes: 0 fine, 2 wrong usage, 3 no config, no session, or it could not be read.",
		Flags: []cli.Flag{&cli.StringFlag{Name: "session",
			Usage: "the session with this `ID`, or the only one that begins so; by default the newest that runs"}},
		UsageText: "pipeline watch\n" +
			"pipeline watch --session 3f2a",
		Action: func(c *cli.Context) error { return runWatch(p, c) },
	}
}

// A watcher keeps the screen of one session.
type watcher struct {
	*program
	c       *cli.Context
	picked  picked
	screen  watch.Screen
	pending time.Time // when it looks again which session is the newest, and for a new config
}

// How often a watcher looks at the journal, and at everything else.
const (
	watchRecords = 200 * time.Millisecond
	watchProject = 2 * time.Second
)

func runWatch(p *program, c *cli.Context) error {
	w := &watcher{program: p, c: c}
	out := p.outputFile()
	if !isTerminal(out) {
		if err := w.readChanges(time.Now()); err != nil {
			return err
		}
		columns, _ := strconv.Atoi(p.getenv("COLUMNS"))
		if columns <= 0 {
			columns = 80
		}
		p.printf("%s\n", strings.Join(w.screen.Draw(columns, 0, false), "\n"))
		return nil
	}
	if err := w.readChanges(time.Now()); err != nil && !errors.Is(err, errNoSession) {
		return err
	}
	return w.followOn(out)
}

// outputFile is the file that the program prints to, if it is one.
func (p *console) outputFile() *os.File {
	out := p.out
	if w, ok := out.(*visible.Writer); ok {
		out = w.Underlying()
	}
	f, _ := out.(*os.File)
	return f
}

// The terminal's sequences (ECMA-48, and xterm's alternate screen).
const (
	openScreen  = "\x1b[?1049h\x1b[?25l\x1b[2J"
	closeScreen = "\x1b[?25h\x1b[?1049l"
	firstCell   = "\x1b[H"
	eraseLine   = "\x1b[K"
	eraseRest   = "\x1b[J"
)

// followOn draws until the person or a signal ends it. The terminal is as it was before.
func (w *watcher) followOn(out *os.File) error {
	keys := make(chan byte)
	if in, ok := w.in.(*os.File); ok && term.IsTerminal(int(in.Fd())) {
		before, err := term.MakeRaw(int(in.Fd()))
		if err != nil {
			return fmt.Errorf("watch: %w", err)
		}
		defer term.Restore(int(in.Fd()), before)
		go readKeys(in, keys)
	}
	ended, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	resized := make(chan os.Signal, 1)
	system.NotifyResize(resized)
	defer signal.Stop(resized)
	fmt.Fprint(out, openScreen)
	defer fmt.Fprint(out, closeScreen)
	tick := time.NewTicker(watchRecords)
	defer tick.Stop()
	shown := ""
	for {
		if frame := w.drawFrame(out); frame != shown {
			if _, err := fmt.Fprint(out, frame); err != nil {
				return nil // the terminal is gone
			}
			shown = frame
		}
		select {
		case key := <-keys:
			if slices.Contains([]byte("qQ\x03\x04"), key) { // the last two are ctrl-c and ctrl-d
				return nil
			}
		case <-ended.Done():
			return nil
		case <-resized:
			shown = ""
		case now := <-tick.C:
			if err := w.readChanges(now); err != nil && !errors.Is(err, errNoSession) {
				return err
			}
		}
	}
}

func readKeys(in *os.File, keys chan<- byte) {
	for one := make([]byte, 1); ; {
		if _, err := in.Read(one); err != nil {
			one[0] = 'q' // the terminal is gone
		}
		keys <- one[0]
	}
}

// drawFrame is the screen as it is written to the terminal.
func (w *watcher) drawFrame(out *os.File) string {
	columns, lines, err := term.GetSize(int(out.Fd()))
	if err != nil || columns <= 0 || lines <= 0 {
		columns, lines = 80, 24
	}
	rows := []string{" waiting for a session to begin; q ends this"}
	if w.picked.id != "" {
		rows = w.screen.Draw(columns, lines, w.wantsColours())
	}
	return firstCell + strings.Join(rows, eraseLine+"\r\n") + eraseLine + eraseRest
}

// readChanges reads what has changed.
func (w *watcher) readChanges(now time.Time) error {
	changed := false
	if !now.Before(w.pending) {
		w.pending, changed = now.Add(watchProject), true
		if err := w.pickNewest(now); err != nil {
			return err
		}
	}
	w.screen.Now = now
	if w.picked.id == "" {
		return errNoSession
	}
	store, id := w.picked.store, w.picked.id
	came, err := w.screen.History.Follow(store.Path(id))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if came || changed {
		return w.readSession()
	}
	return nil
}

// pickNewest opens the project and picks the named session, or the newest that runs. A
// config that breaks while the screen is open leaves the last one.
func (w *watcher) pickNewest(now time.Time) error {
	o := w.picked.Opened
	if o.Policy == nil {
		var err error
		if o, err = w.openProject(w.c); err != nil {
			return err
		}
	} else if fresh, err := w.reopenProject(); err == nil {
		o = fresh
	} else {
		o.Stale = true
	}
	st := store(o, 0)
	id, err := w.findSession(st, now)
	if id != w.picked.id {
		w.screen.History = &watch.History{}
	}
	w.picked = picked{Opened: o, store: st, id: id}
	return err
}

// reopenProject opens the project again, and prints nothing.
func (w *watcher) reopenProject() (config.Opened, error) {
	world, err := w.here(w.c)
	if err != nil {
		return config.Opened{}, err
	}
	o, err := config.Open(world)
	if err == nil && o.Policy == nil {
		err = errNoConfig
	}
	return o, err
}

func (w *watcher) findSession(st session.Store, now time.Time) (string, error) {
	items, err := st.List()
	if err != nil {
		return "", err
	}
	if w.c.IsSet("session") {
		return resolveSession(items, w.c.String("session"))
	}
	if len(items) == 0 {
		return "", errNoSession
	}
	for _, i := range items {
		if now.Sub(i.Last) > recently {
			break
		}
		if !st.Ended(i.ID) {
			return i.ID, nil
		}
	}
	return items[0].ID, nil
}

// readSession reads the session's state, and what is in force for it.
func (w *watcher) readSession() error {
	st, id, o := w.picked.store, w.picked.id, w.picked.Opened
	last, err := st.Last(id)
	if err != nil {
		return err
	}
	s := &w.screen
	s.Project, s.Policy, s.Session = filepath.Base(o.Project.Root), o.Policy, last
	s.Session.ID, s.Ended = id, st.Ended(id)
	s.Level = w.describeLevel(o, id, last)
	s.Warnings = nil
	if err := findLapse(o, id, st.Heard(id)); err != nil {
		s.Warnings = append(s.Warnings, err.Error())
	}
	if o.Stale {
		s.Warnings = append(s.Warnings, "the config has problems, so the last good one is in force: pipeline check")
	}
	if o.Policy.Level == fsm.Off {
		s.Warnings = append(s.Warnings, "the config's level is off: nothing is tracked")
	}
	return nil
}
