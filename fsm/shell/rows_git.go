package shell

// gitValues are git's own options that take a value.
const gitValues = "git-dir work-tree namespace exec-path super-prefix config-env attr-source list-cmds"

// gitRows has git alone. Its own files under .git are not recorded.
var gitRows = []form{
	{words: "git", short: "Cc", long: gitValues, writes: "output", shows: listsOnly, forms: []form{
		{words: "grep", short: "efmABCO", long: "max-depth threads", operands: "-s*", when: "e f", then: "s*",
			missing: ".", shows: showsOnly, changes: "O open-files-in-pager ext-grep", opaque: "O open-files-in-pager"},
		{words: "ls-files", short: "xX", long: "exclude exclude-from", shows: showsAlways},
		{words: "ls-tree", shows: showsAlways},
		{words: "show", short: "nLGSU", long: "since until author grep format output", effect: addGitShow,
			shows: showsOnly, changes: gitDrivers},
		{words: "cat-file", effect: addGitShow, shows: showsOnly, changes: "filters textconv"},
		{words: "blame|annotate", short: "nLGSUC", long: "since until author grep format contents", operands: "-*r",
			reads: "contents", shows: showsOnly, changes: gitDrivers},
		{words: "log|diff|whatchanged|diff-tree|diff-index|diff-files|stash show|range-diff|shortlog", short: "nLGSU",
			long: "since until author grep format output", shows: showsOnly, changes: gitDrivers, when: "no-index",
			then: "r*"},
		{words: "status|describe|rev-parse|rev-list|merge-base|for-each-ref|check-ignore|check-attr|check-mailmap|" +
			"check-ref-format|name-rev|count-objects|cherry|show-branch|show-ref|var|verify-commit|verify-tag|" +
			"verify-pack|version|column|stash list|worktree list|notes list|notes show|notes get-ref|bisect log|" +
			"submodule status|submodule summary|sparse-checkout list|remote show|remote get-url|bundle verify|bundle " +
			"list-heads|lfs ls-files|lfs status|lfs env|lfs version|config list|config get|request-pull|" +
			"fmt-merge-msg|get-tar-commit-id|merge-tree|patch-id", shows: showsOnly},
		{words: "ls-remote", short: "u", long: "upload-pack exec", opaque: "u upload-pack exec", shows: showsOnly,
			hides: usesTransport},
		{words: "help|hash-object|fsck", shows: showsOnly, changes: "w web i info lost-found"},
		{words: "branch", short: "u", long: "set-upstream-to sort format points-at", shows: listsOnly,
			lists: "l list a all r remotes contains no-contains merged no-merged points-at show-current",
			changes: "d D delete m M move c C copy f force u set-upstream-to unset-upstream t track edit-description " +
				"create-reflog"},
		{words: "tag", short: "mFu", long: "message file local-user sort format points-at cleanup", shows: listsOnly,
			lists: "l list n contains no-contains merged no-merged points-at v verify", changes: "d delete a " +
				"annotate s sign u local-user f force m message F file e edit create-reflog"},
		{words: "config set|config unset|config edit|config rename-section|config remove-section|remote add|" +
			"remote set-url", effect: addGitSetting, hides: usesTransport},
		{words: "stash drop|stash clear|reflog expire|reflog delete|reflog drop|prune", in: Destroys, dry: "n dry-run"},
		{words: "gc", also: condition{in: Destroys, options: "prune"}},
		{words: "reflog", shows: showsOnly},
		{words: "rm", effect: addGitRemoved, unless: "n dry-run"},
		{words: "mv", unless: "n dry-run", effect: addCopies},
		{words: "clean", short: "e", long: "exclude", operands: "d*", missing: blank, unless: "n dry-run"},
		{words: "restore", short: "s", long: "source conflict", effect: addGitRestore},
		{words: "checkout|switch", short: "bBcC", long: "orphan conflict", effect: addGitCheckout},
		{words: "init", short: "b", long: "initial-branch template separate-git-dir object-format",
			writes: "separate-git-dir", effect: addGitInit},
		{words: "clone", short: "bocju", long: "branch origin depth reference config jobs template upload-pack filter",
			opaque: "u upload-pack", effect: addGitClone, hides: usesTransport},
		{words: "worktree add", short: "bB", long: "reason", operands: "w"},
		{words: "worktree remove", operands: "d"},
		{words: "worktree move", operands: "dw"},
		{words: "archive", short: "o", long: "output remote exec add-file format prefix", writes: "o output",
			opaque: "exec", reads: "add-file", shows: showsOnly, changes: "remote exec", hides: usesTransport},
		{words: "format-patch", short: "o", long: "output output-directory", effect: fillFolder, unless: "stdout"},
		{words: "bundle create", operands: "o"},
		{words: "reset", unnamed: true, when: "hard merge keep"},
		{words: "stash create|stash store|bisect visualize|bisect view|subtree split", short: "m", long: "message"},
		{words: "stash", short: "m", long: "message", unnamed: true},
		{words: "apply|am", short: "pC", long: "directory exclude include", unnamed: true, unless: "check stat " +
			"numstat summary show-current-patch"},
		{words: "rebase", short: "smXxF", long: gitMergeOptions, unnamed: true, unless: "show-current-patch",
			opaque: "x exec"},
		{words: "pull", short: "smXxFu", long: gitMergeOptions + " upload-pack", unnamed: true, unless: "dry-run",
			opaque: "u upload-pack", hides: usesTransport},
		{words: "merge|cherry-pick|revert", short: "smXxF", long: gitMergeOptions, unnamed: true},
		{words: "bisect run", unnamed: true, wraps: argv},
		{words: "submodule foreach", wraps: joined},
		{words: "submodule add|submodule update|submodule init|submodule deinit|submodule sync|submodule set-url|" +
			"submodule set-branch|submodule absorbgitdirs", unnamed: true, hides: usesTransport},
		{words: "push|send-pack|subtree push|lfs push", short: "o", long: "push-option repo receive-pack exec",
			opaque: "receive-pack exec", hides: usesTransport, in: Remote | Elsewhere, dry: "n dry-run"},
		{words: "lfs pull|lfs checkout|lfs migrate", unnamed: true},
		{words: "lfs"},
		{words: "difftool|mergetool|filter-branch", opaqueAlways: true, unnamed: true},
		{words: "read-tree|checkout-index|bisect|sparse-checkout|filter-repo|subtree|citool|gui", unnamed: true},
		{words: "fetch|fetch-pack", short: "u", long: "upload-pack exec", opaque: "u upload-pack exec",
			unless: "dry-run", hides: usesTransport},
		{words: "config", short: "f", long: "file blob type default", shows: listsOnly, upTo: 1, lists: "get get-all " +
			"l list get-regexp get-urlmatch get-color get-colorbool", changes: "add unset unset-all replace-all " +
			"rename-section remove-section e edit", effect: addGitSetting},
		{words: "symbolic-ref", short: "m", shows: listsOnly, upTo: 1, changes: "d delete m"},
		{words: "remote|notes|worktree|submodule", shows: listsOnly},
		{words: "commit", short: "mFCct", long: "message file reuse-message reedit-message template author date " +
			"cleanup fixup squash", reads: "F file", unless: "dry-run"},
		{words: "add|stage", unless: "n dry-run"},
		{words: "send-email|imap-send", long: "smtp-server sendmail-cmd to-cmd cc-cmd header-cmd",
			opaque: "smtp-server sendmail-cmd to-cmd cc-cmd header-cmd", operands: "r*", in: Remote, dry: "dry-run"},
		{words: "backfill|bundle|commit-graph|commit-tree|credential|gitk|hook|maintenance|mktree|refs|repack|" +
			"replace|replay|rerere|update-index|update-ref|write-tree", short: "mF", long: "message file"}}},
}
