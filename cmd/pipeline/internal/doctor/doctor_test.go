package doctor

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/hooks/claude"
	"github.com/agent-pipeline/pipeline/hooks/settings"
)

func TestHealthy(t *testing.T) {
	w := healthy(t)
	found := w.want("canary", OK, "refused a call")
	for _, f := range found {
		if f.Status != OK && f.Check != "kernel" { // no launcher is registered here
			t.Errorf("%s: %s", f.Check, f.What)
		}
	}
	for _, c := range listChecks() {
		if !slices.ContainsFunc(found, func(f Finding) bool { return f.Check == c.name }) {
			t.Errorf("%s says nothing", c.name)
		}
	}
	if CountProblems(found) != 0 {
		t.Error("problems are counted where there are none")
	}
}

// TestRegistration: everything that install would have written otherwise.
func TestRegistration(t *testing.T) {
	for _, c := range []struct {
		name   string
		break_ func(w *ward)
		check  string
		status Status
		want   string
	}{
		{"event missing", func(w *ward) { w.edit(`"SubagentStop"`, `"SubagentStopped"`) }, "registration", Problem,
			"not registered for SubagentStop"},
		{"event that is not needed", func(w *ward) { w.edit(`"SubagentStop"`, `"Notification"`) }, "registration",
			Warning, "registered for Notification, which we do not need"},
		{"not waited for", func(w *ward) { w.edit(`"type": "command"`, `"type": "command", "async": true`) },
			"registration", Problem, `has "async" set`},
		{"too little time", func(w *ward) { w.edit(`"timeout": 60`, `"timeout": 5`) }, "registration", Warning,
			"has 50 s to answer, expected 600"},
		{"fails closed against the config", func(w *ward) { w.install(claude.Host{}.Entries(w.binary, true)) },
			"registration", Warning, "the config says on_error: allow"},
		{"fails open against the config", func(w *ward) {
			w.Opened.Policy.FailClosed = true
		}, "registration", Problem, "lacks onFailure: block"},
		{"other arguments", func(w *ward) { w.edit(`"stop"`, `"pre-tool-use"`) }, "registration", Problem,
			"has the arguments"},
		{"twice in a file", func(w *ward) {
			w.edit(`"Stop": [`, `"Stop": [ {"hooks": [{"type": "command", "command": "`+w.binary+`", "args": ["hook", "--host", "claude", "stop"]}]},`)
		}, "registration", Problem, "registered 2 times for Stop"},
		{"the same in two files", func(w *ward) {
			w.write(w.Client+"/settings.json", read(w, w.settingsFile()))
		}, "registration", Problem, "they are the same, so the client runs one of them"},
		{"only for some agents", func(w *ward) {
			w.edit(`"SubagentStop": [
      {`, `"SubagentStop": [ {"matcher": "worker",`)
		}, "matchers", Problem, "keeps it from some of them"},
		{"JavaScript", func(w *ward) {
			w.edit(`"PreToolUse": [
      {`, `"PreToolUse": [ {"matcher": "^(?!Bash).*",`)
		}, "matchers", Problem, "cannot be judged"},
		{"matcher where none counts", func(w *ward) {
			w.edit(`"Stop": [
      {`, `"Stop": [ {"matcher": "x",`)
		}, "matchers", OK, "every tool"},
		{"taken out", func(w *ward) {
			w.write(w.settingsFile(), "{}")
			w.Wants = func(string) []settings.Entry { return claude.Host{}.Entries(w.binary, false) }
		}, "registration", Problem, "removed them"},
		{"another's broken file", func(w *ward) { w.write(w.Client+"/settings.json", "{,}") }, "settings", Warning,
			"the client ignores the whole file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := healthy(t)
			c.break_(w)
			w.want(c.check, c.status, c.want)
		})
	}
}

func read(w *ward, file string) string {
	w.t.Helper()
	body, err := os.ReadFile(file)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(body)
}

func TestPlugin(t *testing.T) {
	w := healthy(t)
	w.write(w.Client+"/plugins/installed_plugins.json",
		`{"plugins": {"pipeline@m": [{"installPath": "`+w.Root+`/plug"}]}}`)
	w.program(w.Root+"/plug/bin/pipeline", answers)
	w.write(w.Root+"/plug/hooks/hooks.json", strings.ReplaceAll(read(w, w.settingsFile()), w.binary,
		"${CLAUDE_PLUGIN_ROOT}/bin/pipeline"))
	w.write(w.settingsFile(), "{}")
	w.want("registration", Problem, "no hook of ours")
	w.write(w.Client+"/settings.json", `{"enabledPlugins": {"pipeline@m": true}}`)
	w.want("registration", OK, "plugin pipeline@m: 12 events")
	w.want("canary", OK, "refused a call")
	if err := os.Rename(w.Root+"/plug/hooks", w.Root+"/plug/elsewhere"); err != nil {
		t.Fatal(err)
	}
	w.want("registration", Problem, "no hook of ours")
	w.write(w.Root+"/plug/.claude-plugin/plugin.json", `{"hooks": "./elsewhere/hooks.json"}`)
	w.want("registration", OK, "plugin pipeline@m: 12 events")
	w.write(w.settingsFile(), `{"enabledPlugins": {"pipeline@m": false}}`)
	w.want("registration", Problem, "no hook of ours")
}

// TestAbsent: a team's settings do nothing where PATH has no pipeline. What else enforces is not to be
// removed for them.
func TestAbsent(t *testing.T) {
	w := healthy(t)
	w.write(w.Root+"/.claude/settings.local.json", read(w, w.settingsFile())) // by its path
	w.install(claude.Host{}.Entries(settings.Bare, false))
	w.want("registration", Problem, "registered 2 times")
	w.Environ = []string{w.Environ[0], "PATH=/usr/bin:/bin"}
	w.Shell = w.Environ
	w.want("registration", Warning, "(project): its hooks do nothing, since pipeline is not on PATH; "+w.Root)
	w.want("in force", OK, "the next call is judged")
	w.want("command", OK, w.binary+" is this binary")
	w.want("canary", OK, "refused a call")
	for _, f := range Examine(w.Site) {
		if f.Status == Problem || strings.Contains(f.Remedy, "uninstall") {
			t.Errorf("%s: %s (%s)", f.Check, f.What, f.Remedy)
		}
	}
	if err := os.Remove(w.Root + "/.claude/settings.local.json"); err != nil {
		t.Fatal(err)
	}
	w.want("command", Problem, "pipeline is not on PATH: the tool runs unjudged")
}
