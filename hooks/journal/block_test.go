package journal

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// TestBlocks: whatever the lengths of lines, and however a file is read, blocks hold all
// of it, in whole lines.
func TestBlocks(t *testing.T) {
	for _, lengths := range [][]int{
		{}, {0}, {1, 2, 3}, {blockSize - 1}, {blockSize}, {blockSize - 2, 0, 0, 5}, {10, 3 * blockSize, 10, 10},
		slices.Repeat([]int{1000}, 1000), slices.Repeat([]int{blockSize / 3}, 20),
	} {
		for _, torn := range []string{"", "torn", strings.Repeat("t", blockSize+5)} {
			var text []byte
			for i, n := range lengths {
				text = append(append(text, bytes.Repeat([]byte{byte('a' + i%26)}, n)...), '\n')
			}
			text = append(text, torn...)
			in := blockReader{in: iotest.HalfReader(bytes.NewReader(text))}
			var got, buf []byte
			for in.end == nil {
				buf = in.next(buf)
				got = append(got, buf...)
				if in.end == nil && !bytes.HasSuffix(buf, []byte("\n")) {
					t.Fatalf("%v: a block ends in %q", lengths, buf[max(0, len(buf)-9):])
				}
			}
			if !bytes.Equal(got, text) {
				t.Fatalf("%v and %d: read %d bytes of %d", lengths, len(torn), len(got), len(text))
			}
		}
	}
}

// TestEndlessLine: of a line that is too long the beginning is kept, and what follows is
// read.
func TestEndlessLine(t *testing.T) {
	in := blockReader{in: strings.NewReader("first\n" + strings.Repeat("x", 3*longest) + "\nlast\n")}
	var lines []string
	var buf []byte
	for in.end == nil {
		buf = in.next(buf)
		if len(buf) > longest+2*blockSize {
			t.Fatalf("a block of %d bytes", len(buf))
		}
		for l := range strings.Lines(string(buf)) {
			lines = append(lines, l[:min(len(l), 6)])
		}
	}
	if !slices.Equal(lines, []string{"first\n", "xxxxxx", "last\n"}) {
		t.Errorf("%q", lines)
	}
}

// TestWalkBlocks: a journal of many blocks is walked in order, with its numbers, to the
// line where visit stops.
func TestWalkBlocks(t *testing.T) {
	path := written(t, 3000)
	body := bytesOf(t, path)
	if len(body) < 3*blockSize {
		t.Fatalf("%d bytes are no more than a few blocks", len(body))
	}
	put(t, path, append(body, "torn"...))
	seen := 0
	stop := fmt.Errorf("stop")
	walk := func(until int) error {
		seen = 0
		return Walk(path, func(l *Line, err error) error {
			seen++
			isTorn := seen == 3001
			if (err != nil) != isTorn || l.Torn != isTorn || l.Line != seen || !isTorn && l.Seq != int64(seen) {
				t.Fatalf("line %d: %d, record %d, torn %v, %v", seen, l.Line, l.Seq, l.Torn, err)
			}
			if seen == until {
				return stop
			}
			return nil
		})
	}
	if err := walk(0); err != nil || seen != 3001 {
		t.Errorf("%d lines, %v", seen, err)
	}
	if err := walk(1500); err != stop || seen != 1500 {
		t.Errorf("%d lines, %v", seen, err)
	}
	if err := os.Truncate(path, int64(len(body))); err != nil {
		t.Fatal(err)
	}
	if end, err := From(filepath.Dir(path), End(filepath.Dir(path)), &Want{},
		func(l *Line) bool { t.Error(l.Seq); return true },
		func(f Fault) { t.Error(f) }); err != nil || end.line != 3000 || end.offset != int64(len(body)) {
		t.Errorf("%+v, %v", end, err)
	}
}

// TestKnownSession: a line with the session of the line before it is JSON exactly where
// the whole of it is.
func TestKnownSession(t *testing.T) {
	const session = `,"session":{"id":"s","machine":{"state":"A"}}`
	prev := `,"prev":"` + strings.Repeat("0", hashLen) + `"`
	first := sealed(`{"v":2,"n":1,"event":{"kind":"prompt"}` + session + prev)
	for body, valid := range map[string]bool{
		`{"v":2,"n":2,"event":{"kind":"prompt"}` + session + prev:  true,
		`{"v":2,"n":2,"event":{"kind":"prompt"}` + session:         true,
		`{"v":2,"n":2,"event":{"kind":"prompt"},` + session + prev: false,
		`{"v":2,"n":2,"event":{"kind":"prompt"` + session + prev:   false,
		`{"v":2,"n":2,"event":{"kind":"prompt"}}` + session + prev: false,
		`{` + session + prev: false,
		`{"v":2,"n":2` + session + `,"prev":"` + strings.Repeat(`"`, hashLen) + `"`:               false,
		`{"v":2,"n":2` + session + `,"prev":"` + strings.Repeat("\n", hashLen) + `"`:              false,
		`{"v":2,"n":2,"event":{"kind":"prompt"}` + strings.Replace(session, "A", "A\n", 1) + prev: false,
	} {
		b := block{text: []byte(first + sealed(body)), done: make(chan struct{})}
		b.checkLines(false)
		if b.lines[0].err != nil {
			t.Fatal(b.lines[0].err)
		}
		second := &b.lines[1]
		if (second.err == nil) != valid || valid && second.line.State() != "A" {
			t.Errorf("%s: %v, state %q", body, second.err, second.line.State())
		}
	}
}
