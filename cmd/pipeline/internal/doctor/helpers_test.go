package doctor

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/configs"
	"github.com/agent-pipeline/pipeline/hooks/claude"
	"github.com/agent-pipeline/pipeline/hooks/clients"
	"github.com/agent-pipeline/pipeline/hooks/session"
	"github.com/agent-pipeline/pipeline/hooks/settings"
)

// answers is a program that answers as pipeline does, so that the tests need none: the real one is tried in
// cmd/pipeline.
const answers = `#!/bin/sh
case "$1 $4" in
"version ") echo '{"version": "dev"}' ;;
"hook pre-tool-use") echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"Agents may not touch the pipeline'"'"'s config."}}' ;;
esac
`

// A ward is an installation that a test may break.
type ward struct {
	Site
	t      *testing.T
	world  config.World
	binary string
}

// healthy is an installation that is fine.
func healthy(t *testing.T) *ward {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &ward{t: t, binary: filepath.Join(dir, "bin", "pipeline")}
	root, home := filepath.Join(dir, "project"), filepath.Join(dir, "home")
	w.program(w.binary, answers)
	w.program(filepath.Join(dir, "bin", "claude"), "#!/bin/sh\necho '2.1.329 (Claude Code)'\n")
	text, _ := configs.Preset("default")
	w.write(filepath.Join(root, "configs", "pipeline.yaml"), string(text))
	environ := []string{"HOME=" + home, "PATH=" + filepath.Join(dir, "bin") + ":/usr/bin:/bin"}
	w.world = config.World{Dir: root, Home: home, Getenv: Getenv(environ), Version: "dev"}
	w.Site = Site{Root: root, Dir: root, Client: filepath.Join(home, ".claude"), Transcripts: filepath.Join(home,
		".claude/projects/p"), State: filepath.Join(home, ".local/state/pipeline"), Self: w.binary, Version: "dev",
		Wants: func(string) []settings.Entry { return nil }, Shell: environ, Environ: environ, Now: time.Now(),
		Basis: clients.ByEnvironment, Patience: 5 * time.Second}
	w.open()
	w.install(claude.Host{}.Entries(w.binary, false))
	return w
}

func (w *ward) open() {
	w.t.Helper()
	var err error
	if w.Opened, err = config.Open(w.world); err != nil {
		w.t.Fatal(err)
	}
	w.Store = session.Store{Dir: w.Opened.Project.Home}
}

func (w *ward) write(file, text string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *ward) program(file, text string) {
	w.t.Helper()
	w.write(file, text)
	if err := os.Chmod(file, 0o700); err != nil {
		w.t.Fatal(err)
	}
}

func (w *ward) settingsFile() string { return filepath.Join(w.Root, ".claude", "settings.json") }

// install puts these entries, and no others, into the project's settings.
func (w *ward) install(entries []settings.Entry) {
	w.t.Helper()
	text, _, err := settings.Format{}.Edit(nil, entries)
	if err != nil {
		w.t.Fatal(err)
	}
	w.write(w.settingsFile(), string(text))
}

// edit changes the project's settings as a person would; what is not there to be changed fails the test.
func (w *ward) edit(old, new string) {
	w.t.Helper()
	body, err := os.ReadFile(w.settingsFile())
	if err != nil || !strings.Contains(string(body), old) {
		w.t.Fatalf("%v: no %q in %s", err, old, body)
	}
	w.write(w.settingsFile(), strings.Replace(string(body), old, new, 1))
}

// handwritten puts our hooks into the settings as shell lines.
func (w *ward) handwritten(line string) {
	var groups []string
	for _, e := range (claude.Host{}).Entries("x", false) {
		groups = append(groups,
			`"`+e.Event+`": [{"hooks": [{"type": "command", "command": "`+line+" "+e.Args[3]+`"}]}]`)
	}
	w.write(w.settingsFile(), `{"hooks": {`+strings.Join(groups, ",")+`}}`)
}

// want examines, and expects this of a check.
func (w *ward) want(check string, status Status, text string) []Finding {
	w.t.Helper()
	found := Examine(w.Site)
	if !slices.ContainsFunc(found, func(f Finding) bool {
		return f.Check == check && f.Status == status &&
			strings.Contains(f.What, text)
	}) {
		w.t.Errorf("expected %s %s %q, found\n%s", check, status, text, table(found))
	}
	for _, f := range found {
		if f.Status != OK && f.Remedy == "" {
			w.t.Errorf("%s names no remedy for: %s", f.Check, f.What)
		}
	}
	return found
}

func table(found []Finding) string {
	var b strings.Builder
	for _, f := range found {
		b.WriteString(f.Check + " " + string(f.Status) + " " + f.What + "\n")
	}
	return b.String()
}
