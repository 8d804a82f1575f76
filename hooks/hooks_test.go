package hooks

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

// events are one of each kind that a host sends.
func events() []fsm.Event {
	agent := fsm.Agent{ID: "a1", Type: "go"}
	return []fsm.Event{
		{Kind: fsm.SessionStart, Source: "startup"},
		prompt("hello"),
		{Kind: fsm.PromptExpansion, Text: "/x"},
		request("go"),
		request("stranger"),
		{Kind: fsm.AgentStart, Agent: agent},
		{Kind: fsm.ToolRequest, Agent: agent, Tool: fsm.Tool{Name: "Bash", Command: "ls && rm -rf x"}},
		{Kind: fsm.ToolResult, Agent: agent, Tool: fsm.Tool{Name: "Bash", Command: "ls"}},
		{Kind: fsm.ToolFailure, Agent: agent, Tool: fsm.Tool{Name: "Bash", Command: "ls"}},
		{Kind: fsm.AgentStop, Agent: agent, Text: "found it"},
		{Kind: fsm.AgentFailure, Agent: fsm.Agent{ID: "a2", Type: "x"}},
		{Kind: fsm.AgentStop, Agent: fsm.Agent{ID: "phantom"}},
		{Kind: fsm.TurnStop},
		{Kind: fsm.TurnFailure, Text: "overloaded"},
		{Kind: fsm.Compacted},
		{Kind: fsm.ConfigChange},
		{Kind: fsm.Reset, Text: "why not"},
		{Kind: fsm.SessionEnd},
	}
}

// TestOneRecord: every call is recorded in exactly one line.
func TestOneRecord(t *testing.T) {
	h := handler(t)
	for i, e := range events() {
		h.answer(t, NoCall{}, e)
		all := h.records(t, "s1")
		if len(all) != i+1 {
			t.Fatalf("after %s: %d records, expected %d", e.Kind, len(all), i+1)
		}
		r := all[i]
		if r.Event.Kind != e.Kind || r.Event.Agent.ID != e.Agent.ID || r.Event.Tool.Name != e.Tool.Name ||
			r.Policy != "one" || r.State.ID != "s1" {
			t.Errorf("%s is recorded as %+v", e.Kind, r)
		}
	}
	h.in(t, "s1", "A")
}

// TestRecord: what was decided, and why.
func TestRecord(t *testing.T) {
	h := handler(t)
	h.answer(t, NoCall{}, request("stranger"))
	h.Policy.Level = fsm.Observe
	h.answer(t, NoCall{}, request("stranger"))
	h.Policy.Level = fsm.Strict
	h.goes(t, "a1", "found it")
	h.answer(t, NoCall{}, fsm.Event{Kind: fsm.Reset, Text: "by mistake"})
	all := h.records(t, "s1")
	for i, want := range []struct{ verdict, would, rule, reason string }{
		{"deny", "", "pipeline", `agent "stranger" may not run`}, {"", "deny", "pipeline", "may not run"}, {"", "", "",
			""}, {"", "", "", ""}, {"", "", "", ""}, {"", "", "", "by mistake"},
	} {
		r := all[i]
		if r.Verdict != want.verdict || r.StrictVerdict != want.would || r.Rule != want.rule ||
			!strings.Contains(r.Reason, want.reason) {
			t.Errorf("record %d: %q, would %q by %q: %q", i+1, r.Verdict, r.StrictVerdict, r.Rule, r.Reason)
		}
	}
	if stop := all[4]; len(stop.Moves) != 1 || stop.Moves[0].To != "B" || len(stop.Texts) != 1 ||
		stop.Texts[0] != stop.State.Machine.Captures["found"].Hash {
		t.Errorf("%+v", stop)
	}
	if all[0].Event.Tool.Starts == nil || all[0].Event.Tool.Starts.Type != "stranger" {
		t.Errorf("%+v", all[0].Event.Tool.Starts)
	}
}

// TestTook: a record says how long the client has waited. No client waits for an event that comes late, or for
// a person's command.
func TestTook(t *testing.T) {
	h := handler(t)
	began := time.Now().Add(-50 * time.Millisecond)
	for i, c := range []struct {
		began time.Time
		late  bool
	}{{began, false}, {began, true}, {time.Time{}, false}} {
		h.Began = c.began
		e := request("go")
		e.Late = c.late
		h.answer(t, NoCall{}, e)
		took := time.Duration(h.records(t, "s1")[i].Took) * time.Microsecond
		if waits := i == 0; (took >= 50*time.Millisecond) != waits || !waits && took != 0 {
			t.Errorf("%d: %v", i, took)
		}
	}
}

// TestOff: while the level is off nothing is recorded and nothing is made on disk; a
// session that was under way is ended by one record, and begins again when it is on
// again.
func TestOff(t *testing.T) {
	h := handler(t)
	h.Policy.Level = fsm.Off
	for _, e := range events() {
		if d := h.answer(t, NoCall{}, e); d.Verdict != fsm.Pass || d.Inject != "" {
			t.Errorf("%s: %+v", e.Kind, d)
		}
	}
	if _, err := os.Stat(h.store().Dir); !os.IsNotExist(err) {
		t.Errorf("something was made on disk: %v", err)
	}
	h.Policy.Level = fsm.Strict
	h.goes(t, "a1", "found it")
	h.Policy.Level = fsm.Off
	for _, e := range events() {
		h.answer(t, NoCall{}, e)
	}
	all := h.records(t, "s1")
	if len(all) != 4 {
		t.Fatalf("%d records, expected 3 and one that ends them", len(all))
	}
	contains(t, all[3].Notes, "the level is off")
	h.Policy.Level = fsm.Strict
	h.answer(t, NoCall{}, prompt("again"))
	h.in(t, "s1", "A")
	contains(t, h.records(t, "s1")[4].Notes, "switched on again")
}

// TestOffIsAnnounced: the first session that starts after the level became off says so; no other event and no later
// session does.
func TestOffIsAnnounced(t *testing.T) {
	for _, c := range []struct {
		judged string
		e      fsm.Event
		want   bool
	}{
		{"strict", fsm.Event{Kind: fsm.SessionStart, Source: "startup"}, true},
		{"off", fsm.Event{Kind: fsm.SessionStart, Source: "startup"}, false},
		{"", fsm.Event{Kind: fsm.SessionStart, Source: "startup"}, false},
		{"strict", prompt("go"), false},
	} {
		h := handler(t)
		h.Policy.Level, h.Policy.Fingerprint = fsm.Off, "new"
		h.Older = func(string) (*fsm.Policy, error) { return policy(), nil }
		h.Widens = func(_, _ *fsm.Policy) string { return "all" }
		if err := h.store().WriteFile(session.JudgedFile, &fsm.Judged{Policy: "older", Level: c.judged}); err != nil {
			t.Fatal(err)
		}
		isDecided := false
		h.InHand = func(*fsm.Decision) { isDecided = true }
		if d := h.answer(t, NoCall{}, c.e); len(d.Notices) > 0 != c.want || isDecided != c.want {
			t.Errorf("judged by %q, %s: decided %v, %q", c.judged, c.e.Kind, isDecided, d.Notices)
		}
	}
}

// TestBadSession: nothing is made of an id that is none.
func TestBadSession(t *testing.T) {
	h := handler(t)
	for _, id := range []string{"", "../../x", "a/b", strings.Repeat("x", 300)} {
		e := prompt("x")
		e.Session = id
		h.Warnings = []string{"a warning"}
		if d, err := h.Answer(NoCall{}, e); !errors.Is(err, session.ErrName) || len(d.Notices) > 0 {
			t.Errorf("%q: %v, and yet %q", id, err, d.Notices)
		}
	}
	if _, err := os.Stat(h.store().Dir); !os.IsNotExist(err) {
		t.Errorf("something was made on disk: %v", err)
	}
}

// TestInjectFits: a long capture reaches the agent cut, and where the whole of it lies.
func TestInjectFits(t *testing.T) {
	h := handler(t)
	whole := strings.Repeat("finding ", 4000)
	h.goes(t, "a1", whole)
	d := h.answer(t, NoCall{}, prompt("what now?"))
	if !strings.HasPrefix(d.Inject, "Found: finding") || units(d.Inject) > most ||
		!strings.Contains(d.Inject, h.Root+"/.pipeline/context/") {
		t.Errorf("%d units: %.100q", units(d.Inject), d.Inject)
	}
}

// TestOlderPolicy: a session in a state that the config has lost is bound by the config
// of before, and its person told.
func TestOlderPolicy(t *testing.T) {
	h := handler(t)
	h.goes(t, "a1", "found it")
	old := h.Policy
	h.Policy = &fsm.Policy{Level: fsm.Strict, Initial: "X", Fingerprint: "two", States: []fsm.State{{Name: "X"}}}
	h.Older = func(fingerprint string) (*fsm.Policy, error) {
		if fingerprint != "one" {
			return nil, errors.New("no such policy")
		}
		return old, nil
	}
	if d := h.answer(t, NoCall{}, request("back")); d.Verdict != fsm.Pass || len(d.Notices) > 0 {
		t.Errorf("%+v", d)
	}
	h.Warnings = []string{"a warning"}
	d := h.answer(t, NoCall{}, prompt("hello"))
	contains(t, d.Notices, "this session is in state B, which the config no longer has")
	contains(t, d.Notices, "pipeline reset --session s1 --to STATE")
	contains(t, d.Notices, "a warning")
	if s := h.in(t, "s1", "B"); s.Policy != "one" {
		t.Errorf("bound by %q", s.Policy)
	}
	if d := h.answer(t, NoCall{}, request("stranger")); d.Verdict != fsm.Deny {
		t.Errorf("%+v", d)
	}
	other := prompt("a new session is bound by what is in force")
	other.Session = "s2"
	h.answer(t, NoCall{}, other)
	if s := h.in(t, "s2", "X"); s.Policy != "two" {
		t.Errorf("bound by %q", s.Policy)
	}
	h.Older = func(string) (*fsm.Policy, error) { return nil, errors.New("gone") }
	contains(t, h.answer(t, NoCall{}, prompt("and now?")).Notices, "this session's state B is in no config any more")
	h.in(t, "s1", "X")
}

// TestEditedPolicy: as long as the state is there, an edit of the config counts at
// once.
func TestEditedPolicy(t *testing.T) {
	h := handler(t)
	h.answer(t, NoCall{}, prompt("hello"))
	edited := policy()
	edited.Fingerprint, edited.States[0].Triggers[0].Agents = "two", []string{"stranger"}
	h.Policy = edited
	h.Older = func(string) (*fsm.Policy, error) { t.Error("asked for"); return nil, nil }
	if d := h.answer(t, NoCall{}, request("go")); d.Verdict != fsm.Deny ||
		strings.Contains(strings.Join(d.Notices, " "), "config") {
		t.Errorf("%+v", d)
	}
	if s := h.in(t, "s1", "A"); s.Policy != "two" {
		t.Errorf("bound by %q", s.Policy)
	}
}

// TestWarnings are for a person, when he comes or speaks.
func TestWarnings(t *testing.T) {
	h := handler(t)
	h.Warnings = []string{"mind the gap"}
	for _, e := range events() {
		got := strings.Join(h.answer(t, NoCall{}, e).Notices, " ")
		if opens := e.Kind == fsm.SessionStart || e.Kind == fsm.Prompt; strings.Contains(got, "mind the gap") != opens {
			t.Errorf("%s: %q", e.Kind, got)
		}
	}
	contains(t, h.answer(t, NoCall{}, fsm.Event{Kind: fsm.Prompt, Origin: fsm.Notification}).Notices, "")
	off := handler(t)
	off.Policy.Level, off.Warnings = fsm.Off, []string{"mind the gap"}
	contains(t, off.answer(t, NoCall{}, prompt("while it is off")).Notices, "mind the gap")
}

// An askedCall counts how often the host is asked what agents it has.
type askedCall struct {
	NoCall
	asked *int
}

func (c askedCall) Agents() []fsm.KnownAgent {
	*c.asked++
	return []fsm.KnownAgent{{Name: "go", Tools: []string{"Edit"}}}
}

// TestAgentsAreReadForRefusals: which agents there are takes many files to find out. Only a
// refusal needs them: it names one that can do what was asked for.
func TestAgentsAreReadForRefusals(t *testing.T) {
	h, asked := handler(t), 0
	h.Policy.Main = fsm.Rules{List: []fsm.Rule{
		{Name: "no-edits", Tools: []string{"Edit"}, Verdict: fsm.Deny}}}
	h.answer(t, askedCall{asked: &asked}, request("go"))
	h.answer(t, askedCall{asked: &asked}, fsm.Event{Kind: fsm.ToolRequest, Tool: fsm.Tool{Name: "Read", UseID: "1"}})
	if asked != 0 {
		t.Errorf("calls that are let through asked for agents %d times", asked)
	}
	h.answer(t, askedCall{asked: &asked}, prompt("again"))
	d := h.answer(t, askedCall{asked: &asked}, fsm.Event{Kind: fsm.ToolRequest,
		Tool: fsm.Tool{Name: "Edit", UseID: "2", Paths: []string{"/a"}}})
	if d.Verdict != fsm.Deny || asked != 1 {
		t.Errorf("asked for agents %d times, answered %+v", asked, d)
	}
	for _, r := range h.records(t, "s1") {
		if r.Event.Tool.Name == "Edit" && r.Verdict != fsm.Deny.String() {
			t.Errorf("recorded %+v", r)
		}
	}
}

// TestOffTakesNoLock: once a session has ended because the level is off, and a person has heard of it, no call of it
// is decided any more.
func TestOffTakesNoLock(t *testing.T) {
	h, decided := handler(t), 0
	h.goes(t, "a1", "found it")
	h.Policy.Level = fsm.Off
	h.InHand = func(*fsm.Decision) { decided++ }
	h.answer(t, NoCall{}, request("go"))
	contains(t, h.answer(t, NoCall{}, prompt("and?")).Notices, "the level was strict and is off now")
	before := decided
	h.answer(t, NoCall{}, request("go"))
	h.answer(t, NoCall{}, prompt("and?"))
	if decided != before {
		t.Errorf("%d calls were decided while it was off", decided-before)
	}
}

// TestDirOfACall: paths are those of the call's folder, and of the project's where it names none.
func TestDirOfACall(t *testing.T) {
	for dir, want := range map[string]string{"": "a.txt", "sub": "a.txt", "ABSOLUTE": "deep/a.txt"} {
		h := runner(t)
		h.Guards.Root = h.Root
		e := fsm.Event{Kind: fsm.ToolRequest, Dir: strings.Replace(dir, "ABSOLUTE", h.Root+"/deep", 1),
			Tool: fsm.Tool{Name: "Write", UseID: "u", Paths: []string{"a.txt"}}}
		h.answer(t, NoCall{}, e)
		parts := h.records(t, "s1")[0].Event.Tool.Parts
		if len(parts) != 1 || parts[0].Path != system.Join(h.Root, want) {
			t.Errorf("%q: %+v", dir, parts)
		}
	}
}

// TestStateIsPublished: the file that other programs read is written as a session begins and ends, not with each call.
func TestStateIsPublished(t *testing.T) {
	h := handler(t)
	file := h.store().Path("s1") + "/state.json"
	for i, c := range []struct {
		e    fsm.Event
		want int64
	}{{fsm.Event{Kind: fsm.SessionStart, Source: "startup"}, 1}, {prompt("x"), 1},
		{fsm.Event{Kind: fsm.SessionStart, Source: "resume"}, 3}, {prompt("x"), 3},
		{fsm.Event{Kind: fsm.SessionEnd}, 5}} {
		h.answer(t, NoCall{}, c.e)
		var v struct{ Head journal.Head }
		if err := json.Unmarshal([]byte(read(t, file)), &v); err != nil || v.Head.Seq != c.want {
			t.Errorf("after %d: of record %d, expected %d (%v)", i+1, v.Head.Seq, c.want, err)
		}
	}
}
