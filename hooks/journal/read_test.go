package journal

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
)

// TestTorn cuts the last line at every place: it is taken away and said, and nothing
// else is lost. Where only the newline is missing the record is whole, and is kept.
func TestTorn(t *testing.T) {
	path := written(t, 3)
	body := bytesOf(t, path)
	last := lines(t, path)[2]
	start := len(body) - len(last) - 1
	for cut := start + 1; cut < len(body); cut++ {
		put(t, path, body[:cut])
		kept := 2
		said := fmt.Sprintf("a line of %d bytes that was not finished was cut off", cut-start)
		if cut == len(body)-1 {
			kept, said = 3, "record 3 lacked the end of its line"
		}
		torn(t, path, kept, said)
	}
}

// torn reads a journal of so many whole records and the beginning of another, before it
// is repaired and after.
func torn(t *testing.T, path string, kept int, said string) {
	t.Helper()
	want := []int{1, 2, 3}[:kept]
	if got, damaged := visits(t, path); !slices.Equal(got, want) || damaged != 0 {
		t.Fatalf("%s: before: %v, %d damaged", said, got, damaged)
	}
	if r, err := Tail(filepath.Dir(path)); err != nil || r.Seq != int64(kept) {
		t.Fatalf("%s: tail %d, %v", said, r.Seq, err)
	}
	if kept < 3 {
		broken(t, path, 3, "no hash")
	}
	says(t, add(t, path, 0), said)
	whole(t, path, kept)
	says(t, add(t, path, 1), "")
	whole(t, path, kept+1)
	if got, damaged := visits(t, path); len(got) != kept+1 || damaged != 0 {
		t.Fatalf("%s: after: %v, %d damaged", said, got, damaged)
	}
}

// TestFlippedLast changes every byte of the last line: Open says so, goes on from the
// record before and leaves the line.
func TestFlippedLast(t *testing.T) {
	for _, mask := range []byte{1, 0x20, 0x80} {
		path := written(t, 3)
		body := bytesOf(t, path)
		start := len(body) - len(lines(t, path)[2]) - 1
		for i := start; i < len(body)-1; i++ {
			flipped := slices.Clone(body)
			flipped[i] ^= mask
			put(t, path, flipped)
			broken(t, path, 3, "")
			says(t, add(t, path, 2), "damaged: going on from record 2")
			afterDamage(t, path, flipped, 3)
		}
	}
}

// afterDamage: two records were added to a journal whose third line is damaged. The
// line is still there, Check still names it, and what came after is read.
func afterDamage(t *testing.T, path string, before []byte, line int) {
	t.Helper()
	body := bytesOf(t, path)
	if !bytes.HasPrefix(body, before) {
		t.Fatal("the damaged line was changed")
	}
	broken(t, path, line, "")
	got, damaged := visits(t, path)
	if len(got) != 4 || !slices.Equal(got[:2], []int{1, 2}) || damaged == 0 {
		t.Fatalf("%v, %d damaged", got, damaged)
	}
	if next := 2 + damaged + 1; !slices.Equal(got[2:], []int{next, next + 1}) { // a byte may become a newline
		t.Fatalf("%v with %d damaged", got, damaged)
	}
	if r := opened(t, path).Last; r.State.Machine.Visit != got[3] {
		t.Fatalf("last is %d", r.Seq)
	}
}

// TestFlippedNewline: the last line is whole but for its newline, which is repaired.
func TestFlippedNewline(t *testing.T) {
	path := written(t, 3)
	body := bytesOf(t, path)
	flipped := slices.Clone(body)
	flipped[len(body)-1] ^= 1
	put(t, path, flipped)
	broken(t, path, 3, "")
	says(t, add(t, path, 0), "record 3 lacked the end of its line")
	if !bytes.Equal(body, bytesOf(t, path)) {
		t.Error("the journal is not what it was")
	}
}

// TestFlippedInside: a change anywhere else is found by Check, counted by Read, and
// does not hinder Open.
func TestFlippedInside(t *testing.T) {
	path := written(t, 3)
	body := bytesOf(t, path)
	second := bytes.IndexByte(body, '\n') + 1
	third := second + bytes.IndexByte(body[second:], '\n') + 1
	for i := range third {
		flipped := slices.Clone(body)
		flipped[i] ^= 1
		put(t, path, flipped)
		line, last := 1, int64(3)
		if i >= second {
			line = 2
		}
		if i == third-1 { // the second newline is gone: two records are one line that is neither
			last = 1
		}
		broken(t, path, line, "")
		if _, damaged := visits(t, path); damaged == 0 {
			t.Fatalf("byte %d: none damaged", i)
		}
		if j := opened(t, path); j.Last.Seq != last {
			t.Fatalf("byte %d: last %d, said %q", i, j.Last.Seq, j.Repairs)
		}
	}
}

// TestRearranged: whole lines are taken out, put in and moved.
func TestRearranged(t *testing.T) {
	path := written(t, 4)
	other := lines(t, written(t, 1))[0]
	other = append(bytes.TrimSuffix(other, []byte("\n")), '\n')
	ls := lines(t, path)
	ls[3] = append(ls[3], '\n')
	tests := []struct {
		name  string
		lines [][]byte
		line  int
		what  string
	}{
		{"first taken out", ls[1:], 1, "does not follow"},
		{"one taken out", [][]byte{ls[0], ls[1], ls[3]}, 3, "does not follow"},
		{"two taken out", [][]byte{ls[0], ls[3]}, 2, "does not follow"},
		{"begun again", [][]byte{ls[0], ls[1], ls[0]}, 3, "a journal begins here"},
		{"one left out", [][]byte{ls[0], ls[2]}, 2, "this is record 3, that was record 1"},
		{"one twice", [][]byte{ls[0], ls[1], ls[1], ls[2], ls[3]}, 3, "does not follow"},
		{"one of another journal", [][]byte{ls[0], ls[1], other, ls[2], ls[3]}, 3, "does not follow"},
		{"an empty line", [][]byte{ls[0], []byte("\n"), ls[1]}, 2, "no hash"},
		{"a line of ours without a hash", [][]byte{ls[0], []byte(`{"v":1,"n":2}` + "\n"), ls[1]}, 2, "no hash"},
		{"a hash alone", [][]byte{ls[0], []byte(sealed("")), ls[1]}, 2, "no hash"},
		{"two exchanged", [][]byte{ls[0], ls[2], ls[1], ls[3]}, 2, "does not follow"},
		{"last put first", [][]byte{ls[3], ls[0], ls[1], ls[2]}, 1, "does not follow"},
		{"a forged number", [][]byte{ls[0], forged(t, ls[1], `"n":2`, `"n":3`)}, 2, "record 3 follows record 1"},
		{"a forged record", [][]byte{ls[0], forged(t, ls[1], "note 2", "note X"), ls[2]}, 3, "does not follow"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			put(t, path, bytes.Join(tt.lines, nil))
			broken(t, path, tt.line, tt.what)
		})
	}
	put(t, path, bytes.Join([][]byte{ls[0], forged(t, ls[1], "note 2", "note X"), ls[2]}, nil))
	got, _ := Verify(filepath.Dir(path), Head{})
	if len(got.Faults) == 0 || got.Faults[0].What != "it does not follow the record before it" {
		t.Errorf("the numbers do follow: %+v", got.Faults)
	}
}

// forged is a line changed by somebody who knows how its hash is made.
func forged(t *testing.T, line []byte, old, text string) []byte {
	t.Helper()
	cut := bytes.LastIndex(line, []byte(hashKey))
	body := bytes.Replace(line[:cut], []byte(old), []byte(text), 1)
	if bytes.Equal(body, line[:cut]) {
		t.Fatalf("no %s in %s", old, line)
	}
	return []byte(sealed(string(body)))
}

// TestManyDamaged: the last good record is found behind many lines.
func TestManyDamaged(t *testing.T) {
	path := written(t, 2)
	put(t, path, append(bytesOf(t, path), bytes.Repeat([]byte("damaged\n"), 500)...))
	says(t, add(t, path, 1), "the last 500 lines of the journal are damaged: going on from record 2")
	broken(t, path, 3, "no hash")
	if got, damaged := visits(t, path); !slices.Equal(got, []int{1, 2, 503}) || damaged != 500 {
		t.Fatalf("%v, %d damaged", got, damaged)
	}
}

// TestMark: a place that was written down is found again, across a rotation and by file
// and by packed segment; a journal that has become shorter is read from its start.
func TestMark(t *testing.T) {
	path := written(t, 3)
	dir := filepath.Dir(path)
	var at Place
	next := func() (seen []int64) {
		t.Helper()
		var err error
		at, err = From(dir, Place{Segments: at.Segments, Offset: at.Offset}, &Want{},
			func(l *Line) bool { seen = append(seen, l.Seq); return true },
			func(f Fault) { t.Error(f) })
		if err != nil {
			t.Fatal(err)
		}
		return seen
	}
	expect := func(want ...int64) {
		t.Helper()
		if got := next(); !slices.Equal(got, want) {
			t.Fatalf("%v, expected %v", got, want)
		}
	}
	expect(1, 2, 3)
	expect()
	add(t, path, 2)
	if _, err := Rotate(dir, time.Unix(1_900_000_000, 0)); err != nil {
		t.Fatal(err)
	}
	if err := Compress(dir); err != nil {
		t.Fatal(err)
	}
	add(t, path, 1)
	expect(4, 5, 6, 7)
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	expect()
	add(t, path, 1)
	if got := next(); len(got) != 1 {
		t.Fatalf("after it was cut: %v", got)
	}
}

// TestStop: a reader that stops goes on behind the line that it saw last, and each line
// says where it begins.
func TestStop(t *testing.T) {
	path := written(t, 5)
	dir := filepath.Dir(path)
	if _, err := Rotate(dir, time.Unix(1_900_000_000, 0)); err != nil {
		t.Fatal(err)
	}
	if err := Compress(dir); err != nil {
		t.Fatal(err)
	}
	add(t, path, 2)
	var seen []int64
	at, last := Place{}, Place{}
	for range 4 {
		n := 0
		var err error
		at, err = From(dir, at, &Want{}, func(l *Line) bool {
			seen, last, n = append(seen, l.Seq), l.At, n+1
			return n < 2
		}, func(f Fault) { t.Error(f) })
		if err != nil {
			t.Fatal(err)
		}
		_, _ = From(dir, Place{Segments: last.Segments, Offset: last.Offset}, &Want{}, func(l *Line) bool {
			if l.Seq != seen[len(seen)-1] {
				t.Errorf("record %d begins where %d should", l.Seq, seen[len(seen)-1])
			}
			return false
		}, func(f Fault) { t.Error(f) })
	}
	if want := []int64{1, 2, 3, 4, 5, 6, 7, 8}; !slices.Equal(seen, want) {
		t.Errorf("%v, expected %v", seen, want)
	}
}

// TestFollowShorter: a shorter journal in the place of the one that was followed is read at once.
func TestFollowShorter(t *testing.T) {
	path := written(t, 5)
	at, n := End(filepath.Dir(path)), 0
	look := func() int {
		n = 0
		var err error
		if at, err = From(filepath.Dir(path), at, &Want{}, func(*Line) bool { n++; return true },
			func(f Fault) { t.Error(f) }); err != nil {
			t.Fatal(err)
		}
		return n
	}
	look()
	other := written(t, 1)
	if err := os.Rename(other, path); err != nil {
		t.Fatal(err)
	}
	if first, second := look(), look(); first != 1 || second != 0 {
		t.Errorf("%d records, then %d", first, second)
	}
	if err := os.Truncate(path, at.Offset-1); err != nil {
		t.Fatal(err)
	}
	first := look()
	add(t, path, 0)
	if second := look(); first != 0 || second != 1 {
		t.Errorf("shorter by its newline: %d records, and once that is there %d", first, second)
	}
}

// TestLookAtNothingNew: a look at a journal to which nothing has come reads none of it.
func TestLookAtNothingNew(t *testing.T) {
	dir := filepath.Dir(written(t, 3))
	at := Place{}
	look := func() (n int, size uint64) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var err error
		if at, err = From(dir, at, &Want{}, func(*Line) bool { n++; return true },
			func(f Fault) { t.Error(f) }); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return n, after.TotalAlloc - before.TotalAlloc
	}
	if n, size := look(); n != 3 || size < blockSize {
		t.Fatalf("the first look: %d records, %d bytes", n, size)
	}
	if n, size := look(); n != 0 || size >= blockSize {
		t.Errorf("the second look: %d records, %d bytes", n, size)
	}
}

// TestOldFilesAreLeftOut: a file that is older than what is wanted is not read, so that its damage is not named. A
// clock may have been set by an hour.
func TestOldFilesAreLeftOut(t *testing.T) {
	path := rotated(t, 1, 1)
	dir, then := filepath.Dir(path), time.Unix(1_700_000_000, 0)
	old := segmentPath(dir, 1)
	put(t, old, append(bytesOf(t, old), "damaged\n"...))
	if err := os.Chtimes(old, then, then); err != nil {
		t.Fatal(err)
	}
	for since, want := range map[time.Duration]int{0: 1, time.Hour: 1, time.Hour + time.Second: 0} {
		named := 0
		if _, err := From(dir, Place{}, &Want{Since: then.Add(since)}, func(*Line) bool { return true },
			func(Fault) { named++ }); err != nil || named != want {
			t.Errorf("wanted since %v later: %d lines are damaged, %v; want %d", since, named, err, want)
		}
	}
}

// TestWant: a record is wanted that fits every list, in the time that begins with since and ends before until.
func TestWant(t *testing.T) {
	path := filepath.Join(t.TempDir(), Name)
	j := opened(t, path)
	at := func(second int64) time.Time { return time.Unix(1_800_000_000+second, 0) }
	for i, r := range []Record{
		{Event: fsm.Event{Kind: fsm.Prompt}},
		{Event: fsm.Event{Kind: fsm.ToolRequest, Tool: fsm.Tool{Name: "Read"}}},
		{Event: fsm.Event{Kind: fsm.ToolRequest, Tool: fsm.Tool{Name: "Bash"}}, Verdict: "deny", Rule: "no-push"},
		{Event: fsm.Event{Kind: fsm.ToolResult, Tool: fsm.Tool{Name: "Bash"},
			Agent: fsm.Agent{ID: "a1", Type: "Explore"}}},
		{Event: fsm.Event{Kind: fsm.ToolRequest, Tool: fsm.Tool{Name: "Edit"}, Agent: fsm.Agent{ID: "a2", Type: "go"}},
			Rule: fsm.RuleBypass, Bypassed: []string{"no-edits"}, Verdict: "warn"},
	} {
		r.Event.Time = at(int64(i + 1))
		if err := j.Append(&r, false); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(path, time.Time{}, at(5)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		want Want
		seen []int64
	}{
		{Want{}, []int64{1, 2, 3, 4, 5}},
		{Want{Since: at(2), Until: at(4)}, []int64{2, 3}},
		{Want{Until: at(1)}, nil},
		{Want{Verdicts: []string{"pass"}}, []int64{2}},
		{Want{Verdicts: []string{"deny", "warn"}}, []int64{3, 5}},
		{Want{Kinds: []string{"prompt", "B*"}}, []int64{1, 3}},
		{Want{Kinds: []string{"tool-result"}}, []int64{4}},
		{Want{Tools: []string{"Bash"}}, []int64{3, 4}},
		{Want{Tools: []string{"*"}, Verdicts: []string{"pass", "deny"}}, []int64{2, 3}},
		{Want{Rules: []string{"no-*"}}, []int64{3, 5}},
		{Want{Rules: []string{"bypass"}}, []int64{5}},
		{Want{Agents: []string{"main"}}, []int64{1, 2, 3}},
		{Want{Agents: []string{"a1", "g?"}}, []int64{4, 5}},
		{Want{Agents: []string{"Explore"}, Tools: []string{"Edit"}}, nil},
	} {
		var seen []int64
		if _, err := From(filepath.Dir(path), Place{}, &c.want, func(l *Line) bool {
			seen = append(seen, l.Seq)
			return true
		}, func(f Fault) { t.Error(f) }); err != nil || !slices.Equal(seen, c.seen) {
			t.Errorf("%+v: %v, %v; expected %v", c.want, seen, err, c.seen)
		}
	}
}
