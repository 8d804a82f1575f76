package shell

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
)

// command is a simple command after expansion.
type command struct {
	name  string // the first word without its directory
	words []field
}

func (c command) args() []field { return c.words[1:] }

// program is a command with its row of the table: a program of its own, or a builtin of the shell. The command and its
// options begin at the last word that the row names: at "exec" for "docker exec".
type program struct {
	*evaluator
	command
	options
	match
	ran bool // its command or its code has been run
}

func newProgram(e *evaluator, c command) *program {
	inside := c
	if c.name == "yarn" && len(c.words) > 3 && c.words[1].is("workspace") {
		inside.words = slices.Delete(slices.Clone(c.words), 1, 3) // a folder of the project
	}
	p := &program{evaluator: e, match: findForm(inside, e.findRow)}
	p.command, p.whole = p.rest, c
	if p.form != nil {
		if c.name == "tar" {
			p.words = dashTarLetters(p.words)
		}
		p.options = p.parseOptions(p.takes)
	}
	return p
}

// addCommand adds the call of the command; code: what it runs is unknown.
func (p *program) addCommand(code bool) {
	parent := slices.ContainsFunc(p.whole.words, func(f field) bool { return strings.Contains(f.text, parentID) })
	call := Call{Kind: Command, Words: fieldWords(p.whole.words), Code: code, Parent: parent}
	if code && p.input.text != nil {
		call.Text = p.input.text.text
	}
	p.addCall(call)
}

// run adds the call of a program, what runs inside it, and what it does to files.
func (p *program) run() {
	c, first := p.whole, len(p.calls)
	own := isOwnProgram(c.words[0].text)
	if p.top != nil && asksHelp(p.top, c) {
		p.addCommand(own)
		if first < len(p.calls) {
			p.markLooks(&p.calls[first])
		}
		return
	}
	if own {
		p.addCommand(true)
		at := len(p.calls)
		p.runInside()
		if at < len(p.calls) && slices.Equal(p.calls[at].Words, p.calls[at-1].Words) {
			p.calls = slices.Delete(p.calls, at, at+1) // it says no more than the call before it
		}
	} else if p.runInside(); !p.ran {
		hides, known := p.hidesCode(), p.isModelled()
		p.addCommand(hides || !known)
		if at := len(p.calls) - 1; at >= first {
			p.calls[at].Unlisted = !known && !hides
		}
	}
	p.addEffects()
	p.markCall(first)
	for i := first + 1; i < len(p.calls) && !p.calls[first].Code; i++ { // it is known what writes the unnamed files
		if c := &p.calls[i]; c.Unnamed && c.Words == nil {
			c.Words, c.Groups = p.calls[first].Words, p.calls[first].Groups
		}
	}
}

// buildScripts start a project's build tool: they are as known as the tool, which runs the project's code too.
const buildScripts = "./gradlew ./mvnw"

// isOwnProgram reports whether a command word is a path outside of the system's program directories. Such a program may
// do anything, whatever its name.
func isOwnProgram(word string) bool {
	dir, _ := path.Split(word) // @scope/package is a package, for npx
	return dir != "" && word[0] != '@' && !hasWord(buildScripts, word) &&
		!hasWord("/bin/ /usr/bin/ /usr/local/bin/ /sbin/ /usr/sbin/ /usr/local/sbin/ /opt/homebrew/bin/ "+
			"/run/current-system/sw/bin/ /snap/bin/ /usr/local/go/bin/", dir)
}

// runInside runs the command or the code that the program runs, if there is one: then it needs no other call.
func (p *program) runInside() {
	if p.form == nil {
		return
	}
	p.descend(func() {
		if p.ran = p.wraps != noWrapper && p.unwrap(); !p.ran && p.interpret != nil {
			p.interpret(p)
			p.ran = true
		}
	})
}

// hidesCode reports whether a command runs something that its words do not show.
func (p *program) hidesCode() bool {
	if p.isTyped && hasWord("less more most zless man info bat batcat top htop btop atop ncdu", p.whole.name) &&
		!(hasWord("top htop", p.whole.name) && p.given("b batch")) {
		return true // who types to it opens a shell, wherever its input comes from
	}
	if p.form == nil {
		// A cmdlet of PowerShell, or =name, which zsh replaces by a path.
		return isScript(p.whole.name) || matches(`^(?:=|[A-Z][A-Za-z]*-[A-Z])`, p.whole.words[0].text)
	}
	if p.lacksForm {
		if _, rest := p.top.skipOptions(p.whole); len(rest) > 0 && !rest[0].isFixed() {
			return true
		}
	}
	isFed := p.wraps != noWrapper && p.wraps != fromList && p.input.from != inherited // it may run its input
	return p.opaqueAlways && !p.isGiven(p.unless) || isFed || p.given(p.opaque) || p.hides != nil && p.hides(p)
}

// isModelled reports whether the table has the command in the form that the line uses: with
// this subcommand and these options.
func (p *program) isModelled() bool {
	if p.form == nil {
		return asksHelp(nil, p.whole)
	}
	if p.lacksForm && p.top.in&(Builds|Tests) == 0 && p.top.operands == "" &&
		(!p.top.others || p.top.alsoIn(p) != 0) {
		if _, rest := p.top.skipOptions(p.whole); len(rest) > 0 {
			return false
		}
	}
	return p.shows < showsKnown && p.knows == "" || !p.hasForeign(p.words)
}

// hasForeign reports whether words of the command, its name first, have an option that its row does not know.
func (p *program) hasForeign(words []field) bool {
	r := p.form
	lists := [...]string{commonLooks, r.knows, r.takes, r.when, r.unless, r.changes, r.lists, r.reads, r.writes,
		r.opaque}
	words = slices.DeleteFunc(slices.Clone(words), func(f field) bool {
		name, _, _ := strings.Cut(f.text, "=")
		return len(name) > 1 && name[0] == '-' && slices.ContainsFunc(lists[:], func(names string) bool {
			return hasWord(names, f.text) || len(name) > 2 && hasWord(names, name[1:])
		})
	})
	return slices.ContainsFunc(command{words: words}.parseOptions(r.takes).flags, func(f flag) bool {
		return f.long && len(f.name) == 1 && hasWord(r.takes, f.name) || // --o may be short for an unknown one
			!slices.ContainsFunc(lists[:], func(names string) bool { return hasWord(names, f.name) })
	})
}

// isScript reports whether a command word names a script, as uv run may be given.
func isScript(name string) bool {
	return hasWord(".sh .bash .zsh .ps1 .bat .cmd .py .js .mjs .cjs .ts .rb .pl .php .lua .dart .swift", path.Ext(name))
}

// addEffects adds what a program does with files, after its own call. A wrapper that has run its command has added it.
func (p *program) addEffects() {
	switch {
	case p.place == elsewhere:
	case p.form == nil:
		p.addDefaults()
	case p.top.words == "git":
		p.addGitEffects()
	case p.wraps != noWrapper && p.ran:
	case p.wraps != noWrapper: // flock may lock a descriptor, perf may watch a process
		p.addWrapperFiles()
	default:
		p.addRowEffects()
	}
}

// addRowEffects adds what the columns and the effect of the row say.
func (p *program) addRowEffects() {
	f := p.form
	roles, writes := f.operands, true
	if f.when != "" {
		if writes = p.given(f.when); writes {
			roles = f.then
		}
	}
	shows := p.isGiven(p.unless)
	if shows {
		roles, writes = strings.TrimRight(regexp.MustCompile(`[^-*rs]`).ReplaceAllString(roles, "-"), "-"), false
	}
	p.addNamed(Read, p.values(f.reads)...)
	if strings.HasPrefix(roles, "r") { // it reads before it writes
		p.addOperands(roles)
		roles = ""
	}
	if !shows {
		p.addWritten()
	}
	p.addOperands(roles)
	if f.effect != nil && !shows {
		f.effect(p)
	}
	if f.unnamed && writes {
		p.addUnnamed()
	}
}

// addUnnamed adds the write of files that no word of the line names.
func (p *program) addUnnamed() { p.addCall(Call{Kind: Write, Path: Unknown, Unnamed: true}) }

// isGiven reports whether one of the options is given for certain: not abbreviated, not --check=false, not part of a
// word with variables, not taken back by --no-check, and not behind an option that may take it as its value.
func (p *program) isGiven(names string) bool {
	if names == "" {
		return false
	}
	c, args := command{words: slices.Clone(p.words[:1])}, p.beforeDashes()
	if strings.HasPrefix(names, "-- ") {
		args = slices.DeleteFunc(slices.Clone(p.args()), func(f field) bool { return f.is("--") })
	}
	for i, f := range args {
		switch before := args[max(0, i-1)]; {
		case i > 0 && strings.HasPrefix(before.text, "--") && !strings.Contains(before.text, "=") &&
			!hasWord(aloneOptions, before.text[2:]) && p.hasForeign([]field{p.words[0], before}):
			continue
		case f.known && strings.HasPrefix(f.text, "-") && hasWord(names, f.text):
			return true
		}
		c.words = append(c.words, f)
	}
	given := false
	for _, f := range c.parseOptions(p.takes).flags {
		denied := f.taken && (!f.value.known || hasWord("false no off 0 none", f.value.text))
		given = given || f.sure && !denied && f.long == (len(f.name) > 1) && hasWord(names, f.name)
		for n := range strings.SplitSeq(names, " ") { // git takes the beginning of a name
			if strings.HasPrefix(f.name, "no-") && strings.HasPrefix("no-"+n, f.name) {
				return false
			}
		}
	}
	return given
}

// aloneOptions are long options that take no value, whatever the command.
const aloneOptions = "force delete force-with-lease archive compress now recursive all-tags follow-tags mirror " +
	"prune set-upstream atomic no-verify provenance workspaces locked allow-dirty wait server-side"

// given reports whether one of the options is given: a letter, a long name, or a whole word with one dash.
func (p *program) given(names string) bool {
	return p.has(names) || slices.ContainsFunc(p.beforeDashes(), func(f field) bool {
		name, _, _ := strings.Cut(f.text, "=")
		return len(name) > 2 && name[0] == '-' && name[1] != '-' && hasWord(names, name[1:])
	})
}

// addWritten adds the files that options name: by letters and long names, or as whole words.
func (p *program) addWritten() {
	names := cmp.Or(p.writes, p.top.writes)
	if names == "" && p.lacksForm {
		names = usualOutputs // of a subcommand that has no row
	}
	files := p.values(names)
	for _, f := range p.wordOptions(names) {
		if !slices.Contains(files, f) {
			files = append(files, f)
		}
	}
	if names == usualOutputs {
		files = slices.DeleteFunc(files, namesFormat)
	}
	p.addNamed(Write, files...)
}

// addDefaults adds what a program without a row is taken to read and to write: what looks like
// a file, and the values of the options by which most programs learn where.
func (p *program) addDefaults() {
	if !p.hidesCode() && p.isModelled() {
		return
	}
	for _, f := range p.whole.parseOptions("").operands {
		if text := f.knownText(); strings.ContainsAny(text, "./") && !strings.Contains(text, "://") {
			p.addNamed(Read, f)
		}
	}
	p.addNamed(Write, slices.DeleteFunc(p.whole.wordOptions(usualOutputs), namesFormat)...)
}

// usualOutputs are the options whose value is a file that a program writes, where
// nothing else is known of the program.
const usualOutputs = "o output out out-file outfile outFile output-file outputFile output_file out-dir outdir " +
	"outDir output-dir outputDir output-directory output-path out-path destination save save-to write-to export-to " +
	"log-file logfile report-file"

// namesFormat reports whether the value of such an option is how a program shows what it finds: -o json.
func namesFormat(f field) bool {
	name, _, _ := strings.Cut(f.text, "=")
	return strings.HasPrefix(f.text, "-") || strings.Trim(f.text, "0123456789") == "" ||
		f.known && hasWord("json yaml yml table wide text txt name jsonpath jsonl ndjson xml csv tsv short "+
			"pretty plain "+
			"compact toml markdown md html go-template custom-columns stdout cat verbose full none default", name)
}

// addOperands adds calls on the operands by their roles. Without operands, the command acts on the path that the
// row names.
func (p *program) addOperands(roles string) {
	head, tail, isRepeated := strings.Cut(roles, "*")
	all := head
	if isRepeated {
		last := len(head) - 1
		all = head[:last] + strings.Repeat(head[last:], max(0, len(p.operands)-last-len(tail))) + tail
		head = head[:last]
	}
	acted := false
	for i, f := range p.operands {
		if f.many && !f.known { // it may stand for several
			for _, r := range strings.ReplaceAll(head[min(i+1, len(head)):], "-", "") + tail {
				p.addOperand(role(r), f)
			}
		}
		if i < len(all) && all[i] != noFile {
			acted = true
			p.addOperand(all[i], f)
		}
	}
	if role := strings.Trim(roles, "-*"); !acted && role != "" && p.missing != "" {
		p.addFile(kindOf(role[0]), field{text: p.missing, known: p.missing != blank})
	}
}

func (p *program) addOperand(r role, f field) {
	switch k := kindOf(r); r {
	case readsIt, searchesIt, outputsIt:
		p.addNamed(k, f)
	case writesIt, deletesIt:
		p.addFile(k, f)
	case replacesIt:
		p.addFile(Read, f)
		p.addFile(Delete, f)
		p.addUnnamed()
	}
}

func kindOf(r role) Kind {
	switch r {
	case searchesIt:
		return Search
	case deletesIt:
		return Delete
	case writesIt, outputsIt:
		return Write
	}
	return Read
}

// addNamed adds calls on files that a command names, but not on "-", a stream, and on what it looks at as less +F does.
func (p *program) addNamed(k Kind, files ...field) {
	for _, f := range files {
		if !f.is("-") && (k == Write || len(f.text) < 2 || f.text[0] != '+') {
			p.addFile(k, f)
		}
	}
}

// addTrees adds calls on trees, or on the working directory if none is named.
func (p *program) addTrees(k Kind, dirs []field) {
	if len(dirs) == 0 {
		dirs = []field{knownField(".")}
	}
	p.addFiles(k, dirs)
}

// setsClock reports whether date is given a time to set, and no format.
func setsClock(p *program) bool {
	return slices.ContainsFunc(p.operands, func(f field) bool { return !strings.HasPrefix(f.text, "+") })
}

// runsFile reports whether go run or bun is given a file, or a package to fetch.
func runsFile(p *program) bool {
	return len(p.words) > 1 && (isScript(p.words[1].text) || strings.HasSuffix(p.words[1].text, ".go") ||
		p.top.words == "go" && strings.Contains(p.words[1].text, "@"))
}

// readsMakefile reports whether make reads its rules from its input.
func readsMakefile(p *program) bool {
	return slices.ContainsFunc(p.values("f file makefile"), func(f field) bool {
		return !f.known || matches(`^(?:-$|/dev/|/proc/)`, f.text)
	})
}
