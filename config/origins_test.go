package config

import (
	"os"
	"testing"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/agent-pipeline/pipeline/config/system"
)

func TestPathGlobs(t *testing.T) {
	o := &Origins{home: "/home/me", project: Project{Root: "/work/p[1]"}}
	for glob, want := range map[string]string{
		"plan*.json":        `/work/p\[1\]/**/plan*.json`,
		"docs/":             `/work/p\[1\]/**/docs/**`,
		"docs/*.md":         `/work/p\[1\]/docs/*.md`,
		"./main.go":         `/work/p\[1\]/main.go`,
		".claude/agents/**": `/work/p\[1\]/.claude/agents/**`,
		"src/a/":            `/work/p\[1\]/src/a/**`,
		"**":                `/work/p\[1\]/**`,
		"/etc/hosts":        "/etc/hosts",
		"/no/such/../x/":    "/no/x/**",
		"/":                 "/**",
		"~":                 "/home/me",
		"~/":                "/home/me/**",
		"~/.claude/x/**":    "/home/me/.claude/x/**",
	} {
		if got := o.absoluteGlob(glob); got != want {
			t.Errorf("path(%q) is %q, want %q", glob, got, want)
		}
	}
}

// What a glob is an exception for, and what only looks like it.
func TestPathGlobsMatch(t *testing.T) {
	o := &Origins{home: "/home/me", project: Project{Root: "/work/p"}}
	for _, c := range []struct {
		glob, path string
		want       bool
	}{
		{"plan*.json", "/work/p/plan.json", true},
		{"plan*.json", "/work/p/src/plan-2.json", true},
		{"plan*.json", "/work/p/src/explanation.json", false},
		{"plan*.json", "/work/x/plan.json", false},
		{"plan*.json", "/work/p2/plan.json", false},
		{"docs/*.md", "/work/p/docs/a.md", true},
		{"docs/*.md", "/work/p/x/docs/a.md", false},
		{"docs/", "/work/p/x/docs/y/a.md", true},
		{"docs/", "/work/p/docs", true},
		{"**", "/work/p/.git/config", true},
		{"**", "/work/p", true},
		{"**", "/work/px", false},
		{"~/.claude/plans/**", "/home/me/.claude/plans/a/b.md", true},
		{"~/.claude/plans/**", "/work/p/.claude/plans/a.md", false},
		{"/tmp/claude-*/**", "/tmp/claude-1000/p/tasks/x.output", true},
		{"/tmp/claude-*/**", "/tmp/other/claude-1/x", false},
	} {
		if ok, err := doublestar.Match(o.absoluteGlob(c.glob), c.path); ok != c.want || err != nil {
			t.Errorf("%s on %s: %v, %v", c.glob, c.path, ok, err)
		}
	}
}

// Nobody's home is nowhere, rather than the root.
func TestPathGlobsWithoutHome(t *testing.T) {
	o := &Origins{project: Project{Root: "/work/p"}}
	if ok, _ := doublestar.Match(o.absoluteGlob("~/.claude/**"), "/.claude/x"); ok || o.absoluteGlob("~/x") != "~/x" {
		t.Errorf("%q", o.absoluteGlob("~/x"))
	}
}

// Links on the way to the project and to a folder in one's home are followed; the folder itself is not.
func TestPathGlobsFollowLinks(t *testing.T) {
	dir, err := system.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{"p", "me", "dotfiles/claude", "elsewhere"} {
		if err := os.MkdirAll(system.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"link-p": "p", "home": "me", "me/.claude": "../dotfiles/claude",
		"dotfiles/claude/plans": "../../elsewhere"} {
		if err := os.Symlink(to, system.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	o := &Origins{home: system.Join(dir, "home"), project: Project{Root: system.Join(dir, "link-p")}}
	for glob, want := range map[string]string{
		"a/b":                "p/a/b",
		"~/x/*":              "me/x/*",
		"~/.claude/plans/**": "dotfiles/claude/plans/**",
	} {
		if got := o.absoluteGlob(glob); got != system.Join(dir, want) {
			t.Errorf("path(%q) is %q, want %q", glob, got, want)
		}
	}
}

// TestSection: within these parts of a file one mistake causes others.
func TestSection(t *testing.T) {
	for _, c := range []struct{ at, want []string }{
		{[]string{"states", "IDLE", "agents", "0"}, []string{"states", "IDLE"}},
		{[]string{"orchestrator", "rules", "2", "deny"}, []string{"orchestrator", "rules", "2"}},
		{[]string{"orchestrator", "default"}, []string{"orchestrator", "default"}},
		{[]string{"subagents"}, []string{"subagents"}},
		{[]string{"limits", "depth"}, []string{"limits"}},
	} {
		if got := to(c.at...).section(); got != to(c.want...) {
			t.Errorf("%q: %q, want %q", c.at, got, c.want)
		}
	}
}

// TestFollow: a trail leads to a value, or to none.
func TestFollow(t *testing.T) {
	src := &source{file: "pipeline.yaml", text: []byte("a: [x, {b: y}]\n")}
	src.parse()
	for _, c := range []struct {
		to   trail
		want string
	}{{to("a").item(0), "x"}, {to("a").item(1).key("b"), "y"}, {to("a").item(2), ""}, {to("a").item(-1), ""},
		{to("a", "b"), ""}, {to("c").item(0), ""}} {
		got := ""
		if v := src.root.follow(c.to); v != nil {
			got = v.text
		}
		if got != c.want {
			t.Errorf("%s: %q", c.to, got)
		}
	}
}

// TestHintIsSteady: of two names that are as near, always the same one is proposed.
func TestHintIsSteady(t *testing.T) {
	for range 10 {
		file := t.TempDir() + "/pipeline.yaml"
		write(t, file, "version: 1\ninitial: WORK0\nstates: {WORK3: {agents: [x]}, WORK1: {agents: [x]}, "+
			"WORK4: {agents: [x]}, WORK2: {agents: [x]}}\n")
		problems, err := listProblems(alone(file), World{})
		if err != nil || len(problems) != 1 || problems[0].Hint != "did you mean WORK1?" {
			t.Fatalf("%v %v", problems, err)
		}
	}
}
