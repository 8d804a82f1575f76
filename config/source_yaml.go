package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// readYAML reads the one document of a YAML file. goccy/go-yaml (1.19.2) starts 0.1 ms faster and knows the column of
// an error, but reads {x: 1 y: 2} as the one text "1 y: 2", and "git<TAB>push" without the tab: a rule that means
// something else, without an error.
func (s *source) readYAML() {
	s.lines = strings.Split(yamlBreaks(string(s.text)), "\n")
	var doc, more yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(s.text))
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		s.root = &value{kind: isMapping, at: spot{1, 1}}
		return
	case err != nil:
		s.reportYAML(err)
		return
	}
	switch err := dec.Decode(&more); {
	case err == nil:
		s.report(spot{more.Line, more.Column}, "found a second document, expected one in a file", "")
	case errors.Is(err, io.EOF):
		s.root = yamlReader{s, map[*yaml.Node]bool{}}.readValue(doc.Content[0])
	default:
		s.reportYAML(err)
	}
}

// yamlBreaks writes each line break of YAML as a newline.
func yamlBreaks(text string) string {
	return strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n").Replace(text)
}

// reportYAML turns the parser's error into a problem. There is only its text: "yaml: line
// 3: …".
func (s *source) reportYAML(err error) {
	number, text := yamlMessage(err)
	at, message, hint := spot{}, "found invalid YAML: "+text, yamlHint(text)
	if strings.HasPrefix(text, "did not find expected ") {
		number = s.findErrorLine(text)
	}
	if number > 0 && number <= len(s.lines) {
		line := s.lines[number-1]
		at = spot{number, indentOf(line) + 1}
		if strings.Contains(text, "cannot start any token") {
			at.col, message, hint = explainCharacter(line, message)
		}
	}
	if _, name, ok := strings.Cut(text, "unknown anchor '"); ok {
		name, _, _ = strings.Cut(name, "'")
		message = "found *" + name + ", expected an anchor &" + name + " before it"
		if i := slices.IndexFunc(s.lines, func(l string) bool { return strings.Contains(l, "*"+name) }); i >= 0 {
			at = spot{i + 1, utf8.RuneCountInString(s.lines[i][:strings.Index(s.lines[i], "*"+name)]) + 1}
		}
	}
	s.report(at, message, hint)
}

// explainCharacter says which character YAML does not take where it stands: a tab, or one that no text without quotes
// begins with.
func explainCharacter(line, message string) (col int, _, hint string) {
	indent := indentOf(line)
	if strings.ContainsRune(line[:indent], '\t') {
		return indent + 1, "found a tab, expected spaces: tabs cannot indent", "replace it by spaces"
	}
	for n := 1; n < len(line); n++ {
		if strings.IndexByte("@`%", line[n]) >= 0 && strings.IndexByte(" [{,", line[n-1]) >= 0 {
			hint = fmt.Sprintf("put text that begins with %c in quotes", line[n])
			return utf8.RuneCountInString(line[:n]) + 1, message, hint
		}
	}
	return indent + 1, message, "put the text in quotes"
}

func yamlMessage(err error) (line int, text string) {
	text = strings.TrimPrefix(err.Error(), "yaml: ")
	if n, _ := fmt.Sscanf(text, "line %d:", &line); n == 1 {
		_, text, _ = strings.Cut(text, ": ")
	}
	return line, text
}

// findErrorLine finds the line of an error: the last one of the shortest beginning of the
// file that has it. The parser's own line for these errors is the start of the mapping or
// list around it, or one off.
func (s *source) findErrorLine(text string) int {
	return 1 + sort.Search(len(s.lines)-1, func(n int) bool {
		var doc yaml.Node
		err := yaml.Unmarshal([]byte(strings.Join(s.lines[:n+1], "\n")), &doc)
		if err == nil {
			return false
		}
		_, message := yamlMessage(err)
		return message == text
	})
}

func yamlHint(text string) string {
	for _, of := range []struct{ text, hint string }{
		{"mapping values are not allowed", `put text that contains ": " in quotes`},
		{"did not find expected alphabetic or numeric", `put text that begins with * or & in quotes`},
		{"unknown anchor", `put text that begins with * or & in quotes`},
		{"did not find expected key", "indent it as the keys beside it"},
		{"did not find expected ',' or ", "close the bracket, or put a comma between the items"},
		{"unexpected end of stream", "close the quote"},
	} {
		if strings.Contains(text, of.text) {
			return of.hint
		}
	}
	return ""
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// A yamlReader turns nodes into values. It follows aliases and applies merge keys.
type yamlReader struct {
	*source
	open map[*yaml.Node]bool // aliases that are being followed
}

func (r yamlReader) readValue(n *yaml.Node) *value {
	v := &value{kind: isNothing, at: spot{n.Line, n.Column}}
	if !r.countValue(v.at) {
		return v
	}
	switch n.Kind {
	case yaml.AliasNode:
		if r.open[n.Alias] {
			r.report(v.at, fmt.Sprintf("found *%s inside itself", n.Value), "")
			return v
		}
		r.open[n.Alias] = true
		defer delete(r.open, n.Alias)
		return r.readValue(n.Alias)
	case yaml.MappingNode:
		v.kind = isMapping
		r.readFields(v, n)
	case yaml.SequenceNode:
		v.kind = isList
		for _, c := range n.Content {
			v.items = append(v.items, r.readValue(c))
		}
	case yaml.ScalarNode:
		v.kind, v.text = yamlKind(n), n.Value
		v.block = n.Style&yaml.LiteralStyle != 0
	}
	return v
}

func yamlKind(n *yaml.Node) kind {
	tag := n.ShortTag()
	if tag == "!!int" {
		return numberKind(n.Value)
	}
	kinds := map[string]kind{"!!float": isFloat, "!!bool": isBoolean, "!!null": isNothing, "!!timestamp": isDate}
	return cmp.Or(kinds[tag], isText)
}

func (r yamlReader) readFields(v *value, n *yaml.Node) {
	var merged []*yaml.Node
	seen := map[string]spot{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, at := n.Content[i], spot{n.Content[i].Line, n.Content[i].Column}
		if key.Kind == yaml.AliasNode {
			key = key.Alias
		}
		if key.ShortTag() == "!!merge" {
			merged = append(merged, n.Content[i+1])
			continue
		}
		if key.Kind != yaml.ScalarNode || yamlKind(key) != isText {
			message := fmt.Sprintf("found %s as a key, expected text", r.readValue(key).describe())
			r.report(at, message, "put it in quotes")
			continue
		}
		if first, twice := seen[key.Value]; twice {
			r.report(at, fmt.Sprintf("found key %s twice, first on line %d", quoteShort(key.Value), first.line), "")
			continue
		}
		seen[key.Value] = at
		v.fields = append(v.fields, field{key.Value, at, r.readValue(n.Content[i+1])})
	}
	for _, m := range merged {
		r.mergeFields(v, m)
	}
}

// mergeFields applies `<<`: the fields of the mapping itself win over those it merges.
func (r yamlReader) mergeFields(v *value, n *yaml.Node) {
	from := r.readValue(n)
	parts := []*value{from}
	if from.kind == isList {
		parts = from.items
	}
	for _, p := range parts {
		if p.kind != isMapping {
			r.report(spot{n.Line, n.Column}, fmt.Sprintf("found %s after <<, expected a mapping", p.describe()), "")
			return
		}
		for _, f := range p.fields {
			if v.get(f.key) == nil {
				v.fields = append(v.fields, f)
			}
		}
	}
}
