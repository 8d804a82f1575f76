package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// scan runs the substitutions in a part of the tree whose value does not matter,
// and forgets the variables that it sets.
func (r *reader) scan(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			r.subshell(func() { r.stmts(n.Stmts) })
			return false
		case *syntax.ProcSubst:
			r.subshell(func() { r.stmts(n.Stmts) })
			return false
		case *syntax.BinaryArithm:
			r.assigned(n)
		case *syntax.UnaryArithm:
			r.forgetName(n.X)
		case *syntax.ParamExp:
			r.setsDefault(n)
		}
		r.calculates(n)
		return true
	})
}

// calculates looks at the nodes whose parts the shell evaluates as arithmetic.
func (r *reader) calculates(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.ArithmExp:
		r.hides(n.X)
	case *syntax.ArithmCmd:
		r.hides(n.X)
	case *syntax.LetClause:
		r.hides(n)
	case *syntax.CStyleLoop:
		r.hides(n)
	case *syntax.ParamExp:
		if n.Index != nil && !index(n.Index) {
			r.hides(n.Index)
		}
		if n.Slice != nil || n.Excl {
			r.hides(n)
		}
	case *syntax.UnaryTest:
		if n.Op == syntax.TsVarSet || n.Op == syntax.TsRefVar {
			r.hides(n.X)
		}
	case *syntax.BinaryTest:
		switch n.Op {
		case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
			r.hides(n)
		}
	}
}

// arithmetic scans an expression.
func (r *reader) arithmetic(x syntax.ArithmExpr) {
	if x != nil && !index(x) {
		r.scan(x)
		r.hides(x)
	}
}

// index tells whether a subscript is @, * or a number.
func index(x syntax.ArithmExpr) bool {
	w, ok := x.(*syntax.Word)
	return ok && w.Lit() != "" && strings.Trim(w.Lit(), "0123456789@*") == ""
}

// hides adds an unknown call if evaluating n may run code that is hidden in text:
// a subscript in arithmetic is expanded again, even if it comes from quotes or
// from a variable.
func (r *reader) hides(n syntax.Node) {
	found := false
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			return false
		case *syntax.SglQuoted:
			found = found || substituting(n.Value)
		case *syntax.Lit:
			found = found || substituting(n.Value)
		}
		return !found
	})
	if found {
		r.emit(Call{Kind: Command, Code: true})
		return
	}
	r.evaluates()
}

// evaluates adds an unknown call if some variable's value may run code when it is
// evaluated.
func (r *reader) evaluates() {
	if r.loaded {
		r.emit(Call{Kind: Command, Code: true})
	}
}

// substituting tells whether a text would run a command if it were expanded.
func substituting(text string) bool {
	return strings.Contains(text, "$(") || strings.Contains(text, "`") || strings.Contains(text, "${")
}

// loads remembers that texts with substitutions are about.
func (s *state) loads(fs []field) {
	for _, f := range fs {
		s.loaded = s.loaded || substituting(strings.ReplaceAll(f.text, blank, ""))
	}
}

// setsDefault forgets the variable of ${name:=value}.
func (r *reader) setsDefault(p *syntax.ParamExp) {
	if p.Param != nil && p.Exp != nil && (p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull) {
		r.forget(p.Param.Value)
	}
}

// assigned forgets the variable that an arithmetic expression sets.
func (r *reader) assigned(b *syntax.BinaryArithm) {
	switch b.Op {
	case syntax.Assgn, syntax.AddAssgn, syntax.SubAssgn, syntax.MulAssgn, syntax.QuoAssgn,
		syntax.RemAssgn, syntax.AndAssgn, syntax.OrAssgn, syntax.XorAssgn, syntax.ShlAssgn, syntax.ShrAssgn:
		r.forgetName(b.X)
	}
}

func (r *reader) forgetName(x syntax.ArithmExpr) {
	if w, ok := x.(*syntax.Word); ok {
		if name := w.Lit(); name != "" {
			r.forget(name)
		}
	}
}
