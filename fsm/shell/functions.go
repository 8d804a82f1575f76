package shell

import "mvdan.cc/sh/v3/syntax"

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
