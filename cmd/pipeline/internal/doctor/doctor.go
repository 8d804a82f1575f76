// Package doctor finds out whether an installation really enforces: it looks at everything between the client and the
// policy, and runs the registered commands as the client would.
package doctor

import (
	"errors"
	"fmt"
	"time"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/hooks/claude"
	"github.com/agent-pipeline/pipeline/hooks/claude/settings"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

// A Site is the installation that is examined: all that the checks take from outside.
type Site struct {
	Root   string // of the project, where the client is started
	Client string // the client's config folder
	// Transcripts is where the client keeps those of the project's sessions.
	Transcripts string
	State       string // the folder of all our state: ~/.local/state/pipeline
	Self        string // this binary
	Version     string // of this binary
	Opened      config.Opened
	OpenErr     error // why the config could not be opened
	Store       session.Store
	Wants       claude.Wants // what is installed in which settings file
	Shell       []string     // the environment that a client is started in: this process'
	Environ     []string     // the one that its hooks get
	Now         time.Time
	Patience    time.Duration // how long a command or a lock is waited for
	// Register installs anew into a settings file of this scope (project, local or user), and says what it did.
	Register func(scope string) (string, error)
}

// Status is what a check comes to.
type Status string

// A Problem means that calls go unjudged, or may; a Warning, that something else is not as it should be.
const (
	OK      Status = "ok"
	Warning Status = "warning"
	Problem Status = "problem"
)

// A Finding is one line of the table.
type Finding struct {
	Check  string `json:"check"`
	Status Status `json:"status"`
	What   string `json:"what"`
	Remedy string `json:"remedy,omitempty"` // a command, or a sentence

	mend func() (string, error) // what --fix does about it; nil when that is a person's to do
}

// A check looks at one thing. It says something even when all is well, so that one sees that it ran.
type check struct {
	name   string
	run    func(*exam) []Finding
	remedy string // for findings that name none
}

// An exam is one visit: what several checks need is found out once.
type exam struct {
	Site
	sources []source
}

// Examine runs all checks.
func Examine(s Site) []Finding {
	x := &exam{Site: s}
	x.sources = x.read()
	var out []Finding
	for _, c := range checks() {
		for _, f := range c.run(x) {
			f.Check = c.name
			if f.Remedy == "" && f.Status != OK {
				f.Remedy = c.remedy
			}
			out = append(out, f)
		}
	}
	return out
}

// Mend does what is safe to do about the findings, and says what it did. It only touches what is ours. What it could not
// do is the error; the rest is done all the same.
func Mend(found []Finding) (did []string, err error) {
	done := map[string]bool{}
	for _, f := range found {
		if f.mend == nil || done[f.Remedy] {
			continue
		}
		done[f.Remedy] = true
		what, failed := f.mend()
		if failed != nil {
			err = errors.Join(err, fmt.Errorf("mend %s: %w", f.Check, failed))
			continue
		}
		did = append(did, what)
	}
	return did, err
}

// Problems counts what must be mended.
func Problems(found []Finding) (n int) {
	for _, f := range found {
		if f.Status == Problem {
			n++
		}
	}
	return n
}

func fine(format string, a ...any) Finding {
	return Finding{Status: OK, What: fmt.Sprintf(format, a...)}
}

func warn(remedy, format string, a ...any) Finding {
	return Finding{Status: Warning, What: fmt.Sprintf(format, a...), Remedy: remedy}
}

func problem(remedy, format string, a ...any) Finding {
	return Finding{Status: Problem, What: fmt.Sprintf(format, a...), Remedy: remedy}
}

// orFine is what was found, or that all is well.
func orFine(found []Finding, format string, a ...any) []Finding {
	if len(found) > 0 {
		return found
	}
	return []Finding{fine(format, a...)}
}

// entries are what install would register for a command under this config.
func (x *exam) entries(command string) []settings.Entry {
	p := x.Opened.Policy
	return claude.Entries(command, p != nil && p.FailClosed)
}
