package main

import (
	"fmt"
	"os/exec"
	"testing"

	"github.com/agent-pipeline/pipeline/cmd/pipeline/internal/e2e"
)

// TestClientOwnWorktree: an agent that is held to a worktree of its own, and that the client starts in one, builds and
// commits there; neither its file tools nor its commands reach the project.
func TestClientOwnWorktree(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := working(t, "limits: {own_worktree: [\"bash-*\"]}\n")
		s.git("init", "-q")
		s.git("add", "-A")
		s.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "x")
		s.Say("main", e2e.StartWait("bash-developer", "part 1").With("isolation", "worktree"),
			e2e.StartWait("bash-architect", "part 2"), e2e.Text("all done"))
		s.Say("bash-architect", e2e.Call("Write", e2e.Input{"file_path": s.Dir + "/tool.txt", "content": "x"}),
			e2e.Text("I cannot"))
		s.Say("bash-developer",
			e2e.Call("Bash", e2e.Input{"command": fmt.Sprintf("python3 -c 'open(%q,\"w\")'", s.Dir+"/shell.txt")}),
			e2e.Call("Bash",
				e2e.Input{"command": "echo y > made.txt && git add made.txt && git -c user.name=a -c user.email=a@b " +
					"commit -q -m made && git log --format=%s -1"}),
			e2e.Text("DONE"))
		run := s.Claude(t, v, s.Model, "build me a thing", e2e.Allow(everything))
		run.WantTold(t, "bash-developer", "Read-only file system", "commands change files only in its own worktree",
			"made")
		run.WantTold(t, "bash-architect", "changes files only in a worktree of its own", "is to be started in one")
		if s.has("tool.txt") || s.has("shell.txt") || s.has("made.txt") {
			t.Error("the project was changed")
		}
	})
}

func (s *enforced) git(args ...string) {
	s.t.Helper()
	if out, err := exec.Command("git", append([]string{"-C", s.Dir}, args...)...).CombinedOutput(); err != nil {
		s.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}
