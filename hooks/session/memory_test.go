package session

import (
	"errors"
	"io/fs"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-pipeline/pipeline/fsm"
)

// keeper is what a Store and a Memory have in common.
type keeper interface {
	Update(e fsm.Event, apply Decide) error
	Last(id string) (fsm.Session, error)
	Texts(s fsm.Session) map[string]string
	Overrides() (Overrides, error)
	ReadFile(name string, v any) error
	WriteFile(name string, v any) error
}

// TestMemoryIsAStore: a session in memory reads as the same one on disk.
func TestMemoryIsAStore(t *testing.T) {
	st, m := store(t), &Memory{}
	for _, k := range []keeper{st, m} {
		if _, err := k.Last("s1"); !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("%T: %v", k, err)
		}
		if e := (Earlier{}); k.ReadFile(EarlierFile("found"), &e) != nil || e != (Earlier{}) {
			t.Fatalf("%T: %v", k, e)
		}
		for _, id := range []string{"", "..", "a/b"} {
			e := note("x")
			e.Session = id
			if err := k.Update(e, count); !errors.Is(err, ErrName) {
				t.Fatalf("%T: %q: %v", k, id, err)
			}
		}
		oops := errors.New("oops")
		for _, apply := range []Decide{to("A"), count, to("B"), to("C"), skipping, failing(oops)} {
			if err := k.Update(note("x"), apply); err != nil && !errors.Is(err, oops) {
				t.Fatal(err)
			}
		}
		first := Earlier{Session: "s1", Text: "it", Time: time.Unix(1, 0).UTC()}
		if err := k.WriteFile(EarlierFile("found"), &first); err != nil {
			t.Fatal(err)
		}
	}
	s, err := st.Last("s1")
	got, gotErr := m.Last("s1")
	if d := cmp.Diff(s, got); d != "" || err != nil || gotErr != nil {
		t.Error(d, err, gotErr)
	}
	if d := cmp.Diff(st.Texts(s), m.Texts(s)); d != "" || m.Texts(s)["found"] != "what was found in C" {
		t.Error(d)
	}
	var e, kept Earlier
	if err := errors.Join(st.ReadFile(EarlierFile("found"), &e), m.ReadFile(EarlierFile("found"), &kept)); err != nil ||
		kept != e || e.Text != "it" {
		t.Error(kept, e, err)
	}
}

func skipping(s session, _ event) (Outcome, error) { return Outcome{Session: s, Skip: true}, nil }

func failing(err error) Decide {
	return func(s session, _ event) (Outcome, error) {
		s.Machine.State = "failed"
		return Outcome{Session: s}, err
	}
}

// TestMemoryOverAStore: what the memory lacks comes from the store below it, which
// stays as it is.
func TestMemoryOverAStore(t *testing.T) {
	st := store(t)
	st.must(t, note("x"), to("A"))
	before := read(t, st.file("journal.jsonl"))
	m := &Memory{Base: &st}
	if s, err := m.Last("s1"); err != nil || s.Machine.State != "A" || m.Texts(s)["found"] != "what was found in A" {
		t.Fatal(s, err)
	}
	if err := m.Update(note("y"), to("B")); err != nil {
		t.Fatal(err)
	}
	if s, err := m.Last("s1"); err != nil || s.Machine.State != "B" || m.Texts(s)["found"] != "what was found in B" {
		t.Fatal(s, err)
	}
	st.orders(t, Overrides{Modes: []Mode{mode("", "ask"), mode("s1", "off")},
		Bypasses: []Bypass{lift("below", "", noon().Add(time.Hour))}})
	own := Overrides{Modes: []Mode{mode("s1", "strict"), mode("s2", "guidance")},
		Bypasses: []Bypass{lift("own", "", noon().Add(time.Hour))}}
	want := map[string]string{"s1": "strict below own", "s2": "guidance below own", "s3": "ask below own"}
	for id, want := range want {
		m.Own = own
		if o, err := m.Overrides(); err != nil || inForce(o.For(id, noon())) != want {
			t.Errorf("%s: %+v, %v; want %s", id, o, err, want)
		}
		alone := &Memory{Own: own}
		if o, err := alone.Overrides(); err != nil || !reflect.DeepEqual(o, own) {
			t.Errorf("without a store: %+v, %v", o, err)
		}
	}
	for name, want := range map[string]string{JudgedFile: "", EarlierFile("found"): "below"} {
		if err := st.WriteFile(name, &Earlier{Text: "below"}); err != nil {
			t.Fatal(err)
		}
		var got Earlier
		if err := m.ReadFile(name, &got); err != nil || got.Text != want {
			t.Errorf("%s: %+v, %v; want %q", name, got, err, want)
		}
	}
	if read(t, st.file("journal.jsonl")) != before {
		t.Error("the store was changed")
	}
}
