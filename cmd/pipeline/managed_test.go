//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/cmd/pipeline/internal/e2e"
)

// An organisation manages a machine: its /etc and its programs are root's, in a mount
// namespace of each process. Who works there is somebody else.
type organisation struct {
	*enforced
	etc, bin, settings string
}

func manage(t testing.TB) *organisation {
	t.Helper()
	if os.Getuid() != 0 {
		t.Fatal("managed settings are tried in a mount namespace, which needs root: run these tests with sudo -E")
	}
	p := e2e.NewProject(t)
	root := filepath.Dir(p.Dir)
	o := &organisation{enforced: &enforced{p, e2e.NewModel(t), t}, etc: root + "/etc", bin: root + "/bin"}
	o.settings = o.etc + "/claude-code/managed-settings.json"
	o.must("cp", "-a", "/etc", o.etc)
	o.must("mkdir", "-p", o.bin, o.etc+"/claude-code", o.etc+"/pipeline")
	o.must("touch", o.bin+"/claude")
	o.must("cp", binary(), o.bin+"/pipeline")
	o.must("chmod", "755", filepath.Dir(root), root, o.bin+"/pipeline", o.bin)
	o.Git()
	o.Within = func(command []string) []string {
		o.give()
		return o.inside(nobody, command[0], append([]string{"/usr/local/bin/claude"}, command[1:]...)...)
	}
	return o
}

func (o *organisation) must(argv ...string) {
	o.t.Helper()
	if out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput(); err != nil {
		o.t.Fatalf("%q: %v %s", argv, err, out)
	}
}

// give gives the project to who works there.
func (o *organisation) give() {
	o.t.Helper()
	o.must("chown", "-R", fmt.Sprint(nobody, ":", nobody), o.Dir, o.Home, filepath.Dir(o.Dir)+"/tmp")
}

// inside is the command line that runs a command on the organisation's machine, as a user.
func (o *organisation) inside(user int, client string, command ...string) []string {
	const script = `mount --bind "$1" /etc && mount --bind "$2" /usr/local/bin &&
		if [ -n "$3" ]; then mount --bind "$(readlink -f "$3")" /usr/local/bin/claude; fi && shift 3 && exec "$@"`
	id := fmt.Sprint(user)
	return append([]string{"unshare", "--mount", "--propagation", "private", "--pid", "--fork",
		"--kill-child", "--mount-proc", "sh", "-c", script, "sh", o.etc, o.bin, client,
		"setpriv", "--reuid", id, "--regid", id, "--clear-groups"}, command...)
}

// run runs pipeline there.
func (o *organisation) run(user int, args ...string) (string, int) {
	o.t.Helper()
	return o.runWith(user, "", nil, args...)
}

func (o *organisation) runWith(user int, client string, env []string, args ...string) (string, int) {
	o.t.Helper()
	o.give()
	argv := o.inside(user, client, append([]string{"/usr/local/bin/pipeline"}, args...)...)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = o.Dir, append(o.env(), env...)
	out, _ := cmd.CombinedOutput() // the exit code says it
	return string(out), cmd.ProcessState.ExitCode()
}

func (o *organisation) wantRun(user, code int, text string, args ...string) {
	o.t.Helper()
	if out, got := o.run(user, args...); got != code || !strings.Contains(out, text) {
		o.t.Errorf("%q: exit %d, expected %d and %q:\n%s", args, got, code, text, out)
	}
}

// policy names an agent that no state admits, and a tool that no agent may use.
const policy = `version: 1
locked: [level, states, orchestrator, subagents]
level: strict
initial: A
states: {A: {agents: [worker], on_stop: A}}
orchestrator: {rules: [{name: no-leaf, deny: [Agent], starts: [leaf], reason: no}, {name: no-web, deny: [WebFetch], reason: no}]}
subagents: {rules: [{name: no-web, deny: [WebFetch], reason: no}]}
`

// TestManagedInstall: all of it or nothing, by root alone, and back byte for byte.
func TestManagedInstall(t *testing.T) {
	o := manage(t)
	write := func(file, text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	listing := func() string {
		var out bytes.Buffer
		_ = filepath.WalkDir(o.etc+"/claude-code", func(path string, _ os.DirEntry, _ error) error {
			body, _ := os.ReadFile(path)
			fmt.Fprintf(&out, "%s %s\n", path, body)
			return nil
		})
		return out.String()
	}
	o.must("rmdir", o.etc+"/claude-code")
	write(o.etc+"/pipeline/pipeline.yaml", "version: 1\nlevle: strict\n")
	o.wantRun(0, 3, "the organisation's policy", "install", "--scope", "managed")
	if _, err := os.Stat(o.etc + "/claude-code"); err == nil {
		t.Error("a folder is left of an installation that was refused")
	}
	o.must("mkdir", o.etc+"/claude-code")
	const before = "{\n\t\"env\": {\"A\": \"b\"},\n\t\"permissions\": {\"deny\": [\"Read(.env)\"]}\n}\n"
	write(o.settings, before)
	write(o.etc+"/pipeline/pipeline.yaml", policy)
	was := listing()
	o.wantRun(nobody, 3, "nothing was written", "install", "--scope", "managed")
	o.wantRun(0, 2, "--helper is for --scope managed", "install", "--scope", "user", "--helper")
	o.wantRun(0, 2, "no status line of ours", "install", "--scope", "managed", "--statusline")
	o.must("chmod", "777", o.bin)
	o.wantRun(0, 3, "can be changed by others than root", "install", "--scope", "managed")
	o.must("chmod", "755", o.bin)
	o.must("chmod", "666", o.etc+"/pipeline/pipeline.yaml")
	o.wantRun(0, 3, "/etc/pipeline/pipeline.yaml can be changed by others than root", "install", "--scope", "managed")
	o.must("chmod", "600", o.etc+"/pipeline/pipeline.yaml")
	o.wantRun(0, 3, "/etc/pipeline/pipeline.yaml cannot be read by everybody", "install", "--scope", "managed")
	o.must("chmod", "644", o.etc+"/pipeline/pipeline.yaml")
	o.must("chmod", "700", o.etc+"/pipeline")
	o.wantRun(0, 3, "/etc/pipeline cannot be read by everybody", "install", "--scope", "managed")
	o.must("chmod", "755", o.etc+"/pipeline")
	write(o.etc+"/pipeline/pipeline.yaml", "version: 1\nlevle: strict\n")
	o.wantRun(0, 3, "the organisation's policy", "install", "--scope", "managed", "--helper")
	if now := listing(); now != was {
		t.Errorf("something was written:\n%s", now)
	}
	write(o.etc+"/pipeline/pipeline.yaml", policy)
	o.refusesDropIns(write)
	o.must("mv", o.settings, o.settings+".real")
	o.must("cp", "-p", o.settings+".real", o.Dir+"/theirs.json")
	o.must("ln", "-s", o.Dir+"/theirs.json", o.settings)
	o.wantRun(0, 3, "can be changed by others than root", "install", "--scope", "managed")
	o.must("rm", o.settings)
	o.must("mkdir", o.settings) // which cannot be edited
	o.wantRun(0, 3, "managed-settings.json", "install", "--scope", "managed", "--helper")
	if _, err := os.Stat(o.etc + "/claude-code/pipeline-policy-helper"); err == nil {
		t.Error("the helper was left behind by an installation that failed")
	}
	o.must("rmdir", o.settings)
	o.must("mv", o.settings+".real", o.settings)
	write(o.settings, "{ // why\n}\n")
	o.wantRun(0, 3, "nothing was written", "install", "--scope", "managed")
	write(o.settings, before)
	if now := listing(); now != was {
		t.Errorf("something was written:\n%s", now)
	}
	if out, code := o.run(0, "install", "--scope", "managed"); code != 0 || strings.Contains(out, open) ||
		!strings.Contains(out, "2 rules for permissions.deny") {
		t.Errorf("exit %d: %s", code, out)
	}
	o.wantRun(0, 0, "already registered", "install", "--scope", "managed")
	o.wantRun(nobody, 3, "nothing was written", "uninstall", "--scope", "managed")
	static, err := os.ReadFile(o.settings)
	text := strings.Join(strings.Fields(string(static)), "")
	for _, want := range []string{`"deny":["Read(.env)","Agent(leaf)","WebFetch"]`, `"allowManagedHooksOnly":true`,
		`"onFailure":"block"`} {
		if err != nil || !strings.Contains(text, want) {
			t.Errorf("%v: no %s in %s", err, want, static)
		}
	}
	o.wantRun(0, 0, "pipeline-policy-helper for the settings", "install", "--scope", "managed", "--helper")
	o.wantHelper(nil, 0, `"Agent(leaf)"`)
	write(o.etc+"/pipeline/pipeline.yaml", strings.ReplaceAll(policy, "leaf", "leaf-2"))
	o.wantHelper(nil, 0, `"Agent(leaf-2)"`)
	write(o.etc+"/pipeline/pipeline.yaml", "version: 1\nlevle: strict\n")
	o.wantHelper(nil, 1, "levle")
	write(o.etc+"/pipeline/pipeline.yaml", policy)
	o.wantHelper([]string{"CLAUDE_CODE_SIMPLE=1", "CLAUDE_CODE_VERSION=2.1.197"}, 1,
		"2.1.197 runs no hooks, not even managed ones")
	o.wantHelper([]string{"CLAUDE_CODE_SIMPLE=1", "CLAUDE_CODE_VERSION=2.1.330"}, 0, `"Agent(leaf)"`)
	o.wantHelper([]string{"CLAUDE_CODE_SIMPLE=1"}, 1, "runs no hooks, not even managed ones")
	installed, err := os.ReadFile(o.settings)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{"{": "managed-settings.json: ",
		`{"disableAllHooks": true}`: "disableAllHooks is true",
		`{"hooks": {"Stop": 5}}`:    "managed-settings.json: "} {
		write(o.settings, text)
		o.wantHelper(nil, 1, want)
	}
	write(o.settings, string(installed))
	o.must("chmod", "600", o.settings)
	o.wantHelper(nil, 1, "read the managed settings")
	o.must("chmod", "644", o.settings)
	o.wantRun(0, 0, "removed", "uninstall", "--scope", "managed")
	if now, err := os.ReadFile(o.settings); err != nil || string(now) != before {
		t.Errorf("not restored: %v %s", err, now)
	}
	if _, err := os.Stat(o.etc + "/claude-code/pipeline-policy-helper"); err == nil {
		t.Error("the helper stays")
	}
}

// open is what is said where nothing of the organisation's keeps a project from switching everything off.
const open = "each project can write `level: off`: /etc/pipeline/pipeline.yaml locks neither the level nor rules"

// TestManagedWithoutCeiling: hooks that nobody removes enforce nothing that a project may switch off. That is said.
func TestManagedWithoutCeiling(t *testing.T) {
	o := manage(t)
	policies := []string{"", "version: 1\nlevel: strict\n", "version: 1\nlocked: [limits]\nlimits: {running: 3}\n",
		"version: 1\nlocked: [level]\nlevel: strict\n",
		"version: 1\nlocked: [orchestrator]\norchestrator: {rules: [{name: no-web, deny: [WebFetch], reason: no}]}\n"}
	for i, text := range policies {
		file, isOpen := o.etc+"/pipeline/pipeline.yaml", i < 3
		_ = os.Remove(file) // the first has none
		if text != "" {
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		out, code := o.run(0, "install", "--scope", "managed")
		if code != 0 || strings.Contains(out, open) != isOpen ||
			strings.Contains(out, "hint: write `level: strict` and") != isOpen {
			t.Errorf("%q: exit %d, expected it said %v:\n%s", text, code, isOpen, out)
		}
		out, _ = o.run(nobody, "doctor")
		if strings.Contains(out, "the hooks are managed, but "+open) != isOpen {
			t.Errorf("%q: expected that doctor says it %v:\n%s", text, isOpen, out)
		}
	}
}

// TestDoctorManagedFiles: what decides on what is enforced is out of reach of who works there, the policy too.
func TestDoctorManagedFiles(t *testing.T) {
	o := manage(t)
	for _, file := range []string{o.etc + "/pipeline/pipeline.yaml", o.settings} {
		if err := os.WriteFile(file, []byte(map[bool]string{true: "{}", false: policy}[file == o.settings]),
			0o644); err != nil {
			t.Fatal(err)
		}
	}
	o.wantRun(0, 0, "registered for everybody", "install", "--scope", "managed")
	const report = "can be changed by others than root, and decides what is enforced"
	if out, _ := o.run(nobody, "doctor"); strings.Contains(out, report) {
		t.Errorf("nothing can be changed:\n%s", out)
	}
	for _, file := range []string{"/pipeline/pipeline.yaml", "/pipeline", "/claude-code/managed-settings.json"} {
		o.must("chmod", "o+w", o.etc+file)
		o.wantRun(nobody, 1, "/etc"+file+" "+report, "doctor")
		o.must("chmod", "o-w", o.etc+file)
	}
}

// refusesDropIns: a file beside the settings whose word counts more may not keep the hooks from running.
func (o *organisation) refusesDropIns(write func(file, text string)) {
	o.t.Helper()
	dir := strings.TrimSuffix(o.settings, ".json") + ".d"
	o.must("mkdir", dir)
	for text, want := range map[string]string{`{"disableAllHooks": true}`: "disableAllHooks is true",
		`{"allowManagedHooksOnly": false}`: "allowManagedHooksOnly is false", `{"policyHelper": {}}`: "policyHelper", "{": "10-x.json: "} {
		write(dir+"/10-x.json", text)
		o.wantRun(0, 3, want, "install", "--scope", "managed")
		o.wantRun(nobody, 1, want, "policy-helper")
	}
	o.must("rm", "-r", dir)
}

// wantHelper runs what the client would run, as the client's user and where the client does.
func (o *organisation) wantHelper(env []string, code int, text string) {
	o.t.Helper()
	argv := o.inside(nobody, "", "/etc/claude-code/pipeline-policy-helper")
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = "/", append(o.env(), env...)
	out, err := cmd.Output()
	var doc struct{ ManagedSettings json.RawMessage }
	if exit, ok := err.(*exec.ExitError); ok {
		out = exit.Stderr
	} else if err := json.Unmarshal(out, &doc); err != nil ||
		bytes.Contains(doc.ManagedSettings, []byte("policyHelper")) {
		o.t.Errorf("%v: the client could not use %s", err, out)
	}
	if got := cmd.ProcessState.ExitCode(); got != code || !strings.Contains(string(out), text) {
		o.t.Errorf("helper with %q: exit %d, expected %d and %q:\n%s", env, got, code, text, out)
	}
}
