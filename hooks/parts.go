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

// Parts lists what a call does: the tool itself, each file that it names, and each
// command and file of its shell line. Every tool that is given a command is a shell,
// whatever its name. Bash itself is only its line.
func (g Guards) Parts(t fsm.Tool, dir string) []fsm.Part {
	if t.Name == "" {
		return nil
	}
	if isOurCommand(t.Skill) || CarriesCommand(t.Prompt) || CarriesCommand(t.Message) {
		return []fsm.Part{{Tool: t.Name, Guards: ordersOfPersons}}
	}
	out := g.makeFileParts(t, dir)
	if len(out) == 0 && (t.Name != "Bash" || t.Command == "" && !t.Opaque) {
		out = append(out, fsm.Part{Tool: t.Name})
	}
	switch {
	case t.Opaque:
		out = append(out, fsm.Part{Tool: "Bash", Code: true})
	case t.Command == "":
	case t.Name == "PowerShell": // we cannot read its lines
		out = append(out, fsm.Part{Tool: "Bash", Code: true})
	default:
		l := line{g: g, dirs: []string{dir}}
		out = append(out, l.readLine(t.Command)...)
	}
	return out
}

func (g Guards) makeFileParts(t fsm.Tool, dir string) (out []fsm.Part) {
	if changesFiles(t.Name) {
		g = g.followLinks()
	}
	for _, p := range t.Paths {
		out = append(out, g.makeFilePart(t.Name, p, dir))
	}
	return out
}

// A line is a shell line while it is read.
type line struct {
	g     Guards
	known bool     // the links of what is guarded have been followed
	dirs  []string // where it may be: where it began, and wherever a cd led
	words []string // of the latest command
}

func (l *line) readLine(text string) []fsm.Part {
	var out []fsm.Part
	for _, c := range shell.Parse(text) {
		if c.Kind == shell.Command {
			out = append(out, l.makeCommandPart(c))
			continue
		}
		out = append(out, l.makeFilePart(c))
	}
	return out
}

// followGuards follows the links of what is guarded. It reads many folders, so it is
// done only for what could change a file.
func (l *line) followGuards() {
	if !l.known {
		l.g, l.known = l.g.followLinks(), true
	}
}

func (l *line) makeCommandPart(c shell.Call) fsm.Part {
	l.words = c.Words
	part := fsm.Part{Tool: "Bash", Words: c.Words, Via: c.Via, Code: c.Code, Client: clients.StartedBy(c.Words)}
	if len(c.Words) > 0 && strings.Contains(c.Words[0], "/") {
		l.followGuards()
	}
	for _, dir := range l.listDirs(c) {
		if part.Guards = l.g.describeLoosened(c.Words, dir); part.Guards != "" {
			break
		}
	}
	if part.Guards == "" && carriesWords(c.Words) {
		part.Guards = ordersOfPersons
	}
	if len(c.Words) == 2 && c.Words[0] == "cd" && c.Words[1] != shell.Unknown {
		for _, dir := range l.listDirs(c) {
			if to := resolvePath(c.Words[1], dir, l.g.Home); !slices.Contains(l.dirs, to) && len(l.dirs) < 8 {
				l.dirs = append(l.dirs, to)
			}
		}
	}
	return part
}

// carriesWords reports whether a command passes on a command to us: in one of its
// words, or in several that follow each other.
func carriesWords(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(w, "pipeline") }) &&
		CarriesCommand(strings.Join(words, " "))
}

// listDirs lists the directories in which a call may be made: one, or all that the line
// names if it is not known whether a cd succeeds.
func (l *line) listDirs(c shell.Call) []string {
	switch c.Dir {
	case "":
		return l.dirs[:1]
	case shell.Unknown:
		return slices.Clone(l.dirs)
	}
	return []string{resolvePath(c.Dir, l.dirs[0], l.g.Home)}
}

func (l *line) makeFilePart(c shell.Call) fsm.Part {
	tool := c.Kind.Tool()
	if changesFiles(tool) {
		l.followGuards()
	}
	if c.Path == shell.Unknown {
		part := fsm.Part{Tool: tool, Path: shell.Unknown}
		if c.Kind == shell.Delete {
			part.Guards = l.findGlobbed(l.listDirs(c))
		}
		return part
	}
	var part fsm.Part
	places := l.listDirs(c)
	for _, dir := range places {
		part = l.g.makeFilePart(tool, c.Path, dir)
		if part.Guards == "" && c.Kind == shell.Write {
			part.Guards = l.findFilledBelow(part.Path)
		}
		if part.Guards != "" && c.Kind == shell.Delete && l.g.sparesOwned(l.words, part.Path) {
			part.Guards = ""
		}
		if part.Guards != "" {
			break
		}
	}
	if len(places) > 1 && !isRooted(c.Path) {
		part.Path = shell.Unknown
	}
	return part
}

// findGlobbed says what of ours the patterns of the latest command match.
func (l *line) findGlobbed(dirs []string) string {
	for _, w := range l.words {
		if w == shell.Unknown || !strings.ContainsAny(w, "*?[") {
			continue
		}
		for _, dir := range dirs {
			names, _ := filepath.Glob(makeAbsolute(w, dir, l.g.Home)) // a malformed pattern matches nothing
			for _, name := range names {
				if what := l.g.makeFilePart("Delete", name, dir).Guards; what != "" {
					return what
				}
			}
		}
	}
	return ""
}

// findFilledBelow says what of ours a command changes that writes to a folder. cp and
// the like keep the names of what they put there. A command that changes a folder in
// unknown ways may change all that is in it.
func (l *line) findFilledBelow(path string) string {
	if info, err := os.Stat(path); err != nil || !info.IsDir() || len(l.words) == 0 {
		return ""
	}
	switch filepath.Base(l.words[0]) {
	case "mkdir", "touch":
		return ""
	case "cp", "mv", "ln", "install":
		for _, w := range l.words[1:] {
			if what := l.g.makeFilePart("Write", filepath.Join(path, filepath.Base(w)),
				"/").Guards; w != shell.Unknown && what != "" {
				return what
			}
		}
		return ""
	}
	return l.g.findFilled(path)
}

func isRooted(path string) bool {
	return filepath.IsAbs(path) || path == "~" || strings.HasPrefix(path, "~/")
}

// makeAbsolute makes a path absolute, seen from a directory.
func makeAbsolute(path, dir, home string) string {
	switch {
	case filepath.IsAbs(path):
		return filepath.Clean(path)
	case isRooted(path):
		return filepath.Join(home, path[1:])
	}
	return filepath.Join(dir, path)
}

// resolvePath makes a path absolute and follows its links, as far as it exists. A link
// to nothing leads to where the file would be made.
func resolvePath(path, dir, home string) string {
	path = makeAbsolute(path, dir, home)
	for range 40 {
		next, ok := followLink(path)
		if !ok {
			return next
		}
		path = next
	}
	return path
}

// followLink resolves what exists of a path. It reports whether the rest begins with a
// link that leads to nothing yet, and then returns where that leads.
func followLink(path string) (next string, dangling bool) {
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
