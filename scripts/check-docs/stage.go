package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// timeout bounds each command.
const timeout = 2 * time.Minute

// A stage is the place where a document's commands run: a project and a home of its own,
// nothing of the user's.
type stage struct {
	dir, project string
	env          []string
}

// An outcome is what a terminal would show of a command, and its exit code.
type outcome struct {
	lines []string
	code  int
}

func newStage(binaries string) (*stage, error) {
	dir, err := os.MkdirTemp("", "check-docs-")
	if err != nil {
		return nil, fmt.Errorf("make a temporary project: %w", err)
	}
	s := &stage{dir: dir, project: filepath.Join(dir, "project")}
	for _, d := range []string{s.project, s.homeDir()} {
		if err := os.Mkdir(d, 0o755); err != nil {
			return nil, fmt.Errorf("make a temporary project: %w", err)
		}
	}
	s.env = []string{
		"PATH=" + binaries + string(os.PathListSeparator) + os.Getenv("PATH"),
		"HOME=" + s.homeDir(),
		"XDG_STATE_HOME=" + s.homeDir() + "/.local/state",
		"XDG_CONFIG_HOME=" + s.homeDir() + "/.config",
		"LANG=C.UTF-8", "NO_COLOR=1", "TERM=dumb",
	}
	return s, nil
}

func (s *stage) homeDir() string { return filepath.Join(s.dir, "home") }

func (s *stage) removeAll() { _ = os.RemoveAll(s.dir) } // leftovers stay in the temporary folder

// shell runs its second argument as if it were typed after all previous commands. The file
// named by the first argument carries the directory and the exported variables over.
const shell = `
[ -f "$1" ] && . "$1"
eval "$2"
status=$?
{ export -p; printf 'cd %q\n' "$PWD"; } >"$1"
exit $status
`

// runCommand writes the command's file, if it has one, and runs its line.
func (s *stage) runCommand(c command) (outcome, error) {
	if c.file != "" {
		path := filepath.Join(s.project, c.file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return outcome{}, fmt.Errorf("write a block: %w", err)
		}
		if err := os.WriteFile(path, []byte(c.content), 0o644); err != nil {
			return outcome{}, fmt.Errorf("write a block: %w", err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", shell, "bash", filepath.Join(s.dir, "shell"), c.text)
	cmd.Dir, cmd.Env = s.project, s.env
	cmd.WaitDelay = time.Second // something left in the background may hold the output open
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return outcome{}, fmt.Errorf("%s: did not end within %s", c.text, timeout)
	}
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		return outcome{}, fmt.Errorf("run %s: %w", c.text, err)
	}
	return outcome{lines: trimEmptyEnd(strings.Split(string(out), "\n")), code: cmd.ProcessState.ExitCode()}, nil
}
