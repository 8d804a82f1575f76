package settings

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFormats: each way of writing a hook down is read back as it was meant, and leaves no trace when it goes.
func TestFormats(t *testing.T) {
	for _, program := range []string{"/usr/bin/pipeline", "/opt/it's a b/pipeline", `C:\x y\pipeline.exe`} {
		for _, f := range []Format{{Host: "codex", Shell: true}, {Host: "qwen", Shell: true, Millis: true}, {}} {
			var ours []Entry
			host := f.Host
			if host == "" {
				host = "claude"
			}
			for _, event := range []string{"PreToolUse", "Stop"} {
				ours = append(ours, Entry{Event: event, Command: program, Timeout: 30,
					Args: []string{"hook", "--host", host, strings.ToLower(event)}})
			}
			theirs := `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "mine hook --host ` +
				host + ` x", "timeout": 5}]}]}}` + "\n"
			for _, src := range []string{"", "{}\n", theirs, "{\r\n\t\"a\": 1\r\n}\r\n"} {
				out, changed, err := f.Edit([]byte(src), ours)
				if err != nil || !changed {
					t.Fatalf("%+v: %v, %v", f, changed, err)
				}
				if again, changed, err := f.Edit(out, ours); err != nil || changed {
					t.Errorf("%+v, a second time: %v\n%s", f, err, again)
				}
				if why := f.Blocks(out, ours); why != "" {
					t.Errorf("%+v: %s\n%s", f, why, out)
				}
				moved := append([]Entry{}, ours...)
				moved[0].Command = "/elsewhere/pipeline"
				if f.Blocks(out, moved) == "" {
					t.Errorf("%+v: another binary is not noticed", f)
				}
				if back, _, err := f.Edit(out, nil); err != nil || !cmp.Equal(decode(t, back), decode(t, []byte(src))) {
					t.Errorf("%+v: left %q of %q, %v", f, back, src, err)
				}
			}
			out, _, _ := f.Edit(nil, ours)
			if f.Shell && (strings.Contains(string(out), `"args"`) ||
				f.Millis != strings.Contains(string(out), "30000")) {
				t.Errorf("%+v: %s", f, out)
			}
		}
	}
}
