package export

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
)

// A span is a turn of the main agent, or a run of another agent, that goes on. It is kept
// with the cursor: its start may have been sent by a process that is gone.
type span struct {
	Trace   string    `json:"trace"`
	ID      string    `json:"id"`
	Parent  string    `json:"parent,omitempty"`
	Agent   string    `json:"agent,omitempty"`
	Name    string    `json:"name"`
	Prompt  string    `json:"prompt,omitempty"` // of a turn: the prompt that began it, shortened
	Start   time.Time `json:"start"`
	Calls   int64     `json:"calls,omitempty"`
	Refused int64     `json:"refused,omitempty"`
}

// spans are those that go on, by agent; "" is the turn.
type spans map[string]span

// take follows the spans over a record. It returns the one that the record belongs to, and
// those that end with it. The same records always make the same ids.
func (open spans) take(s source) (at span, ended []object) {
	prompt := s.Session.Get("turn.prompt").Str
	switch turn, inTurn := open[""]; {
	case s.Kind == fsm.AgentStart:
		open.begin(s, s.AgentID, s.Agent)
	case s.Kind != fsm.Prompt || s.Event.Get("origin").Str == string(fsm.Own):
	case inTurn && (prompt == "" || prompt == turn.Prompt):
	default:
		if inTurn { // it was interrupted
			ended = append(ended, newSpan(s, turn))
			delete(open, "")
		}
		open.begin(s, "", "main")
	}
	id := s.AgentID
	if _, known := open[id]; !known {
		id = ""
	}
	at, known := open[id]
	if known && s.Kind == fsm.ToolRequest {
		at.Calls++
		if s.Verdict == fsm.Deny.String() {
			at.Refused++
		}
		open[id] = at
	}
	return at, append(ended, open.end(s)...)
}

func (open spans) begin(s source, agent, name string) {
	if _, known := open[agent]; known {
		return
	}
	turn := open[""]
	agent = strings.Clone(agent)
	sp := span{Trace: turn.Trace, ID: makeID(s, agent, 8), Parent: turn.ID, Agent: agent, Name: strings.Clone(name),
		Start: s.Time}
	if sp.Trace == "" {
		sp.Trace = makeID(s, agent, 16)
	}
	if agent == "" {
		sp.Prompt = strings.Clone(s.Session.Get("turn.prompt").Str)
	}
	open[agent] = sp
}

// end closes the spans that end with a record. An agent or a turn that is sent back goes on.
func (open spans) end(s source) (ended []object) {
	isOver := false
	switch s.Kind {
	case fsm.AgentStop, fsm.TurnStop:
		isOver = s.Verdict != fsm.Deny.String()
	case fsm.AgentFailure, fsm.TurnFailure:
		isOver = true
	}
	for agent, sp := range open {
		if s.Kind == fsm.SessionEnd || isOver && agent == s.AgentID {
			ended = append(ended, newSpan(s, sp))
			delete(open, agent)
		}
	}
	return ended
}

// makeID is an id of so many bytes that nothing else has: a session, its record and what
// it is the id of make it.
func makeID(s source, of string, size int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s\x00%d", s.session, s.Hash(), of, size))
	return hex.EncodeToString(sum[:size])
}
