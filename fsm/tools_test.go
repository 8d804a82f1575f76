package fsm_test

import (
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
)

// TestChangesFiles: the short list agrees with the table of tools.
func TestChangesFiles(t *testing.T) {
	for _, tool := range fsm.KnownTools() {
		if got, want := fsm.ChangesFiles(tool.Name), tool.Files && !tool.Reads; got != want {
			t.Errorf("%s: %v, expected %v", tool.Name, got, want)
		}
	}
}

// TestOwnTools: what does nothing to files, commands and agents serves the conversation, and so does all that is about
// its tasks, jobs and teammates.
func TestOwnTools(t *testing.T) {
	for _, tool := range fsm.KnownTools() {
		talks := !tool.Files && !tool.Commands && !tool.Starts && !tool.Reads && tool.Name != "ReportFindings"
		for _, about := range []string{"Task", "Todo", "Cron", "Team"} {
			talks = talks || strings.HasPrefix(tool.Name, about) && tool.Name != "Task"
		}
		talks = talks || tool.Name == "Skill" || tool.Name == "SendMessage"
		if talks && !tool.Own {
			t.Errorf("%s: a refusal may name another agent for it", tool.Name)
		}
	}
}

// TestStartingTools: each way to start an agent has its tool.
func TestStartingTools(t *testing.T) {
	var starts []string
	for _, tool := range fsm.KnownTools() {
		if tool.Starts {
			starts = append(starts, tool.Name)
		}
	}
	if got := strings.Join(starts, " "); got != "Agent Bash SendMessage Skill Workflow" {
		t.Errorf("tools that start agents: %s", got)
	}
}

// TestKnownAgentHas: an agent without a list has all tools, except for those it lacks.
func TestKnownAgentHas(t *testing.T) {
	for _, c := range []struct {
		agent fsm.KnownAgent
		tool  string
		want  bool
	}{
		{fsm.KnownAgent{}, "Edit", true},
		{fsm.KnownAgent{Tools: []string{"Read", "Task"}}, "Agent", true},
		{fsm.KnownAgent{Tools: []string{"Notebook*"}}, "NotebookEdit", true},
		{fsm.KnownAgent{Tools: []string{"Read"}}, "Edit", false},
		{fsm.KnownAgent{Without: []string{"Edit"}}, "Edit", false},
		{fsm.KnownAgent{Tools: []string{"*"}, Without: []string{"E*"}}, "Edit", false},
	} {
		if got := c.agent.Has(c.tool); got != c.want {
			t.Errorf("%+v has %s: %v", c.agent, c.tool, got)
		}
	}
}

// TestCanonicalTool: an earlier name of a tool means the tool of today.
func TestCanonicalTool(t *testing.T) {
	for tool, want := range map[string]string{"Task": "Agent", "SubagentTask": "Agent", "AgentTask": "Agent",
		"SlashCommand": "Skill", "KillShell": "TaskStop", "KillBash": "TaskStop", "Bash": "Bash", "": ""} {
		if got := fsm.CanonicalTool(tool); got != want {
			t.Errorf("%q: %q, want %q", tool, got, want)
		}
	}
}

// TestFindTools: a rule's name or glob stands for the tools that it fits, also by an older name.
func TestFindTools(t *testing.T) {
	for pattern, want := range map[string]string{"Web*": "WebFetch WebSearch", "Task": "Agent", "nothing": ""} {
		var got []string
		for _, tool := range fsm.FindTools(pattern) {
			got = append(got, tool.Name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q", pattern, got)
		}
	}
}
