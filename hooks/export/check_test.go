package export

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// told is a line of the client's telemetry: a log with attributes, given as KEY=VALUE.
func told(event string, attributes ...string) string {
	var out []string
	for _, a := range append(attributes, "event.name="+event) {
		key, value, _ := strings.Cut(a, "=")
		out = append(out, fmt.Sprintf(`{"key":%q,"value":{"stringValue":%q}}`, key, value))
	}
	return fmt.Sprintf(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":"1800000000000000000",`+
		`"body":{"stringValue":"claude_code.%s"},"attributes":[%s]}]}]}]}`, event, strings.Join(out, ","))
}

func decided(session, use string) string {
	return told("tool_decision", "session.id="+session, "tool_use_id="+use, "tool_name=Bash")
}

func ran(session string, more ...string) string {
	return told("hook_execution_complete",
		append(more, "session.id="+session, "hook_event=PreToolUse", "num_blocking=0", "num_cancelled=0")...)
}

const toolSpan = `{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"claude_code.tool","startTimeUnixNano":"1",` +
	`"attributes":[{"key":"session.id","value":{"stringValue":"s1"}},` +
	`{"key":"gen_ai.tool.call.id","value":{"stringValue":"use-8"}}]}]}]}]}`

// TestCompare: a call that the client reports and no journal has is found.
func TestCompare(t *testing.T) {
	b := newBench(t)
	b.write("s1", call("use-1"), call("use-2"), call("use-2")) // two registrations reported it
	b.write("s2", call("use-3"))
	cleared := filepath.Join(b.Dir, "cleared")
	if err := os.MkdirAll(cleared, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(b.dir("s2"), filepath.Join(cleared, "s2-20260101T000000Z")); err != nil {
		t.Fatal(err)
	}
	nothing := []string{"  the telemetry names no call of a client: it witnesses nothing"}
	tests := map[string]struct {
		lines []string
		want  []string
		skip  int
	}{
		"nothing":          {nil, nothing, 0},
		"all is recorded":  {[]string{decided("s1", "use-1"), ran("s1"), decided("s1", "use-2"), ran("s1")}, nil, 0},
		"a cleared one":    {[]string{decided("s2", "use-3"), ran("s2")}, nil, 0},
		"a call":           {[]string{decided("s1", "use-9"), decided("s1", "use-9")}, []string{"s1 use-9 no record of the call"}, 0},
		"a call in a span": {[]string{toolSpan}, []string{"s1 use-8 no record of the call"}, 0},
		"hooks alone": {[]string{ran("s1"), ran("s1"), ran("s1")},
			[]string{"s1  the client ran hooks before 3 calls, 2 are recorded"}, 0},
		"a failed hook": {[]string{ran("s1", "num_non_blocking_error=1")},
			[]string{"s1  1 hooks before a call ended with an error or were cancelled"}, 0},
		"a session": {[]string{decided("s3", "use-1"), ran("s3")},
			[]string{"s3  no journal: the client names 1 calls and ran hooks before 1"}, 0},
		"another event": {[]string{told("hook_execution_complete", "session.id=s3", "hook_event=Stop")}, nothing, 0},
		"no telemetry":  {[]string{"what", `{"a":1}`, "", `{"resourceMetrics":[]}`}, nothing, 2},
		"a path for session": {[]string{decided("../s1", "use-1")},
			[]string{"../s1  no journal: the client names 1 calls and ran hooks before 0"}, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			telemetry, err := ReadTelemetry(strings.NewReader(strings.Join(test.lines, "\n")))
			if err != nil {
				t.Fatal(err)
			}
			c, err := telemetry.Compare([]Project{b.Project})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range c.Findings {
				got = append(got, f.Session+" "+f.Call+" "+f.What)
			}
			if d := cmp.Diff(test.want, got); d != "" || c.Skipped != test.skip {
				t.Errorf("skipped %d, expected %d; -want +got\n%s", c.Skipped, test.skip, d)
			}
		})
	}
}
