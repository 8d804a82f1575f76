// Package transcript turns the client's own record of a session into the hook calls that it
// would have made. The form of its files is not documented; what we rely on was seen with
// clients 2.1.197 and 2.1.329.
package transcript

import (
	"bufio"
	"encoding/json"
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
	if missing := findMissingAgents(all, files); len(missing) > 0 {
		files = append(files, findCopiedAgents(path, missing)...)
	}
	for _, file := range files {
		t, err := s.readFile(file)
		if err != nil {
			return nil, err
		}
		all = append(all, t.agentCalls(file, readNote(file))...)
	}
	s.Calls = orderCalls(all)
	return s, nil
}

// FindAgentFiles lists the transcripts of a session's agents, also those of workflows, by name.
func FindAgentFiles(path string) []string {
	var out []string
	_ = filepath.WalkDir(filepath.Join(strings.TrimSuffix(path, ".jsonl"), "subagents"), func(p string, d os.DirEntry,
		err error) error {
		if err == nil && d.Type().IsRegular() && strings.HasPrefix(d.Name(), "agent-") && strings.HasSuffix(p,
			".jsonl") {
			out = append(out, p)
		}
		return nil // a session without agents has no such folder
	})
	return out
}

// findMissingAgents are the calls that started agents without a transcript beside the
// session's.
func findMissingAgents(calls []timedCall, files []string) map[string]bool {
	out := map[string]bool{}
	for _, c := range calls {
		if c.event == "PreToolUse" && (c.Payload["tool_name"] == "Agent" || c.Payload["tool_name"] == "Task") {
			out[c.use] = true
		}
	}
	for _, f := range files {
		delete(out, readNote(f).UseID)
	}
	return out
}

// findCopiedAgents finds the agents of a conversation that was copied: their transcripts stay
// with the original.
func findCopiedAgents(path string, uses map[string]bool) (out []string) {
	all, _ := os.ReadDir(filepath.Dir(path)) // it was readable before
	for _, d := range all {
		if !d.IsDir() {
			continue
		}
		for _, f := range FindAgentFiles(filepath.Join(filepath.Dir(path), d.Name())) {
			if uses[readNote(f).UseID] {
				out = append(out, f)
			}
		}
	}
	return out
}

// A note is the client's record of how an agent was started.
type note struct {
	Type  string `json:"agentType"`
	UseID string `json:"toolUseId"`
}

func readNote(file string) (n note) {
	body, err := os.ReadFile(strings.TrimSuffix(file, ".jsonl") + ".meta.json")
	if err == nil {
		_ = json.Unmarshal(body, &n) // one that does not parse is empty
	}
	return n
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

// blocks are the parts of a message. A bare string is one of text.
func (l line) blocks(kind string) []gjson.Result {
	if l.content.Type == gjson.String {
		if kind == "text" {
			return []gjson.Result{l.content}
		}
		return nil
	}
	var out []gjson.Result
	for _, b := range l.content.Array() {
		if b.Get("type").Str == kind {
			out = append(out, b)
		}
	}
	return out
}

// text is the text of a message.
func (l line) text() string {
	var out []string
	for _, b := range l.blocks("text") {
		if b.Type == gjson.String {
			out = append(out, b.Str)
			continue
		}
		out = append(out, b.Get("text").Str)
	}
	return strings.Join(out, "\n")
}
