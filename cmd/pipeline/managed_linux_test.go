package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// asOrganisation runs a script in a mount namespace of its own, in which /etc/pipeline has a config.
func asOrganisation(t *testing.T, config, script string) string {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "org.yaml")
	if err := os.WriteFile(file, []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("unshare", "-m", "sh", "-ec",
		"mkdir "+dir+"/etc && cp -a /etc/. "+dir+"/etc/ && mkdir -p "+dir+"/etc/pipeline && "+
			"cp "+file+" "+dir+"/etc/pipeline/pipeline.yaml && mount --bind "+dir+"/etc /etc\n"+script)
	cmd.Dir = filepath.Join(dir, "project")
	if err := os.MkdirAll(filepath.Join(cmd.Dir, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd.Env = []string{"HOME=" + filepath.Join(dir, "home"), "PATH=" + filepath.Dir(binary()) + ":/usr/bin:/bin"}
	out, err := cmd.CombinedOutput()
	if err != nil && strings.Contains(string(out), "Operation not permitted") && os.Getenv("CI") == "" {
		t.Skip("needs root for a mount namespace")
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// TestOrganisation: what /etc/pipeline/pipeline.yaml locks holds against a project's config, a person's mode and
// bypass, and the environment.
func TestOrganisation(t *testing.T) {
	const org = "version: 1\nlocked: [level, orchestrator, bypass, states]\nlevel: strict\n" +
		"initial: A\nstates: {A: {agents: [a], on_complete: B}, B: {agents: [b], on_complete: A}}\n" +
		"orchestrator: {rules: [{name: no-push, deny: [Bash], commands: [git push], reason: Releases push.}]}\n" +
		"bypass: {env: {}, longest: 1h, allow: [\"INC-*\"]}\n"
	const hook = `hook() { echo '{"session_id":"s'${2:-1}'","cwd":"'$PWD'","hook_event_name":"PreToolUse","tool_name":"Bash","tool_use_id":"'$1'","tool_input":{"command":"git push"}}' | ` +
		`pipeline hook --host claude pre-tool-use; }` + "\n"
	out := asOrganisation(t, org, hook+`
hook a
printf 'version: 1\nlevel: observe\norchestrator: {rules: [{name: all, allow: ["*"]}]}\n' > pipeline.yaml
echo --project; hook b
echo --environment; PIPELINE_LEVEL=off PIPELINE_BYPASS=1 PIPELINE_CONFIG=$PWD/pipeline.yaml hook c
echo --mode; pipeline mode off why || echo "exit $?"
echo --once; pipeline once why || echo "exit $?"
echo --reset; pipeline reset --to B 'I want to' || echo "exit $?"; pipeline reset 'from the start'; pipeline reset --to B 'INC-42 it was A'
pipeline log --all --json | grep -o 'allowed by INC-\*' | head -1
echo --bypass; pipeline bypass on --for 10m 'I want to'; hook d
echo --permitted; pipeline bypass off; pipeline bypass on --for 10m 'INC-42 the site is down'; hook e
echo --longer; o=$(ls "$HOME"/.local/state/pipeline/*/orders.json); cp $o kept; sed -i 's/"until": "20../"until": "2199/' $o; grep -c '"until": "2199' $o; hook k; cp kept $o; hook l
echo --forged; o=$(ls "$HOME"/.local/state/pipeline/*/orders.json); sed -i 's/INC-42 //' $o; grep -c '"allowed": "INC-' $o; hook g
echo --nowhere; (mkdir gone; cd gone; rmdir ../gone; hook h 2); CLAUDE_PROJECT_DIR=/nonexistent hook i 3
echo --broken; pipeline bypass off; echo 'level: [' >> pipeline.yaml; hook f
echo --before; mv /etc/pipeline/pipeline.yaml /etc/away; printf 'version: 1\nlevel: strict\n' > pipeline.yaml
pipeline mode off 'before it came' >mode.txt; pipeline bypass on --for 10m 'before it came' >bypass.txt; mv /etc/away /etc/pipeline/pipeline.yaml
hook j 4; pipeline mode; echo '{"session_id":"s5","cwd":"'$PWD'","hook_event_name":"SessionStart","source":"startup"}' | pipeline hook --host claude
pipeline mode --clear >mode.txt; pipeline bypass off >bypass.txt
echo --log; pipeline log --all --json | grep -o '"rule":"[a-z/-]*"' | sort | uniq -c
echo --check; printf 'version: 1\nlevel: observe\nbypass: {longest: none}\n' > pipeline.yaml; pipeline check --fast; pipeline config
`)
	parts := map[string]string{}
	for part := range strings.SplitSeq("first\n"+out, "\n--") {
		name, text, _ := strings.Cut(part, "\n")
		parts[name] = text
	}
	for name, want := range map[string][]string{
		"first":       {"rule locked/no-push", "Releases push.", "; locked by /etc/pipeline/pipeline.yaml"},
		"project":     {"rule locked/no-push"},
		"environment": {"rule locked/no-push"},
		"mode":        {"/etc/pipeline/pipeline.yaml locks the level: it is strict at least", "exit 2"},
		"once":        {"/etc/pipeline/pipeline.yaml locks the level: it is strict at least", "exit 2"},
		"reset": {"locks the states: a session may be put back to A, not to B", "exit 2", "A → B",
			"allowed by INC-*"},
		"longer":  {"1\n", "rule locked/no-push"},
		"forged":  {"1\n", "rule locked/no-push"},
		"nowhere": {"rule locked/no-push", "}}\n{"},
		"bypass": {"still in force: what /etc/pipeline/pipeline.yaml locks (level, orchestrator, bypass, states)",
			"rule locked/no-push"},
		"permitted": {"allowed by INC-*"},
		"broken":    {"rule locked/no-push"},
		"before": {"rule locked/no-push",
			"level   strict\nfrom    locked by /etc/pipeline/pipeline.yaml, above off from mode, by ",
			"the level is strict, locked by /etc/pipeline/pipeline.yaml, above off by mode by ",
			"still in force: what /etc/pipeline/pipeline.yaml locks"},
		"log": {`"rule":"locked/no-push"`},
		"check": {"pipeline.yaml:2:1: `level` is locked by /etc/pipeline/pipeline.yaml",
			"pipeline.yaml:3:1: `bypass` is locked by /etc/pipeline/pipeline.yaml", "no problems", "level: strict",
			"locked by /etc/pipeline/pipeline.yaml"},
	} {
		for _, w := range want {
			if !strings.Contains(parts[name], w) {
				t.Errorf("%s: no %q in\n%s", name, w, parts[name])
			}
		}
	}
	if strings.Count(parts["longer"], `"deny"`) != 1 {
		t.Errorf("a bypass that ends later than any may, and the one before it: %s", parts["longer"])
	}
	if strings.Contains(parts["log"], `"rule":"no-push"`) {
		t.Errorf("a locked rule was judged twice: %s", parts["log"])
	}
	if strings.Contains(parts["permitted"], `"deny"`) || strings.Contains(parts["permitted"], "still in force") {
		t.Errorf("a bypass that the organisation allows: %s", parts["permitted"])
	}
}

// TestOrganisationUnderAnyConfig: whatever lies where a project's config is looked for, or where its state should be,
// the organisation's policy judges.
func TestOrganisationUnderAnyConfig(t *testing.T) {
	const org = "version: 1\nlocked: [level, limits, orchestrator]\nlevel: strict\nlimits: {running: 2}\n" +
		"orchestrator: {rules: [{name: no-push, deny: [Bash], commands: [git push], reason: Releases push.}]}\n"
	out := asOrganisation(t, org, `
n=0
hook() { n=$((n+1)); echo "--$1"; echo '{"session_id":"s'$n'","cwd":"'$PWD'","hook_event_name":"PreToolUse","tool_name":"Bash","tool_use_id":"u","tool_input":{"command":"git push"}}' | pipeline hook --host claude 2>&1; rm -rf pipeline.*; }
say() { printf 'version: 1\n'"$2" >pipeline.yaml; hook "$1"; }
mkfifo pipeline.yaml; hook fifo
mkdir pipeline.yaml; hook folder
ln -s /dev/zero pipeline.yaml; hook zero
ln -s pipeline.yaml pipeline.yaml; hook loop
head -c 8000000 /dev/zero | tr '\0' '#' >pipeline.yaml; hook huge
{ printf 'version: 1\ngroups: '; head -c 200000 /dev/zero | tr '\0' '['; } >pipeline.yaml; hook nested
say null 'level: null\nlimits: null\norchestrator: null\n'
say merged '<<: {level: off}\nlimits: {<<: {running: 99}}\n'
say twice 'level: strict\nlevel: off\n'
say document 'level: strict\n---\nlevel: off\n'
say dotted '"limits.running": 99\n"level.x": off\n'
say unlocked 'locked: []\nlevel: off\n'
printf 'version = 1\nlevel = "off"\nlimits = {running = 99}\n[[orchestrator.rules]]\nname = "all"\nallow = ["*"]\n' >pipeline.toml; hook toml
export XDG_STATE_HOME=/proc; hook nowhere
mkdir "$HOME/full"; mount -t tmpfs -o size=8k none "$HOME/full"; head -c 20000 /dev/zero >"$HOME/full/fill" 2>dropped || true
export XDG_STATE_HOME="$HOME/full"; hook disk
`)
	parts := strings.Split(out, "--")[1:]
	if len(parts) != 15 {
		t.Errorf("%d attempts:\n%s", len(parts), out)
	}
	for _, part := range parts {
		if !strings.Contains(part, "rule locked/no-push") || !strings.Contains(part, `"permissionDecision":"deny"`) {
			t.Errorf("not refused: %s", part)
		}
	}
}
