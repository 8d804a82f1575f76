package shell

import "strings"

// git adds what git does to the files of the working tree.  What it keeps for
// itself under .git (commits, branches, tags, the index) is no file of ours.
func (r *reader) git(c command) {
	global, sub, ok := gitParts(c)
	r.gitConfig(global)
	if !ok {
		return
	}
	saved := r.dir
	for _, f := range global.values("C work-tree") {
		r.dir = join(r.dir, f.path())
	}
	o := sub.options(gitOptions(sub.name))
	r.each(Write, o.values("output"))
	if !r.gitLooks(sub.name, o) && !r.gitFiles(sub.name, o) {
		r.gitTree(sub.name, o)
	}
	r.gitRuns(sub, o)
	r.dir = saved
}

// gitParts parts git's own options from the subcommand, which is the first operand
// of what is returned for it.
func gitParts(c command) (global options, sub command, ok bool) {
	short, long, _ := globals("git")
	w := wrapper{short: short, long: long}
	_, rest := w.leading(c)
	global = c.leadingOptions(&w)
	if len(rest) == 0 {
		return global, sub, false
	}
	return global, command{name: rest[0].word(), words: c.words[len(c.words)-len(rest)-1:]}, rest[0].fixed()
}

// gitOptions are the options of a subcommand that take a value.
func gitOptions(sub string) (short, long string) {
	switch sub {
	case "grep":
		return "efmABCO", "max-depth threads"
	case "checkout", "switch":
		return "bBcC", "orphan conflict"
	case "restore":
		return "s", "source conflict"
	case "clone":
		return "bocju", "branch origin depth reference config jobs template upload-pack filter"
	case "apply":
		return "pC", "directory exclude include"
	case "archive", "format-patch":
		return "o", "output output-directory"
	case "stash":
		return "m", "message"
	case "clean":
		return "e", "exclude"
	case "rebase", "pull", "merge", "cherry-pick", "revert":
		return "smXxF", "onto exec strategy strategy-option message file"
	case "worktree":
		return "bB", "reason"
	case "log", "show", "diff", "blame":
		return "nLGSU", "since until author grep format"
	case "difftool", "mergetool":
		return "xt", "extcmd tool"
	case "filter-branch":
		return "", "env-filter tree-filter index-filter parent-filter msg-filter commit-filter tag-name-filter subdirectory-filter"
	}
	return "mFCct", "message file"
}

// gitLooks adds how git looks for files or shows them.
func (r *reader) gitLooks(sub string, o options) bool {
	switch sub {
	case "grep":
		skip := 2
		if o.has("e f") {
			skip = 1
		}
		r.under(Search, o.from(skip))
		r.runs(o.values("O"), "git grep")
	case "ls-files":
		r.under(List, o.operands[1:])
	case "ls-tree":
		if o.has("r") {
			r.under(List, o.from(2))
		}
	case "show", "cat-file":
		for _, f := range o.from(1) {
			if _, file, ok := strings.Cut(f.text, ":"); ok && file != "" {
				r.file(Read, field{text: file, known: f.known, glob: f.glob})
			}
		}
	case "blame", "annotate":
		if _, file, ok := o.last(); ok && len(o.operands) > 1 {
			r.file(Read, file)
		}
	default:
		return false
	}
	return true
}

// gitFiles adds the effects of subcommands that name the files they change.
func (r *reader) gitFiles(sub string, o options) bool {
	args := o.from(1)
	switch sub {
	case "rm":
		if !o.has("cached n dry-run") {
			r.each(Delete, args)
		}
	case "mv":
		if before, target, ok := o.last(); ok && len(before) > 1 && !o.has("n dry-run") {
			r.each(Delete, before[1:])
			r.each(Write, placed(before[1:], target, false))
		}
	case "restore":
		if !o.has("S staged") || o.has("W worktree") {
			r.each(Write, args)
		}
	case "clone":
		r.cloned(args)
	case "init":
		r.under(Write, args[:min(1, len(args))])
	case "archive":
		r.archive(o.values("o"))
	case "format-patch":
		if !o.has("stdout") {
			r.under(Write, o.values("o output-directory"))
		}
	case "bundle":
		if len(args) > 1 && args[0].is("create") {
			r.archive(args[1:2])
		}
	case "worktree":
		r.worktree(args)
	default:
		return false
	}
	return true
}

// cloned adds the directory that a clone makes.
func (r *reader) cloned(args []field) {
	switch len(args) {
	case 0:
	case 1:
		dir := args[0]
		dir.text = strings.TrimSuffix(strings.TrimRight(dir.text, "/"), ".git")
		if i := strings.LastIndexAny(dir.text, "/:"); i >= 0 {
			dir.text = dir.text[i+1:]
		}
		r.file(Write, dir)
	default:
		r.file(Write, args[1])
	}
}

func (r *reader) worktree(args []field) {
	switch {
	case len(args) < 2:
	case args[0].is("add"):
		r.file(Write, args[1])
	case args[0].is("remove"):
		r.file(Delete, args[1])
	case args[0].is("move") && len(args) > 2:
		r.file(Delete, args[1])
		r.file(Write, args[2])
	}
}

// gitTree adds the effects of subcommands that change files we cannot name.
func (r *reader) gitTree(sub string, o options) {
	args := o.from(1)
	switch sub {
	case "checkout":
		r.checkout(o)
	case "switch":
		if !o.has("c C create force-create orphan") || len(args) > 0 {
			r.file(Write, unknown())
		}
	case "reset":
		if o.has("hard merge keep") {
			r.file(Write, unknown())
		}
	case "clean":
		if !o.has("n dry-run") {
			r.cleaned(args)
		}
	case "stash":
		if len(args) == 0 || !contains("list show drop clear create store branch", args[0].text) || args[0].is("branch") {
			r.file(Write, unknown())
		}
	case "apply", "am":
		if !o.has("check stat numstat summary cached show-current-patch") {
			r.file(Write, unknown())
		}
	case "merge", "rebase", "pull", "cherry-pick", "revert", "read-tree", "checkout-index", "bisect", "submodule",
		"sparse-checkout", "filter-branch", "filter-repo", "mergetool", "subtree", "lfs", "merge-file", "svn", "p4", "citool", "gui":
		if !gitOnlyLooks(sub, args, o) {
			r.file(Write, unknown())
		}
	}
}

// gitOnlyLooks tells of the forms that change no file.
func gitOnlyLooks(sub string, args []field, o options) bool {
	first := ""
	if len(args) > 0 {
		first = args[0].text
	}
	switch sub {
	case "submodule":
		return first == "" || contains("status summary foreach sync", first)
	case "bisect":
		return contains("log visualize view", first)
	case "sparse-checkout":
		return first == "list"
	case "lfs":
		return !contains("pull checkout fetch migrate", first)
	case "subtree":
		return contains("split push", first)
	}
	return o.has("show-current-patch")
}

// cleaned adds what git clean removes.
func (r *reader) cleaned(args []field) {
	if len(args) == 0 {
		r.file(Delete, unknown())
	}
	r.each(Delete, args)
}

// checkout changes the files it is given behind --, or those that differ between
// two branches.  A new branch at the same commit changes none.
func (r *reader) checkout(o options) {
	args := o.from(1)
	switch {
	case o.dashes > 0:
		r.each(Write, o.operands[o.dashes:])
	case o.has("b B orphan") && len(args) == 0:
	default:
		r.file(Write, unknown())
	}
}
