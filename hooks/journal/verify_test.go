package journal

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
)

// TestVerifyAnchors: an anchor that was met is fine, and one that is missing is named, be it one or many.
func TestVerifyAnchors(t *testing.T) {
	path := written(t, 3)
	dir := filepath.Dir(path)
	var heads []Head
	if err := Walk(dir, func(l *Line, err error) error {
		h := Head{l.Seq, l.Hash()}
		heads = append(heads, Head{h.Seq, string([]byte(h.Hash))})
		return err
	}); err != nil || len(heads) != 3 {
		t.Fatal(heads, err)
	}
	lost := []Head{{2, heads[0].Hash}, {7, heads[1].Hash}}
	for name, c := range map[string]struct {
		head    Head
		anchors []Head
		want    string
	}{
		"all met":    {heads[2], heads, ""},
		"none":       {Head{}, nil, ""},
		"one lost":   {Head{}, append(heads[:2:2], lost[1]), "1 anchored records are missing"},
		"two lost":   {Head{}, lost, "the first is record 2"},
		"the end":    {Head{4, heads[2].Hash}, nil, "state.json was written at record 4: the end was cut off"},
		"the head":   {Head{3, heads[0].Hash}, nil, "record 3 is not the one that state.json was written at"},
		"an earlier": {heads[0], nil, ""},
	} {
		got, err := Verify(dir, c.head, c.anchors...)
		if err != nil || got.Records != 3 || got.Last != 3 || (len(got.Faults) > 0) != (c.want != "") {
			t.Fatalf("%s: %+v %v", name, got, err)
		}
		if c.want != "" {
			says(t, []string{got.Faults[0].What}, c.want)
		}
	}
}

// TestVerifyHeadBeforeTheEnd: a record that state.json was written at is there, also where the last line is another.
// Then the end was not cut off.
func TestVerifyHeadBeforeTheEnd(t *testing.T) {
	path := written(t, 3)
	ls := lines(t, path)
	last, err := Tail(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	put(t, path, bytes.Join([][]byte{ls[0], ls[2], []byte("\n"), ls[1]}, nil))
	a := audit(t, path, last.Head())
	if a.Last != 2 || len(a.Faults) == 0 || strings.Contains(fmt.Sprint(a.Faults), "cut off") {
		t.Errorf("%+v", a)
	}
}

// TestVerifyRecovered: a session that was recovered is named, with its record.
func TestVerifyRecovered(t *testing.T) {
	path := written(t, 1)
	r := numbered(2)
	r.Recovered = true
	if err := opened(t, path).Append(r, false); err != nil {
		t.Fatal(err)
	}
	broken(t, path, 2, "record 2: the journal lacked the session, which was recovered or began again")
}

// TestFault: a fault says its file, and its line where it is about one.
func TestFault(t *testing.T) {
	for want, f := range map[string]Fault{"journal.jsonl: cut off": {File: Name, What: "cut off"},
		"journal.jsonl:1: no hash": {File: Name, Line: 1, What: "no hash"}} {
		if got := f.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestVerifyTexts: each text that a record refers to is named once.
func TestVerifyTexts(t *testing.T) {
	path := written(t, 0)
	j := opened(t, path)
	for _, texts := range [][]string{{"one"}, nil, {"one", "two"}} {
		if err := j.Append(&Record{Event: fsm.Event{Kind: fsm.AgentStop}, Texts: texts}, false); err != nil {
			t.Fatal(err)
		}
	}
	if a := audit(t, path, Head{}); !slices.Equal(a.Texts, []string{"one", "two"}) {
		t.Errorf("%q", a.Texts)
	}
}
