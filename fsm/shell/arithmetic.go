package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// scanTree runs the substitutions in a part of the tree whose value does not matter,
// and forgets the variables that it sets.
func (e *evaluator) scanTree(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			e.inSubshell(func() { e.runStatements(n.Stmts) })
			return false
		case *syntax.ProcSubst:
			e.inSubshell(func() { e.runStatements(n.Stmts) })
			return false
		case *syntax.BinaryArithm:
			e.forgetAssigned(n)
		case *syntax.UnaryArithm:
			e.forgetOperand(n.X)
		case *syntax.ParamExp:
			e.assignDefault(n)
			e.addZshExpansion(n)
		}
		e.checkArithmetic(n)
		return true
	})
}

// checkArithmetic looks at the nodes whose parts the shell evaluates as arithmetic.
func (e *evaluator) checkArithmetic(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.ArithmExp:
		e.addHiddenCode(n.X)
	case *syntax.ArithmCmd:
		e.addHiddenCode(n.X)
	case *syntax.LetClause:
		e.addHiddenCode(n)
	case *syntax.CStyleLoop:
		e.addHiddenCode(n)
	case *syntax.ParamExp:
		if n.Index != nil && !isPlainIndex(n.Index) {
			e.addHiddenCode(n.Index)
		}
		if n.Slice != nil || n.Excl {
			e.addHiddenCode(n)
		}
	case *syntax.UnaryTest:
		if n.Op == syntax.TsVarSet || n.Op == syntax.TsRefVar {
			e.addHiddenCode(n.X)
		}
	case *syntax.BinaryTest:
		switch n.Op {
		case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
			e.addHiddenCode(n)
		}
	}
}

// scanArithmetic scans an expression.
func (e *evaluator) scanArithmetic(x syntax.ArithmExpr) {
	if x != nil && !isPlainIndex(x) {
		e.scanTree(x)
		e.addHiddenCode(x)
	}
}

// isPlainIndex reports whether a subscript is @, * or a number.
func isPlainIndex(x syntax.ArithmExpr) bool {
	w, ok := x.(*syntax.Word)
	return ok && w.Lit() != "" && strings.Trim(w.Lit(), "0123456789@*") == ""
}

// addHiddenCode adds an unknown call if evaluating n may run code that is hidden in
// text. Arithmetic expands a subscript again, even if it comes from quotes or from a
// variable.
func (e *evaluator) addHiddenCode(n syntax.Node) {
	found := false
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			return false
		case *syntax.SglQuoted:
			found = found || hasSubstitutionText(n.Value)
		case *syntax.Lit:
			found = found || hasSubstitutionText(n.Value)
		}
		return !found
	})
	if found {
		e.addUnknown()
		return
	}
	e.addEvaluated()
}

// addEvaluated adds an unknown call if some variable's value may run code when it is
// evaluated.
func (e *evaluator) addEvaluated() {
	if e.loaded {
		e.addUnknown()
	}
}

// hasCode reports whether the known pieces of a word would run a command if they were
// expanded.
func (f field) hasCode() bool {
	text := f.text
	if strings.IndexByte(text, '$') < 0 && strings.IndexByte(text, '`') < 0 {
		return false
	}
	for _, hole := range [...]string{blank, "${PWD}", "${HOME}", "${PATH}", parentID} {
		text = strings.ReplaceAll(text, hole, "")
	}
	return hasSubstitutionText(text)
}

// hasSubstitutionText reports whether a text would run a command if it were expanded.
func hasSubstitutionText(text string) bool {
	return strings.Contains(text, "$(") || strings.Contains(text, "`") || strings.Contains(text, "${")
}
