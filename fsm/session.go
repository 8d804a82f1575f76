package fsm

import (
	"maps"
	"slices"
	"time"

	"github.com/agent-pipeline/pipeline/fsm/tasks"
)

// A Session is what the pipeline remembers of one session. It is small, because it travels
// in every line of the journal.
type Session struct {
	ID      string  `json:"id"`
	Policy  string  `json:"policy,omitempty"` // fingerprint of the policy that was last in force
	Machine Machine `json:"machine"`
	Agents  Agents  `json:"agents"`
	Budgets Budgets `json:"budgets"`
	Turn    Turn    `json:"turn"`
	Tasks   Tasks   `json:"tasks"`
	Talk    Talk    `json:"talk"`
}

// Machine is where the state machine stands.
type Machine struct {
	State           string         `json:"state,omitempty"`
	Since           time.Time      `json:"since,omitzero"`              // when the state was entered
	Visit           int            `json:"visit,omitempty"`             // counts the entries into states: work of an earlier visit is late
	Epoch           int            `json:"epoch,omitempty"`             // counts the resets: work of an earlier epoch moves nothing
	Worked          bool           `json:"worked,omitempty"`            // an agent of the state has completed in this visit
	Moves           int            `json:"moves,omitempty"`             // how often the machine has fired
	Captures        map[string]Ref `json:"captures,omitempty"`          // captured texts by name
	Off             bool           `json:"off,omitempty"`               // the level was off
	Level           string         `json:"level,omitempty"`             // in force at the last event
	ActivatedBy     string         `json:"activated_by,omitempty"`      // what has switched the policy on
	ActivatedByFile bool           `json:"activated_by_file,omitempty"` // it was a file, whose absence switches it off again
}

// Agents are the agents of a session.
type Agents struct {
	Runs      []Run       `json:"runs,omitempty"`      // running, and the latest that have ended
	Pending   []Admission `json:"pending,omitempty"`   // admitted, not yet started
	Workflows []Workflow  `json:"workflows,omitempty"` // scripts that start agents by themselves
}

// Budgets are what agents have used of the rules' limits.
type Budgets struct {
	Uses     []Budget      `json:"uses,omitempty"`
	Recent   []RecentTools `json:"recent,omitempty"`
	Refusals []Refusal     `json:"refusals,omitempty"`
}

// Turn is the main agent's current turn.
type Turn struct {
	Prompt        string   `json:"prompt,omitempty"`         // id of the prompt that began it; empty between turns
	Interrupted   bool     `json:"interrupted,omitempty"`    // the turn before this one was interrupted
	Held          int      `json:"held,omitempty"`           // how often in a row it was held
	Edited        []string `json:"edited,omitempty"`         // files written in it
	MissingChecks []string `json:"missing_checks,omitempty"` // checks whose program is missing, as the user was told
	Scheduled     []string `json:"scheduled,omitempty"`      // hashes of prompts that the host gives by its clock, shortened
}

// Tasks is how far the work has come.
type Tasks struct {
	Progress  *tasks.Progress `json:"progress,omitempty"`   // of the task graph, whose text is the capture "tasks"
	GraphFile string          `json:"graph_file,omitempty"` // hash of the graph's file when it was last read, shortened
	Open      []OpenTask      `json:"open,omitempty"`       // the host's tasks that are not completed
	Planned   bool            `json:"planned,omitempty"`    // a plan was approved, and no agent has started since
}

// Talk is what agents have been given to read.
type Talk struct {
	AnnouncedVisit   int    `json:"announced_visit,omitempty"`    // the visit whose text the main agent has been given
	PendingNotice    string `json:"pending_notice,omitempty"`     // what the main agent must still be told
	Reminders        int    `json:"reminders,omitempty"`          // reminders given
	Chars            int    `json:"chars,omitempty"`              // characters injected
	CharsSincePrompt int    `json:"chars_since_prompt,omitempty"` // of those, since a person's last prompt
}

// A Ref refers to a captured text, which is a file of its own.
type Ref struct {
	Hash  string `json:"hash"` // SHA-256 of the text, hexadecimal
	Size  int    `json:"size"` // bytes
	Agent string `json:"agent,omitempty"`
}

// Status is how far a run of an agent has come.
type Status string

// The statuses.
const (
	Running Status = "running"
	Waiting Status = "waiting" // it stopped, but an agent that it started still runs
	Done    Status = "done"
	Failed  Status = "failed"
	Lost    Status = "lost" // it can no longer be running, and nobody told how it ended
)

// A Run is one run of an agent. The same id may start and stop several times.
type Run struct {
	ID          string `json:"id"`
	Type        string `json:"type"`
	Name        string `json:"name,omitempty"`
	How         How    `json:"how,omitempty"`
	By          string `json:"by,omitempty"` // the id of who started it: empty for the main agent, Stranger when unknown
	UseID       string `json:"use,omitempty"`
	Visit       int    `json:"visit,omitempty"`
	Epoch       int    `json:"epoch,omitempty"`
	Status      Status `json:"status"`
	Quarantined string `json:"quarantined,omitempty"` // the state that did not admit it
	Fired       bool   `json:"fired,omitempty"`       // it has completed once; it never moves the machine again
	Capture     string `json:"capture,omitempty"`     // the name under which its final message is kept
	Final       *Ref   `json:"final,omitempty"`       // what it said before it waited
	Depth       int    `json:"depth,omitempty"`       // 1 for an agent of the main agent; 0 where nobody told
	Teammate    bool   `json:"teammate,omitempty"`    // a member of a team
	Returned    int    `json:"returned,omitempty"`    // how often it was sent back
	Delivered   bool   `json:"delivered,omitempty"`   // its result has reached the main agent
}

// Stranger stands for a caller that the host did not name.
const UnknownCaller = "?"

// An Admission is an agent that was let in and has not started yet.
type Admission struct {
	UseID            string `json:"use,omitempty"`
	How              How    `json:"how"`
	Type             string `json:"type,omitempty"`
	Name             string `json:"name,omitempty"`
	ID               string `json:"id,omitempty"` // the agent's id, where it is known beforehand
	By               string `json:"by,omitempty"`
	State            string `json:"state,omitempty"`
	Visit            int    `json:"visit,omitempty"`
	Epoch            int    `json:"epoch,omitempty"`
	DespiteObjection bool   `json:"despite_objection,omitempty"` // let in over an objection: the user was asked, or the level only warns
	Stale            bool   `json:"stale,omitempty"`             // a person has spoken since: the turn was broken off, it counts no more, but may still start
}

// A Workflow is a script that was allowed to start agents.
type Workflow struct {
	UseID string `json:"use"`
	Task  string `json:"task,omitempty"`
}

// remembered is how many ended runs a session keeps, so that its line in the journal stays under 8 KB.
const remembered = 20

func (s Session) clone() Session {
	s.Agents.Runs = slices.Clone(s.Agents.Runs)
	s.Agents.Pending = slices.Clone(s.Agents.Pending)
	s.Agents.Workflows = slices.Clone(s.Agents.Workflows)
	s.Machine.Captures = maps.Clone(s.Machine.Captures)
	s.Budgets.Uses = slices.Clone(s.Budgets.Uses)
	s.Budgets.Recent = slices.Clone(s.Budgets.Recent)
	s.Budgets.Refusals = slices.Clone(s.Budgets.Refusals)
	s.Turn.Scheduled = slices.Clone(s.Turn.Scheduled)
	s.Tasks.Open, s.Turn.Edited, s.Turn.MissingChecks = slices.Clone(s.Tasks.Open), slices.Clone(s.Turn.Edited), slices.Clone(s.Turn.MissingChecks)
	return s
}

// RunningAgents returns the runs that have not ended, oldest first.
func (s Session) RunningAgents() []Run {
	var out []Run
	for _, r := range s.Agents.Runs {
		if r.active() {
			out = append(out, r)
		}
	}
	return out
}

func (r Run) active() bool { return r.Status == Running || r.Status == Waiting }

func (s *Session) run(id string) *Run {
	for i := range s.Agents.Runs {
		if s.Agents.Runs[i].ID == id {
			return &s.Agents.Runs[i]
		}
	}
	return nil
}

// named finds the run that a message is addressed to, by id or by the name it was given.
func (s *Session) named(who string) *Run {
	if r := s.run(who); r != nil {
		return r
	}
	for i := len(s.Agents.Runs) - 1; i >= 0; i-- {
		if s.Agents.Runs[i].Name == who && who != "" {
			return &s.Agents.Runs[i]
		}
	}
	return nil
}

func (s *Session) usedBy(use string) *Run {
	for i := range s.Agents.Runs {
		if s.Agents.Runs[i].UseID == use && use != "" {
			return &s.Agents.Runs[i]
		}
	}
	return nil
}

// add remembers a run and forgets the oldest that have ended.
func (s *Session) add(r Run) *Run {
	s.Agents.Runs = append(s.Agents.Runs, r)
	for ended, i := s.ended(), 0; ended > remembered && i < len(s.Agents.Runs); {
		if s.Agents.Runs[i].active() {
			i++
			continue
		}
		s.Agents.Runs = slices.Delete(s.Agents.Runs, i, i+1)
		ended--
	}
	return s.run(r.ID)
}

func (s *Session) ended() (n int) {
	for _, r := range s.Agents.Runs {
		if !r.active() {
			n++
		}
	}
	return n
}

func (s *Session) parents(id string) bool {
	return slices.ContainsFunc(s.Agents.Runs, func(r Run) bool { return r.By == id && r.active() })
}

func (s *Session) busy() bool { return slices.ContainsFunc(s.Agents.Runs, Run.active) }

// take removes the first admission that fits.
func (s *Session) take(fits func(Admission) bool) (Admission, bool) {
	i := slices.IndexFunc(s.Agents.Pending, fits)
	if i < 0 {
		return Admission{}, false
	}
	a := s.Agents.Pending[i]
	s.Agents.Pending = slices.Delete(s.Agents.Pending, i, i+1)
	return a, true
}

func (s *Session) drop(lapsed func(Admission) bool) {
	s.Agents.Pending = slices.DeleteFunc(s.Agents.Pending, lapsed)
}

// enter puts the session into a state, which forgets what the state says is stale.
func (s *Session) enter(st State, now time.Time) {
	s.Machine.State, s.Machine.Since, s.Machine.Worked = st.Name, now, false
	s.Machine.Visit++
	for _, name := range st.Clear {
		delete(s.Machine.Captures, name)
		if name == TasksCapture {
			s.Tasks.Progress = nil
		}
	}
}
