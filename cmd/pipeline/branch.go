package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
)

// branch is the git branch that a folder is on, read from git's own files: starting git would take as long as all the
// rest. Of a detached head it is the commit, shortened; empty outside a repository. (Form of the files:
// gitrepository-layout(5).)
func branch(dir string) string {
	for filepath.IsAbs(dir) {
		if git := gitDir(filepath.Join(dir, ".git")); git != "" {
			return head(filepath.Join(git, "HEAD"))
		}
		up := filepath.Dir(dir)
		if up == dir {
			break
		}
		dir = up
	}
	return ""
}

// gitDir is where a repository's files are: below .git, or where .git says, which is a file in a worktree or a submodule.
func gitDir(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	if info.IsDir() {
		return path
	}
	to, ok := strings.CutPrefix(firstBytes(path), "gitdir:")
	if !ok {
		return ""
	}
	to = strings.TrimSpace(to)
	if !filepath.IsAbs(to) {
		to = filepath.Join(filepath.Dir(path), to)
	}
	return to
}

// head reads what is checked out. Where references are kept in another form (reftable) the file names no real branch.
func head(path string) string {
	text := strings.TrimSpace(firstBytes(path))
	if ref, ok := strings.CutPrefix(text, "ref:"); ok {
		name := strings.TrimPrefix(strings.TrimSpace(ref), "refs/heads/")
		if name == ".invalid" {
			return ""
		}
		return name
	}
	if len(text) < 40 || strings.Trim(text, "0123456789abcdef") != "" {
		return ""
	}
	return text[:7]
}

// firstBytes is the beginning of a file that is expected to be one line; empty where it cannot be read.
func firstBytes(path string) string {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	body, err := io.ReadAll(io.LimitReader(f, 4<<10))
	if err != nil {
		return ""
	}
	return string(body)
}
