package claude

import (
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/dialect"
	"github.com/agent-pipeline/pipeline/hooks/guard"
)

type (
	payload = dialect.Payload
	object  = dialect.Object
)

// call is one call of a hook.
type call struct {
	payload
	host Host
}

// Read takes one payload. Copilot CLI reads the same settings file and calls us too: all its payloads carry a
// timestamp, and none of this client's does (by experiment). Its variable alone proves nothing: a client started in its
// shell inherits it.
func (h Host) Read(r io.Reader) (hooks.Call, error) {
	p, err := dialect.Decode(r)
	if err == nil && len(p.Timestamp) > 0 && h.Env("COPILOT_CLI") != "" {
		return hooks.NoCall{}, nil
	}
	if err == nil {
		err = p.CheckNamed(h.Can(), h.Event)
	}
	if err != nil {
		return nil, err
	}
	return &call{payload: p, host: h}, nil
}

// Bare is a call whose payload could not be read: only the event's name is known.
func (h Host) Bare(event string) hooks.Call {
	return &call{host: h, payload: payload{Event: dialect.EventName(h.Can(), event)}}
}

// Event translates the payload into our terms. An agent_id, and nothing else, makes the caller a subagent:
//
//	caller                               agent_id            agent_type   it is
//	main agent, also a notification's    -                   -            main
//	main agent of --agent NAME           -                   NAME         main
//	subagent, nested or in background    a + 16 hex digits   its type     that agent
//	a plugin's agent                     a + 16 hex digits   plugin:name  that agent
//	workflow's or forked skill's agent   a + 16 hex digits   its type     that agent
//	fork (/fork, subagent_type fork)     a + slug + - + hex  fork         that agent
//	teammate                             a + name + - + hex  its name     that agent
//	API error in a subagent              its own             its type     that agent (StopFailure)
//	compaction                           one never started   ""           a phantom (SubagentStop)
//	compaction of the main agent         -                   -            main (SessionStart, compact)
//	compaction of a subagent             its own (2.1.329)   its type     that agent
//	the same, 2.1.197                    -                   -            main: nothing shows it
//	client without agent fields          -                   -            main: nothing shows it
func (c *call) Event(now time.Time) (fsm.Event, bool) {
	e := fsm.Event{Session: c.SessionID, Time: now, Dir: c.Dir, Notes: c.payload.Notes,
		Agent:   fsm.Agent{Basis: "no agent_id"},
		Starter: fsm.StartTool{Tool: "Agent", Agent: "subagent_type", Describe: "description", Prompt: "prompt"}}
	if c.AgentID != "" {
		isTeammate := c.AgentType != "" && strings.HasPrefix(c.AgentID, "a"+c.AgentType+"-") && c.AgentType != "fork"
		e.Agent = fsm.Agent{ID: c.AgentID, Type: c.AgentType, Teammate: isTeammate, Basis: "agent_id"}
	}
	switch c.payload.Event {
	case "SessionStart":
		e.Kind, e.Source = fsm.SessionStart, c.Source
		if c.Source == "compact" || !e.Agent.IsMain() {
			e.Kind = fsm.Compacted
		} else if to := c.forkID(); to != "" {
			e.Session, e.Source = to, "fork"
		}
	case "UserPromptSubmit":
		e.Kind, e.Prompt = fsm.Prompt, c.PromptID
		e.Text, e.Origin, e.Notice = parsePrompt(c.Prompt)
	case "UserPromptExpansion":
		e.Kind, e.Text, e.Tool.Skill = fsm.PromptExpansion, c.Prompt, c.Command
		// A command of a plugin, whose file is not known, may start anything.
		if forks, agent, known := c.host.readSkill(c.Command); forks || !known {
			e.Tool.Starts = &fsm.Start{How: fsm.ByPerson, Type: agent, Name: c.Command}
		}
	case "PreToolUse":
		e.Kind, e.Tool = fsm.ToolRequest, c.readTool()
		if t := &e.Tool; t.Name == "Agent" && gjson.GetBytes(c.ToolInput, "subagent_type").Type == gjson.Null {
			e.Notes = append(e.Notes, "no subagent_type was given: the client takes general-purpose")
		} else if t.Name != "" && !slices.Contains(Tools(), t.Name) && !strings.HasPrefix(t.Name, "mcp__") {
			t.Unknown = true // a tool that was renamed evades every rule that names it
			e.Notes = append(e.Notes, "unknown tool "+t.Name+": it follows the default")
		}
	case "PostToolUse":
		e.Kind, e.Tool = fsm.ToolResult, c.readTool()
	case "PostToolUseFailure":
		e.Kind, e.Tool = fsm.ToolFailure, c.readTool()
		e.Text = gjson.ParseBytes(c.Error).Str // why, where the client says so in words
	case "SubagentStart":
		e.Kind = fsm.AgentStart
	case "SubagentStop":
		e.Kind, e.Text, e.Held, e.Tasks = fsm.AgentStop, c.LastMessage, c.Held, c.backgroundTasks()
	case "Stop":
		e.Kind, e.Text, e.Held = fsm.TurnStop, c.LastMessage, c.Held
		e.Tasks, e.Crons = c.backgroundTasks(), textsAt(gjson.ParseBytes(c.Crons), "@values.#.prompt")
	case "StopFailure":
		e.Kind, e.Text = fsm.TurnFailure, c.LastMessage
		if !e.Agent.IsMain() {
			e.Kind = fsm.AgentFailure
		}
	case "SessionEnd":
		e.Kind, e.Source = fsm.SessionEnd, c.Reason
	case "ConfigChange":
		e.Kind, e.Source = fsm.ConfigChange, c.File
	default:
		return e, false
	}
	return e, true
}

// backgroundTasks is what still runs beside the agent that stops.
func (c *call) backgroundTasks() *fsm.Background {
	if c.Tasks == nil {
		return nil
	}
	out := &fsm.Background{}
	for _, t := range *c.Tasks {
		if t.Status != "running" && t.Status != "pending" {
			continue
		}
		switch t.Type {
		case "subagent":
			out.IDs = append(out.IDs, t.ID)
		case "workflow":
			out.Workflow = true
		case "teammate":
			out.Team = true
		}
	}
	return out
}

// parsePrompt tells a person's prompt from a background task's notification, which the
// client sends as a prompt too.
func parsePrompt(prompt string) (string, fsm.Origin, fsm.Notice) {
	if !strings.HasPrefix(strings.TrimSpace(prompt), "<task-notification>") {
		return prompt, fsm.Person, fsm.Notice{}
	}
	head := prompt
	for _, own := range []string{"<summary>", "<note>", "<result>"} { // the agent's own words follow
		head, _, _ = strings.Cut(head, own)
	}
	return "", fsm.Notification, fsm.Notice{Task: findElement(head, "task-id"), Status: findElement(head, "status")}
}

func findElement(s, name string) string {
	_, rest, _ := strings.Cut(s, "<"+name+">")
	text, _, ok := strings.Cut(rest, "</"+name+">")
	if !ok {
		return ""
	}
	return strings.TrimSpace(text)
}

// Reply writes the answer: one JSON object, or nothing at all.
func (c *call) Reply(w io.Writer, d fsm.Decision) error {
	if c.host.Env("CLAUDE_PLUGIN_ROOT") != "" {
		d = c.host.nameCommands(d)
	}
	return dialect.Voice{Can: c.host.Can()}.Reply(w, c.payload.Event, d)
}

// nameCommands writes our command in the texts for the person as they have to type it: with
// the prefix of the plugin, where only the plugin brings it.
func (h Host) nameCommands(d fsm.Decision) fsm.Decision {
	places := h.Places()
	for _, dir := range []string{places.Project, places.User} {
		if _, err := os.Stat(places.CommandFile(dir, "pipeline")); err == nil {
			return d
		}
	}
	name := func(text string) string { return strings.ReplaceAll(text, "/pipeline ", "/pipeline:pipeline ") }
	if d.Rule == guard.RuleOrder {
		d.Reason = name(d.Reason)
	}
	d.Notices = slices.Clone(d.Notices)
	for i := range d.Notices {
		d.Notices[i] = name(d.Notices[i])
	}
	return d
}
