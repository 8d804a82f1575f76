package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/cmd/pipeline/internal/e2e"
	"github.com/agent-pipeline/pipeline/scripts/browsertest"
)

// A way leads to an installed pipeline: the one command that a person types in a bare system, and the
// folders of this machine that the system gets for it.
type way struct {
	command string
	outside bool     // of the system, whose root folder is $ROOT: it lacks the program
	mounts  []string // FROM:TO
	pages   string   // where the man pages are then, and pipeline-export beside pipeline; "" for neither
}

// ways are those that a release has, for its folder, its version and this system. The npm and go
// commands have the network's place taken by folders.
func ways(t *testing.T, dist, version string) map[string]way {
	system := version + "_linux_" + runtime.GOARCH
	npm := strings.Replace(runtime.GOARCH, "amd64", "x64", 1)
	output := func(command string, args ...string) string {
		out, err := exec.Command(command, args...).Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	goEnv := func(name string) string { return output("go", "env", name) }
	// The build cache takes for granted that a version of a module stays as it is.
	module := version + "-g" + output("git", "rev-parse", "--short", "HEAD")
	const npmModules = "/usr/lib/node_modules/npm"
	return map[string]way{
		"archive": {command: "tar -xzf /dist/pipeline_" + system +
			".tar.gz -C /usr/local --transform 's|^pipeline|bin/&|'",
			pages: "/usr/local/man"},
		"deb": {command: "dpkg -i /dist/pipeline_" + system + ".deb", pages: "/usr/share/man"},
		"rpm": {command: "rpm --root $ROOT --nodeps -i " + dist + "/pipeline_" + system + ".rpm", outside: true,
			pages: "/usr/share/man"},
		"npm": {command: "npm install --global --offline --no-audit --no-fund /dist/npm/agent-pipeline-pipeline-" +
			version +
			".tgz /dist/npm/agent-pipeline-pipeline-linux-" + npm + "-" + version + ".tgz",
			mounts: []string{"/usr/bin/node:/usr/bin/node", npmModules + ":" + npmModules}, pages: "/usr/share/man"},
		"go": {command: "go install -tags urfave_cli_no_docs,urfave_cli_no_suggest " +
			"github.com/agent-pipeline/pipeline/cmd/pipeline@v" + module,
			mounts: []string{goEnv("GOROOT") + ":/usr/local/go", goEnv("GOMODCACHE") + "/cache/download:/modules",
				goProxy(t, module) + ":/proxy", goEnv("GOCACHE") + ":/root/.cache/go-build"}},
	}
}

// goProxy is a module proxy that has this repository's HEAD as a version.
func goProxy(t *testing.T, version string) string {
	t.Helper()
	root := repo(t)
	dir := t.TempDir()
	at := filepath.Join(dir, "github.com", "agent-pipeline", "pipeline", "@v")
	name := "v" + version
	if err := os.MkdirAll(at, 0o755); err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	info := fmt.Sprintf(`{"Version":%q,"Time":"2026-01-01T00:00:00Z"}`, name)
	for file, body := range map[string]string{name + ".mod": string(mod), name + ".info": info, "list": name + "\n"} {
		if err := os.WriteFile(filepath.Join(at, file), []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	// A module has neither links nor the modules below it.
	pack := `git archive --format=zip --prefix=github.com/agent-pipeline/pipeline@` + name + `/ -o ` +
		filepath.Join(at, name+".zip") + ` HEAD . ':(exclude).claude-plugin/kits' $(git ls-files '*/go.mod' |
		sed 's|\(.*\)/go.mod|:(exclude)\1|')`
	zip := exec.Command("sh", "-c", pack)
	zip.Dir = root
	if out, err := zip.CombinedOutput(); err != nil {
		t.Fatalf("pack the module: %v\n%s", err, out)
	}
	return dir
}

// TestClientInstalls: in a bare Debian, each way leads with two commands to an agent that the real
// client refuses. PIPELINE_DIST is what `make release-dry` has built; PIPELINE_ROOTFS is the system, by
// default one that debootstrap makes.
func TestClientInstalls(t *testing.T) {
	dist := os.Getenv("PIPELINE_DIST")
	if dist == "" {
		t.Skip("PIPELINE_DIST is not set: make test-release")
	}
	var manifest struct{ Version string }
	readJSON(t, filepath.Join(dist, "plugins", "pipeline", ".claude-plugin", "plugin.json"), &manifest)
	rootfs := bareSystem(t)
	for name, w := range ways(t, dist, manifest.Version) {
		t.Run(name, func(t *testing.T) {
			m := e2e.NewModel(t)
			m.Say("main", e2e.StartWait("bash-architect", "build it"), e2e.Text("done"))
			client := filepath.Dir(filepath.Dir(filepath.Dir(e2e.Install(t, e2e.Latest))))
			mounts := append(w.mounts, dist+":/dist", client+":/client")
			outside, inside := w.command, ""
			if w.outside {
				browsertest.Need(t, "rpm", "rpm")
			} else {
				outside, inside = "", w.command
			}
			if w.pages != "" {
				inside += "\ntest -s " + w.pages + "/man1/pipeline.1"
			}
			out := inSystem(t, rootfs, mounts, outside, `set -e
cd /work
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/go/bin:/root/go/bin HOME=/root
export GOPROXY=file:///proxy,file:///modules GOSUMDB=off GOFLAGS=-modcacherw CGO_ENABLED=0 TERM=dumb
if [ -e /usr/lib/node_modules/npm ]; then ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/bin/npm; fi
`+inside+`
pipeline init --yes --install
pipeline version
pipeline demo >/demo
pipeline export --otlp http://collector.example || true
ANTHROPIC_BASE_URL=`+m.URL()+` ANTHROPIC_API_KEY=sk-local-test \
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_TELEMETRY=1 DISABLE_AUTOUPDATER=1 \
  /client/node_modules/.bin/claude -p "build me a thing" --model claude-sonnet-4-5 --allowedTools Agent </dev/null
`)
			t.Log(out)
			if want := "\npipeline " + manifest.Version; !strings.Contains(out, want) {
				t.Errorf("the version is not %q", want)
			}
			if w.pages != "" && !strings.Contains(out, "pipeline: export: ") {
				t.Error("pipeline-export did not start")
			}
			told := ""
			for _, r := range m.Requests() {
				told += r.New
			}
			if !strings.Contains(told, `agent "bash-architect" may not run`) {
				t.Errorf("the agent was not refused; the model was told at last:\n%s", told[max(0, len(told)-600):])
			}
		})
	}
}

// bareSystem is the root folder of a minimal Debian.
func bareSystem(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv("PIPELINE_ROOTFS"); dir != "" {
		return dir
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, "pipeline-e2e", "debian")
	if _, err := os.Stat(filepath.Join(dir, "bin", "bash")); err == nil {
		return dir
	}
	made := dir + ".part"
	out, err := exec.Command("debootstrap", "--variant=minbase", "bookworm", made).CombinedOutput()
	if err == nil {
		err = os.Rename(made, dir)
	}
	if err != nil {
		t.Fatalf("make a bare system (as root; or set PIPELINE_ROOTFS): %v\n%s", err, out)
	}
	return dir
}

// inSystem runs a command beside a copy of the system and a script in it. The copy goes away with the
// test: it is an overlay, which only the script's own mount namespace has.
func inSystem(t *testing.T, rootfs string, mounts []string, outside, script string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"upper", "work", "root"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	setup := "set -e\nmount -t overlay overlay -o lowerdir=" + rootfs + ",upperdir=upper,workdir=work root\n" +
		"mount --bind /proc root/proc\nmount --bind /dev root/dev\nmkdir -p root/work\n"
	for _, m := range mounts {
		from, to, _ := strings.Cut(m, ":")
		place := "mkdir -p root" + to
		if info, err := os.Stat(from); err == nil && !info.IsDir() {
			place = "touch root" + to
		}
		setup += fmt.Sprintf("%s && mount --bind %s root%s\n", place, from, to)
	}
	setup += "export ROOT=$PWD/root\n" + outside + "\n"
	cmd := exec.Command("unshare", "--mount", "--propagation", "private", "sh", "-c",
		setup+`exec chroot root env -i bash -c "$0"`, script)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}
