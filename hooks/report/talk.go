package report

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// InjectedTexts is what was injected into the contexts of agents: what the pipeline
// itself costs them.
type InjectedTexts struct {
	Injected
	Sessions []Injected `json:"by_session"`
}

// Injected counts texts that were injected.
type Injected struct {
	Session    string `json:"session_id,omitempty"`
	Characters int    `json:"characters"`
	Texts      int    `json:"texts"`
}

// addInjected counts what an event had said, if anything.
func (c *collector) addInjected(id string, e *journal.Line) {
	if e.InjectedChars <= 0 {
		return
	}
	c.r.Said.add(e)
	c.spoken.at(id, func(id string) Injected { return Injected{Session: id} }).add(e)
}

func (s *Injected) add(e *journal.Line) {
	s.Texts++
	s.Characters += int(e.InjectedChars)
}

// bySize puts the session first to which most was said.
func bySize(a, b Injected) int {
	return cmp.Or(b.Characters-a.Characters, strings.Compare(a.Session, b.Session))
}

func (s Injected) String() string {
	return fmt.Sprintf("%s characters in %s texts", groupDigits(s.Characters), groupDigits(s.Texts))
}

// groupDigits writes a number with a comma between thousands.
func groupDigits(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
