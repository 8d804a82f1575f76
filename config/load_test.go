package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/agent-pipeline/pipeline/fsm"
)

func (p ground) load() (*Config, *Origins) {
	p.Helper()
	got, _ := p.find()
	c, o, problems, err := Load(got, p.World)
	if err != nil || len(problems) > 0 {
		p.Fatal(problems, err)
	}
	return c, o
}

func auditDefaults() Audit {
	return Audit{Input: "summary", MaxSize: "10MB", MaxAge: "90d", Keep: 50}
}

func bypassDefaults() Bypass {
	return Bypass{Env: map[string]string{"PIPELINE_BYPASS": "1"}, Longest: "2h"}
}

func talkDefaults() Talk {
	return Talk{PerPrompt: 40000, PerSession: 400000}
}

func readinessDefaults() Readiness {
	return Readiness{Days: 14, Calls: 50, Sessions: 5, Certain: 95, Errors: 1, Bypassed: 10, BypassedSessions: 25}
}

func TestDefaults(t *testing.T) {
	p := newGround(t)
	p.file("project/pipeline.yaml", "version: 1\n")
	c, o := p.load()
	want := &Config{Version: 1, Level: "strict", OnError: "allow", Fails: []string{"^API Error", "^(Error|BLOCKED):"},
		Audit: auditDefaults(), Readiness: readinessDefaults(), Bypass: bypassDefaults(), Talk: talkDefaults()}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Error(diff)
	}
	if by := o.Of("level"); by.String() != "default" {
		t.Errorf("level is from %q", by)
	}
}

// The states of two files never become one pipeline that is in neither. Everything else
// is overridden key by key.
func TestWholeSections(t *testing.T) {
	p := newGround(t)
	p.file("home/.config/pipeline/pipeline.yaml", `
version: 1
level: observe
on_error: deny
initial: X
states: {X: {agents: ["@mine"]}}
groups: {mine: [a], more: [b]}
caller: {env: {name: NAME}}
fails: [x, y, z]
`)
	p.file("project/pipeline.toml",
		"version = 1\nlevel = 'ask'\ninitial = 'Y'\nfails = ['w']\n[states.Y]\nagents = ['y']\n")
	p.file("project/pipeline.local.yaml", "level: guidance\ncaller: {env: {role: ROLE, orchestrators: [main]}}\n")
	c, o := p.load()
	want := &Config{Version: 1, Level: "guidance", OnError: "deny", Initial: "Y",
		States: map[string]State{"Y": {Agents: []string{"y"}}},
		Groups: map[string][]string{"mine": {"a"}, "more": {"b"}},
		Fails:  []string{"w"},
		Caller: Caller{Env: CallerEnv{RoleEnv: "ROLE", NameEnv: "NAME", Orchestrators: []string{"main"}}},
		Audit:  auditDefaults(), Readiness: readinessDefaults(), Bypass: bypassDefaults(), Talk: talkDefaults()}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Error(diff)
	}
	for at, want := range map[string]string{
		"level": "/project/pipeline.local.yaml:1", "on_error": "/home/.config/pipeline/pipeline.yaml:4",
		"states.Y": "/project/pipeline.toml:5", "states.X": "", "fails.0": "/project/pipeline.toml:4", "fails.1": "",
		"caller.env.name": "/home/.config/pipeline/pipeline.yaml:8",
		"caller.env.role": "/project/pipeline.local.yaml:2",
	} {
		if want != "" {
			want = p.root + want
		}
		if by := o.Of(strings.Split(at, ".")...); by.String() != want {
			t.Errorf("%s is from %q, want %q", at, by, want)
		}
	}
}

// A lower layer's states are gone even where a higher one has none left.
func TestSectionEmptied(t *testing.T) {
	p := newGround(t, "home/.config/pipeline/pipeline.yaml")
	p.file("project/pipeline.yaml", "version: 1\nstates: {}\n")
	if c, _ := p.load(); len(c.States) != 0 {
		t.Errorf("states %v", c.States)
	}
}

func TestEnvironmentIsTheLastLayer(t *testing.T) {
	p := newGround(t)
	p.file("project/pipeline.yaml", tiny+"  B: {agents: [x]}\nlevel: ask\n")
	p = p.with("PIPELINE_LEVEL", "off").with("PIPELINE_ON_ERROR", "deny").with("PIPELINE_INITIAL",
		"B").with("PIPELINE_DIR", "~/s").with("PIPELINE_VERSION", "2.17")
	c, o := p.load()
	if c.Level != "off" || c.OnError != "deny" || c.Initial != "B" || c.Dir != "~/s" || c.Version != 1 {
		t.Errorf("%+v", c)
	}
	if by := o.Of("level"); by.String() != "environment PIPELINE_LEVEL" {
		t.Errorf("level is from %q", by)
	}
	policy, problems := Compile(c, o)
	if len(problems) > 0 || policy.Level != fsm.Off || !policy.FailClosed || policy.Initial != "B" ||
		policy.Dir != p.path("home/s") {
		t.Errorf("%v %+v", problems, policy)
	}
}

func TestWrongEnvironment(t *testing.T) {
	p := newGround(t, "project/pipeline.yaml").with("PIPELINE_LEVEL", "strickt").with("PIPELINE_INITIAL", "Q")
	got, _ := p.find()
	problems, err := listProblems(got, p.World)
	var text []string
	for _, q := range problems {
		text = append(text, q.String())
	}
	want := []string{
		`environment PIPELINE_INITIAL: found "Q", expected an existing state; the states are A`,
		`environment PIPELINE_LEVEL: found "strickt", expected strict, ask, guidance, observe or off; did you mean strict?`,
	}
	if diff := cmp.Diff(want, text); diff != "" || err != nil {
		t.Error(err, diff)
	}
}

// Every text at the root can be overridden, and nothing else can.
func TestOverridesAreTheScalars(t *testing.T) {
	typ := reflect.TypeFor[Config]()
	for i, key := range keysOf(typ) {
		if want := typ.Field(i).Type.Kind() == reflect.String; slices.Contains(overridableKeys[:], key) != want {
			t.Errorf("%s: want an override: %v", key, want)
		}
	}
}

func TestFileThatCannotBeRead(t *testing.T) {
	p := newGround(t)
	p.Config = "missing.yaml"
	got, found := p.find()
	problems, err := listProblems(got, p.World)
	var missing *os.PathError
	if _, err := os.ReadFile(filepath.Join(t.TempDir(), "missing.yaml")); !errors.As(err, &missing) {
		t.Fatal(err)
	}
	if !found || err != nil || len(problems) != 1 ||
		!strings.HasSuffix(problems[0].String(), "missing.yaml: cannot be read: "+missing.Err.Error()) {
		t.Error(found, problems, err)
	}
	p.file("project/big.yaml", strings.Repeat("# much too much\n", maxSource/16+1))
	p.file("project/pipeline.json", "{}")
	for _, name := range []string{"big.yaml", "pipeline.json", "."} {
		p.Config = name
		got, _ := p.find()
		if problems, err := listProblems(got, p.World); len(problems) != 1 || err != nil {
			t.Error(name, problems, err)
		}
	}
}

// An alias in an alias in an alias … ends.
func TestAliasesThatGrow(t *testing.T) {
	var b strings.Builder
	b.WriteString("version: 1\nx0: &x0 [a, a, a, a, a, a, a, a, a]\n")
	for i := range 9 {
		n, m := string(rune('0'+i)), string(rune('1'+i))
		b.WriteString("x" + m + ": &x" + m + " [" + strings.Repeat("*x"+n+", ", 9) + "a]\n")
	}
	p := newGround(t)
	p.file("project/pipeline.yaml", b.String())
	got, _ := p.find()
	if problems, err := listProblems(got, p.World); len(problems) != 1 || err != nil {
		t.Error(problems, err)
	}
}

func TestPrintJSON(t *testing.T) {
	p := newGround(t, "project/pipeline.yaml")
	c, o := p.load()
	var b bytes.Buffer
	if err := PrintJSON(&b, c, o); err != nil || !json.Valid(b.Bytes()) ||
		!strings.Contains(b.String(), `"on_error": "allow"`) {
		t.Errorf("%v\n%s", err, &b)
	}
}

// FuzzLoad: whatever is in a file, there is a config or a problem with a place in the file, and never both wrong.
func FuzzLoad(f *testing.F) {
	f.Add([]byte(tiny), true)
	f.Add([]byte("version = 1\n[states.A]\nagents = ['x']\n"), false)
	f.Add([]byte("a: &a [*a]\n<<: {b: 1}\n? [x]\n: y\n"), true)
	f.Add([]byte("[[a]]\nb.c = {d = [1, {e = 2}]}\n[a.f]\n"), false)
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte, yaml bool) {
		file := dir + "/x.toml"
		if yaml {
			file = dir + "/x.yaml"
		}
		write(t, file, string(text))
		policy, problems, err := buildPolicy(alone(file), World{})
		if err != nil || (policy == nil) != (len(problems) > 0) {
			t.Fatalf("policy %v, problems %v, error %v", policy, problems, err)
		}
		for _, p := range problems {
			if lines := strings.Count(yamlBreaks(string(text)), "\n") + 1; p.Line > lines || p.Line > 0 && p.Col < 1 {
				t.Errorf("%s is not in the file", p)
			}
			_ = p.sourceExcerpt()
		}
	})
}

// A config that names its own variables keeps none that it does not name.
func TestBypassNamesReplaceTheDefault(t *testing.T) {
	for text, want := range map[string]map[string]string{
		"version: 1\nbypass: {longest: 1h}\n":           {"PIPELINE_BYPASS": "1"},
		"version: 1\nbypass: {env: {MINE: \"true\"}}\n": {"MINE": "true"},
		"version: 1\nbypass: {env: {}}\n":               {},
	} {
		p := newGround(t)
		p.file("project/pipeline.yaml", text)
		c, _ := p.load()
		if diff := cmp.Diff(want, c.Bypass.Env, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
}

// TestPrintZero: a zero that is written takes a bound away, and is printed.
func TestPrintZero(t *testing.T) {
	p := newGround(t)
	p.file("project/pipeline.yaml", "version: 1\ntalk: {per_prompt: 0}\n")
	c, o := p.load()
	var text, doc bytes.Buffer
	if err := errors.Join(Print(&text, c, o), PrintJSON(&doc, c, o)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "  per_prompt: 0 # pipeline.yaml:2") ||
		!strings.Contains(doc.String(), `"per_prompt": 0`) || strings.Contains(doc.String(), "running") {
		t.Errorf("%s\n%s", &text, &doc)
	}
}
