package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// keepRelease adds the project of a version that is released: go test -run TestReleasedState
// -keep-release 0.1.0 ./cmd/pipeline
var keepRelease = flag.String("keep-release", "", "write testdata/released/`VERSION`, as this program leaves a project")

// TestReleasedState: what each released version has left in a project, in its client's settings and
// in the state folder is read by this one: the session goes on, its journal holds, the settings are
// known as ours. What a version to come has written is reported, and left as it is.
func TestReleasedState(t *testing.T) {
	if *keepRelease != "" {
		playReleased(t, "testdata/released-play", "", filepath.Join("testdata/released", *keepRelease))
	}
	versions, _ := filepath.Glob("testdata/released/*")
	if len(versions) == 0 {
		t.Fatal("no released version is kept")
	}
	own := filepath.Join(t.TempDir(), "own")
	t.Run("play", func(t *testing.T) { playReleased(t, "testdata/released-play", "", own) })
	for _, dir := range append(versions, own) {
		t.Run(filepath.Base(dir), func(t *testing.T) { playReleased(t, "testdata/released-read", dir, "") })
	}
}

// playReleased plays the scripts of a folder: in a project that was kept, or in none, from where it is kept.
func playReleased(t *testing.T, scripts, from, to string) {
	to, err := filepath.Abs(to)
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: scripts,
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			env.Setenv("HOME", home)
			if from != "" {
				return os.CopyFS(env.WorkDir, os.DirFS(from))
			}
			return os.MkdirAll(home, 0o755)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"call": call, "future": future,
			"keep": func(ts *testscript.TestScript, _ bool, names []string) {
				for _, name := range names {
					keep(ts, ts.MkAbs(name), filepath.Join(to, name))
				}
			}},
	})
}

// keep copies a folder, without locks and without what names the place of the project. Of agents it keeps the head: no
// more of them is read.
func keep(ts *testscript.TestScript, from, to string) {
	ts.Check(filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, "lock") || strings.Contains(path, "/pipeline/project-") {
			return err
		}
		rel, err := filepath.Rel(from, path)
		ts.Check(err)
		body, err := os.ReadFile(path)
		ts.Check(err)
		if head, _, has := strings.Cut(string(body), "\n---\n"); has && strings.Contains(path, "/agents/") {
			body = []byte(head + "\n---\n")
		}
		ts.Check(os.MkdirAll(filepath.Dir(filepath.Join(to, rel)), 0o755))
		return os.WriteFile(filepath.Join(to, rel), body, 0o644)
	}))
}

// future makes the last record of a journal one of the next version: future JOURNAL.
func future(ts *testscript.TestScript, _ bool, args []string) {
	lines := strings.SplitAfter(strings.TrimSuffix(ts.ReadFile(args[0]), "\n"), "\n")
	last := &lines[len(lines)-1]
	*last = strings.Replace(*last, fmt.Sprintf(`{"v":%d,`, journal.Version), fmt.Sprintf(`{"v":%d,`, journal.Version+1),
		1)
	body := (*last)[:strings.LastIndex(*last, `,"hash":"`)]
	sum := sha256.Sum256([]byte(body))
	*last = fmt.Sprintf("%s,\"hash\":\"%x\"}", body, sum[:16])
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Join(lines, "")+"\n"), 0o644))
}
