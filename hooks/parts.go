package hooks

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/shell"
	"github.com/agent-pipeline/pipeline/hooks/clients"
)

// Parts are what a call comes to: itself, each file that it names, and each command and file of its shell line. Every
// tool that is given a command is a shell, whatever it is called; Bash itself is no more than its line.
func (g Guards) Parts(t fsm.Tool, dir string) []fsm.Part {
	if t.Name == "" {
		return nil
	}
	if isOurs(t.Skill) || Carries(t.Prompt) || Carries(t.Message) {
		return []fsm.Part{{Tool: t.Name, Guards: ordersOfPersons}}
	}
	out := g.files(t, dir)
	if len(out) == 0 && (t.Name != "Bash" || t.Command == "" && !t.Opaque) {
		out = append(out, fsm.Part{Tool: t.Name})
	}
	switch {
	case t.Opaque:
		out = append(out, fsm.Part{Tool: "Bash", Code: true})
	case t.Command == "":
	case t.Name == "PowerShell": // whose lines we cannot read
		out = append(out, fsm.Part{Tool: "Bash", Code: true})
	default:
		l := line{g: g, dirs: []string{dir}}
		out = append(out, l.parts(t.Command)...)
	}
	return out
}

func (g Guards) files(t fsm.Tool, dir string) (out []fsm.Part) {
	if changes(t.Name) {
		g = g.real()
	}
	for _, p := range t.Paths {
		out = append(out, g.file(t.Name, p, dir))
	}
	return out
}

// A line is a shell line as it is gone through.
type line struct {
	g     Guards
	known bool     // what is guarded has been followed to where it really lies
	dirs  []string // where it may be: where it began, and wherever it has gone
	words []string // of the latest command
}

func (l *line) parts(text string) []fsm.Part {
	var out []fsm.Part
	for _, c := range shell.Parse(text) {
		if c.Kind == shell.Command {
			out = append(out, l.command(c))
			continue
		}
		out = append(out, l.file(c))
	}
	return out
}

// follow finds out where what is guarded really lies: only for what could change it, because it takes many looks.
func (l *line) follow() {
	if !l.known {
		l.g, l.known = l.g.real(), true
	}
}

func (l *line) command(c shell.Call) fsm.Part {
	l.words = c.Words
	part := fsm.Part{Tool: "Bash", Words: c.Words, Via: c.Via, Code: c.Code, Client: clients.StartedBy(c.Words)}
	if len(c.Words) > 0 && strings.Contains(c.Words[0], "/") {
		l.follow()
	}
	for _, dir := range l.places(c) {
		if part.Guards = l.g.guardedCommand(c.Words, dir); part.Guards != "" {
			break
		}
	}
	if part.Guards == "" && carried(c.Words) {
		part.Guards = ordersOfPersons
	}
	if len(c.Words) == 2 && c.Words[0] == "cd" && c.Words[1] != shell.Unknown {
		for _, dir := range l.places(c) {
			if to := resolve(c.Words[1], dir, l.g.Home); !slices.Contains(l.dirs, to) && len(l.dirs) < 8 {
				l.dirs = append(l.dirs, to)
			}
		}
	}
	return part
}

// carried reports whether a command hands on an order to us: in one of its words, or in some that follow each other.
func carried(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(w, "pipeline") }) && Carries(strings.Join(words, " "))
}

// places are the directories in which a call may be made: one, or all that the line names where it cannot be told
// whether a cd has gone well.
func (l *line) places(c shell.Call) []string {
	switch c.Dir {
	case "":
		return l.dirs[:1]
	case shell.Unknown:
		return slices.Clone(l.dirs)
	}
	return []string{resolve(c.Dir, l.dirs[0], l.g.Home)}
}

func (l *line) file(c shell.Call) fsm.Part {
	tool := c.Kind.Tool()
	if changes(tool) {
		l.follow()
	}
	if c.Path == shell.Unknown {
		part := fsm.Part{Tool: tool, Path: shell.Unknown}
		if c.Kind == shell.Delete {
			part.Guards = l.globbed(l.places(c))
		}
		return part
	}
	var part fsm.Part
	places := l.places(c)
	for _, dir := range places {
		part = l.g.file(tool, c.Path, dir)
		if part.Guards == "" && c.Kind == shell.Write {
			part.Guards = l.below(part.Path)
		}
		if part.Guards != "" && c.Kind == shell.Delete && l.g.spares(l.words, part.Path) {
			part.Guards = ""
		}
		if part.Guards != "" {
			break
		}
	}
	if len(places) > 1 && !rooted(c.Path) {
		part.Path = shell.Unknown
	}
	return part
}

// globbed says what of ours the patterns of the latest command name.
func (l *line) globbed(dirs []string) string {
	for _, w := range l.words {
		if w == shell.Unknown || !strings.ContainsAny(w, "*?[") {
			continue
		}
		for _, dir := range dirs {
			names, _ := filepath.Glob(absolute(w, dir, l.g.Home)) // a pattern that is none names nothing
			for _, name := range names {
				if what := l.g.file("Delete", name, dir).Guards; what != "" {
					return what
				}
			}
		}
	}
	return ""
}

// below says what of ours a command changes that is told to write to a folder: what it puts there keeps its name; of
// one that fills or changes a folder in ways that are not to be seen, all that lies there.
func (l *line) below(path string) string {
	if info, err := os.Stat(path); err != nil || !info.IsDir() || len(l.words) == 0 {
		return ""
	}
	switch filepath.Base(l.words[0]) {
	case "mkdir", "touch":
		return ""
	case "cp", "mv", "ln", "install":
		for _, w := range l.words[1:] {
			if what := l.g.file("Write", filepath.Join(path, filepath.Base(w)), "/").Guards; w != shell.Unknown && what != "" {
				return what
			}
		}
		return ""
	}
	return l.g.fills(path)
}

func rooted(path string) bool {
	return filepath.IsAbs(path) || path == "~" || strings.HasPrefix(path, "~/")
}

// absolute is a path as it is meant in a directory.
func absolute(path, dir, home string) string {
	switch {
	case filepath.IsAbs(path):
		return filepath.Clean(path)
	case rooted(path):
		return filepath.Join(home, path[1:])
	}
	return filepath.Join(dir, path)
}

// resolve makes a path absolute and follows its links, as far as it exists; a link to nothing leads to where the file
// would come to be.
func resolve(path, dir, home string) string {
	path = absolute(path, dir, home)
	for range 40 {
		next, ok := follow(path)
		if !ok {
			return next
		}
		path = next
	}
	return path
}

// follow resolves what exists of a path. It reports whether the rest begins with a link that leads to nothing yet, and
// then returns where that leads.
func follow(path string) (next string, dangling bool) {
	for head, tail := path, ""; ; {
		real, err := filepath.EvalSymlinks(head)
		if err == nil {
			return filepath.Join(real, tail), false
		}
		if to, err := os.Readlink(head); err == nil {
			if !filepath.IsAbs(to) {
				to = filepath.Join(filepath.Dir(head), to)
			}
			return filepath.Join(to, tail), true
		}
		up := filepath.Dir(head)
		if up == head {
			return path, false
		}
		head, tail = up, filepath.Join(filepath.Base(head), tail)
	}
}
