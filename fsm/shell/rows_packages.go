package shell

// packagesRows are package managers and build tools. What they install or build is in the project. A script of the
// project that they run is known by its name only.
var packagesRows = []form{
	{words: "npm", takes: npmGlobals + " script-shell", opaque: "script-shell", unless: "v", in: Builds,
		forms: []form{
			{words: "exec", takes: "p c w package call workspace", wraps: eitherWay, fetches: true, in: noGroup},
			{words: "test", in: Tests},
			{words: "publish", in: Builds | Remote, dry: "dry-run"},
			{words: npmRemote, in: Remote, dry: "dry-run"},
			{words: "explore", wraps: dashed, before: 1},
			{words: "version", shows: listsKnown},
			{words: "run", takes: "w workspace", shows: listsKnown, knows: "s silent if-present workspaces ws",
				tests: testTargets, script: true, remoteBy: publishTargets, destroysBy: dropTargets},
			{words: "audit fix"},
			{words: npmQueries + "|audit", shows: showsKnown, knows: "g global prod omit audit-level parseable"}}},
	{words: "pnpm|bun|yarn", takes: npmGlobals + " c cwd config cache-folder", unless: "v", hides: runsFile,
		opaque: "e eval p print", in: Builds, tests: testTools, script: true, evaluates: true,
		remoteBy: publishTargets, destroysBy: dropTargets, forms: []form{
			{words: "publish|npm publish", in: Builds | Remote, dry: "dry-run"},
			{words: npmRemote + "|npm tag", in: Remote, dry: "dry-run"},
			{words: npmQueries + "|audit|versions|pm ls|pm bin|pm cache|pm hash|npm info|workspaces list",
				shows: showsKnown, evaluates: true, changes: "fix", knows: "r recursive depth long prod"},
			{words: "run|workspaces run|workspaces foreach run", takes: "F filter", hides: runsFile, shows: listsKnown,
				knows: "s silent if-present r recursive parallel", tests: testTools, script: true},
			{words: "dlx|x", takes: "p package", wraps: argv, fetches: true, in: noGroup},
			{words: "exec", wraps: argv, in: noGroup},
			{words: "build", writes: "outdir outfile"}}},
	{words: "npx|pnpx|bunx|uvx", takes: npmGlobals + " c p call cwd config package directory project " +
		"config-file cache-dir python color from with", wraps: eitherWay, fetches: true},
	{words: "deno", takes: commonGlobals, in: Builds, forms: []form{
		{words: "run|eval|repl|serve|task|x", interpret: runForeign},
		{words: "test|check|lint|bench", in: Tests},
		{words: "publish|deploy", in: Builds | Remote, dry: "dry-run"},
		{words: "info|outdated", shows: showsKnown},
		{words: "compile|bundle", takes: "o", writes: usualOutputs, unnamed: true}}},
	{words: "go", takes: "C", in: Builds, forms: []form{
		{words: "run", hides: runsFile, opaque: "exec toolexec", remoteBy: "deploy publish release"},
		{words: "list", shows: showsOnly, changes: "toolexec mod modfile"},
		{words: "version|doc|env|mod graph|mod why|mod verify|help", shows: showsOnly, changes: "w u"},
		{words: "build", writes: "o pkgdir", opaque: "toolexec"},
		{words: "tool pprof|tool cover|tool nm|tool objdump|tool dist|tool trace", knows: "func mode size sort type " +
			"n s S gnu top text list cum nodecount lines", shows: showsKnown, writes: "o output"},
		{words: "tool", shows: listsKnown},
		{words: "test", writes: "o coverprofile cpuprofile memprofile blockprofile mutexprofile trace outputdir",
			opaque: "exec toolexec vettool", in: Tests},
		{words: "vet", opaque: "toolexec vettool", in: Tests},
		{words: "install|clean", opaque: "toolexec"}}},
	{words: "cargo", takes: "C Z color config manifest-path target-dir", opaque: "config", in: Builds,
		forms: []form{
			{words: "test|check|bench|nextest run", in: Tests},
			{words: "publish|release|smart-release|workspaces publish", in: Builds | Remote, dry: "n dry-run"},
			{words: "yank|owner", in: Remote},
			{words: "fmt", unnamed: true, unless: "-- check", evaluates: true},
			{words: "tree|metadata|version|search|info|pkgid|locate-project|help", knows: "i e p d F invert " +
				"format-version package edges duplicates features manifest-path workspace prefix limit",
				shows: showsKnown},
			{words: "clippy", unnamed: true, when: "fix", in: Tests}}},
	{words: "uv", takes: "p directory project config-file cache-dir python color", in: Builds, forms: []form{
		{words: "run", takes: "p e with python extra group env-file directory project with-requirements " +
			"with-editable package no-group only-group index-url", reads: "env-file", wraps: argv, in: noGroup},
		{words: "tool run", takes: "p from with python", wraps: argv, fetches: true, in: noGroup},
		{words: "pip install|pip sync", takes: "r t e c requirement target prefix root", reads: "r requirement",
			writes: "t target prefix root"},
		{words: "tree|version|python list|python find|tool list|pip list|pip show|pip freeze|pip tree|pip check|" +
			"cache dir|help", shows: showsKnown},
		{words: "publish", in: Remote, dry: "dry-run"},
		{words: "build", takes: "o out-dir", unnamed: true}}},
	{words: "poetry|hatch|pipenv|pdm|rye|pixi|bundle|composer",
		takes: "C P p e " + commonGlobals + " directory env working-dir", in: Builds, tests: testTargets,
		script: true, forms: []form{
			{words: "run|exec|run-script", takes: "p", wraps: argv, in: noGroup, remoteBy: publishTargets},
			{words: "show|check|info|list|search|outdated|graph|platform|validate|licenses|depends|why|env info|env " +
				"list|env show|config --list|config list|config get", shows: showsKnown, evaluates: true},
			{words: "version|config", shows: listsKnown, evaluates: true},
			{words: "publish", in: Builds | Remote, dry: "dry-run"}}},
	{words: "pip|pip3", takes: "log proxy retries timeout cache-dir python", in: Builds, forms: []form{
		{words: "list|show|freeze|check|index versions|config list|config get|cache list|cache info|cache dir|" +
			"inspect|debug", takes: "log", writes: "log", shows: showsKnown},
		{words: "install|download|wheel", takes: "r t e c d w requirement target prefix root report dest wheel-dir log",
			reads: "r requirement", writes: "t target prefix root report d dest w wheel-dir log"}}},
	{words: "pipx", forms: []form{
		{words: "run", takes: "spec python", wraps: argv, fetches: true}}},
	{words: "gem", in: Builds, forms: []form{
		{words: "list|search|info|env|which|outdated|contents", shows: showsKnown},
		{words: "push|yank|owner", in: Remote}}},
	{words: "just|task|go-task|rake|mage", remoteBy: publishTargets, destroysBy: dropTargets,
		takes: commonGlobals, when: "init fmt dump", unnamed: true, in: Builds, tests: testTargets, evaluates: true,
		opaque: "command e execute p execute-print E execute-continue",
		unless: "l list T tasks P prereqs summary version V"},
	{words: "tox|nox", in: Tests, evaluates: true, unless: "l list list-sessions listenvs"},
	{words: "bazel|bazelisk|buck|buck2|pants|lein|shadow-cljs|stack|cabal|dune", takes: commonGlobals, in: Builds,
		alsoIn: usesDaemon, forms: []form{
			{words: "upload|deploy|publish", in: Builds | Remote},
			{words: "run", alsoIn: usesDaemon, remoteBy: publishTargets},
			{words: "exec", wraps: argv, in: noGroup},
			{words: "query|cquery|aquery|info|version|help|targets|ls|path|list", shows: showsKnown, evaluates: true,
				writes: "output_file", knows: "output keep_going noimplicit_deps nohost_deps"},
			{words: "test|check|coverage|runtest", in: Tests, alsoIn: usesDaemon}}},
	{words: "dotnet", takes: commonGlobals, in: Builds, shows: listsKnown, knows: "list-sdks list-runtimes info",
		forms: []form{
			{words: "test", in: Tests},
			{words: "format", unnamed: true, unless: "verify-no-changes", evaluates: true},
			{words: "nuget push|nuget delete", in: Remote},
			{words: "ef database drop", in: Builds | Destroys},
			{words: "publish|ef"},
			{words: "list|sdk check|sln list|tool list|tool search|workload list", shows: showsKnown,
				evaluates: true}}},
	{words: "pipeline", takes: "config session project dir", forms: []form{
		{words: "status|explain|log|check|graph|help|version|config", shows: showsKnown}}},
	{words: "make|bmake|remake",
		takes:  "C f I j l o W E directory file makefile include-dir jobs eval old-file what-if",
		unless: "n just-print dry-run recon q question v", opaque: "E eval", hides: readsMakefile, in: Builds,
		tests: testTargets, remoteBy: publishTargets, destroysBy: dropTargets, evaluates: true},
	{words: "ninja|samu", takes: "C f j k l t w d", unless: "n", in: Builds, tests: testTargets},
	{words: "cmake", takes: "C D U G T A S B P E build install preset target config parallel", in: Builds,
		unless: "list-presets", opaque: "open E P C"},
	{words: "ctest", in: Tests, evaluates: true, unless: "N show-only", opaque: "S script script-new-process " +
		"build-and-test"},
	{words: "mvn|mvnw|mvnd", takes: "f P D b s T file settings global-settings projects pl resume-from rf",
		unless: "v version", in: Builds, tests: testTargets, writes: mavenOutputs, alsoIn: usesDaemon,
		remoteBy: "deploy deploy:* *:deploy site-deploy release:p* *:publish *:push jib:build scm:checkin " +
			"nexus-staging:*", forms: []form{
			{words: "dependency:tree|dependency:list|help:effective-pom|help:effective-settings|help:active-profiles|" +
				"help:describe|help:evaluate|versions:display-dependency-updates",
				takes: "f P D b s T file settings global-settings projects pl resume-from rf", shows: listsKnown,
				evaluates: true}}},
	{words: "gradle|gradlew", takes: gradleValues, unless: "m dry-run v version status", in: Builds,
		tests: testTargets, evaluates: true, alsoIn: usesDaemon,
		remoteBy: publishTargets + " uploadArchives closeAndRelease* *Deploy jib",
		forms: []form{
			{words: "tasks|projects|dependencies|dependencyInsight|properties|javaToolchains|buildEnvironment|help",
				takes: gradleValues, shows: listsKnown, evaluates: true,
				changes: "write-locks write-verification-metadata scan"}}},

	// Tools of which no call but --version and --help is known to show something: their words are tasks of the project.
	{words: "gulp|grunt|run-s|run-p|npm-run-all|scons|ant|xmake|sbt|mill|scala-cli|rebar3|msbuild|build|" +
		"wasm-pack|cross|maturin|fastlane|electron-builder|react-scripts|remix|tauri|flask|uvicorn|gunicorn|celery|" +
		"streamlit|fastapi|puma|rackup|sidekiq|symfony|quarkus|earthly|react-native", takes: commonGlobals, in: Builds,
		tests: testTargets, remoteBy: publishTargets + " submit deliver pilot beta supply ci-release *.publish* --push",
		destroysBy: "purge"},
	{words: "goreleaser", in: Builds | Remote, dry: "snapshot", forms: []form{
		{words: "build|check|init|healthcheck|jsonschema|completion|changelog", in: Builds}}},
	{words: "act", in: Builds, unless: "l list n dryrun"},
	{words: "xcodebuild", in: Builds, tests: testTargets, unless: "-list -version -showsdks -showBuildSettings"},
	{words: "nyc|c8", wraps: argv, in: noGroup},

	// Tools that build, and make and change projects.
	{words: "ng|nest|vue|nx|turbo|flutter|dart|swift|mix|zig|meson|gleam|storybook|docusaurus|gatsby|expo|ionic|pod|" +
		"hardhat|forge", hides: runsFile, takes: commonGlobals, in: Builds, dry: "n dry-run",
		remoteBy:   publishTargets + " hex.publish hex.retire hex.owner trunk --broadcast --network",
		destroysBy: "ecto.drop ecto.reset", forms: []form{
			{words: "test|check|lint|analyze", in: Tests},
			{words: "run|run-many|affected", hides: runsFile, tests: testTargets},
			{words: "exec", wraps: argv, in: noGroup},
			{words: "doctor|devices|emulators|list|ls|show|info|report|version|env|targets|introspect|pub deps|pub " +
				"outdated|package describe|package show-dependencies", shows: showsKnown, evaluates: true,
				knows: "targets"}}},
	{words: "mise|rtx", forms: []form{
		{words: "run|r|tasks run", in: Builds, tests: testTargets, script: true},
		{words: "exec|x", wraps: dashed},
		{words: "ls|list|current|which|doctor", shows: showsKnown}}},
	{words: "brew|rustup|port|snap|winget|scoop|choco|conda|mamba|apt|apt-get|dnf|yum|pacman|apk|zypper|nvm|fnm|" +
		"pyenv|rbenv|asdf|volta", takes: "c t o " + commonGlobals + " option config-file target-release",
		forms: []form{
			{words: "list|ls|info|search|show|which|outdated|deps|doctor|toolchain list|target list|check|env list|" +
				"config --show|policy|depends|rdepends|repolist|current|versions|version|where|ls-remote|status",
				shows: showsKnown, knows: clientLooks}}},
	{words: "apt-cache|dpkg-query|rpmquery", shows: showsKnown},
	{words: "nix", takes: "option log-format extra-experimental-features experimental-features store", in: Builds,
		forms: []form{
			{words: "flake check", in: Tests},
			{words: "develop|shell", wraps: afterC},
			{words: "run", wraps: dashed, before: 1},
			{words: "flake show|flake metadata|path-info|log|search|why-depends|config show|profile list|registry list",
				shows: showsKnown},
			{words: "build", takes: "o out-link", writes: "o out-link"}}},
	{words: "nix-build", takes: "o A I out-link attr", writes: "o out-link", in: Builds},
	{words: "svn", forms: []form{
		{words: "copy|cp|move|mv|rename|mkdir|delete|del|remove|rm|propset|lock|unlock", takes: "m F r message file",
			unnamed: true, alsoIn: sendsFiles},
		{words: "commit|ci|import", in: Remote},
		{words: "status|log|diff|info|list|cat|blame", shows: showsKnown}}},
}
