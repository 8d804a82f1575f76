package config

import "github.com/agent-pipeline/pipeline/fsm"

// Activate says what switches the policy on by itself.
type Activate struct {
	When     []string `koanf:"when" as:"project glob"`
	Skills   []string `koanf:"skills" as:"skill"`
	Commands []string `koanf:"commands" as:"skill"`
	Level    string   `koanf:"level" is:"strict ask guidance observe"`
}

// Bypass says what bypasses the policy from outside.
type Bypass struct {
	Env     map[string]string `koanf:"env" empty:"is ok" keys:"variable"`
	Longest string            `koanf:"longest" as:"span"`
	Allow   []string          `koanf:"allow" as:"permission"`
}

func (a Activate) compile(o *Origins) fsm.Activation {
	if len(a.When)+len(a.Skills)+len(a.Commands) == 0 {
		return fsm.Activation{}
	}
	level, ok := fsm.ParseLevel(a.Level)
	if !ok {
		level = fsm.Strict
	}
	return fsm.Activation{When: a.When, Skills: a.Skills, Commands: a.Commands, Level: level,
		Place: o.placeOf("activate")}
}

func (b Bypass) compile() fsm.BypassRules {
	longest, _ := Span(b.Longest) // unbounded, or reported
	return fsm.BypassRules{Env: sortedInputs(b.Env), Longest: longest, Allow: b.Allow}
}
