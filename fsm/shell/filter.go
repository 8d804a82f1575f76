package shell

import (
	"slices"
	"strings"
)

// addGrep adds where a grep or one of its successors looks for text.
func addGrep(p *program) {
	name := p.command.name
	if p.has("version help") && len(p.operands) == 0 {
		return
	}
	if p.has("files type-list") && name == "rg" {
		if p.has("g glob iglob") {
			p.addTrees(List, p.operands)
		}
		return
	}
	files := p.operandsFrom(1)
	if p.has("e f regexp file") {
		files = p.operands
	}
	recursive := !strings.HasSuffix(name, "grep") || p.has("r R recursive dereference-recursive") || name == "ast-grep"
	if len(files) == 0 && recursive && (p.input.from == inherited || p.input.from == typed ||
		strings.HasSuffix(name, "grep")) {
		p.addTrees(Search, nil)
		return
	}
	p.addLooked(Search, files)
}

// splitSed returns sed's scripts and its files.
func (p *program) splitSed() (scripts, files []field) {
	scripts, files = p.values("e expression"), p.operands
	if len(files) > 0 && files[0].is("") {
		files = files[1:] // the empty suffix of BSD's sed -i ''
	}
	if len(scripts) == 0 && !p.has("f file") && len(files) > 0 {
		n := 1
		for n < len(files) && files[n-1].mayVanish() {
			n++ // the script may be the next one
		}
		scripts, files = files[:n], files[1:]
	}
	return scripts, files
}

func addSed(p *program) {
	scripts, files := p.splitSed()
	if p.has("i in-place") {
		if p.addFiles(Write, files); len(files) == 0 {
			p.addLost()
		}
	} else {
		p.addLooked(Read, files)
	}
	effects := parseSed(joinFields(scripts, "\n").text)
	p.addFiles(Write, scriptFiles(effects.written))
	p.addFiles(Read, scriptFiles(effects.read))
}

// scriptFiles returns the files that a script names.
func scriptFiles(names []string) []field {
	var out []field
	for _, n := range names {
		out = append(out, field{text: n, known: !strings.Contains(n, blank)})
	}
	return out
}

// runsSedCommands reports whether a sed script runs commands, or is in a file.
func runsSedCommands(p *program) bool {
	scripts, _ := p.splitSed()
	edits := p.has("i in-place") // it writes files that are not known already
	unknown := func(f field) bool { return !f.known && f.knownText() == "" && !(edits && f.many) }
	return p.has("f file") || slices.ContainsFunc(scripts, unknown) || parseSed(joinFields(scripts, "\n").text).runs
}

func addAwk(p *program) {
	if p.has("d o p dump-variables pretty-print profile") { // FILE may follow without a blank
		p.addFile(Write, unknownField())
	}
	files := p.operands
	if !p.has("f file E exec e source") && len(files) > 0 {
		p.addFiles(Write, scriptFiles(scanAwk(files[0].text).written))
		files = files[1:]
	}
	var read []field // without assignments such as FS=:
	for _, f := range files {
		if name, _, ok := strings.Cut(f.text, "="); !ok || strings.ContainsAny(name, "./") {
			read = append(read, f)
		}
	}
	for _, v := range p.values("i include") {
		if v.is("inplace") {
			p.addFiles(Write, read)
			return
		}
	}
	if len(files) == 0 || len(read) > 0 {
		p.addLooked(Read, read)
	}
}

// runsAwkCommands reports whether an awk program runs commands, writes files or is
// not on the line.
func runsAwkCommands(p *program) bool {
	if p.has("f file E exec l load") || p.has("i include") && !p.values("i include")[0].is("inplace") {
		return true
	}
	programs := p.values("e source")
	if len(programs) == 0 && len(p.operands) > 0 {
		programs = p.operands[:1]
		for n := 1; n < len(p.operands) && programs[n-1].mayVanish(); n++ {
			programs = p.operands[:n+1]
		}
	}
	for _, f := range programs {
		if !f.known && strings.HasPrefix(f.text, blank) || scanAwk(f.text).found {
			return true
		}
	}
	return false
}

// addJQ adds the files behind the filter; --arg takes two words.
func addJQ(p *program) {
	var ws []field
	for i := 0; i < len(p.words); i++ {
		switch p.words[i].text {
		case "--arg", "--argjson":
			i += 2
			continue
		case "--slurpfile", "--rawfile":
			if i += 2; i < len(p.words) {
				p.addFile(Read, p.words[i])
			}
			continue
		case "--args", "--jsonargs":
			i = len(p.words)
			continue
		}
		ws = append(ws, p.words[i])
	}
	isYQ := p.command.name == "yq"
	if len(ws) > 1 && isYQ && ws[1].known && hasWord("eval e eval-all ea", ws[1].text) {
		ws = append(ws[:1:1], ws[2:]...)
	}
	o := command{words: ws}.parseOptions(p.short, p.long)
	skip := 1
	if o.has("f from-file") || o.has("n null-input") && len(o.operands) < 2 {
		skip = 0
	}
	switch {
	case isYQ && o.has("i inplace in-place"):
		p.addFiles(Write, o.operandsFrom(skip))
	case !o.has("n null-input"):
		p.addLooked(Read, o.operandsFrom(skip))
	}
}

// addEditedInPlace adds the files that perl -i or ruby -i changes, or perl -n reads.
func addEditedInPlace(p *program) {
	inPlace := false
	for _, f := range p.args() {
		t := f.text
		if len(t) < 2 || t[0] != '-' || t == "--" {
			break
		}
		at := strings.IndexByte(t, 'i')
		stop := strings.IndexAny(t, p.short)
		inPlace = inPlace || at > 0 && (stop < 0 || at < stop)
		if stop == len(t)-1 {
			break
		}
	}
	if !inPlace {
		if p.has("e E") && p.has("n p") {
			p.addLooked(Read, p.operands)
		}
		return
	}
	skip := 1
	if p.has("e E") {
		skip = 0
	}
	p.addFiles(Write, p.operandsFrom(skip))
}

// sedEffects is what a sed script does beyond editing text.
type sedEffects struct {
	runs    bool // it runs commands
	written []string
	read    []string
}

// parseSed reads a script far enough to find the commands that touch files or
// run programs.
func parseSed(s string) sedEffects {
	p := sedParser{rest: s}
	for p.rest != "" {
		p.readCommand()
	}
	return p.effects
}

type sedParser struct {
	rest    string
	effects sedEffects
}

func (p *sedParser) readCommand() {
	p.rest = strings.TrimLeft(p.rest, " \t\n;{}")
	p.skipAddresses()
	p.rest = strings.TrimLeft(p.rest, " \t!")
	if p.rest == "" {
		return
	}
	c := p.rest[0]
	p.rest = p.rest[1:]
	switch c {
	case 's':
		p.readSubstitute()
	case 'y':
		p.skipDelimited(2, true)
	case 'w', 'W':
		p.effects.written = append(p.effects.written, p.readFileName())
	case 'r', 'R':
		p.effects.read = append(p.effects.read, p.readFileName())
	case 'e':
		p.effects.runs = true
		p.readFileName()
	case 'a', 'i', 'c':
		p.skipText()
	case '#':
		p.readFileName()
	case ':', 'b', 't', 'T':
		p.skipLabel()
	}
}

// skipAddresses skips line numbers, $ and regular expressions.
func (p *sedParser) skipAddresses() {
	for p.rest != "" {
		switch c := p.rest[0]; {
		case c >= '0' && c <= '9', c == '$', c == ',', c == '~', c == '+', c == ' ', c == '\t', c == 'I', c == 'M':
			p.rest = p.rest[1:]
		case c == '/':
			p.skipDelimited(1, true)
		case c == '\\' && len(p.rest) > 1:
			p.rest = p.rest[1:]
			p.skipDelimited(1, true)
		default:
			return
		}
	}
}

// skipDelimited skips n parts that end with the first character. With classes, that
// character does not end a part inside of brackets.
func (p *sedParser) skipDelimited(n int, classes bool) {
	if p.rest == "" {
		return
	}
	end, class := p.rest[0], false
	i := 1
	for ; i < len(p.rest) && n > 0; i++ {
		switch c := p.rest[i]; {
		case c == '\\':
			i++
		case c == '[' && classes && !class:
			class = strings.Contains(p.rest[i+1:], "]") && end != '['
			if class && i+1 < len(p.rest) && p.rest[i+1] == ']' {
				i++
			}
		case c == ']' && classes:
			class = false
		case c == end && !class:
			n--
		}
	}
	if n > 0 && class { // the bracket was no class: read it plainly
		p.skipDelimited(n, false)
		return
	}
	p.rest = p.rest[min(i, len(p.rest)):]
}

// readSubstitute reads s/a/b/flags.
func (p *sedParser) readSubstitute() {
	p.skipDelimited(2, true)
	for p.rest != "" {
		c := p.rest[0]
		switch {
		case c == 'w':
			p.rest = p.rest[1:]
			p.effects.written = append(p.effects.written, p.readFileName())
			return
		case c == 'e':
			p.effects.runs = true
		case strings.IndexByte("gpiImM0123456789", c) < 0:
			return
		}
		p.rest = p.rest[1:]
	}
}

// readFileName reads a file name, which ends with the line.
func (p *sedParser) readFileName() string {
	name, rest, _ := strings.Cut(p.rest, "\n")
	p.rest = rest
	return strings.TrimSpace(name)
}

// skipLabel skips a label, which ends with the line or a semicolon.
func (p *sedParser) skipLabel() {
	if i := strings.IndexAny(p.rest, "\n;}"); i >= 0 {
		p.rest = p.rest[i:]
	} else {
		p.rest = ""
	}
}

// skipText skips the text of a, i and c, which goes on over escaped line ends.
func (p *sedParser) skipText() {
	p.rest = strings.TrimPrefix(strings.TrimLeft(p.rest, " \t"), "\\\n")
	for i := 0; i < len(p.rest); i++ {
		switch p.rest[i] {
		case '\\':
			i++
		case '\n':
			p.rest = p.rest[i:]
			return
		}
	}
	p.rest = ""
}

// scanAwk looks in an awk program for what runs commands or writes files: system(), a pipe, and > behind a print.
func scanAwk(s string) awkScanner {
	a := awkScanner{text: s}
	for a.at < len(a.text) {
		a.readToken()
	}
	return a
}

// awkScanner goes through a program token by token.
type awkScanner struct {
	text     string
	at       int
	operand  bool // the last token ends an operand: a slash divides
	printing bool // in a print statement
	parens   int  // open since the print
	found    bool
	written  []string // files that are named
}

func (a *awkScanner) readToken() {
	c := a.text[a.at]
	switch {
	case c == ' ' || c == '\t' || c == '\r':
		a.at++
	case c == '#':
		a.skipTo('\n')
	case c == '"':
		a.skipQuoted('"')
		a.operand = true
	case c == '/' && !a.operand:
		a.skipQuoted('/')
		a.operand = true
	case isLetter(c):
		a.readWord()
	default:
		a.readSymbol(c)
	}
}

func (a *awkScanner) skipTo(end byte) {
	if i := strings.IndexByte(a.text[a.at:], end); i >= 0 {
		a.at += i
	} else {
		a.at = len(a.text)
	}
}

// skipQuoted skips a string or a regular expression.
func (a *awkScanner) skipQuoted(end byte) {
	for a.at++; a.at < len(a.text) && a.text[a.at] != end; a.at++ {
		if a.text[a.at] == '\\' {
			a.at++
		}
	}
	a.at++
}

func isLetter(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

func (a *awkScanner) readWord() {
	start := a.at
	for a.at < len(a.text) && isLetter(a.text[a.at]) {
		a.at++
	}
	switch a.text[start:a.at] {
	case "print", "printf":
		a.printing, a.parens, a.operand = true, 0, false
	case "system":
		a.found = true
	case "return", "in", "case", "do", "else":
		a.operand = false
	default:
		a.operand = true
	}
}

func (a *awkScanner) readSymbol(c byte) {
	next := byte(0)
	if a.at+1 < len(a.text) {
		next = a.text[a.at+1]
	}
	a.at++
	a.operand = c == ')' || c == ']' || c == '$'
	switch c {
	case '(':
		a.parens++
	case ')':
		a.parens--
	case ';', '\n', '}', '{':
		a.printing = false
	case '@':
		a.found = true
	case '|':
		a.readPipe(next)
	case '>':
		a.readRedirect(next)
	}
}

// readPipe distinguishes || from a pipe, which runs a command.
func (a *awkScanner) readPipe(next byte) {
	if next == '|' {
		a.at++
		return
	}
	a.found = true
}

// readRedirect reads > behind a print, outside of parentheses; a stream is no file.
func (a *awkScanner) readRedirect(next byte) {
	if !a.printing || a.parens > 0 {
		return
	}
	if next == '>' {
		a.at++
	}
	rest := strings.TrimLeft(a.text[a.at:], " \t>")
	if name, after, ok := strings.Cut(strings.TrimPrefix(rest, `"`), `"`); ok && rest[0] == '"' && !strings.HasPrefix(name, "/dev/") &&
		strings.IndexAny(strings.TrimLeft(after, " \t"), ";}\n") == 0 {
		a.written = append(a.written, name)
	}
	for _, stream := range [...]string{`"/dev/stderr"`, `"/dev/stdout"`, `"/dev/null"`, `"/dev/tty"`} {
		if strings.HasPrefix(rest, stream) {
			return
		}
	}
	a.found = true
}
