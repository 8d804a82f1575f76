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
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/agent-pipeline/pipeline/hooks/claude/transcript"
)

// transcripts reads on in the main agent's and in those of its agents, so many bytes of all together.
func (w *watch) transcripts(room int64) error {
	beside := filepath.Join(strings.TrimSuffix(w.transcript, ".jsonl"), "subagents")
	left, err := w.file(w.transcript, "", room)
	if err != nil {
		return err
	}
	for _, path := range transcript.AgentFiles(w.transcript) {
		name, err := filepath.Rel(beside, path)
		if err != nil {
			return fmt.Errorf("name a transcript: %w", err)
		}
		if left, err = w.file(path, name, left); err != nil {
			return err
		}
	}
	return nil
}

// longest is how long a line may be, in bytes: pictures stand in them. Behind a longer one nothing is read any more.
const longest = 64 << 20

// file reads on in one transcript, and returns how much may still be read of others. A file that is not there is none.
func (w *watch) file(path, name string, room int64) (left int64, err error) {
	at := w.files[name]
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && info.Size() == at:
		return room, nil
	case err != nil:
		return room, fmt.Errorf("read transcript: %w", err)
	case name != "" && !named(path):
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
	if !follows(f, at, info.Size()) {
		w.notes = append(w.notes, "the transcript "+path+" is another than it was: what it holds by now is not compared")
		w.files[name] = ended(f, info.Size())
		return room, nil
	}
	n, err := w.lines(io.NewSectionReader(f, at, min(info.Size()-at, room+longest)), agent(path, name), room)
	w.files[name] = at + n
	w.more = w.more || err == nil
	if err == nil || errors.Is(err, io.EOF) {
		return room - n, nil
	}
	return room - n, fmt.Errorf("read transcript: %w", err)
}

// named reports whether the client has noted of which type an agent is. Of its own helpers, which summarise, it does not.
func named(path string) bool {
	body, err := os.ReadFile(strings.TrimSuffix(path, ".jsonl") + ".meta.json")
	return err == nil && gjson.GetBytes(body, "agentType").Str != ""
}

func agent(path, name string) string {
	if name == "" {
		return ""
	}
	return strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), "agent-"), ".jsonl")
}

// follows reports whether a file may be the one that was read so far: as long, and with a line's end there.
func follows(f io.ReaderAt, at, size int64) bool {
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

// ended is where the last whole line of a file ends.
func ended(f io.ReaderAt, size int64) int64 {
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

// lines takes up whole lines until there is no room left. The error is io.EOF where none is left to read.
func (w *watch) lines(r io.Reader, agent string, room int64) (n int64, err error) {
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
		w.line(line, agent)
	}
	return n, nil
}

// line takes up the calls and the results of one line of a transcript. A damaged one may hold none.
func (w *watch) line(raw []byte, agent string) {
	if !bytes.Contains(raw, []byte(`"tool_use`)) { // tool_use_id too
		return
	}
	kind := gjson.GetBytes(raw, "type").Str
	when, err := time.Parse(time.RFC3339Nano, gjson.GetBytes(raw, "timestamp").Str)
	if kind != "assistant" && kind != "user" || err != nil {
		return
	}
	gjson.GetBytes(raw, "message.content").ForEach(func(_, block gjson.Result) bool {
		w.block(block, kind, Call{Agent: agent, Time: when})
		return true
	})
}

func (w *watch) block(block gjson.Result, kind string, c Call) {
	switch what := block.Get("type").Str; {
	case kind == "assistant" && what == "tool_use":
		c.ID, c.Tool = block.Get("id").Str, block.Get("name").Str
		if _, asked := w.asked[c.ID]; !asked && c.ID != "" {
			w.open[c.ID] = &made{Call: c}
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
