package config

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
)

// governed compiles a project's config below an organisation's.
func governed(t *testing.T, org, project string, env map[string]string) (Opened, []string) {
	t.Helper()
	dir := system.Clean(t.TempDir())
	w := World{Dir: system.Join(dir, "project"), Home: system.Join(dir, "home"),
		StateHome: system.Join(dir, "state"),
		System:    system.Join(dir, "etc"), Getenv: func(k string) string { return env[k] }}
	for file, text := range map[string]string{system.Join(w.System, "pipeline.yaml"): org,
		system.Join(w.Dir, "pipeline.yaml"): project} {
		if err := os.MkdirAll(system.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if text == "" {
			continue
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o, err := Open(w)
	if err != nil {
		t.Fatal(err)
	}
	var locked []string
	draft, err := Read(o.Project, w)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range draft.Locked {
		locked = append(locked, strings.ReplaceAll(fmt.Sprintf("%s:%d: %s", n.File, n.Line, n.Message), dir, ""))
	}
	slices.Sort(locked)
	return o, locked
}

// TestCeiling: what the organisation locks holds, whatever a project or the environment says; its other keys are
// defaults.
func TestCeiling(t *testing.T) {
	const org = `version: 1
locked: [level, limits, orchestrator, states, initial, bypass, on_error]
level: ask
on_error: deny
initial: A
states: {A: {agents: [a], on_complete: A}}
limits: {running: 4, depth: 2}
orchestrator: {rules: [{name: no-push, deny: [Bash], commands: [git push]}]}
bypass: {env: {}, longest: 1h, allow: ["@sre", "INC-*"]}
talk: {per_prompt: 5000}
`
	const project = `version: 1
level: observe
on_error: allow
initial: B
states: {B: {agents: [b], on_complete: B}}
limits: {running: 9, depth: 1}
orchestrator: {rules: [{name: all, allow: ["*"]}]}
bypass: {env: {X: "1"}, longest: none}
talk: {per_prompt: 9000}
`
	o, locked := governed(t, org, project, map[string]string{"PIPELINE_LEVEL": "guidance",
		"PIPELINE_ON_ERROR": "allow"})
	p := o.Policy
	if p == nil {
		t.Fatalf("%+v", o)
	}
	if p.Level != fsm.AskFirst || !p.FailClosed || p.Initial != "A" || len(p.States) != 1 || p.States[0].Name != "A" {
		t.Errorf("level %s, fails closed %v, initial %s, states %+v", p.Level, p.FailClosed, p.Initial, p.States)
	}
	if p.Limits.Running != 4 || p.Limits.Depth != 1 || len(p.Bypass.Env) != 0 || p.Bypass.Longest.Hours() != 1 ||
		p.Talk.PerPrompt != 9000 {
		t.Errorf("%+v %+v %+v", p.Limits, p.Bypass, p.Talk)
	}
	c := p.Ceiling
	if c.Level != fsm.AskFirst || c.RuleLevel != fsm.AskFirst || len(c.Main.List) != 1 ||
		c.Main.List[0].Name != "locked/no-push" ||
		!strings.HasSuffix(c.Main.List[0].Place, "/etc/pipeline.yaml:8") || p.Main.List[0].Name != "all" ||
		len(c.Allow) != 2 {
		t.Errorf("%+v", c)
	}
	want := []string{
		"/project/pipeline.yaml:4: `initial` is locked by /etc/pipeline.yaml",
		"/project/pipeline.yaml:5: `states` is locked by /etc/pipeline.yaml",
		"/project/pipeline.yaml:6: `limits.running` is locked by /etc/pipeline.yaml",
		"/project/pipeline.yaml:8: `bypass` is locked by /etc/pipeline.yaml",
		"environment PIPELINE_LEVEL:0: `level` is locked by /etc/pipeline.yaml",
		"environment PIPELINE_ON_ERROR:0: `on_error` is locked by /etc/pipeline.yaml",
	}
	if got := slices.DeleteFunc(locked, func(s string) bool {
		return strings.Contains(s,
			":3: `on_error`")
	}); !slices.Equal(got, want) {
		t.Errorf("locked\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestCeilingIsDefault: without locks the organisation's config is a default, also where a project has none.
func TestCeilingIsDefault(t *testing.T) {
	o, locked := governed(t, "version: 1\nlevel: guidance\nlimits: {running: 4}\n", "version: 1\nlevel: observe\n", nil)
	if o.Policy.Level != fsm.Observe || o.Policy.Limits.Running != 4 || len(locked) > 0 ||
		o.Policy.Ceiling.Place != "" {
		t.Errorf("%+v %q", o.Policy, locked)
	}
	if o, _ := governed(t, "version: 1\nlevel: guidance\n", "", nil); o.None || o.Policy.Level != fsm.Guidance {
		t.Errorf("%+v", o)
	}
}

// TestInheritedRulesAreLocked: rules are the organisation's alone where no project has a word in them.
func TestInheritedRulesAreLocked(t *testing.T) {
	const org = "version: 1\nlocked: [orchestrator, limits]\nlimits: {running: 4, depth: 2}\n" +
		"orchestrator: {rules: [{name: no-push, deny: [Bash], commands: [git push], reason: No.}]}\n"
	for project, want := range map[string]bool{
		"": true, "version: 1\nlevel: strict\n": true,
		"version: 1\norchestrator: {default: {deny: true}}\n":                               false,
		"version: 1\norchestrator: {rules: [{name: no, deny: [Bash], reason: No.}]}\n":      false,
		"version: 1\ngroups: {x: [a]}\n":                                                    false,
		"version: 1\nsubagents: {rules: [{name: no, deny: [WebFetch], reason: No way.}]}\n": true,
	} {
		o, _ := governed(t, org, project, nil)
		if o.Policy == nil || o.Policy.Main.Locked != want || o.Policy.Subagents.Locked {
			t.Errorf("%q: %+v", project, o)
		}
	}
	o, _ := governed(t, "version: 1\nlocked: [subagents]\nsubagents: {default: {deny: true}}\n", "", nil)
	if !o.Policy.Subagents.Locked || o.Policy.Main.Locked {
		t.Errorf("a default alone: %+v", o.Policy)
	}
	for range 10 {
		_, locked := governed(t, org, "version: 1\nlimits: {running: 9, depth: 9}\n", nil)
		if len(locked) != 2 || !strings.Contains(locked[0], "depth") {
			t.Fatalf("%q", locked)
		}
	}
}

// TestCeilingOfABrokenProject: a project with mistakes is under the organisation's config alone.
func TestCeilingOfABrokenProject(t *testing.T) {
	o, _ := governed(t, "version: 1\nlocked: [level]\nlevel: ask\n", "version: 1\nlevel: nonsense\n", nil)
	if o.Policy == nil || o.Policy.Level != fsm.AskFirst || len(o.Problems) == 0 || !o.Stale {
		t.Errorf("%+v", o)
	}
}

// TestBrokenCeiling: while the organisation's config is broken too, the last good policy stays.
func TestBrokenCeiling(t *testing.T) {
	o, _ := governed(t, "version: 1\nlocked: [level]\nlevel: ask\n", "version: 1\nlevel: strict\n", nil)
	w := World{Dir: o.Project.Root, Home: system.Join(system.Dir(o.Project.Root), "home"),
		System:    system.Dir(o.Project.Org),
		StateHome: system.Join(system.Dir(o.Project.Root), "state")}
	overwrite(t, o.Project.Org, []byte("version: 1\nlocked: [levle]\n"))
	if now, err := Open(w); err != nil || now.Policy == nil || !now.Stale ||
		now.Policy.Fingerprint != o.Policy.Fingerprint {
		t.Errorf("%v: %+v", err, now)
	}
}

// TestBrokenCeilingFailsClosed: while the organisation's config has a mistake and nothing was in force before,
// neither the environment nor a project loosens what it locks for that case.
func TestBrokenCeilingFailsClosed(t *testing.T) {
	for name, mistake := range map[string]string{"a key": "levle: ask\n", "a value": "level: nonsense\n",
		"no YAML": "level: [\n", "a tab": "\tlevel: ask\n",
		"a rule": "orchestrator: {rules: [{name: x}]}\n", "a state": "initial: NONE\n"} {
		env := map[string]string{"PIPELINE_ON_ERROR": "allow"}
		o, _ := governed(t, "version: 1\nlocked: [on_error]\non_error: deny\n"+mistake, "version: 1\non_error: allow\n",
			env)
		c, _, problems, err := Load(o.Project, World{Home: "/home/x", Getenv: func(k string) string { return env[k] }})
		if o.Policy != nil || err != nil || c.OnError != "deny" {
			t.Errorf("%s: policy %v, on_error %q, %v %v", name, o.Policy != nil, c.OnError, problems, err)
		}
	}
}

// TestCeilingIsValidAlone: a project's file does not put right what the organisation wrote, so that its locks are lost.
func TestCeilingIsValidAlone(t *testing.T) {
	const states = "version: 1\ninitial: A\nstates: {A: {agents: [a], on_complete: A}}\n"
	const org = "version: 1\n%sorchestrator: {rules: [{name: no, deny: [Read], states: [A], reason: No.}]}\n"
	o, _ := governed(t, fmt.Sprintf(org, "locked: [orchestrator]\n"), states, nil)
	if o.Policy != nil || len(o.Problems) != 1 || filepath.Base(o.Problems[0].File) != "pipeline.yaml" ||
		o.Problems[0].File != o.Project.Org {
		t.Errorf("%+v", o)
	}
	o, _ = governed(t, fmt.Sprintf(org, "locked: [orchestrator]\n"), strings.ReplaceAll(states, "A", "B"), nil)
	if len(o.Problems) != 1 {
		t.Errorf("what is wrong there is said again beside other states: %+v", o.Problems)
	}
	if o, _ := governed(t, fmt.Sprintf(org, ""), states, nil); o.Policy == nil || len(o.Problems) > 0 {
		t.Errorf("a default that each project completes: %+v", o)
	}
}

// TestCeilingMistakes: only the organisation locks, and only what there is.
func TestCeilingMistakes(t *testing.T) {
	o, _ := governed(t, "version: 1\nlevel: ask\n", "version: 1\nlocked: [level]\n", nil)
	if len(o.Problems) != 1 || !strings.Contains(o.Problems[0].Message, "expected it in the organisation's config") {
		t.Errorf("%+v", o.Problems)
	}
	if o, _ = governed(t, "", "version: 1\nlocked: [level]\n", nil); len(o.Problems) != 1 {
		t.Errorf("without an organisation: %+v", o.Problems)
	}
	o, _ = governed(t, "version: 1\nlocked: [level]\n", "version: 1\nlocked: [talk]\n", nil)
	if len(o.Problems) != 1 || o.Problems[0].Line != 2 || !slices.Equal(o.Policy.Locked, []string{"level"}) {
		t.Errorf("beside locks of the organisation: %+v", o.Problems)
	}
	o, _ = governed(t, "version: 1\nlocked: [levle]\n", "version: 1\n", nil)
	if len(o.Problems) != 1 || !strings.Contains(o.Problems[0].Hint, "level") {
		t.Errorf("%+v", o.Problems)
	}
}

// TestCeilingForSubagents: locked rules for subagents, and a locked default, bind beside the project's.
func TestCeilingForSubagents(t *testing.T) {
	o, locked := governed(t, `version: 1
locked: [subagents]
subagents: {default: {deny: true}, rules: [{name: reads, allow: [Read]}]}
`, "version: 1\nsubagents: {default: {allow: true}}\n", nil)
	c := o.Policy.Ceiling
	if len(c.Subagents.List) != 1 || c.Subagents.List[0].Name != "locked/reads" ||
		c.Subagents.Default.Name != "locked/default" ||
		c.Subagents.Default.Verdict != fsm.Deny || len(c.Main.List) > 0 {
		t.Errorf("%+v", c)
	}
	if len(locked) > 0 {
		t.Errorf("%q", locked)
	}
	o, _ = governed(t, "version: 1\nlocked: [subagents]\nsubagents: {rules: [{name: reads, allow: [Read]}]}\n", "", nil)
	if name := o.Policy.Ceiling.Subagents.Default.Name; name != "locked/default" {
		t.Errorf("rules without a default: it is %q", name)
	}
}

// TestCeilingLimits: no limit is the weakest; a limit that the organisation does not have is the project's.
func TestCeilingLimits(t *testing.T) {
	for _, c := range []struct {
		org, project   string
		running, depth int
		locked         int
	}{
		{"{running: 4, depth: 2}", "{running: 0, depth: 0}", 4, 2, 2},
		{"{running: 4, depth: 2}", "{running: 4, depth: 2}", 4, 2, 0},
		{"{running: 4, depth: 2}", "{running: 5, depth: 1}", 4, 1, 1},
		{"{running: 0}", "{running: 3, depth: 7}", 3, 7, 0},
		{"{running: 4}", "{}", 4, 0, 0},
	} {
		o, locked := governed(t, "version: 1\nlocked: [limits]\nlimits: "+c.org+"\n",
			"version: 1\nlimits: "+c.project+"\n", nil)
		if o.Policy == nil {
			t.Fatalf("%s: %+v", c.project, o.Problems)
		}
		if l := o.Policy.Limits; l.Running != c.running || l.Depth != c.depth || len(locked) != c.locked {
			t.Errorf("%s below %s: %+v, %q", c.project, c.org, l, locked)
		}
	}
}

// TestCeilingIsSilent about a project that says nothing of what is locked, and about one that agrees.
func TestCeilingIsSilent(t *testing.T) {
	const org = "version: 1\nlocked: [level, on_error, talk]\nlevel: ask\non_error: deny\ntalk: {per_prompt: 5000}\n"
	for _, project := range []string{"version: 1\n", "version: 1\nlevel: strict\n", "version: 1\nlevel: ask\n"} {
		if o, locked := governed(t, org, project, nil); o.Policy == nil || len(locked) > 0 {
			t.Errorf("%q: %+v, %q", project, o.Problems, locked)
		}
	}
}

// TestUnlockable: neither the version nor the list itself is a section that can be locked.
func TestUnlockable(t *testing.T) {
	for _, key := range []string{"version", "locked"} {
		if o, _ := governed(t, "version: 1\nlocked: ["+key+"]\n", "version: 1\n", nil); len(o.Problems) != 1 {
			t.Errorf("%s: %+v", key, o.Problems)
		}
	}
}

// TestLocksHoldWhatTheyDependOn: a project does not get around a locked section by another one.
func TestLocksHoldWhatTheyDependOn(t *testing.T) {
	const org = "version: 1\nlocked: [limits, states, orchestrator]\ninitial: PLAN\ngroups: {planners: [Plan]}\n" +
		"limits: {running: 1}\ntools: {mcp__a__b: {writes: x}}\n" +
		"orchestrator: {rules: [{name: no, deny: [Read], paths: [infra/**, ~/.ssh/**]}]}\n" +
		"states: {PLAN: {agents: ['@planners'], on_complete: BUILD}, BUILD: {agents: [worker], on_complete: PLAN}}\n"
	plain, _ := governed(t, org, "version: 1\n", nil)
	for project, want := range map[string]string{
		"groups: {planners: [worker], own: [x]}": "groups.planners",
		"initial: BUILD":                         "initial",
		"caller: {env: {role: PATH}}":            "caller",
		"limits: {running_env: PATH}":            "limits.running_env",
		"tools: {mcp__a__b: {reads: x}}":         "",
		"groups: {own: [x]}":                     "",
		"fails: [x]":                             "fails",
	} {
		o, locked := governed(t, org, "version: 1\n"+project+"\n", map[string]string{"PIPELINE_INITIAL": "BUILD"})
		p, was := o.Policy, plain.Policy
		if p == nil {
			t.Fatalf("%s: %+v", project, o.Problems)
		}
		if !reflect.DeepEqual(p.States, was.States) || !slices.Equal(p.Fails, was.Fails) || p.Initial != "PLAN" ||
			p.Caller.RoleEnv != "" ||
			!reflect.DeepEqual(p.Limits, was.Limits) || len(p.ToolSets()) != 2 || p.ToolSets()[1][0].Writes == nil {
			t.Errorf("%s: %+v", project, p)
		}
		if text := strings.Join(locked, "\n"); !strings.Contains(text, "PIPELINE_INITIAL") ||
			want != "" && !strings.Contains(text, "pipeline.yaml:2: `"+want+"` is locked") || want == "" &&
			len(locked) > 1 {
			t.Errorf("%s:\n%s", project, text)
		}
	}
}

// TestLocksOfRulesAndTasks: a rule that names states binds by them, and a task graph binds a group's agents.
func TestLocksOfRulesAndTasks(t *testing.T) {
	const states = "initial: A\nstates: {A: {agents: [a], on_complete: A}}\n"
	rules := func(section, more string) string {
		return "version: 1\nlocked: [" + section + "]\n" + states + section + ": {rules: [{name: no, deny: [Read]" +
			more + "}]}\n"
	}
	const other = "initial: B\nstates: {B: {agents: [b], on_complete: B}}\n" +
		"orchestrator: {rules: [{name: x, allow: [Read]}]}\n" +
		"subagents: {rules: [{name: x, allow: [Read]}]}\n"
	for _, c := range []struct {
		org, project, locked string
		initial              string
	}{
		{rules("orchestrator", ", states: [A]"), other, "`states` is locked", "A"},
		{rules("subagents", ", states: [A]"), other, "`states` is locked", "A"},
		{rules("orchestrator", ", budget: 2, reset_on: [state]"), other, "`states` is locked", "A"},
		{rules("orchestrator", ""), other, "", "B"},
		{"version: 1\nlocked: [tasks]\ngroups: {devs: [a]}\ntasks: {graph: p.json, agents: ['@devs']}\n",
			"groups: {devs: [x]}\n",
			"`groups.devs` is locked", ""},
		{"version: 1\nlocked: [tasks]\ntasks: {graph: p.json}\n", "fails: [x]\n", "`fails` is locked", ""},
	} {
		o, locked := governed(t, c.org, "version: 1\n"+c.project, nil)
		text := strings.Join(locked, "\n")
		if o.Policy == nil || o.Stale || o.Policy.Initial != c.initial || !strings.Contains(text, c.locked) ||
			c.locked == "" && text != "" {
			t.Errorf("%s under %s: %+v\n%s", c.project, c.org, o, text)
		}
		if len(o.Policy.Tasks.Agents) > 0 && !slices.Equal(o.Policy.Tasks.Agents, []string{"a"}) {
			t.Errorf("the task graph is for %q", o.Policy.Tasks.Agents)
		}
	}
}

// TestCeilingUnderABrokenEnvironment: what a variable says wrongly leaves the organisation's config in force.
func TestCeilingUnderABrokenEnvironment(t *testing.T) {
	const org = "version: 1\nlocked: [level]\nlevel: ask\n"
	for name, value := range map[string]string{"PIPELINE_INITIAL": "NONE", "PIPELINE_ON_ERROR": "maybe",
		"PIPELINE_DIR":    ".",
		"PIPELINE_CONFIG": "none.yaml"} {
		o, _ := governed(t, org, "version: 1\n", map[string]string{name: value})
		if o.Policy == nil || o.Policy.Level != fsm.AskFirst || len(o.Problems) == 0 || !o.Stale {
			t.Errorf("%s=%s: %+v", name, value, o)
		}
	}
	o, locked := governed(t, org, "version: 1\n", map[string]string{"PIPELINE_LEVEL": "none"})
	if o.Policy == nil || o.Policy.Level != fsm.AskFirst || len(o.Problems) == 0 {
		t.Errorf("%+v %q", o, locked)
	}
}

// TestLockedPaths: a config further down, and another $HOME, move no path of a locked rule.
func TestLockedPaths(t *testing.T) {
	dir := resolveLinks(system.Clean(t.TempDir()))
	for file, text := range map[string]string{
		"etc/pipeline.yaml": "version: 1\nlocked: [orchestrator]\n" +
			"orchestrator: {rules: [{name: no, deny: [Read], paths: [infra/**, ~/.ssh/**]}]}\n",
		"p/.git/HEAD": "", "p/infra/pipeline.yaml": "version: 1\n", "me/x": "",
	} {
		if err := os.MkdirAll(system.Dir(system.Join(dir, file)), 0o700); err != nil {
			t.Fatal(err)
		}
		overwrite(t, system.Join(dir, file), []byte(text))
	}
	o, err := Open(World{Dir: dir + "/p/infra", Home: dir + "/home", System: dir + "/etc", StateHome: dir + "/state",
		Account: func() string { return dir + "/me" }})
	if err != nil || o.Policy == nil {
		t.Fatal(err, o.Problems)
	}
	want := []string{dir + "/p/infra/**", dir + "/home/.ssh/**", dir + "/me/.ssh/**"}
	if got := o.Policy.Ceiling.Main.List[0].Paths; !slices.Equal(got, want) {
		t.Errorf("%q, expected %q", got, want)
	}
}

// TestCeilingHoldsWithoutAProject: where the project's config cannot even be looked for, the organisation's is in
// force.
func TestCeilingHoldsWithoutAProject(t *testing.T) {
	o, _ := governed(t, "version: 1\nlocked: [level]\nlevel: ask\n", "version: 1\n", nil)
	w := World{Home: "/h", System: system.Dir(o.Project.Org), StateHome: t.TempDir()}
	for _, dir := range []string{"", "relative", system.Join(o.Project.Root, "none"),
		"/" + strings.Repeat("x", 300)} {
		w.Dir = dir
		if now, err := Open(w); err == nil || now.Policy == nil || now.Policy.Level != fsm.AskFirst ||
			now.Project.Home == "" {
			t.Errorf("%q: %v %+v", dir, err, now)
		}
	}
	w.Dir, w.ConfigHome = o.Project.Root, "/"+strings.Repeat("x", 300)
	isError := runtime.GOOS != "windows" // where a file with such a name is missing
	if now, err := Open(w); isError && err == nil || now.Policy == nil || now.Policy.Level != fsm.AskFirst {
		t.Errorf("%v %+v", err, now)
	}
	if now, err := OpenPinned(Project{Root: "/none", Owner: "/none", Home: t.TempDir()}, w); now.Policy == nil {
		t.Errorf("a session whose project is gone: %v %+v", err, now)
	}
}

// TestEveryLimitIsLocked: a limit that is added is held by the ceiling, and reaches the policy.
func TestEveryLimitIsLocked(t *testing.T) {
	for f := range reflect.TypeFor[Limits]().Fields() {
		if f.Type.Kind() != reflect.Int {
			continue // a variable
		}
		key := f.Tag.Get("koanf")
		text := "version: 1\n%slimits: {" + key + ": %d}\n"
		o, locked := governed(t, fmt.Sprintf(text, "locked: [limits]\n", 4), fmt.Sprintf(text, "", 9), nil)
		if o.Policy == nil || len(locked) != 1 {
			t.Fatalf("%s: %+v, %q", key, o.Problems, locked)
		}
		if got := reflect.ValueOf(o.Policy.Limits).FieldByName(f.Name).Int(); got != 4 {
			t.Errorf("%s: %d, expected the organisation's 4", key, got)
		}
	}
}

// TestOwnWorktreeIsLocked: a project adds to the agents that an organisation holds to worktrees, and takes none away.
func TestOwnWorktreeIsLocked(t *testing.T) {
	const text = "version: 1\n%slimits: {own_worktree: [%s]}\n"
	o, locked := governed(t, fmt.Sprintf(text, "locked: [limits]\n", "a, b"), fmt.Sprintf(text, "", "c, b"), nil)
	if o.Policy == nil || !slices.Equal(o.Policy.Limits.OwnWorktree, []string{"c", "b", "a"}) || len(locked) != 1 {
		t.Errorf("%+v, locked %q", o.Policy.Limits, locked)
	}
}

// TestEverySectionIsLocked: what an organisation locks is in force as it wrote it, whatever a project says. A
// section that somebody adds has no row here, and fails.
func TestEverySectionIsLocked(t *testing.T) {
	sections := map[string][2]string{ // the organisation's and the project's
		"on_error": {"deny", "allow"},
		"initial":  {"A", "B"},
		"states": {"{A: {agents: [a], on_complete: A}, B: {agents: [b], on_complete: A}}",
			"{A: {agents: [c], on_complete: A}}"},
		"groups":        {"{x: [a]}", "{x: [b]}"},
		"commands":      {"{'@remote': [a send]}", "{'@remote': [b send]}"},
		"agents":        {"{a: {returns: ^ok}}", "{a: {returns: .}}"},
		"confinement":   {"{writable: [~/a]}", "{writable: [~/b]}"},
		"tools":         {"{mcp__a__b: {writes: x}}", "{mcp__a__b: {reads: x}}"},
		"tasks":         {"{graph: a.json}", "{graph: b.json}"},
		"hold":          {"{until: [graph]}", "{until: [plan]}"},
		"checks":        {"[{name: a, files: ['*.go'], run: a}]", "[]"},
		"never":         {"[{agents: [a], commands: ['@remote']}]", "[]"},
		"session_start": {"{inject: a}", "{inject: b}"},
		"planning":      {"{words: [a], say: a}", "{words: [b], say: b}"},
		"remind":        {"{after_agent: a}", "{after_agent: b}"},
		"fails":         {"[a]", "[b]"},
		"caller":        {"{env: {name: A}}", "{env: {name: B}}"},
		"activate":      {"{skills: [a]}", "{skills: [b]}"},
		"bypass":        {"{longest: 1h}", "{longest: none}"},
		"talk":          {"{per_prompt: 1000}", "{per_prompt: 2000}"},
		"audit":         {"{input: full}", "{input: none}"},
		"readiness":     {"{days: 9}", "{days: 1}"},
		"dir":           {"~/a", "~/b"},
	}
	exempt := map[string]string{"version": "it says what language the file is in",
		"locked": "only the organisation writes it",
		"level":  "the stricter counts: TestCeiling", "limits": "the lower counts: TestEveryLimitIsLocked",
		"orchestrator": "judged beside the project's: TestCeiling", "subagents": "likewise: TestCeilingForSubagents"}
	for _, key := range keysOf(reflect.TypeFor[Config]()) {
		row, hasRow := sections[key]
		if hasRow == (exempt[key] != "") {
			t.Errorf("%s: it has a row %v, exempt %q; it must be one of them", key, hasRow, exempt[key])
		}
		if !hasRow {
			continue
		}
		base := "version: 1\n"
		if key == "initial" || key == "states" { // each needs the other
			other := map[string]string{"initial": "states", "states": "initial"}[key]
			base += other + ": " + sections[other][0] + "\n"
		}
		org := base + "locked: [" + key + "]\n" + key + ": " + row[0] + "\n"
		alone, _ := governed(t, org, base, nil)
		o, locked := governed(t, org, base+key+": "+row[1]+"\n", nil)
		if alone.Policy == nil || o.Policy == nil ||
			!strings.Contains(strings.Join(locked, "\n"), "`"+key+"` is locked") {
			t.Errorf("%s: %q, %v, %v", key, locked, alone.Problems, o.Problems)
			continue
		}
		got, want := valueOf(t, o, key), valueOf(t, alone, key)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, want %v", key, got, want)
		}
		if free, _ := governed(t, base, base+key+": "+row[1]+"\n", nil); reflect.DeepEqual(valueOf(t, free, key),
			want) {
			t.Errorf("%s: without the lock it is the same: this tests nothing", key)
		}
	}
}

// valueOf is what a section of an opened config says once all files are merged.
func valueOf(t *testing.T, o Opened, key string) any {
	t.Helper()
	c, _, problems, err := Load(o.Project, World{Home: system.Join(system.Dir(o.Project.Root), "home")})
	if err != nil || len(problems) > 0 {
		t.Fatalf("%s: %v %v", key, err, problems)
	}
	return reflect.ValueOf(*c).Field(slices.Index(keysOf(reflect.TypeFor[Config]()), key)).Interface()
}

// TestDescribeOpen: a level or rules that are locked, and nothing else, are a ceiling that no project switches off.
func TestDescribeOpen(t *testing.T) {
	locked := fsm.Policy{Ceiling: fsm.Ceiling{Level: fsm.Strict}}
	for name, c := range map[string]struct {
		policy *fsm.Policy
		isOpen bool
	}{"no config": {nil, true}, "nothing locked": {&fsm.Policy{}, true}, "the level": {&locked, false}} {
		what, next := DescribeOpen(c.policy)
		if isOpen := strings.Contains(what, "each project can write"); isOpen != c.isOpen || (next != "") != c.isOpen {
			t.Errorf("%s: %q, %q", name, what, next)
		}
	}
}

// TestLockedPlaces: what is locked is named at its own line, and always in the same order.
func TestLockedPlaces(t *testing.T) {
	const org = "version: 1\nlocked: [limits, tasks]\nlimits: {running: 4}\ntasks: {graph: p.json}\n" +
		"groups: {e: [x], c: [x], a: [x], d: [x], b: [x]}\n"
	const project = "version: 1\nlimits:\n  depth: 3\n  running: 9\n" +
		"groups:\n  a: [y]\n  b: [y]\n  c: [y]\n  d: [y]\n  e: [y]\n"
	for range 5 {
		o, _ := governed(t, org, project, nil)
		draft, err := Read(o.Project, World{Home: "/home/x"})
		var got []string
		for _, p := range draft.Locked {
			what, _, _ := strings.Cut(p.Message, " is locked")
			got = append(got, fmt.Sprint(p.Line, what))
		}
		want := []string{"6`groups.a`", "7`groups.b`", "8`groups.c`", "9`groups.d`", "10`groups.e`",
			"4`limits.running`"}
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("%q, expected %q (%v)", got, want, err)
		}
	}
}

// TestOneLockOfTwo: the environment has its say of what is not locked, also beside what is.
func TestOneLockOfTwo(t *testing.T) {
	o, locked := governed(t, "version: 1\nlocked: [on_error]\n", "version: 1\n",
		map[string]string{"PIPELINE_ON_ERROR": "deny", "PIPELINE_DIR": "~/state"})
	if o.Policy == nil || o.Policy.FailClosed || !strings.HasSuffix(o.Policy.Dir, "/home/state") || len(locked) != 1 {
		t.Errorf("%+v, locked %q", o, locked)
	}
}

// TestDeniesOnError: of an organisation's file that no parser reads, only what it says of errors counts. One that can
// be read counts as it is read.
func TestDeniesOnError(t *testing.T) {
	for text, want := range map[string]bool{
		"on_error: deny\n": true, "on_error = \"deny\"\n": true, "x\n  on_error:  'deny' # all\n": true,
		"on_error: allow\n": false, "level: deny\n": false, "on_error\n": false, "level: ask\n": false,
		"deny: on_error\n": false, "": false,
	} {
		if got := deniesOnError(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	for org, want := range map[string]string{"version: 1\nlevel: [\n": "allow",
		"version: 1\non_error: deny\nlevel: [\n": "deny", "version: 1\non_error: deny\n": "allow"} {
		o, _ := governed(t, org, "version: 1\non_error: allow\n", nil)
		if c, _, _, err := Load(o.Project, World{Home: "/home/x"}); err != nil || c.OnError != want {
			t.Errorf("%q: on_error %s, expected %s (%v)", org, c.OnError, want, err)
		}
	}
}

// TestIsIn: a value is below another one by whole keys.
func TestIsIn(t *testing.T) {
	for _, c := range []struct {
		value, other trail
		want         bool
	}{{to("groups", "a"), "groups", true}, {"groups", "groups", true}, {to("groups", "ab"), to("groups", "a"), false},
		{"groups", to("groups", "a"), false}, {"states", "groups", false}} {
		if got := c.value.isIn(c.other); got != c.want {
			t.Errorf("%s in %s: %v", c.value, c.other, got)
		}
	}
}
