package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// ReadLaunched takes apart what a client runs for a command. Claude Code (2.1.329) runs
//
//	source SNAPSHOT … && eval 'COMMAND' && pwd -P >| FILE
//
// where FILE then says to which folder the command has gone. Not ok: the line is in another
// form, or is no command of an agent at all.
func ReadLaunched(line string) (command, cwdFile string, ok bool) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
	if err != nil || len(file.Stmts) != 1 {
		return "", "", false
	}
	literal := func(w *syntax.Word) (string, bool) { // not ok where a shell would put in more
		f := newEvaluator(findRow, bash).expandWhole(w)
		return f.text, f.known && !f.tilde
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		stmt, _ := n.(*syntax.Stmt)
		if stmt == nil || stmt.Cmd == nil {
			return true
		}
		call, _ := stmt.Cmd.(*syntax.CallExpr)
		switch {
		case call == nil || len(call.Args) == 0:
		case call.Args[0].Lit() == "eval" && len(call.Args) == 2:
			command, ok = literal(call.Args[1])
		case call.Args[0].Lit() == "pwd" && len(stmt.Redirs) == 1:
			cwdFile, _ = literal(stmt.Redirs[0].Word)
		}
		return true
	})
	return command, cwdFile, ok
}
