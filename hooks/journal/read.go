package journal

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
)

// errStop ends a reading that has seen what it wanted.
var errStop = errors.New("enough")

// Read gives every good record of a session's journal to visit, oldest first, until visit
// returns false: first those of the segments that were rotated away, then those of the file
// itself. It needs no lock: a last line that is still being written is passed over.
// Damaged lines are counted.
func Read(dir string, visit func(Record) bool) (damaged int, err error) {
	var codec Codec
	err = Walk(dir, func(l *Line, err error) error {
		var r *Record
		if err == nil {
			r, err = codec.decode(l.Raw)
		}
		switch {
		case errors.Is(err, ErrPacked), errors.Is(err, ErrDamaged) && !l.Torn:
			damaged++
		case errors.Is(err, ErrDamaged): // it may be being written just now
		case err != nil:
			return err
		case !visit(*r):
			return errStop
		}
		return nil
	})
	return damaged, orEnough(err)
}

func orEnough(err error) error {
	if errors.Is(err, errStop) {
		return nil
	}
	return err
}

// ignoreEOF is nil where a file ended, or its bytes are damaged, and not where the disk failed us.
func ignoreEOF(err error) error {
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		return fmt.Errorf("read journal: %w", err)
	}
	return nil
}

// Begin is when a journal's first record was written; the zero time where none can
// be read.
func Begin(dir string) (at time.Time) {
	_, _ = From(dir, Place{}, &Want{}, func(l *Line) bool { at = l.Time; return false }, func(Fault) {})
	return at
}

// A Place is how far a journal has been read: so many bytes of the file that comes
// after so many segments. Its JSON finds it again in another process, where line numbers start again.
type Place struct {
	Segments int   `json:"segments,omitempty"`
	Offset   int64 `json:"offset"`
	line     int
	info     os.FileInfo // of the file when it was read last
}

// End is behind what a journal holds now.
func End(dir string) (at Place) {
	err := eachFile(dir, 0, func(p *part) error {
		if p.segment > 0 {
			at.Segments = p.segment
			return nil
		}
		in := newLineReader(p)
		_, err := in.next()
		for ; err == nil; _, err = in.next() {
			at.Offset, at.line = in.size, at.line+1
		}
		return ignoreEOF(err)
	})
	if err != nil {
		return Place{}
	}
	return at
}

// From gives what has come since a place and want lets pass to visit, oldest first, until visit returns false, and
// what is wrong with lines that are no records to damage. It returns the place behind what was read. Lines may be kept,
// and their hashes are not checked. When the journal was rotated meanwhile, the rest of the previous file comes first.
func From(dir string, at Place, want *Want, visit func(*Line) bool, damage func(Fault)) (Place, error) {
	info, err := os.Stat(filepath.Join(dir, Name)) // from before the read: what comes meanwhile is looked for again
	if err == nil && os.SameFile(at.info, info) && at.info.Size() == info.Size() {
		return at, nil
	}
	err = eachFile(dir, at.Segments, func(p *part) (err error) {
		// Rotating and packing leave a file its age. An hour is for clocks that are set.
		info, unseen := os.Stat(filepath.Join(dir, p.name))
		if unseen != nil || !info.ModTime().Add(time.Hour).Before(want.Since) {
			at, err = p.scanFrom(at, want, visit, damage)
		}
		if err == nil && p.segment > 0 {
			at = Place{Segments: p.segment}
		}
		return err
	})
	if err == nil {
		at.info = info
	}
	return at, orEnough(err)
}

// scanFrom gives the wanted lines of a file behind a place to visit, and returns the place behind the last whole line.
// A file that is shorter than it was is read from its beginning; a packed one is so by the next call.
func (p *part) scanFrom(at Place, want *Want, visit func(*Line) bool, damage func(Fault)) (Place, error) {
	var err error
	if f, isFile := p.Reader.(*os.File); !isFile {
		_, err = io.CopyN(io.Discard, p, at.Offset)
	} else {
		if size, _ := f.Seek(0, io.SeekEnd); size < at.Offset {
			at = Place{Segments: at.Segments}
		}
		_, err = f.Seek(at.Offset, io.SeekStart)
	}
	if errors.Is(err, io.EOF) {
		at = Place{Segments: at.Segments}
	}
	if err != nil {
		return at, ignoreEOF(err)
	}
	return p.eachLine(at, false, func(l *Line, err error) error {
		switch {
		case err != nil && !l.Torn:
			damage(Fault{File: p.name, Line: l.Line, What: err.Error()})
		case l.Torn: // it may be being written just now
		case want.matches(l) && !visit(l):
			return errStop
		}
		return nil
	})
}

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
		text = bytes.TrimSuffix(text, []byte("\n"))
		if err == nil && len(r.long) == 0 {
			return text, nil
		}
		r.long = append(r.long, text[:min(len(text), longest-len(r.long))]...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return r.long, err
		}
	}
}

// eachLine gives every line of a file behind a place to visit, oldest first, until visit returns an error. It returns
// the place behind the last whole line. The error that visit is given says why a line is no record. A line whose hash
// is checked is valid until visit returns; others may be kept. Where a packed file is damaged, a line stands for what
// cannot be unpacked.
func (p *part) eachLine(at Place, isChecked bool, visit func(*Line, error) error) (Place, error) {
	in, from := newLineReader(p), at.Offset
	for {
		raw, end := in.next()
		if err := ignoreEOF(end); err != nil {
			return at, err
		}
		l := Line{File: p.name, Line: at.line + 1, Torn: end != nil, At: at}
		if end == nil {
			at.Offset, at.line = from+in.size, at.line+1
		}
		if end == nil || len(raw) > 0 {
			if err := visit(&l, l.read(raw, isChecked)); err != nil {
				return at, err
			}
		}
		switch end {
		case nil:
		case io.EOF:
			return at, nil
		default:
			return at, visit(&Line{File: p.name, Line: l.Line}, fmt.Errorf("%w: %v", ErrPacked, end))
		}
	}
}

// read takes a line apart, and says why it is no record that this reader knows.
func (l *Line) read(raw []byte, isChecked bool) error {
	if isChecked {
		l.Raw = raw
		if err := checkLine(raw); err != nil {
			return err
		}
		l.parse(raw)
	} else if !l.parse(bytes.Clone(raw)) {
		return errors.New("no record")
	}
	if l.Version > Version { // what it means is not known, also where the rest of it is not as we know it
		return newerVersion(l.Version)
	}
	return nil
}

// A Want says which records are wanted: those that fit every list that is not empty. In
// the lists of agents, tools and rules * and ? stand for any characters. A tool in the
// list of kinds stands for requests of that tool, which is how they are printed.
type Want struct {
	Since, Until                          time.Time
	Agents, Tools, Rules, Verdicts, Kinds []string
}

func (w *Want) matches(l *Line) bool {
	verdict := l.Verdict
	if verdict == "" && l.Kind == fsm.ToolRequest { // a pass is left out of its record
		verdict = fsm.Pass.String()
	}
	switch {
	case l.Time.Before(w.Since), !w.Until.IsZero() && !l.Time.Before(w.Until):
		return false
	case len(w.Verdicts) > 0 && !slices.Contains(w.Verdicts, verdict):
		return false
	case len(w.Kinds) > 0 && !slices.Contains(w.Kinds, l.Kind.String()) &&
		(l.Kind != fsm.ToolRequest || !matchGlobs(w.Kinds, l.Tool)):
		return false
	case !matchGlobs(w.Rules, l.Rule) && (l.Rule == "" || !matchGlobs(w.Rules, l.Decider())): // as recorded, as printed
		return false
	case len(w.Agents) == 0:
	case l.AgentID == "": // "main" is the main agent
		if !slices.Contains(w.Agents, "main") {
			return false
		}
	case !slices.Contains(w.Agents, l.AgentID) && !fsm.MatchAgent(w.Agents, l.Agent): // types compare as in the config
		return false
	}
	return matchGlobs(w.Tools, l.Tool)
}

func matchGlobs(patterns []string, s string) bool {
	return len(patterns) == 0 || s != "" && slices.ContainsFunc(patterns, func(p string) bool {
		ok, err := path.Match(p, s)
		return p == s || ok && err == nil
	})
}
