// Package doctor checks whether an installation enforces: it looks at everything between
// the client and the policy, and runs the registered commands as the client would.
package doctor

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/claude"
	"github.com/agent-pipeline/pipeline/hooks/clients"
	"github.com/agent-pipeline/pipeline/hooks/session"
	"github.com/agent-pipeline/pipeline/hooks/settings"
)

// A Site is the installation to examine: all that the checks take from outside.
type Site struct {
	Root   string // of the project
	Dir    string // where the client is started; empty: in Root
	Client string // the client's config folder
	// Managed is the file of the machine's administrator; empty for none.
	Managed string
	// Transcripts is where the client keeps those of the project's sessions.
	Transcripts string
	State       string // the folder of all our state: ~/.local/state/pipeline
	Self        string // this binary
	Version     string // of this binary
	Opened      config.Opened
	OpenErr     error // why the config could not be opened
	// Standing is what holds for a new session, then for those that run and have less.
	Standing []Standing
	Store    session.Store
	Basis    clients.Basis                   // on what a command that a person types into the client is accepted
	Wants    func(file string) []hooks.Entry // what is installed in which settings file
	Others   []Other                         // the other clients whose hooks we answer
	Shell    []string                        // the environment that a client is started in: this process'
	Environ  []string                        // the one that its hooks get
	Now      time.Time
	Patience time.Duration // how long a command or a lock is waited for
	// Register installs again into the settings file of a scope, and says what it did.
	Register func(scope string) (string, error)
	// Rehearse answers a hook call as the hooks should; nil where there is no policy to go by.
	Rehearse func(event string, with map[string]any) (fsm.Decision, error)
}

// Status is what a check comes to.
type Status = hooks.Status

// The statuses.
const (
	OK      = hooks.OK
	Warning = hooks.Warning
	Problem = hooks.Problem
)

// A Finding is one line of the table.
type Finding struct {
	Check  string `json:"check"`
	Status Status `json:"status"`
	What   string `json:"what"`
	Remedy string `json:"remedy,omitempty"` // a command, or a sentence

	fix func() (string, error) // what --fix does about it; nil where only a person can act
}

// A check looks at one thing. It also reports when all is well, to show that it ran.
type check struct {
	name   string
	run    func(*exam) []Finding
	remedy string // for findings that name none
	claude bool   // it is about Claude Code
}

// An exam is one run of all checks, with what several of them need.
type exam struct {
	Site
	sources []source
	managed settings.Managed
	helper  string          // the program that prints the managed settings; empty for none
	hosts   []Finding       // about the other clients, once they were looked at
	hung    map[string]bool // programs that did not answer in time
}

// Examine runs all checks.
func Examine(s Site) []Finding {
	x := &exam{Site: s, hung: map[string]bool{}}
	if x.Dir == "" {
		x.Dir = x.Root
	}
	x.sources = x.readSources()
	var out []Finding
	unused := x.isClaudeUnused()
	for _, c := range listChecks() {
		if c.claude && unused {
			continue
		}
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

// Fix does what is safe about the findings, and says what it did. It only touches what is
// ours. The error is what it could not do; the rest is done.
func Fix(found []Finding) (did []string, err error) {
	done := map[string]bool{}
	for _, f := range found {
		if f.fix == nil || done[f.Remedy] {
			continue
		}
		done[f.Remedy] = true
		what, failed := f.fix()
		if failed != nil {
			err = errors.Join(err, fmt.Errorf("fix %s: %w", f.Check, failed))
			continue
		}
		did = append(did, what)
	}
	return did, err
}

// CountProblems counts what must be fixed.
func CountProblems(found []Finding) (n int) {
	for _, f := range found {
		if f.Status == Problem {
			n++
		}
	}
	return n
}

func pass(format string, a ...any) Finding {
	return Finding{Status: OK, What: fmt.Sprintf(format, a...)}
}

func warn(remedy, format string, a ...any) Finding {
	return Finding{Status: Warning, What: fmt.Sprintf(format, a...), Remedy: remedy}
}

func problem(remedy, format string, a ...any) Finding {
	return Finding{Status: Problem, What: fmt.Sprintf(format, a...), Remedy: remedy}
}

// orPass is what was found, or that all is well.
func orPass(found []Finding, format string, a ...any) []Finding {
	if len(found) > 0 {
		return found
	}
	return []Finding{pass(format, a...)}
}

// wantedEntries are what install would register in a file for a command with this config.
func (x *exam) wantedEntries(s source, command string) []settings.Entry {
	p := x.Opened.Policy
	return claude.Entries(command, s.isManaged() || p != nil && p.FailClosed)
}

// listChecks is the table of checks: what it comes to, and then in the order of a call's way:
// from what is to be enforced, over the client and its settings, to the binary, its answer
// and its state.
func listChecks() []check {
	return []check{
		{"in force", (*exam).checkEnforcement, "", false},
		{"config", (*exam).checkConfig, "pipeline check", false},
		{"client", (*exam).checkClient, "", true},
		{"environment", (*exam).checkEnvironment, "", true},
		{"typed", (*exam).checkTyped, "", true},
		{"settings", (*exam).checkSettings, "", true},
		{"managed", (*exam).checkManaged, "", true},
		{"registration", (*exam).checkRegistration, "pipeline install", true},
		{"matchers", (*exam).checkMatchers, "pipeline install", true},
		{"others", (*exam).checkOthers, "", true},
		{"command", (*exam).checkCommands, "pipeline install", true},
		{"canary", (*exam).checkCanaries, "pipeline install", true},
		{"tools", (*exam).checkTools, "pipeline check", true},
		{"clients", (*exam).checkHosts, "", false},
		{"state", (*exam).checkState, "", false},
		{"locks", (*exam).checkLocks, "", false},
		{"errors", (*exam).checkErrors, "", false},
		{"liveness", (*exam).checkLiveness, "restart the client", true},
		{"clock", (*exam).checkClock, "set the clock", false},
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// oneLine is the first line of a program's output, shortened.
func oneLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	if r := []rune(s); len(r) > 200 {
		return string(r[:199]) + "…"
	}
	return s
}
