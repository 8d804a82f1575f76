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
	Getenv     func(string) string
	Home       string   // the user's
	Project    string   // the root of the project; empty where it is not known yet
	Event      string   // what the hook is registered for: pre-tool-use
	BypassEnvs []string // variables that bypass the policy
	// Wants is what a person has installed in a settings file; nil for nothing.
	Wants func(file string) []Entry
}

// Env reads a variable; without an environment none is set.
func (s Surroundings) Env(name string) string {
	if s.Getenv == nil {
		return ""
	}
	return s.Getenv(name)
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
