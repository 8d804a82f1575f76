package fsm

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/agent-pipeline/pipeline/fsm/tasks"
)

// A Kind is a hook event in our terms. Every host's events are translated into these.
type Kind string

// The kinds.
const (
	Unknown         Kind = ""
	SessionStart    Kind = "session-start"
	Prompt          Kind = "prompt"
	PromptExpansion Kind = "prompt-expansion"
	ToolRequest     Kind = "tool-request"
	ToolResult      Kind = "tool-result"
	ToolFailure     Kind = "tool-failure"
	AgentStart      Kind = "agent-start"
	AgentStop       Kind = "agent-stop"
	AgentFailure    Kind = "agent-failure"
	TurnStop        Kind = "turn-stop"
	TurnFailure     Kind = "turn-failure"
	Compacted       Kind = "compacted"
	ConfigChange    Kind = "config-change"
	SessionEnd      Kind = "session-end"

	// Not hooks: commands of a person.
	Reset   Kind = "reset"
	Approve Kind = "approve"
	Reject  Kind = "reject"
)

// Kinds lists the kinds that Step decides.
func Kinds() []Kind {
	return []Kind{SessionStart, Prompt, PromptExpansion, ToolRequest, ToolResult, ToolFailure, AgentStart, AgentStop,
		AgentFailure, TurnStop, TurnFailure, Compacted, ConfigChange, SessionEnd, Reset, Approve, Reject}
}

func (k Kind) String() string {
	if k == Unknown {
		return "unknown"
	}
	return string(k)
}

// An Event is one thing that happened, as the host reports it. Its JSON form is what waits in the spool and, redacted,
// what the journal records.
type Event struct {
	Kind    Kind      `json:"kind"`
	Session string    `json:"session,omitempty"`
	Time    time.Time `json:"time"`
	Agent   Agent     `json:"agent,omitzero"`   // who did it; the zero Agent is the main agent
	Tool    Tool      `json:"tool,omitzero"`    // ToolRequest, ToolResult, ToolFailure
	Dir     string    `json:"dir,omitempty"`    // the caller's working directory
	Text    string    `json:"text,omitempty"`   // prompt, last message, error, or the reason of a reset or rejection
	Prompt  string    `json:"prompt,omitempty"` // Prompt: the host's id of the prompt, the same while a turn runs
	Origin  Origin    `json:"origin,omitempty"` // Prompt: who wrote it
	// SessionStart, SessionEnd: why; Reset: the state to go to; Approve, Reject: the hash of the result that was seen
	Source  string      `json:"source,omitempty"`
	Notice  Notice      `json:"notice,omitzero"`   // Prompt with Origin Notification
	Tasks   *Background `json:"tasks,omitempty"`   // what runs in the background; nil if the host does not say
	Host    HostInfo    `json:"host,omitzero"`     // in what the host differs from Claude Code
	Late    bool        `json:"late,omitempty"`    // no client waits for the answer any more
	Refused string      `json:"refused,omitempty"` // why the call was refused beside its policy, or when it had to wait
	Held    bool        `json:"held,omitempty"`    // TurnStop, AgentStop: it was held back just before
	Crons   []string    `json:"crons,omitempty"`   // TurnStop: prompts that the host will give by itself, by its clock
	Notes   []string    `json:"notes,omitempty"`   // what the reader noticed, for the record
	Starter StartTool   `json:"-"`                 // the host's tool that starts agents, for texts
	Words   Words       `json:"-"`                 // the host's names of tools, for texts; nil for Claude Code
	Facts   Facts       `json:"facts,omitzero"`
}

// An Agent is who did something. The zero Agent is the main agent.
type Agent struct {
	ID       string `json:"id,omitempty"`       // the host's id of this run of an agent
	Type     string `json:"type,omitempty"`     // as the host says it; empty for a phantom
	Teammate bool   `json:"teammate,omitempty"` // a member of a team, which its host tells apart
	Basis    string `json:"basis,omitempty"`    // how we know: "agent_id", "no agent_id", "environment"
	// the agent that started it, where the host says so; the session's id for the main agent
	Parent string `json:"parent,omitempty"`
}

// IsMain reports whether it is the main agent.
func (a Agent) IsMain() bool { return a.ID == "" }

// IsOrchestrator reports whether the orchestrator's rules bind it: the main agent, and a fork,
// which is a copy of it.
func (a Agent) IsOrchestrator() bool { return a.IsMain() || strings.EqualFold(a.Type, "fork") }

// A Tool is a tool call.
type Tool struct {
	Name     string            `json:"name,omitempty"`    // canonical: "Read", "Bash", "Agent", "mcp__github__list"
	Native   string            `json:"native,omitempty"`  // what the host calls it, where that differs
	UseID    string            `json:"use,omitempty"`     // pairs a request with its result
	Digest   string            `json:"digest,omitempty"`  // of Command, which is not recorded: see DigestCommand
	Starts   *Start            `json:"starts,omitempty"`  // for a call that starts or wakes an agent
	Paths    []string          `json:"paths,omitempty"`   // files it names, as the host gave them
	Files    []FileUse         `json:"-"`                 // what else it does to files; Parts has it too
	Command  string            `json:"command,omitempty"` // for a shell tool
	Typed    bool              `json:"-"`                 // the agent may type to what the command runs, unseen
	AnyShell bool              `json:"-"`                 // the agent may choose the shell of the command, unseen
	Args     []Arg             `json:"-"`                 // of a server's tool: the texts among its inputs
	Opaque   bool              `json:"opaque,omitempty"`  // what it runs cannot be known: its command is no text
	Input    map[string]string `json:"input,omitempty"`   // what else it was given, as far as rules ask for it
	Parts    []Part            `json:"parts,omitempty"`   // itself, or what a shell line does
	Skill    string            `json:"skill,omitempty"`   // of a skill or a slash command: its name
	Prompt   string            `json:"prompt,omitempty"`  // of a call that schedules a prompt: its text
	Plan     string            `json:"plan,omitempty"`    // ToolResult: the plan that the user has approved
	Planned  bool              `json:"planned,omitempty"` // ToolResult: the user has approved a plan
	Unasked  bool              `json:"unasked,omitempty"` // Planned: the client has not asked the user
	Task     *tasks.HostTask   `json:"task,omitempty"`    // ToolResult: a change of the host's own tasks
	Todos    []string          `json:"todos,omitempty"`   // ToolResult: the host's open tasks
	Listed   bool              `json:"listed,omitempty"`  // Todos is the whole list
	Unknown  bool              `json:"unknown,omitempty"` // ToolRequest: the reader does not know a tool of this name
	Message  string            `json:"message,omitempty"` // of a call that speaks to another agent
	Result   Result            `json:"result,omitzero"`   // ToolResult
	Over     []string          `json:"over,omitempty"`    // of a result or failure: agents that failed or are gone
}

// An Arg is a text among the inputs of a call. An input below others is named by all of them: files.path.
type Arg struct{ Name, Text string }

// A FileUse is what a call does to a file, as the host gave it: with which tool the same would be done.
type FileUse struct{ Tool, Path string }

// A Part is one thing that a call does. A tool that is no shell has one part for each file it names, or one in all.
type Part struct {
	Tool     string   `json:"tool"`               // "Bash", "Write", "Delete", "Read" …
	Words    []string `json:"words,omitempty"`    // of a command, also of one that changes what it does not name
	Via      []string `json:"via,omitempty"`      // of a command: the wrappers it was found in, outermost first
	Code     bool     `json:"code,omitempty"`     // of a command: what it runs cannot be known
	Unlisted bool     `json:"unlisted,omitempty"` // of a command: Code, as its effect is not known
	Shows    bool     `json:"shows,omitempty"`    // of a command: it changes nothing and runs nothing unknown
	Groups   []string `json:"groups,omitempty"`   // "@builds"; of a file: what it is to change it
	Fold     bool     `json:"fold,omitempty"`     // Path is the same file in other case
	Path     string   `json:"path,omitempty"`     // absolute, without links; or shell.Unknown
	Twin     string   `json:"twin,omitempty"`     // of a file in another worktree: the same in the project
	Names    []string `json:"names,omitempty"`    // patterns of the files that may be meant where Path does not say
	Guards   string   `json:"guards,omitempty"`   // the guarded thing that it would change, for people
	Client   string   `json:"client,omitempty"`   // the agent client that a command starts: "claude", "codex"
}

// A Start is what a call wants to start: an agent by type, a skill that forks, a workflow, an agent to be woken.
type Start struct {
	How  How    `json:"how"`
	Type string `json:"type,omitempty"` // agent type; empty for a wake
	Name string `json:"name,omitempty"` // of an agent or a skill; for a wake the agent's id or name
}

// How an agent is started.
type How string

// The ways in which agents are started.
const (
	ByAgent    How = "agent"    // the agent tool
	BySkill    How = "skill"    // a skill that runs in an agent of its own
	ByWorkflow How = "workflow" // a script that starts agents
	ByMessage  How = "message"  // a message to an agent that had finished
	ByShell    How = "shell"    // another agent client started in a shell
	ByPerson   How = "person"   // the user himself
)

// Result is what a finished call says of the agent that it started.
type Result struct {
	AgentID string `json:"agent,omitempty"`
	Done    bool   `json:"done,omitempty"` // the agent is finished and its result was handed over
	Task    string `json:"task,omitempty"` // a background task's id: what was started, or what was stopped
}

// Origin is who wrote a prompt.
type Origin string

// The origins.
const (
	Person       Origin = ""
	Notification Origin = "notification"
	Own          Origin = "own" // it repeats what we said: it begins no turn, moves nothing and orders nothing
)

// A Notice is what a background task's notification says.
type Notice struct {
	Task   string `json:"task,omitempty"`   // the agent's id or name, or a workflow's task id
	Status string `json:"status,omitempty"` // completed, failed, killed
}

// Background is what the host says runs in the background.
type Background struct {
	IDs      []string `json:"ids,omitempty"`      // running agents, by id
	Workflow bool     `json:"workflow,omitempty"` // a workflow is running: the agents it started are not listed
	Team     bool     `json:"team,omitempty"`     // teammates are running: they are not listed by their agent's id
}

// Facts are what Step must know of the world. The caller gathers those that Needs names.
type Facts struct {
	Spawn     *Spawn              `json:"spawn,omitempty"`    // how the host says the agent was started
	Captured  map[string]string   `json:"captured,omitempty"` // the captured texts, of Parent if there is one
	Parent    *Session            `json:"parent,omitempty"`   // the session that this one was forked from
	Env       map[string]string   `json:"env,omitempty"`      // the variables of rules that are set
	Overrides Overrides           `json:"overrides,omitzero"` // what persons have ordered about the level
	Earlier   map[string]*Earlier `json:"earlier,omitempty"`  // what earlier sessions captured
	Scratch   string              `json:"scratch,omitempty"`  // a folder for this session's intermediate files
	Graph     string              `json:"graph,omitempty"`    // the text of the file with the task graph
	Opening   []string            `json:"opening,omitempty"`  // SessionStart: the texts of the files to be injected
	Gate      *GateResult         `json:"gate,omitempty"`
	Checks    []CheckResult       `json:"checks,omitempty"`    // of an edit, or of a turn's edits
	Absent    string              `json:"absent,omitempty"`    // AgentStop: the missing file that the message names
	Present   string              `json:"present,omitempty"`   // SessionStart: a file that activates the policy
	Kernel    string              `json:"kernel,omitempty"`    // what can confine shell lines; empty for nothing
	Worktrees []string            `json:"worktrees,omitempty"` // the project's folder, first, and its twins
	Tokens    int                 `json:"tokens,omitempty"`    // that the caller's model has used; 0 if unknown
	Ticket    *TicketResult       `json:"ticket,omitempty"`    // of a shell line that has run, if it was to be held
	Judged    *Judged             `json:"judged,omitempty"`    // what calls were judged by before
	Tampered  string              `json:"tampered,omitempty"`  // ConfigChange: why our hooks would no longer run
	Agents    []KnownAgent        `json:"-"`                   // what the host can start, for texts; empty if unknown
}

// Judged is what a session was last judged by, or for a new one its project.
type Judged struct {
	Policy  string `json:"policy"`            // the fingerprint
	Level   string `json:"level"`             // that was in force
	From    string `json:"from,omitempty"`    // what sets the level now, where that is not the config
	Widened string `json:"widened,omitempty"` // what passes now and was refused then, in words; empty for nothing
}

// A Spawn is the host's own note of how an agent was started.
type Spawn struct {
	Type     string `json:"type,omitempty"`
	UseID    string `json:"use,omitempty"`    // the call that started it
	ParentID string `json:"parent,omitempty"` // the agent that started it; empty for the main agent
	Depth    int    `json:"depth,omitempty"`  // 1 for an agent of the main agent; 0 when the host does not say
}

// HostInfo is in what the host of an event differs from Claude Code, as far as that
// decides something. It is zero for Claude Code.
type HostInfo struct {
	Name        string `json:"name,omitempty"`
	CannotAsk   bool   `json:"cannot_ask,omitempty"`   // it runs a tool about which a person should be asked
	HidesCaller bool   `json:"hides_caller,omitempty"` // its events do not say which agent calls
	Echoes      bool   `json:"echoes,omitempty"`       // what holds a turn comes back as a prompt
	NoCommands  bool   `json:"no_orders,omitempty"`    // a person cannot type /pipeline into it
}

// Identify completes an event with what its host leaves out and the session knows: the
// caller, an agent's type, and that a prompt is an agent's or repeats what held the turn. It changes
// nothing in an event that says these things itself.
func (s Session) Identify(e Event) Event {
	if e.Host == (HostInfo{}) {
		return e
	}
	if e.Host.HidesCaller && e.Agent.IsMain() && e.Tool.Name != "" {
		if running := s.RunningAgents(); len(running) > 0 {
			e.Agent = Agent{ID: running[0].ID, Type: running[0].Type, Basis: "the only agent that runs"}
		}
	}
	if e.Agent.ID != "" && e.Agent.Type == "" {
		if r := s.findRun(e.Agent.ID); r != nil {
			e.Agent.Type = r.Type
		}
	}
	if isEcho := e.Host.Echoes && s.Talk.Held != "" && s.Talk.Held == promptKey(e.Text); e.Kind == Prompt &&
		e.Origin == Person && (isEcho || !e.Agent.IsMain()) {
		e.Origin = Own
	}
	return e
}

// takesCommands says where a person gives us commands, and what they begin with.
func (h HostInfo) takesCommands(typed string) (way, pipeline string) {
	if h.NoCommands {
		return "In a terminal: ", "pipeline"
	}
	return typed, "/pipeline"
}

// holdBack keeps a turn or an agent from ending, and remembers the reason where the host
// will give it back as a prompt.
func (st *step) holdBack(rule, reason string, times, most int) {
	st.Hold, st.Rule, st.Reason = true, rule, reason
	st.note("held by %s, %d of %d times", rule, times, most)
	if st.e.Host.Echoes && st.e.Agent.IsMain() {
		st.s.Talk.Held = promptKey(reason)
	}
}

// soften reduces a verdict to what the level allows and the host can do. What it cannot
// ask is denied.
func (st *situation) soften(l Level, v Verdict) Verdict {
	if v = l.soften(v); v == Ask && st.e.Host.CannotAsk {
		return Deny
	}
	return v
}

// explainUnasked says of a denial that it was to be a question, "" of any other.
func (st *situation) explainUnasked(l Level, v Verdict) string {
	if !st.e.Host.CannotAsk || l.soften(v) != Ask {
		return ""
	}
	return " The user is to be asked about this, and " + st.e.Host.Name + " lets no hook ask: so it is refused."
}

// Say puts a text of the config into the words of the event's host: configs are written in
// Claude Code's.
func (e Event) Say(text string) string {
	if e.Host.Name == "" {
		return text
	}
	return e.Words.Translate(e.Starter.translate(text))
}

// Words are what the model of a host calls its tools.
type Words []Word

// A Word is a tool's canonical name, and the host's.
type Word struct{ Tool, Said string }

// Translate puts the host's names of tools into a text. One that it lacks is left out of a
// list, and where it stands in parentheses. A name that is one word, such as Read, stays as
// it is, and so does what a template has in braces.
func (w Words) Translate(text string) string {
	if w == nil {
		return text
	}
	out := make([]byte, 0, len(text))
	for text != "" {
		end := strings.IndexFunc(text,
			func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if _, action, ok := strings.Cut(text, "}}"); strings.HasPrefix(text, "{{") && ok {
			end = len(text) - len(action)
		} else if end < 0 {
			end = len(text)
		}
		end = max(end, 1)
		word, rest := text[:end], text[end:]
		text = rest
		if strings.IndexFunc(word[1:], unicode.IsUpper) <= 0 || findTool(word).Name == "" {
			out = append(out, word...)
			continue
		}
		native := "" // the host may have one tool in place of several, for a list of tasks
		for _, name := range append([]string{word}, otherNames[word]...) {
			if i := slices.IndexFunc(w, func(w Word) bool { return w.Tool == name }); i >= 0 {
				native = w[i].Said
				break
			}
		}
		before, inParentheses := bytes.CutSuffix(out, []byte("("))
		items, inList := bytes.CutSuffix(out, []byte(", "))
		switch {
		case native == "" && inParentheses && strings.HasPrefix(rest, ")"):
			out, text = bytes.TrimRight(before, " \n"), rest[1:]
		case native == "" && inList && strings.IndexAny(strings.TrimLeft(rest, " "), ",.(") == 0:
			out = items
		default:
			out = append(out, cmp.Or(native, word)...)
		}
	}
	return string(out)
}

// translate puts what a text says of starting agents into the words of the host.
func (t StartTool) translate(text string) string {
	const call = "Agent(subagent_type="
	if t.Tool == "" || t.Tool == "Agent" || !strings.Contains(text, "Agent") {
		return text
	}
	text = strings.ReplaceAll(text, "the Agent tool", "the tool "+t.Tool)
	for {
		before, rest, found := strings.Cut(text, call)
		if !found {
			return text
		}
		args, after, _ := strings.Cut(rest, ")")
		if head, tail, ok := strings.Cut(args, `description="`); ok && t.Describe != "" {
			args = head + t.Describe + `="` + tail
		} else if _, tail, closed := strings.Cut(tail, `", `); closed {
			args = head + tail
		}
		text = before + t.Tool + "(" + t.Agent + "=" + strings.Replace(args, "prompt=", t.Prompt+"=", 1) + ")" + after
	}
}
