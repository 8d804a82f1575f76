// Package config reads what the user wrote and compiles it to an fsm.Policy. What is
// wrong with it becomes a Problem with its file, line and column. The package writes
// nothing but the compiled policy, next to the state of the project.
//
// Each section of the file has one Go file, which holds its type, its checks and its
// compilation: states.go, agents.go, rules.go, activation.go, work.go, audit.go,
// ceiling.go.
package config

import (
	"maps"
	"slices"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
)

// A Config is the merged result of all layers: one field per key, nothing else. Beside
// the key, a tag may say
//
//	must:"be"      the mapping that the key belongs to needs it
//	empty:"is ok"  the list or mapping may be empty; elsewhere the key is left out
//	is:"a b"       the value is one of these words
//	of:"a b"       each element of the list is one of these words
//	range:"1 7"    the number is in this range; "-" leaves its end open
//	as:"state"     each text below the key passes this check: see textChecks
//	keys:"agent"   each key of the mapping passes this check
//
// The first four describe the shape: the strict reading checks them. The others need
// the merged config. The test of the JSON Schema compares all that a schema can say.
type Config struct {
	Version      int                 `koanf:"version" is:"1"`
	Locked       []string            `koanf:"locked" as:"lockable"`
	Level        string              `koanf:"level" is:"strict ask guidance observe off"`
	OnError      string              `koanf:"on_error" is:"allow deny"`
	Initial      string              `koanf:"initial"`
	States       map[string]State    `koanf:"states" empty:"is ok" keys:"state name"`
	Groups       map[string][]string `koanf:"groups" empty:"is ok" keys:"group name" as:"pattern"`
	Commands     map[string][]string `koanf:"commands" empty:"is ok" keys:"command group" as:"command"`
	Orchestrator Rules               `koanf:"orchestrator" empty:"is ok"`
	Subagents    Rules               `koanf:"subagents" empty:"is ok"`
	Agents       map[string]Agent    `koanf:"agents" empty:"is ok" keys:"agent"`
	Confinement  Confinement         `koanf:"confinement"`
	Tools        map[string]ToolUse  `koanf:"tools" empty:"is ok" keys:"server tool"`
	Limits       Limits              `koanf:"limits"`
	Tasks        Tasks               `koanf:"tasks"`
	Hold         Hold                `koanf:"hold"`
	Checks       []FileCheck         `koanf:"checks" empty:"is ok"`
	Never        []Intention         `koanf:"never" empty:"is ok"`
	SessionStart Opening             `koanf:"session_start"`
	Planning     Planning            `koanf:"planning"`
	Remind       Remind              `koanf:"remind"`
	Fails        []string            `koanf:"fails" empty:"is ok" as:"regexp"`
	Caller       Caller              `koanf:"caller"`
	Activate     Activate            `koanf:"activate"`
	Bypass       Bypass              `koanf:"bypass" empty:"is ok"`
	Talk         Talk                `koanf:"talk"`
	Audit        Audit               `koanf:"audit"`
	Readiness    Readiness           `koanf:"readiness"`
	Dir          string              `koanf:"dir"`
}

// A reading is a config, and where its values are from.
type reading struct {
	*Config
	*Origins
}

// overridableKeys lists the keys that the environment may override, as PIPELINE_LEVEL.
// `version` is not among them: it says which language a file is in.
var overridableKeys = [...]string{"level", "on_error", "initial", "dir"}

// checkConfig reports what is wrong beyond the shape. It leaves out what may only follow
// from a mistake in the same section that is known already.
func checkConfig(c reading) []Problem {
	if c.broken {
		return nil
	}
	k := &checker{reading: c, faulty: map[trail]bool{}, texts: map[string]bool{}}
	if c.Version == 0 {
		k.reportMissing("version", "1", "")
	}
	k.checkTags()
	k.checkInitial()
	k.checkStates()
	k.checkGroups()
	k.checkRules("orchestrator")
	k.checkRules("subagents")
	k.checkBeside(to("caller", "env"), "orchestrators", "the variable that holds the role", "role")
	k.checkBeside(to("caller", "env"), "role", "the roles of the main agent", "orchestrators")
	k.checkBeside("activate", "level", "one of them", "when", "skills", "commands")
	k.checkHold()
	k.checkNever()
	k.checkConfinement()
	k.checkTalk()
	k.checkAudit()
	k.checkDir()
	k.checkCeiling()
	return k.mergeRepeated()
}

// checkDir refuses a state folder in the work tree, where agents' tools and git reach it.
func (k *checker) checkDir() {
	dir, root := k.resolveDir(k.Dir), k.project.Root
	if dir == "" || root == "" {
		return
	}
	dir = system.Clean(dir)
	if real, err := system.EvalSymlinks(dir); err == nil {
		dir = real
	}
	t, _ := findTree(root) // where it cannot be read, the root is all that is known
	for _, top := range []string{root, k.project.Owner, t.top} {
		if _, inside := relativePath(top, dir); inside {
			k.report("dir", "found the folder "+dir+" in the work tree, expected one outside of it: "+
				"agents' tools reach it there",
				"leave `dir` out, or name a folder such as ~/pipeline-sessions")
			return
		}
	}
}

// Compile makes the policy of a config. With problems there is none: a config is never
// half in force.
func Compile(values *Config, origins *Origins) (*fsm.Policy, []Problem) {
	c := reading{values, origins}
	if problems := checkConfig(c); len(problems) > 0 || c.broken || len(c.bad) > 0 {
		return nil, problems
	}
	level, _ := fsm.ParseLevel(c.Level) // checked by the strict reading
	p := &fsm.Policy{
		Level:          level,
		FailClosed:     c.OnError == "deny",
		Initial:        c.Initial,
		Fails:          c.Fails,
		Caller:         fsm.Caller(c.Caller.Env),
		Main:           c.compileRules("orchestrator"),
		Subagents:      c.compileRules("subagents"),
		Agents:         c.compileAgents(),
		Tools:          c.compileTools(),
		NeverDelegated: c.parseCommands([]string{fsm.RemoteCommands, fsm.DestroyingCommands}),
		Confinement:    c.compileConfinement(),
		Activate:       c.Activate.compile(origins),
		Bypass:         c.Bypass.compile(),
		Ceiling:        c.ceiling,
		Locked:         c.Locked,
		Talk:           fsm.TalkLimits(c.Talk),
		Limits:         fsm.Limits(c.Limits),
		Tasks:          c.compileTasks(),
		Hold:           c.Hold.compile(origins),
		Checks:         c.compileChecks(),
		Opening:        c.SessionStart.compile(origins),
		Planning:       c.Planning.compile(),
		Remind:         c.Remind.compile(),
		Scratch:        c.usesScratch(),
		SelfCheck:      c.Remind.SelfCheck,
		Dir:            c.resolveDir(c.Dir),
		AuditInput:     c.Audit.Input,
		Keep:           c.Audit.compile(),
		Readiness:      fsm.Readiness(c.Readiness),
	}
	for _, name := range slices.Sorted(maps.Keys(c.Groups)) { // for texts
		p.Groups = append(p.Groups, fsm.Group{Name: name, Agents: c.expandAgents([]string{"@" + name})})
	}
	p.Limits.OwnWorktree = c.expandAgents(c.Limits.OwnWorktree)
	p.Main.Locked = c.isLocked("orchestrator", c.ceiling.Main)
	p.Subagents.Locked = c.isLocked("subagents", c.ceiling.Subagents)
	for _, name := range orderStates(values) {
		p.States = append(p.States, c.compileState(name))
	}
	return p, nil
}

// A Draft is a project's config as it is written now: no last good one stands in for it, and nothing is put in force.
type Draft struct {
	Opened // without a policy where there are problems
	reading
	// Locked is what a project's files and the environment say without effect, or with less, because it is locked.
	// It is no mistake: the config is in force.
	Locked []Problem
}

// Read loads and compiles.
func Read(p Project, w World) (Draft, error) {
	c, o, problems, err := Load(p, w)
	d := Draft{Opened{Project: p, Problems: problems}, reading{c, o}, o.locked}
	if err != nil {
		return d, err
	}
	policy, more := Compile(c, o)
	if d.Problems = sortProblems(slices.Concat(problems, more), p.Files); len(d.Problems) == 0 {
		d.Policy = policy
	}
	return d, nil
}
