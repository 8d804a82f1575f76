//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A lab is a folder with everything that is measured in it, and nothing of the user's: a home, a project as `pipeline
// init` makes it, the two binaries.
type lab struct {
	options
	dir, project    string
	pipeline, empty program
	flags           []string
	calls           int
}

func newLab(o options) (*lab, error) {
	dir, err := os.MkdirTemp("", "pipeline-bench-")
	if err != nil {
		return nil, fmt.Errorf("make a folder to measure in: %w", err)
	}
	l := &lab{options: o, dir: dir, project: filepath.Join(dir, "project")}
	if err := l.furnish(); err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

func (l *lab) close() { _ = os.RemoveAll(l.dir) } // what is left lies in the temporary folder

func (l *lab) furnish() error {
	for _, d := range []string{"project", "home", "bin"} {
		if err := os.Mkdir(filepath.Join(l.dir, d), 0o700); err != nil {
			return fmt.Errorf("make a folder to measure in: %w", err)
		}
	}
	linked, flags, err := buildEmpty(l.dir, l.binary)
	if err != nil {
		return err
	}
	l.flags = flags
	if l.empty, err = l.place("empty", linked); err != nil {
		return err
	}
	if l.pipeline, err = l.place("pipeline", l.binary); err != nil {
		return err
	}
	return l.init()
}

func (l *lab) place(name, from string) (program, error) {
	p := program{path: filepath.Join(l.dir, "bin", name), dir: l.project, env: l.underClient()}
	return p, copyBinary(p.path, from)
}

// init makes the project, as a person would: not under the client.
func (l *lab) init() error {
	p := l.pipeline
	p.args, p.env = []string{"init"}, l.environment()
	s, err := p.run(nil)
	if err == nil && s.code != 0 {
		err = fmt.Errorf("pipeline init: %s", s)
	}
	if err != nil {
		return err
	}
	return l.unlimit()
}

// unlimit takes the limit of agents at once out of the config: more are started here than anybody would.
func (l *lab) unlimit() error {
	path := filepath.Join(l.project, "configs", "pipeline.yaml")
	body, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read the config: %w", err)
	}
	with := strings.Replace(string(body), "running: 8\n", "running: 0\n", 1)
	if with == string(body) {
		return errors.New("the config has no limit of eight agents at once to be taken out")
	}
	if err := os.WriteFile(path, []byte(with), 0o644); err != nil {
		return fmt.Errorf("write the config: %w", err)
	}
	return nil
}

func (l *lab) environment() []string {
	return []string{
		"PATH=" + os.Getenv("PATH"),
		"HOME=" + filepath.Join(l.dir, "home"),
		"XDG_STATE_HOME=" + filepath.Join(l.dir, "home", "state"),
		"XDG_CONFIG_HOME=" + filepath.Join(l.dir, "home", "config"),
		"LANG=C.UTF-8",
	}
}

// underClient is the environment in which the client starts a hook.
func (l *lab) underClient() []string {
	return append(l.environment(), "CLAUDECODE=1", "CLAUDE_CODE_ENTRYPOINT=cli", "CLAUDE_PROJECT_DIR="+l.project)
}

// hook is a registered hook of the event.
func (l *lab) hook(event string) program {
	p := l.pipeline
	p.args = []string{"hook", "--host", "claude", event}
	return p
}

// use is a fresh id for a tool call.
func (l *lab) use() string {
	l.calls++
	return fmt.Sprintf("toolu_bench_%06d", l.calls)
}
