package settings

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func ours(events ...string) []Entry {
	var all []Entry
	for _, event := range events {
		e := Entry{Event: event, Command: "/opt/bin/pipeline", Args: []string{"hook", "--host", "claude",
			strings.ToLower(event)}, Timeout: 10}
		e.OnFailureBlock = event == "PreToolUse"
		all = append(all, e)
	}
	return all
}

// Install is also what writes no entry, and leaves a status line.
func Install(src []byte, ours []Entry) (out []byte, changed bool, err error) {
	out, err = Format{}.install(src, ours)
	return out, err == nil && !bytes.Equal(src, out), err
}

func Uninstall(src []byte) (out []byte, changed bool, err error) { return Format{}.Edit(src, nil) }

// roundTrip installs into a file, lets a person write to it, and uninstalls: what is in it between, and what comes
// back; nil for no file.
func roundTrip(t rapid.TB, src []byte, strip, edit func([]byte) ([]byte, error), byHand ...[]byte) (between,
	back []byte) {
	t.Helper()
	fast := "/dev/shm" // each file is written to the disk
	if _, err := os.Stat(fast); err != nil {
		fast = ""
	}
	dir, err := os.MkdirTemp(fast, "settings")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	f := File{Path: filepath.Join(dir, "settings.json"), State: filepath.Join(dir, "state"), Strip: strip}
	if src != nil {
		err = os.WriteFile(f.Path, src, 0o600)
	}
	if err == nil {
		_, _, err = f.Edit(edit)
	}
	for _, text := range byHand {
		if err == nil {
			err = os.WriteFile(f.Path, text, 0o600)
		}
	}
	if err == nil {
		between, err = readContent(f.Path)
	}
	if err == nil {
		_, _, err = f.Edit()
	}
	if err == nil {
		back, err = readContent(f.Path)
	}
	if err != nil {
		t.Fatal(err)
	}
	return between, back
}

func stripped(src []byte) ([]byte, error) { return Format{}.uninstall(src, nil) }

// wantOriginal installs hooks into a file, and wants the first bytes back.
func wantOriginal(t rapid.TB, src []byte, edit func([]byte) ([]byte, error)) {
	t.Helper()
	between, back := roundTrip(t, src, stripped, edit)
	if !bytes.Equal(back, src) || (back == nil) != (src == nil) {
		t.Fatalf("was  %q\nis   %q\nbetween %s", src, back, between)
	}
}

func mustInstall(t testing.TB, src []byte, entries []Entry) []byte {
	t.Helper()
	out, changed, err := Install(src, entries)
	if err != nil {
		t.Fatalf("install: %v\n%s", err, src)
	}
	if changed == bytes.Equal(src, out) {
		t.Fatalf("changed = %v", changed)
	}
	return out
}

func mustUninstall(t testing.TB, src []byte) []byte {
	t.Helper()
	out, changed, err := Uninstall(src)
	if err != nil {
		t.Fatalf("uninstall: %v\n%s", err, src)
	}
	if changed == bytes.Equal(src, out) {
		t.Fatalf("changed = %v", changed)
	}
	return out
}

// Each testdata/NAME.json is installed into; NAME.want is what comes out. To write
// them again: UPDATE_GOLDEN=1 go test.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden cases", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := mustInstall(t, src, ours("PreToolUse", "Stop"))
			golden := strings.TrimSuffix(file, ".json") + ".want"
			if os.Getenv("UPDATE_GOLDEN") != "" {
				if err := os.WriteFile(golden, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			wantOriginal(t, src, func(src []byte) ([]byte, error) {
				return Format{}.install(src, ours("PreToolUse", "Stop"))
			})
		})
	}
}

func TestMissingFile(t *testing.T) {
	out := mustInstall(t, nil, ours("Stop"))
	if !strings.HasPrefix(string(out), "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n") ||
		!strings.HasSuffix(string(out), "\n}\n") {
		t.Errorf("got %s", out)
	}
	if back := mustUninstall(t, out); len(back) != 0 {
		t.Errorf("left: %q", back)
	}
}

// A comment behind the file that Install made is a reason to leave a file.
func TestMissingFileThenComment(t *testing.T) {
	out := append(mustInstall(t, nil, ours("Stop")), "// mine\n"...)
	if back := string(mustUninstall(t, out)); back != "{\n}\n// mine\n" {
		t.Errorf("left: %q", back)
	}
}

// A field that Install does not write, some of which keep a hook from running,
// goes.
func TestOddEntryIsRewritten(t *testing.T) {
	want := mustInstall(t, nil, ours("Stop"))
	for _, odd := range []string{`"async": true`, `"if": "Bash"`, `"onFailure": "continue"`, `"timeout": "10"`,
		`"timeout": 10.5`} {
		altered := bytes.Replace(want, []byte(`"timeout": 10`), []byte(odd+`, "timeout": 10`), 1)
		if strings.Contains(odd, "timeout") {
			altered = bytes.Replace(want, []byte(`"timeout": 10`), []byte(odd), 1)
		}
		if got := mustInstall(t, altered, ours("Stop")); !bytes.Equal(got, want) {
			t.Errorf("%s: got %s", odd, got)
		}
	}
}

func TestUpdateInPlace(t *testing.T) {
	base := "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\"hooks\": []}\n    ]\n  }\n}\n"
	was := ours("PreToolUse", "Stop")
	installed := string(mustInstall(t, []byte(base), was))
	for name, test := range map[string]struct {
		old, new string
		change   func(*Entry)
	}{
		"command":   {`/opt/bin/pipeline`, `/usr/bin/pipeline`, func(e *Entry) { e.Command = "/usr/bin/pipeline" }},
		"timeout":   {`"timeout": 10`, `"timeout": 60`, func(e *Entry) { e.Timeout = 60 }},
		"onFailure": {",\n            \"onFailure\": \"block\"", "", func(e *Entry) { e.OnFailureBlock = false }},
	} {
		t.Run(name, func(t *testing.T) {
			now := ours("PreToolUse", "Stop")
			test.change(&now[0])
			got := mustInstall(t, []byte(installed), now)
			head, tail, _ := strings.Cut(installed, `{"hooks": []},`)
			want := head + `{"hooks": []},` + strings.Replace(tail, test.old, test.new, 1)
			if diff := cmp.Diff(want, string(got)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if again := mustInstall(t, got, now); !bytes.Equal(again, got) {
				t.Errorf("a second install changed it")
			}
			if back := mustInstall(t, got, was); string(back) != installed {
				t.Errorf("not the same after the change is taken back:\n%s", back)
			}
			if back := mustUninstall(t, got); string(back) != base {
				t.Errorf("uninstall:\n%s", back)
			}
		})
	}
}

// An event that is no longer wanted goes, also when it is the one that told that
// its container stood there empty.
func TestEventsComeAndGo(t *testing.T) {
	for _, base := range []string{"", "{}", "{}\n", `{"hooks": {}}`, "{\n  \"hooks\": {}\n}\n",
		"{\n  \"hooks\": {\n    \"Stop\": []\n  }\n}"} {
		text := mustInstall(t, []byte(base), ours("Stop", "SessionEnd"))
		text = mustInstall(t, text, ours("SessionEnd"))
		text = mustInstall(t, text, ours("SessionEnd", "PreToolUse", "SubagentStop"))
		found, err := Find(text)
		if diff := cmp.Diff(ours("SessionEnd", "PreToolUse", "SubagentStop"), found); diff != "" || err != nil {
			t.Errorf("%q: %v %s", base, err, diff)
		}
		text = mustInstall(t, text, ours("PreToolUse"))
		for _, none := range [][]byte{mustUninstall(t, text), mustInstall(t, text, nil)} {
			if diff := cmp.Diff(decode(t, []byte(base)), decode(t, none)); diff != "" {
				t.Errorf("%q came back as %q", base, none)
			}
		}
	}
}

// Someone moved our hook into their group, or theirs into ours: theirs stays.
func TestSharedGroup(t *testing.T) {
	const own, their = `{"type":"command","command":"/x/pipeline","args":["hook","--host","claude","stop"]}`,
		`{"type":"command","command":"x"}`
	for _, test := range []struct{ src, want string }{
		{`{"hooks":{"Stop":[{"hooks":[` + own + `,` + their + `]}]}}`,
			`{"hooks":{"Stop":[{"hooks":[` + their + `]}]}}`},
		{`{"hooks":{"Stop":[{"matcher":"Bash","hooks":[` + their + `, ` + own + `]}]}}`,
			`{"hooks":{"Stop":[{"matcher":"Bash","hooks":[` + their + `]}]}}`},
		{`{"hooks":{"Stop":[{"hooks":[` + own + `]}],"Stop":[]}, "hooks":{}}`, `{"hooks":{"Stop":[]}, "hooks":{}}`},
		{"{\"hooks\":{\"Stop\":[1, // one\n{\"hooks\":[" + own + "]}]}}", "{\"hooks\":{\"Stop\":[1 // one\n]}}"},
		{"{\"hooks\":{\"Stop\":[1, // one\r\r\n{\"hooks\":[" + own + "]}]}}", "{\"hooks\":{\"Stop\":[1 // one\n]}}"},
		{"{\"hooks\":{\"Stop\":[{\"hooks\":[" + own + "]}/*a*/,/*b*/2,]}}", "{\"hooks\":{\"Stop\":[/*a*/\n/*b*/2,]}}"},
		{"{\"hooks\":{\"Stop\":[2,{\"hooks\":[" + own + "]}/*a*/,3]}}", "{\"hooks\":{\"Stop\":[2,/*a*/\n3]}}"},
	} {
		if got := string(mustUninstall(t, []byte(test.src))); got != test.want {
			t.Errorf("%s\n got %s\nwant %s", test.src, got, test.want)
		}
	}
	narrowed := []byte(`{"hooks":{"Stop":[{"matcher":"Bash","hooks":[` + own + `,` + their + `]}]}}`)
	got := string(mustInstall(t, narrowed, ours("Stop")))
	if !strings.HasPrefix(got, `{"hooks":{"Stop":[{"matcher":"Bash","hooks":[`+their+`]},{"hooks":`) {
		t.Errorf("a group of the user's was widened: %s", got)
	}
}

func TestRefused(t *testing.T) {
	for src, want := range map[string]string{
		"{\n  \"a\": 1,\n  \"é\" 2}": "line 3, column 7: invalid character '2' after object name",
		"\ufeff{":                    "line 1, column 2: parsing value: unexpected EOF",
		"[]": "line 1, column 1: the settings: found an array, expected an " +
			"object",
		"// only\n":             "line 2, column 1: parsing value: unexpected EOF",
		"{\"hooks\":\r\n null}": "line 2, column 2: hooks: found null, expected an object",
		`{"hooks":{"Foo":"x"}}`: "line 1, column 17: hooks.Foo: found a string, expected an array",
		`{"hooks":{"Stop":true}}`: "line 1, column 18: hooks.Stop: found a boolean, expected an " +
			"array",
		`{"hooks":{"Stop":5}}`: "line 1, column 18: hooks.Stop: found a number, expected an " +
			"array",
		`{"hooks":{"Stop":{}}}`: "line 1, column 18: hooks.Stop: found an object, expected an " +
			"array",
		`{"hooks":{},"\u0068ooks":{}}`:                             `line 1, column 13: "hooks" occurs twice`,
		`{"hooks":{"Stop":[],"Stop":[]}}`:                          `line 1, column 21: "Stop" occurs twice`,
		`{"a":` + strings.Repeat("[", maxDepth*1000):               "line 1, column 1005: nested deeper than 1000",
		`{"/*":"\"[", /*"*/"b":` + strings.Repeat("[", maxDepth+1): "line 1, column 1022: nested deeper than 1000",
	} {
		_, _, err := Install([]byte(src), ours("Stop"))
		if err == nil || err.Error() != want {
			t.Errorf("%.40q\n got %v\nwant %s", src, err, want)
		}
	}
	for _, e := range []Entry{{Event: "Stop", Command: "/x/pipe", Args: ours("Stop")[0].Args}, {Event: "Stop",
		Command: "/x/pipeline"}, {Command: "pipeline", Args: ours("Stop")[0].Args}} {
		if _, _, err := Install(nil, []Entry{e}); err == nil {
			t.Errorf("installed what Uninstall would not know: %+v", e)
		}
	}
	if _, _, err := Uninstall([]byte("{")); err == nil {
		t.Error("uninstalled from a broken file")
	}
	if _, err := Find([]byte("{")); err == nil {
		t.Error("found something in a broken file")
	}
}
