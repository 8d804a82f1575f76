package guard

import (
	"cmp"

	"github.com/agent-pipeline/pipeline/config/system/filepath"
)

// Places are the folders and files of a client that we read, write or guard.
type Places struct {
	Project  string         // its folder in the project
	User     string         // its folder of the user
	Settings []SettingsFile // of two that disagree the later one counts
	Default  string         // the scope in which install registers
	Guarded  []string       // further files that no agent may change, seen from both folders or absolute: globs
	Agents   string         // the folder of agent definitions, in either of the two
	AgentExt string         // how their names end; empty for .md
	Commands string         // the folder of commands
	Skills   string         // the folder of skills
	Mark     string         // what stands before the name where the user calls a skill; empty for /
}

// A SettingsFile is a file in which hooks can be registered.
type SettingsFile struct{ Scope, Path string }

// FindSettings is the settings file of a scope.
func (p Places) FindSettings(scope string) (path string, ok bool) {
	for _, s := range p.Settings {
		if s.Scope == scope {
			return s.Path, true
		}
	}
	return "", false
}

// AgentFile is where an agent of the project is defined.
func (p Places) AgentFile(name string) string {
	return filepath.Join(p.Project, p.Agents, name+cmp.Or(p.AgentExt, ".md"))
}

// Typed is how the user calls a skill or a command.
func (p Places) Typed(name string) string { return cmp.Or(p.Mark, "/") + name }

// CommandFile is where a command is defined, in one of the client's folders.
func (p Places) CommandFile(folder, name string) string {
	return filepath.Join(folder, p.Commands, name+".md")
}

// SkillFile is where a skill is defined, in one of the client's folders.
func (p Places) SkillFile(folder, name string) string {
	return filepath.Join(folder, p.Skills, name, "SKILL.md")
}
