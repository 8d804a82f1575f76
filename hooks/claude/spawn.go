package claude

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
)

// meta is the client's own note of how an agent was started. It is not documented; seen with 2.1.197 and 2.1.329. It is
// written after the SubagentStart hooks have returned, and is there at SubagentStop.
type meta struct {
	Type   string `json:"agentType"`
	UseID  string `json:"toolUseId"`
	Parent string `json:"parentAgentId"` // 2.1.329, below the first level
	Depth  int    `json:"spawnDepth"`
}

// Spawn reads the note about the calling agent; nil where there is none.
func (c *call) Spawn() *fsm.Spawn {
	path := c.AgentFile
	if path == "" {
		if c.Transcript == "" || c.AgentID == "" || strings.ContainsAny(c.AgentID, `/\`) {
			return nil
		}
		path = filepath.Join(strings.TrimSuffix(c.Transcript, ".jsonl"), "subagents", "agent-"+c.AgentID+".jsonl")
	}
	body, err := os.ReadFile(strings.TrimSuffix(path, ".jsonl") + ".meta.json")
	if err != nil {
		return nil
	}
	var m meta
	if json.Unmarshal(body, &m) != nil || m.Type == "" {
		return nil
	}
	return &fsm.Spawn{Type: m.Type, UseID: m.UseID, ParentID: m.Parent, Depth: m.Depth}
}
