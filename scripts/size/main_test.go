package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestCountPackages(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"a/a.go":          "package a // one\n\nfunc f() { g(); h() }\n",
		"a/a_test.go":     "package a\n",
		"a/testdata/b.go": "package b\n",
		"a/notes.txt":     "one\ntwo\n",
		"scripts/x/x.go":  "package main\n",
	} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := countPackages(root)
	if err != nil {
		t.Fatal(err)
	}
	got.addTotal()
	// package a func f ( ) { g ( ) h ( ) }
	want := table{"a": {3, 14}, "scripts/x": {1, 2}, total: {3, 14}}
	if got.format() != want.format() {
		t.Errorf("counted\n%swant\n%s", got.format(), want.format())
	}
}

func TestAddCovered(t *testing.T) {
	report := `warning: something
` + module + `/fsm/step.go:10:	step	80.0%
` + module + `/fsm/step.go:20:	*judge.judgeCall	100.0%
` + module + `/fsm/move.go:20:	move	0.0%
` + module + `/hooks/hooks.go:7:	Handler.Answer	1.0%
total	(statements)	6.7%
`
	got := table{"fsm": {100, 1000}}
	if err := got.addCovered(report); err != nil {
		t.Fatal(err)
	}
	want := table{"fsm": {100, 1000, 2, 1, 1}, "hooks": {0, 0, 1, 1, 1}}
	if got.format() != want.format() {
		t.Errorf("counted\n%swant\n%s", got.format(), want.format())
	}
	if err := got.addCovered("total	(statements)	0.0%\n"); err == nil {
		t.Error("a call that covers nothing is no error")
	}
}

// TestTable holds packages to a table: one that grew is named, -write only lowers, -raise takes over what it names.
func TestTable(t *testing.T) {
	read := func() table {
		allowed,
			err := parseTable("# comment\n\nfsm 10 100 2 1 1\nhooks 20 200 3 2 1\ngone 1 1 1 1 1\ntotal 31 301 6 4 3\n")
		if err != nil {
			t.Fatal(err)
		}
		return allowed
	}
	now := table{"fsm": {12, 90, 2, 1, 1}, "hooks": {20, 200, 3, 2, 1}, "new": {1, 1, 0, 0, 0},
		total: {33, 291, 5, 3, 2}}
	want := []string{"fsm: 12 lines, 2 more than its row allows", "new: 1 lines, 1 more than its row allows",
		"new: 1 tokens, 1 more than its row allows", "total: 33 lines, 2 more than its row allows"}
	if got := read().compare(now); !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
	allowed := read()
	allowed.lower(now)
	if want := (table{"fsm": {10, 90, 2, 1, 1}, "hooks": {20, 200, 3, 2, 1},
		total: {31, 291, 5, 3, 2}}); allowed.format() != want.format() {
		t.Errorf("lowered to\n%swant\n%s", allowed.format(), want.format())
	}
	if err := allowed.raise("fsm,new,total", now); err != nil {
		t.Fatal(err)
	}
	if got := allowed.compare(now); got != nil {
		t.Errorf("raised, and found %q", got)
	}
	if err := allowed.raise("elsewhere", now); err == nil {
		t.Error("raised a package that does not exist")
	}
}

func TestFormatIsRead(t *testing.T) {
	want := table{"fsm": {1, 2, 3, 4, 5}, "scripts/size": {6, 7}, total: {1, 2, 3, 4, 5}}.format()
	got, err := parseTable(want)
	if err != nil || got.format() != want {
		t.Errorf("%v, read back\n%swant\n%s", err, got.format(), want)
	}
	if _, err := parseTable("fsm 1 2\n"); err == nil || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("a row that lacks columns: %v", err)
	}
}
