package shell

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// sandbox is a process that runs lines in real shells. It has its own mounts, processes
// and no network: all but a few temporary folders is read-only.
type sandbox struct {
	in  *json.Encoder
	out *json.Decoder
}

// ran is what a line did in the sandbox.
type ran struct {
	Changed []string // files of the project, relative to it
	Said    string   // the end of its output
	Failed  string   // the sandbox itself failed
}

// trial is a line that a shell is to run.
type trial struct {
	Shell, Line string
	Confine     []string // the program that confines the shell, and its arguments; nil to run it free
	Contents    bool     // modes, owners and times do not count
}

// The folders of the sandbox. The home is empty.
const (
	sandboxEnv  = "SHELL_SANDBOX"
	sandboxHome = "/home/u"
	projectDir  = "/home/work/project"
	templateDir = "/home/template"
)

// sandboxShells are the shells that lines are run in.
func sandboxShells() map[string][]string {
	return map[string][]string{
		"bash": {"bash", "--norc", "--noprofile", "-c"},
		"zsh":  {"zsh", "-f", "-c"},
		"dash": {"dash", "-c"},
	}
}

func TestMain(m *testing.M) {
	if os.Getenv(sandboxEnv) != "" {
		fmt.Fprintln(os.Stderr, serveSandbox(os.Stdin, os.Stdout))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// newSandbox starts a sandbox. Without the shells, or where the system allows none, the
// test is skipped; in CI it fails.
func newSandbox(t testing.TB) *sandbox {
	t.Helper()
	skip := t.Skipf
	if os.Getenv("CI") != "" {
		skip = t.Fatalf
	}
	for name := range sandboxShells() {
		if _, err := exec.LookPath(name); err != nil {
			skip("the shell %s is missing", name)
		}
	}
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(sandboxEnviron(), sandboxEnv+"=1")
	cmd.Stderr = os.Stderr
	id := os.Getuid()
	group := os.Getgid()
	if id == 0 {
		id, group = 65534, 65534 // the owner of what a line can reach: nobody
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWNET |
			syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS,
		UidMappings:                []syscall.SysProcIDMap{{ContainerID: 0, HostID: id, Size: 1}},
		GidMappings:                []syscall.SysProcIDMap{{ContainerID: 0, HostID: group, Size: 1}},
		GidMappingsEnableSetgroups: os.Getuid() == 0,
		Credential:                 &syscall.Credential{NoSetGroups: os.Getuid() != 0},
		Pdeathsig:                  syscall.SIGKILL,
	}
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		skip("start a sandbox: %v", err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	s := &sandbox{in: json.NewEncoder(in), out: json.NewDecoder(bufio.NewReader(out))}
	if first := s.run(trial{Shell: "dash", Line: ": > probe"}); first.Failed != "" ||
		!slices.Contains(first.Changed, "probe") {
		skip("the sandbox cannot run: %+v", first)
	}
	return s
}

// run runs a line in a fresh copy of the project.
func (s *sandbox) run(t trial) (r ran) {
	if err := errors.Join(s.in.Encode(t), s.out.Decode(&r)); err != nil {
		r.Failed = err.Error()
	}
	return r
}

// cell is the inside of a sandbox.
type cell struct {
	before map[string]string
	dirty  bool
}

// serveSandbox is the process inside: it runs the lines that it reads.
func serveSandbox(in io.Reader, out io.Writer) error {
	c := &cell{dirty: true}
	failed := errors.Join(closeCell(), makeTemplate())
	for r, w := json.NewDecoder(in), json.NewEncoder(out); ; {
		var t trial
		if err := r.Decode(&t); err != nil {
			return err
		}
		result := ran{}
		if failed == nil {
			failed = c.run(t, &result)
		}
		if failed != nil {
			result.Failed = failed.Error()
		}
		if err := w.Encode(result); err != nil {
			return err
		}
	}
}

// builtDir holds the program that confines; in the sandbox it is /mnt.
const builtDir = "../../bin"

// closeCell makes everything read-only but new temporary folders, and gives up the
// right to undo that.
func closeCell() error {
	attr := struct{ set, clear, propagation, userns uint64 }{set: 1} // MOUNT_ATTR_RDONLY
	root := []byte("/\x00")
	err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, "")
	if _, missing := os.Stat(builtDir); missing == nil {
		err = errors.Join(err, syscall.Mount(builtDir, "/mnt", "", syscall.MS_BIND, "")) // the checkout may be in /tmp
	}
	if _, _, no := syscall.Syscall6(442, ^uintptr(99), uintptr(unsafe.Pointer(&root[0])), 0x8000, // mount_setattr
		uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0); no != 0 {
		err = errors.Join(err, fmt.Errorf("make mounts read-only: %w", no))
	}
	for _, dir := range []string{"/tmp", "/home", "/var/tmp"} {
		err = errors.Join(err, syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV, "size=64m"))
	}
	_ = syscall.Mount("proc", "/proc", "proc", 0, "") // refused in some containers; the old one serves
	// without it a namespace cannot have a root of its own, as bubblewrap makes one
	const setFileCapabilities = 31
	for capability := range uintptr(41) {
		if capability == setFileCapabilities {
			continue
		}
		if _, _, no := syscall.AllThreadsSyscall(syscall.SYS_PRCTL, syscall.PR_CAPBSET_DROP, capability, 0); no != 0 &&
			no != syscall.EINVAL {
			err = errors.Join(err, fmt.Errorf("drop capability %d: %w", capability, no))
		}
	}
	limit := syscall.Rlimit{Cur: 4 << 20, Max: 4 << 20}
	return errors.Join(err, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit), os.MkdirAll(sandboxHome, 0o755))
}

// makeTemplate makes the project that every line begins with.
func makeTemplate() error {
	script, err := os.ReadFile("testdata/project.sh")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(templateDir, 0o755); err != nil {
		return err
	}
	cmd := exec.Command("/bin/bash", "-euc", string(script))
	cmd.Dir, cmd.Env = templateDir, sandboxEnviron()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("make the project: %w: %s", err, out)
	}
	return nil
}

func sandboxEnviron() []string {
	return []string{"PATH=/usr/local/go/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME=" + sandboxHome,
		"TERM=dumb", "LANG=C.UTF-8"}
}

// run runs a line, and compares the project before and after.
func (c *cell) run(t trial, r *ran) error {
	if c.dirty {
		if err := c.reset(); err != nil {
			return err
		}
	}
	c.exec(t, r)
	after := map[string]string{}
	scan(projectDir, after)
	for path, is := range after {
		if was, ok := c.before[path]; !ok || was != is && (!t.Contents || contentOf(was) != contentOf(is)) {
			r.Changed = append(r.Changed, path)
		}
	}
	for path := range c.before {
		if _, ok := after[path]; !ok {
			r.Changed = append(r.Changed, path)
		}
	}
	slices.Sort(r.Changed)
	left, _ := os.ReadDir("/tmp")
	homes, _ := os.ReadDir(sandboxHome)
	c.dirty = len(r.Changed) > 0 || len(left)+len(homes) > 0
	r.Changed = slices.DeleteFunc(r.Changed, isGitsOwn)
	return nil
}

// isGitsOwn reports whether git keeps a file for itself. Hooks run, and count.
func isGitsOwn(path string) bool {
	return (path == ".git" || strings.HasPrefix(path, ".git/")) && !strings.HasPrefix(path, ".git/hooks")
}

// exec runs a line and all processes that it leaves behind for a while.
func (c *cell) exec(t trial, r *ran) {
	said, err := os.CreateTemp("/home", "said")
	if err != nil {
		r.Failed = err.Error()
		return
	}
	defer os.Remove(said.Name())
	defer said.Close()
	argv := sandboxShells()[t.Shell]
	argv = slices.Concat(t.Confine, argv, []string{t.Line})
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = projectDir, append(sandboxEnviron(), "PWD="+projectDir), said, said
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		r.Said = err.Error()
		return
	}
	deadline := time.AfterFunc(4*time.Second, func() { syscall.Kill(-1, syscall.SIGKILL) })
	for {
		pid, err := syscall.Wait4(-1, nil, 0, nil)
		if err == syscall.ECHILD {
			break
		}
		if pid == cmd.Process.Pid {
			deadline.Reset(300 * time.Millisecond)
		}
	}
	deadline.Stop()
	cmd.Process.Release()
	text := make([]byte, 400)
	n, _ := said.ReadAt(text, 0)
	r.Said = string(text[:n])
}

// reset restores the project.
func (c *cell) reset() error {
	for _, dir := range []string{"/home/work", "/tmp", sandboxHome, "/var/tmp"} {
		filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if d != nil && d.IsDir() {
				os.Chmod(path, 0o755)
			}
			return nil
		})
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	if err := errors.Join(os.MkdirAll(filepath.Dir(projectDir), 0o755), copyTree(templateDir, projectDir)); err != nil {
		return err
	}
	c.before, c.dirty = map[string]string{}, false
	scan(projectDir, c.before)
	return nil
}

// copyTree copies files, folders and links with their modes and times.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := to + strings.TrimPrefix(path, from)
		info, err := d.Info()
		if err != nil {
			return err
		}
		switch {
		case d.IsDir():
			return os.Mkdir(target, 0o755)
		case d.Type()&fs.ModeSymlink != 0:
			link, _ := os.Readlink(path)
			return os.Symlink(link, target)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return errors.Join(os.WriteFile(target, data, info.Mode()), os.Chtimes(target, info.ModTime(), info.ModTime()))
	})
}

// contentOf is the part of what scan says of a file that is not about its mode, owner or times.
func contentOf(what string) string { return what[strings.LastIndexByte(what, '=')+1:] }

// scan lists what is below a folder. A file is the same if its inode has not changed.
func scan(root string, into map[string]string) {
	filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		info, statErr := os.Lstat(path)
		if statErr != nil {
			return nil
		}
		what := info.Mode().String()
		if st := info.Sys().(*syscall.Stat_t); !info.IsDir() {
			body, _ := os.ReadFile(path) // of a link: what it leads to
			sum := sha256.Sum256(body)
			what = fmt.Sprint(what, st.Ino, st.Ctim, st.Size, "=", hex.EncodeToString(sum[:8]))
		}
		into[strings.TrimPrefix(strings.TrimPrefix(path, root), "/")] = what
		return nil
	})
}
