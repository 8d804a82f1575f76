package shell

import "mvdan.cc/sh/v3/syntax"

// stmts runs a list, one statement after the other.
func (r *reader) stmts(list []*syntax.Stmt) {
	for _, s := range list {
		r.stmt(s)
		r.settle(s)
	}
}

// settle is the end of a statement in a list: whether it succeeded or failed, the
// next one runs, unless `set -e` ends the shell.
func (r *reader) settle(s *syntax.Stmt) {
	if b, ok := s.Cmd.(*syntax.BinaryCmd); r.errexit && r.sheltered == 0 && !s.Negated && !(ok && b.Op == syntax.AndStmt) {
		r.failed = r.state
		return
	}
	r.state = merge(r.state, r.failed)
	r.failed = r.state
}

// stmt runs a statement; state and failed tell what holds afterwards.
func (r *reader) stmt(s *syntax.Stmt) {
	if r.steps++; r.steps > maxSteps {
		r.over = true
	}
	if r.over {
		return
	}
	if s.Background || s.Coprocess {
		r.subshell(func() { r.redirected(s) })
	} else {
		r.redirected(s)
	}
	if s.Negated {
		r.state, r.failed = r.failed, r.state
	}
}

// sheltering runs f where a failure does not end the shell.
func (r *reader) sheltering(f func()) {
	r.sheltered++
	f()
	r.sheltered--
}

// perhaps runs f, which the line may also skip.
func (r *reader) perhaps(f func()) {
	r.maybe++
	f()
	r.maybe--
}

// command runs what a statement consists of.
func (r *reader) command(c syntax.Command) {
	switch c := c.(type) {
	case nil:
		r.failed = r.state
	case *syntax.CallExpr:
		r.simple(c)
	case *syntax.BinaryCmd:
		r.binary(c)
	case *syntax.Subshell:
		r.subshell(func() { r.stmts(c.Stmts) })
	case *syntax.Block:
		r.deeper(func() { r.stmts(c.Stmts) })
	case *syntax.IfClause:
		r.deeper(func() { r.ifClause(c) })
	case *syntax.WhileClause:
		r.deeper(func() { r.while(c) })
	case *syntax.ForClause:
		r.deeper(func() { r.loop(c) })
	case *syntax.CaseClause:
		r.deeper(func() { r.caseClause(c) })
	default:
		r.rare(c)
	}
}

func (r *reader) rare(c syntax.Command) {
	switch c := c.(type) {
	case *syntax.FuncDecl:
		r.define(c)
	case *syntax.DeclClause:
		r.declare(c)
	case *syntax.TimeClause:
		if c.Stmt != nil {
			r.stmt(c.Stmt)
			return
		}
	case *syntax.CoprocClause:
		r.subshell(func() { r.stmt(c.Stmt) })
	default: // (( )), [[ ]], let
		r.scan(c)
	}
	r.failed = r.state
}

func (r *reader) binary(b *syntax.BinaryCmd) {
	switch b.Op {
	case syntax.AndStmt:
		r.and(b)
	case syntax.OrStmt:
		r.or(b)
	default:
		r.pipe(b)
	}
}

func (r *reader) and(b *syntax.BinaryCmd) {
	r.sheltering(func() { r.stmt(b.X) })
	first := r.failed
	r.perhaps(func() { r.stmt(b.Y) })
	r.failed = merge(first, r.failed)
}

func (r *reader) or(b *syntax.BinaryCmd) {
	r.sheltering(func() { r.stmt(b.X) })
	first := r.state
	r.state = r.failed
	r.perhaps(func() { r.stmt(b.Y) })
	r.state = merge(first, r.state)
}

// pipe runs both sides as processes of their own; zsh runs the last one in the
// shell itself, so what that one sets is not known afterwards.
func (r *reader) pipe(b *syntax.BinaryCmd) {
	r.subshell(func() { r.stmt(b.X) })
	saved := r.stdin
	r.stdin = input{from: piped, text: r.output(b.X), fromPipe: true}
	r.subshell(func() { r.stmt(b.Y) })
	r.stdin = saved
	r.forgetAll(b.Y)
	r.failed = r.state
}

func (r *reader) ifClause(c *syntax.IfClause) {
	if len(c.Cond) == 0 { // else
		r.stmts(c.Then)
		return
	}
	r.condition(c.Cond)
	otherwise := r.failed
	r.perhaps(func() { r.stmts(c.Then) })
	done := r.state
	r.state, r.failed = otherwise, otherwise
	if c.Else != nil {
		r.perhaps(func() { r.ifClause(c.Else) })
	}
	r.state = merge(done, r.state)
	r.failed = r.state
}

// condition runs the list of an if or a while; its last statement decides.
func (r *reader) condition(list []*syntax.Stmt) {
	r.sheltering(func() {
		for i, s := range list {
			r.stmt(s)
			if i < len(list)-1 {
				r.settle(s)
			}
		}
	})
}

// while reads a loop once, with everything it changes unknown from the start.
func (r *reader) while(c *syntax.WhileClause) {
	r.forgetAll(c)
	r.loops++
	r.condition(c.Cond)
	over := merge(r.state, r.failed)
	r.state = over
	r.perhaps(func() { r.stmts(c.Do) })
	r.loops--
	r.state.dead = false
	r.state = merge(over, r.state)
	r.forgetAll(c)
	r.failed = r.state
}

func (r *reader) caseClause(c *syntax.CaseClause) {
	r.scan(c.Word)
	before := r.state
	after := before
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			r.scan(p)
		}
		if item.Op != syntax.Break {
			r.forgetAll(c) // one item runs on into the next
			before = r.state
		}
		r.perhaps(func() { r.stmts(item.Stmts) })
		after = merge(after, r.state)
		r.state = before
	}
	r.state, r.failed = after, after
}

// loop runs the body for each word in turn where the words are known and few;
// else once, with a variable that may be anything.
func (r *reader) loop(c *syntax.ForClause) {
	iter, ok := c.Loop.(*syntax.WordIter)
	if !ok {
		r.scan(c.Loop)
		r.forgetAll(c)
		r.body(c)
		return
	}
	items, known := r.items(c, iter)
	r.loops++
	if !known || leaves(c) {
		r.forgetAll(c)
	}
	before, first := r.state, len(r.calls)
	for _, item := range items {
		r.bind(binding{name: iter.Name.Value, value: []field{item}})
		r.perhaps(func() { r.stmts(c.Do) })
		r.state.dead = false
	}
	r.loops--
	r.once(first)
	if !known || len(items) == 0 || leaves(c) {
		r.state = merge(before, r.state)
		r.forgetAll(c)
	}
	r.failed = r.state
}

func (r *reader) body(c *syntax.ForClause) {
	before := r.state
	r.loops++
	r.perhaps(func() { r.stmts(c.Do) })
	r.loops--
	r.state.dead = false
	r.state = merge(before, r.state)
	r.forgetAll(c)
	r.failed = r.state
}

// items are the words of a loop, and whether they are known: else one word that
// stands for all.
func (r *reader) items(c *syntax.ForClause, iter *syntax.WordIter) ([]field, bool) {
	var items []field
	switch {
	case iter.InPos.IsValid():
		items = r.expand(iter.Items)
	case r.params != nil:
		items = *r.params
	default:
		return []field{unknown()}, false
	}
	known := len(items) <= maxItems && !c.Select
	for i, f := range items {
		if !f.fixed() {
			items[i], known = unknown(), false
		}
	}
	if !known && len(items) > 1 {
		items = []field{unknown()}
	}
	return items, known
}

// once drops calls from first on that are there already: the same thing done in
// every round of a loop.
func (r *reader) once(first int) {
	seen := make(map[string]bool)
	kept := r.calls[:first]
	for _, c := range r.calls[first:] {
		key := c.key()
		if !seen[key] {
			seen[key] = true
			kept = append(kept, c)
		}
	}
	r.calls = kept
}
