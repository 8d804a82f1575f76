package journal

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
)

// Rotated is the kind of the record that a new file begins with. It holds the whole
// session, so that reading the new file's last line is enough, and the number and hash
// that go on from the old one.
const Rotated fsm.Kind = "rotated"

// Rotate carries a journal on in a new file, and returns the number of the segment that
// the old one has become. The caller holds the session's lock. At every moment
// journal.jsonl is one whole journal: the old file or the new one.
func Rotate(dir string, now time.Time) (int, error) {
	path := filepath.Join(dir, Name)
	j, err := Open(dir) // which repairs a torn line: what is packed away is whole
	if err != nil {
		return 0, err
	}
	n, line, err := j.prepareNext(path, now)
	// It is closed first: Windows does not replace a file that is open.
	if err = errors.Join(err, j.Close()); err == nil {
		err = replaceLink(path, segmentPath(dir, n))
	}
	if err == nil {
		err = writeAged(path, line, path)
	}
	if err != nil {
		return 0, fmt.Errorf("rotate journal: %w", err)
	}
	return n, nil
}

// prepareNext makes the line that goes on after this file, which becomes segment n.
func (j *Journal) prepareNext(path string, now time.Time) (n int, line []byte, err error) {
	if j.Last.Seq == 0 {
		return 0, nil, errors.New("it has no good record to go on from")
	}
	if _, err := listSegments(filepath.Dir(path)); err != nil {
		return 0, nil, err
	}
	n = newestSegment(path, j.file) + 1
	segment := filepath.Base(segmentPath(filepath.Dir(path), n))
	r := Record{Version: Version, Seq: j.Seq + 1, Prev: j.Last.Hash, AfterEnd: j.Last.Ended(), Notes: j.Repairs,
		Event:  fsm.Event{Kind: Rotated, Time: now.UTC(), Source: segment},
		Policy: j.Last.Policy, State: j.Last.State}
	return n, r.seal(j.codec), nil
}

// replaceLink gives a file a second name. What has it already is left over from a
// rotation that was not finished.
func replaceLink(path, name string) error {
	if err := errors.Join(ignoreMissing(os.Remove(name)), ignoreMissing(os.Remove(name+".gz"))); err != nil {
		return err
	}
	return os.Link(path, name)
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
	now, err := os.Open(filepath.Join(dir, Name))
	if err != nil {
		return fmt.Errorf("compress journal: %w", err)
	}
	defer now.Close()
	for _, n := range olderSegments(now.Name(), now) {
		if err := compressFile(segmentPath(dir, n)); err != nil {
			return fmt.Errorf("compress journal: %w", err)
		}
	}
	return nil
}

// compressFile replaces a file, if it is there, by its compressed form. Two may do it at once: they
// write the same. It makes a twentieth of a journal; at its fastest level gzip would save a
// third of that time once, and unpacking would take four times as long, each time.
func compressFile(path string) error {
	in, err := os.ReadFile(path)
	if err != nil {
		return ignoreMissing(err)
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
	return ignoreMissing(err)
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
