package fsm_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-pipeline/pipeline/fsm"
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
	for _, n := range fsm.AllNeeds() {
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
		for _, n := range fsm.AllNeeds() {
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
			needed := p.Needs(s, e)
			for _, n := range needed {
				seen[n]++
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
