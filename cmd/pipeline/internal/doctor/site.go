package doctor

import (
	"bytes"
	"context"
	"errors"
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
