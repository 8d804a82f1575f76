package session

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// TestHousekeepRotates: a journal that has grown too long is carried on, and nothing
// else is noticed of it.
func TestHousekeepRotates(t *testing.T) {
	st := store(t).moves(t, "A", "B")
	for range 20 {
		st.must(t, note(strings.Repeat("x", 500)), count)
	}
	before := st.view(t)
	notes, err := st.Housekeep(time.Now(), fsm.Retention{MaxSize: 5000})
	if err != nil || len(notes) != 1 {
		t.Fatal(notes, err)
	}
	if _, err := os.Stat(st.file("journal.1.jsonl.gz")); err != nil {
		t.Fatal(err)
	}
	st.must(t, note("after"), count)
	v := st.view(t)
	leads(t, v, through(before)...)
	noted(t, v.Notes, "")
	if v.Session.Machine.Visit != before.Session.Machine.Visit+1 {
		t.Fatalf("counted %d", v.Session.Machine.Visit)
	}
	if a, note, err := st.Verify("s1"); len(a.Faults) > 0 || note != "" || err != nil || a.Records != 24 ||
		a.Files != 2 {
		t.Fatalf("%+v, %s, %v", a, note, err)
	}
	remove(t, st.file("state.json"))
	st.moves(t, "C")
	leads(t, st.published(t), append(through(before), "C")...)
}

// TestHousekeepRotatesExpired: one that is too old to be kept and may be going on is carried on all the same.
func TestHousekeepRotatesExpired(t *testing.T) {
	st := store(t).moves(t, "A", "B")
	later := time.Now().Add(2 * time.Hour)
	st.steady(t, later)
	notes, err := st.Housekeep(later, fsm.Retention{MaxSize: 1, MaxAge: time.Hour})
	if err != nil || len(notes) != 1 || !strings.Contains(notes[0], "had grown too long") || !st.Has("s1") {
		t.Fatal(notes, err)
	}
}

// TestHousekeepLeavesShort: a journal that is as long as it may be stays.
func TestHousekeepLeavesShort(t *testing.T) {
	st := store(t).moves(t, "A", "B")
	size := int64(len(read(t, st.file("journal.jsonl"))))
	for _, c := range []struct {
		most int64
		want int
	}{{size, 0}, {0, 0}, {size - 1, 1}} {
		if notes, err := st.Housekeep(time.Now(), fsm.Retention{MaxSize: c.most}); err != nil || len(notes) != c.want {
			t.Errorf("%d bytes, %d are kept: %q, %v", size, c.most, notes, err)
		}
	}
}

// TestVerifyWithoutState: what is missing is not said to be unreadable.
func TestVerifyWithoutState(t *testing.T) {
	st := store(t).moves(t, "A")
	remove(t, st.file("state.json"))
	if _, note, err := st.Verify("s1"); err != nil || !strings.Contains(note, "there is no state.json") {
		t.Errorf("%q, %v", note, err)
	}
}

// TestHousekeepWaits: a session whose lock is held, or that has events waiting, is left
// alone.
func TestHousekeepWaits(t *testing.T) {
	st := store(t).moves(t, "A")
	st.steady(t, time.Now().Add(1000*time.Hour))
	held(t, st, func() {
		if notes, err := st.Housekeep(time.Now().Add(1000*time.Hour),
			fsm.Retention{MaxSize: 1, MaxAge: time.Hour}); err != nil || len(notes) > 0 {
			t.Error(notes, err)
		}
	})
	if err := enqueue(st.Path("s1"), note("waits")); err != nil {
		t.Fatal(err)
	}
	for _, k := range []fsm.Retention{{MaxSize: 1}, {MaxAge: time.Hour}} {
		if notes, err := st.Housekeep(time.Now().Add(1000*time.Hour), k); err != nil || len(notes) > 0 ||
			!st.Has("s1") {
			t.Error(notes, err)
		}
	}
}

// TestPrune: sessions that are too old or too many go, but none that may be going on.
func TestPrune(t *testing.T) {
	now := time.Now().Truncate(time.Second)
	for _, tt := range []struct {
		name  string
		keep  fsm.Retention
		age   time.Duration
		ended bool
		gone  bool
	}{
		{"without an end", fsm.Retention{}, 9999 * time.Hour, true, false},
		{"old", fsm.Retention{MaxAge: 24 * time.Hour}, 25 * time.Hour, false, true},
		{"not yet old", fsm.Retention{MaxAge: 24 * time.Hour}, 23 * time.Hour, true, false},
		{"old, but going on", fsm.Retention{MaxAge: time.Hour}, 2 * time.Hour, false, false},
		{"old and ended", fsm.Retention{MaxAge: time.Hour}, 2 * time.Hour, true, true},
		{"one too many", fsm.Retention{Sessions: 1}, 13 * time.Hour, false, true},
		{"one too many, just going on", fsm.Retention{Sessions: 1}, 12 * time.Hour, false, false},
		{"one too many, but going on", fsm.Retention{Sessions: 1}, 11 * time.Hour, false, false},
		{"not too many", fsm.Retention{Sessions: 2}, 9999 * time.Hour, true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			st := store(t)
			e := note("x")
			st.steady(t, now)
			if tt.ended {
				e.Kind = fsm.SessionEnd
			}
			st.must(t, e, count)
			if err := os.Chtimes(st.file("journal.jsonl"), now.Add(-tt.age), now.Add(-tt.age)); err != nil {
				t.Fatal(err)
			}
			e.Session = "s2"
			st.must(t, e, count)
			notes, err := st.Housekeep(now, tt.keep)
			if err != nil || st.Has("s1") == tt.gone || !st.Has("s2") {
				t.Fatalf("%v: s1 %v, s2 %v: %v", err, st.Has("s1"), st.Has("s2"), notes)
			}
		})
	}
}

// TestPruneByAnchors: the sessions that were heard of last are kept, whatever the age of their files says.
func TestPruneByAnchors(t *testing.T) {
	st, now := store(t), time.Now()
	st.steady(t, now)
	for id, c := range map[string]struct{ anchored, file time.Duration }{
		"heard":   {20 * time.Hour, 9999 * time.Hour},
		"unheard": {60 * time.Hour, 40 * time.Hour},
	} {
		e := note("x")
		e.Session, e.Time = id, now.Add(-c.anchored).UTC()
		st.must(t, e, count)
		when := now.Add(-c.file)
		if err := os.Chtimes(st.Path(id)+"/journal.jsonl", when, when); err != nil {
			t.Fatal(err)
		}
	}
	notes, err := st.Housekeep(now, fsm.Retention{Sessions: 1})
	if err != nil || !st.Has("heard") || st.Has("unheard") {
		t.Error(notes, err)
	}
}

// TestPruneBesideTheSpool: events that waited and were recorded keep no session; a spool that cannot be read does.
func TestPruneBesideTheSpool(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(st Store)
		gone bool
	}{
		"empty": {func(st Store) {
			if err := enqueue(st.Path("s1"), note("waits")); err != nil {
				t.Fatal(err)
			}
			st.must(t, note("next"), count)
		}, true},
		"none": {func(Store) {}, true},
		// Windows says of a file that there is no such folder.
		"a file": {func(st Store) { write(t, st.file(spoolName), "") }, runtime.GOOS == "windows"},
	} {
		st, now := store(t).moves(t, "A"), time.Now()
		c.do(st)
		later := now.Add(50 * time.Hour)
		st.steady(t, later)
		notes, err := st.Housekeep(later, fsm.Retention{MaxAge: 48 * time.Hour})
		if err != nil || st.Has("s1") == c.gone {
			t.Errorf("%s: %q, %v", name, notes, err)
		}
	}
}

// TestPutAway: what is too old lies in cleared for another max_age, and is no fault.
func TestPutAway(t *testing.T) {
	st, now := store(t).moves(t, "A"), time.Now()
	st.steady(t, now)
	old := now.Add(-50 * time.Hour)
	for _, name := range []string{"journal.jsonl", "."} {
		if err := os.Chtimes(st.file(name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	notes, err := st.Housekeep(now, fsm.Retention{MaxAge: 48 * time.Hour})
	noted(t, notes, "session s1 was moved to cleared")
	kept := func() int {
		found, _ := filepath.Glob(filepath.Join(st.Dir, "cleared", "s1-*", "journal.jsonl"))
		return len(found)
	}
	if err != nil || st.Has("s1") || kept() != 1 {
		t.Fatal(notes, err, st.Has("s1"), kept())
	}
	if gone, err := st.Vanished(); err != nil || len(gone) > 0 {
		t.Error("it counts as removed:", gone, err)
	}
	for _, after := range []time.Duration{47 * time.Hour, 49 * time.Hour} {
		st.steady(t, now.Add(after))
		if _, err := st.Housekeep(now.Add(after), fsm.Retention{MaxAge: 48 * time.Hour}); err != nil {
			t.Fatal(err)
		}
		if want := after < 48*time.Hour; (kept() == 1) != want {
			t.Errorf("after %v: kept %d", after, kept())
		}
	}
	var said []string
	st.Report = func(what string) { said = append(said, what) }
	st.must(t, note("begins again"), count)
	noted(t, said, "")
}

// TestClock: the time is compared with the last anchor, and with the last one that is older than an hour.
func TestClock(t *testing.T) {
	now, day := time.Now().UTC().Truncate(time.Second), 24*time.Hour
	for _, c := range []struct {
		anchored []time.Duration // ago
		want     string
	}{
		{nil, ""}, {[]time.Duration{9 * day, day}, ""}, {[]time.Duration{day + time.Second}, "a day ahead"},
		{[]time.Duration{30 * time.Minute}, ""}, {[]time.Duration{2 * day, time.Hour}, "a day ahead"},
		{[]time.Duration{2 * day, time.Hour + time.Second}, ""},
		{[]time.Duration{-time.Minute, 2 * time.Hour}, ""}, {[]time.Duration{-time.Minute - time.Second}, "is behind"},
	} {
		st := store(t)
		for _, ago := range c.anchored {
			st.anchors(t, Anchor{Session: "s1", Time: now.Add(-ago)})
		}
		got, err := st.readClock(now)
		if noted(t, []string{got.fault}, c.want); err != nil {
			t.Error(err)
		}
	}
}

// TestClockJumped: nothing is put away on a clock that has jumped, nor because a live
// session's file says 1970.
func TestClockJumped(t *testing.T) {
	now := time.Now()
	for _, tt := range []struct {
		name     string
		anchored time.Time // of the session
		file     time.Time
		others   time.Duration // when other sessions were anchored last
		want     string
	}{
		{"no jump", now.Add(-72 * time.Hour), now.Add(-72 * time.Hour), 2 * time.Hour, "moved to cleared"},
		{"the file says 1970", now.Add(-3 * time.Hour), time.Unix(0, 0), 2 * time.Hour, ""},
		{"the file says 1970, and it is old", now.Add(-72 * time.Hour), time.Unix(0, 0), 2 * time.Hour,
			"moved to cleared"},
		{"back", now.Add(-72 * time.Hour), now.Add(-72 * time.Hour), -2 * time.Hour, "clock is behind"},
		{"ahead", now.Add(-72 * time.Hour), now.Add(-72 * time.Hour), 25 * time.Hour, "more than a day ahead"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			st := store(t)
			e := note("x")
			e.Time = tt.anchored.UTC()
			st.must(t, e, count)
			if err := os.Chtimes(st.file("journal.jsonl"), tt.file, tt.file); err != nil {
				t.Fatal(err)
			}
			for _, keep := range []fsm.Retention{{MaxAge: 24 * time.Hour}} {
				a := Anchor{Session: "other", Time: now.Add(-tt.others), Cleared: true}
				if err := appendAnchor(st.Dir, a); err != nil {
					t.Fatal(err)
				}
				notes, err := st.Housekeep(now, keep)
				noted(t, notes, tt.want)
				if moved := strings.HasPrefix(tt.want, "moved"); err != nil || st.Has("s1") == moved {
					t.Errorf("%v: is there %v", err, st.Has("s1"))
				}
			}
		})
	}
}

// TestSweepTemporary: what killed processes have left goes, once no process can be writing it.
func TestSweepTemporary(t *testing.T) {
	st, now := store(t).moves(t, "A"), time.Now().Truncate(time.Second)
	old := now.Add(-2 * time.Minute)
	for name, goes := range map[string]bool{"state.json12345": true, "root4711": true, "backup/x/state.json8": true,
		"../../export/c/s1.json5": true, "../../crashes/20060102T150405.000000000.txt5": true, "root": false,
		"report.json77": true, "journal.jsonl5": true,
		"journal.1.jsonl.gz5": true, "aside/1795322000-12.json9": true, "live.tsv3": true, "context/abc.md99": true,
		"state.json2.bak": false, "head": false,
		"aside/1795322000-12.json": false, "context/abc1.md": false, "lock2": false, "context/notes.tex1": false} {
		for when, at := range map[string]time.Time{"old": old, "young": now, "a minute old": now.Add(-time.Minute)} {
			path := st.file(name)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			write(t, path, "")
			if err := os.Chtimes(path, at, at); err != nil {
				t.Fatal(err)
			}
			if _, err := st.Housekeep(now, fsm.Retention{}); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(path); (err != nil) != (goes && when == "old") {
				t.Errorf("%s, %s: %v", when, name, err)
			}
			_ = os.Remove(path)
		}
	}
}

// TestSweepTemporaryGoesOn: what is no file of ours stays, and hides no temporary file behind it.
func TestSweepTemporaryGoesOn(t *testing.T) {
	st := store(t).moves(t, "A")
	for _, name := range []string{"a.json1/x", "b1", "c.json1"} {
		write(t, st.file(name), "")
	}
	remove(t, st.file("a.json1/x"))
	if _, err := st.Housekeep(time.Now().Add(time.Hour), fsm.Retention{}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"a.json1": true, "b1": true, "c.json1": false} {
		if _, err := os.Stat(st.file(name)); (err == nil) != want {
			t.Errorf("%s is there: %v", name, err == nil)
		}
	}
}

// TestHousekeepWhileWriting: processes write while the journal is rotated again and
// again: each record is there once.
func TestHousekeepWhileWriting(t *testing.T) {
	st := store(t)
	in, begin := pipe(t)
	var children []child
	for i := range 16 {
		children = append(children, start(t, st, "few", fmt.Sprint("child ", i), in))
	}
	begin()
	rotations := 0
	for range 50 {
		notes, err := st.Housekeep(time.Now(), fsm.Retention{MaxSize: 300})
		if err != nil {
			t.Fatal(err)
		}
		rotations += len(notes)
		time.Sleep(2 * time.Millisecond)
	}
	for _, c := range children {
		c.ends(t)
	}
	if s, err := st.Last("s1"); err != nil || s.Machine.Visit != 16*perChild {
		t.Fatalf("counted %d, %v", s.Machine.Visit, err)
	}
	a, _, err := st.Verify("s1")
	if err != nil || len(a.Faults) > 0 || a.Records < 16*perChild {
		t.Fatalf("%+v, %v, %d rotations", a, err, rotations)
	}
	if left, _ := filepath.Glob(st.file(".journal*")); len(left) > 0 {
		t.Errorf("left over: %q", left)
	}
}

// TestNote: a person's word is recorded, and changes nothing.
func TestNote(t *testing.T) {
	st := store(t).moves(t, "A")
	if err := st.Note("s1", journal.Record{Event: fsm.Event{Kind: journal.Dispute}, Of: 1, Reason: "why"}); err != nil {
		t.Fatal(err)
	}
	last := records(t, st, "s1")[1]
	if last.Event.Kind != journal.Dispute || last.Of != 1 || last.State.Machine.State != "A" ||
		st.view(t).State != "A" {
		t.Fatalf("%+v", last)
	}
	st.must(t, note("x"), count)
	if a, _, err := st.Verify("s1"); err != nil || len(a.Faults) > 0 || a.Records != 3 {
		t.Fatalf("%+v, %v", a, err)
	}
	for _, id := range []string{"../x", "nobody"} {
		if err := st.Note(id, journal.Record{}); err == nil || st.Has("nobody") {
			t.Errorf("%s: %v", id, err)
		}
	}
}

// TestNoteIsAnchored: a note that was cut off is missed, and a note hides no other record that was.
func TestNoteIsAnchored(t *testing.T) {
	dispute := journal.Record{Event: fsm.Event{Kind: journal.Dispute}}
	keep := func(st Store, n int) {
		lines := strings.SplitAfter(read(t, st.file("journal.jsonl")), "\n")
		write(t, st.file("journal.jsonl"), strings.Join(lines[:n], ""))
	}
	for name, cut := range map[string]func(st Store){
		"the note": func(st Store) {
			if err := st.Note("s1", dispute); err != nil {
				t.Fatal(err)
			}
			keep(st, 5)
		},
		"what was before it": func(st Store) {
			keep(st, 2)
			for range 5 {
				if err := st.Note("s1", dispute); err != nil {
					t.Fatal(err)
				}
			}
			st.counts(t, 1)
		},
	} {
		st := witnessed(t)
		cut(st)
		if a, _, err := st.Verify("s1"); err != nil || len(a.Faults) == 0 {
			t.Errorf("%s: %+v, %v", name, a, err)
		}
	}
}

// TestNoteKeepsWhatWasPlayed: an event that was played, and whose file is still there,
// is not played again after a note.
func TestNoteKeepsWhatWasPlayed(t *testing.T) {
	st := store(t).moves(t, "A")
	if err := enqueue(st.Path("s1"), note("waits")); err != nil {
		t.Fatal(err)
	}
	names, _ := filepath.Glob(st.file("aside/*.json"))
	body := read(t, names[0])
	fail := fmt.Errorf("killed")
	_ = st.Update(note("x"), func(s session, e event) (Outcome, error) {
		if e.Notes[0] == "x" {
			return Outcome{}, fail
		}
		return count(s, e)
	})
	write(t, names[0], body)
	if err := st.Note("s1", journal.Record{Event: fsm.Event{Kind: journal.Dispute}}); err != nil {
		t.Fatal(err)
	}
	st.must(t, note("next"), count)
	n := 0
	for _, r := range records(t, st, "s1") {
		if len(r.Notes) > 0 && r.Notes[0] == "waits" {
			n++
		}
	}
	if n != 1 {
		t.Errorf("played %d times", n)
	}
}

// TestEndedStaysEnded: neither a rotation nor a person's note makes an ended session
// look as if it went on, or as if it had been heard of.
func TestEndedStaysEnded(t *testing.T) {
	st := store(t)
	e := note("end")
	e.Kind = fsm.SessionEnd
	st.must(t, e, count)
	then := time.Now().Add(-time.Hour)
	if err := os.Chtimes(st.file("journal.jsonl"), then, then); err != nil {
		t.Fatal(err)
	}
	if _, err := st.Housekeep(time.Now(), fsm.Retention{MaxSize: 1}); err != nil {
		t.Fatal(err)
	}
	if items, err := st.List(); err != nil || !items[0].Last.Equal(then) {
		t.Errorf("heard of at %v, expected %v: %v", items, then, err)
	}
	if err := st.Note("s1", journal.Record{Event: fsm.Event{Kind: journal.Dispute}}); err != nil {
		t.Fatal(err)
	}
	live := func() int {
		items, err := st.Live(time.Now().Add(-2 * time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		return len(items)
	}
	if live() != 0 {
		t.Error("it looks as if it went on")
	}
	st.must(t, note("resumed"), count)
	if live() != 1 {
		t.Error("it was resumed, and looks ended")
	}
}

// TestSweep: what lies beside the sessions goes by the same age, and nothing that is
// younger.
func TestSweep(t *testing.T) {
	st := store(t)
	now := time.Now()
	for name, age := range map[string]time.Duration{"cleared/old": 50 * time.Hour, "cleared/new": time.Hour,
		"said/old": 50 * time.Hour, "crashes/new.txt": time.Hour, "other/old": 50 * time.Hour} {
		path := filepath.Join(st.Dir, name)
		if err := os.MkdirAll(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	if notes, err := st.Housekeep(now, fsm.Retention{}); err != nil || len(notes) > 0 {
		t.Error("without an age nothing goes:", notes, err)
	}
	notes, err := st.Housekeep(now, fsm.Retention{MaxAge: 48 * time.Hour})
	const why = " were removed: see audit.max_age"
	if want := []string{"1 of cleared" + why, "1 of said" + why}; !slices.Equal(notes, want) {
		t.Errorf("noted %q, expected %q", notes, want)
	}
	for name, want := range map[string]bool{"cleared/old": false, "cleared/new": true, "said/old": false,
		"crashes/new.txt": true, "other/old": true} {
		if _, statErr := os.Stat(filepath.Join(st.Dir, name)); (statErr == nil) != want || err != nil {
			t.Errorf("%s is there: %v, expected %v (%v)", name, statErr == nil, want, err)
		}
	}
}

// TestSweepGoesOn: a folder that is missing, or cannot be read, keeps no other from being swept, the witness included.
func TestSweepGoesOn(t *testing.T) {
	st, now := store(t), time.Now()
	st.Witness = filepath.Join(st.Dir, "witness")
	for _, name := range []string{"crashes/old.txt", "witness/s1"} {
		write(t, filepath.Join(st.Dir, name), "")
	}
	write(t, filepath.Join(st.Dir, "said"), "a file where a folder should be")
	notes, err := st.Housekeep(now.Add(50*time.Hour), fsm.Retention{MaxAge: 48 * time.Hour})
	if runtime.GOOS != "windows" && len(notes) > 0 { // there it is missing
		noted(t, notes[:1], "housekeeping of said: ")
		notes = notes[1:]
	}
	const why = " were removed: see audit.max_age"
	want := []string{"1 of crashes" + why, "1 of " + st.Witness + why}
	if err != nil || !slices.Equal(notes, want) {
		t.Errorf("%q, %v; expected %q", notes, err, want)
	}
}
