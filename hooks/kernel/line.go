package kernel

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A Shell is what the client calls in place of its own shell: a line to run, and in what
// session.
type Shell struct {
	Dir     string // that holds our state
	Session string // the client's
	Program string // the shell
}

// Confine runs a line as its ticket says; without one it runs as ever. It replaces this
// process, and returns only an error.
func (s Shell) Confine(line string) error {
	argv := []string{s.Program, "-c", line}
	if s.Session == "" || s.Session != filepath.Base(s.Session) {
		return replaceProcess(argv)
	}
	command, cwdFile, ok := readLine(line)
	ticket, found := OpenTickets(s.Dir, s.Session).Find(command, ok, ReadCapability(s.Dir).Engine)
	if !found {
		return replaceProcess(argv)
	}
	e, err := findEngine(ticket.Engine)
	if err != nil {
		return err
	}
	l := ticket.Limits
	if cwdFile != "" && !l.AnyPlace() {
		l.Writable = append(l.Writable, filepath.Dir(cwdFile))
	}
	if len(ticket.Folders) > 0 {
		l.Writable = append(l.Writable, listIgnored(ticket.Folders)...)
	}
	return e.Run(l, argv)
}

// readLine takes what a client runs for a command apart. Claude Code (2.1.329) runs
//
//	source SNAPSHOT … && eval 'COMMAND' && pwd -P >| FILE
//
// where FILE then says to which folder the command has gone. Not ok: the line is in another
// form, or is no command of an agent at all.
func readLine(line string) (command, cwdFile string, ok bool) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
	if err != nil || len(file.Stmts) != 1 {
		return "", "", false
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

// literal is a word without its quotes; not ok where a shell would put in more.
func literal(w *syntax.Word) (text string, ok bool) {
	var b strings.Builder
	var add func(parts []syntax.WordPart) bool
	add = func(parts []syntax.WordPart) bool {
		for _, p := range parts {
			switch p := p.(type) {
			case *syntax.Lit:
				b.WriteString(p.Value)
			case *syntax.SglQuoted:
				if p.Dollar {
					return false
				}
				b.WriteString(p.Value)
			case *syntax.DblQuoted:
				if p.Dollar || !add(p.Parts) {
					return false
				}
			default:
				return false
			}
		}
		return true
	}
	ok = add(w.Parts)
	return b.String(), ok
}

// listIgnored lists the folders that git ignores and that hold nothing which it tracks. No
// setting of the project has git run a program for it.
func listIgnored(folders []string) (out []string) {
	git := func(in, input string, args ...string) string {
		cmd := exec.Command("git", append([]string{"-c", "core.fsmonitor=false", "-C", in}, args...)...)
		cmd.Stdin = strings.NewReader(input)
		cmd.Env = append(os.Environ(), "GIT_OPTIONAL_LOCKS=0")
		text, _ := cmd.Output() // nothing is ignored where git says nothing
		return string(text)
	}
	for _, root := range folders {
		dirs := listFolders(root, 2)
		if len(dirs) == 0 {
			continue
		}
		ignored := strings.Split(git(root, strings.Join(dirs, "\x00"), "check-ignore", "-z", "--stdin"), "\x00")
		if ignored = ignored[:len(ignored)-1]; len(ignored) == 0 {
			continue
		}
		tracked := "\x00" + git(root, "", append([]string{"ls-files", "-z", "--"}, ignored...)...)
		for _, dir := range ignored {
			if !strings.Contains(tracked, "\x00"+strings.TrimPrefix(dir, root+"/")+"/") {
				out = append(out, dir)
			}
		}
	}
	return out
}

// listFolders lists the folders below a root, so many levels deep, absolute.
func listFolders(root string, depth int) (out []string) {
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if !e.IsDir() || e.Name() == ".git" {
			continue
		}
		dir := filepath.Join(root, e.Name())
		out = append(out, dir)
		if depth > 1 && e.Name() != "node_modules" && !strings.HasPrefix(e.Name(), ".") {
			out = append(out, listFolders(dir, depth-1)...)
		}
	}
	return out
}
