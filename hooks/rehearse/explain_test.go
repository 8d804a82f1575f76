package rehearse

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/claude"
	"github.com/agent-pipeline/pipeline/hooks/guard"
	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

// The differential tests compare every rehearsed answer with the hooks' own: a Handler
// on a store on disk, with real files and commands. Run them longer with go test
// ./hooks/rehearse -run Differential -rapid.checks=50000.

var agentTypes = []string{"gatherer", "refiner", "dev", "helper", "stranger"}

// A site is a project on disk with its policy, and the hooks' own handler.
type site struct {
	root   string
	env    map[string]string
	policy *fsm.Policy
	store  session.Store
	host   hooks.Host
	now    time.Time
	seen   map[string]int
}

func newSite(t *rapid.T, seen map[string]int) *site {
	dir, err := os.MkdirTemp(tempDir(), "differential-")
	if err != nil {
		t.Fatal(err)
	}
	s := &site{root: filepath.Join(dir, "project"), env: map[string]string{},
		store: session.Store{Dir: filepath.Join(dir, "state"), Wait: time.Second},
		now:   time.Now().UTC(), seen: seen}
	s.host = claude.Host{Surroundings: hooks.Surroundings{Environment: s.getenv, Project: s.root},
		Config: filepath.Join(dir, "client")}
	flip := func(label string) bool { return rapid.Bool().Draw(t, label) }
	files := map[string]string{"out.txt": "made", "rules.md": "The rules."}
	if flip("plan") {
		files["plan.json"] = rapid.SampledFrom([]string{
			`{"phases": [{"id": "a", "agent": "gatherer"}, ` +
				`{"id": "b", "agent": "dev", "after": ["a"]}]}`,
			`{"phases": [{"id": "a", "agent": "dev", "after": ["z"]}]}`, "no graph"}).Draw(t, "graph")
	}
	if flip("switch") {
		files["go.on"] = ""
	}
	if flip("gate") {
		files["gate-ok"] = ""
	}
	for name, text := range files {
		if err := os.MkdirAll(s.root, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(s.root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"FREE", "MOST", "LIFT"} {
		if rapid.IntRange(0, 3).Draw(t, name) == 0 {
			s.env[name] = "1"
		}
	}
	s.policy = s.drawPolicy(t)
	return s
}

// tempDir is in memory where that can be had: each record is synced to the disk.
func tempDir() string {
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		return "/dev/shm"
	}
	return ""
}

func (s *site) close() { _ = os.RemoveAll(filepath.Dir(s.root)) }

func (s *site) getenv(name string) string { return s.env[name] }

// handler is what answers a hook.
func (s *site) handler() *hooks.Handler {
	return &hooks.Handler{Policy: s.policy, Sessions: s.store, Root: s.root, Getenv: s.getenv,
		Guards: guard.Guards{Root: s.root, Home: "/home/me", States: []string{s.store.Dir},
			Sources: []string{filepath.Join(s.root, "pipeline.yaml")}}}
}

func (s *site) stage() Stage {
	return Stage{Handler: *s.handler(), Host: s.host, Base: &s.store, Run: true}
}

// drawPolicy draws a policy with something of everything that an answer may rest on.
func (s *site) drawPolicy(t *rapid.T) *fsm.Policy {
	some := func(label string) bool { return rapid.IntRange(0, 2).Draw(t, label) == 0 }
	verdict := func(label string) fsm.Verdict { return fsm.Verdict(rapid.IntRange(0, 3).Draw(t, label)) }
	gate := func(label string) *fsm.Gate {
		if rapid.IntRange(0, 5).Draw(t, label) > 0 {
			return nil
		}
		return &fsm.Gate{Run: "test -f gate-ok || { echo no gate-ok; exit 1; }", Timeout: time.Minute, Tries: 2}
	}
	quote := "{{ with .Context.c }}{{ . }}{{ end }}{{ with .Earlier.c }} once {{ .Text }}{{ end }}"
	p := &fsm.Policy{Fingerprint: "one", Initial: "A", Fails: []string{"^API Error"}, AuditInput: "full",
		Level: fsm.Level(rapid.SampledFrom([]int{0, 1, 2, 3, 4, 4, 4}).Draw(t, "level"))}
	names := []string{"A", "B", "C"}
	for i, name := range names {
		st := fsm.State{Name: name, Place: "p:" + name, Inject: "in " + name, Brief: "go " + quote}
		if some("quotes") {
			st.Inject += quote
		}
		to := func(label string) string { return rapid.SampledFrom(names).Draw(t, label) }
		for _, agent := range agentTypes[i : i+2] {
			tr := fsm.Trigger{Name: agent, Agents: []string{agent}, To: to("to"), Gate: gate("gate of " + agent)}
			if some("captures") {
				tr.Capture = "c"
			}
			if some("says") {
				tr.Says = "PLAN|found"
			}
			st.Triggers = append(st.Triggers, tr)
		}
		st.Triggers = append(st.Triggers, fsm.Trigger{Name: "helper", Agents: []string{"helper"}, To: name,
			Helper: true})
		if some("on stop") {
			st.OnStop = to("stops to")
		}
		p.States = append(p.States, st)
	}
	if some("no states") {
		p.Initial, p.States = "", nil
	}
	rules := []fsm.Rule{
		{Name: "status", Tools: []string{"Bash"}, Commands: [][]string{{"git", "status"}}},
		{Name: "reads", Verdict: fsm.Deny, Tools: []string{"Read"}, Budgeted: true,
			Budget: rapid.IntRange(0, 2).Draw(t, "budget"), ResetOn: []string{"prompt", "delegate", "state"}},
		{Name: "often", Verdict: verdict("often"), Tools: []string{"Grep"}, Within: 2},
		{Name: "env", Verdict: verdict("env"), Tools: []string{"Write", "Edit"},
			UnlessEnv: []fsm.Input{{Name: "FREE", Value: "1"}}, DelegateTo: []string{"dev"}},
		{Name: "model", Verdict: verdict("model"), Tools: []string{"Agent"},
			Inputs: []fsm.Input{{Name: "model", Value: "big*"}}},
		{Name: "shell", Verdict: verdict("shell"), Tools: []string{"Bash"}, Commands: [][]string{{"git"}, {"rm"}},
			States: []string{"A", ""}},
		{Name: "own", Verdict: fsm.Deny, Tools: []string{"WebFetch"}, Levelled: true,
			Level: fsm.Level(rapid.IntRange(0, 4).Draw(t, "own level"))},
		{Name: "unknown", Verdict: fsm.Ask, Tools: []string{"Bash"}, Commands: [][]string{{"?"}}}}
	for i := range rules {
		rules[i].Place = "p:" + rules[i].Name
	}
	for _, set := range []*fsm.Rules{&p.Main, &p.Subagents} {
		for _, r := range rules {
			if rapid.Bool().Draw(t, r.Name) {
				set.List = append(set.List, r)
			}
		}
		set.Default = fsm.Rule{Verdict: rapid.SampledFrom([]fsm.Verdict{fsm.Pass, fsm.Pass, fsm.Deny}).Draw(t,
			"default"), Place: "p:default"}
	}
	if some("graph of a file") {
		p.Tasks = fsm.TaskSource{Graph: filepath.Join(s.root, "plan.json"), From: []string{"agent"},
			Agents: []string{"refiner"}}
	}
	if some("limits") {
		p.Limits = fsm.Limits{Running: 2, RunningEnv: "MOST", Depth: 1}
	}
	if some("hold") {
		p.Hold = fsm.Hold{Until: []string{"graph", "checks"}, Tries: 1, Say: quote, Gate: gate("gate of hold")}
	}
	if rapid.IntRange(0, 5).Draw(t, "checks") == 0 {
		p.Checks = []fsm.Check{{Name: "made", Files: []string{s.root + "/**"},
			Run: `test -f "$FILE" || { echo "no $FILE"; exit 1; }`, Timeout: time.Minute, At: []string{fsm.AtEdit,
				fsm.AtTurnEnd}}}
	}
	if some("opening") {
		p.Opening = fsm.SessionOpening{On: []string{"startup", "resume"}, Inject: "You lead. " + quote,
			Files: []string{filepath.Join(s.root, "rules.md"), "/none.md"}}
	}
	if some("activation") {
		p.Activate = fsm.Activation{When: []string{"*.on"}, Skills: []string{"on"}, Level: fsm.Strict}
	}
	if some("bypass") {
		p.Bypass.Env = []fsm.Input{{Name: "LIFT", Value: "1"}}
	}
	if some("returns") {
		p.Agents = []fsm.AgentInfo{{Name: "dev", Returns: `DONE (?P<file>\S+)`, Tries: 1}}
	}
	if some("talk") {
		p.Talk = fsm.TalkLimits{PerPrompt: 60}
	}
	p.Remind = fsm.Reminders{AfterAgent: "Look at it. " + quote, Times: 1}
	return p
}

// order has a person set a mode or a bypass.
func (s *site) order(t *rapid.T) {
	id := rapid.SampledFrom([]string{"", "s1"}).Draw(t, "for")
	until := s.now.Add(time.Hour)
	err := s.store.ChangeOverrides(session.Command{Time: s.now, What: "test"}, func(o *session.Overrides) {
		if rapid.Bool().Draw(t, "mode") {
			level := rapid.SampledFrom(append(fsm.LevelNames(), "")).Draw(t, "mode")
			o.SetMode(session.Mode{Session: id, Mode: fsm.Mode{Level: level, From: "mode", By: "ann"}})
			return
		}
		o.Bypasses = []session.Bypass{{Session: id, Since: s.now,
			Bypass: fsm.Bypass{ID: "b", Until: until, From: "bypass", By: "ann", Why: "a fix",
				Once:  rapid.Bool().Draw(t, "once"),
				Rule:  rapid.SampledFrom([]string{"", "reads", "shell", "pipeline", "gate", "hold"}).Draw(t, "rule"),
				Agent: rapid.SampledFrom([]string{"", "", "dev"}).Draw(t, "agent")}}}
	})
	if err != nil {
		t.Fatal(err)
	}
}

// hook is the hooks' own answer to a payload.
func (s *site) hook(t *rapid.T, id string, payload map[string]any) fsm.Decision {
	s.now = s.now.Add(time.Second)
	call, e := s.read(t, id, payload)
	d, err := s.handler().Answer(call, e)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func (s *site) read(t *rapid.T, id string, payload map[string]any) (hooks.Call, fsm.Event) {
	all := map[string]any{"session_id": id, "cwd": s.root}
	maps.Copy(all, payload)
	body, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	call, err := s.host.Read(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	e, _ := call.Event(s.now)
	return call, e
}

// payload draws anything that the client may send, in any order.
func (s *site) payload(t *rapid.T) map[string]any {
	pick := func(label string, from ...string) string { return rapid.SampledFrom(from).Draw(t, label) }
	id := pick("id", "a1", "a2", "a3")
	agent := pick("agent", agentTypes...)
	with := func(event string, more map[string]any, by bool) map[string]any {
		out := map[string]any{"hook_event_name": event}
		maps.Copy(out, more)
		if by {
			out["agent_id"], out["agent_type"] = id, agent
		}
		return out
	}
	by := rapid.IntRange(0, 2).Draw(t, "by") == 0
	switch event := pick("event", "PreToolUse", "PreToolUse", "PreToolUse", "PreToolUse", "PostToolUse", "PostToolUse",
		"SubagentStart", "SubagentStart",
		"SubagentStop", "SubagentStop", "UserPromptSubmit", "SessionStart", "Stop", "StopFailure",
		"PostToolUseFailure", "UserPromptExpansion"); event {
	case "PreToolUse", "PostToolUse", "PostToolUseFailure":
		use := pick("use", "u1", "u2", "u3")
		more := drawCall(t, s.root, agent).payload(use)
		more["tool_response"] = map[string]any{"status": pick("status", "completed", "async_launched"), "agentId": id}
		return with(event, more, by)
	case "SubagentStart":
		return with(event, nil, true)
	case "SubagentStop":
		return with(event, map[string]any{"last_assistant_message": drawText(t)}, true)
	case "StopFailure":
		return with(event, map[string]any{"last_assistant_message": "API Error"}, by)
	case "SessionStart":
		return with(event, map[string]any{"source": pick("source", "startup", "resume", "clear", "compact")}, false)
	case "Stop":
		running := []any{}
		if rapid.Bool().Draw(t, "runs") {
			running = append(running, map[string]any{"id": id, "type": "subagent", "status": "running"})
		}
		return with(event, map[string]any{"background_tasks": running}, false)
	case "UserPromptExpansion":
		return with(event, map[string]any{"command_name": "on", "prompt": "/on"}, false)
	default:
		return with(event, map[string]any{"prompt": pick("prompt", "go on", "fix it")}, false)
	}
}

func drawCall(t *rapid.T, root, agent string) Call {
	return rapid.SampledFrom([]Call{{"Agent", agent}, {"Agent", agent},
		{"Agent", `{"subagent_type": "` + agent + `", "model": "big-1"}`},
		{"Read", "a.go"}, {"Read", "b.go"}, {"Grep", "x"}, {"Write", root + "/out.txt"}, {"Edit",
			root + "/none.txt"}, {"Write", root + "/pipeline.yaml"},
		{"Bash", "git status && git push"}, {"Bash", "sudo rm -rf build | tee log"}, {"Bash", `eval "$X"`}, {"Bash",
			"claude -p x"}, {"Bash", "pipeline reset x"},
		{"WebFetch", "https://x"}, {"Skill", "on"}, {"SendMessage", "a1"}, {"mcp__github__list", ""}}).Draw(t, "call")
}

func drawText(t *rapid.T) string {
	return rapid.SampledFrom([]string{"", "found it", "the PLAN", "API Error", "DONE out.txt", "DONE none.txt",
		strings.Repeat("word ", 100),
		"```json\n{\"phases\": [{\"id\": \"p\", \"agent\": \"dev\"}, {\"id\": \"q\", \"agent\": \"helper\", " +
			"\"after\": [\"p\"]}]}\n```"}).Draw(t, "says")
}

// answer is what must be equal in two decisions.
func answer(d fsm.Decision) map[string]any {
	return map[string]any{"verdict": d.Verdict.String(), "strict": d.StrictVerdict.String(), "rule": d.Rule,
		"type": d.RuleType, "where": d.Where,
		"reason": d.Reason, "inject": d.Inject, "hold": d.Hold, "moves": fmt.Sprint(d.Moves),
		"level": d.Level.String(), "notices": strings.Join(d.Notices, "\n"),
		"parts": fmt.Sprintf("%+v", d.Parts)}
}

// CheckUntilSeen tries cases until they have met enough of each thing that is wanted: by
// chance the first ones, fewer with -short, may not.
func CheckUntilSeen(t *testing.T, seen, wanted map[string]int, try func(*rapid.T)) {
	t.Helper()
	missing := func() (out []string) {
		for what, n := range wanted {
			if seen[what] < n {
				out = append(out, what)
			}
		}
		return out
	}
	for tries := 0; tries == 0 || missing() != nil && tries < 20; tries++ {
		rapid.Check(t, try)
	}
	t.Logf("%v", seen)
	if left := missing(); left != nil {
		t.Errorf("too few were %v, expected %v", left, wanted)
	}
}

// TestDifferentialExplain: explain answers about a live session as the hook does a
// moment later, and about a new one as the hook does in a new one; replay decides it
// all again.
func TestDifferentialExplain(t *testing.T) {
	seen := map[string]int{}
	CheckUntilSeen(t, seen, map[string]int{"live": 1, "new": 1, "denied": 1, "warned": 1, "bypassed": 1,
		"replayed": 1, "off": 1}, func(t *rapid.T) {
		s := newSite(t, seen)
		defer s.close()
		for range rapid.IntRange(1, 25).Draw(t, "calls") {
			if rapid.IntRange(0, 7).Draw(t, "order") == 0 {
				s.order(t)
			}
			payload := s.payload(t)
			if payload["hook_event_name"] != "PreToolUse" {
				s.hook(t, "s1", payload)
				continue
			}
			id := "s1"
			if !s.store.Has(id) || payload["agent_id"] == nil && rapid.IntRange(0, 9).Draw(t, "new") == 0 {
				delete(payload, "agent_id")
				delete(payload, "agent_type")
				id = fmt.Sprint("new-", len(seen), "-", seen["new"])
				seen["new"]++
			}
			s.compareExplained(t, id, payload)
		}
		s.compareReplayed(t)
	})
}

// compareExplained asks explain, then the hook.
func (s *site) compareExplained(t *rapid.T, id string, payload map[string]any) {
	body, err := json.Marshal(payload)
	if err != nil {
		t.Fatal(err)
	}
	q := Question{Payload: withMembers(t, body, map[string]any{"session_id": id, "cwd": s.root})}
	if id == "s1" {
		q.Session = id
		s.seen["live"]++
	}
	e, err := Explain(s.stage(), q)
	if err != nil {
		t.Fatal(err)
	}
	if q.Session == "" {
		s.hook(t, id, map[string]any{"hook_event_name": "SessionStart", "source": "startup"})
	}
	d := s.hook(t, id, payload)
	got, want := answer(e.Answer.Decision), answer(d)
	if e.Level == fsm.Off.String() {
		s.seen["off"]++
	}
	if diff := cmp.Diff(want, got); diff != "" || e.Verdict != d.Verdict.String() {
		t.Fatalf("explain differs from the hook (session %q) for %v at level %s:\n%s", q.Session, payload, e.Level,
			diff)
	}
	switch {
	case d.Rule == fsm.RuleBypass:
		s.seen["bypassed"]++
	case d.Verdict == fsm.Deny:
		s.seen["denied"]++
	case d.Verdict == fsm.Warn:
		s.seen["warned"]++
	}
}

func withMembers(t *rapid.T, body []byte, more map[string]any) []byte {
	all := map[string]any{}
	if err := json.Unmarshal(body, &all); err != nil {
		t.Fatal(err)
	}
	maps.Copy(all, more)
	out, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// beginning is what of a refusal depends on recorded facts only: not the agents that the host
// can start, nor its words.
func beginning(reason string) string { return reason[:min(len(reason), 30)] }

// compareReplayed replays what was recorded of session s1 under the same policy.
func (s *site) compareReplayed(t *rapid.T) {
	again := Replay{Policy: s.policy, Base: &s.store}
	if !s.store.Has("s1") {
		return
	}
	if _, err := journal.Read(s.store.Path("s1"), func(r journal.Record) bool {
		o, ok := again.Next(r)
		switch {
		case !ok:
			t.Fatalf("record %d is no event", r.Seq)
		case o.Skipped != "":
			s.seen["skipped"]++
		case !o.IsSame() || !slices.Equal(r.Moves, o.Decision.Moves) || o.Decision.Where != r.Where ||
			r.Event.Kind == fsm.ToolRequest &&
				beginning(o.Decision.Reason) != beginning(r.Reason):
			t.Fatalf("record %d (%s) is replayed as %s %s %v %q, recorded: %s %s %s %v %q", r.Seq, r.Event.Kind,
				o.Decision.Verdict, o.Decision.Rule,
				o.Decision.Moves, o.Decision.Reason, r.Verdict, r.StrictVerdict, r.Rule, r.Moves, r.Reason)
		default:
			s.seen["replayed"]++
		}
		return true
	}); err != nil {
		t.Fatal(err)
	}
}

// TestDifferentialScenario: each hook call of a scenario is answered as the hooks
// answer it on disk, with gates and checks run.
func TestDifferentialScenario(t *testing.T) {
	seen := map[string]int{}
	CheckUntilSeen(t, seen, map[string]int{"moves": 1, "replayed": 1}, func(t *rapid.T) {
		s := newSite(t, seen)
		defer s.close()
		s.env = map[string]string{}
		stage := s.stage()
		stage.Base, stage.Handler.Given = nil, isAssumed
		pl := &player{Rehearsal: New(stage), env: s.env}
		pl.id = "s1"
		pl.watch = func(c hooks.Call, e fsm.Event, a Answer) {
			h := s.handler()
			policy := *s.policy
			policy.Level = pl.Policy.Level
			h.Policy = &policy
			h.Given = func(n fsm.Need) bool { return n == fsm.NeedAgents } // a scenario assumes that all exist
			d, err := h.Answer(c, e)
			if err != nil {
				t.Fatal(err)
			}
			seen["calls"]++
			seen["moves"] += len(d.Moves)
			if diff := cmp.Diff(answer(d), answer(a.Decision)); diff != "" {
				t.Fatalf("test differs from the hook at %s by %q (%+v):\n%s", e.Kind, e.Agent.Type, e.Tool, diff)
			}
		}
		if err := pl.Begin(); err != nil {
			t.Fatal(err)
		}
		levels := false
		for range rapid.IntRange(1, 15).Draw(t, "steps") {
			step := pl.drawStep(t, s.root)
			levels = levels || step.verb == "level"
			if err := pl.act(step, &outcome{}); err != nil {
				t.Fatal(err)
			}
			seen["steps"]++
		}
		if pl.Policy.Level == s.policy.Level && !levels { // what a scenario sets is recorded nowhere
			s.compareReplayed(t)
		}
	})
}

// drawStep draws a step by an agent that runs. Whom a scenario takes for started the
// hooks have not seen.
func (pl *player) drawStep(t *rapid.T, root string) Step {
	agent := rapid.SampledFrom(agentTypes).Draw(t, "agent")
	running := []string{"main"}
	for _, r := range pl.runs {
		if r.id != "" && !r.over {
			running = append(running, r.agent)
		}
	}
	text := drawText(t)
	if text == "DONE none.txt" { // a scenario's agents write what they say
		text = "DONE out.txt"
	}
	steps := []Step{
		{actor: rapid.SampledFrom(running).Draw(t, "actor"), verb: "call", call: drawCall(t, root, agent)},
		{actor: agent, verb: "starts"}, {actor: agent, verb: "done", arg: text}, {actor: agent, verb: "done",
			arg: text}, {actor: agent, verb: "fails"},
		{actor: "main", verb: "says", arg: "go on"}, {actor: "main", verb: "ends"},
		{verb: "env", arg: rapid.SampledFrom([]string{"FREE=1", "MOST=1", "LIFT=1", "LIFT="}).Draw(t, "env")},
		{verb: "level", arg: rapid.SampledFrom(fsm.LevelNames()[1:]).Draw(t, "level")}}
	if len(pl.Policy.States) > 0 {
		steps = append(steps, Step{verb: "reset", arg: rapid.SampledFrom([]string{"", "B"}).Draw(t, "to")})
	}
	i := rapid.SampledFrom([]int{0, 0, 0, 0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9}).Draw(t, "step")
	return steps[min(i, len(steps)-1)]
}
