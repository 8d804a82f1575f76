package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agent-pipeline/pipeline/config/system"
)

// A Journal is an open journal file. Its owner holds the session's lock.
type Journal struct {
	file    system.File
	codec   *Codec
	size    int64
	Last    *Record  // the last good record; its Seq is 0 when there is none
	Seq     int64    // of the last line, good or damaged
	Repairs []string // what Open found wrong, and what it did about it

	Damaged int // lines after the last good one, when the journal was opened
}

// Open opens the journal in a session's folder and finds the last good record. A line that
// was cut off while it was written is taken away; lines that are damaged stay where they
// are, as evidence, and are reported.
func Open(dir string) (*Journal, error) { return new(Codec).Open(dir) }

// Open opens a journal, as the function does.
func (c *Codec) Open(dir string) (*Journal, error) {
	f, size, err := openFile(dir, os.O_RDWR|os.O_CREATE|os.O_APPEND)
	if err != nil {
		return nil, err
	}
	j := &Journal{file: f, codec: c, size: size, Last: &Record{}}
	if err := j.recover(); err != nil {
		f.Close()
		return nil, err
	}
	return j, nil
}

// Tail is the last good record of the journal in a session's folder, to which another
// process may be writing. It changes nothing.
func Tail(dir string) (Record, error) { return new(Codec).Tail(dir) }

// Tail is the last good record of a journal, as the function says.
func (c *Codec) Tail(dir string) (Record, error) {
	f, size, err := openFile(dir, os.O_RDONLY)
	if err != nil {
		return Record{}, err
	}
	defer f.Close()
	r, _, err := c.lastGood(f, size, nil)
	return *r, err
}

// Continue makes the next record follow one that the journal no longer holds. A reader
// of the chain finds the gap.
func (j *Journal) Continue(head Head) {
	last := *j.Last
	last.Hash = head.Hash
	j.Seq, j.Last = head.Seq, &last
}

// Empty reports whether nothing was ever written.
func (j *Journal) Empty() bool { return j.size == 0 }

// Close closes the file.
func (j *Journal) Close() error {
	f := j.file
	j.file = system.Closed // another file may have its number by now
	return f.Close()
}

// chunk is how much of the end is read at first: more than most lines are long.
const chunk = 4 << 10

// recover finds the last good record from the end, and repairs what was not finished
// after it. A journal that a newer pipeline wrote is left as it is.
func (j *Journal) recover() (err error) {
	if j.size == 0 {
		return nil
	}
	line, err := LineBefore(j.file, j.size)
	if err != nil {
		return err
	}
	var torn []byte // the last line, if it has no end
	if !bytes.HasSuffix(line, []byte("\n")) {
		torn, line = line, nil
	}
	var complete *Record // that line, if only its end is missing or changed, and its length
	whole := 0
	for n := len(torn); n > 0 && n >= len(torn)-1 && complete == nil; n-- {
		switch r, err := j.codec.openLine(torn[:n]); {
		case err == nil:
			whole, complete = n, r
		case !errors.Is(err, ErrDamaged):
			return err
		}
	}
	j.Last, j.Damaged, err = j.codec.lastGood(j.file, j.size-int64(len(torn)), line)
	if err != nil {
		return err
	}
	j.Seq = j.Last.Seq + int64(j.Damaged)
	if j.Damaged > 0 {
		j.Repairs = append(j.Repairs,
			fmt.Sprintf("the last %d lines of the journal are damaged: going on from record %d", j.Damaged, j.Last.Seq))
	}
	if len(torn) == 0 {
		return nil
	}
	size := j.size - int64(len(torn)-whole)
	if err := j.file.Truncate(size); err != nil {
		return fmt.Errorf("cut off a torn line: %w", err)
	}
	j.size = size
	if complete == nil {
		j.Repairs = append(j.Repairs, fmt.Sprintf("a line of %d bytes that was not finished was cut off", len(torn)))
		return nil
	}
	if _, err := j.file.Write([]byte("\n")); err != nil {
		return fmt.Errorf("end the journal's last line: %w", err)
	}
	j.size, j.Last, j.Seq = size+1, complete, max(complete.Seq, j.Seq+1)
	j.Repairs = append(j.Repairs, fmt.Sprintf("record %d lacked the end of its line: it was put there", complete.Seq))
	return nil
}

// lastGood looks for the last good record from the end, and counts the lines after it.
// The line at the end is not nil if it has been read already.
func (c *Codec) lastGood(f io.ReaderAt, end int64, line []byte) (last *Record, damaged int, err error) {
	for ; end > 0; line = nil {
		if line == nil {
			if line, err = LineBefore(f, end); err != nil {
				return &Record{}, damaged, err
			}
		}
		r, err := c.openLine(line)
		if err == nil {
			return r, damaged, nil
		}
		if !errors.Is(err, ErrDamaged) {
			return &Record{}, damaged, err
		}
		damaged++
		end -= int64(len(line))
	}
	return &Record{}, damaged, nil
}

// LineBefore reads the line that ends at end, its newline included if it has one.
func LineBefore(f io.ReaderAt, end int64) ([]byte, error) {
	for want := int64(chunk); ; want *= 4 {
		from := max(0, end-want)
		buf := make([]byte, end-from)
		if _, err := f.ReadAt(buf, from); err != nil && err != io.EOF {
			return nil, fmt.Errorf("read journal: %w", err)
		}
		if i := bytes.LastIndexByte(bytes.TrimSuffix(buf, []byte("\n")), '\n'); i >= 0 {
			return buf[i+1:], nil
		}
		if from == 0 {
			return buf, nil
		}
	}
}

// Append seals a record and writes it as one line. With sync it is on the disk when
// Append returns. What could not be written whole is taken back.
func (j *Journal) Append(r *Record, sync bool) error {
	r.Version, r.Seq, r.Prev = Version, j.Seq+1, j.Last.Hash
	line := r.seal(j.codec)
	if n, err := j.file.Write(line); err != nil {
		if n > 0 {
			_ = j.file.Truncate(j.size) // the next Open cuts it off if this does not
		}
		return fmt.Errorf("append to journal: %w", err)
	}
	j.size += int64(len(line))
	j.Last, j.Seq = r, r.Seq
	if sync {
		if err := j.file.Sync(); err != nil {
			return fmt.Errorf("sync journal: %w", err)
		}
	}
	return nil
}

// openFile opens the journal in a folder, and says how long it is, in bytes.
func openFile(dir string, flags int) (f system.File, size int64, err error) {
	path := filepath.Join(dir, Name)
	if f, err = system.Open(path, flags|system.NoFollow); err != nil {
		return f, 0, &fs.PathError{Op: "open journal", Path: path, Err: err}
	}
	info, err := f.Stat()
	if err == nil && !info.IsRegular {
		err = errors.New("it is not a regular file")
	}
	if err != nil {
		return f, 0, errors.Join(fmt.Errorf("read journal: %w", err), f.Close())
	}
	return f, info.Size, nil
}
