package live

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/claude/transcript"
	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

// A watch is a comparison in progress: how far the files were read, and what is not decided.
type watch struct {
	from       time.Time        // earlier calls do not concern us
	transcript string           // the main agent's
	files      map[string]int64 // how many bytes were read of each transcript; "" is the main agent's
	journal    journal.Place
	asked      map[string]time.Time    // the calls that the journal has, by id
	order      []string                // their ids, the oldest first
	refused    map[string]bool         // those of them that we refused
	open       map[string]*pendingCall // the calls that the transcripts have and the journal has not
	missed     []missedCall
	off        []span // while the level was off
	notes      []string
	more       bool // the transcripts were not read to their ends
}

func newWatch() *watch {
	return &watch{files: map[string]int64{}, asked: map[string]time.Time{}, refused: map[string]bool{},
		open: map[string]*pendingCall{}}
}

type pendingCall struct {
	Call
	done bool // it has its result
}

type missedCall struct {
	Call
	announced bool
}

// A span has no end yet while its end is zero.
type span struct{ from, to time.Time }

// step reads on: the transcripts first, then the events that wait, then the journal. In
// this order, what was recorded or spooled before its result was written is always found.
func (w *watch) step(st session.Store, id string, room int64) error {
	w.notes, w.more = nil, false
	if err := w.readTranscripts(room); err != nil {
		return err
	}
	waiting := map[string]bool{}
	for _, e := range st.Waiting(id) {
		waiting[e.Tool.UseID] = true
	}
	if err := w.readRecords(st.Path(id)); err != nil {
		return err
	}
	w.settle(waiting)
	return nil
}

// readRecords takes which calls the journal has, and when the level was off.
func (w *watch) readRecords(dir string) (err error) {
	damaged := 0
	for range 2 { // one that has become shorter is read from its start
		w.journal, err = journal.From(dir, w.journal, &journal.Want{}, w.takeRecord, func(journal.Fault) { damaged++ })
		segments, offset := w.journal.Position()
		if offset > 0 || err != nil {
			break
		}
		w.journal = journal.PlaceAt(segments, 0)
	}
	if damaged > 0 {
		w.notes = append(w.notes, fmt.Sprintf("%d lines of the journal are damaged: their calls may count as missed",
			damaged))
	}
	return err
}

func (w *watch) takeRecord(l *journal.Line) bool {
	at := l.Time.Truncate(time.Millisecond)
	if l.UseID != "" && l.Kind == fsm.ToolRequest { // that its result was recorded does not mean that it was judged
		w.addAsked(l.UseID, at, l.Verdict == fsm.Deny.String())
	}
	last := len(w.off) - 1
	since := last >= 0 && w.off[last].to.IsZero()
	switch off := bytes.Contains(l.Raw, []byte(`off":true`)); { // in a string the quote would be escaped
	case off && !since:
		w.off = append(w.off, span{from: at})
	case !off && since:
		w.off[last].to = at
	}
	return true
}

// addAsked notes that we were asked about a call.
func (w *watch) addAsked(id string, at time.Time, refused bool) {
	if _, ok := w.asked[id]; !ok {
		id = strings.Clone(id) // it is a part of a line
		w.asked[id] = at
		w.order = append(w.order, id)
		if refused {
			w.refused[id] = true
		}
	}
}

// isAnswered reports whether we let a call pass. One that we refused is not made, unless
// the hook was killed between its record and its answer.
func (w *watch) isAnswered(id string) bool {
	_, asked := w.asked[id]
	return asked && !w.refused[id]
}

// settle decides about the calls that are complete.
func (w *watch) settle(waiting map[string]bool) {
	for id, c := range w.open {
		switch {
		case w.isAnswered(id), c.Time.Before(w.from), w.wasOff(c.Time), w.isMissed(id):
			delete(w.open, id)
		case c.done && !waiting[id]:
			delete(w.open, id)
			c.Refused = w.refused[id]
			w.missed = append(w.missed, missedCall{Call: c.Call})
		}
	}
	slices.SortFunc(w.missed, func(a, b missedCall) int {
		if c := a.Time.Compare(b.Time); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
}

func (w *watch) isMissed(id string) bool {
	return slices.ContainsFunc(w.missed, func(m missedCall) bool { return m.ID == id })
}

func (w *watch) wasOff(at time.Time) bool {
	return slices.ContainsFunc(w.off, func(s span) bool {
		return !at.Before(s.from) && (s.to.IsZero() || at.Before(s.to))
	})
}

// What is kept of a session at most, so that its file stays small.
const (
	maxAsked  = 500  // where the transcripts were read to their ends: they lag by a few calls
	maxBehind = 2000 // else
	maxOpen   = 500
	maxMissed = 500
)

// trim drops the oldest. Calls as old as what was dropped no longer count.
func (w *watch) trim() {
	most := maxAsked
	if w.more {
		most = maxBehind
	}
	if n := len(w.order) - most; n > 0 {
		for _, id := range w.order[:n] {
			delete(w.asked, id)
			delete(w.refused, id)
		}
		w.order = w.order[n:]
		if first := w.asked[w.order[0]]; first.After(w.from) {
			w.from = first
		}
	}
	if len(w.open) > maxOpen { // calls that will never end
		ids := w.openIDs()
		for _, id := range ids[:len(ids)-maxOpen] {
			delete(w.open, id)
		}
	}
}

// openIDs are in the order of their times.
func (w *watch) openIDs() []string {
	var ids []string
	for id := range w.open {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b string) int {
		if c := w.open[a].Time.Compare(w.open[b].Time); c != 0 {
			return c
		}
		return strings.Compare(a, b)
	})
	return ids
}

// readTranscripts continues with the transcript of the main agent and those of its agents,
// room bytes of all together.
func (w *watch) readTranscripts(room int64) error {
	beside := filepath.Join(strings.TrimSuffix(w.transcript, ".jsonl"), "subagents")
	left, err := w.readFile(w.transcript, "", room)
	if err != nil {
		return err
	}
	for _, path := range transcript.FindAgentFiles(w.transcript) {
		name, err := filepath.Rel(beside, path)
		if err != nil {
			return fmt.Errorf("name a transcript: %w", err)
		}
		if left, err = w.readFile(path, name, left); err != nil {
			return err
		}
	}
	return nil
}

// maxLine is how long a line may be, in bytes: lines hold pictures. What is behind a longer
// one is not read.
const maxLine = 64 << 20

// readFile continues with one transcript, and returns how much may still be read of others.
func (w *watch) readFile(path, name string, room int64) (left int64, err error) {
	at := w.files[name]
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && info.Size() == at:
		return room, nil
	case err != nil:
		return room, fmt.Errorf("read transcript: %w", err)
	case name != "" && !hasType(path):
		return room, nil
	case room <= 0:
		w.more = true
		return room, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return room, fmt.Errorf("read transcript: %w", err)
	}
	defer f.Close()
	if !continues(f, at, info.Size()) {
		w.notes = append(w.notes, "the transcript "+path+" is another than it was: its present content is not compared")
		w.files[name] = lastLineEnd(f, info.Size())
		return room, nil
	}
	n, err := w.readLines(io.NewSectionReader(f, at, min(info.Size()-at, room+maxLine)), agentID(path, name), room)
	w.files[name] = at + n
	w.more = w.more || err == nil
	if err == nil || errors.Is(err, io.EOF) {
		return room - n, nil
	}
	return room - n, fmt.Errorf("read transcript: %w", err)
}

// hasType reports whether the client has noted the type of an agent. It notes none for its
// own helpers, which summarize.
func hasType(path string) bool {
	body, err := os.ReadFile(strings.TrimSuffix(path, ".jsonl") + ".meta.json")
	return err == nil && gjson.GetBytes(body, "agentType").Str != ""
}

func agentID(path, name string) string {
	if name == "" {
		return ""
	}
	return strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), "agent-"), ".jsonl")
}

// continues reports whether a file can be the one that was read so far: as long, and with a
// line's end there.
func continues(f io.ReaderAt, at, size int64) bool {
	if at == 0 {
		return true
	}
	var end [1]byte
	if at > size {
		return false
	}
	_, err := f.ReadAt(end[:], at-1)
	return err == nil && end[0] == '\n'
}

// lastLineEnd is where the last whole line of a file ends.
func lastLineEnd(f io.ReaderAt, size int64) int64 {
	buf := make([]byte, 64<<10)
	for size > 0 {
		from := max(0, size-int64(len(buf)))
		n, err := f.ReadAt(buf[:size-from], from)
		if err != nil && !errors.Is(err, io.EOF) {
			return 0
		}
		if i := bytes.LastIndexByte(buf[:n], '\n'); i >= 0 {
			return from + int64(i) + 1
		}
		size = from
	}
	return 0
}

// readLines takes whole lines until there is no room left. The error is io.EOF at the end.
func (w *watch) readLines(r io.Reader, agent string, room int64) (n int64, err error) {
	in := bufio.NewReaderSize(r, 64<<10)
	var long []byte
	for n < room {
		line, err := in.ReadSlice('\n')
		for long = long[:0]; err == bufio.ErrBufferFull; line, err = in.ReadSlice('\n') {
			long = append(long, line...)
		}
		if err != nil { // a last line without an end is being written
			return n, err
		}
		if len(long) > 0 {
			long = append(long, line...)
			line = long
		}
		n += int64(len(line))
		w.takeLine(line, agent)
	}
	return n, nil
}

// takeLine takes the calls and the results of one line. A damaged line may hold none.
func (w *watch) takeLine(raw []byte, agent string) {
	if !bytes.Contains(raw, []byte(`"tool_use`)) { // tool_use_id too
		return
	}
	kind := gjson.GetBytes(raw, "type").Str
	when, err := time.Parse(time.RFC3339Nano, gjson.GetBytes(raw, "timestamp").Str)
	if kind != "assistant" && kind != "user" || err != nil {
		return
	}
	gjson.GetBytes(raw, "message.content").ForEach(func(_, block gjson.Result) bool {
		w.takeBlock(block, kind, Call{Agent: agent, Time: when})
		return true
	})
}

func (w *watch) takeBlock(block gjson.Result, kind string, c Call) {
	switch what := block.Get("type").Str; {
	case kind == "assistant" && what == "tool_use":
		c.ID, c.Tool = block.Get("id").Str, block.Get("name").Str
		if !w.isAnswered(c.ID) && c.ID != "" {
			w.open[c.ID] = &pendingCall{Call: c}
		}
	case kind == "user" && what == "tool_result":
		o := w.open[block.Get("tool_use_id").Str]
		if o == nil {
			return
		}
		if block.Get("is_error").Bool() {
			delete(w.open, o.ID)
			return
		}
		o.done = true
	}
}
