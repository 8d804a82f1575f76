package shell

// Options that rows share.
const (
	npmGlobals    = "prefix workspace userconfig registry loglevel cache dir filter location"
	dockerGlobals = "config context host log-level tlscacert tlscert tlskey file " +
		"project-name project-directory profile env-file"
	columnOptions = "delimiter fields bytes characters output-delimiter width key field-separator output " +
		"buffer-size temporary-directory parallel table table-columns separator wrap from-code to-code"
	searchOptions   = "regexp file max-count after-context before-context context "
	compilerOut     = "o output out out-file outfile outFile outDir"
	commonGlobals   = "profile region config project model" // of tools that share little else
	formatOptions   = "config rules ext line-length"
	gitMergeOptions = "onto exec strategy strategy-option message file"
	gitDrivers      = "ext-diff textconv output" // they run what the settings name, or write
	npmQueries      = "ls|list|la|ll|view|info|show|outdated|root|bin|prefix|whoami|ping|explain|why|fund|search|" +
		"config get|config list|pkg get|help|help-search|docs|licenses list|audit signatures"
	tmuxQueries = "ls|list-sessions|list-windows|lsw|list-panes|lsp|list-clients|lsc|list-keys|list-commands|" +
		"list-buffers|show-options|show|showw|show-window-options|show-environment|show-messages|has-session|has|" +
		"capture-pane|capturep|display-message|display|info|server-info"
	tmuxHarmless = "kill-session kill-server kill-window kill-pane set-option set setw set-window-option select-window " +
		"selectw select-pane selectp rename-window rename-session detach-client detach resize-pane resizep attach-session " +
		"attach a switch-client next-window previous-window last-window swap-pane swap-window move-window set-environment " +
		"start-server clear-history wait-for"
	gitPatchOnly = "check stat numstat summary cached show-current-patch"
	tarLetters   = "fCbIXTFgHKLNV"
	// checkOnly are the options by which a formatter only reports.
	checkOnly = "check -check diff dry-run verify-no-changes check-formatted list-different help"
)

// table has what the package knows about commands. To add a command, add a row here
// and a line to testdata/corpus.txt. A command without a row is only its call.
var table = [...]form{
	// Commands that remove, make or change the files that they are given.
	{words: "rm|grm|unlink|rmdir|trash|trash-put|rimraf|srm|del-cli", operands: "d*"},
	{words: "shred", short: "nsr", long: "iterations size random-source", operands: "w*", when: "u remove", then: "d*"},
	{words: "gio", forms: []form{{words: "trash|remove", operands: "d*"}}},
	{words: "touch", short: "drt", long: "date reference time", operands: "w*"},
	{words: "truncate", short: "sr", long: "size reference", operands: "w*"},
	{words: "mkdir|mkfifo|mknod", short: "m", long: "mode", operands: "w*"},
	{words: "mktemp", short: "pt", long: "suffix tmpdir", unless: "u dry-run", effect: addTemporary},
	{words: "tee|sponge|venv|virtualenv|mkfs|mkswap|dos2unix|unix2dos|strip", operands: "w*"},
	{words: "fallocate|setfacl", short: "lomxMX", long: "length offset modify remove modify-file remove-file",
		operands: "w*"},
	{words: "chown|chgrp|chattr|chcon|chflags", long: "from reference", operands: "-w*"},
	{words: "chmod", long: "reference", effect: addChmod},
	{words: "sd|rpl", short: "nf", long: "max-replacements flags", operands: "--w*", unless: "p preview s"},
	{words: "rename|prename", unnamed: true},
	{words: "patch", short: "pidoFBDrVYzg", long: "strip input directory output fuzz prefix reject-file",
		reads: "i input", unless: "dry-run C check", effect: addPatched},

	// Copies.
	{words: "cp|gcp|mv|gmv", short: "tSZ", long: "target-directory suffix", effect: addCopies},
	{words: "ln|gln|link", short: "tS", long: "target-directory suffix", effect: addLinks},
	{words: "install|ginstall", short: "mogtS", long: "mode owner group target-directory suffix strip-program",
		runs: "strip-program", effect: addInstalled},
	{words: "dd", effect: addDD},
	{words: "rsync", short: "efBTM", long: "rsh filter exclude include exclude-from include-from files-from temp-dir " +
		"compare-dest copy-dest link-dest log-file backup-dir suffix port password-file bwlimit chmod chown timeout",
		runs: "e rsh", unless: "n dry-run list-only", effect: addRsync},
	{words: "scp", short: "cDFiJloPSX", runs: "S", effect: addRemoteCopy},

	// Editors.
	{words: "nano|pico|micro|sudoedit", operands: "w*"},
	{words: "vim|vi|nvim|ex|gvim", short: "cSiTutwW", long: "cmd", operands: "e*", opaque: "c S s cmd", stdin: true,
		hides: givesEditorCommands},
	{words: "ed", short: "p", operands: "e*", hides: givesEditorCommands},
	{words: "code", short: "p", operands: "e*"},
	{words: "emacs", short: "cSiTutwW", long: "cmd", operands: "e*", interpret: runForeign},

	// Commands that show files.
	{words: "cat|gcat|tac|more|most|zcat|gzcat|bzcat|xzcat|zstdcat|zless|rev|comm|look|tsort|lolcat|nbcat|expand|" +
		"unexpand|csvlook|delta|difft|glow|mdcat", operands: "r*", shows: showsAlways},
	{words: "view|vimdiff", short: "cSiTutwW", long: "cmd", operands: "r*", opaque: "c S s cmd", stdin: true,
		hides: givesEditorCommands},
	{words: "xmllint", long: "output schema encode path", outputs: "o output", operands: "r*", shows: showsOnly,
		changes: "shell"},
	{words: "file", short: "efFmP", long: "files-from separator magic-file", reads: "f files-from", shows: showsOnly,
		changes: "C compile"},
	{words: "wc|gwc|cksum|md5sum|sha1sum|sha224sum|sha256sum|sha384sum|sha512sum|b2sum|sum|md5|shasum|stat|gstat|readlink|realpath|basename|dirname|du|gdu|df|pwd|echo|print|test|[|true|false|:|seq|yes|nproc|" +
		"uname|whoami|id|groups|logname|users|who|w|tty|locale|getconf|printenv|which|whereis|type|whatis|apropos|ps|pgrep|" +
		"pstree|uptime|free|vmstat|iostat|lsof|lscpu|lsblk|lsusb|lspci|nm|objdump|readelf|size|ldd|otool|factor|expr|cal|" +
		"sleep|wait|jobs|times|ulimit|umask|history|cd|pushd|popd|dirs|chdir|exit|return|break|continue|shift|set|shopt|" +
		"unset|getopts|let|export|local|declare|typeset|readonly|unalias|dig|nslookup|host|ping|getent|numfmt|cloc|tokei|" +
		"scc|tput|sysctl|dmesg|last|zipinfo|jc", shows: showsAlways},
	{words: "printf", shows: showsAlways},
	{words: "date", short: "drfIs", long: "date reference file set", shows: showsOnly, changes: "s set"},
	{words: "hostname", shows: listsOnly, lists: "f i I s d A", changes: "F file b"},
	{words: "diff|colordiff|sdiff", shows: showsOnly, short: "UCIxXFWLS", operands: "r*"},
	{words: "head|tail|ghead|gtail", shows: showsAlways, short: "ncs", long: "lines bytes sleep-interval pid", operands: "r*"},
	{words: "less", shows: showsOnly, short: "pPtTbjxyzDoOk", long: "pattern prompt tag log-file LOG-FILE", operands: "r*",
		writes: "o O log-file LOG-FILE"},
	{words: "nl", shows: showsAlways, short: "bdfhilnsvw", operands: "r*"},
	{words: "od", shows: showsAlways, short: "AjNStw", operands: "r*"},
	{words: "hexdump|hd", shows: showsAlways, short: "cgloensf", operands: "r*"},
	{words: "strings", shows: showsAlways, short: "ntTeo", operands: "r*"},
	{words: "bat|batcat", shows: showsOnly, changes: "pager", short: "lrHm", long: "language line-range highlight-line theme style color paging wrap " +
		"tabs file-name map-syntax", operands: "r*"},
	{words: "sort|gsort", shows: showsOnly, changes: "compress-program", short: "kotTS", long: columnOptions, operands: "r*", writes: "o output"},
	{words: "cut|paste", shows: showsAlways, short: "bcdf", long: columnOptions, operands: "r*"},
	{words: "join", shows: showsAlways, short: "12aeijotv", long: columnOptions, operands: "r*"},
	{words: "cmp", shows: showsAlways, short: "in", long: columnOptions, operands: "r*"},
	{words: "iconv", shows: showsOnly, short: "fto", long: columnOptions, operands: "r*"},
	{words: "base64", shows: showsOnly, short: "wo", long: columnOptions, operands: "r*", outputs: compilerOut},
	{words: "base32", shows: showsAlways, short: "wo", long: columnOptions, operands: "r*"},
	{words: "column", shows: showsAlways, short: "csoNRHTEW", long: columnOptions, operands: "r*"},
	{words: "pygmentize|highlight", shows: showsOnly, changes: "o O", short: "lfoOSs", long: columnOptions, operands: "r*"},
	{words: "fold|fmt|pr", shows: showsAlways, short: "wlo", long: columnOptions, operands: "r*"},
	{words: "uniq", shows: showsOnly, short: "fsw", long: "skip-fields skip-chars check-chars", operands: "ro*"},
	{words: "xxd", shows: showsOnly, short: "cgloensf", long: "skip-fields skip-chars check-chars", operands: "ro*"},
	{words: "split|csplit", short: "abClntfn", long: "suffix-length bytes line-bytes lines number separator filter " +
		"prefix digits suffix-format", operands: "r", runs: "filter", unnamed: true},
	{words: "read|mapfile|readarray|exec|tr", shows: showsAlways, operands: "<"},

	// Commands that look for files or for text.
	{words: "find|gfind", shows: showsOnly, effect: addFind},
	{words: "fd|fdfind", shows: showsOnly, short: "detEcjS", long: "max-depth min-depth exact-depth type extension exclude color " +
		"threads size changed-within changed-before owner base-directory search-path format", effect: addFD},
	{words: "tree", shows: showsOnly, short: "LPIoHT", long: "filelimit timefmt sort", operands: "l*", missing: ".", writes: "o"},
	{words: "ls|dir", shows: showsAlways, short: "ITw", long: "ignore tabsize width hide", when: "R recursive", then: "l*", missing: "."},
	{words: "exa|eza|lsd", shows: showsAlways, short: "LItsw", long: "level sort time ignore-glob", when: "R T recurse recursive tree",
		then: "l*", missing: "."},
	{words: "locate|plocate|mdfind", shows: showsAlways, effect: addLocate},
	{words: "grep|egrep|fgrep|zgrep|ggrep|pcregrep|ugrep", shows: showsAlways, short: "efmABCdD", long: searchOptions + "binary-files " +
		"devices directories label", effect: addGrep},
	{words: "rg|rga", shows: showsOnly, short: "efgtTABCmjMErd", long: searchOptions + "glob iglob type type-not threads max-columns " +
		"encoding replace max-depth sort sortr pre pre-glob ignore-file path-separator color colors engine " +
		"max-filesize type-add", opaque: "pre", effect: addGrep},
	{words: "ag|ack", shows: showsOnly, changes: "pager", short: "ABCGmWp", long: "after before context ignore ignore-dir max-count pager path-to-ignore " +
		"depth type", effect: addGrep},
	{words: "ast-grep", shows: showsOnly, changes: "U update-all i interactive r rewrite", short: "plrc", long: "pattern lang rewrite config", effect: addGrep},

	// Filters.
	{words: "sed|gsed|ssed", shows: showsOnly, short: "efl", long: "expression file line-length", effect: addSed, hides: runsSedCommands},
	{words: "awk|gawk|mawk|nawk", shows: showsOnly, changes: "p d o D", short: "fFvildEW", long: "file field-separator assign include load source exec",
		effect: addAwk, hides: runsAwkCommands},
	{words: "jq|yq", shows: showsOnly, changes: "s split-exp", short: "fLopI", long: "from-file indent output-format input-format", effect: addJQ},

	// Archives and downloads.
	{words: "tar|gtar|bsdtar", short: tarLetters, long: "file directory use-compress-program to-command " +
		"checkpoint-action exclude exclude-from files-from transform strip-components format mode mtime owner group " +
		"new-volume-script info-script rsh-command", runs: "I use-compress-program to-command F info-script " +
		"new-volume-script rsh-command", effect: addTar},
	{words: "zip", short: "btniPxO", operands: "w", when: "m move", then: "wd*"},
	{words: "unzip", short: "dxP", into: "d", unless: "l p t v Z c z"},
	{words: "7z|7za|7zz|unrar", forms: []form{
		{words: "x|e", short: "o", into: "o"},
		{words: "a|u|d|rn", operands: "w"}}},
	{words: "cpio", short: "EFHIORM", long: "format file", when: "i extract p pass-through", then: ".",
		unless: "t list"},
	{words: "ar|jar", effect: addLettered},
	{words: "gzip|gunzip|bzip2|bunzip2|xz|unxz|lzma|zstd|unzstd|pigz|lz4", short: "SboTLMD",
		long: "suffix stdout-name output output-dir-flat", effect: addCompressed},
	{words: "curl", short: "oHdFuAebcTXxmKwrDEyYzUtQC", long: "output header data data-raw data-binary " +
		"data-urlencode form user user-agent referer cookie cookie-jar upload-file request proxy max-time " +
		"connect-timeout config write-out range dump-header cert key cacert url output-dir retry retry-delay json " +
		"resolve trace trace-ascii stderr limit-rate hsts etag-save etag-compare", writes: "o output c cookie-jar D " +
		"dump-header trace trace-ascii stderr etag-save hsts", effect: addCurl},
	{words: "wget", short: "OPoaitTUwQeDIRAXl", long: "output-document directory-prefix output-file append-output " +
		"input-file tries timeout user-agent header post-data post-file user password execute load-cookies " +
		"save-cookies", writes: "o a output-file append-output save-cookies", effect: addWget},
	{words: "aria2c|yt-dlp", short: "odP", long: "out dir output paths", into: "o d P out dir output"},

	// Formatters and linters.
	{words: "gofmt|goimports|gofumpt|golines|shfmt|prettier|stylua|swift-format|ormolu", long: formatOptions,
		when: "w write i in-place inplace", then: "w*", missing: Unknown},
	{words: "clang-format|autopep8|yapf|astyle|uncrustify", long: formatOptions, when: "i in-place", then: "w*",
		missing: Unknown},
	{words: "eslint|stylelint|standard|rubocop|ktlint|tslint|oxlint|golangci-lint|markdownlint|xo|codespell",
		long: formatOptions, when: "fix a A w", then: "w*", missing: "."},
	{words: "black|isort|rustfmt|nixfmt|alejandra|nixpkgs-fmt|autoflake|pyupgrade|zprint|fourmolu|terraform-docs",
		long: formatOptions, operands: "w*", missing: Unknown, unless: checkOnly},
	{words: "ruff", forms: []form{
		{words: "format", unnamed: true, unless: checkOnly},
		{words: "check", unnamed: true, when: "fix", unless: checkOnly}}},
	{words: "biome", forms: []form{
		{words: "format", unnamed: true, when: "write", unless: checkOnly},
		{words: "check", unnamed: true, when: "write apply", unless: checkOnly}}},
	{words: "mix", forms: []form{{words: "format", unnamed: true, unless: checkOnly}}},

	// Compilers, converters and other commands with output options.
	{words: "gcc|cc|g++|c++|clang|clang++|rustc|ld|as|ghc|ocamlc|nasm|tcc|zig|pandoc|dot|swiftc|gpg|age|openssl|shuf|" +
		"esbuild|tsc|protoc|cl", outputs: compilerOut},
	{words: "pg_dump|mysqldump|pg_dumpall", short: "fhpUdnrtT", long: "file result-file host port username",
		writes: "f r file result-file"},
	{words: "tcpdump", short: "wircs", writes: "w"},
	{words: "ffmpeg|convert|magick|gs|rsvg-convert", short: "ifctr", operands: "-*o"},
	{words: "ssh-keygen", short: "fNtbCPmY", writes: "f", when: "t"},

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

	// Containers and other machines.
	{words: "docker|podman|nerdctl", short: "HclfpD", long: dockerGlobals, subs: checkedSubs, forms: []form{
		{words: "ps|images|logs|inspect|info|version|stats|top|port|diff|history|search|events|container ls|" +
			"container list|container logs|container inspect|container top|container stats|container port|image ls|" +
			"image list|image inspect|image history|network ls|network list|network inspect|volume ls|volume list|" +
			"volume inspect|system df|system info|context ls|context show|context inspect|compose ps|compose ls|" +
			"compose logs|compose config|compose top|compose images|compose port|compose version|manifest inspect|" +
			"buildx ls|buildx inspect|buildx du", shows: showsOnly, changes: "o output bootstrap lock-image-digests"},
		{words: "compose exec", short: "euw", long: "env user workdir index", wraps: argv, before: 1, own: true,
			where: container},
		{words: "compose run", short: "euwvp", long: "env user workdir volume name entrypoint publish", wraps: argv,
			before: 1, own: true, where: container},
		{words: "exec", short: "euw", long: "env user workdir env-file detach-keys", wraps: argv, before: 1, own: true,
			where: container},
		{words: "run", short: "aceuwvplmh", long: "add-host attach cpus device dns entrypoint env env-file gpus " +
			"hostname ipc label memory mount name network net pid platform publish pull restart runtime security-opt " +
			"shm-size tmpfs ulimit user userns volume volumes-from workdir cap-add cap-drop", wraps: argv, before: 1,
			own: true, where: container},
		{words: "cp", effect: addRemoteCopy}}},
	{words: "docker-compose|podman-compose", short: "HclfpD", long: dockerGlobals, subs: checkedSubs, forms: []form{
		{words: "exec", short: "euw", long: "env user workdir index", wraps: argv, before: 1, own: true,
			where: container},
		{words: "run", short: "euwvp", long: "env user workdir volume name entrypoint publish", wraps: argv, before: 1,
			own: true, where: container}}},
	{words: "kubectl|oc", short: "nsv", long: "namespace context kubeconfig cluster user server token as as-group " +
		"request-timeout profile", subs: checkedSubs, forms: []form{
		{words: "get|describe|logs|top|explain|version|api-resources|api-versions|cluster-info|diff|events|auth can-i|" +
			"auth whoami|config view|config get-contexts|config current-context|config get-clusters|rollout status|" +
			"rollout history|wait|options", shows: showsOnly, changes: "output-directory"},
		{words: "exec", short: "cnf", long: "container namespace filename pod-running-timeout context", wraps: dashed,
			before: 1, own: true, where: elsewhere},
		{words: "run", wraps: dashed, own: true, where: elsewhere},
		{words: "cp", short: "c", long: "container namespace", effect: addRemoteCopy}}},
	{words: "heroku", forms: []form{
		{words: "run", short: "ar", long: "app remote", wraps: joined, own: true, where: elsewhere}}},
	{words: "lima", wraps: argv, where: container},
	{words: "limactl", forms: []form{{words: "shell", wraps: argv, before: 1, own: true, where: container}}},
	{words: "ssh", short: "bBcDEeFIiJLlmOopQRSWw", wraps: joined, before: 1, own: true, where: elsewhere,
		interpret: runSSHInput},
	{words: "vagrant", forms: []form{
		{words: "ssh", short: "c", long: "command", wraps: byOption, own: true, where: container}}},
	{words: "chroot", long: "userspec groups", wraps: argv, before: 1, where: container, stdin: true},
	{words: "nsenter", short: "tSG", long: "target setuid setgid", wraps: argv, where: container, stdin: true},
	{words: "proot", short: "rbwqRS", wraps: argv, where: container},

	// Wrappers that run a command as another user or with other limits.
	{words: "sudo", short: "CDghpRrTtUu", long: "chdir close-from group host prompt role chroot command-timeout " +
		"other-user user type", wraps: assigns, stdin: true},
	{words: "doas", short: "uCa", wraps: argv, stdin: true},
	{words: "su", short: "cgGswT", long: "command group shell session-command", wraps: byOption, stdin: true},
	{words: "runuser", short: "ugGsc", long: "user group supp-group shell command session-command", wraps: byOption},
	{words: "pkexec", long: "user", wraps: argv},
	{words: "newgrp", wraps: argv, stdin: true},
	{words: "sg", short: "c", before: 1, wraps: eitherWay},
	{words: "env", shows: showsOnly, short: "uCS", long: "unset chdir split-string", wraps: assigns},
	{words: "envdir|setarch", wraps: argv, before: 1},
	{words: "arch", short: "de", long: "arch", wraps: argv},
	{words: "nice|gnice", short: "n", long: "adjustment", wraps: argv},
	{words: "timeout|gtimeout", short: "ks", long: "kill-after signal", wraps: argv, before: 1},
	{words: "caffeinate", short: "tw", wraps: argv},
	{words: "chrt", short: "TPD", wraps: argv, before: 1},
	{words: "cpulimit", short: "lpe", wraps: argv},
	{words: "dbus-run-session", long: "config-file dbus-daemon", wraps: argv},
	{words: "faketime", short: "f", wraps: argv, before: 1},
	{words: "fakeroot", short: "lsib", wraps: argv},
	{words: "flock", short: "wEc", long: "timeout wait conflict-exit-code command", wraps: eitherWay, before: 1},
	{words: "ionice", short: "cnpPu", long: "class classdata pid", wraps: argv},
	{words: "numactl", short: "NmCpi", long: "cpunodebind membind physcpubind interleave", wraps: argv},
	{words: "prlimit", long: "pid", wraps: argv},
	{words: "proxychains|proxychains4", short: "f", wraps: argv},
	{words: "rlwrap", short: "fHs", wraps: argv},
	{words: "screen", short: "SchtTpe", wraps: argv},
	{words: "setpriv", long: "reuid regid groups", wraps: argv},
	{words: "sshpass", short: "pfdP", wraps: argv},
	{words: "stdbuf", short: "ioe", long: "input output error", wraps: argv},
	{words: "systemd-inhibit", long: "what who why mode", wraps: argv},
	{words: "systemd-run", short: "puEMtH", long: "property unit uid gid setenv working-directory slice description " +
		"machine host on-active on-calendar", wraps: argv},
	{words: "taskset", short: "p", wraps: argv, before: 1},
	{words: "unshare", short: "RSGwl", long: "root wd setuid setgid map-user map-group propagation", wraps: argv,
		stdin: true},
	{words: "wsl", short: "du", long: "distribution user cd", wraps: argv},
	{words: "xvfb-run", short: "enfsp", long: "error-file server-num server-args auth-file", wraps: argv},
	{words: "-|busybox|toybox|catchsegv|eatmydata|entr|firejail|nocorrect|noglob|nohup|setsid|torsocks|ts-node-dev|" +
		"unbuffer|valgrind|winpty", wraps: argv},

	// Wrappers that measure, record or repeat a command.
	{words: "time", short: "fo", long: "format output", writes: "o output", wraps: argv},
	{words: "multitime", short: "n", wraps: argv},
	{words: "strace", short: "abeEIoOpPsSuUX", long: "output trace env user", writes: "o output", wraps: argv},
	{words: "ltrace", short: "eopsu", long: "output", writes: "o output", wraps: argv},
	{words: "perf", forms: []form{
		{words: "record", short: "oeFpC", long: "output event call-graph", writes: "o output", wraps: argv, own: true},
		{words: "stat", short: "oerpC", long: "output event repeat", writes: "o output", wraps: argv, own: true}}},
	{words: "script", short: "cEIBOTmo", long: "command log-in log-out log-io log-timing echo output-limit",
		operands: "w", missing: "typescript", wraps: byOption, stdin: true},
	{words: "hyperfine", short: "wrmMpcsnPL", long: "warmup runs min-runs max-runs setup shell export-json " +
		"export-markdown export-csv export-asciidoc command-name parameter-list parameter-scan style",
		wraps: eachOperand, own: true},
	{words: "watch", short: "nq", long: "interval equexit", wraps: joined},
	{words: "watchexec", short: "wefiosdpnWE", long: "watch exts filter ignore", wraps: argv, own: true},
	{words: "concurrently", short: "nckls", long: "names kill-others-on-fail prefix", wraps: eachOperand, own: true},
	{words: "xargs|gxargs", short: "adEILnPs", long: "arg-file delimiter max-args max-procs max-lines max-chars eof " +
		"process-slot-var", wraps: fromList},
	{words: "parallel", short: "jNSaLnIPd", long: "jobs arg-file colsep delay timeout retries joblog results " +
		"sshlogin max-args", wraps: template},

	// Wrappers that choose an environment or secrets for a command.
	{words: "asdf|pyenv|rbenv", forms: []form{{words: "exec", wraps: argv, own: true}}},
	{words: "mise|rtx", forms: []form{{words: "exec|x", wraps: dashed, own: true}}},
	{words: "devbox|rye", forms: []form{{words: "run", wraps: argv, own: true}}},
	{words: "volta", forms: []form{{words: "run", long: "node npm yarn", wraps: argv, own: true}}},
	{words: "direnv", forms: []form{{words: "exec", wraps: argv, before: 1, own: true}}},
	{words: "aws-vault", forms: []form{{words: "exec", wraps: dashed, before: 1, own: true}}},
	{words: "doppler", forms: []form{{words: "run", short: "pc", long: "project config", wraps: dashed, own: true}}},
	{words: "dotenv", short: "evp", wraps: dashed, own: true, forms: []form{
		{words: "run", short: "f", wraps: dashed, own: true}}},
	{words: "infisical", forms: []form{{words: "run", long: "env path", wraps: dashed, own: true}}},
	{words: "op", forms: []form{{words: "run", long: "env-file", wraps: dashed, own: true}}},
	{words: "nix-shell", short: "pAI", long: "attr", wraps: byOption, own: true, stdin: true},

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

	// Git. Its own files under .git are not recorded.
	{words: "git", short: "Cc", long: "git-dir work-tree namespace exec-path super-prefix config-env attr-source " +
		"list-cmds", subs: closedSubs, writes: "output", shows: listsOnly, forms: []form{
		{words: "grep", short: "efmABCO", long: "max-depth threads", runs: "O", operands: "-s*", when: "e f", then: "s*",
			missing: ".", shows: showsOnly, changes: "O open-files-in-pager ext-grep"},
		{words: "ls-files", short: "xX", long: "exclude exclude-from", operands: "l*", missing: ".", shows: showsAlways},
		{words: "ls-tree", when: "r", then: "-l*", missing: ".", shows: showsAlways},
		{words: "show", short: "nLGSU", long: "since until author grep format", effect: addGitShow, shows: showsOnly,
			changes: gitDrivers},
		{words: "cat-file", effect: addGitShow, shows: showsOnly, changes: "filters textconv"},
		{words: "blame", short: "nLGSUC", long: "since until author grep format contents", operands: "-*r",
			reads: "contents", shows: showsOnly, changes: gitDrivers},
		{words: "annotate", operands: "-*r", shows: showsOnly},
		{words: "log|diff|whatchanged|diff-tree|diff-index|diff-files|stash show|range-diff|shortlog", short: "nLGSU",
			long: "since until author grep format", shows: showsOnly, changes: gitDrivers},
		{words: "status|describe|rev-parse|rev-list|merge-base|for-each-ref|check-ignore|check-attr|check-mailmap|" +
			"check-ref-format|name-rev|count-objects|cherry|show-branch|show-ref|var|verify-commit|verify-tag|" +
			"verify-pack|version|column|stash list|worktree list|notes list|notes show|notes get-ref|bisect log|" +
			"submodule status|submodule summary|sparse-checkout list|remote show|remote get-url|bundle verify|" +
			"bundle list-heads|lfs ls-files|lfs status|lfs env|lfs version|config list|config get|request-pull|" +
			"fmt-merge-msg|get-tar-commit-id|merge-tree|patch-id", shows: showsOnly},
		{words: "ls-remote", short: "u", long: "upload-pack exec", runs: "u upload-pack exec", shows: showsOnly,
			changes: "u upload-pack exec", hides: usesTransport},
		{words: "help", shows: showsOnly, changes: "w web i info"},
		{words: "branch", short: "u", long: "set-upstream-to sort format points-at", shows: listsOnly,
			lists: "l list a all r remotes contains no-contains merged no-merged points-at show-current",
			changes: "d D delete m M move c C copy f force u set-upstream-to unset-upstream t track edit-description " +
				"create-reflog"},
		{words: "tag", short: "mFu", long: "message file local-user sort format points-at cleanup", shows: listsOnly,
			lists:   "l list n contains no-contains merged no-merged points-at v verify",
			changes: "d delete a annotate s sign u local-user f force m message F file e edit create-reflog"},
		{words: "reflog expire|reflog delete|reflog drop|config set|config unset|config edit|config rename-section|" +
			"config remove-section|remote add|remote set-url", effect: runGitSetting, hides: usesTransport},
		{words: "reflog", shows: showsOnly},

		{words: "rm", operands: "d*", unless: "cached n dry-run"},
		{words: "mv", unless: "n dry-run", effect: addGitMove},
		{words: "clean", short: "e", long: "exclude", operands: "d*", missing: Unknown, unless: "n dry-run"},
		{words: "restore", short: "s", long: "source conflict", effect: addGitRestore},
		{words: "checkout", short: "bBcC", long: "orphan conflict", effect: addGitCheckout},
		{words: "switch", short: "bBcC", long: "orphan conflict", effect: addGitSwitch},
		{words: "init", short: "b", long: "initial-branch template separate-git-dir object-format", effect: addGitInit},
		{words: "clone", short: "bocju", long: "branch origin depth reference config jobs template upload-pack " +
			"filter", runs: "u upload-pack", effect: addGitClone, hides: usesTransport},
		{words: "worktree add", short: "bB", long: "reason", operands: "w"},
		{words: "worktree remove", operands: "d"},
		{words: "worktree move", operands: "dw"},
		{words: "archive", short: "o", long: "output remote exec", writes: "o output", runs: "exec", hides: usesTransport},
		{words: "format-patch", short: "o", long: "output output-directory", into: "o output-directory",
			unless: "stdout"},
		{words: "bundle create", operands: "o"},

		{words: "reset", unnamed: true, when: "hard merge keep"},
		{words: "stash drop|stash clear|stash create|stash store", short: "m", long: "message"},
		{words: "stash", short: "m", long: "message", unnamed: true},
		{words: "apply", short: "pC", long: "directory exclude include", unnamed: true, unless: gitPatchOnly},
		{words: "am", short: "pC", long: "directory exclude include", unnamed: true, unless: gitPatchOnly},
		{words: "rebase", short: "smXxF", long: gitMergeOptions, unnamed: true, unless: "show-current-patch",
			runs: "x exec"},
		{words: "pull", short: "smXxFu", long: gitMergeOptions + " upload-pack", unnamed: true, unless: "dry-run",
			runs: "u upload-pack", hides: usesTransport},
		{words: "merge|cherry-pick|revert", short: "smXxF", long: gitMergeOptions, unnamed: true},
		{words: "bisect run", unnamed: true, wraps: argv, own: true},
		{words: "bisect visualize|bisect view"},
		{words: "submodule foreach", wraps: joined, own: true},
		{words: "submodule", shows: listsOnly, operands: "u", hides: usesTransport},
		{words: "subtree split|subtree push"},
		{words: "lfs pull|lfs checkout|lfs migrate", unnamed: true},
		{words: "lfs"},
		{words: "difftool", short: "xt", long: "extcmd tool", runs: "x extcmd"},
		{words: "mergetool", short: "xt", long: "extcmd tool", unnamed: true, runs: "x extcmd"},
		{words: "filter-branch", long: "env-filter tree-filter index-filter parent-filter msg-filter " +
			"commit-filter tag-name-filter subdirectory-filter", unnamed: true, runs: "env-filter tree-filter " +
			"index-filter parent-filter msg-filter commit-filter tag-name-filter"},
		{words: "merge-file", operands: "w-*", unless: "p stdout"},
		{words: "read-tree|checkout-index|bisect|sparse-checkout|filter-repo|subtree|svn|p4|citool|gui", unnamed: true},
		{words: "fetch", short: "u", long: "upload-pack", runs: "u upload-pack", unless: "dry-run", hides: usesTransport},
		{words: "push", short: "o", long: "push-option repo receive-pack exec", runs: "receive-pack exec",
			hides: usesTransport},
		{words: "send-pack|fetch-pack", long: "exec receive-pack upload-pack", runs: "exec receive-pack upload-pack", hides: usesTransport},
		{words: "config", short: "f", long: "file blob type default", shows: listsOnly, upTo: 1,
			lists:   "get get-all l list get-regexp get-urlmatch get-color get-colorbool",
			changes: "add unset unset-all replace-all rename-section remove-section e edit", effect: runGitSetting},
		{words: "symbolic-ref", short: "m", shows: listsOnly, upTo: 1, changes: "d delete m"},
		{words: "remote|notes|worktree", shows: listsOnly},
		{words: "interpret-trailers", long: "trailer", when: "in-place", then: "w*", shows: showsOnly},
		{words: "commit", short: "mFCct", long: "message file reuse-message reedit-message template author date " +
			"cleanup fixup squash", reads: "F file", unless: "dry-run"},
		{words: "add|stage", unless: "n dry-run"},
		{words: "hash-object", shows: showsOnly, changes: "w"},
		{words: "fsck", shows: showsOnly, changes: "lost-found"},
		{words: "bugreport|diagnose", short: "os", long: "output-directory suffix", into: "o output-directory"},
		{words: "mailsplit", short: "o", into: "o"},
		{words: "mailinfo", operands: "ww"},
		{words: "send-email", long: "smtp-server sendmail-cmd to-cmd cc-cmd header-cmd",
			runs: "smtp-server sendmail-cmd to-cmd cc-cmd header-cmd", operands: "r*"},

		{words: "backfill|bundle|commit-graph|commit-tree|credential|fast-export|fast-import|" +
			"gc|gitk|hook|maintenance|mktree|" +
			"pack-objects|prune|refs|repack|replace|replay|rerere|" +
			"update-index|update-ref|write-tree", short: "mF", long: "message file"}}},
}
