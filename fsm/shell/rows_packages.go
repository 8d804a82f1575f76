package shell

var packagesFamily = family{
	title: "Package managers and build tools",
	about: "What they install or build is in the project. A script of the project that they run is known by its " +
		"name only.",
	rows: []form{
		{words: "npm", short: "CwF", long: npmGlobals + " script-shell", opaque: "script-shell",
			subs: checkedSubs, unless: "v", in: Builds, forms: []form{
				{words: "exec", short: "pcw", long: "package call workspace", wraps: eitherWay, own: true,
					fetches: true, in: runsTool},
				{words: "test", in: Tests},
				{words: "publish", in: Builds | Remote, dry: "dry-run"},
				{words: npmRemote, in: Remote, dry: "dry-run"},
				{words: "pkg set|pkg delete|pkg fix|init|create|set-script|set|edit|config set|config delete|" +
					"config edit|config fix", unnamed: true},
				{words: "explore", wraps: dashed, before: 1, own: true},
				{words: npmChanges, unnamed: true, unless: "dry-run"},
				{words: "version", effect: addNewVersion, shows: listsOnly},
				{words: "run", shows: listsOnly, tests: testTargets, script: true, also: condition{in: Remote,
					operands: publishTargets}},
				{words: npmQueries + "|audit", shows: showsOnly}}},
		{words: "pnpm", short: "CwF", long: npmGlobals, subs: checkedSubs, unless: "v", in: Builds,
			tests: testTargets, script: true, also: condition{in: Remote, operands: publishTargets}, forms: []form{
				{words: "publish", in: Builds | Remote, dry: "dry-run"},
				{words: npmRemote, in: Remote, dry: "dry-run"},
				{words: npmQueries, shows: showsOnly},
				{words: "audit", shows: showsOnly, changes: "fix"},
				{words: "run", shows: listsOnly, tests: testTargets, script: true, also: condition{in: Remote,
					operands: publishTargets}},
				{words: npmChanges + "|import|patch|patch-commit|deploy|approve-builds|init|create|up|fetch|" +
					"env use|env add|config set|config delete|store prune",
					unnamed: true},
				{words: "dlx", long: "package", wraps: argv, own: true, fetches: true, in: noGroup},
				{words: "exec", wraps: argv, own: true, in: runsTool}}},
		{words: "yarn", long: "cwd cache-folder registry", subs: checkedSubs, unless: "v", in: Builds,
			tests: testTargets, script: true, evaluates: true, also: condition{in: Remote, operands: publishTargets},
			forms: []form{
				{words: "publish|npm publish", in: Builds | Remote, dry: "n dry-run"},
				{words: npmRemote + "|npm tag", in: Remote},
				{words: "list|info|why|outdated|audit|versions|config get|config list|licenses list|npm info|" +
					"workspaces list",
					shows: showsOnly, evaluates: true},
				{words: "run", shows: listsOnly, tests: testTargets, script: true, also: condition{in: Remote,
					operands: publishTargets}},
				{words: "set version|config set|plugin import|import|upgrade|up|" + npmChanges, unnamed: true},
				{words: "dlx", short: "p", long: "package", wraps: argv, own: true, fetches: true, in: noGroup},
				{words: "exec", wraps: argv, own: true, in: runsTool}}},
		{words: "bun", short: "c", long: "cwd config filter", subs: checkedSubs, hides: runsFile,
			opaque: "e eval p print", in: Builds, tests: testTargets, script: true,
			forms: []form{
				{words: "publish", in: Builds | Remote, dry: "dry-run"},
				{words: "x", short: "p", long: "package", wraps: argv, own: true, fetches: true, in: noGroup},
				{words: "run", hides: runsFile, shows: listsOnly, tests: testTargets, script: true,
					also: condition{in: Remote, operands: publishTargets}},
				{words: "pm ls|pm bin|pm cache|pm hash|outdated|why|info", shows: showsOnly},
				{words: "build", outputs: "outdir outfile"},
				{words: "init|create|patch|upgrade|" + npmChanges, unnamed: true}}},
		{words: "npx", short: "CwFpc", long: npmGlobals + " package call", subs: knownSubs, wraps: eitherWay,
			own: true, fetches: true},
		{words: "pnpx", short: "CwF", long: npmGlobals, subs: knownSubs, wraps: argv, own: true, fetches: true},
		{words: "bunx", short: "cp", long: "cwd config filter package", subs: knownSubs, wraps: argv, own: true,
			fetches: true},
		{words: "deno", long: commonGlobals, subs: knownSubs, in: Builds, forms: []form{
			{words: "run|eval|repl|serve|task|x", interpret: runForeign},
			{words: "test|check|lint|bench", in: Tests},
			{words: "publish|deploy", in: Builds | Remote, dry: "dry-run"},
			{words: "info|doc|types|outdated", shows: showsOnly, outputs: "output", changes: "html"},
			{words: "compile|bundle", short: "o", outputs: usualOutputs, unnamed: true},
			{words: "add|remove|install|init|vendor|cache", unnamed: true},
			{words: "fmt", unnamed: true, unless: checkOnly}}},
		{words: "go", short: "C", subs: checkedSubs, in: Builds, forms: []form{
			{words: "run", hides: runsFile, opaque: "exec toolexec"},
			{words: "list", shows: showsOnly, changes: "toolexec mod modfile"},
			{words: "version|doc|env|mod graph|mod why|mod verify|help", shows: showsOnly, changes: "w u"},
			{words: "build", short: "op", outputs: "o pkgdir", opaque: "toolexec"},
			{words: "tool pprof|tool cover|tool nm|tool objdump|tool addr2line|tool dist|tool trace|tool buildid|" +
				"tool test2json", shows: showsOnly, outputs: "o output", changes: "w"},
			{words: "tool compile|tool asm|tool link|tool cgo|tool pack|tool fix|tool covdata", unnamed: true},
			{words: "tool", shows: listsOnly}, // with a name it runs it
			{words: "test", short: "op", outputs: "o coverprofile cpuprofile memprofile blockprofile mutexprofile " +
				"trace outputdir",
				opaque: "exec toolexec vettool", in: Tests},
			{words: "vet", opaque: "toolexec vettool", in: Tests},
			{words: "install|clean", opaque: "toolexec"},
			{words: "work init|work use|work sync|work edit", unnamed: true},
			{words: "fmt|fix|generate|get|mod tidy|mod edit|mod vendor|mod init", unnamed: true,
				unless: checkOnly + " n json print"}}},
		{words: "cargo", short: "CZ", long: "color config manifest-path target-dir", subs: checkedSubs,
			opaque: "config", in: Builds, forms: []form{
				{words: "test|check|bench|nextest run", in: Tests},
				{words: "publish|release", in: Builds | Remote, dry: "n dry-run"},
				{words: "yank|owner", in: Remote},
				{words: "tree|metadata|version|search|info|pkgid|locate-project|read-manifest|verify-project|help",
					shows: showsOnly},
				{words: "add|remove|rm|upgrade|update|generate-lockfile|vendor|package|clean|install|uninstall",
					unnamed: true,
					unless:  "dry-run n"},
				{words: "clippy", unnamed: true, when: "fix", in: Tests},
				{words: "fmt|fix|init|new", unnamed: true, unless: checkOnly}}},
		{words: "uv", short: "p", long: "directory project config-file cache-dir python color", subs: checkedSubs,
			in: Builds, forms: []form{
				{words: "run", short: "pe", long: "with python extra group env-file directory project " +
					"with-requirements with-editable package no-group only-group index-url", reads: "env-file",
					wraps: argv, own: true, in: runsTool},
				{words: "tool run", short: "p", long: "from with python", wraps: argv, own: true, fetches: true,
					in: noGroup},
				{words: "pip install|pip sync", short: "rtec", long: "requirement target prefix root",
					reads: "r requirement", outputs: "t target prefix root"},
				{words: "tree|version|python list|python find|tool list|pip list|pip show|pip freeze|pip tree|pip " +
					"check|cache dir|help",
					shows: showsOnly},
				{words: "pip compile|export", short: "o", outputs: usualOutputs},
				{words: "publish", in: Remote, dry: "dry-run"},
				{words: "build", short: "o", long: "out-dir", unnamed: true},
				{words: "add|remove|sync|lock|init|venv", unnamed: true, unless: "dry-run check"}}},
		{words: "uvx", short: "p", long: "directory project config-file cache-dir python color from with",
			subs:  knownSubs,
			wraps: argv, own: true, fetches: true},
		{words: "poetry|hatch|pipenv|pdm|rye|pixi", short: "CPpe", long: "directory project env",
			subs: checkedSubs, in: Builds, forms: []form{
				{words: "run", short: "p", wraps: argv, own: true, in: runsTool},
				{words: "show|check|version|env info|env list|env show|config --list|graph|list|info|search",
					shows: listsOnly},
				{words: "publish", in: Builds | Remote, dry: "dry-run"},
				{words: "export", outputs: usualOutputs},
				{words: "add|remove|install|update|lock|init|new|sync|uninstall|build|upgrade", unnamed: true,
					unless: "dry-run"}}},
		{words: "pip|pip3", long: "log proxy retries timeout cache-dir python", subs: checkedSubs, writes: "log",
			in: Builds, forms: []form{
				{words: "list|show|freeze|check|index versions|config list|config get|cache list|cache " +
					"info|cache dir|inspect|debug",
					long: "log", writes: "log", shows: showsOnly},
				{words: "download|wheel", short: "dwr", long: "dest wheel-dir requirement", into: "d dest w wheel-dir",
					reads: "r requirement"},
				{words: "install", short: "rtec", long: "requirement target prefix root report",
					reads:   "r requirement",
					outputs: "t target prefix root report"}}},
		{words: "pip-compile|pip-sync|pipreqs|pip-tools", short: "o", long: "output-file", writes: "o " +
			"output-file", unnamed: true,
			unless: "n dry-run"},
		{words: "pipx", forms: []form{
			{words: "run", long: "spec python", wraps: argv, own: true, fetches: true},
			{words: "list|environment", shows: showsOnly}}},
		{words: "bundle", long: commonGlobals, subs: knownSubs, in: Builds, forms: []form{
			{words: "exec", wraps: argv, own: true, in: runsTool},
			{words: "list|show|info|check|outdated|platform", shows: showsOnly, evaluates: true},
			{words: "config list|config get", shows: showsOnly, evaluates: true},
			{words: "config", shows: listsOnly, evaluates: true},
			{words: "install|update|add|remove|lock|init|clean", unnamed: true}}},
		{words: "gem", in: Builds, forms: []form{
			{words: "list|search|info|env|which|outdated|contents", shows: showsOnly},
			{words: "push|yank|owner", in: Remote},
			{words: "build|unpack|fetch", unnamed: true}}},
		{words: "composer", long: "working-dir", subs: knownSubs, in: Builds, tests: testTargets, script: true,
			forms: []form{
				{words: "exec", wraps: argv, own: true, in: runsTool},
				{words: "run-script|run", tests: testTargets, script: true, also: condition{in: Remote,
					operands: publishTargets}},
				{words: "show|info|outdated|validate|licenses|depends|why|search|about", shows: showsOnly},
				{words: "install|update|require|remove|init|create-project|dump-autoload", unnamed: true,
					unless: "dry-run"}}},
		{words: "conda|mamba|micromamba", long: commonGlobals, subs: knownSubs, forms: []form{
			{words: "run", short: "np", long: "name prefix cwd", wraps: argv, own: true},
			{words: "list|info|search|env list|config --show", shows: showsOnly}}},
		{words: "brew|rustup|port|snap|flatpak|winget|scoop|choco", long: commonGlobals, subs: checkedSubs,
			forms: []form{
				{words: "run", wraps: argv, before: 1, own: true},
				{words: "list|ls|info|search|show|which|outdated|deps|leaves|config|doctor|toolchain list|target " +
					"list|component list|check", shows: showsOnly}}},
		{words: "just|task|go-task|rake|mage", alsoIn: runsTask, long: commonGlobals, when: "init fmt dump",
			unnamed: true, in: Builds,
			tests: testTargets, evaluates: true,
			opaque: "command e execute p execute-print E execute-continue",
			unless: "l list T tasks P prereqs summary version V"},
		{words: "invoke|inv", short: "TDc", in: Builds, tests: testTargets, evaluates: true,
			unless: "l list V version"},
		{words: "ant", short: "fD", in: Builds, tests: testTargets, evaluates: true,
			unless: "p -projecthelp -version -diagnostics"},
		{words: "nox", short: "fsektRpP", in: Builds, evaluates: true, unless: "l list list-sessions version"},
		{words: "tox", short: "ec", long: commonGlobals, in: Tests, evaluates: true, unless: "l listenvs a"},
		{words: "gulp|grunt|jake|poe|doit|xmake|scons|waf|b2|tup|redo|build|npm-run-all|run-s|run-p|nps|makers|" +
			"electron|cs|coursier", long: commonGlobals, subs: knownSubs, in: Builds, tests: testTargets},
		{words: "sbt|mill|bloop|scala-cli", subs: knownSubs, in: Builds, tests: testTargets,
			also: condition{in: Remote, operands: publishTargets}, forms: []form{
				{words: "about|projects|version|help", shows: listsOnly, evaluates: true},
				{words: "resolve", shows: listsOnly, upTo: 1, evaluates: true}}},
		{words: "bazel|bazelisk|please|plz|buck|buck2|pants|lein|shadow-cljs|stack|cabal|rebar3|dune",
			long: commonGlobals, subs: knownSubs, in: Builds, alsoIn: usesDaemon, forms: []form{
				{words: "upload|hex publish|deploy", in: Builds | Remote},
				{words: "exec", wraps: argv, own: true, in: runsTool},
				{words: "query|cquery|aquery|info|version|help|targets|tree|deps :tree|ls|path|list", shows: showsOnly,
					evaluates: true, outputs: "output_file"},
				{words: "test|check|coverage|runtest|eunit|ct|dialyzer|xref", in: Tests, alsoIn: usesDaemon},
				{words: "init|new|add|remove|install|upgrade", unnamed: true}}},
		{words: "dotnet", long: commonGlobals, subs: knownSubs, in: Builds, shows: listsOnly, forms: []form{
			{words: "test", in: Tests},
			{words: "nuget push|nuget delete", in: Remote},
			{words: "format", unnamed: true, unless: checkOnly},
			{words: "list|sdk check|nuget list|sln list|tool list|tool search|workload list", shows: showsOnly,
				evaluates: true},
			{words: "new|add|remove|restore|sln", unnamed: true}}},
		{words: "pipeline", long: "config session project dir", subs: checkedSubs, forms: []form{
			{words: "status|explain|log|check|graph|help|version|config", shows: showsOnly, changes: "o " +
				"output open"}}},
		{words: "make|bmake|remake", short: "CfIjloWE", long: "directory file makefile include-dir jobs " +
			"eval old-file what-if",
			unless: "n just-print dry-run recon q question v", opaque: "E eval", in: Builds, tests: testTargets,
			also:      condition{in: Remote, operands: publishTargets},
			evaluates: true},
		{words: "ninja|samu", short: "Cfjkltwd", unless: "n", in: Builds, tests: testTargets, shows: listsOnly,
			lists: "t", upTo: -1, effect: addNinjaTool},
		{words: "cmake", short: "CDUGTASBPE", long: "build install preset target config parallel", in: Builds,
			shows: listsOnly, lists: "list-presets", upTo: -1, changes: "build install preset workflow open E P C"},
		{words: "meson", in: Builds, forms: []form{
			{words: "introspect", shows: showsOnly},
			{words: "test", in: Tests},
			{words: "setup|init|format", unnamed: true}}},
		{words: "ctest", short: "CRELDMTSj", in: Tests, evaluates: true, unless: "N show-only",
			opaque: "S script script-new-process build-and-test"},
		{words: "mvn|mvnw|mvnd", short: "fPDbslT", long: "file settings global-settings projects pl resume-from rf",
			subs: knownSubs, unless: "v version", in: Builds, tests: testTargets, outputs: mavenOutputs,
			alsoIn: deploysByMaven,
			forms: []form{
				{words: "dependency:tree|dependency:list|help:effective-pom|help:effective-settings|" +
					"help:active-profiles|help:all-profiles|help:describe|help:evaluate|help:system|" +
					"versions:display-dependency-updates|versions:display-plugin-updates|enforcer:display-info",
					short: "fPDbslT", long: "file settings global-settings projects pl resume-from rf",
					shows: listsOnly, evaluates: true, outputs: mavenOutputs},
				{words: "init|archetype:generate", unnamed: true}}},
		{words: "gradle|gradlew", short: "PDpbIcg", long: gradleValues, subs: knownSubs,
			unless: "m dry-run v version status",
			in:     Builds, tests: testTargets + " *:test *:check *:lint", evaluates: true, alsoIn: runsByGradle,
			forms: []form{
				{words: "tasks|projects|dependencies|dependencyInsight|properties|javaToolchains|outgoingVariants|" +
					"resolvableConfigurations|buildEnvironment|help", short: "PDpbIcg", long: gradleValues,
					shows: listsOnly, evaluates: true, changes: "write-locks write-verification-metadata scan"},
				{words: "init|wrapper", unnamed: true}}},
		{words: "msbuild|nuget|nuke|vstest.console|paket", in: Builds, unless: "-version version",
			forms: []form{
				{words: "push|delete", in: Remote},
				{words: "list|sources list|locals all -list", shows: showsOnly}}},
		{words: "xcodebuild", in: Builds, subs: knownSubs,
			long: "project workspace scheme configuration destination sdk arch derivedDataPath " +
				"resultBundlePath testPlan xcconfig",
			unless: "-list -version -showsdks -showBuildSettings -showdestinations -showTestPlans",
			forms:  []form{{words: "test|build-for-testing|test-without-building", in: Tests}}},
		{words: "gotestsum|richgo|codecept|paratest|minitest|tap|jasmine|wdio|xctest|" +
			"nightwatch|testcafe|shellspec|wtr", in: Tests},
		// Tools that only build or run: of their calls, --version and --help alone show something.
		{words: "goreleaser|ko|wails|tinygo|gomobile|trunk|wasm-pack|cross|maturin|bacon|dx|fastlane|" +
			"electron-builder|electron-forge|react-scripts|vue-cli-service|craco|remix|tauri|arduino-cli|dagger|" +
			"devenv|flask|uvicorn|gunicorn|hypercorn|daphne|celery|streamlit|fastapi|scrapy|locust|puma|rackup|" +
			"unicorn|sidekiq|foreman|overmind|guard|symfony|quarkus|grails|jbang|dzil|minil|cpanm|luarocks|forge|" +
			"hardhat|truffle|anchor|pio|platformio|west|idf.py|gn|jom|nmake|earthly|skaffold|tilt|devspace|" +
			"gitlab-ci-local|react-native", in: Builds, tests: testTargets,
			also: condition{in: Remote, operands: publishTargets + " upload release submit"},
			forms: []form{
				{words: "list|show|search|help|version|info|doctor|ls|device list|board list", shows: showsOnly,
					evaluates: true}}},
		{words: "act", in: Builds, unless: "l list n dryrun"},
		{words: "circleci|gitlab-runner", forms: []form{{words: "local|exec", in: Builds}}},
		{words: "nyc|c8", wraps: argv, own: true, in: runsTool},

		// Tools that make and change projects, and versions of tools.
		{words: "ng|nest|vue|nx|turbo|flutter|gleam|dub|nimble|shards|husky|storybook|" +
			"docusaurus|gatsby|expo|ionic|cordova|quasar|ember|tuist|pod|carthage|xcodegen|cz|" +
			"commitizen|towncrier|reuse|opam|spago|sdk|alire|alr|moon", subs: knownSubs,
			long: commonGlobals, in: Builds, also: condition{in: Remote, operands: publishTargets}, dry: "n dry-run",
			forms: []form{
				{words: "test|check", in: Tests},
				{words: "lint", in: noGroup},
				{words: "new|init|create|generate|g|gen|add|remove|install|update|upgrade|migrate|version|bump|" +
					"build|clear|eject|switch create|switch link|pin|addheader|annotate|gen:component|alias default",
					unnamed: true, unless: "dry-run d"},
				{words: "exec", wraps: argv, own: true, in: runsTool},
				{words: "doctor|devices|emulators|list|ls|show|info|report|status|graph", shows: showsOnly,
					changes: "f file web"}}},
		{words: "nvm|fnm|pyenv|rbenv|asdf|volta|nodenv|goenv|jenv|tfenv", forms: []form{
			{words: "exec", wraps: argv, own: true},
			{words: "run", long: "node npm yarn", wraps: argv, own: true},
			{words: versionQueries, shows: showsOnly},
			{words: versionChanges, unnamed: true}}},
		{words: "mise|rtx", forms: []form{
			{words: "run|r|tasks run", in: Builds, tests: testTargets, script: true},
			{words: "exec|x", wraps: dashed, own: true},
			{words: versionQueries, shows: showsOnly},
			{words: versionChanges, unnamed: true}}},
		{words: "direnv", forms: []form{
			{words: "exec", wraps: argv, before: 1, own: true},
			{words: "allow|permit|grant|edit|prune", unnamed: true},
			{words: "status|version", shows: showsOnly}}},
		{words: "zig", forms: []form{
			{words: "init|init-exe|init-lib|fmt|fetch|build-exe|build-lib|build-obj|cc|c++|ar|objcopy|translate-c",
				unnamed: true, unless: "check"},
			{words: "build|run", in: Builds},
			{words: "test", in: Tests},
			{words: "version|env|targets|zen|libc", shows: showsOnly}}},
		{words: "lint-staged|standard-version|bumpversion|bump2version|bump-my-version|" +
			"bumpver|addlicense|gitmoji|auto-changelog|conventional-changelog|git-cliff|sphinx-quickstart|" +
			"npm-check-updates|ncu|syncpack|sort-package-json|melos|rush",
			unnamed: true, unless: "dry-run check"},
		{words: "apt|apt-get|dnf|yum|pacman|apk|zypper", short: "cto", long: "option config-file target-release",
			subs: checkedSubs,
			forms: []form{{words: "list|show|search|policy|depends|rdepends|info|repolist", shows: showsOnly,
				changes: "o option c config-file"}}},
		{words: "apt-cache|dpkg-query|rpmquery", shows: showsOnly},
		{words: "nix", long: "option log-format extra-experimental-features experimental-features store",
			subs: checkedSubs, stdin: true, in: Builds, forms: []form{
				{words: "flake check", in: Tests},
				{words: "develop|shell", wraps: afterC, own: true, stdin: true},
				{words: "run", wraps: dashed, before: 1, own: true},
				{words: "flake show|flake metadata|path-info|log|search|why-depends|hash|store ls|show-config|" +
					"config show|config check|profile list|profile history|registry list|help", shows: showsOnly},
				{words: "flake update|flake lock|flake init|flake new|fmt", unnamed: true},
				{words: "build", short: "o", long: "out-link", writes: "o out-link", makes: "result",
					prints: "no-link dry-run"}}},
		{words: "nix-build", short: "oAI", long: "out-link attr", writes: "o out-link", makes: "result",
			prints: "no-out-link Q dry-run", in: Builds},
		{words: "hg|sl", short: "R", opaque: "config", forms: []form{
			{words: "status|log|diff|summary|branches|tags|heads|identify|parents|annotate|cat|manifest|paths|" +
				"root|showconfig|grep",
				shows: showsOnly, changes: "o output config"},
			{words: "update|revert|purge|clone|init|import|rebase|merge|graft|backout|unshelve|shelve",
				unnamed: true, unless: checkOnly},
			{words: "push|email|bookmark push", in: Remote},
			{words: "pull", unnamed: true, when: "u", unless: checkOnly}}},
		{words: "svn", alsoIn: changesRepository, forms: []form{
			{words: "commit|ci|import", in: Remote},
			{words: "status|log|diff|info|list|cat|blame|proplist", shows: showsOnly, changes: "diff-cmd"},
			{words: "update|checkout|revert|merge|switch|patch|cleanup|export|resolve", unnamed: true}}},
		{words: "jj", short: "R", opaque: "config config-file", forms: []form{
			{words: "log|status|st|diff|show|op log|bookmark list|file list|file show|root|version|evolog|" +
				"interdiff|config list|config get",
				shows: showsOnly, changes: "tool"},
			{words: "git push", in: Remote | Elsewhere, dry: "dry-run"},
			{words: "new|edit|restore|abandon|squash|rebase|undo|git clone|git init|op restore|workspace add|" +
				"revert", unnamed: true}}},
	}}
