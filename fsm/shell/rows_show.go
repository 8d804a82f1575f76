package shell

var showFamily = family{
	title: "Looking",
	about: "Commands that show files, search, filter text, or say something of the system.",
	rows: []form{
		// Commands that show files.
		{words: "cat|tac|more|most|zcat|gzcat|bzcat|xzcat|zstdcat|zless|rev|comm|look|tsort|lolcat|nbcat|" +
			"expand|unexpand|csvlook|difft|glow|mdcat", operands: "r*", shows: showsAlways},
		{words: "delta", short: "f", operands: "r*", shows: showsOnly, changes: "pager"},
		{words: "view", short: "cSiTutwW", long: "cmd", operands: "r*", opaque: "c S s cmd V", stdin: true,
			hides: givesEditorCommands},
		{words: "xmllint", long: "output schema encode path", outputs: "o output", operands: "r*", shows: showsOnly,
			opaque: "shell"},
		{words: "file", short: "efFmP", long: "files-from separator magic-file", reads: "f files-from",
			shows:   showsOnly,
			changes: "C compile"},
		{words: "wc|cksum|md5sum|sha1sum|sha224sum|sha256sum|sha384sum|sha512sum|b2sum|sum|md5|shasum|stat|" +
			"readlink|realpath|basename|dirname|du|df|pwd|echo|print|test|[|true|false|:|seq|yes|nproc|" +
			"uname|whoami|id|groups|logname|users|who|w|tty|locale|getconf|printenv|which|whereis|type|whatis|" +
			"apropos|ps|pgrep|pstree|uptime|free|vmstat|iostat|lsof|lscpu|lsblk|lsusb|lspci|nm|objdump|readelf|" +
			"size|ldd|otool|factor|expr|cal|sleep|wait|jobs|times|ulimit|umask|history|cd|pushd|popd|dirs|chdir|" +
			"exit|return|break|continue|shift|set|shopt|unset|getopts|let|export|local|declare|typeset|readonly|" +
			"unalias|dig|nslookup|host|ping|getent|numfmt|cloc|tokei|scc|tput|sysctl|dmesg|last|zipinfo|jc|" +
			"tzselect|lsb_release|lsns|lsmod|lsipc|findmnt|mountpoint|blkid|namei|pathchk|mesg|ncal|bc|units|vdir|" +
			"duf|dust|ncdu|procs|btop|htop|top|atop|iotop|ss|netstat|traceroute|mtr|arp|route|whois|loginctl|" +
			"timedatectl|localectl|hostnamectl|c++filt|addr2line|gcov-tool|pkg-config|llvm-config|python-config|" +
			"xdpyinfo|sw_vers|system_profiler|mdls|command|builtin|" +
			"fc-list|infocmp|toe|tldr|cheat|cowsay|figlet|banner|fortune|neofetch|fastfetch|onefetch",
			shows: showsAlways},
		{words: "printf", shows: showsAlways},
		{words: "man|info", short: "PHLMRSersmno", long: "pager output locale", shows: showsOnly, writes: "o output",
			opaque: "P pager H html X gxditview C config-file"},
		{words: "dc", short: "ef", long: "expression file", reads: "f file", shows: showsOnly, hides: runsBang},
		{words: "ptx", operands: "r*", when: "G traditional", then: "rw"},
		{words: "date", short: "drfIs", long: "date reference file set", shows: showsOnly, changes: "s set"},
		{words: "hostname", shows: listsOnly, lists: "f i I s d A", changes: "F file b"},
		{words: "diff|colordiff|sdiff", shows: showsOnly, short: "UCIxXFWLSo", long: "output", writes: "o output",
			operands: "r*"},
		{words: "head|tail", shows: showsAlways, short: "ncs", long: "lines bytes sleep-interval pid",
			operands: "r*"},
		{words: "less", shows: showsOnly, short: "pPtTbjxyzDoOk", long: "pattern prompt tag log-file LOG-FILE",
			operands: "r*",
			writes:   "o O log-file LOG-FILE"},
		{words: "nl", shows: showsAlways, short: "bdfhilnsvw", operands: "r*"},
		{words: "od", shows: showsAlways, short: "AjNStw", operands: "r*"},
		{words: "hexdump|hd", shows: showsAlways, short: "cgloensf", operands: "r*"},
		{words: "strings", shows: showsAlways, short: "ntTeo", operands: "r*"},
		{words: "bat|batcat", shows: showsOnly, changes: "pager", short: "lrHm", long: "language line-range " +
			"highlight-line theme style color paging wrap tabs file-name map-syntax", operands: "r*"},
		{words: "sort", shows: showsOnly, runs: "compress-program", short: "kotTS", long: columnOptions +
			" compress-program",
			operands: "r*", writes: "o output"},
		{words: "cut|paste", shows: showsAlways, short: "bcdf", long: columnOptions, operands: "r*"},
		{words: "join", shows: showsAlways, short: "12aeijotv", long: columnOptions, operands: "r*"},
		{words: "cmp", shows: showsAlways, short: "in", long: columnOptions, operands: "r*"},
		{words: "column", shows: showsAlways, short: "csoNRHTEW", long: columnOptions, operands: "r*"},
		{words: "pygmentize|highlight", shows: showsOnly, writes: "o out output", short: "lfoOSs",
			long: columnOptions, operands: "r*"},
		{words: "fold|fmt|pr", shows: showsAlways, short: "wlo", long: columnOptions, operands: "r*"},
		{words: "shuf", shows: showsOnly, short: "oinr", long: "output input-range head-count " +
			"random-source", operands: "r*",
			writes: "o output"},
		{words: "uniq", shows: showsOnly, short: "fsw", long: "skip-fields skip-chars check-chars", operands: "ro*"},
		{words: "xxd", shows: showsOnly, short: "cgloensf", long: "skip-fields skip-chars check-chars",
			operands: "ro*"},
		{words: "split|csplit", short: "abClntfn", long: "suffix-length bytes line-bytes lines number separator " +
			"filter prefix digits suffix-format", operands: "r", runs: "filter", unnamed: true},
		{words: "read|mapfile|readarray|exec|tr", shows: showsAlways, operands: "<"},

		// Commands that look for files or for text.
		{words: "find", shows: showsOnly, effect: addFind},
		{words: "fd|fdfind", shows: showsOnly, short: "detEcjS", long: "max-depth min-depth exact-depth type " +
			"extension exclude color " +
			"threads size changed-within changed-before owner base-directory search-path format", effect: addFD},
		{words: "tree", shows: showsOnly, short: "LPIoHT", long: "filelimit timefmt sort", writes: "o",
			effect: addTree},
		{words: "ls|dir", shows: showsAlways, short: "ITw", long: "ignore tabsize width hide"},
		{words: "exa|eza|lsd", shows: showsAlways, short: "LItsw", long: "level sort time ignore-glob"},
		{words: "locate|plocate|mdfind", shows: showsAlways, effect: addLocate},
		{words: "grep|egrep|fgrep|zgrep|pcregrep|ugrep", shows: showsAlways, short: "efmABCdD",
			long: searchOptions + "binary-files devices directories label", effect: addGrep},
		{words: "rg|rga", shows: showsOnly, short: "efgtTABCmjMErd", long: searchOptions + "glob iglob type " +
			"type-not threads max-columns " +
			"encoding replace max-depth sort sortr pre pre-glob ignore-file path-separator color colors engine " +
			"max-filesize type-add hostname-bin", opaque: "pre hostname-bin", effect: addGrep},
		{words: "ag|ack", shows: showsOnly, changes: "pager", short: "ABCGmWp", long: "after before context ignore " +
			"ignore-dir max-count pager path-to-ignore depth type", effect: addGrep},
		{words: "ast-grep", shows: showsOnly, changes: "i interactive", when: "U update-all", unnamed: true,
			short: "plrc", long: "pattern lang rewrite config", effect: addGrep},

		// Filters.
		{words: "sed|ssed", shows: showsOnly, short: "efl", long: "expression file line-length",
			reads: "f file", effect: addSed, hides: runsSedCommands},
		{words: "awk|gawk|mawk|nawk|goawk|frawk|bioawk", shows: showsOnly, changes: "p d o D", short: "fFvilEW",
			long: "file field-separator assign include load source exec", reads: "f file",
			effect: addAwk, hides: runsAwkCommands},
		{words: "jq|gojq|jaq", shows: showsAlways, short: "fL", long: "from-file indent", effect: addJQ},
		{words: "yq", shows: showsOnly, changes: "s split-exp", short: "fLopI", long: "from-file indent " +
			"output-format input-format", effect: addJQ},
	}}
