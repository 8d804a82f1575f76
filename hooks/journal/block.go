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
	count int // of lines that have their end
	done  chan struct{}

	codec Codec
}

// A checkedLine is a line, or why it is no record.
type checkedLine struct {
	line   Line
	record *Record // where it was asked for
	err    error
}

// eachLine gives every line of a file to visit, oldest first, until visit returns an
// error. Lines are read and checked ahead of visit, on all processors.
func (p *part) eachLine(decode bool, visit func(*checkedLine) error) error {
	ahead := make(chan *block, runtime.GOMAXPROCS(0))
	free := make(chan *block, cap(ahead)+2)
	stop := make(chan struct{})
	go p.readBlocks(decode, ahead, free, stop)
	defer func() {
		close(stop)
		for range ahead { // until the file is not read any more
		}
	}()
	lines := 0
	for b := range ahead {
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
		lines += b.count
		free <- b
	}
	return nil
}

// readBlocks reads a file in blocks, and has each checked by a goroutine of its own.
func (p *part) readBlocks(decode bool, ahead chan<- *block, free <-chan *block, stop <-chan struct{}) {
	defer close(ahead)
	for in := (blockReader{in: p}); in.end == nil; {
		var b *block
		select {
		case b = <-free:
		default:
			b = &block{}
		}
		b.text, b.done = in.next(b.text), make(chan struct{})
		b.end = in.end
		go b.checkLines(decode)
		select {
		case ahead <- b:
		case <-stop:
			return
		}
	}
}

// checkLines takes the lines of a block apart. Where a packed file is damaged, a line
// stands for what cannot be unpacked.
func (b *block) checkLines(decode bool) {
	defer close(b.done)
	b.lines, b.count = b.lines[:0], 0
	for raw := range bytes.Lines(b.text) {
		text, whole := bytes.CutSuffix(raw, []byte("\n"))
		if !whole && ignoreEOF(b.end) != nil {
			return
		}
		n := len(b.lines)
		b.lines = slices.Grow(b.lines, 1)[:n+1]
		l := &b.lines[n]
		*l = checkedLine{line: Line{Raw: text, Line: b.count + 1, Torn: !whole, Parts: l.line.Parts[:0]}}
		if l.err = l.line.verify(); l.err == nil && decode {
			l.record, l.err = l.line.decode(&b.codec)
		}
		if whole {
			b.count++
		}
	}
	if isUnreadable(b.end) {
		err := fmt.Errorf("%w: %v", ErrPacked, b.end)
		b.lines = append(b.lines, checkedLine{line: Line{Line: b.count + 1, Torn: true}, err: err})
	}
}

// verify says why a line is no record that this reader knows.
func (l *Line) verify() error {
	if err := checkHash(l.Raw); err != nil {
		return err
	}
	if !gjson.ValidBytes(l.Raw) {
		return fmt.Errorf("%w: not JSON", ErrDamaged)
	}
	l.parse(l.Raw)
	if l.Version > Version { // also where the rest of it is not as we know it
		return newerVersion(l.Version)
	}
	return nil
}
