package shell

import (
	"path"
	"strings"
)

// state is what is known at a point of the line.  It is small and copied freely:
// variables are a list that only grows at its head.
type state struct {
	dir     string // as Call.Dir
	vars    *binding
	params  *[]field // "$@"; nil: not known
	lost    bool     // no variable can be trusted any more
	split   bool     // IFS was changed: how values fall into words is not known
	errexit bool     // set -e
	loaded  bool     // some value has a substitution in it, for arithmetic to run
	dead    bool     // the shell does not get here
}

// binding is a variable and its value; the newest of a name counts.
type binding struct {
	name     string
	value    []field
	array    bool
	export   bool
	readonly bool
	size     int
	next     *binding
}

// maxBindings bounds the search for a name; beyond it all is forgotten.
const maxBindings = 512

// find returns the newest binding of name, or nil.
func (b *binding) find(name string) *binding {
	for ; b != nil; b = b.next {
		if b.name == name {
			return b
		}
	}
	return nil
}

// exported is the list as a child process sees it: what was not exported is
// bound to something unknown, since an older value may have been.
func (b *binding) exported() *binding {
	var out *binding
	seen := 0
	for p := b; p != nil && seen < maxBindings; p, seen = p.next, seen+1 {
		if out.find(p.name) != nil {
			continue
		}
		c := *p
		c.next = out
		if !p.export {
			c.value, c.array = []field{unknown()}, false
		}
		out = &c
	}
	return out
}

// bind gives name a new value.
func (s *state) bind(b binding) {
	if old := s.vars.find(b.name); old != nil {
		if old.readonly {
			b.value = []field{unknown()}
		}
		b.export = b.export || old.export
		b.readonly = b.readonly || old.readonly
	}
	if b.next = s.vars; b.next != nil {
		b.size = b.next.size + 1
	}
	if b.size > maxBindings {
		s.lost, s.vars = true, nil
		return
	}
	if b.name == "IFS" {
		s.split = true
	}
	s.loads(b.value)
	s.vars = &b
}

// parameters sets "$@": not known if it is not known how many there are.
func (s *state) parameters(fs []field) {
	s.loads(fs)
	s.params = &fs
	for _, f := range fs {
		if f.many || f.glob {
			s.params = nil
		}
	}
}

// forget makes name's value unknown.
func (s *state) forget(name string) {
	s.bind(binding{name: name, value: []field{unknown()}})
}

// value returns what the variable holds; false if the line does not say.
func (s *state) value(name string) (*binding, bool) {
	if s.lost || volatile(name) {
		return nil, false
	}
	b := s.vars.find(name)
	return b, b != nil
}

// volatile tells of variables that the shell itself sets.
func volatile(name string) bool {
	switch name {
	case "RANDOM", "SRANDOM", "SECONDS", "LINENO", "PWD", "OLDPWD", "_", "REPLY", "OPTARG",
		"OPTIND", "BASHPID", "PIPESTATUS", "EPOCHSECONDS", "EPOCHREALTIME", "FUNCNAME",
		"BASH_COMMAND", "UID", "EUID", "PPID", "DIRSTACK", "GROUPS", "HISTCMD":
		return true
	}
	return false
}

// merge is what is known where two ways meet.
func merge(a, b state) state {
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
	a.loaded = a.loaded || b.loaded
	a.errexit = a.errexit && b.errexit
	a.mergeVars(b.vars)
	return a
}

// mergeVars forgets the names whose values differ in the other list.
func (s *state) mergeVars(other *binding) {
	mine := s.vars
	tail := fork(mine, other)
	for _, list := range [...]*binding{mine, other} {
		for p := list; p != tail; p = p.next {
			if mine.find(p.name) != other.find(p.name) {
				s.forget(p.name)
			}
		}
	}
}

// fork is the part that two lists share.
func fork(a, b *binding) *binding {
	for a != b {
		if b == nil || a != nil && a.size > b.size {
			a = a.next
		} else {
			b = b.next
		}
	}
	return a
}

// join is the directory, or the path, that to means in dir.
func join(dir, to string) string {
	switch {
	case to == Unknown:
		return Unknown
	case strings.HasPrefix(to, "/"):
		return path.Clean(to)
	case to == "~" || strings.HasPrefix(to, "~/"):
		return to
	case dir == Unknown:
		return Unknown
	case dir == "" || to == "":
		return relative(path.Join(dir, to))
	case strings.HasPrefix(dir, "~"):
		return dir + "/" + to // cleaning would lose what is above the home directory
	}
	return relative(path.Join(dir, to))
}

// relative writes the starting directory as "".
func relative(dir string) string {
	if dir == "." {
		return ""
	}
	return dir
}
