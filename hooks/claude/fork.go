package claude

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/tidwall/gjson"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// forkID is the id that a forked session goes on with, where the client still gives the old
// one. Client 2.1.197 starts a fork as a resume of the old session and uses the new id from
// the next event on; only the folder of the environment file already has it (by experiment).
func (c *call) forkID() string {
	file := c.host.Env("CLAUDE_ENV_FILE")
	if c.Source != "resume" || file == "" {
		return ""
	}
	dir := system.Dir(file)
	if filepath.Base(system.Dir(dir)) != "session-env" || filepath.Base(dir) == c.SessionID {
		return ""
	}
	return filepath.Base(dir)
}

// Parent is the session that this one was forked from. It is on the client's command line.
// Where the client continues the latest conversation it is the latest of the project
// (2.1.329, by experiment).
func (c *call) Parent() string {
	if c.forkID() != "" {
		return c.SessionID
	}
	if c.Source != "fork" {
		return ""
	}
	if pid, err := strconv.Atoi(c.host.Env("CLAUDE_PID")); err == nil && pid > 0 {
		if id := findResumed(system.ReadProcesses().Args(pid)); id != "" {
			return id
		}
	}
	return c.latestSession()
}

// findResumed finds the session id among the client's arguments.
func findResumed(args []string) string {
	for i, a := range args {
		if (a == "-r" || a == "--resume") && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
			return args[i+1]
		}
		if id, ok := strings.CutPrefix(a, "--resume="); ok {
			return id
		}
	}
	return ""
}

// latestSession is the project's conversation that was written to last, other than this one.
func (c *call) latestSession() (latest string) {
	if c.Transcript == "" {
		return ""
	}
	files, err := os.ReadDir(system.Dir(c.Transcript))
	if err != nil {
		return ""
	}
	var when time.Time
	for _, f := range files {
		id, ok := strings.CutSuffix(f.Name(), ".jsonl")
		info, err := f.Info()
		if ok && err == nil && f.Type().IsRegular() && f.Name() != filepath.Base(c.Transcript) &&
			info.ModTime().After(when) {
			latest, when = id, info.ModTime()
		}
	}
	return latest
}

// Spawn reads the client's own note of how the calling agent was started, nil if there is
// none. The note is not documented; seen with 2.1.197 and 2.1.329. The client writes it
// after the SubagentStart hooks have returned, so it is there at SubagentStop.
func (c *call) Spawn() *fsm.Spawn {
	path := c.agentTranscript()
	if path == "" {
		return nil
	}
	body, err := system.ReadFile(strings.TrimSuffix(path, ".jsonl") + ".meta.json")
	if err != nil {
		return nil
	}
	var note struct {
		Type   string `json:"agentType"`
		UseID  string `json:"toolUseId"`
		Parent string `json:"parentAgentId"` // 2.1.329, below the first level
		Depth  int    `json:"spawnDepth"`
	}
	if journal.Decode(body, &note) != nil || note.Type == "" {
		return nil
	}
	return &fsm.Spawn{Type: note.Type, UseID: note.UseID, ParentID: note.Parent, Depth: note.Depth}
}

// agentTranscript is the client's transcript of the calling agent; empty where it cannot be named.
func (c *call) agentTranscript() string {
	if c.AgentFile != "" || c.Transcript == "" || c.AgentID == "" || strings.ContainsAny(c.AgentID, `/\`) {
		return c.AgentFile
	}
	return system.Join(strings.TrimSuffix(c.Transcript, ".jsonl"), "subagents", "agent-"+c.AgentID+".jsonl")
}

// Tokens adds up what the calling agent's model has used, by the client's transcript of it. A message stands in
// several lines, each with the usage so far.
func (c *call) Tokens() (sum int) {
	body, err := system.ReadFile(c.agentTranscript())
	if err != nil {
		return 0
	}
	used := map[string]int64{}
	for line := range bytes.Lines(body) {
		v := gjson.GetManyBytes(line, "message.id", "message.usage.input_tokens",
			"message.usage.cache_creation_input_tokens", "message.usage.output_tokens")
		used[v[0].String()] = v[1].Int() + v[2].Int() + v[3].Int()
	}
	for _, n := range used {
		sum += int(n)
	}
	return sum
}

// Transcribed is the client's transcript of the session, "" where the payload names none.
// In the calls of subagents too it is the main agent's.
func (c *call) Transcribed() string { return c.Transcript }
