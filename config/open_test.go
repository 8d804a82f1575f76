package config

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
)

// open opens without an error.
func (p ground) open() Opened {
	p.Helper()
	o, err := Open(p.World)
	if err != nil {
		p.Fatal(err)
	}
	return o
}

// cached lists the compiled policies on disk.
func (p ground) cached() []string {
	p.Helper()
	got, _ := p.find()
	return system.Glob(got.Home, "policy/*"+ending)
}

// hits reports whether Open takes the policy from the disk. It marks the one that is there: compiling would not.
func (p ground) hits() bool {
	p.Helper()
	const mark = "from the cache"
	got, _ := p.find()
	k := policyKey(got, p.World)
	last := got.lastFile(p.World)
	policy, err := readPolicy(system.Dir(last), k, false)
	if err != nil {
		return false
	}
	policy.States[0].Inject = mark
	if err := writePolicy(last, k, policy); err != nil {
		p.Fatal(err)
	}
	return p.open().Policy.States[0].Inject == mark
}

func TestOpenTwice(t *testing.T) {
	p := newGround(t, "project/pipeline.yaml")
	first := p.open()
	second := p.open()
	if diff := cmp.Diff(first.Policy, second.Policy); diff != "" || len(first.Notes)+len(second.Notes) > 0 {
		t.Errorf("%v %v %s", first.Notes, second.Notes, diff)
	}
	if !p.hits() {
		t.Error("compiled again")
	}
	if fp := first.Policy.Fingerprint; len(fp) != 12 || !strings.HasPrefix(filepath.Base(p.cached()[0]), fp) {
		t.Errorf("fingerprint %q is not of %s", fp, p.cached())
	}
}

func TestNothingConfigured(t *testing.T) {
	p := newGround(t)
	o := p.open()
	if !o.None || o.Policy != nil {
		t.Errorf("%+v", o)
	}
	if _, err := os.Stat(p.path("home")); err == nil {
		t.Error("something was written")
	}
}

// What a policy depends on changes the key; the old policy is not taken.
func TestWhatMissesTheCache(t *testing.T) {
	for name, change := range map[string]func(*ground){
		"edit":        func(p *ground) { p.file("project/pipeline.yaml", tiny+"  # a remark\n") },
		"same length": func(p *ground) { p.file("project/pipeline.yaml", strings.Replace(tiny, "[x]", "[y]", 1)) },
		"same length, same time": func(p *ground) {
			keepTime(p, func() { p.file("project/pipeline.yaml", strings.Replace(tiny, "[x]", "[y]", 1)) })
		},
		"another file of the same length and time": func(p *ground) {
			keepTime(p, func() {
				p.file("project/new", strings.Replace(tiny, "[x]", "[y]", 1))
				if err := os.Rename(p.path("project/new"), p.path("project/pipeline.yaml")); err != nil {
					p.Fatal(err)
				}
			})
		},
		"another name": func(p *ground) {
			if err := os.Rename(p.path("project/pipeline.yaml"), p.path("project/pipeline.yml")); err != nil {
				p.Fatal(err)
			}
		},
		"local":        func(p *ground) { p.file("project/pipeline.local.yaml", "level: ask\n") },
		"organisation": func(p *ground) { p.file("etc/pipeline.yaml", "level: ask\n") },
		"user":         func(p *ground) { p.file("home/.config/pipeline/pipeline.yaml", "level: ask\n") },
		"environment":  func(p *ground) { *p = p.with("PIPELINE_LEVEL", "ask") },
		"version":      func(p *ground) { p.Version = "next" },
		"home": func(p *ground) {
			p.ConfigHome, p.StateHome, p.Home = p.path("c"), p.path("home/.local/state"), "/elsewhere"
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newGround(t, "project/pipeline.yaml")
			p.System = p.path("etc")
			p.open()
			change(&p)
			if p.hits() {
				t.Error("the old policy was taken")
			}
			if o := p.open(); o.Policy == nil || len(p.cached()) != 2 {
				t.Errorf("%+v, cached %v", o, p.cached())
			}
		})
	}
}

// A second config beside the first is a problem at once; the last good policy stays.
func TestSecondConfig(t *testing.T) {
	p := newGround(t, "project/pipeline.yaml")
	p.open()
	p.file("project/pipeline.toml", "version = 1\n")
	if o := p.open(); len(o.Problems) != 1 || !o.Stale || o.Policy == nil {
		t.Errorf("%+v", o)
	}
}

// keepTime makes a change of the config after which its file has the same time.
func keepTime(p *ground, change func()) {
	p.Helper()
	file := p.path("project/pipeline.yaml")
	before, err := os.Stat(file)
	if err != nil {
		p.Fatal(err)
	}
	change()
	if err := os.Chtimes(file, time.Time{}, before.ModTime()); err != nil {
		p.Fatal(err)
	}
}

// A layer that is removed has no effect on the next call, and one that comes back has.
func TestLayersComeAndGo(t *testing.T) {
	for _, layer := range []string{"project/pipeline.local.yaml", "home/.config/pipeline/pipeline.yaml",
		"etc/pipeline.yaml"} {
		p := newGround(t, "project/pipeline.yaml")
		p.System = p.path("etc")
		for _, want := range []fsm.Level{fsm.AskFirst, fsm.Strict, fsm.AskFirst} {
			if p.remove(layer); want == fsm.AskFirst {
				p.file(layer, "level: ask\n")
			}
			if got := p.open().Policy.Level; got != want {
				t.Errorf("%s: level %v, want %v", layer, got, want)
			}
		}
	}
}

// A byte changed anywhere is a miss, and repaired by the call that finds it.
func TestDamagedCache(t *testing.T) {
	p := newGround(t, "project/pipeline.yaml")
	want := p.open().Policy
	file := p.cached()[0]
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got, _ := p.find()
	k := policyKey(got, p.World)
	for i := range whole {
		b := bytes.Clone(whole)
		b[i] ^= 0x10
		overwrite(t, file, b)
		if _, err := readPolicy(system.Dir(file), k, false); err == nil {
			t.Fatalf("byte %d of %d may be changed", i, len(whole))
		}
	}
	for _, n := range []int{0, 1, len(whole) / 2, len(whole) - 1} {
		overwrite(t, file, whole[:n])
		if diff := cmp.Diff(want, p.open().Policy); diff != "" {
			t.Error(diff)
		}
		if again, err := os.ReadFile(file); err != nil || !bytes.Equal(whole, again) {
			t.Errorf("not repaired after %d bytes: %v", n, err)
		}
	}
}

func overwrite(t *testing.T, file string, b []byte) {
	t.Helper()
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// A policy that others could have written is not believed, and replaced by one that only the user may write.
func TestForeignCache(t *testing.T) {
	for name, spoil := range map[string]func(file string) error{
		"group may write": func(f string) error { return os.Chmod(f, 0o620) },
		"all may write":   func(f string) error { return os.Chmod(f, 0o602) },
		"another's":       func(f string) error { return os.Chown(f, os.Geteuid()+1, -1) },
		"a folder":        func(f string) error { return cmpErr(os.Remove(f), os.Mkdir(f, 0o700)) },
		"a symlink away":  func(f string) error { return cmpErr(os.Remove(f), os.Symlink("/dev/zero", f)) },
	} {
		t.Run(name, func(t *testing.T) {
			p := newGround(t, "project/pipeline.yaml")
			p.open()
			file := p.cached()[0]
			if err := spoil(file); err != nil {
				t.Skip(err)
			}
			if p.hits() {
				t.Error("it was believed")
			}
			if o := p.open(); o.Policy == nil || len(o.Notes) > 0 {
				t.Errorf("%+v", o)
			}
			if info, err := os.Lstat(file); err != nil || info.Mode() != 0o600 {
				t.Errorf("mode %v, %v", info.Mode(), err)
			}
		})
	}
}

func cmpErr(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func TestModes(t *testing.T) {
	p := newGround(t, "project/pipeline.yaml")
	home := p.open().Project.Home
	for f := p.cached()[0]; f != system.Dir(home); f = system.Dir(f) {
		if info, err := os.Stat(f); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v, %v", f, info.Mode(), err)
		}
	}
}

// Where the policy cannot be kept it is used all the same, with a note.
func TestNowhereToKeepIt(t *testing.T) {
	p := newGround(t, "project/pipeline.yaml")
	got, _ := p.find()
	write(t, got.Home, "a file is in the way")
	for range 2 {
		o := p.open()
		if o.Policy == nil || o.Stale || len(o.Notes) != 1 ||
			!strings.Contains(o.Notes[0], "keep the compiled policy") {
			t.Errorf("%+v", o)
		}
	}
}

// Old policies are forgotten, the ones in force are not.
func TestOldPoliciesAreForgotten(t *testing.T) {
	p := newGround(t, "project/pipeline.yaml")
	asked := p.with("PIPELINE_LEVEL", "ask").open() // in force for another environment, and the oldest
	got, _ := p.find()
	write(t, system.Join(got.Home, "policy", "abc.bin123"), "left by a process that was killed")
	hourAgo := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(system.Join(got.Home, "policy", "abc.bin123"), hourAgo, hourAgo); err != nil {
		t.Fatal(err)
	}
	for i := range 30 {
		p.file("project/pipeline.yaml", fmt.Sprintf("%s# %d\n", tiny, i))
		p.open()
	}
	if n := len(p.cached()); n != keep+2 {
		t.Errorf("%d policies are kept, want %d", n, keep+2)
	}
	if _, err := got.FindPolicy(asked.Policy.Fingerprint); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(system.Join(got.Home, "policy", "abc.bin123")); err == nil {
		t.Error("what was left is still there")
	}
}

// Many at once: each has the policy, and what is on disk is whole.
func TestOpenAtOnce(t *testing.T) {
	p := newGround(t, "project/pipeline.yaml")
	want := p.open().Policy
	p.remove("home")
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			if o, err := Open(p.World); err != nil || !cmp.Equal(want, o.Policy) || len(o.Notes) > 0 {
				t.Errorf("%v %+v", err, o)
			}
		})
	}
	for range 4 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestOpenFromOutside$")
		cmd.Env = append(os.Environ(), "CONFIG_TEST_DIR="+p.root)
		wg.Go(func() {
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	wg.Wait()
	if !p.hits() || len(p.cached()) != 1 {
		t.Errorf("cached %v", p.cached())
	}
}

// TestOpenFromOutside is what TestOpenAtOnce runs in processes of their own.
func TestOpenFromOutside(t *testing.T) {
	root := os.Getenv("CONFIG_TEST_DIR")
	if root == "" {
		t.Skip("not asked to")
	}
	w := World{Dir: system.Join(root, "project"), Home: system.Join(root, "home"), Version: "test"}
	for range 50 {
		if o, err := Open(w); err != nil || o.Policy == nil || len(o.Notes) > 0 {
			t.Fatalf("%v %+v", err, o)
		}
	}
}

// TestReleased: only a version that was built from a commit determines the form of its
// policies.
func TestReleased(t *testing.T) {
	for version, want := range map[string]bool{"": false, "dev": false, "68f23dd-dirty": false,
		"v1.2-3-g68f23dd-dirty": false, "68f23dd": true, "v1.2.3": true} {
		if got := isReleased(World{Version: version}); got != want {
			t.Errorf("%q: %v", version, got)
		}
	}
}

// A policy is kept under the key of the text that it was built from, also when the text
// changes while it is built. Both texts then lead to their own policies.
func TestPolicyIsKeptUnderTheKeyOfItsText(t *testing.T) {
	p := newGround(t, "project/pipeline.yaml")
	strict, loose := tiny, tiny+"level: observe\n"
	project, _ := p.find()
	k, slow, reads := policyKey(project, p.World), p.World, 0
	slow.Getenv = func(name string) string { // read behind the files, before them for a key, and for the store
		if name == "PIPELINE_LEVEL" {
			if reads++; reads == 1 {
				p.file("project/pipeline.yaml", loose)
			}
		}
		return ""
	}
	o, err := Opened{Project: project}.compileAndKeep(k, slow)
	if err != nil || reads != 5 || o.Policy.Level != fsm.Observe {
		t.Errorf("%d reads, level %v, %v", reads, o.Policy.Level, err)
	}
	for range 2 {
		p.file("project/pipeline.yaml", loose)
		if got := p.open(); got.Policy.Level != fsm.Observe || got.Policy.Fingerprint != o.Policy.Fingerprint {
			t.Errorf("the changed text leads to level %v, policy %s", got.Policy.Level, got.Policy.Fingerprint)
		}
		p.file("project/pipeline.yaml", strict)
		if got := p.open(); got.Policy.Level != fsm.Strict || got.Policy.Fingerprint == o.Policy.Fingerprint {
			t.Errorf("the first text leads to level %v, policy %s", got.Policy.Level, got.Policy.Fingerprint)
		}
	}
}

// A policy is not kept at all while its text goes on changing, but it is in force.
func TestPolicyOfRestlessTextIsNotKept(t *testing.T) {
	p := newGround(t, "project/pipeline.yaml")
	project, _ := p.find()
	k, restless, reads := policyKey(project, p.World), p.World, 0
	restless.Getenv = func(name string) string {
		if name == "PIPELINE_LEVEL" {
			reads++
			p.file("project/pipeline.yaml", fmt.Sprintf("%s# %d\n", tiny, reads))
		}
		return ""
	}
	o, err := Opened{Project: project}.compileAndKeep(k, restless)
	if err != nil || o.Policy == nil || reads > 10 || len(p.cached()) > 0 {
		t.Errorf("%d reads, kept %v, %v", reads, p.cached(), err)
	}
}

// A file with another policy's key in its head is not that policy, whatever its name. The
// last good policy is not read from such a file either.
func TestPolicyUnderAnotherName(t *testing.T) {
	p := newGround(t, "project/pipeline.yaml")
	p.open()
	project, _ := p.find()
	first := policyKey(project, p.World)
	p.file("project/pipeline.yaml", tiny+"level: observe\n")
	p.open()
	dir, second := system.Dir(project.lastFile(p.World)), policyKey(project, p.World)
	body, err := os.ReadFile(system.Join(dir, first+ending))
	if err != nil {
		t.Fatal(err)
	}
	overwrite(t, system.Join(dir, second+ending), body)
	if _, ok := openLastGood(project, p.World); ok {
		t.Error("the last good policy is another's")
	}
	if _, err := readPolicy(dir, second, true); err == nil {
		t.Error("a policy was read under the key of another text")
	}
	if o := p.open(); o.Policy.Level != fsm.Observe {
		t.Errorf("level %v, want that of the text", o.Policy.Level)
	}
}

// TestPinned: a session's project is found wherever the client runs, and its config stays in force.
func TestPinned(t *testing.T) {
	p := newGround(t, "project/configs/pipeline.yaml")
	p.folder("project/.git")
	p.folder("project/deep/er")
	if HasState(p.World) {
		t.Error("there is state before any call")
	}
	o, err := Open(p.World)
	if err != nil || o.Policy == nil {
		t.Fatal(err, o.Problems)
	}
	if o.Project.HasPinned("s1") {
		t.Error("a session is pinned that never began")
	}
	if _, ok := FindPinned(p.World, "s1"); ok {
		t.Error("a session was found that never began")
	}
	if err := o.Project.Pin("s1"); err != nil {
		t.Fatal(err)
	}
	p.file("project/deep/er/pipeline.yaml", strings.Replace(tiny, "version: 1", "version: 1\nlevel: off", 1))
	if err := os.Rename(p.path("project/.git"), p.path("project/.git2")); err != nil {
		t.Fatal(err)
	}
	deep := p.from("project/deep/er")
	if near, _ := Open(deep.World); near.Project.Root == o.Project.Root || near.Project.HasPinned("s1") {
		t.Errorf("the nearer config was not found: %+v", near.Project)
	}
	found, ok := FindPinned(deep.World, "s1")
	if !ok || found.Root != o.Project.Root || found.Home != o.Project.Home || found.Owner != o.Project.Owner {
		t.Fatalf("found %+v, expected %+v", found, o.Project)
	}
	kept, err := OpenPinned(found, deep.World)
	if err != nil || kept.Policy == nil || kept.Policy.Fingerprint != o.Policy.Fingerprint || kept.Stale {
		t.Errorf("opened %+v, %v", kept, err)
	}
	p.remove("project/configs")
	gone, err := OpenPinned(found, deep.World)
	if err != nil || gone.Policy == nil || !gone.Stale || len(gone.Notes) != 1 {
		t.Errorf("without its config: %+v, %v", gone, err)
	}
}

// TestPinnedFileIsOdd: what cannot be a root is none.
func TestPinnedFileIsOdd(t *testing.T) {
	p := newGround(t, "project/pipeline.yaml")
	file := system.Join(p.Home, ".local/state/pipeline/x/sessions/s1/root")
	for _, text := range []string{"", "\n", "relative\nalso\n", "/only", "/one\nrelative\n", "relative\n/one\n"} {
		write(t, file, text)
		if got, ok := FindPinned(p.World, "s1"); ok {
			t.Errorf("%q: found %+v", text, got)
		}
	}
}

// TestDirInWorkTree: state in the work tree is refused.
func TestDirInWorkTree(t *testing.T) {
	for dir, refused := range map[string]bool{"state": true, ".": true, "../state": true, "../../state": false,
		"~/state": false, "~": true, ".pipeline/x": true} {
		p := newGround(t, "project/sub/pipeline.yaml")
		p.folder("project/.git")
		p.file("project/sub/pipeline.yaml", tiny+"dir: '"+dir+"'\n")
		o, err := Open(p.from("project/sub").World)
		got := err == nil && len(o.Problems) == 1 && strings.Contains(o.Problems[0].String(), "in the work tree")
		if got != refused {
			t.Errorf("dir: %s: refused %t: %v %v", dir, got, o.Problems, err)
		}
	}
}

// TestPinnedWorktree: a session that began in a linked worktree keeps the config there, and that of the main one only
// where it has none.
func TestPinnedWorktree(t *testing.T) {
	p := newGround(t, "main/configs/pipeline.yaml")
	p.file("linked/configs/pipeline.yaml", strings.Replace(tiny, "version: 1", "version: 1\nlevel: ask", 1))
	pinned := Project{Root: p.path("linked"), Owner: p.path("main"), Home: p.path("state")}
	for _, want := range []string{"linked", "main"} {
		o, err := OpenPinned(pinned, p.World)
		if err != nil || len(o.Project.Files) != 1 || o.Project.Files[0] != p.path(want+"/configs/pipeline.yaml") {
			t.Errorf("%v, %v", o.Project.Files, err)
		}
		if err := os.RemoveAll(p.path("linked/configs")); err != nil {
			t.Fatal(err)
		}
	}
}

// TestConfines: only a rule that confines does, in a policy that is in force.
func TestConfines(t *testing.T) {
	with := func(v fsm.Verdict) *fsm.Policy {
		return &fsm.Policy{Main: fsm.Rules{List: []fsm.Rule{{Name: "a", Verdict: v}}}}
	}
	for name, c := range map[string]struct {
		p    *fsm.Policy
		want bool
	}{"nothing": {nil, false}, "no rules": {&fsm.Policy{}, false}, "a denial": {with(fsm.Deny), false},
		"a rule that confines": {with(fsm.Confine), true}} {
		if got := (Opened{Policy: c.p}).Confines(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestLastFile: each choice of a config beside its text has a last good policy of its own.
func TestLastFile(t *testing.T) {
	p := newGround(t)
	own := Project{Root: "/main", Owner: "/main", Home: "/state/main"}
	linked := Project{Root: "/linked", Owner: "/main", Home: "/state/main"}
	if got := own.lastFile(p.World); got != "/state/main/policy/last" {
		t.Errorf("%q", got)
	}
	seen := map[string]bool{}
	for _, file := range []string{own.lastFile(p.World), linked.lastFile(p.World),
		own.lastFile(p.with("PIPELINE_LEVEL", "off").World), own.lastFile(p.with("PIPELINE_CONFIG", "x").World),
		linked.lastFile(p.with("PIPELINE_CONFIG", "x").World)} {
		seen[file] = true
	}
	if len(seen) != 5 {
		t.Errorf("%v", seen)
	}
}

// TestPinnedIsAFile: only a file says where a session began.
func TestPinnedIsAFile(t *testing.T) {
	p := newGround(t)
	project := Project{Root: p.root, Owner: p.root, Home: p.path("state")}
	p.folder("state/sessions/folder/root")
	if err := project.Pin("file"); err != nil {
		t.Fatal(err)
	}
	for session, want := range map[string]bool{"file": true, "folder": false, "none": false} {
		if got := project.HasPinned(session); got != want {
			t.Errorf("%s: %v", session, got)
		}
	}
}

// TestPinnedBelowAnOrganisation: a session whose project's config is gone keeps its last good one. Without one the
// organisation's holds.
func TestPinnedBelowAnOrganisation(t *testing.T) {
	p := newGround(t, "project/pipeline.yaml")
	p.System = p.path("etc")
	p.file("etc/pipeline.yaml", "version: 1\nlocked: [level]\nlevel: ask\n")
	good := p.open()
	p.remove("project/pipeline.yaml")
	if o, err := OpenPinned(good.Project, p.World); err != nil || o.Policy == nil ||
		o.Policy.Fingerprint != good.Policy.Fingerprint {
		t.Errorf("with a last good one: %+v, %v", o, err)
	}
	p.remove("home")
	if o, err := OpenPinned(good.Project, p.World); err != nil || o.Policy == nil || o.Policy.Level != fsm.AskFirst ||
		o.Policy.Initial != "" {
		t.Errorf("without one: %+v, %v", o, err)
	}
}
