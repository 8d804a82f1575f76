package shell

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// field is one word after the shell has expanded it.
type field struct {
	text  string // the word, with blank for its unknown pieces
	known bool   // text has no unknown piece
	glob  bool   // text has a pattern that the shell matches against files
	tilde bool   // text begins with the home directory
	many  bool   // stands for none, one or several words
	tame  bool   // the unknown pieces are numbers, directories or the like: no code
	plain bool   // its unknown beginning is no option
	shape string // text with what its unknown pieces may be; "": nothing more is known
}

// blank stands for an unknown piece of a word. It reads as a variable that no line
// sets, so that such a text can be parsed as shell again.
const blank = "${__}"

// parentID stands for the id of the shell's parent process.
const parentID = "${PPID}"

// aNumber is the place of digits in a path, such as the id of a process or a time.
const aNumber = "${__n}"

// topFolder is the place of the repository's top folder in a path.
const topFolder = "${__top}"

func unknownField() field       { return field{text: blank} }
func knownField(s string) field { return field{text: s, known: true} }

// word returns the field as rules see it. git -C "$(git rev-parse --show-toplevel)" has the settings that hold here.
func (f field) word() string {
	switch {
	case f.text == topFolder:
		return "."
	case !f.known:
		return Unknown
	}
	return f.text
}

// path returns the field as the name of a file. A file that is called "~x" is
// written "./~x", to distinguish it from a home directory.
func (f field) path() string {
	switch {
	case !f.known || f.glob || f.text == "":
		return Unknown
	case f.text[0] == '~' && !f.tilde:
		return "./" + f.text
	}
	return f.text
}

// filePattern returns a pattern of the files that a field may name: its path, where that is known.
func (f field) filePattern() string {
	if path := f.path(); path != Unknown {
		return path
	}
	return f.pattern()
}

// pattern returns what is known of the files that a field may name where path returns
// Unknown. A word of which the beginning is unknown may be any file, and has none.
func (f field) pattern() string {
	if f.isFixed() {
		return ""
	}
	if f.shape != "" {
		return joinWays(field{text: f.shape, tilde: f.tilde}.pattern(), field{text: f.text, tilde: f.tilde}.pattern())
	}
	text := f.text
	if rest, ok := strings.CutPrefix(text, "${PWD}"); ok {
		text = "." + rest
	}
	if text == "" || strings.HasPrefix(text, "${") {
		return ""
	}
	if text[0] == '~' && !f.tilde {
		text = "./" + text
	}
	for _, hole := range [...]string{blank, "${PWD}", "${HOME}", "${PATH}", topFolder, parentID} {
		text = strings.ReplaceAll(text, hole, Unknown)
	}
	return strings.ReplaceAll(text, aNumber, "[0-9]*")
}

// is reports whether the field is exactly one of these texts.
func (f field) is(texts ...string) bool { return f.known && slices.Contains(texts, f.text) }

// isOption reports whether the field begins as an option does.
func (f field) isOption() bool { return strings.HasPrefix(f.knownText(), "-") }

// findField returns the place of the first field that is one of these texts, or -1.
func findField(fs []field, texts ...string) int {
	return slices.IndexFunc(fs, func(f field) bool { return f.is(texts...) })
}

// with returns a field with another text, of which as much is known.
func (f field) with(text string) field { return field{text: text, known: f.known, glob: f.glob} }

// knownText returns what remains if the variables in the field are empty.
func (f field) knownText() string {
	if f.known {
		return f.text
	}
	return strings.NewReplacer(blank, "", parentID, "", aNumber, "").Replace(f.text)
}

// isFixed reports whether the field is one word, whatever files there are.
func (f field) isFixed() bool { return f.known && !f.glob }

// joinFields joins words to one text, as eval and ssh do.
func joinFields(ws []field, between string) field {
	texts := make([]string, len(ws))
	known, tame := true, true
	for i, f := range ws {
		texts[i] = f.text
		known = known && f.known
		tame = tame && (f.known || f.tame)
	}
	return field{text: strings.Join(texts, between), known: known, tame: tame}
}

// fieldWords returns fields as rules see them.
func fieldWords(fs []field) []string {
	out := make([]string, len(fs))
	for i, f := range fs {
		out[i] = f.word()
	}
	return out
}

// expansion builds the fields that one word of the line becomes.
type expansion struct {
	*evaluator
	done  []field
	cur   field
	begun bool // cur is a word even if its text is empty
	whole bool // the word is not split: an assignment, a heredoc, a case word
}

func (e *evaluator) newExpansion(whole bool) *expansion {
	return &expansion{evaluator: e, whole: whole, cur: knownField("")}
}

// expandWords expands words to fields. It runs their substitutions.
func (e *evaluator) expandWords(ws []*syntax.Word) []field {
	out := make([]field, 0, len(ws))
	for _, w := range ws {
		if text := w.Lit(); text != "" && !strings.ContainsAny(text, "\\{*?[~") { // nothing to expand
			out = append(out, knownField(text))
		} else {
			out = append(out, e.expandWord(w)...)
		}
	}
	return out
}

// expandWord expands one word: braces first, then the rest.
func (e *evaluator) expandWord(w *syntax.Word) (out []field) {
	split := *w // the tree stays as it is: it may be walked again
	syntax.SplitBraces(&split)
	ways, ok := expandBraces(split.Parts)
	if !ok {
		e.scanTree(w)
		return []field{{text: blank, many: true}}
	}
	if len(ways) > 1 {
		e.addBashForm()
	}
	for _, parts := range ways {
		x := e.newExpansion(false)
		x.addParts(parts, false)
		out = append(out, x.finish()...)
	}
	return out
}

// maxAlternatives bounds the words that one word with braces becomes.
const maxAlternatives = 64

// expandBraces expands the braces with alternatives; false if there are too many ways.
func expandBraces(parts []syntax.WordPart) (ways [][]syntax.WordPart, ok bool) {
	for i, p := range parts {
		b, ok := p.(*syntax.BraceExp)
		if !ok || b.Sequence {
			continue
		}
		for _, elem := range b.Elems {
			more, ok := expandBraces(slices.Concat(parts[:i], elem.Parts, parts[i+1:]))
			if ways = append(ways, more...); !ok || len(ways) > maxAlternatives {
				return nil, false
			}
		}
		return ways, true
	}
	return [][]syntax.WordPart{parts}, true
}

// expandWhole expands a word that the shell does not split: the value of an
// assignment or the target of a redirection.
func (e *evaluator) expandWhole(w *syntax.Word) field {
	x := e.newExpansion(true)
	if w != nil {
		x.addParts(w.Parts, false)
	}
	return x.cur
}

// expandHeredoc returns the text of a heredoc or a here-string.
func (e *evaluator) expandHeredoc(rd *syntax.Redirect) field {
	x := e.newExpansion(true)
	switch {
	case rd.Op == syntax.WordHdoc:
		return e.expandWhole(rd.Word)
	case rd.Hdoc == nil:
	case isQuoted(rd.Word):
		x.addText(rd.Hdoc.Lit())
	default:
		x.addParts(rd.Hdoc.Parts, true)
	}
	return x.cur
}

// isQuoted reports whether any part of a heredoc's delimiter is quoted. The shell then does not expand the text.
func isQuoted(w *syntax.Word) bool {
	for _, p := range w.Parts {
		l, ok := p.(*syntax.Lit)
		if !ok || strings.Contains(l.Value, `\`) {
			return true
		}
	}
	return false
}

// finish closes the last field.
func (x *expansion) finish() []field {
	if x.cur.text == "[" {
		x.cur.glob = false
	}
	if x.spend(16) && (x.begun || x.cur.text != "" || !x.cur.known) {
		x.done = append(x.done, x.cur)
	}
	return x.done
}

// startNext closes the field and begins another.
func (x *expansion) startNext() {
	x.finish()
	x.cur, x.begun = knownField(""), false
}

// addText adds text, unless the expansions of the line exceed the limit.
func (x *expansion) addText(s string) { x.addShaped(s, s) }

// addShaped adds a piece of which no more is known than a pattern.
func (x *expansion) addShaped(s, shape string) {
	if !x.spend(len(s) + len(shape)) {
		return
	}
	if x.cur.shape != "" || shape != s {
		x.cur.shape = cmp.Or(x.cur.shape, x.cur.text) + shape
	}
	x.cur.text += s
}

// addTame adds an unknown piece that is no code.
func (x *expansion) addTame(shape string) {
	x.cur.tame = x.cur.known || x.cur.tame
	x.addText(shape)
	x.cur.known = false
}

// addMissing adds an unknown piece.
func (x *expansion) addMissing(quoted bool) {
	x.addText(blank)
	x.cur.known, x.cur.tame = false, false
	if !quoted && !x.whole {
		x.cur.many = true
	}
}

func (x *expansion) addParts(ps []syntax.WordPart, quoted bool) {
	for _, p := range ps {
		x.addPart(p, quoted)
	}
}

func (x *expansion) addPart(p syntax.WordPart, quoted bool) {
	switch p := p.(type) {
	case *syntax.Lit:
		switch {
		case !quoted:
			x.addLiteral(p.Value)
		case strings.Contains(p.Value, `\`): // in double quotes and heredocs it stands before few characters
			x.addText(regexp.MustCompile("\\\\(?:\n|([$`\"\\\\]))").ReplaceAllString(p.Value, "$1"))
		default:
			x.addText(p.Value)
		}
	case *syntax.SglQuoted:
		x.begun = true
		if p.Dollar {
			x.addBashForm()
		}
		text := p.Value
		if p.Dollar && strings.Contains(text, `\`) { // Go's escapes mean the same in bash and zsh
			decoded, err := strconv.Unquote(`"` + text + `"`)
			if err != nil || strings.IndexByte(decoded, 0) >= 0 || hasAnyPart(text, `\u`, `\U`) { // the locale counts
				x.addMissing(true)
				break
			}
			text = decoded
		}
		x.addText(text)
	case *syntax.DblQuoted:
		x.begun = true
		if p.Dollar {
			x.addBashForm()
		}
		x.addParts(p.Parts, true)
	case *syntax.ParamExp:
		x.addParameter(p, quoted)
	case *syntax.CmdSubst:
		x.addSubstitution(p, quoted)
	case *syntax.ProcSubst:
		x.runApart(p.Stmts)
		x.addText("/dev/fd/63")
	case *syntax.BraceExp: // a sequence
		if first := p.Elems[0].Lit(); first != "" && strings.Trim(first, "-0123456789") == "" {
			x.addTame(aNumber)
		} else {
			x.addMissing(true)
		}
		x.cur.many = true
		x.addBashForm()
	case *syntax.ExtGlob:
		x.cur.glob = true
		x.addText(p.Op.String() + p.Pattern.Value + ")")
	default: // arithmetic: a number
		x.scanTree(p)
		x.addTame(blank)
	}
}

// addLiteral adds unquoted text.
func (x *expansion) addLiteral(s string) {
	if x.cur.text == "" && !x.begun && strings.HasPrefix(s, "~") {
		s = x.addTilde(s)
	}
	if !strings.ContainsAny(s, "\\*?[") {
		x.addText(s)
		return
	}
	x.begun = x.begun || matches(`\\.`, s)
	unescaped := regexp.MustCompile(`\\(?s:.)`).ReplaceAllString(s, "")
	x.cur.glob = x.cur.glob || strings.ContainsAny(unescaped, "*?[")
	x.addText(regexp.MustCompile(`\\(?:\n|(.))`).ReplaceAllString(s, "$1")) // at the very end it is itself
}

// addSubstitution runs $(…). Its output is known for a few commands only.
func (x *expansion) addSubstitution(p *syntax.CmdSubst, quoted bool) {
	at := len(x.calls)
	x.runApart(p.Stmts)
	made, name, ws := x.calls[min(at, len(x.calls)):], "", []string(nil)
	if len(made) > 0 && !made[0].Code && len(made[0].Words) > 0 {
		ws = made[0].Words
		name = CommandName(ws[0])
	}
	switch isOne := len(made) == 1; {
	case x.whole && len(p.Stmts) == 0:
	case isOne && name == "pwd":
		x.addWorkingDir()
	case isOne && name == "date" && len(ws) == 2 && strings.HasPrefix(ws[1], "+%") && !x.split &&
		matches(`^\+(?:%[sNYmdHMSjFT][\w.:-]*)+$`, ws[1]):
		x.addTame(aNumber)
	case isOne && name == "git" && made[0].Dir == "" && slices.Equal(ws[1:], []string{"rev-parse", "--show-toplevel"}):
		x.addTame(topFolder)
	case isOne && hasWord("nproc date whoami id uname hostname wc", name):
		x.addTame(blank)
		x.cur.many = x.cur.many || !quoted && !x.whole
	case len(made) == 2 && len(ws) < 3 && len(ws) > 0 && ws[0] == "mktemp" && made[1].Path == "/tmp/tmp.XXXXXXXXXX" &&
		x.cur.text == "" && x.lookup("TMPDIR") == nil && !x.lost:
		x.addText(made[1].Path)
	default:
		plain := (x.cur.text == "" || x.cur.plain) && namesThings(made)
		x.addMissing(quoted)
		x.cur.plain = plain
		if names := namesIn(made); names != "" {
			x.cur.shape = strings.TrimSuffix(cmp.Or(x.cur.shape, x.cur.text), blank) + names
		}
	}
}

// addWorkingDir adds the working directory, relative to itself.
func (x *expansion) addWorkingDir() {
	if x.whole || x.cur.text != "" || x.lost {
		x.addTame("${PWD}")
		return
	}
	x.addText(".")
}

// addTilde adds a tilde at the start of a word, and returns the rest of s.
func (x *expansion) addTilde(s string) string {
	user, _, _ := strings.Cut(s[1:], "/")
	switch {
	case user == "":
		x.addHomeDir()
	case user == "+":
		x.addText(".")
	default: // another user's, or the last directory
		x.addMissing(true)
	}
	return s[1+len(user):]
}

// addHomeDir adds the home directory, which the line may have set.
func (x *expansion) addHomeDir() {
	if home := x.lookup("HOME"); home != nil {
		x.addValue(*home, true)
		return
	}
	if x.lost {
		x.addMissing(true)
		return
	}
	x.cur.tilde = true
	x.addText("~")
}
