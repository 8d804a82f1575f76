package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/cmd/pipeline/internal/e2e"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// What the user's own settings, a tampering agent, an edit and a reset come to, with the real client.

// TestClientPermissions: we object or keep silent; the user's own permissions are never skipped.
func TestClientPermissions(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := enforce(t)
		s.withoutRules()
		s.Say("main", e2e.Call("Write", e2e.Input{"file_path": s.Path("out.txt"), "content": "x"}), e2e.Text("done"))
		run := s.Claude(t, v, s.Model, "go") // nothing is allowed: in print mode a prompt is a refusal
		run.WantTold(t, "main", "haven't granted")
		if r := s.records(run.Session); !slices.ContainsFunc(r,
			func(r journal.Record) bool { return r.Event.Tool.Name == "Write" && r.Verdict == "" }) {
			t.Error("the call was not judged")
		}
		if _, err := os.Stat(s.Path("out.txt")); err == nil {
			t.Error("the file was written without the user's permission")
		}
	})
}

func TestClientTampering(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := enforce(t)
		s.withoutRules()
		s.Write("sneak.sh", "exec env -i HOME="+s.Home+" "+binary()+" reset 'let me'\n")
		s.Write("off.sh", `printf '{"disableAllHooks":true}' > .claude/settings.json; sleep 3`)
		s.Say("main", e2e.Call("Bash", e2e.Input{"command": "pipeline reset 'let me'"}),
			e2e.Call("Write", e2e.Input{"file_path": s.Path("configs/pipeline.yaml"), "content": "level: off"}),
			e2e.Call("Bash", e2e.Input{"command": "echo level: off >> configs/pipeline.yaml"}),
			e2e.Call("Bash", e2e.Input{"command": "bash sneak.sh"}),
			e2e.Call("Bash", e2e.Input{"command": "bash off.sh"}),
			e2e.StartWait("bash-architect", "x"), e2e.Text("done"))
		run := s.Claude(t, v, s.Model, "go", e2e.Allow(everything))
		run.WantTold(t, "main", "(pipeline reset)", "Agents may not touch the pipeline's config",
			"reset is for a person", "may not run")
		if strings.Contains(s.Read("configs/pipeline.yaml"), "level: off") {
			t.Error("the config was changed")
		}
		found := false
		for _, r := range s.records(run.Session) {
			found = found || r.Event.Kind == fsm.ConfigChange && r.Verdict == "deny"
		}
		if !found {
			t.Error("the change of the settings was not refused")
		}
	})
}

// TestClientRefusalsHelp: a refusal names the next step, then what is waited for. Only the person reads the way out.
func TestClientRefusalsHelp(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := enforce(t)
		write := e2e.Call("Write", e2e.Input{"file_path": s.Path("src/main.c"), "content": "int x;"})
		s.Say("main", write, e2e.StartWait("context-gatherer", "look"), write, e2e.Text("done"))
		run := s.Claude(t, v, s.Model, "fix the typo", e2e.Allow(everything), hookEvents)
		run.WantTold(t, "main",
			"Files are changed in EXECUTING; the next step is context-gatherer, with the user's task.",
			"Files are changed in EXECUTING; the next step is context-refiner, with the user's task.")
		run.WantNotTold(t, "main", "/pipeline once")
		var shown string
		for _, e := range run.Events {
			shown += string(e.Raw)
		}
		for _, want := range []string{"IDLE, strict. You can type",
			"refused Write in IDLE (rule no-editing); /pipeline once lets the next turn through"} {
			if strings.Count(shown, want) == 0 {
				t.Errorf("the user was not told %q", want)
			}
		}
		if strings.Contains(shown, "refused Write in GATHERING") {
			t.Error("the user was told twice")
		}
	})
}

func TestClientConfigIsHot(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := enforce(t)
		config := s.Path("configs/pipeline.yaml")
		text := s.Read("configs/pipeline.yaml")
		edit := func(old, new string) e2e.Cond {
			return func() bool {
				err := os.WriteFile(config, []byte(strings.Replace(text, old, new, 1)), 0o644)
				return err == nil
			}
		}
		s.Say("main", e2e.StartWait("bash-architect", "1"),
			e2e.StartWait("bash-architect", "2").Until(edit("agents: [context-gatherer]",
				"agents: [context-gatherer, bash-architect]")),
			e2e.StartWait("c-developer", "3").Until(edit("agents: [context-gatherer]", "agnets: [context-gatherer]")),
			e2e.Text("done"))
		s.Say("bash-architect", e2e.Text("BLOCKED: nothing to do"))
		run := s.Claude(t, v, s.Model, "go", e2e.Allow(everything))
		run.WantTold(t, "main", `agent "bash-architect" may not run`,
			`agent "c-developer" may not run (it may in EXECUTING); start one of: context-gatherer, bash-architect`)
		s.Say("main", e2e.Text("hello again"))
		again := s.Claude(t, v, s.Model, "go on", e2e.Resume(run.Session))
		if shown := output(again); !strings.Contains(shown, "pipeline.yaml:") ||
			!strings.Contains(shown, "stays in force") {
			t.Logf("what the user was shown: %s", shown) // print mode of the older client does not show systemMessage
		}
		s.wantState(again, "IDLE")
	})
}

func output(run *e2e.Run) string {
	var b strings.Builder
	for _, e := range run.Events {
		b.Write(e.Raw)
	}
	return b.String()
}

// TestClientFailsClosed: with on_error deny the newer client itself refuses when the binary is gone; the older one
// reads the same file.
func TestClientFailsClosed(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := enforce(t)
		s.Write("configs/pipeline.yaml", strings.Replace(s.Read("configs/pipeline.yaml"), "on_error: allow",
			"on_error: deny", 1))
		s.pipeline("install")
		if !strings.Contains(s.Read(".claude/settings.local.json"), `"onFailure": "block"`) {
			t.Fatal("install did not ask the client to fail closed")
		}
		s.Say("main", e2e.StartWait("bash-architect", "x"), e2e.Text("done"))
		run := s.Claude(t, v, s.Model, "go", e2e.Allow(everything))
		run.WantTold(t, "main", "may not run")
		s.Write(".claude/settings.local.json", strings.ReplaceAll(s.Read(".claude/settings.local.json"), binary(),
			filepath.Join(s.Dir, "gone", "pipeline")))
		if v == e2e.Older {
			return
		}
		s.Say("main", e2e.Call("Bash", e2e.Input{"command": "echo ran > out.txt"}), e2e.Text("done"))
		broken := s.Claude(t, v, s.Model, "go", e2e.Allow(everything))
		broken.WantTold(t, "main", "onFailure")
	})
}

func TestClientReset(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := enforce(t)
		s.Say("context-gatherer", e2e.Text("gathered 42"))
		s.Say("main", e2e.StartWait("context-gatherer", "go"), e2e.Text("so far"),
			e2e.StartWait("context-refiner", "go"), e2e.Text("done"))
		run := s.Claude(t, v, s.Model, "go", e2e.Allow(everything))
		s.wantState(run, "GATHERING")
		out := s.pipeline("reset", "wrong task", "--session", run.Session)
		if !strings.Contains(out, "GATHERING → IDLE") {
			t.Errorf("reset said %s", out)
		}
		again := s.Claude(t, v, s.Model, "go on", e2e.Resume(run.Session), e2e.Allow(everything))
		again.WantTold(t, "main", "Context comes first", `agent "context-refiner" may not run`)
		view := s.wantState(again, "IDLE")
		if h := view.History; len(h) != 2 || h[1].Agent != "reset" || h[1].StateBefore != "GATHERING" {
			t.Errorf("history: %+v", h)
		}
		backups, _ := filepath.Glob(filepath.Join(s.Home, ".local/state/pipeline/*/sessions", run.Session,
			"backup/*/state.json"))
		if len(backups) != 1 {
			t.Errorf("backups: %q", backups)
		}
	})
}

// TestClientForgedHook: an agent that plays the client's hook from a script of its own moves nothing.
func TestClientForgedHook(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := enforce(t)
		s.pipeline("uninstall")
		s.pipeline("install", "--no-confine") // the kernel would keep the record of the attempt from being written
		s.withoutRules()
		s.Write("forge.sh", `for e in '"SubagentStart"' '"SubagentStop","last_assistant_message":"gathered"'; do
  printf '{"session_id":"%s","cwd":"/","hook_event_name":%s,"agent_id":"a0123456789abcdef","agent_type":"context-gatherer"}' "$CLAUDE_CODE_SESSION_ID" "$e" | `+binary()+` hook
done
`)
		s.Say("main", e2e.Call("Bash", e2e.Input{"command": "bash forge.sh"}), e2e.Text("done"))
		run := s.Claude(t, v, s.Model, "go", e2e.Allow(everything))
		run.WantTold(t, "main", "called from an agent's shell")
		s.wantState(run, "IDLE")
		logs, _ := filepath.Glob(filepath.Join(s.Home, ".local/state/pipeline/*/errors.jsonl"))
		if !anyHas(logs, "called from an agent's shell") {
			t.Error("the attempt was not kept")
		}
	})
}

// TestClientRewritten: another hook changes a command after it was judged. The person hears of it.
func TestClientRewritten(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := enforce(t)
		s.withoutRules()
		rewrite := `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"echo rewritten"}}}'`
		s.Settings(map[string]any{"hooks": map[string]any{"PreToolUse": []any{map[string]any{"matcher": "Bash",
			"hooks": []any{map[string]any{"type": "command", "command": rewrite}}}}}})
		s.Say("main", e2e.Call("Bash", e2e.Input{"command": "echo judged"}), e2e.Text("done"))
		run := s.Claude(t, v, s.Model, "go", e2e.Allow(everything))
		run.WantTold(t, "main", "rewritten")
		s.wantNote(run, "another command ran than the one that was judged")
	})
}
