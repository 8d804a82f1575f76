// Package transcript turns the client's own record of a session into the hook calls that it
// would have made. The form of its files is not documented; what we rely on was seen with
// clients 2.1.197 and 2.1.329.
package transcript

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// A Call is one hook call as it would have been.
type Call struct {
	Time    time.Time
	Dir     string // the caller's working directory
	ID      string // of its line: the same in a session that was copied
	Payload map[string]any
}

// A Session is what was read of a transcript and those of its agents.
type Session struct {
	ID           string
	Calls        []Call
	Damaged      int // lines that are not JSON
	Unattributed int // tool calls whose agent is not known
}

// Read reads a session's transcript and those of its agents beside it.
func Read(path string) (*Session, error) {
	s := &Session{ID: strings.TrimSuffix(filepath.Base(path), ".jsonl")}
	main, err := s.readFile(path)
	if err != nil {
		return nil, err
	}
	all := main.mainCalls()
	s.Unattributed = main.unattributed
	files := FindAgentFiles(path)
	files = append(files, findCopiedAgents(path, all, files)...)
	for _, file := range files {
		t, err := s.readFile(file)
		if err != nil {
			return nil, err
		}
		all = append(all, t.agentCalls(file)...)
	}
	s.Calls = orderCalls(all)
	return s, nil
}

// FindAgentFiles lists the transcripts of a session's agents, also those of workflows, by name.
func FindAgentFiles(path string) (out []string) {
	dir := filepath.Join(strings.TrimSuffix(path, ".jsonl"), "subagents")
	_ = filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		isAgents, _ := filepath.Match("agent-*.jsonl", filepath.Base(p)) // the pattern is valid
		if err == nil && d.Type().IsRegular() && isAgents {
			out = append(out, p)
		}
		return nil // a session without agents has no such folder
	})
	return out
}

// findCopiedAgents finds the agents of a conversation that was copied: their transcripts stay
// with the original. There are such where a call started an agent of which no file tells.
func findCopiedAgents(path string, calls []timedCall, files []string) (out []string) {
	missing := map[string]bool{}
	for _, c := range calls {
		if c.event == "PreToolUse" && (c.Payload["tool_name"] == "Agent" || c.Payload["tool_name"] == "Task") {
			missing[c.use] = true
		}
	}
	for _, f := range files {
		delete(missing, ReadNote(f).UseID)
	}
	if len(missing) == 0 {
		return nil
	}
	sessions, _ := os.ReadDir(filepath.Dir(path)) // it was readable before
	for _, d := range sessions {
		if !d.IsDir() {
			continue
		}
		for _, f := range FindAgentFiles(filepath.Join(filepath.Dir(path), d.Name())) {
			if missing[ReadNote(f).UseID] {
				out = append(out, f)
			}
		}
	}
	return out
}

// A Note is the client's record of how an agent was started. It notes no type for its own
// helpers, which summarize.
type Note struct{ Type, UseID string }

// ReadNote reads what stands beside an agent's transcript: nothing where that cannot be read.
func ReadNote(file string) Note {
	body, _ := os.ReadFile(strings.TrimSuffix(file, ".jsonl") + ".meta.json")
	return Note{gjson.GetBytes(body, "agentType").Str, gjson.GetBytes(body, "toolUseId").Str}
}

// AgentOf is the agent whose transcript a file is.
func AgentOf(file string) string {
	return strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), "agent-"), ".jsonl")
}

// A line of a transcript, as far as we look at it.
type line struct {
	kind, sub, id, dir  string
	time                time.Time
	isMeta, isSidechain bool // not from a person; of an agent in the main agent's file
	content             gjson.Result
	response            gjson.Result
}

// A file is one transcript's lines.
type file struct {
	lines        []line
	unattributed int
}

func (s *Session) readFile(path string) (*file, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read transcript: %w", err)
	}
	defer f.Close()
	out := &file{}
	for in := bufio.NewReaderSize(f, 64<<10); ; {
		text, err := in.ReadString('\n')
		if strings.TrimSpace(text) != "" {
			s.parseLine(out, text, err == nil)
		}
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read transcript: %w", err)
		}
	}
}

// parseLine takes a line with a prompt, an answer, a result or a compaction. The last line
// may be half written.
func (s *Session) parseLine(out *file, text string, ended bool) {
	if !gjson.Valid(text) {
		if ended {
			s.Damaged++
		}
		return
	}
	v := gjson.Parse(text)
	l := line{kind: v.Get("type").Str, sub: v.Get("subtype").Str, id: v.Get("uuid").Str, dir: v.Get("cwd").Str,
		isMeta:      v.Get("isMeta").Bool() || v.Get("isCompactSummary").Bool() || v.Get("isApiErrorMessage").Bool(),
		isSidechain: v.Get("isSidechain").Bool(),
		content:     v.Get("message.content"), response: v.Get("toolUseResult")}
	if !slices.Contains([]string{"user", "assistant", "system"}, l.kind) {
		return
	}
	var err error
	if l.time, err = time.Parse(time.RFC3339Nano, v.Get("timestamp").Str); err != nil {
		s.Damaged++
		return
	}
	out.lines = append(out.lines, l)
}

// blocks are the parts of a message; a bare string has none.
func (l line) blocks(kind string) (out []gjson.Result) {
	for _, b := range l.content.Array() {
		if b.IsObject() && b.Get("type").Str == kind {
			out = append(out, b)
		}
	}
	return out
}

// text is the text of a message, which may be a bare string.
func (l line) text() string {
	if l.content.Type == gjson.String {
		return l.content.Str
	}
	var out []string
	for _, b := range l.blocks("text") {
		out = append(out, b.Get("text").Str)
	}
	return strings.Join(out, "\n")
}
