package hooks

import "github.com/agent-pipeline/pipeline/fsm"

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
)

// An Ability is one row of the table of what hosts can do.
type Ability struct {
	Set  Set
	Text string // for the documentation
}

// Abilities lists what a host may tell us or heed, in the order of the documentation.
func Abilities() []Ability {
	return []Ability{
		{TellsCaller, "says which agent uses a tool"},
		{TellsStart, "reports that an agent starts"},
		{TellsStop, "reports that an agent ends, with its last message"},
		{TellsFailure, "reports that a tool or an agent failed"},
		{TellsTasks, "says what runs in the background when a turn ends"},
		{TellsTodos, "reports its own list of tasks"},
		{TellsPlan, "reports that the user approved a plan"},
		{TellsChange, "reports changes of its settings"},
		{TellsEnd, "reports the session's end, also without a window"},
		{TellsCompaction, "reports that the context was compacted"},
		{Asks, "asks the user where a hook says so"},
		{InjectsStart, "takes text when a session starts"},
		{InjectsPrompt, "takes text with a prompt"},
		{InjectsAgent, "takes text when an agent starts"},
		{InjectsRequest, "takes text before a tool runs"},
		{InjectsResult, "takes text after a tool has run"},
		{Holds, "lets a hook hold a turn"},
		{HoldsAgents, "lets a hook send an agent back"},
		{Echoes, "gives what held a turn back as a prompt"},
		{Ordered, "takes /pipeline commands that the user types"},
		{FailsClosed, "refuses a call when the hook fails"},
	}
}

// Everything is what a host can do that lacks nothing.
func Everything() (all Set) {
	for _, a := range Abilities() {
		all |= a.Set
	}
	return all
}

// Has reports whether a host can do all of what.
func (s Set) Has(what Set) bool { return s&what == what }

// Describe is what of a host decides about its events. Claude Code's is empty.
func (s Set) Describe(name string) fsm.HostInfo {
	if name == "claude" {
		return fsm.HostInfo{}
	}
	return fsm.HostInfo{Name: name, CannotAsk: !s.Has(Asks), HidesCaller: !s.Has(TellsCaller), Echoes: s.Has(Echoes),
		NoOrders: !s.Has(Ordered)}
}
