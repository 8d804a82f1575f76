package statusline

import (
	"io"
	"os"
	"strings"

	"github.com/agent-pipeline/pipeline/config/system/filepath"
)

// readBranch returns the git branch that a folder is on, from git's own files: starting
// git would take as long as the rest. Of a detached head it is the commit, shortened;
// empty outside a repository. gitrepository-layout(5) has the files' format.
func readBranch(dir string) string {
	for filepath.IsAbs(dir) {
		if git := findGitDir(filepath.Join(dir, ".git")); git != "" {
			return readHead(filepath.Join(git, "HEAD"))
		}
		up := filepath.Dir(dir)
		if up == dir {
			break
		}
		dir = up
	}
	return ""
}

// findGitDir returns where a repository's files are. In a worktree or a submodule .git
// is a file that names the place.
func findGitDir(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	if info.IsDir() {
		return path
	}
	to, ok := strings.CutPrefix(readBeginning(path), "gitdir:")
	if !ok {
		return ""
	}
	to = strings.TrimSpace(to)
	if !filepath.IsAbs(to) {
		to = filepath.Join(filepath.Dir(path), to)
	}
	return to
}

// readHead reads what is checked out. With another reference format (reftable) it names
// no branch.
func readHead(path string) string {
	text := strings.TrimSpace(readBeginning(path))
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

// readBeginning reads a file of one line; empty where it cannot be read.
func readBeginning(path string) string {
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
