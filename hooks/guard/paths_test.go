package guard

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
)

// foldedGround is a ground whose disk does not tell cases apart, as far as paths go: the
// names of its folders have no capital letters.
func foldedGround(t *testing.T) Guards {
	t.Helper()
	dir, err := os.MkdirTemp("", "fold")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	g := ground(t, dir)
	g.Fold = true
	return g
}

// TestCase: where case does not matter, no spelling of a guarded file passes, and no other
// file is guarded.
func TestCase(t *testing.T) {
	g := foldedGround(t)
	for line, want := range map[string]string{
		"echo x > CONFIGS/Pipeline.YAML": "config", "cp a configs/PIPELINE.yaml": "config", "rm -rf CONFIGS": "config",
		"rm Config*/pipe*": "config", "mkdir -p a && touch a/PIPELINE.YML": "config", "mv x .GIT": ".git",
		"cat " + system.Dir(g.Home) + "/Home/.local/State/pipeline/p/x": "state",
		"tee .Claude/Settings.JSON":                                     "settings",
		"echo > .claude/Commands/Pipeline.md":                           "command", "PIPELINE reset x": "enforces",
		g.Home + "/Bin/Pipeline reset": "enforces", "echo > conf\u0131gs/x": "",
		"echo > config\u017f/pipeline.yaml": "config",
		"echo > configs/\u212aeep":          "", "echo > README.md": "", "cat Configs/pipeline.yaml": "",
		"Echo > src/a": "",
	} {
		g.judged(t, fsm.Tool{Name: "Bash", Command: line}, "", want)
	}
	g.judged(t, fsm.Tool{Name: "Write", Paths: []string{"Configs/PIPELINE.yaml"}}, "", "config")
	if g.Fold = false; runtime.GOOS == "linux" {
		g.judged(t, fsm.Tool{Name: "Write", Paths: []string{"Configs/PIPELINE.yaml"}}, "", "")
	}
}

// TestFoldedPart: the rules and messages see a path as it was written, and that its case
// does not matter.
func TestFoldedPart(t *testing.T) {
	g := foldedGround(t)
	part := g.Parts(fsm.Tool{Name: "Write", Paths: []string{"README.md"}}, g.Root)[0]
	if filepath.Base(part.Path) != "README.md" || !part.Fold {
		t.Errorf("%+v", part)
	}
}

// TestOtherShells: lines of PowerShell and cmd are unknown code, and refused where they
// name what is ours, even if they only read it.
func TestOtherShells(t *testing.T) {
	g := ground(t, t.TempDir())
	state := g.States[0]
	for line, want := range map[string]string{
		"Set-Content configs/pipeline.yaml 'level: off'": "config",
		"sc -Path 'configs/pipeline.yaml' x":             "config",
		"$f='configs/pipeline.yaml'; Set-Content $f x":   "config",
		"Get-Content a > configs/pipeline.yaml":          "config", "cd configs; Set-Content pipeline.yaml x": "config",
		"Remove-Item -Recurse configs": "config", "Remove-Item conf*/*": "config",
		"Copy-Item a $PWD/configs/pipeline.yaml":       "config",
		"iex \"Set-Content configs/pipe`line.yaml x\"": "config", "echo x > %CD%/.claude/settings.json": "settings",
		"pipeline.exe reset why": "enforces", "& \"" + g.Home + "/bin/pipeline\" mode off": "enforces",
		"Get-ChildItem " + state: "state", "type " + state + "/p/sessions/s1/journal.jsonl": "state",
		"Stop-Process -Name claude": "processes", "taskkill /F /IM pipeline.exe": "processes",
		"taskkill /IM pipe*":                 "processes",
		"claude -p '/pipeline bypass 30m x'": "typed by a person",
		"Get-Content configs/pipeline.yaml":  "config", "Get-ChildItem configs | Select-String x": "config",
		"npm test":                "",
		"Set-Content src/a.txt x": "", "cd configs; ls": "config", "Remove-Item build": "", "pipeline status": "",
		"Stop-Process -Name node": "", "Write-Host 100%": "",
	} {
		for _, tool := range []fsm.Tool{{Name: "PowerShell", Command: line},
			{Name: "Bash", Command: "pwsh -c " + quoteLine(line)}} {
			if tool.Name == "Bash" && want == "" && len(g.guards(fsm.Tool{Name: "Bash", Command: line}, "")) > 0 {
				continue
			}
			g.judged(t, tool, "", want)
			parts := g.Parts(tool, g.Root)
			if !parts[0].Code && !parts[len(parts)-1].Code {
				t.Errorf("%s: not unknown code: %+v", line, parts)
			}
		}
	}
	for line, want := range map[string]string{
		"git push": "@remote", "Set-Location src; git push origin main": "@remote",
		"if ($x) { npm publish }":   "@remote",
		"git status; Get-ChildItem": "", "& 'C:/bin/dropdb.exe' x": "@destroys",
	} {
		for _, tool := range []fsm.Tool{{Name: "PowerShell", Command: line},
			{Name: "Bash", Command: "pwsh -c " + quoteLine(line)}} {
			var groups []string
			for _, p := range g.Parts(tool, g.Root) {
				groups = append(groups, p.Groups...)
			}
			if got := strings.Join(groups, " "); got != want {
				t.Errorf("%s %s: in %q, want %q", tool.Name, line, got, want)
			}
		}
	}
	g.judged(t, fsm.Tool{Name: "PowerShell", Command: `Set-Content configs\pipeline.yaml x`}, "", "config")
	g.judged(t, fsm.Tool{Name: "Bash", Command: `cmd.exe /c "echo x> configs/pipeline.yaml"`}, "", "config")
	g.judged(t, fsm.Tool{Name: "Bash", Command: `cmd /c dir src`}, "", "")
}

func quoteLine(line string) string {
	out := "'"
	for _, r := range line {
		if r == '\'' {
			out += `'\'`
		}
		out += string(r)
	}
	return out + "'"
}

// TestOrganisation: no agent makes a config for the whole organisation, where it may write
// one at all.
func TestOrganisation(t *testing.T) {
	dir := t.TempDir()
	g := ground(t, system.Join(dir, "base"))
	g.System = system.Join(dir, "shared/pipeline")
	write(t, system.Join(g.System, "x"), "")
	file := system.Join(g.System, "pipeline.yaml")
	g.judged(t, fsm.Tool{Name: "Write", Paths: []string{file}}, "", "config")
	g.judged(t, fsm.Tool{Name: "Bash", Command: "echo 'level: off' > " + file}, "", "config")
	g.judged(t, fsm.Tool{Name: "Write", Paths: []string{system.Join(g.System, "other.yaml")}}, "", "")
}

// TestNewConfigPlace: where the user has no config and no settings yet, no agent makes the folder of one, nor puts
// files of unknown names around it, nor closes a folder above ours.
func TestNewConfigPlace(t *testing.T) {
	base := t.TempDir()
	g := ground(t, base)
	for _, gone := range []string{g.Config, g.Home + "/.claude/settings.json"} {
		if err := os.RemoveAll(gone); err != nil {
			t.Fatal(err)
		}
	}
	g.Sources = g.Sources[1:]
	write(t, base+"/evil/pipeline/pipeline.yaml", "")
	write(t, base+"/evil/settings.json", "")
	write(t, g.Home+"/.config/app/x", "")
	names := strings.NewReplacer("EVIL", base+"/evil", "HOME", g.Home)
	for line, want := range map[string]string{
		"cp -r EVIL/pipeline HOME/.config": "config", "cp -r EVIL/pipeline* HOME/.config/": "config",
		"mv EVIL/pipeline HOME/.config/pipeline": "config", "ln -s EVIL/pipeline HOME/.config/pipeline": "config",
		"git clone u:r HOME/.config/pipeline": "config", "tar xf a.tar -C HOME/.config": "config",
		"unzip a.zip -d HOME/.config": "config", "rsync -a EVIL/pipeline HOME/.config/": "config",
		"mkdir HOME/.config/pipeline": "config", "mv HOME/.config HOME/.config2": "config",
		"cp -rT EVIL HOME/.claude": "settings", "cp -r --no-target-dir EVIL HOME/.claude": "settings",
		"cp -rT EVIL .claude": "settings", "chmod 000 HOME/.config": "config", "chmod 000 HOME/.local": "state",
		"chmod 644 HOME": "config", "chown x HOME/.local": "state",
		"mkdir -p HOME/.config/other": "", "cp -r EVIL HOME/.config": "", "chmod 755 HOME/.config/app": "",
		"chmod +x src/a.sh": "", "tar xf a.tar -C HOME/.config/app": "", "cp EVIL/settings.json HOME/x.json": "",
	} {
		if runtime.GOOS == "windows" && strings.HasPrefix(line, "rsync") { // to which a drive is a host
			continue
		}
		g.judged(t, fsm.Tool{Name: "Bash", Command: names.Replace(line)}, "", want)
	}
	g.judged(t, fsm.Tool{Name: "mcp__x__move_file", Args: []fsm.Arg{{Name: "source", Text: base + "/evil/pipeline"},
		{Name: "destination", Text: g.Config}}}, "", "config")
}

// TestLongPath: what a path costs that does not exist does not grow with each folder that it names.
func TestLongPath(t *testing.T) {
	dir := t.TempDir()
	count := func(name string, n int) float64 {
		path := strings.Repeat(name, n) + "x"
		return testing.AllocsPerRun(1, func() { resolvePath(leaveLinks(path, dir, dir), dir, dir) })
	}
	for _, name := range []string{"a/", "a/../"} {
		if few, many := count(name, 1000), count(name, 16000); many > 2*few {
			t.Errorf("%s: %v, 16 times as many cost %v", name, few, many)
		}
	}
}

// TestLinkToNothing: it leads to where the system makes the file, also through another link.
func TestLinkToNothing(t *testing.T) {
	dir, err := system.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir+"/deep/folder/x", "")
	link(t, "deep/folder", dir+"/short")
	link(t, "../made", dir+"/deep/folder/new")
	write(t, dir+"/other/place/x", "")
	link(t, "../other/place", dir+"/deep/up")
	for path, want := range map[string]string{
		"short/new": "deep/made", "short/new/a/b": "deep/made/a/b", "short/../x": "deep/x", "no/a/../../y": "y",
		"short/../../y": "y", "short/../up/../z": "other/z", "/.." + dir + "/y": "y",
	} {
		if got := resolvePath(leaveLinks(path, dir, dir), dir, dir); got != system.Join(dir, want) {
			t.Errorf("%s: %s", path, got)
		}
	}
}

// TestPlaces: a client's places are found by their scope, and named in its form.
func TestPlaces(t *testing.T) {
	p := Places{Project: "/p", Agents: ".x/agents", Settings: []SettingsFile{{"user", "/u"}, {"local", "/l"}}}
	if path, ok := p.FindSettings("local"); path != "/l" || !ok {
		t.Errorf("local: %q %t", path, ok)
	}
	if path, ok := p.FindSettings("none"); path != "" || ok {
		t.Errorf("none: %q %t", path, ok)
	}
	if got := p.AgentFile("a") + " " + p.Typed("s"); got != "/p/.x/agents/a.md /s" {
		t.Error(got)
	}
	if p.AgentExt, p.Mark = ".toml", "$"; p.AgentFile("a")+" "+p.Typed("s") != "/p/.x/agents/a.toml $s" {
		t.Errorf("of another client: %s %s", p.AgentFile("a"), p.Typed("s"))
	}
}
