package dialect

import (
	"cmp"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
)

// A Dialect is what a host says in its own way. Claude Code's adapter, which knows more,
// has none.
type Dialect struct {
	Host    string
	Voice                 // how it is answered, and what it can do
	Starter fsm.StartTool // its tool that starts agents, for texts
	Tools   string        // its own: see ListTools
	Default string        // the agent type that it starts where a call names none
	Agents  []string      // those that it can start without a definition
	// Namespaces stand before the names of some of its tools, without a separator.
	Namespaces []string
	Joint      string         // what joins a server and its tool in a name; "" for mcp__server__tool
	Native     func(*Payload) // renames what the host calls otherwise; nil for nothing
	// Finish completes an event. Without a concern of ours it returns false. nil for nothing.
	Finish func(*Payload, *fsm.Event) bool
	// Forked is where the first line of a transcript names the session that one was forked from; "" where none does.
	Forked string

	Folders    hooks.Places // its folders, below the project and the user's home
	UserEnv    string       // the variable that names the user's folder in place of Folders.User
	RootEnv    string       // the variable that names the project; "" where it runs hooks in the project
	Settings   string       // the file with the hooks, in each of the two folders
	Millis     bool         // timeouts in that file count milliseconds
	Comments   bool         // it reads comments in that file
	EndTimeout int          // seconds that it waits for a hook at a session's end; 0 for as long as at others
	Unattended string       // why no person can have typed what it calls a prompt
	Arguments  string       // what its commands have in place of Claude Code's $ARGUMENTS
}

// Events lists the hooks that we register with the host.
func (d *Dialect) Events() []Event {
	out := Events(d.Can, 30)
	if i := slices.IndexFunc(out, func(e Event) bool { return e.Name == "SessionEnd" }); i >= 0 {
		out[i].Timeout = cmp.Or(d.EndTimeout, out[i].Timeout)
	}
	return out
}

// A Tool is one of a host's tools, with what it is to the policy.
type Tool struct {
	Native    string // as payloads name it
	Canonical string
	Starts    string // the argument that names the agent type it starts
	Wakes     string // the argument that names the agent that it wakes
	Said      string // what the model calls it
}

// ListTools reads the table of the host's tools. A line has the policy's name, or "own" for the same as the host's,
// what is so of each tool of the line, with a =, and the names that payloads give to them.
func (d *Dialect) ListTools() (all []Tool) {
	for line := range strings.Lines(d.Tools) {
		var each Tool
		for i, word := range strings.Fields(line) {
			switch key, value, _ := strings.Cut(word, "="); {
			case i == 0 && word == "own":
			case i == 0:
				each.Canonical = word
			case key == "starts":
				each.Starts = value
			case key == "wakes":
				each.Wakes = value
			case key == "said":
				each.Said = value
			default:
				t := each
				t.Native, t.Canonical, t.Said = word, cmp.Or(t.Canonical, word), cmp.Or(t.Said, word)
				all = append(all, t)
			}
		}
	}
	return all
}

// A Call is one call of a hook.
type Call struct {
	hooks.NoCall
	Payload
	dialect *Dialect
}

// Input is what the tool was given, as far as a rule can ask for it.
func (c *Call) Input() map[string]string { return c.Payload.Input() }

// Parent is the session that this one was forked from.
func (c *Call) Parent() string {
	if c.Source != "fork" || c.dialect.Forked == "" {
		return ""
	}
	return c.ReadTranscript(c.dialect.Forked)
}

// ReadTranscript reads a text in the first line of the session's transcript.
func (p *Payload) ReadTranscript(path string) string {
	return gjson.Get(hooks.ReadHead(p.Transcript, 1<<20), path).Str
}

// Reply answers in the host's words.
func (c *Call) Reply(w io.Writer, d fsm.Decision) error {
	return c.dialect.Voice.Reply(w, c.Payload.Event, d)
}

// Event translates the payload into our terms.
func (c *Call) Event(now time.Time) (fsm.Event, bool) {
	d, p := c.dialect, &c.Payload
	e := fsm.Event{Session: p.SessionID, Time: now, Dir: p.Dir, Notes: p.Notes, Starter: d.Starter, Words: d.words(),
		Host: d.Can.Describe(d.Host), Agent: fsm.Agent{Basis: "no agent_id"}}
	if p.AgentID != "" {
		e.Agent = fsm.Agent{ID: p.AgentID, Type: p.AgentType, Parent: p.ParentAgent, Basis: "agent_id"}
	}
	switch p.Event {
	case "SessionStart":
		e.Kind, e.Source = fsm.SessionStart, p.Source
		if p.Source == "compact" {
			e.Kind = fsm.Compacted
		}
	case "UserPromptSubmit":
		e.Kind, e.Prompt, e.Text = fsm.Prompt, p.PromptID+p.Turn, p.Prompt
		e.Tool.Skill = d.findTyped(cmp.Or(p.Submitted, p.Prompt))
	case "PreToolUse":
		e.Kind, e.Tool = fsm.ToolRequest, c.tool()
		if e.Tool.Unknown = d.find(p.ToolName) == nil && !strings.HasPrefix(e.Tool.Name, "mcp__"); e.Tool.Unknown {
			e.Notes = append(e.Notes, "unknown tool "+p.ToolName+": it follows the default")
		}
	case "PostToolUse":
		e.Kind, e.Tool = fsm.ToolResult, c.tool()
	case "PostToolUseFailure":
		e.Kind, e.Tool, e.Text = fsm.ToolFailure, c.tool(), gjson.ParseBytes(p.Error).String()
	case "SubagentStart":
		e.Kind = fsm.AgentStart
	case "SubagentStop":
		e.Kind, e.Text, e.Held = fsm.AgentStop, p.LastMessage, p.Held
	case "Stop":
		e.Kind, e.Text, e.Held = fsm.TurnStop, p.LastMessage, p.Held
		if !e.Agent.IsMain() { // the agent's own end comes too
			return e, false
		}
	case "SessionEnd":
		e.Kind, e.Source = fsm.SessionEnd, p.Reason
	default:
		return e, false
	}
	return e, d.Finish == nil || d.Finish(p, &e)
}

// find is what is known of a tool, nil for one that is not the host's own.
func (d *Dialect) find(native string) *Tool {
	for _, space := range d.Namespaces {
		native = strings.TrimPrefix(native, space)
	}
	for _, t := range d.ListTools() {
		if t.Native == native || t.Said == native {
			return &t
		}
	}
	return nil
}

// tool reads the tool and what it is given.
func (c *Call) tool() fsm.Tool {
	p, own := &c.Payload, c.dialect.find(c.ToolName)
	raw := gjson.ParseBytes(p.ToolInput)
	in := ObjectOf(raw)
	t := fsm.Tool{UseID: p.ToolUseID, Command: in.Text("command")}
	t.Typed = t.Command != "" && !c.dialect.Can.Has(hooks.TellsInput)
	if own == nil {
		t.Name, t.Args = p.ToolName, ListTexts(raw)
		// Where a name does not say at which joint the server's ends, it is the first: rules take them as equal.
		server, tool, ok := strings.Cut(p.ToolName, c.dialect.Joint)
		if ok && c.dialect.Joint != "" && server != "" && !strings.HasPrefix(p.ToolName, "mcp__") {
			t.Name = "mcp__" + server + "__" + tool
		}
	} else {
		t.Name = own.Canonical
	}
	if t.Name != p.ToolName {
		t.Native = p.ToolName
	}
	addFiles(&t, raw, in)
	p.CompleteTool(&t, in)
	switch {
	case own != nil && own.Wakes != "":
		t.Starts, t.Message = &fsm.Start{How: fsm.ByMessage, Name: in.Text(own.Wakes)}, in.Text("message", "content")
	case own != nil && own.Starts != "":
		t.Starts = &fsm.Start{How: fsm.ByAgent, Type: in.Text(own.Starts), Name: in.Text("name", "task_name")}
		if !in.HasKey(own.Starts) {
			t.Starts.Type = c.dialect.Default
		}
	case t.Name == "Workflow":
		t.Starts = &fsm.Start{How: fsm.ByWorkflow, Type: "workflow-subagent"}
	case t.Name == "Skill":
		t.Skill = strings.TrimPrefix(in.Text("skill"), "/")
	case t.Name == "CronCreate" || t.Name == "ScheduleWakeup":
		t.Prompt = in.Text("prompt")
	}
	switch {
	case p.Event != "PostToolUse":
	case t.Starts != nil:
		answer := gjson.ParseBytes(p.Response)
		if answer.Type == gjson.String && gjson.Valid(answer.Str) { // an object in a string
			answer = gjson.Parse(answer.Str)
		}
		t.Result.AgentID = ObjectOf(answer).Text("agent_id", "agentId")
	case t.Name == "TaskStop":
		t.Result.Task = in.Text("target", "id", "agent_id", "task_id")
	}
	return t
}

// addFiles adds the files that a tool's input names: as they are, or in a patch.
func addFiles(t *fsm.Tool, raw gjson.Result, in Object) {
	for _, key := range []string{"file_path", "notebook_path", "path", "absolute_path", "paths"} {
		for _, path := range ListTexts(in[key]) {
			if path.Text != "" { // names no file: see CompleteTool
				t.Paths = append(t.Paths, path.Text)
			}
		}
	}
	text := t.Command
	if raw.Type == gjson.String {
		text = raw.Str
	}
	if isPatch := t.Name == "Edit" && len(t.Paths) == 0 && text != ""; isPatch || strings.Contains(text, patchBegin) {
		t.Files = readPatch(text)
	}
	if t.Name == "Edit" {
		t.Command = "" // a patch, or a word of an editor's own
	}
}
