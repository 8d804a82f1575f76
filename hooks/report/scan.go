package report

import (
	"errors"
	"fmt"

	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// scanJournal gives every verified record of a session's journal to visit, oldest
// first, and every fault to fault; lost says that a line is missing from the figures.
// It returns the number of the last record.
func scanJournal(path string, visit func(*journal.Line), fault func(f journal.Fault, lost bool)) (last int64,
	err error) {
	prev, isAfterLoss := "", false
	err = journal.Walk(path, func(l *journal.Line, err error) error {
		at := journal.Fault{File: l.File, Line: l.Line}
		if err == nil && (l.Version < 1 || l.Seq == 0 || l.Kind == "" || l.Time.IsZero()) {
			err = fmt.Errorf("%w: it lacks what every record has", journal.ErrDamaged)
		}
		if err != nil {
			if !l.Torn || l.File != journal.Name || errors.Is(err, journal.ErrPacked) { // else it may be being written
				at.What = err.Error()
				fault(at, true)
				isAfterLoss = true
			}
			return nil
		}
		// After a line that could not be read the next one cannot be held to it.
		switch {
		case isAfterLoss:
		case l.Prev() != prev:
			at.What = "it does not follow the record before it"
			fault(at, false)
		case l.Seq != last+1:
			at.What = fmt.Sprintf("record %d follows record %d", l.Seq, last)
			fault(at, false)
		}
		prev, last, isAfterLoss = l.Hash(), l.Seq, false
		visit(l)
		return nil
	})
	return last, err
}
