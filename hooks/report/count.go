package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
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
