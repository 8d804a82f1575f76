// Package guard reads what a call does, part by part, and keeps agents from our own files: the config, the state, the
// registration, the program and the commands that only a person may run.
package guard

import (
	"cmp"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/shell"
	"github.com/agent-pipeline/pipeline/hooks/kernel"
)

// Guards is what no agent may change: the config, the client's settings, our state, the
// binary. These are guarded, and so are their paths.
type Guards struct {
	Root    string          // of the project
	Home    string          // the user's
	Config  string          // where the user's own config lies
	System  string          // where the organisation's config lies
	States  []string        // folders of our state
	Client  Places          // of the agent client that reads our command file
	Others  func() []Places // of the other clients whose hooks we answer; nil for none
	Binary  func() string   // the path of this program: asking the system for it takes long
	Path    []string        // folders in which programs are found by name
	Plugin  string          // the folder of the plugin that calls us, if one does
	Sources []string        // config files that lie elsewhere
	Tools   [][]fsm.ToolUse // what each of these says of servers' tools counts
	Fold    bool            // paths that differ in case alone lead to one file
	Caches  []string        // folders of what tools can fetch and make again
	// Worktrees lists what corresponds to Root in the other worktrees of its repository; nil: there are none.
	Worktrees func() []string

	IsKept bool     // the kernel keeps shell lines from changing what is guarded
	Exempt []string // programs whose lines it does not confine

	// PersonOnly reports whether only a person may run this form of a command of pipeline.
	PersonOnly func(command string, args []string) bool

	Shell  string      // in which the client runs lines: "bash", "zsh"; "" for either
	HasZsh func() bool // reports whether there is a zsh; nil: there is
	// HasPowerShell reports whether there is a PowerShell; nil: there is none.
	HasPowerShell func() bool

	// What Parts makes of these for one call. followLinks adds to all of them where their links
	// lead.
	binary   string   // what Binary has said
	clients  []string // folders of the client
	others   []otherFile
	settings []string // clients' settings where they are links to elsewhere
	from     string   // where the call is made
	dots     bool     // the line lets wildcards match names that begin with a dot
	gits     []string // what marks the work trees around Root and from
}

const (
	ourConfig  = "the pipeline's config"
	ourState   = "the pipeline's state"
	ourCommand = "the user's command /pipeline"
	ourBinary  = "the pipeline binary"
	ourPlugin  = "the plugin that calls the pipeline"
	ourTree    = "the .git by which the pipeline finds its config"
	hostConfig = "the agent client's settings"
)

// followLinks is the same with all links followed. The paths that it is compared with
// have them followed too.
func (g Guards) followLinks() Guards {
	follow := func(paths []string) []string {
		out := slices.Clone(paths)
		for _, p := range paths {
			out = append(out, g.resolve(p, g.Root))
		}
		return out
	}
	if g.Client.Project != "" {
		g.clients = []string{g.Client.Project, g.Client.User}
	}
	files := g.guardedFiles()
	for _, s := range g.Client.Settings { // those of the machine's administrator lie elsewhere
		files = append(files, s.Path)
	}
	for _, file := range files {
		g.settings = append(g.settings, g.resolve(file, g.Root))
	}
	g.binary = g.ownPath()
	addOther := func(file string) { // most do not exist, which costs one look each
		dir, name := system.Dir(file), g.fold(filepath.Base(file))
		g.others = append(g.others, otherFile{g.fold(dir), name})
		if !isThere(dir) {
			return
		}
		if to := g.resolve(dir, g.Root); to != dir {
			g.others = append(g.others, otherFile{to, name})
		}
		g.settings = append(g.settings, g.resolve(system.Join(dir, name), g.Root))
	}
	if g.Others != nil {
		for _, p := range g.Others() {
			for _, s := range p.Settings {
				addOther(s.Path)
			}
			for _, dir := range []string{p.Project, p.User} {
				for _, name := range p.Guarded {
					addOther(MakeAbsolute(name, dir, g.Home))
				}
			}
		}
	}
	g.States, g.clients, g.Sources = follow(g.States), follow(g.clients), follow(g.Sources)
	for _, p := range []*string{&g.Root, &g.Config, &g.System, &g.binary, &g.Plugin} {
		if *p != "" {
			*p = g.resolve(*p, "/")
		}
	}
	g.from = g.resolve(cmp.Or(g.from, g.Root), g.Root)
	for _, dir := range []string{g.from, g.Root} {
		for dir := range system.Upward(dir) {
			git := system.Join(dir, ".git")
			if isThere(git) {
				g.gits = append(g.gits, git)
			}
		}
	}
	return g
}

// An otherFile is a file of another client that is guarded, by its folder and its name, which may be a glob.
type otherFile struct{ dir, name string }

// guardedFiles are the client's settings and what else decides whether it runs hooks.
func (g Guards) guardedFiles() (out []string) {
	names := slices.Clone(g.Client.Guarded)
	for _, s := range g.Client.Settings {
		names = append(names, g.fold(filepath.Base(s.Path)))
	}
	for _, dir := range g.clients {
		for _, name := range names {
			out = append(out, MakeAbsolute(name, dir, g.Home))
		}
	}
	return out
}

// fold writes a path so that all spellings of one file are equal.
func (g Guards) fold(path string) string {
	if !g.Fold {
		return path
	}
	return fsm.FoldPath(path)
}

// resolve makes a path absolute, follows its links and folds it: it can be compared with
// what is guarded.
func (g Guards) resolve(path, dir string) string { return g.fold(resolvePath(path, dir, g.Home)) }

// foldAll folds all that paths are compared with.
func (g Guards) foldAll() Guards {
	for _, p := range []*string{&g.Root, &g.Home, &g.Config, &g.System, &g.Plugin, &g.Client.Project,
		&g.Client.User} {
		*p = g.fold(*p)
	}
	for _, list := range []*[]string{&g.States, &g.Sources} {
		*list = slices.Clone(*list)
		for i, p := range *list {
			(*list)[i] = g.fold(p)
		}
	}
	return g
}

// makeFilePart makes a part of a path. Where the tool would change a guarded file, or a
// link to one, the part says which.
func (g Guards) makeFilePart(tool, path, dir string) fsm.Part {
	path = MakeAbsolute(path, dir, g.Home)
	part := fsm.Part{Tool: tool, Path: resolvePath(path, dir, g.Home), Fold: g.Fold}
	at := g.fold(part.Path)
	if !fsm.ChangesFiles(tool) {
		if g.isPrivate(at) {
			part.Guards = ourState
		}
		return part
	}
	link := system.Join(resolvePath(system.Dir(path), dir, g.Home), filepath.Base(path))
	for i, p := range slices.Insert(g.listPlaces(at), 1, g.fold(link)) {
		part.Guards = g.describeGuarded(p)
		base := filepath.Base(p)
		if part.Guards == "" && tool != "Delete" && i < 2 && isGuardedName(base) && isWithin(p, g.Root) && !isThere(p) {
			// A new config or .git below the root takes the place of the guarded one for clients that start there.
			part.Guards = ourConfig
			if base == ".git" {
				part.Guards = ourTree
			}
		}
		if part.Guards == "" && tool == "Delete" {
			part.Guards = g.findGuardedBelow(p)
		}
		if part.Guards != "" {
			break
		}
	}
	return part
}

// listPlaces lists where a path may lead, itself first. A share, a device and a drive do not say where on our disks
// they begin, so each may be any folder above what is guarded.
func (g Guards) listPlaces(path string) []string {
	out, tails := []string{path}, system.ListTails(path, system.VolumeName(path))
	if len(tails) == 0 {
		return out
	}
	above := []string{g.Root}
	add := func(dir string) {
		for ; !slices.Contains(above, dir); dir = system.Dir(dir) {
			above = append(above, dir)
		}
	}
	add(system.Dir(g.Root))
	for _, p := range g.eachGuarded(false) {
		add(system.Dir(p))
	}
	for _, dir := range above {
		for _, tail := range tails {
			out = append(out, g.fold(system.Join(dir, tail)))
		}
	}
	return out
}

// describeGuarded says what a guarded path is; empty for any other path.
func (g Guards) describeGuarded(path string) string {
	dir, base := filepath.Split(path)
	dir = system.Clean(dir)
	// A command without disable-model-invocation would let a scheduled prompt pass for a typed one (by experiment).
	replacesCommand := func(folder string) bool {
		commands := system.Dir(g.Client.CommandFile(folder, "pipeline"))
		skills := system.Dir(g.Client.SkillFile(folder, "pipeline"))
		return isWithin(path, commands) && base == "pipeline.md" || isWithin(path, skills)
	}
	switch {
	case slices.Contains(g.configPlaces(), path) || isConfigName(base) && g.isConfigDir(dir):
		return ourConfig
	case base == ".git" && (dir == g.Root || slices.Contains(g.gits, path)):
		return ourTree
	case slices.ContainsFunc(g.clients, replacesCommand):
		return ourCommand
	case slices.ContainsFunc(g.guardedFiles(), func(f string) bool { // its name is a glob
		return (system.Dir(f) == dir || f == filepath.Base(f)) && matchName(filepath.Base(f), base)
	}),
		slices.ContainsFunc(g.others, func(f otherFile) bool { return f.dir == dir && matchName(f.name, base) }),
		slices.Contains(g.settings, path):
		return hostConfig
	case slices.Contains(g.binaries(), path), shell.CommandName(base) == ourName &&
		slices.ContainsFunc(g.Path, func(p string) bool { return system.IsAbs(p) && g.resolve(p, "/") == dir }):
		return ourBinary
	case slices.ContainsFunc(g.pluginPaths(), func(p string) bool { return isWithin(path, p) }):
		return ourPlugin
	}
	for _, s := range g.States {
		if isWithin(path, s) {
			return ourState
		}
	}
	return ""
}

// configPlaces are the config's files, and the folders in which a user's and an organisation's would lie.
func (g Guards) configPlaces() []string {
	places := append(slices.Clone(g.Sources), g.Config, g.System)
	return slices.DeleteFunc(places, func(p string) bool { return p == "" })
}

// pluginPaths are the plugin that calls us, and the client's lists by which it finds it.
func (g Guards) pluginPaths() []string {
	if g.Plugin == "" {
		return nil
	}
	out := []string{g.Plugin}
	for _, dir := range g.clients {
		out = append(out, system.Join(dir, "plugins", "installed_plugins.json"),
			system.Join(dir, "plugins", "known_marketplaces.json"))
	}
	return out
}

// binaries are this program, and beside it the one that exports records.
func (g Guards) binaries() []string {
	own := g.ownPath()
	if own == "" {
		return nil
	}
	name := strings.TrimSuffix(own, ".exe")
	return []string{own, name + "-export" + own[len(name):]}
}

// ourName is the name by which a shared registration runs this program.
const ourName = "pipeline"

// ownPath is the path of this program; empty where it is not known.
func (g Guards) ownPath() string {
	if g.binary == "" && g.Binary != nil {
		return g.fold(g.Binary())
	}
	return g.binary
}

// isConfigDir reports whether a config in a folder counts for a client that is started
// where the call is made, or in a folder between there and the root.
func (g Guards) isConfigDir(dir string) bool {
	if dir == g.Config || dir == g.System && dir != "" {
		return true
	}
	if base := filepath.Base(dir); base == "configs" || base == filepath.Base(g.Client.Project) {
		if g.isConfigDir(system.Dir(dir)) {
			return true
		}
	}
	return dir == g.Root || isWithin(g.from, dir) && isWithin(dir, g.Root)
}

func isConfigName(base string) bool {
	name, ext, _ := strings.Cut(base, ".")
	ext = strings.TrimPrefix(ext, "local.")
	return name == "pipeline" && (ext == "yaml" || ext == "yml" || ext == "toml")
}

// findGuardedBelow says which guarded thing would be deleted with a folder.
func (g Guards) findGuardedBelow(dir string) string {
	for what, p := range g.eachGuarded(false) {
		if isWithin(p, dir) {
			return what
		}
	}
	return ""
}

// eachGuarded yields what is guarded, in words, with each of its paths. Of the clients' settings these are the files,
// or the folders too in which they lie.
func (g Guards) eachGuarded(onlyFiles bool) iter.Seq2[string, string] {
	hosts := g.settingsFiles()
	if !onlyFiles {
		hosts = slices.Concat(g.settings, g.clients)
		for _, f := range g.others {
			hosts = append(hosts, f.dir)
		}
	}
	return func(yield func(what, path string) bool) {
		for _, kind := range [...]struct {
			what  string
			paths []string
		}{{ourConfig, g.configPlaces()}, {hostConfig, hosts}, {ourState, g.States}, {ourBinary, g.binaries()},
			{ourPlugin, g.pluginPaths()}, {ourTree, g.gits}} {
			for _, path := range kind.paths {
				if !yield(kind.what, path) {
					return
				}
			}
		}
	}
}

// settingsFiles are the files in the client's folders that are guarded.
func (g Guards) settingsFiles() []string {
	out := slices.Clone(g.settings)
	out = append(out, g.guardedFiles()...)
	for _, dir := range g.clients {
		out = append(out, g.Client.CommandFile(dir, "pipeline"), g.fold(g.Client.SkillFile(dir, "pipeline")))
	}
	for _, f := range g.others {
		out = append(out, system.Join(f.dir, f.name))
	}
	return out
}

// findGuardedIn says which guarded thing lies in a folder, other than the project's root.
func (g Guards) findGuardedIn(dir string) string {
	for what, p := range g.eachGuarded(false) {
		if p == dir || system.Dir(p) == dir && dir != g.Root && dir != g.Home && what != ourTree {
			return what
		}
	}
	return ""
}

// isThere reports whether a path exists, if only as a link.
func isThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func isWithin(path, dir string) bool {
	return dir != "" && (path == dir || dir == "/" && path != "" ||
		strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/"))
}

// describeLoosened says what a command would loosen; empty for nothing.
func (g Guards) describeLoosened(words []string, dir string) string {
	if len(words) == 0 || !g.isPipeline(words[0], dir) {
		return ""
	}
	args := words[1:]
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		if args[0] == "--config" || args[0] == "-config" {
			args = args[1:] // its value follows
		}
		args = args[min(1, len(args)):]
	}
	if len(args) == 0 {
		return ""
	}
	// An unknown command may be any. Without a table of commands all of them are refused.
	isOpen := g.PersonOnly != nil && !strings.Contains(args[0], shell.Unknown) && !g.PersonOnly(args[0], args[1:])
	if isOpen {
		return ""
	}
	return "what the pipeline enforces (pipeline " + strings.ReplaceAll(args[0], shell.Unknown, "?") + ")"
}

// isPipeline reports whether a word means this program: by its name, or by a path that
// leads to it.
func (g Guards) isPipeline(word, dir string) bool {
	word = system.Native(word)
	return shell.CommandName(word) == ourName ||
		strings.Contains(word, "/") && g.ownPath() != "" && g.resolve(word, dir) == g.ownPath()
}

// ListWorktrees lists the project's folder, and what it is in the other worktrees.
func (g Guards) ListWorktrees() []string {
	out := []string{g.Root}
	if g.Worktrees != nil {
		out = append(out, g.Worktrees()...)
	}
	return out
}

// AddWorktrees limits the other worktrees as the project.
func (g Guards) AddWorktrees(l *kernel.Limits) {
	roots, mayWrite := g.ListWorktrees()[1:], l.MayWrite(g.Root)
	for _, list := range []*[]string{&l.Writable, &l.ReadOnly} {
		for _, dir := range *list { // as it was: what is added below the project is not added to again
			if rel, err := system.Rel(g.Root, dir); err == nil && filepath.IsLocal(rel) {
				for _, root := range roots {
					*list = append(*list, system.Join(root, rel))
				}
			}
		}
	}
	if !mayWrite {
		l.ReadOnly = append(l.ReadOnly, roots...)
	}
}

// IsExempt reports whether a command is, or runs in, one that the kernel does not confine.
func (g Guards) IsExempt(words, via []string) bool {
	isExempt := func(word string) bool { return slices.Contains(g.Exempt, shell.CommandName(word)) }
	return slices.ContainsFunc(via, isExempt) || len(words) > 0 && isExempt(words[0])
}

// ListKept lists what exists of ours, and of the clients' settings that call us.
func (g Guards) ListKept() (out []string) {
	g = g.foldAll().followLinks()
	for what, p := range g.eachGuarded(true) {
		if what == ourTree || !system.IsAbs(p) || slices.Contains(out, p) { // git writes to its tree
			continue
		}
		if isThere(p) {
			out = append(out, p)
		}
	}
	return out
}
