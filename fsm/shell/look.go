package shell

import "strings"

// searches adds where a grep or one of its successors looks for text.
func (r *reader) searches(c command) {
	s := searcherOf(c.name)
	o := c.options(s.short, s.long)
	if o.has("version help") && len(o.operands) == 0 {
		return
	}
	if o.has("files type-list") && c.name == "rg" {
		if !o.has("type-list") {
			r.under(List, o.operands)
		}
		return
	}
	skip := 1
	if o.has("e f regexp file") || len(o.operands) == 0 {
		skip = 0
	}
	files := o.from(skip)
	recursive := !strings.HasSuffix(c.name, "grep") || o.has("r R recursive dereference-recursive") || c.name == "ast-grep"
	if len(files) == 0 && recursive && (r.stdin.from == inherited || strings.HasSuffix(c.name, "grep")) {
		r.under(Search, nil)
		return
	}
	r.look(Search, files)
}

func searcherOf(name string) spec {
	const long = "regexp file max-count after-context before-context context "
	switch name {
	case "rg", "rga":
		return spec{short: "efgtTABCmjMErd", long: long + "glob iglob type type-not threads max-columns encoding replace max-depth sort sortr pre pre-glob ignore-file path-separator color colors engine max-filesize type-add"}
	case "ag", "ack":
		return spec{short: "ABCGmWp", long: "after before context ignore ignore-dir max-count pager path-to-ignore depth type"}
	case "ast-grep":
		return spec{short: "plrc", long: "pattern lang rewrite config"}
	}
	return spec{short: "efmABCdD", long: long + "binary-files devices directories label"}
}

// under adds calls on trees, or on the working directory if none is named.
func (r *reader) under(k Kind, dirs []field) {
	if len(dirs) == 0 {
		dirs = []field{constant(".")}
	}
	r.each(k, dirs)
}

// lists adds where a command looks for files.
func (r *reader) lists(c command) {
	switch c.name {
	case "find", "gfind":
		r.find(c)
	case "fd", "fdfind":
		r.fd(c)
	case "tree":
		o := c.options("LPIoHT", "filelimit timefmt sort")
		r.each(Write, o.values("o"))
		r.under(List, o.operands)
	case "locate", "plocate", "mdfind":
		r.file(List, unknown())
	case "exa", "eza", "lsd":
		if o := c.options("LItsw", "level sort time ignore-glob"); o.has("R T recurse recursive tree") {
			r.under(List, o.operands)
		}
	default:
		if o := c.options("ITw", "ignore tabsize width hide"); o.has("R recursive") {
			r.under(List, o.operands)
		}
	}
}

// find adds the trees that find walks, what it deletes and what it runs.
func (r *reader) find(c command) {
	roots, rest := findRoots(c.args())
	r.under(List, roots)
	for i, f := range rest {
		switch f.rest() {
		case "-delete":
			r.under(Delete, roots)
		case "-fprint", "-fprint0", "-fls", "-fprintf":
			if i+1 < len(rest) {
				r.file(Write, rest[i+1])
			}
		case "-exec", "-execdir", "-ok", "-okdir":
			how := f.rest()
			r.within("find "+how, func() { r.found(rest[i+1:], how) })
		}
	}
}

// findRoots parts the starting points of find from its expression.
func findRoots(args []field) (roots, rest []field) {
	for i := 0; i < len(args); i++ {
		f := args[i]
		switch {
		case f.is("-D") && i+1 < len(args):
			i++
		case f.is("-H"), f.is("-L"), f.is("-P"), f.is("--"), strings.HasPrefix(f.text, "-O") || strings.HasPrefix(f.text, "-D"):
		case strings.IndexAny(f.rest(), "-(!") == 0:
			return roots, args[i:]
		default:
			roots = append(roots, f)
		}
	}
	return roots, nil
}

// found runs the command of find -exec, up to its end mark.
func (r *reader) found(ws []field, how string) {
	var cmd []field
	for _, f := range ws {
		if f.is(";") || f.is("+") && len(cmd) > 0 && cmd[len(cmd)-1].text == blank {
			break
		}
		cmd = append(cmd, filled(f, "{}"))
	}
	r.subshell(func() {
		r.stdin = input{from: r.stdin.from}
		if strings.HasSuffix(how, "dir") {
			r.dir = Unknown
		}
		r.bare(cmd)
	})
}

// fd adds the trees that fd walks, and what it runs.
func (r *reader) fd(c command) {
	for i, f := range c.words {
		switch f.text {
		case "-x", "-X", "--exec", "--exec-batch":
			r.fdTrees(command{words: c.words[:i]})
			r.within("fd "+f.text, func() { r.fdRuns(c.words[i+1:]) })
			return
		}
	}
	r.fdTrees(c)
}

func (r *reader) fdTrees(c command) {
	o := c.options("detEcjS", "max-depth min-depth exact-depth type extension exclude color threads size changed-within changed-before owner base-directory search-path format")
	trees := append(o.values("base-directory search-path"), o.from(1)...)
	r.under(List, trees)
}

// fdRuns runs a command with unknown arguments.
func (r *reader) fdRuns(ws []field) {
	marked := false
	cmd := make([]field, len(ws))
	for i, f := range ws {
		cmd[i] = f
		for _, mark := range [...]string{"{}", "{.}", "{/}", "{//}", "{/.}"} {
			cmd[i] = filled(cmd[i], mark)
		}
		marked = marked || cmd[i] != f
	}
	if !marked {
		cmd = append(cmd, unknown())
	}
	r.subshell(func() { r.bare(cmd) })
}
