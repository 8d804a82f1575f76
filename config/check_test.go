package config

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
)

var update = flag.Bool("update", false, "write the .out files again")

// each runs a test on every config of a folder of testdata.
func each(t *testing.T, dir string, test func(*testing.T, string)) {
	files := system.Glob(system.Join("testdata", dir), "*.*ml")
	if len(files) == 0 {
		t.Fatal("no files")
	}
	for _, f := range files {
		abs, err := filepath.Abs(f)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(f), func(t *testing.T) { test(t, system.Clean(abs)) }) // with slashes
	}
}

// listProblems lists all that is wrong in a project's config.
func listProblems(p Project, w World) ([]Problem, error) {
	d, err := Read(p, w)
	return d.Problems, err
}

func alone(file string) Project {
	dir := system.Dir(file)
	return Project{Root: dir, Owner: dir, Files: []string{file}}
}

// TestHoldAlone: whatever of a hold is written, without what it waits for it holds no turn.
func TestHoldAlone(t *testing.T) {
	for _, written := range []string{"states: [A]", "skills: [x]", "tries: 2", "say: wait"} {
		file := t.TempDir() + "/pipeline.yaml"
		write(t, file, "version: 1\ninitial: A\nstates: {A: {agents: [x]}}\nhold: {"+written+"}\n")
		problems, err := listProblems(alone(file), World{})
		if err != nil || len(problems) != 1 || !strings.Contains(problems[0].Message, "`hold` without `until`") {
			t.Errorf("%s: %v %v", written, problems, err)
		}
	}
}

// Each mistake gives a problem that a person can read, at the right line and column.
func TestProblems(t *testing.T) {
	each(t, "err", func(t *testing.T, file string) {
		problems, err := listProblems(alone(file), World{})
		if err != nil {
			t.Fatal(err)
		}
		if len(problems) == 0 {
			t.Error("no problems")
		}
		var got bytes.Buffer
		if err := PrintProblems(&got, problems, system.Dir(file)); err != nil {
			t.Fatal(err)
		}
		golden(t, strings.TrimSuffix(file, filepath.Ext(file))+".out", got.Bytes())
	})
}

func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// compiled is the policy of a file that has no problems.
func compiled(t *testing.T, file string) *fsm.Policy {
	t.Helper()
	policy, problems, err := buildPolicy(alone(file), World{})
	if err != nil || len(problems) > 0 {
		t.Fatalf("%v %v", problems, err)
	}
	return policy
}

// asWritten ignores where things are written.
func asWritten() cmp.Option {
	return cmp.FilterPath(func(p cmp.Path) bool {
		return slices.Contains([]string{".Place", ".Fingerprint"}, p.Last().String())
	}, cmp.Ignore())
}

func TestYAMLAndTOMLSayTheSame(t *testing.T) {
	twins := system.Glob("testdata/ok", "*.toml")
	if len(twins) < 3 {
		t.Fatal(twins)
	}
	for _, twin := range twins {
		yaml, toml := strings.TrimSuffix(twin, ".toml")+".yaml", twin
		if diff := cmp.Diff(compiled(t, yaml), compiled(t, toml), asWritten()); diff != "" {
			t.Errorf("%s: -yaml +toml\n%s", twin, diff)
		}
	}
}

// What Print writes is the same config again.
func TestPrintedConfigIsTheConfig(t *testing.T) {
	round := func(t *testing.T, file string) {
		c, o, problems, err := Load(alone(file), World{})
		if err != nil || len(problems) > 0 {
			t.Fatal(problems, err)
		}
		var b bytes.Buffer
		if err := Print(&b, c, o); err != nil {
			t.Fatal(err)
		}
		again := system.Join(t.TempDir(), "again.yaml")
		write(t, again, b.String())
		c2, _, problems, err := Load(alone(again), World{})
		if err != nil || len(problems) > 0 {
			t.Fatalf("%v %v\n%s", problems, err, &b)
		}
		if diff := cmp.Diff(c, c2, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("-first +again\n%s\n%s", diff, &b)
		}
		if _, problems, err := buildPolicy(alone(again), World{}); err != nil || len(problems) > 0 {
			t.Errorf("%v %v\n%s", problems, err, &b)
		}
	}
	each(t, "ok", round)
	for _, f := range []string{"pipeline.yaml", "minimal.yaml", "presets/orchestrating.yaml"} {
		t.Run(f, func(t *testing.T) { round(t, system.Join("../configs", f)) })
	}
}

func write(t testing.TB, file, text string) {
	t.Helper()
	if err := os.MkdirAll(system.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func buildPolicy(p Project, w World) (*fsm.Policy, []Problem, error) {
	d, err := Read(p, w)
	return d.Policy, d.Problems, err
}

// TestRegexpForAGlob: what only a regular expression has is found in a glob, and nothing else.
func TestRegexpForAGlob(t *testing.T) {
	for glob, want := range map[string]bool{
		"a.+b": true, ".*foo.*": true, "^a": true, "a$": true, "a|b": true, `\d`: true,
		"$": false, ".*": false, ".*.*": false, ".*foo": false, "foo.*": false, "a^": false, "$a": false, "": false,
	} {
		if got := isRegexp(glob); got != want {
			t.Errorf("%q: %v", glob, got)
		}
	}
}

// TestMissingKeyHasAPlace: a key that is missing is missed in the last file that is not a person's own.
func TestMissingKeyHasAPlace(t *testing.T) {
	dir := system.Clean(t.TempDir())
	for _, c := range []struct {
		files []string
		want  string
	}{
		{[]string{"a.yaml", "b.yaml"}, "b.yaml"}, {[]string{"a.yaml", "a.local.yaml"}, "a.yaml"},
		{[]string{"a.local.yaml"}, "a.local.yaml"}, {[]string{"a.local.yaml", "b.local.yaml"}, "a.local.yaml"},
		{[]string{"a.local.yaml", "b.yaml"}, "b.yaml"},
	} {
		p := Project{Root: dir, Owner: dir}
		for _, name := range c.files {
			write(t, system.Join(dir, name), "level: ask\n")
			p.Files = append(p.Files, system.Join(dir, name))
		}
		problems, err := listProblems(p, World{})
		if err != nil || len(problems) != 1 || problems[0].File != system.Join(dir, c.want) {
			t.Errorf("%v: %v %v", c.files, problems, err)
		}
	}
}

// TestRepeatedMistake: a name that is wrong in several lines is one problem with these lines, each named once.
func TestRepeatedMistake(t *testing.T) {
	const missing = `3 found "@none", expected an existing group`
	for text, want := range map[string]string{
		"    agents: ['@none', '@none']\n":                                           missing,
		"    agents: ['@none']\n    helpers: ['@none', '@none']\n":                   missing + " (also in line 4)",
		"    agents: ['@none']\n    on_complete: A\n    helpers:\n      ['@none']\n": missing + " (also in line 6)",
	} {
		got := problemsOf(t, "states:\n  A:\n"+text+"version: 1\ninitial: A\n")
		if !strings.HasPrefix(got, missing) {
			t.Fatalf("%s: %s", text, got)
		}
		if first, _, _ := strings.Cut(got, "\n"); first != want {
			t.Errorf("%s: %s, expected %s", text, got, want)
		}
	}
}

// TestLongestTemplate: a text may be as long as a file.
func TestLongestTemplate(t *testing.T) {
	for more, want := range map[string]string{"": "", "x": "found an invalid template: the text is too long"} {
		half := fmt.Sprintf(`{{ printf "%%%ds" "" }}`, maxSource/2)
		mistaken(t, "version: 1\nsession_start: {inject: '"+half+half+more+"'}\n", want)
	}
}
