package shell

var packagesFamily = family{title: "Package managers and build tools", about: "", rows: []form{
	// Package managers, build tools and other commands with subcommands.
	{words: "npm", short: "CwF", long: npmGlobals, subs: checkedSubs, unless: "v", forms: []form{
		{words: "exec", short: "pcw", long: "package call workspace", wraps: eitherWay, own: true},
		{words: "pkg set|pkg delete|pkg fix|init", unnamed: true},
		{words: "version", effect: addNewVersion, shows: listsOnly},
		{words: "run", shows: listsOnly},
		{words: npmQueries, shows: showsOnly}}},
	{words: "pnpm", short: "CwF", long: npmGlobals, subs: checkedSubs, unless: "v", forms: []form{
		{words: npmQueries, shows: showsOnly},
		{words: "run", shows: listsOnly},
		{words: "dlx", long: "package", wraps: argv, own: true},
		{words: "exec", wraps: argv, own: true}}},
	{words: "yarn", long: "cwd cache-folder registry", subs: checkedSubs, unless: "v", forms: []form{
		{words: "list|info|why|outdated|audit|versions|config get|config list|licenses list|npm info", shows: showsOnly},
		{words: "run", shows: listsOnly},
		{words: "dlx", short: "p", long: "package", wraps: argv, own: true},
		{words: "exec", wraps: argv, own: true}}},
	{words: "bun", short: "c", long: "cwd config filter", subs: checkedSubs, hides: runsFile, forms: []form{
		{words: "x", short: "p", long: "package", wraps: argv, own: true},
		{words: "run", hides: runsFile, shows: listsOnly},
		{words: "pm ls|pm bin|pm cache|pm hash|outdated|why|info", shows: showsOnly}}},
	{words: "npx", short: "CwFpc", long: npmGlobals + " package call", subs: knownSubs, wraps: eitherWay, own: true},
	{words: "pnpx", short: "CwF", long: npmGlobals, subs: knownSubs, wraps: argv, own: true},
	{words: "bunx", short: "cp", long: "cwd config filter package", subs: knownSubs, wraps: argv, own: true},
	{words: "deno", long: commonGlobals, subs: knownSubs, forms: []form{
		{words: "run|eval|repl", interpret: runForeign},
		{words: "fmt", unnamed: true, unless: checkOnly}}},
	{words: "go", short: "C", subs: checkedSubs, outputs: compilerOut, forms: []form{
		{words: "run", hides: runsFile},
		{words: "list|version|doc|env|mod graph|mod why|mod verify", shows: showsOnly, changes: "w u toolexec"},
		{words: "fmt|fix|generate|get|mod tidy|mod edit|mod vendor|mod init", unnamed: true, unless: checkOnly}}},
	{words: "cargo", short: "CZ", long: "color config manifest-path target-dir", subs: checkedSubs, forms: []form{
		{words: "tree|metadata|version|search|info|pkgid|locate-project|read-manifest|verify-project|help", shows: showsOnly},
		{words: "add|remove|upgrade", operands: "u", unless: "dry-run n"},
		{words: "fmt|fix|init|new", unnamed: true, unless: checkOnly}}},
	{words: "uv", short: "p", long: "directory project config-file cache-dir python color", subs: checkedSubs,
		forms: []form{
			{words: "run", short: "pe", long: "with python extra group env-file directory project with-requirements " +
				"with-editable package no-group only-group index-url", wraps: argv, own: true},
			{words: "tool run", short: "p", long: "from with python", wraps: argv, own: true}}},
	{words: "uvx", short: "p", long: "directory project config-file cache-dir python color from with", subs: knownSubs,
		wraps: argv, own: true},
	{words: "poetry|hatch|pipenv", short: "CPpe", long: "directory project env", subs: checkedSubs, forms: []form{
		{words: "run", wraps: argv, own: true}}},
	{words: "pdm", short: "CPpe", long: "directory project env", subs: checkedSubs, forms: []form{
		{words: "run", short: "p", wraps: argv, own: true}}},
	{words: "pip|pip3", long: "log proxy retries timeout cache-dir python", subs: checkedSubs, writes: "log", forms: []form{
		{words: "list|show|freeze|check|index versions|config list|config get|cache list|cache info|inspect|debug",
			shows: showsOnly, changes: "log"},
		{words: "download|wheel", short: "dwr", long: "dest wheel-dir requirement", into: "d dest w wheel-dir",
			reads: "r requirement"}}},
	{words: "pipx", forms: []form{{words: "run", long: "spec python", wraps: argv, own: true}}},
	{words: "bundle", long: commonGlobals, subs: knownSubs, forms: []form{{words: "exec", wraps: argv, own: true}}},
	{words: "conda|mamba", long: commonGlobals, subs: knownSubs, forms: []form{
		{words: "run", short: "np", long: "name prefix cwd", wraps: argv, own: true}}},
	{words: "brew|rustup", long: commonGlobals, subs: checkedSubs, forms: []form{
		{words: "list|ls|info|search|show|which|outdated|deps|leaves|config|doctor|toolchain list|target list|" +
			"component list|check", shows: showsOnly}}},
	{words: "claude|codex|gemini|just|aws|gcloud|az", long: commonGlobals, subs: knownSubs},
	{words: "dotnet", long: commonGlobals, subs: knownSubs, forms: []form{{words: "format", unnamed: true,
		unless: checkOnly}}},
	{words: "pipeline", long: "config session project dir", subs: checkedSubs},
	{words: "make|gmake", short: "CfIjloWE", long: "directory file makefile include-dir jobs eval old-file what-if",
		unless: "n just-print dry-run recon v", opaque: "E eval"},
	{words: "ninja|samu", short: "Cfjkltwd", unless: "n"},
	{words: "cmake", short: "CDUGTASBPE", long: "build install preset target config parallel"},
	{words: "mvn|gradle|gradlew|mvnw", short: "fPDpb", long: "file project-dir build-file", subs: knownSubs},
	{words: "apt|apt-get", short: "cto", long: "option config-file target-release", subs: checkedSubs, forms: []form{
		{words: "list|show|search|policy|depends|rdepends", shows: showsOnly, changes: "o option c config-file"}}},
	{words: "apt-cache|dpkg-query|rpmquery", shows: showsOnly},
	{words: "systemctl", short: "HMtpn", long: "host machine type property root", subs: checkedSubs,
		forms: []form{{words: "status|show|is-active|is-enabled|is-failed|list-units|list-unit-files|list-timers|" +
			"list-sockets|list-dependencies|cat|get-default|show-environment", shows: showsOnly}}},
	{words: "journalctl", short: "HMtpnucSUogD", long: "host machine type property root unit identifier since until " +
		"output lines grep directory file cursor-file", writes: "cursor-file", shows: showsOnly,
		changes: "rotate vacuum-size vacuum-time vacuum-files flush sync relinquish-var setup-keys update-catalog"},
	{words: "helm", short: "n", long: "namespace kube-context kubeconfig registry-config", subs: checkedSubs, forms: []form{
		{words: "list|ls|status|get|history|show|version|search|env|lint|repo list|plugin list|dependency list|verify",
			shows: showsOnly}}},
	{words: "terraform|tofu", long: "chdir", subs: checkedSubs, forms: []form{
		{words: "fmt", effect: addFormatted, unless: checkOnly},
		{words: "show|version|validate|output|providers|graph|state list|state show|workspace list|workspace show",
			shows: showsOnly}}},
	{words: "terragrunt", long: "chdir", subs: knownSubs},
	{words: "nix", long: "option log-format extra-experimental-features experimental-features store",
		subs: checkedSubs, stdin: true, forms: []form{{words: "develop|shell", wraps: afterC, own: true, stdin: true}}},
	{words: "gh", short: "R", long: "repo hostname", subs: checkedSubs, forms: []form{
		{words: "pr view|pr list|pr status|pr diff|pr checks|issue view|issue list|issue status|run view|run list|run watch|" +
			"repo view|repo list|release view|release list|workflow view|workflow list|search|status|auth status|label list|" +
			"gist view|gist list|cache list|variable list|secret list|ruleset list|project list|config get|config list|" +
			"alias list|extension list", shows: showsOnly, changes: "w web"},
		{words: "repo clone|pr checkout|release download|run download", unnamed: true}}},
	{words: "hg", forms: []form{
		{words: "update|revert|purge", unnamed: true, unless: checkOnly},
		{words: "pull", unnamed: true, when: "u", unless: checkOnly}}},
	{words: "svn", forms: []form{{words: "update|checkout|revert|merge|switch", unnamed: true, unless: checkOnly}}},
}}
