package live

import (
	"bufio"
	"bytes"
	"cmp"
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
	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

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
func (w *watch) readRecords(dir string) error {
	damaged := 0
	var err error
	for range 2 { // one that has become shorter is read from its start
		w.Place, err = journal.From(dir, w.Place, &journal.Want{}, w.takeRecord, func(journal.Fault) { damaged++ })
		if w.Offset > 0 || err != nil {
			break
		}
		w.Place = journal.Place{Segments: w.Segments}
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
		if _, ok := w.Asked[l.UseID]; !ok { // the id is a part of the line
			w.Asked[strings.Clone(l.UseID)] = askedCall{at.UnixMilli(), l.Verdict == fsm.Deny.String()}
		}
	}
	last := len(w.Off) - 1
	since := last >= 0 && w.Off[last].To.IsZero()
	switch off := bytes.Contains(l.Raw, []byte(`off":true`)); { // in a string the quote would be escaped
	case off && !since:
		w.Off = append(w.Off, span{From: at})
	case !off && since:
		w.Off[last].To = at
	}
	return true
}

// isAnswered reports whether we let a call pass. One that we refused is not made, unless
// the hook was killed between its record and its answer.
func (w *watch) isAnswered(id string) bool {
	c, asked := w.Asked[id]
	return asked && !c.Refused
}

// settle decides about the calls that are complete.
func (w *watch) settle(waiting map[string]bool) {
	for id, c := range w.Open {
		wasOff := slices.ContainsFunc(w.Off, func(s span) bool {
			return !c.Time.Before(s.From) && (s.To.IsZero() || c.Time.Before(s.To))
		})
		isMissed := slices.ContainsFunc(w.Missed, func(m missedCall) bool { return m.ID == id })
		switch {
		case wasOff, isMissed, w.isAnswered(id), c.Time.Before(w.From):
			delete(w.Open, id)
		case c.Done && !waiting[id]:
			delete(w.Open, id)
			c.Refused = w.Asked[id].Refused
			w.Missed = append(w.Missed, missedCall{Call: c.Call})
		}
	}
	slices.SortFunc(w.Missed, func(a, b missedCall) int {
		return cmp.Or(a.Time.Compare(b.Time), strings.Compare(a.ID, b.ID))
	})
}

// readTranscripts continues with the transcript of the main agent and those of its agents, also of workflows,
// room bytes of all together.
func (w *watch) readTranscripts(room int64) error {
	beside := filepath.Join(strings.TrimSuffix(w.Transcript, ".jsonl"), "subagents")
	left, err := w.readFile(w.Transcript, "", room)
	if err != nil {
		return err
	}
	return filepath.WalkDir(beside, func(path string, d os.DirEntry, err error) error {
		isAgents, _ := filepath.Match("agent-*.jsonl", filepath.Base(path)) // the pattern is valid
		if err != nil || !d.Type().IsRegular() || !isAgents {
			return nil // a session without agents has no such folder
		}
		name, err := filepath.Rel(beside, path)
		if err == nil {
			left, err = w.readFile(path, name, left)
		}
		return err
	})
}

// hasAgentType reports whether the client has noted the type of an agent beside its transcript. It notes
// none for its own helpers, which summarize.
func hasAgentType(file string) bool {
	body, _ := os.ReadFile(strings.TrimSuffix(file, ".jsonl") + ".meta.json") // nothing where it cannot be read
	return gjson.GetBytes(body, "agentType").Str != ""
}

// maxLine is how long a line may be, in bytes: lines hold pictures. What is behind a longer
// one is not read.
const maxLine = 64 << 20

// readFile continues with one transcript, and returns how much may still be read of others.
func (w *watch) readFile(path, name string, room int64) (left int64, err error) {
	at := w.Files[name]
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && info.Size() == at:
		return room, nil
	case err != nil:
		return room, fmt.Errorf("read transcript: %w", err)
	case name != "" && !hasAgentType(path):
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
	end := []byte("\n") // of the last line that was read
	if at > 0 && at <= info.Size() {
		_, err = f.ReadAt(end, at-1)
	}
	if at > info.Size() || err != nil || end[0] != '\n' {
		w.notes = append(w.notes, "the transcript "+path+" is another than it was: its present content is not compared")
		w.Files[name] = info.Size()
		if line, _ := journal.LineBefore(f, info.Size()); !bytes.HasSuffix(line, []byte("\n")) { // it is being written
			w.Files[name] -= int64(len(line))
		}
		return room, nil
	}
	agent := ""
	if name != "" {
		agent = strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), "agent-"), ".jsonl")
	}
	in := bufio.NewReaderSize(io.NewSectionReader(f, at, min(info.Size()-at, room+maxLine)), 64<<10)
	n := int64(0)
	for n < room && err == nil {
		var line []byte
		if line, err = in.ReadBytes('\n'); err == nil { // else it is being written
			n += int64(len(line))
			w.takeLine(line, agent)
		}
	}
	w.Files[name] = at + n
	w.more = w.more || err == nil
	if err == nil || errors.Is(err, io.EOF) {
		return room - n, nil
	}
	return room - n, fmt.Errorf("read transcript: %w", err)
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
		what, use := block.Get("type").Str, block.Get("tool_use_id").Str
		o := w.Open[use]
		switch {
		case kind == "assistant" && what == "tool_use":
			id := block.Get("id").Str
			if !w.isAnswered(id) && id != "" {
				w.Open[id] = &pendingCall{Call: Call{ID: id, Tool: block.Get("name").Str, Agent: agent, Time: when}}
			}
		case kind != "user" || what != "tool_result" || o == nil:
		case block.Get("is_error").Bool():
			delete(w.Open, use)
		default:
			o.Done = true
		}
		return true
	})
}
