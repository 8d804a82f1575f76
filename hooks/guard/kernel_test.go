package guard

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/hooks/kernel"
)

// TestWorktreesAreLimited: the kernel holds the other worktrees as it holds the project.
func TestWorktreesAreLimited(t *testing.T) {
	g := Guards{Root: "/proj", Worktrees: func() []string { return []string{"/tmp/other"} }}
	for _, c := range []struct{ limits, want kernel.Limits }{
		{kernel.Limits{Writable: []string{"/tmp"}},
			kernel.Limits{Writable: []string{"/tmp"}, ReadOnly: []string{"/tmp/other"}}},
		{kernel.Limits{Writable: []string{"/"}, ReadOnly: []string{"/proj/src"}},
			kernel.Limits{Writable: []string{"/"}, ReadOnly: []string{"/proj/src", "/tmp/other/src"}}},
		{kernel.Limits{Writable: []string{"/proj/docs"}},
			kernel.Limits{Writable: []string{"/proj/docs", "/tmp/other/docs"}, ReadOnly: []string{"/tmp/other"}}},
	} {
		got := c.limits
		if g.AddWorktrees(&got); !cmp.Equal(got, c.want) {
			t.Error(cmp.Diff(c.want, got))
		}
	}
	var inside []string
	for i := range 12 {
		inside = append(inside, fmt.Sprintf("/proj/.claude/worktrees/w%d", i))
	}
	g.Worktrees = func() []string { return inside }
	l := kernel.Limits{Writable: []string{"/proj/docs"}, ReadOnly: []string{"/proj/docs/keep"}}
	if g.AddWorktrees(&l); len(l.Writable) != 13 || len(l.ReadOnly) != 25 {
		t.Errorf("%d writable, %d read-only", len(l.Writable), len(l.ReadOnly))
	}
}

// TestKeepOut: an agent's own worktree is writable where it was before, and the repository with it.
func TestKeepOut(t *testing.T) {
	l := kernel.Limits{Writable: []string{"/"}}
	l.KeepOut([]string{"/proj", "/other"}, "/proj/.claude/worktrees/a")
	want := kernel.Limits{Writable: []string{"/", "/proj/.claude/worktrees/a", filepath.Join("/proj", ".git")},
		ReadOnly: []string{"/proj", "/other"}}
	if !cmp.Equal(l, want) || l.MayWrite("/proj/src") || !l.MayWrite("/proj/.claude/worktrees/a/src") {
		t.Error(cmp.Diff(want, l))
	}
	l = kernel.Limits{Writable: []string{"/tmp"}}
	if l.KeepOut([]string{"/proj"}, "/proj/.claude/worktrees/a"); l.MayWrite("/proj/.claude/worktrees/a") {
		t.Error("what a rule keeps read-only is writable")
	}
}

// TestListKeptAsWritten: what the kernel keeps has the letters of its name, where capitals are others too.
func TestListKeptAsWritten(t *testing.T) {
	top, err := system.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := system.Join(top, "My Project")
	config := system.Join(root, "configs", "pipeline.yaml")
	write(t, config, "level: strict\n")
	g := Guards{Root: root, Home: top, Sources: []string{config}}
	if kept := g.ListKept(); !slices.Contains(kept, config) {
		t.Errorf("%q", kept)
	}
}
