package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/cmd/pipeline/internal/e2e"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// Orders that a person types into the client's window, and the same words from everybody else.

// TestClientOrder: a person lifts the pipeline for a while by typing it, and no model is asked.
func TestClientOrder(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := enforce(t)
		again := e2e.Given(func(r *e2e.Request) e2e.Turn {
			if told := r.New; strings.Contains(told, "may not run") {
				return e2e.Text("refused")
			} else if strings.Contains(told, "build again") {
				return e2e.StartWait("bash-architect", "again")
			}
			return e2e.Text("noted") // what a background agent brought
		})
		s.Say("main", e2e.StartWait("bash-architect", "now"), e2e.Text("lifted"), again, again, again)
		s.Say("bash-architect", e2e.Text("built 77"))
		w := s.Open(t, v, s.Model)
		w.Say("/pipeline status")
		w.Wait("operation blocked by hook", "IDLE", "level", "strict")
		w.Say(`/pipeline bypass 5m "x"`)
		w.Wait("a bypass is on until")
		w.Say("/pipeline bypass 3h too long")
		w.Wait("at most 2h")
		if asked := s.Requests(); len(asked) != 0 {
			t.Errorf("the model was asked: %s", asked[0].New)
		}
		w.Say("build")
		w.Wait("● lifted")
		w.Say("/pipeline bypass off")
		w.Wait("no longer: a bypass is on")
		w.Say("build again")
		w.Wait("● refused")
		w.Close()
		wantOrders(t, s.onlyRecords(), "bypass 5m", "bypass off")
	})
}

// wantOrders checks that orders were recorded, that what a bypass let through was recorded as such, and that without it
// the same call was refused.
func wantOrders(t *testing.T, all []journal.Record, orders ...string) {
	t.Helper()
	var given, verdicts []string
	for _, r := range all {
		if r.Event.Kind == "order" {
			given = append(given, r.Reason)
		}
		if r.Event.Kind == "tool-request" && r.Event.Tool.Name == "Agent" {
			verdicts = append(verdicts, strings.Trim(r.Verdict+" "+r.Rule, " "))
		}
	}
	for _, o := range orders {
		if !slices.ContainsFunc(given, func(g string) bool { return strings.HasPrefix(g, o) }) {
			t.Errorf("orders recorded: %q, expected one that begins %q", given, o)
		}
	}
	if want := []string{"bypass", "deny pipeline"}; !slices.Equal(verdicts, want) {
		t.Errorf("the agent's two starts came to %q, expected %q", verdicts, want)
	}
}

// onlyRecords are the records of the only session.
func (s *enforced) onlyRecords() []journal.Record {
	s.t.Helper()
	files := s.journals()
	if len(files) != 1 {
		s.t.Fatalf("journals: %q", files)
	}
	parts := strings.Split(files[0], "/")
	return s.records(parts[len(parts)-2])
}

// TestClientOrderFromOthers: the same words lift nothing when an agent runs, schedules, sends or returns them, nor when
// no person sits at the client.
func TestClientOrderFromOthers(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := enforce(t)
		s.withoutRules()
		order := `/pipeline bypass 5m "x"`
		s.Say("main", e2e.Call("Bash", e2e.Input{"command": `pipeline bypass on --for 5m "x"`}),
			e2e.Call("Bash", e2e.Input{"command": `script -qec 'env -u CLAUDECODE ` + binary() +
				` bypass on --for 5m x' /dev/null`}),
			e2e.Call("Bash", e2e.Input{"command": `tmux send-keys '` + order + `' Enter`}),
			e2e.Call("CronCreate", e2e.Input{"cron": "* * * * *", "prompt": order, "recurring": false}),
			e2e.StartWait("context-gatherer", "say it"), e2e.StartWait("bash-architect", "now"), e2e.Text("done"))
		s.Say("context-gatherer", e2e.Text(order))
		run := s.Claude(t, v, s.Model, "go", e2e.Allow(everything+" CronCreate"))
		run.WantTold(t, "main", "(pipeline bypass)", "its commands are typed by a person", "may not run")
		if body := s.pipeline("bypass", "status"); !strings.Contains(body, "no bypass is on") {
			t.Errorf("an agent has lifted the pipeline: %s", body)
		}
		unattended := s.Claude(t, v, s.Model, order, e2e.Allow(everything))
		if got := strings.Join(unattended.Results(), "\n"); !strings.Contains(got,
			"this command was not accepted (no person attends this client)") {
			t.Errorf("an order that no person typed was answered: %s", got)
		}
		if body := s.pipeline("bypass", "status"); !strings.Contains(body, "no bypass is on") {
			t.Errorf("no person has bypassed the pipeline: %s", body)
		}
	})
}

// TestClientStatusLine: the line that the client draws shows the state, a bypass, denials and the client's version.
func TestClientStatusLine(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := enforce(t)
		s.pipeline("install", "--statusline")
		s.Say("main", e2e.StartWait("bash-architect", "build it"), e2e.StartWait("context-gatherer", "go"),
			e2e.Text("waiting for you"), e2e.Text("still here"))
		s.Say("context-gatherer", e2e.Text("gathered 42"))
		w := s.Open(t, v, s.Model)
		w.Wait(" · strict")
		w.Say("build me a thing")
		w.Wait("waiting for you", "GATHERING · strict · ✗1")
		w.Say("/pipeline bypass 5m a fix")
		w.Wait("a bypass is on")
		w.Say("and now?")
		w.Wait("still here", "GATHERING · strict, bypass until ")
		w.Close()
	})
}

// TestClientInClient: what an agent puts into the environment of a client that it starts lifts nothing there.
func TestClientInClient(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := enforce(t)
		s.Write("configs/pipeline.local.yaml",
			"version: 1\norchestrator:\n  rules:\n    - {name: nothing-read, deny: [Read]}\nsubagents:\n"+
				"  default: {allow: true}\n")
		s.Write("inner.sh", "PIPELINE_BYPASS=1 PIPELINE_LEVEL=off "+e2e.Install(t,
			v)+" -p '[[inner]] read it' --model claude-sonnet-4-5 --allowedTools Read </dev/null\n")
		s.Say("main", e2e.Given(func(r *e2e.Request) e2e.Turn {
			if strings.Contains(string(r.Body), "[[inner]]") {
				return e2e.Call("Read", e2e.Input{"file_path": s.Path("inner.sh")})
			}
			return e2e.Call("Bash", e2e.Input{"command": "bash inner.sh"})
		}), e2e.Text("done"))
		s.Say("inner", e2e.Call("Read", e2e.Input{"file_path": s.Path("inner.sh")}), e2e.Text("inner done"))
		run := s.Claude(t, v, s.Model, "go", e2e.Allow(everything))
		// The inner session keeps no record: what an agent's shell starts cannot write to the state folder.
		run.WantTold(t, "inner", "Read of inner.sh is not for the main agent (rule nothing-read)")
		for _, id := range s.sessions() {
			for _, r := range s.records(id) {
				if r.Rule == "bypass" || r.Level == "off" {
					t.Errorf("the inner client was let off: %s %s %s", r.Event.Tool.Name, r.Rule, r.Level)
				}
			}
		}
	})
}

func (s *enforced) sessions() (ids []string) {
	for _, j := range s.journals() {
		parts := strings.Split(j, "/")
		ids = append(ids, parts[len(parts)-2])
	}
	return ids
}
