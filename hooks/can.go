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
