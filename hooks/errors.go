package hooks

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/redact"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

// An ErrorLog keeps what goes wrong in pipeline itself: in the project's state folder,
// whether or not a session is known.
type ErrorLog struct{ Home string }

// An OwnError is a line of errors.jsonl.
type OwnError struct {
	Time    time.Time `json:"time"`
	Event   string    `json:"event,omitempty"`
	Session string    `json:"session,omitempty"`
	Error   string    `json:"error"`
	Closed  bool      `json:"closed"` // on_error: deny
}

// AddError appends an error.
func (l ErrorLog) AddError(e OwnError) error {
	e.Error = redact.Text(e.Error)
	return l.appendLine("errors.jsonl", e)
}

// ReadErrors reads the errors. A line that was not written whole is an empty one.
func (l ErrorLog) ReadErrors() ([]OwnError, error) {
	return readErrors(l.Home + "/errors.jsonl")
}

func readErrors(path string) (all []OwnError, err error) {
	body, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for line := range bytes.Lines(body) {
		var e OwnError
		_ = json.Unmarshal(line, &e)
		all = append(all, e)
	}
	return all, err
}

// AddHousekeeping appends what housekeeping packed and removed.
func (l ErrorLog) AddHousekeeping(notes []string, now time.Time) (err error) {
	for _, n := range notes {
		err = errors.Join(err, l.appendLine("housekeeping.jsonl", struct {
			Time time.Time `json:"time"`
			Note string    `json:"note"`
		}{now, n}))
	}
	return err
}

func (l ErrorLog) appendLine(name string, v any) error {
	line, _ := json.Marshal(v) // of strings and times only
	path := l.Home + "/" + name
	err := system.AppendLine(path, line)
	if errors.Is(err, fs.ErrNotExist) && os.MkdirAll(system.Dir(path), 0o700) == nil {
		err = system.AppendLine(path, line)
	}
	if err != nil {
		return fmt.Errorf("log to %s: %w", name, err)
	}
	return nil
}

// IsFirst reports whether an error has not been reported to a person in this session
// yet, and remembers it. Where that cannot be known, or no session is known, it is
// reported again.
func (l ErrorLog) IsFirst(session string, err error) bool {
	dir := l.Home + "/said"
	if session == "" || os.MkdirAll(dir, 0o700) != nil {
		return true
	}
	sum := sha256.Sum256([]byte(session + "\x00" + err.Error()))
	path := dir + "/" + hex.EncodeToString(sum[:8])
	f, openErr := os.OpenFile(path, os.O_CREATE|os.O_EXCL, 0o600)
	f.Close() // which does nothing if there is no file
	return !errors.Is(openErr, fs.ErrExist)
}

// A Lapse is the time in which calls of a session were not judged. It is a file of lines,
// one for each call, which the next judged prompt or start reports and removes.
type Lapse struct {
	Since, Last time.Time
	Calls       int    // none: there is no lapse
	Cause       string // of the last call
	Closed      bool   // every call was refused (on_error: deny)
}

func (l ErrorLog) lapsePath(session string) string { return l.Home + "/said/" + session }

// AddLapse records a call that was not judged. It reports whether the cause is new in
// this lapse. Where that cannot be known, or no session is known, it counts as new.
func (l ErrorLog) AddLapse(e OwnError) (isNew bool) {
	if session.CheckID(e.Session) != nil {
		return true
	}
	e.Error = redact.Text(e.Error)
	cause, _ := json.Marshal(e.Error)
	earlier, _ := os.ReadFile(l.lapsePath(e.Session)) // none: it is the first call
	return l.appendLine("said/"+e.Session, e) != nil ||
		!bytes.Contains(earlier, append([]byte(`"error":`), cause...))
}

// Lapse reads the lapse of a session; none where every call was judged.
func (l ErrorLog) Lapse(id string) (out Lapse) {
	if session.CheckID(id) != nil {
		return out
	}
	all, _ := readErrors(l.lapsePath(id))
	out.Closed = true
	for _, e := range all {
		if e.Time.IsZero() {
			continue // a process was killed while it wrote
		}
		if out.Calls == 0 {
			out.Since = e.Time
		}
		out.Calls++
		out.Last, out.Cause, out.Closed = e.Time, e.Error, out.Closed && e.Closed
	}
	return out
}

// EndLapse ends the lapse of a session, because a call was judged again.
func (l ErrorLog) EndLapse(id string) error {
	err := os.Remove(l.lapsePath(id))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("end a lapse: %w", err)
	}
	return nil
}

// KeepTrace writes where a crash happened. It must not fail in its turn.
func (l ErrorLog) KeepTrace(what string, stack []byte) {
	name := time.Now().UTC().Format("20060102T150405.000000000") + ".txt"
	_ = system.MakeFile(l.Home+"/crashes/"+name, append([]byte(what+"\n\n"), stack...))
}

// WriteDebug appends what came in and what was decided to debug.log in a folder, without secrets: the event as a
// record of all its words has it, and what was decided of each of its parts.
func WriteDebug(dir string, e fsm.Event, d fsm.Decision) error {
	e, _ = Redact(e, "full")
	d.Parts = slices.Clone(d.Parts)
	for i := range d.Parts {
		d.Parts[i].Part.Words = nil // the event has them
	}
	line, err := json.Marshal(struct {
		Event    fsm.Event
		Decision fsm.Decision
	}{e, d})
	var doc any
	if err == nil {
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber()      // as they are: a float64 rounds long ones
		_ = d.Decode(&doc) // of what was just written
		line, err = json.Marshal(redactMember("", doc))
	}
	if err == nil {
		err = system.AppendLine(dir+"/debug.log", line)
	}
	if err != nil {
		return fmt.Errorf("debug: %w", err)
	}
	return nil
}

// redactMember takes secrets out of the texts of a member of a document.
func redactMember(name string, v any) any {
	switch v := v.(type) {
	case string:
		shown := redact.Value(name, v)
		return shown
	case []any:
		for i := range v {
			v[i] = redactMember(name, v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = redactMember(k, v[k])
		}
	}
	return v
}
