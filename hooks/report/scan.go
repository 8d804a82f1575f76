package report

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// Reading a record whole, as the journal does, takes several times as long as a month may take: here its line is
// verified, and only what a report needs is looked up in it. A test holds the two readers together.

const (
	hashKey = `,"hash":"`
	hashLen = 32
	longest = 4 << 20 // a line longer than this is no record of ours
)

// scan gives every verified record of a session's journal to visit, oldest first, and every fault to fault. It returns
// the number of the last record.
func scan(path string, visit func(*entry), fault func(f journal.Fault, lost bool)) (last int64, err error) {
	s := scanner{in: bufio.NewReaderSize(nil, 256<<10), fault: fault}
	err = journal.Parts(path, func(name string, r io.Reader) error {
		s.in.Reset(r)
		s.at = journal.Fault{File: name}
		return s.file(visit)
	})
	return s.seq, err
}

type scanner struct {
	in    *bufio.Reader
	long  []byte
	at    journal.Fault // where it is
	prev  string        // hash of the record before; empty after a line that could not be read
	seq   int64
	lost  bool // the line before could not be read
	e     entry
	fault func(journal.Fault, bool)
}

func (s *scanner) file(visit func(*entry)) error {
	for {
		line, end := s.next()
		if len(line) > 0 {
			s.at.Line++
			s.take(line, end == io.EOF && s.at.File == journal.Name, visit)
		}
		var disk *fs.PathError
		switch {
		case end == io.EOF:
			return nil
		case errors.As(end, &disk):
			return fmt.Errorf("read journal: %w", end)
		case end != nil: // a packed file that is damaged
			s.blame("the rest of the file cannot be unpacked: "+end.Error(), true)
			s.lost = true
			return nil
		}
	}
}

// blame names a line, and says whether it is lost to the figures.
func (s *scanner) blame(what string, lost bool) {
	f := s.at
	f.What = what
	s.fault(f, lost)
}

// next reads a line without copying it, where it fits the buffer.
func (s *scanner) next() ([]byte, error) {
	line, err := s.in.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return line, err
	}
	s.long = append(s.long[:0], line...)
	for errors.Is(err, bufio.ErrBufferFull) {
		line, err = s.in.ReadSlice('\n')
		if len(s.long) < longest { // of what is longer only the beginning is kept: its hash cannot fit
			s.long = append(s.long, line...)
		}
	}
	return s.long, err
}

func (s *scanner) take(line []byte, unended bool, visit func(*entry)) {
	hash, err := verify(line)
	if err == nil {
		err = s.e.decode(bytes.TrimSuffix(line, []byte("\n")))
	}
	if err != nil {
		if !unended { // the last line may be being written just now
			s.blame(err.Error(), true)
			s.lost = true
		}
		return
	}
	s.follows()
	s.prev, s.seq, s.lost = hash, s.e.n, false
	visit(&s.e)
}

// follows names a record that does not follow the one before it. After a line that could not be read only the number
// can be held against it.
func (s *scanner) follows() {
	switch {
	case s.lost:
	case s.e.prev != s.prev:
		s.blame("it does not follow the record before it", false)
	case s.e.n != s.seq+1:
		s.blame(fmt.Sprintf("record %d follows record %d", s.e.n, s.seq), false)
	}
}

// verify checks a line's hash and returns it.
func verify(line []byte) (string, error) {
	line = bytes.TrimSuffix(line, []byte("\n"))
	cut := len(line) - len(hashKey) - hashLen - len(`"}`)
	if cut < 0 || string(line[cut:cut+len(hashKey)]) != hashKey {
		return "", fmt.Errorf("%w: it has no hash", journal.ErrDamaged)
	}
	sum := sha256.Sum256(line[:cut])
	var want [hashLen]byte
	hex.Encode(want[:], sum[:hashLen/2])
	if got := line[cut+len(hashKey) : cut+len(hashKey)+hashLen]; !bytes.Equal(got, want[:]) {
		return "", fmt.Errorf("%w: its hash does not fit", journal.ErrDamaged)
	}
	return string(want[:]), nil
}
