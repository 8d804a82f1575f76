package shell

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// harmless are the programs of the sandbox that change nothing by themselves.
// All others there only leave a mark that they ran.
var harmless = []string{"cat", "ls", "grep", "head", "tail", "wc", "sort", "uniq", "tr", "cut", "sed", "awk", "find", "xargs",
	"env", "nice", "timeout", "nohup", "seq", "basename", "dirname", "tac", "nl", "expr", "date", "bash", "sh"}

// builtins change nothing outside of the shell.
var builtins = []string{"echo", "printf", "true", "false", ":", "test", "[", "cd", "read", "set", "shift", "export", "unset", "exit",
	"return", "break", "continue", "trap", "pwd", "type", "command", "wait", "mapfile", "getopts", "let", "shopt", "alias", "exec", "times"}

// sandbox is a directory with a few files, and a PATH with nothing dangerous.
type sandbox struct {
	dir, bin string
	before   string
}

func newSandbox(t testing.TB) *sandbox {
	root, err := os.MkdirTemp("", "shell-sandbox")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	s := &sandbox{dir: filepath.Join(root, "w"), bin: filepath.Join(root, "bin")}
	must(t, os.Mkdir(s.bin, 0o755), os.Chmod(root, 0o755))
	for _, name := range harmless {
		if path, err := exec.LookPath(name); err == nil {
			must(t, os.Symlink(path, filepath.Join(s.bin, name)))
		}
	}
	for _, name := range []string{"rm", "touch", "tee", "cp", "mv", "mkdir", "ln", "git", "make", "python3", "chmod", "dd", "truncate"} {
		must(t, os.WriteFile(filepath.Join(s.bin, name), []byte("#!/bin/sh\n: > \"$HOME/ran-"+name+"\"\n"), 0o755))
	}
	s.reset(t)
	return s
}

func must(t testing.TB, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// reset makes the directory anew.
func (s *sandbox) reset(t testing.TB) {
	must(t, os.RemoveAll(s.dir), os.MkdirAll(filepath.Join(s.dir, "sub"), 0o777))
	for name, text := range map[string]string{"a": "a b\nrm\n", "b": "touch x\n", "sub/c": "c\n"} {
		must(t, os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o666))
	}
	filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
		if os.Getuid() == 0 {
			return os.Chown(path, nobody, nobody)
		}
		return err
	})
	s.before = s.tree()
}

const nobody = 65534

// tree is all that is in the directory.
func (s *sandbox) tree() string {
	var b strings.Builder
	filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, _ := d.Info()
		text, _ := os.ReadFile(path)
		fmt.Fprintln(&b, path, info.Mode(), string(text))
		return nil
	})
	return b.String()
}

// run runs a line in the real bash, with nobody's rights if it can.
func (s *sandbox) run(line string) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	limits := `ulimit -t 1 -f 64 -v 2000000; `
	if os.Getuid() == 0 {
		limits += `ulimit -u 200; `
	}
	cmd := exec.CommandContext(ctx, "/bin/bash", "--norc", "--noprofile", "-c", limits+`exec /bin/bash --norc --noprofile -c "$1"`, "bash", line)
	cmd.Dir = s.dir
	cmd.Env = []string{"PATH=" + s.bin, "HOME=" + s.dir}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if os.Getuid() == 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 100 * time.Millisecond
	cmd.Run()
	syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
}

// safe tells whether the parser calls a line harmless.
func safe(calls []Call) bool {
	for _, c := range calls {
		if c.Kind == Write || c.Kind == Delete || c.Code {
			return false
		}
		if c.Kind == Command && !slices.Contains(harmless, baseName(c.Words[0])) && !slices.Contains(builtins, c.Words[0]) {
			return false
		}
	}
	return true
}

// contained tells whether a line cannot reach outside of its directory, even if
// the parser errs: no paths, no home directories, only variables of its own.
func contained(line string) bool {
	for _, bad := range []string{"/", "~", "..", "$'", "PWD", "HOME", "BASH", "SHELL", "PATH", "kill", "cd -", "OLD", "$_", "${_", "\\0", "\\x", "\x00"} {
		if bad == "/" {
			line = strings.NewReplacer("s/a/b/", "", "//a/", "", "/a/{", "", "y/abc/wxy/", "", "s/[/]/b/w", "").Replace(line)
		}
		if strings.Contains(line, bad) {
			return false
		}
	}
	return len(line) < 2000
}

// duration is how long the differential test runs: SHELL_FUZZ=10m for more.
func duration(t *testing.T) time.Duration {
	if s := os.Getenv("SHELL_FUZZ"); s != "" {
		d, err := time.ParseDuration(s)
		must(t, err)
		return d
	}
	return 2 * time.Second
}

// A line that the parser calls harmless changes no file when the real bash runs it.
func TestAgainstBash(t *testing.T) {
	if _, err := os.Stat("/bin/bash"); err != nil || testing.Short() {
		t.Skip("needs /bin/bash")
	}
	seed := uint64(1)
	if n, err := strconv.ParseUint(os.Getenv("SHELL_FUZZ_SEED"), 10, 64); err == nil {
		seed = n
	}
	g := &generator{Rand: rand.New(rand.NewPCG(seed, seed))}
	for _, e := range corpus(t) {
		if contained(e.line) {
			g.seeds = append(g.seeds, e.line)
		}
	}
	s := newSandbox(t)
	made, ran, missed := 0, 0, 0
	for end := time.Now().Add(duration(t)); time.Now().Before(end) && missed < 40; made++ {
		line := g.line()
		calls := parse(line, Options{})
		if !contained(line) || !safe(calls) {
			continue
		}
		ran++
		s.run(line)
		if after := s.tree(); after != s.before {
			missed++
			t.Errorf("called harmless, changed files:\n%s\ncalls: %s\nafter:\n%s", line, shown(calls), after)
			s.reset(t)
		}
	}
	t.Logf("%d lines made, %d run, %d missed", made, ran, missed)
}
