package shell

import (
	"slices"
	"strings"
)

// givenTexts returns what a client of a database or a debugger is given: its arguments
// and its input.
func (p *program) givenTexts() []field {
	texts := p.args()
	if t := p.input.text; t != nil {
		texts = append(slices.Clip(texts), *t)
	}
	if !hasWord("sqlite3 sqlite sqlcipher duckdb", p.whole.name) {
		return texts
	}
	texts = slices.Clone(texts)
	for i := range texts {
		texts[i].text = completeDotCommands(texts[i].text)
	}
	return texts
}

// dotCommands are the commands of sqlite that run code or name a file.
const dotCommands = ".shell .system .read .load .import .output .once .excel .www .backup .save .log .clone " +
	".archive .open .trace .testcase .cd"

// completeDotCommands writes these commands of a text in full, of which sqlite takes the
// beginning.
func completeDotCommands(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		trimmed := strings.TrimLeft(line, " \t")
		word := trimmed
		if end := strings.IndexAny(trimmed, " \t\n\"'|"); end >= 0 {
			word = trimmed[:end]
		}
		for full := range strings.FieldsSeq(dotCommands) {
			if len(word) > 1 && word[0] == '.' && strings.HasPrefix(full, strings.ToLower(word)) {
				line = full + trimmed[len(word):]
				break
			}
		}
		b.WriteString(line)
	}
	return b.String()
}

// escapesToShell reports whether a database client runs shell commands, or a script
// that is not on the line.
func escapesToShell(p *program) bool {
	if from := p.input.from; from == opened || from == piped && p.input.text == nil ||
		from == typed && !p.hasStatement() {
		return true
	}
	return slices.ContainsFunc(p.givenTexts(), func(f field) bool {
		return slices.ContainsFunc([]string{".shell", ".system", ".read ", ".load ", `\!`, `\i `, `\ir `, "system(",
			"source ", "load_extension", "edit(", ".archive -", `.import "|`, ".import '|", ".import |", "to program",
			"from program", ".output |", ".once |", `\o |`, `\g |`, "|&", ".excel", ".www"},
			func(s string) bool { return strings.Contains(strings.ToLower(f.text), s) })
	})
}

// hasStatement reports whether a client of a database is given its work on the line, so that it does not prompt.
func (p *program) hasStatement() bool {
	given := !hasWord("psql mysql mariadb pgcli mycli usql", p.whole.name) && len(p.operands) > 1
	return given || slices.ContainsFunc(p.args(), func(f field) bool {
		name, _, _ := strings.Cut(f.text, "=")
		return hasWord("-c -e -f -l -V --command --execute --file --list --version --help", name)
	})
}

// databaseWrites are the words of clients of databases behind which a file is named that
// they write.
var databaseWrites = [...]string{".output ", ".once ", ".backup ", ".save ", ".log ", ".excel ", ".clone ", ".archive ",
	"attach ", "attach database ", "vacuum into ", "vacuum main into ", "writefile(", ".open ", ".trace ",
	".testcase ", `\o `, `\out `, `\g `, `\w `, `\s `, `\tee `, " to '", "export database ", "into outfile ",
	"into dumpfile "}

// addSQLite adds the database and the files that commands to sqlite3 name. A database
// that is only asked is read.
func addSQLite(p *program) {
	only, db := true, -1
	args := p.args()
	for i, f := range p.givenTexts() {
		switch {
		case i < len(args) && len(f.text) > 1 && f.text[0] == '-':
			continue
		case i < len(args) && i > 0 && takesNext(args[i-1].text, "", "cmd separator newline nullvalue init vfs"):
		case i < len(args) && db < 0:
			db = i
			continue
		}
		if strings.Contains(f.text, ".cd ") {
			p.addFile(Write, unknownField()) // the names behind it are meant elsewhere
		}
		only = only && f.known && onlyAsks(strings.ToLower(f.text))
		p.addNamedFiles(f)
	}
	switch {
	case db < 0 || args[db].is(":memory:") || args[db].is(""):
	case only || p.given("readonly"):
		p.addFile(Read, args[db])
	default:
		p.addFile(Write, args[db])
	}
}

// onlyAsks reports whether every statement of a text to a database only asks.
func onlyAsks(text string) bool {
	for s := range strings.SplitSeq(text, ";") {
		word, _, _ := strings.Cut(strings.TrimSpace(s), " ")
		if word != "" && !hasWord("select explain .tables .schema .mode .headers .header .help .databases "+
			".indexes .indices "+
			".dump .show .stats .width .timer .nullvalue .separator .quit .exit .fullschema .dbinfo values "+
			".shell .system", word) {
			return false
		}
	}
	return true
}

// addExported adds the files that commands to the client of a database name.
func addExported(p *program) {
	for _, f := range p.givenTexts() {
		p.addNamedFiles(f)
		if strings.HasPrefix(f.text, `\copy `) && strings.Contains(f.text, " to ") {
			p.addFile(Write, unknownField())
		}
	}
}

// addNamedFiles adds the files that a text to a database writes.
func (p *program) addNamedFiles(f field) {
	lower := strings.ToLower(f.text)
	for _, mark := range databaseWrites {
		for at := 0; ; {
			i := strings.Index(lower[at:], mark)
			if i < 0 {
				break
			}
			at += i + len(mark)
			name := strings.TrimLeft(f.text[at:], " ")
			if strings.HasSuffix(mark, "'") {
				name = "'" + name
			}
			if name != "" && strings.ContainsAny(name[:1], `'"`) {
				name, _, _ = strings.Cut(name[1:], name[:1])
			} else if end := strings.IndexAny(name, " \t\n;),"); end >= 0 {
				name = name[:end]
			}
			if !hasWord("stdout off stderr database into :memory:", strings.ToLower(name)) && name != "" {
				p.addFile(Write, field{text: name, known: f.known})
			}
			if strings.HasPrefix(mark, ".save") || strings.HasPrefix(mark, ".backup") { // .save DB FILE
				line, _, _ := strings.Cut(f.text[at:], "\n")
				if words := strings.Fields(line); len(words) > 1 {
					p.addFile(Write, field{text: strings.Trim(words[1], `'"`), known: f.known})
				}
			}
		}
	}
}

// debuggerAsks are the commands of debuggers that only ask about the program.
const debuggerAsks = "bt backtrace where info i list l print p x disassemble quit q frame f up down thread threads " +
	"t set-width help show display ptype whatis continue c"

// runsDebugger reports whether a debugger may run something: its own commands can.
func runsDebugger(p *program) bool {
	if p.input.from != inherited {
		return true
	}
	args := p.args()
	for i, f := range args {
		text := strings.TrimLeft(f.text, "-")
		switch name, _, _ := strings.Cut(text, "="); {
		case !strings.HasPrefix(f.text, "-"):
		case name == "args" || name == "":
			return false // not yet: run is a command of its own
		case hasWord("x command source s python script init-command ix e exec init-eval-command iex", name) &&
			name != "e":
			return true
		case hasWord("ex eval-command o one-line batch-ex", name) && i+1 < len(args):
			next := args[i+1]
			if word, _, _ := strings.Cut(next.text, " "); !next.known || !hasWord(debuggerAsks, word) &&
				!strings.HasPrefix(next.text, "thread apply all bt") &&
				!strings.HasPrefix(next.text, "set pagination") {
				return true
			}
		}
	}
	return false
}

// runsBySocket reports whether socat or the like is given an address that runs a program or
// opens a file.
func runsBySocket(p *program) bool {
	return p.command.name == "socat" && p.has("r R") || slices.ContainsFunc(p.operands, func(f field) bool {
		how, _, _ := strings.Cut(strings.ToLower(f.text), ":")
		return p.command.name == "socat" && (!f.known || strings.Contains(f.text, "link=") ||
			hasWord("exec system shell open gopen create creat file pipe", how) ||
			strings.HasPrefix(how, "unix-") && !hasWord("unix-connect unix-client", how))
	})
}

// runsBang reports whether dc may be given a line for a shell: behind "!".
func runsBang(p *program) bool {
	return p.input.from != inherited && p.input.text == nil || len(p.operands) > 0 ||
		slices.ContainsFunc(p.givenTexts(), func(f field) bool { return !f.known || strings.Contains(f.text, "!") }) ||
		len(p.values("f file")) > 0
}

// hidesAlways is for commands that run what no word of theirs shows.
func hidesAlways(p *program) bool { return !p.onlyShows() }

// runsMacros reports whether a template may run commands.
func runsMacros(p *program) bool {
	return hasWord("m4 erb", p.command.name)
}

// loadsEngine reports whether openssl loads code, or writes where only its config says.
func loadsEngine(p *program) bool {
	return len(p.wordOptions("engine provider provider-path config")) > 0
}

// addOpenSSL adds the files that openssl reads.
func addOpenSSL(p *program) { p.addFiles(Read, p.wordOptions("in inkey")) }

// addGPG adds the files that gpg reads, and those that it makes beside them.
func addGPG(p *program) {
	if p.has("list-keys k K list-secret-keys export export-secret-keys recv-keys search-keys version fingerprint") {
		return
	}
	p.addLooked(Read, p.operands)
	if p.has("e encrypt s sign c symmetric b detach-sign clearsign clear-sign store enarmor dearmor") &&
		!p.has("o output") &&
		len(p.operands) > 0 {
		p.addFile(Write, unknownField())
	}
}

// addEdited adds the files that a script for ed writes.
func addEdited(p *program) {
	text := p.input.text
	if text == nil {
		return
	}
	for line := range strings.SplitSeq(strings.ReplaceAll(text.text, `\n`, "\n"), "\n") {
		line = strings.TrimLeft(line, "0123456789,;$.%+- ")
		name, ok := strings.CutPrefix(strings.TrimPrefix(strings.TrimPrefix(line, "w"), "W"), " ")
		if ok && len(line) > 0 && (line[0] == 'w' || line[0] == 'W') && strings.TrimSpace(name) != "" {
			p.addFile(Write, field{text: strings.TrimSpace(name), known: text.known})
		}
	}
}
