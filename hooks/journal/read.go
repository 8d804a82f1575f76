package journal

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
)

// Read gives every good record of a journal to visit, oldest first, until visit returns false. It needs no lock: a
// last line that is still being written is passed over. Damaged lines are counted, not hidden.
func Read(path string, visit func(Record) bool) (damaged int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, fmt.Errorf("open journal: %w", err)
	}
	defer f.Close()
	lines := bufio.NewReaderSize(f, 64<<10)
	for {
		line, end := lines.ReadBytes('\n')
		r, err := unseal(line)
		switch {
		case errors.Is(err, ErrDamaged) && end == nil:
			damaged++
		case err != nil && !errors.Is(err, ErrDamaged):
			return damaged, err
		case err == nil && !visit(r):
			return damaged, nil
		}
		if end != nil {
			return damaged, eof(end)
		}
	}
}

func eof(err error) error {
	if err == io.EOF {
		return nil
	}
	return fmt.Errorf("read journal: %w", err)
}

// A Fault is a place where a journal is not what was written.
type Fault struct {
	Line int // 1 for the first
	What string
}

// Check follows the chain of a whole journal and returns the first place where it does not hold.
func Check(path string) (records int, fault *Fault, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, nil, fmt.Errorf("open journal: %w", err)
	}
	defer f.Close()
	lines := bufio.NewReaderSize(f, 64<<10)
	var prev Record
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF && len(line) == 0 {
			return records, nil, nil
		}
		if err != nil && err != io.EOF {
			return records, nil, fmt.Errorf("read journal: %w", err)
		}
		r, what := follows(prev, line)
		if what != "" {
			return records, &Fault{Line: records + 1, What: what}, nil
		}
		prev = r
		records++
	}
}

func follows(prev Record, line []byte) (Record, string) {
	r, err := unseal(line)
	switch {
	case err != nil:
		return r, err.Error()
	case r.Prev != prev.Hash:
		return r, "it does not follow the record before it"
	case r.Seq != prev.Seq+1:
		return r, fmt.Sprintf("record %d follows record %d", r.Seq, prev.Seq)
	}
	return r, ""
}
