package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// declareVariables runs export, local, declare, readonly or typeset. All its values are expanded before the first is
// assigned.
func (e *evaluator) declareVariables(d *syntax.DeclClause) {
	how := d.Variant.Value
	if !hasWord("export readonly local", how) {
		e.addBashForm()
	}
	isReadonly := how == "readonly"
	values := make([]field, len(d.Args))
	for i, a := range d.Args {
		switch {
		case !a.Naked:
			values[i] = e.readAssigned(a)
			if a.Value != nil {
				split := *a.Value // the tree stays as it is
				if syntax.SplitBraces(&split) {
					e.addUnknown() // it is several assignments
				}
			}
		case a.Name == nil: // an option, or a text that holds an assignment
			values[i] = e.expandWhole(a.Value)
		default:
			e.scanArithmetic(a.Index)
		}
	}
	for i, a := range d.Args {
		switch text := values[i].text; {
		case !a.Naked:
			e.assignDeclared(a.Name.Value, values[i])
		case a.Name != nil:
			if how != "export" {
				e.state.forget(a.Name.Value) // local x
			}
		case values[i].known && strings.IndexAny(text, "-+") == 0 && strings.Trim(text, "-+gxpfaAr") == "":
			isReadonly = isReadonly || strings.Contains(text, "r")
		default:
			e.assignText(values[i])
		}
	}
	e.lost = e.lost || isReadonly // what assigns it later changes nothing
}

// assignDeclared gives a variable the value that it is declared with. The text of an array may have code in it.
func (e *evaluator) assignDeclared(name string, value field) {
	if strings.HasPrefix(value.text, "(") {
		e.addUnknown()
	}
	e.bind(name, value)
}

// assignText assigns what a word says that declare is given: NAME=VALUE. After an option that changes what
// assignments mean, or an element of an array, no variable is known.
func (e *evaluator) assignText(f field) {
	name, value, has := strings.Cut(f.text, "=")
	switch {
	case !syntax.ValidName(name):
		e.lost = true
		e.addUnknown()
	case has:
		e.assignDeclared(name, field{text: value, known: f.known, tilde: f.tilde})
	default:
		e.forget(name)
	}
}

// readAssigned expands the value of an assignment. What arrays hold is not followed.
func (e *evaluator) readAssigned(a *syntax.Assign) field {
	v := unknownField()
	if a.Array != nil {
		for _, elem := range a.Array.Elems {
			e.scanArithmetic(elem.Index)
			if elem.Value != nil && slices.ContainsFunc(e.expandWord(elem.Value), field.isOption) {
				e.addUnknown() // a command may be given it
			}
		}
	} else {
		v = e.expandWhole(a.Value) // nil: an empty value
		v.glob = false
	}
	if a.Append {
		e.addBashForm()
		v = unknownField()
	}
	if a.Index != nil {
		e.scanArithmetic(a.Index)
		v = unknownField()
	}
	if a.Value != nil && (e.lost || isVolatile(a.Name.Value)) {
		e.addEvaluated(true) // it may be a number
	}
	return v
}
