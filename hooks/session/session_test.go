package session

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/config/system"
)

// TestIDs: an id from outside never becomes a path that leads elsewhere.
func TestIDs(t *testing.T) {
	bad := []string{"", ".", "..", "...", "a/b", "../../x", "/etc/passwd", "x/..", `a\b`, "a\x00b", "a b", "a\nb",
		"é", "~", "*",
		strings.Repeat("x", 300), strings.Repeat("x", 129)}
	for _, id := range bad {
		t.Run(id, func(t *testing.T) { refused(t, id) })
	}
	for _, id := range []string{"s1", "a.b", "A-B_9", "7d0f6d0e-6a3e-4a53-9f6b-0c3a7ef0f0ab", "..x",
		strings.Repeat("x", 128)} {
		if err := CheckID(id); err != nil {
			t.Error(err)
		}
	}
}

func refused(t *testing.T, id string) {
	root := t.TempDir()
	st := Store{Dir: filepath.Join(root, "in"), Wait: time.Second}
	e := note("x")
	e.Session = id
	_, view := st.View(id)
	_, last := st.Last(id)
	_, backup := st.Backup(id, time.Now())
	for _, err := range []error{CheckID(id), st.Update(e, count), view, last, backup} {
		if !errors.Is(err, ErrName) || len(err.Error()) > 200 {
			t.Errorf("%v", err)
		}
	}
	_ = filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if path != root || err != nil {
			t.Errorf("%s was made (%v)", path, err)
		}
		return nil
	})
}

func TestUpdateCounts(t *testing.T) {
	st := store(t)
	for range 3 {
		st.must(t, note("x"), count)
	}
	st.counted(t, 3)
	other := note("x")
	other.Session = "s2"
	st.must(t, other, count)
	for _, name := range []string{".", "lock", "journal.jsonl", "..", "../s2"} {
		info, err := os.Stat(st.file(name))
		if err != nil {
			t.Fatal(err)
		}
		if system.HasModes && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s may be read by others: %s", name, info.Mode())
		}
	}
}

// TestSkip: what is not to be recorded is not; nor is what apply could not decide.
func TestSkip(t *testing.T) {
	st := store(t)
	st.must(t, note("one"), count)
	oops := errors.New("oops")
	for _, apply := range []Decide{
		func(session, event) (Outcome, error) { return Outcome{Skip: true}, nil },
		func(session, event) (Outcome, error) { return Outcome{}, oops },
	} {
		if err := st.Update(note("two"), apply); err != nil && !errors.Is(err, oops) {
			t.Fatal(err)
		}
	}
	st.counted(t, 1)
}

// TestSkipKeepsWhatWasFound: a call that records nothing does not swallow what the next
// one has to say.
func TestSkipKeepsWhatWasFound(t *testing.T) {
	st := store(t)
	st.must(t, note("one"), count)
	write(t, st.file("journal.jsonl"), "garbage\n")
	st.must(t, note("two"), func(session, event) (Outcome, error) { return Outcome{Skip: true}, nil })
	st.must(t, note("three"), count)
	noted(t, records(t, st, "s1")[0].Notes, "damaged")
}

// TestSaidOnce: what was found is recorded once, by the first event that is played.
func TestSaidOnce(t *testing.T) {
	st := store(t)
	write(t, st.file("journal.jsonl"), "garbage\n")
	if err := enqueue(st.Path("s1"), note("waited")); err != nil {
		t.Fatal(err)
	}
	st.must(t, note("came"), count)
	all := records(t, st, "s1")
	noted(t, all[0].Notes, "damaged")
	noted(t, all[1].Notes[1:], "")
}

// TestNotes: what an event brought along is not changed by what is added.
func TestNotes(t *testing.T) {
	st := store(t)
	write(t, st.file("journal.jsonl"), "garbage\n")
	e := note("one")
	e.Notes = append(make([]string, 0, 4), "one")
	st.must(t, e, count)
	if spare := e.Notes[:2][1]; spare != "" {
		t.Errorf("the event's notes became %q", spare)
	}
}

// TestInTheWay: what is on disk is not what it should be. It is said, and once it is
// gone all goes on.
func TestInTheWay(t *testing.T) {
	tests := []struct{ name, file, want string }{
		{"a file for the folder of all", "", "make the session's folder"},
		{"a folder for the lock", "lock/x", "open the session's lock"},
		{"a folder for the journal", "journal.jsonl/x", "open journal"},
		{"a file for the texts", "context", "keep a captured text"},
		{"a folder for the view", "state.json/x", "write state.json"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			st := store(t)
			path := st.file(tt.file)
			if tt.file == "" {
				path = filepath.Join(st.Dir, "sessions")
			}
			write(t, path, "in the way")
			fails(t, st.Update(note("x"), to("A")), tt.want)
			remove(t, strings.TrimSuffix(filepath.ToSlash(path), "/x"))
			st.must(t, note("y"), to("B"))
			if v := st.view(t); v.State != "B" {
				t.Errorf("in %s", v.State)
			}
		})
	}
}

// TestViewInTheWay: that the view cannot be written loses nothing, and stops no call
// that does not move.
func TestViewInTheWay(t *testing.T) {
	st := store(t).moves(t, "A")
	remove(t, st.file("state.json"))
	write(t, st.file("state.json/x"), "")
	fails(t, st.Update(note("x"), to("B")), "write state.json")
	st.must(t, note("y"), count)
	st.counted(t, 3)
	leads(t, st.view(t), "A", "B")
	noted(t, records(t, st, "s1")[2].Notes, "write state.json")
}

// TestForeign: a folder that belongs to somebody else is refused.
func TestForeign(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a folder away")
	}
	st := store(t)
	st.must(t, note("x"), count)
	if err := os.Chown(st.Path("s1"), 12345, 12345); err != nil {
		t.Fatal(err)
	}
	fails(t, st.Update(note("y"), count), "belongs to user 12345, and this is user 0: remove it, or run as its owner")
	st.counted(t, 1)
}
