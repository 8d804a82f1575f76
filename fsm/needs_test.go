package fsm_test

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/tasks"
)

// without takes from an event the facts that are not among the needed ones.
func without(e fsm.Event, needed []fsm.Need) fsm.Event {
	forget := map[fsm.Need]func(f *fsm.Facts){
		fsm.NeedOverrides: func(f *fsm.Facts) { f.Overrides = fsm.Overrides{} },
		fsm.NeedPresent:   func(f *fsm.Facts) { f.Present = "" },
		fsm.NeedEnv:       func(f *fsm.Facts) { f.Env = nil },
		fsm.NeedInput:     func(*fsm.Facts) { e.Tool.Input = nil },
		fsm.NeedSpawn:     func(f *fsm.Facts) { f.Spawn = nil },
		fsm.NeedParent:    func(f *fsm.Facts) { f.Parent = nil },
		fsm.NeedEarlier:   func(f *fsm.Facts) { f.Earlier = nil },
		fsm.NeedGraph:     func(f *fsm.Facts) { f.Graph = "" },
		fsm.NeedOpening:   func(f *fsm.Facts) { f.Opening = nil },
		fsm.NeedScratch:   func(f *fsm.Facts) { f.Scratch = "" },
		fsm.NeedKernel:    func(f *fsm.Facts) { f.Kernel = "" },
		fsm.NeedTicket:    func(f *fsm.Facts) { f.Ticket = nil },
		fsm.NeedWorktrees: func(f *fsm.Facts) { f.Worktrees = nil },
		fsm.NeedTokens:    func(f *fsm.Facts) { f.Tokens = 0 },
		fsm.NeedTampered:  func(f *fsm.Facts) { f.Tampered = "" },
		fsm.NeedJudged:    func(f *fsm.Facts) { f.Judged = nil },
		fsm.NeedAbsent:    func(f *fsm.Facts) { f.Absent = "" },
		fsm.NeedGate:      func(f *fsm.Facts) { f.Gate = nil },
		fsm.NeedChecks:    func(f *fsm.Facts) { f.Checks = nil },
		fsm.NeedCaptured:  func(f *fsm.Facts) { f.Captured = nil },
		fsm.NeedAgents:    func(f *fsm.Facts) { f.Agents = nil },
	}
	for n := range fsm.NeedAgents + 1 {
		if !slices.Contains(needed, n) {
			forget[n](&e.Facts)
		}
	}
	return e
}

// informed makes an event that knows every fact.
func informed(t *rapid.T, p *fsm.Policy, s fsm.Session, e fsm.Event, texts map[string]string) fsm.Event {
	pick := func(label string, from ...string) string { return rapid.SampledFrom(from).Draw(t, label) }
	captured := map[string]string{}
	for name, ref := range s.Machine.Captures {
		captured[name] = texts[ref.Hash]
	}
	for _, r := range s.Agents.Runs {
		if r.Final != nil {
			captured[r.ID] = texts[r.Final.Hash]
		}
	}
	e.Facts = fsm.Facts{Captured: captured, Env: map[string]string{"MOST": pick("most", "1", "9"), "FREE": "1"},
		Earlier: map[string]*fsm.Earlier{"c": {Text: "from before"}}, Scratch: "/scratch",
		Graph: pick("graph", "",
			`{"phases": [{"id": "a", "agent": "gatherer"}, {"id": "b", "agent": "refiner", "after": ["a"]}]}`),
		Agents:  []fsm.KnownAgent{{Name: "gatherer", Tools: []string{"Read"}}, {Name: "refiner"}, {Name: "helper"}},
		Opening: []string{"rules"}, Present: pick("present", "", "on.json")}
	if e.Agent.Type != "" { // of a phantom the host knows nothing
		e.Facts.Spawn = &fsm.Spawn{Type: e.Agent.Type, Depth: 1}
	}
	if rapid.Bool().Draw(t, "guided") {
		e.Facts.Overrides.Mode = &fsm.Mode{Level: pick("level", "observe", "guidance", "strict"), From: "mode"}
	}
	e.Facts.Tokens = rapid.IntRange(0, 9).Draw(t, "tokens")
	e.Facts.Worktrees, e.Dir = []string{"/p", "/w"}, pick("dir", "/p", "/w")
	e.Facts.Judged = &fsm.Judged{Policy: "older", Level: pick("judged", "", "strict", "observe"), Widened: "all"}
	if e.Kind == fsm.ConfigChange {
		e.Facts.Tampered = "gone"
	}
	if e.Kind == fsm.AgentStop {
		e.Agent.Type = pick("type", e.Agent.Type, "refiner")
		e.Text = pick("says", "", "DONE out.txt", "done", "API Error")
		e.Facts.Absent = p.FindReturnedFile(e.Agent.Type, e.Text)
	}
	if e.Tool.Command != "" || e.Kind == fsm.AgentStart {
		e.Facts.Kernel, e.Facts.Ticket = "landlock", &fsm.TicketResult{Confined: true,
			Used: rapid.Bool().Draw(t, "used")}
	}
	if p.IsNeeded(fsm.NeedGate, s, e) {
		_, key := p.SelectGate(s, e)
		e.Facts.Gate = &fsm.GateResult{Key: key, OK: rapid.Bool().Draw(t, "gate")}
	}
	return e
}

// wordyPolicy has texts, gates and limits that rest on facts.
func wordyPolicy(t *rapid.T) *fsm.Policy {
	p := somePolicy(t)
	quote := "{{ with .Context.c }}{{ . }}{{ end }} {{ .Scratch }}"
	p.Scratch = true
	p.Opening = fsm.SessionOpening{On: []string{"startup", "resume"}, Inject: quote, Files: []string{"/rules"}}
	p.Planning = fsm.PlanningHint{Words: []string{"done"}, AtLeast: 1, Say: quote}
	p.Remind = fsm.Reminders{AfterDelegation: quote, AfterAgent: quote, Times: 100}
	p.Hold = fsm.Hold{Until: []string{"graph"}, Say: quote, Tries: 2, Gate: &fsm.Gate{Run: "make", Tries: 2}}
	p.Tasks = fsm.TaskSource{Graph: "/plan.json"}
	p.Limits = fsm.Limits{Running: 3, RunningEnv: "MOST", Depth: rapid.IntRange(0, 2).Draw(t, "depth"),
		OwnWorktree: []string{"re*"}, Tokens: 6}
	p.Agents = []fsm.AgentInfo{{Name: "refiner", Returns: `DONE (?P<file>\S+)`, Tries: 1}}
	p.Main = fsm.Rules{List: []fsm.Rule{{Name: "env", Verdict: fsm.Ask, Tools: []string{"Agent"},
		Env:    []fsm.Input{{Name: "FREE", Value: "1"}},
		Inputs: []fsm.Input{{Name: "model", Value: "big"}}},
		{Name: "no-shell", Verdict: fsm.Deny, Tools: []string{"Bash"}},
		{Name: "held", Verdict: fsm.Confine, Else: fsm.Deny, Tools: []string{"Monitor"}}}}
	for i := range p.States {
		earlier := "{{ with .Earlier.c }}{{ .Text }}{{ end }}"
		p.States[i].Inject, p.States[i].Brief = "say "+quote+earlier, "brief "+quote+earlier
		if rapid.Bool().Draw(t, "gated") {
			p.States[i].Triggers[0].Gate = &fsm.Gate{Run: "make", Tries: 1}
		}
	}
	return p
}

// TestNeedsAreComplete: a fact that is not named does not change the answer.
func TestNeedsAreComplete(t *testing.T) {
	seen := map[fsm.Need]int{}
	neverMet := func() (out []fsm.Need) {
		for n := range fsm.NeedAgents + 1 {
			if seen[n] == 0 && !slices.Contains([]fsm.Need{fsm.NeedParent, fsm.NeedPresent, fsm.NeedChecks}, n) {
				out = append(out, n)
			}
		}
		return out
	}
	isComplete := func(t *rapid.T) {
		p := wordyPolicy(t)
		var s fsm.Session
		texts := map[string]string{}
		for n := range rapid.IntRange(1, 40).Draw(t, "events") {
			e := someEvent(t, n)
			e.Tool.Input = map[string]string{"model": "big"}
			if rapid.IntRange(0, 4).Draw(t, "client") == 0 {
				e.Tool.Starts, e.Tool.Parts = nil, []fsm.Part{{Tool: "Bash", Words: []string{"claude"},
					Client: "claude"}}
			}
			if rapid.IntRange(0, 4).Draw(t, "command") == 0 {
				e.Tool.Starts, e.Tool.Name, e.Tool.Command = nil, "Monitor", "make"
				e.Tool.Parts = []fsm.Part{{Tool: "Monitor", Words: []string{"make"}, Code: true}}
			}
			if rapid.IntRange(0, 4).Draw(t, "write") == 0 {
				e.Tool.Starts, e.Tool.Name, e.Tool.Parts = nil, "Write", []fsm.Part{file("Write", "/p/a.go")}
			}
			e = informed(t, p, s, e, texts)
			var needed []fsm.Need
			for n := range fsm.NeedAgents + 1 {
				if p.IsNeeded(n, s, e) {
					needed = append(needed, n)
					seen[n]++
				}
			}
			after, d := p.Step(s, e)
			lean, less := p.Step(s, without(e, needed))
			if diff := cmp.Diff(d, less); diff != "" || written(t, after) != written(t, lean) {
				t.Fatalf("%s needs more than %v: %s\n%s", e.Kind, needed, diff, cmp.Diff(after, lean))
			}
			for _, x := range d.Texts {
				texts[x.Ref.Hash] = x.Text
			}
			s = after
		}
	}
	for tries := 0; tries == 0 || neverMet() != nil && tries < 20; tries++ { // -short may miss a rare fact
		rapid.Check(t, isComplete)
	}
	if left := neverMet(); left != nil {
		t.Errorf("no event needed the facts %v", left)
	}
}

// TestEveryFieldHasItsFacts: a limit, or a condition of a rule, that depends on a fact asks for it. A field that
// somebody adds is in no list, and fails here.
func TestEveryFieldHasItsFacts(t *testing.T) {
	condition := []fsm.Input{{Name: "X", Value: "1"}}
	limits := map[string]struct {
		set   func(*fsm.Limits)
		needs fsm.Need
	}{
		"RunningEnv":  {func(l *fsm.Limits) { l.RunningEnv = "X" }, fsm.NeedEnv},
		"Depth":       {func(l *fsm.Limits) { l.Depth = 1 }, fsm.NeedSpawn},
		"Tokens":      {func(l *fsm.Limits) { l.Tokens = 1 }, fsm.NeedTokens},
		"OwnWorktree": {func(l *fsm.Limits) { l.OwnWorktree = []string{"*"} }, fsm.NeedWorktrees},
	}
	rules := map[string]struct {
		set   func(*fsm.Rule)
		needs fsm.Need
	}{
		"Verdict":   {func(r *fsm.Rule) { r.Verdict = fsm.Confine }, fsm.NeedKernel},
		"Inputs":    {func(r *fsm.Rule) { r.Inputs = condition }, fsm.NeedInput},
		"Env":       {func(r *fsm.Rule) { r.Env = condition }, fsm.NeedEnv},
		"UnlessEnv": {func(r *fsm.Rule) { r.UnlessEnv = condition }, fsm.NeedEnv},
	}
	const counted, call, said = "counted in the session", "the call and the session say it", "it is said"
	checkFields[fsm.Limits](t, limits, map[string]string{"Running": counted, "Calls": counted, "SessionCalls": counted,
		"Minutes": "the event has its time"})
	checkFields[fsm.Rule](t, rules, map[string]string{"Name": said, "Place": said,
		"Else":  "Confine asks for the kernel",
		"Tools": call, "Paths": call, "Commands": call, "Changes": call, "States": call, "Agents": call,
		"AdmittedIn": call, "Starts": call, "Budget": counted, "Budgeted": counted, "ResetOn": counted,
		"Within": counted, "DelegateTo": "a refusal of any rule asks for the agents", "Reason": said, "Type": said,
		"Example": said, "Describe": said, "Level": "it changes what follows", "Levelled": "it changes what follows"})
	event := fsm.Event{Kind: fsm.ToolRequest, Agent: fsm.Agent{ID: "a", Type: "a"},
		Tool: fsm.Tool{Command: "x", Starts: &fsm.Start{Type: "b"}}}
	check := func(field string, p *fsm.Policy, n fsm.Need) {
		if (&fsm.Policy{}).CanNeed(n, event) || !p.CanNeed(n, event) {
			t.Errorf("%s: it must ask for fact %d, and only it", field, n)
		}
	}
	for _, kind := range fsm.Kinds() {
		checks := (&fsm.Policy{Checks: make([]fsm.Check, 1)}).CanNeed(fsm.NeedChecks, fsm.Event{Kind: kind})
		if (&fsm.Policy{}).CanNeed(fsm.NeedChecks, fsm.Event{Kind: kind}) ||
			checks != (kind == fsm.ToolResult || kind == fsm.TurnStop) {
			t.Errorf("%s: checks are asked for: %v", kind, checks)
		}
		files := (&fsm.Policy{Activate: fsm.Activation{When: []string{"*.on"}}}).CanNeed(fsm.NeedPresent,
			fsm.Event{Kind: kind})
		if (&fsm.Policy{}).CanNeed(fsm.NeedPresent, fsm.Event{Kind: kind}) || files != (kind == fsm.SessionStart) {
			t.Errorf("%s: files that switch on are asked for: %v", kind, files)
		}
	}
	for _, kind := range fsm.Kinds() {
		p := &fsm.Policy{Limits: fsm.Limits{OwnWorktree: []string{"*"}}}
		for _, command := range []string{"", "make"} {
			e := fsm.Event{Kind: kind, Tool: fsm.Tool{Command: command}}
			want := kind == fsm.AgentStart || kind == fsm.ToolRequest && command != ""
			if p.CanNeed(fsm.NeedKernel, e) != want || (&fsm.Policy{}).CanNeed(fsm.NeedKernel, e) {
				t.Errorf("%s of %q: the kernel is asked for: %v", kind, command, !want)
			}
		}
	}
	for field, f := range limits {
		p := &fsm.Policy{}
		f.set(&p.Limits)
		check("limits: "+field, p, f.needs)
	}
	for field, f := range rules {
		p := &fsm.Policy{Subagents: fsm.Rules{List: make([]fsm.Rule, 1)}}
		f.set(&p.Subagents.List[0])
		check("rule: "+field, p, f.needs)
	}
}

// checkFields checks that each field of a struct either is in a table or is exempt.
func checkFields[T, V any](t *testing.T, table map[string]V, exempt map[string]string) {
	t.Helper()
	for f := range reflect.TypeFor[T]().Fields() {
		_, isTested := table[f.Name]
		if reason := exempt[f.Name]; isTested == (reason != "") {
			t.Errorf("%v.%s: tested %v, exempt %q; it must be one of them", reflect.TypeFor[T](), f.Name, isTested,
				reason)
		}
	}
}

// TestGateIsAskedFor: a gate's command is run for a session that is known, and where it decides.
func TestGateIsAskedFor(t *testing.T) {
	p := &fsm.Policy{Level: fsm.Strict, Hold: fsm.Hold{Gate: &fsm.Gate{Run: "make"}, Tries: 1}}
	pl := begin(t, p).says("go")
	for name, c := range map[string]struct {
		s    fsm.Session
		kind fsm.Kind
		want bool
	}{"the end of a turn": {pl.s, fsm.TurnStop, true}, "of no session": {fsm.Session{}, fsm.TurnStop, false},
		"the end of an agent": {pl.s, fsm.AgentStop, false}} {
		if got := p.IsNeeded(fsm.NeedGate, c.s, fsm.Event{Kind: c.kind, Session: pl.s.ID}); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestTextsAreAskedFor: what was captured is read where a text may quote it, and no call of a tool more.
func TestTextsAreAskedFor(t *testing.T) {
	p := &fsm.Policy{Level: fsm.Strict, Initial: "A", States: []fsm.State{{Name: "A", Inject: "go on",
		Brief: "{{ .Earlier.x.Text }}", Triggers: []fsm.Trigger{{Name: "dev", Agents: []string{"dev"}, To: "A"}}},
		{Name: "B", OnPlan: "A"}}}
	pl := begin(t, p).says("go")
	pl.s.Machine.Captures = map[string]fsm.Ref{"x": {Hash: "h"}}
	result := func(by string, tool fsm.Tool) fsm.Event {
		return fsm.Event{Kind: fsm.ToolResult, Session: pl.s.ID, Agent: fsm.Agent{ID: by, Type: by}, Tool: tool}
	}
	start := fsm.Event{Kind: fsm.AgentStart, Session: pl.s.ID, Agent: fsm.Agent{ID: "w1", Type: "worker"}}
	request := func(by string, tool fsm.Tool) fsm.Event {
		e := result(by, tool)
		e.Kind = fsm.ToolRequest
		return e
	}
	read, starts := fsm.Tool{Name: "Read", Parts: []fsm.Part{{Tool: "Read"}}}, agentTool("dev", "1")
	inOrder := func(s *fsm.Session) { s.Tasks.Progress = &tasks.Progress{} }
	has := func(run fsm.Run) func(s *fsm.Session) {
		return func(s *fsm.Session) {
			inOrder(s)
			s.Agents.Runs = []fsm.Run{run}
		}
	}
	inB := func(s *fsm.Session) { s.Machine.State = "B" }
	prompt := fsm.Event{Kind: fsm.Prompt, Session: pl.s.ID, Text: "go on"}
	notice := fsm.Event{Kind: fsm.Prompt, Session: pl.s.ID, Origin: fsm.Notification}
	for name, c := range map[string]struct {
		n      fsm.Need
		change func(s *fsm.Session)
		e      fsm.Event
		want   bool
	}{
		"a tool":      {fsm.NeedCaptured, nil, result("", fsm.Tool{Name: "Read"}), false},
		"a plan":      {fsm.NeedCaptured, nil, result("", fsm.Tool{Plan: "do it"}), true},
		"an agent":    {fsm.NeedCaptured, nil, result("", fsm.Tool{Starts: &fsm.Start{Type: "dev"}}), true},
		"by an agent": {fsm.NeedCaptured, nil, result("dev", fsm.Tool{Plan: "do it"}), false},
		"nothing is captured": {fsm.NeedCaptured,
			func(s *fsm.Session) { s.Machine.Captures = nil }, result("", fsm.Tool{Plan: "x"}), false},
		"not announced": {fsm.NeedCaptured,
			func(s *fsm.Session) { s.Talk.AnnouncedVisit = 0 }, result("", fsm.Tool{}), true},
		"a notice waits": {fsm.NeedCaptured,
			func(s *fsm.Session) { s.Talk.Notices = make([]fsm.PendingNotice, 1) }, result("", fsm.Tool{}), true},
		"a start, without a graph":        {fsm.NeedCaptured, nil, request("", starts), false},
		"a start in the order of a graph": {fsm.NeedCaptured, inOrder, request("", starts), true},
		"another call":                    {fsm.NeedCaptured, inOrder, request("", read), false},
		"of an agent that is not known":   {fsm.NeedCaptured, inOrder, request("w1", read), true},
		"of one that runs": {fsm.NeedCaptured, has(fsm.Run{ID: "w1", Status: fsm.Running}), request("w1", read),
			false},
		"while an agent waits for its own": {fsm.NeedCaptured, has(fsm.Run{ID: "w1", Status: fsm.Waiting}),
			request("w1", read), true},
		"an agent that is woken": {fsm.NeedEarlier, has(fsm.Run{ID: "w1", Status: fsm.Done}), start,
			true},
		"beside one that runs": {fsm.NeedEarlier, has(fsm.Run{ID: "w2", Status: fsm.Running}), start,
			false},
		"a session that begins": {fsm.NeedEarlier, func(s *fsm.Session) { *s = fsm.Session{} },
			prompt, true},
		"a person's prompt":                    {fsm.NeedEarlier, nil, prompt, false},
		"a notice, which may move the machine": {fsm.NeedEarlier, nil, notice, true},
		"a plan that leads on":                 {fsm.NeedEarlier, inB, result("", fsm.Tool{Planned: true}), true},
		"an agent's plan":                      {fsm.NeedEarlier, inB, result("w1", fsm.Tool{Planned: true}), false},
		"no plan":                              {fsm.NeedEarlier, inB, result("", read), false},
		"a plan where it leads nowhere":        {fsm.NeedEarlier, nil, result("", fsm.Tool{Planned: true}), false},
		"an agent that is not expected":        {fsm.NeedEarlier, nil, start, false},
		"an admitted agent": {fsm.NeedEarlier, func(s *fsm.Session) {
			s.Agents.Runs = []fsm.Run{{Type: "worker", Status: fsm.Admitted}}
		}, start, true},
		"an agent of a workflow": {fsm.NeedEarlier,
			func(s *fsm.Session) { s.Agents.Workflows = make([]fsm.Workflow, 1) }, start, true},
		"a worker of a state": {fsm.NeedEarlier, nil,
			fsm.Event{Kind: fsm.AgentStart, Session: pl.s.ID, Agent: fsm.Agent{ID: "d1", Type: "dev"}}, true},
	} {
		s := pl.s
		if c.change != nil {
			c.change(&s)
		}
		if got := p.IsNeeded(c.n, s, c.e); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestAgentsAreAskedFor: which tools agents have is read for a refusal that may name one.
func TestAgentsAreAskedFor(t *testing.T) {
	deny := fsm.Rules{List: []fsm.Rule{{Name: "no", Verdict: fsm.Deny, Tools: []string{"Write"}}}}
	for name, c := range map[string]struct {
		level fsm.Level
		part  fsm.Part
		want  bool
	}{
		"refused":    {fsm.Strict, fsm.Part{Tool: "Write", Path: "/a"}, true},
		"observed":   {fsm.Observe, fsm.Part{Tool: "Write", Path: "/a"}, true},
		"off":        {fsm.Off, fsm.Part{Tool: "Write", Path: "/a"}, false},
		"passes":     {fsm.Strict, fsm.Part{Tool: "Read", Path: "/a"}, false},
		"it is ours": {fsm.Strict, fsm.Part{Tool: "Write", Path: "/a", Guards: "the config"}, false},
	} {
		p := &fsm.Policy{Level: c.level, Main: deny}
		pl := begin(t, p).says("go")
		e := fsm.Event{Kind: fsm.ToolRequest, Session: pl.s.ID,
			Tool: fsm.Tool{Name: c.part.Tool, UseID: "u", Parts: []fsm.Part{c.part}}}
		if got := p.IsNeeded(fsm.NeedAgents, pl.s, e); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestNeedsByKind: which kinds of events ask for a fact, where the policy has a use for it.
func TestNeedsByKind(t *testing.T) {
	ruled := func(r fsm.Rule) *fsm.Policy { return &fsm.Policy{Main: fsm.Rules{List: []fsm.Rule{r}}} }
	limits := func(l fsm.Limits) *fsm.Policy { return &fsm.Policy{Limits: l} }
	in := func(s fsm.State) *fsm.Policy { return &fsm.Policy{States: []fsm.State{s}} }
	gated := func(g *fsm.Gate) *fsm.Policy { return in(fsm.State{Triggers: []fsm.Trigger{{Name: "x", Gate: g}}}) }
	graph := &fsm.Policy{Tasks: fsm.TaskSource{Graph: "/plan.json"}}
	opening := func(files ...string) *fsm.Policy { return &fsm.Policy{Opening: fsm.SessionOpening{Files: files}} }
	returns := &fsm.Policy{Agents: []fsm.AgentInfo{{Name: "dev", Returns: `^DONE (?P<file>\S+)`}}}
	start, none := fsm.Event{Tool: fsm.Tool{Starts: &fsm.Start{Type: "dev"}}}, fsm.Event{}
	by := func(e fsm.Event) fsm.Event { e.Agent = fsm.Agent{ID: "a", Type: "dev"}; return e }
	shell := func(client string) fsm.Event {
		return fsm.Event{Tool: fsm.Tool{Command: "x", Parts: []fsm.Part{{Tool: "Bash", Client: client}}}}
	}
	stops := []fsm.Kind{fsm.AgentStop, fsm.TurnStop}
	for name, c := range map[string]struct {
		n     fsm.Need
		p     *fsm.Policy
		e     fsm.Event
		kinds []fsm.Kind
	}{
		"inputs": {fsm.NeedInput, ruled(fsm.Rule{Inputs: []fsm.Input{{Name: "model"}}}), none,
			[]fsm.Kind{fsm.ToolRequest}},
		"inputs, of which no rule speaks": {fsm.NeedInput, ruled(fsm.Rule{Name: "no"}), none, nil},
		"how deep an agent's start is": {fsm.NeedSpawn, limits(fsm.Limits{Depth: 1}), by(start),
			[]fsm.Kind{fsm.AgentStop, fsm.ToolRequest}},
		"how deep its client is": {fsm.NeedSpawn, limits(fsm.Limits{Depth: 1}), by(shell("claude")),
			[]fsm.Kind{fsm.AgentStop, fsm.ToolRequest}},
		"of an agent's command": {fsm.NeedSpawn, limits(fsm.Limits{Depth: 1}), by(shell("")),
			[]fsm.Kind{fsm.AgentStop}},
		"of the main agent's start": {fsm.NeedSpawn, limits(fsm.Limits{Depth: 1}), start, nil},
		"a fork's parent":           {fsm.NeedParent, free(), fsm.Event{Source: "fork"}, []fsm.Kind{fsm.SessionStart}},
		"a resume's parent":         {fsm.NeedParent, free(), fsm.Event{Source: "resume"}, nil},
		"what came earlier": {fsm.NeedEarlier, in(fsm.State{Inject: "{{ .Earlier.x.Text }}"}), none,
			[]fsm.Kind{fsm.AgentStart, fsm.Compacted, fsm.Prompt, fsm.ToolResult, fsm.ToolFailure}},
		"what came earlier, unnamed": {fsm.NeedEarlier, in(fsm.State{Inject: "x"}), none, nil},
		"the graph at a start": {fsm.NeedGraph, graph, start,
			[]fsm.Kind{fsm.SessionStart, fsm.Prompt, fsm.ToolRequest}},
		"the graph":        {fsm.NeedGraph, graph, none, []fsm.Kind{fsm.SessionStart, fsm.Prompt}},
		"no graph":         {fsm.NeedGraph, free(), start, nil},
		"the opening":      {fsm.NeedOpening, opening("/a"), none, []fsm.Kind{fsm.SessionStart, fsm.Compacted}},
		"no opening files": {fsm.NeedOpening, opening(), none, nil},
		"worktrees": {fsm.NeedWorktrees, limits(fsm.Limits{OwnWorktree: []string{"dev"}}), by(none),
			[]fsm.Kind{fsm.ToolRequest}},
		"the main agent's worktree": {fsm.NeedWorktrees, limits(fsm.Limits{OwnWorktree: []string{"*"}}), none, nil},
		"a ticket":                  {fsm.NeedTicket, free(), shell(""), []fsm.Kind{fsm.ToolResult, fsm.ToolFailure}},
		"a ticket of no command":    {fsm.NeedTicket, free(), start, nil},
		"a missing file": {fsm.NeedAbsent, returns, by(fsm.Event{Text: "DONE a.txt"}),
			[]fsm.Kind{fsm.AgentStop}},
		"a missing file, unnamed": {fsm.NeedAbsent, returns, by(fsm.Event{Text: "DONE"}), nil},
		"a turn's gate": {fsm.NeedGate, &fsm.Policy{Hold: fsm.Hold{Gate: &fsm.Gate{Run: "make"}}}, none,
			stops},
		"a move's gate":    {fsm.NeedGate, gated(&fsm.Gate{Run: "make"}), none, stops},
		"a gate that asks": {fsm.NeedGate, gated(&fsm.Gate{Person: "read it"}), none, nil},
		"no gate":          {fsm.NeedGate, gated(nil), none, nil},
		"agents":           {fsm.NeedAgents, free(), none, []fsm.Kind{fsm.ToolRequest}},
		"agents, too late": {fsm.NeedAgents, free(), fsm.Event{Late: true}, nil},
	} {
		for _, kind := range fsm.Kinds() {
			c.e.Kind = kind
			if got := c.p.CanNeed(c.n, c.e); got != slices.Contains(c.kinds, kind) {
				t.Errorf("%s at %s: %v", name, kind, got)
			}
		}
	}
}

// TestListsNeeds: the facts that an event may need, from one to another, both included.
func TestListsNeeds(t *testing.T) {
	graph := &fsm.Policy{Tasks: fsm.TaskSource{Graph: "/plan.json"}, Scratch: true}
	got := graph.ListNeeds(fsm.NeedInput, fsm.NeedScratch, fsm.Event{Kind: fsm.SessionStart})
	if want := []fsm.Need{fsm.NeedGraph, fsm.NeedScratch}; !slices.Equal(got, want) {
		t.Errorf("%v, expected %v", got, want)
	}
}

// TestNeedsOfASession: what a session's past decides of the facts that an event asks for.
func TestNeedsOfASession(t *testing.T) {
	p := free()
	p.Checks = []fsm.Check{{Name: "vet", Files: []string{"**"}, At: []string{fsm.AtEdit, fsm.AtTurnEnd}}}
	p.Hold = fsm.Hold{Until: []string{"checks"}, Tries: 1}
	s := begin(t, p).asks(main(), "dev", "1").starts("a", "dev").edits(main(), nil, "/p/a").s
	another := s
	another.Policy = "older"
	at := func(kind fsm.Kind) fsm.Event { return fsm.Event{Kind: kind, Session: "s1"} }
	leveled := func(level string) fsm.Event {
		e := at(fsm.ToolResult)
		e.Tool, e.Facts.Overrides.Mode = wrote("/p/a"), &fsm.Mode{Level: level}
		return e
	}
	stop := func(running ...string) fsm.Event {
		e := at(fsm.TurnStop)
		e.Tasks = &fsm.Background{IDs: running}
		return e
	}
	fork := at(fsm.SessionStart)
	fork.Source = "fork"
	for name, c := range map[string]struct {
		n    fsm.Need
		s    fsm.Session
		e    fsm.Event
		want bool
	}{
		"a new session is judged again":           {fsm.NeedJudged, fsm.Session{}, at(fsm.SessionStart), true},
		"but where it was under way":              {fsm.NeedJudged, fsm.Session{}, at(fsm.Prompt), false},
		"and where the policy is the same":        {fsm.NeedJudged, s, at(fsm.SessionStart), false},
		"under another policy":                    {fsm.NeedJudged, another, at(fsm.Prompt), true},
		"a fork that begins":                      {fsm.NeedParent, fsm.Session{}, fork, true},
		"a fork that is known":                    {fsm.NeedParent, s, fork, false},
		"checks, where they are only recorded":    {fsm.NeedChecks, s, leveled("observe"), false},
		"checks, where the agent is told of them": {fsm.NeedChecks, s, leveled("guidance"), true},
		"checks of a turn while an agent runs":    {fsm.NeedChecks, s, stop("a"), false},
		"checks of a turn whose agent has died":   {fsm.NeedChecks, s, stop(), true},
	} {
		if got := p.IsNeeded(c.n, c.s, c.e); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	p = agreed()
	ask := func(agent string) bool {
		return p.IsNeeded(fsm.NeedAgents, fsm.Session{}, fsm.Event{Kind: fsm.ToolRequest, Session: "s1",
			Tool: agentTool(agent, "1")})
	}
	if p.States[0].Triggers = p.States[0].Triggers[:1]; ask("helper") || !ask("dev") {
		t.Errorf("a session that was not seen to start: helper is refused %v, dev %v", ask("helper"), ask("dev"))
	}
}
