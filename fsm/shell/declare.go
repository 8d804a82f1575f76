package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// declareVariables runs export, local, declare, readonly or typeset. All its values are expanded before the first is
// assigned. Options that change what assignments mean make all variables unknown.
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
			values[i] = e.readDeclared(a)
		case a.Name == nil: // an option, or a text that holds an assignment
			values[i] = e.expandWhole(a.Value)
		default:
			e.scanArithmetic(a.Index)
		}
	}
	for i, a := range d.Args {
		switch text := values[i].text; {
		case !a.Naked:
			e.bind(a.Name.Value, values[i])
		case a.Name != nil:
			if how != "export" {
				e.state.forget(a.Name.Value) // local x
			}
		case !values[i].known || text == "" || text[0] != '-' && text[0] != '+':
			e.assignText(values[i])
		default:
			isReadonly = isReadonly || strings.Contains(text, "r")
			if strings.Trim(text, "-+gxpfaAr") != "" {
				e.lost = true
				e.addUnknown()
			}
		}
	}
	e.lost = e.lost || isReadonly // what assigns it later changes nothing
}

// assignVariables runs assignments, one after the other.
func (e *evaluator) assignVariables(as []*syntax.Assign) {
	for _, a := range as {
		if a.Name == nil {
			e.scanTree(a.Value)
			e.lost = true
			continue
		}
		e.bind(a.Name.Value, e.readAssigned(a))
	}
}

// readAssigned expands the value of an assignment. What arrays hold is not followed.
func (e *evaluator) readAssigned(a *syntax.Assign) field {
	v := unknownField()
	switch {
	case a.Array != nil:
		for _, elem := range a.Array.Elems {
			e.scanArithmetic(elem.Index)
			if elem.Value != nil && slices.ContainsFunc(e.expandWord(elem.Value), field.isOption) {
				e.addUnknown() // a command may be given it
			}
		}
	case a.Value == nil:
		v = knownField("")
	default:
		v = e.expandWhole(a.Value)
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

// readDeclared expands the value that a variable is declared with.
func (e *evaluator) readDeclared(a *syntax.Assign) field {
	v := e.readAssigned(a)
	e.addArrayText(v)
	if a.Value != nil {
		if split := *a.Value; syntax.SplitBraces(&split) { // the tree stays as it is
			e.addUnknown() // it is several assignments
		}
	}
	return v
}

// assignText assigns what a word says that declare is given: NAME=VALUE, or NAME[CODE]=VALUE.
func (e *evaluator) assignText(f field) {
	name, value, has := strings.Cut(f.text, "=")
	element, _, _ := strings.Cut(name, "[")
	switch {
	case !syntax.ValidName(strings.TrimSuffix(element, "+")) || element != name && (field{text: name}).hasCode():
		e.lost = true
		e.addUnknown()
	case has && element == name:
		e.addArrayText(field{text: value})
		e.bind(name, field{text: value, known: f.known, tilde: f.tilde})
	default:
		e.forget(strings.TrimSuffix(element, "+"))
	}
}

// addArrayText adds an unknown call if a value is the text of an array, which declare -a expands once more, with code
// in it.
func (e *evaluator) addArrayText(value field) {
	if strings.HasPrefix(value.text, "(") && value.hasCode() {
		e.addUnknown()
	}
}
