package shell

// showRows are commands that show files, search, filter text, or say something of the system.
var showRows = []form{
	// Commands that show files.
	{words: "cat|tac|more|zcat|bzcat|xzcat|zless|rev|comm|look|tsort|expand|unexpand|nl|od|hexdump|hd|join|cmp|fold|" +
		"fmt|pr|strings", operands: "r*", shows: showsAlways},
	{words: "file", takes: "e f F m P files-from separator magic-file", reads: "f files-from", shows: showsOnly,
		opaque: "C compile p preserve-date"},
	{words: "ls|dir|read|exec|tr|lsattr|wc|cksum|md5sum|sha1sum|sha224sum|sha256sum|sha384sum|sha512sum|b2sum|sum|" +
		"shasum|stat|readlink|realpath|basename|dirname|du|df|pwd|echo|test|[|true|false|:|seq|yes|nproc|uname|" +
		"whoami|id|groups|logname|users|who|w|tty|locale|getconf|printenv|which|whereis|type|whatis|apropos|ps|pgrep|" +
		"pstree|uptime|free|vmstat|lsof|lscpu|lsblk|nm|objdump|readelf|size|ldd|factor|expr|sleep|wait|times|ulimit|" +
		"umask|cd|pushd|popd|dirs|chdir|exit|return|break|continue|shift|set|shopt|unset|getopts|let|export|local|" +
		"declare|typeset|readonly|unalias|getent|numfmt|last|zipinfo|lsb_release|lsns|lsipc|findmnt|mountpoint|namei|" +
		"pathchk|bc|netstat|vdir|c++filt|addr2line|llvm-config|command|builtin|printf", shows: showsAlways},
	{words: "jobs", shows: showsOnly, opaque: "x"},
	{words: "cal|dig|nslookup|host|ping|lsusb|lspci|sw_vers|whois|traceroute|journalctl", knows: "h H c n i t T f u " +
		"a l L 4 6 w W q v s x X p m y Y 1 3 short noall answer r e k b S U since until no-pager output unit lines " +
		"grep boot dmesg reverse", shows: showsOnly},
	{words: "ss", knows: "t u l n p a x s e m i o r 4 6 w d H O Z z tcp udp listening numeric processes all unix " +
		"summary", shows: showsOnly},
	{words: "ip", knows: "4 6 br brief c color d details j json o oneline s stats p pretty", forms: []form{
		{words: "addr show|link show|route show|route list|route get|neigh show", shows: showsOnly},
		{words: "addr|address|a|link|l|route|r|neigh", shows: listsOnly}}},
	{words: "man|info", knows: "k f w K W where apropos whatis", opaque: "P pager H html X gxditview C config-file",
		shows: showsOnly},
	{words: "date", takes: "d r f I s date reference file set", shows: showsOnly, changes: "s set", hides: setsClock},
	{words: "hostname", shows: listsOnly, lists: "f i I s d A", changes: "F file b"},
	{words: "diff|sdiff", shows: showsOnly, takes: "U C I x X F W L S o output", writes: "o output", operands: "r*"},
	{words: "head|tail", shows: showsAlways, takes: "n c s lines bytes sleep-interval pid", operands: "r*"},
	{words: "less", shows: showsOnly, takes: "p P t T b j x y z D o O k pattern prompt tag log-file LOG-FILE",
		operands: "r*", writes: "o O log-file LOG-FILE"},
	{words: "bat|batcat", shows: showsOnly, knows: "n p A P f color style paging plain number show-all list-themes",
		takes:    "l r H m language line-range highlight-line theme style color paging wrap tabs file-name map-syntax",
		operands: "r*", opaque: "pager"},
	{words: "sort", shows: showsOnly, opaque: "compress-program",
		takes: "k o t T S " + columnOptions + " compress-program", operands: "r*", writes: "o output"},
	{words: "column", shows: showsAlways, takes: "c s o N R H T E W " + columnOptions, operands: "r*"},
	{words: "cut|paste", shows: showsAlways, takes: "b c d f " + columnOptions, operands: "r*"},
	{words: "uniq", shows: showsOnly, takes: "f s w skip-fields skip-chars check-chars", operands: "ro*"},
	{words: "xxd", shows: showsOnly, takes: "c g l o e n s f skip-fields skip-chars check-chars", operands: "ro*"},
	{words: "base64|base32", takes: "w o wrap output", operands: "r*", writes: usualOutputs, shows: showsOnly},
	{words: "mapfile|readarray|history|print", shows: showsKnown, knows: "t d n O s u c o"},

	// Commands that look for files or for text.
	{words: "find", shows: showsOnly, opaque: "fprint fprint0 fls fprintf files0-from", effect: addFind},
	{words: "fd|fdfind", shows: showsOnly, takes: "d e t E c j S max-depth min-depth exact-depth type extension " +
		"exclude color threads size changed-within changed-before owner base-directory search-path format",
		opaque: "x X exec exec-batch", effect: addFD},
	{words: "tree", shows: showsOnly, takes: "L P I o H T filelimit timefmt sort", writes: "o",
		knows: "a d f p s h D F i l x u g t r v c U J X C n N q Q dirsfirst gitignore noreport du prune charset"},
	{words: "grep|egrep|fgrep|zgrep", shows: showsAlways,
		takes: "e f m A B C d D " + searchOptions + "binary-files devices directories label", effect: addGrep},
	{words: "rg", shows: showsOnly, takes: "e f g t T A B C m j M E r d " + searchOptions + "glob iglob type " +
		"type-not threads max-columns encoding replace max-depth sort sortr ignore-file path-separator color colors " +
		"engine max-filesize type-add", opaque: "pre hostname-bin", effect: addGrep},

	// Filters.
	{words: "sed", shows: showsOnly, takes: "e f l expression file line-length", reads: "f file", opaque: "f file",
		effect: addSed, hides: hidesSed},
	{words: "awk|gawk|mawk|nawk", shows: showsOnly, knows: "c t r b P S posix re-interval sandbox",
		takes: "f F v i l E W e file field-separator assign include load source exec", reads: "f file", effect: addAwk,
		hides:  hidesAwk,
		opaque: "f file E exec l load i include e source p d o D dump-variables pretty-print profile debug"},
	{words: "jq", shows: showsAlways, takes: "f L from-file indent", effect: addJQ},
	{words: "yq", shows: showsOnly, changes: "s split-exp",
		takes: "f L o p I from-file indent output-format input-format", effect: addJQ},
}
