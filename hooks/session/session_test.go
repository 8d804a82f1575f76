package session

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
)

// TestIDs: an id from outside never becomes a path that leads elsewhere.
func TestIDs(t *testing.T) {
	bad := []string{"", ".", "..", "...", "a/b", "../../x", "/etc/passwd", "x/..", `a\b`, "a\x00b", "a b", "a\nb",
		"é", "~", "*",
		strings.Repeat("x", 300), strings.Repeat("x", 129)}
	for _, id := range bad {
		t.Run(id, func(t *testing.T) { refused(t, id) })
	}
	for id, want := range map[string]string{strings.Repeat("*", 60): `*"`, strings.Repeat("*", 61): `*…"`} {
		if err := CheckID(id); !strings.HasSuffix(err.Error(), ` "`+strings.Repeat("*", 59)+want) {
			t.Error(err)
		}
	}
	for _, id := range []string{"s1", "a.b", "A-B_9", "7d0f6d0e-6a3e-4a53-9f6b-0c3a7ef0f0ab", "..x", "azAZ09",
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
		if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
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
	if left, _ := filepath.Glob(st.file("aside/*")); len(left) > 0 {
		t.Errorf("written into a folder of somebody else's: %q", left)
	}
}

// TestRecoveredIsSaid: a record says that the session before it was not in the journal, also where no head shows it.
func TestRecoveredIsSaid(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(t *testing.T, st Store)
		want bool
	}{
		"published": {func(t *testing.T, st Store) { write(t, st.file("journal.jsonl"), "") }, true},
		"damaged alone": {func(t *testing.T, st Store) {
			write(t, st.file("journal.jsonl"), "x\n")
			remove(t, st.file("state.json"))
		}, true},
		"view alone damaged": {func(t *testing.T, st Store) {
			remove(t, st.file("journal.jsonl"))
			write(t, st.file("state.json"), "{}")
		}, true},
		"nothing is left": {func(t *testing.T, st Store) { remove(t, st.Path("s1")) }, false},
		"nothing is lost": {func(*testing.T, Store) {}, false},
	} {
		st := store(t).moves(t, "A")
		remove(t, filepath.Join(st.Dir, headsName))
		remove(t, st.file("head"))
		c.do(t, st)
		st.must(t, note("next"), count)
		st.must(t, note("last"), count)
		all := records(t, st, "s1")
		if next, last := all[len(all)-2], all[len(all)-1]; next.Recovered != c.want || last.Recovered {
			t.Errorf("%s: recovered %t, then %t", name, next.Recovered, last.Recovered)
		}
	}
}

// TestRepairsAreReported: the call that finds a torn line reports it, as no fault of the journal.
func TestRepairsAreReported(t *testing.T) {
	st := store(t).moves(t, "A")
	body := read(t, st.file("journal.jsonl"))
	write(t, st.file("journal.jsonl"), body+`{"v":1,"n"`)
	var said []string
	st.Report = func(what string) { said = append(said, what) }
	st.must(t, note("next"), count)
	if len(said) != 1 || said[0] != "a line of 10 bytes that was not finished was cut off" || len(st.Faults("s1")) > 0 {
		t.Errorf("%q, %q", said, st.Faults("s1"))
	}
}

// TestTextInTheWay: a record refers to the texts that could be kept, and says which could not.
func TestTextInTheWay(t *testing.T) {
	st := store(t)
	one, two := captured("one"), captured("two")
	write(t, textPath(st.Path("s1"), one.Ref)+"/x", "in the way")
	fails(t, st.Update(note("x"), func(s session, e event) (Outcome, error) {
		out, err := count(s, e)
		out.Texts = []fsm.Text{one, two}
		out.Record.Texts = []string{one.Ref.Hash, two.Ref.Hash}
		return out, err
	}), "keep a captured text")
	r := records(t, st, "s1")[0]
	if !slices.Equal(r.Texts, []string{two.Ref.Hash}) {
		t.Errorf("it refers to %q", r.Texts)
	}
	noted(t, r.Notes, "a captured text is missing: ")
}

// found are the last record's notes, without its own.
func found(t *testing.T, st Store) []string {
	t.Helper()
	all := records(t, st, "s1")
	return all[len(all)-1].Notes[1:]
}

// damages are ways in which a session's files come to harm, what the next call says of
// it, what history it then has and how many updates are counted. The session had been
// in A, B and C; its fourth record moved nothing.
var damages = []struct {
	name    string
	do      func(t *testing.T, st Store)
	note    string
	through string
	count   int
}{
	{"none", func(*testing.T, Store) {}, "", "A B C", 5},
	{"journal missing", func(t *testing.T, st Store) { remove(t, st.file("journal.jsonl")) },
		"the session was recovered from state.json", "A B C", 4},
	{"journal empty", func(t *testing.T, st Store) { write(t, st.file("journal.jsonl"), "") },
		"the session was recovered from state.json", "A B C", 4},
	{"journal garbage", func(t *testing.T, st Store) { write(t, st.file("journal.jsonl"), "x\ny\n") },
		"the session was recovered from state.json", "A B C", 4},
	{"journal one torn line", func(t *testing.T, st Store) { write(t, st.file("journal.jsonl"), `{"v":1,"n"`) },
		"the session was recovered from state.json", "A B C", 4},
	{"both missing", func(t *testing.T, st Store) { remove(t, st.Path("s1")) },
		"the journal was removed, emptied or damaged as a whole: at least 3 records are lost", "", 1},
	{"journal missing, view damaged", func(t *testing.T, st Store) {
		remove(t, st.file("journal.jsonl"))
		write(t, st.file("state.json"), `{"version":"1.0","state`)
	}, "nothing of the session could be recovered: it begins again", "", 1},
	{"journal missing, view of nothing", func(t *testing.T, st Store) {
		remove(t, st.file("journal.jsonl"))
		write(t, st.file("state.json"), `{}`)
	}, "nothing of the session could be recovered: it begins again", "", 1},
	{"journal garbage, view missing", func(t *testing.T, st Store) {
		write(t, st.file("journal.jsonl"), "x\n")
		remove(t, st.file("state.json"))
	}, "nothing of the session could be recovered: it begins again", "", 1},
	{"view missing", func(t *testing.T, st Store) { remove(t, st.file("state.json")) }, "", "A B C", 5},
	{"view damaged", func(t *testing.T, st Store) { write(t, st.file("state.json"), "\x00\x00\x00") }, "", "A B C", 5},
	{"view empty", func(t *testing.T, st Store) { write(t, st.file("state.json"), "") }, "", "A B C", 5},
	{"view old", oldView, "", "A B C", 5},
	{"last record damaged", func(t *testing.T, st Store) { spoil(t, st, 1) }, "going on from record 3", "A B C", 4},
	{"a move damaged", func(t *testing.T, st Store) { spoil(t, st, 2) }, "going on from record 2", "A B", 3},
	{"last record torn", func(t *testing.T, st Store) {
		body := read(t, st.file("journal.jsonl"))
		write(t, st.file("journal.jsonl"), body[:len(body)-40])
	}, "was cut off", "A B C", 4},
}

func read(t *testing.T, path string) string {
	t.Helper()
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// spoil changes the journal's last n lines, so that their hashes no longer fit.
func spoil(t *testing.T, st Store, n int) {
	t.Helper()
	lines := strings.SplitAfter(strings.TrimSuffix(read(t, st.file("journal.jsonl")), "\n"), "\n")
	for i := len(lines) - n; i < len(lines); i++ {
		lines[i] = strings.Replace(lines[i], `"prompt"`, `"PROMPT"`, 1)
	}
	write(t, st.file("journal.jsonl"), strings.Join(lines, "")+"\n")
}

// oldView puts back the view of before the last move, as if its writer had been killed.
func oldView(t *testing.T, st Store) {
	before := store(t).moves(t, "A", "B")
	write(t, st.file("state.json"), read(t, before.file("state.json")))
}

func TestRecover(t *testing.T) {
	for _, tt := range damages {
		t.Run(tt.name, func(t *testing.T) {
			st := store(t).moves(t, "A", "B", "C")
			st.must(t, note("fourth"), count)
			tt.do(t, st)
			st.must(t, note("next"), count)
			noted(t, found(t, st), tt.note)
			v := st.view(t)
			want := strings.Fields(tt.through)
			if got := through(v); !slices.Equal(got, want) || v.Session.Machine.Visit != tt.count {
				t.Fatalf("counted %d through %q, expected %d through %q", v.Session.Machine.Visit, got, tt.count, want)
			}
			goesOn(t, st, want)
		})
	}
}

// goesOn makes one more move, after which state.json must have the whole history.
func goesOn(t *testing.T, st Store, before []string) {
	t.Helper()
	st.must(t, note("move"), to("Z"))
	want := append(append([]string{}, before...), "Z")
	leads(t, st.published(t), want...)
	leads(t, st.view(t), want...)
	if got := st.published(t); got.Head.Seq != st.view(t).Head.Seq || got.Context["found"] != "what was found in Z" {
		t.Errorf("published of record %d: %q", got.Head.Seq, got.Context)
	}
}

// TestViewSays: a reader is told what is wrong, and nothing is changed.
func TestViewSays(t *testing.T) {
	tests := []struct {
		name    string
		do      func(t *testing.T, st Store)
		note    string
		through []string
	}{
		{"nothing", func(*testing.T, Store) {}, "", []string{"A", "B"}},
		{"journal missing", func(t *testing.T, st Store) { remove(t, st.file("journal.jsonl")) },
			"as it was last published", []string{"A", "B"}},
		{"journal garbage", func(t *testing.T, st Store) { write(t, st.file("journal.jsonl"), "x\n") },
			"as it was last published", []string{"A", "B"}},
		{"a damaged line", func(t *testing.T, st Store) {
			write(t, st.file("journal.jsonl"), "x\n"+read(t, st.file("journal.jsonl")))
		}, "1 lines of the journal are damaged", []string{"A", "B"}},
		{"view missing", func(t *testing.T, st Store) { remove(t, st.file("state.json")) }, "", []string{"A", "B"}},
		{"journal without its end", func(t *testing.T, st Store) {
			lines := strings.SplitAfter(read(t, st.file("journal.jsonl")), "\n")
			write(t, st.file("journal.jsonl"), lines[0])
		}, "the journal ends at record 1, and state.json was written at record 2", []string{"A"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			st := store(t).moves(t, "A", "B")
			tt.do(t, st)
			before, _ := os.ReadFile(st.file("journal.jsonl"))
			v := st.view(t)
			noted(t, v.Notes, tt.note)
			leads(t, v, tt.through...)
			if after, _ := os.ReadFile(st.file("journal.jsonl")); string(after) != string(before) {
				t.Error("the journal was changed")
			}
		})
	}
	t.Run("both missing", func(t *testing.T) {
		_, err := store(t).View("s1")
		fails(t, err, "session s1 has neither a readable journal nor a state.json")
	})
}

// TestNewerVersion: what a newer pipeline has written is neither played on nor
// overwritten.
func TestNewerVersion(t *testing.T) {
	st := store(t).moves(t, "A")
	line := `{"v":3,"n":2,"hash":"` + strings.Repeat("0", 32) + "\"}\n"
	sum := captured(`{"v":3,"n":2`).Ref.Hash[:32]
	body := read(t, st.file("journal.jsonl")) + strings.Replace(line, strings.Repeat("0", 32), sum, 1)
	write(t, st.file("journal.jsonl"), body)
	_, view := st.View("s1")
	for _, err := range []error{st.Update(note("x"), count), view} {
		fails(t, err, "record of version 3: this pipeline knows up to 2")
	}
	if read(t, st.file("journal.jsonl")) != body {
		t.Error("the journal was changed")
	}
}
