package guard

import (
	"slices"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
)

// TestGroups: a name may have parentheses that are none of a group.
func TestGroups(t *testing.T) {
	for pattern, want := range map[string][]string{
		"a": {"a"}, "@(a|b)": {"a", "b"}, "x?(a)": {"x", "xa"}, "!(a|@(b|c))d": {"*d"}, "@(a|@(b|c))": {"a", "b", "c"},
		"x (1)/@(a|b)": {"x (1)/a", "x (1)/b"}, "(/@(a|b)": {"(/a", "(/b"}, ")@(a|b)": {")a", ")b"},
		"x@(/@(a|b)": {"x@(/a", "x@(/b"}, "@(a(1|2)|b)": {"*"}, "@(a": {"@(a"}, "(a|b)": {"(a|b)"},
	} {
		got, ok := expandGroups(pattern)
		if slices.Sort(got); !ok || !slices.Equal(slices.Compact(got), want) {
			t.Errorf("%s: %q, expected %q", pattern, got, want)
		}
	}
	if _, ok := expandGroups(strings.Repeat("@(a|b)", 13)); ok {
		t.Error("too many ways are known")
	}
}

// TestGroupBelowParentheses: a project's folder may have them.
func TestGroupBelowParentheses(t *testing.T) {
	g := ground(t, system.Join(t.TempDir(), "x (1)"))
	line := "rm '" + g.Root + "'/configs/@(pipeline|x).yaml"
	g.judged(t, fsm.Tool{Name: "Bash", Command: line}, "", "config")
}

// TestExpandGlob: what a pattern names on the disk, in all folders that it means.
func TestExpandGlob(t *testing.T) {
	dir, err := system.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a/y", "b/x", "c/x", "c/deep/x"} {
		write(t, dir+"/"+name, "")
	}
	for pattern, want := range map[string]string{"*/x": "b/x c/x", "[ab]/?": "a/y b/x", "*/deep/*": "c/deep/x",
		"*/no": "", "no/*": "", "[!ab]/x": "c/x", "[[:alpha:]]/y": "a/y", "[": "a b c"} {
		got := expandGlob(dir + "/" + pattern)
		names := strings.ReplaceAll(strings.Join(got.names, " "), dir+"/", "")
		if names != want || !got.whole || got.linked {
			t.Errorf("%s: %q, %+v", pattern, names, got)
		}
	}
	folder := t.TempDir() + "/folder"
	link(t, dir, folder)
	if got := expandGlob(folder + "/*/x"); got.linked {
		t.Errorf("in a folder that is a link: %+v", got)
	}
}

// TestPatternOfAFolder: a pattern that names a client's folder, and nothing in it, changes none of its settings.
func TestPatternOfAFolder(t *testing.T) {
	g := ground(t, t.TempDir())
	for line, want := range map[string]string{"touch .claud*": "", "touch .claud*/settings.json": "settings",
		"rm -r .claud*": "settings"} {
		g.judged(t, fsm.Tool{Name: "Bash", Command: line}, "", want)
	}
}
