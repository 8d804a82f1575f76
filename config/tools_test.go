package config

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-pipeline/pipeline/fsm"
)

// TestTools: names come before globs, and the longest glob first.
func TestTools(t *testing.T) {
	p := compiledText(t, `version: 1
tools:
  mcp__*: {reads: path}
  mcp__files__*: {writes: path  file_path, deletes: gone}
  "mcp__files__[a-c]": {reads: edits.path}
  mcp__files__save: {writes: where}
  mcp__x__go: {runs: what}
`)
	want := []fsm.ToolUse{
		{Tool: "mcp__files__save", Writes: []string{"where"}},
		{Tool: "mcp__x__go", Runs: []string{"what"}},
		{Tool: "mcp__files__[a-c]", Reads: []string{"edits.path"}},
		{Tool: "mcp__files__*", Writes: []string{"path", "file_path"}, Deletes: []string{"gone"}},
		{Tool: "mcp__*", Reads: []string{"path"}},
	}
	empty := func(u fsm.ToolUse) fsm.ToolUse {
		for _, list := range []*[]string{&u.Reads, &u.Writes, &u.Deletes, &u.Runs} {
			if len(*list) == 0 {
				*list = nil
			}
		}
		return u
	}
	var got []fsm.ToolUse
	for _, u := range p.Tools {
		got = append(got, empty(u))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
