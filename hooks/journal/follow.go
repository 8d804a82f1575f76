package journal

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// A Place is how far a journal has been read: so many bytes of the file that comes after so many segments.
type Place struct {
	segments int
	offset   int64
	line     int
	info     os.FileInfo // of the file when it was read last
}

// Marked is the place that Mark told of.
func Marked(segments int, offset int64) Place { return Place{segments: segments, offset: offset} }

// Mark is what must be written down of a place to find it again in another process: after how many segments, and how many
// bytes behind the beginning of the file that follows them. The numbers of lines begin anew there.
func (p Place) Mark() (segments int, offset int64) { return p.segments, p.offset }

// End is behind what a journal holds now.
func End(dir string) Place {
	now, err := os.Open(filepath.Join(dir, Name))
	if err != nil {
		return Place{}
	}
	defer now.Close()
	at := Place{segments: newest(now)}
	if at, err = skipOver(now, at); err != nil {
		return Place{}
	}
	return at
}

// skipOver goes to the end of the last whole line.
func skipOver(r io.Reader, at Place) (Place, error) {
	in := lineReader{in: bufio.NewReaderSize(r, 256<<10)}
	for {
		line, err := in.next()
		if err != nil {
			return at, eof(err)
		}
		at.offset += int64(len(line))
		at.line++
	}
}

func newest(now *os.File) int {
	all := older(now.Name(), now)
	if len(all) == 0 {
		return 0
	}
	return all[len(all)-1]
}

// From gives what has come since a place to visit, and returns the place behind it. When the journal was rotated
// meanwhile, the rest of the file of then is read first.
func From(dir string, at Place, want *Want, visit func(*Line), damage Damage) (Place, error) {
	now, err := os.Open(filepath.Join(dir, Name))
	if err != nil {
		return at, fmt.Errorf("open journal: %w", err)
	}
	defer now.Close()
	info, err := now.Stat()
	if err != nil {
		return at, fmt.Errorf("read journal: %w", err)
	}
	if at.info != nil && os.SameFile(at.info, info) && at.info.Size() == info.Size() {
		return at, nil
	}
	last := newest(now)
	for n := at.segments + 1; n <= last; n++ {
		p, err := openSegment(dir, n)
		if err != nil {
			return at, err
		}
		_, err = p.since(at, want, visit, damage)
		p.Close()
		if err != nil {
			return at, err
		}
		at = Place{segments: n}
	}
	at, err = (&part{Reader: now, name: Name}).since(at, want, visit, damage)
	at.info = info // of before it was read: what came meanwhile is looked for again
	return at, err
}

// since gives the lines of a file behind an offset to visit.
func (p *part) since(at Place, want *Want, visit func(*Line), damage Damage) (Place, error) {
	if err := p.skip(at.offset); err != nil {
		if errors.Is(err, io.EOF) { // it is shorter than it was: begin again
			return Place{segments: at.segments}, nil
		}
		return at, eof(err)
	}
	in := lineReader{in: bufio.NewReaderSize(p, 64<<10)}
	for {
		raw, err := in.next()
		if err != nil {
			return at, eof(err)
		}
		at.offset += int64(len(raw))
		at.line++
		l := Line{File: p.name, Line: at.line}
		switch ok, shaped := l.read(raw[:len(raw)-1], want); {
		case !shaped:
			damage(Fault{File: p.name, Line: at.line, What: "no record"})
		case ok:
			visit(&l)
		}
	}
}

// skip passes over the first bytes of a part, at no cost where it is a file; io.EOF says that it has not so many.
func (p *part) skip(offset int64) error {
	f, ok := p.Reader.(*os.File)
	if !ok {
		_, err := io.CopyN(io.Discard, p, offset)
		return err
	}
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if end < offset {
		return io.EOF
	}
	_, err = f.Seek(offset, io.SeekStart)
	return err
}
