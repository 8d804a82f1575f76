package fsm

import (
	"strings"

	"github.com/agent-pipeline/pipeline/fsm/shell"
)

// An agent may be held to a worktree of its own (limits.own_worktree): that in which it makes its first
// call. So agents that work at the same time do not meet in one file.

// holdsToWorktree reports whether an agent changes files only in a worktree of its own.
func (p *Policy) holdsToWorktree(a Agent) bool {
	return !a.IsMain() && len(p.Limits.OwnWorktree) > 0 && MatchAgent(p.Limits.OwnWorktree, a.Type)
}

// judgeWorktree refuses what changes the project, or a worktree of another agent. Facts.Worktrees begins
// with the project itself, which belongs to no agent.
func (j *judge) judgeWorktree(caller *Run) {
	trees := j.e.Facts.Worktrees
	if caller == nil || len(trees) == 0 || !j.p.holdsToWorktree(j.e.Agent) {
		return
	}
	if caller.Calls == 0 && !j.d.Repeated {
		caller.Worktree = findTree(trees[1:], j.e.Dir)
	}
	why := capitalize(callerName(j.e.Agent)) + " changes files only in a worktree of its own (limits.own_worktree)"
	if caller.Worktree == "" {
		why += ", and it runs in the project. Return, and say that it is to be started in one."
	} else {
		why += ": " + j.nameFile(caller.Worktree) + "."
	}
	for i, part := range j.e.Tool.Parts {
		tree := findTree(trees, part.Path)
		isForeign := tree != "" && tree != caller.Worktree || part.Path == shell.Unknown && !j.canConfine()
		if ChangesFiles(part.Tool) && isForeign {
			j.refuse(i, RuleLimits, "", why)
		}
	}
	if j.soften(j.level, Confine) != Confine || !j.canConfine() {
		return
	}
	for _, tree := range trees {
		if tree != caller.Worktree {
			j.d.KeptOut = append(j.d.KeptOut, tree)
		}
	}
	j.d.Own = caller.Worktree
	for i := range j.d.Parts {
		if r := &j.d.Parts[i]; r.Part.Tool == "Bash" && r.Verdict < Confine {
			r.Rule, r.Verdict, r.StrictVerdict = RuleLimits, Confine, max(r.StrictVerdict, Confine)
			j.d.StrictVerdict = max(j.d.StrictVerdict, Confine)
			if j.d.Verdict < Confine {
				j.d.Verdict, j.d.Rule = Confine, RuleLimits
			}
		}
	}
}

// findTree is the deepest of some folders that holds a file; empty for none.
func findTree(trees []string, file string) (found string) {
	for _, t := range trees {
		if (file == t || strings.HasPrefix(file, strings.TrimSuffix(t, "/")+"/")) && len(t) > len(found) {
			found = t
		}
	}
	return found
}
