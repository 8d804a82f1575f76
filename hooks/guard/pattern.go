package guard

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/shell"
)

// Limits on what one pattern may cost. Beyond them it counts as matching what is guarded.
const (
	maxWays   = 4096
	maxLooked = 1 << 17 // names of files, and folderCost for each folder
)

const wildcards = "*?[" + shell.Unknown

// findGuardedByPattern says which guarded thing a pattern can name for a tool, in a directory.
func (g Guards) findGuardedByPattern(tool, pattern, dir string) string {
	ways, ok := expandGroups(pattern)
	if !ok {
		return ourConfig
	}
	dots := g.dots || tool == "Delete"
	for _, way := range ways {
		g.dots = dots || strings.Contains(way, "**")
		if what := g.searchPattern(tool, MakeAbsolute(way, dir, g.Home)); what != "" {
			return what
		}
	}
	return ""
}

// searchPattern compares a pattern by name with what is guarded, which need not exist yet, and looks on the disk for
// links that lead there.
func (g Guards) searchPattern(tool, pattern string) string {
	if !strings.ContainsAny(pattern, wildcards) {
		return g.makeFilePart(tool, pattern, "/").Guards
	}
	at := strings.LastIndexByte(pattern[:strings.IndexAny(pattern, wildcards)], '/') + 1
	folder, rest := g.resolve(pattern[:at], "/"), pattern[at:]
	first, _, _ := strings.Cut(rest, "/")
	if first == shell.Unknown && (isWithin(g.Root, folder) || isWithin(g.Home, folder)) {
		return "" // any file of a folder that holds most others
	}
	names := splitPath(system.Join(folder, g.fold(rest)))
	deletes := tool == "Delete" && !slices.Contains(names, shell.Unknown) // of a folder, also what is in it
	changes, private := fsm.ChangesFiles(tool), g.listPrivate()
	for what, p := range g.eachGuarded(true) {
		below := what == ourState
		if (changes || below && slices.Contains(private, p)) && p != "" &&
			g.matchNames(names, splitPath(p), below, deletes) {
			return what
		}
	}
	shallow, below := pattern, ""
	if deep := strings.Index(pattern, "/**"); deep >= 0 {
		shallow, below = pattern[:deep], pattern[deep:]
	}
	if !strings.ContainsAny(shallow, wildcards) {
		return "" // the folder is known, and what is below it was compared
	}
	found := expandGlob(strings.ReplaceAll(shallow, shell.Unknown, "*"))
	if !found.whole {
		return ourConfig
	}
	for _, name := range found.names {
		base, what := filepath.Base(name), ""
		switch {
		case !found.linked && !isGuardedName(g.fold(base)) || !g.matchName(path.Base(shallow), base):
		case below != "":
			what = g.searchPattern(tool, name+below)
		default:
			what = g.makeFilePart(tool, name, "/").Guards
		}
		if what != "" {
			return what
		}
	}
	return ""
}

func splitPath(p string) []string { return strings.Split(strings.Trim(p, "/"), "/") }

// A globbed is what a pattern names on the disk.
type globbed struct {
	names  []string
	linked bool // a name that a wildcard stands for, or one below it, is a link
	whole  bool // all was looked at
}

// folderCost is what opening a folder counts beside the names in it.
const folderCost = 32

// expandGlob finds what an absolute pattern names, within a bound.
func expandGlob(pattern string) (out globbed) {
	volume, looked, isWild := system.VolumeName(pattern), 0, false
	out.names = []string{volume + "/"}
	for _, name := range splitPath(pattern[len(volume):]) {
		var next []string
		add := func(path string, mode os.FileMode) {
			next = append(next, path)
			out.linked = out.linked || isWild && mode&os.ModeSymlink != 0
		}
		isPattern := strings.ContainsAny(name, wildcards)
		isWild = isWild || isPattern
		for _, dir := range out.names {
			if looked += folderCost; looked >= maxLooked {
				return out
			}
			if !isPattern {
				if info, err := os.Lstat(system.Join(dir, name)); err == nil {
					add(system.Join(dir, name), info.Mode())
				}
				continue
			}
			var entries []os.DirEntry // none of a folder that cannot be read
			if f, err := os.Open(dir); err == nil {
				entries, _ = f.ReadDir(max(1, maxLooked-looked))
				f.Close()
			}
			looked += len(entries)
			for _, e := range entries {
				if name != shell.Unknown && matchName(name, e.Name()) {
					add(system.Join(dir, e.Name()), e.Type())
				}
			}
		}
		out.names = next
	}
	slices.Sort(out.names)
	out.whole = true
	return out
}

// isGuardedName reports whether files of this name are guarded in many folders.
func isGuardedName(base string) bool { return base == ".git" || isConfigName(base) }

// stateNames are files of our state that a search may name.
var stateNames = []string{"journal.jsonl", "state.json", "lock", "orders.json", "orders.jsonl", "errors.jsonl"}

// matchNames reports whether a pattern can match a path, or what is below it, or a folder
// above it.
func (g Guards) matchNames(pattern, names []string, below, above bool) bool {
	switch {
	case len(pattern) == 0:
		return len(names) == 0 || above
	case pattern[0] == "**" && len(names) == 0 && below: // what find looks for
		return len(pattern) != 2 ||
			slices.ContainsFunc(stateNames, func(n string) bool { return matchName(pattern[1], n) })
	case pattern[0] == "**":
		return g.matchNames(pattern[1:], names, below, above) ||
			len(names) > 0 && g.matchNames(pattern, names[1:], below, above)
	case len(names) == 0:
		return below
	}
	return g.matchName(pattern[0], names[0]) && g.matchNames(pattern[1:], names[1:], below, above)
}

// matchName reports whether a wildcard can match a name here.
func (g Guards) matchName(pattern, name string) bool {
	if !g.dots && strings.HasPrefix(name, ".") && strings.ContainsAny(pattern[:min(1, len(pattern))], "*?[") {
		return false
	}
	return matchName(pattern, name)
}

// matchName reports whether a pattern can match a name. A bad pattern can match any.
func matchName(pattern, name string) bool {
	if pattern == name {
		return true
	}
	pattern = strings.NewReplacer(shell.Unknown, "*", `\`, `\\`, "[!", "[^").Replace(pattern)
	if strings.Contains(pattern, "[:") || strings.Contains(pattern, "[.") || strings.Contains(pattern, "[=") {
		pattern = pattern[:strings.IndexByte(pattern, '[')] + "*"
	}
	ok, err := path.Match(pattern, name)
	return ok || err != nil
}

// expandGroups writes out the groups @(a|b) and the like of a pattern. It returns false
// if there are too many.
func expandGroups(pattern string) ([]string, bool) {
	done, open := []string{}, []string{pattern}
	for len(open) > 0 {
		p := open[len(open)-1]
		open = open[:len(open)-1]
		at, end := findGroup(p)
		if end < 0 {
			if done = append(done, p); len(done) > maxWays {
				return nil, false
			}
			continue
		}
		before, inside, after := p[:at-1], p[at+1:end], p[end+1:]
		switch kind := p[at-1]; {
		case kind != '@' && kind != '?' || strings.Contains(inside, "("): // any number of them, or none of them
			open = append(open, before+"*"+after)
		default:
			if kind == '?' {
				inside += "|"
			}
			for w := range strings.SplitSeq(inside, "|") {
				open = append(open, before+w+after)
			}
			if len(open) > maxWays {
				return nil, false
			}
		}
	}
	return done, true
}

// findGroup returns where the parentheses are of the first group that ends; -1 if there is none. A name may have
// parentheses too.
func findGroup(p string) (at, end int) {
	var open []int
	for i := range len(p) {
		last := len(open) - 1
		switch {
		case p[i] == '(':
			open = append(open, i)
		case p[i] == ')' && last >= 0:
			if at, open = open[last], open[:last]; at > 0 && strings.IndexByte("@?*+!", p[at-1]) >= 0 {
				return at, i
			}
		}
	}
	return 0, -1
}
