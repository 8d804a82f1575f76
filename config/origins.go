package config

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// sep joins the keys of a path. It is koanf's delimiter too: a character that nobody writes in a key.
const sep = "\x1f"

// A trail leads to a value: keys and the numbers of list elements, joined by sep.
type trail string

func to(steps ...string) trail { return trail(strings.Join(steps, sep)) }

func (p trail) key(k string) trail { return p + trail(sep+k) }

func (p trail) item(i int) trail { return p.key(strconv.Itoa(i)) }

// section is the part of the file within which one mistake makes others: a state, an agent, a rule, else a key of the
// file.
func (p trail) section() trail {
	steps := strings.SplitN(string(p), sep, 4)
	deep := 1
	switch steps[0] {
	case "states", "agents":
		deep = 2
	case "orchestrator", "subagents":
		deep = 3
		if len(steps) > 1 && steps[1] != "rules" {
			deep = 2
		}
	}
	return to(steps[:min(deep, len(steps))]...)
}

// An Origin tells where a value is from.
type Origin struct {
	By    string // "default" or "environment PIPELINE_LEVEL"; empty for a file
	key   spot   // where the key is written
	value spot   // where the value is
	block bool
	*source
}

// String is the origin as it is shown beside a value: a file with a line, or what else it is from.
func (o Origin) String() string {
	if o.source == nil {
		return o.By
	}
	return fmt.Sprintf("%s:%d", o.file, o.key.line)
}

// Origins tells for every value of a Config where it is from.
type Origins struct {
	project Project
	home    string // for ~
	at      map[trail]Origin
	bad     map[trail]bool // sections in which a mistake is known: what else is wrong there may follow from it
	broken  bool           // a file could not be read at all
}

func newOrigins(p Project, home string) *Origins {
	return &Origins{project: p, home: home, at: map[trail]Origin{}, bad: map[trail]bool{}}
}

// Of returns the origin of a value by the keys that lead to it. A list element is its number.
func (o *Origins) Of(steps ...string) (Origin, bool) {
	at, ok := o.at[to(steps...)]
	return at, ok
}

// forgetBelow drops what lower layers said at a trail and below it. Where they said nothing at it there is nothing below.
func (o *Origins) forgetBelow(p trail) {
	if _, there := o.at[p]; !there {
		return
	}
	maps.DeleteFunc(o.at, func(at trail, _ Origin) bool {
		return at == p || strings.HasPrefix(string(at), string(p)+sep)
	})
}

// keysBelow lists what is written directly below a trail, sorted.
func (o *Origins) keysBelow(p trail) []string {
	var out []string
	for at := range o.at {
		rest, ok := strings.CutPrefix(string(at), string(p)+sep)
		if ok && !strings.Contains(rest, sep) {
			out = append(out, rest)
		}
	}
	slices.Sort(out)
	return out
}

// placeOf names the line of a value as policies do: pipeline.yaml:12.
func (o *Origins) placeOf(p trail) string {
	at := o.at[p]
	if at.source == nil {
		return at.By
	}
	return formatPlace(at.file, at.value.line)
}

// placeOfKey names the line of a key.
func (o *Origins) placeOfKey(p trail) string {
	at := o.at[p]
	if at.source == nil {
		return at.By
	}
	return formatPlace(at.file, at.key.line)
}

// problemAt makes a problem about a value.
func (o *Origins) problemAt(p trail, message, hint string) Problem {
	at := o.at[p]
	if at.source == nil {
		return Problem{File: at.By, Message: message, Hint: hint}
	}
	return at.problemAt(at.value, message, hint)
}
