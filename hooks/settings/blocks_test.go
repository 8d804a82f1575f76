package settings

import (
	"strings"
	"testing"
)

// blocks asks for Claude Code's format.
func blocks(src []byte, want []Entry) string { return Format{}.Blocks(src, want) }

func TestBlocks(t *testing.T) {
	want := ours("PreToolUse", "Stop")
	installed := string(mustInstall(t, []byte(`{"model":"x"}`), want))
	const pre = `"PreToolUse":[{"hooks":[{`
	for name, test := range map[string]struct {
		old, new string // an edit of the installed file
		reason   string
	}{
		"as installed": {"", "", ""},
		"not disabled": {`"model":"x"`, `"disableAllHooks":false`, ""},
		"disabled":     {`"model":"x"`, `"disableAllHooks":true`, "disableAllHooks is true"},
		"disabled by a lie": {`"model":"x"`, `"disableAllHooks":"no"`,
			"the client ignores the file: disableAllHooks is not a boolean"},
		"broken": {`"model":"x"`, `"model" "x"`,
			`the client ignores the file: line 1, column 10: invalid character '"' after object name`},
		"a comment": {`"model":"x"`, "\n // hi\n\"model\":\"x\"",
			"the client ignores the file: line 2, column 2: a comment or a comma too many"},
		"a trailing comma": {`"x"`, `[1,]`,
			"the client ignores the file: line 1, column 12: a comment or a comma too many"},
		"gone":            {`"Stop":`, `"Start":`, "the entry for Stop is gone"},
		"hidden":          {`"Stop":[`, `"Stop":[],"Stop":[],"x":[`, "the entry for Stop is gone"},
		"hidden hooks":    {`{"model":"x"`, `{"model":"x","hooks":{}`, ""},
		"another program": {`"/opt/bin/pipeline"`, `"true"`, "the entry for PreToolUse is gone"},
		"another binary": {`/opt/bin/`, `/tmp/`,
			"the entry for PreToolUse runs /tmp/pipeline instead of /opt/bin/pipeline"},
		"other arguments": {`"pretooluse"`, `"stop"`,
			`the entry for PreToolUse has other arguments: ["hook" "--host" "claude" "stop"]`},
		"for some tools": {pre, `"PreToolUse":[{"matcher":"Bash","hooks":[{`,
			"the entry for PreToolUse is only for Bash"},
		"for all tools":     {pre, `"PreToolUse":[{"matcher":"*","hooks":[{`, ""},
		"sometimes":         {pre, pre + `"if":"Bash(git *)",`, `the entry for PreToolUse has "if" set`},
		"in the background": {pre, pre + `"async":true,`, `the entry for PreToolUse has "async" set`},
		"not so":            {pre, pre + `"async":false,"statusMessage":"…",`, ""},
		"no time":           {`"timeout":10`, `"timeout":0.01`, "the entry for PreToolUse is given less than a second"},
		"more time":         {`"timeout":10`, `"timeout":1000`, ""},
		"failing open":      {`,"onFailure":"block"`, ``, ""},
		"one good, one bad": {`"Stop":[`,
			`"Stop":[{"hooks":[{"type":"command","command":"/x/pipeline","args":["hook","--host","claude"]}]},`, ""},

		"bad group": {`"Stop":[`, `"Stop":[5,`, "the client ignores the file: hooks.Stop[0]: not an object"},
		"bad event": {`"Stop":[`, `"Other":5,"Stop":[`, ""},
		"bad matcher": {`"Stop":[{`, `"Stop":[{"matcher":null,`,
			"the client ignores the file: hooks.Stop[0]: matcher is not a string"},
		"no hooks": {`"Stop":[`, `"Stop":[{},`, "the client ignores the file: hooks.Stop[0]: hooks is not an array"},
		"bad hook": {`"Stop":[`, `"Stop":[{"hooks":[1]},`,
			"the client ignores the file: hooks.Stop[0]: type is not one that a hook can have"},
		"no command": {`"Stop":[`, `"Stop":[{"hooks":[{"type":"command"}]},`,
			"the client ignores the file: hooks.Stop[0]: command is not a string"},
		"bad args": {`"Stop":[`, `"Stop":[{"hooks":[{"type":"command","command":"x","args":["a",1]}]},`,
			"the client ignores the file: hooks.Stop[0]: args is not an array of strings"},
		"bad timeout": {`"timeout":10`, `"timeout":-1`,
			"the client ignores the file: hooks.PreToolUse[0]: timeout is not a number above 0"},
		"bad onFailure": {`"onFailure":"block"`, `"onFailure":"x"`,
			"the client ignores the file: hooks.PreToolUse[0]: onFailure is neither block nor continue"},
		"good prompt": {`"Stop":[`,
			`"Stop":[{"matcher":"x","hooks":[{"type":"prompt","prompt":"x","timeout":1,"onFailure":"continue"}]},`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if test.old != "" && !strings.Contains(installed, test.old) {
				t.Fatalf("%s is not in %s", test.old, installed)
			}
			src := []byte(strings.Replace(installed, test.old, test.new, 1))
			if got := blocks(src, want); got != test.reason {
				t.Errorf("got %q, want %q\n%s", got, test.reason, src)
			}
			elsewhere := ""
			if name == "disabled" {
				elsewhere = test.reason
			}
			if got := blocks(src, nil); got != elsewhere {
				t.Errorf("not registered here: got %q, want %q", got, elsewhere)
			}
		})
	}
}

func TestBlocksWithoutAFile(t *testing.T) {
	if got := blocks(nil, ours("Stop")); got != "the entry for Stop is gone" {
		t.Errorf("got %q", got)
	}
	if got := blocks(nil, nil); got != "" {
		t.Errorf("got %q", got)
	}
}

// Whoever changes the settings must not be able to make the answer slow.
func TestBlocksIsFastOnAHugeFile(t *testing.T) {
	huge := []byte(`{"hooks":{` + strings.Repeat(`"a":[{"hooks":[]}],"\u0062":[],`, 50_000) + `"c":[]}}`)
	if got := blocks(huge, ours("Stop")); got != "the entry for Stop is gone" {
		t.Errorf("got %q", got)
	}
}

// TestBlocksWithComments: a client that reads comments reads no comma too many, wherever it stands.
func TestBlocksWithComments(t *testing.T) {
	f := Format{Comments: true}
	for src, want := range map[string]string{
		`{"a": [1 /* , */] // ,` + "\n}":       "the entry for Stop is gone",
		`{"a": [1 /* , */,]}`:                  "the client ignores the file: line 1, column 17: a comment or a comma too many",
		`{"a": [1 /**/ /* x */, // c` + "\n]}": "the client ignores the file: line 1, column 22: a comment or a comma too many",
	} {
		if got := f.Blocks([]byte(src), ours("Stop")); got != want {
			t.Errorf("%s: got %q, want %q", src, got, want)
		}
	}
}
