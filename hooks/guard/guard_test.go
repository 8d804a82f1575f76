package guard

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/shell"
)

// ground makes a project, a home and what of ours lies in them, below base.
func ground(t testing.TB, base string) Guards {
	t.Helper()
	for _, name := range []string{"proj/configs/pipeline.yaml", "proj/configs/app.json", "proj/.claude/settings.json",
		"proj/.claude/agents/a.md",
		"proj/.pipeline/context/x.md", "proj/other/pipeline.yaml", "proj/other/settings.json", "proj/src/a.pyc",
		"proj/build/x", "dots/pipeline.toml", "dots/app.toml", "dots/settings.local.json",
		"home/.claude/settings.json", "home/.config/pipeline/pipeline.yaml",
		"home/.local/state/pipeline/p/sessions/s1/journal.jsonl",
		"home/.local/share/x", "home/bin/pipeline"} {
		write(t, system.Join(base, name), "")
	}
	proj, home := system.Join(base, "proj"), system.Join(base, "home")
	link(t, "configs/pipeline.yaml", proj+"/same.yaml")
	link(t, "same.yaml", proj+"/same2.yaml")
	link(t, "configs", proj+"/linked")
	link(t, "configs/pipeline.local.yaml", proj+"/to-be.yaml")
	link(t, "../../dots/pipeline.toml", proj+"/configs/pipeline.local.toml")
	link(t, "../../dots/app.toml", proj+"/configs/pipeline.toml") // not read, because pipeline.yaml is
	link(t, "../../dots/settings.local.json", proj+"/.claude/settings.local.json")
	link(t, home+"/bin/pipeline", proj+"/p")
	return Guards{Root: proj, Home: home, Config: home + "/.config/pipeline",
		States: []string{home + "/.local/state/pipeline", proj + "/.pipeline"},
		Client: Places{Project: proj + "/.claude", User: home + "/.claude", Commands: "commands", Skills: "skills",
			Settings: []SettingsFile{
				{"user", home + "/.claude/settings.json"}, {"project", proj + "/.claude/settings.json"}, {"local",
					proj + "/.claude/settings.local.json"},
				{"managed", base + "/etc/claude-code/managed-settings.json"}}},
		Binary: func() string { return home + "/bin/pipeline" },
		Plugin: home + "/.claude/plugins/cache/m/pipeline/1", PersonOnly: personOnly,
		Sources: []string{home + "/.config/pipeline/pipeline.yaml", proj + "/configs/pipeline.yaml",
			proj + "/configs/pipeline.local.toml"}}
}

// personOnly stands in for the program's table of commands, which has a test of its
// own.
func personOnly(command string, args []string) bool {
	known := func(a string) bool { return a == "--json" || a == "--help" }
	switch command {
	case "hook", "reset", "uninstall", "dispute", "once":
		return true
	case "mode", "bypass":
		return len(args) > 0 && args[0] != "status" &&
			slices.ContainsFunc(args, func(a string) bool { return !known(a) })
	case "session":
		return slices.Contains(args, "clear") || slices.Contains(args, shell.Unknown)
	case "init":
		return slices.ContainsFunc(args, func(a string) bool {
			return a == shell.Unknown || strings.HasPrefix(strings.TrimLeft(a, "-"), "replace")
		})
	}
	return false
}

// grounds are one that lies where it says, and one that is reached by a link.
func grounds(t *testing.T, test func(t *testing.T, g Guards)) {
	t.Run("plain", func(t *testing.T) { test(t, ground(t, t.TempDir())) })
	t.Run("linked", func(t *testing.T) {
		dir := t.TempDir()
		write(t, dir+"/real/x", "")
		link(t, "real", dir+"/base")
		if _, err := os.Lstat(dir + "/base"); err != nil {
			t.Skip("there are no links here")
		}
		test(t, ground(t, dir+"/base"))
	})
}

// throughLinks are paths and lines that go through a link of the ground.
var throughLinks = regexp.MustCompile(`(^|[ /[])(same2?\.yaml|sam[*[]\S*\.yaml|linked|linke?[*[]\S*|to-be\.yaml)($|[] /])|/dots/` +
	`|(^| |\./|proj/)p([] ]|$)`)

// lacksLinks reports whether a call needs links that the system does not make.
func (g Guards) lacksLinks(tool fsm.Tool) bool {
	return throughLinks.MatchString(fmt.Sprint(tool.Paths, " ", tool.Command)) && !g.hasLinks()
}

// hasLinks reports whether the system makes links: Wine 8 does not.
func (g Guards) hasLinks() bool {
	_, err := os.Lstat(system.Join(g.Root, "same.yaml"))
	return err == nil
}

// guards is what of ours a call would change, in the project's folder or in one below
// it.
func (g Guards) guards(tool fsm.Tool, below string) string {
	for _, p := range g.Parts(tool, system.Join(g.Root, below)) {
		if p.Guards != "" {
			return p.Guards
		}
	}
	return ""
}

// judged checks what is guarded; want is a word of it, or empty.
func (g Guards) judged(t *testing.T, tool fsm.Tool, below, want string) {
	t.Helper()
	if g.lacksLinks(tool) {
		return
	}
	got := g.guards(tool, below)
	if want == "" && got != "" || !strings.Contains(got, want) || strings.ContainsRune(got, 0) {
		t.Errorf("%s %q %q: guarded %q, expected %q", tool.Name, tool.Command, tool.Paths, got, want)
	}
}

// TestPaths: the files that a tool names. HOME and BASE stand for where those are.
func TestPaths(t *testing.T) {
	tests := []struct{ tool, path, want string }{
		{"Write", "configs/pipeline.yaml", "config"},
		{"Edit", "BASE/proj/configs/pipeline.yaml", "config"},
		{"MultiEdit", "configs/pipeline.yaml", "config"},
		{"NotebookEdit", "configs/pipeline.yaml", "config"},
		{"Write", "configs/pipeline.yml", "config"},
		{"Write", "configs/pipeline.toml", "config"},
		{"Write", "configs/pipeline.local.yaml", "config"},
		{"Write", "configs/pipeline.local.yml", "config"},
		{"Write", "pipeline.yaml", "config"},
		{"Write", "pipeline.local.toml", "config"},
		{"Write", ".claude/pipeline.yaml", "config"},
		{"Write", "HOME/.claude/plugins/cache/m/pipeline/1/.claude-plugin/hooks.json", "plugin"},
		{"Edit", "HOME/.claude/plugins/installed_plugins.json", "plugin"},
		{"Edit", "HOME/.claude/plugins/known_marketplaces.json", "plugin"},
		{"Write", "HOME/.claude/plugins/cache/m/other/1/x", ""},
		{"Delete", "HOME/.claude/plugins", "plugin"},
		{"Write", "HOME/.config/pipeline/pipeline.yaml", "config"},
		{"Write", "~/.config/pipeline/pipeline.local.yaml", "config"},
		{"Write", "same.yaml", "config"},
		{"Write", "same2.yaml", "config"},
		{"Write", "linked/pipeline.yaml", "config"},
		{"Write", "linked/pipeline.local.yml", "config"},
		{"Write", "to-be.yaml", "config"},
		{"Write", "configs/pipeline.local.toml", "config"},
		{"Write", "BASE/dots/pipeline.toml", "config"},
		{"Write", "src/../configs/./pipeline.yaml", "config"},
		{"Write", "../proj/configs/pipeline.yaml", "config"},
		{"Delete", "configs/pipeline.yaml", "config"},
		{"Delete", "configs/pipeline.local.toml", "config"},
		{"Delete", "configs", "config"},
		{"Delete", ".", "config"},
		{"Delete", "..", "config"},
		{"Delete", "/", "config"},
		{"Write", ".claude/settings.json", "settings"},
		{"Edit", ".claude/settings.local.json", "settings"},
		{"Write", "BASE/etc/claude-code/managed-settings.json", "settings"},
		{"Delete", "BASE/etc/claude-code", "settings"},
		{"Write", "BASE/etc/claude-code/other.json", ""},
		{"Edit", "BASE/dots/settings.local.json", "settings"},
		{"Write", "~/.claude/settings.json", "settings"},
		{"Write", "HOME/.claude/settings.local.json", "settings"},
		{"Delete", ".claude", "settings"},
		{"Delete", "~/.claude", "settings"},
		{"Delete", "HOME/.claude/settings.json", "settings"},
		{"Write", "HOME/.local/state/pipeline/p/sessions/s1/journal.jsonl", "state"},
		{"Write", "~/.local/state/pipeline/new", "state"},
		{"Delete", "~/.local/state/pipeline/p", "state"},
		{"Delete", "~/.local/state", "state"},
		{"Edit", ".pipeline/context/x.md", "state"},
		{"Write", ".claude/commands/pipeline.md", "command /pipeline"},
		{"Edit", "~/.claude/commands/of-mine/pipeline.md", "command /pipeline"},
		{"Write", ".claude/skills/pipeline/SKILL.md", "command /pipeline"},
		{"Write", "~/bin/pipeline", "binary"},
		{"Write", "p", "binary"},
		{"Delete", "~/bin/pipeline", "binary"},
		{"Write", "~/bin/pipeline-export", "binary"},
		{"Write", "~/bin/pipeline-other", ""},
		{"Delete", "~/bin", "binary"},

		{"Read", "configs/pipeline.yaml", ""},
		{"Read", ".claude/settings.json", ""},
		{"Read", ".pipeline/context/x.md", ""},
		{"Read", "src/a\x1b[31mb", ""},
		{"Read", "~/.local/state/pipel[i]ne/x", ""}, // a letter of the name, not a pattern
		{"Read", "~/.local/\x1b[31m/pipeline/x", ""},
		{"Read", "~/.local/state/pipeline/[x", "state"},
		{"Grep", "configs", ""},
		{"Glob", ".", ""},
		{"mcp__x__look", "configs/pipeline.yaml", ""},
		{"Write", "other/pipeline.yaml", ""},
		{"Write", "src/configs/pipeline.yaml", "config"}, // it would be a nearer config
		{"Write", "src/deep/.git", ".git"},
		{"Write", "BASE/elsewhere/.git", ""},
		{"Write", "BASE/dots/app.toml", ""},
		{"Write", "BASE/elsewhere/pipeline.yaml", ""},
		{"Write", "configs/app.json", ""},
		{"Write", "configs/pipeline.json", ""},
		{"Write", "configs/pipeline", ""},
		{"Write", "configs/mypipeline.yaml", ""},
		{"Write", "configs/pipeline.yaml.bak", ""},
		{"Write", "other/settings.json", ""},
		{"Write", ".claude/agents/a.md", ""},
		{"Write", ".claude/commands/other.md", ""},
		{"Write", ".claude/skills/pipelines/SKILL.md", ""},
		{"Write", "commands/pipeline.md", ""},
		{"Delete", ".claude/agents", ""},
		{"Delete", "configs/app.json", ""},
		{"Delete", "src", ""},
		{"Write", "~/.local/share/x", ""},
		{"Delete", "~/.local/share", ""},
		{"Write", "", ""},
		{"Write", "a\x00b", ""},
	}
	grounds(t, func(t *testing.T, g Guards) {
		base := system.Dir(g.Root)
		for _, tt := range tests {
			path := strings.NewReplacer("HOME", g.Home, "BASE", base).Replace(tt.path)
			g.judged(t, fsm.Tool{Name: tt.tool, Paths: []string{"README.md", path}}, "", tt.want)
		}
		g.judged(t, fsm.Tool{Name: "Write", Paths: []string{"../configs/pipeline.yaml"}}, "src", "config")
		g.judged(t, fsm.Tool{Name: "Write", Paths: []string{"pipeline.yaml"}}, "configs", "config")
		g.judged(t, fsm.Tool{Name: "Write", Paths: []string{"pipeline.yaml"}}, "other", "config")
	})
}

// TestNoGuards: where nothing of ours is known, nothing is guarded.
func TestNoGuards(t *testing.T) {
	for _, line := range []string{"rm -rf /", "echo x > /pipeline.txt", "x reset", "cp a b"} {
		Guards{Root: "/proj", Home: "/home"}.judged(t, fsm.Tool{Name: "Bash", Command: line}, "", "")
	}
}

// TestProgramPathIsLookedUpLate: only a call that may change a file, or that runs a program
// by its path, needs to know where this program is.
func TestProgramPathIsLookedUpLate(t *testing.T) {
	for _, c := range []struct {
		tool fsm.Tool
		want bool
	}{
		{fsm.Tool{Name: "Agent", Starts: &fsm.Start{Type: "go"}}, false},
		{fsm.Tool{Name: "Read", Paths: []string{"src/a.pyc"}}, false},
		{fsm.Tool{Name: "Bash", Command: "ls -la"}, false},
		{fsm.Tool{Name: "Bash", Command: "echo x > y"}, true},
		{fsm.Tool{Name: "Bash", Command: "./p status"}, true},
		{fsm.Tool{Name: "Edit", Paths: []string{"/a"}}, true},
	} {
		dir, asked := system.Clean(t.TempDir()), false
		g := Guards{Root: dir, Home: dir, Binary: func() string { asked = true; return dir + "/bin/pipeline" }}
		if g.Parts(c.tool, dir); asked != c.want {
			t.Errorf("%+v: looked up: %v", c.tool, asked)
		}
	}
}

// TestParts: what a call comes to.
func TestParts(t *testing.T) {
	g := ground(t, t.TempDir())
	root, err := system.EvalSymlinks(g.Root)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		tool fsm.Tool
		want string
	}{
		{fsm.Tool{}, ""},
		{fsm.Tool{Name: "TodoWrite"}, "TodoWrite "},
		{fsm.Tool{Name: "Read", Paths: []string{"a", "same.yaml"}}, "Read ROOT/a, Read ROOT/configs/pipeline.yaml"},
		{fsm.Tool{Name: "Bash", Command: "cd src && cat a > b"},
			"Bash cd src, Bash cat a, Read ROOT/src/a, Write ROOT/src/b"},
		{fsm.Tool{Name: "mcp__x__run", Command: "rm linked/x"},
			"mcp__x__run , Bash rm linked/x, Delete ROOT/configs/x"},
		{fsm.Tool{Name: "Bash", Command: "echo > $X"}, "Bash echo, Write \x00?"},
		{fsm.Tool{Name: "Bash", Command: "cd src; echo > a"}, "Bash cd src, Bash echo, Write \x00?"},
		{fsm.Tool{Name: "Bash", Command: "cd src; echo > /aa"}, "Bash cd src, Bash echo, Write /aa"},
		{fsm.Tool{Name: "Bash", Command: "timeout 5 claude -p hi"}, "Bash claude -p hi!claude"},
		{fsm.Tool{Name: "Bash", Command: "/usr/bin/codex exec"}, "Bash /usr/bin/codex exec!codex"},
		{fsm.Tool{Name: "Bash", Command: "claude --version"}, "Bash claude --version"},
		{fsm.Tool{Name: "Bash", Command: "echo claude"}, "Bash echo claude"},
		{fsm.Tool{Name: "Bash", Opaque: true}, "Bash ?"},
		{fsm.Tool{Name: "Edit", Opaque: true}, "Edit , Bash ?"},
	}
	for _, tt := range tests {
		if g.lacksLinks(tt.tool) {
			continue
		}
		var got []string
		for _, p := range g.Parts(tt.tool, g.Root) {
			s := p.Tool + " " + strings.Replace(p.Path, root, "ROOT", 1) + strings.Join(p.Words, " ")
			if p.Client != "" {
				s += "!" + p.Client
			}
			if p.Code && p.Words == nil {
				s += "?"
			}
			got = append(got, s)
		}
		if s := strings.Join(got, ", "); s != tt.want {
			t.Errorf("%+v: %q, expected %q", tt.tool, s, tt.want)
		}
	}
}

// TestProgramName: a hook that is registered by name runs the first program of that name: no agent puts one
// into a folder of PATH, nor takes ours away.
func TestProgramName(t *testing.T) {
	g := ground(t, t.TempDir())
	write(t, g.Home+"/opt/bin/x", "")
	write(t, g.Home+"/.local/bin/x", "")
	link(t, "opt/bin", g.Home+"/linked-bin")
	g.Path = []string{g.Home + "/.local/bin", g.Home + "/linked-bin", g.Home + "/bin"}
	for line, want := range map[string]string{
		"ln -s /bin/true ~/.local/bin/pipeline":      ourBinary,
		"cp x ~/.local/bin/pipeline":                 ourBinary,
		"install -m 755 other/pipeline ~/.local/bin": ourBinary,
		"cp x ~/linked-bin/pipeline":                 ourBinary,
		"cp x ~/opt/bin/pipeline":                    ourBinary,
		"rm $(which pipeline)":                       "", // the kernel keeps it
		"npm uninstall -g @agent-pipeline/pipeline":  ourBinary,
		"npm rm -g agent-pipeline":                   ourBinary,
		"sudo apt-get remove -y pipeline":            ourBinary,
		"brew uninstall agent-pipeline/tap/pipeline": ourBinary,
		"npm r -g agent-pipeline@latest":             ourBinary,
		"npm unlink -g agent-pipeline":               ourBinary,
		"pacman -Rns pipeline":                       ourBinary,
		"pacman -Rcns pipeline":                      ourBinary,
		"apt autoremove pipeline":                    ourBinary,
		"dpkg --purge pipeline":                      ourBinary,
		"rpm --erase pipeline":                       ourBinary,
		"npm run r":                                  "",
		"pacman -Rns left-pad":                       "",
		"go build -o bin/pipeline ./cmd/pipeline":    "",
		"cp x other/pipeline":                        "",
		"cp x ~/.local/bin/other":                    "",
		"which pipeline; rm -rf ./build":             "",
		"npm uninstall left-pad":                     "",
		"apt-get install pipeline":                   "",
	} {
		// which Windows makes for administrators
		isLink := strings.Contains(line, "linked") || strings.Contains(line, "opt/")
		if got := g.guarded(line); got != want && !(isLink && runtime.GOOS == "windows") {
			t.Errorf("%s: %q, expected %q", line, got, want)
		}
	}
}
