//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/hooks/journal"
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

// TestLongInput: an input that no pipe holds is written while the program runs, and one that does not read it fails.
func TestLongInput(t *testing.T) {
	p := program{path: "/bin/sh", args: []string{"-c", "wc -c"}, dir: t.TempDir(), env: os.Environ()}
	if s, err := p.run(make([]byte, 1<<20)); err != nil || strings.TrimSpace(s.out) != "1048576" {
		t.Errorf("found %s and %v", s, err)
	}
	p.args = []string{"-c", "exec <&-; exit 0"}
	if s, err := p.run(make([]byte, 1<<20)); err == nil {
		t.Errorf("an input that was not read: %s", s)
	}
}

// TestBefore: what a contender needs is made before each of its runs, and what fails there ends the benchmark.
func TestBefore(t *testing.T) {
	dir := t.TempDir()
	c := contender{of: program{path: "/bin/sh", args: []string{"-c", "rm made"}, dir: dir, env: os.Environ()},
		stdin: func() []byte { return nil }, check: each(wantSilence)}
	c.before = func() error { return os.WriteFile(filepath.Join(dir, "made"), nil, 0o600) }
	if _, err := runRounds(2, 1, c); err != nil {
		t.Error(err)
	}
	c.before = func() error { return errors.New("no") }
	if _, err := runRounds(1, 1, c); err == nil {
		t.Error("a contender was run that was not prepared")
	}
}

// TestBuildCommit: of a repository whose next commit builds something else, an older one is built, and the
// repository stays as it is. A word that is no commit is said.
func TestBuildCommit(t *testing.T) {
	repository := t.TempDir()
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=x", "-c", "user.email=x@y", "-C", repository},
			args...)...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %q: %v: %s", args, err, out)
		}
		return string(out)
	}
	git("init", "-q")
	for _, text := range []string{"older", "newer"} {
		makefile := "build:\n\tmkdir -p bin && printf " + text + " >bin/pipeline\n"
		if err := os.WriteFile(filepath.Join(repository, "Makefile"), []byte(makefile), 0o600); err != nil {
			t.Fatal(err)
		}
		git("add", ".")
		git("commit", "-qm", text)
	}
	for commit, want := range map[string]string{"HEAD~1": "older", "HEAD": "newer"} {
		file, err := buildCommit(repository, commit, filepath.Join(t.TempDir(), "other"))
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(file); string(got) != want {
			t.Errorf("%s is %q, want %q", commit, got, want)
		}
	}
	if got := git("status", "--porcelain") + git("worktree", "list"); strings.Count(got, "\n") != 1 {
		t.Errorf("the repository has changed: %s", got)
	}
	if _, err := buildCommit(repository, "v9", t.TempDir()); err == nil ||
		!strings.Contains(err.Error(), "neither a file nor a commit") {
		t.Errorf("no commit: %v", err)
	}
}

// TestQuick: the quick form reads a tenth of the records, also of another number.
func TestQuick(t *testing.T) {
	o, err := parseOptions([]string{"-quick"}, io.Discard)
	if err != nil || o.records != 100_000 || o.rounds != 50 || o.growth != 10_000 {
		t.Errorf("%+v, %v", o, err)
	}
}

// TestAddRules: they come before the others.
func TestAddRules(t *testing.T) {
	l := &lab{project: t.TempDir()}
	path := filepath.Join(l.project, "configs", "pipeline.yaml")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("orchestrator:\n  rules:\n    - {name: last}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := l.addRules(500); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if n := strings.Count(string(text), "{name: "); err != nil || n != 501 ||
		!strings.HasSuffix(string(text), "{name: last}\n") {
		t.Errorf("%d rules, %v", n, err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := l.addRules(1); err == nil {
		t.Error("a config without the place for rules")
	}
}

func TestAtOnce(t *testing.T) {
	dir := t.TempDir()
	n := 0
	c := contender{of: program{path: "/bin/sh", args: []string{"-c", "read name; : >$name"}, dir: dir},
		check: each(wantSilence),
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
		{"a denial", wantDenial, denial, true},
		{"silence is no denial", wantDenial, sample{}, false},
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
	s := &session{id: "one", dir: t.TempDir(), lab: &lab{dir: t.TempDir()}}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("journal.jsonl", "one\n")
	write("state.json", "before")
	head := filepath.Join(s.lab.dir, "home", "state", "pipeline-heads", "project", "one")
	writeHead := func(text string) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Dir(head), 0o700),
			os.WriteFile(head, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	writeHead("1")
	if err := s.keepFiles(); err != nil {
		t.Fatal(err)
	}
	write("journal.jsonl", "one\ntwo of toolu_1\n")
	write("state.json", "after")
	write("new.md", "text")
	writeHead("2")
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
	if got, _ := os.ReadFile(head); string(got) != "1" {
		t.Errorf("the head's copy is %q", got)
	}
	if err := s.wantRecords([]string{"toolu_1"}); err == nil {
		t.Error("a call that left no line was taken for recorded")
	}
}

// TestWriteRecords: a written session has what audit verify looks for.
func TestWriteRecords(t *testing.T) {
	project := t.TempDir()
	lived := filepath.Join(project, "sessions", "lived")
	text := filepath.Join(lived, "context", "0a.md")
	if err := errors.Join(os.MkdirAll(filepath.Dir(text), 0o700), os.WriteFile(text, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	m := &month{lived: &session{dir: lived}, records: make([]journal.Record, 1), at: time.Unix(0, 0)}
	if err := m.writeRecords(3); err != nil {
		t.Fatal(err)
	}
	dir := m.dir(m.names[0])
	if _, err := os.Stat(filepath.Join(dir, "context", "0a.md")); err != nil {
		t.Error(err)
	}
	last, err := journal.Tail(dir)
	if err != nil || last.Seq != 3 {
		t.Fatal(last.Seq, err)
	}
	anchors, _ := os.ReadFile(filepath.Join(project, "heads.jsonl"))
	want := fmt.Sprintf(`{"session":%q,"n":3,"hash":%q,`, m.names[0], last.Hash)
	if !strings.HasPrefix(string(anchors), want) {
		t.Errorf("%s, want %s", anchors, want)
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
	p.Rows[0].Other = 3.5
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
	if got := strings.Fields(lineWith(table.String(), "ours")); got[2] != "2.00" || got[len(got)-1] != "3.50" {
		t.Errorf("not both columns: %q", got)
	}
	if !json.Valid([]byte(asJSON.String())) {
		t.Errorf("not JSON: %s", &asJSON)
	}
}

func lineWith(text, word string) string {
	for line := range strings.Lines(text) {
		if strings.Contains(line, word) {
			return line
		}
	}
	return ""
}
