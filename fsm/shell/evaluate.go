package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Limits on what reading one line may cost. Beyond them the whole line is unknown.
const (
	maxLine   = 64 << 10  // bytes of the line
	maxText   = 256 << 10 // bytes of code found in it, such as bash -c '…'
	maxDepth  = 48        // subshells, substitutions, functions and code in each other
	maxParens = 500       // open parentheses
	maxSteps  = 8192      // statements, those of unrolled loops counted each time
	maxCalls  = 2048
	maxKept   = 256     // calls of a line that exceeds a limit
	maxPieces = 256     // of a line that cannot be parsed
	maxSpend  = 1 << 20 // bytes of words after expansion
	maxItems  = 16      // words of a loop that are followed one by one
	maxRounds = 64      // rounds of loops in each other that are followed one by one
)

// evaluator walks the syntax tree of a line as the shell would run it: its methods are
// what the shell's grammar knows. Its parts know the rest:
//
//	recorder     the calls so far, and what is known at this point of the line
//	expansion    a word and what it becomes
//	program      a command: a program or a builtin
type evaluator struct {
	recorder
	parser  *syntax.Parser
	failed  state // what holds if the last command failed
	mayStay bool  // the latest cd may have failed
	unread  bool  // the line, or code in it, could not be parsed

	files     []*syntax.File // the line and the code in it, as far as it was read
	texts     []string       // of them, without backslashes
	searched  int            // how many of them were searched for hidden code
	hasHidden bool           // there is some
	assigned  []string       // names in texts that arithmetic would read as an assignment

	isTyped bool // somebody may type to what the line runs

	findRow func(name string) *form // a field: the rows name functions that lead back here
	funcs   []*function

	existing []string // directories that a cd enters without fail

	rounds int // of the loops around the statement, multiplied
}

// source is where a command's standard input comes from.
type source uint8

const (
	inherited source = iota
	piped            // another command, or a text whose content does not matter
	opened           // a file
	typed            // the line's own, to which somebody may type
)

// input is the standard input of a command.
type input struct {
	from source
	path field  // opened: the file
	text *field // the text itself, from a heredoc, a here-string or an echo

	fromPipe bool   // another command writes it
	names    string // a pattern of the files that it may name, or ""
	plain    bool   // its lines are no options
}

// GroupsOfForeign says of a line in a language that is not read here whether a command in it leaves this machine or
// destroys.
func GroupsOfForeign(line string) Group {
	if len(line) > maxLine {
		return Remote
	}
	return newEvaluator(findRow, bashOrZsh).groupsOfPieces(line + "\n")
}

// groupsOfPieces says of text that cannot be parsed whether a command in it leaves this machine or destroys, as far
// as its pieces can be parsed.
func (e *evaluator) groupsOfPieces(text string) (in Group) {
	pieces := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(";|&(){}`\n", r) })
	if len(pieces) > maxPieces {
		return Remote
	}
	for _, piece := range pieces {
		if piece == text {
			return 0
		}
		in |= e.groupsOfLine(piece)
	}
	return in
}

// groupsOfLine says whether a command of a line that is read on its own leaves this machine or destroys.
func (e *evaluator) groupsOfLine(line string) (in Group) {
	read := newEvaluator(e.findRow, e.language)
	read.runLine(line)
	return read.groupsOfCalls()
}

// groupsOfCalls says whether a call so far leaves this machine or destroys.
func (r *recorder) groupsOfCalls() (in Group) {
	for _, c := range r.calls {
		in |= c.Groups & (Remote | Destroys)
	}
	return in
}

// runLine reads the text of a line, or of code inside it.
func (e *evaluator) runLine(text string) {
	e.text += len(text)
	if e.text > maxText || countNested(text) > maxParens {
		e.over = true
		return
	}
	file, ok := e.parseText(text)
	if !ok {
		e.differs, e.unread = true, true
		e.addCall(Call{Kind: Command, Code: true, Text: text, Groups: e.groupsOfPieces(text)})
		return
	}
	e.differs = e.differs || e.language == bashOrZsh && hasZshForm(text, file)
	e.files, e.texts = append(e.files, file), append(e.texts, strings.ReplaceAll(text, `\`, ""))
	e.runStatements(file.Stmts)
}

// runCode reads text that another shell runs: the one that via names, or sh. That shell
// sees the exported variables, and changes none of this one.
func (e *evaluator) runCode(text field, via string) {
	saved := e.language
	name, _, _ := strings.Cut(via, " ")
	if e.language = languageOf(name); e.language == bashOrZsh {
		e.language = posix
	}
	e.withVia(via, func() {
		e.inSubshell(func() {
			for name := range e.vars {
				e.state.forget(name) // it may not be exported
			}
			e.runInline(text)
		})
	})
	e.language = saved
}

// runInline reads text that this shell runs itself, as for eval. If a piece of it is
// unknown, the line also runs unknown code; the rest is read nevertheless.
func (e *evaluator) runInline(text field) {
	if !text.known && !text.tame {
		e.addUnknown()
	}
	if strings.TrimSpace(strings.ReplaceAll(text.text, blank, "")) == "" {
		return // nothing of it is known
	}
	e.descend(func() { e.runLine(text.text) })
}

// inSubshell runs f in a child process: it changes neither the directory nor the variables of this one.
func (e *evaluator) inSubshell(f func()) {
	saved, in := e.state, e.input
	e.descend(f)
	e.state, e.failed, e.input = saved, saved, in
}

// runApart runs a list in a child process.
func (e *evaluator) runApart(list []*syntax.Stmt) { e.inSubshell(func() { e.runStatements(list) }) }

// runStatements runs a list, one statement after the other: the next one runs after a success and after a failure.
func (e *evaluator) runStatements(list []*syntax.Stmt) {
	for _, s := range list {
		e.runStatement(s)
		e.state = mergeStates(e.state, e.failed)
		e.failed = e.state
	}
}

// runStatement runs a statement. It leaves in state what holds if the statement
// succeeds, and in failed what holds if it fails.
func (e *evaluator) runStatement(s *syntax.Stmt) {
	if e.steps++; e.steps > maxSteps {
		e.over = true
	}
	if e.over {
		return
	}
	if s.Background || s.Coprocess {
		e.inSubshell(func() { e.runRedirected(s) })
	} else {
		e.runRedirected(s)
	}
	if s.Negated {
		e.state, e.failed = e.failed, e.state
	}
}

// runCommand runs what a statement consists of.
func (e *evaluator) runCommand(c syntax.Command) {
	switch c := c.(type) {
	case nil:
	case *syntax.CallExpr:
		e.runSimple(c)
		return
	case *syntax.BinaryCmd:
		e.runBinary(c)
		return
	case *syntax.TimeClause:
		if c.Stmt != nil {
			e.runStatement(c.Stmt)
		}
		return
	case *syntax.Subshell:
		e.runApart(c.Stmts)
	case *syntax.Block:
		e.descend(func() { e.runStatements(c.Stmts) })
	case *syntax.IfClause:
		e.descend(func() { e.runIf(c) })
	case *syntax.WhileClause:
		e.descend(func() { e.runWhile(c) })
	case *syntax.ForClause:
		e.descend(func() { e.runFor(c) })
	case *syntax.CaseClause:
		e.descend(func() { e.runCase(c) })
	case *syntax.FuncDecl:
		if e.depth > 0 {
			e.addUnknown() // whether it exists later
		}
		e.funcs = append(e.funcs, &function{name: c.Name.Value, body: c.Body})
	case *syntax.DeclClause:
		e.declareVariables(c)
	case *syntax.CoprocClause:
		e.inSubshell(func() { e.runStatement(c.Stmt) })
		e.lost = true // it sets variables
	default: // (( )), [[ ]], let
		e.addBashForm()
		e.scanTree(c)
	}
	e.failed = e.state // for all the rest, success and failure leave the same
}

// runSimple runs a simple command, or assigns variables.
func (e *evaluator) runSimple(c *syntax.CallExpr) {
	fields, saved := e.expandWords(c.Args), e.vars
	for _, a := range c.Assigns {
		e.bind(a.Name.Value, e.readAssigned(a))
	}
	if len(c.Args) == 0 {
		e.failed = e.state
		return
	}
	e.runWords(fields)
	for _, a := range c.Assigns {
		if old := saved[a.Name.Value]; old != nil {
			e.state.bind(a.Name.Value, *old)
		} else if a.Name.Value != "IFS" {
			e.state.forget(a.Name.Value)
		}
	}
}

// runWords runs a command given by its words: a function, a builtin or a program. Where that is cd, the shell may stay
// in its folder.
func (e *evaluator) runWords(ws []field) {
	before := e.dir
	if len(ws) > 0 && strings.IndexByte(ws[0].text, '=') > 0 {
		e.params, e.differs = nil, true // zsh: 1=text
	}
	switch {
	case len(ws) == 0 || ws[0].is(""): // an empty command fails
	case !ws[0].isFixed():
		e.addCall(Call{Kind: Command, Words: fieldWords(ws), Code: true, Groups: groupsOfVerbs(ws[1:])})
		if ws[0].many && len(ws) > 1 {
			// The word may vanish, as an unset $SUDO does: the next one is the command.
			e.descend(func() { e.runWords(ws[1:]) })
		}
	default:
		c, isPath := command{name: CommandName(ws[0].text), words: ws}, strings.Contains(ws[0].text, "/")
		if !isPath && e.callFunction(c) {
			break
		}
		if p := newProgram(e, c); isPath || !p.runBuiltin() {
			p.run()
		}
	}
	if e.failed = e.state; e.mayStay {
		e.failed.dir = before
	}
}

// runPlain runs words as a program or a builtin, whatever functions the line defines.
func (e *evaluator) runPlain(ws []field) {
	saved := e.funcs
	e.funcs = nil
	e.runWords(ws)
	e.funcs = append(saved, e.funcs...)
}

// function is a function that the line defines.
type function struct {
	name   string
	body   *syntax.Stmt
	called bool
	active bool // being walked: a call inside it is a recursion
}

// callFunction walks the body of every function of the name once, with the arguments as parameters. It returns false
// if there is none.
func (e *evaluator) callFunction(c command) (replaces bool) {
	for _, f := range e.funcs {
		if f.name != c.words[0].text {
			continue
		}
		if replaces = true; f.active {
			continue
		}
		params := e.params
		e.setParameters(c.args())
		e.walkBody(f)
		e.params, e.dead = params, false
		e.forgetChanges(f.body) // it may have left early, and the values of its locals outside of it are not kept
	}
	return replaces
}

// walkBody walks a function's body.
func (e *evaluator) walkBody(f *function) {
	f.called, f.active = true, true
	e.withVia(f.name, func() {
		e.descend(func() { e.runStatements([]*syntax.Stmt{f.body}) })
	})
	f.active = false
}

// runBinary runs && and || lists and pipes.
func (e *evaluator) runBinary(b *syntax.BinaryCmd) {
	switch b.Op {
	case syntax.AndStmt:
		e.runStatement(b.X)
		first := e.failed
		e.descend(func() { e.runStatement(b.Y) })
		e.failed = mergeStates(first, e.failed)
	case syntax.OrStmt:
		e.runStatement(b.X)
		first := e.state
		e.state = e.failed
		e.descend(func() { e.runStatement(b.Y) })
		e.state = mergeStates(first, e.state)
	default:
		// Both sides are child processes. But zsh runs the last one in the shell
		// itself, so what that one sets is unknown afterwards.
		first := len(e.calls)
		e.inSubshell(func() { e.runStatement(b.X) })
		saved := e.input
		made := e.calls[min(first, len(e.calls)):]
		e.input = input{from: piped, fromPipe: true, names: namesIn(made), plain: namesThings(made)}
		e.input.text = e.pipedText(b.X)
		e.inSubshell(func() { e.runStatement(b.Y) })
		e.input = saved
		e.forgetChanges(b.Y)
		e.failed = e.state
	}
}

func (e *evaluator) runIf(c *syntax.IfClause) {
	if len(c.Cond) == 0 { // else
		e.runStatements(c.Then)
		return
	}
	e.runCondition(c.Cond)
	otherwise := e.failed
	e.runStatements(c.Then)
	done := e.state
	e.state, e.failed = otherwise, otherwise
	if c.Else != nil {
		e.runIf(c.Else)
	}
	e.state = mergeStates(done, e.state)
}

// runCondition runs the list of an if or a while; its last statement decides.
func (e *evaluator) runCondition(list []*syntax.Stmt) {
	last := len(list) - 1
	e.runStatements(list[:last])
	e.runStatement(list[last])
}

// runWhile reads a loop once. What the loop changes is unknown from the start.
func (e *evaluator) runWhile(c *syntax.WhileClause) {
	e.forgetChanges(c)
	e.runCondition(c.Cond)
	over := mergeStates(e.state, e.failed)
	e.state = over
	e.runStatements(c.Do)
	e.dead = false
	e.state = mergeStates(over, e.state)
	e.forgetChanges(c)
}

func (e *evaluator) runCase(c *syntax.CaseClause) {
	e.scanTree(c.Word)
	e.forgetChanges(c) // one item may run on into the next
	before := e.state
	after := before
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			e.scanTree(p)
		}
		e.state = before
		e.runStatements(item.Stmts)
		after = mergeStates(after, e.state)
	}
	e.state = after
}

// runFor runs the body once for each word if the words are known and few. Otherwise
// it runs the body once, with an unknown variable.
func (e *evaluator) runFor(c *syntax.ForClause) {
	items, known, name := []field{unknownField()}, false, ""
	if iter, ok := c.Loop.(*syntax.WordIter); ok {
		items, known = e.loopItems(c, iter)
		name = iter.Name.Value
	} else {
		e.scanTree(c.Loop)
	}
	rounds := e.rounds
	e.rounds = rounds * max(1, len(items))
	leaves := leavesEarly(c)
	if !known || leaves {
		e.forgetChanges(c)
	}
	before, first := e.state, len(e.calls)
	for _, item := range items {
		if name != "" {
			e.bind(name, item)
		}
		e.runStatements(c.Do)
		e.dead = false
	}
	e.rounds = rounds
	e.dropRepeated(first)
	if !known || len(items) == 0 || leaves {
		e.state = mergeStates(before, e.state)
		e.forgetChanges(c)
	}
}

// loopItems returns the words of a loop, and whether they are known. If they are
// not, one unknown word stands for all.
func (e *evaluator) loopItems(c *syntax.ForClause, iter *syntax.WordIter) ([]field, bool) {
	var items []field
	switch {
	case iter.InPos.IsValid():
		items = e.expandWords(iter.Items)
	case e.params != nil:
		items = *e.params
	default:
		return []field{unknownField()}, false
	}
	known := len(items) <= maxItems && !c.Select && e.rounds*max(1, len(items)) <= maxRounds
	known = known && !slices.ContainsFunc(items, func(f field) bool { return !f.isFixed() })
	if !known && len(items) > 0 {
		var ways []string
		for _, f := range items {
			ways = append(ways, f.filePattern())
		}
		item := field{text: blank, shape: joinWays(ways...)}
		if len(items) == 1 && items[0].tame {
			item = items[0] // a number
		}
		item.plain = !slices.ContainsFunc(items, field.mayBeOption)
		items = []field{item}
	}
	return items, known
}

// hasNode reports whether a part of the tree has such a node.
func hasNode(n syntax.Node, is func(syntax.Node) bool) (found bool) {
	syntax.Walk(n, func(n syntax.Node) bool {
		found = found || n != nil && is(n)
		return !found
	})
	return found
}

// leavesEarly reports whether a loop's round or a function may end before its end.
func leavesEarly(n syntax.Node) bool {
	return hasNode(n, func(n syntax.Node) bool {
		c, ok := n.(*syntax.CallExpr)
		if !ok || len(c.Args) == 0 {
			return false
		}
		name := c.Args[0].Lit()
		return name == "" || hasWord("break continue return eval", name)
	})
}

// hasSubstitution reports whether a part of the tree runs commands for their output.
func hasSubstitution(n syntax.Node) bool {
	return hasNode(n, func(n syntax.Node) bool {
		switch n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			return true
		}
		return false
	})
}
