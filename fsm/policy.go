// Package fsm decides: what a session's state is, what each event does to it, and how each
// call is answered. It is pure. It reads no clock, no file, no environment and
// no network; what it must know about the world comes in as a fact of the event (see
// Needs). The same code therefore answers hooks, explains, replays and can be
// model-checked.
package fsm

import (
	"slices"
	"strings"
	"time"
)

// A Policy is a compiled pipeline: all that Step goes by. The zero Policy objects to
// nothing.
type Policy struct {
	Level          Level
	FailClosed     bool    // deny rather than let pass when pipeline itself fails
	Initial        string  // the state of a new session; "" when the policy has no states
	States         []State // breadth first from Initial
	Fails          []string
	Caller         Caller
	Main           Rules // for the main agent's calls
	Subagents      Rules // for all other agents' calls
	Agents         []AgentInfo
	Groups         []Group
	Tools          []ToolUse  // the first that fits a tool counts
	NeverDelegated [][]string // patterns of what is never delegated: @remote, @destroys, what the config adds
	Limits         Limits
	Tasks          TaskSource
	Hold           Hold
	Checks         []Check
	Opening        SessionOpening
	Planning       PlanningHint
	Confinement    Confinement
	Remind         Reminders
	Scratch        bool // a text of the config names the session's scratch folder
	Activate       Activation
	Bypass         BypassRules
	Ceiling        Ceiling
	Locked         []string // what an organisation's config locks; in force is that of the Ceiling
	Talk           TalkLimits
	SelfCheck      bool   // the main agent gets the self-check text at the start
	Dir            string // where sessions are kept, if not in the default place
	AuditInput     string // how much of a call's input a record keeps: none, summary or full
	Keep           Retention
	Readiness      Readiness
	Fingerprint    string // of all the sources, for records
}

// A Group is a name for agents, which texts may list.
type Group struct {
	Name   string
	Agents []string // names and globs
}

// A Ceiling is what an organisation has locked: no project, no mode and no bypass goes
// below it, unless the organisation allows the bypass.
type Ceiling struct {
	Place     string   // the file that says so; empty where nothing is locked
	Level     Level    // no level is lower; Off where the level is not locked
	RuleLevel Level    // the level of the locked rules
	Main      Rules    // judged beside the policy's own: the stricter answer counts
	Subagents Rules    // likewise
	Sections  []string // of the config that are locked, by their keys
	Tools     []ToolUse
	Allow     []string // bypasses that cover what is locked: @GROUP of the person, or a glob of the reason
}

// LockedPrefix begins the names of locked rules. No other rule's name has a slash.
const LockedPrefix = "locked/"

// hasRules reports whether some call meets an objection of a locked rule, or is counted.
func (c *Ceiling) hasRules() bool {
	return len(c.Main.List)+len(c.Subagents.List) > 0 || c.Main.Default.Verdict+c.Subagents.Default.Verdict > Pass
}

// Locks reports whether a section of the config is locked.
func (c *Ceiling) Locks(section string) bool { return slices.Contains(c.Sections, section) }

// Raise returns the level that holds where a project or a person wants this one.
func (c *Ceiling) Raise(l Level) Level {
	if l == Off && c.hasRules() {
		l = Observe // only the locked rules bind
	}
	return max(l, c.Level)
}

// IsOpen reports whether a project or a person may switch everything off.
func (c *Ceiling) IsOpen() bool { return c.Level == Off && !c.hasRules() }

// binds reports whether a rule's objections come from what is locked.
func (c *Ceiling) binds(rule string) bool {
	switch rule {
	case RulePipeline:
		return c.Locks("states")
	case RuleGate:
		return c.Locks("states") || c.Locks("hold")
	case RuleReturns:
		return c.Locks("agents")
	case RuleLimits, RuleTasks, RuleHold:
		return c.Locks(rule)
	}
	return strings.HasPrefix(rule, LockedPrefix)
}

// ToolSets are the project's tools and, where rules are locked, the organisation's: what
// either says of a tool counts, so that no project renames what a locked rule refuses.
func (p *Policy) ToolSets() [][]ToolUse {
	if !p.Ceiling.hasRules() {
		return [][]ToolUse{p.Tools}
	}
	return [][]ToolUse{p.Tools, p.Ceiling.Tools}
}

// A State is one paragraph of the config.
type State struct {
	Name     string
	Place    string    // where it is written: pipeline.yaml:12
	Triggers []Trigger // in the order in which they are tried
	OnStop   string    // where the end of the main agent's turn leads; "" nowhere
	OnPlan   string    // where a plan leads that the user has approved; "" nowhere
	Capture  string    // the name under which the plan's text is kept; "" for none
	Inject   string    // template: for the main agent, once the state is reached
	Brief    string    // template: for an agent that starts in the state
	Clear    []string  // captures that are forgotten when the state is entered
}

// AllTriggers lists all that may move the machine in the state: its triggers, the end of a turn, and an approved plan.
func (s State) AllTriggers() []Trigger {
	out := slices.Clone(s.Triggers)
	if s.OnStop != "" {
		out = append(out, Trigger{Name: TurnEnds, To: s.OnStop})
	}
	if s.OnPlan != "" {
		out = append(out, Trigger{Name: PlanApproved, To: s.OnPlan, Capture: s.Capture})
	}
	return out
}

// A Trigger is what may move the machine: agents of certain types that complete.
type Trigger struct {
	Name    string   // what the user wrote: "context-gatherer", "bash-*", "@utility"
	Agents  []string // patterns of agent types
	Says    string   // regular expression on the final message; "" for any
	To      string   // the state it leads to; its own state to stay
	Gate    *Gate    // must succeed before it moves
	Capture string   // the name under which the final message is kept; "" for none
	Helper  bool     // may run, moves nothing
	Place   string
}

// AgentInfo describes an agent, for routing and for the form of its final message.
type AgentInfo struct {
	Name        string
	Description string
	Keywords    []string
	Returns     string // regular expression of its final message; a group named file names a file that must exist
	Tries       int    // how often it is sent back
	Place       string
}

// BypassRules says what bypasses the policy from outside, and how long a person's
// bypass may last.
type BypassRules struct {
	Env     []Input       // variables that bypass everything for the client that they are set for
	Longest time.Duration // of a bypass by command; 0 for no bound
	Allow   []string      // what an organisation's config permits; in force is that of the Ceiling
}

// Caller names environment variables that identify the caller, for clients whose
// payload does not. They count only where the payload is silent.
type Caller struct {
	RoleEnv       string
	NameEnv       string
	Orchestrators []string // the values that mean the main agent
}

// Activation says what switches the policy on, and to which level. It never makes the
// policy more lenient, and a person's mode holds over it.
type Activation struct {
	When     []string // globs of whole paths: one must match a file when a session starts
	Skills   []string
	Commands []string // slash commands, without the slash
	Level    Level
	Place    string
}

// Limits bound what runs at once. Zero is without a bound.
type Limits struct {
	Running    int    // agents at once
	RunningEnv string // a variable that overrides it
	Depth      int    // 1 for agents of the main agent

	Calls, Minutes int // of one agent
	Tokens         int // of one agent, as far as its host tells
	SessionCalls   int // of all agents of a session

	OwnWorktree []string // patterns of agents that change files only in a worktree of their own
}

// TaskSource says where the task graph comes from.
type TaskSource struct {
	Graph  string   // a file
	From   []string // agent: the final message of one of Agents; plan: an approved plan; host: its own task tools
	Agents []string
	Place  string
}

// Hold says what keeps the main agent's turn from ending. A turn is never held while an
// agent runs, and at most Tries times in a row.
type Hold struct {
	// graph: the graph is done; tasks: the host's tasks are; plan: the plan has begun;
	// checks: they pass
	Until  []string
	Skills []string // using one of these counts as a plan
	States []string // only in these states
	Tries  int
	Say    string // template, beside what is left
	Gate   *Gate
	Place  string
}

// A Gate is a command that must succeed before the pipeline goes on, or a person who
// must agree. The caller of Step runs the command.
type Gate struct {
	Person  string // what the person is to do before agreeing; then there is no command
	Run     string
	Timeout time.Duration
	Tries   int
}

// When a check is run.
const (
	AtEdit    = "edit"
	AtTurnEnd = "turn_end"
)

// A Check is a command that is run after an edit of files that its globs match.
type Check struct {
	Name      string
	Files     []string // globs of whole paths
	Run       string
	Env       []Input
	UnlessEnv []Input
	Timeout   time.Duration
	At        []string
}

// SessionOpening is the text for the main agent at a session's beginning.
type SessionOpening struct {
	Inject string // template
	Files  []string
	On     []string // startup, resume, clear, compact, fork
}

// PlanningHint is the text for the main agent beside a prompt that has at least so many
// of the words.
type PlanningHint struct {
	Words   []string
	AtLeast int
	Say     string // template
}

// Reminders are texts for the main agent about its agents. A session gives at most
// Times of them.
type Reminders struct {
	AfterDelegation string // template
	AfterAgent      string // template
	Times           int
}

// TalkLimits bound what is injected into the contexts of agents, in characters. Zero is
// without a bound.
type TalkLimits struct {
	PerPrompt  int
	PerSession int
}

// Retention says how much of the past is kept. Zero is without an end.
type Retention struct {
	MaxSize  int64         // bytes of a journal before it continues in a new file
	MaxAge   time.Duration // of a session
	Sessions int           // of a project
}

// Expires reports whether a session is dropped: the nth newest, with its last event at
// that time.
func (k Retention) Expires(n int, last, now time.Time) bool {
	return k.Sessions > 0 && n >= k.Sessions || k.MaxAge > 0 && now.Sub(last) > k.MaxAge
}

// Readiness is what must hold before a policy is enforced.
type Readiness struct {
	Days             int // observed
	Calls            int
	Sessions         int
	Certain          int // callers known for certain, at least so many percent of the calls
	Errors           int // of pipeline itself, at most so many percent of the calls
	Bypassed         int // at most so many percent of the calls
	BypassedSessions int // at most so many percent of the sessions
}

// A Level is how strictly the policy is applied. Larger is stricter.
type Level int

// The levels, by the word a user writes.
const (
	Off      Level = iota // nothing is tracked
	Observe               // record only
	Guidance              // warn the agent, stop nothing
	AskFirst              // every denial becomes a question to the user
	Strict                // deny
)

var levelNames = [...]string{"off", "observe", "guidance", "ask", "strict"}

func (l Level) String() string { return levelNames[l] }

// ParseLevel reads a level by its name.
func ParseLevel(s string) (Level, bool) {
	i := slices.Index(levelNames[:], s)
	return Level(max(0, i)), i >= 0
}

// LevelNames lists the levels from the most lenient to the strictest.
func LevelNames() []string { return levelNames[:] }

// soften reduces a verdict to what the level allows.
func (l Level) soften(v Verdict) Verdict {
	switch {
	case l == Strict || v == Pass:
		return v
	case v == Confine && l < AskFirst:
		return Pass
	case l == AskFirst:
		return min(v, Ask)
	case l == Guidance:
		return min(v, Warn)
	}
	return Pass
}

// FindState returns the state of that name; the zero State for none.
func (p *Policy) FindState(name string) State {
	for _, s := range p.States {
		if s.Name == name {
			return s
		}
	}
	return State{}
}

// AllRules lists the rules of all agents, those that are locked included.
func (p *Policy) AllRules() (all []*Rule) {
	for _, set := range []*Rules{&p.Main, &p.Subagents, &p.Ceiling.Main, &p.Ceiling.Subagents} {
		for i := range set.List {
			all = append(all, &set.List[i])
		}
	}
	return all
}

// findReturns is the agreed form of an agent's final message. A teammate has none: it
// hands its work over in messages. Without one it is the zero AgentInfo, whose form any message has.
func (p *Policy) findReturns(r *Run) AgentInfo {
	for _, a := range p.Agents {
		if a.Returns != "" && !r.Teammate && NamesAgent(a.Name, r.Type) {
			return a
		}
	}
	return AgentInfo{}
}

// takesGraphFrom reports whether task graphs come from there.
func (p *Policy) takesGraphFrom(source string) bool { return slices.Contains(p.Tasks.From, source) }

// earlierField is how a template names what was captured earlier.
const earlierField = ".Earlier"

// OffersEarlier reports whether any text of the policy names what was captured earlier
// under a name, or under any.
func (p *Policy) OffersEarlier(name string) bool {
	field := earlierField
	if name != "" {
		field += "." + name
	}
	return slices.ContainsFunc(p.States, func(s State) bool {
		return strings.Contains(s.Brief, field) || strings.Contains(s.Inject, field)
	})
}

// runs reports whether the gate is a command.
func (g *Gate) runs() bool { return g != nil && g.Person == "" }

// Condition says what must hold, for people: a command, or that a person agrees. Empty
// for no gate.
func (g *Gate) Condition() string {
	switch {
	case g == nil:
		return ""
	case g.Person != "":
		return "a person agrees: " + g.Person
	}
	return g.Run
}
