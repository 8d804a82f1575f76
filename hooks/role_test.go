package hooks

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-pipeline/pipeline/fsm"
)

// TestRole: who calls is taken from the environment only where the config names it and
// the payload is silent.
func TestRole(t *testing.T) {
	both := fsm.Caller{RoleEnv: "ROLE", NameEnv: "NAME", Orchestrators: []string{"orchestrator", "chief"}}
	main, known := fsm.Agent{Basis: "no agent_id"}, fsm.Agent{ID: "a1", Type: "Explore", Basis: "agent_id"}
	from := func(who string) fsm.Agent {
		return fsm.Agent{ID: "environment-" + who, Type: who, Basis: "environment"}
	}
	tests := []struct {
		name   string
		caller fsm.Caller
		env    map[string]string
		who    fsm.Agent
		want   fsm.Agent
	}{
		{"nothing is configured", fsm.Caller{}, map[string]string{"ROLE": "worker", "NAME": "n", "": "x"}, main, main},
		{"only orchestrators are", fsm.Caller{Orchestrators: []string{"x"}}, map[string]string{"ROLE": "worker"}, main,
			main},
		{"the payload names the caller", both, map[string]string{"ROLE": "worker"}, known, known},
		{"nothing is set", both, nil, main, main},
		{"something else is set", both, map[string]string{"CLAUDE_AGENT_ROLE": "worker"}, main, main},
		{"a role", both, map[string]string{"ROLE": "worker"}, main, from("worker")},
		{"a name", both, map[string]string{"NAME": "bash-developer"}, main, from("bash-developer")},
		{"both", both, map[string]string{"ROLE": "worker", "NAME": "bash-developer"}, main, from("bash-developer")},
		{"an orchestrator's role", both, map[string]string{"ROLE": "chief", "NAME": "bash-developer"}, main, main},
		{"an orchestrator's name", both, map[string]string{"NAME": "orchestrator"}, main, main},
		{"only the name is asked for", fsm.Caller{NameEnv: "NAME"}, map[string]string{"ROLE": "worker", "NAME": "n"},
			main, from("n")},
		{"only the role is asked for", fsm.Caller{RoleEnv: "ROLE"}, map[string]string{"ROLE": "worker", "NAME": "n"},
			main, from("worker")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := &Handler{Policy: &fsm.Policy{Caller: tt.caller},
				Getenv: func(key string) string { return tt.env[key] }}
			e := fsm.Event{Agent: tt.who}
			e.Agent = Role(h.Policy.Caller, h.Getenv, e.Agent)
			if d := cmp.Diff(tt.want, e.Agent); d != "" {
				t.Error(d)
			}
			h.Getenv = nil
			e.Agent = tt.who
			if e.Agent = Role(h.Policy.Caller, h.Getenv, e.Agent); e.Agent != tt.who {
				t.Errorf("%+v without an environment", e.Agent)
			}
		})
	}
}

// TestRoleIsRecorded: two agents of one role are two.
func TestRoleIsRecorded(t *testing.T) {
	h := handler(t)
	h.Policy.Caller = fsm.Caller{RoleEnv: "ROLE", NameEnv: "NAME"}
	for _, name := range []string{"go", "stranger"} {
		h.Getenv = func(key string) string { return map[string]string{"ROLE": "worker", "NAME": name}[key] }
		d := h.answer(t, NoCall{}, fsm.Event{Kind: fsm.ToolRequest, Tool: fsm.Tool{Name: "Read", Paths: []string{"x"}}})
		if want := map[string]fsm.Verdict{"go": fsm.Pass, "stranger": fsm.Deny}[name]; d.Verdict != want {
			t.Errorf("%s: %s, expected %s", name, d.Verdict, want)
		}
	}
	for i, r := range h.records(t, "s1") {
		if r.Event.Agent.Basis != "environment" || r.Event.Agent.Type != []string{"go", "stranger"}[i] {
			t.Errorf("recorded %s %q", r.Event.Agent.Basis, r.Event.Agent.Type)
		}
	}
}
