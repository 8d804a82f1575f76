package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// function is one that the line defines, or an alias.
type function struct {
	name   string
	body   *syntax.Stmt // nil: an alias
	alias  field
	called bool
	active bool // being walked: a call inside it is a recursion
	sure   bool // it exists wherever the line gets afterwards
}

// define keeps a function until it is called.
func (r *reader) define(d *syntax.FuncDecl) {
	if d.Name == nil {
		r.lost = true
		r.subshell(func() { r.stmt(d.Body) })
		return
	}
	r.funcs = append(r.funcs, &function{name: d.Name.Value, body: d.Body, sure: r.maybe == 0})
}

// callFunction walks every function of the name, with the arguments as its
// parameters; false if a program of the name may run as well, or instead.
func (r *reader) callFunction(c command) bool {
	hidden := false
	for _, f := range r.funcs {
		if f.name != c.name {
			continue
		}
		if f.active {
			hidden = true
			continue
		}
		hidden = hidden || f.sure
		r.enter(f, c)
	}
	return hidden
}

// enter walks a function's body once.
func (r *reader) enter(f *function, c command) {
	f.called, f.active = true, true
	params, vars := r.params, r.vars
	r.parameters(c.args())
	r.frames++
	r.within(f.name, func() {
		r.deeper(func() { r.follow(f, c) })
	})
	r.frames--
	f.active = false
	r.params, r.dead = params, false
	if f.body != nil && (leaves(f.body) || !f.sure) {
		r.forgetAll(f.body)
	}
	if r.vars != vars && f.body != nil {
		r.locals(f.body)
	}
}

func (r *reader) follow(f *function, c command) {
	if f.body != nil {
		r.stmt(f.body)
		r.state = merge(r.state, r.failed)
		return
	}
	r.inline(f.alias)
	if len(c.args()) > 0 {
		r.aliased(f, c)
	}
}

// aliased runs an alias of plain words with the arguments behind them.
func (r *reader) aliased(f *function, c command) {
	file, err := r.parser.Parse(strings.NewReader(f.alias.text), "")
	if err != nil || len(file.Stmts) != 1 {
		return
	}
	if call, ok := file.Stmts[0].Cmd.(*syntax.CallExpr); ok && len(call.Args) > 0 {
		r.run(append(r.expand(call.Args), c.args()...))
	}
}

// locals forgets what a function declared as its own: the value outside, which
// comes back, is not kept.
func (r *reader) locals(body *syntax.Stmt) {
	syntax.Walk(body, func(n syntax.Node) bool {
		if d, ok := n.(*syntax.DeclClause); ok {
			r.forgetAll(d)
		}
		return true
	})
}

// uncalled walks the functions that the line defines and does not call: a trap
// or another program may.
func (r *reader) uncalled() {
	for i := 0; i < len(r.funcs) && !r.over; i++ {
		f := r.funcs[i]
		if f.called || f.body == nil {
			continue
		}
		f.called, f.active = true, true
		r.subshell(func() {
			r.amnesia()
			r.frames++
			r.within(f.name, func() { r.stmt(f.body) })
		})
		f.active = false
	}
}

// declare runs export, local, declare, readonly and their like.
func (r *reader) declare(d *syntax.DeclClause) {
	export, readonly := d.Variant.Value == "export", d.Variant.Value == "readonly"
	for _, a := range d.Args {
		if a.Naked && a.Name == nil {
			export, readonly = r.attribute(a, export, readonly)
			continue
		}
		if a.Naked {
			r.mark(a.Name.Value, export, readonly)
			continue
		}
		r.assign(a, export)
		if readonly {
			r.mark(a.Name.Value, export, true)
		}
	}
}

// attribute reads an option of declare.  Those that change what assignments mean
// (-i -l -u -n) make all variables unknown.
func (r *reader) attribute(a *syntax.Assign, export, readonly bool) (bool, bool) {
	f := r.single(a.Value)
	if !f.known || len(f.text) == 0 || f.text[0] != '-' && f.text[0] != '+' {
		r.lost = true
		return export, readonly
	}
	for _, o := range f.text[1:] {
		switch o {
		case 'x':
			export = f.text[0] == '-'
		case 'r':
			readonly = true
		case 'i', 'l', 'u', 'n', 'c':
			r.lost = true
		}
	}
	return export, readonly
}

// mark adds attributes to a variable.
func (r *reader) mark(name string, export, readonly bool) {
	b := binding{name: name, value: []field{unknown()}}
	if old := r.vars.find(name); old != nil {
		b = *old
	}
	if !export && !readonly {
		b.value, b.array = []field{unknown()}, false // local x, declare x
	}
	b.export, b.readonly = b.export || export, b.readonly || readonly
	r.bind(b)
}
