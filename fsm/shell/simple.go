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
		e.assignVariables(c.Assigns)
		e.failed = e.state
		return
	}
	fields := e.expandWords(c.Args)
	if len(c.Assigns) == 0 {
		e.runWords(fields)
		return
	}
	saved := e.vars
	e.assignVariables(c.Assigns)
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
	e.mayStay = false
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
