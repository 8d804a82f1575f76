package guard

import (
	"os"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/config/system/filepath"
	"github.com/agent-pipeline/pipeline/fsm/shell"
)

func isRooted(path string) bool {
	return filepath.IsAbs(path) || path == "~" || strings.HasPrefix(path, "~/")
}

// commandName is the name of the command that words run.
func commandName(words []string) string { return shell.CommandName(filepath.Native(words[0])) }

// MakeAbsolute makes a path absolute, seen from a directory.
func MakeAbsolute(path, dir, home string) string {
	if strings.HasPrefix(path, `\`) {
		path = filepath.OnDrive(path, dir)
	} else {
		path = filepath.Native(path)
	}
	switch {
	case filepath.IsAbs(path):
		return filepath.Clean(path)
	case isRooted(path):
		return filepath.Join(home, path[1:])
	}
	return filepath.Join(dir, path)
}

// leaveLinks writes a path without "..", as the system reads it: behind a link to a folder,
// ".." is the folder in which that one lies.
func leaveLinks(path, dir, home string) string {
	names := strings.Split(filepath.Native(path), "/")
	isFolder := func(name string) bool { return name != "" && name != "." && name != ".." }
	for i, name := range names {
		if name == ".." && slices.ContainsFunc(names[:i], isFolder) && filepath.VolumeName(path) == "" {
			up := filepath.Dir(resolvePath(strings.Join(names[:i], "/"), dir, home))
			return leaveLinks(strings.Join(append([]string{up}, names[i+1:]...), "/"), dir, home)
		}
	}
	return path
}

// resolvePath makes a path absolute and follows its links, as far as it exists. A link
// to nothing leads to where the file would be made.
func resolvePath(path, dir, home string) string {
	path = MakeAbsolute(path, dir, home)
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
