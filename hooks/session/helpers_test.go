package session

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

type (
	session = fsm.Session
	event   = fsm.Event
)

// store is an empty one.
func store(t testing.TB) Store { return Store{Dir: t.TempDir(), Wait: time.Minute} }

// note is an event of session s1 that can be told by its note.
func note(s string) event {
	return event{Kind: fsm.Prompt, Session: "s1", Time: time.Unix(1_700_000_000, 0).UTC(), Notes: []string{s}}
}

// steady makes a store's clock look as if it had gone on without a jump until then.
func (st Store) steady(t testing.TB, until time.Time) {
	t.Helper()
	a := Anchor{Session: "steady", Time: until.Add(-2 * time.Hour), Cleared: true}
	if err := appendAnchor(st.Dir, a); err != nil {
		t.Fatal(err)
	}
}

// count counts the updates of a session.
func count(s session, e event) (Outcome, error) {
	s.ID = e.Session
	s.Machine.Visit++
	return Outcome{Session: s, Record: &journal.Record{Event: fsm.Event{Time: e.Time, Kind: e.Kind, Late: e.Late},
		Notes: e.Notes}}, nil
}

// moving counts, moves the machine to a state and captures a text that names it.
func moving(s session, e event, to string) Outcome {
	out, _ := count(s, e)
	out.Session.Machine.Moves++
	out.Session.Machine.State = to
	out.Record.Moves = []fsm.Move{{Trigger: "t", Agent: "agent-" + to, From: s.Machine.State, To: to}}
	text := captured("what was found in " + to)
	out.Session.Machine.Captures = map[string]fsm.Ref{"found": text.Ref}
	out.Texts = []fsm.Text{text}
	out.Record.Texts = []string{text.Ref.Hash}
	return out
}

func captured(s string) fsm.Text {
	sum := sha256.Sum256([]byte(s))
	return fsm.Text{Ref: fsm.Ref{Hash: hex.EncodeToString(sum[:]), Size: len(s)}, Text: s}
}

// to moves to a state.
func to(state string) Decide {
	return func(s session, e event) (Outcome, error) { return moving(s, e, state), nil }
}

// publishes counts, and has the view written.
func publishes(s session, e event) (Outcome, error) {
	out, err := count(s, e)
	out.Publish = true
	return out, err
}

func (st Store) must(t testing.TB, e event, apply Decide) {
	t.Helper()
	if err := st.Update(e, apply); err != nil {
		t.Fatal(err)
	}
}

// moves makes a session that has been in these states.
func (st Store) moves(t testing.TB, states ...string) Store {
	t.Helper()
	for _, s := range states {
		st.must(t, note("move"), to(s))
	}
	return st
}

// counted checks that n updates are recorded, in a chain that holds.
func (st Store) counted(t testing.TB, n int) {
	t.Helper()
	got, err := journal.Verify(st.Path("s1"), journal.Head{})
	if err != nil || len(got.Faults) > 0 || got.Records != n {
		t.Fatalf("%+v, %v; expected %d records and no fault", got, err, n)
	}
	if s, err := st.Last("s1"); err != nil || s.Machine.Visit != n {
		t.Fatalf("counted %d, %v; expected %d", s.Machine.Visit, err, n)
	}
}

// file is a path in the folder of s1.
func (st Store) file(name string) string { return filepath.Join(st.Path("s1"), name) }

// published is state.json as it stands.
func (st Store) published(t testing.TB) View {
	t.Helper()
	body, err := os.ReadFile(st.file("state.json"))
	if err != nil {
		t.Fatal(err)
	}
	var v View
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	return v
}

func (st Store) view(t testing.TB) View {
	t.Helper()
	v, err := st.View("s1")
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// through are the states that a view's history leads through.
func through(v View) (out []string) {
	for _, s := range v.History {
		out = append(out, s.StateAfter)
	}
	return out
}

func leads(t testing.TB, v View, want ...string) {
	t.Helper()
	if got := through(v); !slices.Equal(got, want) || len(want) > 0 && v.State != want[len(want)-1] {
		t.Fatalf("in %s through %q, expected %q", v.State, got, want)
	}
}

// noted checks that a text is among the notes, or that there are none.
func noted(t testing.TB, notes []string, want string) {
	t.Helper()
	all := strings.Join(notes, "\n")
	if want == "" && all != "" || !strings.Contains(all, want) {
		t.Fatalf("noted %q, expected %q", notes, want)
	}
}

func fails(t testing.TB, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Fatalf("%v, expected %q", err, want)
	}
}

func write(t testing.TB, path, body string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
		t.Fatal(err)
	}
}

func remove(t testing.TB, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
}
