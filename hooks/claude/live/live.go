// Package live compares the client's own transcripts with our journal, to find the tool
// calls that we were never asked about: such a call was not enforced. What
// it relies on was seen with clients 2.1.197 and 2.1.329:
//
//   - A resumed session goes on in the same file. A forked one begins with a copy of the
//     other's lines, under its own session's id and with their own times: these are before
//     our first record of the fork.
//   - A call has a line when the model has asked for it, and its result another when it has
//     ended. What was refused, what failed, what was no valid input and what is no tool has
//     a result with is_error true.
//   - The result is written after our hooks have answered. So a call with a result that the
//     journal does not have by then was never recorded. At a turn's end the last lines may
//     still be missing: they are read the next time.
//   - A hook that is killed refuses nothing (2.1.197). A call with a good result that the
//     journal has as refused was made all the same.
//
// Not counted are calls from before our first record, calls that failed, calls made while
// the level was off, and calls whose event still waits for the session's lock.
package live

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/report"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

// A Call is a tool call that was made without our answer: we were never asked, or our hook
// was killed before its refusal reached the client.
type Call struct {
	ID      string    `json:"id"` // the client's: tool_use_id
	Tool    string    `json:"tool"`
	Agent   string    `json:"agent_id,omitempty"` // empty for the main agent
	Time    time.Time `json:"time"`               // when the model asked for it
	Refused bool      `json:"refused,omitempty"`
}

// A Stretch is a run of such calls between which we were asked about none.
type Stretch struct {
	From  time.Time // of the first call
	To    time.Time // of the last call
	Calls []Call
}

// A Report is what a comparison has found.
type Report struct {
	Stretches []Stretch // all that are known, the oldest first
	New       []Stretch // what the person should read now, see Message; nothing of Compare's
	Notes     []string  // what could not be compared, and why
	More      bool      // there is more to read: the next time
}

// minMissed is how many calls must be missing before we report them: one may have failed in
// a way that we do not know.
const minMissed = 2

// maxRead is how many bytes of transcripts one check reads; the next one goes on there.
const maxRead = 1 << 20

// Check continues the comparison of a session with its transcript, and keeps its state in
// the session's folder. It reads so little that a hook can afford it. The report holds
// despite an error, which is for the log.
func Check(st session.Store, id, transcript string) (Report, error) {
	return check(st, id, transcript, maxRead)
}

func check(st session.Store, id, transcript string, room int64) (Report, error) {
	if !st.Has(id) || filepath.Base(transcript) != id+".jsonl" { // a fork's first call names the other's transcript
		return Report{}, nil
	}
	path := filepath.Join(st.Path(id), stateName)
	w, err := loadWatch(path)
	if err != nil {
		w = beginWatch(st.Path(id))
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if w.Transcript != transcript { // it was moved
		w.Transcript, w.Files = transcript, map[string]int64{}
	}
	if stepErr := w.step(st, id, room); stepErr != nil {
		return Report{}, errors.Join(err, stepErr)
	}
	r := w.report()
	r.New = w.pickNew(r.Stretches)
	w.trim()
	return r, errors.Join(err, w.save(path))
}

// longJournal is the size in bytes from which a hook does not read a journal from its start.
const longJournal = 4 << 20

// beginWatch starts a comparison in a hook: with the first record, or with the last of a
// long journal.
func beginWatch(dir string) *watch {
	w := newWatch()
	w.From = firstRecord(dir)
	info, err := os.Stat(filepath.Join(dir, journal.Name))
	if err != nil || info.Size() < longJournal {
		return w
	}
	if last, err := journal.Tail(dir); err == nil {
		w.From = last.Event.Time.Truncate(time.Millisecond)
		w.Place = journal.End(dir)
		if last.State.Machine.Off {
			w.Off = []span{{From: w.From}}
		}
	}
	return w
}

// firstRecord is the time of the first record. Where that cannot be read it is the time of
// the last: nothing before it can be compared.
func firstRecord(dir string) time.Time {
	at := journal.Begin(dir)
	if at.IsZero() {
		last, _ := journal.Tail(dir) // none: the beginning of time, and a journal to read
		at = last.Event.Time
	}
	return at.Truncate(time.Millisecond)
}

// Compare compares a session with its transcript from beginning to end. It changes nothing.
func Compare(st session.Store, id, transcript string) (Report, error) {
	w := newWatch()
	w.From, w.Transcript = firstRecord(st.Path(id)), transcript
	err := w.step(st, id, 1<<62)
	return w.report(), err
}

// A Session is what is known of one.
type Session struct {
	ID         string
	Transcript string // empty where the client keeps none
	Report
	Err error // it could not be compared
}

// CompareAll compares all sessions of a store, the newest first, with the transcripts in
// the client's config folder.
func CompareAll(st session.Store, config string) ([]Session, error) {
	items, err := st.List()
	if err != nil {
		return nil, err
	}
	var out []Session
	for _, i := range items {
		s := Session{ID: i.ID, Transcript: FindTranscript(config, i.ID)}
		if s.Transcript != "" {
			s.Report, s.Err = Compare(st, i.ID, s.Transcript)
		}
		out = append(out, s)
	}
	return out, nil
}

// FindTranscript finds a session's transcript in the client's config folder, whichever
// directory it was begun in; "" where there is none.
func FindTranscript(config, id string) string {
	if session.CheckID(id) != nil {
		return ""
	}
	projects, _ := os.ReadDir(filepath.Join(config, "projects")) // none are none
	for _, d := range projects {
		path := filepath.Join(config, "projects", d.Name(), id+".jsonl")
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
	}
	return ""
}

// report divides the missed calls where we were asked in between.
func (w *watch) report() Report {
	r := Report{Notes: w.notes, More: w.more}
	var asked []time.Time
	for _, c := range w.Asked {
		asked = append(asked, time.UnixMilli(c.Milli))
	}
	slices.SortFunc(asked, time.Time.Compare)
	for _, c := range w.Missed {
		isApart := len(r.Stretches) == 0
		if !isApart {
			i, _ := slices.BinarySearchFunc(asked, r.Stretches[len(r.Stretches)-1].To.Add(1), time.Time.Compare)
			isApart = i < len(asked) && !asked[i].After(c.Time)
		}
		if isApart {
			r.Stretches = append(r.Stretches, Stretch{From: c.Time})
		}
		last := &r.Stretches[len(r.Stretches)-1]
		last.To, last.Calls = c.Time, append(last.Calls, c.Call)
	}
	return r
}

// pickNew picks the stretches that the person should read of now, and marks them as
// announced. The first time two calls are enough. Later there must be two in a stretch
// that was not announced: that a stretch has grown is no news.
func (w *watch) pickNew(all []Stretch) (out []Stretch) {
	announced := map[string]bool{}
	for _, m := range w.Missed {
		if m.Announced {
			announced[m.ID] = true
		}
	}
	hasNews, count := false, 0
	for _, s := range all {
		if !slices.ContainsFunc(s.Calls, func(c Call) bool { return announced[c.ID] }) {
			out, count = append(out, s), count+len(s.Calls)
			hasNews = hasNews || len(s.Calls) >= minMissed
		}
	}
	if len(announced) == 0 && count < minMissed || len(announced) > 0 && !hasNews {
		return nil
	}
	for i := range w.Missed {
		w.Missed[i].Announced = true
	}
	if n := len(w.Missed) - maxMissed; n > 0 { // of what was announced only the latest is kept
		w.Missed = slices.Delete(w.Missed, 0, n)
	}
	return out
}

// maxNamed is how many stretches a message names.
const maxNamed = 3

// Message is what the person should read; "" for nothing.
func (r Report) Message() string {
	if len(r.New) == 0 {
		return ""
	}
	var when []string
	for _, s := range r.New[:min(len(r.New), maxNamed)] {
		from, to := s.From.Local().Format(time.DateTime), s.To.Local().Format(time.DateTime)
		day := len(time.DateOnly) + 1
		switch {
		case from == to:
			when = append(when, "at "+from)
		case from[:day] == to[:day]:
			when = append(when, "from "+from+" to "+to[day:])
		default:
			when = append(when, "from "+from+" to "+to)
		}
	}
	if n := len(r.New) - maxNamed; n > 0 {
		when = append(when, fmt.Sprintf("%d times more", n))
	}
	times, count := map[string]int{}, 0
	for _, s := range r.New {
		count += len(s.Calls)
		for _, c := range s.Calls {
			times[c.Tool]++
		}
	}
	return fmt.Sprintf("enforcement was off %s: %d tool calls were made that pipeline %s (%s); see: pipeline doctor",
		strings.Join(when, ", "), count, HowMade(r.New...), strings.Join(report.Frequent(times), ", "))
}

// HowMade says of calls why they were not enforced: that pipeline …
func HowMade(stretches ...Stretch) string {
	for _, s := range stretches {
		if slices.ContainsFunc(s.Calls, func(c Call) bool { return c.Refused }) {
			return "refused, or was never asked about"
		}
	}
	return "was never asked about"
}
