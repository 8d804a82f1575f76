package claude_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/claude"
	"github.com/agent-pipeline/pipeline/hooks/settings"
)

// TestEvents holds what every recorded payload becomes. Each line of events.golden was compared with its payload.
func TestEvents(t *testing.T) {
	var out strings.Builder
	for _, client := range []string{"2.1.197", "2.1.329"} {
		for _, name := range all(t, client) {
			body := recorded(t, name)
			e, ok := call(t, host(nil), body).Event(now)
			if ok != registeredEvents(t, body) {
				t.Errorf("%s: our business: %v", name, ok)
			}
			fmt.Fprintf(&out, "%s: %s\n", name, text(e, ok))
			if ok && !strings.Contains(body, `"session_id": "`+e.Session+`"`) {
				t.Errorf("%s: session %q", name, e.Session)
			}
			if ok && !e.Time.Equal(now) {
				t.Errorf("%s: time %v", name, e.Time)
			}
		}
	}
	golden(t, "events.golden", out.String())
}

// registeredEvents reports whether a payload is of an event that we install a hook for.
func registeredEvents(t testing.TB, body string) bool {
	var p struct {
		Event string `json:"hook_event_name"`
	}
	if err := json.Unmarshal([]byte(body), &p); err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(events(), func(name string) bool { return name == p.Event })
}

func events() []string {
	var names []string
	for _, e := range (claude.Host{}).Entries("/bin/pipeline", false) {
		names = append(names, e.Event)
	}
	return names
}

// TestPluginHooks: the plugin registers what install registers, by its launcher.
func TestPluginHooks(t *testing.T) {
	body, err := os.ReadFile("../../.claude-plugin/hooks.json")
	if err != nil {
		t.Fatal(err)
	}
	found, err := settings.Hooks(body)
	if err != nil {
		t.Fatal(err)
	}
	var got []settings.Entry
	for _, h := range found {
		got = append(got, h.Entry)
	}
	want := claude.Host{}.Entries("${CLAUDE_PLUGIN_ROOT}/.claude-plugin/pipeline", false)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// text is an event in one line: what, who, and everything that is set.
func text(e fsm.Event, ok bool) string {
	if !ok {
		return "none of our business"
	}
	parts := []string{e.Kind.String(), who(e.Agent)}
	if e.Dir != "/home/user/project" {
		parts = append(parts, "in "+e.Dir)
	}
	parts = append(parts, tool(e.Tool)...)
	if e.Kind == fsm.Prompt {
		parts = append(parts, map[fsm.Origin]string{fsm.Person: "a person's",
			fsm.Notification: "a notification"}[e.Origin])
	}
	if e.Notice != (fsm.Notice{}) {
		parts = append(parts, fmt.Sprintf("task %s is %s", e.Notice.Task, e.Notice.Status))
	}
	parts = set(parts, "source", e.Source)
	parts = set(parts, "text", e.Text)
	if e.Held {
		parts = append(parts, "held")
	}
	parts = append(parts, tasks(e.Tasks)...)
	for _, n := range e.Notes {
		parts = append(parts, "note: "+n)
	}
	return strings.Join(parts, " | ")
}

func who(a fsm.Agent) string {
	if a.IsMain() {
		return fmt.Sprintf("main (%s)", a.Basis)
	}
	return fmt.Sprintf("%s %q (%s)", a.ID, a.Type, a.Basis)
}

func tool(t fsm.Tool) []string {
	var parts []string
	if t.Name != "" {
		parts = append(parts, t.Name+" "+t.UseID)
	}
	parts = set(parts, "command", t.Command)
	for _, p := range t.Paths {
		parts = append(parts, "path "+p)
	}
	if s := t.Starts; s != nil {
		parts = append(parts, fmt.Sprintf("starts by %s type %q name %q", s.How, s.Type, s.Name))
	}
	if r := t.Result; r != (fsm.Result{}) {
		parts = append(parts, fmt.Sprintf("result of agent %q task %q done %v", r.AgentID, r.Task, r.Done))
	}
	return parts
}

func tasks(t *fsm.Background) []string {
	switch {
	case t == nil:
		return nil
	case t.Workflow:
		return []string{fmt.Sprintf("running %q and a workflow", t.IDs)}
	case t.Team:
		return []string{fmt.Sprintf("running %q and a team", t.IDs)}
	}
	return []string{fmt.Sprintf("running %q", t.IDs)}
}

func set(parts []string, name, value string) []string {
	if value == "" {
		return parts
	}
	return append(parts, fmt.Sprintf("%s %q", name, value))
}

// Every event that a hook is installed for must be among the recorded payloads, or nothing shows that we understand it.
func TestEveryEventIsRecorded(t *testing.T) {
	bodies := ""
	for _, name := range all(t, "2.1.197") {
		bodies += recorded(t, name)
	}
	for _, name := range events() {
		if !strings.Contains(bodies, `"hook_event_name": "`+name+`"`) {
			t.Errorf("no payload of %s", name)
		}
	}
}

// TestTasks: what counts as running in the background.
func TestTasks(t *testing.T) {
	for name, test := range map[string]struct {
		fields string
		want   *fsm.Background
	}{
		"not said": {"", nil},
		"null":     {`"background_tasks":null`, nil},
		"none":     {`"background_tasks":[]`, &fsm.Background{}},
		"an agent": {`"background_tasks":[{"id":"a1","type":"subagent","status":"running"}]`,
			&fsm.Background{IDs: []string{"a1"}}},
		"a pending one": {`"background_tasks":[{"id":"a1","type":"subagent","status":"pending"}]`,
			&fsm.Background{IDs: []string{"a1"}}},
		"one that ended": {`"background_tasks":[{"id":"a1","type":"subagent","status":"completed"}]`,
			&fsm.Background{}},
		"a shell": {`"background_tasks":[{"id":"b1","type":"shell","status":"running","command":"sleep 9"}]`,
			&fsm.Background{}},
		"a workflow": {`"background_tasks":[{"id":"w1","type":"workflow","status":"running"}]`,
			&fsm.Background{Workflow: true}},
		"a teammate": {`"background_tasks":[{"id":"t1","type":"teammate","status":"running"}]`,
			&fsm.Background{Team: true}},
	} {
		for _, kind := range []string{"Stop", "SubagentStop"} {
			got := event(t, host(nil), payload(kind, test.fields)).Tasks
			if (got == nil) != (test.want == nil) || strings.Join(tasks(got), "") != strings.Join(tasks(test.want),
				"") {
				t.Errorf("%s, %s: got %v, want %v", name, kind, tasks(got), tasks(test.want))
			}
		}
	}
}
