package guard

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/config/system"
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
	out := g.makeParts(t, dir)
	if g.Worktrees == nil || !slices.ContainsFunc(out, func(p fsm.Part) bool { return system.IsAbs(p.Path) }) {
		return out
	}
	for _, root := range g.Worktrees() {
		for i, p := range out {
			if rel, err := system.Rel(root, p.Path); err == nil && filepath.IsLocal(rel) && system.IsAbs(p.Path) {
				out[i].Twin = system.Join(g.Root, rel)
			}
		}
	}
	return out
}

func (g Guards) makeParts(t fsm.Tool, dir string) (out []fsm.Part) {
	skill := strings.TrimPrefix(t.Skill, "/") // it may be taken for ours, whatever its plugin
	if skill == "pipeline" || strings.HasSuffix(skill, ":pipeline") ||
		carriesCommand(t.Prompt) || carriesCommand(t.Message) {
		return []fsm.Part{{Tool: t.Name, Guards: personsCommands}}
	}
	dir = system.Native(dir) // as the client writes it
	g = g.foldAll()
	g.from = dir
	if t.AnyShell {
		g.Shell = ""
	}
	if len(t.Args) > 0 || strings.HasPrefix(t.Name, "mcp__") && t.Command == "" {
		return g.makeServerParts(t, dir)
	}
	l := line{Guards: g, dirs: []string{dir}, typed: t.Typed}
	uses := slices.Clone(t.Files)
	for _, p := range t.Paths {
		uses = append(uses, fsm.FileUse{Tool: t.Name, Path: p})
	}
	for _, use := range uses {
		if use.Path == shell.Unknown {
			out = append(out, fsm.Part{Tool: use.Tool, Path: shell.Unknown, Names: []string{"/**"}})
			continue
		}
		if fsm.ChangesFiles(use.Tool) {
			l.followGuards()
		}
		part := l.Guards.makeFilePart(use.Tool, system.OnDrive(use.Path, dir), dir)
		if part.Guards == "" && !fsm.ChangesFiles(use.Tool) && l.reachesResolved(l.fold(part.Path)) {
			part.Guards = ourState
		}
		out = append(out, part)
	}
	if len(out) == 0 && (t.Name != "Bash" || t.Command == "" && !t.Opaque) {
		out = append(out, fsm.Part{Tool: t.Name})
	}
	switch {
	case t.Opaque:
		out = append(out, fsm.Part{Tool: "Bash", Code: true})
	case t.Command == "":
	case t.Name == "PowerShell":
		out = append(out, l.readOther(t.Command))
	default:
		out = append(out, l.readLine(t.Command)...)
		if t.AnyShell && !isPlainLine(t.Command) && g.HasPowerShell != nil && g.HasPowerShell() {
			l := line{Guards: g, dirs: []string{dir}} // which has not gone anywhere
			out = append(out, l.readOther(t.Command))
		}
	}
	return out
}

// A line is a shell line while it is read.
type line struct {
	Guards
	known bool     // what is guarded has been followed to where it really lies
	dirs  []string // where it may be: where it began, and wherever it has gone
	words []string // of the latest command
	name  string   // of the latest command; empty for none
	typed bool     // the agent may type to what it runs, unseen
	kept  bool     // the kernel keeps it from changing what is guarded
}

func (l *line) readLine(text string) (out []fsm.Part) {
	option := strings.ReplaceAll(strings.ToLower(text), "_", "") // as zsh reads it
	l.dots = strings.Contains(option, "dotglob") || strings.Contains(option, "globdots")
	o := shell.Options{Shell: l.Shell, HasZsh: l.HasZsh, Typed: l.typed}
	calls := shell.Parse(text, o)
	sure := calls
	// A line that changes files in a folder that depends on whether a cd succeeds is read again, with the folders
	// that exist.
	matters := func(c shell.Call) bool { return c.Dir == shell.Unknown && fsm.ChangesFiles(c.Kind.Tool()) }
	for range 4 {
		if !slices.ContainsFunc(sure, matters) {
			break
		}
		found := l.listEntered(sure)
		if len(found) == len(o.Existing) {
			break
		}
		o.Existing = found
		sure = shell.Parse(text, o)
	}
	l.kept = l.IsKept && !slices.ContainsFunc(sure, func(c shell.Call) bool { return l.IsExempt(c.Words, c.Via) })
	for i, c := range sure {
		if c.Kind == shell.Command {
			if out = append(out, l.makeCommandPart(c)); l.runsForeign(c) {
				out = append(out, fsm.Part{Tool: "Bash", Via: c.Via, Code: true})
			}
			continue
		}
		part := l.makeFilePart(c)
		if len(sure) == len(calls) && calls[i].Dir == shell.Unknown && !isRooted(c.Path) {
			part.Path = shell.Unknown // to the rules, which do not depend on what exists
		}
		out = append(out, part)
	}
	if slices.ContainsFunc(out, func(p fsm.Part) bool { return p.Tool == "Delete" }) {
		l.markRemovers(out)
	}
	return out
}

// removers leave nothing of a file.
const removers = " rm unlink shred find fd fdfind "

// markRemovers puts a command that removes files outside of the project, and these removals, into the group of what
// destroys: no commit brings them back.
func (g Guards) markRemovers(parts []fsm.Part) {
	trees := slices.Concat(g.Caches, g.ListWorktrees(), []string{os.TempDir(), "/tmp", "/private/tmp", "/var/tmp",
		"/var/folders", "/private/var/folders"})
	isInside := func(name string) bool {
		return !system.IsAbs(name) || name == "/**" || // any file at all
			slices.ContainsFunc(trees, func(tree string) bool { return isWithin(g.fold(name), g.fold(tree)) })
	}
	command := -1
	for i, p := range parts {
		switch {
		case p.Tool == "Bash":
			if command = -1; hasWord(removers, commandName(p.Words)) {
				command = i
			}
		case p.Tool == "Delete" && command >= 0:
			names := []string{p.Path}
			if p.Path == shell.Unknown {
				names = p.Names
			}
			inside := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !isInside(name) })
			if len(inside) == len(names) {
				continue
			}
			if len(inside) == 0 { // else the rules for the project's files come first
				parts[i].Groups = []string{fsm.DestroyingCommands}
			}
			if own := &parts[command].Groups; !slices.Contains(*own, fsm.DestroyingCommands) {
				*own = append(*own, fsm.DestroyingCommands)
			}
		}
	}
}

// listEntered lists the directories into which a line goes that exist and that it leaves
// as they are.
func (l *line) listEntered(calls []shell.Call) (out []string) {
	for _, c := range calls {
		if len(c.Words) != 2 || !hasWord(" cd pushd chdir ", c.Words[0]) {
			continue
		}
		to := c.Words[1]
		if c.Dir != "" && !isRooted(to) {
			to = system.Join(c.Dir, to)
		}
		dir := l.resolve(to, l.dirs[0])
		changed := slices.ContainsFunc(calls, func(c shell.Call) bool {
			return c.Dir != shell.Unknown && fsm.ChangesFiles(c.Kind.Tool()) &&
				isWithin(dir, l.resolve(c.Path, l.listDirs(c)[0]))
		})
		if system.CanRun(dir+"/.") && !changed {
			out = append(out, system.Clean(to))
		}
	}
	return out
}

// followGuards follows the links of what is guarded. It reads many folders, so it is
// done only for what could change a file.
func (l *line) followGuards() {
	if !l.known {
		l.Guards, l.known = l.followLinks(), true
	}
}

func (l *line) makeCommandPart(c shell.Call) fsm.Part {
	l.words, l.name = c.Words, commandName(c.Words)
	part := fsm.CommandPart(c)
	part.Client = clients.StartedBy(c.Words)
	if len(c.Words) > 0 && strings.ContainsAny(c.Words[0], `/\`) {
		l.followGuards()
	}
	for _, dir := range l.listDirs(c) {
		if part.Guards = l.describeLoosened(c.Words, dir); part.Guards != "" {
			break
		}
	}
	isOurPackage := func(w string) bool {
		name, _, _ := strings.Cut(w[strings.LastIndexByte(w, '/')+1:], "@")
		return name == ourName || name == "agent-"+ourName
	}
	switch {
	case part.Guards != "":
	case aimsAtUs(c, l.name):
		part.Guards = ourProcess
	case l.reachesPrivate(c):
		part.Guards = ourState
	case len(c.Words) > 2 && hasWord(packageManagers, l.name) && hasAnyWord(removals, c.Words[1:]) &&
		slices.ContainsFunc(c.Words[1:], isOurPackage):
		part.Guards = ourBinary
	case carriesCommand(strings.ReplaceAll(strings.Join(c.Words, " "), " Space ", " ")): // a key, to tmux
		part.Guards = personsCommands
	}
	if len(c.Words) > 1 && hasWord(otherShells, l.name) {
		inside := line{Guards: l.Guards, known: l.known, dirs: l.dirs}
		part.Guards = cmp.Or(part.Guards, inside.findMentioned(strings.Join(c.Words[1:], " "), false))
		part.Code, part.Shows = true, false
	}
	isElsewhere := c.Groups&shell.Elsewhere != 0 && part.Client == "" // the kernel does not keep it from our files
	if part.Guards == "" && c.Code && (!l.kept || isElsewhere) {
		text := c.Text + "\n"
		if (!c.Unlisted || isElsewhere) && len(c.Words) > 0 { // else it is not known what the words are
			isNoCode := func(w string) bool { return !strings.ContainsAny(w, " \n()'\"`;{}<>") }
			text += strings.Join(slices.DeleteFunc(slices.Clone(c.Words[1:]), isNoCode), "\n")
		}
		part.Guards = l.findMentioned(text, true)
	}
	if len(c.Words) == 2 && c.Words[1] != shell.Unknown && hasWord(" cd pushd chdir ", c.Words[0]) {
		for _, dir := range l.listDirs(c) {
			if to := resolvePath(c.Words[1], dir, l.Home); !slices.Contains(l.dirs, to) && len(l.dirs) < 8 {
				l.dirs = append(l.dirs, to)
			}
		}
	}
	return part
}

// packageManagers take programs away, ours as well, with a word of removals.
const (
	packageManagers = " npm pnpm yarn bun apt apt-get dpkg dnf yum zypper pacman apk rpm brew snap scoop choco winget "
	removals        = " uninstall remove autoremove rm r un unlink purge erase del --remove --purge --erase -r -e -P " +
		"-R -Rc -Rd -Rdd -Rn -Rs -Rsc -Rcs -Rcns -Rncs -Rnsc -Rscn -Rns -Rsn -Rsu -Rnsu "
)

// listDirs lists the directories in which a call may be made: one, or all that the line
// names if it is not known whether a cd succeeds.
func (l *line) listDirs(c shell.Call) []string {
	switch c.Dir {
	case "":
		return l.dirs[:1]
	case shell.Unknown:
		return l.dirs
	}
	return []string{resolvePath(c.Dir, l.dirs[0], l.Home)}
}

func (l *line) makeFilePart(c shell.Call) fsm.Part {
	tool := c.Kind.Tool()
	if fsm.ChangesFiles(tool) {
		l.followGuards()
	}
	places := l.listDirs(c)
	part := fsm.Part{Tool: tool, Path: shell.Unknown}
	if c.Unnamed {
		part.Words, part.Via = c.Words, c.Via
	}
	for _, dir := range places {
		guards := ""
		if c.Path != shell.Unknown {
			part = l.Guards.makeFilePart(tool, leaveLinks(c.Path, dir, l.Home), dir)
			guards, part.Guards = part.Guards, ""
			if !fsm.ChangesFiles(tool) && guards == "" && l.reachesPath(c.Path, dir) {
				guards = ourState
			}
		}
		switch {
		case l.kept && c.Kind == shell.Write && strings.Contains(c.Pattern, "**"): // what find comes upon
		case c.Pattern != "" && (fsm.ChangesFiles(tool) || strings.Contains(c.Pattern, "/")):
			l.followGuards()
			guards = l.findGuardedByCall(c, tool, dir)
		case c.Path != shell.Unknown && guards == "" && c.Kind == shell.Write:
			guards = l.findChangedIn(part.Path)
		}
		if part.Guards = guards; guards != "" {
			break
		}
	}
	part.Groups = c.Groups.Names()
	if len(places) > 1 && !isRooted(c.Path) {
		part.Path = shell.Unknown
	}
	if c.Pattern != "" {
		l.nameMatches(&part, c, places)
	}
	return part
}

// nameMatches lists the patterns of the files that a call may mean. What rm is given in
// one folder also stands for a path of its own.
func (l *line) nameMatches(part *fsm.Part, c shell.Call, places []string) {
	ways, ok := expandGroups(c.Pattern)
	if !ok || len(ways)*len(places) > maxPatterns {
		ways = []string{"/**"}
	}
	for _, way := range ways {
		for _, dir := range places {
			name := MakeAbsolute(way, dir, l.Home)
			if folder, base := filepath.Split(name); !strings.ContainsAny(folder, wildcards) {
				name = system.Join(resolvePath(folder, "/", l.Home), base)
				if c.Kind == shell.Delete && c.Path == shell.Unknown && len(ways)*len(places) == 1 &&
					!strings.Contains(base, shell.Unknown) {
					part.Path = name
				}
			}
			if l.dots {
				name = strings.ReplaceAll(name, "/*", "/"+shell.Unknown+"*")
			}
			part.Names = append(part.Names, name)
			part.Names = append(part.Names, l.listMatches(name)...)
			if c.Path == c.Pattern {
				if found := expandGlob(name); found.linked || !found.whole {
					part.Path = shell.Unknown
				}
			}
		}
	}
}

// listMatches lists the files that a pattern matches, or a pattern of all if they are many.
func (l *line) listMatches(pattern string) (out []string) {
	dir, base := filepath.Split(pattern)
	if strings.Contains(pattern, "**") || strings.Contains(dir, shell.Unknown) || !strings.ContainsAny(base,
		wildcards) {
		return nil
	}
	found := expandGlob(strings.ReplaceAll(pattern, shell.Unknown, "*"))
	for _, name := range found.names {
		if l.dots || !strings.HasPrefix(filepath.Base(name), ".") || strings.HasPrefix(base, ".") {
			out = append(out, name)
		}
	}
	if len(out) > maxPatterns || !found.whole {
		return []string{dir + "**"}
	}
	return out
}

// findGuardedByCall says which guarded thing the pattern of a call can name.
func (l *line) findGuardedByCall(c shell.Call, tool, dir string) string {
	if len(l.words) > 1 && l.name == "git" && c.Path != shell.Unknown &&
		l.resolve(c.Path, dir) == l.Root {
		return "" // git init at the root changes nothing that we look for
	}
	if what := l.findGuardedByPattern(tool, c.Pattern, dir); what != "" || c.Kind != shell.Write {
		return what
	}
	g, pattern := l.Guards, splitPath(l.fold(MakeAbsolute(c.Pattern, dir, l.Home)))
	g.dots = true
	for what, p := range l.eachGuarded(false) {
		if up := system.Dir(p); what != ourBinary && up != l.Root && up != l.Home &&
			g.matchNames(pattern, splitPath(up), false, false) {
			if into := l.findChangedIn(up); into != "" {
				return into
			}
		}
	}
	return ""
}

// findChangedIn says which guarded thing a command changes that writes to a folder. cp
// and the like keep the names of what they put there. A command that changes a folder in
// unknown ways may change all that is in it.
func (l *line) findChangedIn(path string) string {
	if info, err := os.Stat(path); err != nil || !info.IsDir() || len(l.words) == 0 {
		return ""
	}
	path = l.fold(path)
	switch l.name {
	case "mkdir", "touch":
		return ""
	case "chmod", "chown", "chgrp": // who may not enter a folder reaches nothing below it
		if !isWithin(path, l.Root) {
			return l.findGuardedBelow(path)
		}
	case "git":
		if len(l.words) < 2 || l.words[1] == "init" {
			return ""
		}
	case "cp", "mv", "ln", "install", "rsync", "scp":
		return l.findOverwritten(path)
	}
	return l.findGuardedIn(path)
}

// findOverwritten says which guarded thing a command changes that puts files and folders into
// a folder. A folder is merged with the one of the same name there.
func (l *line) findOverwritten(path string) string {
	if slices.ContainsFunc(l.words, func(w string) bool {
		return strings.HasPrefix(w, "--delete") || strings.HasPrefix(w, "--no-t") ||
			strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") && strings.Contains(w, "T")
	}) {
		if what := cmp.Or(l.findGuardedIn(path), l.findGuardedBelow(path)); what != "" {
			return what
		}
	}
	copies := l.name == "rsync"
	for _, w := range l.words[1:] {
		base := l.fold(filepath.Base(w))
		contents := base == "." && w != "." || strings.HasSuffix(w, "/") && copies
		if contents {
			w, base = strings.TrimSuffix(strings.TrimSuffix(w, "."), "/")+"/*", "*"
		}
		what := ""
		switch {
		case strings.HasPrefix(w, "-"):
		case w == shell.Unknown || strings.ContainsAny(base, wildcards):
			what = l.findOverwrittenByPattern(w, base, path)
		case base == filepath.Base(path) && l.resolve(w, l.dirs[0]) != path:
			what = l.findGuardedIn(path)
			fallthrough
		default:
			what = cmp.Or(what, l.findReplaced(system.Join(path, base)))
		}
		if what != "" {
			return what
		}
	}
	return ""
}

// findReplaced says which guarded thing a copy to a path replaces, or is merged with where that is a folder.
func (l *line) findReplaced(child string) string {
	what := l.Guards.makeFilePart("Write", child, "/").Guards
	if info, err := os.Stat(child); what == "" && err == nil && info.IsDir() {
		what = l.findGuardedIn(child)
	}
	return what
}

// findOverwrittenByPattern says which guarded thing a copy of files that a pattern names can replace in a
// folder.
// At the root only what there is to copy counts.
func (l *line) findOverwrittenByPattern(word, base, path string) string {
	if path == l.Root || path == l.Home {
		for _, dir := range l.dirs {
			found := expandGlob(MakeAbsolute(word, dir, l.Home))
			if !found.whole {
				return ourConfig
			}
			for _, name := range found.names {
				child := system.Join(path, l.fold(filepath.Base(name)))
				if what := l.findReplaced(child); what != "" && l.fold(name) != child {
					return what
				}
			}
		}
		return ""
	}
	if word == shell.Unknown {
		base = "*"
	}
	for what, p := range l.eachGuarded(true) {
		if system.Dir(p) == path && matchName(base, filepath.Base(p)) {
			return what
		}
	}
	return ""
}

// maxPatterns limits the patterns of one call. Beyond it any file may be meant.
const maxPatterns = 64
