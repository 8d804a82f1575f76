package main

import (
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

func sessionFlag() cli.Flag {
	return &cli.StringFlag{Name: "session", Usage: "the session with this `ID`; without it the project's newest"}
}

// A picked session, and how it was picked.
type picked struct {
	config.Opened
	store session.Store
	id    string
	how   string // "named", "the only one", "the newest of 3"
}

// pickSession finds the session that a command is about.
func pickSession(p *program, c *cli.Context) (picked, error) {
	o, err := p.project(c)
	if err != nil {
		return picked{}, err
	}
	out := picked{Opened: o, store: store(o, 5*time.Second)}
	items, err := out.store.List()
	if err != nil {
		return out, err
	}
	if id := c.String("session"); id != "" {
		out.id, out.how = id, "named"
		return out, known(items, id)
	}
	switch len(items) {
	case 0:
		return out, errNoSession
	case 1:
		out.how = "the only one"
	default:
		out.how = fmt.Sprintf("the newest of %d", len(items))
	}
	out.id = items[0].ID
	return out, nil
}

var errNoSession = fmt.Errorf("no session has been recorded in this project yet")

func known(items []session.Item, id string) error {
	for _, i := range items {
		if i.ID == id {
			return nil
		}
	}
	return fmt.Errorf("no session %s in this project", quote(id))
}

// recently is how long a session that was not ended counts as going on.
const recently = 12 * time.Hour

// requireOneLive refuses to guess which session a change is meant for.
func requireOneLive(p *program, c *cli.Context, s picked) error {
	if c.String("session") != "" {
		return nil
	}
	items, err := s.store.Live(time.Now().Add(-recently))
	if err != nil || len(items) < 2 {
		return err
	}
	for _, i := range items {
		p.hint("--session %s   (last heard of %s)", i.ID, i.Last.Format(time.DateTime))
	}
	return usageError{fmt.Sprintf("%d sessions are going on: say which", len(items))}
}

// pickLive is the session that a change is meant for.
func pickLive(p *program, c *cli.Context) (picked, error) {
	s, err := pickSession(p, c)
	if err == nil {
		err = requireOneLive(p, c, s)
	}
	return s, err
}

// asked are the sessions that a command that reads is about: the one named, else all of the project's.
func asked(c *cli.Context, st session.Store) ([]string, error) {
	items, err := st.List()
	if err != nil {
		return nil, err
	}
	if c.IsSet("session") {
		id, err := oneSession(items, c.String("session"))
		return []string{id}, err
	}
	if len(items) == 0 {
		return nil, errNoSession
	}
	var ids []string
	for _, i := range items {
		ids = append(ids, i.ID)
	}
	return ids, nil
}
