package journal

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// TestLines: whatever the lengths of lines, and however a file is read, all of it is read, line by line.
func TestLines(t *testing.T) {
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
			in := newLineReader(iotest.HalfReader(bytes.NewReader(text)))
			var got []byte
			for range lengths {
				line, err := in.next()
				if err != nil {
					t.Fatalf("%v: %v", lengths, err)
				}
				got = append(append(got, line...), '\n')
			}
			line, err := in.next()
			if got = append(got, line...); err != io.EOF || !bytes.Equal(got, text) || in.size != int64(len(text)) {
				t.Fatalf("%v and %d: read %d bytes of %d, counted %d, %v", lengths, len(torn), len(got), len(text),
					in.size, err)
			}
		}
	}
}

// TestEndlessLine: of a line that is too long the beginning is kept, and what follows is
// read.
func TestEndlessLine(t *testing.T) {
	in := newLineReader(strings.NewReader("first\n" + strings.Repeat("x", 3*longest) + "\nlast\n"))
	var lines []string
	for {
		line, err := in.next()
		if len(line) > longest {
			t.Fatalf("a line of %d bytes", len(line))
		}
		if err != nil {
			break
		}
		lines = append(lines, string(line[:min(len(line), 6)]))
	}
	if !slices.Equal(lines, []string{"first", "xxxxxx", "last"}) {
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
		return Walk(filepath.Dir(path), func(l *Line, err error) error {
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
		func(f Fault) { t.Error(f) }); err != nil || end.line != 3000 || end.Offset != int64(len(body)) {
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
		p := part{Reader: strings.NewReader(first + sealed(body))}
		_, err := p.eachLine(Place{}, true, func(l *Line, err error) error {
			want := valid || l.Line == 1
			if (err == nil) != want || want && l.State() != "A" {
				t.Errorf("%s: line %d: %v, state %q", body, l.Line, err, l.State())
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
