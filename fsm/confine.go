package fsm

import (
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm/shell"
)

// Confine lets a shell line run while the kernel keeps it from writing where the caller's rules
// keep its file tools from writing. So there is one truth: what the rules say of Write.

// Confinement is what the config says of confined commands.
type Confinement struct {
	Writable []string // folders that tools need for their caches: absolute
	Ignored  bool     // so are the folders of the project that git ignores
	Exempt   []string // commands that need privileges, which no confined process gets
}

// WriteLimits say where a confined shell line may write. Of two places that hold a file the
// deeper one counts; what lies in none is read-only. Folders of the config's Confinement come on top.
type WriteLimits struct {
	Writable []string `json:"writable,omitempty"`
	ReadOnly []string `json:"read_only,omitempty"`
}

// A TicketResult says what became of the limits that a shell line was to run under.
type TicketResult struct {
	Confined bool `json:"confined,omitempty"` // by a rule, and not only to protect our own files
	Used     bool `json:"used,omitempty"`     // the line has run under them
}

// canConfine reports whether the kernel can hold what this call runs.
func (st *situation) canConfine() bool {
	return st.e.Facts.Kernel != "" && !st.s.Unconfined
}

// verdictOf is a rule's verdict on a part of this call. Where the kernel cannot hold it, a rule that
// confines lets pass what is known: the files that it changes are parts of their own. Of what
// builds, of what cannot be known, and everywhere of what hands work to another process or machine,
// which no kernel holds here, its Else says what counts. A file that a shell line changes without
// naming it is the kernel's to keep.
func (st *situation) verdictOf(r *Rule, part Part) Verdict {
	switch {
	case r.Verdict == Confine && st.canConfine() && !slices.Contains(part.Groups, CommandsElsewhere):
		return Confine
	case r.Verdict == Confine && (!part.Code && len(part.Groups) == 0 || !part.mayChange()):
		return Pass
	case r.Verdict == Confine:
		return r.Else
	case r.Verdict >= Ask && part.Path == shell.Unknown && ChangesFiles(part.Tool) && st.isConfined():
		return Confine
	}
	return r.Verdict
}

// isConfined reports whether the caller's rules confine a shell line of which nothing is known.
func (st *situation) isConfined() bool {
	if !st.canConfine() {
		return false
	}
	own, _ := st.callerRules()
	return st.findRule(own, Part{Tool: "Bash", Words: []string{shell.Unknown}, Code: true}).Verdict == Confine
}

// confine has the kernel hold a part of the call, as far as the level and a person's bypass go.
func (j judge) confine(r *Rule, ruling *Ruling) {
	ruling.StrictVerdict = Confine
	j.StrictVerdict = max(j.StrictVerdict, Confine)
	if b := j.findBypass(ruling.Rule); b != nil {
		ruling.Bypassed = true
		j.recordBypass(Objection{Rule: ruling.Rule, StrictVerdict: Confine}, b)
		return
	}
	if ruling.Verdict = j.soften(j.levelOf(r), Confine); ruling.Verdict == Pass {
		return
	}
	if j.Verdict < Confine {
		j.Verdict, j.Rule, j.RuleType, j.Where = Confine, ruling.Rule, ruling.RuleType, ruling.Where
	}
	if j.Limits == nil && !j.verdictOnly {
		l := j.findLimits()
		j.Limits = &l
	}
}

// findLimits is where the caller's file tools may write, by the organisation's rules too: of the folders that rules
// may open as a whole. These are the root, and what globs that end in /** name.
func (st *situation) findLimits() (out WriteLimits) {
	own, locked := st.callerRules()
	folders := []string{"/"}
	for i := range own.List {
		if r := &own.List[i]; r.Verdict <= Warn && r.CoversTool("Write") {
			for _, glob := range r.Paths {
				if dir, ok := strings.CutSuffix(glob, "/**"); ok && dir != "" && !IsGlob(dir) {
					folders = append(folders, dir)
				}
			}
		}
	}
	for _, dir := range unique(folders) {
		inner, ok := st.mayWriteBelow(own, dir)
		more, okLocked := st.mayWriteBelow(locked, dir)
		if ok && okLocked {
			out.Writable = append(out.Writable, dir)
			out.ReadOnly = append(out.ReadOnly, append(inner, more...)...)
		}
	}
	out.ReadOnly = unique(out.ReadOnly)
	return out
}

// mayWriteBelow reports whether the rules let the caller write any file below a folder, but for
// those in the places that it returns.
func (st *situation) mayWriteBelow(rules *Rules, dir string) (not []string, ok bool) {
	all := strings.TrimSuffix(dir, "/") + "/**"
	for i := range rules.List {
		r := &rules.List[i]
		if r.IsOff() || !r.fitsCaller(st) || len(r.Starts) > 0 || r.Changes != nil && !*r.Changes ||
			!r.CoversTool("Write") {
			continue
		}
		if r.Verdict <= Warn {
			if len(r.Inputs) == 0 && r.Within == 0 && covers(r.Paths, all) {
				return not, true
			}
			continue
		}
		if covers(r.Paths, all) {
			return nil, false
		}
		for _, glob := range r.Paths {
			if !shell.MayName(all, glob) {
				continue
			}
			place := glob // the deepest folder that holds whatever the glob fits
			if i := strings.IndexAny(glob, `*?[{\`); i >= 0 {
				place = glob[:max(0, strings.LastIndexByte(glob[:i], '/'))]
			}
			if !strings.HasPrefix(place, strings.TrimSuffix(dir, "/")+"/") {
				return nil, false
			}
			not = append(not, place)
		}
	}
	return not, rules.Default.Verdict <= Warn
}

// covers reports whether one of the globs fits all that another one does; no globs fit everything.
func covers(globs []string, glob string) bool {
	return len(globs) == 0 ||
		slices.ContainsFunc(globs, func(g string) bool { return g == "/**" || coversPath(g, glob) })
}

// takeRun notes how a call ran: by the command that was judged, and within its limits. After one that ran without
// them the rules' Else counts.
func (h handler) takeRun() {
	tool := h.e.Tool
	_, rest, known := strings.Cut(h.s.Counts.Calls, hashText(tool.UseID)[:8]+"-")
	if known && tool.UseID != "" && tool.Digest != "" && !strings.HasPrefix(rest, tool.Digest+" ") {
		const rewritten = "another command ran than the one that was judged"
		h.note(rewritten)
		if h.countRefusal(&h.s.Refused, "rewritten", tool.Name) == 1 {
			h.notify(rewritten + ": something changes calls after pipeline " +
				"has seen them, such as another hook, and what runs then is not judged (see: pipeline doctor)")
		}
	}
	switch t := h.e.Facts.Ticket; {
	case t == nil || !t.Confined:
	case !t.Used && !h.s.Unconfined:
		h.s.Unconfined = true
		h.notify("a command ran without the kernel's limits, although it was to be confined: from now on in this " +
			"session such commands are judged as on a system that cannot confine (see: pipeline doctor)")
	case t.Used && h.e.Kind == ToolFailure:
		h.inject(h.describeConfined())
	}
}

// describeConfined tells an agent what its commands may not do.
func (st *situation) describeConfined() string {
	where := "Here"
	if state := st.admittedIn(); state != "" {
		where = "In " + state
	}
	if r := st.caller(); r != nil && r.Worktree != "" {
		return "This agent's commands change files only in its own worktree, " + st.nameFile(r.Worktree) + "."
	}
	if st.e.Agent.IsOrchestrator() {
		return where + " the project is read-only for the main agent's commands; what changes files is an agent's work."
	}
	return where + " the project is read-only for this agent, also for its commands; report what should be changed."
}

// An agent may be held to a worktree of its own (limits.own_worktree): that in which it makes its first
// call. So agents that work at the same time do not meet in one file.

// holdsToWorktree reports whether an agent changes files only in a worktree of its own.
func (p *Policy) holdsToWorktree(a Agent) bool {
	return MatchAgent(p.Limits.OwnWorktree, a.Type)
}

// judgeWorktree refuses what changes the project, or a worktree of another agent. Facts.Worktrees begins
// with the project itself, which belongs to no agent.
func (j judge) judgeWorktree(caller *Run) {
	trees := j.e.Facts.Worktrees
	if len(trees) == 0 || !j.p.holdsToWorktree(j.e.Agent) {
		return
	}
	if caller.Calls == 0 && !j.Repeated {
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
			j.KeptOut = append(j.KeptOut, tree)
		}
	}
	j.Own = caller.Worktree
	for i := range j.Parts {
		if r := &j.Parts[i]; r.Part.Tool == "Bash" && r.Verdict < Confine {
			r.Rule, r.Verdict, r.StrictVerdict = RuleLimits, Confine, max(r.StrictVerdict, Confine)
			j.StrictVerdict = max(j.StrictVerdict, Confine)
			if j.Verdict < Confine {
				j.Verdict, j.Rule = Confine, RuleLimits
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
