package shell

// effects adds what a command does to files and how it looks at them, after its
// own call.
func (r *reader) effects(c command) {
	if r.where == elsewhere {
		return
	}
	if s, ok := operandsOf(c.name); ok {
		o := c.options(s.short, s.long)
		r.look(s.kind, o.from(s.skip))
	}
	switch c.name {
	case "find", "gfind", "fd", "fdfind", "tree", "ls", "dir", "exa", "eza", "lsd", "locate", "plocate", "mdfind":
		r.lists(c)
	case "grep", "egrep", "fgrep", "zgrep", "ggrep", "pcregrep", "ugrep", "rg", "rga", "ag", "ack", "ast-grep":
		r.searches(c)
	case "sed", "gsed", "ssed", "awk", "gawk", "mawk", "nawk", "jq", "yq", "perl", "ruby", "python", "python3":
		r.filters(c)
	case "git":
		r.git(c)
	case "read", "mapfile", "readarray", "exec", "tr":
		r.input(Read)
	case "cp", "gcp", "mv", "gmv", "install", "ginstall", "rsync", "scp", "ln", "gln", "link", "dd", "docker", "podman", "kubectl":
		r.copies(c)
	case "tar", "gtar", "bsdtar", "unzip", "zip", "gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "lzma",
		"zstd", "unzstd", "pigz", "lz4", "7z", "7za", "7zz", "unrar", "cpio", "ar", "jar":
		r.archives(c)
	case "curl", "wget", "aria2c", "yt-dlp":
		r.downloads(c)
	default:
		if !r.changes(c) {
			r.writesOutput(c)
		}
	}
}

// look adds calls on the operands; if a looking command has none, on the file that
// is its input.
func (r *reader) look(k Kind, operands []field) {
	looking := k == Read || k == Search
	if len(operands) == 0 && looking {
		r.input(k)
		return
	}
	for _, f := range operands {
		switch {
		case looking && f.is("-"):
			r.input(k)
		case looking && len(f.text) > 1 && f.text[0] == '+': // less +F
		default:
			r.file(k, f)
		}
	}
}

// input adds a call on the file that the command's input was opened from.
func (r *reader) input(k Kind) {
	if r.stdin.from == opened {
		r.file(k, r.stdin.path)
	}
}

// spec says that a command acts in one way on all its operands behind the first
// few.
type spec struct {
	kind        Kind
	short, long string // options that take a value
	skip        int
}

// operandsOf lists the commands of which that is all to say.
func operandsOf(name string) (spec, bool) {
	switch name {
	case "rm", "grm", "unlink", "rmdir", "trash", "trash-put", "rimraf", "srm", "del-cli":
		return spec{kind: Delete}, true
	case "touch":
		return spec{kind: Write, short: "drt", long: "date reference time"}, true
	case "truncate":
		return spec{kind: Write, short: "sr", long: "size reference"}, true
	case "mkdir", "mkfifo", "mknod":
		return spec{kind: Write, short: "m", long: "mode"}, true
	case "tee", "sponge", "venv", "virtualenv", "mkfs", "mkswap", "nano", "pico", "micro", "sudoedit", "dos2unix", "unix2dos", "strip":
		return spec{kind: Write}, true
	case "fallocate", "setfacl":
		return spec{kind: Write, short: "lomxMX", long: "length offset modify remove modify-file remove-file"}, true
	case "chown", "chgrp", "chattr", "chcon", "chflags":
		return spec{kind: Write, long: "from reference", skip: 1}, true
	}
	return readersOf(name)
}

// readersOf lists the commands that show the files they are given.
func readersOf(name string) (spec, bool) {
	switch name {
	case "cat", "gcat", "tac", "more", "most", "zcat", "gzcat", "bzcat", "xzcat", "zstdcat", "zless", "rev", "comm",
		"colordiff", "sdiff", "diff", "glow", "mdcat", "view", "vimdiff", "look",
		"csvlook", "xmllint", "expand", "unexpand", "tsort", "lolcat", "nbcat", "delta", "difft":
		return spec{kind: Read, short: readerOptions(name)}, true
	case "head", "tail", "ghead", "gtail":
		return spec{kind: Read, short: "ncs", long: "lines bytes sleep-interval pid"}, true
	case "less":
		return spec{kind: Read, short: "pPtTbjxyzDoOk", long: "pattern prompt tag log-file LOG-FILE"}, true
	case "nl", "od", "hexdump", "hd", "strings":
		return spec{kind: Read, short: numberOptions(name)}, true
	case "bat", "batcat":
		return spec{kind: Read, short: "lrHm", long: "language line-range highlight-line theme style color paging wrap tabs file-name map-syntax"}, true
	case "cut", "paste", "fold", "fmt", "pr", "column", "sort", "gsort", "join", "base64", "base32", "cmp", "iconv", "pygmentize", "highlight":
		return spec{kind: Read, short: columnOptions(name), long: "delimiter fields bytes characters output-delimiter width key field-separator output buffer-size temporary-directory parallel table table-columns separator wrap from-code to-code"}, true
	}
	return spec{}, false
}

func readerOptions(name string) string {
	switch name {
	case "diff", "colordiff", "sdiff":
		return "UCIxXFWLS"
	}
	return ""
}

func numberOptions(name string) string {
	switch name {
	case "nl":
		return "bdfhilnsvw"
	case "od":
		return "AjNStw"
	case "strings":
		return "ntTeo"
	case "uniq":
		return "fsw"
	}
	return "cgloensf"
}

func columnOptions(name string) string {
	switch name {
	case "sort", "gsort":
		return "kotTS"
	case "join":
		return "12aeijotv"
	case "cmp":
		return "in"
	case "iconv":
		return "fto"
	case "base64", "base32":
		return "wo"
	case "cut", "paste":
		return "bcdf"
	case "column":
		return "csoNRHTEW"
	case "pygmentize", "highlight":
		return "lfoOSs"
	}
	return "wlo"
}
