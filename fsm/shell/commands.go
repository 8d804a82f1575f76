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
	tarLetters      = "fCbIXTFgHKLNV"
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
	{words: "cat|gcat|tac|more|most|zcat|gzcat|bzcat|xzcat|zstdcat|zless|rev|comm|glow|mdcat|view|vimdiff|look|" +
		"csvlook|xmllint|expand|unexpand|tsort|lolcat|nbcat|delta|difft", operands: "r*"},
	{words: "diff|colordiff|sdiff", short: "UCIxXFWLS", operands: "r*"},
	{words: "head|tail|ghead|gtail", short: "ncs", long: "lines bytes sleep-interval pid", operands: "r*"},
	{words: "less", short: "pPtTbjxyzDoOk", long: "pattern prompt tag log-file LOG-FILE", operands: "r*",
		writes: "o O log-file LOG-FILE"},
	{words: "nl", short: "bdfhilnsvw", operands: "r*"},
	{words: "od", short: "AjNStw", operands: "r*"},
	{words: "hexdump|hd", short: "cgloensf", operands: "r*"},
	{words: "strings", short: "ntTeo", operands: "r*"},
	{words: "bat|batcat", short: "lrHm", long: "language line-range highlight-line theme style color paging wrap " +
		"tabs file-name map-syntax", operands: "r*"},
	{words: "sort|gsort", short: "kotTS", long: columnOptions, operands: "r*", writes: "o output"},
	{words: "cut|paste", short: "bcdf", long: columnOptions, operands: "r*"},
	{words: "join", short: "12aeijotv", long: columnOptions, operands: "r*"},
	{words: "cmp", short: "in", long: columnOptions, operands: "r*"},
	{words: "iconv", short: "fto", long: columnOptions, operands: "r*"},
	{words: "base64", short: "wo", long: columnOptions, operands: "r*", outputs: compilerOut},
	{words: "base32", short: "wo", long: columnOptions, operands: "r*"},
	{words: "column", short: "csoNRHTEW", long: columnOptions, operands: "r*"},
	{words: "pygmentize|highlight", short: "lfoOSs", long: columnOptions, operands: "r*"},
	{words: "fold|fmt|pr", short: "wlo", long: columnOptions, operands: "r*"},
	{words: "uniq", short: "fsw", long: "skip-fields skip-chars check-chars", operands: "ro*"},
	{words: "xxd", short: "cgloensf", long: "skip-fields skip-chars check-chars", operands: "ro*"},
	{words: "split|csplit", short: "abClntfn", long: "suffix-length bytes line-bytes lines number separator filter " +
		"prefix digits suffix-format", operands: "r", runs: "filter", unnamed: true},
	{words: "read|mapfile|readarray|exec|tr", operands: "<"},

	// Commands that look for files or for text.
	{words: "find|gfind", effect: addFind},
	{words: "fd|fdfind", short: "detEcjS", long: "max-depth min-depth exact-depth type extension exclude color " +
		"threads size changed-within changed-before owner base-directory search-path format", effect: addFD},
	{words: "tree", short: "LPIoHT", long: "filelimit timefmt sort", operands: "l*", missing: ".", writes: "o"},
	{words: "ls|dir", short: "ITw", long: "ignore tabsize width hide", when: "R recursive", then: "l*", missing: "."},
	{words: "exa|eza|lsd", short: "LItsw", long: "level sort time ignore-glob", when: "R T recurse recursive tree",
		then: "l*", missing: "."},
	{words: "locate|plocate|mdfind", effect: addLocate},
	{words: "grep|egrep|fgrep|zgrep|ggrep|pcregrep|ugrep", short: "efmABCdD", long: searchOptions + "binary-files " +
		"devices directories label", effect: addGrep},
	{words: "rg|rga", short: "efgtTABCmjMErd", long: searchOptions + "glob iglob type type-not threads max-columns " +
		"encoding replace max-depth sort sortr pre pre-glob ignore-file path-separator color colors engine " +
		"max-filesize type-add", opaque: "pre", effect: addGrep},
	{words: "ag|ack", short: "ABCGmWp", long: "after before context ignore ignore-dir max-count pager path-to-ignore " +
		"depth type", effect: addGrep},
	{words: "ast-grep", short: "plrc", long: "pattern lang rewrite config", effect: addGrep},

	// Filters.
	{words: "sed|gsed|ssed", short: "efl", long: "expression file line-length", effect: addSed, hides: runsSedCommands},
	{words: "awk|gawk|mawk|nawk", short: "fFvildEW", long: "file field-separator assign include load source exec",
		effect: addAwk, hides: runsAwkCommands},
	{words: "jq|yq", short: "fLopI", long: "from-file indent output-format input-format", effect: addJQ},

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
	{words: "npm", short: "CwF", long: npmGlobals, subs: checkedSubs, forms: []form{
		{words: "exec", short: "pcw", long: "package call workspace", wraps: eitherWay, own: true},
		{words: "pkg set|version|init", unnamed: true, unless: checkOnly}}},
	{words: "pnpm", short: "CwF", long: npmGlobals, subs: checkedSubs, forms: []form{
		{words: "dlx", long: "package", wraps: argv, own: true},
		{words: "exec", wraps: argv, own: true}}},
	{words: "yarn", long: "cwd cache-folder registry", subs: checkedSubs, forms: []form{
		{words: "dlx", short: "p", long: "package", wraps: argv, own: true},
		{words: "exec", wraps: argv, own: true}}},
	{words: "bun", short: "c", long: "cwd config filter", subs: checkedSubs, hides: runsFile, forms: []form{
		{words: "x", short: "p", long: "package", wraps: argv, own: true},
		{words: "run", hides: runsFile}}},
	{words: "npx", short: "CwFpc", long: npmGlobals + " package call", subs: knownSubs, wraps: eitherWay, own: true},
	{words: "pnpx", short: "CwF", long: npmGlobals, subs: knownSubs, wraps: argv, own: true},
	{words: "bunx", short: "cp", long: "cwd config filter package", subs: knownSubs, wraps: argv, own: true},
	{words: "deno", long: commonGlobals, subs: knownSubs, forms: []form{
		{words: "run|eval|repl", interpret: runForeign},
		{words: "fmt", unnamed: true, unless: checkOnly}}},
	{words: "go", short: "C", subs: checkedSubs, outputs: compilerOut, forms: []form{
		{words: "run", hides: runsFile},
		{words: "fmt|fix|generate|get|mod tidy|mod edit|mod vendor|mod init", unnamed: true, unless: checkOnly}}},
	{words: "cargo", short: "CZ", long: "color config manifest-path target-dir", subs: checkedSubs, forms: []form{
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
	{words: "pip|pip3", long: "log proxy retries timeout cache-dir python", subs: checkedSubs},
	{words: "pipx", forms: []form{{words: "run", long: "spec python", wraps: argv, own: true}}},
	{words: "bundle", long: commonGlobals, subs: knownSubs, forms: []form{{words: "exec", wraps: argv, own: true}}},
	{words: "conda|mamba", long: commonGlobals, subs: knownSubs, forms: []form{
		{words: "run", short: "np", long: "name prefix cwd", wraps: argv, own: true}}},
	{words: "brew|rustup", long: commonGlobals, subs: checkedSubs},
	{words: "claude|codex|gemini|just|aws|gcloud|az", long: commonGlobals, subs: knownSubs},
	{words: "dotnet", long: commonGlobals, subs: knownSubs, forms: []form{{words: "format", unnamed: true,
		unless: checkOnly}}},
	{words: "pipeline", long: "config session project dir", subs: checkedSubs},
	{words: "mvn|gradle|gradlew|mvnw", short: "fPDpb", long: "file project-dir build-file", subs: knownSubs},
	{words: "apt|apt-get", short: "cto", long: "option config-file target-release", subs: checkedSubs},
	{words: "systemctl", short: "HMtpn", long: "host machine type property root", subs: checkedSubs},
	{words: "journalctl", short: "HMtpn", long: "host machine type property root", subs: knownSubs},
	{words: "helm", short: "n", long: "namespace kube-context kubeconfig registry-config", subs: checkedSubs},
	{words: "terraform|tofu", long: "chdir", subs: checkedSubs, forms: []form{{words: "fmt", unnamed: true,
		unless: checkOnly}}},
	{words: "terragrunt", long: "chdir", subs: knownSubs},
	{words: "nix", long: "option log-format extra-experimental-features experimental-features store",
		subs: checkedSubs, stdin: true, forms: []form{{words: "develop|shell", wraps: afterC, own: true, stdin: true}}},
	{words: "gh", short: "R", long: "repo hostname", subs: checkedSubs, forms: []form{
		{words: "repo clone|pr checkout|release download|run download", unnamed: true, unless: checkOnly}}},
	{words: "hg", forms: []form{
		{words: "update|revert|purge", unnamed: true, unless: checkOnly},
		{words: "pull", unnamed: true, when: "u", unless: checkOnly}}},
	{words: "svn", forms: []form{{words: "update|checkout|revert|merge|switch", unnamed: true, unless: checkOnly}}},

	// Containers and other machines.
	{words: "docker|podman|nerdctl", short: "HclfpD", long: dockerGlobals, subs: checkedSubs, forms: []form{
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
	{words: "env", short: "uCS", long: "unset chdir split-string", wraps: assigns},
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
	{words: "node", shows: "--check -c --test", interpret: runInterpreter},
	{words: "php", shows: "-l -i -m", interpret: runInterpreter},
	{words: "dart|swift", shows: "test build analyze pub package", interpret: runInterpreter},
	{words: "lua|luajit|rscript|r|java", interpret: runInterpreter},
	{words: "osascript|expect|pwsh|powershell|cmd|fish|csh|tcsh|nu|elvish|xonsh|tclsh|wish|guile|julia|octave|racket|" +
		"sbcl|ghci|runghc|runhaskell|groovy|scala|kotlin|jshell|irb|pry|ipython|nodejs|ts-node|tsx|esno|swipl",
		interpret: runForeign},
	{words: "sqlite3|psql|mysql|lldb", hides: escapesToShell},
	{words: "gdb", long: "args", wraps: dashed, own: true, hides: escapesToShell},
	{words: "tmux", shows: "ls list-sessions kill-session kill-server has-session capture-pane", hides: startsInTmux},

	// Git. Its own files under .git are not recorded.
	{words: "git", short: "Cc", long: "git-dir work-tree namespace exec-path super-prefix config-env attr-source " +
		"list-cmds", subs: closedSubs, writes: "output", forms: []form{
		{words: "grep", short: "efmABCO", long: "max-depth threads", operands: "-s*", when: "e f", then: "s*",
			missing: ".", runs: "O"},
		{words: "ls-files", short: "mFCct", long: "message file", operands: "l*", missing: "."},
		{words: "ls-tree", short: "mFCct", long: "message file", when: "r", then: "-l*", missing: "."},
		{words: "show", short: "nLGSU", long: "since until author grep format", effect: addGitShow},
		{words: "cat-file", short: "mFCct", long: "message file", effect: addGitShow},
		{words: "blame", short: "nLGSU", long: "since until author grep format", operands: "-*r"},
		{words: "annotate", short: "mFCct", long: "message file", operands: "-*r"},
		{words: "log|diff", short: "nLGSU", long: "since until author grep format"},

		{words: "rm", short: "mFCct", long: "message file", operands: "d*", unless: "cached n dry-run"},
		{words: "mv", short: "mFCct", long: "message file", unless: "n dry-run", effect: addGitMove},
		{words: "clean", short: "e", long: "exclude", operands: "d*", missing: Unknown, unless: "n dry-run"},
		{words: "restore", short: "s", long: "source conflict", effect: addGitRestore},
		{words: "checkout", short: "bBcC", long: "orphan conflict", effect: addGitCheckout},
		{words: "switch", short: "bBcC", long: "orphan conflict", effect: addGitSwitch},
		{words: "init", short: "mFCctb", long: "message file initial-branch template separate-git-dir " +
			"object-format", effect: addGitInit},
		{words: "clone", short: "bocju", long: "branch origin depth reference config jobs template upload-pack " +
			"filter", runs: "u upload-pack", effect: addGitClone},
		{words: "worktree add", short: "bB", long: "reason", operands: "w"},
		{words: "worktree remove", short: "bB", long: "reason", operands: "d"},
		{words: "worktree move", short: "bB", long: "reason", operands: "dw"},
		{words: "archive", short: "o", long: "output output-directory", writes: "o output"},
		{words: "format-patch", short: "o", long: "output output-directory", into: "o output-directory",
			unless: "stdout"},
		{words: "bundle create", short: "mFCct", long: "message file", operands: "o"},

		{words: "reset", short: "mFCct", long: "message file", unnamed: true, when: "hard merge keep"},
		{words: "stash list|stash show|stash drop|stash clear|stash create|stash store", short: "m",
			long: "message"},
		{words: "stash", short: "m", long: "message", unnamed: true},
		{words: "apply", short: "pC", long: "directory exclude include", unnamed: true,
			unless: "check stat numstat summary cached show-current-patch"},
		{words: "am", short: "mFCct", long: "message file", unnamed: true, unless: "check stat numstat summary " +
			"cached show-current-patch"},
		{words: "rebase", short: "smXxF", long: gitMergeOptions, unnamed: true, unless: "show-current-patch",
			runs: "x exec"},
		{words: "pull", short: "smXxF", long: gitMergeOptions, unnamed: true, unless: "show-current-patch",
			runs: "u upload-pack"},
		{words: "merge|cherry-pick|revert", short: "smXxF", long: gitMergeOptions, unnamed: true,
			unless: "show-current-patch"},
		{words: "bisect run", unnamed: true, wraps: argv, own: true},
		{words: "bisect log|bisect visualize|bisect view"},
		{words: "submodule foreach", wraps: joined, own: true},
		{words: "submodule status|submodule summary|submodule sync"},
		{words: "submodule", short: "mFCct", long: "message file", operands: "u"},
		{words: "sparse-checkout list|subtree split|subtree push"},
		{words: "lfs pull|lfs checkout|lfs fetch|lfs migrate", unnamed: true},
		{words: "lfs"},
		{words: "difftool", short: "xt", long: "extcmd tool", runs: "x extcmd"},
		{words: "mergetool", short: "xt", long: "extcmd tool", unnamed: true, runs: "x extcmd"},
		{words: "filter-branch", long: "env-filter tree-filter index-filter parent-filter msg-filter " +
			"commit-filter tag-name-filter subdirectory-filter", unnamed: true, runs: "env-filter tree-filter " +
			"index-filter parent-filter msg-filter commit-filter tag-name-filter"},
		{words: "read-tree|checkout-index|bisect|sparse-checkout|filter-repo|subtree|merge-file|svn|p4|citool|gui",
			short: "mFCct", long: "message file", unnamed: true, unless: "show-current-patch"},
		{words: "fetch|ls-remote", short: "mFCct", long: "message file", runs: "u upload-pack"},
		{words: "config", short: "mFCct", long: "message file", effect: runGitSetting},

		{words: "add|backfill|branch|bugreport|bundle|check-attr|check-ignore|check-mailmap|check-ref-format|" +
			"cherry|column|commit|commit-graph|commit-tree|count-objects|credential|describe|diagnose|diff-files|" +
			"diff-index|diff-tree|fast-export|fast-import|fmt-merge-msg|for-each-ref|fsck|gc|gitk|hash-object|" +
			"help|hook|interpret-trailers|mailinfo|maintenance|merge-base|merge-tree|mktree|name-rev|notes|" +
			"pack-objects|prune|push|range-diff|reflog|refs|remote|repack|replace|replay|request-pull|rerere|" +
			"rev-list|rev-parse|send-email|shortlog|show-branch|show-ref|stage|status|symbolic-ref|tag|" +
			"update-index|update-ref|var|verify-commit|verify-pack|verify-tag|version|whatchanged|worktree|" +
			"write-tree", short: "mFCct", long: "message file"}}},
}
