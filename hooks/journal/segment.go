package journal

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
)

// A journal that has grown too long is carried on in a new file. The old one becomes a
// segment, journal.1.jsonl, and is compressed in its own time, journal.1.jsonl.gz; the
// next is number 2. journal.jsonl is always the one that is written to.

// Name is the file that is written to.
const Name = "journal.jsonl"

func segmentPath(dir string, n int) string {
	return filepath.Join(dir, "journal."+strconv.Itoa(n)+".jsonl")
}

// A part is a file of a journal that is open for reading.
type part struct {
	io.Reader
	io.Closer
	name    string
	segment int // its number; 0 for the file that is written to
}

// openSegment opens a segment, compressed or not yet. It is compressed while we look:
// so look once more.
func openSegment(dir string, n int) (*part, error) {
	path := segmentPath(dir, n)
	for _, name := range []string{path + ".gz", path, path + ".gz", path} {
		f, err := os.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		p := &part{f, f, filepath.Base(name), n}
		if err == nil && name != path {
			p.Reader, err = gzip.NewReader(bufio.NewReaderSize(f, 64<<10))
			if err != nil { // damaged from its first byte: nothing can be read, and the reader gets an error
				r, w := io.Pipe()
				p.Reader, err = r, w.CloseWithError(err)
			}
		}
		return p, err
	}
	return nil, fmt.Errorf("open %s: %w", path, fs.ErrNotExist)
}

// eachFile gives the parts of the journal in a folder after a segment to visit, the oldest first, until it
// returns an error. The file that is written to is opened before the others are listed, so
// that nothing is lost or seen twice when it is rotated meanwhile.
func eachFile(dir string, after int, visit func(*part) error) error {
	now, err := os.Open(filepath.Join(dir, Name))
	if err != nil {
		return fmt.Errorf("open journal: %w", err)
	}
	defer now.Close()
	older, err := olderSegments(dir, now)
	for _, n := range older {
		if err != nil || n <= after {
			continue
		}
		var p *part
		if p, err = openSegment(dir, n); err == nil {
			err = visit(p)
			p.Close()
		}
	}
	if err != nil {
		return err
	}
	return visit(&part{now, now, Name, 0})
}

// olderSegments lists the segments that come before a journal that is open, the oldest first. One that
// begins with the same line is the journal itself: it is being rotated, or the process that did
// was killed.
func olderSegments(dir string, now io.ReaderAt) (all []int, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("list a journal's segments: %w", err)
	}
	for _, e := range entries {
		var n int // 0 for any other file
		_, _ = fmt.Sscanf(e.Name(), "journal.%d.jsonl", &n)
		name := segmentPath("", n)
		if n > 0 && strings.TrimSuffix(e.Name(), ".gz") == name && !slices.Contains(all, n) {
			all = append(all, n)
		}
	}
	slices.Sort(all)
	first := firstLine(io.NewSectionReader(now, 0, 1<<62))
	for len(all) > 0 && len(first) > 0 {
		p, err := openSegment(dir, all[len(all)-1])
		if err != nil {
			break
		}
		isSame := bytes.Equal(first, firstLine(p))
		if p.Close(); !isSame {
			break
		}
		all = all[:len(all)-1]
	}
	return all, nil
}

func firstLine(r io.Reader) []byte {
	line, err := bufio.NewReader(r).ReadBytes('\n')
	if err != nil {
		return nil
	}
	return line
}

// Rotated is the kind of the record that a new file begins with. It holds the whole
// session, so that reading the new file's last line is enough, and the number and hash
// that go on from the old one.
const Rotated fsm.Kind = "rotated"

// Rotate carries a journal on in a new file, and returns the number of the segment that
// the old one has become. The caller holds the session's lock. At every moment
// journal.jsonl is one whole journal: the old file or the new one.
func Rotate(dir string, now time.Time) (n int, err error) {
	path := filepath.Join(dir, Name)
	j, err := Open(dir) // which repairs a torn line: what is packed away is whole
	if err != nil {
		return 0, err
	}
	older, err := olderSegments(dir, j.file)
	if j.Last.Seq == 0 {
		err = errors.New("it has no good record to go on from")
	}
	n = slices.Max(append(older, 0)) + 1
	segment := segmentPath(dir, n)
	r := Record{Version: Version, Seq: j.Seq + 1, Prev: j.Last.Hash, AfterEnd: j.Last.Ended(), Notes: j.Repairs,
		Event:  fsm.Event{Kind: Rotated, Time: now.UTC(), Source: filepath.Base(segment)},
		Policy: j.Last.Policy, State: j.Last.State}
	line := r.seal(j.codec)
	// It is closed first: Windows does not replace a file that is open.
	if err = errors.Join(err, j.Close()); err == nil { // what has the name is left over from a rotation that was killed
		err = errors.Join(os.RemoveAll(segment), os.RemoveAll(segment+".gz"))
	}
	if err == nil {
		err = os.Link(path, segment)
	}
	if err == nil {
		err = writeAged(path, line, path)
	}
	if err != nil {
		return 0, fmt.Errorf("rotate journal: %w", err)
	}
	return n, nil
}

// writeAged writes a file, as old as another: its age says when the session was last active.
func writeAged(path string, content []byte, as string) error {
	info, err := os.Stat(as)
	if err == nil {
		err = system.WriteFile(path, content)
	}
	if err == nil {
		err = os.Chtimes(path, time.Time{}, info.ModTime())
	}
	return err
}

// Ended reports whether a session whose last record this is has ended.
func (r Record) Ended() bool { return r.Event.Kind == fsm.SessionEnd || r.AfterEnd }

// Compress packs the segments that are not packed yet. It needs no lock: no process writes
// to them any more.
func Compress(dir string) error {
	err := eachFile(dir, 0, func(p *part) error {
		if p.segment == 0 {
			return nil
		}
		p.Close() // Windows does not remove a file that is open
		err := compressFile(segmentPath(dir, p.segment))
		if errors.Is(err, fs.ErrNotExist) { // it is packed
			return nil
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("compress journal: %w", err)
	}
	return nil
}

// compressFile replaces a file by its compressed form. Two may do it at once: they
// write the same. It makes a twentieth of a journal; at its fastest level gzip would save a
// third of that time once, and unpacking would take four times as long, each time.
func compressFile(path string) error {
	in, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err = z.Write(in)
	if err = errors.Join(err, z.Close()); err == nil {
		err = writeAged(path+".gz", packed.Bytes(), path)
	}
	if err == nil {
		err = os.Remove(path)
	}
	return err
}
