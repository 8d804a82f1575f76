package fsm

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/fsm/redact"
	"github.com/agent-pipeline/pipeline/fsm/tasks"
)

// A Session is what the pipeline remembers of one session. It is small, because every
// line of the journal carries it.
type Session struct {
	ID      string `json:"id"`
	Policy  string `json:"policy,omitempty"` // fingerprint of the policy that was last in force
	Machine `json:"machine"`
	Agents  `json:"agents"`
	Budgets `json:"budgets"`
	Turn    `json:"turn"`
	Tasks   `json:"tasks"`
	Talk    `json:"talk"`
	Counts  `json:"counts,omitzero"`
}

// Machine is where the state machine stands.
type Machine struct {
	State string    `json:"state,omitempty"`
	Since time.Time `json:"since,omitzero"` // when the state was entered
	// counts the entries into states: work of an earlier visit is late
	Visit int `json:"visit,omitempty"`
	// counts the resets: work of an earlier epoch moves nothing
	Epoch           int            `json:"epoch,omitempty"`
	Worked          bool           `json:"worked,omitempty"`            // an agent has done work of the state
	Moves           int            `json:"moves,omitempty"`             // how often the machine has fired
	Captures        map[string]Ref `json:"captures,omitempty"`          // captured texts by name
	Approval        *Approval      `json:"approval,omitempty"`          // what waits for a person
	Unanswered      bool           `json:"unanswered,omitempty"`        // a person was asked, and has not answered
	Unconfined      bool           `json:"unconfined,omitempty"`        // a command ran without its limits
	Off             bool           `json:"off,omitempty"`               // the level was off
	Level           string         `json:"level,omitempty"`             // in force at the last event
	ActivatedBy     string         `json:"activated_by,omitempty"`      // what has switched the policy on
	ActivatedByFile bool           `json:"activated_by_file,omitempty"` // a file, whose absence deactivates it
}

// Agents are the agents of a session.
type Agents struct {
	Runs      []Run      `json:"runs,omitempty"`      // admitted, running, and the latest that have ended
	Forgotten int        `json:"forgotten,omitempty"` // runs that had ended and are no longer kept
	Workflows []Workflow `json:"workflows,omitempty"` // scripts that start agents by themselves
}

// Budgets is what agents have used of the rules' budgets, and what was refused.
type Budgets struct {
	Uses     []Budget      `json:"uses,omitempty"`
	Recent   []RecentTools `json:"recent,omitempty"`
	Refusals []Refusal     `json:"refusals,omitempty"`
}

// Turn is the main agent's current turn.
type Turn struct {
	Prompt      string   `json:"prompt,omitempty"`      // id of the prompt that began it; empty between turns
	Interrupted bool     `json:"interrupted,omitempty"` // the turn before this one was interrupted
	Held        int      `json:"held,omitempty"`        // how often in a row it was held
	Edited      []string `json:"edited,omitempty"`      // files written in it
	EditedMore  bool     `json:"edited_more,omitempty"` // and more than are kept
	// checks whose program is missing and was reported as missing
	MissingChecks []string `json:"missing_checks,omitempty"`
	// shortened hashes of prompts that the host gives by its clock
	Scheduled []string `json:"scheduled,omitempty"`
}

// Tasks is the progress of the work.
type Tasks struct {
	Progress  *tasks.Progress `json:"progress,omitempty"`   // in the task graph, whose text is the capture "tasks"
	Capture   string          `json:"capture,omitempty"`    // the capture that the graph was read from, if it was one
	GraphFile string          `json:"graph_file,omitempty"` // hash of the graph's file when it was last read, shortened
	Open      []OpenTask      `json:"open,omitempty"`       // the host's tasks that are not completed
	Planned   bool            `json:"planned,omitempty"`    // a plan was approved, and no agent has started since
}

// Talk is what was injected into the agents' contexts.
type Talk struct {
	AnnouncedVisit int             `json:"announced_visit,omitempty"` // the visit whose text was injected
	Notices        []PendingNotice `json:"notices,omitempty"`         // for the main agent, at the next chance
	Reminders      int             `json:"reminders,omitempty"`       // reminders given
	Chars          int             `json:"chars,omitempty"`           // characters injected
	// shortened hash of what held the turn last, where the host gives it back as a prompt
	Held             string `json:"held,omitempty"`
	CharsSincePrompt int    `json:"chars_since_prompt,omitempty"` // of those, since a person's last prompt
	// kinds of refusals, which the user is notified of
	Refused []Refusal   `json:"refused,omitempty"`
	Weaker  []Weakening `json:"weakened,omitempty"` // for the person's next prompt
}

// A Weakening is what passes that was refused before.
type Weakening struct {
	Level string `json:"level,omitempty"` // that was lowered to; empty where the config lets pass more
	Text  string `json:"text"`            // for people
}

// A Ref refers to a captured text, which is a file of its own.
type Ref struct {
	Hash  string `json:"hash"` // SHA-256 of the text, hexadecimal
	Size  int    `json:"size"` // bytes
	Agent string `json:"agent,omitempty"`
}

// Status is the stage of an agent's run.
type Status string

// The statuses.
const (
	Admitted Status = "admitted" // it may start, and has not started yet
	Running  Status = "running"
	Waiting  Status = "waiting" // it stopped, but an agent that it started still runs
	Done     Status = "done"
	Failed   Status = "failed"
	Lost     Status = "lost" // it can no longer be running, and its end is unknown
)

// A Run is one run of an agent, from its admission on. The same id may start and stop several
// times.
type Run struct {
	ID          string    `json:"id,omitempty"` // the host's; of one that was admitted often not known yet
	Type        string    `json:"type"`
	Name        string    `json:"name,omitempty"`
	How         How       `json:"how,omitempty"`
	By          string    `json:"by,omitempty"` // the id of the agent that started it: empty for the main agent
	UseID       string    `json:"use,omitempty"`
	State       string    `json:"state,omitempty"` // that let it start
	Visit       int       `json:"visit,omitempty"`
	Epoch       int       `json:"epoch,omitempty"`
	Status      Status    `json:"status"`
	Quarantined string    `json:"quarantined,omitempty"` // the state that did not admit it
	Fired       bool      `json:"fired,omitempty"`       // it has completed once; it never moves the machine again
	Capture     string    `json:"capture,omitempty"`     // the name under which its final message is kept
	Final       *Ref      `json:"final,omitempty"`       // its last message before it waited
	Depth       int       `json:"depth,omitempty"`       // 1 for an agent of the main agent; 0 where unknown
	Teammate    bool      `json:"teammate,omitempty"`    // a member of a team
	Returned    int       `json:"returned,omitempty"`    // how often it was sent back
	Calls       int       `json:"calls,omitempty"`       // that were let through
	Worktree    string    `json:"worktree,omitempty"`    // its own, where it is held to one
	Warned      bool      `json:"warned,omitempty"`      // it was warned that a limit is near
	Delivered   bool      `json:"delivered,omitempty"`   // its result has reached the main agent
	Background  bool      `json:"background,omitempty"`  // the call that started it is over, and it runs on
	Since       time.Time `json:"since,omitzero"`        // when it started
	// of an admission: the id of the run that a message wakes
	Wakes string `json:"wakes,omitempty"`
	// of an admission: the user was asked, or the level only warns
	DespiteObjection bool `json:"despite_objection,omitempty"`
}

// unknownCaller stands for a caller that the host did not name.
const unknownCaller = "?"

// isOfMain reports whether the main agent, or a person, asked for a run.
func (r Run) isOfMain() bool { return r.By == "" }

// A Workflow is a script that was allowed to start agents.
type Workflow struct {
	UseID string `json:"use"`
	Task  string `json:"task,omitempty"`
}

// A Budget is what an agent has used of a rule's free calls.
type Budget struct {
	Rule  string   `json:"rule"`
	Agent string   `json:"agent,omitempty"` // the agent's id; empty for the main agent
	Used  int      `json:"used,omitempty"`  // calls that were made
	Held  []string `json:"held,omitempty"`  // ids of calls that were let through and not yet made
	Tries int      `json:"tries,omitempty"` // calls that were refused
	Files []string `json:"files,omitempty"` // the latest that were let through
}

// A Refusal counts how often the same call was refused.
type Refusal struct {
	What  string `json:"what"` // a hash of the rule and the call
	Times int    `json:"times"`
}

// RecentTools are the tools of an agent's last calls, the oldest first. A shell line may
// use several.
type RecentTools struct {
	Agent string   `json:"agent,omitempty"`
	Tools []string `json:"tools,omitempty"`
}

// An OpenTask is one of the host's tasks that is not completed.
type OpenTask struct {
	ID      string `json:"id"`
	Subject string `json:"subject,omitempty"`
}

// How much a session remembers, so that a line of the journal stays short. What is beyond
// is never dropped in silence: it falls to the strict side, as the table says.
const (
	maxEndedRuns  = 20   // a message to one that was forgotten is refused
	maxPending    = 24   // more starts are refused
	maxRefusals   = 32   // more are counted together
	maxScheduled  = 256  // prompts; scheduling more is refused
	maxEdited     = 50   // files; after more, checks run over all files
	maxEditedSize = 4000 // bytes of their paths
	maxSubjects   = 40   // of open tasks; of more only the ids are kept
	maxSubject    = 30   // characters
	maxNotice     = 500  // characters of one that waits
	maxNotices    = 64   // that wait; the last says that there are more
)

func (s Session) clone() Session {
	s.Runs = slices.Clone(s.Runs)
	s.Workflows = slices.Clone(s.Workflows)
	s.Captures = maps.Clone(s.Captures)
	s.Uses = slices.Clone(s.Uses)
	s.Recent = slices.Clone(s.Recent)
	s.Refusals, s.Refused = slices.Clone(s.Refusals), slices.Clone(s.Refused)
	s.Notices, s.Weaker = slices.Clone(s.Notices), slices.Clone(s.Weaker)
	s.Scheduled = slices.Clone(s.Scheduled)
	s.Edited, s.MissingChecks = slices.Clone(s.Edited), slices.Clone(s.MissingChecks)
	s.Tasks.Open = slices.Clone(s.Tasks.Open)
	return s
}

// RunningAgents returns the runs that have not ended, oldest first.
func (s Session) RunningAgents() []Run { return s.listRuns(Run.isActive) }

// HasAgent reports whether an agent runs in the session, or ran in it.
func (s Session) HasAgent(id string) bool { return s.findRun(id) != nil }

// dropGraph forgets the task graph. It goes with the text that it was read from.
func (s *Session) dropGraph() {
	s.Progress, s.Tasks.Capture = nil, ""
	delete(s.Captures, TasksCapture)
}

// listRuns lists the runs that are meant, oldest first.
func (a *Agents) listRuns(isMeant func(Run) bool) []Run {
	return slices.DeleteFunc(slices.Clone(a.Runs), func(r Run) bool { return !isMeant(r) })
}

func (r Run) isActive() bool { return r.Status == Running || r.Status == Waiting }

// findRunBy finds a run that has started.
func (a *Agents) findRunBy(matches func(*Run) bool) *Run {
	for i := range a.Runs {
		if r := &a.Runs[i]; r.Status != Admitted && matches(r) {
			return r
		}
	}
	return nil
}

func (a *Agents) findRun(id string) *Run { return a.findRunBy(func(r *Run) bool { return r.ID == id }) }

// findByName finds the run that a message addresses, by id or by the latest use of a
// name.
func (a *Agents) findByName(name string) *Run {
	if r := a.findRun(name); r != nil {
		return r
	}
	for i, r := range slices.Backward(a.Runs) {
		if r.Name == name && name != "" && r.Status != Admitted {
			return &a.Runs[i]
		}
	}
	return nil
}

// addRun remembers a run and forgets the oldest that have ended, with what they have used.
// A result that has not reached the main agent yet keeps its run.
func (s *Session) addRun(r Run) {
	s.Runs = append(s.Runs, r)
	ended := len(s.listRuns(Run.isSettled))
	s.Runs = slices.DeleteFunc(s.Runs, func(r Run) bool {
		if !r.isSettled() || ended <= maxEndedRuns {
			return false
		}
		ended--
		s.Forgotten++
		s.forgetUses(r.ID)
		return true
	})
}

// isSettled reports whether a run has ended and nothing is to come of it.
func (r Run) isSettled() bool {
	return !r.isActive() && r.Status != Admitted && (r.Status != Done || r.Delivered || r.By != "" || !r.Fired)
}

// hasTeam reports whether a team is at work: its members order their work among
// themselves.
func (a *Agents) hasTeam() bool {
	return slices.ContainsFunc(a.Runs, func(r Run) bool { return r.Teammate && r.isActive() })
}

// hasActiveChild reports whether an agent that the run started still runs.
func (a *Agents) hasActiveChild(id string) bool {
	return slices.ContainsFunc(a.Runs, func(r Run) bool { return r.By == id && r.isActive() })
}

// isAwaited reports whether the agent that asked for a run still runs. Without it the admitted
// agent will hardly start.
func (a *Agents) isAwaited(r Run) bool {
	by := a.findRun(r.By)
	return r.By == "" || by != nil && by.isActive()
}

// takeAdmitted removes the newest admitted run that fits. Older ones are often of calls that came
// to nothing.
func (a *Agents) takeAdmitted(fits func(Run) bool) (Run, bool) {
	for i, r := range slices.Backward(a.Runs) {
		if r.Status == Admitted && fits(r) {
			a.Runs = slices.Delete(a.Runs, i, i+1)
			return r, true
		}
	}
	return Run{}, false
}

func (a *Agents) dropAdmitted(lapsed func(Run) bool) {
	a.Runs = slices.DeleteFunc(a.Runs, func(r Run) bool { return r.Status == Admitted && lapsed(r) })
}

// admitRun remembers an admitted run. Two registrations of our hooks may ask for the same call.
func (a *Agents) admitRun(r Run) {
	if r.How == ByWorkflow {
		if !slices.ContainsFunc(a.Workflows, func(w Workflow) bool { return w.UseID == r.UseID }) {
			a.Workflows = append(a.Workflows, Workflow{UseID: r.UseID})
		}
		return
	}
	a.dropAdmitted(func(b Run) bool { return b.UseID != "" && b.UseID == r.UseID && b.How == r.How })
	r.Status = Admitted
	a.Runs = append(a.Runs, r)
}

func (a *Agents) endWorkflow(task string) {
	a.Workflows = slices.DeleteFunc(a.Workflows, func(w Workflow) bool { return w.Task == task && task != "" })
}

// countRefusal counts how often a call of an agent was refused by a rule. The call is kept
// as a hash: only the record names what was refused.
//
// Calls beyond those that are kept are counted together, as one.
func (st *step) countRefusal(list *[]Refusal, rule, call string) int {
	key := hashText(rule + "\x00" + call)[:12]
	at := slices.IndexFunc(*list, func(r Refusal) bool { return r.What == key })
	if at < 0 && len(*list) >= maxRefusals {
		at, key = slices.IndexFunc(*list, func(r Refusal) bool { return r.What == OtherCalls }), OtherCalls
	}
	if at < 0 {
		at = len(*list)
		*list = append(*list, Refusal{What: key})
	}
	if r := &(*list)[at]; st.isToCount(key) || r.Times == 0 {
		r.Times++
	}
	if key == OtherCalls {
		return 1 // it is not known whether this one was refused before
	}
	return (*list)[at].Times
}

// OtherCalls stands for all refused calls beyond maxRefusals.
const OtherCalls = "others"

// begin notes the prompt with which a person's turn begins. It reports whether it is
// known to begin a turn, and whether the turn before was interrupted. After an
// interruption the work is the user's: the next turn is not held for the rest. The host reports no interruption (by
// experiment, Claude Code 2.1.197 and 2.1.329), so a turn counts as interrupted when
// another prompt comes before its end. A prompt that is typed while a turn runs carries
// that turn's prompt id. Of a host that tells no prompts apart the id is empty.
func (t *Turn) begin(prompt string) (isNew, interrupted bool) {
	id := short(prompt, 16)
	if id == "" || id == t.Prompt {
		return id == "" && t.Prompt == "", false
	}
	interrupted = t.Prompt != ""
	t.Prompt, t.Interrupted = id, t.Interrupted || interrupted
	return true, interrupted
}

func (t *Turn) end() { t.Prompt, t.Interrupted = "", false }

// schedule remembers a prompt that the host will give by its clock. It arrives like one
// that a person typed (by experiment, with client 2.1.329); only its words identify it.
func (t *Turn) schedule(prompt string) {
	if key := promptKey(prompt); key != "" && !slices.Contains(t.Scheduled, key) {
		t.Scheduled = append(t.Scheduled, key)
	}
}

// IsScheduled reports whether an agent has had a prompt scheduled, so that it is not a
// person's.
func (s Session) IsScheduled(prompt string) bool {
	return slices.Contains(s.Scheduled, promptKey(prompt))
}

// addEdited remembers a written file until the turn ends. Of too many it remembers that
// there are more.
func (t *Turn) addEdited(file string) {
	others := slices.DeleteFunc(slices.Clone(t.Edited), func(f string) bool { return f == file })
	if len(others) >= maxEdited || len(strings.Join(others, ""))+len(file) > maxEditedSize {
		t.EditedMore = true
		return
	}
	t.Edited = append(others, file)
}

func (t *Turn) clearEdited() { t.Edited, t.EditedMore = nil, false }

// finishAgent and freeAgent follow an agent's part in the task graph.
func (t *Tasks) finishAgent(run string, ok bool) {
	if t.Progress != nil {
		pr := t.Progress.Stop(run, ok)
		t.Progress = &pr
	}
}

func (t *Tasks) freeAgent(run string) {
	if t.Progress != nil {
		pr := t.Progress.Lose(run)
		t.Progress = &pr
	}
}

func shortSubject(subject string) string {
	return short(redact.Text(subject), maxSubject)
}

// addOpen adds an open task; of many only the first have their subjects.
func (t *Tasks) addOpen(id, subject string) {
	if len(t.Open) >= maxSubjects {
		subject = ""
	}
	t.Open = append(t.Open, OpenTask{id, shortSubject(subject)})
}

// A PendingNotice waits for the next chance to reach the main agent. It keeps facts: what is said
// of them is worded when it is announced, and left out where it no longer holds.
type PendingNotice struct {
	About noticeKind `json:"about,omitempty"`
	Agent string     `json:"agent,omitempty"` // its type
	Why   string     `json:"why,omitempty"`   // what is said as it is
	Visit int        `json:"visit,omitempty"` // the visit of a state in which it holds
}

// promptKey identifies a text by its words; empty for an empty text.
func promptKey(text string) string {
	if text = strings.Join(strings.Fields(text), " "); text == "" {
		return ""
	}
	return hashText(text)[:12]
}

func hashText(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// Counts are what persons are shown of a session.
type Counts struct {
	Denied int       `json:"denied,omitempty"` // tool requests, each once
	Passed int       `json:"passed,omitempty"` // likewise
	Calls  string    `json:"calls,omitempty"`  // shortened hashes of the latest requests' ids and commands
	Began  time.Time `json:"began,omitzero"`   // when the main agent's last turn began
	Ended  bool      `json:"ended,omitempty"`  // it has ended, and may end once more
	Turns  []int     `json:"turns,omitempty"`  // lengths of the last ten turns in milliseconds, the oldest first
}

const (
	turnsKept = 10
	callsKept = 16 // a second registration of our hooks reports a call soon
)

// isRepeated reports whether a request was reported before, by another registration of our
// hooks or a second time. It remembers the request. One without an id is one of its own.
func (c *Counts) isRepeated(t Tool) bool {
	if t.UseID == "" {
		return false
	}
	key := hashText(t.UseID)[:8] + "-"
	if strings.Contains(c.Calls, key) {
		return true
	}
	key += t.Digest + " "
	if c.Calls += key; strings.Count(c.Calls, " ") > callsKept {
		_, c.Calls, _ = strings.Cut(c.Calls, " ")
	}
	return false
}

// DigestCommand tells commands apart; it is empty for none.
func DigestCommand(command string) string {
	if command == "" {
		return ""
	}
	return hashText(command)[:6]
}

// endTurn takes the end of a turn of the main agent. A turn that was held
// back, or that a background agent's notification takes up again, ends once more, later: the
// client counts so too, by experiment with 2.1.329 ("Worked for 5s").
func (c *Counts) endTurn(e Event) {
	if e.Agent.IsMain() && !c.Began.IsZero() {
		turns := slices.Clone(c.Turns)
		if c.Ended && len(turns) > 0 {
			turns = turns[:len(turns)-1]
		}
		turns = append(turns, int(max(e.Time.Sub(c.Began), 0).Milliseconds()))
		c.Ended, c.Turns = true, turns[max(0, len(turns)-turnsKept):]
	}
}
