package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// redirected runs a statement's command with its redirections, then adds the
// files that these write.
func (r *reader) redirected(s *syntax.Stmt) {
	if len(s.Redirs) == 0 {
		r.command(s.Cmd)
		return
	}
	saved, dir := r.stdin, r.dir
	written := r.redirections(s.Redirs)
	if r.stdin.from == opened && !isSimple(s.Cmd) {
		r.file(Read, r.stdin.path)
		r.stdin.from = piped
	}
	r.command(s.Cmd)
	r.stdin = saved
	after := r.dir
	r.dir = dir // the files are opened before the command runs
	r.each(Write, written)
	r.dir = after
}

func isSimple(c syntax.Command) bool {
	_, ok := c.(*syntax.CallExpr)
	return ok
}

// redirections sets the input of the command that follows, and returns the files
// that it writes.
func (r *reader) redirections(rds []*syntax.Redirect) []field {
	var written []field
	for _, rd := range rds {
		switch rd.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			r.reads(rd, r.heredoc(rd))
		case syntax.WordHdoc:
			r.reads(rd, r.single(rd.Word))
		case syntax.RdrIn:
			if f := r.single(rd.Word); !r.other(rd, "0") {
				r.stdin = fromFile(f)
			}
		case syntax.DplIn:
			r.single(rd.Word)
		case syntax.DplOut:
			if f := r.single(rd.Word); !descriptor(f) {
				written = append(written, f)
			}
		default: // > >> >| <> &> &>>
			written = append(written, r.single(rd.Word))
		}
	}
	return written
}

// other tells whether a redirection is of another descriptor than n.
func (r *reader) other(rd *syntax.Redirect, n string) bool {
	return rd.N != nil && rd.N.Value != n
}

// reads makes a text of the line the input.
func (r *reader) reads(rd *syntax.Redirect, text field) {
	if !r.other(rd, "0") {
		r.stdin = input{from: piped, text: &text}
	}
}

// fromFile is the input from a file.
func fromFile(f field) input {
	if f.known && device(f.text) {
		return input{from: piped}
	}
	return input{from: opened, path: f}
}

// descriptor tells whether the target of >& is a descriptor: 1, 2-, -.
func descriptor(f field) bool {
	return f.known && strings.Trim(f.text, "0123456789-") == ""
}

// output is what a simple command writes to a pipe, if the line says it: that of
// echo, printf and of cat with a heredoc.
func (r *reader) output(s *syntax.Stmt) *field {
	c, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(c.Args) == 0 || substitutes(s) {
		return nil
	}
	switch c.Args[0].Lit() {
	case "cat":
		return r.catOutput(s, c)
	case "echo", "printf":
		var f field
		r.quietly(func() { f = sentence(r.expand(c.Args[1:]), " ") })
		return &f
	}
	return nil
}

func (r *reader) catOutput(s *syntax.Stmt, c *syntax.CallExpr) *field {
	if len(c.Args) > 1 || len(s.Redirs) == 0 || s.Redirs[0].Hdoc == nil {
		return nil
	}
	var f field
	r.quietly(func() { f = r.heredoc(s.Redirs[0]) })
	return &f
}

// substitutes tells whether a part of the tree runs commands for their output.
func substitutes(n syntax.Node) bool {
	found := false
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			found = true
		}
		return !found
	})
	return found
}

// quietly runs f without adding calls or changing anything.
func (r *reader) quietly(f func()) {
	n, saved := len(r.calls), r.state
	f()
	r.calls, r.state = r.calls[:n], saved
}
