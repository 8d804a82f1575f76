package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
)

func TestAppendAndRead(t *testing.T) {
	path := written(t, 3)
	whole(t, path, 3)
	if got, damaged := visits(t, path); !slices.Equal(got, []int{1, 2, 3}) || damaged != 0 {
		t.Fatalf("%v, %d damaged", got, damaged)
	}
	j := opened(t, path)
	tail, err := Tail(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	want := *numbered(3)
	want.Version, want.Seq, want.Prev, want.Hash = Version, 3, tail.Prev, tail.Hash
	for _, got := range []Record{*j.Last, tail} {
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	}
	if len(tail.Hash) != hashLen || len(tail.Prev) != hashLen || tail.Hash == tail.Prev {
		t.Errorf("hash %q after %q", tail.Hash, tail.Prev)
	}
	says(t, j.Repairs, "")
}

// TestCodecRemembers: what was read is not read again, but only while it is still the last
// line and whole.
func TestCodecRemembers(t *testing.T) {
	var c Codec
	path := written(t, 3)
	open := func(wantSeq int64) *Journal {
		t.Helper()
		j, err := c.Open(filepath.Dir(path))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { j.Close() })
		if j.Last.Seq != wantSeq || j.Last.Seq > 0 && j.Last.State.Machine.Visit != int(wantSeq) {
			t.Errorf("opened at %d, in visit %d, want %d", j.Last.Seq, j.Last.State.Machine.Visit, wantSeq)
		}
		return j
	}
	if r, err := c.Tail(filepath.Dir(path)); err != nil || r.Seq != 3 {
		t.Fatal(r.Seq, err)
	}
	c.last.Policy = "not read again"
	if j := open(3); j.Last.Policy != "not read again" {
		t.Error("the last record was read again")
	}
	add(t, path, 1)
	open(4)
	body := bytesOf(t, path)
	body[len(body)-100] ^= 1
	put(t, path, body)
	open(3)
	put(t, path, nil)
	open(0)
}

func TestAppendRemembers(t *testing.T) {
	j := opened(t, written(t, 0))
	for n := range 3 {
		r := numbered(n + 1)
		if err := j.Append(r, n == 1); err != nil {
			t.Fatal(err)
		}
		if j.Last.Hash != r.Hash || r.Seq != int64(n+1) {
			t.Fatalf("last is %d %s after %d %s", j.Last.Seq, j.Last.Hash, r.Seq, r.Hash)
		}
	}
}

func TestReadStops(t *testing.T) {
	n := 0
	if _, err := Read(filepath.Dir(written(t, 5)), func(Record) bool { n++; return n < 2 }); err != nil || n != 2 {
		t.Fatalf("%d visits, %v", n, err)
	}
}

func TestMissing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none.jsonl")
	_, tail := Tail(filepath.Dir(path))
	_, read := Read(filepath.Dir(path), nil)
	_, check := Verify(filepath.Dir(path), Head{})
	for _, err := range []error{tail, read, check} {
		if !os.IsNotExist(unwrapped(err)) {
			t.Errorf("%v", err)
		}
	}
	if _, err := Open(path); err == nil || !strings.Contains(err.Error(), "open journal") {
		t.Errorf("%v", err)
	}
}

func unwrapped(err error) error {
	for {
		u, ok := err.(interface{ Unwrap() error })
		if !ok || os.IsNotExist(err) {
			return err
		}
		err = u.Unwrap()
	}
}

func TestEmpty(t *testing.T) {
	path := written(t, 0)
	put(t, path, nil)
	j := opened(t, path)
	if !j.Empty() || j.Last.Seq != 0 {
		t.Fatalf("empty %v, last %d", j.Empty(), j.Last.Seq)
	}
	says(t, j.Repairs, "")
	if r, err := Tail(filepath.Dir(path)); r.Seq != 0 || err != nil {
		t.Fatalf("tail %d, %v", r.Seq, err)
	}
	whole(t, path, 0)
	add(t, path, 2)
	whole(t, path, 2)
	if opened(t, path).Empty() {
		t.Error("empty with two records")
	}
}

// TestGarbage: what is no journal is kept as it is, apart from an end that no line has,
// and journalling goes on.
func TestGarbage(t *testing.T) {
	tests := []struct {
		name, body string
		kept       string
		said       string
		damaged    int
	}{
		{"lines", "x\n\n{}\n", "x\n\n{}\n", "the last 3 lines of the journal are damaged", 3},
		{"no newline", "garbage", "", "a line of 7 bytes that was not finished was cut off", 0},
		{"newlines", "\n\n", "\n\n", "the last 2 lines", 2},
		{"binary", "\x00\xff\n\x00\x01", "\x00\xff\n", "2 bytes", 1},
		{"zeros", strings.Repeat("\x00", 100_000), "", "100000 bytes", 0},
		{"long lines", strings.Repeat(strings.Repeat("y", 30_000)+"\n", 3),
			strings.Repeat(strings.Repeat("y", 30_000)+"\n", 3), "3 lines", 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := written(t, 0)
			put(t, path, []byte(tt.body))
			says(t, add(t, path, 2), tt.said)
			if !bytes.HasPrefix(bytesOf(t, path), []byte(tt.kept)) {
				t.Error("the garbage was changed")
			}
			first := tt.damaged + 1
			if got, damaged := visits(t, path); !slices.Equal(got, []int{first, first + 1}) || damaged != tt.damaged {
				t.Errorf("%v, %d damaged", got, damaged)
			}
		})
	}
}

// TestLongLines: lines longer than what is read at first, and of exactly that length.
func TestLongLines(t *testing.T) {
	for _, size := range []int{chunk / 2, chunk, 3 * chunk, 5 * chunk, 40 * chunk} {
		for off := -2; off <= 2; off++ {
			t.Run(fmt.Sprint(size, off), func(t *testing.T) { longLine(t, size+off) })
		}
	}
}

func longLine(t *testing.T, size int) {
	path := written(t, 1)
	before := len(bytesOf(t, path))
	j := opened(t, path)
	r := numbered(2)
	bare := *r
	bare.Version, bare.Seq, bare.Prev = Version, 2, j.Last.Hash
	r.Error = strings.Repeat("x", size-len(bare.seal(&Codec{}))-len(`,"error":""`))
	if err := j.Append(r, false); err != nil {
		t.Fatal(err)
	}
	if got := len(bytesOf(t, path)) - before; got != size {
		t.Fatalf("a line of %d, expected %d", got, size)
	}
	if got := opened(t, path).Last; got.Hash != r.Hash {
		t.Fatalf("last is %d", got.Seq)
	}
	add(t, path, 1)
	whole(t, path, 3)
	if got, err := Tail(filepath.Dir(path)); err != nil || got.Seq != 3 {
		t.Fatalf("tail %d, %v", got.Seq, err)
	}
	cutShort(t, path, r.Hash)
}

// cutShort tears the last line off, so that the long one is looked for from the end.
func cutShort(t *testing.T, path, hash string) {
	t.Helper()
	body := bytesOf(t, path)
	put(t, path, body[:len(body)-3])
	if got := opened(t, path).Last; got.Hash != hash {
		t.Fatalf("last is %d", got.Seq)
	}
}

// TestVersions: a record of a newer pipeline is refused and nothing is touched; an
// older one is read.
func TestVersions(t *testing.T) {
	odd := `{"v":3,"n":"three","time":7`
	tests := []struct {
		name, body, after string
	}{
		{"last", `{"v":3,"n":3`, ""},
		{"of another shape", odd, ""},
		{"before a torn line", odd, `{"v":3,"n":`},
		{"before a damaged line", odd, "oops\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := written(t, 2)
			put(t, path, append(bytesOf(t, path), sealed(tt.body)+tt.after...))
			refusesNewer(t, path)
		})
	}
}

func refusesNewer(t *testing.T, path string) {
	t.Helper()
	before := bytesOf(t, path)
	_, open := Open(filepath.Dir(path))
	_, tail := Tail(filepath.Dir(path))
	_, read := Read(filepath.Dir(path), func(Record) bool { return true })
	for _, err := range []error{open, tail, read} {
		if err == nil || !strings.Contains(err.Error(), "record of version 3: this pipeline knows up to 2") {
			t.Errorf("%v", err)
		}
	}
	broken(t, path, 3, "version 3")
	if !bytes.Equal(before, bytesOf(t, path)) {
		t.Error("the journal was changed")
	}
}

// sealed ends a line that is begun: {"v":0,"n":1
func sealed(body string) string {
	sum := sha256.Sum256([]byte(body))
	return body + hashKey + hex.EncodeToString(sum[:])[:hashLen] + "\"}\n"
}

func TestOlderVersion(t *testing.T) {
	path := written(t, 0)
	put(t, path, []byte(sealed(`{"v":0,"n":1,"time":"2027-01-15T08:00:00Z","kind":"prompt","gone":[1],`+
		`"session":{"id":"s1","machine":{"state":"IDLE","visit":1}}`)))
	want := fsm.Session{ID: "s1", Machine: fsm.Machine{State: "IDLE", Visit: 1}}
	if d := cmp.Diff(want, opened(t, path).Last.State); d != "" {
		t.Error(d)
	}
	add(t, path, 1)
	whole(t, path, 2)
}

// A brokenDisk gives no byte.
type brokenDisk struct{}

func (brokenDisk) ReadAt([]byte, int64) (int, error) { return 0, errors.New("input/output error") }

// TestLineBefore: a line is found from its end, also of a file that became shorter meanwhile. What the disk does not
// give is no line.
func TestLineBefore(t *testing.T) {
	const text = "one\ntwo\nthree"
	for end, want := range map[int64]string{13: "three", 8: "two\n", 4: "one\n", 15: "three\x00\x00"} {
		if got, err := LineBefore(strings.NewReader(text), end); err != nil || string(got) != want {
			t.Errorf("before %d: %q, %v; want %q", end, got, err, want)
		}
	}
	if got, err := LineBefore(brokenDisk{}, 8); err == nil || !strings.Contains(err.Error(), "read journal: input") {
		t.Errorf("%q, %v", got, err)
	}
}

// TestClosedJournalHasNoFile: its file's number may be another file's by the time that somebody writes.
func TestClosedJournalHasNoFile(t *testing.T) {
	j := opened(t, filepath.Join(t.TempDir(), Name))
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if err := j.Append(&Record{}, false); err == nil || j.file != system.Closed {
		t.Errorf("a closed journal was written: %v", err)
	}
}
