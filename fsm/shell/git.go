package shell

import (
	"slices"
	"strings"
)

// addGitEffects adds what git does to the files of the working tree, and runs the code in the settings on the line.
func (p *program) addGitEffects() {
	global := p.top.leadingOptions(p.whole)
	for _, f := range global.values("c config-env") {
		key, value, _ := strings.Cut(f.text, "=")
		p.addSetting(key, f.with(value))
	}
	if slices.ContainsFunc(global.values("exec-path"), func(f field) bool { return !isTrusted(f) }) {
		p.addUnknown() // git looks there first for what it runs
	}
	if p.form == p.top {
		return
	}
	saved := p.dir
	for _, f := range global.values("C work-tree") {
		p.dir = enterPath(p.dir, f)
	}
	p.addRowEffects()
	p.dir = saved
}

// isCodeSetting reports whether git runs the value of a setting, or what lies where that says.
func isCodeSetting(key string) bool {
	const keys = `^(?:(?:alias|pager|include|includeif)\..*|filter\..*(?:clean|smudge|process)|merge\..*driver|` +
		`(?:difftool|mergetool|browser|man|remote|credential)\..*(?:cmd|path|helper|pack)|interactive\.difffilter|` +
		`core\.(?:pager|editor|sshcommand|fsmonitor|askpass|gitproxy|hookspath|worktree|alternaterefscommand)|` +
		`(?:tar|trailer|sendemail)\..*(?:command|cmd)|sequence\.editor|imap\.tunnel|.*objectshook|` +
		`diff\.(?:external|.*command|.*textconv)|gpg\..*(?:program|command))$`
	return matches(keys, key)
}

// usesTransport reports whether git is given an address that names a program to run: ext::sh -c …
func usesTransport(p *program) bool {
	return slices.ContainsFunc(p.operands, func(f field) bool { return matches(`^[a-z+-]*::`, f.text) })
}

// addGitSetting adds what git config sets, and the file that holds the settings.
func addGitSetting(p *program) {
	kind := Write
	if p.onlyLooks(nil) {
		kind = Read
	}
	p.addFiles(kind, p.values("f file"))
	if n := len(p.operands); n > 1 {
		p.addSetting(p.operands[n-2].text, p.operands[n-1])
	}
}

// addSetting adds a call where git runs the value of a setting, or what lies in the folder that it names.
func (p *program) addSetting(key string, value field) {
	key = strings.ToLower(key)
	code, isLine := strings.CutPrefix(value.text, "!")
	switch isAlias := strings.HasPrefix(key, "alias."); {
	case !isCodeSetting(key) && !strings.Contains(key, blank), code == "", isTrusted(value):
	case isAlias && !isLine:
		p.runCode(value.with("git "+code), p.label)
	case isAlias:
		p.runCode(value.with(code), p.label)
	case !hasWord(harmlessPrograms, code):
		p.addCall(Call{Kind: Command, Code: true, Text: code, Groups: p.groupsOfCode(code, true)})
	}
}

// addGitShow adds the files that git shows by COMMIT:FILE.
func addGitShow(p *program) {
	for _, f := range p.operands {
		if _, file, ok := strings.Cut(f.text, ":"); ok && file != "" {
			p.addFile(Read, f.with(file))
		}
	}
}

// addGitInit adds the directory that becomes a repository, of which .git changes.
func addGitInit(p *program) {
	dir := append(slices.Clip(p.operands), knownField("."))[0]
	p.addNarrowed(Write, dir, strings.TrimSuffix(dir.filePattern(), "/")+"/.git")
}

// addGitClone adds the directory that a clone makes.
func addGitClone(p *program) {
	before, dir := p.splitLast()
	if len(before) == 0 {
		dir.text = strings.TrimSuffix(strings.TrimRight(dir.text, "/"), ".git")
		dir.text = dir.text[strings.LastIndexAny(dir.text, "/:")+1:]
	}
	if len(p.operands) > 0 {
		p.addFile(Write, dir)
	}
}

// addGitCheckout adds the files behind --, or those that differ between two
// branches. A new branch at the same commit changes none.
func addGitCheckout(p *program) {
	switch {
	case p.dashes >= 0 && p.dashes < len(p.operands):
		p.addFiles(Write, p.operands[p.dashes:])
	case p.has("b B c C create force-create orphan") && len(p.operands) == 0:
	default:
		p.addUnnamed()
	}
}

func addGitRestore(p *program) {
	if !p.has("S staged") || p.has("W worktree") {
		if p.addFiles(Write, p.operands); len(p.operands) == 0 {
			p.addUnnamed()
		}
	}
}

// addGitRemoved adds what git rm deletes: nothing, where it only leaves the index.
func addGitRemoved(p *program) {
	if !p.isGiven("cached") {
		p.addFiles(Delete, p.operands)
	}
}
