package kernel

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm/shell"
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
	command, cwdFile, ok := shell.ReadLaunched(line)
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
	for _, dir := range listIgnored(ticket.Folders) {
		isInside := func(kept string) bool { return isWithin(kept, dir) }
		if !slices.ContainsFunc(l.ReadOnly, isInside) { // .claude may be one
			l.Writable = append(l.Writable, dir)
		}
	}
	return e.Run(l, argv)
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
