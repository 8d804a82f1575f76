package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A declaration assigns variables: by a command export, local, declare, readonly or
// typeset, by an assignment alone, or by assignments before a command, which exports them.
type declaration struct {
	*evaluator
	export, readonly bool
}

// declareVariables runs a declaration. All its values are expanded before the first is assigned.
func (e *evaluator) declareVariables(d *syntax.DeclClause) {
	dc := declaration{evaluator: e, export: d.Variant.Value == "export", readonly: d.Variant.Value == "readonly"}
	if !dc.export && !dc.readonly && d.Variant.Value != "local" {
		e.addBashForm()
	}
	var assigned []binding
	for _, a := range d.Args {
		switch {
		case a.Naked && a.Name == nil:
			dc.readWord(a)
		case a.Naked:
			e.scanArithmetic(a.Index)
			e.markVariable(a.Name.Value, dc.export, dc.readonly)
		default:
			assigned = append(assigned, dc.readValue(a))
		}
	}
	for _, b := range assigned {
		e.bind(b)
	}
}

// assign binds variables, one after the other.
func (d *declaration) assign(as []*syntax.Assign) {
	for _, a := range as {
		if a.Name == nil {
			d.scanTree(a.Value)
			d.lost = true
			continue
		}
		d.bind(d.readAssignment(a))
	}
}

// readAssignment expands the value of an assignment.
func (d *declaration) readAssignment(a *syntax.Assign) binding {
	b := binding{name: a.Name.Value, export: d.export}
	switch {
	case a.Array != nil:
		b.array = true
		b.value = d.expandArray(a.Array)
	case a.Value == nil:
		b.value = []field{knownField("")}
	default:
		v := d.expandWhole(a.Value)
		v.glob = false
		b.value = []field{v}
	}
	if a.Append {
		d.addBashForm()
		b = d.appendValue(b)
	}
	if a.Index != nil {
		d.scanArithmetic(a.Index)
		b.array, b.value = false, []field{unknownField()}
	}
	if a.Value != nil && (d.lost || isVolatile(b.name)) {
		d.addEvaluated(a.Value) // it may be a number
	}
	return b
}

func (d *declaration) expandArray(a *syntax.ArrayExpr) []field {
	var out []field
	for _, elem := range a.Elems {
		d.scanArithmetic(elem.Index)
		switch {
		case elem.Value == nil:
			out = append(out, unknownField())
		case elem.Index != nil:
			d.expandWhole(elem.Value)
			out = append(out, unknownField())
		default:
			out = append(out, d.expandWord(elem.Value)...)
		}
	}
	for i, f := range out {
		if f.glob {
			out[i] = unknownField()
		}
	}
	return out
}

// appendValue returns the binding after name+=value.
func (d *declaration) appendValue(b binding) binding {
	old, ok := d.lookup(b.name)
	switch {
	case !ok || old.array != b.array:
		b.array, b.value = false, []field{unknownField()}
	case b.array:
		if d.spend(len(old.value) + len(b.value)) {
			b.value = append(append([]field(nil), old.value...), b.value...)
		}
	default:
		if o, v := old.value[0], b.value[0]; d.spend(2 + len(o.text)) {
			tilde := o.tilde || o.text == "" && v.tilde
			b.value = []field{{text: o.text + v.text, known: o.known && v.known, tilde: tilde}}
		}
	}
	return b
}

// readValue expands the value that a variable is declared with.
func (d *declaration) readValue(a *syntax.Assign) binding {
	b := d.readAssignment(a)
	d.addArrayText(b.value)
	if a.Value != nil {
		if split := *a.Value; syntax.SplitBraces(&split) { // the tree stays as it is
			b.value = []field{unknownField()} // it is several assignments
			d.differs = true
		}
	}
	b.readonly = d.readonly
	return b
}

// readWord reads a word that is no assignment to the parser: an option, or a text that holds one. Options that change
// what assignments mean (-i -l -u -n) make all variables unknown.
func (d *declaration) readWord(a *syntax.Assign) {
	f := d.expandWhole(a.Value)
	if !f.known || len(f.text) == 0 || f.text[0] != '-' && f.text[0] != '+' {
		d.assignText(f)
		return
	}
	for _, o := range f.text[1:] {
		switch o {
		case 'x':
			d.export = f.text[0] == '-'
		case 'r':
			d.readonly = true
		case 'i', 'F', 'E':
			d.lost = true
			d.addEvaluated(nil)
		case 'l', 'u', 'n', 'c':
			d.lost = true
		case 'T': // zsh: the variable and an array are one
			d.differs = true
		}
	}
}

// assignText assigns what a word says that declare is given: NAME=VALUE, or NAME[CODE]=VALUE.
func (d *declaration) assignText(f field) {
	name, value, has := strings.Cut(f.text, "=")
	element, _, _ := strings.Cut(name, "[")
	switch {
	case !syntax.ValidName(strings.TrimSuffix(element, "+")) || element != name && (field{text: name}).hasCode():
		d.lost = true
		d.addUnknown()
	case has && element == name:
		d.addArrayText([]field{{text: value}})
		d.bind(binding{name: name, value: []field{{text: value, known: f.known, tilde: f.tilde}}, export: d.export})
	default:
		d.forget(strings.TrimSuffix(element, "+"))
	}
}

// addArrayText adds an unknown call if a value is the text of an array, which declare -a
// expands once more, with code in it.
func (d *declaration) addArrayText(value []field) {
	if len(value) == 1 && strings.HasPrefix(value[0].text, "(") && value[0].hasCode() {
		d.addUnknown()
	}
}
