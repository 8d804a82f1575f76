package shell

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/syntax"
)

// recorder collects the calls of a line, with what is known where each is made, and watches the limits.
type recorder struct {
	state    // what holds now, provided that the last command succeeded
	language language
	differs  bool // zsh may read the line otherwise

	calls   []Call
	input   input    // the standard input of the current command
	via     []string // the wrappers around the current command
	place   place    // where the files of the current command are
	linked  bool     // the line has made a symbolic link: a later path may lead through it
	hasRead bool     // some variable holds what was read, which arithmetic may run

	depth, steps, text, spent int
	over                      bool // a limit was exceeded
}

// place is where the files of a command are.
type place uint8

const (
	here      place = iota
	container       // paths are unknown, but for those below a mount that the line names
	elsewhere       // another machine: its files are not recorded
)

// spend counts work that a line can multiply. It returns false over the limit.
func (r *recorder) spend(n int) bool {
	if r.spent += n; r.spent > maxSpend {
		r.over = true
	}
	return !r.over
}

// descend runs f one level deeper, unless that exceeds the limit.
func (r *recorder) descend(f func()) {
	if r.depth++; r.depth > maxDepth {
		r.over = true
	} else if !r.over {
		f()
	}
	r.depth--
}

// withVia runs f with one more wrapper in Via.
func (r *recorder) withVia(via string, f func()) {
	saved := r.via
	if via != "" {
		r.via = append(slices.Clip(r.via), via)
	}
	f()
	r.via = saved
}

// addCall adds a call in the current directory and wrappers.
func (r *recorder) addCall(c Call) {
	if len(r.calls) >= maxCalls {
		r.over = true
		return
	}
	if c.Kind != Command && r.place == elsewhere {
		return
	}
	c.Dir, c.Via = r.dir, r.via
	if c.Kind != Command && r.place == container {
		c.Path, c.Pattern, c.Dir = r.mountedPath(c.Path), r.mountedPath(c.Pattern), ""
		c.Path = cmp.Or(c.Path, Unknown)
	}
	if c.Kind == Write || c.Kind == Delete {
		c.Groups |= groupsOfTarget(joinPath(c.Dir, cmp.Or(c.Pattern, c.Path)))
	}
	r.calls = append(r.calls, c)
}

// A mount is a file or folder here, and the path by which a container knows it.
type mount struct{ here, inside string }

// mountedPath returns the path here of what a path or pattern means in a container; "" where that is not known.
func (r *recorder) mountedPath(name string) string {
	at, nearest := joinPath(r.dir, name), mount{here: Unknown}
	for _, m := range r.mounts {
		if strings.HasPrefix(at+"/", m.inside+"/") && len(m.inside) >= len(nearest.inside) {
			nearest = m
		}
	}
	if name == "" || nearest.here == Unknown {
		return ""
	}
	return path.Join(cmp.Or(nearest.here, "."), at[len(nearest.inside):])
}

// addUnknown adds a call about which nothing is known.
func (r *recorder) addUnknown() { r.addCall(Call{Kind: Command, Code: true}) }

// addFile adds a call on a file, unless it is a stream.
func (r *recorder) addFile(k Kind, f field) {
	path := f.path()
	if isStream(path) {
		// Linux opens again what an input stream was opened from.
		n := path[strings.LastIndexByte(path, '/')+1:]
		isNumber := n != "" && strings.Trim(n, "0123456789") == ""
		if k == Write && (n == "stdin" || isNumber && !isOutput(n)) && !isSocket(path) {
			r.addAnyWrite()
		}
		return
	}
	pattern := f.pattern()
	if r.linked && (k == Write || k == Delete) {
		path, pattern = Unknown, ""
	}
	if path == Unknown && !r.linked && !f.known && !f.glob && f.shape == "" &&
		strings.Contains(f.text, aNumber) && !leavesFolder(f.text) &&
		!strings.Contains(strings.ReplaceAll(f.text, aNumber, ""), "${") {
		path = pattern // nothing but numbers is unknown
	}
	if reachesProcess(path) {
		path = Unknown
	}
	if k == Read && pattern == "" && path == Unknown { // of "$DIR/.env" the name is known
		if at := strings.LastIndexByte(f.text, '/'); at >= 0 && !strings.Contains(f.text[at:], "${") {
			pattern = "/**" + f.text[at:]
		}
	}
	r.addCall(Call{Kind: k, Path: path, Pattern: pattern})
}

// addAnyWrite adds a write of files of which nothing is known.
func (r *recorder) addAnyWrite() { r.addFile(Write, unknownField()) }

// isOutput reports whether a descriptor is open for writing: the output, the errors, and the
// one that a substitution is given. A file that is opened there to be read is a write.
func isOutput(n string) bool { return hasWord("1 2 63", n) }

// addFiles adds a call on each of fs.
func (r *recorder) addFiles(k Kind, fs []field) {
	for _, f := range fs {
		r.addFile(k, f)
	}
}

// dropRepeated drops repeated calls from index first on: a loop does the same in every round.
func (r *recorder) dropRepeated(first int) {
	seen := make(map[string]bool)
	kept := slices.DeleteFunc(r.calls[first:], func(c Call) bool {
		key := c.String() + "\x00" + c.Pattern + "\x00" + c.Dir + "\x00" + strings.Join(c.Via, "\x00")
		isRepeated := seen[key]
		seen[key] = true
		return isRepeated
	})
	r.calls = r.calls[:first+len(kept)]
}

// isStream reports whether a path is a stream rather than a file.
func isStream(path string) bool {
	if hasWord("/dev/null /dev/stdin /dev/stdout /dev/stderr /dev/tty /dev/zero /dev/full /dev/random "+
		"/dev/urandom", path) {
		return true
	}
	for _, p := range [...]string{"/dev/fd/", "/dev/tcp/", "/dev/udp/", "/dev/pts/", "/proc/self/fd/"} {
		if rest, ok := strings.CutPrefix(path, p); ok {
			return !strings.Contains(path, "..") && (p[len(p)-3:] != "fd/" || !strings.Contains(rest, "/"))
		}
	}
	return false
}

// isSocket reports whether a path is one that the shell connects to as it opens it, to read and to write.
func isSocket(path string) bool {
	return hasWord("/dev/tcp/ /dev/udp/", path[:min(9, len(path))])
}

// reachesProcess reports whether a path goes through a folder of a process, which may be any: /proc/self/cwd.
func reachesProcess(path string) bool {
	return strings.HasPrefix(path, "/dev/fd/") ||
		strings.HasPrefix(path, "/proc/") && hasAnyPart(path, "/cwd", "/root", "/fd/")
}

// state is what is known at a point of the line. It is small and copied freely: variables are replaced, not changed.
type state struct {
	dir    string  // as Call.Dir
	mounts []mount // of the container that the line is in
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
	return strings.Trim(path[:max(0, at)], "./") != ""
}

// joinPath returns the path that to means in dir.
func joinPath(dir, to string) string {
	switch {
	case to == Unknown, reachesProcess(to):
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
	if end := strings.IndexFunc(text, endsName); end >= 0 {
		text = text[:end]
	}
	if syntax.ValidName(text) && (s.vars[text] != nil || strings.ToUpper(text) == text) {
		s.forget(text)
	}
}

func endsName(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// forgetEverything is for commands that may change anything.
func (s *state) forgetEverything() {
	s.dir, s.vars, s.lost, s.params = Unknown, nil, true, nil
}
