package live

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

// recorded is a store with the sessions of testdata, and the client's config folder with their transcripts. They are of
// the two clients: one call; then, with all hooks switched off, two in one message, one that fails, an unknown tool,
// one with invalid input, and an agent with a call of its own; then one call with hooks again. f is its fork, with a
// call.
func recorded(t *testing.T, version string) (st session.Store, config string) {
	dir := t.TempDir()
	st, config = session.Store{Dir: filepath.Join(dir, "state")}, filepath.Join(dir, "config")
	ok(t, os.CopyFS(filepath.Join(config, "projects", "-home-me-project"), os.DirFS("testdata")))
	for _, id := range []string{"s-" + version, "f-" + version} {
		ok(t, os.MkdirAll(st.Path(id), 0o700))
		body, err := os.ReadFile(filepath.Join("testdata", id+".journal.jsonl"))
		ok(t, err)
		for line := range strings.Lines(string(body)) {
			v := gjson.Parse(line)
			appendRecord(t, st.Path(id), journal.Record{Event: fsm.Event{Time: v.Get("time").Time(),
				Kind: fsm.Kind(v.Get("kind").Str), Tool: fsm.Tool{Name: v.Get("tool").Str, UseID: v.Get("use").Str}}})
		}
	}
	return st, config
}

func TestRecorded(t *testing.T) {
	for version, want := range map[string]string{
		"2.1.329": "enforcement was off from 2026-11-21 19:22:09 to 19:22:10: 4 tool calls were made that pipeline " +
			"was never asked about (Bash 3, Agent 1); see: pipeline doctor",
		"2.1.197": "enforcement was off from 2026-11-21 19:22:10 to 19:22:11: 4 tool calls were made that pipeline " +
			"was never asked about (Bash 3, Agent 1); see: pipeline doctor",
	} {
		st, config := recorded(t, version)
		all, err := CompareAll(st, config)
		if err != nil || len(all) != 2 {
			t.Fatalf("%+v %v", all, err)
		}
		for _, s := range all {
			checked, err := Check(st, s.ID, FindTranscript(config, s.ID))
			ok(t, err)
			got := ""
			if s.ID == "s-"+version {
				got = want
			}
			if s.Err != nil || wholeMessage(s.Report) != got || checked.Message() != got {
				t.Errorf("%s: %v\n%s\n%s", s.ID, s.Err, wholeMessage(s.Report), checked.Message())
			}
		}
	}
}

// TestSaid: it is said when two were missed, once, and again when there are two in another stretch.
func TestSaid(t *testing.T) {
	s := started(t)
	s.says("")
	s.asked("a1")
	s.missed("m1")
	s.says("")
	s.missed("m2")
	s.says("enforcement was off from 2026-11-21 21:03:14 to 21:03:16: 2 tool calls were made that pipeline was " +
		"never asked about (Bash 2); see: pipeline doctor")
	s.missed("m3", "m4")
	s.says("") // the stretch has grown
	s.asked("a2")
	s.missed("m5")
	s.says("")
	s.missed("m6")
	s.says("enforcement was off from 2026-11-21 21:03:25 to 21:03:27: 2 tool calls were made that pipeline was " +
		"never asked about (Bash 2); see: pipeline doctor")
	s.says("")
	if r := s.check(); ids(r.Stretches) != "m1 m2 m3 m4|m5 m6" || countMissed(r) != 6 {
		t.Errorf("%+v", r)
	}
}

// TestRefusedAndMade: a hook that is killed after its record refuses nothing. What was refused fails in the transcript;
// where it has a good result it was made. It is remembered between two checks.
func TestRefusedAndMade(t *testing.T) {
	s := started(t)
	for _, id := range []string{"a", "b", "c"} {
		s.refuses(id)
		s.check()
		s.write("", s.result(id, id == "a"))
		s.record("tool-result", id, false)
	}
	s.says("enforcement was off at 2026-11-21 21:03:15, at 2026-11-21 21:03:19: 2 tool calls were made that " +
		"pipeline refused, or " +
		"was never asked about (Bash 2); see: pipeline doctor")
	if r := s.check(); ids(r.Stretches) != "b|c" || !r.Stretches[0].Calls[0].Refused {
		t.Errorf("%+v", r)
	}
}

// TestOnlyTheResultRecorded: a call was not judged where the hook before it was killed, though the hook after it ran.
func TestOnlyTheResultRecorded(t *testing.T) {
	s := started(t)
	s.missed("a", "b")
	s.record("tool-result", "a", false)
	s.record("tool-result", "b", false)
	if r := s.check(); ids(r.Stretches) != "a b" {
		t.Errorf("%+v", r)
	}
}

func TestWord(t *testing.T) {
	at := time.Date(2026, 11, 21, 23, 59, 0, 0, time.UTC)
	one := func(minutes int) Stretch {
		from := at.Add(time.Duration(minutes) * time.Minute)
		return Stretch{From: from, To: from, Calls: []Call{{Tool: "Write"}}}
	}
	long := Stretch{From: at, To: at.Add(time.Hour), Calls: []Call{{Tool: "Bash"}, {Tool: "Bash"}}}
	for want, stretches := range map[string][]Stretch{
		"": nil,
		"enforcement was off from 2026-11-21 23:59:00 to 2026-11-22 00:59:00, at 2026-11-22 01:59:00: 3 tool calls " +
			"were made that pipeline was never asked about (Bash 2, Write 1); see: pipeline doctor": {long,
			one(120)},
		"enforcement was off at 2026-11-21 23:59:00, at 2026-11-22 00:00:00, at 2026-11-22 00:01:00, 2 times more: " +
			"5 tool calls were made that pipeline was never asked about (Write 5); see: pipeline doctor": {one(0),
			one(1), one(2), one(3), one(4)},
	} {
		if got := (Report{New: stretches}).Message(); got != want {
			t.Errorf("%s\nexpected\n%s", got, want)
		}
	}
}

// TestNotCounted: what may be there without a record.
func TestNotCounted(t *testing.T) {
	for name, play := range map[string]func(*scene){
		"no result yet": func(s *scene) { s.write("", s.use("a", "Bash")+s.use("b", "Bash")) },
		"failed": func(s *scene) {
			s.write("", s.use("a", "Bash")+s.result("a", true)+s.use("b", "Bash")+s.result("b", true))
		},
		"before us": func(s *scene) { s.now = s.now.Add(-time.Hour); s.missed("a", "b"); s.now = s.now.Add(time.Hour) },
		"one":       func(s *scene) { s.missed("a") },
		"one twice": func(s *scene) { s.missed("a", "a"); s.check(); s.missed("a") },
		"a copy":    func(s *scene) { s.asked("a"); s.asked("b"); s.check(); s.missed("a", "b") },
		"level off": func(s *scene) {
			s.record("prompt", "", true)
			s.missed("a", "b")
			s.check()
			s.record("prompt", "", false)
		},
		"a helper's": func(s *scene) {
			s.agent("h", false)
			s.write("h", s.use("a", "Edit")+s.result("a", false)+s.use("b", "Edit")+s.result("b", false))
		},
		"a result alone": func(s *scene) { s.write("", s.result("a", false)+s.result("b", false)) },
		"no transcript line": func(s *scene) {
			s.write("", "{\n[]\n17\n{\"tool_use\":1}\n"+strings.Repeat("x",
				200<<10)+"\n")
		},
		"no time": func(s *scene) {
			s.write("", strings.ReplaceAll(s.use("a", "x")+s.result("a", false)+s.use("b", "x")+s.result("b", false),
				"timestamp", "t"))
		},
		"torn": func(s *scene) {
			s.write("", s.use("a", "Bash")+s.use("b", "Bash")+s.result("a", false)+strings.TrimSuffix(s.result("b",
				false), "\n"))
		},
	} {
		s := started(t)
		play(s)
		if r := s.check(); r.Message() != "" || len(r.Notes) > 0 || r.More {
			t.Errorf("%s: %+v", name, r)
		}
		if w, err := Compare(s.st, "s", s.transcript); err != nil || wholeMessage(w) != "" {
			t.Errorf("%s, read whole: %v %+v", name, err, w)
		}
	}
}

// TestWaiting: a call whose event waits for the lock is settled when it was played, or when it is lost.
func TestWaiting(t *testing.T) {
	s := started(t)
	paths := []string{s.putAside("a"), s.putAside("b"), s.putAside("c")}
	s.missed("a", "b", "c")
	s.says("")
	s.record("tool-request", "a", false)
	for _, p := range paths {
		ok(t, os.Remove(p))
	}
	if r := s.check(); ids(r.New) != "b c" {
		t.Errorf("%+v", r)
	}
}

// TestLongLines: a line may be longer than what is read at once, of a file and of a check.
func TestLongLines(t *testing.T) {
	s := started(t)
	long := strings.Repeat("tool_use", 150<<10)
	s.write("", s.use("a", long)+s.result("a", false)+strings.Repeat("x", 300<<10)+"\n")
	for range 3 {
		if r := s.check(); len(r.Notes) > 0 || len(r.New) > 0 {
			t.Fatal(len(r.New), r.Notes)
		}
	}
	s.missed("b")
	if r := s.check(); ids(r.New) != "a b" || len(r.Notes) > 0 || r.More || r.Stretches[0].Calls[0].Tool != long {
		t.Error(ids(r.Stretches), r.Notes, r.More)
	}
}

// TestAgents: an agent's calls count as the main agent's do, and say whose they are.
func TestAgents(t *testing.T) {
	s := started(t)
	s.agent("w1", true)
	s.agent("workflows/wf_1/w2", true)
	s.write("w1", s.use("a", "Bash")+s.result("a", false))
	s.write("workflows/wf_1/w2", s.use("b", "Bash")+s.result("b", false))
	r := s.check()
	if ids(r.New) != "a b" || r.New[0].Calls[0].Agent != "w1" || r.New[0].Calls[1].Agent != "w2" {
		t.Errorf("%+v", r)
	}
}
