package shell

// wrapperRows are commands that run a command that they are given. That command is judged as if it stood alone.
var wrapperRows = []form{
	{words: "sudo", takes: "C D g h p R r T t U u chdir close-from group host prompt role chroot command-timeout " +
		"other-user user type", wraps: assigns},
	{words: "doas", takes: "u C a", wraps: argv},
	{words: "su", takes: "c g G s w T command group shell session-command", wraps: byOption,
		hides: func(p *program) bool { return len(p.operands) > 1 }}, // su USER FILE
	{words: "env", shows: showsOnly, opaque: "S split-string", takes: "u C S unset chdir split-string", wraps: assigns},
	{words: "nice|ionice|stdbuf", takes: "n c p P u i o e adjustment class classdata pid input output error",
		wraps: argv},
	{words: "timeout", takes: "k s kill-after signal", wraps: argv, before: 1},
	{words: "flock", takes: "w E c timeout wait conflict-exit-code command", wraps: eitherWay, before: 1,
		operands: "w"},
	{words: "screen", takes: "S c h t T p e", wraps: argv, in: Elsewhere, dry: "-ls -list -v -wipe"},
	{words: "systemd-run", takes: "p u E M t H property unit uid gid setenv working-directory slice description " +
		"machine host on-active on-calendar", wraps: argv, in: Elsewhere},
	{words: "xcrun|arch", takes: "d e sdk toolchain arch", wraps: argv},
	{words: "--|busybox|toybox|eatmydata|entr|nocorrect|noglob|nohup|setsid|unbuffer|winpty|ifne|chronic|tini|" +
		"dumb-init", wraps: argv},
	{words: "gnome-terminal|xterm|konsole|alacritty|kitty|wezterm|emacsclient|dtach|abduco|byobu|zellij|incrontab|" +
		"ghostty|foot", in: Elsewhere, interpret: runForeign},

	// Wrappers that measure, record or repeat a command.
	{words: "time", takes: "f o format output", writes: "o output", wraps: argv},
	{words: "strace|ltrace|bear|scan-build|ccache|sccache|distcc",
		takes: "a b e E I o O p P s S u U X output trace env user append", writes: "o output", wraps: argv},
	{words: "script", takes: "c E I B O T m o command log-in log-out log-io log-timing echo output-limit",
		writes: "I B O T log-in log-out log-io log-timing", operands: "w", missing: "typescript", wraps: eitherWay,
		before: 1},
	{words: "cross-env|cross-env-shell", wraps: assigns},
	{words: "watch", takes: "n q interval equexit", wraps: joined},
	{words: "xargs",
		takes: "a d E I L n P s arg-file delimiter max-args max-procs max-lines max-chars eof process-slot-var",
		wraps: fromList},
	{words: "nix-shell", takes: "p A I attr", wraps: byOption, in: noGroup},
}
