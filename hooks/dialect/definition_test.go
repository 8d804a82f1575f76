package dialect

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/agent-pipeline/pipeline/hooks"
)

// TestParseDefinition: the tools of an agent are a line or a list, with or without what they may be given.
func TestParseDefinition(t *testing.T) {
	for _, test := range []struct {
		head           string
		tools, without []string
	}{
		{"name: a", nil, nil},
		{"name: a\ntools: Read, Grep,Bash(git *)", []string{"Read", "Grep", "Bash"}, nil},
		{"name: a\ntools:\n  - Read\n  - mcp__x__*\ndisallowedTools: Edit", []string{"Read", "mcp__x__*"},
			[]string{"Edit"}},
		{"name: a\ndescription: this: is no YAML\ntools: Read, Write", []string{"Read", "Write"}, nil},
	} {
		d := ParseDefinition([]byte("---\n" + test.head + "\n---\nDo it.\n"))
		if d.Name != "a" || !slices.Equal(d.Tools, test.tools) || !slices.Equal(d.Without, test.without) ||
			d.Text != "Do it.\n" {
			t.Errorf("%q: %+v", test.head, d)
		}
	}
}

// TestMarkdown: what is written is read as the same agent, with the tools that the host has.
func TestMarkdown(t *testing.T) {
	host := &Dialect{Tools: "Read read_file zoom\nown Bash"}
	want := Definition{Name: "a", Description: `reads: "all"`, Tools: []string{"Read", "Bash", "TaskGet"},
		Text: "\nDo it.\n"}
	got := ParseDefinition(host.markdown(want))
	if got.Name != want.Name || got.Description != want.Description || got.Text != want.Text ||
		!slices.Equal(got.Tools, []string{"read_file", "Bash"}) {
		t.Errorf("%+v", got)
	}
	if got := ParseDefinition(host.markdown(Definition{Name: "a"})); got.Tools != nil {
		t.Errorf("an agent with all tools has only %q", got.Tools)
	}
}

// TestListDefined: an agent has the name that its file says, else the file's.
func TestListDefined(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "app [1]")
	for file, text := range map[string]string{"p/agents/a.md": "---\nname: first\n---\n",
		"u/agents/b.agent.md": "no head\n",
		"c.toml":              "description = \"x\"\nname = \"third\"\n", "d.toml": "x = 1\n"} {
		file = filepath.Join(dir, file)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755),
			os.WriteFile(file, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	got := ListDefined(hooks.Places{Project: dir + "/p", User: dir + "/u", Agents: "agents"},
		dir+"/c.toml", dir+"/d.toml", dir+"/none")
	if want := []string{"first", "b", "third", "d"}; !slices.Equal(got, want) {
		t.Errorf("defined: %q, want %q", got, want)
	}
}

// TestFindTyped: a skill is called by a word with the host's mark. A path is none.
func TestFindTyped(t *testing.T) {
	for mark, prompts := range map[string]map[string]string{
		"": {"/delegate build it": "delegate", "please /go-on now": "go-on", "look at /etc/passwd": "", "a / b": "",
			"$delegate": "", "/a:b /c_1": "c_1"},
		"$": {"$delegate build it": "delegate", "/delegate": "", "costs $5.00 or $more": "more"},
	} {
		d := &Dialect{Folders: hooks.Places{Mark: mark}}
		for prompt, want := range prompts {
			if got := d.findTyped(prompt); got != want {
				t.Errorf("%q calls %q, want %q", prompt, got, want)
			}
		}
	}
}
