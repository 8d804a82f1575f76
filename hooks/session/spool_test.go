package session

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// at is an event that happened so many seconds after the first.
func at(seconds int, s string) event {
	e := note(s)
	e.Time = e.Time.Add(time.Duration(seconds) * time.Second)
	return e
}

// held runs update while another process has the lock of s1.
func held(t *testing.T, st Store, during func()) {
	t.Helper()
	in, release := pipe(t)
	c := start(t, st, "hold", "s1", in)
	if !c.out.Scan() {
		t.Fatal("the lock was not taken")
	}
	during()
	release()
	c.ends(t)
}

// busy makes an update that cannot have the lock.
func busy(t *testing.T, st Store, e event) {
	t.Helper()
	began := time.Now()
	err := st.Update(e, count)
	if !errors.Is(err, ErrBusy) {
		t.Fatalf("%v, expected ErrBusy", err)
	}
	if d := time.Since(began); d < st.Wait {
		t.Fatalf("waited %v, expected %v", d, st.Wait)
	}
}

// played are the first notes of all records, and says whether those that waited say so.
func played(t *testing.T, st Store) (out []string) {
	t.Helper()
	for _, r := range records(t, st, "s1") {
		name := r.Notes[0]
		if r.Event.Late {
			name += " late"
		}
		out = append(out, name)
	}
	return out
}

func plays(t *testing.T, st Store, want ...string) {
	t.Helper()
	if got := played(t, st); !slices.Equal(got, want) {
		t.Fatalf("played %q, expected %q", got, want)
	}
}

// TestBusy: events that cannot wait are played by the next holder, once each, in the
// order in which they happened.
func TestBusy(t *testing.T) {
	st := store(t)
	short := Store{Dir: st.Dir, Wait: 30 * time.Millisecond}
	held(t, st, func() {
		busy(t, short, at(2, "second"))
		busy(t, Store{Dir: st.Dir}, at(3, "third"))
		busy(t, short, at(1, "first"))
		var waiting []string
		for _, e := range st.Waiting("s1") {
			waiting = append(waiting, e.Notes...)
		}
		if !slices.Equal(waiting, []string{"first", "second", "third"}) {
			t.Errorf("waiting: %q", waiting)
		}
	})
	st.must(t, at(4, "fourth"), count)
	want := []string{"first late", "second late", "third late", "fourth"}
	plays(t, st, want...)
	st.must(t, at(5, "fifth"), count)
	plays(t, st, append(want, "fifth")...)
	st.counted(t, 5)
	if names, _ := filepath.Glob(st.file("aside/*")); len(names) > 0 {
		t.Errorf("left over: %q", names)
	}
}

// TestAsideKeepsAll: an event is played as it was.
func TestAsideKeepsAll(t *testing.T) {
	st := store(t)
	e := at(7, "one")
	e.Text, e.Dir, e.Agent.ID, e.Agent.Type = "\x00?\u2028é", "/x", "a1", "Explore"
	e.Tool.Paths = []string{"/a", "b"}
	if err := os.MkdirAll(st.Path("s1"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := enqueue(st.Path("s1"), e); err != nil {
		t.Fatal(err)
	}
	var got event
	st.must(t, note("two"), func(s session, e event) (Outcome, error) {
		if len(e.Notes) > 1 {
			got = e
		}
		return count(s, e)
	})
	if got.Text != e.Text || got.Dir != e.Dir || got.Agent != e.Agent ||
		!slices.Equal(got.Tool.Paths, e.Tool.Paths) || !got.Time.Equal(e.Time) {
		t.Errorf("%+v, expected %+v", got, e)
	}
}

// TestAsideKeepsRefusals: a call that was refused unrecorded stays refused when it is recorded.
func TestAsideKeepsRefusals(t *testing.T) {
	for _, c := range [][3]string{{"deny", "not now", "not now"}, {"deny", "", "refused"}, {"ask", "may it?", ""}} {
		dir := filepath.Join(t.TempDir(), "s1")
		record := journal.Record{Verdict: c[0], Reason: c[1]}
		err := queueUnrecorded(dir, note("x"), Outcome{Record: &record}, ErrBusy)
		if got := readSpool(dir); err == nil || len(got) != 1 || got[0].event.Refused != c[2] {
			t.Errorf("%q: %v, %+v", c, err, got)
		}
	}
}

// TestAsideInAnOddFolder: a folder's name that reads like a pattern loses no event.
func TestAsideInAnOddFolder(t *testing.T) {
	st := Store{Dir: filepath.Join(t.TempDir(), "app [1]")}
	if err := os.MkdirAll(st.Path("s1"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := enqueue(st.Path("s1"), note("waits")); err != nil {
		t.Fatal(err)
	}
	if got := readSpool(st.Path("s1")); len(got) != 1 || got[0].event.Notes[0] != "waits" {
		t.Errorf("got %+v", got)
	}
}

// TestAsideOnce: the process that played an event was killed before it could take its file away.
func TestAsideOnce(t *testing.T) {
	st := store(t)
	if err := os.MkdirAll(st.Path("s1"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := enqueue(st.Path("s1"), note("waits")); err != nil {
		t.Fatal(err)
	}
	names, _ := filepath.Glob(st.file("aside/*.json"))
	body, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	oops := errors.New("oops")
	err = st.Update(note("fails"), func(s session, e event) (Outcome, error) {
		if e.Notes[0] == "fails" {
			return Outcome{}, oops
		}
		return count(s, e)
	})
	if !errors.Is(err, oops) {
		t.Fatal(err)
	}
	write(t, names[0], string(body))
	st.must(t, note("next"), count)
	plays(t, st, "waits late", "next")
	if names, _ := filepath.Glob(st.file("aside/*")); len(names) > 0 {
		t.Errorf("left over: %q", names)
	}
}

// TestAsideUnreadable: what cannot be played blocks nothing, and stays where it is.
func TestAsideUnreadable(t *testing.T) {
	tests := map[string]string{
		"empty": "", "torn": `{"kind":"prompt","session":"s1"`, "not JSON": "\x00\x01", "a list": "[]",
		"nobody's": `{"kind":"prompt"}`, "another session's": `{"kind":"prompt","session":"s2"}`,
		"a wrong type": `{"kind":2,"session":"s1"}`,
	}
	for name, body := range tests {
		t.Run(name, func(t *testing.T) {
			st := store(t)
			write(t, st.file("aside/1-1.json"), body)
			st.must(t, note("one"), count)
			if err := enqueue(st.Path("s1"), note("two")); err != nil {
				t.Fatal(err)
			}
			st.must(t, note("three"), count)
			plays(t, st, "one", "two late", "three")
			if left, err := os.ReadFile(st.file("aside/1-1.json")); err != nil || string(left) != body {
				t.Errorf("%q, %v", left, err)
			}
		})
	}
	t.Run("before one that can", func(t *testing.T) {
		st := store(t)
		st.must(t, note("one"), count)
		write(t, st.file("aside/0-1.txt"), "no event")
		if err := enqueue(st.Path("s1"), note("two")); err != nil {
			t.Fatal(err)
		}
		st.must(t, note("three"), count)
		plays(t, st, "one", "two late", "three")
	})
	t.Run("a folder", func(t *testing.T) {
		st := store(t)
		write(t, st.file("aside/1-1.json/x"), "")
		st.must(t, note("one"), count)
		plays(t, st, "one")
	})
}

// TestAsideOfOthers: a file that a killed process left beside an event is no event, whatever is in it.
func TestAsideOfOthers(t *testing.T) {
	st := store(t)
	for _, name := range []string{"1-1.json4711", "1-1.txt", "1-1"} {
		e := note(name)
		write(t, st.file("aside/"+name), string(journal.Encode(&e)))
	}
	st.must(t, note("one"), count)
	plays(t, st, "one")
}

// TestDecidedUnlocked: a call without the lock is decided to the session as it will be once the events that wait are
// recorded. One that is recorded already, fails or is skipped changes nothing.
func TestDecidedUnlocked(t *testing.T) {
	st, oops := store(t).moves(t, "A"), errors.New("oops")
	waits := func(seconds int, s string) {
		t.Helper()
		if err := enqueue(st.Path("s1"), at(seconds, s)); err != nil {
			t.Fatal(err)
		}
	}
	waits(1, "recorded")
	names, _ := filepath.Glob(st.file("aside/*"))
	body := read(t, names[0])
	if err := st.Update(note("fails"), func(s session, e event) (Outcome, error) {
		if e.Notes[0] == "fails" {
			return Outcome{}, oops
		}
		return count(s, e)
	}); !errors.Is(err, oops) {
		t.Fatal(err)
	}
	write(t, names[0], body) // its process was killed before it removed the file
	for i, name := range []string{"moves", "fails", "skipped", "counts"} {
		waits(2+i, name)
	}
	var decided []string
	var was session
	held(t, st, func() {
		err := Store{Dir: st.Dir}.Update(at(9, "now"), func(s session, e event) (Outcome, error) {
			name := e.Notes[0]
			if was = s; e.Late {
				name += " late"
			}
			decided = append(decided, name)
			out, err := count(s, e)
			switch e.Notes[0] {
			case "moves":
				out = moving(s, e, "B")
			case "fails":
				out.Session.Machine.State, err = "wrong", oops
			case "skipped":
				out.Session.Machine.State, out.Skip = "wrong", true
			}
			return out, err
		})
		if !errors.Is(err, ErrBusy) {
			t.Error(err)
		}
	})
	want := []string{"moves late", "fails late", "skipped late", "counts late", "now"}
	if !slices.Equal(decided, want) {
		t.Errorf("decided %q, expected %q", decided, want)
	}
	if was.Machine.State != "B" || was.Machine.Visit != 4 {
		t.Errorf("decided in %s after %d, expected B after 4", was.Machine.State, was.Machine.Visit)
	}
}

// TestDecidedUnlockedByTheView: where the journal has no session, the published one counts; else the journal's.
func TestDecidedUnlockedByTheView(t *testing.T) {
	for name, c := range map[string]struct {
		do    func(t *testing.T, st Store)
		state string
	}{
		"journal missing":  {func(t *testing.T, st Store) { remove(t, st.file("journal.jsonl")) }, "B"},
		"journal emptied":  {func(t *testing.T, st Store) { write(t, st.file("journal.jsonl"), "") }, "B"},
		"an older view":    {func(t *testing.T, st Store) { st.moves(t, "C"); oldView(t, st) }, "C"},
		"no view":          {func(t *testing.T, st Store) { remove(t, st.file("state.json")) }, "B"},
		"neither of these": {func(t *testing.T, st Store) { remove(t, st.Path("s1")) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			st := store(t).moves(t, "A", "B")
			c.do(t, st)
			held(t, st, func() {
				err := Store{Dir: st.Dir}.Update(note("now"), func(s session, e event) (Outcome, error) {
					if s.Machine.State != c.state {
						t.Errorf("decided in %q, expected %q", s.Machine.State, c.state)
					}
					return count(s, e)
				})
				if !errors.Is(err, ErrBusy) {
					t.Error(err)
				}
			})
		})
	}
}

// TestAsideUnrecorded: a call waits that cannot be written into the journal. An event that waits already does not wait
// twice, and what a person says of a session waits for nobody.
func TestAsideUnrecorded(t *testing.T) {
	for name, c := range map[string]struct {
		e       event
		spooled string
		want    int
	}{
		"a call": {note("call"), "", 1}, "an event that waits": {note("waits"), "1-1.json", 0},
		"a note": {event{}, "", 0}, "a note after an event that waited": {event{}, "1-1.json", 0},
	} {
		st := store(t).counts(t, 1)
		j, err := journal.Open(st.Path("s1"))
		if err != nil {
			t.Fatal(err)
		}
		h := &holder{Store: st, dir: st.Path("s1"), j: j, decide: count}
		h.openSession()
		if err := j.Close(); err != nil { // so that nothing can be written
			t.Fatal(err)
		}
		err = h.recordEvent(c.e, c.spooled)
		fails(t, err, "append to journal")
		if got := st.Waiting("s1"); len(got) != c.want || errors.As(err, new(*RecordError)) != (c.want > 0) {
			t.Errorf("%s: %+v wait, %v", name, got, err)
		}
	}
}

// TestAsideNowhere: when even that cannot be done, both are said.
func TestAsideNowhere(t *testing.T) {
	st := store(t)
	write(t, st.file("aside"), "a file where a folder should be")
	held(t, st, func() {
		err := Store{Dir: st.Dir}.Update(note("one"), count)
		fails(t, err, "spool an event")
		if !errors.Is(err, ErrBusy) {
			t.Errorf("%v is not ErrBusy", err)
		}
	})
	st.must(t, note("two"), count)
	plays(t, st, "two")
}

// TestRemnants: what a record must say beyond its event is in fields, not in the words
// of its notes.
func TestRemnants(t *testing.T) {
	st := store(t)
	st.must(t, note("one"), to("A"))
	if err := enqueue(st.Path("s1"), note("two")); err != nil {
		t.Fatal(err)
	}
	st.must(t, note("three"), count)
	write(t, st.file("journal.jsonl"), "damaged\n")
	st.must(t, note("four"), count)
	st.must(t, note("five"), count)
	all := records(t, st, "s1")
	if len(all) != 2 || !all[0].Recovered || all[1].Recovered {
		t.Errorf("recovered: %+v", all)
	}
	if err := enqueue(st.Path("s1"), note("six")); err != nil {
		t.Fatal(err)
	}
	end := note("end")
	end.Kind = fsm.SessionEnd
	st.must(t, end, count)
	if err := st.Note("s1", journal.Record{Event: fsm.Event{Kind: journal.Dispute, Time: end.Time}}); err != nil {
		t.Fatal(err)
	}
	all = records(t, st, "s1")
	if six := all[2]; !six.Event.Late || six.Spooled == "" || all[1].Event.Late {
		t.Errorf("late: %+v", six)
	}
	if last := all[len(all)-1]; !last.AfterEnd || !last.Ended() || all[3].AfterEnd || !all[3].Ended() {
		t.Errorf("ended: %+v", last)
	}
}
