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
			e.runApart(n.Stmts)
			return false
		case *syntax.ProcSubst:
			e.runApart(n.Stmts)
			return false
		case *syntax.BinaryArithm:
			if op := n.Op.String(); strings.HasSuffix(op, "=") && !hasWord("== != <= >=", op) {
				e.forgetChanges(n.X)
			}
		case *syntax.UnaryArithm:
			e.forgetChanges(n.X)
		case *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.LetClause, *syntax.CStyleLoop:
			e.addEvaluated(true)
		case *syntax.ParamExp:
			e.scanParameter(n)
		case *syntax.UnaryTest:
			if n.Op == syntax.TsVarSet || n.Op == syntax.TsRefVar {
				e.addEvaluated(true)
			}
		case *syntax.BinaryTest:
			if n.Op >= syntax.TsEql && n.Op <= syntax.TsGtr {
				e.addEvaluated(true)
			}
		}
		return true
	})
}

// scanParameter is scanTree for what a parameter expansion assigns and evaluates.
func (e *evaluator) scanParameter(p *syntax.ParamExp) {
	isNumber := func(x syntax.ArithmExpr) bool {
		w, ok := x.(*syntax.Word)
		return x == nil || ok && matches(`^[0-9]+$`, w.Lit())
	}
	if p.Index != nil || p.Slice != nil && !(isNumber(p.Slice.Offset) && isNumber(p.Slice.Length)) || p.Excl ||
		p.Exp != nil && p.Exp.Op == syntax.OtherParamOps {
		e.addEvaluated(true)
	}
	if p.Exp == nil || p.Exp.Word == nil {
		return
	}
	if p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull {
		if e.lost {
			e.addEvaluated(true) // it may be a number
		}
		e.forget(p.Param.Value)
	}
	for _, part := range p.Exp.Word.Parts { // Bash runs a process substitution that the parser takes for text.
		if l, ok := part.(*syntax.Lit); ok && hasAnyPart(l.Value, "<(", ">(") {
			e.addUnknown()
		}
	}
}

// scanArithmetic scans an expression.
func (e *evaluator) scanArithmetic(x syntax.ArithmExpr) {
	if x != nil {
		e.scanTree(x)
		e.addEvaluated(true)
	}
}

// addEvaluated adds an unknown call where a number is evaluated, which may run code. Arithmetic expands a subscript
// again, even if it comes from quotes, from a variable or, if mayBeRead, from what was read: if any quoted text that
// is not itself read as code has code in it, it may get there. So may an assignment: the names in such a text are
// forgotten.
func (e *evaluator) addEvaluated(mayBeRead bool) {
	hides := func(text string) bool {
		text = strings.ReplaceAll(text, `\`, "")
		return (hasAnyPart(text, "$(", "`", "${") || text == "$" || strings.HasSuffix(text, "[$")) &&
			!slices.Contains(e.texts, text)
	}
	for ; e.searched < len(e.files); e.searched++ {
		syntax.Walk(e.files[e.searched], func(n syntax.Node) bool {
			text := ""
			switch n := n.(type) {
			case *syntax.SglQuoted:
				text = n.Value
				e.hasHidden = e.hasHidden || n.Dollar && strings.Contains(text, `\`)
			case *syntax.Lit:
				text = n.Value
			}
			e.hasHidden = e.hasHidden || hides(text)
			if hasAnyPart(text, "=", "++", "--") {
				e.assigned = append(e.assigned, strings.FieldsFunc(text, endsName)...)
			}
			return true
		})
	}
	if e.spend(len(e.assigned)) {
		for _, name := range e.assigned {
			e.forgetNamed(name)
		}
	}
	if e.hasHidden || mayBeRead && e.hasRead {
		e.addUnknown()
	}
}
