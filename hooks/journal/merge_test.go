package journal

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
)

// A shelf is a folder with the journals of sessions.
type shelf struct {
	*testing.T
	dir string
}

// A label is a record of a merge.
type label struct {
	session string
	seq     int64
	at      time.Time
}

// midnight is when the first records were made.
func midnight() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) }

// record appends n records to a session's journal, each a second later; every 50th is a denial.
func (s shelf) record(id string, from time.Time, n int) {
	s.Helper()
	dir := filepath.Join(s.dir, id)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		s.Fatal(err)
	}
	j := opened(s, filepath.Join(dir, Name))
	defer j.Close()
	for i := range n {
		r := Record{Event: fsm.Event{Time: from.Add(time.Duration(i) * time.Second), Kind: "tool-request",
			Tool: fsm.Tool{Name: "Bash"}}, State: fsm.Session{ID: id}}
		if i%50 == 0 {
			r.Verdict, r.Rule = "deny", "no-searching"
		}
		if err := j.Append(&r, false); err != nil {
			s.Fatal(err)
		}
	}
}

// rotate carries a session's journal on, and packs what was.
func (s shelf) rotate(id string, packs bool) {
	s.Helper()
	dir := filepath.Join(s.dir, id)
	last, err := Tail(dir)
	if err == nil {
		_, err = Rotate(dir, last.Event.Time)
	}
	if err == nil && packs {
		err = Compress(dir)
	}
	if err != nil {
		s.Fatal(err)
	}
}

// sources are the journals of sessions.
func (s shelf) sources(ids ...string) (out []Source) {
	for _, id := range ids {
		out = append(out, Source{id, filepath.Join(s.dir, id)})
	}
	return out
}

// merge returns the records of sessions, without a fault.
func (s shelf) merge(ids []string, want Want) (all []label) {
	s.Helper()
	ends, err := Merge(s.sources(ids...), want,
		func(id string, l *Line) { all = append(all, label{id, l.Seq, l.Time}) },
		func(id string, f Fault) { s.Error(id, f) })
	if err != nil {
		s.Fatal(err)
	}
	for _, source := range s.sources(ids...) {
		_, err := From(source.Dir, ends[source.ID], &Want{},
			func(l *Line) bool { s.Errorf("%s: record %d is behind the end", source.ID, l.Seq); return true },
			func(f Fault) { s.Error(f) })
		if err != nil {
			s.Fatal(err)
		}
	}
	return all
}

// TestMerge: sessions that overlap are shown in the order of time, many more than are open
// at once.
func TestMerge(t *testing.T) {
	s := shelf{t, t.TempDir()}
	var ids []string
	total := 0
	for i := range 30 {
		id := fmt.Sprintf("s%02d", i)
		ids = append(ids, id)
		n := 1 + i*37%400
		from := midnight().Add(time.Duration(i*100) * time.Second)
		s.record(id, from, n)
		if i%3 == 0 { // its segments: one that is packed, and one that is not
			for k := range 1 + i%2 {
				s.rotate(id, k == 0)
				s.record(id, from.Add(time.Duration((k+1)*n)*time.Second), n)
			}
			n *= 2 + i%2
			total += 1 + i%2 // the records that say so
		}
		total += n
	}
	rand.New(rand.NewPCG(3, 4)).Shuffle(len(ids), func(i, k int) { ids[i], ids[k] = ids[k], ids[i] })
	all := s.merge(ids, Want{})
	if len(all) != total || !slices.IsSortedFunc(all, func(a, b label) int { return a.at.Compare(b.at) }) {
		t.Errorf("%d of %d, or not sorted", len(all), total)
	}
	denied := s.merge(ids, Want{Verdicts: []string{"deny"}})
	if len(denied) == 0 || len(denied) == total {
		t.Errorf("%d of %d are denied", len(denied), total)
	}
	if asked := s.merge(ids, Want{Verdicts: []string{"ask"}}); len(asked) > 0 {
		t.Errorf("%d are asked about", len(asked))
	}
}

// TestMergeOfOneInstant: records of one instant stand in the order of their sessions' names, however these are named.
func TestMergeOfOneInstant(t *testing.T) {
	s := shelf{t, t.TempDir()}
	for _, id := range []string{"b", "a", "c"} {
		s.record(id, midnight(), 2)
	}
	for _, ids := range [][]string{{"b", "a", "c"}, {"c", "b", "a"}} {
		var got []string
		for _, l := range s.merge(ids, Want{}) {
			got = append(got, l.session)
		}
		if !slices.Equal(got, []string{"a", "b", "c", "a", "b", "c"}) {
			t.Errorf("%q: %q", ids, got)
		}
	}
}

// TestMergeWithoutAJournal: a session without a journal has no records. One whose journal cannot be read is named. The
// others are read all the same.
func TestMergeWithoutAJournal(t *testing.T) {
	s := shelf{t, t.TempDir()}
	s.record("there", midnight(), 3)
	if all := s.merge([]string{"there"}, Want{}); len(all) != 3 {
		t.Fatalf("%d records", len(all))
	}
	if err := os.MkdirAll(filepath.Join(s.dir, "blocked", Name), 0o700); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{"gone": "", "blocked": "session blocked: "} {
		n := 0
		ends, err := Merge(s.sources(id, "there"), Want{}, func(string, *Line) { n++ },
			func(id string, f Fault) { t.Error(id, f) })
		if n != 3 || ends["there"].Offset == 0 || (err == nil) != (want == "") ||
			err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %d records, %v", id, n, err)
		}
	}
}

// TestMergeOfNewRecords: a record that comes while journals are read is seen, and who goes on from where Merge
// ended does not see it again.
func TestMergeOfNewRecords(t *testing.T) {
	s := shelf{t, t.TempDir()}
	s.record("s1", midnight(), 2)
	var seen []int64
	ends, err := Merge(s.sources("s1"), Want{}, func(id string, l *Line) {
		if seen = append(seen, l.Seq); l.Seq == 1 {
			s.record(id, midnight().Add(time.Minute), 1)
		}
	}, func(id string, f Fault) { t.Error(id, f) })
	s.record("s1", midnight().Add(time.Hour), 1)
	if err == nil {
		_, err = From(filepath.Join(s.dir, "s1"), ends["s1"], &Want{},
			func(l *Line) bool { seen = append(seen, l.Seq); return true }, func(f Fault) { t.Error(f) })
	}
	if want := []int64{1, 2, 3, 4}; err != nil || !slices.Equal(seen, want) {
		t.Errorf("%v, %v, expected %v", seen, err, want)
	}
}

// TestMergeOfLateRecords: within a session the time may go back.
func TestMergeOfLateRecords(t *testing.T) {
	s := shelf{t, t.TempDir()}
	for i, seconds := range []int{1, 10, 5, 11, 7, 12} {
		s.record([]string{"a", "b"}[i/5], midnight().Add(time.Duration(seconds)*time.Second), 1)
	}
	s.record("b", midnight().Add(7*time.Second), 1)
	both := []string{"a", "b"}
	all := s.merge(both, Want{})
	if len(all) != 7 {
		t.Fatalf("%d records", len(all))
	}
}

// TestMergeOfDamage: all damage is named.
func TestMergeOfDamage(t *testing.T) {
	for _, isPacked := range []bool{false, true} {
		s := shelf{t, t.TempDir()}
		s.record("s1", midnight(), 300)
		path := filepath.Join(s.dir, "s1", Name)
		lines := bytes.SplitAfter(bytesOf(t, path), []byte("\n"))
		lines[9], lines[199], lines[296] = []byte("old\n"), []byte("[]\n"), []byte("new\n")
		if err := os.WriteFile(path, append(bytes.Join(lines, nil), "torn"...), 0o600); err != nil {
			t.Fatal(err)
		}
		file := Name
		if isPacked {
			s.rotate("s1", true)
			file = "journal.1.jsonl.gz"
		}
		want := []int{10, 200, 297}
		var got []int
		seen := 0
		if _, err := Merge(s.sources("s1"), Want{Kinds: []string{"tool-request"}},
			func(string, *Line) { seen++ }, func(id string, f Fault) {
				if got = append(got, f.Line); id != "s1" || f.File != file {
					t.Error(id, f)
				}
			}); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) || seen != 297 {
			t.Errorf("packed %v: %d records, damaged are %v, expected %v", isPacked, seen, got, want)
		}
	}
}
