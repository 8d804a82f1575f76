package shell

// wrapperRows are commands that run a command that they are given. That command is judged as if it stood alone.
var wrapperRows = []form{
	{words: "sudo", short: "CDghpRrTtUu", long: "chdir close-from group host prompt role chroot command-timeout " +
		"other-user user type", wraps: assigns},
	{words: "doas", short: "uCa", wraps: argv},
	{words: "su", short: "cgGswT", long: "command group shell session-command", wraps: byOption,
		hides: func(p *program) bool { return len(p.operands) > 1 }}, // su USER FILE
	{words: "env", shows: showsOnly, opaque: "S split-string", short: "uCS", long: "unset chdir split-string",
		wraps: assigns},
	{words: "nice|ionice|stdbuf", short: "ncpPuioe", long: "adjustment class classdata pid input output error",
		wraps: argv},
	{words: "timeout", short: "ks", long: "kill-after signal", wraps: argv, before: 1},
	{words: "flock", short: "wEc", long: "timeout wait conflict-exit-code command", wraps: eitherWay, before: 1,
		operands: "w"},
	{words: "screen", short: "SchtTpe", wraps: argv, in: Elsewhere, dry: "-ls -list -v -wipe"},
	{words: "systemd-run", short: "puEMtH", long: "property unit uid gid setenv working-directory slice description " +
		"machine host on-active on-calendar", wraps: argv, in: Elsewhere},
	{words: "xcrun|arch", short: "de", long: "sdk toolchain arch", wraps: argv},
	{words: "--|busybox|toybox|eatmydata|entr|nocorrect|noglob|nohup|setsid|unbuffer|winpty|ifne|chronic|tini|" +
		"dumb-init", wraps: argv},
	{words: "gnome-terminal|xterm|konsole|alacritty|kitty|wezterm|emacsclient|dtach|abduco|byobu|zellij|incrontab|" +
		"ghostty|foot", in: Elsewhere, interpret: runForeign},

	// Wrappers that measure, record or repeat a command.
	{words: "time", short: "fo", long: "format output", writes: "o output", wraps: argv},
	{words: "strace|ltrace|bear|scan-build|ccache|sccache|distcc", short: "abeEIoOpPsSuUX",
		long: "output trace env user append", writes: "o output", wraps: argv},
	{words: "script", short: "cEIBOTmo", long: "command log-in log-out log-io log-timing echo output-limit",
		writes: "I B O T log-in log-out log-io log-timing", operands: "w", missing: "typescript", wraps: eitherWay,
		before: 1},
	{words: "cross-env|cross-env-shell", wraps: assigns},
	{words: "watch", short: "nq", long: "interval equexit", wraps: joined},
	{words: "xargs", short: "adEILnPs", long: "arg-file delimiter max-args max-procs max-lines max-chars eof " +
		"process-slot-var", wraps: fromList},
	{words: "nix-shell", short: "pAI", long: "attr", wraps: byOption, in: noGroup},
}
