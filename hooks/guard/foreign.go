package guard

import (
	"os"
	"strings"

	"github.com/agent-pipeline/pipeline/config/system/filepath"
	"github.com/agent-pipeline/pipeline/fsm/shell"
)

// obeysForeign reports whether a git command reads its settings from a repository outside
// of the project, and of where the line begins. Anyone may have written those, and settings
// name programs to run.
func (l *line) obeysForeign(c shell.Call) bool {
	for _, dir := range l.listDirs(c) {
		words, own := c.Words[1:], ""
		for ; len(words) > 0 && strings.HasPrefix(words[0], "-"); words = words[1:] {
			name, value, has := strings.Cut(words[0], "=")
			if !has && len(words) > 1 && (name == "-C" || name == "-c" || name == "--git-dir" ||
				name == "--work-tree") {
				value, words = words[1], words[1:]
			}
			switch name {
			case "-C":
				dir = l.enter(dir, value)
			case "--git-dir":
				own = value
			}
		}
		if len(words) == 0 {
			continue // git --version
		}
		if own != "" {
			dir = l.enter(dir, own)
		}
		if l.isForeign(dir) {
			return true
		}
	}
	return false
}

// isForeign reports whether a folder lies outside of the project, and of where the line
// begins.
func (l *line) isForeign(dir string) bool {
	at := l.g.fold(dir)
	return dir == shell.Unknown || !isWithin(at, l.g.resolve(l.g.Root, "/")) &&
		!isWithin(at, l.g.resolve(l.dirs[0], "/")) && !l.g.isWorktree(dir)
}

// enter returns the folder that a path means in another, or Unknown.
func (l *line) enter(dir, to string) string {
	if to == shell.Unknown || dir == shell.Unknown && !isRooted(to) {
		return shell.Unknown
	}
	return resolvePath(leaveLinks(to, dir, l.g.Home), dir, l.g.Home)
}

// isWorktree reports whether a folder is in a linked worktree of the project, which has the
// project's settings.
func (g Guards) isWorktree(dir string) bool {
	for up := dir; ; dir = up {
		text, err := os.ReadFile(filepath.Join(dir, ".git"))
		if err == nil {
			to, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
			return ok && isWithin(g.resolve(to, dir), g.resolve(filepath.Join(g.Root, ".git", "worktrees"), "/"))
		}
		if up = filepath.Dir(dir); up == dir {
			return false
		}
	}
}
