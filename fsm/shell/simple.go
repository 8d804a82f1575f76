package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// command is a simple command after expansion.
type command struct {
	name  string // the first word without its directory
	words []field
}

func (c command) args() []field { return c.words[1:] }

// runSimple runs a simple command, or assigns variables.
func (e *evaluator) runSimple(c *syntax.CallExpr) {
	if len(c.Args) == 0 {
		for _, a := range c.Assigns {
			e.assignVariable(a, false)
		}
		e.failed = e.state
		return
	}
	fields := e.expandWords(c.Args)
	if len(c.Assigns) == 0 {
		e.runWords(fields)
		return
	}
	saved := e.vars
	for _, a := range c.Assigns {
		e.assignVariable(a, true)
	}
	e.runWords(fields)
	for _, a := range c.Assigns {
		e.restoreVariable(a.Name.Value, saved)
	}
}

// runWords runs a command given by its words.
func (e *evaluator) runWords(ws []field) {
	e.failed = state{}
	if !e.dispatch(ws) {
		e.failed = e.state
	}
}

// dispatch runs a function, a builtin or a program. It returns true if it set the
// state that holds after a failure.
func (e *evaluator) dispatch(ws []field) (forked bool) {
	if len(ws) == 0 || ws[0].is("") {
		return false // an empty command fails
	}
	if e.language == zsh && strings.ContainsAny(ws[0].text, " \t\n") {
		return false // there is no such program; where values are split, it is read as bash does
	}
	if strings.IndexByte(ws[0].text, '=') > 0 {
		e.params, e.differs = nil, true // zsh: 1=text
	}
	if !ws[0].isFixed() {
		e.addCall(Call{Kind: Command, Words: fieldWords(ws), Code: true})
		if ws[0].many && len(ws) > 1 {
			// The word may vanish, as an unset $SUDO does: the next one is the command.
			e.descend(func() { e.runWords(ws[1:]) })
		}
		return false
	}
	c := command{name: baseName(ws[0].text), words: ws}
	if !strings.Contains(ws[0].text, "/") {
		if e.callFunction(c) {
			return false
		}
		first := len(e.calls)
		if done, forked := e.runBuiltin(c); done {
			newProgram(e, c).markShowing(first)
			return forked
		}
	}
	e.runProgram(c)
	return false
}

// runPlain runs words as a program or a builtin, whatever functions the line
// defines.
func (e *evaluator) runPlain(ws []field) {
	saved := e.funcs
	e.funcs = nil
	e.runWords(ws)
	e.funcs = append(saved, e.funcs...)
}

// function is a function or an alias that the line defines.
type function struct {
	name   string
	body   *syntax.Stmt // nil: an alias
	alias  field
	called bool
	active bool // being walked: a call inside it is a recursion
	sure   bool // it exists wherever the line gets afterwards
}

// defineFunction keeps a function until it is called.
func (e *evaluator) defineFunction(d *syntax.FuncDecl) {
	if d.Name == nil {
		e.lost = true
		e.inSubshell(func() { e.runStatement(d.Body) })
		return
	}
	e.funcs = append(e.funcs, &function{name: d.Name.Value, body: d.Body, sure: e.maybe == 0})
}

// callFunction walks every function of the name, with the arguments as parameters.
// It returns false if a program of the name may run as well, or instead.
func (e *evaluator) callFunction(c command) bool {
	replaces := false
	for _, f := range e.funcs {
		switch {
		case f.name != c.words[0].text:
		case f.active:
			replaces = true
		default:
			replaces = replaces || f.sure
			e.enterFunction(f, c)
		}
	}
	return replaces
}

// enterFunction walks a function's body once.
func (e *evaluator) enterFunction(f *function, c command) {
	f.called, f.active = true, true
	params, vars := e.params, e.vars
	e.setParameters(c.args())
	e.frames++
	e.withVia(f.name, func() {
		e.descend(func() {
			if f.body == nil {
				e.runAlias(f, c)
				return
			}
			e.runStatement(f.body)
			e.state = mergeStates(e.state, e.failed)
		})
	})
	e.frames--
	f.active = false
	e.params, e.dead = params, false
	if f.body != nil && (leavesEarly(f.body) || !f.sure) {
		e.forgetChanges(f.body)
	}
	if e.vars != vars && f.body != nil {
		e.forgetLocals(f.body)
	}
}

// runAlias runs the text of an alias. If that is a simple command, it also runs
// with the arguments of the call.
func (e *evaluator) runAlias(f *function, c command) {
	e.runInline(f.alias)
	if len(c.args()) == 0 {
		return
	}
	file, ok := e.parser.parseText(f.alias.text, &e.recorder)
	if ok && len(file.Stmts) == 1 && !file.Stmts[0].Semicolon.IsValid() {
		if call, ok := file.Stmts[0].Cmd.(*syntax.CallExpr); ok && len(call.Args) > 0 && len(call.Assigns) == 0 {
			e.runWords(append(e.expandWords(call.Args), c.args()...))
			return
		}
	}
	e.addUnknown()
}

// forgetLocals forgets the variables that a function declares as local: their values
// outside of it are not kept.
func (e *evaluator) forgetLocals(body *syntax.Stmt) {
	syntax.Walk(body, func(n syntax.Node) bool {
		if d, ok := n.(*syntax.DeclClause); ok {
			e.forgetChanges(d)
		}
		return true
	})
}

// runUncalled walks the functions that the line defines but does not call. A trap or
// another program may call them.
func (e *evaluator) runUncalled() {
	for i := 0; i < len(e.funcs) && !e.over; i++ {
		f := e.funcs[i]
		if f.called || f.body == nil {
			continue
		}
		f.called, f.active = true, true
		e.inSubshell(func() {
			e.forgetEverything()
			e.frames++
			e.withVia(f.name, func() { e.runStatement(f.body) })
		})
		f.active = false
	}
}

// assignVariable binds a variable.
func (e *evaluator) assignVariable(a *syntax.Assign, export bool) {
	if a.Name == nil {
		e.scanTree(a.Value)
		e.lost = true
		return
	}
	e.bind(e.readAssignment(a, export))
}

// readAssignment expands the value of an assignment.
func (e *evaluator) readAssignment(a *syntax.Assign, export bool) binding {
	b := binding{name: a.Name.Value, export: export}
	switch {
	case a.Array != nil:
		b.array = true
		b.value = e.expandArray(a.Array)
	case a.Value == nil:
		b.value = []field{knownField("")}
	default:
		v := e.expandWhole(a.Value)
		v.glob = false
		b.value = []field{v}
	}
	e.noteSubstitutions(b.value)
	if a.Append {
		e.addBashForm()
		b = e.appendValue(b)
	}
	if a.Index != nil {
		e.scanArithmetic(a.Index)
		b.array, b.value = false, []field{unknownField()}
	}
	if a.Value != nil && (e.lost || isVolatile(b.name)) {
		e.addHiddenCode(a.Value) // it may be a number
	}
	return b
}

func (e *evaluator) expandArray(a *syntax.ArrayExpr) []field {
	var out []field
	for _, elem := range a.Elems {
		e.scanArithmetic(elem.Index)
		switch {
		case elem.Value == nil:
			out = append(out, unknownField())
		case elem.Index != nil:
			e.expandWhole(elem.Value)
			out = append(out, unknownField())
		default:
			out = append(out, e.expandWord(elem.Value)...)
		}
	}
	for i, f := range out {
		if f.glob {
			out[i] = unknownField()
		}
	}
	return out
}

// appendValue returns the binding after name+=value.
func (e *evaluator) appendValue(b binding) binding {
	old, ok := e.lookup(b.name)
	switch {
	case !ok || old.array != b.array:
		b.array, b.value = false, []field{unknownField()}
	case b.array:
		if e.spend(len(old.value) + len(b.value)) {
			b.value = append(append([]field(nil), old.value...), b.value...)
		}
	default:
		if o, v := old.value[0], b.value[0]; e.spend(2 + len(o.text)) {
			tilde := o.tilde || o.text == "" && v.tilde
			b.value = []field{{text: o.text + v.text, known: o.known && v.known, tilde: tilde}}
		}
	}
	return b
}
