package guard

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/windows"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
)

// windowsGround is a ground as Windows has it: its program is an .exe, and case does not
// matter.
func windowsGround(t *testing.T) (g Guards, dir string) {
	t.Helper()
	g = ground(t, t.TempDir())
	g.Fold = true
	binary := g.Binary() + ".exe"
	g.Binary = func() string { return binary }
	write(t, binary, "")
	return g, strings.ReplaceAll(g.Root, "/", `\`)
}

// TestWindowsPaths: each spelling of a path leads to the guarded file. ROOT is the
// project with backslashes, REST the same without its drive.
func TestWindowsPaths(t *testing.T) {
	g, root := windowsGround(t)
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	home := strings.ReplaceAll(g.Home, "/", `\`)
	names := strings.NewReplacer("ROOT", root, "REST", root[2:], "HOME", home[2:], "HOST", host, "UNIX",
		strings.ToLower(root[:1])+strings.ReplaceAll(root[2:], `\`, "/"), "SHORT",
		shortPath(t, root+`\configs\pipeline.yaml`))
	for path, want := range map[string]string{
		`configs\pipeline.yaml`: "config", `CONFIGS\PIPELINE.YAML`: "config", `configs/Pipeline.Yaml`: "config",
		`ROOT\configs\pipeline.yaml`: "config", `\\?\ROOT\configs\pipeline.yaml`: "config",
		`\\.\ROOT\configs\pipeline.yaml`: "config", `\??\ROOT\configs\pipeline.yaml`: "config",
		`//?/ROOT/configs/pipeline.yaml`: "config", `\\?\\ROOT\configs\pipeline.yaml`: "config",
		`REST\configs\pipeline.yaml`: "config", `/UNIX/configs/pipeline.yaml`: "config",
		`/mnt/UNIX/configs/pipeline.yaml`: "config", `/cygdrive/UNIX/configs/pipeline.yaml`: "config",
		`file:///ROOT/configs/pipeline.yaml`:                              "config",
		`\\localhost\c$REST\configs\pipeline.yaml`:                        "config",
		`\\LOCALHOST\C$REST\configs\pipeline.yaml`:                        "config",
		`//127.0.0.1/c$REST/configs/pipeline.yaml`:                        "config",
		`\\?\UNC\localhost\c$REST\configs\pipeline.yaml`:                  "config",
		`\\HOST\c$REST\configs\pipeline.yaml`:                             "config",
		`\\other\c$REST\configs\pipeline.yaml`:                            "config",
		`\\localhost\work\configs\pipeline.yaml`:                          "config", // of a share that is the project
		`\\?\Volume{b75e2c83-0000-0000}REST\.claude\settings.json`:        "settings",
		`\\?\GLOBALROOT\Device\HarddiskVolume3REST\configs\pipeline.yaml`: "config",
		`\\.\GLOBALROOT\??\ROOT\configs\pipeline.yaml`:                    "config",
		`configs\pipeline.yaml::$DATA`:                                    "config", `configs\pipeline.yaml:x:$DATA`: "config",
		`configs::$INDEX_ALLOCATION\pipeline.yaml`: "config", `configs:$I30:$INDEX_ALLOCATION\pipeline.yaml`: "config",
		`configs\pipeline.yaml.`: "config", `configs\pipeline.yaml `: "config", `configs.\pipeline.yaml. .`: "config",
		`configs\.\\pipeline.yaml`: "config", `src\..\configs\pipeline.yaml`: "config", `SHORT`: "config",
		`configs\pipeline.local.yaml`: "config", `configs\PIPELINE.LOCAL.TOML.`: "config", `.GIT`: ".git",
		`.claude\settings.json`: "settings", `.CLAUDE\Settings.json::$DATA`: "settings", `~\.claude\settings.json`: "settings",
		`\\localhost\c$HOME\.local\state\pipeline\p\x`: "state", `~\.local\state\PIPELINE.\p\x`: "state",
		`\\nas\c$HOME\.local\state\pipeline\p\x`: "state", `~\bin\pipeline.exe`: "binary", `~\bin\PIPELINE.EXE.`: "binary",
		`~\bin\pipeline-export.exe`: "binary",

		`src\a.txt`: "", `ROOT\src\a.txt`: "", `\\nas\work\src\a.txt`: "", `other\pipeline.yaml`: "", `\\nas\x\y\settings.json`: "",
		`configs\pipeline.yaml.bak`: "", `\\nas\work\notes\pipeline.yaml`: "", `configs\app.json:x`: "",
	} {
		path = names.Replace(path)
		g.judged(t, fsm.Tool{Name: "Write", Paths: []string{path}}, "", want)
		if want == "state" {
			g.judged(t, fsm.Tool{Name: "Read", Paths: []string{path}}, "", want)
			g.judged(t, fsm.Tool{Name: "Bash", Command: "cat '" + path + "'"}, "", want)
		}
		if want != "" && !strings.HasPrefix(path, "~") {
			g.judged(t, fsm.Tool{Name: "Bash", Command: "echo x > '" + path + "'"}, "", want)
			g.judged(t, fsm.Tool{Name: "PowerShell", Command: "Set-Content '" + path + "' x"}, "", want)
		}
	}
}

// TestWorkingFolderOfTheClient: git is known in the project, however the client writes where it is.
func TestWorkingFolderOfTheClient(t *testing.T) {
	g, root := windowsGround(t)
	for _, dir := range []string{g.Root, root, strings.ToLower(root[:1]) + root[1:]} {
		for _, p := range g.Parts(fsm.Tool{Name: "Bash", Command: "git status"}, dir) {
			if p.Code {
				t.Errorf("in %s it is unknown code", dir)
			}
		}
	}
}

// shortPath is the path in names of eight and three letters, or the path itself where the
// disk has none.
func shortPath(t *testing.T, path string) string {
	t.Helper()
	long, err := windows.UTF16PtrFromString(path)
	if err != nil {
		t.Fatal(err)
	}
	var buf [windows.MAX_LONG_PATH]uint16
	n, err := windows.GetShortPathName(long, &buf[0], uint32(len(buf)))
	if err != nil {
		t.Fatal(err)
	}
	return windows.UTF16ToString(buf[:n])
}

func makeJunction(dir string) ([]byte, error) {
	cmd := exec.Command("cmd", "/c", "mklink", "/J", "x", "configs")
	cmd.Dir = dir
	return cmd.CombinedOutput()
}

// TestJunction: a junction, which any user may make, leads to what is guarded.
func TestJunction(t *testing.T) {
	g, root := windowsGround(t)
	if out, err := makeJunction(root); err != nil {
		t.Skipf("no junctions here: %v %s", err, out)
	}
	if _, err := os.Stat(system.Join(g.Root, "x/pipeline.yaml")); err != nil {
		t.Skip("no junctions here: ", err)
	}
	g.judged(t, fsm.Tool{Name: "Write", Paths: []string{`x\pipeline.yaml`}}, "", "config")
	g.judged(t, fsm.Tool{Name: "Bash", Command: "echo x > x/pipeline.yaml"}, "", "config")
}
