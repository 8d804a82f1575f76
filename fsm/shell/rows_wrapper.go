package shell

var wrapperFamily = family{
	title: "Wrappers",
	about: "Commands that run a command that they are given. That command is judged as if it stood alone.",
	rows: []form{
		{words: "sudo", short: "CDghpRrTtUu", long: "chdir close-from group host prompt role chroot " +
			"command-timeout other-user user type", wraps: assigns, stdin: true},
		{words: "doas", short: "uCa", wraps: argv, stdin: true},
		{words: "su", short: "cgGswT", long: "command group shell session-command", wraps: byOption,
			stdin: true},
		{words: "runuser", short: "ugGsc", long: "user group supp-group shell command session-command",
			wraps: byOption},
		{words: "pkexec", long: "user", wraps: argv},
		{words: "env", shows: showsOnly, short: "uCS", long: "unset chdir split-string", wraps: assigns},
		{words: "sg", short: "c", before: 1, wraps: eitherWay},
		{words: "newgrp", wraps: argv, stdin: true},
		{words: "gosu|su-exec|envdir|chpst|setuidgid|softlimit|s6-setuidgid|setlock", short: "nNxX", wraps: argv,
			before: 1},
		{words: "setpriv|prlimit|numactl|dbus-run-session|fakeroot|proxychains|proxychains4|rlwrap|cpulimit|" +
			"multitime|wsl|linux32|linux64|choom|torsocks|tsocks|firejail|catchsegv|systemd-cat|ssh-agent|" +
			"dbus-launch|cgexec|runcon|daemonize|heaptrack", short: "NmCifHslbenud",
			long: "reuid regid groups pid cpunodebind membind physcpubind interleave config-file dbus-daemon " +
				"adjust distribution user cd", wraps: argv},
		{words: "nice", short: "n", long: "adjustment", wraps: argv},
		{words: "timeout", short: "ks", long: "kill-after signal", wraps: argv, before: 1},
		{words: "caffeinate", short: "tw", wraps: argv},
		{words: "chrt|taskset", short: "TPDp", wraps: argv, before: 1},
		{words: "faketime", short: "f", wraps: argv, before: 1},
		{words: "flock", short: "wEc", long: "timeout wait conflict-exit-code command", wraps: eitherWay,
			before: 1},
		{words: "ionice", short: "cnpPu", long: "class classdata pid", wraps: argv},
		{words: "screen", short: "SchtTpe", wraps: argv, own: true, in: Elsewhere, dry: "-ls -list -v -wipe"},
		{words: "sshpass", short: "pfdP", wraps: argv},
		{words: "stdbuf", short: "ioe", long: "input output error", wraps: argv},
		{words: "systemd-inhibit", long: "what who why mode", wraps: argv},
		{words: "systemd-run", short: "puEMtH", long: "property unit uid gid setenv working-directory slice " +
			"description machine host on-active on-calendar", wraps: argv, own: true, in: Elsewhere},
		{words: "unshare", short: "RSGwl", long: "root wd setuid setgid map-user map-group propagation",
			wraps: argv, stdin: true},
		{words: "xvfb-run", short: "enfsp", long: "error-file server-num server-args auth-file", wraps: argv},
		{words: "xcrun|arch", short: "de", long: "sdk toolchain arch", wraps: argv},
		{words: "-", wraps: argv, stdin: true},
		{words: "--|busybox|toybox|eatmydata|entr|nocorrect|noglob|nohup|setsid|unbuffer|winpty|ifne|chronic|" +
			"tini|dumb-init", wraps: argv},
		{words: "gnome-terminal|xterm|konsole|alacritty|kitty|wezterm|emacsclient|dtach|abduco|byobu|zellij|" +
			"incrontab|ghostty|foot", in: Elsewhere, interpret: runForeign},

		// Wrappers that measure, record or repeat a command.
		{words: "time", short: "fo", long: "format output", writes: "o output", wraps: argv},
		{words: "strace|ltrace", short: "abeEIoOpPsSuUX", long: "output trace env user", writes: "o output",
			wraps: argv},
		{words: "script", short: "cEIBOTmo", long: "command log-in log-out log-io log-timing echo output-limit",
			writes: "I B O T log-in log-out log-io log-timing", operands: "w", missing: "typescript",
			wraps: byOption, stdin: true},
		{words: "hyperfine", short: "wrmMpcsnPL", long: "warmup runs min-runs max-runs setup shell export-json " +
			"export-markdown export-csv export-asciidoc prepare cleanup command-name parameter-list " +
			"parameter-scan style", outputs: "export-json export-markdown export-csv export-asciidoc " +
			"export-orgmode", runs: "p prepare c cleanup s setup", wraps: eachOperand, own: true},
		{words: "cross-env|cross-env-shell", wraps: assigns},
		{words: "bear|scan-build|ccache|sccache|distcc", short: "o", long: "output append", writes: "o output",
			wraps: argv, own: true},
		{words: "watch", short: "nq", long: "interval equexit", wraps: joined},
		{words: "watchexec", short: "wefiosdpnWE", long: "watch exts filter ignore", wraps: argv, own: true},
		{words: "concurrently", short: "nckls", long: "names kill-others-on-fail prefix", wraps: eachOperand,
			own: true},
		{words: "xargs", short: "adEILnPs", long: "arg-file delimiter max-args max-procs max-lines max-chars " +
			"eof process-slot-var", wraps: fromList},

		// Wrappers that choose an environment or secrets for a command.
		{words: "devbox", forms: []form{
			{words: "run", wraps: argv, own: true, in: runsTool}}},
		{words: "aws-vault", forms: []form{
			{words: "exec", wraps: dashed, before: 1, own: true}}},
		{words: "doppler|infisical|op", forms: []form{
			{words: "run", short: "pc", long: "project config env path env-file", reads: "env-file", wraps: dashed,
				own: true}}},
		{words: "dotenv", short: "evp", wraps: dashed, own: true, forms: []form{
			{words: "run", short: "f", wraps: dashed, own: true}}},
		{words: "nix-shell", short: "pAI", long: "attr", wraps: byOption, own: true, stdin: true},
	}}
