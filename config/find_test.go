package config

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-pipeline/pipeline/config/system"
)

const tiny = "version: 1\ninitial: A\nstates:\n  A: {agents: [x]}\n"

// A ground is a file system to look for configs in, with the world that sees it from its folder "project".
type ground struct {
	World
	root string
	*testing.T
}

func newGround(t *testing.T, files ...string) ground {
	t.Helper()
	root, err := system.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := ground{T: t, root: root, World: World{Dir: system.Join(root, "project"), Home: system.Join(root, "home"),
		Version: "test"}}
	p.folder("project")
	for _, f := range files {
		p.file(f, tiny)
	}
	return p
}

func (p ground) path(name string) string { return system.Join(p.root, name) }

func (p ground) file(name, text string) { p.Helper(); write(p, p.path(name), text) }

func (p ground) folder(name string) {
	p.Helper()
	if err := os.MkdirAll(p.path(name), 0o755); err != nil {
		p.Fatal(err)
	}
}

func (p ground) remove(name string) {
	p.Helper()
	if err := os.RemoveAll(p.path(name)); err != nil {
		p.Fatal(err)
	}
}

// from is the world seen from another folder.
func (p ground) from(dir string) ground { p.Dir = p.path(dir); return p }

// with is the world with one more variable set.
func (p ground) with(name, value string) ground {
	before := p.World
	p.Getenv = func(n string) string {
		switch {
		case n == name:
			return value
		case before.Getenv == nil:
			return ""
		}
		return before.Getenv(n)
	}
	return p
}

func (p ground) find() (Project, bool) {
	p.Helper()
	got, found, err := Find(p.World)
	if err != nil {
		p.Fatal(err)
	}
	return got, found
}

// files are those that Find found, relative to its root.
func (p ground) files() string {
	p.Helper()
	got, _ := p.find()
	var out []string
	for _, f := range got.Files {
		out = append(out, strings.TrimPrefix(f, p.root+"/"))
	}
	return strings.Join(out, " ")
}

func TestFilesInTheirOrder(t *testing.T) {
	for name, c := range map[string]struct{ there, want string }{
		"none":    {"project/README.md", ""},
		"configs": {"project/configs/pipeline.yaml", "project/configs/pipeline.yaml"},
		"claude":  {"project/.claude/pipeline.toml", "project/.claude/pipeline.toml"},
		"root":    {"project/pipeline.yml", "project/pipeline.yml"},
		"local beside": {"project/.claude/pipeline.yaml project/.claude/pipeline.local.toml",
			"project/.claude/pipeline.yaml project/.claude/pipeline.local.toml"},
		"local alone": {"project/pipeline.local.yaml", "project/pipeline.local.yaml"},
		"user":        {"home/.config/pipeline/pipeline.yaml", "home/.config/pipeline/pipeline.yaml"},
		"user local":  {"home/.config/pipeline/pipeline.local.yaml", "home/.config/pipeline/pipeline.local.yaml"},
		"user before project": {"project/pipeline.yaml home/.config/pipeline/pipeline.toml",
			"home/.config/pipeline/pipeline.toml project/pipeline.yaml"},
		"a folder is no file": {"project/pipeline.yaml/x project/.claude/pipeline.yaml",
			"project/.claude/pipeline.yaml"},
		"upward to the git top":     {".git/HEAD pipeline.yaml", "pipeline.yaml"},
		"nearest":                   {".git/HEAD pipeline.yaml project/pipeline.yaml", "project/pipeline.yaml"},
		"not beyond the git top":    {"project/.git/HEAD pipeline.yaml", ""},
		"not upward outside of git": {"pipeline.yaml", ""},
		"not downward":              {"project/sub/pipeline.yaml", ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := newGround(t, strings.Fields(c.there)...)
			if got := p.files(); got != c.want {
				t.Errorf("files %q, want %q", got, c.want)
			}
			if _, found := p.find(); found != (c.want != "") {
				t.Errorf("found is %v", found)
			}
		})
	}
}

func TestRootAndHome(t *testing.T) {
	p := newGround(t, ".git/HEAD", "project/pipeline.yaml")
	got, _ := p.from("project/deep/er").withFolder("project/deep/er").find()
	if got.Root != p.path("project") {
		t.Errorf("root %s, want the folder of the config", got.Root)
	}
	again, _ := p.find()
	if got.Home != again.Home || !strings.HasPrefix(got.Home, p.path("home/.local/state/pipeline/project-")) {
		t.Errorf("homes %s and %s", got.Home, again.Home)
	}
	p.file("home/.config/pipeline/pipeline.yaml", tiny)
	p.remove("project/pipeline.yaml")
	if got, _ := p.find(); got.Root != p.root {
		t.Errorf("root %s, want the git top when only the user has a config", got.Root)
	}
	p.StateHome = p.path("state")
	if got, _ := p.find(); !strings.HasPrefix(got.Home, p.path("state/pipeline/")) {
		t.Errorf("home %s, want it below StateHome", got.Home)
	}
}

func (p ground) withFolder(name string) ground { p.folder(name); return p }

// The same folder by another name is the same project.
func TestSymlinkIsTheSameProject(t *testing.T) {
	p := newGround(t, "project/pipeline.yaml")
	if err := os.Symlink(p.path("project"), p.path("link")); err != nil {
		t.Fatal(err)
	}
	a, _ := p.find()
	b, _ := p.from("link").find()
	if diff := cmp.Diff(a, b, cmp.AllowUnexported(Project{})); diff != "" {
		t.Error(diff)
	}
}

func TestOneFileInsteadOfAll(t *testing.T) {
	p := newGround(t, "project/pipeline.yaml", "home/.config/pipeline/pipeline.yaml", "project/other.yaml")
	if got := p.with("PIPELINE_CONFIG", "other.yaml").files(); got != "project/other.yaml" {
		t.Errorf("files %q by the environment", got)
	}
	p.Config = "~/mine.toml"
	if got := p.with("PIPELINE_CONFIG", "other.yaml").files(); got != "home/mine.toml" {
		t.Errorf("files %q by --config", got)
	}
}

// A config that does not count is a problem that names both, never silence.
func TestTwoConfigsInOneProject(t *testing.T) {
	for name, files := range map[string][2]string{
		"places":          {"project/configs/pipeline.yaml", "project/pipeline.yaml"},
		"extensions":      {"project/pipeline.yaml", "project/pipeline.toml"},
		"local elsewhere": {"project/configs/pipeline.yaml", "project/.claude/pipeline.local.yaml"},
		"user":            {"home/.config/pipeline/pipeline.yaml", "home/.config/pipeline/pipeline.yml"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newGround(t, files[0], files[1])
			got, _ := p.find()
			problems, err := listProblems(got, p.World)
			if err != nil || len(problems) != 1 {
				t.Fatal(problems, err)
			}
			if text := problems[0].String(); problems[0].File != p.path(files[1]) ||
				!strings.Contains(text, p.path(files[0])) {
				t.Errorf("%s does not name both", text)
			}
		})
	}
}

func TestUnreadableIsNotMissing(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("nothing is unreadable to root")
	}
	p := newGround(t, "project/configs/pipeline.yaml")
	if err := os.Chmod(p.path("project/configs"), 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(p.path("project/configs"), 0o755) })
	if _, _, err := Find(p.World); err == nil {
		t.Error("no error")
	}
}

func TestFolderThatIsNotThere(t *testing.T) {
	for _, dir := range []string{"", "relative", "/nowhere/at/all"} {
		p, found, err := Find(World{Dir: dir, StateHome: "/state"})
		if err == nil || found || !strings.HasPrefix(p.Home, "/state/pipeline/") {
			t.Errorf("%q: found %v, error %v, its state would be in %q", dir, found, err, p.Home)
		}
	}
}

// A folder that cannot be looked at may hold a config: that is an error, not a project without one.
func TestFolderThatCannotBeLookedAt(t *testing.T) {
	for _, name := range []string{"project/configs", "project/.claude", "home/.config/pipeline"} {
		p := newGround(t)
		p.folder(system.Dir(name))
		if err := os.Symlink(filepath.Base(name), p.path(name)); err != nil { // to itself
			t.Fatal(err)
		}
		if _, found, err := Find(p.World); err == nil || found {
			t.Errorf("%s: found %v, %v", name, found, err)
		}
		if o, err := Open(p.World); err == nil || o.None {
			t.Errorf("%s: opened as none: %v, %v", name, o.None, err)
		}
	}
}

// linked makes a repository in project, with a linked worktree in linked.
func linked(t *testing.T, files ...string) ground {
	t.Helper()
	p := newGround(t, files...)
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git to make worktrees with")
	}
	p.git("init", "-q")
	p.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x")
	p.git("worktree", "add", "-q", p.path("linked"))
	return p
}

func (p ground) git(args ...string) {
	p.Helper()
	cmd := exec.Command("git", append([]string{"-C", p.Dir}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		p.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func TestLinkedWorktree(t *testing.T) {
	p := linked(t, "project/configs/pipeline.yaml", "project/service/pipeline.yaml")
	main, _ := p.find()
	other := p.from("linked")
	got, found := other.find()
	if !found || got.Root != p.path("linked") || got.Owner != main.Root || got.Home != main.Home {
		t.Errorf("the worktree is not its main worktree's: %+v", got)
	}
	if files := other.files(); files != "project/configs/pipeline.yaml" {
		t.Errorf("files %q, want the main worktree's config where there is none of its own", files)
	}
	p.folder("linked/service/deep")
	if got, _ := p.from("linked/service/deep").find(); got.Root != p.path("linked/service") ||
		got.Owner != p.path("project/service") {
		t.Errorf("a folder of the worktree is not its counterpart's: %+v", got)
	}
	p.file("linked/pipeline.yaml", tiny)
	if files := other.files(); files != "linked/pipeline.yaml" {
		t.Errorf("files %q, want the worktree's own", files)
	}
}

// A worktree inside the main one, as clients make them, is not one of its folders.
func TestWorktreeInside(t *testing.T) {
	p := linked(t, "project/pipeline.yaml")
	p.git("worktree", "add", "-q", p.path("project/.claude/worktrees/a"))
	main, _ := p.find()
	got, _ := p.from("project/.claude/worktrees/a").find()
	if got.Root != p.path("project/.claude/worktrees/a") || got.Home != main.Home {
		t.Errorf("%+v", got)
	}
}

func TestBareRepositoryAndSubmodule(t *testing.T) {
	p := linked(t)
	p.git("clone", "-q", "--bare", ".", p.path("bare.git"))
	p.Dir = p.path("bare.git")
	p.git("worktree", "add", "-q", p.path("one"))
	p.git("worktree", "add", "-q", "--detach", p.path("two"))
	p.file("one/pipeline.yaml", tiny)
	p.file("two/pipeline.yaml", tiny)
	one, _ := p.from("one").find()
	two, _ := p.from("two").find()
	if one.Home != two.Home || one.Root == two.Root {
		t.Errorf("worktrees of a bare repository do not share their state: %+v %+v", one, two)
	}
	p.file("project/sub/.git", "gitdir: ../.git/modules/sub\n")
	p.folder("project/.git/modules/sub")
	p.file("project/sub/pipeline.yaml", tiny)
	if got, _ := p.from("project/sub").find(); got.Owner != p.path("project/sub") {
		t.Errorf("a submodule is not a work tree of its own: %+v", got)
	}
}

// Whatever a .git file says, Find comes back.
func TestOddGitFiles(t *testing.T) {
	for _, text := range []string{"", "gitdir:", "gitdir: /nowhere", "nonsense", "gitdir: .", "gitdir: \x00"} {
		p := newGround(t, "project/pipeline.yaml")
		p.file("project/.git", text)
		if got, found := p.find(); !found || got.Owner != got.Root {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

func TestWorktrees(t *testing.T) {
	p := linked(t, "project/pipeline.yaml", "project/service/pipeline.yaml")
	p.git("worktree", "add", "-q", p.path("project/.claude/worktrees/a"))
	for from, want := range map[string][]string{
		"project": {p.path("linked"), p.path("project/.claude/worktrees/a")},
		"linked":  {p.path("project"), p.path("project/.claude/worktrees/a")},
	} {
		found, _ := p.from(from).find()
		if got := found.Worktrees(); !cmp.Equal(slices.Sorted(slices.Values(got)), want) {
			t.Errorf("from %s: %q, want %q", from, got, want)
		}
	}
	found, _ := p.from("project/service").find()
	if got := found.Worktrees(); !slices.Contains(got, p.path("linked/service")) {
		t.Errorf("a project below the top has the same folder of each worktree: %q", got)
	}
}

// TestNameOfTheStateFolder: it is like the project's, without what a file name cannot have.
func TestNameOfTheStateFolder(t *testing.T) {
	for name, want := range map[string]string{"a b": "a b-", "a:b": "a-b-", "a\x1fb\n": "a-b--", "größe": "größe-"} {
		p := Project{Root: "/work/" + name}
		p.setOwner(tree{top: "/work", main: "/work"}, World{StateHome: "/state"})
		if got, ok := strings.CutPrefix(p.Home, "/state/pipeline/"+want); !ok || len(got) != 12 {
			t.Errorf("%q: %q", name, p.Home)
		}
	}
	p := Project{Root: "/"}
	p.setOwner(tree{top: "/", main: "/"}, World{StateHome: "/state"})
	if !strings.HasPrefix(p.Home, "/state/pipeline/--") {
		t.Errorf("%q", p.Home)
	}
}

// TestNoFolder: for a relative path, and a folder that is not there, nothing is found, whatever else is there.
func TestNoFolder(t *testing.T) {
	p := newGround(t, "project/pipeline.yaml", "home/.config/pipeline/pipeline.yaml")
	t.Chdir(p.root)
	for _, dir := range []string{"project", p.path("none")} {
		p.Dir = dir
		if got, found, err := Find(p.World); err == nil || found || got.Root != dir || len(got.Files) > 0 {
			t.Errorf("%+v, found %v, %v", got, found, err)
		}
	}
}

// TestNamedFileIsAnyFile: a file that is named may be the organisation's, which alone locks; one that is found is not.
func TestNamedFileIsAnyFile(t *testing.T) {
	p := newGround(t)
	p.file("project/pipeline.yaml", "version: 1\nlocked: [level]\n")
	for file, want := range map[string]int{"": 1, "pipeline.yaml": 0} {
		p.Config = file
		got, _ := p.find()
		if problems, err := listProblems(got, p.World); err != nil || len(problems) != want {
			t.Errorf("--config %q: %v %v", file, problems, err)
		}
	}
}

// TestSecondConfigHidesNoThird: each config of a folder that has no effect is named, and the local one counts still.
func TestSecondConfigHidesNoThird(t *testing.T) {
	p := newGround(t, "project/pipeline.yaml", "project/pipeline.yml", "project/pipeline.toml",
		"project/pipeline.local.yaml")
	if got := p.files(); got != "project/pipeline.yaml project/pipeline.local.yaml" {
		t.Errorf("files %q", got)
	}
	if got, _ := p.find(); len(got.stray) != 2 {
		t.Errorf("%v", got.stray)
	}
}

// TestLargestConfig: a file may have exactly as many bytes as is said.
func TestLargestConfig(t *testing.T) {
	p := newGround(t)
	for n, want := range map[int]int{maxSource: 0, maxSource + 1: 1} {
		text := "version: 1\n#"
		p.file("project/pipeline.yaml", text+strings.Repeat("x", n-len(text)))
		got, _ := p.find()
		if problems, err := listProblems(got, p.World); err != nil || len(problems) != want {
			t.Errorf("%d bytes: %v %v", n, problems, err)
		}
	}
}
