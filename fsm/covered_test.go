package fsm_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/shell"
)

func rule(tools string, more ...func(*fsm.Rule)) fsm.Rule {
	r := fsm.Rule{Tools: strings.Fields(tools)}
	for _, m := range more {
		m(&r)
	}
	return r
}

func runs(patterns ...string) func(*fsm.Rule) {
	return func(r *fsm.Rule) {
		for _, p := range patterns {
			r.Commands = append(r.Commands, strings.Fields(p))
		}
	}
}

func shows(r *fsm.Rule) { r.Changes = new(bool) }

func denies(r *fsm.Rule) { r.Verdict = fsm.Deny }

// TestEveryConditionCounts sets each field of a rule that is not said to be no condition: a rule with it does not fit
// every call, so it is not unconditional, and covers no rule without it.
func TestEveryConditionCounts(t *testing.T) {
	no := strings.Fields("Name Place Verdict Else Tools Budget Budgeted ResetOn DelegateTo Reason Type Example " +
		"Describe Level Levelled")
	samples := map[reflect.Type]any{reflect.TypeFor[int](): 1, reflect.TypeFor[*bool](): new(bool),
		reflect.TypeFor[[]string](): []string{"x"}, reflect.TypeFor[[][]string](): [][]string{{"x"}},
		reflect.TypeFor[[]fsm.Input](): []fsm.Input{{Name: "X", Value: "x"}}}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[fsm.Rule]()) {
		if slices.Contains(no, f.Name) {
			continue
		}
		sample, ok := samples[f.Type]
		if !ok {
			t.Errorf("%s: no sample of its type, or it is no condition", f.Name)
			continue
		}
		r := rule("Bash")
		reflect.ValueOf(&r).Elem().FieldByIndex(f.Index).Set(reflect.ValueOf(sample))
		if r.IsUnconditional() {
			t.Errorf("%s: Rule.IsUnconditional does not ask for it", f.Name)
		}
		rules := fsm.Rules{List: []fsm.Rule{r, rule("Bash")}}
		if rules.Covered(1, []string{"x", "y"}) != nil {
			t.Errorf("%s: Rule.covers does not ask for it", f.Name)
		}
	}
}

func TestCovered(t *testing.T) {
	in := func(paths ...string) func(*fsm.Rule) { return func(r *fsm.Rule) { r.Paths = paths } }
	by := func(agents ...string) func(*fsm.Rule) { return func(r *fsm.Rule) { r.Agents = agents } }
	admitted := func(states ...string) func(*fsm.Rule) { return func(r *fsm.Rule) { r.AdmittedIn = states } }
	when := func(states ...string) func(*fsm.Rule) { return func(r *fsm.Rule) { r.States = states } }
	with := func(in ...fsm.Input) func(*fsm.Rule) { return func(r *fsm.Rule) { r.Env = in } }
	level := func(l fsm.Level) func(*fsm.Rule) { return func(r *fsm.Rule) { r.Level, r.Levelled = l, true } }
	ci, x := fsm.Input{Name: "CI", Value: "1"}, fsm.Input{Name: "X", Value: "*"}
	for _, c := range []struct {
		why  string
		a, b fsm.Rule
		want bool
	}{
		{"the same", rule("Read"), rule("Read"), true},
		{"fewer", rule("Read Write"), rule("Write"), true},
		{"more", rule("Read"), rule("Read Write"), false},
		{"a glob", rule("mcp__*"), rule("mcp__a mcp__b*"), true},
		{"a narrower glob", rule("mcp__a*"), rule("mcp__*"), false},
		{"a class", rule("[RW]*"), rule("Read"), true},
		{"a class on a glob", rule("[RW]*"), rule("R*"), false},
		{"a name, then its glob", rule("mcp__a"), rule("mcp__a*"), false},
		{"a glob, then one with a slash", rule("a*"), rule("a/*"), false},
		{"a file, then one below", rule("Read", in("/p/a")), rule("Read", in("/p/a/b")), false},
		{"the same words", rule("Bash", runs("git push")), rule("Bash", runs("git push")), true},
		{"an exception first", rule("Read", in("/p/a")), rule("Read"), false},
		{"an exception later", rule("Read"), rule("Read", in("/p/a")), true},
		{"below", rule("Read", in("/p/**")), rule("Read", in("/p/a/*", "/p/**")), true},
		{"beside", rule("Read", in("/p/**")), rule("Read", in("/p/a/*", "/px")), false},
		{"what changes nothing", rule("Bash Read", shows), rule("Bash"), false},
		{"what changes nothing, twice", rule("Bash Read", shows), rule("Bash", shows), true},
		{"what changes nothing, on what reads", rule("Bash Read", shows), rule("Read"), true},
		{"everything", rule("Bash"), rule("Bash", shows), true},
		{"words", rule("Bash", runs("git")), rule("Bash", runs("git push")), true},
		{"fewer words", rule("Bash", runs("git push")), rule("Bash", runs("git")), false},
		{"a script", rule("Bash", runs("npm run")), rule("Bash", runs("npm run test")), false},
		{"unknown", rule("Bash", runs("?")), rule("Bash", runs("? x")), false},
		{"builds", rule("Bash", runs("@builds")), rule("Bash", runs("@builds")), true},
		{"builds, and a tool", rule("Bash", runs("@builds")), rule("Bash", runs("make")), false},
		{"a tool, and builds", rule("Bash", runs("make")), rule("Bash", runs("@builds")), false},
		{"builds denied, and tests", rule("Bash", runs("@builds"), denies), rule("Bash", runs("@tests")), true},
		{"builds allowed, and tests", rule("Bash", runs("@builds")), rule("Bash", runs("@tests")), false},
		{"builds allowed, then denied", rule("Bash", runs("@builds")), rule("Bash", runs("@builds"), denies), false},
		{"tests allowed, then denied", rule("Bash", runs("@tests")), rule("Bash", runs("@tests"), denies), true},
		{"unknown twice", rule("Bash", runs("?")), rule("Bash", runs("?")), true},
		{"states", rule("Read", when("A", "B")), rule("Read", when("B")), true},
		{"other states", rule("Read", when("A")), rule("Read", when("A", "B")), false},
		{"admitted in fewer states", rule("Read", admitted("A", "B")), rule("Read", admitted("B")), true},
		{"admitted in another state", rule("Read", admitted("A")), rule("Read", admitted("B")), false},
		{"an agent as it may be written", rule("Read", by("c-developer")), rule("Read", by("C_Developer")), true},
		{"an agent of a plugin", rule("Read", by("x:dev")), rule("Read", by("dev")), false},
		{"any agent", rule("Read", by("*")), rule("Read", by("c-*")), true},
		{"a glob of agents", rule("Read", by("c-*")), rule("Read", by("c-developer")), false},
		{"an agent, then a glob", rule("Read", by("c-developer")), rule("Read", by("c-*")), false},
		{"an agent, then a longer glob", rule("Read", by("dev")), rule("Read", by("*:dev")), false},
		{"a variable", rule("Read", with(ci)), rule("Read", with(ci, x)), true},
		{"another variable", rule("Read", with(ci, x)), rule("Read", with(ci)), false},
		{"a budget", rule("Read", func(r *fsm.Rule) { r.Budgeted = true }), rule("Read"), false},
		{"within", rule("Read", func(r *fsm.Rule) { r.Within = 1 }), rule("Read"), false},
		{"a level", rule("Read", level(fsm.Guidance)), rule("Read"), true},
		{"no level", rule("Read", level(fsm.Off)), rule("Read"), false},

		{"allowed bare, denied in wrappers", rule("Bash", runs("git push")), rule("Bash", runs("git push"), denies),
			false},
		{"allowed, and a longer command denied", rule("Bash", runs("uv")), rule("Bash", runs("uv run"), denies), false},
		{"allowed bare, denied as a script", rule("Bash", runs("bash")), rule("Bash", runs("bash deploy.sh"), denies),
			false},
		{"denied, and a longer command allowed", rule("Bash", runs("git"), denies), rule("Bash", runs("git push")),
			true},
		{"denied twice", rule("Bash", runs("git"), denies), rule("Bash", runs("git push"), denies), true},
		{"unknown code allowed, then denied", rule("Bash", runs("?")), rule("Bash", runs("?"), denies), true},
		{"the whole tool allowed", rule("Bash"), rule("Bash", runs("git"), denies), true},
		{"an older name", rule("TodoWrite"), rule("TaskUpdate"), true},
		{"an older name with more meanings", rule("TaskUpdate"), rule("TodoWrite"), false},
		{"a rule that is switched off", rule("Read"), rule("Read", level(fsm.Off)), false},
	} {
		rules := fsm.Rules{List: []fsm.Rule{c.a, c.b}}
		if got := rules.Covered(1, []string{"A", "B"}); (len(got) > 0) != c.want {
			t.Errorf("%s: %v", c.why, got)
		}
	}
}

// TestCoveredByTwo: each tool and state may have an earlier rule of its own.
func TestCoveredByTwo(t *testing.T) {
	rules := fsm.Rules{List: []fsm.Rule{rule("Read"), {Tools: []string{"Write"}, States: []string{"A"}},
		{Tools: []string{"Write"}, States: []string{"B"}}, rule("Read Write")}}
	if got := rules.Covered(3, []string{"A", "B"}); !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("covered by %v", got)
	}
	if got := rules.Covered(3, []string{"A", "B", "C"}); got != nil {
		t.Errorf("covered by %v, and C is open", got)
	}
}

// TestCoveredRulesNeverDecide: of many random policies and calls, none is decided by a
// rule that is called dead.
func TestCoveredRulesNeverDecide(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 10))
	dead, states := 0, []string{"A", "B"}
	for range 3000 {
		p := fsm.Policy{Level: fsm.Strict, Initial: "A", States: []fsm.State{{Name: "A"}, {Name: "B"}}}
		for i := range 2 + r.IntN(4) {
			p.Main.List = append(p.Main.List, drawRule(r, fmt.Sprint("r", i)))
		}
		by := map[string][]int{}
		for i, rule := range p.Main.List {
			if by[rule.Name] = p.Main.Covered(i, states); by[rule.Name] != nil {
				dead++
			}
		}
		for range 60 {
			s := fsm.Session{ID: "s", Machine: fsm.Machine{State: pick(r, states...), Visit: 1}}
			part := drawPart(r)
			_, d := p.Step(s, fsm.Event{Kind: fsm.ToolRequest, Session: "s", Tool: fsm.Tool{Name: part.Tool, UseID: "1",
				Parts: []fsm.Part{part}}, Facts: fsm.Facts{Env: map[string]string{"CI": pick(r, "1", "2")}}})
			if name := d.Parts[0].Rule; by[name] != nil {
				t.Fatalf("%s is called dead because of %v, and decides %+v:\n%+v", name, by[name], part, p.Main.List)
			}
		}
	}
	if dead < 300 {
		t.Errorf("only %d rules are dead", dead)
	}
}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

func drawRule(r *rand.Rand, name string) fsm.Rule {
	out := fsm.Rule{Name: name, Verdict: pick(r, fsm.Pass, fsm.Pass, fsm.Warn, fsm.Deny)}
	for range 1 + r.IntN(2) {
		out.Tools = append(out.Tools, pick(r, "Bash", "Bash", "Read", "Write", "TodoWrite", "TaskCreate", "Task*",
			"mcp__*", "mcp__a*", "*"))
	}
	switch r.IntN(4) {
	case 0:
		out.Paths = []string{pick(r, "/p/**", "/p/a/**", "/p/a/*.go", "**")}
	case 1, 2:
		for range 1 + r.IntN(2) {
			out.Commands = append(out.Commands, strings.Fields(pick(r, "git", "git push", "git push -f", "uv",
				"uv run", "npm run", "npm run test",
				"bash", "bash deploy.sh", "sudo", "make x", "?", "@builds", "@tests")))
		}
	}
	if r.IntN(4) == 0 {
		out.States = []string{pick(r, "A", "B")}
	}
	if r.IntN(5) == 0 {
		out.Env = []fsm.Input{{Name: "CI", Value: pick(r, "*", "1")}}
	}
	if r.IntN(6) == 0 {
		out.UnlessEnv = []fsm.Input{{Name: "CI", Value: "2"}}
	}
	if r.IntN(8) == 0 {
		out.Level, out.Levelled = fsm.Level(r.IntN(5)), true
	}
	if r.IntN(8) == 0 {
		out.Budgeted, out.Budget = true, r.IntN(2)
	}
	return out
}

func drawPart(r *rand.Rand) fsm.Part {
	if r.IntN(2) == 0 {
		return file(pick(r, "Read", "Write", "TodoWrite", "TaskCreate", "TaskList", "mcp__a", "mcp__b"),
			pick(r, "", "/p/a/x.go", "/p/a/b/c", "/p/y", "/q",
				shell.Unknown))
	}
	call := pick(r, shell.Parse(pick(r, "git push", "git -C x push -f", "sudo git push", "xargs git push", "uv run x",
		"sudo uv run", "npm test", "npm run test",
		"npm run build", "bash deploy.sh", "bash", "bash -c 'git push'", "make x y", "make -j4 y x", "make test",
		"mvn test", "./gradlew build",
		`eval "$X"`, "sudo"), shell.Options{})...)
	part := fsm.CommandPart(call)
	part.Shows = false
	return part
}
