package journal

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A Fault is a place where a journal is not what was written.
type Fault struct {
	File string `json:"file"`
	Line int    `json:"line"` // 1 for the first; 0 when it is about the file as a whole
	What string `json:"what"`
}

func (f Fault) String() string {
	if f.Line == 0 {
		return f.File + ": " + f.What
	}
	return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.What)
}

// An Audit is what following the chain of a journal has shown.
type Audit struct {
	Records int     `json:"records"` // that are good
	Files   int     `json:"files"`   // that the journal consists of
	Faults  []Fault `json:"faults"`  // the first first
	// Resumed is where pipeline itself found damage and went on after it.
	Resumed []Fault `json:"resumed"`
	Last    int64   `json:"last"` // the number of the last good record

	Texts []string `json:"-"` // hashes of the texts that records have captured
}

// Verify follows the chain of the journal in a session's folder to its end, over all
// that is wrong with it, and holds it against a record that is known to have been
// written, and against its anchors.
func Verify(dir string, head Head, anchors ...Head) (Audit, error) {
	v := verifier{head: head, anchors: anchors}
	err := eachFile(dir, 0, func(p *part) error {
		v.Files++
		_, err := p.eachLine(Place{}, true, func(l *Line, err error) error { v.checkLine(l, err); return nil })
		return err
	})
	if err != nil {
		return v.Audit, err
	}
	if n := len(v.anchors); n > 0 {
		v.addFault(Fault{File: Name}, "%d anchored records are missing or changed, the first is record %d",
			n, v.anchors[0].Seq)
	}
	if !v.seen && head.Seq > v.Last {
		v.addFault(Fault{File: Name},
			"it ends at record %d, and state.json was written at record %d: the end was cut off", v.Last, head.Seq)
	}
	return v.Audit, nil
}

// A verifier goes along a chain.
type verifier struct {
	Audit
	head    Head
	anchors []Head // those that were not met yet
	seen    bool   // the head
	prev    Head   // the last good one
	damaged int    // lines after it
}

func (v *verifier) addFault(at Fault, what string, args ...any) {
	at.What = fmt.Sprintf(what, args...)
	v.Faults = append(v.Faults, at)
}

// checkLine takes the next line, and notes what is wrong with it.
func (v *verifier) checkLine(r *Line, err error) {
	at := Fault{File: r.File, Line: r.Line}
	met := Head{r.Seq, r.Hash()} // a newer version's as well; a damaged line has no number
	v.anchors = slices.DeleteFunc(v.anchors, func(h Head) bool { return h == met })
	if err != nil {
		v.addFault(at, "%v", err)
		if !errors.Is(err, ErrPacked) {
			v.damaged++
		}
		return
	}
	switch what := v.explainBreak(r); {
	case what != "":
		v.addFault(at, "%s", what)
	case v.damaged > 0:
		at.What = fmt.Sprintf("record %d goes on from record %d: pipeline found the %d lines between them "+
			"damaged when it wrote it", r.Seq, v.prev.Seq, v.damaged)
		v.Resumed = append(v.Resumed, at)
	}
	if r.Seq == v.head.Seq {
		v.seen = true
		if r.Hash() != v.head.Hash {
			v.addFault(at, "record %d is not the one that state.json was written at: the journal "+
				"was written again", r.Seq)
		}
	}
	if r.Recovered {
		v.addFault(at, "record %d: the journal lacked the session, which was recovered or began again", r.Seq)
	}
	for _, hash := range r.texts.Array() {
		if !slices.Contains(v.Texts, hash.Str) {
			v.Texts = append(v.Texts, strings.Clone(hash.Str))
		}
	}
	v.prev, v.damaged, v.Last = met, 0, r.Seq
	v.Records++
}

func (v *verifier) explainBreak(r *Line) string {
	switch follows := r.Prev() == v.prev.Hash; {
	case follows && r.Seq == v.prev.Seq+1+int64(v.damaged):
		return ""
	case follows:
		return fmt.Sprintf("record %d follows record %d", r.Seq, v.prev.Seq)
	case v.prev.Seq == 0 && r.Kind == Rotated:
		return fmt.Sprintf("it does not follow the record before it: %s is missing, with the %d records up to here",
			r.Event.Get("source").Str, r.Seq-1)
	case r.Seq > v.prev.Seq+1:
		return fmt.Sprintf("it does not follow the record before it: this is record %d, that was record %d", r.Seq,
			v.prev.Seq)
	case r.Seq == 1:
		return "it does not follow the record before it: a journal begins here"
	}
	return "it does not follow the record before it"
}
