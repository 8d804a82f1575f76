package guard

import (
	"os"
	"slices"

	"github.com/agent-pipeline/pipeline/config/system/filepath"
	"github.com/agent-pipeline/pipeline/fsm/shell"
	"github.com/agent-pipeline/pipeline/hooks/kernel"
)

// ListWorktrees lists the project's folder, and what it is in the other worktrees.
func (g Guards) ListWorktrees() []string {
	if g.Worktrees == nil {
		return []string{g.Root}
	}
	return append([]string{g.Root}, g.Worktrees()...)
}

// AddWorktrees limits the other worktrees as the project.
func (g Guards) AddWorktrees(l *kernel.Limits) {
	if g.Worktrees == nil {
		return
	}
	for _, root := range g.Worktrees() {
		if !l.MayWrite(g.Root) {
			l.ReadOnly = append(l.ReadOnly, root)
		}
		for _, list := range []*[]string{&l.Writable, &l.ReadOnly} {
			for _, dir := range *list {
				if rel, err := filepath.Rel(g.Root, dir); err == nil && filepath.IsLocal(rel) {
					*list = append(*list, filepath.Join(root, rel))
				}
			}
		}
	}
}

// IsExempt reports whether a command is, or runs in, one that the kernel does not confine.
func (g Guards) IsExempt(words, via []string) bool {
	isExempt := func(word string) bool { return slices.Contains(g.Exempt, shell.CommandName(word)) }
	return slices.ContainsFunc(via, isExempt) || len(words) > 0 && isExempt(words[0])
}

// ListKept lists what exists of ours, and of the clients' settings that call us.
func (g Guards) ListKept() (out []string) {
	g = g.foldAll().followLinks()
	for what, paths := range g.eachGuarded {
		switch what {
		case ourTree: // git writes there
			continue
		case hostConfig:
			paths = g.settingsFiles()
		}
		for _, p := range paths {
			if _, err := os.Lstat(p); err == nil && filepath.IsAbs(p) && !slices.Contains(out, p) {
				out = append(out, p)
			}
		}
	}
	return out
}
