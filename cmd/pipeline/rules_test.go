package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/cmd/pipeline/internal/e2e"
	"github.com/agent-pipeline/pipeline/fsm"
)

// The orchestrator's rules, with the real client.

// TestClientNoDetour: the main agent cannot build by itself, whichever way it goes about it; its agent can.
func TestClientNoDetour(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := enforce(t)
		s.Write("main.go", "package main\n")
		sh := func(line string) e2e.Turn { return e2e.Call("Bash", e2e.Input{"command": line}) }
		turns := append(s.walk(),
			e2e.Call("Read", e2e.Input{"file_path": s.Path("main.go")}),
			e2e.Call("Write", e2e.Input{"file_path": s.Path("new.go"), "content": "x"}),
			e2e.Call("Edit", e2e.Input{"file_path": s.Path("main.go"), "old_string": "main", "new_string": "other"}),
			sh("cat > main.go <<'EOF'\npackage evil\nEOF"), sh("sed -i s/main/evil/ main.go"), sh(`bash -c "git push"`),
			sh("ls | xargs rm"),
			sh(`echo "git push" && git log --grep "rm -rf"; git status`),
			e2e.StartWait("bash-developer", "go"), e2e.Text("done"))
		s.Say("main", turns...)
		s.Say("bash-developer", e2e.Call("Read", e2e.Input{"file_path": s.Path("main.go")}),
			e2e.Call("Edit", e2e.Input{"file_path": s.Path("main.go"), "old_string": "main", "new_string": "done"}),
			sh("sed -i s/package/package/ main.go; echo ok > new.go"), e2e.Text("built"))
		run := s.Claude(t, v, s.Model, "go", e2e.Allow(everything))
		run.WantTold(t, "main", "Write of new.go is not for the main agent (rule no-editing)", "Edit of main.go",
			"Write of main.go",
			"Allow the main agent to run git push (rule cannot-be-undone)?",
			"rm: cannot remove 'main.go': Read-only file system", "On branch")
		if got := s.Read("main.go"); got != "package done\n" {
			t.Errorf("main.go is %q", got)
		}
		s.wantState(run, "COMPLETE")
		n := 0
		for _, r := range s.records(run.Session) {
			if r.Verdict == fsm.Deny.String() {
				n++
			}
		}
		if n != 4 {
			t.Errorf("%d calls were denied, expected 4", n)
		}
	})
}

// TestClientParallelReads: of eight at once against a budget of two, exactly two pass.
func TestClientParallelReads(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := enforce(t)
		var reads []e2e.Turn
		for i := range 8 {
			name := fmt.Sprintf("f%d.txt", i)
			s.Write(name, fmt.Sprintf("content-%d\n", i))
			reads = append(reads, e2e.Call("Read", e2e.Input{"file_path": s.Path(name)}))
		}
		s.Say("main", e2e.Together(reads...), e2e.Text("done"))
		run := s.Claude(t, v, s.Model, "go", e2e.Allow(everything))
		if n := strings.Count(run.ToldTo("main"), "content-"); n != 2 {
			t.Errorf("%d files were read, expected 2", n)
		}
		run.WantTold(t, "main", "rule read-budget", "attempt 3 of 2")
	})
}

// TestClientRuleAdded: a rule written during the session counts at the next call.
func TestClientRuleAdded(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := enforce(t)
		text := s.Read("configs/pipeline.yaml")
		added := func() bool {
			rule := "\n  rules:\n    - name: no-listing\n      deny: [Bash]\n      commands: [ls]\n" +
				"      reason: Not in this house.\n"
			at := strings.Index(text, "\n  rules:\n")
			return at > 0 && os.WriteFile(s.Path("configs/pipeline.yaml"),
				[]byte(text[:at]+rule+text[at+len("\n  rules:\n"):]), 0o644) == nil
		}
		ls := e2e.Call("Bash", e2e.Input{"command": "ls configs"})
		s.Say("main", ls, ls.Until(added), e2e.Text("done"))
		run := s.Claude(t, v, s.Model, "go", e2e.Allow(everything))
		run.WantTold(t, "main", "pipeline.schema.json",
			"ls configs is not for the main agent (rule no-listing). Not in this house.")
	})
}

// TestClientSubagentRules: work begins in EXECUTING; before, agents look and think.
func TestClientSubagentRules(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := enforce(t)
		s.Say("main", e2e.StartWait("context-gatherer", "go"), e2e.Text("done"))
		s.Say("context-gatherer", e2e.Call("Bash", e2e.Input{"command": "ls; echo notes > notes.txt"}),
			e2e.Text("gathered 42"))
		run := s.Claude(t, v, s.Model, "go", e2e.Allow(everything))
		run.WantTold(t, "context-gatherer", `not for agent "context-gatherer" that started in IDLE`)
		if _, err := os.Stat(s.Path("notes.txt")); err == nil {
			t.Error("the gatherer wrote a file")
		}
		s.wantState(run, "GATHERING")
	})
}
