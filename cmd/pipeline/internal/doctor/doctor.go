// Package doctor checks whether an installation enforces: it looks at everything between
// the client and the policy, and runs the registered commands as the client would.
package doctor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/clients"
	"github.com/agent-pipeline/pipeline/hooks/session"
	"github.com/agent-pipeline/pipeline/hooks/settings"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

// Status is what a check comes to.
type Status = hooks.Status

// The statuses.
const (
	OK      = hooks.OK
	Warning = hooks.Warning
	Problem = hooks.Problem
)

// A Finding is one line of the table.
type Finding = hooks.Finding

// A check looks at one thing. It also reports when all is well, to show that it ran.
type check struct {
	name   string
	run    func(*exam)
	claude bool // it is about Claude Code
}

// An exam is one run of all checks: what they share is read once.
type exam struct {
	Site
	registry
	findings    // of the check that runs
	sessions    []session.Item
	sessionsErr error
	unused      bool            // Claude Code is: only other clients call us, so what it lacks is no fault
	hosts       findings        // about the other clients
	failing     map[string]bool // those of them with a problem
	hung        map[string]bool // programs that did not answer in time
}

// Examine runs all checks.
func Examine(s Site) (out []Finding) {
	x := &exam{Site: s, registry: readRegistry(&s), hung: map[string]bool{}, failing: map[string]bool{}}
	x.sessions, x.sessionsErr = s.Store.List()
	x.unused = x.lookPath("claude") == nil && len(x.registered) == 0 && explainMissing(x) == "" &&
		slices.ContainsFunc(x.Others, func(o hooks.Installer) bool { return len(listRegistered(o)) > 0 })
	x.hosts = examineHosts(x)
	for _, c := range listChecks() {
		if c.claude && x.unused {
			continue
		}
		x.findings = nil
		c.run(x)
		for _, f := range x.findings {
			f.Check = c.name
			out = append(out, f)
		}
	}
	return out
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

// findings are what a check has found.
type findings []Finding

func (l *findings) add(status Status, remedy, format string, a ...any) *Finding {
	*l = append(*l, Finding{Status: status, What: fmt.Sprintf(format, a...), Remedy: remedy})
	return &(*l)[len(*l)-1]
}

func (l *findings) pass(format string, a ...any) { l.add(OK, "", format, a...) }

func (l *findings) warn(remedy, format string, a ...any) *Finding {
	return l.add(Warning, remedy, format, a...)
}

func (l *findings) problem(remedy, format string, a ...any) { l.add(Problem, remedy, format, a...) }

// orPass adds that all is well, where nothing was found.
func (l *findings) orPass(format string, a ...any) {
	if len(*l) == 0 {
		l.pass(format, a...)
	}
}

// listChecks is the table of checks: what it comes to, and then in the order of a call's way:
// from what is to be enforced, over the client and its settings, to the binary, its answer
// and its state.
func listChecks() []check {
	return []check{
		{"in force", checkEnforcement, false},
		{"config", checkConfig, false},
		{"client", checkClient, true},
		{"environment", checkEnvironment, true},
		{"typed", checkTyped, true},
		{"settings", checkSettings, true},
		{"managed", checkManaged, true},
		{"registration", checkRegistration, true},
		{"matchers", checkMatchers, true},
		{"others", checkOthers, true},
		{"command", checkCommands, true},
		{"canary", checkCanaries, true},
		{"kernel", checkKernel, true},
		{"tools", checkTools, true},
		{"clients", func(x *exam) { x.findings = x.hosts }, false},
		{"state", checkState, false},
		{"locks", checkLocks, false},
		{"errors", checkErrors, false},
		{"liveness", checkLiveness, true},
	}
}

// A Site is the installation to examine: all that the checks take from outside.
type Site struct {
	Root   string // of the project
	Dir    string // where the client is started
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
	Others   []hooks.Installer               // the other clients whose hooks we answer
	// FindUnmet counts the places of the config that rely on what one of them cannot do, and
	// lists the agents that the config names and it does not have.
	FindUnmet func(hooks.Installer) (places int, agents []string)
	Shell     []string // the environment that a client is started in: this process'
	Environ   []string // the one that its hooks get
	Now       time.Time
	Patience  time.Duration // how long a command or a lock is waited for
	// Rehearse answers a hook call as the hooks should; nil where there is no policy to go by.
	Rehearse func(event string, with map[string]any) (fsm.Decision, error)
}

// Environ is the environment that a client gives to its hooks when it is started in this
// one: its settings add to it.
func Environ(dir, client, managed string, environ []string) []string {
	out := append([]string{}, environ...)
	for _, s := range settingsSources(dir, client, managed) {
		body, err := os.ReadFile(s.file)
		if err != nil || settings.Ignored(body) != "" {
			continue
		}
		added, _ := settings.Environment(body) // it was parsed before
		for _, name := range slices.Sorted(maps.Keys(added)) {
			out = append(out, name+"="+added[name])
		}
	}
	return out
}

// Getenv looks up a variable in an environment, in which the last of two counts.
func Getenv(environ []string) func(string) string {
	return func(name string) string {
		for _, variable := range slices.Backward(environ) {
			if value, ok := strings.CutPrefix(variable, name+"="); ok {
				return value
			}
		}
		return ""
	}
}

func (s *Site) getenv(name string) string { return Getenv(s.Environ)(name) }

func (s *Site) makeAbsolute(file string) string {
	if filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(s.Dir, file)
}

// lookPath lists the programs of a name on PATH, the effective one first.
func (s *Site) lookPath(name string) (out []string) {
	for _, dir := range filepath.SplitList(s.getenv("PATH")) {
		if file, ok := system.FindProgram(filepath.Join(dir, name)); ok && filepath.IsAbs(dir) {
			out = append(out, file)
		}
	}
	return out
}

// forgetSession removes what a canary call has left in the state.
func (s *Site) forgetSession(id string) {
	_ = s.Store.Forget(id, time.Now()) // what stays is a session whose name says what it is
	_ = os.Remove(filepath.Dir(s.Store.Path(id)))
}

// A result is what a program left.
type result struct {
	out, err string
	exit     int   // 128 + the signal for one that was killed
	failed   error // why it could not be started
	late     bool  // it was not done in time
	took     time.Duration
}

// runProgram starts a program as a hook is started.
func (s *Site) runProgram(argv ...string) result {
	return runLimited(s.Patience, s.Dir, s.Environ, "", argv...)
}

// runLimited starts a program in a group of its own and ends all of the group when the time is up.
func runLimited(limit time.Duration, dir string, env []string, stdin string, argv ...string) result {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, env, bytes.NewBufferString(stdin), &out, &errs
	cmd.WaitDelay = time.Second // a child of it may hold its output open
	began := time.Now()
	err := system.RunGroup(cmd)
	r := result{out: out.String(), err: errs.String(), late: ctx.Err() != nil, took: time.Since(began)}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.Exited():
		r.exit = exit.ExitCode()
	case errors.As(err, &exit):
		r.exit = 128 + int(exit.Sys().(syscall.WaitStatus).Signal())
	case cmd.Process == nil:
		r.failed = err
	}
	return r
}

// oneLine is the first line of a program's output, shortened.
func oneLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return visible.Shorten(s, 200)
}
