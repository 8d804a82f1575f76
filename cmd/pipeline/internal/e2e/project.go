package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// Project is a temporary directory that the client works in, with a home and a
// client configuration of its own.
type Project struct {
	Dir       string // where the client runs
	Home      string
	ConfigDir string // the user's client settings and the transcripts
	// Within changes the client's command line, so that it runs elsewhere: in a namespace, as another user.
	Within func(command []string) []string

	t       testing.TB
	servers string // Codex's servers of tools, in its configuration
}

// NewProject makes an empty project.
func NewProject(t testing.TB) *Project {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir()) // as the client will name it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // a client that was told to end may write for a moment yet
		for i := 0; os.RemoveAll(root) != nil && i < 50; i++ {
			time.Sleep(100 * time.Millisecond)
		}
	})
	p := &Project{t: t, Dir: filepath.Join(root, "project"), Home: filepath.Join(root, "home")}
	p.ConfigDir = filepath.Join(p.Home, ".claude")
	for _, dir := range []string{p.Dir, p.ConfigDir, p.tmp()} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// tmp keeps what the client writes about background tasks out of /tmp.
func (p *Project) tmp() string { return filepath.Join(filepath.Dir(p.Dir), "tmp") }

// Git makes the project a repository.
func (p *Project) Git() {
	p.t.Helper()
	git := exec.Command("git", "init", "--quiet", p.Dir)
	if out, err := git.CombinedOutput(); err != nil {
		p.t.Fatalf("git init: %v\n%s", err, out)
	}
}

// Path is a file's path in the project.
func (p *Project) Path(name string) string { return filepath.Join(p.Dir, name) }

// Write writes a file of the project.
func (p *Project) Write(name, text string) {
	p.t.Helper()
	writeFile(p.t, p.Path(name), text)
}

// Read reads a file of the project; one that is not there fails the test.
func (p *Project) Read(name string) string {
	p.t.Helper()
	data, err := os.ReadFile(p.Path(name))
	if err != nil {
		p.t.Fatal(err)
	}
	return string(data)
}

// Settings writes .claude/settings.json.
func (p *Project) Settings(v any) {
	p.t.Helper()
	p.Write(".claude/settings.json", toJSON(p.t, v))
}

// Agent defines an agent. Its runs speak as the marker says, unless their
// prompt has a marker of its own. Lines are added to the frontmatter.
func (p *Project) Agent(name, marker string, lines ...string) {
	p.t.Helper()
	p.Write(".claude/agents/"+name+".md", definition(name, marker, lines))
}

// Skill defines a skill whose text is the marker. With the line "context: fork"
// the client runs it as an agent, who speaks as the marker says.
func (p *Project) Skill(name, marker string, lines ...string) {
	p.t.Helper()
	p.Write(".claude/skills/"+name+"/SKILL.md", definition(name, marker, lines))
}

func definition(name, marker string, lines []string) string {
	head := fmt.Sprintf("---\nname: %s\ndescription: the %s of the test\n", name, name)
	for _, line := range lines {
		head += line + "\n"
	}
	return head + "---\n" + marker + "\n"
}

func toJSON(t testing.TB, v any) string {
	t.Helper()
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data) + "\n"
}

func writeFile(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
