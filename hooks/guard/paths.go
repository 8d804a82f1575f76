package guard

import (
	"cmp"
	"os"
	"slices"
	"sort"
	"strings"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm/shell"
)

func isRooted(path string) bool {
	return system.IsAbs(path) || path == "~" || strings.HasPrefix(path, "~/")
}

// commandName is the name of the command that words run; empty without words.
func commandName(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return shell.CommandName(system.Native(words[0]))
}

// MakeAbsolute makes a path absolute, seen from a directory.
func MakeAbsolute(path, dir, home string) string {
	if strings.HasPrefix(path, `\`) {
		path = system.OnDrive(path, dir)
	} else {
		path = system.Native(path)
	}
	switch {
	case system.IsAbs(path):
		return system.Clean(path)
	case isRooted(path):
		return system.Join(home, path[1:])
	}
	return system.Join(dir, path)
}

// maxPath is the length from which the system opens no path: what cleans it before may, and follows no links.
const maxPath = 4 << 10

// leaveLinks writes a path without "..", as the system reads it: behind a link to a folder,
// ".." is the folder in which that one lies.
func leaveLinks(path, dir, home string) string {
	if len(path) > maxPath {
		return path
	}
	names := strings.Split(system.Native(path), "/")
	isFolder := func(name string) bool { return name != "" && name != "." && name != ".." }
	for i := 0; i < len(names); i++ {
		if names[i] == ".." && slices.ContainsFunc(names[:i], isFolder) && system.VolumeName(path) == "" {
			up := strings.Split(system.Dir(resolvePath(strings.Join(names[:i], "/"), dir, home)), "/")
			i, names = len(up)-1, append(up, names[i+1:]...)
			path = strings.Join(names, "/")
		}
	}
	return path
}

// resolvePath makes a path absolute and follows its links, as far as it exists. A link
// to nothing leads to where the file would be made. How far it exists is found by halves: a line names thousands
// of folders at no cost.
func resolvePath(path, dir, home string) string {
	path = MakeAbsolute(path, dir, home)
	for range 40 { // links to nothing yet
		if real, err := system.EvalSymlinks(path); err == nil {
			return real
		}
		volume := system.VolumeName(path)
		real, names := volume, strings.SplitAfter(path[len(volume):], "/")
		missing := sort.Search(len(names)-1, func(i int) bool {
			to, err := system.EvalSymlinks(volume + strings.Join(names[:i+1], ""))
			if err == nil {
				real = to
			}
			return err != nil
		})
		to, err := os.Readlink(system.Join(real, names[missing]))
		if err != nil {
			return system.Join(real, strings.Join(names[missing:], ""))
		}
		if !system.IsAbs(to) {
			to = system.Join(real, to)
		}
		path = system.Join(to, strings.Join(names[missing+1:], ""))
	}
	return path
}

func hasWord(list, word string) bool { return word != "" && strings.Contains(list, " "+word+" ") }

func hasAnyWord(list string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return hasWord(list, w) })
}

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
	return system.Join(p.Project, p.Agents, name+cmp.Or(p.AgentExt, ".md"))
}

// Typed is how the user calls a skill or a command.
func (p Places) Typed(name string) string { return cmp.Or(p.Mark, "/") + name }

// CommandFile is where a command is defined, in one of the client's folders.
func (p Places) CommandFile(folder, name string) string {
	return system.Join(folder, p.Commands, name+".md")
}

// SkillFile is where a skill is defined, in one of the client's folders.
func (p Places) SkillFile(folder, name string) string {
	return system.Join(folder, p.Skills, name, "SKILL.md")
}
