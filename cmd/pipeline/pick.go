package main

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

// How commands choose the sessions and times that they are about.

func sessionFlag() cli.Flag {
	return textFlag("session", "the session with this `ID`, or the only one that begins so; by default the newest")
}

// namedSessionFlag is the flag of commands that are about one session only if it is named.
func namedSessionFlag(what string) cli.Flag {
	return textFlag("session", what+" with this `ID`, or the only one that begins so")
}

// A picked session, and how it was picked.
type picked struct {
	config.Opened
	session.Item
	store session.Store
	how   string // "named", "the only one", "the newest of 3"
}

func (s picked) String() string { return s.ID + " (" + s.how + ")" }

// pickSession returns the session that a command is about.
func pickSession(p *program, c *cli.Context) (picked, error) {
	o, err := p.openProject(c)
	if err != nil {
		return picked{}, err
	}
	out := picked{Opened: o, store: store(o, 5*time.Second)}
	items, err := out.store.List()
	if err != nil {
		return out, err
	}
	switch name := c.String("session"); {
	case name != "":
		out.how = "named"
	case len(items) == 1:
		out.how = "the only one"
	default:
		out.how = fmt.Sprintf("the newest of %d", len(items))
	}
	out.Item, err = resolveSession(items, cmp.Or(c.String("session"), "newest"))
	return out, err
}

// pickView is pickSession, for a session that an argument may also name, with what is
// published of it.
func pickView(p *program, c *cli.Context, id string) (s picked, v session.View, err error) {
	if id != "" {
		err = c.Set("session", id)
	}
	if err == nil {
		s, err = pickSession(p, c)
	}
	if err == nil {
		v, err = s.store.View(s.ID)
	}
	return s, v, err
}

// recently is how long a session that was not ended counts as running.
const recently = 12 * time.Hour

// inLiveSession makes an action of a function that changes a session. Of several that run it does not
// guess one.
func (p *program) inLiveSession(run func(*program, *cli.Context, picked) error) cli.ActionFunc {
	return func(c *cli.Context) error {
		s, err := pickSession(p, c)
		if err != nil {
			return err
		}
		items, err := s.store.Live(time.Now().Add(-recently))
		switch {
		case c.String("session") != "" || err == nil && len(items) < 2:
			return run(p, c, s)
		case err != nil:
			return err
		}
		for _, i := range items {
			p.hint("--session %s   (last active %s)", i.ID, i.Last.Format(time.DateTime))
		}
		return usageError{fmt.Sprintf("%d sessions are running: name one", len(items))}
	}
}

var errNoSession = hinted{errors.New("no session has been recorded in this project yet"),
	"start the client in the project's folder; pipeline doctor shows whether its calls are judged"}

// resolveSession returns the session with an ID, or the only one whose ID begins so;
// "newest" is the one that was active last.
func resolveSession(items []session.Item, id string) (found session.Item, err error) {
	if id == "newest" {
		if len(items) == 0 {
			return found, errNoSession
		}
		return items[0], nil
	}
	var matches []string
	for _, i := range items {
		if i.ID == id {
			return i, nil
		}
		if strings.HasPrefix(i.ID, id) && id != "" {
			found, matches = i, append(matches, i.ID)
		}
	}
	switch n := len(matches); {
	case n == 0:
		err = fmt.Errorf("no session %s in this project", quote(id))
	case n > 1:
		err = usageError{fmt.Sprintf("%d sessions begin with %s: %s", n, quote(id), strings.Join(matches, ", "))}
	}
	return found, err
}

// findSession is resolveSession, among all sessions of a project.
func findSession(st session.Store, id string) (string, error) {
	items, err := st.List()
	if err != nil {
		return "", err
	}
	i, err := resolveSession(items, id)
	return i.ID, err
}

// selectSessions returns the session that is named, or all of the project.
func selectSessions(c *cli.Context, st session.Store) ([]session.Item, error) {
	items, err := st.List()
	switch {
	case err != nil:
		return nil, err
	case c.IsSet("session"):
		i, err := resolveSession(items, c.String("session"))
		return []session.Item{i}, err
	case len(items) == 0:
		return nil, errNoSession
	}
	return items, nil
}

// parseAge reads a point in time: an age (90m, 12h, 7d, 2w) or a date (2026-03-01, or
// with a time). The empty text is the zero time.
func parseAge(s string, now time.Time) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if d, err := time.ParseDuration(s); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	for unit, days := range map[string]int{"d": 1, "w": 7} {
		number, ok := strings.CutSuffix(s, unit)
		if n, err := strconv.Atoi(number); ok && err == nil && n >= 0 && n < 100_000 {
			return now.AddDate(0, 0, -n*days), nil
		}
	}
	for _, form := range []string{time.RFC3339, time.DateTime, time.DateOnly} {
		if t, err := time.ParseInLocation(form, s, now.Location()); err == nil {
			return t, nil
		}
	}
	return time.Time{}, usageError{"found " + quote(s) + " for a time, " +
		"expected an age such as 12h, 7d, 2w, or a date such as 2026-03-01"}
}
