package journal

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"slices"

	"github.com/tidwall/gjson"
)

const (
	// blockSize is how many bytes are read at once.
	blockSize = 256 << 10
	// longest is the length of a line, in bytes, above which only its beginning is kept: it
	// is no record of ours.
	longest = 16 << 20
)

// A blockReader reads a file in blocks of whole lines.
type blockReader struct {
	in   io.Reader
	rest []byte // the beginning of a line, read with the block before
	end  error  // why no block follows
}

// next reads a block into a buffer that may be used again. The last block of a file may
// be empty, and its last line may lack its end.
func (r *blockReader) next(buf []byte) []byte {
	buf = append(buf[:0], r.rest...)
	for {
		buf = buf[:min(len(buf), longest)]
		from := len(buf)
		buf = slices.Grow(buf, blockSize)
		for r.end == nil && len(buf) < from+blockSize {
			var n int
			n, r.end = r.in.Read(buf[len(buf) : from+blockSize])
			buf = buf[:len(buf)+n]
		}
		if r.end != nil {
			return buf
		}
		if i := bytes.LastIndexByte(buf[from:], '\n'); i >= 0 {
			whole := from + i + 1
			r.rest = append(r.rest[:0], buf[whole:]...)
			return buf[:whole]
		}
	}
}

// A block is what was read of a file, taken apart.
type block struct {
	text  []byte
	end   error // why no block follows; nil where one does
	lines []checkedLine
	done  chan struct{}

	codec   Codec
	other   []byte // what of a line is not the session
	session []byte // of a line that was valid
	state   string // in it
}

// A checkedLine is a line, or why it is no record.
type checkedLine struct {
	line   Line
	record *Record // where it was asked for
	err    error
}

// eachLine gives every line of a file to visit, oldest first, until visit returns an
// error. Lines are checked ahead of visit, on all processors.
func (p *part) eachLine(decode bool, visit func(*checkedLine) error) error {
	in := blockReader{in: p}
	var ahead, free []*block
	lines := 0
	for {
		for in.end == nil && len(ahead) <= runtime.GOMAXPROCS(0) {
			b := &block{}
			if n := len(free); n > 0 {
				b, free = free[n-1], free[:n-1]
			}
			b.text, b.done = in.next(b.text), make(chan struct{})
			b.end = in.end
			ahead = append(ahead, b)
			go b.checkLines(decode)
		}
		if len(ahead) == 0 {
			return nil
		}
		b := ahead[0]
		<-b.done
		for i := range b.lines {
			l := &b.lines[i]
			l.line.File, l.line.Line = p.name, l.line.Line+lines
			if err := visit(l); err != nil {
				return err
			}
		}
		if err := ignoreEOF(b.end); err != nil {
			return err
		}
		lines += bytes.Count(b.text, []byte("\n"))
		ahead, free = slices.Delete(ahead, 0, 1), append(free, b)
	}
}

// checkLines takes the lines of a block apart. Where a packed file is damaged, a line
// stands for what cannot be unpacked.
func (b *block) checkLines(decode bool) {
	defer close(b.done)
	b.lines, b.session = b.lines[:0], nil
	number := 1
	for raw := range bytes.Lines(b.text) {
		text, whole := bytes.CutSuffix(raw, []byte("\n"))
		if !whole && ignoreEOF(b.end) != nil {
			return
		}
		b.lines = append(b.lines, checkedLine{line: Line{Raw: text, Line: number, Torn: !whole}})
		l := &b.lines[len(b.lines)-1]
		if l.err = b.verify(&l.line); l.err == nil && decode {
			l.record, l.err = l.line.decode(&b.codec)
		}
		if whole {
			number++
		}
	}
	if isUnreadable(b.end) {
		err := fmt.Errorf("%w: %v", ErrPacked, b.end)
		b.lines = append(b.lines, checkedLine{line: Line{Line: number, Torn: true}, err: err})
	}
}

// verify says why a line is no record that this reader knows.
func (b *block) verify(l *Line) error {
	if err := checkHash(l.Raw); err != nil {
		return err
	}
	l.parse(l.Raw)
	if session := l.rawSession(); b.isValid(l, session) {
		l.state = b.state
	} else if gjson.ValidBytes(l.Raw) {
		b.session, b.state = session, l.State()
	} else {
		return fmt.Errorf("%w: not JSON", ErrDamaged)
	}
	if l.Version > Version { // also where the rest of it is not as we know it
		return newerVersion(l.Version)
	}
	return nil
}

// isValid reports whether a line is JSON, given that one with the same session was. Most
// have that of the line before, and then three quarters of the bytes are known.
func (b *block) isValid(l *Line, session []byte) bool {
	head, found := bytes.CutSuffix(l.Raw[:l.rest], []byte(sessionKey))
	if !found || l.Seq == 0 || len(session) == 0 || !bytes.Equal(session, b.session) {
		return false
	}
	body, _ := splitHash(l.Raw)
	b.other = append(b.other[:0], head...)
	b.other = append(b.other, body[l.rest+len(session):]...)
	return gjson.ValidBytes(append(b.other, '}'))
}
