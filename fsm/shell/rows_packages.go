package shell

var packagesFamily = family{
	title: "Package managers and build tools",
	about: "What they install or build is in the project. A script of the project that they run is known by its " +
		"name only.",
	rows: []form{
		{words: "npm", short: "CwF", long: npmGlobals + " script-shell", opaque: "script-shell",
			subs: checkedSubs, unless: "v", forms: []form{
				{words: "exec", short: "pcw", long: "package call workspace", wraps: eitherWay, own: true,
					fetches: true},
				{words: "pkg set|pkg delete|pkg fix|init|create|set-script|set|edit|config set|config delete|" +
					"config edit|config fix", unnamed: true},
				{words: "explore", wraps: dashed, before: 1, own: true},
				{words: npmChanges, unnamed: true, unless: "dry-run"},
				{words: "version", effect: addNewVersion, shows: listsOnly},
				{words: "run", shows: listsOnly},
				{words: npmQueries + "|audit", shows: showsOnly}}},
		{words: "pnpm", short: "CwF", long: npmGlobals, subs: checkedSubs, unless: "v", forms: []form{
			{words: npmQueries, shows: showsOnly},
			{words: "audit", shows: showsOnly, changes: "fix"},
			{words: "run", shows: listsOnly},
			{words: npmChanges + "|import|patch|patch-commit|deploy|approve-builds|init|create|up|fetch|" +
				"env use|env add|config set|config delete|store prune",
				unnamed: true},
			{words: "dlx", long: "package", wraps: argv, own: true, fetches: true},
			{words: "exec", wraps: argv, own: true}}},
		{words: "yarn", long: "cwd cache-folder registry", subs: checkedSubs, unless: "v", forms: []form{
			{words: "list|info|why|outdated|audit|versions|config get|config list|licenses list|npm info|" +
				"workspaces list",
				shows: showsOnly},
			{words: "run", shows: listsOnly},
			{words: "set version|config set|plugin import|import|upgrade|up|" + npmChanges, unnamed: true},
			{words: "dlx", short: "p", long: "package", wraps: argv, own: true, fetches: true},
			{words: "exec", wraps: argv, own: true}}},
		{words: "bun", short: "c", long: "cwd config filter", subs: checkedSubs, hides: runsFile,
			opaque: "e eval p print",
			forms: []form{
				{words: "x", short: "p", long: "package", wraps: argv, own: true, fetches: true},
				{words: "run", hides: runsFile, shows: listsOnly},
				{words: "pm ls|pm bin|pm cache|pm hash|outdated|why|info", shows: showsOnly},
				{words: "build", outputs: "outdir outfile"},
				{words: "init|create|patch|upgrade|" + npmChanges, unnamed: true}}},
		{words: "npx", short: "CwFpc", long: npmGlobals + " package call", subs: knownSubs, wraps: eitherWay,
			own: true, fetches: true},
		{words: "pnpx", short: "CwF", long: npmGlobals, subs: knownSubs, wraps: argv, own: true, fetches: true},
		{words: "bunx", short: "cp", long: "cwd config filter package", subs: knownSubs, wraps: argv, own: true,
			fetches: true},
		{words: "deno", long: commonGlobals, subs: knownSubs, forms: []form{
			{words: "run|eval|repl|serve|task|x", interpret: runForeign},
			{words: "info|doc|types|outdated", shows: showsOnly, outputs: "output", changes: "html"},
			{words: "compile|bundle", short: "o", outputs: usualOutputs, unnamed: true},
			{words: "add|remove|install|init|vendor|cache", unnamed: true},
			{words: "fmt", unnamed: true, unless: checkOnly}}},
		{words: "go", short: "C", subs: checkedSubs, forms: []form{
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
				opaque: "exec toolexec vettool"},
			{words: "vet|install|clean", opaque: "toolexec vettool"},
			{words: "work init|work use|work sync|work edit", unnamed: true},
			{words: "fmt|fix|generate|get|mod tidy|mod edit|mod vendor|mod init", unnamed: true,
				unless: checkOnly + " n json print"}}},
		{words: "cargo", short: "CZ", long: "color config manifest-path target-dir", subs: checkedSubs,
			opaque: "config", forms: []form{
				{words: "tree|metadata|version|search|info|pkgid|locate-project|read-manifest|verify-project|help",
					shows: showsOnly},
				{words: "add|remove|rm|upgrade|update|generate-lockfile|vendor|package|clean|install|uninstall",
					unnamed: true,
					unless:  "dry-run n"},
				{words: "clippy", unnamed: true, when: "fix"},
				{words: "fmt|fix|init|new", unnamed: true, unless: checkOnly}}},
		{words: "uv", short: "p", long: "directory project config-file cache-dir python color", subs: checkedSubs,
			forms: []form{
				{words: "run", short: "pe", long: "with python extra group env-file directory project " +
					"with-requirements " +
					"with-editable package no-group only-group index-url", reads: "env-file", wraps: argv, own: true},
				{words: "tool run", short: "p", long: "from with python", wraps: argv, own: true, fetches: true},
				{words: "pip install|pip sync", short: "rtec", long: "requirement target prefix root",
					reads: "r requirement", outputs: "t target prefix root"},
				{words: "tree|version|python list|python find|tool list|pip list|pip show|pip freeze|pip tree|pip " +
					"check|cache dir|help",
					shows: showsOnly},
				{words: "pip compile|export", short: "o", outputs: usualOutputs},
				{words: "build", short: "o", long: "out-dir", unnamed: true},
				{words: "add|remove|sync|lock|init|venv", unnamed: true, unless: "dry-run check"}}},
		{words: "uvx", short: "p", long: "directory project config-file cache-dir python color from with",
			subs:  knownSubs,
			wraps: argv, own: true, fetches: true},
		{words: "poetry|hatch|pipenv|pdm|rye|pixi", short: "CPpe", long: "directory project env",
			subs: checkedSubs, forms: []form{
				{words: "run", short: "p", wraps: argv, own: true},
				{words: "show|check|version|env info|env list|config --list|graph|list|info|search", shows: listsOnly},
				{words: "export", outputs: usualOutputs},
				{words: "add|remove|install|update|lock|init|new|sync|uninstall|build|upgrade", unnamed: true,
					unless: "dry-run"}}},
		{words: "pip|pip3", long: "log proxy retries timeout cache-dir python", subs: checkedSubs, writes: "log",
			forms: []form{
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
		{words: "bundle", long: commonGlobals, subs: knownSubs, forms: []form{
			{words: "exec", wraps: argv, own: true},
			{words: "list|show|info|check|outdated|platform", shows: showsOnly},
			{words: "install|update|add|remove|lock|init|clean", unnamed: true}}},
		{words: "gem", forms: []form{
			{words: "list|search|info|env|which|outdated|contents", shows: showsOnly},
			{words: "build|unpack|fetch", unnamed: true}}},
		{words: "composer", long: "working-dir", subs: knownSubs, forms: []form{
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
		{words: "just|task|go-task|rake|invoke|inv|mage", long: commonGlobals, when: "init fmt dump", unnamed: true,
			unless: "l list T tasks P prereqs summary version V", opaque: "command"},
		{words: "nox|tox|ant|bazel|buck|buck2|pants|sbt|lein|stack|cabal|rebar3|dune|xmake|" +
			"scons|waf|b2", long: commonGlobals,
			subs: knownSubs, unless: "l list summary version V", forms: []form{
				{words: "exec", wraps: argv, own: true},
				{words: "init|new|add|remove|install|upgrade", unnamed: true}}},
		{words: "dotnet", long: commonGlobals, subs: knownSubs, forms: []form{
			{words: "format", unnamed: true, unless: checkOnly},
			{words: "list|sdk check|nuget list", shows: showsOnly},
			{words: "new|add|remove|restore|sln", unnamed: true}}},
		{words: "pipeline", long: "config session project dir", subs: checkedSubs, forms: []form{
			{words: "status|explain|why|log|check|graph|help|version|config", shows: showsOnly, changes: "o " +
				"output open"}}},
		{words: "make|bmake|remake", short: "CfIjloWE", long: "directory file makefile include-dir jobs " +
			"eval old-file what-if",
			unless: "n just-print dry-run recon v", opaque: "E eval"},
		{words: "ninja|samu", short: "Cfjkltwd", unless: "n"},
		{words: "cmake", short: "CDUGTASBPE", long: "build install preset target config parallel"},
		{words: "meson", forms: []form{{words: "introspect", shows: showsOnly}, {words: "setup|init|format",
			unnamed: true}}},
		{words: "mvn|gradle|gradlew|mvnw", short: "fPDpb", long: "file project-dir build-file", subs: knownSubs,
			unless: "m dry-run v", forms: []form{{words: "init|wrapper|archetype:generate", unnamed: true}}},

		// Tools that make and change projects, and versions of tools.
		{words: "ng|nest|vue|nx|turbo|flutter|gleam|dub|nimble|shards|husky|storybook|" +
			"docusaurus|gatsby|expo|ionic|cap|cordova|quasar|ember|tuist|pod|carthage|xcodegen|cz|" +
			"commitizen|towncrier|reuse|opam|spago|sdk|alire|alr|moon", subs: knownSubs,
			long: commonGlobals, forms: []form{
				{words: "new|init|create|generate|g|gen|add|remove|install|update|upgrade|migrate|version|bump|" +
					"build|clear|eject|switch create|switch link|pin|addheader|annotate|gen:component|alias default",
					unnamed: true, unless: "dry-run d"},
				{words: "exec", wraps: argv, own: true},
				{words: "doctor|list|ls|show|info|report|status|graph", shows: showsOnly, changes: "f file web"}}},
		{words: "nvm|fnm|pyenv|rbenv|asdf|volta|nodenv|goenv|jenv|tfenv", forms: []form{
			{words: "exec", wraps: argv, own: true},
			{words: "run", long: "node npm yarn", wraps: argv, own: true},
			{words: versionQueries, shows: showsOnly},
			{words: versionChanges, unnamed: true}}},
		{words: "mise|rtx", forms: []form{
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
			{words: "version|env|targets|zen|libc", shows: showsOnly}}},
		{words: "lint-staged|standard-version|release-it|semantic-release|bumpversion|bump2version|bump-my-version|" +
			"bumpver|addlicense|gitmoji|auto-changelog|conventional-changelog|git-cliff|sphinx-quickstart|" +
			"npm-check-updates|ncu|syncpack|sort-package-json|changeset|lerna|melos|rush",
			unnamed: true, unless: "dry-run check"},
		{words: "apt|apt-get|dnf|yum|pacman|apk|zypper", short: "cto", long: "option config-file target-release",
			subs: checkedSubs,
			forms: []form{{words: "list|show|search|policy|depends|rdepends|info|repolist", shows: showsOnly,
				changes: "o option c config-file"}}},
		{words: "apt-cache|dpkg-query|rpmquery", shows: showsOnly},
		{words: "nix", long: "option log-format extra-experimental-features experimental-features store",
			subs: checkedSubs, stdin: true, forms: []form{
				{words: "develop|shell", wraps: afterC, own: true, stdin: true},
				{words: "run", wraps: dashed, before: 1, own: true},
				{words: "flake show|flake metadata|path-info|log|search|why-depends|hash|store ls|show-config|" +
					"config show|config check|profile list|profile history|registry list|help", shows: showsOnly},
				{words: "flake update|flake lock|flake init|flake new|fmt", unnamed: true},
				{words: "build", short: "o", long: "out-link", writes: "o out-link", makes: "result",
					prints: "no-link dry-run"}}},
		{words: "nix-build", short: "oAI", long: "out-link attr", writes: "o out-link", makes: "result",
			prints: "no-out-link Q dry-run"},
		{words: "hg|sl", short: "R", opaque: "config", forms: []form{
			{words: "status|log|diff|summary|branches|tags|heads|identify|parents|annotate|cat|manifest|paths|" +
				"root|showconfig|grep",
				shows: showsOnly, changes: "o output config"},
			{words: "update|revert|purge|clone|init|import|rebase|merge|graft|backout|unshelve|shelve",
				unnamed: true, unless: checkOnly},
			{words: "pull", unnamed: true, when: "u", unless: checkOnly}}},
		{words: "svn", forms: []form{
			{words: "status|log|diff|info|list|cat|blame|proplist", shows: showsOnly, changes: "diff-cmd"},
			{words: "update|checkout|revert|merge|switch|patch|cleanup|export|resolve", unnamed: true}}},
		{words: "jj", short: "R", opaque: "config config-file", forms: []form{
			{words: "log|status|st|diff|show|op log|bookmark list|file list|file show|root|version|evolog|" +
				"interdiff|config list|config get",
				shows: showsOnly, changes: "tool"},
			{words: "new|edit|restore|abandon|squash|rebase|undo|git clone|git init|op restore|workspace add|" +
				"revert", unnamed: true}}},
	}}
