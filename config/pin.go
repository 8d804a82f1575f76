package config

import (
	"fmt"
	"os"
	"strings"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/config/system/filepath"
)

// A session keeps the project under which it began, wherever its client runs later. A
// file in the state folder names the project's root and the owner of its state. It lies
// where the project's state lies by default, whatever `dir` says, so that it is found
// without the config.

func (p Project) pinFile(session string) string {
	return filepath.Join(p.Home, "sessions", session, "root")
}

// HasPinned reports whether a session began under this project.
func (p Project) HasPinned(session string) bool {
	found, err := isFile(p.pinFile(session))
	return found && err == nil
}

// Pin keeps a session under this project.
func (p Project) Pin(session string) error {
	file := p.pinFile(session)
	err := os.MkdirAll(filepath.Dir(file), 0o700)
	if err == nil {
		err = system.WriteFile(file, []byte(p.Root+"\n"+p.Owner+"\n"))
	}
	if err != nil {
		return fmt.Errorf("note the root of a session: %w", err)
	}
	return nil
}

// stateFolder is the folder that holds the state of all projects.
func (w World) stateFolder() string {
	return filepath.Join(xdgDir(w.StateHome, w.Home, ".local/state"), "pipeline")
}

// HasState reports whether there is state of any project.
func HasState(w World) bool {
	_, err := os.Stat(w.stateFolder())
	return err == nil
}

// FindPinned finds the project under which a session began.
func FindPinned(w World, session string) (Project, bool) {
	dir := w.stateFolder()
	f, err := os.Open(dir)
	if err != nil {
		return Project{}, false
	}
	defer f.Close()
	names, _ := f.Readdirnames(-1) // those that were read
	for _, name := range names {
		p := Project{Home: filepath.Join(dir, name)}
		if !p.HasPinned(session) {
			continue
		}
		text, err := os.ReadFile(p.pinFile(session))
		root, owner, ok := strings.Cut(strings.TrimSuffix(string(text), "\n"), "\n")
		if err == nil && ok && filepath.IsAbs(root) && filepath.IsAbs(owner) {
			p.Root, p.Owner = root, owner
			return p, true
		}
	}
	return Project{}, false
}

// OpenPinned opens what is in force in a project that is known already. Where its config
// is gone, the last good policy stays in force.
func OpenPinned(p Project, w World) (Opened, error) {
	var err error
	for _, dir := range []string{p.Root, p.Owner} {
		if p.Files, p.stray, err = projectFiles(dir); err != nil || len(p.Files) > 0 {
			break
		}
	}
	own := len(p.Files) > 0
	err = p.addMore(err, w)
	if err == nil && !own && w.onlyFile() == "" {
		o := Opened{Project: p, Stale: true, Notes: []string{goneNote(p)}}
		if o.Policy, _ = openLastGood(p, w); o.Policy == nil {
			o.fallBack(w, buildPolicy)
		}
		return o, nil
	}
	return openFound(p, true, err, w)
}

func goneNote(p Project) string {
	return "the config of " + p.Root + " is gone: its last good form stays in force; " +
		"a person ends that with: pipeline mode off"
}
