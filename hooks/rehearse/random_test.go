package rehearse_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/guard"
	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/rehearse"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

var agents = []string{"gatherer", "refiner", "bash-dev", "c-dev", "helper"}

// policy has something of everything that a decision may rest on.
func policy(level fsm.Level) *fsm.Policy {
	deny := func(name string, r fsm.Rule) fsm.Rule {
		r.Name, r.Place, r.Verdict = name, "pipeline.yaml:1", fsm.Deny
		return r
	}
	return &fsm.Policy{Level: level, Initial: "A", Fingerprint: "one", Fails: []string{"^API Error", "^BLOCKED:"},
		States: []fsm.State{
			{Name: "A", Inject: "begin", Triggers: []fsm.Trigger{{Name: "gatherer", Agents: []string{"gatherer"},
				To: "B", Capture: "found"}, {Name: "helper", Agents: []string{"helper"}, To: "A", Helper: true}}},
			{Name: "B", Inject: "found {{ .Context.found }}", Brief: "{{ .Context.found }}", Triggers: []fsm.Trigger{
				{Name: "refiner says", Agents: []string{"refiner"}, Says: "PLAN", To: "C"}, {Name: "gatherer",
					Agents: []string{"gatherer"}, To: "B", Capture: "found"},
				{Name: "helper", Agents: []string{"helper"}, To: "B", Helper: true}}},
			{Name: "C", OnStop: "A", Clear: []string{"found"},
				Triggers: []fsm.Trigger{{Name: "*-dev", Agents: []string{"*-dev"}, To: "C"}}}},
		Main: fsm.Rules{List: []fsm.Rule{
			{Name: "looking", Verdict: fsm.Pass, Tools: []string{"Bash"}, Commands: [][]string{{"git", "status"}}},
			deny("reads", fsm.Rule{Tools: []string{"Read"}, Budgeted: true, Budget: 2,
				ResetOn: []string{"delegate", "prompt"}, Type: "READ_LIMIT"}),
			deny("often", fsm.Rule{Tools: []string{"Grep"}, Within: 3}),
			deny("writes", fsm.Rule{Tools: []string{"Write", "Edit"},
				UnlessEnv: []fsm.Input{{Name: "FREE", Value: "1"}}}),
			deny("aside", fsm.Rule{Tools: []string{"Agent"}, Inputs: []fsm.Input{{Name: "model", Value: "big*"}}}),
			deny("shell", fsm.Rule{Tools: []string{"Bash"}, Commands: [][]string{{"git"}, {"rm"}},
				States: []string{"A", "B"}}),
			{Name: "unknown", Verdict: fsm.Ask, Tools: []string{"Bash"}, Commands: [][]string{{"?"}}}}},
		Subagents: fsm.Rules{List: []fsm.Rule{deny("early", fsm.Rule{Tools: []string{"Write"}, States: []string{"A"}}),
			deny("budget", fsm.Rule{Tools: []string{"Read"}, Budgeted: true, Budget: 1})}}}
}

// told is a call whose host knows something.
type told struct {
	hooks.NoCall
	spawn *fsm.Spawn
	input map[string]string
}

func (c told) Spawn() *fsm.Spawn { return c.spawn }

func (c told) Input() map[string]string { return c.input }

// draw makes anything a host may send, in any order, lost, doubled or late.
func draw(t *rapid.T, n int) (fsm.Event, told) {
	pick := func(label string, from ...string) string { return rapid.SampledFrom(from).Draw(t, label) }
	id := fmt.Sprint("a", rapid.IntRange(0, 4).Draw(t, "id"))
	name := pick("name", append(agents, "", "stranger", "Bash_Dev")...)
	long := strings.Repeat("word ", 150)
	e := fsm.Event{Kind: rapid.SampledFrom(fsm.Kinds()).Draw(t, "kind"),
		Session: "s1", Time: time.Unix(1_800_000_000+int64(n), int64(n)).UTC(), Dir: "/project",
		Text: pick("text", "", "done", "API Error", "the PLAN", long, long+"PLAN", "token=abcdef "+long, " \n",
			"BLOCKED: "+long, "the PLAN with password: hunter2"),
		Origin: rapid.SampledFrom([]fsm.Origin{fsm.Person, fsm.Notification}).Draw(t,
			"origin"), Notice: fsm.Notice{Task: id, Status: pick("status", "completed", "killed")}}
	var c told
	switch e.Kind {
	case fsm.SessionStart:
		e.Source = pick("source", "startup", "resume", "clear")
	case fsm.Reset:
		e.Source = pick("to", "", "B")
	}
	if e.Kind != fsm.Reset && (rapid.Bool().Draw(t, "by a subagent") || e.Kind == fsm.AgentStart ||
		e.Kind == fsm.AgentStop || e.Kind == fsm.AgentFailure) {
		e.Agent = fsm.Agent{ID: id, Type: name, Basis: "agent_id"}
	}
	if e.Kind == fsm.AgentStop && rapid.Bool().Draw(t, "on disk") {
		c.spawn = &fsm.Spawn{Type: name, UseID: "u1", ParentID: pick("parent", "", "a1"), Depth: 1}
	}
	if e.Kind == fsm.ToolRequest || e.Kind == fsm.ToolResult || e.Kind == fsm.ToolFailure {
		e.Tool, c.input = drawTool(t, name, id), map[string]string{"model": pick("model", "big-1", "small")}
	}
	if rapid.IntRange(0, 9).Draw(t, "late") == 0 {
		e.Late = true
	}
	if rapid.Bool().Draw(t, "tasks") {
		e.Tasks = &fsm.Background{IDs: rapid.SliceOfN(rapid.SampledFrom([]string{"a0", "a1", "a2"}), 0, 2).Draw(t,
			"running"), Workflow: rapid.Bool().Draw(t, "flow")}
	}
	return e, c
}

func drawTool(t *rapid.T, name, id string) fsm.Tool {
	tool := fsm.Tool{Name: rapid.SampledFrom([]string{"Agent", "Agent", "Bash", "Read", "Write", "Grep",
		"Skill"}).Draw(t, "tool"),
		UseID: fmt.Sprint("u", rapid.IntRange(0, 4).Draw(t, "use"))}
	switch tool.Name {
	case "Agent", "Skill":
		how := rapid.SampledFrom([]fsm.How{fsm.ByAgent, fsm.ByAgent, fsm.BySkill, fsm.ByWorkflow,
			fsm.ByMessage}).Draw(t, "how")
		tool.Starts = &fsm.Start{How: how, Type: name, Name: id}
		tool.Result = fsm.Result{AgentID: id, Task: id, Done: rapid.Bool().Draw(t, "done")}
	case "Bash":
		tool.Command = rapid.SampledFrom([]string{"git status && git push", "rm -rf build | tee log", `eval "$X"`,
			"claude -p x", "pipeline reset x",
			"curl -H 'Authorization: Bearer abcdefghijk' https://x", "echo " +
				strings.Repeat("x ", 500), "ls > out.txt"}).Draw(t, "line")
	default:
		tool.Paths = []string{rapid.SampledFrom([]string{"/project/a.go", "b.md", "/project/pipeline.yaml"}).Draw(t,
			"path")}
	}
	return tool
}

// TestReproduces is the promise of replay: the policy that was in force decides
// everything again as it was recorded, and leaves the same session, except what is
// counted as not replayable.
func TestReproduces(t *testing.T) {
	seen := map[string]int{}
	rehearse.CheckUntilSeen(t, seen, map[string]int{"same": 500}, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "replay-")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		p := policy(fsm.Level(rapid.IntRange(int(fsm.Observe), int(fsm.Strict)).Draw(t, "level")))
		free := rapid.SampledFrom([]string{"", "1", "0"}).Draw(t, "free")
		st := session.Store{Dir: dir, Wait: time.Second}
		h := &hooks.Handler{Policy: p, Sessions: st, Root: "/project",
			Guards: guard.Guards{Root: "/project", Home: "/home/me"}, Getenv: func(string) string { return free }}
		for n := range rapid.IntRange(1, 50).Draw(t, "events") {
			e, c := draw(t, n)
			if _, err := h.Answer(c, e); err != nil {
				t.Fatal(err)
			}
		}
		again(t, st, p, seen)
	})
	if seen["differ"] > 0 {
		t.Errorf("%v", seen)
	}
}

// again replays session s1 and holds every answer against the recorded one.
func again(t interface {
	Helper()
	Fatalf(string, ...any)
	Fatal(...any)
}, st session.Store, p *fsm.Policy, seen map[string]int) {
	t.Helper()
	player := &rehearse.Replay{Policy: p, Base: &st}
	if _, err := journal.Read(st.Path("s1"), func(r journal.Record) bool {
		o, ok := player.Next(r)
		switch {
		case !ok:
			t.Fatalf("record %d is no event: %s", r.Seq, r.Event.Kind)
		case o.Skipped != "":
			seen[o.Skipped]++
		case !o.IsSame() || !slices.Equal(r.Moves, o.Decision.Moves) || o.Decision.Where != r.Where ||
			o.Decision.RuleType != r.RuleType:
			t.Fatalf("record %d (%s): %+v, expected %s %s %s %v\n%+v", r.Seq, r.Event.Kind, o.Decision, r.Verdict,
				r.StrictVerdict, r.Rule, r.Moves, o.Event)
		case r.Event.Kind == fsm.ToolRequest && o.Decision.Reason != r.Reason:
			t.Fatalf("record %d: %q, expected %q", r.Seq, o.Decision.Reason, r.Reason)
		case written(o.After) != written(r.State) && kept(r):
			t.Fatalf("record %d (%s): after it\n%s\nexpected\n%s", r.Seq, r.Event.Kind, written(o.After),
				written(r.State))
		default:
			seen["same"]++
		}
		return true
	}); err != nil {
		t.Fatal(err)
	}
}

// kept reports whether all that was said is recorded: what is not may differ in what
// would be captured of it.
func kept(r journal.Record) bool { return r.TextLength == 0 }

func written(s fsm.Session) string {
	body, err := json.Marshal(s)
	if err != nil {
		return err.Error()
	}
	return string(body)
}

// TestWaiting: an agent that waited for one of its own is completed by what it had
// said, which is kept in a file.
func TestWaiting(t *testing.T) {
	p := policy(fsm.Strict)
	st := session.Store{Dir: t.TempDir(), Wait: time.Second}
	h := &hooks.Handler{Policy: p, Sessions: st, Root: "/project", Guards: guard.Guards{Root: "/project"}}
	do := func(e fsm.Event, c told) {
		e.Session, e.Time = "s1", time.Unix(1_800_000_000, 0).UTC()
		if _, err := h.Answer(c, e); err != nil {
			t.Fatal(err)
		}
	}
	sub := func(id, kind string) fsm.Agent { return fsm.Agent{ID: id, Type: kind, Basis: "agent_id"} }
	start := func(by fsm.Agent, kind, use string) {
		do(fsm.Event{Kind: fsm.ToolRequest, Agent: by,
			Tool: fsm.Tool{Name: "Agent", UseID: use, Starts: &fsm.Start{How: fsm.ByAgent, Type: kind}}}, told{})
	}
	start(fsm.Agent{}, "gatherer", "u1")
	do(fsm.Event{Kind: fsm.AgentStart, Agent: sub("a1", "gatherer")}, told{})
	start(sub("a1", "gatherer"), "helper", "u2")
	do(fsm.Event{Kind: fsm.AgentStart, Agent: sub("a2", "helper")}, told{})
	do(fsm.Event{Kind: fsm.AgentStop, Agent: sub("a1", "gatherer"), Text: strings.Repeat("found ", 200)}, told{})
	do(fsm.Event{Kind: fsm.AgentStop, Agent: sub("a2", "helper"), Text: "done"}, told{})
	do(fsm.Event{Kind: fsm.TurnStop, Tasks: &fsm.Background{}}, told{})
	if s, err := h.Sessions.Last("s1"); err != nil || s.Machine.State != "B" {
		t.Fatal(s.Machine.State, err)
	}
	seen := map[string]int{}
	again(t, st, p, seen)
	if seen["same"] != 7 {
		t.Errorf("%v", seen)
	}
}
