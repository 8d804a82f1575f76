package guard

import (
	"cmp"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/shell"
)

// maxMentioned bounds the paths of a text that are looked up on the disk. Names are compared in all
// of it.
const maxMentioned = 1024

// otherShells are shells whose lines are not understood here: to rules they are "?".
const otherShells = " powershell pwsh powershell_ise cmd "

// readOther reads a line of a shell that we do not understand. It may be anything, and where its
// text names what is guarded it is refused, even if it only reads it. A push is written in it as elsewhere.
func (l *line) readOther(text string) fsm.Part {
	return fsm.Part{Tool: "Bash", Code: true, Guards: l.findMentioned(text, false),
		Groups: shell.GroupsOfForeign(text).Names()}
}

// FindMentioned says which guarded thing a call names that could not be judged; empty for none.
func (g Guards) FindMentioned(t fsm.Tool, dir string) string {
	text := t.Command
	t.Command, t.Args = "", nil // its files and its line's text are what can be told at once
	for _, part := range g.makeParts(t, dir) {
		if part.Guards != "" {
			return part.Guards
		}
	}
	g = g.foldAll()
	g.from = dir
	l := line{Guards: g, dirs: []string{dir}}
	return l.findMentioned(text, true)
}

// findMentioned says which guarded thing a text names that no reader understands: a file, a
// folder, this program with what only a person may say to it, or a process. In long texts a folder's
// bare name means nothing, and a command of ours has its words in order.
func (l *line) findMentioned(text string, isLong bool) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	if carriesCommand(text) {
		return personsCommands
	}
	l.followGuards()
	text = strings.NewReplacer("`", "", "^", "", `\`, "/", `"`, "", "'", "").Replace(text) // what quotes
	text = strings.NewReplacer(" + ", "", "+", "").Replace(text)                           // what joins
	ends := " \t\r\n;|&(){}<>,=@"
	if isLong {
		ends += "[]"
	}
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(ends, r) })
	folded := fsm.FoldPath(text)
	isInState := strings.Contains(folded, "localappdata") || strings.Contains(folded, "xdg_state_home")
	if l.mentionsPrivate(text) || isInState && strings.Contains(folded, "pipeline") {
		return ourState
	}
	seen := map[string]bool{}
	for i, w := range words {
		what := l.findOrdered(words, i, isLong)
		isPath := !isLong || isConfigName(fsm.FoldPath(filepath.Base(w))) ||
			strings.ContainsAny(w, "./") && len(seen) < maxMentioned
		if isPath && !seen[w] {
			seen[w] = true
			what = cmp.Or(what, l.describeMentioned(w))
		}
		if what != "" {
			return what
		}
	}
	for _, p := range l.settingsFiles() {
		folder, base := filepath.Split(fsm.FoldPath(p))
		if base != "*" && strings.Contains(folded, base) && strings.Contains(folded, filepath.Base(folder)) {
			return hostConfig
		}
	}
	return ""
}

// findOrdered says what a word would loosen or stop with any of the others: a line may name a
// program's arguments first, or give it another name.
func (l *line) findOrdered(words []string, i int, isNext bool) string {
	isStopped := strings.EqualFold(words[i], "kill") && slices.ContainsFunc(words[i+1:], namesOurImage)
	if isStopped || aimsAtUs(shell.Call{Words: words[i:]}, commandName(words[i:])) {
		return ourProcess
	}
	if !l.isPipeline(words[i], l.dirs[0]) {
		return ""
	}
	for k, word := range words {
		if isNext && k != i+1 {
			continue
		}
		if strings.ContainsAny(word, "$%!*") {
			word = shell.Unknown
		}
		line := append([]string{words[i], word}, words[k+1:]...)
		if what := l.describeLoosened(line, l.dirs[0]); what != "" && k != i {
			return what
		}
	}
	return ""
}

// describeMentioned says which guarded thing a word of such a text names. Where it begins is not
// known: a config's name is enough.
func (l *line) describeMentioned(w string) string {
	if _, value, ok := strings.Cut(w, ":"); ok && (w[0] == '-' || w[0] == '/') { // -Path:configs/x
		w = value
	}
	base := filepath.Base(system.FromWindows(w, ""))
	switch {
	case strings.Trim(w, "./") == "":
		return ""
	case isConfigName(fsm.FoldPath(base)):
		return ourConfig
	}
	if strings.ContainsAny(w, wildcards+"$%!") { // it may stand for any file of the folder
		w = strings.TrimRight(w[:strings.LastIndexByte(w, '/')+1], "/")
	}
	for _, dir := range l.dirs {
		if strings.ContainsAny(w, wildcards) {
			return l.findGuardedByPattern("Write", MakeAbsolute(w+"/*", dir, l.Home), dir)
		}
		path := l.resolve(system.OnDrive(w, dir), dir)
		for _, p := range l.listPlaces(path) {
			if what := cmp.Or(l.describeGuarded(p), l.findGuardedIn(p)); what != "" {
				return what
			}
		}
	}
	return ""
}

// powershellNames are names of PowerShell's own commands that do something else, or nothing, in a
// POSIX shell.
const powershellNames = " ac clc cli clp cpi cpp cvpa del epcsv erase foreach gc gp iex icm ii ipmo irm iwr ise" +
	" mi mp nal ndr ni nsn ogv r rd ri rni rnp rp sal saps sbp sc set shcm si sl sp spps spsv start sv where write "

// isPlainLine reports whether PowerShell does with a line what a POSIX shell does: plain words and
// whole quoted ones.
func isPlainLine(text string) bool {
	// Quoted text into which neither shell puts anything is a word of its own: between blanks, or at a command's end.
	const quoted = `(?:"[ #%-\[\]-_a-~]*"|'[ -&(-~]*')`
	const plain = `^(?:[\w./:=+ ;|&>\n-]| (?:` + quoted + ` )*` + quoted + `(?:[ ;|&\n]|$))*$`
	if !regexp.MustCompile(plain).MatchString(text) {
		return false
	}
	text = regexp.MustCompile(quoted).ReplaceAllString(text, "x")
	isEnd := func(r rune) bool { return strings.ContainsRune(";|&\n", r) }
	for _, command := range strings.FieldsFunc(text, isEnd) {
		words := strings.Fields(command)
		isOther := len(words) > 0 && (hasWord(powershellNames, strings.ToLower(words[0])) ||
			strings.ContainsAny(words[0], "->") || slices.ContainsFunc(words, func(w string) bool {
			return w[0] == '-' && strings.ContainsAny(w, ".:") // PowerShell parts it there
		}))
		if isOther {
			return false
		}
	}
	return true
}
