package main

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

const referenceHead = "# Config reference\n\n" +
	"<!-- Written by `make reference` from configs/pipeline.schema.json. Change the descriptions there. -->\n\n" +
	"pipeline reads `configs/pipeline.yaml`, `.claude/pipeline.yaml` or `pipeline.yaml` of the project,\n" +
	"or the same with .toml. `pipeline.local.yaml` beside it is yours alone.\n" +
	"`~/.config/pipeline/pipeline.yaml` holds for all your projects, and `/etc/pipeline/pipeline.yaml`,\n" +
	"an organisation's, for all of the machine. The project's file wins over yours, and yours over that.\n" +
	"`pipeline check` reports problems with their line. `pipeline config` prints the result, and\n" +
	"`pipeline config --reference` prints this page.\n"

// describeSchema is the page that describes every key of a config, made from its JSON Schema.
func describeSchema(schema []byte) (string, error) {
	var doc yaml.Node // JSON is YAML, and a node keeps the order of its keys
	if err := yaml.Unmarshal(schema, &doc); err != nil {
		return "", fmt.Errorf("read the schema: %w", err)
	}
	r := reference{root: doc.Content[0]}
	r.WriteString(referenceHead)
	r.addKeys("The keys", r.root)
	for len(r.queue) > 0 {
		next := r.queue[0]
		r.queue = r.queue[1:]
		if err := r.addSection(next); err != nil {
			return "", err
		}
	}
	return r.String(), nil
}

func encodeYAML(n *yaml.Node) (string, error) {
	var b strings.Builder
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	err := enc.Encode(n)
	return b.String(), err
}

// A reference is the page as far as it is written. Each mapping with keys of its own gets
// a section, behind the one that leads to it.
type reference struct {
	strings.Builder
	root  *yaml.Node
	queue []section
	known []string
}

// A section describes one mapping: how the page calls it, the key that leads to it, and
// its schema.
type section struct {
	title, key string
	property   *yaml.Node // what the schema says of the key
	schema     *yaml.Node // what it says of the mapping
}

// lookup returns a value of a mapping in the schema, or a node of no kind.
func lookup(n *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(n.Content) && n.Kind == yaml.MappingNode; i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return &yaml.Node{}
}

// resolve follows a reference to a definition.
func (r *reference) resolve(n *yaml.Node) *yaml.Node {
	if name, ok := strings.CutPrefix(lookup(n, "$ref").Value, "#/$defs/"); ok {
		return lookup(lookup(r.root, "$defs"), name)
	}
	return n
}

// addSection writes what a mapping is for, an example, and its keys.
func (r *reference) addSection(s section) error {
	fmt.Fprintf(r, "\n## %s\n\n", s.title)
	text, more := lookup(s.property, "description").Value, lookup(s.schema, "description").Value
	switch {
	case more != "" && s.title != s.key: // several keys may lead here
		text = more
	case more != "":
		text += "\n\n" + more
	}
	fmt.Fprintln(r, text)
	for _, example := range lookup(s.property, "examples").Content {
		useBlocks(example)
		out, err := encodeYAML(&yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{
			{Kind: yaml.ScalarNode, Value: s.key}, example}})
		if err != nil {
			return fmt.Errorf("print the example of %s: %w", s.key, err)
		}
		fmt.Fprintf(r, "\n```yaml\n%s```\n", out)
	}
	r.addKeys("", s.schema)
	return nil
}

// useBlocks lays an example out as people write it: short lists on one line, no quotes
// that are not needed.
func useBlocks(n *yaml.Node) {
	n.Style = 0
	if n.Kind == yaml.SequenceNode && !slices.ContainsFunc(n.Content, func(c *yaml.Node) bool {
		return c.Kind != yaml.ScalarNode
	}) {
		n.Style = yaml.FlowStyle
	}
	for _, c := range n.Content {
		useBlocks(c)
	}
}

// addKeys writes the table of a mapping's keys.
func (r *reference) addKeys(title string, schema *yaml.Node) {
	properties := lookup(schema, "properties").Content
	later := r.queue
	r.queue = nil
	defer func() { r.queue = append(r.queue, later...) }()
	if len(properties) == 0 {
		return
	}
	if title != "" {
		fmt.Fprintf(r, "\n## %s\n", title)
	}
	fmt.Fprint(r, "\n| key | value | meaning |\n|---|---|---|\n")
	for i := 0; i+1 < len(properties); i += 2 {
		key, property := properties[i].Value, properties[i+1]
		value := r.describeValue(key, property)
		if fallback := lookup(property, "default"); fallback.Kind != 0 {
			value += "; " + describeDefault(fallback)
		}
		if slices.ContainsFunc(lookup(schema, "required").Content, func(n *yaml.Node) bool { return n.Value == key }) {
			value += "; required"
		}
		text := lookup(property, "description").Value
		if text == "" {
			text = lookup(r.resolve(property), "description").Value
		}
		if first, _, more := strings.Cut(text, ". "); more && strings.Contains(value, "["+key+"](#") {
			text = first + "." // its section says the rest
		}
		fmt.Fprintf(r, "| `%s` | %s | %s |\n", key, escapeCell(value), escapeCell(text))
	}
}

func escapeCell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

func describeDefault(n *yaml.Node) string {
	useBlocks(n)
	n.Style = yaml.FlowStyle
	out, err := encodeYAML(n)
	if err != nil || n.Kind == yaml.ScalarNode {
		return "default `" + n.Value + "`"
	}
	return "default `" + strings.TrimSpace(out) + "`"
}

// describeValue says what values a key takes, and queues the sections that describe them.
func (r *reference) describeValue(key string, property *yaml.Node) string {
	s := r.resolve(property)
	if words := lookup(s, "enum").Content; len(words) > 0 {
		var all []string
		for _, w := range words {
			all = append(all, "`"+w.Value+"`")
		}
		return strings.Join(all, ", ")
	}
	switch lookup(s, "type").Value {
	case "array":
		items := r.resolve(lookup(s, "items"))
		if lookup(items, "properties").Kind != 0 {
			return "list of " + r.link(section{r.titleOf(key, property, lookup(s, "items")), key, property, items})
		}
		return "list of " + strings.Replace(r.describeValue(key, items), "a text", "texts", 1)
	case "object":
		if lookup(s, "properties").Kind != 0 {
			return r.link(section{r.titleOf(key, property, property), key, property, s})
		}
		values := lookup(s, "additionalProperties")
		if inner := r.resolve(values); lookup(inner, "properties").Kind != 0 {
			return "NAME: " + r.link(section{r.titleOf(key, property, values), key, property, inner})
		}
		return "NAME: " + r.describeValue(key, values)
	case "integer":
		return "a number" + describeRange(s)
	case "boolean":
		return "`true` or `false`"
	}
	return "a text"
}

func describeRange(s *yaml.Node) string {
	low, high := lookup(s, "minimum").Value, lookup(s, "maximum").Value
	switch {
	case low != "" && high != "":
		return " from " + low + " to " + high
	case low != "":
		return " from " + low
	}
	return ""
}

// titleOf names the section that describes the values of a key: by the key where it is one
// of the file's own, else by the name of the definition.
func (r *reference) titleOf(key string, property, values *yaml.Node) string {
	name := strings.TrimPrefix(lookup(values, "$ref").Value, "#/$defs/")
	if lookup(lookup(r.root, "properties"), key) == property && name != "rules" {
		return key
	}
	return name
}

// link refers to a section, and queues it where it is new. A section that several keys
// lead to is written once.
func (r *reference) link(s section) string {
	if !slices.Contains(r.known, s.title) {
		r.known = append(r.known, s.title)
		r.queue = append(r.queue, s)
	}
	return fmt.Sprintf("[%s](#%s)", s.title, strings.ToLower(s.title))
}
