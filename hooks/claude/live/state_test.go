package live

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

func (s *scene) state() string { return filepath.Join(s.st.Path("s"), "live.json") }

// TestReplaced: of a transcript that is shorter than it was, or another, only what comes is compared, and that is said.
func TestReplaced(t *testing.T) {
	for name, body := range map[string]func(*scene) string{
		"shorter": func(s *scene) string { return s.use("c", "Bash") + s.result("c", false) + `{"torn` },
		"another": func(s *scene) string { return strings.Repeat("y", 100<<10) + "\n" + strings.Repeat("x", 100<<10) },
		"no line": func(s *scene) string { return strings.Repeat("z", 200<<10) },
	} {
		s := started(t)
		s.asked("a")
		s.missed("b")
		s.asked("a2")
		s.check()
		ok(t, os.WriteFile(s.transcript, []byte(body(s)), 0o600))
		if r := s.check(); ids(r.Stretches) != "b" || len(r.Notes) != 1 || !strings.Contains(r.Notes[0],
			"another than it was") {
			t.Errorf("%s: %+v", name, r)
		}
		s.write("", "\n")
		s.missed("d")
		if r := s.check(); ids(r.Stretches) != "b d" && ids(r.Stretches) != "b|d" || len(r.Notes) != 0 {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// TestNothing: no journal, another session's transcript and no transcript come to nothing.
func TestNothing(t *testing.T) {
	s := started(t)
	s.missed("a", "b")
	other := filepath.Join(filepath.Dir(s.transcript), "t.jsonl")
	ok(t, os.Link(s.transcript, other))
	for _, call := range [][2]string{{"t", other}, {"s", other}, {"s", ""}, {"../s", s.transcript}, {"s",
		filepath.Join(t.TempDir(), "s.jsonl")}} {
		if r, err := Check(s.st, call[0], call[1]); err != nil || countMissed(r) > 0 {
			t.Errorf("%v: %+v %v", call, r, err)
		}
	}
	if r := s.check(); ids(r.New) != "a b" { // it has come to be where it is
		t.Errorf("%+v", r)
	}
}

// TestLost: what was kept is lost, damaged, or cannot be kept. It is an error to be logged, and what is missed is said.
func TestLost(t *testing.T) {
	s := started(t)
	s.missed("a", "b")
	for _, body := range []string{"", "{", `{"v":99}`, "17"} {
		ok(t, os.WriteFile(s.state(), []byte(body), 0o600))
		if r, err := Check(s.st, "s", s.transcript); err == nil || ids(r.New) != "a b" {
			t.Errorf("%q: %+v %v", body, r, err)
		}
		s.says("")
	}
	ok(t, os.Remove(s.state()))
	ok(t, os.Mkdir(s.state(), 0o700))
	if r, err := Check(s.st, "s", s.transcript); err == nil || ids(r.New) != "a b" {
		t.Errorf("%+v %v", r, err)
	}
	left, _ := filepath.Glob(s.state() + ".*")
	if len(left) > 0 {
		t.Errorf("left over: %q", left)
	}
}

// TestJournals: the journal is rotated, packed, damaged and cut between two checks.
func TestJournals(t *testing.T) {
	s := started(t)
	dir := s.st.Path("s")
	s.asked("a")
	s.check()
	s.asked("b")
	_, err := journal.Rotate(dir, s.tick())
	ok(t, errors.Join(err, journal.Compress(dir)))
	s.asked("c")
	s.missed("m1", "m2")
	if r := s.check(); ids(r.New) != "m1 m2" {
		t.Errorf("%+v", r)
	}
	if w, err := Compare(s.st, "s", s.transcript); err != nil || ids(w.Stretches) != "m1 m2" {
		t.Errorf("%+v %v", w, err)
	}
	body, err := os.ReadFile(filepath.Join(dir, journal.Name))
	ok(t, err)
	ok(t, os.WriteFile(filepath.Join(dir, journal.Name), append(body, "damaged\n"...), 0o600))
	s.asked("d")
	if r := s.check(); countMissed(r) != 2 || len(r.Notes) != 1 || !strings.Contains(r.Notes[0],
		"1 lines of the journal") {
		t.Errorf("%+v", r)
	}
	line, _, _ := strings.Cut(string(body), "\n")
	ok(t, os.WriteFile(filepath.Join(dir, journal.Name), []byte(line+"\n"), 0o600))
	s.asked("e")
	if r := s.check(); countMissed(r) != 2 {
		t.Errorf("%+v", r)
	}
}

// TestLongPast: a hook does not read a long journal from its beginning; what was then is left alone.
func TestLongPast(t *testing.T) {
	for _, off := range []bool{false, true} {
		s := started(t)
		s.missed("old1", "old2")
		long := journal.Record{Event: fsm.Event{Time: s.tick(), Kind: "prompt"},
			Reason: strings.Repeat("x", longJournal)}
		long.State.Machine.Off = off
		appendRecord(t, s.st.Path("s"), long)
		s.missed("a", "b")
		if r := s.check(); off && countMissed(r) > 0 || !off && ids(r.New) != "a b" {
			t.Errorf("off %v: %+v", off, r)
		}
	}
}

// TestBounded: however much there is, a check reads a piece and the next goes on; what is kept has a bound.
func TestBounded(t *testing.T) {
	s := started(t)
	s.agent("w", true)
	s.write("w", s.use("w1", "Bash")+s.result("w1", false))
	const n = maxBehind + 10
	j, err := journal.Open(s.st.Path("s"))
	ok(t, err)
	for i := range n {
		id := fmt.Sprint("a", i)
		s.write("", s.use(id, "Bash")+s.use("o"+id, "Bash")) // and one that never ends
		ok(t, j.Append(&journal.Record{Event: fsm.Event{Time: s.tick(), Kind: "tool-request",
			Tool: fsm.Tool{UseID: id}}}, false))
		s.write("", s.result(id, false))
	}
	ok(t, j.Close())
	s.missed("m")
	checks := 1
	r, err := check(s.st, "s", s.transcript, 100<<10)
	for ; err == nil && r.More && checks < 100; checks++ {
		r, err = check(s.st, "s", s.transcript, 100<<10)
	}
	// so old is the agent's that it is forgotten
	if err != nil || checks < 5 || checks > 50 || ids(r.Stretches) != "m" {
		t.Errorf("%d checks: %+v %v", checks, r, err)
	}
	info, err := os.Stat(s.state())
	if err != nil || info.Size() > 200<<10 {
		t.Errorf("%v %v", info, err)
	}
	if w, err := Compare(s.st, "s", s.transcript); err != nil || ids(w.Stretches) != "w1|m" {
		t.Errorf("%+v %v", w, err)
	}
}

// TestMoved: the transcript is read again where it is now, and what was settled stays so.
func TestMoved(t *testing.T) {
	s := started(t)
	s.asked("a")
	s.missed("b", "c")
	s.check()
	to := filepath.Join(t.TempDir(), "s.jsonl")
	ok(t, os.Rename(s.transcript, to))
	s.transcript = to
	s.missed("d")
	if r := s.check(); ids(r.Stretches) != "b c d" || len(r.New) > 0 {
		t.Errorf("%+v", r)
	}
}

func TestSessionsOfNoClient(t *testing.T) {
	s := started(t)
	all, err := CompareAll(s.st, t.TempDir())
	if err != nil || len(all) != 1 || all[0].Transcript != "" || all[0].Err != nil {
		t.Errorf("%+v %v", all, err)
	}
	ok(t, os.Mkdir(s.transcript, 0o700)) // a folder is no transcript
	if got := FindTranscript(filepath.Dir(filepath.Dir(filepath.Dir(s.transcript))), "s"); got != "" {
		t.Error(got)
	}
	if got := FindTranscript(t.TempDir(), "../s"); got != "" {
		t.Error(got)
	}
	none := session.Store{Dir: filepath.Join(t.TempDir(), "none")}
	if all, err := CompareAll(none, ""); err != nil || len(all) > 0 {
		t.Errorf("%+v %v", all, err)
	}
}
