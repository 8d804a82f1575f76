package journal

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"path/filepath"
)

// errEnough ends a reading that has seen what it wanted.
var errEnough = errors.New("enough")

// Read gives every good record of a journal to visit, oldest first, until visit returns false: first those of the
// segments that were rotated away, then those of the file itself. It needs no lock: a last line that is still being
// written is passed over. Damaged lines are counted, not hidden.
func Read(path string, visit func(Record) bool) (damaged int, err error) {
	err = files(path, func(p *part) error {
		n, err := p.records(visit)
		damaged += n
		return err
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return damaged, err
}

// ReadAll is Read of the journal in a session's folder.
func ReadAll(dir string, visit func(Record) bool) (damaged int, err error) {
	return Read(filepath.Join(dir, Name), visit)
}

func (p *part) records(visit func(Record) bool) (damaged int, err error) {
	lines := bufio.NewReaderSize(p, 64<<10)
	for {
		line, end := lines.ReadBytes('\n')
		r, err := unseal(line)
		switch {
		case errors.Is(err, ErrDamaged) && (end == nil || unreadable(end)):
			damaged++
		case err != nil && !errors.Is(err, ErrDamaged):
			return damaged, err
		case err == nil && !visit(r):
			return damaged, errEnough
		}
		if end != nil {
			return damaged, eof(end)
		}
	}
}

// eof is nil where a file ended, or broke off in a way that was counted as damage.
func eof(err error) error {
	if err == io.EOF || unreadable(err) {
		return nil
	}
	return fmt.Errorf("read journal: %w", err)
}
