package claude_test

import (
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
)

const (
	noID = "no agent_id"
	byID = "agent_id"
)

// callers is who is calling, and how sure we are. A payload is one of testdata, or written out where none could be
// recorded.
var callers = []struct {
	name    string
	payload string
	kind    fsm.Kind
	want    fsm.Agent
}{
	{"main", "2.1.197/PreToolUse.Bash", fsm.ToolRequest, fsm.Agent{Basis: noID}},
	{"main, told by a background task", "2.1.197/UserPromptSubmit.task_notification.completed", fsm.Prompt,
		fsm.Agent{Basis: noID}},
	{"main, run as an agent (--agent)", "2.1.197/PreToolUse.Bash.main_with_agent_flag", fsm.ToolRequest,
		fsm.Agent{Basis: noID}},
	{"main, run as an agent, starts", "2.1.197/SessionStart.agent_flag", fsm.SessionStart, fsm.Agent{Basis: noID}},
	{"main, run as an agent, stops", payload("Stop", `"agent_type":"lead"`), fsm.TurnStop, fsm.Agent{Basis: noID}},
	{"main, an empty agent_id", payload("PreToolUse", `"agent_id":"","agent_type":"lead","tool_name":"Bash"`),
		fsm.ToolRequest, fsm.Agent{Basis: noID}},
	{"main, a null agent_id", payload("PreToolUse", `"agent_id":null,"agent_type":null,"tool_name":"Bash"`),
		fsm.ToolRequest, fsm.Agent{Basis: noID}},

	{"subagent", "2.1.197/PreToolUse.Bash.sub", fsm.ToolRequest, fsm.Agent{ID: "a5262103c49678cf8",
		Type: "general-purpose", Basis: byID}},
	{"subagent starts", "2.1.197/SubagentStart", fsm.AgentStart, fsm.Agent{ID: "a7182c484ced9351d", Type: "Explore",
		Basis: byID}},
	{"subagent that starts another", "2.1.197/PreToolUse.Agent.sub", fsm.ToolRequest,
		fsm.Agent{ID: "a006a883421e64a58", Type: "planner", Basis: byID}},
	{"nested: the outer one gets the inner one's result", "2.1.329/PostToolUse.Agent.completed", fsm.ToolResult,
		fsm.Agent{ID: "a3650f09b6048062c", Type: "planner", Basis: byID}},
	{"background: like any other", payload("PreToolUse",
		`"agent_id":"a07f11fb2880bbd51","agent_type":"general-purpose","tool_name":"Bash"`),
		fsm.ToolRequest, fsm.Agent{ID: "a07f11fb2880bbd51", Type: "general-purpose", Basis: byID}},
	{"plugin's agent", "2.1.197/SubagentStart.plugin_agent", fsm.AgentStart, fsm.Agent{ID: "a6ba8c01f58b0006e",
		Type: "demo-plug:worker", Basis: byID}},
	{"workflow's agent", "2.1.197/PreToolUse.StructuredOutput.sub", fsm.ToolRequest,
		fsm.Agent{ID: "a1c57c0ae23b76c16", Type: "workflow-subagent", Basis: byID}},
	{"fork starts", "2.1.197/SubagentStart.fork", fsm.AgentStart, fsm.Agent{ID: "ado-a-thing-a6d54a6fe9f34bcf",
		Type: "fork", Basis: byID}},
	{"fork stops (permission_mode bubble)", "2.1.197/SubagentStop.fork", fsm.AgentStop,
		fsm.Agent{ID: "ado-a-thing-a6d54a6fe9f34bcf", Type: "fork", Basis: byID}},
	{"teammate: its type is its name", "2.1.197/SubagentStart.teammate", fsm.AgentStart,
		fsm.Agent{ID: "aalice-375764b9cc4378a0", Type: "alice", Teammate: true, Basis: byID}},
	{"teammate's tool call", "2.1.197/PreToolUse.with_effort", fsm.ToolRequest,
		fsm.Agent{ID: "aalice-375764b9cc4378a0", Type: "alice", Teammate: true, Basis: byID}},

	{"phantom of a compaction", "2.1.197/SubagentStop.compaction", fsm.AgentStop, fsm.Agent{ID: "a8bdfb7470387e7a9",
		Basis: byID}},
	{"compaction, the caller is not told", "2.1.197/SessionStart.compact", fsm.Compacted, fsm.Agent{Basis: noID}},
	{"compaction of a subagent", "2.1.329/SessionStart.compact.sub", fsm.Compacted, fsm.Agent{ID: "aa67879fab74e0aaf",
		Type: "general-purpose", Basis: byID}},
	{"a subagent starts no session, whatever its source", payload("SessionStart",
		`"source":"startup","agent_id":"a1","agent_type":"x"`),
		fsm.Compacted, fsm.Agent{ID: "a1", Type: "x", Basis: byID}},

	{"API error of the main agent", "2.1.197/StopFailure", fsm.TurnFailure, fsm.Agent{Basis: noID}},
	{"API error of a subagent", "2.1.197/StopFailure.sub", fsm.AgentFailure, fsm.Agent{ID: "a3a1e6adfa486f3dd",
		Type: "general-purpose", Basis: byID}},
	{"a person's command", "2.1.197/UserPromptExpansion.slash_command", fsm.PromptExpansion, fsm.Agent{Basis: noID}},
	{"a skill that forks, typed: its agent", payload("SubagentStart",
		`"agent_id":"a4cec857a9933b181","agent_type":"general-purpose"`),
		fsm.AgentStart, fsm.Agent{ID: "a4cec857a9933b181", Type: "general-purpose", Basis: byID}},
	{"a client without agent fields", payload("PreToolUse", `"tool_name":"Task","tool_input":{"subagent_type":"x"}`),
		fsm.ToolRequest, fsm.Agent{Basis: noID}},
}

func TestCallers(t *testing.T) {
	for _, test := range callers {
		t.Run(test.name, func(t *testing.T) {
			body := test.payload
			if !strings.HasPrefix(body, "{") {
				body = recorded(t, body)
			}
			e := event(t, host(nil), body)
			if e.Agent != test.want {
				t.Errorf("got %+v, want %+v", e.Agent, test.want)
			}
			if e.Kind != test.kind {
				t.Errorf("got %v, want %v", e.Kind, test.kind)
			}
		})
	}
}

// The environment tells nothing of who is calling: it is the same for the main agent and all of its agents.
func TestCallersIgnoreTheEnvironment(t *testing.T) {
	inherited := map[string]string{"CLAUDE_CODE_AGENT": "lead", "CLAUDE_AGENT_NAME": "x",
		"CLAUDE_PARENT_SESSION_ID":  "y",
		"CLAUDE_CODE_CHILD_SESSION": "1", "COPILOT_CLI": "1"}
	for _, test := range callers {
		body := test.payload
		if !strings.HasPrefix(body, "{") {
			body = recorded(t, body)
		}
		if e := event(t, host(inherited), body); e.Agent != test.want {
			t.Errorf("%s: got %+v, want %+v", test.name, e.Agent, test.want)
		}
	}
}
