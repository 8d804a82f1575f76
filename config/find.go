package config

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// World is all that comes from outside.
type World struct {
	Dir        string // where to start looking: the host's project directory, or the working directory; absolute
	Home       string // $HOME
	ConfigHome string // $XDG_CONFIG_HOME, or ~/.config
	StateHome  string // $XDG_STATE_HOME, or ~/.local/state
	Getenv     func(string) string
	Version    string // of the program
	Config     string // --config: this file alone; overrides PIPELINE_CONFIG
}

// env reads a variable; a world without an environment has none set.
func (w World) env(name string) string {
	if w.Getenv == nil {
		return ""
	}
	return w.Getenv(name)
}

// Project is where a config was found and where its state is kept.
type Project struct {
	Root  string   // what relative paths in the config are relative to
	Owner string   // the root that owns the state: Root, or its counterpart in the main worktree
	Home  string   // where the state is kept
	Files []string // the sources, in the order in which they are merged
	stray []stray
}

// A stray is a config file that does not count, and why: silence about it would be a trap.
type stray struct{ file, why string }

// Find looks for the project's config, upward from w.Dir to the top of its git work tree; outside of git, in w.Dir only.
// A linked worktree without a config has its main worktree's. False means that nothing was configured anywhere; the
// Project then still tells where its state would be. On an error the Project is as complete as it could be made.
func Find(w World) (Project, bool, error) {
	dir, err := filepath.EvalSymlinks(w.Dir)
	if err != nil || !filepath.IsAbs(dir) {
		return Project{Root: w.Dir}, false, fmt.Errorf("look for a config from %q: %w", w.Dir, orNotAbsolute(err))
	}
	t := findTree(dir)
	p := Project{Root: t.top}
	err = p.searchFiles(dir, t)
	p.setOwner(t, w)
	if err == nil {
		err = p.addOutside(w)
	}
	return p, len(p.Files) > 0, err
}

func orNotAbsolute(err error) error {
	if err != nil {
		return err
	}
	return errors.New("expected an absolute path")
}

// searchFiles finds the project's own files, in the work tree or in the main one. What goes wrong on the way ends it: a
// config that cannot be looked at is not the same as none.
func (p *Project) searchFiles(dir string, t tree) error {
	for _, top := range t.tops() {
		for d := t.counterpart(dir, top); ; d = filepath.Dir(d) {
			files, stray, err := projectFiles(d)
			if err != nil || len(files) > 0 {
				p.Files, p.stray, p.Root = files, stray, t.counterpart(d, t.top)
				return err
			}
			if d == top || len(d) <= len(top) {
				break
			}
		}
	}
	return nil
}

func (p *Project) setOwner(t tree, w World) {
	p.Owner = t.counterpart(p.Root, t.main)
	p.Home = filepath.Join(xdgDir(w.StateHome, w.Home, ".local/state"), "pipeline", stateName(p.Owner))
}

// stateName names the folder of a root's state: readable, and unlike every other root's.
func stateName(root string) string {
	sum := sha256.Sum256([]byte(root))
	base := strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`/\:`, r) {
			return '-'
		}
		return r
	}, filepath.Base(root))
	return base + "-" + hex.EncodeToString(sum[:6])
}

// addOutside adds what does not lie in the project: the user's own files below it, or one file named instead of all.
func (p *Project) addOutside(w World) error {
	if file := onlyFile(w); file != "" {
		p.Files, p.stray = []string{absolutePath(file, w)}, nil
		return nil
	}
	user, strays, err := placeFiles(filepath.Join(xdgDir(w.ConfigHome, w.Home, ".config"), "pipeline"))
	if err != nil {
		return err
	}
	p.Files = append(user, p.Files...)
	p.stray = append(strays, p.stray...)
	return nil
}

// xdgDir is a base directory of the XDG specification, which says that a relative one is to be ignored.
func xdgDir(dir, home, otherwise string) string {
	if filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(home, otherwise)
}

func onlyFile(w World) string {
	if w.Config != "" {
		return w.Config
	}
	return w.env("PIPELINE_CONFIG")
}

func absolutePath(file string, w World) string {
	if rest, ok := strings.CutPrefix(file, "~/"); ok && w.Home != "" {
		return filepath.Join(w.Home, rest)
	}
	if filepath.IsAbs(file) {
		return filepath.Clean(file)
	}
	return filepath.Join(w.Dir, file)
}

// projectFiles lists the config files that count in a folder, and those beside them that do not.
func projectFiles(dir string) (files []string, strays []stray, err error) {
	for _, place := range []string{"/configs", "/.claude", ""} {
		here := strings.TrimSuffix(dir, "/") + place
		found, more, err := placeFiles(here)
		if err != nil {
			return nil, nil, err
		}
		if len(files) > 0 {
			for _, f := range found {
				strays = append(strays, stray{f, "the project's config is " + files[0]})
			}
			continue
		}
		files, strays = found, append(strays, more...)
	}
	return files, strays, nil
}

// placeFiles lists the config of one folder and its local companion.
func placeFiles(dir string) (files []string, strays []stray, err error) {
	if !isFolder(dir) {
		return nil, nil, nil
	}
	for _, name := range []string{"/pipeline", "/pipeline.local"} {
		first := ""
		for _, ext := range []string{".yaml", ".yml", ".toml"} {
			file := dir + name + ext
			there, err := isFile(file)
			switch {
			case err != nil:
				return nil, nil, err
			case there && first != "":
				strays = append(strays, stray{file, "there is also " + first})
			case there:
				first = file
				files = append(files, file)
			}
		}
	}
	return files, strays, nil
}

func isFile(path string) (bool, error) {
	var st syscall.Stat_t
	err := syscall.Stat(path, &st)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return false, nil
	}
	if err != nil {
		return false, &os.PathError{Op: "look at", Path: path, Err: err}
	}
	return st.Mode&syscall.S_IFMT == syscall.S_IFREG, nil
}

func isFolder(path string) bool {
	var st syscall.Stat_t
	return syscall.Stat(path, &st) == nil && st.Mode&syscall.S_IFMT == syscall.S_IFDIR
}
