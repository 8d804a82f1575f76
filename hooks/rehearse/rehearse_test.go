package rehearse

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

// TestOverridesWarnOnce: asking for the overrides leaves no warnings behind.
func TestOverridesWarnOnce(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "orders.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := New(Stage{Handler: hooks.Handler{Policy: &fsm.Policy{}}, Base: &session.Store{Dir: dir}})
	if _, err := r.Memory.Overrides(); err == nil {
		t.Fatal("found no damage")
	}
	r.Overrides()
	r.Overrides()
	if n := len(r.handler.Warnings); n > 0 {
		t.Errorf("%d warnings wait for the next answer", n)
	}
}
