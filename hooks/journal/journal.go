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
	torn    int // bytes of a last line that has no end; 0 for none
	whole   int // bytes of the record that it is all the same
}

// Open opens the journal in a session's folder and finds the last good record. A line that
// was cut off while it was written is taken away; lines that are damaged stay where they
// are, as evidence, and are reported.
func Open(dir string) (*Journal, error) { return new(Codec).Open(dir) }

// Open opens a journal, as the function does.
func (c *Codec) Open(dir string) (*Journal, error) {
	j, err := c.open(dir, os.O_RDWR|os.O_CREATE|os.O_APPEND)
	if err != nil {
		return nil, err
	}
	if j.Damaged > 0 {
		j.Repairs = append(j.Repairs,
			fmt.Sprintf("the last %d lines of the journal are damaged: going on from record %d", j.Damaged, j.Last.Seq))
	}
	if j.torn > 0 {
		err = j.repairEnd()
	}
	if err != nil {
		j.Close()
		return nil, err
	}
	return j, nil
}

// Tail is the last good record of the journal in a session's folder, to which another
// process may be writing. It changes nothing.
func Tail(dir string) (Record, error) { return new(Codec).Tail(dir) }

// Tail is the last good record of a journal, as the function says.
func (c *Codec) Tail(dir string) (Record, error) {
	j, err := c.open(dir, os.O_RDONLY)
	if err != nil {
		return Record{}, err
	}
	return *j.Last, j.Close()
}

// open opens the journal in a folder, and finds the last good record from the end.
func (c *Codec) open(dir string, flags int) (*Journal, error) {
	path := filepath.Join(dir, Name)
	f, err := system.Open(path, flags|system.NoFollow)
	if err != nil {
		return nil, &fs.PathError{Op: "open journal", Path: path, Err: err}
	}
	j := &Journal{file: f, codec: c, Last: &Record{}}
	if err := j.findLast(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return j, nil
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

// findLast finds the last good record from the end, and what stands behind it. It refuses a journal that a newer
// pipeline wrote.
func (j *Journal) findLast() error {
	info, err := j.file.Stat()
	if err == nil && !info.IsRegular {
		err = errors.New("it is not a regular file")
	}
	if err != nil {
		return fmt.Errorf("read journal: %w", err)
	}
	j.size = info.Size
	for end := j.size; end > 0 && j.Last.Hash == ""; {
		line, err := LineBefore(j.file, end)
		if err != nil {
			return err
		}
		end -= int64(len(line))
		body, isEnded := bytes.CutSuffix(line, []byte("\n"))
		r, err := j.codec.openLine(body)
		if !isEnded && errors.Is(err, ErrDamaged) { // perhaps only its end was changed
			body = line[:len(line)-1]
			r, err = j.codec.openLine(body)
		}
		switch {
		case err == nil && !isEnded:
			j.Last, j.torn, j.whole = r, len(line), len(body)
		case err == nil:
			j.Last = r
		case !errors.Is(err, ErrDamaged):
			return err
		case !isEnded:
			j.torn = len(line)
		default:
			j.Damaged++
		}
	}
	j.Seq = j.Last.Seq + int64(j.Damaged)
	return nil
}

// repairEnd ends a last line that has no end, or takes away what was not finished.
func (j *Journal) repairEnd() error {
	j.size -= int64(j.torn - j.whole)
	if err := j.file.Truncate(j.size); err != nil {
		return fmt.Errorf("cut off a torn line: %w", err)
	}
	if j.whole == 0 {
		j.Repairs = append(j.Repairs, fmt.Sprintf("a line of %d bytes that was not finished was cut off", j.torn))
		return nil
	}
	if _, err := j.file.Write([]byte("\n")); err != nil {
		return fmt.Errorf("end the journal's last line: %w", err)
	}
	j.size++
	j.Repairs = append(j.Repairs, fmt.Sprintf("record %d lacked the end of its line: it was put there", j.Seq))
	return nil
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
	if _, err := j.file.Write(line); err != nil {
		_ = j.file.Truncate(j.size) // the next Open cuts it off if this does not
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
