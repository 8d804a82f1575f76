package shell

// interpreterRows are shells, interpreters and databases. Code that is not on the line, or in a language that is not
// read, is unknown.
var interpreterRows = []form{
	{words: "sh|bash|zsh|dash|ksh|mksh|ash|rbash|ksh93|yash", interpret: runShell},
	{words: "crontab|at|batch", opaqueAlways: true, unless: "l c V", in: Elsewhere, destroysBy: "-r"},
	{words: "python|pypy", interpret: runPython, shows: showsOnly},
	{words: "perl|ruby", takes: "e E I M m x C D F", interpret: runInterpreter, shows: showsOnly,
		effect: addEditedInPlace},
	{words: "node|php", interpret: runInterpreter, shows: showsOnly},
	{words: "osascript", interpret: runForeign, in: Elsewhere},
	{words: "java|lua|r|pwsh|powershell|fish|ts-node|tsx|elixir|ghci|scala|kotlin|julia|groovy", interpret: runForeign},
	{words: "rails|django-admin|manage.py|artisan", interpret: runForeign, in: Builds, forms: []form{
		{words: "test", in: Tests},
		{words: "db:drop|db:reset|db:purge|db:drop:all|flush|reset_db|migrate:fresh|migrate:reset|db:wipe",
			in: Builds | Destroys},
		{words: "db:*|migrate|migrate:*|console|c|runner|dbconsole|shell|dbshell|tinker|loaddata", in: Builds,
			alsoIn: namesProduction}}},

	// Modules of Python, behind -m.
	{words: "json.tool", operands: "ro", takes: "indent", shows: showsKnown},
	{words: "coverage", in: Builds, forms: []form{
		{words: "report|debug", shows: showsKnown, evaluates: true, knows: "m show-missing skip-covered include " +
			"omit"}}},
	{words: "pytest|py.test|nose2|jest|phpunit|pest", in: Tests, evaluates: true,
		unless: "collect-only co fixtures markers listTests list-tests list-suites list-groups showConfig",
		takes:  testValues, writes: testOutputs},
	{words: "mocha|rspec|cucumber|behave|behat|ginkgo", in: Tests, evaluates: true, unless: "dry-run",
		takes: testValues, writes: testOutputs},
	{words: "unittest|vitest|ava|cypress|karma|busted|bats|gotestsum|richgo|paratest|jasmine|wdio|nightwatch|testcafe",
		in: Tests, takes: testValues, writes: testOutputs},
	{words: "playwright", writes: noOutputs, forms: []form{
		{words: "test", in: Tests, unless: "list", evaluates: true}}},

	// Clients of agents. Whether a command starts an agent is not decided here.
	{words: "claude|codex|gemini|qwen|copilot|opencode|aider|cursor-agent|amp|droid|kimi|goose|claude-code|" +
		"gemini-cli|qwen-code", takes: commonGlobals, in: Elsewhere, forms: []form{
		{words: "mcp list|mcp get|plugin list|doctor", shows: showsKnown}}},

	// Databases.
	{words: "sqlite3|duckdb", opaqueAlways: true, operands: "r", alsoIn: changesDatabase},
	{words: "psql|mysql|mariadb|redis-cli|mongosh|mongo|cqlsh|sqlcmd", takes: databaseValues, opaqueAlways: true,
		alsoIn: changesDatabase},
	{words: "pg_restore|mongorestore", takes: databaseValues, opaqueAlways: true, destroysBy: "-c --clean --drop",
		alsoIn: changesDatabase},
	{words: "prisma|sequelize|sequelize-cli|knex|flyway|liquibase|alembic|dbmate|drizzle-kit|typeorm",
		opaqueAlways: true, alsoIn: namesProduction, remoteBy: publishTargets, destroysBy: dropTargets +
			" reset clean drop* downgrade down rollback* *:rollback* *:undo* schema:drop push"},
	{words: "mysqladmin", destroysBy: "drop shutdown"},
	{words: "pg_dump|mysqldump|pg_dumpall|mariadb-dump",
		takes:  "f h p U d n r t T D o file result-file host port username out tab",
		writes: "f r file result-file o out tab"},
	{words: "tmux", takes: "c f L S T", in: Elsewhere, forms: []form{
		{words: "new-session|new|new-window|neww|split-window|splitw|respawn-window|respawnw|respawn-pane|respawnp",
			takes: "c e F l n s t x y", wraps: joined},
		{words: "send-keys|send|run-shell|run|pipe-pane|pipep", takes: "c d N t", wraps: joined},
		{words: "kill-session|kill-server|kill-window|kill-pane|select-window|select-pane|detach|resize-pane|attach|a",
			in: noGroup},
		{words: "ls|list-sessions|list-windows|list-panes|list-clients|list-keys|show-options|has-session|has|" +
			"capture-pane", shows: showsKnown}}},
}
