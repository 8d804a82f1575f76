package shell

// gitValues are git's own options that take a value.
const gitValues = "git-dir work-tree namespace exec-path super-prefix config-env attr-source list-cmds"

// gitRows has git alone. Its own files under .git are not recorded.
var gitRows = []form{
	{words: "git", takes: "C c " + gitValues, writes: "output", shows: listsOnly, forms: []form{
		{words: "grep", takes: "e f m A B C O max-depth threads", operands: "-s*", when: "e f", then: "s*",
			missing: ".", shows: showsOnly, changes: "O open-files-in-pager ext-grep", opaque: "O open-files-in-pager"},
		{words: "ls-files", takes: "x X exclude exclude-from", shows: showsAlways},
		{words: "ls-tree", shows: showsAlways},
		{words: "show", takes: "n L G S U since until author grep format output", effect: addGitShow, shows: showsOnly,
			changes: gitDrivers},
		{words: "cat-file", effect: addGitShow, shows: showsOnly, changes: "filters textconv"},
		{words: "blame|annotate", takes: "n L G S U C since until author grep format contents", operands: "-*r",
			reads: "contents", shows: showsOnly, changes: gitDrivers},
		{words: "log|diff|whatchanged|diff-tree|diff-index|diff-files|stash show|range-diff|shortlog",
			takes: "n L G S U since until author grep format output", shows: showsOnly, changes: gitDrivers,
			when: "no-index", then: "r*"},
		{words: "status|describe|rev-parse|rev-list|merge-base|for-each-ref|check-ignore|check-attr|check-mailmap|" +
			"check-ref-format|name-rev|count-objects|cherry|show-branch|show-ref|var|verify-commit|verify-tag|" +
			"verify-pack|version|column|stash list|worktree list|notes list|notes show|notes get-ref|bisect log|" +
			"submodule status|submodule summary|sparse-checkout list|remote show|remote get-url|bundle verify|bundle " +
			"list-heads|lfs ls-files|lfs status|lfs env|lfs version|config list|config get|request-pull|" +
			"fmt-merge-msg|get-tar-commit-id|merge-tree|patch-id", shows: showsOnly},
		{words: "ls-remote", takes: "u upload-pack exec", opaque: "u upload-pack exec", shows: showsOnly,
			hides: usesTransport},
		{words: "help|hash-object|fsck", shows: showsOnly, changes: "w web i info lost-found"},
		{words: "branch", takes: "u set-upstream-to sort format points-at", shows: listsOnly,
			lists: "l list a all r remotes contains no-contains merged no-merged points-at show-current",
			changes: "d D delete m M move c C copy f force u set-upstream-to unset-upstream t track edit-description " +
				"create-reflog"},
		{words: "tag", takes: "m F u message file local-user sort format points-at cleanup", shows: listsOnly,
			lists:   "l list n contains no-contains merged no-merged points-at v verify",
			changes: "d delete a annotate s sign u local-user f force m message F file e edit create-reflog"},
		{words: "config set|config unset|config edit|config rename-section|config remove-section|remote add|" +
			"remote set-url", effect: addGitSetting, hides: usesTransport},
		{words: "stash drop|stash clear|reflog expire|reflog delete|reflog drop|prune", in: Destroys, dry: "n dry-run"},
		{words: "gc", destroysBy: "--prune"},
		{words: "reflog", shows: showsOnly},
		{words: "rm", effect: addGitRemoved, unless: "n dry-run"},
		{words: "mv", unless: "n dry-run", effect: addCopies},
		{words: "clean", takes: "e exclude", operands: "d*", missing: blank, unless: "n dry-run"},
		{words: "restore", takes: "s source conflict", effect: addGitRestore},
		{words: "checkout|switch", takes: "b B c C orphan conflict", effect: addGitCheckout},
		{words: "init", takes: "b initial-branch template separate-git-dir object-format", writes: "separate-git-dir",
			effect: addGitInit},
		{words: "clone", takes: "b o c j u branch origin depth reference config jobs template upload-pack filter",
			opaque: "u upload-pack", effect: addGitClone, hides: usesTransport},
		{words: "worktree add", takes: "b B reason", operands: "w"},
		{words: "worktree remove", operands: "d"},
		{words: "worktree move", operands: "dw"},
		{words: "archive", takes: "o output remote exec add-file format prefix", writes: "o output", opaque: "exec",
			reads: "add-file", shows: showsOnly, changes: "remote exec", hides: usesTransport},
		{words: "format-patch", takes: "o output output-directory", effect: fillFolder, unless: "stdout"},
		{words: "bundle create", operands: "o"},
		{words: "reset", unnamed: true, when: "hard merge keep"},
		{words: "stash create|stash store|bisect visualize|bisect view|subtree split", takes: "m message"},
		{words: "stash", takes: "m message", unnamed: true},
		{words: "apply|am", takes: "p C directory exclude include", unnamed: true,
			unless: "check stat numstat summary show-current-patch"},
		{words: "rebase", takes: gitMergeOptions, unnamed: true, unless: "show-current-patch",
			opaque: "x exec"},
		{words: "pull", takes: gitMergeOptions + " u upload-pack", unnamed: true, unless: "dry-run",
			opaque: "u upload-pack", hides: usesTransport},
		{words: "merge|cherry-pick|revert", takes: gitMergeOptions, unnamed: true},
		{words: "bisect run", unnamed: true, wraps: argv},
		{words: "submodule foreach", wraps: joined},
		{words: "submodule add|submodule update|submodule init|submodule deinit|submodule sync|submodule set-url|" +
			"submodule set-branch|submodule absorbgitdirs", unnamed: true, hides: usesTransport},
		{words: "push|send-pack|subtree push|lfs push", takes: "o push-option repo receive-pack exec",
			opaque: "receive-pack exec", hides: usesTransport, in: Remote | Elsewhere,
			unless: "n dry-run", evaluates: true}, // it runs the hook pre-push
		{words: "lfs pull|lfs checkout|lfs migrate", unnamed: true},
		{words: "lfs"},
		{words: "difftool|mergetool|filter-branch", opaqueAlways: true, unnamed: true},
		{words: "read-tree|checkout-index|bisect|sparse-checkout|subtree|citool|gui", unnamed: true},
		{words: "filter-repo", unnamed: true, in: Destroys},
		{words: "fetch|fetch-pack", takes: "u upload-pack exec", opaque: "u upload-pack exec", unless: "dry-run",
			hides: usesTransport},
		{words: "config", takes: "f file blob type default", shows: listsOnly, upTo: 1,
			lists:   "get get-all l list get-regexp get-urlmatch get-color get-colorbool",
			changes: "add unset unset-all replace-all rename-section remove-section e edit", effect: addGitSetting},
		{words: "symbolic-ref", takes: "m", shows: listsOnly, upTo: 1, changes: "d delete m"},
		{words: "remote|notes|worktree|submodule", shows: listsOnly},
		{words: "commit",
			takes: "m F C c t message file reuse-message reedit-message template author date cleanup fixup squash",
			reads: "F file", unless: "dry-run"},
		{words: "add|stage", unless: "n dry-run"},
		{words: "send-email|imap-send", takes: "smtp-server sendmail-cmd to-cmd cc-cmd header-cmd",
			opaque: "smtp-server sendmail-cmd to-cmd cc-cmd header-cmd", operands: "r*", in: Remote, dry: "dry-run"},
		{words: "backfill|bundle|commit-graph|commit-tree|credential|gitk|hook|maintenance|mktree|refs|repack|" +
			"replace|replay|rerere|update-index|update-ref|write-tree", takes: "m F message file"}}},
}
