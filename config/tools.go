package config

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
)

// A ToolUse says what the inputs of a server's tool are for: their names, separated by
// spaces.
type ToolUse struct {
	Reads   string `koanf:"reads" as:"inputs"`
	Writes  string `koanf:"writes" as:"inputs"`
	Deletes string `koanf:"deletes" as:"inputs"`
	Runs    string `koanf:"runs" as:"inputs"`
}

// checkServerTool checks the name or glob of a server's tool.
func checkServerTool(name string) (message, hint string) {
	_, bad := path.Match(name, "")
	switch {
	case bad != nil || strings.TrimSpace(name) != name:
		return found(name, "a name or glob such as mcp__files__save"), ""
	case isNoName(name):
		return found(name, "a name or glob such as mcp__files__save"), globHint
	case !strings.HasPrefix(name, "mcp__") && len(fsm.FindTools(name)) > 0:
		return found(name, "a tool of a server such as mcp__files__save"), "what the client's own tools do is known"
	}
	return "", ""
}

func checkInputs(names string) (message, hint string) {
	if strings.ContainsAny(names, ",;[]{}\"'") || len(strings.Fields(names)) == 0 {
		return found(names, "names of inputs such as path, separated by spaces"), ""
	}
	return "", ""
}

// compileTools lists what the config says of servers' tools: names before globs, and of
// globs the longest first.
func (c *Config) compileTools() []fsm.ToolUse {
	names := slices.SortedFunc(maps.Keys(c.Tools), func(a, b string) int {
		if fsm.IsGlob(a) != fsm.IsGlob(b) {
			return cmp.Compare(strings.IndexAny(a, "*?["), strings.IndexAny(b, "*?["))
		}
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	var out []fsm.ToolUse
	for _, name := range names {
		u := c.Tools[name]
		out = append(out, fsm.ToolUse{Tool: name, Reads: strings.Fields(u.Reads), Writes: strings.Fields(u.Writes),
			Deletes: strings.Fields(u.Deletes), Runs: strings.Fields(u.Runs)})
	}
	return out
}
