package shell

import "strings"

// changes adds the effects of editors, formatters and other commands with ways of
// their own; false if c is none of them.
func (r *reader) changes(c command) bool {
	switch c.name {
	case "chmod":
		r.chmod(c)
	case "shred":
		o := c.options("nsr", "iterations size random-source")
		kind := Write
		if o.has("u remove") {
			kind = Delete
		}
		r.each(kind, o.operands)
	case "patch", "split", "csplit", "mktemp", "sd", "rpl", "gio", "rename", "prename":
		r.patches(c)
	case "vim", "vi", "nvim", "ex", "ed", "emacs", "code", "gvim":
		r.edits(c)
	case "hg", "svn", "gh", "cargo", "go", "terraform", "tofu", "dotnet", "mix", "deno", "biome", "ruff", "npm", "sqlite3":
		r.tools(c)
	default:
		return r.formats(c)
	}
	return true
}

// chmod has its mode first, which may look like an option: chmod -x FILE.
func (r *reader) chmod(c command) {
	o := c.options("", "reference")
	skip := 1
	for _, f := range c.args() {
		if len(f.text) > 1 && f.text[0] == '-' && strings.Trim(f.text[1:], "rwxXst,=+ugoa") == "" {
			skip = 0
		}
	}
	if o.has("reference") {
		skip = 0
	}
	r.each(Write, o.from(skip))
}

func (r *reader) patches(c command) {
	switch c.name {
	case "patch":
		r.patch(c)
	case "split", "csplit":
		o := c.options("abClntfn", "suffix-length bytes line-bytes lines number separator filter prefix digits suffix-format")
		r.runs(o.values("filter"), c.name)
		r.look(Read, o.operands[:min(1, len(o.operands))])
		r.file(Write, unknown())
	case "mktemp":
		if o := c.options("pt", "suffix tmpdir"); !o.has("u dry-run") {
			r.file(Write, temporary(o))
		}
	case "sd", "rpl":
		if o := c.options("nf", "max-replacements flags"); !o.has("p preview s") {
			r.each(Write, o.from(2))
		}
	case "rename", "prename":
		r.file(Write, unknown())
	case "gio":
		if len(c.args()) > 1 && (c.args()[0].is("trash") || c.args()[0].is("remove")) {
			r.each(Delete, c.args()[1:])
		}
	}
}

// temporary is a name as mktemp makes it.
func temporary(o options) field {
	name := constant("tmp.XXXXXXXXXX")
	if len(o.operands) > 0 {
		name = o.operands[0]
	}
	dir := o.values("p tmpdir")
	switch {
	case len(dir) > 0:
		name.text, name.known = dir[0].text+"/"+name.text, name.known && dir[0].known
	case len(o.operands) == 0 || o.has("t tmpdir"):
		name.text = "/tmp/" + name.text
	}
	return name
}

func (r *reader) patch(c command) {
	o := c.options("pidoFBDrVYzg", "strip input directory output fuzz prefix reject-file")
	r.each(Read, o.values("i input"))
	switch {
	case o.has("dry-run C check"):
	case o.has("o output"):
		r.each(Write, o.values("o output"))
	case len(o.operands) > 0:
		r.each(Write, o.operands[:1])
	default:
		r.file(Write, unknown())
	}
}

// edits adds the files that an editor is opened with.
func (r *reader) edits(c command) {
	o := c.options("cSiTutwW", "cmd")
	if c.name == "ed" || c.name == "code" {
		o = c.options("p", "")
	}
	for _, f := range o.operands {
		if !strings.HasPrefix(f.text, "+") && !f.is("-") {
			r.file(Write, f)
		}
	}
}

// tools adds the forms of larger tools that change files of the tree.
func (r *reader) tools(c command) {
	forms := [...]string{
		"go fmt", "go fix", "go generate", "go get", "go mod tidy", "go mod edit", "go mod vendor", "go mod init",
		"cargo fmt", "cargo fix", "cargo init", "cargo new", "terraform fmt", "tofu fmt", "dotnet format", "mix format",
		"deno fmt", "ruff format", "ruff check --fix", "biome format --write", "biome check --write", "biome check --apply",
		"gh repo clone", "gh pr checkout", "gh release download", "gh run download", "npm pkg set", "npm version", "npm init",
		"hg update", "hg revert", "hg pull -u", "hg purge", "svn update", "svn checkout", "svn revert", "svn merge", "svn switch",
	}
	ws := words(c.words)
	for _, form := range forms {
		if strings.HasPrefix(form, c.name+" ") && Match(strings.Fields(form), ws) && !checking(ws) {
			r.file(Write, unknown())
			return
		}
	}
	r.writesOutput(c)
}

// checking tells whether a formatter is only to say what it would do.
func checking(ws []string) bool {
	for _, w := range ws {
		switch w {
		case "--check", "--diff", "--dry-run", "-check", "--verify-no-changes", "--check-formatted", "--list-different", "--help":
			return true
		}
	}
	return false
}

// formats adds the files that a formatter rewrites.
func (r *reader) formats(c command) bool {
	o := c.options("", "config rules ext line-length")
	switch c.name {
	case "gofmt", "goimports", "gofumpt", "golines", "shfmt", "prettier", "stylua", "swift-format", "ormolu":
		r.rewrites(o.has("w write") || o.has("i in-place inplace"), o, Unknown)
	case "clang-format", "autopep8", "yapf", "astyle", "uncrustify":
		r.rewrites(o.has("i in-place"), o, Unknown)
	case "eslint", "stylelint", "standard", "rubocop", "ktlint", "tslint", "oxlint", "golangci-lint", "markdownlint", "xo", "codespell":
		r.rewrites(o.has("fix a A w"), o, ".")
	case "black", "isort", "rustfmt", "nixfmt", "alejandra", "nixpkgs-fmt", "autoflake", "pyupgrade", "zprint", "fourmolu", "terraform-docs":
		r.rewrites(!checking(words(c.words)), o, Unknown)
	default:
		return false
	}
	return true
}

func (r *reader) rewrites(really bool, o options, otherwise string) {
	if !really {
		return
	}
	if len(o.operands) == 0 {
		r.emit(Call{Kind: Write, Path: otherwise})
	}
	r.each(Write, o.operands)
}

// writesOutput adds the file that a command is told to write its result to.
func (r *reader) writesOutput(c command) {
	switch c.name {
	case "sort", "gsort":
		r.archive(c.options("kotTS", "output key").values("o output"))
	case "uniq", "xxd":
		o := c.options(numberOptions(c.name), "skip-fields skip-chars check-chars")
		r.look(Read, o.operands[:min(1, len(o.operands))])
		r.archive(o.from(1))
	case "gcc", "cc", "g++", "c++", "clang", "clang++", "rustc", "ld", "as", "ghc", "ocamlc", "nasm", "tcc", "zig", "pandoc", "dot",
		"swiftc", "go", "gpg", "age", "openssl", "shuf", "base64", "esbuild", "tsc", "protoc", "cl":
		r.archive(named(c, "o", "output", "out", "out-file", "outfile", "outFile", "outDir"))
	case "pg_dump", "mysqldump", "pg_dumpall":
		r.archive(c.options("fhpUdnrtT", "file result-file host port username").values("f r file result-file"))
	case "tcpdump":
		r.archive(c.options("wircs", "").values("w"))
	case "ffmpeg", "convert", "magick", "gs", "rsvg-convert":
		if _, last, ok := c.options("ifctr", "").last(); ok {
			r.archive([]field{last})
		}
	case "ssh-keygen":
		if o := c.options("fNtbCPmY", ""); o.has("t") {
			r.archive(o.values("f"))
		}
	case "less":
		r.archive(c.options("oOpPtT", "log-file LOG-FILE").values("o O log-file LOG-FILE"))
	}
}

// named are the values of options written as whole words, with one dash or two.
func named(c command, names ...string) []field {
	var out []field
	for i, f := range c.words {
		for _, n := range names {
			switch value, ok := strings.CutPrefix(strings.TrimPrefix(f.text, "-"), "-"+n+"="); {
			case f.is("-"+n) || f.is("--"+n):
				out = append(out, c.words[i+1:min(i+2, len(c.words))]...)
			case ok || strings.HasPrefix(f.text, "-"+n+"="):
				value = f.text[strings.IndexByte(f.text, '=')+1:]
				out = append(out, field{text: value, known: f.known})
			}
		}
	}
	return out
}
