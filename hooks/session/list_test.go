package session

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
)

func ids(items []Item) (out []string) {
	for _, i := range items {
		out = append(out, i.ID)
	}
	return out
}

// listed makes sessions of which each was last heard of an hour after the one before.
func listed(t *testing.T) (Store, time.Time) {
	st, first := store(t), time.Unix(1_800_000_000, 0)
	for i, id := range []string{"oldest", "ended", "lost", "newest"} {
		e := note("x")
		e.Session = id
		if id == "ended" {
			e.Kind = fsm.SessionEnd
		}
		st.must(t, e, publishes)
		if id == "lost" {
			remove(t, st.Path(id)+"/journal.jsonl")
		}
		for _, name := range []string{"journal.jsonl", "state.json"} {
			when := first.Add(time.Duration(i) * time.Hour)
			if err := os.Chtimes(st.Path(id)+"/"+name, when, when); err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
		}
	}
	for _, name := range []string{"no journal/x", "not an id/journal.jsonl", "empty/lock"} {
		write(t, st.Dir+"/sessions/"+name, "")
	}
	write(t, st.Dir+"/sessions/a-file", "")
	return st, first
}

func TestList(t *testing.T) {
	st, first := listed(t)
	items, err := st.List()
	if err != nil || !slices.Equal(ids(items), []string{"newest", "lost", "ended", "oldest"}) {
		t.Fatal(items, err)
	}
	if !items[3].Last.Equal(first) {
		t.Errorf("last heard of at %v", items[3].Last)
	}
	if items, err := store(t).List(); err != nil || len(items) > 0 {
		t.Error(items, err)
	}
	bad := store(t)
	write(t, bad.Dir+"/sessions", "")
	_, err = bad.List()
	fails(t, err, "list sessions")
}

// TestLive: those of which it cannot be read that they ended count as going on.
func TestLive(t *testing.T) {
	st, first := listed(t)
	tests := []struct {
		since time.Time
		want  []string
	}{
		{first.Add(-time.Second), []string{"newest", "lost", "oldest"}},
		{first, []string{"newest", "lost"}},
		{first.Add(150 * time.Minute), []string{"newest"}},
		{first.Add(4 * time.Hour), nil},
	}
	for _, tt := range tests {
		items, err := st.Live(tt.since)
		if err != nil || !slices.Equal(ids(items), tt.want) {
			t.Errorf("since %v: %v, %v; expected %v", tt.since.Sub(first), items, err, tt.want)
		}
	}
}

// TestFindByAgent: an agent is found in the newest session that has it; an id of a session is itself.
func TestFindByAgent(t *testing.T) {
	st := store(t)
	for i, id := range []string{"one", "two", "three"} {
		e := note("x")
		e.Session = id
		st.must(t, e, func(s session, e event) (Outcome, error) {
			out, err := count(s, e)
			out.Session.Agents.Runs = []fsm.Run{{ID: "own-" + id}}
			if id != "three" {
				out.Session.Agents.Runs = append(out.Session.Agents.Runs, fsm.Run{ID: "both"})
			}
			return out, err
		})
		when := time.Unix(1_800_000_000+int64(i), 0)
		for _, name := range []string{"journal.jsonl", "state.json"} {
			if err := os.Chtimes(st.Path(id)+"/"+name, when, when); err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
		}
	}
	for id, want := range map[string]string{
		"one": "one", "own-one": "one", "both": "two", "own-three": "three", "none": "none", "../one": "../one",
	} {
		if got := st.FindByAgent(id); got != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
		if st.Has(id) != (id == "one") {
			t.Errorf("%s: has %t", id, st.Has(id))
		}
	}
}

// TestOtherFolders: a folder with a project's sessions is noted once, and what is no path of a folder is left out.
func TestOtherFolders(t *testing.T) {
	state, st := t.TempDir(), store(t)
	if all := OtherFolders(state); len(all) > 0 {
		t.Errorf("before the first: %q", all)
	}
	for range 2 {
		if err := st.NoteIn(state); err != nil {
			t.Fatal(err)
		}
		if err := (Store{Dir: state}).NoteIn(state); err != nil {
			t.Fatal(err)
		}
	}
	other := store(t)
	if err := other.NoteIn(state); err != nil {
		t.Fatal(err)
	}
	if all := OtherFolders(state); !slices.Equal(all, []string{st.Dir, other.Dir}) {
		t.Errorf("noted are %q", all)
	}
	write(t, elsewhereFile(state), st.Dir+"\nrelative\n\n"+other.Dir+"\n")
	if all := OtherFolders(state); !slices.Equal(all, []string{st.Dir, other.Dir}) {
		t.Errorf("%q", all)
	}
	fails(t, st.NoteIn(state+"/none"), "note where sessions are kept")
}
