package journal

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
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
	n, fresh, err := j.prepareNext(dir, now)
	// It is closed first: Windows does not replace a file that is open.
	if err = errors.Join(err, j.Close()); err == nil {
		err = replaceLink(path, segmentPath(dir, n))
	}
	if err == nil {
		err = system.Replace(fresh, path)
	}
	if err != nil {
		os.Remove(fresh)
		return 0, fmt.Errorf("rotate journal: %w", err)
	}
	return n, nil
}

// prepareNext writes the file that goes on after this one, which becomes segment n.
func (j *Journal) prepareNext(dir string, now time.Time) (n int, fresh string, err error) {
	path := filepath.Join(dir, Name)
	if j.Last().Seq == 0 {
		return 0, "", errors.New("it has no good record to go on from")
	}
	if n, err = nextSegment(path, j.file); err != nil {
		return 0, "", err
	}
	fresh = filepath.Join(dir, ".journal.new")
	err = j.writeNext(fresh, filepath.Base(segmentPath(dir, n)), now)
	if err == nil {
		err = copyAge(fresh, path)
	}
	return n, fresh, err
}

func nextSegment(path string, now io.ReaderAt) (int, error) {
	if _, err := listSegments(filepath.Dir(path)); err != nil {
		return 0, err
	}
	all := olderSegments(path, now)
	if len(all) == 0 {
		return 1, nil
	}
	return all[len(all)-1] + 1, nil
}

// replaceLink gives a file a second name. What has it already is left over from a
// rotation that was not finished.
func replaceLink(path, name string) error {
	err := os.Remove(name)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = os.Remove(name + ".gz")
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Link(path, name)
}

// writeNext writes the new file: one record that goes on from the last.
func (j *Journal) writeNext(fresh, segment string, now time.Time) error {
	if err := os.Remove(fresh); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("rotate journal: %w", err)
	}
	to, err := j.codec.openPath(fresh)
	if err != nil {
		return err
	}
	defer to.Close()
	to.last, to.seq = j.last, j.seq
	r := Record{Event: fsm.Event{Kind: Rotated, Time: now.UTC(), Source: segment}, AfterEnd: j.last.Ended(),
		Notes: j.Repairs, Policy: j.last.Policy, State: j.last.State}
	return to.Append(&r, true)
}

// copyAge makes a file as old as another: its age says when the session was
// last active.
func copyAge(name, as string) error {
	info, err := os.Stat(as)
	if err != nil {
		return ignoreMissing(err)
	}
	return os.Chtimes(name, time.Time{}, info.ModTime())
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
		path := segmentPath(dir, n)
		if _, err := os.Lstat(path); err != nil {
			continue
		}
		if err := compressFile(path); err != nil {
			return fmt.Errorf("compress journal: %w", err)
		}
	}
	return nil
}

// compressFile replaces a file by its compressed form. Two may do it at once: they
// write the same.
func compressFile(path string) error {
	in, err := os.Open(path)
	if err != nil {
		return ignoreMissing(err)
	}
	defer in.Close()
	out, err := os.CreateTemp(filepath.Dir(path), ".journal.*.tmp")
	if err != nil {
		return err
	}
	defer os.Remove(out.Name()) // which is gone when all went well
	err = errors.Join(compress(out, in), in.Close(), out.Sync(), out.Close())
	if err == nil {
		err = copyAge(out.Name(), path)
	}
	if err == nil {
		err = system.Replace(out.Name(), path+".gz")
	}
	if err == nil {
		err = ignoreMissing(os.Remove(path))
	}
	return err
}

// compress makes a twentieth of a journal. At its fastest level gzip would save a third
// of that time once, and unpacking would take four times as long, each time.
func compress(out io.Writer, in io.Reader) error {
	z := gzip.NewWriter(out)
	_, err := io.Copy(z, in)
	return errors.Join(err, z.Close())
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
