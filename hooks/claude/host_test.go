package claude_test

import (
	"bytes"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/hosttest"
)

// TestHost: what every adapter must do. Where Copilot CLI's variable is set, it is either Copilot that calls, which
// reads our settings file, or a client that was started in its shell.
func TestHost(t *testing.T) {
	c := hosttest.Cases{
		Start:        recorded(t, "2.1.197/SessionStart.startup"),
		Prompt:       recorded(t, "2.1.197/UserPromptSubmit"),
		Request:      recorded(t, "2.1.197/PreToolUse.Agent"),
		SubRequest:   recorded(t, "2.1.197/PreToolUse.Bash.sub"),
		AgentStart:   recorded(t, "2.1.197/SubagentStart"),
		AgentStop:    recorded(t, "2.1.197/SubagentStop"),
		TurnStop:     recorded(t, "2.1.197/Stop"),
		RequestEvent: "pre-tool-use",
	}
	for _, name := range []string{"Notification.idle_prompt", "PermissionRequest.Bash.sub", "PostToolBatch.sub", "TeammateIdle"} {
		c.Others = append(c.Others, recorded(t, "2.1.197/"+name))
	}
	t.Run("alone", func(t *testing.T) { hosttest.Run(t, host(nil), c) })
	for _, name := range all(t, "copilot") {
		c.Foreign = append(c.Foreign, recorded(t, name))
	}
	t.Run("in Copilot's shell", func(t *testing.T) { hosttest.Run(t, host(map[string]string{"COPILOT_CLI": "1"}), c) })
}

// Another client gets silence, whatever it sends: not even its errors are answered.
func TestForeignClient(t *testing.T) {
	copilot := host(map[string]string{"COPILOT_CLI": "1"})
	for _, name := range all(t, "copilot") {
		c := call(t, copilot, recorded(t, name))
		if e, ok := c.Event(now); ok {
			t.Errorf("%s was read as %v", name, e.Kind)
		}
		var out bytes.Buffer
		if err := c.Reply(&out, fsm.Decision{}); err != nil || out.Len() > 0 {
			t.Errorf("%s: %v, %s", name, err, out.String())
		}
	}
}

// A client that was started in Copilot's shell inherits the variable, and is judged all the same.
func TestInheritedVariable(t *testing.T) {
	inherited := host(map[string]string{"COPILOT_CLI": "1"})
	for _, client := range []string{"2.1.197", "2.1.329"} {
		for _, name := range all(t, client) {
			body := recorded(t, name)
			if _, ok := call(t, inherited, body).Event(now); ok != registered(t, body) {
				t.Errorf("%s: our business: %v", name, ok)
			}
		}
	}
}
