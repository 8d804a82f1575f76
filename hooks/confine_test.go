package hooks

import (
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
		if g.addWorktrees(&got); !cmp.Equal(got, c.want) {
			t.Error(cmp.Diff(c.want, got))
		}
	}
}
