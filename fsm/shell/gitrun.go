package shell

import "strings"

// gitConfig reads settings on the line by which git runs other programs.
func (r *reader) gitConfig(global options) {
	for _, f := range global.values("c config-env") {
		key, value, _ := strings.Cut(f.text, "=")
		if key = strings.ToLower(key); runsCode(key) {
			r.code(field{text: strings.TrimPrefix(value, "!"), known: f.known}, "git -c "+key)
		}
	}
}

// runsCode tells whether git runs the value of a setting.
func runsCode(key string) bool {
	section, name, _ := strings.Cut(key, ".")
	switch section {
	case "alias", "pager", "filter", "difftool", "mergetool", "browser", "man", "remote", "credential":
		return section == "alias" || section == "pager" || strings.HasSuffix(name, "cmd") || strings.HasSuffix(name, "path") ||
			section == "filter" && !strings.HasSuffix(name, "required") || strings.HasSuffix(name, "helper") || strings.HasSuffix(name, "pack")
	case "core":
		return contains("pager editor sshcommand fsmonitor askpass gitproxy hookspath", name)
	case "sequence":
		return name == "editor"
	case "diff":
		return name == "external" || strings.HasSuffix(name, "command") || strings.HasSuffix(name, "textconv")
	case "gpg":
		return strings.HasSuffix(name, "program")
	}
	return section == "include" || section == "includeif"
}

// gitRuns runs the commands that some subcommands take.
func (r *reader) gitRuns(sub command, o options) {
	switch sub.name {
	case "rebase":
		r.runs(o.values("x exec"), "git rebase --exec")
	case "difftool", "mergetool":
		r.runs(o.values("x extcmd"), "git difftool")
	case "filter-branch":
		r.runs(o.values("env-filter tree-filter index-filter parent-filter msg-filter commit-filter tag-name-filter"), "git filter-branch")
	case "clone", "fetch", "pull", "ls-remote":
		r.runs(o.values("u upload-pack"), "git "+sub.name)
	case "config":
		if args := o.from(1); len(args) > 1 && runsCode(strings.ToLower(args[len(args)-2].text)) {
			v := args[len(args)-1]
			v.text = strings.TrimPrefix(v.text, "!")
			r.code(v, "git config")
		}
	}
}

// gitKnows tells whether git has the subcommand itself: any other is an alias, or
// a program, of which the line says nothing.
func gitKnows(sub string) bool {
	switch sub {
	case "add", "am", "annotate", "apply", "archive", "bisect", "blame", "branch", "bugreport", "bundle", "cat-file",
		"check-attr", "check-ignore", "check-mailmap", "check-ref-format", "checkout", "checkout-index", "cherry", "cherry-pick",
		"clean", "clone", "column", "commit", "commit-graph", "commit-tree", "config", "count-objects", "credential", "describe", "diff",
		"diff-files", "diff-index", "diff-tree", "difftool", "fast-export", "fast-import", "fetch", "filter-branch", "filter-repo",
		"fmt-merge-msg", "for-each-ref", "format-patch", "fsck", "gc", "grep", "gui", "hash-object", "help", "hook", "init",
		"interpret-trailers", "lfs", "log", "ls-files", "ls-remote", "ls-tree", "mailinfo", "maintenance", "merge", "merge-base",
		"merge-file", "merge-tree", "mergetool", "mktree", "mv", "name-rev", "notes", "p4", "pack-objects", "prune", "pull", "push",
		"range-diff", "read-tree", "rebase", "reflog", "remote", "repack", "replace", "request-pull", "rerere", "reset", "restore",
		"rev-list", "rev-parse", "revert", "rm", "send-email", "shortlog", "show", "show-branch", "show-ref", "sparse-checkout",
		"stash", "status", "submodule", "subtree", "svn", "switch", "symbolic-ref", "tag", "update-index", "update-ref", "var",
		"verify-commit", "verify-pack", "verify-tag", "version", "whatchanged", "worktree", "write-tree", "stage", "citool",
		"gitk", "backfill", "refs", "replay", "diagnose":
		return true
	}
	return false
}
