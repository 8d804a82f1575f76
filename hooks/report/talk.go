package report

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// Talk is what was injected into the contexts of agents: what the pipeline itself costs them.
type Talk struct {
	Spoken
	Sessions []Spoken `json:"by_session"`
}

// Spoken counts texts that were injected.
type Spoken struct {
	Session    string `json:"session_id,omitempty"`
	Characters int    `json:"characters"`
	Texts      int    `json:"texts"`
}

// talk counts what an event had said, if anything.
func (c *collector) talk(id string, e *journal.Line) {
	if e.InjectedChars <= 0 {
		return
	}
	c.r.Said.add(e)
	c.spoken.at(id, func(id string) Spoken { return Spoken{Session: id} }).add(e)
}

func (s *Spoken) add(e *journal.Line) {
	s.Texts++
	s.Characters += int(e.InjectedChars)
}

// bySize puts the session first to which most was said.
func bySize(a, b Spoken) int {
	return cmp.Or(b.Characters-a.Characters, strings.Compare(a.Session, b.Session))
}

func (s Spoken) String() string {
	return fmt.Sprintf("%s characters in %s texts", grouped(s.Characters), grouped(s.Texts))
}

// grouped writes a number with a comma between thousands.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
