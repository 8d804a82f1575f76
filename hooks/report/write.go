package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/session"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

// Options say what to report on.
type Options struct {
	Since    time.Time      // records before it are left out
	Location *time.Location // whose days are counted; the local one if nil
	Step     func()         // called after each session; may be nil
}

// Of makes the report of one session.
func Of(store session.Store, id string, o Options) (Report, error) {
	if err := session.CheckID(id); err != nil {
		return Report{}, err
	}
	c := newCollector(o)
	c.r.Timeline = &Timeline{States: []Span{}, Agents: []Span{}, Denials: []Point{}}
	if err := c.add(store, id); err != nil {
		return Report{}, err
	}
	return c.makeReport(), nil
}

// All makes one report of all sessions that were heard of since then.
func All(store session.Store, o Options) (Report, error) {
	items, err := store.List()
	if err != nil {
		return Report{}, err
	}
	gone, err := store.Vanished()
	if err != nil {
		return Report{}, err
	}
	c := newCollector(o)
	for _, id := range gone {
		c.addFault(Fault{id, journal.Fault{File: journal.Name, What: "the session's folder is missing"}}, true)
	}
	for i := len(items) - 1; i >= 0; i-- {
		if items[i].Last.Before(o.Since) {
			continue
		}
		if err := c.add(store, items[i].ID); err != nil {
			return Report{}, err
		}
		if o.Step != nil {
			o.Step()
		}
	}
	return c.makeReport(), nil
}

// add adds a session. One whose journal is gone is named, and hides none of the others.
func (c *collector) add(store session.Store, id string) error {
	// before the journal, which is never behind it
	state, _ := system.ReadCopy(filepath.Join(store.Path(id), "state.json"))
	last, err := c.addSession(id, filepath.Join(store.Path(id), journal.Name))
	if errors.Is(err, fs.ErrNotExist) {
		c.addFault(Fault{id, journal.Fault{File: journal.Name, What: "it is missing"}}, true)
		return nil
	}
	if published := publishedSeq(state); err == nil && published > last {
		c.r.Evidence.Missing += published - last
		what := fmt.Sprintf("it ends at record %d; state.json was written at record %d", last, published)
		c.nameFault(Fault{id, journal.Fault{File: journal.Name, What: what}})
	}
	return err
}

// WriteSession writes a session's report to its folder, as report.json.
func WriteSession(store session.Store, id string) error {
	r, err := Of(store, id, Options{})
	if err != nil {
		return fmt.Errorf("report on session %s: %w", id, err)
	}
	return r.replace(filepath.Join(store.Path(id), "report.json"))
}

// replace writes the report where one may lie already, which is read whole at any
// moment.
func (r Report) replace(path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".report-*")
	if err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	err = errors.Join(r.JSON(f), f.Close())
	if err == nil {
		err = system.Replace(f.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write report: %w", err), os.Remove(f.Name()))
	}
	return nil
}

// JSON writes the report as a document.
func (r Report) JSON(w io.Writer) error {
	enc := json.NewEncoder(visible.NewWriter(w))
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		return fmt.Errorf("encode report: %w", err)
	}
	return nil
}
