package claude_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/claude"
	"github.com/agent-pipeline/pipeline/hooks/settings"
)

// change is a ConfigChange of a file.
func change(t testing.TB, file, source string) string {
	t.Helper()
	name, err := json.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	return payload("ConfigChange", `"source":"`+source+`","file_path":`+string(name))
}

// TestTampered: whether our hooks would still run by a changed file.
func TestTampered(t *testing.T) {
	ours := claude.Host{}.Entries("/opt/bin/pipeline", true)
	installed, _, err := settings.Format{}.Edit(nil, ours)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		old, new string // an edit of the installed file
		want     string // the beginning of the reason
	}{
		"as installed":      {"", "", ""},
		"another key":       {"{", `{"model":"opus",`, ""},
		"hooks off":         {"{", `{"disableAllHooks":true,`, "disableAllHooks is true"},
		"an event is gone":  {`"PreToolUse"`, `"PreToolUze"`, "the entry for PreToolUse is gone"},
		"another program":   {"/opt/bin/pipeline", "/bin/true", "the entry for SessionStart is gone"},
		"other arguments":   {`"pre-tool-use"`, `"stop"`, "the entry for PreToolUse has other arguments"},
		"broken":            {"{", "", "the client ignores the file"},
		"a comment":         {"{", "{ // mine\n", "the client ignores the file"},
		"nothing is there":  {string(installed), "", "the entry for SessionStart is gone"},
		"an object is left": {string(installed), "{}", "the entry for SessionStart is gone"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "settings.json")
			write(t, file, strings.Replace(string(installed), test.old, test.new, len(ours)))
			h := claude.Host{Surroundings: hooks.Surroundings{Wants: func(name string) []settings.Entry {
				if name != file {
					t.Errorf("asked for %s", name)
				}
				return ours
			}}}
			got := call(t, h, change(t, file, "project_settings")).Tampered()
			if !strings.HasPrefix(got, test.want) || (got == "") != (test.want == "") {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if got := call(t, h, change(t, file, "skills")).Tampered(); got != "" {
				t.Errorf("a skill's change: %q", got)
			}
		})
	}
}

// TestTamperedFile: a file that is not there, or that cannot be read, has no hooks of ours; that matters where they
// are wanted, and nowhere else.
func TestTamperedFile(t *testing.T) {
	dir := t.TempDir()
	for name, file := range map[string]string{"gone": filepath.Join(dir, "settings.json"), "a folder": dir,
		"below a file": "/dev/null/settings.json"} {
		wanted := claude.Host{Surroundings: hooks.Surroundings{Wants: func(string) []settings.Entry {
			return claude.Host{}.Entries("/opt/bin/pipeline", false)
		}}}
		if got := call(t, wanted, change(t, file,
			"local_settings")).Tampered(); got != "the entry for SessionStart is gone" {
			t.Errorf("%s: got %q", name, got)
		}
		unwanted := claude.Host{Surroundings: hooks.Surroundings{Wants: func(string) []settings.Entry { return nil }}}
		for _, h := range []claude.Host{unwanted, {}} {
			if got := call(t, h, change(t, file, "local_settings")).Tampered(); got != "" {
				t.Errorf("%s, where we are not registered: got %q", name, got)
			}
		}
	}
	off := filepath.Join(dir, "off.json")
	if err := os.WriteFile(off, []byte(`{"disableAllHooks": true}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := call(t, claude.Host{}, change(t, off, "local_settings")).Tampered(); got != "disableAllHooks is true" {
		t.Errorf("off for all files: got %q", got)
	}
	if got := call(t, claude.Host{}, payload("ConfigChange", `"source":"policy_settings"`)).Tampered(); got != "" {
		t.Errorf("no file: got %q", got)
	}
}

// TestEntries: what is registered is what we understand, each under its own name.
func TestEntries(t *testing.T) {
	for _, closed := range []bool{false, true} {
		seen := map[string]bool{}
		for _, e := range (claude.Host{}).Entries("/opt/bin/pipeline", closed) {
			if _, ok := call(t, host(nil), payload(e.Event, "")).Event(now); !ok || seen[e.Event] {
				t.Errorf("%s: understood %v, registered twice %v", e.Event, ok, seen[e.Event])
			}
			seen[e.Event] = true
			want := []string{"hook", "--host", "claude", kebab(e.Event)}
			if e.Command != "/opt/bin/pipeline" || strings.Join(e.Args, " ") != strings.Join(want, " ") {
				t.Errorf("%s: %s %q", e.Event, e.Command, e.Args)
			}
			if e.OnFailureBlock != (closed && e.Event == "PreToolUse") {
				t.Errorf("%s: blocks on failure: %v", e.Event, e.OnFailureBlock)
			}
			// gates and checks may be run
			seconds := map[string]int{"Stop": 600, "SubagentStop": 600, "PostToolUse": 120}[e.Event]
			if e.Matcher != "" || e.Timeout != max(10, seconds) {
				t.Errorf("%s: for %q, %d seconds", e.Event, e.Matcher, e.Timeout)
			}
		}
	}
}

func kebab(event string) string {
	var out strings.Builder
	for i, r := range event {
		if i > 0 && r >= 'A' && r <= 'Z' {
			out.WriteByte('-')
		}
		out.WriteString(strings.ToLower(string(r)))
	}
	return out.String()
}

// TestTamperedEnvironment: a changed file must not hand our hooks variables by which we would go by other rules.
func TestTamperedEnvironment(t *testing.T) {
	ours := claude.Host{}.Entries("/opt/bin/pipeline", false)
	installed, _, err := settings.Format{}.Edit(nil, ours)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		env, value string // what the file says
		has        string // what this call has already
		want       bool
	}{
		"the level":                 {"PIPELINE_LEVEL", "off", "", true},
		"as the client was started": {"PIPELINE_LEVEL", "off", "off", false},
		"another value":             {"PIPELINE_LEVEL", "off", "guidance", true},
		"a bypass of the config's":  {"MY_BYPASS", "true", "", true},
		"where we keep our state":   {"XDG_STATE_HOME", "/tmp", "/home/u/.state", true},
		"none of our business":      {"EDITOR", "vi", "", false},
	} {
		file := filepath.Join(t.TempDir(), "settings.json")
		write(t, file, strings.Replace(string(installed), "{", `{"env":{"`+test.env+`":"`+test.value+`"},`, 1))
		h := claude.Host{Surroundings: hooks.Surroundings{Wants: func(string) []settings.Entry { return ours },
			BypassEnvs: []string{"MY_BYPASS"},
			Environment: func(key string) string {
				if key == test.env {
					return test.has
				}
				return ""
			}}}
		got := call(t, h, change(t, file, "project_settings")).Tampered()
		if (got != "") != test.want || test.want && !strings.Contains(got, test.env) {
			t.Errorf("%s: %q", name, got)
		}
	}
}
