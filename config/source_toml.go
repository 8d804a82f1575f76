package config

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// readTOML reads a TOML file three times: first for its size, then to check its syntax and
// its rules of redefinition, then for the places.
func (s *source) readTOML() []Problem {
	if problems := s.limitTOML(); len(problems) > 0 {
		return problems
	}
	var all map[string]any
	if err := toml.Unmarshal(s.text, &all); err != nil {
		return []Problem{s.tomlError(err)}
	}
	r := tomlReader{source: s}
	r.Reset(s.text)
	s.root = &value{kind: isMapping, at: spot{1, 1}}
	table := s.root
	for r.NextExpression() {
		e := r.Expression()
		switch e.Kind {
		case unstable.Table:
			table = r.openTable(s.root, e.Key(), false)
		case unstable.ArrayTable:
			table = r.openTable(s.root, e.Key(), true)
		case unstable.KeyValue:
			r.setValue(table, e)
		}
	}
	return nil
}

// limitTOML reports a file that would take long to read. What it cannot parse is reported
// by the next reading.
func (s *source) limitTOML() []Problem {
	r, count := tomlReader{source: s}, 0
	r.Reset(s.text)
	for r.NextExpression() {
		depth := 0
		for keys := r.Expression().Key(); keys.Next(); depth++ {
			if depth == mostLevels {
				message := fmt.Sprintf("found a key of more than %d levels, expected fewer", mostLevels)
				return []Problem{s.problemAt(r.spotOf(keys.Node()), message, "")}
			}
		}
		at := spot{1, 1}
		if keys := r.Expression().Key(); keys.Next() {
			at = r.spotOf(keys.Node())
		}
		if r.Expression().Kind == unstable.KeyValue {
			if countNodes(r.Expression().Value(), depth, &count) > mostLevels {
				return []Problem{s.problemAt(at, tooDeep(), "")}
			}
		}
		if count++; count > mostValues {
			return []Problem{s.problemAt(at, tooMany(), "")}
		}
	}
	return nil
}

// countNodes counts the values below a node, and returns how deep they are nested.
func countNodes(n *unstable.Node, depth int, count *int) int {
	deepest := depth
	if n.Kind != unstable.Array && n.Kind != unstable.InlineTable && n.Kind != unstable.KeyValue || depth > mostLevels {
		return deepest
	}
	for it := n.Children(); it.Next(); {
		*count++
		deepest = max(deepest, countNodes(it.Node(), depth+1, count))
	}
	return deepest
}

func (s *source) tomlError(err error) Problem {
	at, text := spot{}, strings.TrimPrefix(err.Error(), "toml: ")
	if de, ok := errors.AsType[*toml.DecodeError](err); ok {
		at.line, at.col = de.Position()
		at.col = s.runeColumn(at.line, at.col)
	}
	return s.problemAt(at, "found invalid TOML: "+text, "")
}

// runeColumn turns a column in bytes into one in characters.
func (s *source) runeColumn(line, col int) int {
	if line < 1 || line > len(s.lines) {
		return col
	}
	return utf8.RuneCountInString(s.lines[line-1][:min(max(col-1, 0), len(s.lines[line-1]))]) + 1
}

// A tomlReader puts the expressions of a TOML file into place.
type tomlReader struct {
	unstable.Parser
	*source
	offset int // the place that was last asked for, in bytes
	at     spot
}

// spotOf counts on from the place before: the parser's own count begins at the start of
// the file each time.
func (r *tomlReader) spotOf(n *unstable.Node) spot {
	to := int(n.Raw.Offset)
	if to < r.offset || r.at.line == 0 {
		r.offset, r.at = 0, spot{1, 1}
	}
	passed := r.Data()[r.offset:to]
	if last := bytes.LastIndexByte(passed, '\n'); last >= 0 {
		r.at = spot{r.at.line + bytes.Count(passed, []byte{'\n'}), 1}
		passed = passed[last+1:]
	}
	r.at.col += utf8.RuneCount(passed)
	r.offset = to
	return r.at
}

// openTable goes to the table of a header: into the last element of a list on the way,
// into a new one with list.
func (r *tomlReader) openTable(v *value, keys unstable.Iterator, list bool) *value {
	for keys.Next() {
		key := keys.Node()
		next := v.get(string(key.Data))
		appends := list && keys.IsLast()
		if next == nil {
			next = &value{kind: isMapping, at: r.spotOf(key)}
			if appends {
				next.kind = isList
			}
			v.fields = append(v.fields, field{string(key.Data), r.spotOf(key), next})
		}
		if appends {
			next.items = append(next.items, &value{kind: isMapping, at: r.spotOf(key)})
		}
		v = next
		if v.kind == isList && len(v.items) > 0 {
			v = v.items[len(v.items)-1]
		}
	}
	return v
}

// setValue puts a value below its key, which may be a dotted one.
func (r *tomlReader) setValue(v *value, n *unstable.Node) {
	keys := n.Key()
	for keys.Next() {
		key := keys.Node()
		name, at := string(key.Data), r.spotOf(key)
		if keys.IsLast() {
			v.fields = append(v.fields, field{name, at, r.readValue(n.Value(), at)})
			return
		}
		next := v.get(name)
		if next == nil {
			next = &value{kind: isMapping, at: at}
			v.fields = append(v.fields, field{name, at, next})
		}
		v = next
	}
}

// readValue reads a value. A list has no place of its own in the parser's tree: its place
// is its key or its first element.
func (r *tomlReader) readValue(n *unstable.Node, key spot) *value {
	v := &value{at: key, text: string(n.Data)}
	if n.Raw.Length > 0 {
		v.at = r.spotOf(n)
	}
	switch n.Kind {
	case unstable.Array:
		v.kind = isList
		for it := n.Children(); it.Next(); {
			v.items = append(v.items, r.readValue(it.Node(), v.at))
		}
	case unstable.InlineTable:
		v.kind = isMapping
		for it := n.Children(); it.Next(); {
			r.setValue(v, it.Node())
		}
	case unstable.String:
		v.kind = isText
	case unstable.Integer:
		v.kind = numberKind(v.text)
	case unstable.Float:
		v.kind = isFloat
	case unstable.Bool:
		v.kind = isBoolean
	default:
		v.kind = isDate
	}
	return v
}
