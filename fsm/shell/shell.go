// Package shell reads a line of shell and reports what it would do: the commands it runs, and the files it reads,
// changes and removes. The same rules then judge each part, whichever way an agent does a thing.
//
// Nothing is executed and no file is opened. What cannot be known before the line
// runs is reported as unknown, never as harmless.
//
// The evaluator follows the syntax tree: words, variables, functions, redirections.
// The table says what commands do with their arguments.
package shell

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Unknown stands for a word or a path that is known only when the line runs.
// It contains a NUL byte, which no word of a shell line can.
const Unknown = "\x00?"

// Kind is what a part of a line does.
type Kind uint8

// The kinds of calls.
const (
	Command Kind = iota // runs a command
	Read                // looks at a file
	Write               // makes or changes a file
	Delete              // removes a file, or a tree
	Search              // looks for text in files
	List                // looks for files
)

// Tool is the name under which rules speak of the kind.
func (k Kind) Tool() string { return [...]string{"Bash", "Read", "Write", "Delete", "Grep", "Glob"}[k] }

// Call is one thing that a line does.
type Call struct {
	Kind  Kind
	Words []string // Command: the command and its arguments, without quotes; Unknown where not known
	Path  string   // other kinds: as written, a leading tilde kept, or Unknown; a directory means all below it

	// Pattern says which files may be meant where Path alone does not: a glob in which
	// ** stands for any folders, @(a|b) for either, and Unknown for any text. Empty: all
	// that Path says.
	Pattern string
	Parent  bool // Command: one of its words holds the id of the shell's parent

	Dir      string // the directory in which Path is meant: "" where the line starts, Unknown if not known
	Code     bool   // Command: what it runs cannot be known, whatever its name says
	Unlisted bool   // Command: Code, as the table does not have it, or not with this subcommand or option
	Shows    bool   // Command: it changes nothing and runs nothing that cannot be known
	Text     string // Command: what Code is, where the line has it and its words do not

	Groups Group // Command: the groups that it is in; Write and Delete: those of a command that changes a device

	Unnamed bool // Write: the command changes files that its words do not name; Words and Groups are the command's

	// Evaluates are folders and files, seen from Dir: to show something, a Command runs the build
	// files that these are or have.
	Evaluates []string

	Via []string // the wrappers it was found in, outermost first: "sudo", "bash -c"
}

// String is the call as people read it: Bash(git push), Write(main.go),
// Read(?). A question mark at the end says that what runs is not known.
func (c Call) String() string {
	words := []string{c.Path}
	if c.Kind == Command {
		words = c.Words
	}
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quoteWord(w)
	}
	text := c.Kind.Tool() + "(" + cmp.Or(strings.Join(quoted, " "), "?") + ")"
	if c.Code && len(c.Words) > 0 {
		text += "?"
	}
	return text
}

// quoteWord makes a word readable beside others; a real "?" differs from Unknown.
func quoteWord(w string) string {
	switch {
	case w == Unknown:
		return "?"
	case w == "" || w == "?" || w[0] == '#' || strings.ContainsAny(w, " \t\n'\"()\\;|&<>$`"):
		return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
	}
	return w
}

// Options is what Parse must know beside the line.
type Options struct {
	Shell    string   // the shell that runs the line: "bash", "zsh", "sh"; another: bash or zsh
	Existing []string // directories that a cd enters without fail, as Call.Dir names them
	Typed    bool     // what the line runs may be typed to later, unseen

	// HasZsh is asked where bash and zsh read the line differently and Shell names neither; nil: there is a zsh.
	HasZsh func() bool
}

// Parse reads one shell line, which may span several lines of text, and returns
// its calls in order of appearance. It never panics. A line over 64 KB, nested too deep,
// doing too much or not to be read at all ends with an unknown call, whose Text is the line.
func Parse(line string, o Options) (calls []Call) {
	defer func() {
		if recover() != nil {
			calls = unknownLine(line)
		}
	}()
	return parse(line, o)
}

// parse is Parse without its recovery from panics.
func parse(line string, o Options) []Call {
	if len(line) > maxLine || strings.IndexByte(line, 0) >= 0 {
		return unknownLine(line)
	}
	e := newEvaluator(findRow, languageOf(o.Shell))
	e.existing = o.Existing
	if e.isTyped = o.Typed; o.Typed {
		e.input.from = typed
	}
	e.runLine(line)
	for i := 0; i < len(e.funcs) && !e.over; i++ { // a trap or another program may call what the line does not
		if f := e.funcs[i]; !f.called {
			e.inSubshell(func() {
				e.forgetEverything()
				e.walkBody(f)
			})
		}
	}
	if e.language == bashOrZsh && e.differs && !e.unread && (o.Shell == "zsh" || o.HasZsh == nil || o.HasZsh()) {
		e.addUnknown()
	}
	if e.over {
		return append(e.calls[:min(len(e.calls), maxKept)], unknownLine(line)...)
	}
	e.markUnknown(line)
	return e.calls
}

// valueOnLine is a value that a line gives to a variable or to its own parameters.
const valueOnLine = `(?:\w\+?=|\bset\s+(?:--\s+)?|<<<\s*)(\([^)]*\)|"[^"]*"|'[^']*'|[^;|&\n]*)`

// markUnknown puts a command of which not even the name is known into the groups of the commands that the line has in
// values: a=(git push); "${a[@]}".
func (e *evaluator) markUnknown(line string) {
	isUnknown := func(c Call) bool {
		return c.Kind == Command && c.Code && (len(c.Words) == 0 || strings.Contains(c.Words[0], Unknown))
	}
	if !slices.ContainsFunc(e.calls, isUnknown) {
		return
	}
	var in Group
	for _, m := range regexp.MustCompile(valueOnLine).FindAllStringSubmatch(line, maxPieces) {
		in |= e.groupsOfLine(strings.Trim(m[1], `()"'`))
	}
	for i := range e.calls {
		if isUnknown(e.calls[i]) {
			e.calls[i].Groups |= in
		}
	}
}

func newEvaluator(findRow func(string) *form, l language) *evaluator {
	return &evaluator{recorder: recorder{language: l}, findRow: findRow, rounds: 1,
		parser: syntax.NewParser(syntax.Variant(syntax.LangBash))}
}

// unknownLine is what is added for a line that is too long to be read: a push may hide in it.
func unknownLine(line string) []Call {
	return []Call{{Kind: Command, Code: true, Text: line, Groups: Remote}}
}
