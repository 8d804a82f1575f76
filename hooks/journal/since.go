package journal

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"syscall"

	"github.com/tidwall/gjson"
)

// A Mark is how far a journal was read, for a reader that goes on in another process. The zero Mark is the beginning.
type Mark struct {
	First  int64 `json:"first"`  // number of the first record of the file that was read: a journal may be carried on in another
	Offset int64 `json:"offset"` // bytes of that file
}

// A Since is what has come after a mark.
type Since struct {
	Mark         // behind what was read
	Lines []Line // those that were wanted, without their place in the file
	From  int64  // number of the first record that was read; 0 for none
	To    int64  // and of the last
	More  bool   // there is more to read
	Anew  bool   // the file is not the one of the mark, nor one that goes on from it
}

// ReadSince reads the records behind a mark, in about so many bytes, and takes those apart whose bytes are wanted. When
// the journal was carried on meanwhile, or is another than it was, it is read from the beginning of the file: the numbers
// tell whether records were left behind. A last line that is still being written is left for the next reader; what is no
// record is passed over, and no hash is checked.
func ReadSince(dir string, at Mark, most int64, want func(raw []byte) bool) (Since, error) {
	f, err := openFile(filepath.Join(dir, Name), syscall.O_RDONLY)
	if err != nil {
		return Since{Mark: at}, err
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil {
		return Since{Mark: at}, err
	}
	out, err := f.follows(at, size)
	if err != nil {
		return out, err
	}
	text, more, err := wholeLines(f, out.Offset, size, most)
	out.Offset += int64(len(text))
	out.More = more
	for raw := range bytes.Lines(text) {
		if raw = raw[:len(raw)-1]; want(raw) {
			out.add(raw)
		}
	}
	out.From, out.To = ends(text)
	return out, err
}

func (s *Since) add(raw []byte) {
	l := Line{File: Name}
	if ok, _ := l.read(raw, &Want{}); ok {
		s.Lines = append(s.Lines, l)
	}
}

// ends are the numbers of the first and of the last of some lines.
func ends(text []byte) (from, to int64) {
	if len(text) == 0 {
		return 0, 0
	}
	last := bytes.LastIndexByte(text[:len(text)-1], '\n') + 1
	return gjson.GetBytes(text, "n").Int(), gjson.GetBytes(text[last:], "n").Int()
}

// follows is where to begin in a file, by what was read before.
func (f file) follows(at Mark, size int64) (Since, error) {
	head := make([]byte, min(size, 64)) // {"v":1,"n":1234567890,
	if _, err := f.ReadAt(head, 0); err != nil && err != io.EOF {
		return Since{Mark: at}, fmt.Errorf("read journal: %w", err)
	}
	begin := Since{Mark: Mark{First: gjson.GetBytes(head, "n").Int()}}
	switch {
	case at == Mark{}, begin.First > at.First:
		return begin, nil
	case begin.First == at.First && f.lineBegins(at.Offset):
		return Since{Mark: at}, nil
	}
	begin.Anew = true
	return begin, nil
}

// lineBegins reports whether a line begins at an offset, which behind the end of the file none does.
func (f file) lineBegins(offset int64) bool {
	if offset == 0 {
		return true
	}
	before := make([]byte, 1)
	_, err := f.ReadAt(before, offset-1)
	return err == nil && before[0] == '\n'
}

// wholeLines reads the lines from an offset on that end within so many bytes, and one that is longer alone; more is
// whether that left something out.
func wholeLines(f io.ReaderAt, from, size, most int64) (text []byte, more bool, err error) {
	for want := most; ; want *= 4 {
		buf := make([]byte, min(want, size-from))
		n, err := f.ReadAt(buf, from)
		if err != nil && err != io.EOF {
			return nil, false, fmt.Errorf("read journal: %w", err)
		}
		all := int64(len(buf)) == size-from
		if i := bytes.LastIndexByte(buf[:n], '\n'); i >= 0 {
			return buf[:i+1], !all, nil
		}
		if all {
			return nil, false, nil
		}
	}
}
