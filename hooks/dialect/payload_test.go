package dialect

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestFast holds the reader to encoding/json on every recorded payload.
func TestFast(t *testing.T) {
	files, err := filepath.Glob("../claude/testdata/*/*.json")
	if err != nil || len(files) < 100 {
		t.Fatalf("%d recorded payloads, %v", len(files), err)
	}
	for _, f := range files {
		body, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var fast, slow Payload
		if err := json.Unmarshal(body, &slow); err != nil {
			continue // a test of its own has those
		}
		if err := fast.fill(body); err != nil || fast.Notes != nil {
			t.Errorf("%s: %v, notes %q", f, err, fast.Notes)
			continue
		}
		if d := cmp.Diff(slow, fast, cmpopts.IgnoreFields(Payload{}, "Notes")); d != "" {
			t.Errorf("%s: %s", f, d)
		}
	}
}

func TestNoPayload(t *testing.T) {
	for _, body := range []string{``, `[]`, `5`, `"x"`, `{"a":`, `{"a":1}x`} {
		var p Payload
		if p.fill([]byte(body)) == nil {
			t.Errorf("%q was taken", body)
		}
	}
}
