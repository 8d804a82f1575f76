package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/fsm"
)

// TestManaged: what the settings of the machine's administrator say of hooks counts for those of all files.
func TestManaged(t *testing.T) {
	for _, c := range []struct {
		name   string
		file   string // of managed settings; HOOKS stands for ours, HELPER for a program
		helper string // its script
		local  string // the user's own
		check  string
		status Status
		want   string
	}{
		{"all off", `{"disableAllHooks": true}`, "", "", "in force", Problem, "the settings keep our hooks from running"},
		{"all off, said", `{"disableAllHooks": true}`, "", "", "settings", Problem, "the client runs no hook at all"},
		{"theirs only", `{"allowManagedHooksOnly": true}`, "", "", "in force", Problem, "the settings keep our hooks from"},
		{"theirs only, said", `{"allowManagedHooksOnly": true}`, "", "", "settings", Problem,
			"allowManagedHooksOnly is true: the client runs no hook of any other file"},
		{"theirs only, with ours", `{"allowManagedHooksOnly": true, HOOKS}`, "", "", "in force", OK, "(managed)"},
		{"ours, though the user switches hooks off", `{HOOKS}`, "", `{"disableAllHooks": true}`, "in force", OK, "(managed)"},
		{"theirs say that hooks run", `{"disableAllHooks": false}`, "", "", "in force", OK, "(project)"},
		{"no JSON", `{,}`, "", "", "settings", Problem, "the client may refuse to start"},
		{"helper", `{"policyHelper": {"path": "HELPER"}}`, `echo '{"managedSettings": {"allowManagedHooksOnly": true}}'`,
			"", "in force", Problem, "the settings keep our hooks from running"},
		{"helper that fails", `{"policyHelper": {"path": "HELPER"}}`, "exit 1", "", "settings", Problem,
			"its policyHelper failed (exit 1)"},
		{"helper that hangs", `{"policyHelper": {"path": "HELPER", "timeoutMs": 100}}`, "sleep 60", "", "settings", Problem,
			"its policyHelper did not answer within 100ms"},
		{"helper that is missing", `{"policyHelper": {"path": "/gone"}}`, "", "", "settings", Problem, "cannot be started"},
		{"environment", `{"env": {"PIPELINE_LEVEL": "off"}}`, "", "", "environment", Problem, "(managed) sets PIPELINE_LEVEL"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := healthy(t)
			w.Standing = []Standing{{Level: fsm.Strict, Why: "config"}}
			w.Managed = filepath.Join(w.Root, "..", "etc", "managed-settings.json")
			helper := filepath.Join(w.Root, "..", "helper")
			w.program(helper, "#!/bin/sh\n"+c.helper+"\n")
			ours := strings.Trim(strings.TrimSpace(read(w, w.settingsFile())), "{}")
			w.write(w.Managed, strings.NewReplacer("HOOKS", ours, "HELPER", helper).Replace(c.file))
			if c.local != "" {
				w.write(filepath.Join(w.Root, ".claude", "settings.local.json"), c.local)
			}
			w.want(c.check, c.status, c.want)
		})
	}
}

// TestManagedIsProven: the client is started in each way that keeps hooks from running, and what did not run is a
// problem.
func TestManagedIsProven(t *testing.T) {
	w := healthy(t)
	w.want("managed", OK, "a user of this machine can switch the pipeline off")
	w.Managed = filepath.Join(w.Root, "..", "etc", "managed-settings.json")
	ours := strings.Trim(strings.TrimSpace(read(w, w.settingsFile())), "{}")
	w.write(w.Managed, "{"+ours+"}")
	w.want("managed", Warning, "allowManagedHooksOnly is not set")
	w.write(w.Managed, `{"allowManagedHooksOnly": true, `+ours+"}")
	client := filepath.Join(filepath.Dir(w.binary), "claude")
	hook := `case "$*" in *--bare*|--version) ;; *) mkdir -p "` + w.Store.Dir + `/sessions/$3" ;; esac` + "\n"
	w.program(client, "#!/bin/sh\n[ $1 = --version ] && echo '2.1.330 (Claude Code)'\n"+hook)
	w.want("managed", Problem, "started with --bare runs no hook of ours")
	w.want("managed", OK,
		"as usual, with disableAllHooks in its settings, with --setting-sources user, with --safe-mode")
	w.program(client, "#!/bin/sh\n[ $1 = --version ] && exit\necho policyHelper failed >&2\nexit 1\n")
	w.want("managed", OK, "with --bare")
	w.program(client, "#!/bin/sh\necho broken\n")
	w.want("managed", Problem, "started as usual runs no hook of ours: broken")
	if err := os.Chmod(w.Managed, 0o666); err != nil {
		t.Fatal(err)
	}
	w.want("managed", Problem, "managed-settings.json can be changed by others than root")
}

// TestInForce: the first line says whether the next call is judged.
func TestInForce(t *testing.T) {
	for _, c := range []struct {
		name   string
		break_ func(w *ward)
		status Status
		want   string
	}{
		{"strict", func(*ward) {}, OK, "the next call is judged: level strict (config), registered in"},
		{"no config", func(w *ward) { w.Opened.None = true }, Problem, "passes unjudged: there is no config"},
		{"broken config", func(w *ward) { w.Opened.Policy, w.Standing = nil, nil }, Problem,
			"the config cannot be used"},
		{"earlier config", func(w *ward) { w.Opened.Stale = true }, OK, "the last config without problems is in force"},
		{"nothing registered", func(w *ward) { w.write(w.settingsFile(), "{}") }, Problem,
			"no hook of ours is registered"},
		{"not for tools", func(w *ward) { w.edit(`"PreToolUse"`, `"Notification"`) }, Problem,
			"no hook of ours is registered for PreToolUse"},
		{"not waited for", func(w *ward) {
			w.write(w.settingsFile(), strings.ReplaceAll(read(w, w.settingsFile()), `"type": "command",`,
				`"type": "command", "async": true,`))
		}, Problem, "no hook of ours is registered for PreToolUse"},
		{"no hooks at all", func(w *ward) { w.Shell = append(w.Shell, "CLAUDE_CODE_SIMPLE=1") }, Problem,
			"CLAUDE_CODE_SIMPLE"},
		{"off", func(w *ward) { w.Standing[0].Level = fsm.Off }, Problem, "passes unjudged: level off (config)"},
		{"observe", func(w *ward) { w.Standing[0].Level = fsm.Observe }, Problem, "is recorded and not refused"},
		{"guidance", func(w *ward) { w.Standing[0].Level = fsm.Guidance }, Warning, "only gets advice"},
		{"all lifted", func(w *ward) { w.Standing[0].Bypasses = []fsm.Bypass{{Why: "demo"}} }, Problem,
			"no objection stops it"},
		{"a rule lifted", func(w *ward) { w.Standing[0].Bypasses = []fsm.Bypass{{Rule: "r"}} }, Warning, "for rule r"},
		{"a session", func(w *ward) {
			w.Standing = append(w.Standing, Standing{Session: "s9", Level: fsm.Off, Why: "mode", Remedy: "x"})
		}, Problem, "the next call of session s9 passes unjudged: level off (mode)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := healthy(t)
			w.Standing = []Standing{{Level: fsm.Strict, Why: "config", Remedy: "set it"}}
			c.break_(w)
			w.want("in force", c.status, c.want)
		})
	}
}

// TestSubfolder: a client that is started below the root reads the settings of its own folder.
func TestSubfolder(t *testing.T) {
	w := healthy(t)
	w.Dir = filepath.Join(w.Root, "packages", "app")
	if err := os.MkdirAll(w.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	w.want("in force", Problem, "no hook of ours is registered where the client looks")
	w.want("registration", Problem, "only where it is started in "+w.Root)
	w.write(filepath.Join(w.Dir, ".claude", "settings.json"), read(w, w.settingsFile()))
	w.want("in force", OK, "packages/app/.claude/settings.json (project)")
	w.want("canary", OK, "refused a call")
}

// TestOthers: another hook that sees the same calls is named, whatever its type.
func TestOthers(t *testing.T) {
	w := healthy(t)
	script := filepath.Join(w.Root, "tools", "rewrite.py")
	w.write(script, "print('updatedInput')\n")
	for text, want := range map[string]string{
		`{"type": "command", "command": "python3 tools/rewrite.py"}`:                         "rewrites what tools are given (updatedInput)",
		`{"type": "command", "command": "python3 \"$CLAUDE_PROJECT_DIR\"/tools/rewrite.py"}`: "rewrites what tools are given (updatedInput)",
		`{"type": "command", "command": "/bin/true"}`:                                        "may rewrite what tools are given",
		`{"type": "http", "url": "http://localhost/x"}`:                                      "may rewrite what tools are given, which pipeline has judged as it was: http://localhost/x",
		`{"type": "prompt", "prompt": "be nice"}`:                                            "be nice",
	} {
		w.write(w.Client+"/settings.json", `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [`+text+`]}]}}`)
		w.want("others", Warning, want)
	}
	w.write(w.Client+"/settings.json",
		`{"hooks": {"PostToolUse": [{"hooks": [{"type": "command", "command": "true"}]}]}}`)
	w.want("others", OK, "no hook of another")
}

// TestHanging: a program that hangs is waited for once, and is one problem.
func TestHanging(t *testing.T) {
	w := healthy(t)
	other := filepath.Join(w.Root, "..", "other", "pipeline")
	w.Patience = 300 * time.Millisecond
	waits := filepath.Join(w.Root, "..", "waits")
	const hang = "{ echo >> \"${0%/*}/../waits\"; sleep 60; }\n"
	for name, script := range map[string]string{"always": hang,
		"as a hook": `[ "$1" = hook ] && ` + hang + `echo '{"version": "dev"}'`} {
		w.program(other, "#!/bin/sh\n"+script+"\n")
		w.write(w.settingsFile(), strings.ReplaceAll(read(w, w.settingsFile()), w.binary, other))
		found := Examine(w.Site)
		if n, waited := CountProblems(found), len(read(w, waits)); n != 1 || waited != 1 {
			t.Errorf("%s: %d problems, waited for %d times\n%s", name, n, waited, table(found))
		}
		_ = os.Remove(waits)
	}
}

// TestMissingTools: rules that name no tool of the client, in the order of the config's sections.
func TestMissingTools(t *testing.T) {
	rule := func(name string) fsm.Rules {
		return fsm.Rules{List: []fsm.Rule{{Name: name, Place: "pipeline.yaml:3", Tools: []string{"Gone"}}}}
	}
	x := &exam{Site: Site{Opened: config.Opened{Policy: &fsm.Policy{Main: rule("first"), Subagents: rule("second")}}}}
	for range 10 {
		x.findings = nil
		checkTools(x)
		found := x.findings
		if len(found) != 2 {
			t.Fatalf("%+v", found)
		}
		for i, want := range []string{"orchestrator: rule first", "subagents: rule second"} {
			if f := found[i]; f.Status != Problem || !strings.HasPrefix(f.What, want) {
				t.Errorf("%+v, expected %s", f, want)
			}
		}
	}
}
