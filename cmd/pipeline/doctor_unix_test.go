//go:build unix

package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/agent-pipeline/pipeline/cmd/pipeline/internal/doctor"
)

// What rights forbid is nothing to root, so these are run by somebody else where the tests are root's. The other ways
// of breaking an installation are in testdata/script/doctor.txtar.

// A patient is an installation of somebody who is not root.
type patient struct {
	t                     *testing.T
	dir, home, root, self string
}

func newPatient(t *testing.T) *patient {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &patient{t, dir, filepath.Join(dir, "home"), filepath.Join(dir, "project"), filepath.Join(dir, "pipeline")}
	body, err := os.ReadFile(binary()) // which lies where only its owner gets at it
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{os.WriteFile(p.self, body, 0o755), os.Mkdir(p.home, 0o755), os.Mkdir(p.root, 0o755),
		os.Chmod(filepath.Dir(dir), 0o755), p.give()} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, command := range []string{"init", "install"} {
		if out, code := p.run(command); code != 0 {
			t.Fatalf("%s: %d %s", command, code, out)
		}
	}
	if out, code := p.run("doctor"); code != 0 {
		t.Fatalf("doctor is not content: %d %s", code, out)
	}
	return p
}

const nobody = 65534

// give makes all of it somebody else's, if it is root's.
func (p *patient) give() error {
	if os.Geteuid() != 0 {
		return nil
	}
	return filepath.WalkDir(p.dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chown(path, nobody, nobody)
	})
}

func (p *patient) run(args ...string) (string, int) {
	p.t.Helper()
	cmd := exec.Command(p.self, args...)
	cmd.Dir, cmd.Env = p.root, []string{"HOME=" + p.home, "PATH=/usr/bin:/bin"}
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		p.t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

func (p *patient) chmod(mode fs.FileMode, path string) {
	p.t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		p.t.Fatal(err)
	}
}

func (p *patient) want(texts ...string) {
	p.t.Helper()
	out, code := p.run("doctor", "--verbose")
	if code != 1 {
		p.t.Errorf("exit code %d, expected 1", code)
	}
	for _, text := range texts {
		if !strings.Contains(out, text) {
			p.t.Errorf("no %q in\n%s", text, out)
		}
	}
}

func TestReadOnlyState(t *testing.T) {
	p := newPatient(t)
	state, err := filepath.Glob(p.home + "/.local/state/pipeline/project-*")
	if err != nil || len(state) != 1 {
		t.Fatalf("state folders: %q, %v", state, err)
	}
	p.chmod(0o500, state[0])
	p.want("FAIL  state", state[0]+" cannot be written to: permission denied", "hint: chmod u+rwx "+state[0],
		"ok    canary", "refused a call that would write the config")
	p.chmod(0o700, state[0])
	if out, code := p.run("doctor"); code != 0 {
		t.Errorf("repaired: %d %s", code, out)
	}
}

func TestUnreadableConfig(t *testing.T) {
	p := newPatient(t)
	p.chmod(0, filepath.Join(p.root, "configs", "pipeline.yaml"))
	p.want("FAIL  config", "pipeline.yaml", "permission denied", "the last one without problems is in force")
}

func TestUnreadableSettings(t *testing.T) {
	p := newPatient(t)
	p.chmod(0, filepath.Join(p.root, ".claude", "settings.local.json"))
	p.want("FAIL  settings", "permission denied", "our hooks in it do not run", "FAIL  registration")
}

func TestDoctorJSON(t *testing.T) {
	p := newPatient(t)
	if err := os.Remove(filepath.Join(p.root, ".claude", "settings.local.json")); err != nil {
		t.Fatal(err)
	}
	out, code := p.run("doctor", "--json")
	var said struct{ Findings []doctor.Finding }
	if err := json.Unmarshal([]byte(out), &said); err != nil || code != 1 {
		t.Fatalf("%v, exit code %d: %s", err, code, out)
	}
	if n := doctor.CountProblems(said.Findings); n != 2 {
		t.Errorf("%d problems, expected the registration's, and that nothing is in force: %s", n, out)
	}
}
