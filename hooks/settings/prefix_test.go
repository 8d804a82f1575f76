package settings

import (
	"strings"
	"testing"
)

// TestPrefix: the launcher is added once, another program stays, and uninstalling gives every byte back.
func TestPrefix(t *testing.T) {
	const launcher, other = "/home/u/.local/state/pipeline/shell", "/usr/local/bin/wrap"
	for _, src := range []string{"", "{}", `{"env": {}}`, "{\n  \"model\": \"opus\"\n}\n", "{\"env\": {\"A\": \"1\"}}",
		"{\n\t\"env\": {\n\t\t\"A\": \"1\" // mine\n\t}\n}\n",
		"{\n  // a comment\n  \"hooks\": {}\n}"} {
		out, kept, err := InstallPrefix([]byte(src), launcher)
		if err != nil || kept != "" {
			t.Fatalf("%q: %v %q", src, err, kept)
		}
		if got, err := Environment(out); err != nil || got[prefixKey] != launcher || !HasLauncher(out) {
			t.Errorf("%q: %q %v in %s", src, got, err, out)
		}
		again, _, err := InstallPrefix(out, launcher)
		if err != nil || string(again) != string(out) {
			t.Errorf("%q: a second run changes it: %v\n%s\n%s", src, err, out, again)
		}
		moved, _, err := InstallPrefix(out, "/elsewhere/pipeline/shell")
		if got, _ := Environment(moved); err != nil || got[prefixKey] != "/elsewhere/pipeline/shell" {
			t.Errorf("%q: %q %v", src, got, err)
		}
		wantOriginal(t, []byte(src), to(string(out)))
		back, _, err := Uninstall(out)
		if env, _ := Environment(back); err != nil || env[prefixKey] != "" || HasLauncher(back) {
			t.Errorf("%q: %v, uninstalled it is %q", src, err, back)
		}
	}
	theirs := strings.Replace(`{"env": {"CLAUDE_CODE_SHELL_PREFIX": "THEIRS"}}`, "THEIRS", other, 1)
	out, kept, err := InstallPrefix([]byte(theirs), launcher)
	if err != nil || string(out) != theirs || !strings.Contains(kept, other) {
		t.Errorf("another program: %v %q %s", err, kept, out)
	}
	if back, _, err := Uninstall(out); err != nil || string(back) != theirs {
		t.Errorf("another program is taken out: %v %s", err, back)
	}
	for _, bad := range []string{`{"env": []}`, `{"env": {}, "env": {}}`, "{"} {
		if _, _, err := InstallPrefix([]byte(bad), launcher); err == nil {
			t.Errorf("%s: no error", bad)
		}
	}
}
