package shell

var interpreterFamily = family{
	title: "Shells, interpreters, databases, debuggers",
	about: "Code that is not on the line, or in a language that is not read, is unknown.",
	rows: []form{
		{words: "sh|bash|zsh|dash|ksh|mksh|ash|rbash|ksh93|yash", interpret: runShell},
		{words: "crontab|at|batch", interpret: runScheduled, alsoIn: schedules},
		{words: "python|pypy", interpret: runPython, shows: showsOnly, changes: "i"},
		{words: "perl|ruby", short: "eEIMmxCDF", interpret: runInterpreter, shows: showsOnly, changes: "i",
			effect: addEditedInPlace},
		{words: "node", codeless: "--check -c --v8-options", reads: "env-file", interpret: runInterpreter},
		{words: "php", codeless: "-l -i -m", interpret: runInterpreter},
		{words: "dart|swift", codeless: "analyze", interpret: runInterpreter, forms: []form{
			{words: "package describe|package show-dependencies|package dump-package|pub deps|pub outdated",
				shows: showsOnly, evaluates: true},
			{words: "test", in: Tests},
			{words: "pub publish", in: Builds | Remote, dry: "n dry-run"},
			{words: "build|compile|pub|package", in: Builds},
			{words: "run", hides: hidesAlways, in: Builds}}},
		{words: "lua|luajit|rscript|r|java|octave|maxima|gap|sage", interpret: runInterpreter},
		{words: "osascript", interpret: runForeign, in: Elsewhere},
		{words: "expect|pwsh|powershell|cmd|fish|csh|tcsh|nu|elvish|xonsh|tclsh|wish|guile|julia|racket|" +
			"sbcl|ghci|runghc|runhaskell|groovy|scala|kotlin|jshell|irb|pry|ipython|nodejs|ts-node|tsx|esno|swipl|" +
			"clisp|ecl|chicken|csi|gosh|clojure|clj|bb|elixir|iex|erl|escript|ocaml|utop|haxe|crystal|nim|v|zx|" +
			"jupyter|papermill|matlab|spark-submit|spark-shell|pyspark|forth|gforth|rexx|" +
			"autoexpect|php-cgi|hhvm|wasmtime|wasmer|wine|mono|osh|ysh|ion|murex|posh|lksh|prove|ld.so|qemu-x86_64",
			interpret: runForeign},
		{words: "rails|django-admin", interpret: runForeign, in: Builds, forms: []form{{words: "test", in: Tests},
			{words: "db:drop|db:reset|db:purge|db:drop:all|flush|reset_db", in: Destroys}}},

		// Modules of Python, behind -m.
		{words: "json.tool", operands: "ro", long: "indent", shows: showsOnly},
		{words: "compileall|py_compile|ensurepip", unnamed: true},
		{words: "zipfile|tarfile", short: "ctl", long: "create test list", writes: "c create",
			when: "e extract", then: "rw", unnamed: true},
		{words: "zipapp", short: "omp", long: "output main python", writes: "o output", makes: Unknown,
			prints: "info"},
		{words: "cprofile|profile|trace|timeit|pydoc|pdb|runpy|idlelib|doctest|asyncio|bdb|scalene|" +
			"memory_profiler|kernprof|viztracer|py-spy",
			interpret: runForeign, outputs: usualOutputs + " C coverdir f file"},
		{words: "lib2to3", unnamed: true, when: "w write"},
		{words: "coverage", outputs: usualOutputs, in: Builds, forms: []form{
			{words: "report|debug", shows: showsOnly, evaluates: true}}},
		{words: "pytest|py.test|nose2|jest|phpunit|pest", in: Tests, evaluates: true, unless: "collect-only co " +
			"fixtures markers listTests list-tests list-suites list-groups showConfig", short: testValues,
			outputs: testOutputs},
		{words: "mocha|rspec|cucumber|behave|behat|ginkgo", in: Tests, evaluates: true, unless: "dry-run",
			short: testValues, outputs: testOutputs},
		{words: "unittest|vitest|ava|cypress|karma|busted|bats", in: Tests, short: testValues, outputs: testOutputs},

		{words: "playwright", outputs: noOutputs, forms: []form{
			{words: "test", in: Tests, unless: "list", evaluates: true},
			{words: "codegen", short: "o", long: "output", writes: "o output"},
			{words: "screenshot|pdf", operands: "-w"}}},
		{words: "newman", outputs: "reporter-json-export reporter-junit-export reporter-html-export"},
		{words: "k6", outputs: "summary-export", forms: []form{{words: "run|cloud", in: Builds}}},
		{words: "stuff", hides: hidesAlways}, // screen -X stuff types it

		// Clients of agents. Whether a command starts an agent is not decided here.
		{words: "claude|codex|gemini|qwen|copilot|opencode|aider|cursor-agent|amp|droid|kimi|goose|claude-code|" +
			"gemini-cli|" +
			"qwen-code", long: commonGlobals + " c", in: Elsewhere,
			subs: knownSubs, forms: []form{{words: "mcp list|mcp get|plugin list|models|doctor|auth list",
				shows: showsOnly}}},

		// Databases.
		{words: "sqlite3|sqlite|sqlcipher", long: "cmd", hides: escapesToShell, effect: addSQLite,
			alsoIn: dropsData},
		{words: "mongosh|mongo", opaque: "eval f file", hides: escapesToShell, alsoIn: dropsData},
		{words: "dropdb|dropuser", in: Destroys},
		{words: "mysqladmin", also: condition{in: Destroys, operands: "drop shutdown"}},
		{words: "psql|mysql|mariadb|redis-cli|cqlsh|clickhouse-client|duckdb|sqlcmd|isql|usql|pgcli|" +
			"mycli|litecli|influx|cockroach|surreal",
			short: "cdfhLopPUvFRTeD", long: "command dbname file host log-file output port username variable " +
				"execute tee rdb functions-rdb", writes: "o L output log-file tee rdb functions-rdb",
			hides: escapesToShell, effect: addExported, alsoIn: dropsData},
		{words: "pg_dump|mysqldump|pg_dumpall|mongodump|mongoexport|mariadb-dump", short: "fhpUdnrtTDo",
			long: "file result-file host port username out tab", writes: "f r file result-file o out tab"},

		{words: "pg_basebackup|initdb|pgbench", short: "DX", long: "pgdata", writes: "D pgdata"},

		// Debuggers and tracers.
		{words: "gdb|lldb|cgdb|rr|dlv|radare2|r2|jdb", hides: runsDebugger},
		{words: "tcpdump|tshark|dumpcap|wireshark", short: "wircsWTYeVzGC", writes: "w W", runs: "z"},
		{words: "tmux", short: "cfLST", hides: startsInTmux, in: Elsewhere, forms: []form{
			{words: tmuxHarmless, hides: startsInTmux, in: noGroup},
			{words: tmuxQueries, shows: showsOnly, hides: startsInTmux}}},
	}}
