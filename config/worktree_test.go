package config

import (
	"os/exec"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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
