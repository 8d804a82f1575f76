//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestPercentile(t *testing.T) {
	values := []float64{5, 1, 4, 2, 3}
	for _, c := range []struct{ p, want float64 }{{0, 1}, {0.2, 1}, {0.5, 3}, {0.99, 5}, {1, 5}} {
		if got := percentile(values, c.p); got != c.want {
			t.Errorf("percentile %g: %g, want %g", c.p, got, c.want)
		}
	}
	if !slices.Equal(values, []float64{5, 1, 4, 2, 3}) {
		t.Errorf("percentile sorted its argument: %v", values)
	}
}

func lasting(from, to time.Duration) sample {
	zero := time.Unix(0, 0)
	return sample{start: zero.Add(from), end: zero.Add(to)}
}

func TestRatioIsRoundByRound(t *testing.T) {
	ours := []sample{lasting(0, 2), lasting(0, 20), lasting(0, 200)}
	base := []sample{lasting(0, 1), lasting(0, 10), lasting(0, 50)}
	if got := ratio(ours, base); got != 2 {
		t.Errorf("ratio %g, want 2: the quotients are 2, 2, 4", got)
	}
}

func TestProcess(t *testing.T) {
	p := program{path: "/bin/sh", args: []string{"-c", "cat; echo aside >&2; exit 3"}, dir: t.TempDir()}
	s, err := p.run([]byte("in"))
	if err != nil || s.code != 3 || s.out != "in" || s.err != "aside\n" || s.wall() <= 0 {
		t.Errorf("found %s and %v after %s", s, err, s.wall())
	}
}

func TestAtOnce(t *testing.T) {
	dir := t.TempDir()
	n := 0
	c := contender{of: program{path: "/bin/sh", args: []string{"-c", "read name; : >$name"}, dir: dir}, check: each(wantSilence),
		stdin: func() []byte { n++; return fmt.Appendf(nil, "file-%d\n", n) }}
	if got, err := runRounds(2, 3, c); err != nil || len(got) != 1 || len(got[0]) != 2*3 {
		t.Fatal(got, err)
	}
	if found, _ := filepath.Glob(filepath.Join(dir, "*")); len(found) != (warmUp+2)*3 {
		t.Errorf("found %q", found)
	}
	c.check = each(func(sample) error { return errors.New("wrong") })
	if _, err := runRounds(1, 1, c); err == nil {
		t.Error("a wrong answer did not end the benchmark")
	}
}

func TestAnswers(t *testing.T) {
	denial := sample{out: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}`}
	crash := sample{code: 2, err: "crashed"}
	for _, c := range []struct {
		name   string
		answer func(sample) error
		to     sample
		fine   bool
	}{
		{"silence", wantSilence, sample{}, true},
		{"a denial is not silence", wantSilence, denial, false},
		{"a crash is not silence", wantSilence, crash, false},
		{"any answer", wantAny, denial, true},
		{"a crash is no answer", wantAny, crash, false},
	} {
		if err := c.answer(c.to); (err == nil) != c.fine {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestPayloadsAreFilled(t *testing.T) {
	s := &session{lab: &lab{dir: "/lab", project: "/lab/project"}, id: "one"}
	files, err := payloads.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text := s.fillPayload(strings.TrimSuffix(f.Name(), ".json"), "@USE", "toolu_1", "@AGENT", "Explore")
		if !json.Valid(text) || bytes.Contains(text, []byte("@")) {
			t.Errorf("%s: %s", f.Name(), text)
		}
	}
}

func TestPutBack(t *testing.T) {
	s := &session{dir: t.TempDir(), lab: &lab{dir: t.TempDir()}}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("journal.jsonl", "one\n")
	write("state.json", "before")
	if err := s.keepFiles(); err != nil {
		t.Fatal(err)
	}
	write("journal.jsonl", "one\ntwo of toolu_1\n")
	write("state.json", "after")
	write("new.md", "text")
	if err := s.wantRecords([]string{"toolu_1"}); err != nil {
		t.Error(err)
	}
	if err := s.wantRecords([]string{"toolu_2"}); err == nil {
		t.Error("a line of another call was taken for this one's")
	}
	if err := s.restore(); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"journal.jsonl": "one\n", "state.json": "before", "new.md": ""} {
		if got, _ := os.ReadFile(filepath.Join(s.dir, name)); string(got) != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if err := s.wantRecords([]string{"toolu_1"}); err == nil {
		t.Error("a call that left no line was taken for recorded")
	}
}

func TestFlagsOfThisBinary(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	_, env, err := readBuildFlags(self)
	if err != nil || !slices.ContainsFunc(env, func(v string) bool { return strings.HasPrefix(v, "GOOS=") }) {
		t.Errorf("found %q, %v", env, err)
	}
}

func TestReport(t *testing.T) {
	p := part{Title: "T"}
	p.addRow("ours", []sample{lasting(0, 2*time.Millisecond)}, 2.5)
	p.addTarget("ratio", 2.5, "x", 2)
	var table, asJSON strings.Builder
	r := &report{Parts: []part{p}}
	if err := r.write(&table, false); err != nil {
		t.Fatal(err)
	}
	if err := r.write(&asJSON, true); err != nil {
		t.Fatal(err)
	}
	if want := "ratio: 2.50 x (at most 2: NOT MET)"; !strings.Contains(table.String(), want) {
		t.Errorf("no %q in:\n%s", want, &table)
	}
	if !json.Valid([]byte(asJSON.String())) {
		t.Errorf("not JSON: %s", &asJSON)
	}
}
