// Package transcript turns what the client has written down of a session into the hook calls that it would have made. The
// form of its files is not documented; what is relied on was seen with clients 2.1.197 and 2.1.329.
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
	ID      string // of the line that it was made from: the same in a session that was copied from another
	Payload map[string]any
}

// A Session is what was read of one transcript and of its agents'.
type Session struct {
	ID      string
	Calls   []Call
	Damaged int // lines that are no JSON
	Aside   int // tool calls of which it cannot be told who made them
}

// Read reads a session's transcript and those of its agents beside it.
func Read(path string) (*Session, error) {
	s := &Session{ID: strings.TrimSuffix(filepath.Base(path), ".jsonl")}
	main, err := s.file(path)
	if err != nil {
		return nil, err
	}
	all := main.mainCalls()
	s.Aside = main.aside
	files := AgentFiles(path)
	if missing := unmet(all, files); len(missing) > 0 {
		files = append(files, elsewhere(path, missing)...)
	}
	for _, file := range files {
		t, err := s.file(file)
		if err != nil {
			return nil, err
		}
		all = append(all, t.agentCalls(file, noteOf(file))...)
	}
	s.Calls = inOrder(all)
	return s, nil
}

// AgentFiles are the transcripts of a session's agents, workflows' too, in the order of their names.
func AgentFiles(path string) []string {
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

// unmet are the calls that started agents of whom there is no transcript beside the session's.
func unmet(calls []made, files []string) map[string]bool {
	out := map[string]bool{}
	for _, c := range calls {
		if c.event == "PreToolUse" && (c.Payload["tool_name"] == "Agent" || c.Payload["tool_name"] == "Task") {
			out[c.use] = true
		}
	}
	for _, f := range files {
		delete(out, noteOf(f).UseID)
	}
	return out
}

// elsewhere finds the agents of a conversation that was copied: their transcripts stay with the one it was copied from.
func elsewhere(path string, uses map[string]bool) (out []string) {
	all, _ := os.ReadDir(filepath.Dir(path)) // it could be read a moment ago
	for _, d := range all {
		if !d.IsDir() {
			continue
		}
		for _, f := range AgentFiles(filepath.Join(filepath.Dir(path), d.Name())) {
			if uses[noteOf(f).UseID] {
				out = append(out, f)
			}
		}
	}
	return out
}

// A note is what the client keeps of how an agent was started.
type note struct {
	Type  string `json:"agentType"`
	UseID string `json:"toolUseId"`
}

func noteOf(file string) (n note) {
	body, err := os.ReadFile(strings.TrimSuffix(file, ".jsonl") + ".meta.json")
	if err == nil {
		_ = json.Unmarshal(body, &n) // one that cannot be read says nothing
	}
	return n
}

// A line of a transcript, as far as we look at it.
type line struct {
	kind, sub, id, dir string
	time               time.Time
	meta, aside        bool // not a person's words; of an agent in the main agent's file
	content            gjson.Result
	response           gjson.Result
}

// A file is one transcript's lines.
type file struct {
	lines []line
	aside int
}

func (s *Session) file(path string) (*file, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read transcript: %w", err)
	}
	defer f.Close()
	out := &file{}
	for in := bufio.NewReaderSize(f, 64<<10); ; {
		text, err := in.ReadString('\n')
		if strings.TrimSpace(text) != "" {
			s.line(out, text, err == nil)
		}
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read transcript: %w", err)
		}
	}
}

// line takes up a line that tells of a prompt, an answer, a result or a compaction. The last may be half written.
func (s *Session) line(out *file, text string, ended bool) {
	if !gjson.Valid(text) {
		if ended {
			s.Damaged++
		}
		return
	}
	v := gjson.Parse(text)
	l := line{kind: v.Get("type").Str, sub: v.Get("subtype").Str, id: v.Get("uuid").Str, dir: v.Get("cwd").Str,
		meta:    v.Get("isMeta").Bool() || v.Get("isCompactSummary").Bool() || v.Get("isApiErrorMessage").Bool(),
		aside:   v.Get("isSidechain").Bool(),
		content: v.Get("message.content"), response: v.Get("toolUseResult")}
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

// text is what a message says.
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
