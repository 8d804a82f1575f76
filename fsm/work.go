package fsm

import "time"

// Limits bound what runs at once. Zero is without a bound.
type Limits struct {
	Running    int    // agents at once
	RunningEnv string // a variable that says otherwise
	Depth      int    // 1 for agents of the main agent
}

// TaskSource says where the graph of tasks comes from.
type TaskSource struct {
	Graph  string   // a file
	From   []string // agent: the final message of one of Agents; plan: an approved plan; host: its own task tools
	Agents []string
	Place  string
}

// Hold says what keeps the main agent's turn from ending: never while an agent runs, and not for ever.
type Hold struct {
	Until  []string // graph: the graph is done; tasks: the host's tasks are; plan: what was planned has begun; checks: they pass
	Skills []string // using one of these is a plan too
	States []string // only in these states
	Tries  int
	Say    string // template, beside what is left
	Gate   *Gate
	Place  string
}

// A Gate is a command that must succeed before the pipeline goes on. It is run by whoever gathers the facts.
type Gate struct {
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
	Place     string
}

// SessionOpening is what the main agent is told as a session begins.
type SessionOpening struct {
	Inject string // template
	Files  []string
	On     []string // startup, resume, clear, compact, fork
}

// PlanningHint is what the main agent is told beside a prompt with so many of the words.
type PlanningHint struct {
	Words   []string
	AtLeast int
	Say     string // template
}

// Reminders is what the main agent is told about its agents, so often in a session.
type Reminders struct {
	AfterDelegation string // template
	AfterAgent      string // template
	Times           int
}
