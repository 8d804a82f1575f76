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

// readTOML reads the values of a TOML file with their places, as far as a file may go.
func (s *source) readTOML() {
	r := tomlReader{source: s}
	r.Reset(s.text)
	s.root = &value{kind: isMapping, at: spot{1, 1}}
	table := s.root
	for len(s.problems) == 0 && r.NextExpression() {
		e := r.Expression()
		if e.Kind == unstable.KeyValue {
			r.setValue(table, e)
			continue
		}
		above, f := r.followKeys(s.root, e)
		r.countValue(f.at)
		if e.Kind == unstable.Table {
			table = above.openTable(f.key, f.at)
			continue
		}
		list := above.get(f.key)
		if list == nil {
			list = &value{kind: isList, at: f.at}
			above.fields = append(above.fields, field{f.key, f.at, list})
		}
		table = &value{kind: isMapping, at: f.at}
		list.items = append(list.items, table)
	}
}

// checkTOML reports what is against the syntax, or against the rules of redefinition. It comes last, because it takes
// long for a file that is past a limit.
func (s *source) checkTOML() {
	var all map[string]any
	err := toml.Unmarshal(s.text, &all)
	if err == nil {
		return
	}
	at := spot{}
	if de, ok := errors.AsType[*toml.DecodeError](err); ok {
		at.line, at.col = de.Position()
	}
	if at.line > 0 && at.line <= len(s.lines) { // the parser counts bytes
		line := s.lines[at.line-1]
		at.col = utf8.RuneCountInString(line[:min(max(at.col-1, 0), len(line))]) + 1
	}
	s.report(at, "found invalid TOML: "+strings.TrimPrefix(err.Error(), "toml: "), "")
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

// followKeys goes through the tables that the keys of an expression name, to the one that its last key belongs to.
func (r *tomlReader) followKeys(v *value, n *unstable.Node) (above *value, last field) {
	keys := n.Key()
	for level := 0; keys.Next() && level <= mostLevels; level++ {
		if level > 0 {
			v = v.openTable(last.key, last.at)
		}
		last = field{key: string(keys.Node().Data), at: r.spotOf(keys.Node())}
		if level == mostLevels {
			r.report(last.at, fmt.Sprintf("found a key of more than %d levels, expected fewer", mostLevels), "")
		}
	}
	return v, last
}

// openTable returns a table of a mapping, a new one where there is none. Of a list it is the last element.
func (v *value) openTable(key string, at spot) *value {
	table := v.get(key)
	if table == nil {
		table = &value{kind: isMapping, at: at}
		v.fields = append(v.fields, field{key, at, table})
	}
	if n := len(table.items); n > 0 {
		return table.items[n-1]
	}
	return table
}

// setValue puts a value below its key, which may be a dotted one.
func (r *tomlReader) setValue(v *value, n *unstable.Node) {
	above, f := r.followKeys(v, n)
	f.value = r.readValue(n.Value(), f.at)
	above.fields = append(above.fields, f)
}

// readValue reads a value. A list has no place of its own in the parser's tree: its place
// is its key or its first element.
func (r *tomlReader) readValue(n *unstable.Node, key spot) *value {
	v := &value{at: key, text: string(n.Data)}
	if n.Raw.Length > 0 {
		v.at = r.spotOf(n)
	}
	r.countValue(v.at)
	switch n.Kind {
	case unstable.Array:
		v.kind = isList
		for it := n.Children(); it.Next() && len(r.problems) == 0; {
			v.items = append(v.items, r.readValue(it.Node(), v.at))
		}
	case unstable.InlineTable:
		v.kind = isMapping
		for it := n.Children(); it.Next() && len(r.problems) == 0; {
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
