package settings_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/agent-pipeline/pipeline/hooks/settings"
)

func TestHooks(t *testing.T) {
	src := `{
	"hooks": {
		"PreToolUse": [{"hooks": [{"type": "command", "command": "dead"}]}],
		"Stop": [{"hooks": [{"type": "prompt", "prompt": "x"}, {"type": "command", "command": "a b", "async": true}]}],
		"PreToolUse": [{"matcher": "Bash", "hooks": [
			{"type": "command", "command": "/x/pipeline", "args": ["hook", "--host", "claude", "pre-tool-use"], "timeout": 10},
			{"type": "command", "command": "c", "args": [], "onFailure": "block"}]}]
	}
}`
	got, err := settings.Hooks([]byte(src))
	if err != nil {
		t.Fatal(err)
	}
	want := []settings.Hook{
		{Entry: settings.Entry{Event: "Stop"}, Text: "x"},
		{Entry: settings.Entry{Event: "Stop", Command: "a b"}, Text: "a b", Muted: "async"},
		{Entry: settings.Entry{Event: "PreToolUse", Command: "/x/pipeline", Args: []string{"hook", "--host", "claude",
			"pre-tool-use"},
			Timeout: 10, Matcher: "Bash"}, Text: "/x/pipeline", Exec: true, Ours: true},
		{Entry: settings.Entry{Event: "PreToolUse", Command: "c", Matcher: "Bash", OnFailureBlock: true}, Text: "c",
			Exec: true},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(settings.Hook{})); diff != "" {
		t.Error(diff)
	}
	if _, err := settings.Hooks([]byte(`{"hooks": `)); err == nil {
		t.Error("half a file was read")
	}
}

func TestIgnored(t *testing.T) {
	for src, want := range map[string]string{
		"": "", `{}`: "", `{"a": 1, }`: "line 1", "{\n// x\n}": "line 2",
		`{"hooks": {"Stop": [{"hooks": [{"type": "nonsense"}]}]}}`:                                  "hooks.Stop[0]",
		`{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x", "onFailure": "x"}]}]}}`: "onFailure",
		`{"disableAllHooks": 1}`: "not a boolean", `{"disableAllHooks": true}`: "", `{"disableAllHooks": false}`: "",
		`{"hooks": {"Stop": [5], "Stop": []}}`:                                                    "", // the last one counts
		`{"hooks": {"Stop": [{"hooks": 5}]}}`:                                                     "hooks is not an array",
		`{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x", "args": "a"}]}]}}`:    "args is not an array",
		`{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x", "timeout": "1"}]}]}}`: "timeout is not a number",
		`{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x", "timeout": 0}]}]}}`:   "timeout is not a number",
	} {
		if got := settings.Ignored([]byte(src)); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: ignored because %q, expected %q", src, got, want)
		}
	}
}

func TestEnabled(t *testing.T) {
	got, err := settings.Enabled([]byte(`{"enabledPlugins": {"a@m": false, "b@m": false, "a@m": true}}`))
	if want := map[string]bool{"a@m": true, "b@m": false}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := settings.Enabled([]byte(`{`)); err == nil {
		t.Error("half a file was read")
	}
}

func TestEnvironment(t *testing.T) {
	got, err := settings.Environment([]byte(`{"env": {"A": "1", "B": 2, "C": "x", "C": "y"}}`))
	if want := map[string]string{"A": "1", "C": "y"}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := settings.Environment([]byte(`{`)); err == nil {
		t.Error("half a file was read")
	}
}

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		matcher, tool string
		yes, certain  bool
	}{
		{"", "Bash", true, true}, {"*", "Bash", true, true}, {".*", "Bash", true, true},
		{"Bash|Read", "Read", true, true}, {"Read, Bash", "Bash", true, true},
		{"bash", "Bash", false, true}, {"Ba", "Bash", false, true}, {"as.", "Bash", true, true},
		{"Task", "Agent", true, true}, {"^Task$", "Agent", true, true}, {"T.sk", "Agent", true, true}, {"Task",
			"TaskStop", false, true},
		{"mcp__server", "mcp__server__x", false, true}, {"mcp__server__.*", "mcp__server__x", true, true},
		{"azAZ09", "azAZ09", true, true}, {"azAZ09", "xazAZ09", false, true}, {"Ba[s]h", "Bash", true, true},
		{"Bas{1}h", "Bash", true, true}, {"Bash?", "TheBas", true, true}, {"Edi.", "Bash", false, true},
		{`\cA`, "Bash", false, false}, {"((", "Bash", false, true}, {"^(?!Bash$).*", "Read", false, false},
	} {
		yes, certain := settings.Matches(c.matcher, c.tool)
		if yes != c.yes || certain != c.certain {
			t.Errorf("%q, %s: %v %v, expected %v %v", c.matcher, c.tool, yes, certain, c.yes, c.certain)
		}
	}
}
