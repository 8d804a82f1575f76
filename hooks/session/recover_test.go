package session

import (
	"os"
	"slices"
	"strings"
	"testing"
)

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
