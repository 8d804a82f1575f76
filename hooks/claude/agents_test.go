package claude_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
)

// write makes a file of a test, and the folders it lies in.
func write(t testing.TB, path, body string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(body), 0o644); err != nil {
		t.Fatal(err)
	}
}

// stopped is a SubagentStop of an agent, with its own transcript where one is given.
func stopped(t testing.TB, transcript, id, own string) string {
	t.Helper()
	body, err := json.Marshal(map[string]string{"session_id": "s", "hook_event_name": "SubagentStop",
		"transcript_path": transcript,
		"agent_id":        id, "agent_type": "x", "agent_transcript_path": own})
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// TestSpawn: the client's note of how an agent was started, in the forms that it was seen in.
func TestSpawn(t *testing.T) {
	dir := t.TempDir()
	transcript := filepath.Join(dir, "s.jsonl")
	agents := filepath.Join(dir, "s", "subagents")
	flow := filepath.Join(agents, "workflows", "wf_1")
	for path, body := range map[string]string{
		"agent-first.meta.json":    `{"agentType":"c-dev","description":"d","toolUseId":"toolu_1","spawnDepth":1}`,
		"agent-nested.meta.json":   recorded(t, "2.1.329/disk.agent-ID.meta"),
		"agent-old.meta.json":      `{"agentType":"c-dev","description":"d","toolUseId":"toolu_2","spawnDepth":2,"name":"x","spawnMode":"y"}`,
		"agent-skill.meta.json":    `{"agentType":"general-purpose"}`,
		"agent-cut.meta.json":      `{"agentType":"c-dev","toolUseId":"tool`,
		"agent-empty.meta.json":    ``,
		"agent-array.meta.json":    `["c-dev"]`,
		"agent-wrong.meta.json":    `{"agentType":"c-dev","spawnDepth":"one"}`,
		"agent-nobody.meta.json":   `{"toolUseId":"toolu_3"}`,
		"agent-folder.meta.json/x": ``,
	} {
		write(t, filepath.Join(agents, path), body)
	}
	write(t, filepath.Join(flow, "agent-flow.meta.json"), `{"agentType":"workflow-subagent"}`)

	for name, test := range map[string]struct {
		id, own string
		want    *fsm.Spawn
	}{
		"first level": {"first", "", &fsm.Spawn{Type: "c-dev", UseID: "toolu_1", Depth: 1}},
		"told where": {"first", filepath.Join(agents, "agent-first.jsonl"), &fsm.Spawn{Type: "c-dev",
			UseID: "toolu_1", Depth: 1}},
		"nested, 2.1.329": {"nested", "", &fsm.Spawn{Type: "general-purpose", UseID: "toolu_4_0",
			ParentID: "a93f1af584da0b32c", Depth: 3}},
		"nested, 2.1.197":  {"old", "", &fsm.Spawn{Type: "c-dev", UseID: "toolu_2", Depth: 2}},
		"a forked skill's": {"skill", "", &fsm.Spawn{Type: "general-purpose"}},
		"a workflow's": {"flow", filepath.Join(flow, "agent-flow.jsonl"),
			&fsm.Spawn{Type: "workflow-subagent"}},
		"a workflow's, not told": {"flow", "", nil},
		"a compaction's":         {"phantom", filepath.Join(agents, "agent-phantom.jsonl"), nil},
		"cut off":                {"cut", "", nil},
		"empty":                  {"empty", "", nil},
		"an array":               {"array", "", nil},
		"of wrong types":         {"wrong", "", nil},
		"without a type":         {"nobody", "", nil},
		"a folder":               {"folder", "", nil},
		"the main agent":         {"", "", nil},
	} {
		got := call(t, host(nil), stopped(t, transcript, test.id, test.own)).Spawn()
		if (got == nil) != (test.want == nil) || got != nil && *got != *test.want {
			t.Errorf("%s: got %+v, want %+v", name, got, test.want)
		}
	}
}

// An id is a name in a folder; whatever else it may be, it leads nowhere.
func TestSpawnStaysInside(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	const planted = `{"agentType":"planted","toolUseId":"toolu_1","spawnDepth":1}`
	for _, path := range []string{"etc/x.meta.json", "p/etc/x.meta.json", "p/s/subagents/agent-x.meta.json",
		"p/s/subagents/agent-/x.meta.json",
		"p/s/subagents/agent-/etc/x.meta.json", "p/x.meta.json", "subagents/agent-.meta.json",
		"subagents/agent-x.meta.json", "p/s/subagents/agent-.meta.json"} {
		write(t, path, planted)
	}
	for _, id := range []string{"../x", "../../x", "../../../etc/x", "/etc/x", "/x", "/../../x", "x/../../x", "./x",
		`..\x`, "..", ".", "/", "a/x"} {
		if got := call(t, host(nil), stopped(t, filepath.Join(dir, "p", "s.jsonl"), id, "")).Spawn(); got != nil {
			t.Errorf("%s: got %+v", id, got)
		}
	}
	if got := call(t, host(nil), stopped(t, "", "x", "")).Spawn(); got != nil {
		t.Errorf("without a transcript: got %+v", got)
	}
}

// TestTokens: what an agent's model has used stands in its transcript, once for each message.
func TestTokens(t *testing.T) {
	own := filepath.Join(t.TempDir(), "agent-a.jsonl")
	write(t, own, `{"type":"user","message":{"role":"user","content":"go"}}
{"type":"assistant","message":{"id":"m1","usage":{"input_tokens":10,"cache_creation_input_tokens":5,"cache_read_input_tokens":900,"output_tokens":1}}}
{"type":"assistant","message":{"id":"m1","usage":{"input_tokens":10,"cache_creation_input_tokens":5,"cache_read_input_tokens":900,"output_tokens":7}}}
{"type":"assistant","message":{"id":"m2","usage":{"input_tokens":2,"output_tokens":3}}}
{"type":"assistant","mess`)
	if got := call(t, host(nil), stopped(t, "", "a", own)).Tokens(); got != 10+5+7+2+3 {
		t.Errorf("%d tokens", got)
	}
	if got := call(t, host(nil), stopped(t, "", "a", own+"x")).Tokens(); got != 0 {
		t.Errorf("%d tokens without a transcript", got)
	}
}
