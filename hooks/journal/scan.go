package journal

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/tidwall/gjson"
)

// Reading a record whole takes many times as long as finding out that nobody asked for it. Scan looks at the bytes of a
// line first, then at its first members, and leaves the rest to whoever wants it. It does not check hashes.

// A Line is a record as it is written, and its first members.
type Line struct {
	Raw                                              []byte // without its newline; good until visit returns
	File                                             string
	Line                                             int
	Seq                                              int64
	Time                                             time.Time
	Kind, AgentID, Agent, Tool, Verdict, Would, Rule string
	RuleIs, Where, Reason, UseID                     string
}

// A Damage is a line that is no record.
type Damage func(Fault)

// Scan gives the lines of a session's journal that want lets pass to visit, oldest first, until visit returns false.
func Scan(dir string, want *Want, visit func(*Line) bool, damage Damage) error {
	err := files(filepath.Join(dir, Name), func(p *part) error {
		if want.before(dir, p) {
			return nil
		}
		return p.scan(want, visit, damage)
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// before reports whether a file was last written to before what is wanted. Rotating and packing leave a file its age.
func (w *Want) before(dir string, p *part) bool {
	if w.Since.IsZero() {
		return false
	}
	info, err := os.Stat(filepath.Join(dir, p.name))
	return err == nil && info.ModTime().Add(time.Hour).Before(w.Since) // an hour for clocks that are set
}

func (p *part) scan(want *Want, visit func(*Line) bool, damage Damage) error {
	in := lineReader{in: bufio.NewReaderSize(p, 256<<10)}
	l := Line{File: p.name}
	for {
		raw, end := in.next()
		l.Line++
		if unreadable(end) {
			damage(Fault{File: p.name, Line: l.Line, What: "the rest of the file cannot be unpacked"})
		}
		if end != nil { // a last line without an end may be being written just now
			return eof(end)
		}
		switch ok, shaped := l.read(raw[:len(raw)-1], want); {
		case !shaped:
			damage(Fault{File: p.name, Line: l.Line, What: "no record"})
		case ok && !visit(&l):
			return errEnough
		}
	}
}

// A lineReader reads lines without copying those that fit its buffer.
type lineReader struct {
	in   *bufio.Reader
	long []byte
}

func (r *lineReader) next() ([]byte, error) {
	line, err := r.in.ReadSlice('\n')
	if err != bufio.ErrBufferFull {
		return line, err
	}
	r.long = append(r.long[:0], line...)
	for err == bufio.ErrBufferFull {
		line, err = r.in.ReadSlice('\n')
		r.long = append(r.long, line...)
	}
	return r.long, err
}

// read takes a line; shaped says whether it has the form of a record at all.
func (l *Line) read(raw []byte, want *Want) (ok, shaped bool) {
	cut := len(raw) - len(hashKey) - hashLen - len(`"}`)
	if cut < 0 || raw[0] != '{' || string(raw[cut:cut+len(hashKey)]) != hashKey {
		return false, false
	}
	if !want.maybe(raw) {
		return false, true
	}
	*l = Line{Raw: raw, File: l.File, Line: l.Line}
	if l.members(); l.Seq == 0 || l.Kind == "" {
		return false, false
	}
	return want.fits(l), true
}

// head is the part of a line before the session, which is the longer one.
func head(raw []byte) []byte {
	if i := bytes.Index(raw, []byte(`,"session":{`)); i >= 0 { // in a string the quotes would be escaped
		return raw[:i]
	}
	return raw
}

func (l *Line) members() {
	gjson.ParseBytes(head(l.Raw)).ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "n":
			l.Seq = value.Int()
		case "event":
			l.event(value)
		case "verdict":
			l.Verdict = value.String()
		case "would":
			l.Would = value.String()
		case "rule":
			l.Rule = value.String()
		case "type":
			l.RuleIs = value.String()
		case "where":
			l.Where = value.String()
		case "reason":
			l.Reason = value.String()
		}
		return key.Str != "moves"
	})
}

func (l *Line) event(e gjson.Result) {
	e.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "kind":
			l.Kind = value.String()
		case "time":
			l.Time, _ = time.Parse(time.RFC3339Nano, value.Str) // no time: as old as can be
		case "agent":
			l.AgentID, l.Agent = value.Get("id").String(), value.Get("type").String()
		case "tool":
			l.Tool, l.UseID = value.Get("name").String(), value.Get("use").String()
		case "dir", "text", "facts":
			return false
		}
		return true
	})
}

// Begin is when a journal's first record was written; the beginning of time where that cannot be read.
func Begin(dir string) time.Time {
	var at time.Time
	_ = files(filepath.Join(dir, Name), func(p *part) error {
		at, _ = time.Parse(time.RFC3339Nano, gjson.GetBytes(firstLine(p), "event.time").Str)
		return errEnough
	})
	return at
}
