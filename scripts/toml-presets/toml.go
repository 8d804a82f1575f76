package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// convertToTOML writes a YAML config as TOML, with its comments.
func convertToTOML(text []byte) ([]byte, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("read YAML: %w", err)
	}
	var w tomlWriter
	if len(doc.Content) > 0 {
		w.WriteString(doc.HeadComment + "\n")
		w.writeTable("", doc.Content[0])
	}
	out := strings.ReplaceAll(w.String(), "# yaml-language-server: $schema=", "#:schema ")
	return []byte(strings.TrimLeft(out, "\n")), nil
}

// A tomlWriter is the TOML as far as it is written.
type tomlWriter struct{ strings.Builder }

// writeTable writes a mapping: first the keys with a value, then those with a table of
// their own, as TOML wants it.
func (w *tomlWriter) writeTable(name string, n *yaml.Node) {
	for _, tables := range []bool{false, true} {
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i], followAlias(n.Content[i+1])
			if isTable(name, value) != tables {
				continue
			}
			w.writeHead(key, tables)
			path := tomlKey(key.Value)
			if tables {
				path = strings.TrimPrefix(name+"."+path, ".")
			}
			w.writeValue(path, key, value, tables)
			if key.FootComment != "" {
				fmt.Fprintf(w, "\n%s\n", key.FootComment)
			}
		}
	}
}

func (w *tomlWriter) writeValue(path string, key, value *yaml.Node, isTable bool) {
	comment := key.LineComment + value.LineComment
	if comment != "" {
		comment = "   " + comment
	}
	switch {
	case !isTable:
		fmt.Fprintf(w, "%s = %s%s\n", path, tomlValue(value), comment)
	case value.Kind == yaml.MappingNode:
		// `init` adds entries below the head of agents.
		if len(value.Content) == 0 || !isOnlyTables(path, value) || comment != "" || path == "agents" {
			fmt.Fprintf(w, "[%s]%s\n", path, comment)
		}
		w.writeTable(path, value)
	default:
		for i, item := range value.Content {
			if i > 0 {
				w.writeHead(item, true)
			}
			note := ""
			if item.LineComment != "" {
				note = "   " + item.LineComment
			}
			fmt.Fprintf(w, "[[%s]]%s\n", path, note)
			w.writeTable(path, item)
		}
	}
}

// isTable reports whether a value becomes a table: a mapping, but for one on a single line
// below the top, and a list of mappings that take more.
func isTable(parent string, n *yaml.Node) bool {
	switch n.Kind {
	case yaml.MappingNode:
		return parent == "" || n.Style&yaml.FlowStyle == 0
	case yaml.SequenceNode:
		return n.Style&yaml.FlowStyle == 0 && slices.ContainsFunc(n.Content, func(c *yaml.Node) bool {
			return c.Kind == yaml.MappingNode && (parent == "orchestrator" || parent == "subagents" || isTable(".", c))
		})
	}
	return false
}

// isOnlyTables reports whether a table has nothing but tables, whose headers name it too.
func isOnlyTables(name string, n *yaml.Node) bool {
	for i := 1; i < len(n.Content); i += 2 {
		if !isTable(name, followAlias(n.Content[i])) {
			return false
		}
	}
	return true
}

// writeHead writes the comment above a key. A table stands apart from what is before it.
func (w *tomlWriter) writeHead(key *yaml.Node, apart bool) {
	if text := key.HeadComment; apart || strings.Contains(text, "\n\n") {
		w.WriteString("\n")
	}
	if key.HeadComment != "" {
		fmt.Fprintln(w, key.HeadComment)
	}
}

// tomlValue writes a value as TOML writes it behind a key. A list of mappings takes a line
// for each.
func tomlValue(n *yaml.Node) string {
	n = followAlias(n)
	switch n.Kind {
	case yaml.MappingNode:
		var out []string
		for i := 0; i+1 < len(n.Content); i += 2 {
			out = append(out, tomlKey(n.Content[i].Value)+" = "+tomlValue(n.Content[i+1]))
		}
		return "{ " + strings.Join(out, ", ") + " }"
	case yaml.SequenceNode:
		var out []string
		for _, c := range n.Content {
			out = append(out, tomlValue(c))
		}
		if n.Style&yaml.FlowStyle == 0 {
			for i, c := range n.Content {
				out[i] = strings.TrimRight("\n  "+out[i]+",   "+c.LineComment, " ")
			}
			return "[" + strings.Join(out, "") + "\n]"
		}
		return "[" + strings.Join(out, ", ") + "]"
	}
	if tag := n.ShortTag(); tag == "!!int" || tag == "!!bool" {
		return n.Value
	}
	return tomlText(n.Value)
}

func tomlText(s string) string {
	switch {
	case strings.Contains(s, "\n") && !strings.Contains(s, "'''"):
		return "'''\n" + s + "'''"
	case strings.ContainsAny(s, `\"`) && !strings.ContainsAny(s, "'\n"):
		return "'" + s + "'"
	}
	return strconv.Quote(s)
}

func tomlKey(s string) string {
	if strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" || s == "" {
		return strconv.Quote(s)
	}
	return s
}

func followAlias(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}
