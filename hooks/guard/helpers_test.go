package guard

import (
	"os"
	"testing"

	"github.com/agent-pipeline/pipeline/config/system"
)

func write(t testing.TB, path, body string) {
	t.Helper()
	if err := os.MkdirAll(system.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(body), 0o755); err != nil {
		t.Fatal(err)
	}
}

func link(t testing.TB, to, path string) {
	t.Helper()
	if err := os.Symlink(to, path); err != nil {
		t.Fatal(err)
	}
}
