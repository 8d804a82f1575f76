package survey

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const preset = `# A preset.
version: 1
states:
  BUILD:
    agents: ["@languages"]
    inject: Give each part to one of {{ .Groups.languages }}.
  REVIEW:
    agents: [reviewer]
groups:
  utility: [Explore, Plan]
  languages: [bash-*, nix-*, c-*]     # they change files
agents:
  bash-developer: {keywords: [bash, shell]}
  c-developer: {keywords: [c, header]}
limits: {running: 8}
`

func TestCountFiles(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"a.py", "src/b.py", "src/c.go", "README.md", ".git/x.py", "node_modules/y/z.js",
		"build/x.c"} {
		write(t, filepath.Join(root, name))
	}
	var p Project
	p.CountFiles(root)
	if p.Files != 4 || p.More || !slices.Equal(p.Languages, []Language{{"Python", 2}, {"Go", 1}}) {
		t.Errorf("found %+v", p)
	}
}

// TestManyFiles: the look has an end.
func TestManyFiles(t *testing.T) {
	root := t.TempDir()
	for i := range mostFiles + 2 {
		write(t, filepath.Join(root, "d"+strings.Repeat("x", i%50),
			strings.Repeat("a", i/50%200+1)+strings.Repeat("b", i/10_000)+".go"))
	}
	var p Project
	p.CountFiles(root)
	if p.Files != mostFiles || !p.More || !strings.HasPrefix(p.Describe(), "more than 20000 files (Go)") {
		t.Errorf("%d files, %v: %s", p.Files, p.More, p.Describe())
	}
}

func TestCanEdit(t *testing.T) {
	for _, c := range []struct {
		agent Agent
		want  bool
	}{
		{Agent{}, true},
		{Agent{Tools: []string{"Read", "Edit"}}, true},
		{Agent{Tools: []string{"Read", "*"}}, true},
		{Agent{Tools: []string{"Read", "Bash", "Grep"}}, false},
		{Agent{Without: []string{"Edit", "Write", "MultiEdit", "NotebookEdit"}}, false},
		{Agent{Without: []string{"Edit"}}, true},
	} {
		if got := c.agent.CanEdit(); got != c.want {
			t.Errorf("%+v: %v", c.agent, got)
		}
	}
}

func TestFit(t *testing.T) {
	reader := []string{"Read", "Grep"}
	for _, c := range []struct {
		name      string
		project   Project
		has, lack []string
	}{
		{"nothing is known", Project{}, []string{"languages: [developer] ",
			"  developer: {description: Changes files of this project.}\n"},
			[]string{"bash", "nix"}},
		{"notes", Project{Files: 9}, []string{"languages: [developer] "}, []string{"bash"}},
		{"agents of its own", Project{Languages: []Language{{"Rust", 9}},
			Agents: []Agent{{Name: "dev"}, {Name: "scout", Tools: reader}, {Name: "reviewer", Tools: reader}}},
			[]string{"  utility: [Explore, Plan, scout]\n",
				"  languages: [dev]                    # they change files\n",
				"agents:\n  dev: {keywords: [cargo, clippy, crate, rs, rust]}\nlimits:"},
			[]string{"bash-", "utility: [Explore, Plan, scout, reviewer"}},
		{"only readers", Project{Languages: []Language{{"Shell", 9}, {"C", 8}},
			Agents: []Agent{{Name: "scout", Tools: reader}}},
			[]string{"[Explore, Plan, scout]", "languages: [bash-developer, c-developer] ",
				"  bash-developer: {keywords: [bash, shell]}\n",
				"  c-developer: {keywords: [c, header]}\nlimits:"}, []string{"nix"}},
		{"a language without an agent", Project{Languages: []Language{{"TypeScript", 90}, {"Shell", 5}}},
			[]string{"languages: [developer] ", "  developer: {keywords: [npm, react, ts, tsx, typescript]}\n"},
			[]string{"bash"}},
		{"a language that the agent names", Project{Languages: []Language{{"TypeScript", 90}}, Agents: []Agent{
			{Name: "go-dev", Description: "Writes the server. And more."},
			{Name: "web", Description: "We go to C there: PHP, say " + strings.Repeat("x", 80)}}},
			[]string{`go-dev: {description: "Writes the server", keywords: [go, gofmt, golang, goroutine]}`,
				`web: {description: "We go to C there: PHP, say…", keywords: [composer, laravel, php]}`}, nil},
		{"an agent of a plugin", Project{Agents: []Agent{{Name: "team:dev"}}},
			[]string{`languages: ["team:dev"] `, `  "team:dev": {description: Changes files of this project.}`}, nil},
	} {
		got := c.project.Fit(preset, "yaml")
		for _, want := range c.has {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q is not in:\n%s", c.name, want, got)
			}
		}
		for _, not := range c.lack {
			if strings.Contains(got, not) {
				t.Errorf("%s: %q is in:\n%s", c.name, not, got)
			}
		}
	}
}

// TestFitWorkers: a preset without states proposes the project's agents.
func TestFitWorkers(t *testing.T) {
	const preset = "groups:\n  workers: [builder, general-purpose]   # they change files\n  readers: [Explore]\n\n" +
		"agents:\n" +
		"  analyst:\n    description: x\n  builder:\n    description: y\n    keywords: [z]\n\nlimits: {running: 8}\n"
	scout := Agent{Name: "scout", Tools: []string{"Read", "Grep", "Glob"}}
	half := Agent{Name: "dev-half", Tools: []string{"Read", "Grep"}}
	dev := Agent{Name: "dev", Description: "Writes."}
	builder := Agent{Name: "builder"}
	for _, c := range []struct {
		name   string
		agents []Agent
		want   []string
		lack   string
	}{
		{"no agents", nil, []string{preset}, "dev"},
		{"a reader", []Agent{scout}, []string{"readers: [scout, Explore]\n", "[builder, general-purpose]",
			"  builder:\n"}, "dev"},
		{"a worker", []Agent{dev}, []string{"workers: [dev, general-purpose] ", "readers: [Explore]\n",
			"\nagents:\n  dev: {description: \"Writes\"}\n  analyst:\n    description: x\n\nlimits:"}, "builder"},
		{"one that cannot search", []Agent{half}, []string{preset}, "dev"},
		{"one of the same name", []Agent{builder}, []string{"workers: [builder, general-purpose] ",
			"\nagents:\n  builder: {", "x\n\nlimits:"}, "[z]"},
	} {
		got := Project{Agents: c.agents}.Fit(preset, "yaml")
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q is not in:\n%s", c.name, want, got)
			}
		}
		if strings.Contains(got, c.lack) {
			t.Errorf("%s: %q is in:\n%s", c.name, c.lack, got)
		}
	}
	const example = "groups:\n  workers: [general-purpose]\nexample: Agent(subagent_type=\"general-purpose\")\n"
	got := Project{Agents: []Agent{dev}}.Fit(example, "yaml")
	if !strings.Contains(got, "workers: [dev, general-purpose]\nexample: Agent(subagent_type=\"dev\")\n") {
		t.Errorf("without entries: %s", got)
	}
	writer := Agent{Name: "dev-writer", Tools: []string{"Edit"}}
	if got := (Project{Agents: []Agent{writer}}).Fit(preset+"deny: [Bash]\n", "yaml"); strings.Contains(got,
		"dev-writer") {
		t.Errorf("one without a shell is proposed for commands: %s", got)
	}
}

// TestLongLists take several lines.
func TestLongLists(t *testing.T) {
	var p Project
	for letter := range strings.SplitSeq("abcdefghij", "") {
		p.Agents = append(p.Agents, Agent{Name: strings.Repeat(letter, 30)})
	}
	_, list, _ := strings.Cut(p.Fit(preset, "yaml"), "  languages: [")
	list, _, _ = strings.Cut(list, "]")
	for line := range strings.Lines(list) {
		if len(line) > 120 {
			t.Errorf("a line of %d characters: %s", len(line), line)
		}
	}
	if len(strings.Fields(list)) != 10 {
		t.Error(list)
	}
}

// TestOthersStay: a preset without these groups is written as it is.
func TestOthersStay(t *testing.T) {
	other := "version: 1\ngroups:\n  builders: [x]\n"
	if got := (Project{Agents: []Agent{{Name: "dev"}}}).Fit(other, "yaml"); got != other {
		t.Error(got)
	}
}

func TestPreview(t *testing.T) {
	if got, want := Preview("# $schema=x\n"+preset),
		"A preset.\n  utility: [Explore, Plan]\n  languages: [bash-*, nix-*, c-*]     # they change "+
			"files"; got != want {
		t.Errorf("%s\nexpected\n%s", got, want)
	}
}

func write(t *testing.T, file string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
}
