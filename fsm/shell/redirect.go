package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// runRedirected runs a statement's command with its redirections, then adds the files that these write.
func (e *evaluator) runRedirected(s *syntax.Stmt) {
	if len(s.Redirs) == 0 {
		e.runCommand(s.Cmd)
		return
	}
	saved, dir := e.input, e.dir
	read, written := e.applyRedirections(s.Redirs)
	e.addFiles(Read, read)
	if _, simple := s.Cmd.(*syntax.CallExpr); e.input.from == opened && !simple {
		e.addFile(Read, e.input.path)
		e.input.from = piped
	}
	if e.runCommand(s.Cmd); e.input.from == opened {
		e.addFile(Read, e.input.path)
	}
	after := e.dir
	e.dir = dir // the files are opened before the command runs
	for _, f := range written {
		if in := groupsOfTarget(joinPath(dir, f.text)); in != 0 {
			e.addCall(Call{Kind: Command, Words: []string{">", f.word()}, Groups: in})
		}
	}
	e.addFiles(Write, written)
	e.dir = after
	if c, ok := s.Cmd.(*syntax.CallExpr); !ok || len(c.Args) != 1 || c.Args[0].Lit() != "exec" {
		e.input = saved
	}
}

// applyRedirections sets the input of the command that follows, and returns the
// files that it opens for other descriptors, to read and to write.
func (e *evaluator) applyRedirections(rds []*syntax.Redirect) (read, written []field) {
	for _, rd := range rds {
		isInput := rd.N == nil || rd.N.Value == "0"
		if rd.N != nil && strings.HasPrefix(rd.N.Value, "{") {
			e.state.forget(strings.Trim(rd.N.Value, "{}")) // it becomes a number
		}
		switch rd.Op {
		case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
			text := e.expandHeredoc(rd)
			if isInput {
				e.input = input{from: piped, text: &text}
			}
		case syntax.RdrIn:
			switch f := e.expandWhole(rd.Word); {
			case !isInput:
				read = append(read, f)
				if isOutput(rd.N.Value) || isSocket(f.text) {
					written = append(written, f)
				}
			case f.known && isStream(f.text):
				e.input = input{from: piped}
			default:
				e.input = input{from: opened, path: f}
			}
		case syntax.DplIn:
			e.expandWhole(rd.Word)
		case syntax.DplOut:
			if f := e.expandWhole(rd.Word); !f.known || strings.Trim(f.text, "0123456789-") != "" {
				written = append(written, f) // no descriptor such as 1, 2- or -
			}
		default: // > >> >| <> &> &>>
			written = append(written, e.expandWhole(rd.Word))
		}
	}
	return read, written
}

// pipedText returns what a simple command writes to a pipe, if the line contains it:
// the output of echo, printf and cat with a heredoc.
func (e *evaluator) pipedText(s *syntax.Stmt) *field {
	c, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(c.Args) == 0 || hasSubstitution(s) {
		return nil
	}
	calls, saved := len(e.calls), e.state
	var text field
	switch c.Args[0].Lit() {
	case "cat":
		if len(c.Args) > 1 || len(s.Redirs) == 0 || s.Redirs[0].Hdoc == nil {
			return nil
		}
		text = e.expandHeredoc(s.Redirs[0])
	case "echo", "printf":
		words := e.expandWords(c.Args[1:])
		if len(words) > 1 && c.Args[0].Lit() == "echo" && words[0].isFixed() && len(words[0].text) > 1 &&
			words[0].text[0] == '-' && strings.Trim(words[0].text, "-neE") == "" {
			words = words[1:]
		}
		text = joinFields(words, " ")
	default:
		return nil
	}
	e.calls, e.state = e.calls[:calls], saved // the command itself has run already
	return &text
}
