package config

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

func referenceText(t *testing.T) string {
	t.Helper()
	schema, err := os.ReadFile("../configs/pipeline.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	text, err := Reference(schema)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestReferenceIsCurrent: docs/config.md is what the schema says now.
func TestReferenceIsCurrent(t *testing.T) {
	text := referenceText(t)
	page, err := os.ReadFile("../docs/config.md")
	if err != nil || string(page) != text {
		t.Errorf("docs/config.md is not what the schema says: run make reference (%v)", err)
	}
}

// TestReferenceDescribesEachKey: no key of any section is left out, and each link leads to a section.
func TestReferenceDescribesEachKey(t *testing.T) {
	text := referenceText(t)
	s := readSchema(t)
	for name, part := range s.Defs {
		for key := range part.Properties {
			if !strings.Contains(text, "\n| `"+key+"` | ") {
				t.Errorf("%s.%s is not in the reference", name, key)
			}
		}
	}
	for key := range s.Properties {
		if !strings.Contains(text, "\n| `"+key+"` | ") {
			t.Errorf("%s is not in the reference", key)
		}
	}
	for _, part := range strings.Split(text, "](#")[1:] {
		anchor, _, _ := strings.Cut(part, ")")
		if !strings.Contains(strings.ToLower(text), "\n## "+anchor+"\n") {
			t.Errorf("there is no section %s", anchor)
		}
	}
}

// TestExamplesAreValid: what the reference shows may be written.
func TestExamplesAreValid(t *testing.T) {
	s := readSchema(t)
	for key, property := range s.Properties {
		for _, example := range property.Examples {
			file := t.TempDir() + "/pipeline.yaml"
			body, err := json.Marshal(map[string]any{"version": 1, key: example})
			if err != nil {
				t.Fatal(err)
			}
			write(t, file, string(body))
			if wrong := validated(t, s, file); wrong != nil {
				t.Errorf("the example of %s: %v", key, wrong)
			}
		}
	}
}
