package config

import (
	"os"
	"path/filepath"

	"github.com/agent-pipeline/pipeline/fsm"
)

// Vanished finds the project whose config is gone: where Find finds none, the nearest folder on the same way that has a
// last good policy. It tells only that there was a config once. Whether that still binds is for the caller to say: a
// session that had it keeps it, a new one need not. What was in force is told by LastGood.
func Vanished(w World) (Project, bool) {
	dir, err := filepath.EvalSymlinks(w.Dir)
	if err != nil {
		return Project{}, false
	}
	t := findTree(dir)
	for d := dir; ; d = filepath.Dir(d) {
		p := Project{Root: d}
		p.setOwner(t, w)
		if _, ok := p.lastGoodStore(w); ok {
			return p, true
		}
		if d == t.top || d == filepath.Dir(d) {
			return Project{}, false
		}
	}
}

// LastGood returns the policy that was last in force in a project.
func LastGood(p Project, w World) (*fsm.Policy, bool) {
	s, ok := p.lastGoodStore(w)
	if !ok {
		return nil, false
	}
	k, ok := s.readLast()
	if !ok {
		return nil, false
	}
	policy, err := readPolicy(s.policyFile(k), k)
	return policy, err == nil
}

// lastGoodStore is the store whose last good policy counts: that of this very environment, else the one that the files
// alone led to. What another environment led to never counts.
func (p Project) lastGoodStore(w World) (store, bool) {
	if p.Home == "" {
		return store{}, false
	}
	alone := World{Home: w.Home, Version: w.Version}
	for _, s := range []store{p.policyStore(w), p.policyStore(alone)} {
		if _, err := os.Stat(filepath.Join(s.dir, s.last)); err == nil {
			return s, true
		}
	}
	return store{}, false
}
