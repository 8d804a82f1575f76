package hooks

import (
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"os"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/agent-pipeline/pipeline/config/system/filepath"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/shell"
)

// Lines of PowerShell and of cmd are not understood: to rules they are "?". What protects
// the pipeline itself looks at their words. A line that names what is guarded is refused,
// unless all of its commands are known to read.
const (
	otherShells = " powershell pwsh powershell_ise cmd "
	readers     = " get-content gc cat type more select-string sls findstr test-path get-item gi get-childitem gci" +
		" ls dir cd chdir set-location sl push-location pushd pop-location popd resolve-path rvpa get-location pwd" +
		" echo write-output write-host measure-object select-object select where-object sort-object sort" +
		" format-table ft format-list fl out-string out-host convertfrom-json" + switches
	switches  = " /c /k //c //k -c -command -noprofile -nop -noninteractive -nologo "
	enterers  = " cd chdir set-location sl push-location pushd "
	renamers  = " rename-item rni ren "
	copiers   = " copy-item cpi cp copy move-item mi mv move "
	mergers   = " robocopy xcopy expand-archive tar "
	removers  = " remove-item ri rm rd rmdir del erase move-item mi mv move rename-item rni ren robocopy xcopy "
	linkers   = " mklink junction symboliclink hardlink "
	launchers = " start-process saps set-alias sal new-alias nal doskey "
)

// maxPairedWords limits the words of a line that are compared with each other. A longer
// line counts as if one of them fits.
const maxPairedWords = 256

// An otherLine is a line of a shell that we do not understand, as words.
type otherLine struct {
	text   string   // with slashes, and with shell.Unknown for what may be anything
	quoted []string // what stands in quotes
	words  []string // all words, in quotes too, in their order
	starts []string // those that begin a command
}

// readOther reads a line of a shell that we do not understand.
func (l *line) readOther(text string) fsm.Part {
	l.followGuards()
	o := l.g.splitOther(text)
	l.enterOther(o)
	part := fsm.Part{Tool: "Bash", Code: true}
	if carriesCommand(text) {
		part.Guards = personsCommands
	}
	words := append(slices.Clone(o.quoted), o.words...)
	part.Guards = cmp.Or(part.Guards, l.findLoosenedByOther(words, o))
	for i := range words {
		if part.Guards == "" && (aimsAtUs(shell.Call{Words: words[i:]}) || aimsByName(words[i:])) {
			part.Guards = ourProcess
		}
	}
	part.Guards = cmp.Or(part.Guards, l.findTouchedByOther(words, o))
	if part.Guards == "" && l.g.mentionsPrivate(o.text) {
		part.Guards = ourState
	}
	if inner := decodeCommand(o.words); part.Guards == "" && inner != "" {
		part.Guards = l.readOther(inner).Guards
	}
	return part
}

// enterOther notes the folders in which a line may be: where it goes, and the user's known
// folders that it names.
func (l *line) enterOther(o otherLine) {
	for i, w := range o.words {
		isEntered := i > 0 && hasWord(enterers, strings.ToLower(o.words[i-1])) ||
			slices.Contains(l.g.listKnownFolders(), strings.TrimSuffix(w, "/"))
		if isEntered && len(l.dirs) < 8 {
			l.dirs = append(l.dirs, resolvePath(w, l.dirs[0], l.g.Home))
		}
	}
}

// findLoosenedByOther says what a line would loosen. What starts a program may name
// its arguments first, or give it another name.
func (l *line) findLoosenedByOther(words []string, o otherLine) string {
	launches := hasAny(launchers, o.words)
	for i := range words {
		for _, dir := range l.dirs {
			if what := l.g.describeLoosened(words[i:], dir); what != "" {
				return what
			}
			if !launches || !l.g.isPipeline(words[i], dir) {
				continue
			}
			if len(words) > maxPairedWords {
				return l.g.describeLoosened([]string{words[i], shell.Unknown}, dir)
			}
			for k := range words {
				if what := l.g.describeLoosened(append([]string{words[i]}, words[k:]...), dir); what != "" {
					return what
				}
			}
		}
	}
	return ""
}

// findTouchedByOther says which guarded thing the words of a line name.
func (l *line) findTouchedByOther(words []string, o otherLine) string {
	isReading := !strings.Contains(o.text, ">") && !slices.ContainsFunc(o.starts, func(w string) bool {
		return !hasWord(readers, strings.ToLower(w))
	})
	tools := []string{"Write", "Delete"}
	if !hasAny(removers, words) {
		tools = tools[:1]
	}
	if isReading {
		tools = nil
	}
	for _, dir := range l.dirs {
		for _, w := range words {
			if what := l.judgeOther(w, dir, tools); what != "" {
				return what
			}
		}
		if what := l.findPlacedByOther(o, dir); what != "" {
			return what
		}
	}
	return ""
}

// judgeOther says which guarded thing a word of such a line names. A folder that is not known
// may be the one where the line runs.
func (l *line) judgeOther(w, dir string, tools []string) string {
	w = strings.TrimPrefix(w, shell.Unknown+"/")
	if strings.Trim(w, shell.Unknown) == "" || isSwitch(w) {
		return ""
	}
	if len(w) > 2 && (w[0] == '-' || w[0] == '/') { // -Path:configs/x
		if _, value, ok := strings.Cut(w[1:], ":"); ok && value != "" {
			if what := l.judgeOther(value, dir, tools); what != "" {
				return what
			}
		}
	}
	places := l.g.listPlaces(filepath.FromWindows(w), filepath.VolumeName(l.g.Root))
	if slices.ContainsFunc(places, l.g.isPrivate) {
		return ourState
	}
	path := filepath.OnDrive(w, dir)
	switch {
	case l.reachesPath(path, dir):
		return ourState
	case w[0] == '-':
		return ""
	}
	for _, tool := range tools {
		for _, p := range places {
			if what := l.g.describeGuarded(p); what != "" {
				return what
			}
		}
		if strings.ContainsAny(path, wildcards) {
			if what := l.g.findMatched(tool, path, dir); what != "" {
				return what
			}
		} else if what := l.g.makeFilePart(tool, path, dir).Guards; what != "" {
			return what
		}
	}
	return ""
}

// findPlacedByOther says which guarded thing a line replaces, or links to, that it does not
// name: copy a/pipeline.yaml configs.
func (l *line) findPlacedByOther(o otherLine, dir string) string {
	isLinking, isRenaming, isCopying := hasAny(linkers, o.words), hasAny(renamers, o.words), hasAny(copiers, o.words)
	if !isLinking && !isRenaming && !isCopying && !hasAny(mergers, o.words) {
		return ""
	}
	hasWildcard := slices.ContainsFunc(o.words, func(w string) bool {
		return strings.ContainsAny(filepath.Base(w), wildcards)
	})
	command, operands := "", 0 // the latest that copies, and what it was given so far
	for i, w := range o.words {
		switch lower := strings.ToLower(w); {
		case hasWord(copiers, lower) || hasWord(mergers, lower):
			command, operands = lower, 0
			continue
		case w[0] == '-' || isSwitch(w):
			continue
		}
		operands++
		at := l.g.resolve(filepath.OnDrive(w, dir), dir)
		isTarget := isLinking || len(o.words) > maxPairedWords || (hasWildcard || hasWord(mergers, command)) &&
			isTargetOf(command, o.words[max(i-1, 0)], operands)
		if what := l.g.findFilled(at); what != "" && isTarget {
			return what
		}
		if what := l.g.findHeld(at); what != "" && isLinking {
			return what
		}
		if isRenaming {
			at = filepath.Dir(at)
		} else if info, err := os.Stat(at); !isCopying || err != nil || !info.IsDir() {
			continue
		}
		for _, other := range o.words[:min(len(o.words), maxPairedWords)] {
			name := l.g.fold(filepath.Base(filepath.FromWindows(other)))
			if what := l.g.describeGuarded(filepath.Join(at, name)); what != "" {
				return what
			}
		}
	}
	return ""
}

// isTargetOf reports whether an operand of a command is the folder that it writes to.
func isTargetOf(command, before string, operands int) bool {
	isNamed := before == "-C" || len(before) > 3 && strings.HasPrefix("-destinationpath", strings.ToLower(before))
	return isNamed || operands > 1 && command != "" && command != "tar"
}

// isSwitch reports whether a word is an option of cmd: /c, or //c as Git Bash needs it.
func isSwitch(w string) bool {
	name := strings.TrimLeft(w, "/")
	return name != w && len(name) == 1
}

// decodeCommand is the line that -EncodedCommand passes to PowerShell, "" for none.
func decodeCommand(words []string) string {
	for i, w := range words[:max(len(words)-1, 0)] {
		w = strings.ToLower(w)
		if w != "-ec" && (len(w) < 2 || !strings.HasPrefix("-encodedcommand", w)) {
			continue
		}
		raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(words[i+1], "="))
		if err != nil || len(raw) < 2 {
			continue
		}
		units := make([]uint16, len(raw)/2)
		for k := range units {
			units[k] = binary.LittleEndian.Uint16(raw[2*k:])
		}
		return string(utf16.Decode(units))
	}
	return ""
}

// aimsByName reports whether words stop processes of our name.
func aimsByName(words []string) bool {
	return len(words) > 1 && hasWord(" stop-process spps kill ", strings.ToLower(words[0])) &&
		slices.ContainsFunc(words[1:], namesOurImage)
}

// hasAny reports whether one of the words is in a list, in any case.
func hasAny(list string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return hasWord(list, strings.ToLower(w)) })
}

// splitOther takes a line apart. What stands in quotes is a word, and all that is in it are
// words too: it may be a line itself.
func (g Guards) splitOther(text string) (o otherLine) {
	text = strings.NewReplacer("`", "", "^", "", `\`, "/").Replace(text) // what quotes one letter
	text = strings.NewReplacer("' +", "'+", `" +`, `"+`).Replace(text)
	text = strings.NewReplacer("+ '", "+'", `+ "`, `+"`).Replace(text)
	text = strings.NewReplacer("'+'", "", `"+"`, "", `'+"`, "", `"+'`, "").Replace(text)
	text = replaceVariables(text)
	expand := strings.NewReplacer(g.pairKnownFolders()...)
	o.text = expand.Replace(text)
	for _, quote := range [...]string{`"`, `'`} {
		parts := strings.Split(text, quote)
		for i := 1; i < len(parts); i += 2 {
			o.quoted = append(o.quoted, expand.Replace(parts[i]))
		}
	}
	splitAt := func(text, marks string) []string {
		return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(marks, r) })
	}
	for _, command := range splitAt(text, ";|&(){}\n") {
		first := true
		for _, w := range splitAt(command, " \t\r\"'<>,=@") {
			o.words = append(o.words, expand.Replace(w))
			if first {
				o.starts, first = append(o.starts, w), hasWord(switches, strings.ToLower(w))
			}
		}
	}
	return o
}

// The folders that a user's variables name stand in a line as one byte each until it is
// split: their paths may have blanks.
const (
	homeMark   = "\x01"
	stateMark  = "\x02"
	configMark = "\x03"
)

// pairKnownFolders pairs each mark with its folder.
func (g Guards) pairKnownFolders() []string {
	return []string{homeMark, g.Home, stateMark, filepath.Dir(g.stateFolder()), configMark, filepath.Dir(g.Config)}
}

// listKnownFolders lists the folders that a user's variables name.
func (g Guards) listKnownFolders() (out []string) {
	pairs := g.pairKnownFolders()
	for i := 1; i < len(pairs); i += 2 {
		out = append(out, pairs[i])
	}
	return out
}

// stateFolder is the folder of our state that lies below the user's.
func (g Guards) stateFolder() string {
	if len(g.States) == 0 {
		return ""
	}
	return g.States[0]
}

// markVariable is what stands in a line for a variable.
func markVariable(name string) string {
	switch strings.TrimPrefix(strings.ToLower(name), "env:") {
	case "home", "userprofile":
		return homeMark
	case "localappdata", "xdg_state_home":
		return stateMark
	case "xdg_config_home":
		return configMark
	}
	return shell.Unknown
}

// replaceVariables puts a mark in place of $name, ${name}, $env:name, %name%, !name!, %i
// and @name.
func replaceVariables(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		n, name := readVariable(text[i:], i == 0 || strings.IndexByte(" \t\n", text[i-1]) >= 0)
		if n == 0 {
			b.WriteByte(text[i])
			i++
			continue
		}
		b.WriteString(markVariable(name))
		i += n
	}
	return b.String()
}

// readVariable reads the variable with which a text begins, and returns its length, 0 where
// it begins with none. isFirst says that it begins a word.
func readVariable(text string, isFirst bool) (n int, name string) {
	rest := text[1:]
	switch c := text[0]; c {
	case '$':
		for n < len(rest) && (isWordByte(rest[n]) || strings.IndexByte(":{}", rest[n]) >= 0) {
			n++
		}
		return n + 1, strings.Trim(rest[:n], "{}")
	case '%', '!':
		if n = strings.IndexByte(rest, c); n > 0 && !strings.ContainsAny(rest[:n], " \t\n") {
			return n + 2, rest[:n]
		}
		if c == '!' {
			return 0, ""
		}
		name = strings.TrimPrefix(rest, "%")
		if letters := strings.TrimPrefix(name, "~"); letters != name { // %~fi
			name = strings.TrimLeft(letters, "abcdefghijklmnopqrstuvwxyz")
		} else if name != "" && (isWordByte(name[0]) || name[0] == '*') {
			name = name[1:]
		} else {
			return 0, ""
		}
		return len(text) - len(name), ""
	case '@':
		for n < len(rest) && isWordByte(rest[n]) {
			n++
		}
		if isFirst && n > 0 && !strings.EqualFold(rest[:n], "echo") {
			return n + 1, ""
		}
	}
	return 0, ""
}

func isWordByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}
