package shell

import (
	"slices"
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
		case *syntax.ArithmExp:
			e.addEvaluated(n.X)
		case *syntax.ArithmCmd:
			e.addEvaluated(n.X)
		case *syntax.LetClause, *syntax.CStyleLoop:
			e.addEvaluated(n)
		case *syntax.ParamExp:
			e.scanParameter(n)
		case *syntax.UnaryTest:
			if n.Op == syntax.TsVarSet || n.Op == syntax.TsRefVar {
				e.addEvaluated(n.X)
			}
		case *syntax.BinaryTest:
			if n.Op >= syntax.TsEql && n.Op <= syntax.TsGtr {
				e.addEvaluated(n)
			}
		}
		return true
	})
}

// scanParameter is scanTree for what a parameter expansion assigns and evaluates.
func (e *evaluator) scanParameter(p *syntax.ParamExp) {
	parts := []syntax.ArithmExpr{p.Index}
	if p.Slice != nil {
		parts = append(parts, p.Slice.Offset, p.Slice.Length)
	}
	for _, x := range parts {
		if x != nil {
			e.addEvaluated(x)
		}
	}
	if p.Excl && p.Index == nil || p.Exp != nil && p.Exp.Op == syntax.OtherParamOps {
		e.addEvaluated(p)
	}
	if e.assignDefault(p); p.Exp == nil || p.Exp.Word == nil {
		return
	}
	for _, part := range p.Exp.Word.Parts { // Bash runs a process substitution that the parser takes for text.
		if l, ok := part.(*syntax.Lit); ok && (strings.Contains(l.Value, "<(") || strings.Contains(l.Value, ">(")) {
			e.addUnknown()
		}
	}
}

// scanArithmetic scans an expression.
func (e *evaluator) scanArithmetic(x syntax.ArithmExpr) {
	if x != nil {
		e.scanTree(x)
		e.addEvaluated(x)
	}
}

// addEvaluated adds an unknown call where evaluating n may run code. Arithmetic expands a subscript again, even if it
// comes from quotes, from a variable or from what was read: if any text of the line has code in it, it may get there.
func (e *evaluator) addEvaluated(n syntax.Node) {
	if n != nil && isNumeric(n) {
		return
	}
	for ; e.searched < len(e.files) && !e.hasHidden; e.searched++ {
		syntax.Walk(e.files[e.searched].File, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.SglQuoted:
				e.hasHidden = e.hasHidden || e.hidesIn(n.Value) || n.Dollar && strings.Contains(n.Value, `\`)
			case *syntax.Lit:
				e.hasHidden = e.hasHidden || e.hidesIn(n.Value)
			}
			return !e.hasHidden
		})
	}
	if e.hasHidden || n != nil && e.hasRead {
		e.addUnknown()
	}
}

// hidesIn reports whether a text in quotes has code in it, and is not itself code that was read.
func (e *evaluator) hidesIn(text string) bool {
	text = strings.ReplaceAll(text, `\`, "")
	return (hasSubstitutionText(text) || text == "$" || strings.HasSuffix(text, "[$")) &&
		!slices.ContainsFunc(e.files, func(p parsed) bool { return strings.ReplaceAll(p.text, `\`, "") == text })
}

// hasCode reports whether the known pieces of a word would run a command if they were
// expanded. An unknown piece may end in a dollar.
func (f field) hasCode() bool {
	return strings.Contains(f.text, "$(") || strings.Contains(f.text, "`") || strings.Contains(f.text, blank+"(")
}

// hasSubstitutionText reports whether a text would run a command if it were expanded.
func hasSubstitutionText(text string) bool {
	return strings.Contains(text, "$(") || strings.Contains(text, "`") || strings.Contains(text, "${")
}

// isNumeric reports whether an expression has no variables and no quotes.
func isNumeric(n syntax.Node) bool {
	return !hasNode(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.ParamExp, *syntax.SglQuoted:
			return true
		case *syntax.Lit:
			return strings.Trim(n.Value, "0123456789@*") != ""
		}
		return false
	})
}
