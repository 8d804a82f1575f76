package config

import (
	"cmp"
	"maps"
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
