package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"
)

// The speakers that need no marker.
const (
	Main = "main"
	Side = "side" // requests without tools: titles and summaries
)

const (
	markerPattern   = `\[\[([a-z0-9_-]+)\]\]`
	reminderPattern = `(?s)<system-reminder>.*?</system-reminder>`
	forkMark        = "</fork-boilerplate>"
)

// Request is one question that the client asked the model.
type Request struct {
	Speaker  string
	Turn     int // how many answers the conversation already has
	Model    string
	Stream   bool
	System   string
	Tools    []string
	Messages []Message
	New      string // the text that came since the last answer: results, reminders, prompts
	Body     json.RawMessage

	Came, Answered time.Time // when it began to come, and when its answer was written
}

// Message is one message of a request. Content is a string or a list of blocks.
type Message struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

// Text is every text in the message, results of tools included.
func (m Message) Text() string { return textOf(m.Content) }

// Told is everything in the request that does not come from the model, as text.
func (r *Request) Told() string { return told(r.Messages) }

func readRequest(body io.Reader, in wire) (*Request, error) {
	data, err := io.ReadAll(body)
	if err != nil {
		return nil, fmt.Errorf("read request: %w", err)
	}
	r := &Request{Body: data}
	if err := in.read(data, r); err != nil {
		return nil, fmt.Errorf("parse request: %w", err)
	}
	r.place()
	return r, nil
}

// place finds out which turn is asked for, and what is new since the last one.
func (r *Request) place() {
	start := r.start()
	since := start
	for i, m := range r.Messages[start:] {
		if m.Role == "assistant" {
			r.Turn++
			since = start + i + 1
		}
	}
	r.New = told(r.Messages[since:])
}

// start is the message that the asking agent's own part begins with. A fork
// asks with the whole conversation that it copies before its directive.
func (r *Request) start() int {
	for i, m := range slices.Backward(r.Messages) {
		if m.Role == "user" && strings.Contains(m.Text(), forkMark) {
			return i
		}
	}
	return 0
}

// speaker prefers the prompt's marker to the definition's, so that two runs of
// one agent can have two scripts. The client's own instructions have brackets
// like a marker's, so in the definition only a name with a script is one.
func (r *Request) speaker(scripted func(string) bool) string {
	if len(r.Tools) == 0 {
		return Side
	}
	if names := markers(r.firstPrompt()); len(names) > 0 {
		return names[len(names)-1]
	}
	if i := slices.IndexFunc(markers(r.System), scripted); i >= 0 {
		return markers(r.System)[i]
	}
	return Main
}

// firstPrompt is what users said before the first answer. It leaves reminders out: what
// hooks inject may quote other agents.
func (r *Request) firstPrompt() string {
	var said []string
	for _, m := range r.Messages[r.start():] {
		if m.Role == "assistant" {
			break
		}
		if m.Role == "user" {
			said = append(said, regexp.MustCompile(reminderPattern).ReplaceAllString(m.Text(), ""))
		}
	}
	return strings.Join(said, "\n")
}

func markers(text string) []string {
	var names []string
	for _, match := range regexp.MustCompile(markerPattern).FindAllStringSubmatch(text, -1) {
		names = append(names, match[1])
	}
	return names
}

func told(messages []Message) string {
	var texts []string
	for _, m := range messages {
		if m.Role != "assistant" {
			texts = append(texts, m.Text())
		}
	}
	return strings.Join(texts, "\n")
}

// textOf reads a string, or the texts of a list of blocks, nested ones too.
func textOf(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var blocks []struct {
		Text    string
		Content json.RawMessage
	}
	if json.Unmarshal(content, &blocks) != nil {
		return ""
	}
	var texts []string
	for _, b := range blocks {
		texts = append(texts, b.Text+textOf(b.Content))
	}
	return strings.Join(texts, "\n")
}

// IsCompaction tells the request for a summary of the conversation.
func IsCompaction(r *Request) bool {
	return strings.Contains(r.New, "create a detailed summary of")
}
