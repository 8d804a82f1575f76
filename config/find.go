package config

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/config/system"
)

// World is all that comes from outside.
type World struct {
	Dir        string // where to start looking: the host's project directory, or the working directory; absolute
	Home       string // $HOME
	ConfigHome string // $XDG_CONFIG_HOME; ~/.config if it is not absolute
	StateHome  string // $XDG_STATE_HOME; ~/.local/state if it is not absolute
	Getenv     func(string) string
	Version    string        // of the program
	Config     string        // --config: this file alone; overrides PIPELINE_CONFIG
	System     string        // the folder of the organisation's config: /etc/pipeline; empty for none
	Account    func() string // the user's home as the system knows it, whatever $HOME says; nil for $HOME
}

// onlyFile is the one file that is named instead of all others, if any.
func (w World) onlyFile() string {
	if w.Config != "" || w.Getenv == nil {
		return w.Config
	}
	return w.Getenv("PIPELINE_CONFIG")
}

// activeOverrides lists what the environment overrides, as NAME=value. An empty variable counts as none.
func activeOverrides(w World) (out []string) {
	if w.Getenv == nil { // a world without an environment
		return nil
	}
	for _, key := range overridableKeys {
		name := "PIPELINE_" + strings.ToUpper(key)
		if v := w.Getenv(name); v != "" {
			out = append(out, name+"="+v)
		}
	}
	return out
}

// Project is where a config was found and where its state is kept.
type Project struct {
	Root  string    // what relative paths in the config are relative to
	Owner string    // the root that owns the state: Root, or its counterpart in the main worktree
	Home  string    // where the state is kept
	Files []string  // the sources, in the order in which they are merged
	Org   string    // the first of them, where it is the organisation's
	stray []Problem // config files that have no effect: each is a problem, never ignored
	named bool      // one file was named, rather than found
}

func strayFile(file, why string) Problem {
	return Problem{File: file, Message: "found a second config, expected one in a project: " + why,
		Hint: "remove one of the two"}
}

// Find looks for the project's config, upward from w.Dir to the top of its git work tree;
// outside of git, in w.Dir only. A linked worktree without a config uses that of its main
// worktree. False means that nothing is configured; the Project then still says where its
// state would be. On an error the Project is as complete as possible.
func Find(w World) (Project, bool, error) {
	dir, linkErr := w.Dir, error(nil)
	if !system.IsWorkingFolder(dir) { // where most calls look: the system names it without links
		dir, linkErr = system.EvalSymlinks(dir)
	}
	if linkErr == nil && !system.IsAbs(dir) {
		linkErr = errors.New("expected an absolute path")
	}
	if linkErr != nil {
		linkErr = fmt.Errorf("look for a config from %q: %w", w.Dir, linkErr)
		if !system.IsAbs(w.Dir) || errors.Is(linkErr, fs.ErrNotExist) {
			p := Project{Root: w.Dir}
			p.setOwner(tree{top: w.Dir, main: w.Dir}, w)
			return p, false, errors.Join(linkErr, p.addOrganisation(w))
		}
		dir = system.Clean(w.Dir) // what was in force there still applies
	}
	t, treeErr := findTree(dir)
	p := Project{Root: t.top}
	err := p.searchFiles(dir, t)
	p.setOwner(t, w)
	err = p.addMore(err, w)
	return p, len(p.Files) > 0, cmp.Or(linkErr, treeErr, err)
}

// searchFiles finds the project's own files, in the work tree or in the main one. An error
// on the way ends the search: a config that cannot be read is not a missing one.
func (p *Project) searchFiles(dir string, t tree) error {
	for _, top := range slices.Compact([]string{t.top, t.main}) {
		for d := range system.Upward(t.counterpart(dir, top)) {
			files, stray, err := projectFiles(d)
			if err != nil || len(files) > 0 {
				p.Files, p.stray, p.Root = files, stray, t.counterpart(d, t.top)
				return err
			}
			if len(d) <= len(top) {
				break
			}
		}
	}
	return nil
}

// setOwner sets who owns the state, and the folder of it: readable, and unlike that of
// any other owner.
func (p *Project) setOwner(t tree, w World) {
	p.Owner = t.counterpart(p.Root, t.main)
	sum := sha256.Sum256([]byte(p.Owner))
	base := strings.Map(func(r rune) rune {
		if r < ' ' || r == '/' || r == '\\' || r == ':' {
			return '-'
		}
		return r
	}, filepath.Base(p.Owner))
	name := base + "-" + hex.EncodeToString(sum[:6])
	p.Home = w.StateFolder() + "/" + name
}

// addMore adds what is not in the project, unless the search for the project's own files
// failed: the user's files below it, or one file that is named instead of all. The organisation's come below
// those, whatever became of them.
func (p *Project) addMore(err error, w World) error {
	if file := w.onlyFile(); err == nil && file != "" {
		p.Files, p.stray, p.named = []string{absolutePath(file, w)}, nil, true
	} else if err == nil {
		var user []string
		var strays []Problem
		user, strays, err = placeFiles(w.ConfigFolder())
		p.Files, p.stray = append(user, p.Files...), append(strays, p.stray...)
	}
	return errors.Join(err, p.addOrganisation(w))
}

// addOrganisation adds the organisation's config below all others.
func (p *Project) addOrganisation(w World) error {
	if w.System == "" {
		return nil
	}
	files, strays, err := placeFiles(w.System)
	if err != nil || len(files) == 0 {
		return err
	}
	p.Org = files[0]
	p.Files = append(files, p.Files...)
	p.stray = append(strays, p.stray...)
	return nil
}

// ConfigFolder is the folder of the user's config.
func (w World) ConfigFolder() string { return w.xdgFolder(w.ConfigHome, ".config") }

// StateFolder is the folder that holds the state of all projects.
func (w World) StateFolder() string { return w.xdgFolder(w.StateHome, ".local/state") }

// xdgFolder is our folder in a base directory of the XDG specification, which ignores relative ones.
func (w World) xdgFolder(base, otherwise string) string {
	if system.IsAbs(base) {
		return system.Join(base, "pipeline")
	}
	return system.Join(w.Home, otherwise, "pipeline")
}

func absolutePath(file string, w World) string {
	if rest, ok := strings.CutPrefix(file, "~/"); ok && w.Home != "" {
		return system.Join(w.Home, rest)
	}
	return joinPath(w.Dir, file)
}

func joinPath(dir, path string) string {
	if system.IsAbs(path) {
		return system.Clean(path)
	}
	return system.Join(dir, path)
}

// relativePath returns the path of dir relative to root, if it is in root.
func relativePath(root, dir string) (string, bool) {
	if dir == root {
		return "", true
	}
	return strings.CutPrefix(dir, strings.TrimSuffix(root, "/")+"/")
}

// projectFiles lists the config files of a folder, and those beside them that have no
// effect.
func projectFiles(dir string) (files []string, strays []Problem, err error) {
	for _, place := range []string{"/configs", "/.claude", ""} {
		more, unused, err := placeFiles(strings.TrimSuffix(dir, "/") + place)
		if err != nil {
			return nil, nil, err
		}
		if len(files) > 0 {
			for _, f := range more {
				strays = append(strays, strayFile(f, "the project's config is "+files[0]))
			}
			continue
		}
		files, strays = more, append(strays, unused...)
	}
	return files, strays, nil
}

// placeFiles lists the config of one folder and its local companion.
func placeFiles(dir string) (files []string, strays []Problem, err error) {
	found, err := system.FindRegular(dir, "pipeline.yaml", "pipeline.yml", "pipeline.toml",
		"pipeline.local.yaml", "pipeline.local.yml", "pipeline.local.toml")
	first := ""
	for _, file := range found {
		if strings.TrimSuffix(file, path.Ext(file)) == strings.TrimSuffix(first, path.Ext(first)) {
			strays = append(strays, strayFile(file, "there is also "+first))
			continue
		}
		first, files = file, append(files, file)
	}
	return files, strays, err
}

// maxSource is the largest size of a config.
const maxSource = 1 << 20

// readSource reads a config. Its errors do not name the path: a problem does already.
func readSource(file string) ([]byte, error) {
	text, st, err := system.ReadRegular(file, maxSource)
	switch {
	case err != nil:
		if pe, ok := errors.AsType[*fs.PathError](err); ok {
			err = pe.Err
		}
		return nil, fmt.Errorf("cannot be read: %w", err)
	case !st.IsRegular:
		return nil, errors.New("found no regular file, expected one")
	case st.Size > maxSource:
		return nil, fmt.Errorf("found %d bytes, expected at most %d", st.Size, maxSource)
	}
	return text, nil
}

// A tree is a git work tree. Its state belongs to the main worktree of its repository, so
// that a task that moves to a linked one stays in its pipeline. All this is read from
// files; git is never run.
type tree struct {
	top  string // the folder with .git; without one, the folder that was asked about
	main string // the top of the main worktree; of a bare repository its folder; else top
}

// findTree finds the work tree of a folder. A .git that cannot be looked at may be one:
// then its folder is the top, beside the error.
func findTree(dir string) (tree, error) {
	top, info, err := system.FindUpward(dir, ".git")
	switch {
	case err != nil:
		return tree{top: top, main: top}, fmt.Errorf("look for a work tree: %w", err)
	case top == "":
		top = dir
	case !info.IsDir:
		return tree{top: top, main: mainWorktree(top, system.Join(top, ".git"))}, nil
	}
	return tree{top: top, main: top}, nil
}

// Top is the top of the git work tree with a folder, or the folder itself without one.
func Top(dir string) string {
	t, _ := findTree(dir) // where it cannot be read, the folder is all that is known
	return t.top
}

// Worktrees lists what corresponds to the project's root in the other worktrees of its repository.
func (p Project) Worktrees() (roots []string) {
	t, err := findTree(p.Root)
	if err != nil {
		return nil
	}
	common := system.Join(t.main, ".git")
	tops := []string{t.main}
	if found, _ := system.Stat(common); !found.IsDir { // a bare repository
		common, tops = t.main, nil
	}
	linked, _ := os.ReadDir(common + "/worktrees") // without any it is not there
	for _, e := range linked {
		dir := common + "/worktrees/" + e.Name()
		if dotgit := system.ReadLine(dir + "/gitdir"); dotgit != "" {
			tops = append(tops, system.Dir(joinPath(dir, dotgit)))
		}
	}
	for _, top := range tops {
		if top != t.top {
			roots = append(roots, t.counterpart(p.Root, top))
		}
	}
	return roots
}

// mainWorktree follows a .git file to the main worktree. A submodule's has no commondir:
// it is a work tree of its own.
func mainWorktree(top, dotgit string) string {
	gitdir, ok := strings.CutPrefix(system.ReadLine(dotgit), "gitdir:")
	if !ok {
		return top
	}
	gitdir = joinPath(top, strings.TrimSpace(gitdir))
	common := system.ReadLine(gitdir + "/commondir")
	if common == "" {
		return top
	}
	common, err := system.EvalSymlinks(joinPath(gitdir, common))
	if err != nil {
		return top
	}
	if filepath.Base(common) == ".git" {
		return system.Dir(common)
	}
	return common
}

// counterpart is the folder in the work tree of that top which corresponds to dir.
func (t tree) counterpart(dir, top string) string {
	for _, own := range []string{t.top, t.main} {
		switch rel, ok := relativePath(own, dir); {
		case ok && own == top:
			return dir
		case ok:
			return system.Join(top, rel)
		}
	}
	return top
}
