package shell

import (
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/syntax"
)

// state is what is known at a point of the line. It is small and copied freely: variables are replaced, not changed.
type state struct {
	dir    string // as Call.Dir
	vars   map[string]*field
	params *[]field // "$@"; nil: not known
	lost   bool     // no variable can be trusted any more
	split  bool     // IFS was changed: how values fall into words is not known
	dead   bool     // the shell does not get here
}

// maxVariables limits the variables that are followed. Beyond it every one is forgotten.
const maxVariables = 256

// bind gives name a new value.
func (s *state) bind(name string, value field) {
	if len(s.vars) >= maxVariables {
		s.lost, s.vars = true, nil
		return
	}
	s.split = s.split || name == "IFS"
	vars := make(map[string]*field, len(s.vars)+1)
	maps.Copy(vars, s.vars)
	vars[name] = &value
	s.vars = vars
}

// setParameters sets "$@". It is unknown if their number is unknown.
func (s *state) setParameters(fs []field) {
	if s.params = &fs; slices.ContainsFunc(fs, func(f field) bool { return f.many || f.glob }) {
		s.params = nil
	}
}

// forget makes name's value unknown.
func (s *state) forget(name string) { s.bind(name, unknownField()) }

// lookup returns the value of a variable, or nil if the line does not set it.
func (s *state) lookup(name string) *field {
	if s.lost || isVolatile(name) {
		return nil
	}
	return s.vars[name]
}

// isVolatile reports whether the shell itself sets a variable.
func isVolatile(name string) bool {
	return hasWord("RANDOM SRANDOM SECONDS LINENO PWD OLDPWD _ REPLY OPTARG OPTIND BASHPID PIPESTATUS EPOCHSECONDS "+
		"EPOCHREALTIME FUNCNAME BASH_COMMAND UID EUID PPID DIRSTACK GROUPS HISTCMD", name)
}

// mergeStates returns what holds in both states: after an if, or a loop.
func mergeStates(a, b state) state {
	switch {
	case a.dead:
		return b
	case b.dead:
		return a
	}
	if a.dir != b.dir {
		a.dir = Unknown
	}
	if a.params != b.params {
		a.params = nil
	}
	a.lost = a.lost || b.lost
	a.split = a.split || b.split
	mine := a.vars
	for _, vars := range [...]map[string]*field{mine, b.vars} {
		for name := range vars {
			if mine[name] != b.vars[name] {
				a.forget(name)
			}
		}
	}
	return a
}

// enterPath is joinPath for a program that enters a directory. Behind a link, ".." leads it elsewhere than cd.
func enterPath(dir string, to field) string {
	if leavesFolder(to.text) {
		return Unknown
	}
	return joinPath(dir, to.path())
}

// leavesFolder reports whether a path leads into a folder and out of it: a/../b.
func leavesFolder(path string) bool {
	at := strings.LastIndex(path, "/..")
	return at >= 0 && strings.Trim(path[:at], "./") != ""
}

// joinPath returns the path that to means in dir.
func joinPath(dir, to string) string {
	switch {
	case to == Unknown:
		return Unknown
	case reachesProcess(to):
		return Unknown
	case strings.HasPrefix(to, "/"):
		return path.Clean(to)
	case to == "~" || strings.HasPrefix(to, "~/"):
		return to
	case dir == Unknown:
		return Unknown
	case strings.HasPrefix(dir, "~") && to != "":
		return dir + "/" + to // cleaning would lose what is above the home directory
	}
	if joined := path.Join(dir, to); joined != "." {
		return joined
	}
	return ""
}

// forgetChanges makes unknown what a part of the tree may change: for parts that run any number of times, or are left
// halfway. Each name that stands there bare may be that of a variable which is set.
func (e *evaluator) forgetChanges(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Subshell, *syntax.CmdSubst, *syntax.ProcSubst:
			return false
		case *syntax.ParamExp:
			return !isOnlyName(n) // else it may assign
		case *syntax.SglQuoted:
			e.forgetNamed(n.Value)
		case *syntax.Lit:
			e.forgetNamed(n.Value)
		case *syntax.CallExpr:
			if len(n.Args) == 0 {
				return true
			}
			name := n.Args[0].Lit()
			isComputed := func(w *syntax.Word) bool { return w.Lit() == "" }
			switch isNamed := func(f *function) bool { return f.name == name }; {
			case name == "", hasWord("eval source . builtin command shift set", name),
				hasWord("read mapfile readarray getopts unset printf let", name) &&
					slices.ContainsFunc(n.Args, isComputed),
				slices.ContainsFunc(e.funcs, isNamed):
				e.forgetEverything()
			case hasWord("cd pushd popd", name):
				e.dir = Unknown
			}
		}
		return true
	})
}

// forgetNamed forgets the variable with whose name a text begins, if the line has set it or a system may.
func (s *state) forgetNamed(text string) {
	if end := strings.IndexFunc(text, func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}); end >= 0 {
		text = text[:end]
	}
	if syntax.ValidName(text) && (s.vars[text] != nil || strings.ToUpper(text) == text) {
		s.forget(text)
	}
}

// forgetEverything is for commands that may change anything.
func (s *state) forgetEverything() {
	s.dir, s.vars, s.lost, s.params = Unknown, nil, true, nil
}
