package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/shell"
	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

// A ledger keeps one entry of a kind for each name. Names are cloned: they are parts of
// lines that are to be let go.
type ledger[T any] map[string]*T

// at is the entry for a name, made by fresh when there is none.
func (l ledger[T]) at(name string, fresh func(string) T) *T {
	if t, ok := l[name]; ok {
		return t
	}
	name = strings.Clone(name)
	t := fresh(name)
	l[name] = &t
	return &t
}

// list are the entries in an order.
func (l ledger[T]) list(less func(a, b T) int) []T {
	out := make([]T, 0, len(l))
	for _, t := range l {
		out = append(out, *t)
	}
	slices.SortFunc(out, less)
	return out
}

func newTally(name string) Tally { return Tally{Name: name} }

// add counts a tool request.
func (t *Tally) add(e *journal.Line) {
	t.Requests++
	if e.IsObjected() {
		t.Objections++
	}
	t.Verdicts.add(e)
}

func (v *Verdicts) add(e *journal.Line) {
	switch e.Verdict {
	case fsm.Deny.String():
		v.Blocked++
	case fsm.Ask.String():
		v.Asked++
	case fsm.Warn.String():
		v.Warned++
	case fsm.Confine.String():
		v.Confined++
	default:
		v.Allowed++
	}
}

// byObjections puts first what was objected to most, then what was asked for most.
func byObjections(a, b Tally) int {
	return cmp.Or(b.Objections-a.Objections, b.Requests-a.Requests, strings.Compare(a.Name, b.Name))
}

func byName(a, b Tally) int { return strings.Compare(a.Name, b.Name) }

// keep is how many names a ledger of unbounded names may hold. Beyond it the rarest are
// dropped.
const keep = 50_000

// dropRarest drops the rarer half of a ledger that has grown too large, and reports
// whether it did.
func dropRarest[T any](l ledger[T], count func(T) int) bool {
	if len(l) < keep {
		return false
	}
	names := make([]string, 0, len(l))
	for n := range l {
		names = append(names, n)
	}
	slices.SortFunc(names, func(a, b string) int { return count(*l[a]) - count(*l[b]) })
	for _, n := range names[:len(names)/2] {
		delete(l, n)
	}
	return true
}

// firstN is the beginning of a list.
func firstN[T any](list []T, n int) []T { return list[:min(n, len(list))] }

func percent(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part*1000/whole) / 10 // rounded down: 79.96 is not 80
}

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
	c.r.Injected.add(e)
	c.injected.at(id, func(id string) Injected { return Injected{Session: id} }).add(e)
}

func (s *Injected) add(e *journal.Line) {
	s.Texts++
	s.Characters += int(e.InjectedChars)
}

// bySize puts the session first to which most was said.
func bySize(a, b Injected) int {
	return cmp.Or(b.Characters-a.Characters, strings.Compare(a.Session, b.Session))
}

// isUnguarded reports whether nothing could have stopped the call.
func isUnguarded(e *journal.Line) bool {
	return e.Level == fsm.Off.String() || e.Level == fsm.Observe.String()
}

// DescribeCall is what a call asked for, in a few words.
func DescribeCall(e *journal.Line) string {
	if s := e.Starts().Get("type").Str; s != "" {
		return e.Tool + " " + s
	}
	var parts []string
	for _, p := range e.Parts {
		switch words := p.Words(); {
		case words != "":
			parts = append(parts, words)
		case p.Path != "":
			parts = append(parts, p.Tool+" "+p.Path)
		}
	}
	if len(parts) == 0 {
		return e.Tool
	}
	return visible.Shorten(strings.Join(parts, "; "), 100)
}

// eachPath gives the files that a call names to visit, as far as they are known.
func eachPath(e *journal.Line, visit func(string)) {
	seen := ""
	for _, p := range e.Parts {
		if p.Path != "" && p.Path != shell.Unknown && p.Path != seen {
			seen = p.Path
			visit(p.Path)
		}
	}
}
