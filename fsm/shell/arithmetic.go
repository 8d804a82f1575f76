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
		}
		if part := evaluatedPart(n); part != nil {
			e.addHiddenCode(part)
		}
		return true
	})
}

// evaluatedPart returns the part of a node that the shell evaluates as arithmetic, or
// nil.
func evaluatedPart(n syntax.Node) syntax.Node {
	switch n := n.(type) {
	case *syntax.ArithmExp:
		return n.X
	case *syntax.ArithmCmd:
		return n.X
	case *syntax.LetClause, *syntax.CStyleLoop:
		return n
	case *syntax.ParamExp:
		switch {
		case n.Slice != nil || n.Excl:
			return n
		case n.Index != nil && !isPlainIndex(n.Index):
			return n.Index
		}
	case *syntax.UnaryTest:
		if n.Op == syntax.TsVarSet || n.Op == syntax.TsRefVar {
			return n.X
		}
	case *syntax.BinaryTest:
		switch n.Op {
		case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
			return n
		}
	}
	return nil
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
func (r *recorder) addHiddenCode(n syntax.Node) {
	found := false
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			return false
		case *syntax.SglQuoted:
			found = found || hasSubstitutionText(n.Value)
		case *syntax.Lit:
			found = found || hasSubstitutionText(strings.ReplaceAll(n.Value, `\`, ""))
		}
		return !found
	})
	if found || r.reads && !isNumeric(n) {
		r.addUnknown()
		return
	}
	r.addEvaluated()
}

// addEvaluated adds an unknown call if some variable's value may run code when it is
// evaluated.
func (r *recorder) addEvaluated() {
	if r.loaded {
		r.addUnknown()
	}
}

// hasCode reports whether the known pieces of a word would run a command if they were
// expanded.
func (f field) hasCode() bool {
	text := f.text
	if strings.IndexByte(text, '$') < 0 && strings.IndexByte(text, '`') < 0 {
		return false
	}
	if strings.Contains(text, blank+"(") {
		return true // the unknown piece may end in a dollar
	}
	for _, hole := range [...]string{blank, "${PWD}", "${HOME}", "${PATH}", aNumber, topFolder, parentID} {
		text = strings.ReplaceAll(text, hole, "")
	}
	return hasSubstitutionText(text)
}

// hasSubstitutionText reports whether a text would run a command if it were expanded.
func hasSubstitutionText(text string) bool {
	return strings.Contains(text, "$(") || strings.Contains(text, "`") || strings.Contains(text, "${")
}

// isNumeric reports whether an expression has no variables.
func isNumeric(n syntax.Node) bool {
	found := false
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.ParamExp:
			found = true
		case *syntax.Lit:
			found = found || strings.Trim(n.Value, "0123456789") != ""
		}
		return !found
	})
	return !found
}
