package fsm

import (
	"maps"
	"slices"
	"time"

	"github.com/agent-pipeline/pipeline/fsm/tasks"
)

// A Session is what the machine remembers: small, because it travels in every line of the journal.
type Session struct {
	ID       string         `json:"id"`
	State    string         `json:"state,omitempty"`
	Since    time.Time      `json:"since,omitzero"`    // when the state was entered
	Visit    int            `json:"visit,omitempty"`   // counts the entries into states: what began in an earlier visit is late
	Epoch    int            `json:"epoch,omitempty"`   // counts the resets: what began before one moves nothing
	Told     int            `json:"told,omitempty"`    // the visit whose text the main agent has been given
	Worked   bool           `json:"worked,omitempty"`  // an agent that the state is there for has completed in this visit
	Off      bool           `json:"off,omitempty"`     // the level was off
	Moves    int            `json:"moves,omitempty"`   // how often the machine has fired
	Policy   string         `json:"policy,omitempty"`  // fingerprint of the policy that was last in force
	Owed     string         `json:"owed,omitempty"`    // what the main agent must still be told
	Agents   []Run          `json:"agents,omitempty"`  // running, and the latest of those that ran
	Pending  []Admission    `json:"pending,omitempty"` // let in, not yet started
	Flows    []Flow         `json:"flows,omitempty"`   // scripts that start agents by themselves
	Captures map[string]Ref `json:"captures,omitempty"`
	Budgets  []Budget       `json:"budgets,omitempty"`
	Lately   []Lately       `json:"lately,omitempty"`
	Refused  []Refusal      `json:"refused,omitempty"`

	Level     string          `json:"level,omitempty"`      // in force at the last event
	Active    string          `json:"active,omitempty"`     // what has switched the policy on
	Scheduled []string        `json:"scheduled,omitempty"`  // prompts that the host will give by itself: the beginnings of their hashes
	Tasks     *tasks.Progress `json:"tasks,omitempty"`      // how far the task graph has come; its text is the capture "tasks"
	GraphFile string          `json:"graph_file,omitempty"` // the beginning of the hash of the graph's file, as it was last taken up
	Open      []Open          `json:"open,omitempty"`       // the host's tasks that are not completed
	Planned   bool            `json:"planned,omitempty"`    // a plan was approved, and no agent has started since
	Turn      string          `json:"turn,omitempty"`       // the prompt that the turn began with; empty between turns
	Cut       bool            `json:"cut,omitempty"`        // the turn before this one was interrupted
	Held      int             `json:"held,omitempty"`       // how often in a row the turn was held
	Reminded  int             `json:"reminded,omitempty"`   // reminders given
	Edited    []string        `json:"edited,omitempty"`     // files written in this turn
	NoChecks  []string        `json:"no_checks,omitempty"`  // checks whose program is missing, as the user was told
	Said      int             `json:"said,omitempty"`       // characters injected
	SaidNow   int             `json:"said_now,omitempty"`   // of those, since a person last spoke
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
	ID        string `json:"id"`
	Type      string `json:"type"`
	Name      string `json:"name,omitempty"`
	How       How    `json:"how,omitempty"`
	By        string `json:"by,omitempty"` // the id of who started it: empty for the main agent, Stranger when unknown
	UseID     string `json:"use,omitempty"`
	Visit     int    `json:"visit,omitempty"`
	Epoch     int    `json:"epoch,omitempty"`
	Status    Status `json:"status"`
	Barred    string `json:"barred,omitempty"`  // the state that did not admit it
	Fired     bool   `json:"fired,omitempty"`   // it has completed once; it never moves the machine again
	Capture   string `json:"capture,omitempty"` // the name under which its final message is kept
	Final     *Ref   `json:"final,omitempty"`   // what it said before it waited
	Depth     int    `json:"depth,omitempty"`   // 1 for an agent of the main agent; 0 where nobody told
	Mate      bool   `json:"mate,omitempty"`    // a member of a team
	Sent      int    `json:"sent,omitempty"`    // how often it was sent back
	Delivered bool   `json:"told,omitempty"`    // its result has reached the main agent
}

// Stranger stands for a caller that the host did not name.
const Stranger = "?"

// An Admission is an agent that was let in and has not started yet.
type Admission struct {
	UseID string `json:"use,omitempty"`
	How   How    `json:"how"`
	Type  string `json:"type,omitempty"`
	Name  string `json:"name,omitempty"`
	ID    string `json:"id,omitempty"` // the agent's id, where it is known beforehand
	By    string `json:"by,omitempty"`
	State string `json:"state,omitempty"`
	Visit int    `json:"visit,omitempty"`
	Epoch int    `json:"epoch,omitempty"`
	Over  bool   `json:"over,omitempty"`  // let in over an objection: the user was asked, or the level only warns
	Stale bool   `json:"stale,omitempty"` // a person has spoken since: the turn was broken off, it counts no more, but may still start
}

// A Flow is a script that was allowed to start agents.
type Flow struct {
	UseID string `json:"use"`
	Task  string `json:"task,omitempty"`
}

// remembered is how many ended runs a session keeps, so that its line in the journal stays under 8 KB.
const remembered = 20

func (s Session) clone() Session {
	s.Agents = slices.Clone(s.Agents)
	s.Pending = slices.Clone(s.Pending)
	s.Flows = slices.Clone(s.Flows)
	s.Captures = maps.Clone(s.Captures)
	s.Budgets = slices.Clone(s.Budgets)
	s.Lately = slices.Clone(s.Lately)
	s.Refused = slices.Clone(s.Refused)
	s.Scheduled = slices.Clone(s.Scheduled)
	s.Open, s.Edited, s.NoChecks = slices.Clone(s.Open), slices.Clone(s.Edited), slices.Clone(s.NoChecks)
	return s
}

// Running returns the runs that have not ended, oldest first.
func (s Session) Running() []Run {
	var out []Run
	for _, r := range s.Agents {
		if r.active() {
			out = append(out, r)
		}
	}
	return out
}

func (r Run) active() bool { return r.Status == Running || r.Status == Waiting }

func (s *Session) run(id string) *Run {
	for i := range s.Agents {
		if s.Agents[i].ID == id {
			return &s.Agents[i]
		}
	}
	return nil
}

// named finds the run that a message is addressed to, by id or by the name it was given.
func (s *Session) named(who string) *Run {
	if r := s.run(who); r != nil {
		return r
	}
	for i := len(s.Agents) - 1; i >= 0; i-- {
		if s.Agents[i].Name == who && who != "" {
			return &s.Agents[i]
		}
	}
	return nil
}

func (s *Session) usedBy(use string) *Run {
	for i := range s.Agents {
		if s.Agents[i].UseID == use && use != "" {
			return &s.Agents[i]
		}
	}
	return nil
}

// add remembers a run and forgets the oldest that have ended.
func (s *Session) add(r Run) *Run {
	s.Agents = append(s.Agents, r)
	for ended, i := s.ended(), 0; ended > remembered && i < len(s.Agents); {
		if s.Agents[i].active() {
			i++
			continue
		}
		s.Agents = slices.Delete(s.Agents, i, i+1)
		ended--
	}
	return s.run(r.ID)
}

func (s *Session) ended() (n int) {
	for _, r := range s.Agents {
		if !r.active() {
			n++
		}
	}
	return n
}

func (s *Session) parents(id string) bool {
	return slices.ContainsFunc(s.Agents, func(r Run) bool { return r.By == id && r.active() })
}

func (s *Session) busy() bool { return slices.ContainsFunc(s.Agents, Run.active) }

// take removes the first admission that fits.
func (s *Session) take(fits func(Admission) bool) (Admission, bool) {
	i := slices.IndexFunc(s.Pending, fits)
	if i < 0 {
		return Admission{}, false
	}
	a := s.Pending[i]
	s.Pending = slices.Delete(s.Pending, i, i+1)
	return a, true
}

func (s *Session) drop(lapsed func(Admission) bool) { s.Pending = slices.DeleteFunc(s.Pending, lapsed) }

// enter puts the session into a state, which forgets what the state says is stale.
func (s *Session) enter(st State, now time.Time) {
	s.State, s.Since, s.Worked = st.Name, now, false
	s.Visit++
	for _, name := range st.Clear {
		delete(s.Captures, name)
		if name == TasksCapture {
			s.Tasks = nil
		}
	}
}
