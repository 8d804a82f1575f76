package guard

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-pipeline/pipeline/hooks/kernel"
)

// TestWorktreesAreLimited: the kernel holds the other worktrees as it holds the project.
func TestWorktreesAreLimited(t *testing.T) {
	g := Guards{Root: "/proj", Worktrees: func() []string { return []string{"/tmp/other"} }}
	for _, c := range []struct{ limits, want kernel.Limits }{
		{kernel.Limits{Writable: []string{"/tmp"}}, kernel.Limits{Writable: []string{"/tmp"}, ReadOnly: []string{"/tmp/other"}}},
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
