// Package config reads what the user wrote and compiles it to an fsm.Policy; what is wrong with it becomes a Problem
// with its file, line and column. It writes nothing but the compiled policy, next to the state of the project.
package config

// A Config is the merged result of all layers: one field per key, nothing else. Beside the key a tag may say
//
//	is:"a b"      the value is one of these words
//	must:"be"     the key may not be left out of the mapping that it belongs to
//	of:"a b"      each element of the list is one of these words
//	empty:"is ok" the list or mapping may be empty; others say what they mean by leaving the key out
//
// The strict reading and the test of the JSON Schema all go by these tags.
type Config struct {
	Version      int                 `koanf:"version" is:"1"`
	Level        string              `koanf:"level" is:"strict ask guidance observe off"`
	OnError      string              `koanf:"on_error" is:"allow deny"`
	Initial      string              `koanf:"initial"`
	States       map[string]State    `koanf:"states" empty:"is ok"`
	Groups       map[string][]string `koanf:"groups" empty:"is ok"`
	Orchestrator Rules               `koanf:"orchestrator" empty:"is ok"`
	Subagents    Rules               `koanf:"subagents" empty:"is ok"`
	Agents       map[string]Agent    `koanf:"agents" empty:"is ok"`
	Limits       Limits              `koanf:"limits"`
	Tasks        Tasks               `koanf:"tasks"`
	Hold         Hold                `koanf:"hold"`
	Checks       []FileCheck         `koanf:"checks" empty:"is ok"`
	SessionStart Opening             `koanf:"session_start"`
	Planning     Planning            `koanf:"planning"`
	Remind       Remind              `koanf:"remind"`
	Fails        []string            `koanf:"fails" empty:"is ok"`
	Caller       Caller              `koanf:"caller"`
	Activate     Activate            `koanf:"activate"`
	Bypass       Bypass              `koanf:"bypass" empty:"is ok"`
	Talk         Talk                `koanf:"talk"`
	Audit        Audit               `koanf:"audit"`
	Readiness    Readiness           `koanf:"readiness"`
	Dir          string              `koanf:"dir"`
}

// A State is what one state of the pipeline allows, and where it leads.
type State struct {
	Agents     []string `koanf:"agents"`
	OnComplete string   `koanf:"on_complete"`
	Capture    string   `koanf:"capture"`
	Helpers    []string `koanf:"helpers"`
	Moves      []Move   `koanf:"moves"`
	OnStop     string   `koanf:"on_stop"`
	Clear      []string `koanf:"clear"`
	Inject     string   `koanf:"inject"`
	Brief      string   `koanf:"brief"`
}

// A Move leads somewhere else than on_complete.
type Move struct {
	Agent   string `koanf:"agent" must:"be"`
	Says    string `koanf:"says"`
	To      string `koanf:"to" must:"be"`
	Capture string `koanf:"capture"`
	Gate    Gate   `koanf:"gate"`
}

// Rules are what some callers may do: the first rule that fits decides, else the default.
type Rules struct {
	Default Default `koanf:"default"`
	Rules   []Rule  `koanf:"rules" empty:"is ok"`
}

// A Default is the verdict on what no rule speaks of. One of the four verbs must be there.
type Default struct {
	Allow      bool     `koanf:"allow" is:"true"`
	Warn       bool     `koanf:"warn" is:"true"`
	Ask        bool     `koanf:"ask" is:"true"`
	Deny       bool     `koanf:"deny" is:"true"`
	DelegateTo []string `koanf:"delegate_to"`
	Reason     string   `koanf:"reason"`
}

// A Rule says what to do with the calls that it fits. One of the four verbs must be there; its value are the tools.
type Rule struct {
	Name       string            `koanf:"name" must:"be"`
	Allow      []string          `koanf:"allow"`
	Warn       []string          `koanf:"warn"`
	Ask        []string          `koanf:"ask"`
	Deny       []string          `koanf:"deny"`
	Paths      []string          `koanf:"paths"`
	Commands   []string          `koanf:"commands"`
	Input      map[string]string `koanf:"input"`
	States     []string          `koanf:"states"`
	Agents     []string          `koanf:"agents"`
	Env        map[string]string `koanf:"env"`
	UnlessEnv  map[string]string `koanf:"unless_env"`
	Budget     *int              `koanf:"budget"`
	ResetOn    []string          `koanf:"reset_on" of:"delegate prompt state"`
	Within     *int              `koanf:"within"`
	DelegateTo []string          `koanf:"delegate_to"`
	Reason     string            `koanf:"reason"`
	Type       string            `koanf:"type"`
	Example    string            `koanf:"example"`
	Describe   bool              `koanf:"describe"`
	Level      string            `koanf:"level" is:"strict ask guidance observe off"`
}

// An Agent is what helps to choose an agent for a task, and the form of what it comes back with.
type Agent struct {
	Description string   `koanf:"description"`
	Keywords    []string `koanf:"keywords"`
	Returns     string   `koanf:"returns"`
	Tries       *int     `koanf:"tries"`
}

// Remind is what agents are told beside what their state says.
type Remind struct {
	SelfCheck       bool   `koanf:"self_check"`
	AfterDelegation string `koanf:"after_delegation"`
	AfterAgent      string `koanf:"after_agent"`
	Times           *int   `koanf:"times"`
}

// Caller says how to tell who is calling where the host's payload does not.
type Caller struct {
	Env CallerEnv `koanf:"env"`
}

// CallerEnv names environment variables, and the values of the role that mean the main agent.
type CallerEnv struct {
	Role          string   `koanf:"role"`
	Name          string   `koanf:"name"`
	Orchestrators []string `koanf:"orchestrators"`
}

// Readiness is what must hold before a policy is enforced; shares are in percent.
type Readiness struct {
	Days             *int `koanf:"days"`
	Calls            *int `koanf:"calls"`
	Sessions         *int `koanf:"sessions"`
	Certain          *int `koanf:"certain"`
	Errors           *int `koanf:"errors"`
	Bypassed         *int `koanf:"bypassed"`
	BypassedSessions *int `koanf:"bypassed_sessions"`
}

// Audit says what is kept of what happened, and how long.
type Audit struct {
	Input   string `koanf:"input" is:"none summary full"`
	MaxSize string `koanf:"max_size"`
	MaxAge  string `koanf:"max_age"`
	Keep    *int   `koanf:"keep"`

	AppendOnly bool `koanf:"append_only"`
}

// wholeSections are the keys that come from one file entirely: two files' states never become one pipeline that nobody wrote.
func wholeSections() []string {
	return []string{"states", "groups", "orchestrator", "subagents", "agents", "checks"}
}

// wholeMappings are those below a key that come from one file entirely, like sections.
func wholeMappings() [][2]string { return [][2]string{{"bypass", "env"}} }

// overridableKeys are the keys that the environment may override, as PIPELINE_LEVEL. Not `version`, which says what language
// a file is in.
func overridableKeys() []string { return []string{"level", "on_error", "initial", "dir"} }
