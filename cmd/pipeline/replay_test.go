package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/cmd/pipeline/internal/e2e"
	"github.com/agent-pipeline/pipeline/fsm"
)

// TestClientReplay: the policy that was in force decides a recorded session as it was decided.
func TestClientReplay(t *testing.T) {
	p := &program{console{in: bytes.NewReader(nil), out: &bytes.Buffer{}, err: &bytes.Buffer{}, getenv: os.Getenv}}
	s, err := newStage(p, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s.self = binary()
	for _, sc := range demoScenes() {
		if err := s.playScene(sc); err != nil {
			t.Fatal(err)
		}
	}
	out := replayOf(t, func(args ...string) string {
		text, err := s.runPipeline(nil, args...)
		if err != nil {
			t.Fatal(err)
		}
		return text
	})
	if out.Sessions != 1 || out.Judged != out.Calls || out.Same != out.Calls || out.Calls < 9 || out.Moves != 0 ||
		len(out.Skipped) != 0 || out.Was["deny"] < 4 {
		t.Errorf("%+v", out.Tally)
	}
}

func replayOf(t *testing.T, run func(...string) string, args ...string) (out replayed) {
	t.Helper()
	body := run(append([]string{"replay", "--json"}, args...)...)
	if err := json.Unmarshal([]byte(body), &out); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	return out
}

// TestClientTranscripts: what the transcripts of a session yield is what its hooks were asked, and decided, at the
// level that stops nothing.
func TestClientTranscripts(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := enforce(t)
		s.Write("configs/pipeline.local.yaml", "version: 1\nlevel: observe\n")
		s.Write("notes.md", "hello\n")
		read := e2e.Call("Read", e2e.Input{"file_path": s.Path("notes.md")})
		turns := append([]e2e.Turn{read, read, read, e2e.Call("Bash", e2e.Input{"command": "git push && ls"})},
			s.walk()...)
		turns = append(turns, e2e.StartWait("bash-developer", "part 1"),
			e2e.Call("Write", e2e.Input{"file_path": s.Path("own.txt"), "content": "x"}), e2e.Text("all done"))
		s.Say("main", turns...)
		s.Say("bash-developer", e2e.Call("Write", e2e.Input{"file_path": s.Path("out.txt"), "content": "made"}),
			e2e.Text("DONE: out.txt"))
		run := s.Claude(t, v, s.Model, "build me a thing", e2e.Allow(everything))
		s.wantState(run, "COMPLETE")

		hooked := map[string]int{}
		for _, r := range s.records(run.Session) {
			if r.Event.Kind == fsm.ToolRequest && r.StrictVerdict != "" {
				hooked[r.StrictVerdict+" "+r.Rule]++
			}
		}
		out := replayOf(t, s.pipeline, "--transcripts", "--level", "strict")
		read0 := map[string]int{}
		for _, c := range out.Rules {
			read0[c.Would+" "+c.Rule] += c.Times
		}
		if len(hooked) < 3 || len(hooked) != len(read0) || out.Calls != 10 {
			t.Errorf("from %d calls: %v, the hooks said %v", out.Calls, read0, hooked)
		}
		for k, n := range hooked {
			if read0[k] != n {
				t.Errorf("%s: %d times, the hooks said %d", k, read0[k], n)
			}
		}
		again := replayOf(t, s.pipeline)
		if again.Differ != 0 || again.Moves != 0 || again.Judged != again.Calls || again.Calls != out.Calls {
			t.Errorf("replayed: %+v", again.Tally)
		}
	})
}

// TestTranscriptsOfNobody: where no pipeline was ever configured, the default one is tried.
func TestTranscriptsOfNobody(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../hooks/claude/transcript/testdata")); err != nil {
		t.Fatal(err)
	}
	here := t.TempDir() // git reads the settings of the repository that it runs in
	for _, f := range []string{"s-2.1.329.jsonl", "s-2.1.197.jsonl"} {
		body, err := os.ReadFile(filepath.Join(dir, f))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, f), bytes.ReplaceAll(body, []byte("/home/me/project"), []byte(here)),
				0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	body, err := os.ReadFile(filepath.Join(dir, "s-2.1.329.jsonl"))
	for _, f := range []string{"s-2.1.329.jsonl", "s-2.1.197.jsonl"} {
		if err := os.Chtimes(filepath.Join(dir, f), time.Time{}, time.Unix(1_700_000_000, 0)); err != nil {
			t.Fatal(err)
		}
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "forked.jsonl"), body, 0o600) // a conversation that was copied is not counted again
	}
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	p := &program{console{in: bytes.NewReader(nil), out: &out, err: &errs,
		getenv: func(k string) string { return map[string]string{"HOME": t.TempDir()}[k] }}}
	t.Chdir(here)
	if code := p.exitCode(p.runLine(p.app(), []string{"replay", "--transcripts", dir, "--json"})); code != 0 {
		t.Fatal(code, errs.String())
	}
	got := replayOf(t, func(...string) string { return out.String() })
	if got.Sessions != 2 || got.Calls != 16 || got.Quarantined != 2 || got.Would["deny"] != 2 ||
		got.Rules[0].Examples[0].Call != "Agent(bash-developer)" {
		t.Errorf("%+v %+v", got.Tally, got.Rules[0])
	}
}
