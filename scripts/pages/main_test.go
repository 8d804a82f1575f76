package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/configs"
	"github.com/agent-pipeline/pipeline/scripts/manual"
)

func readDocument(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestRoff(t *testing.T) {
	got := makeRoff(manual.Page{Path: "pipeline x", Sections: []manual.Section{{Name: "NAME",
		Text: "pipeline x - Do\n\\ it"},
		{Name: "DESCRIPTION", Text: ".cut\n'quoted … a -b"}}})
	want := ".TH \"PIPELINE\\-X\" 1\n.SH NAME\npipeline\\-x \\- Do \\e it\n" +
		".SH DESCRIPTION\n.nf\n\\&.cut\n\\&'quoted \\[u2026] a \\-b\n.fi\n"
	if got != want {
		t.Errorf("found %q, want %q", got, want)
	}
}

// TestReferenceIsCurrent: docs/config.md is what the schema says now.
func TestReferenceIsCurrent(t *testing.T) {
	text, err := describeSchema(configs.Schema())
	if err != nil || text != readDocument(t, "config.md") {
		t.Errorf("docs/config.md is not what the schema says: run make reference (%v)", err)
	}
}

// TestReferenceDescribesEachKey: no key of any section is left out, and each link leads to a section.
func TestReferenceDescribesEachKey(t *testing.T) {
	text := readDocument(t, "config.md")
	type part struct{ Properties map[string]any }
	var schema struct {
		part
		Defs map[string]part `json:"$defs"`
	}
	if err := json.Unmarshal(configs.Schema(), &schema); err != nil || len(schema.Defs) < 5 ||
		len(schema.Properties) < 20 {
		t.Fatal(err, len(schema.Defs), len(schema.Properties))
	}
	schema.Defs["the file"] = schema.part
	for name, part := range schema.Defs {
		for key := range part.Properties {
			if !strings.Contains(text, "\n| `"+key+"` | ") {
				t.Errorf("%s.%s is not in the reference", name, key)
			}
		}
	}
	for _, part := range strings.Split(text, "](#")[1:] {
		anchor, _, _ := strings.Cut(part, ")")
		if !strings.Contains(strings.ToLower(text), "\n## "+anchor+"\n") {
			t.Errorf("there is no section %s", anchor)
		}
	}
}
