package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// forgetAll makes unknown what a part of the tree may change: for parts that run
// any number of times, or are left halfway.
func (r *reader) forgetAll(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Subshell, *syntax.CmdSubst, *syntax.ProcSubst:
			return false
		case *syntax.Assign:
			if n.Name != nil {
				r.forget(n.Name.Value)
			}
		case *syntax.WordIter:
			r.forget(n.Name.Value)
		case *syntax.BinaryArithm:
			r.assigned(n)
		case *syntax.UnaryArithm:
			r.forgetName(n.X)
		case *syntax.ParamExp:
			r.setsDefault(n)
		case *syntax.CallExpr:
			r.forgetCall(n)
			for _, w := range n.Args {
				r.forgetAll(w)
			}
			return len(n.Args) == 0 // else its assignments are its own
		}
		return true
	})
}

// forgetCall makes unknown what a command may change in the shell that runs it.
func (r *reader) forgetCall(c *syntax.CallExpr) {
	if len(c.Args) == 0 {
		return
	}
	name := c.Args[0].Lit()
	switch name {
	case "cd", "pushd", "popd":
		r.dir = Unknown
	case "read", "mapfile", "readarray", "getopts", "unset", "printf", "let":
		r.forgetNames(c.Args[1:])
	case "eval", "source", ".", "", "builtin", "command", "shift", "set":
		r.amnesia()
	}
	for _, f := range r.funcs {
		if f.name == name {
			r.amnesia()
		}
	}
}

// amnesia is for commands that may change anything.
func (r *reader) amnesia() {
	r.dir, r.vars, r.lost, r.params, r.errexit = Unknown, nil, true, nil, false
}

// forgetNames forgets every word that can be the name of a variable.
func (r *reader) forgetNames(ws []*syntax.Word) {
	for _, w := range ws {
		name := w.Lit()
		if name == "" {
			r.lost = true
			continue
		}
		name, _, _ = strings.Cut(name, "[")
		if syntax.ValidName(name) {
			r.forget(name)
		}
	}
}

// leaves tells whether a loop's round may end before its end.
func leaves(n syntax.Node) bool {
	found := false
	syntax.Walk(n, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok && len(c.Args) > 0 {
			switch c.Args[0].Lit() {
			case "break", "continue", "return", "eval", "":
				found = true
			}
		}
		return !found
	})
	return found
}

// key tells calls apart.
func (c Call) key() string {
	return c.String() + "\x00" + c.Dir + "\x00" + strings.Join(c.Via, "\x00")
}
