package journal

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// ScanBack is Scan from the end: it gives the newest line first. The caller asks for at
// most so many lines, and returns false from visit when it has enough. Faults come where
// their lines stand. What is older than the last line that was visited is not read, but
// for a part of its file.
func ScanBack(dir string, want *Want, limit int, visit func(*Line) bool, damage Damage) error {
	return orEnough(eachFileBack(filepath.Join(dir, Name), func(p *part) error {
		if want.isOlder(dir, p) {
			return nil
		}
		b := backScan{part: p, want: want, limit: limit, visit: visit, damage: damage}
		if f, ok := p.Reader.(*os.File); ok {
			return b.scanFile(f)
		}
		return b.scanForward(p.Reader)
	}))
}

// A backScan goes through a file from its end.
type backScan struct {
	*part
	want   *Want
	limit  int
	visit  func(*Line) bool
	damage Damage

	found []finding // not passed on yet, the oldest first
	lines int       // in it
}

// A finding is a line that is wanted, or what is wrong with one.
type finding struct {
	line  *Line // nil for a fault
	fault Fault
}

func (b *backScan) addLine(l *Line) bool {
	b.found = append(b.found, finding{line: l})
	if b.lines++; b.lines >= 2*b.limit {
		b.dropOldest()
	}
	return true
}

func (b *backScan) addFault(f Fault) { b.found = append(b.found, finding{fault: f}) }

// dropOldest drops what stands before the newest lines that can be asked for.
func (b *backScan) dropOldest() {
	b.lines = 0
	for i := len(b.found) - 1; i >= 0; i-- {
		if b.found[i].line != nil {
			b.lines++
		}
		if b.lines == b.limit {
			b.found = slices.Delete(b.found, 0, i)
			return
		}
	}
}

// passOn gives what was found to the caller, the newest first. The lines of faults are
// counted behind so many others.
func (b *backScan) passOn(linesBefore func() (int, error)) error {
	for _, f := range slices.Backward(b.found) {
		if f.line != nil {
			if !b.visit(f.line) {
				return errStop
			}
			continue
		}
		before, err := linesBefore()
		if err != nil {
			return err
		}
		f.fault.Line += before
		b.damage(f.fault)
	}
	b.found, b.lines = b.found[:0], 0
	return nil
}

// scanForward goes through a file that can only be read from its beginning.
func (b *backScan) scanForward(in io.Reader) error {
	from := part{Reader: in, name: b.name}
	_, err := from.scanLines(Place{}, b.want, b.addLine, b.addFault)
	if err != nil {
		return err
	}
	return b.passOn(func() (int, error) { return 0, nil })
}

// scanFile goes through a file in blocks of whole lines, the last first.
func (b *backScan) scanFile(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("read journal: %w", err)
	}
	var buf []byte
	for end := info.Size(); end > 0; {
		var block []byte
		if block, buf, err = blockBefore(f, end, buf); err != nil {
			return err
		}
		if block == nil { // of a line as long as this only the beginning is wanted
			return b.scanForward(io.NewSectionReader(f, 0, end))
		}
		end -= int64(len(block))
		b.scanBlock(block, Place{offset: end}, b.want, b.addLine, b.addFault)
		if err := b.passOn(func() (int, error) { return countLines(f, end) }); err != nil {
			return err
		}
	}
	return nil
}

// blockBefore reads the lines that end at an offset, about blockSize bytes of them; nil
// if the last of them is longer than any record.
func blockBefore(f io.ReaderAt, end int64, buf []byte) (block, reuse []byte, err error) {
	for size := int64(blockSize); size <= 2*longest; size *= 2 {
		from := max(0, end-size)
		buf = slices.Grow(buf[:0], int(end-from))[:end-from]
		if _, err := f.ReadAt(buf, from); err != nil && err != io.EOF {
			return nil, buf, fmt.Errorf("read journal: %w", err)
		}
		if from == 0 {
			return buf, buf, nil
		}
		if i := bytes.IndexByte(buf, '\n') + 1; i > 0 && i < len(buf) {
			return buf[i:], buf, nil
		}
	}
	return nil, buf, nil
}

// countLines counts the lines that a file begins with, up to an offset.
func countLines(f io.ReaderAt, end int64) (n int, err error) {
	in := blockReader{in: io.NewSectionReader(f, 0, end)}
	var block []byte
	for in.end == nil {
		block = in.next(block)
		n += bytes.Count(block, []byte("\n"))
	}
	return n, ignoreEOF(in.end)
}

// Newest is a time that no wanted record of a journal is newer than, as far as clocks can
// be trusted: that of its last record. The zero time where that cannot be read.
func Newest(dir string, want *Want) time.Time {
	now, err := os.Open(filepath.Join(dir, Name))
	if err != nil {
		return time.Time{}
	}
	defer now.Close()
	info, err := now.Stat()
	if err != nil {
		return time.Time{}
	}
	for end := info.Size(); end > 0; {
		line, err := lineBefore(now, end)
		if err != nil {
			return time.Time{}
		}
		end -= int64(len(line))
		raw, whole := bytes.CutSuffix(line, []byte("\n"))
		if !whole {
			continue // it may be being written just now
		}
		var l Line
		if end == 0 && l.parse(raw) && !want.matches(&l) {
			if at := segmentTime(dir, newestSegment(now)); !at.IsZero() {
				return at // what the journal begins with says only that it was carried on
			}
		}
		l.parseOrigin(raw)
		return l.Time
	}
	return time.Time{}
}

// segmentTime is when a segment was last written to; zero where there is none.
func segmentTime(dir string, n int) time.Time {
	for _, name := range []string{segmentPath(dir, n), segmentPath(dir, n) + ".gz"} {
		if info, err := os.Stat(name); err == nil {
			return info.ModTime()
		}
	}
	return time.Time{}
}
