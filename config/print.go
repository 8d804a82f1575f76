package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// Print writes the merged config as YAML, with a comment on each line that says where its
// value is from. What it writes is a config again.
func Print(w io.Writer, c *Config, o *Origins) error {
	text, err := encodeYAML(makeNode(c, o))
	if err != nil {
		return fmt.Errorf("print config: %w", err)
	}
	_, err = w.Write(text)
	return err
}

// makeNode makes the YAML of a config, without the keys that are not set.
func makeNode(c *Config, o *Origins) *yaml.Node {
	return printer{o, orderStates(c)}.node(reflect.ValueOf(*c), "")
}

func encodeYAML(n *yaml.Node) ([]byte, error) {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	err := enc.Encode(n)
	return b.Bytes(), err
}

// A printer makes the YAML of a config, or without origins of a part of it.
type printer struct {
	*Origins
	order []string // of the states
}

// node makes the YAML of a value. Lists of texts stand on one line, and so do the
// mappings in a list where they are short.
func (p printer) node(v reflect.Value, at trail) *yaml.Node {
	switch v.Kind() {
	case reflect.Pointer:
		return p.node(v.Elem(), at)
	case reflect.Struct:
		n := &yaml.Node{Kind: yaml.MappingNode}
		for i, key := range keysOf(v.Type()) {
			f := v.Field(i)
			if !f.IsZero() || f.Kind() == reflect.Int && p.isWritten(at.key(key)) {
				p.addField(n, key, f, at.key(key))
			}
		}
		return n
	case reflect.Map:
		n := &yaml.Node{Kind: yaml.MappingNode}
		var names []string
		for _, k := range v.MapKeys() {
			names = append(names, k.String())
		}
		slices.Sort(names)
		if at == "states" { // as the pipeline runs through them
			names = slices.DeleteFunc(slices.Clone(p.order), func(n string) bool { return !slices.Contains(names, n) })
		}
		for _, name := range names {
			p.addField(n, name, v.MapIndex(reflect.ValueOf(name)), at.key(name))
		}
		if v.Len() == 0 {
			n.Style = yaml.FlowStyle
		}
		return n
	case reflect.Slice:
		n := &yaml.Node{Kind: yaml.SequenceNode}
		if v.Type().Elem().Kind() != reflect.Struct || v.Len() == 0 {
			n.Style = yaml.FlowStyle
		}
		for i := range v.Len() {
			n.Content = append(n.Content, p.element(v.Index(i), at.item(i)))
		}
		return n
	case reflect.String:
		return textNode(v.String())
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Value: fmt.Sprint(v.Interface())}
}

// addField adds a key and its value. The comment of a mapping or list that takes more
// lines belongs to its key.
func (p printer) addField(n *yaml.Node, key string, v reflect.Value, at trail) {
	name, value := textNode(key), p.node(v, at)
	if value.Kind == yaml.ScalarNode || value.Style == yaml.FlowStyle {
		value.LineComment = p.describe(at)
	} else {
		name.LineComment = p.describe(at)
	}
	n.Content = append(n.Content, name, value)
}

// element makes the YAML of a list's element.
func (p printer) element(v reflect.Value, at trail) *yaml.Node {
	n := p.node(v, at)
	if v.Kind() != reflect.Struct {
		return n
	}
	short := printer{}.node(v, at)
	short.Style = yaml.FlowStyle
	if text, err := encodeYAML(short); err == nil && len(text) <= 81 && bytes.Count(text, []byte("\n")) == 1 {
		short.LineComment = p.describe(at)
		return short
	}
	return n
}

// isWritten reports whether a value comes from anywhere.
func (o *Origins) isWritten(at trail) bool {
	if o == nil {
		return false
	}
	_, ok := o.at[at]
	return ok
}

// describe is an origin as a comment, with its file relative to the project.
func (o *Origins) describe(at trail) string {
	if !o.isWritten(at) {
		return ""
	}
	text := o.at[at].String()
	if rel, ok := relativePath(o.project.Root, text); ok && o.project.Root != "" {
		text = rel
	}
	return "# " + text
}

// textNode writes lines as a block where YAML gives back exactly what was written, and
// quotes all that a reader of YAML could take for something else.
func textNode(s string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
	body, whole := strings.CutSuffix(s, "\n")
	odd := strings.ContainsFunc(body, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) })
	switch {
	case whole && body != "" && !odd && body[0] != ' ' && body[0] != '\n' && body[len(body)-1] != '\n':
		n.Style = yaml.LiteralStyle
	case strings.IndexAny(s, letters+"_") != 0, strings.Trim(s, letters+"0123456789_-*./") != "", len(s) > 64,
		slices.Contains(strings.Fields("true false null yes no on off y n"), strings.ToLower(s)):
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

// PrintJSON writes the merged config as JSON.
func PrintJSON(w io.Writer, c *Config, o *Origins) error {
	var tree map[string]any
	if err := makeNode(c, o).Decode(&tree); err != nil {
		return err
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(tree)
}
