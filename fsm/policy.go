// Package fsm is the law: what a session's state is, what each event does to it, and how each call is answered.
// It is pure. It reads no clock, no file, no environment and no network; whatever it must know of the world comes in
// as a fact of the event (see Needs). The same code therefore answers hooks, explains, replays and can be model-checked.
package fsm

import "time"

// A Policy is a compiled pipeline: all that Step goes by. The zero Policy objects to nothing.
type Policy struct {
	Level       Level
	FailClosed  bool    // what to do when pipeline itself fails: deny rather than let pass
	Initial     string  // the state of a new session; "" when the policy has no states
	States      []State // breadth first from Initial
	Fails       []string
	Caller      Caller
	Main        Rules // for the main agent's calls
	Subagents   Rules // for everybody else's
	Agents      []AgentInfo
	Limits      Limits
	Tasks       TaskSource
	Hold        Hold
	Checks      []Check
	Opening     SessionOpening
	Planning    PlanningHint
	Remind      Reminders
	Scratch     bool // a text of the config names the session's scratch folder
	Activate    Activation
	Bypass      BypassRules
	Talk        TalkLimits
	SelfCheck   bool   // the protocol of self-checks is given to the main agent at the start
	Dir         string // where sessions are kept, if not in the default place
	AuditInput  string // how much of a call's input a record keeps: none, summary or full
	Keep        Retention
	Readiness   Readiness
	Fingerprint string // of all the sources, for records
	Sources     []string
}

// A State is one paragraph of the config.
type State struct {
	Name     string
	Place    string    // where it is written: pipeline.yaml:12
	Triggers []Trigger // in the order in which they are tried
	OnStop   string    // where the end of the main agent's turn leads; "" nowhere
	Inject   string    // template: what the main agent is told once the state is reached
	Brief    string    // template: what an agent is told when it starts here
	Clear    []string  // captures that are forgotten when the state is entered
}

// A Trigger is what may move the machine: agents of certain types coming back with their work.
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

// BypassRules says what lifts the policy from outside, and for how long at most a person may lift it.
type BypassRules struct {
	Env     []Input       // variables that lift everything for the client that they are set for
	Longest time.Duration // of a bypass by command; 0 for no bound
}

// Caller names environment variables that tell who is calling, for clients whose payload does not. They count only
// where the payload is silent, and only when the config names them.
type Caller struct {
	RoleEnv       string
	NameEnv       string
	Orchestrators []string // the values that mean the main agent
}

// TurnEnds is the trigger of a state's OnStop, in the words of the config and the diagram.
const TurnEnds = "turn ends"

// FindState returns the state of that name.
func (p *Policy) FindState(name string) (State, bool) {
	for i := range p.States {
		if p.States[i].Name == name {
			return p.States[i], true
		}
	}
	return State{}, false
}

// Admits reports whether an agent of this type may start in the state, and by which trigger.
func (s State) Admits(agent string) (Trigger, bool) {
	for _, t := range s.Triggers {
		if MatchAgent(t.Agents, agent) {
			return t, true
		}
	}
	return Trigger{}, false
}

// works reports whether agents of this type are what the state is there for, rather than helpers.
func (s State) works(agent string) bool {
	t, ok := s.Admits(agent)
	return ok && !t.Helper
}

// A Level is how strictly the policy is applied. Larger is stricter.
type Level int

// The levels, by the word a user writes.
const (
	Off      Level = iota // nothing is tracked
	Observe               // record only
	Guidance              // tell the agent, stop nothing
	AskFirst              // every denial becomes a question to the user
	Strict                // deny
)

var levelNames = [...]string{"off", "observe", "guidance", "ask", "strict"}

func (l Level) String() string { return levelNames[l] }

// ParseLevel reads a level by its name.
func ParseLevel(s string) (Level, bool) {
	for i, n := range levelNames {
		if n == s {
			return Level(i), true
		}
	}
	return Off, false
}

// LevelNames lists the levels from the most lenient to the strictest.
func LevelNames() []string { return levelNames[:] }

// apply softens a verdict to what the level allows.
func (l Level) apply(v Verdict) Verdict {
	switch {
	case l == Strict || v == Pass:
		return v
	case l == AskFirst:
		return min(v, Ask)
	case l == Guidance:
		return min(v, Warn)
	}
	return Pass
}
