// Package kernel has the kernel carry out what a policy says of a shell line: where it may
// write. A hook call leaves a ticket for the line (ticket.go); the program that the client
// runs in place of its shell finds the ticket and confines itself (line.go); an engine is
// one mechanism of the system (bubblewrap.go, landlock.go, seatbelt.go).
package kernel

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
)

// Limits say where a program may write. Of two places that hold a file the deeper one
// counts; what lies in none is read-only.
type Limits fsm.WriteLimits

// AnyPlace is writable where only what is listed as read-only is kept.
func (l Limits) AnyPlace() bool { return slices.Contains(l.Writable, "/") }

// KeepOut takes some worktrees out of what is writable, but for an agent's own, which may lie in one of
// them, and for the repository, to which it commits.
func (l *Limits) KeepOut(trees []string, own string) {
	if len(trees) == 0 {
		return
	}
	mayOwn := own != "" && l.MayWrite(own)
	l.ReadOnly = append(slices.Clip(l.ReadOnly), trees...)
	if mayOwn {
		l.Writable = append(slices.Clip(l.Writable), own, filepath.Join(trees[0], ".git"))
	}
}

// An Engine confines programs by one mechanism of the system.
type Engine struct {
	Name string
	// Keeps reports whether it keeps single files and folders read-only in a writable one.
	// Without that it cannot protect files from a program that may write everywhere else.
	Keeps bool
	// confine returns the program and its arguments that run argv within the limits. It
	// may instead confine this process and return argv.
	confine func(l Limits, argv []string) ([]string, error)
}

// A Capability is what a machine was found to have.
type Capability struct {
	Engine string `json:"engine,omitempty"` // empty for none
	Keeps  bool   `json:"keeps,omitempty"`
	Why    string `json:"why,omitempty"` // why not a better one, or none
	System string `json:"system"`        // for which it was found
}

// Describe says in one line what a machine keeps from agents' commands, under a policy that confines some or none.
func (c Capability) Describe(confines bool) string {
	text := "kernel: " + c.Engine + ": agents' commands cannot change "
	switch {
	case c.Engine == "":
		return "kernel: nothing here confines commands (" + cmp.Or(c.Why, "no engine for this system") + ")"
	case c.Keeps && confines:
		return text + "pipeline's files, nor the project's before a plan"
	case c.Keeps:
		return text + "pipeline's files"
	case confines:
		return text + "the project's files before a plan"
	}
	return "kernel: " + c.Engine + ": no rule of the config confines commands"
}

// IsCurrent reports whether it was found for the system that runs now.
func (c Capability) IsCurrent() bool { return c.System == describeSystem() }

// LauncherName is the file, in the folder of all our state, that a client runs in place of its shell.
const LauncherName = "shell"

const capabilityFile = "kernel.json"

// ReadCapability reads what was found out about this machine; the zero Capability where
// nothing was.
func ReadCapability(dir string) (c Capability) {
	body, err := os.ReadFile(filepath.Join(dir, capabilityFile))
	if err != nil || json.Unmarshal(body, &c) != nil {
		return Capability{}
	}
	return c
}

// FindCapability tries the engines, the best first, and keeps the first that works. self is
// this program; dir is where the answer is kept for hook calls.
func FindCapability(self, dir string) (Capability, error) {
	c := Capability{System: describeSystem()}
	for _, e := range engines() {
		why := e.try(self)
		if why == nil {
			c.Engine, c.Keeps = e.Name, e.Keeps
			break
		}
		c.Why = strings.TrimPrefix(c.Why+"; "+why.Error(), "; ")
	}
	body, _ := json.Marshal(c) // of strings only
	return c, system.MakeFile(filepath.Join(dir, capabilityFile), append(body, '\n'))
}

// engines lists those of this system, the best first.
func engines() []Engine {
	return map[string][]Engine{
		"linux":  {{"bubblewrap", true, bubblewrap}, {"landlock", false, restrict}},
		"darwin": {{"seatbelt", true, seatbelt}},
	}[runtime.GOOS]
}

func findEngine(name string) (Engine, error) {
	for _, e := range engines() {
		if e.Name == name {
			return e, nil
		}
	}
	return Engine{}, fmt.Errorf("no engine %q on this system", name)
}

// try has a shell write where it may and where it may not, and looks at what came of it.
func (e Engine) try(self string) error {
	dir, err := os.MkdirTemp("", "pipeline-kernel-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	open, shut := filepath.Join(dir, "open"), filepath.Join(dir, "shut")
	kept := filepath.Join(open, "kept")
	err = errors.Join(os.Mkdir(open, 0o700), os.Mkdir(shut, 0o700), os.WriteFile(kept, nil, 0o600))
	if err != nil {
		return err
	}
	run := func(l Limits, line string) error {
		body, _ := json.Marshal(l) // of strings only
		out, err := exec.Command(self, "confine", "--try", e.Name, string(body), line, dir).CombinedOutput()
		if err != nil {
			return fmt.Errorf("%s does not run: %w (%s)", e.Name, err, strings.TrimSpace(string(out)))
		}
		return nil
	}
	const writes = `cd "$0" && echo > open/made; echo > shut/made; test -e open/made`
	if err := run(Limits{Writable: []string{open}}, writes); err != nil {
		return err
	}
	_, err = os.Stat(filepath.Join(shut, "made"))
	held := errors.Is(err, fs.ErrNotExist)
	if e.Keeps {
		l := Limits{Writable: []string{"/"}, ReadOnly: []string{kept}}
		if err := run(l, `cd "$0" && echo > shut/made; echo changed > open/kept; test -e shut/made`); err != nil {
			return err
		}
		body, err := os.ReadFile(kept)
		held = held && err == nil && len(body) == 0
	}
	if !held {
		return fmt.Errorf("%s does not hold", e.Name)
	}
	return nil
}

// Run confines this process and replaces it by argv. It returns only an error. Places that do
// not exist are left out, and their links followed: an engine knows no others.
func (e Engine) Run(l Limits, argv []string) error {
	real := func(paths []string) (found []string) {
		for _, p := range paths {
			if p, err := filepath.EvalSymlinks(p); err == nil && !slices.Contains(found, p) {
				found = append(found, p)
			}
		}
		return found
	}
	argv, err := e.confine(Limits{Writable: real(l.Writable), ReadOnly: real(l.ReadOnly)}, argv)
	if err != nil {
		return fmt.Errorf("%s: %w", e.Name, err)
	}
	return replaceProcess(argv)
}

// replaceProcess goes on as another program.
func replaceProcess(argv []string) error {
	program, err := exec.LookPath(argv[0])
	if err != nil {
		return err
	}
	return system.Exec(program, argv[1:])
}

func isWithin(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}

// Try confines this process and runs a shell line. It is how FindCapability finds out
// whether an engine works here.
func Try(engine, limits, line string, args ...string) error {
	e, err := findEngine(engine)
	if err != nil {
		return err
	}
	var l Limits
	if err := json.Unmarshal([]byte(limits), &l); err != nil {
		return err
	}
	return e.Run(l, append([]string{"/bin/sh", "-c", line}, args...))
}

// describeSystem tells one system from another that has the same home folder.
func describeSystem() string {
	host, _ := os.Hostname()
	release, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	bubblewrap, _ := exec.LookPath("bwrap")
	return strings.Join([]string{host, strings.TrimSpace(string(release)), bubblewrap}, " ")
}
