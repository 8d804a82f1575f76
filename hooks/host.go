package hooks

import (
	"io"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/guard"
)

// A Host is an agent client whose hooks call us. It keeps nothing between two calls.
type Host interface {
	Name() string                   // as --host names it
	Can() Set                       // what it tells us and heeds
	Root(dir string) string         // the project that a call is about; dir is the working directory
	IsGenuine() bool                // false: an agent calls us from its shell, in the client's place
	CheckAttended() error           // why no person can have typed what the client calls a prompt
	Places() Places                 // where the client keeps its files
	Read(r io.Reader) (Call, error) // one hook call, from its payload
	Bare(event string) Call         // a call whose payload cannot be read, by the event it is registered for
}

// Surroundings are what an adapter is made from.
type Surroundings struct {
	Environment
	Home       string   // the user's
	Project    string   // the root of the project; empty where it is not known yet
	Event      string   // what the hook is registered for: pre-tool-use
	BypassEnvs []string // variables that bypass the policy
	// Wants is what a person has installed in a settings file; nil for nothing.
	Wants func(file string) []Entry
}

// A Call is one call of a hook. It knows how its host wants to be answered.
type Call interface {
	Event(now time.Time) (e fsm.Event, ok bool) // not ok: the event does not concern us
	Spawn() *fsm.Spawn                          // the host's own note of how the calling agent was started
	Parent() string                             // the session that this one was forked from
	Input() map[string]string                   // the short scalar values among a tool's arguments
	Agents() []fsm.KnownAgent                   // what the host can start
	Tokens() int                                // what the calling agent's model has used; 0 if it does not tell
	Tampered() string                           // why our hooks would not run with the settings file as it stands
	Reply(w io.Writer, d fsm.Decision) error    // no objection is no output
}

// NoCall stands in for a call where an event does not come from a host, and is embedded
// by hosts that know less than others.
type NoCall struct{}

func (NoCall) Event(time.Time) (fsm.Event, bool)   { return fsm.Event{}, false }
func (NoCall) Spawn() *fsm.Spawn                   { return nil }
func (NoCall) Parent() string                      { return "" }
func (NoCall) Input() map[string]string            { return nil }
func (NoCall) Agents() []fsm.KnownAgent            { return nil }
func (NoCall) Tokens() int                         { return 0 }
func (NoCall) Tampered() string                    { return "" }
func (NoCall) Reply(io.Writer, fsm.Decision) error { return nil }

// Places are the folders and files of a client that we read, write or guard.
type Places = guard.Places

// A SettingsFile is a file in which hooks can be registered.
type SettingsFile = guard.SettingsFile

// A Set is what a host can do. The empty Set tells and heeds nothing.
type Set int

// What a host may tell us or heed.
const (
	TellsCaller Set = 1 << iota
	TellsStart
	TellsStop
	TellsFailure
	TellsTasks
	TellsTodos
	TellsPlan
	TellsChange
	TellsInput
	TellsEnd
	TellsCompaction
	Asks
	InjectsStart
	InjectsPrompt
	InjectsAgent
	InjectsRequest
	InjectsResult
	Holds
	HoldsAgents
	Echoes
	Ordered
	FailsClosed
	Confines
)

// An Ability is one row of the table of what hosts can do.
type Ability struct {
	Set  Set
	Name string // as the config's reliances name it
	Text string // what a host can, or cannot
}

// Abilities lists what a host may tell us or heed, in the order of the documentation.
func Abilities() []Ability {
	return []Ability{
		{TellsCaller, "TellsCaller", "say which agent uses a tool"},
		{TellsStart, "TellsStart", "report that an agent starts"},
		{TellsStop, "TellsStop", "report that an agent ends, with its last message"},
		{TellsFailure, "TellsFailure", "report that a tool or an agent failed"},
		{TellsTasks, "TellsTasks", "say what runs in the background when a turn ends"},
		{TellsTodos, "TellsTodos", "report its own list of tasks"},
		{TellsPlan, "TellsPlan", "report that the user approved a plan"},
		{TellsChange, "TellsChange", "report changes of its settings"},
		{TellsInput, "TellsInput", "report what an agent types into a program that runs"},
		{TellsEnd, "TellsEnd", "report a session's end, also without a window"},
		{TellsCompaction, "TellsCompaction", "report that the context was compacted"},
		{Asks, "Asks", "ask the user where a hook says so"},
		{InjectsStart, "InjectsStart", "take text when a session starts"},
		{InjectsPrompt, "InjectsPrompt", "take text with a prompt"},
		{InjectsAgent, "InjectsAgent", "take text when an agent starts"},
		{InjectsRequest, "InjectsRequest", "take text before a tool runs"},
		{InjectsResult, "InjectsResult", "take text after a tool has run"},
		{Holds, "Holds", "hold a turn"},
		{HoldsAgents, "HoldsAgents", "send an agent back"},
		{Echoes, "Echoes", "give what held a turn back as a prompt"},
		{Ordered, "Ordered", "take /pipeline commands that the user types"},
		{FailsClosed, "FailsClosed", "refuse a call when the hook fails"},
		{Confines, "Confines", "run an agent's shell lines through a program of ours"},
	}
}

// FindAbility is the ability of a name.
func FindAbility(name string) (Ability, bool) {
	for _, a := range Abilities() {
		if a.Name == name {
			return a, true
		}
	}
	return Ability{}, false
}

// Everything is what a host can do that lacks nothing.
const Everything = Confines<<1 - 1

// Has reports whether a host can do all of what.
func (s Set) Has(what Set) bool { return s&what == what }

// Describe is what of a host decides about its events. Claude Code's is empty.
func (s Set) Describe(name string) fsm.HostInfo {
	if name == "claude" {
		return fsm.HostInfo{}
	}
	return fsm.HostInfo{Name: name, CannotAsk: !s.Has(Asks), HidesCaller: !s.Has(TellsCaller), Echoes: s.Has(Echoes),
		NoCommands: !s.Has(Ordered)}
}
