package claude

import (
	"slices"
	"testing"
)

// TestToolsOfAgents: the tools of an agent are a line or a list, with or without what they may be given.
func TestToolsOfAgents(t *testing.T) {
	for _, test := range []struct {
		head           string
		tools, without []string
	}{
		{"name: a", nil, nil},
		{"name: a\ntools: Read, Grep,Bash(git *)", []string{"Read", "Grep", "Bash"}, nil},
		{"name: a\ntools:\n  - Read\n  - mcp__x__*\ndisallowedTools: Edit", []string{"Read", "mcp__x__*"}, []string{"Edit"}},
		{"name: a\ndescription: this: is no YAML\ntools: Read, Write", []string{"Read", "Write"}, nil},
	} {
		d := parseDefinition([]byte("---\n" + test.head + "\n---\nDo it.\n"))
		if d.Name != "a" || !slices.Equal(d.Tools, test.tools) || !slices.Equal(d.Without, test.without) {
			t.Errorf("%q: %+v", test.head, d)
		}
	}
}
