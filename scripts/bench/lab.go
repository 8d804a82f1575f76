//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// A lab is a temporary folder with all that is measured, and nothing of the user's: a home,
// a project made by `pipeline init`, and the two binaries.
type lab struct {
	options
	dir, project    string
	pipeline, empty program
	flags           []string
	calls, moved    int
}

func newLab(o options) (*lab, error) {
	dir, err := os.MkdirTemp("", "pipeline-bench-")
	if err != nil {
		return nil, fmt.Errorf("make a folder to measure in: %w", err)
	}
	l := &lab{options: o, dir: dir, project: filepath.Join(dir, "project")}
	if err := l.setUp(); err != nil {
		l.removeAll()
		return nil, err
	}
	return l, nil
}

func (l *lab) removeAll() { _ = os.RemoveAll(l.dir) } // leftovers stay in the temporary folder

// moveAway keeps a file until the lab is removed.
func (l *lab) moveAway(path string) error {
	l.moved++
	to := filepath.Join(l.dir, "moved", strconv.Itoa(l.moved))
	return errors.Join(os.MkdirAll(filepath.Dir(to), 0o700), os.Rename(path, to))
}

func (l *lab) setUp() error {
	for _, d := range []string{"project", "home", "bin"} {
		if err := os.Mkdir(filepath.Join(l.dir, d), 0o700); err != nil {
			return fmt.Errorf("make a folder to measure in: %w", err)
		}
	}
	linked, flags, err := buildProgram(l.dir, "empty", emptyProgram, l.binary)
	if err != nil {
		return err
	}
	l.flags = flags
	if l.empty, err = l.placeBinary("empty", linked); err != nil {
		return err
	}
	if l.pipeline, err = l.placeBinary("pipeline", l.binary); err != nil {
		return err
	}
	return l.initProject()
}

func (l *lab) placeBinary(name, from string) (program, error) {
	p := program{path: filepath.Join(l.dir, "bin", name), dir: l.project, env: l.hookEnv()}
	return p, copyBinary(p.path, from)
}

// initProject makes the project as a person does: without the client's environment.
func (l *lab) initProject() error {
	p := l.pipeline
	p.args, p.env = []string{"init", "--preset", "default"}, l.userEnv()
	s, err := p.run(nil)
	if err == nil && s.code != 0 {
		err = fmt.Errorf("pipeline init: %s", s)
	}
	if err == nil { // an agent reads it
		err = os.WriteFile(filepath.Join(l.project, "install.sh"), []byte("#!/bin/sh\nset -eu\n"), 0o644)
	}
	if err != nil {
		return err
	}
	return l.editConfig("running: 8,", "running: 1000,") // as many parallel agents as the benchmark starts
}

// editConfig replaces a text in the project's config.
func (l *lab) editConfig(from, to string) error {
	path := filepath.Join(l.project, "configs", "pipeline.yaml")
	body, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read the config: %w", err)
	}
	with := strings.Replace(string(body), from, to, 1)
	if with == string(body) {
		return fmt.Errorf("the config has no %q", from)
	}
	if err := os.WriteFile(path, []byte(with), 0o644); err != nil {
		return fmt.Errorf("write the config: %w", err)
	}
	return nil
}

func (l *lab) userEnv() []string {
	return []string{
		"PATH=" + os.Getenv("PATH"),
		"HOME=" + filepath.Join(l.dir, "home"),
		"XDG_STATE_HOME=" + filepath.Join(l.dir, "home", "state"),
		"XDG_CONFIG_HOME=" + filepath.Join(l.dir, "home", "config"),
		"LANG=C.UTF-8",
	}
}

// hookEnv is the environment that the client gives a hook.
func (l *lab) hookEnv() []string {
	return append(l.userEnv(), "CLAUDECODE=1", "CLAUDE_CODE_ENTRYPOINT=cli", "CLAUDE_PROJECT_DIR="+l.project)
}

// hookProgram is the registered hook of an event.
func (l *lab) hookProgram(event string) program {
	p := l.pipeline
	p.args = []string{"hook", "--host", "claude", event}
	return p
}

// nextUseID returns a new id for a tool call.
func (l *lab) nextUseID() string {
	l.calls++
	return fmt.Sprintf("toolu_bench_%06d", l.calls)
}
