package shell

var interpreterFamily = family{title: "Shells, interpreters, clients of databases and debuggers", about: "", rows: []form{
	// Shells and interpreters.
	{words: "sh|bash|zsh|dash|ksh|mksh|ash|rbash|ksh93|yash", interpret: runShell},
	{words: "crontab|at|batch", interpret: runScheduled},
	{words: "python|pypy", interpret: runPython, effect: addPythonModule},
	{words: "perl|ruby", short: "eEIMmxCDF", interpret: runInterpreter, effect: addEditedInPlace},
	{words: "node", codeless: "--check -c --test", interpret: runInterpreter},
	{words: "php", codeless: "-l -i -m", interpret: runInterpreter},
	{words: "dart|swift", codeless: "test build analyze pub package", interpret: runInterpreter},
	{words: "lua|luajit|rscript|r|java", interpret: runInterpreter},
	{words: "osascript|expect|pwsh|powershell|cmd|fish|csh|tcsh|nu|elvish|xonsh|tclsh|wish|guile|julia|octave|racket|" +
		"sbcl|ghci|runghc|runhaskell|groovy|scala|kotlin|jshell|irb|pry|ipython|nodejs|ts-node|tsx|esno|swipl",
		interpret: runForeign},
	{words: "sqlite3|psql|mysql|lldb", hides: escapesToShell},
	{words: "gdb", long: "args", wraps: dashed, own: true, hides: escapesToShell},
	{words: "tmux", short: "cfLST", hides: startsInTmux, forms: []form{
		{words: tmuxQueries, shows: showsOnly, hides: startsInTmux}}},
}}
