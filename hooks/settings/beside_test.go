package settings

import (
	"bytes"
	"strings"
	"testing"
)

const theirLine = `{"statusLine": {"type": "command", "command": "~/line.sh"}}`

func mustStatus(t testing.TB, src, binary string, replace bool) string {
	t.Helper()
	out, kept, err := InstallStatusLine([]byte(src), binary, replace)
	if err != nil || kept != "" {
		t.Fatalf("%v, kept %q\n%s", err, kept, src)
	}
	return string(out)
}

func TestStatusLineIsWritten(t *testing.T) {
	for src, want := range map[string]string{
		"": "{\n  \"statusLine\": {\n    \"type\": \"command\",\n    \"command\": \"pipeline " +
			"statusline\",\n    \"padding\": 0,\n    \"refreshInterval\": 2\n  }\n}\n",
		`{"a":1}`: `{"a":1,"statusLine":{"type":"command","command":"pipeline statusline","padding":0,"refreshInterval":2}}`,
		"{\n\t\"a\": 1, // c\n}": "{\n\t\"a\": 1, // c\n\t\"statusLine\": {\n\t\t\"type\": " +
			"\"command\",\n\t\t\"command\": \"pipeline statusline\",\n\t\t\"padding\": 0,\n" +
			"\t\t\"refreshInterval\": 2\n\t},\n}",
	} {
		got := mustStatus(t, src, "pipeline", false)
		if got != want {
			t.Errorf("%q\n got %s\nwant %s", src, got, want)
		}
		wantOriginal(t, []byte(src), to(got))
	}
}

// What is not our own line, word for word, is a person's.
func TestTheirStatusLineStays(t *testing.T) {
	for _, line := range []string{
		`{"type":"command","command":"~/line.sh"}`,
		`{"type":"command","command":"cd /; pipeline statusline"}`,
		`{"type":"command","command":"pipeline statusline | head -1"}`,
		`{"type":"command","command":"/opt/my pipeline statusline"}`,
		`{"type":"command","command":"'/opt/x' ; 'pipeline' statusline"}`,
		`{"type":"command","command":"cd /tmp; /opt/pipeline statusline"}`,
		`{"type":"command","command":"/opt/my dir/pipeline statusline"}`,
		`{"type":"command","command":"$(echo /opt)/pipeline statusline"}`,
		`{"type":"command","command":"'/opt/pipeline' statusline"}`,
		`{"type":"command","command":"statusline"}`,
		`{"type":"text","command":"pipeline statusline"}`,
		`{}`, `5`, `null`, `"pipeline statusline"`,
	} {
		src := []byte(`{"statusLine":` + line + `}`)
		out, kept, err := InstallStatusLine(src, "pipeline", false)
		if err != nil || kept == "" || !bytes.Equal(out, src) {
			t.Errorf("%s: kept %q, %v, %s", line, kept, err, out)
		}
		if out, changed, err := Uninstall(src); changed || err != nil {
			t.Errorf("%s: uninstalled to %s, %v", line, out, err)
		}
	}
}

func TestStatusLineIsReplacedWhenTold(t *testing.T) {
	got := mustStatus(t, theirLine, "pipeline", true)
	if want := `{"statusLine": {"type":"command","command":"pipeline statusline","padding":0,"refreshInterval":2}}`; got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	got = mustStatus(t, "{\n  \"a\": 1,\n  \"statusLine\": {\"type\": \"x\"}\n}", "pipeline", true)
	if want := "{\n  \"a\": 1,\n  \"statusLine\": {\"type\":\"command\",\"command\":\"pipeline statusline\"," +
		"\"padding\":0,\"refreshInterval\":2}\n}"; got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	got = mustStatus(t, "{\n  \"statusLine\": {\n    \"type\": \"x\"\n  }\n}", "pipeline", true)
	if want := "{\n  \"statusLine\": {\n    \"type\": \"command\",\n    \"command\": \"pipeline statusline\",\n    " +
		"\"padding\": 0,\n    \"refreshInterval\": 2\n  }\n}"; got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

// Only the command of ours is brought up to date: what a person set beside it stays.
func TestStatusLineIsUpdated(t *testing.T) {
	src := `{"statusLine": {"padding": 2, "command": "/old/pipeline statusline", "type": "command", "mine": [1]}}`
	want := strings.Replace(src, "/old/pipeline statusline", "'/new dir/it'\\\\''s/pipeline' statusline", 1)
	got := mustStatus(t, src, "/new dir/it's/pipeline", false)
	if got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	if back := mustUninstall(t, []byte(got)); len(back) != 0 {
		t.Errorf("left %s", back)
	}
}

func TestStatusLineRefused(t *testing.T) {
	ours := `{"type":"command","command":"pipeline statusline"}`
	for src, want := range map[string]string{
		`{"statusLine":` + ours + `,"statusLine":` + ours + `}`: "occurs twice",
		`{"a" 1}`: "line 1",
	} {
		if _, _, err := InstallStatusLine([]byte(src), "pipeline", false); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %s", src, err, want)
		}
	}
	if _, _, err := InstallStatusLine(nil, "/x/pipe", false); err == nil {
		t.Error("installed what Uninstall would not know")
	}
	twice := []byte(`{"statusLine":` + ours + `,"a":1,"statusLine":` + ours + `}`)
	if back := string(mustUninstall(t, twice)); back != `{"a":1}` {
		t.Errorf("left %s", back)
	}
}

// A status line, whosever, does not keep our hooks from running.
func TestStatusLineIsNoTampering(t *testing.T) {
	src := mustInstall(t, []byte(theirLine), ours("Stop"))
	for _, text := range []string{string(src), mustStatus(t, string(src), "pipeline", true),
		strings.Replace(string(src), "~/line.sh", "evil", 1)} {
		if why := blocks([]byte(text), ours("Stop")); why != "" {
			t.Errorf("%s\n%s", why, text)
		}
	}
}
