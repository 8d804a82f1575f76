package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/fsm/verify"
)

// TestAliveOnDisk: under random configs that verify passes, and after hook calls that come in any order, twice, not at
// all or damaged, an agent may start, status tells where the session stands, and a person's reset begins again.
func TestAliveOnDisk(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 15))
	played := 0
	for played < 15 {
		l := newAlive(t, r)
		if len(l.states) == 0 {
			continue
		}
		played++
		for range 30 {
			l.something()
		}
		l.legal()
		l.stands(slices.Contains)
		if out, code := l.run("", "reset", "start over"); code != 0 || !strings.Contains(out, "→ Q0") {
			t.Fatalf("reset: %d %s\n%s\n%q", code, out, l.config, l.calls)
		}
		l.stands(func(_ []string, state string) bool { return state == "Q0" })
		l.legal()
	}
}

// alive is a session in a project of its own, with all the calls that were made.
type alive struct {
	*testing.T
	r      *rand.Rand
	config string
	states []string
	calls  []string
	ids    int
}

// newAlive makes a project. It has no states if its config does not pass.
func newAlive(t *testing.T, r *rand.Rand) *alive {
	dir := t.TempDir()
	t.Chdir(dir)
	for k, v := range map[string]string{"HOME": dir, "CLAUDE_PROJECT_DIR": dir, "CLAUDE_CONFIG_DIR": "",
		"CLAUDECODE": "", "XDG_STATE_HOME": "", "XDG_CONFIG_HOME": ""} {
		t.Setenv(k, v)
	}
	l := &alive{T: t, r: r, config: randomConfig(r)}
	if err := os.WriteFile("pipeline.yaml", []byte(l.config), 0o644); err != nil {
		t.Fatal(err)
	}
	p := &program{console{getenv: os.Getenv}}
	o, err := config.Open(p.world(dir, ""))
	if err != nil || o.Policy == nil {
		t.Fatal(err, o.Problems, l.config)
	}
	if found := verify.Verify(o.Policy, nil); verify.Passes(found) {
		for _, st := range o.Policy.States {
			l.states = append(l.states, st.Name)
		}
		l.call("SessionStart", `"source":"startup"`)
	}
	return l
}

// randomConfig gives each agent at most one part in a state.
func randomConfig(r *rand.Rand) string {
	n := 1 + r.IntN(3)
	to := func() string { return fmt.Sprint("Q", r.IntN(n)) }
	out := "version: 1\nlevel: strict\ninitial: Q0\nstates:\n"
	for i := range n {
		who := []string{"a", "b", "c-*", "Explore"}
		r.Shuffle(len(who), func(i, j int) { who[i], who[j] = who[j], who[i] })
		out += fmt.Sprintf("  Q%d:\n    agents: [%s]\n    moves: [{agent: %s, says: ^yes, to: %s}]\n"+
			"    capture: found\n", i, who[0], who[1], to())
		if r.IntN(2) == 0 {
			out += "    on_complete: " + to() + "\n"
		}
		if r.IntN(2) == 0 {
			out += "    on_stop: " + to() + "\n"
		}
		if r.IntN(2) == 0 {
			out += "    helpers: [" + who[2] + "]\n"
		}
	}
	return out
}

// run is one run of the program.
func (l *alive) run(in string, args ...string) (string, int) {
	var out, errs bytes.Buffer
	code := run(append([]string{"pipeline"}, args...), strings.NewReader(in), &out, &errs)
	return out.String() + errs.String(), code
}

// call is one call of a hook, which never fails.
func (l *alive) call(event string, fields ...string) string {
	body := fmt.Sprintf(`{"session_id":"s1","hook_event_name":%q,%s}`, event, strings.Join(fields, ","))
	l.calls = append(l.calls, body)
	out, code := l.run(body, "hook", "--host", "claude")
	if code != 0 {
		l.Fatalf("%s: exit code %d: %s", body, code, out)
	}
	return out
}

// something happens to the session, or to its files.
func (l *alive) something() {
	agent := []string{"a", "b", "c-1", "Explore"}[l.r.IntN(4)]
	id := fmt.Sprint("a", l.ids-l.r.IntN(2))
	who := fmt.Sprintf(`"agent_id":%q,"agent_type":%q`, id, agent)
	tool := fmt.Sprintf(`"tool_name":"Agent","tool_use_id":"t%s","tool_input":{"subagent_type":%q}`, id, agent)
	switch l.r.IntN(14) {
	case 0:
		l.call("Stop", `"background_tasks":[]`)
	case 1:
		l.call("UserPromptSubmit", `"prompt":"go on"`)
	case 2:
		l.call("SessionStart", `"source":"resume"`)
	case 3:
		l.call("PostToolUseFailure", tool, `"error":"no"`)
	case 4:
		l.call("StopFailure", who, `"last_assistant_message":"API Error"`)
	case 5:
		l.run("{ not json", "hook", "--host", "claude", "subagent-stop")
	case 6:
		l.damage()
	case 7:
		l.call("SessionEnd", `"reason":"other"`)
	case 8:
		l.call("SubagentStop", who, `"last_assistant_message":"yes"`)
	default:
		l.ids++
		l.agent()
	}
}

// agent is asked for, starts, stops and comes back; any of it may be lost or come out of its turn.
func (l *alive) agent() {
	agent := []string{"a", "b", "c-1", "Explore"}[l.r.IntN(4)]
	who := fmt.Sprintf(`"agent_id":"a%d","agent_type":%q`, l.ids, agent)
	tool := fmt.Sprintf(`"tool_name":"Agent","tool_use_id":"ta%d","tool_input":{"subagent_type":%q}`, l.ids, agent)
	calls := [][]string{{"PreToolUse", tool}, {"SubagentStart", who},
		{"SubagentStop", who, `"last_assistant_message":"` + []string{"done", "yes", ""}[l.r.IntN(3)] + `"`},
		{"PostToolUse", tool, fmt.Sprintf(`"tool_response":{"status":"completed","agentId":"a%d"}`, l.ids)}}
	if l.r.IntN(4) == 0 {
		l.r.Shuffle(len(calls), func(i, j int) { calls[i], calls[j] = calls[j], calls[i] })
	}
	for _, c := range calls {
		for range []int{1, 1, 1, 1, 0, 2}[l.r.IntN(6)] {
			l.call(c[0], c[1:]...)
		}
	}
}

// damage is what a crash leaves behind: no view, or half a line at the end of the journal.
func (l *alive) damage() {
	for _, dir := range l.folder() {
		l.calls = append(l.calls, "damage")
		if l.r.IntN(2) == 0 {
			_ = os.Remove(filepath.Join(dir, "state.json")) // it may be gone already
			continue
		}
		f, err := os.OpenFile(filepath.Join(dir, "journal.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			l.Fatal(err)
		}
		fmt.Fprint(f, `{"seq":`)
		f.Close()
	}
}

func (l *alive) folder() []string {
	found, err := filepath.Glob(".local/state/pipeline/*/sessions/s1")
	if err != nil || len(found) != 1 {
		l.Fatalf("%q %v", found, err)
	}
	return found
}

// legal: somebody may start.
func (l *alive) legal() {
	l.Helper()
	for i, agent := range []string{"a", "b", "c-1", "Explore"} {
		out := l.call("PreToolUse",
			fmt.Sprintf(`"tool_name":"Agent","tool_use_id":"next%d","tool_input":{"subagent_type":%q}`, i, agent))
		if !strings.Contains(out, `"deny"`) {
			return
		}
	}
	l.Fatalf("no agent may start\n%s\n%q", l.config, l.calls)
}

// stands: status tells a state, which is one of those.
func (l *alive) stands(in func([]string, string) bool) {
	l.Helper()
	out, code := l.run("", "status", "--json")
	var doc struct {
		State string `json:"state"`
	}
	at := strings.Index(out, "{")
	if code != 0 || at < 0 {
		l.Fatalf("status: %d %s\n%q", code, out, l.calls)
	}
	if err := json.NewDecoder(strings.NewReader(out[at:])).Decode(&doc); err != nil || !in(l.states, doc.State) {
		l.Fatalf("status: %v, state %q\n%s\n%q", err, doc.State, out, l.calls)
	}
}
