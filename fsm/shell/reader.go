package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// What reading one line may cost.  Beyond it the line is unknown as a whole.
const (
	maxLine   = 64 << 10  // bytes of the line
	maxText   = 256 << 10 // bytes of code found in it, such as bash -c '…'
	maxDepth  = 48        // subshells, substitutions, functions and code in each other
	maxParens = 500       // open parentheses
	maxSteps  = 8192      // statements, those of unrolled loops counted each time
	maxCalls  = 2048
	maxSpend  = 1 << 20 // bytes of words after expansion
	maxItems  = 16      // words of a loop that are followed one by one
)

// reader walks the syntax tree of a line as the shell would run it, keeping
// what is known of directory and variables, and collects calls.
type reader struct {
	state        // what holds now, provided that the last command succeeded
	failed state // what holds if it failed

	calls  []Call
	parser *syntax.Parser
	via    []string
	stdin  input
	where  place
	funcs  []*function
	links  []string // symbolic links that the line makes

	depth, steps, text int
	spent              int
	over               bool // a bound was met
	sheltered          int  // > 0: in a condition, where `set -e` does not hold
	maybe              int  // > 0: in a part that may not run, or runs in a process of its own
	loops, frames      int  // loops and function bodies around the statement
}

// place is where the files of a command are.
type place uint8

const (
	here      place = iota
	container       // parts of our tree may be mounted: paths are unknown
	elsewhere       // another machine: no files of ours
)

// source is where a command's standard input comes from.
type source uint8

const (
	inherited source = iota
	piped            // another command, or a text whose content does not matter
	opened           // a file
)

// input is the standard input of a command.
type input struct {
	from source
	path field  // opened: the file
	text *field // the text itself, from a heredoc, a here-string or an echo

	fromPipe bool // another command writes it
}

func newReader() *reader {
	return &reader{parser: syntax.NewParser(syntax.Variant(syntax.LangBash))}
}

// spend counts work that a line can multiply; false if it was too much.
func (r *reader) spend(n int) bool {
	if r.spent += n; r.spent > maxSpend {
		r.over = true
	}
	return !r.over
}

// line reads the text of a line, or of code inside it.
func (r *reader) line(text string) {
	if r.text += len(text); r.text > maxText {
		r.over = true
		return
	}
	if nested(text) > maxParens {
		r.over = true
		return
	}
	file, err := r.parser.Parse(strings.NewReader(text), "")
	if err != nil || disputed(text) {
		r.emit(Call{Kind: Command, Code: true})
		return
	}
	r.stmts(file.Stmts)
}

// code reads text that a shell is given to run, in a shell of its own: it sees
// what was exported, and changes nothing here.
func (r *reader) code(text field, via string) {
	r.within(via, func() {
		r.subshell(func() {
			r.vars = r.vars.exported()
			r.errexit = false
			if !strings.Contains(via, "bash") && !strings.Contains(via, "zsh") && poorer(text.text) {
				r.emit(Call{Kind: Command, Code: true})
			}
			r.inline(text)
		})
	})
}

// inline reads text that this very shell is given to run, as by eval.  Where
// pieces of it are unknown, so is what runs; the rest is read all the same.
func (r *reader) inline(text field) {
	if !text.known && !text.tame {
		r.emit(Call{Kind: Command, Code: true})
	}
	if strings.TrimSpace(strings.ReplaceAll(text.text, blank, "")) == "" {
		return // nothing of it is known
	}
	r.deeper(func() { r.line(text.text) })
}

// within runs f with one more wrapper in Via.
func (r *reader) within(via string, f func()) {
	saved := r.via
	if via != "" {
		r.via = append(slices.Clip(r.via), via)
	}
	f()
	r.via = saved
}

// deeper runs f one level down, if that is not too deep.
func (r *reader) deeper(f func()) {
	if r.depth++; r.depth > maxDepth {
		r.over = true
	} else if !r.over {
		f()
	}
	r.depth--
}

// subshell runs f in a process of its own: directory and variables are as before
// when it is over.
func (r *reader) subshell(f func()) {
	saved, loops, frames := r.state, r.loops, r.frames
	r.maybe++
	r.deeper(f)
	r.maybe--
	r.state, r.failed = saved, saved
	r.loops, r.frames = loops, frames
}

// emit adds a call, in the directory and the wrappers of the moment.
func (r *reader) emit(c Call) {
	if len(r.calls) >= maxCalls {
		r.over = true
		return
	}
	if c.Kind != Command && r.where == elsewhere {
		return
	}
	if c.Kind != Command && r.where == container {
		c.Path = Unknown
	}
	c.Dir, c.Via = r.dir, r.via
	r.calls = append(r.calls, c)
}

// file adds a call on a file, unless it is one of those that are none.
func (r *reader) file(k Kind, f field) {
	path := f.path()
	if device(path) {
		return
	}
	if (k == Write || k == Delete) && r.linked(path) {
		path = Unknown
	}
	r.emit(Call{Kind: k, Path: path})
}

// files adds a call for each of fs.
func (r *reader) each(k Kind, fs []field) {
	for _, f := range fs {
		r.file(k, f)
	}
}

// linked tells whether path goes through a symbolic link that the line itself
// makes: where it leads cannot be seen beforehand.
func (r *reader) linked(path string) bool {
	path = join(r.dir, path)
	for _, l := range r.links {
		if l == Unknown || path == l || strings.HasPrefix(path, l+"/") {
			return true
		}
	}
	return false
}

// device tells whether a path is a stream rather than a file.
func device(path string) bool {
	switch path {
	case "-", "/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty",
		"/dev/zero", "/dev/full", "/dev/random", "/dev/urandom":
		return path != "-"
	}
	for _, p := range [...]string{"/dev/fd/", "/dev/tcp/", "/dev/udp/", "/dev/pts/", "/proc/self/fd/"} {
		if strings.HasPrefix(path, p) {
			return !strings.Contains(path, "..")
		}
	}
	return false
}
