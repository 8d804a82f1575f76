package hooks

import (
	"strings"
	"testing"
)

// TestErrorsHideSecrets: what goes wrong is kept without secrets, wherever it is kept.
func TestErrorsHideSecrets(t *testing.T) {
	l := ErrorLog{Home: t.TempDir()}
	e := OwnError{Session: "s1", Error: "ask the server: Authorization: Bearer abcdefgh12345678"}
	if err := l.AddError(e); err != nil {
		t.Fatal(err)
	}
	if !l.AddLapse(e) || l.AddLapse(e) {
		t.Error("a cause is new once")
	}
	for _, name := range []string{"errors.jsonl", "said/s1"} {
		if text := read(t, l.Home+"/"+name); strings.Contains(text, "abcdefgh") || !strings.Contains(text, "ask") {
			t.Errorf("%s: %s", name, text)
		}
	}
}
