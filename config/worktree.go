package config

import (
	"os"
	"path/filepath"
	"strings"
)

// A tree is a git work tree. Its state belongs to the main worktree of its repository, so that a task that moves to a
// linked one stays in its pipeline. Files tell all this; git is never run.
type tree struct {
	top  string // the folder that has .git; where there is none, the folder that was asked about
	main string // the top of the main worktree; of a bare repository its folder; else top
}

func findTree(dir string) tree {
	for d := dir; ; d = filepath.Dir(d) {
		var dotgit = filepath.Join(d, ".git")
		if info, err := os.Lstat(dotgit); err == nil {
			if info.IsDir() {
				return tree{top: d, main: d}
			}
			return tree{top: d, main: mainWorktree(d, dotgit)}
		}
		if d == filepath.Dir(d) {
			return tree{top: dir, main: dir}
		}
	}
}

// mainWorktree follows a .git file to the main worktree. A submodule's has no commondir: it is a work tree of its own.
func mainWorktree(top, dotgit string) string {
	text := readFirstLine(dotgit)
	gitdir, ok := strings.CutPrefix(text, "gitdir:")
	if !ok {
		return top
	}
	gitdir = joinPath(top, strings.TrimSpace(gitdir))
	common := readFirstLine(filepath.Join(gitdir, "commondir"))
	if common == "" {
		return top
	}
	common, err := filepath.EvalSymlinks(joinPath(gitdir, common))
	if err != nil {
		return top
	}
	if filepath.Base(common) == ".git" {
		return filepath.Dir(common)
	}
	return common
}

func joinPath(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// readFirstLine reads the first line of a small file; "" when it cannot.
func readFirstLine(path string) string {
	text, err := os.ReadFile(path)
	if err != nil || len(text) > 1<<16 {
		return ""
	}
	first, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(first)
}

// tops lists where a config is looked for: the work tree, then the main one.
func (t tree) tops() []string {
	if t.main == t.top {
		return []string{t.top}
	}
	return []string{t.top, t.main}
}

// counterpart is the folder in the work tree of that top which corresponds to dir.
func (t tree) counterpart(dir, top string) string {
	for _, own := range t.tops() {
		if rel, ok := relativePath(own, dir); ok {
			return filepath.Join(top, rel)
		}
	}
	return top
}

// relativePath returns the path of dir relative to root, if it lies there.
func relativePath(root, dir string) (string, bool) {
	if dir == root {
		return "", true
	}
	rest, ok := strings.CutPrefix(dir, strings.TrimSuffix(root, "/")+"/")
	return rest, ok
}
