package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/tidwall/gjson"
)

// errStop ends a reading that has seen what it wanted.
var errStop = errors.New("enough")

// Read gives every good record of a session's journal to visit, oldest first, until visit
// returns false: first those of the segments that were rotated away, then those of the file
// itself. It needs no lock: a last line that is still being written is passed over.
// Damaged lines are counted.
func Read(dir string, visit func(Record) bool) (damaged int, err error) {
	err = eachFile(filepath.Join(dir, Name), func(p *part) error {
		return p.eachLine(true, func(l *checkedLine) error {
			switch {
			case errors.Is(l.err, ErrPacked), errors.Is(l.err, ErrDamaged) && !l.line.Torn:
				damaged++
			case errors.Is(l.err, ErrDamaged): // it may be being written just now
			case l.err != nil:
				return l.err
			case !visit(*l.record):
				return errStop
			}
			return nil
		})
	})
	return damaged, orEnough(err)
}

func orEnough(err error) error {
	if errors.Is(err, errStop) {
		return nil
	}
	return err
}

// A Damage is called for a line that is no record.
type Damage func(Fault)

// Scan gives the lines of a session's journal that want lets pass to visit, oldest
// first, until visit returns false. They may be kept. It does not check hashes.
func Scan(dir string, want *Want, visit func(*Line) bool, damage Damage) error {
	return orEnough(eachFile(filepath.Join(dir, Name), func(p *part) error {
		if want.isOlder(dir, p) {
			return nil
		}
		_, err := p.scanLines(Place{}, want, visit, damage)
		return err
	}))
}

// isOlder reports whether a file was last written to before what is wanted. Rotating
// and packing leave a file its age.
func (w *Want) isOlder(dir string, p *part) bool {
	if w.Since.IsZero() {
		return false
	}
	info, err := os.Stat(filepath.Join(dir, p.name))
	return err == nil && info.ModTime().Add(time.Hour).Before(w.Since) // an hour for clocks that are set
}

// scanLines gives the wanted lines of a file behind a place to visit, and returns the
// place behind the last whole line.
func (p *part) scanLines(at Place, want *Want, visit func(*Line) bool, damage Damage) (Place, error) {
	in, from := newLineReader(p), at.offset
	for {
		raw, end := in.next()
		if end != nil { // what it is without an end may be being written just now
			if isUnreadable(end) {
				damage(Fault{File: p.name, Line: at.line + 1, What: ErrPacked.Error()})
			}
			return at, ignoreEOF(end)
		}
		begin := at
		at.offset, at.line = from+in.size, at.line+1
		l := Line{File: p.name, Line: at.line}
		switch {
		case !l.parse(bytes.Clone(raw)):
			damage(Fault{File: p.name, Line: l.Line, What: "no record"})
		case l.Version > Version: // what it means is not known
			damage(Fault{File: p.name, Line: l.Line, What: newerVersion(l.Version).Error()})
		case want.matches(&l):
			if l.At = begin; !visit(&l) {
				return at, errStop
			}
		}
	}
}

// ignoreEOF is nil where a file ended, or broke off in a way that was counted as
// damage.
func ignoreEOF(err error) error {
	if err == nil || err == io.EOF || isUnreadable(err) {
		return nil
	}
	return fmt.Errorf("read journal: %w", err)
}

// Begin is when a journal's first record was written; the zero time where that cannot
// be read.
func Begin(dir string) time.Time {
	var at time.Time
	_ = eachFile(filepath.Join(dir, Name), func(p *part) error {
		at, _ = time.Parse(time.RFC3339Nano, gjson.GetBytes(firstLine(p), "event.time").Str)
		return errStop
	})
	return at
}

// A Place is how far a journal has been read: so many bytes of the file that comes
// after so many segments.
type Place struct {
	segments int
	offset   int64
	line     int
	info     os.FileInfo // of the file when it was read last
}

// PlaceAt is the place of that position.
func PlaceAt(segments int, offset int64) Place { return Place{segments: segments, offset: offset} }

// Position is what finds a place again in another process: after how many segments, and how
// many bytes behind the beginning of the file that follows them. Line numbers start
// again there.
func (p Place) Position() (segments int, offset int64) { return p.segments, p.offset }

// End is behind what a journal holds now.
func End(dir string) Place {
	now, err := os.Open(filepath.Join(dir, Name))
	if err != nil {
		return Place{}
	}
	defer now.Close()
	at := Place{segments: newestSegment(now)}
	in := newLineReader(now)
	for {
		_, end := in.next()
		switch {
		case ignoreEOF(end) != nil:
			return Place{}
		case end != nil:
			return at
		}
		at.offset, at.line = in.size, at.line+1
	}
}

func newestSegment(now *os.File) int {
	all := olderSegments(now.Name(), now)
	if len(all) == 0 {
		return 0
	}
	return all[len(all)-1]
}

// From gives what has come since a place to visit, until visit returns false, and returns
// the place behind it. When the journal was rotated meanwhile, the rest of the previous
// file is read first.
func From(dir string, at Place, want *Want, visit func(*Line) bool, damage Damage) (Place, error) {
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
	last := newestSegment(now)
	for n := at.segments + 1; n <= last; n++ {
		p, err := openSegment(dir, n)
		if err != nil {
			return at, err
		}
		behind, err := p.scanFrom(at, want, visit, damage)
		p.Close()
		if err != nil {
			return behind, orEnough(err)
		}
		at = Place{segments: n}
	}
	at, err = (&part{Reader: now, name: Name}).scanFrom(at, want, visit, damage)
	if err == nil {
		at.info = info // from before the read: what came meanwhile is looked for again
	}
	return at, orEnough(err)
}

// scanFrom gives the lines of a file behind an offset to visit. A file that is shorter
// than it was begins again.
func (p *part) scanFrom(at Place, want *Want, visit func(*Line) bool, damage Damage) (Place, error) {
	if err := p.skipBytes(at.offset); err != nil {
		if errors.Is(err, io.EOF) {
			return Place{segments: at.segments}, nil
		}
		return at, ignoreEOF(err)
	}
	return p.scanLines(at, want, visit, damage)
}

// skipBytes passes over the first bytes of a part, at no cost where it is a file;
// io.EOF says that it has not so many.
func (p *part) skipBytes(offset int64) error {
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
