package shell

import (
	"maps"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// state is what is known at a point of the line. It is small and copied freely: variables are replaced, not changed.
type state struct {
	dir    string // as Call.Dir
	vars   map[string]*binding
	params *[]field // "$@"; nil: not known
	lost   bool     // no variable can be trusted any more
	split  bool     // IFS was changed: how values fall into words is not known
	dead   bool     // the shell does not get here
}

// binding is a variable and its value.
type binding struct {
	name     string
	value    []field
	array    bool
	export   bool
	readonly bool
}

// maxBindings limits the variables that are followed. Beyond it every one is forgotten.
const maxBindings = 256

// exportedVars returns variables as a child process sees them. One that is not exported is unknown there: an older
// value may have been exported.
func exportedVars(vars map[string]*binding) map[string]*binding {
	out := maps.Clone(vars)
	for name, b := range out {
		if !b.export {
			out[name] = &binding{name: name, value: []field{unknownField()}, readonly: b.readonly}
		}
	}
	return out
}

// bind gives name a new value.
func (s *state) bind(b binding) {
	if old := s.vars[b.name]; old != nil {
		if old.readonly {
			b.value = []field{unknownField()}
		}
		b.export = b.export || old.export
		b.readonly = b.readonly || old.readonly
	}
	if len(s.vars) >= maxBindings {
		s.lost, s.vars = true, nil
		return
	}
	s.split = s.split || b.name == "IFS"
	vars := make(map[string]*binding, len(s.vars)+1)
	maps.Copy(vars, s.vars)
	vars[b.name] = &b
	s.vars = vars
}

// setParameters sets "$@". It is unknown if their number is unknown.
func (s *state) setParameters(fs []field) {
	s.params = &fs
	for _, f := range fs {
		if f.many || f.glob {
			s.params = nil
		}
	}
}

// forget makes name's value unknown.
func (s *state) forget(name string) {
	s.bind(binding{name: name, value: []field{unknownField()}})
}

// markVariable adds attributes to a variable.
func (s *state) markVariable(name string, export, readonly bool) {
	b := binding{name: name, value: []field{unknownField()}}
	if old := s.vars[name]; old != nil {
		b = *old
	}
	if !export && !readonly {
		b.value, b.array = []field{unknownField()}, false // local x, declare x
	}
	b.export, b.readonly = b.export || export, b.readonly || readonly
	s.bind(b)
}

// lookup returns a variable, or false if the line does not set it.
func (s *state) lookup(name string) (*binding, bool) {
	if s.lost || isVolatile(name) {
		return nil, false
	}
	b := s.vars[name]
	return b, b != nil
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
	a.mergeVars(b.vars)
	return a
}

// mergeVars forgets the names whose values differ.
func (s *state) mergeVars(other map[string]*binding) {
	mine := s.vars
	for _, vars := range [...]map[string]*binding{mine, other} {
		for name := range vars {
			if mine[name] != other[name] {
				s.forget(name)
			}
		}
	}
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

// forgetChanges makes unknown what a part of the tree may change: for parts that run
// any number of times, or are left halfway.
func (e *evaluator) forgetChanges(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Subshell, *syntax.CmdSubst, *syntax.ProcSubst:
			return false
		case *syntax.Assign:
			if n.Name != nil {
				e.state.forget(n.Name.Value)
			}
		case *syntax.WordIter:
			e.state.forget(n.Name.Value)
		case *syntax.BinaryArithm:
			e.state.forgetAssigned(n)
		case *syntax.UnaryArithm:
			e.state.forgetOperand(n.X)
		case *syntax.ParamExp:
			if assignsDefault(n) {
				e.state.forget(n.Param.Value)
			}
		case *syntax.CallExpr:
			if len(n.Args) > 0 {
				name := n.Args[0].Lit()
				e.forgetCall(name, n.Args[1:])
				if slices.ContainsFunc(e.funcs, func(f *function) bool { return f.name == name }) {
					e.forgetEverything()
				}
			}
			for _, w := range n.Args {
				e.forgetChanges(w)
			}
			return len(n.Args) == 0 // else its assignments are its own
		}
		return true
	})
}

// forgetEverything is for commands that may change anything.
func (s *state) forgetEverything() {
	s.dir, s.vars, s.lost, s.params = Unknown, nil, true, nil
}

// forgetNames forgets every word that can be the name of a variable.
func (s *state) forgetNames(ws []*syntax.Word) {
	for _, w := range ws {
		name := w.Lit()
		if name == "" {
			s.lost = true
			continue
		}
		name, _, _ = strings.Cut(name, "[")
		if syntax.ValidName(name) {
			s.forget(name)
		}
	}
}

// assignDefault is for ${name:=value}.
func (e *evaluator) assignDefault(p *syntax.ParamExp) {
	if !assignsDefault(p) {
		return
	}
	if e.lost && p.Exp.Word != nil {
		e.addEvaluated(p.Exp.Word) // it may be a number
	}
	e.forget(p.Param.Value)
}

func assignsDefault(p *syntax.ParamExp) bool {
	return p.Param != nil && p.Exp != nil && (p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull)
}

// forgetAssigned forgets the variable that an arithmetic expression sets.
func (s *state) forgetAssigned(b *syntax.BinaryArithm) {
	switch b.Op {
	case syntax.Assgn, syntax.AddAssgn, syntax.SubAssgn, syntax.MulAssgn, syntax.QuoAssgn,
		syntax.RemAssgn, syntax.AndAssgn, syntax.OrAssgn, syntax.XorAssgn, syntax.ShlAssgn, syntax.ShrAssgn:
		s.forgetOperand(b.X)
	}
}

func (s *state) forgetOperand(x syntax.ArithmExpr) {
	if w, ok := x.(*syntax.Word); ok {
		if name := w.Lit(); name != "" {
			s.forget(name)
		}
	}
}

// forgetCall makes unknown what a builtin may change in the shell that runs it.
func (s *state) forgetCall(name string, args []*syntax.Word) {
	switch name {
	case "cd", "pushd", "popd":
		s.dir = Unknown
	case "read", "mapfile", "readarray", "getopts", "unset", "printf", "let":
		s.forgetNames(args)
	case "eval", "source", ".", "", "builtin", "command", "shift", "set":
		s.forgetEverything()
	}
}
