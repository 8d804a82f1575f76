package config

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/agent-pipeline/pipeline/config/system"
)

// TestPrintedForm: keys in the order of the reference, names sorted, states as the pipeline runs through them, and
// beside each value where it is from. What is short stands on one line, lines of text stand below each other.
func TestPrintedForm(t *testing.T) {
	file, err := filepath.Abs("testdata/print.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c, o, problems, err := Load(alone(system.Clean(file)), World{})
	if err != nil || len(problems) > 0 {
		t.Fatal(problems, err)
	}
	var b bytes.Buffer
	if err := Print(&b, c, o); err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/print.out", b.Bytes())
}

// TestPrintedText: a text is given back as it was. Lines stand as they are where YAML can give them back, and what a
// reader could take for something else is in quotes.
func TestPrintedText(t *testing.T) {
	const plain yaml.Style = 0
	for text, want := range map[string]yaml.Style{
		"plain": plain, "mcp__a__*": plain, "./x": yaml.DoubleQuotedStyle, "a b": yaml.DoubleQuotedStyle,
		"": yaml.DoubleQuotedStyle, "1a": yaml.DoubleQuotedStyle, "Yes": yaml.DoubleQuotedStyle,
		strings.Repeat("x", 64): plain, strings.Repeat("x", 65): yaml.DoubleQuotedStyle,
		"a\n": yaml.LiteralStyle, "a b\nc\n": yaml.LiteralStyle, "a\n  b\n": yaml.LiteralStyle,
		"\n": yaml.DoubleQuotedStyle, " a\n": yaml.DoubleQuotedStyle, "\na\n": yaml.DoubleQuotedStyle,
		"a\n\n": yaml.DoubleQuotedStyle, "a\tb\n": yaml.DoubleQuotedStyle, "a\nb": yaml.DoubleQuotedStyle,
		"a\u202eb\n": yaml.DoubleQuotedStyle,
	} {
		n := textNode(text)
		if n.Style != want {
			t.Errorf("%q: style %d, expected %d", text, n.Style, want)
		}
		written, err := encodeYAML(&yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{n}})
		var back []any
		if err == nil {
			err = yaml.Unmarshal(written, &back)
		}
		if err != nil || len(back) != 1 || back[0] != text {
			t.Errorf("%q is written as %q: %v", text, written, err)
		}
	}
}

// TestDescribeOrigin: a file is named from the project on, and as a whole where it is outside or there is no project.
func TestDescribeOrigin(t *testing.T) {
	at := func(file string) map[trail]Origin {
		return map[trail]Origin{"level": {source: &source{file: file}, field: field{at: spot{line: 3}}}}
	}
	for _, c := range []struct{ root, file, want string }{
		{"/p", "/p/configs/a.yaml", "# configs/a.yaml:3"}, {"/p", "/etc/a.yaml", "# /etc/a.yaml:3"},
		{"", "/etc/a.yaml", "# /etc/a.yaml:3"},
	} {
		o := &Origins{project: Project{Root: c.root}, at: at(c.file)}
		if got := o.describe("level"); got != c.want {
			t.Errorf("%s in %q: %q", c.file, c.root, got)
		}
	}
}
