package claude

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFast holds the fast reader to encoding/json on every recorded payload, and sees that it does take them.
func TestFast(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.json")
	if err != nil || len(files) < 100 {
		t.Fatalf("%d recorded payloads, %v", len(files), err)
	}
	for _, f := range files {
		body, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var fast, slow payload
		if err := json.Unmarshal(body, &slow); err != nil {
			continue // a test of its own has those
		}
		if !fast.fillFast(body) {
			t.Errorf("%s: left to the slow reader", f)
			continue
		}
		if d := cmp.Diff(slow, fast); d != "" {
			t.Errorf("%s: %s", f, d)
		}
	}
}

func TestFastLeavesTheUnusual(t *testing.T) {
	for _, body := range []string{``, `[]`, `{"session_id":5}`, `{"session_id":null}`, `{"stop_hook_active":1}`,
		`{"background_tasks":{}}`,
		`{"background_tasks":[1]}`, `{"background_tasks":[{"id":1}]}`, "{\"prompt\":\"\xff\"}", `{"a":`, `{"a":1}x`} {
		var p payload
		if p.fillFast([]byte(body)) {
			t.Errorf("%q was taken", body)
		}
	}
}
