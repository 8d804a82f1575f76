package verify_test

import (
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/verify"
)

// fieldsOf lists the names of a struct's fields.
func fieldsOf[T any]() (names []string) {
	for f := range reflect.TypeFor[T]().Fields() {
		names = append(names, f.Name)
	}
	return names
}

// checkFields checks that each field of a struct is either compared or exempt, and only one of them.
func checkFields[T any](t *testing.T, compared []string, exempt map[string]string) {
	t.Helper()
	listed := slices.Sorted(slices.Values(slices.Concat(compared, slices.Collect(maps.Keys(exempt)))))
	if want := slices.Sorted(slices.Values(fieldsOf[T]())); !slices.Equal(listed, want) {
		t.Errorf("%v: compared or exempt are\n%q\nand its fields are\n%q", reflect.TypeFor[T](), listed, want)
	}
}

// checkCompared checks that Diff reports an edit of a policy, and its reverse as the reverse.
func checkCompared(t *testing.T, field string, old, changed *fsm.Policy) {
	t.Helper()
	if len(verify.Diff(old, changed)) == 0 || len(verify.Diff(changed, old)) == 0 {
		t.Errorf("%s: an edit of it is called no change", field)
	}
}

// TestEverySettingIsCompared: what a policy says counts in a comparison, or has a reason not to. A field
// that somebody adds is in neither list, and fails here.
func TestEverySettingIsCompared(t *testing.T) {
	edits := map[string]func(*fsm.Policy){
		"Level":      func(p *fsm.Policy) { p.Level = fsm.Guidance },
		"FailClosed": func(p *fsm.Policy) { p.FailClosed = true },
		"Initial":    func(p *fsm.Policy) { p.Initial = "WORK" },
		"States":     func(p *fsm.Policy) { p.States = pipeline("IDLE: a→IDLE").States },
		"Fails":      func(p *fsm.Policy) { p.Fails = []string{"^no"} },
		"Caller":     func(p *fsm.Policy) { p.Caller.RoleEnv = "ROLE" },
		"Main":       func(p *fsm.Policy) { ruled(p, fsm.Deny) },
		"Subagents":  func(p *fsm.Policy) { p.Subagents.Default.Verdict = fsm.Deny },
		"Agents":     func(p *fsm.Policy) { p.Agents = []fsm.AgentInfo{{Name: "a", Returns: "^ok"}} },
		"Tools":      func(p *fsm.Policy) { p.Tools = []fsm.ToolUse{{Tool: "mcp__x__y", Writes: []string{"path"}}} },
		"Limits":     func(p *fsm.Policy) { p.Limits.Running = 2 },
		"Tasks":      func(p *fsm.Policy) { p.Tasks.Graph = "tasks.yaml" },
		"Hold":       func(p *fsm.Policy) { p.Hold.Until = []string{"graph"} },
		"Checks":     func(p *fsm.Policy) { p.Checks = checked().Checks },
		"Activate":   func(p *fsm.Policy) { p.Activate.When = []string{"/p/go.mod"} },
		"Bypass":     func(p *fsm.Policy) { p.Bypass.Longest = time.Hour },
		"Locked":     func(p *fsm.Policy) { p.Locked = []string{"level"} },
	}
	const said, kept, named = "it is said to agents, and refuses nothing", "it is about what is kept", "it names things"
	checkFields[fsm.Policy](t, slices.Collect(maps.Keys(edits)), map[string]string{
		"Groups":      named + ": states, rules and tasks have their agents filled in",
		"Fingerprint": named,
		"Opening":     said, "Planning": said, "Remind": said, "Talk": said, "SelfCheck": said, "Scratch": said,
		"NeverDelegated": said,
		"Dir":            kept, "AuditInput": kept, "Keep": kept, "Readiness": "it is about reports",
		"Confinement": "what the kernel leaves writable is shown by `doctor`: a glob of one machine has no order",
		"Ceiling":     "it is the organisation's, which no edit of a project changes",
	})
	for field, edit := range edits {
		changed := pipeline(round...)
		edit(changed)
		checkCompared(t, field, pipeline(round...), changed)
	}
	limits := fieldsOf[fsm.Limits]()
	checkFields[fsm.Limits](t, limits, nil)
	for _, field := range limits {
		policies := [2]*fsm.Policy{pipeline(round...), pipeline(round...)}
		for i, p := range policies {
			switch f := reflect.ValueOf(&p.Limits).Elem().FieldByName(field); f.Kind() {
			case reflect.Int:
				f.SetInt(int64(1 + 6*i))
			case reflect.String:
				f.SetString([...]string{"", "VARIABLE"}[i])
			case reflect.Slice:
				f.Set(reflect.ValueOf([]string{"a", "b"}[i:]))
			default:
				t.Fatalf("limits.%s is of a kind that this test cannot change", field)
			}
		}
		checkCompared(t, "Limits."+field, policies[0], policies[1])
	}
}

// TestEveryRuleFieldIsCompared: likewise of a rule.
func TestEveryRuleFieldIsCompared(t *testing.T) {
	yes, cond := true, []fsm.Input{{Name: "X", Value: "1"}}
	rule := func(change func(*fsm.Rule)) fsm.Rule { return with(deny("no", "WebFetch"), change) }
	plain := rule(func(*fsm.Rule) {})
	shell := deny("no", "Bash")
	held := with(shell, func(r *fsm.Rule) { r.Verdict, r.Else = fsm.Confine, fsm.Ask })
	few := rule(func(r *fsm.Rule) { r.Budgeted, r.Budget = true, 2 })
	again := rule(func(r *fsm.Rule) { r.Within = 2 })
	skill := deny("no", "Skill")
	edits := map[string][2]fsm.Rule{
		"Verdict":    {plain, rule(func(r *fsm.Rule) { r.Verdict = fsm.Ask })},
		"Else":       {held, with(held, func(r *fsm.Rule) { r.Else = fsm.Deny })},
		"Tools":      {plain, deny("no", "WebSearch")},
		"Paths":      {filed("no", "/p/a/**"), filed("no", "/p/b/**")},
		"Commands":   {commands("no", "git"), commands("no", "make")},
		"Changes":    {shell, with(shell, func(r *fsm.Rule) { r.Changes = &yes })},
		"Inputs":     {plain, rule(func(r *fsm.Rule) { r.Inputs = cond })},
		"States":     {plain, rule(func(r *fsm.Rule) { r.States = []string{"WORK"} })},
		"Agents":     {plain, rule(func(r *fsm.Rule) { r.Agents = []string{"a"} })},
		"AdmittedIn": {plain, rule(func(r *fsm.Rule) { r.AdmittedIn = []string{"WORK"} })},
		"Starts":     {skill, with(skill, func(r *fsm.Rule) { r.Starts = []string{"a"} })},
		"Env":        {plain, rule(func(r *fsm.Rule) { r.Env = cond })},
		"UnlessEnv":  {plain, rule(func(r *fsm.Rule) { r.UnlessEnv = cond })},
		"Budget":     {few, with(few, func(r *fsm.Rule) { r.Budget = 9 })},
		"Budgeted":   {few, with(few, func(r *fsm.Rule) { r.Budgeted = false })},
		"ResetOn":    {few, with(few, func(r *fsm.Rule) { r.ResetOn = []string{"prompt"} })},
		"Within":     {again, with(again, func(r *fsm.Rule) { r.Within = 5 })},
		"Level":      {plain, rule(func(r *fsm.Rule) { r.Levelled, r.Level = true, fsm.Guidance })},
		"Levelled":   {plain, rule(func(r *fsm.Rule) { r.Levelled, r.Level = true, fsm.Off })},
	}
	const said = "it is said beside the answer"
	checkFields[fsm.Rule](t, slices.Collect(maps.Keys(edits)), map[string]string{"Name": said, "Place": said,
		"Reason": said, "Type": said, "Example": said, "Describe": said,
		"DelegateTo": said + ": which agent to start; no call is answered otherwise"})
	for field, rules := range edits {
		of := func(r fsm.Rule) *fsm.Policy {
			p := ruled(pipeline(round...), fsm.Pass, r)
			p.Subagents = p.Main
			return p
		}
		checkCompared(t, "Rule."+field, of(rules[0]), of(rules[1]))
	}
}
