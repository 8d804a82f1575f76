package journal

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/tidwall/gjson"
)

const (
	// blockSize is how many bytes are read at once.
	blockSize = 256 << 10
	// longest is the length of a line, in bytes, above which only its beginning is kept: it
	// is no record of ours.
	longest = 16 << 20
)

// A lineReader reads a file line by line, and counts what it has read.
type lineReader struct {
	in   *bufio.Reader
	long []byte // a line that is longer than the buffer
	size int64  // bytes that were read
}

func newLineReader(r io.Reader) *lineReader {
	return &lineReader{in: bufio.NewReaderSize(r, blockSize)}
}

// next reads a line without its end, into memory that the next call uses again. The error says why a line
// has no end: it is the last one, and may be empty.
func (r *lineReader) next() ([]byte, error) {
	r.long = r.long[:0]
	for {
		text, err := r.in.ReadSlice('\n')
		r.size += int64(len(text))
		if err == nil {
			text = text[:len(text)-1]
		}
		if isWhole := err == nil; isWhole && len(r.long) == 0 {
			return text, nil
		}
		r.long = append(r.long, text[:min(len(text), longest-len(r.long))]...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return r.long, err
		}
	}
}

// A checkedLine is a line, or why it is no record.
type checkedLine struct {
	line   Line
	record *Record // where it was asked for
	err    error
}

// eachLine gives every line of a file to visit, oldest first, until visit returns an error. A line is valid until
// then. Where a packed file is damaged, a line stands for what cannot be unpacked.
func (p *part) eachLine(decode bool, visit func(*checkedLine) error) error {
	var l checkedLine
	var codec Codec
	in := newLineReader(p)
	for n := 1; ; n++ {
		text, end := in.next()
		if err := ignoreEOF(end); err != nil {
			return err
		}
		if end == nil || len(text) > 0 {
			l = checkedLine{line: Line{Raw: text, File: p.name, Line: n, Torn: end != nil, Parts: l.line.Parts[:0]}}
			if l.err = l.line.verify(); l.err == nil && decode {
				l.record, l.err = l.line.decode(&codec)
			}
			if err := visit(&l); err != nil {
				return err
			}
		}
		if isUnreadable(end) {
			return visit(&checkedLine{line: Line{File: p.name, Line: n, Torn: true},
				err: fmt.Errorf("%w: %v", ErrPacked, end)})
		}
		if end != nil {
			return nil
		}
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
