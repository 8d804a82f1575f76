package shell

import "mvdan.cc/sh/v3/syntax"

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
			replaces = replaces || f.sure || f.body == nil && e.findRow(f.name) == nil // no program of the name is known
			functionCall{e, f, c}.run()
		}
	}
	return replaces
}

// functionCall is a call of a function or an alias that the line defines.
type functionCall struct {
	*evaluator
	*function
	command
}

// run walks the function's body once.
func (fc functionCall) run() {
	fc.called, fc.active = true, true
	params, vars := fc.params, fc.vars
	fc.setParameters(fc.args())
	fc.frames++
	fc.withVia(fc.function.name, func() {
		fc.descend(func() {
			if fc.body == nil {
				fc.runAlias()
				return
			}
			fc.runStatement(fc.body)
			fc.state = mergeStates(fc.state, fc.failed)
		})
	})
	fc.frames--
	fc.active = false
	fc.params, fc.dead = params, false
	if fc.body != nil && (leavesEarly(fc.body) || !fc.sure) {
		fc.forgetChanges(fc.body)
	}
	if fc.vars != vars && fc.body != nil {
		fc.forgetLocals()
	}
}

// runAlias runs the text of an alias. If that is a simple command, it also runs
// with the arguments of the call.
func (fc functionCall) runAlias() {
	fc.runInline(fc.alias)
	if len(fc.args()) == 0 {
		return
	}
	file, ok := fc.parser.parseText(fc.alias.text, &fc.recorder)
	if ok && len(file.Stmts) == 1 && !file.Stmts[0].Semicolon.IsValid() {
		if call, ok := file.Stmts[0].Cmd.(*syntax.CallExpr); ok && len(call.Args) > 0 && len(call.Assigns) == 0 {
			fc.runWords(append(fc.expandWords(call.Args), fc.args()...))
			return
		}
	}
	fc.addUnknown()
}

// forgetLocals forgets the variables that the function declares as local: their values
// outside of it are not kept.
func (fc functionCall) forgetLocals() {
	syntax.Walk(fc.body, func(n syntax.Node) bool {
		if d, ok := n.(*syntax.DeclClause); ok {
			fc.forgetChanges(d)
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
