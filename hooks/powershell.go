package hooks

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/config/system/filepath"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/shell"
)

// Lines of PowerShell and of cmd are not understood: to rules they are "?". What protects
// the pipeline itself looks at their words. A line that names what is ours is refused,
// unless all of its commands are known to read.
const (
	otherShells = " powershell pwsh powershell_ise cmd "
	readers     = " get-content gc cat type more select-string sls findstr test-path get-item gi get-childitem gci" +
		" ls dir cd chdir set-location sl push-location pushd pop-location popd resolve-path rvpa get-location pwd" +
		" echo write-output write-host measure-object select-object select where-object sort-object sort" +
		" format-table ft format-list fl out-string out-host convertfrom-json" + switches
	switches = " /c /k //c //k -c -command -noprofile -nop -noninteractive -nologo "
	enterers = " cd chdir set-location sl push-location pushd "
	// PowerShell's own commands and keywords that have the name of another program, or of none:
	// what such a line does in a POSIX shell says nothing.
	ownCommands = " ac asnp begin break catch class clc cli clp clv compare configuration continue copy cpi cpp cvpa" +
		" data dbp define del diff do dynamicparam ebp else elseif end enum epal epcsv erase etsn exsn fc fhx" +
		" filter fimo finally fl for foreach from ft function fw gal gbp gc gci gcm gcs gdr gerr ghy gi gin" +
		" gjb gl gm gmo gp gps gpv group gsn gsv gtz gu gv gwmi h hidden history icm iex if ihy ii in" +
		" inlinescript inmo ipal ipcsv ipmo irm ise iwmi iwr lp measure mi move nal ndr ni nmo nsn nv ogv oh" +
		" parallel param pause process pumo r rbp rcjb rcsn rd rdr ren return ri rjb rmo rni rnp rp rsn rsnp" +
		" rujb rv rvpa rwmi sajb sal saps sasv sbp sc select sequence set shcm si sl sls sort sp spjb spps" +
		" spsv start static stz sujb sv swmi switch throw trap trcm try type until using var where while wjb" +
		" workflow write "
	removers = " remove-item ri rm rd rmdir del erase move-item mi mv move rename-item rni ren robocopy xcopy "
)

// readOther reads a line of a shell that we do not understand.
func (l *line) readOther(text string) fsm.Part {
	l.followGuards()
	words, starts := splitOther(text)
	part := fsm.Part{Tool: "Bash", Code: true}
	for i, w := range words {
		if i > 0 && hasWord(enterers, strings.ToLower(words[i-1])) && len(l.dirs) < 8 {
			l.dirs = append(l.dirs, resolvePath(w, l.dirs[0], l.g.Home))
		}
	}
	reads := !strings.Contains(text, ">") && !slices.ContainsFunc(starts, func(w string) bool {
		return !hasWord(readers, strings.ToLower(w))
	})
	removes := slices.ContainsFunc(words, func(w string) bool { return hasWord(removers, strings.ToLower(w)) })
	if CarriesCommand(text) {
		part.Guards = ordersOfPersons
	}
	for i := range words {
		for _, dir := range l.dirs {
			part.Guards = cmp.Or(part.Guards, l.g.describeLoosened(words[i:], dir))
		}
	}
	for i, w := range words {
		if part.Guards == "" && (aimsAtUs(shell.Call{Words: words[i:]}) || aimsByName(words[i:])) {
			part.Guards = ourProcess
		}
		for _, dir := range l.dirs {
			if part.Guards == "" {
				part.Guards = l.judgeOther(w, dir, reads, removes)
			}
		}
	}
	if part.Guards == "" && l.g.mentionsPrivate(text) {
		part.Guards = ourState
	}
	return part
}

// isSameInPowerShell reports whether PowerShell does with a line what a POSIX shell does: plain
// words and whole quoted ones, of which none that begins a command is PowerShell's own.
func isSameInPowerShell(text string) bool {
	isFirst := true
	for rest := text; rest != ""; {
		c, n := rest[0], 1
		switch {
		case strings.IndexByte(";|&\n", c) >= 0:
			isFirst = true
		case c == ' ', c == '>' && !isFirst:
		case c == '"' || c == '\'':
			n = strings.IndexByte(rest[1:], c) + 2
			if n < 2 || isFirst || n < len(rest) && strings.IndexByte(" ;|&>\n", rest[n]) < 0 ||
				strings.ContainsFunc(rest[1:n], func(r rune) bool {
					return r < ' ' || r > '~' || c == '"' && strings.ContainsRune("$`\\!", r)
				}) {
				return false
			}
		case isPlainByte(c):
			for n < len(rest) && isPlainByte(rest[n]) {
				n++
			}
			word := strings.ToLower(rest[:n])
			isOption := word[0] == '-' && strings.ContainsAny(word, ".:") // PowerShell parts it there
			if isOption || n < len(rest) && strings.IndexByte("\"'", rest[n]) >= 0 ||
				isFirst && (strings.Contains(word, "-") || hasWord(ownCommands, word)) {
				return false
			}
			isFirst = false
		default:
			return false
		}
		rest = rest[n:]
	}
	return true
}

func isPlainByte(c byte) bool { return isWordByte(c) || strings.IndexByte("-./:=+", c) >= 0 }

// judgeOther says what of ours a word of such a line names. A folder that is not known may
// be the one where the line runs.
func (l *line) judgeOther(w, dir string, reads, removes bool) string {
	w = strings.TrimPrefix(w, shell.Unknown+"/")
	if l.reachesPath(w, dir) {
		return ourState
	}
	if reads || w == "" || w[0] == '-' || strings.Trim(w, shell.Unknown) == "" {
		return ""
	}
	tools := []string{"Write", "Delete"}
	if !removes {
		tools = tools[:1]
	}
	for _, tool := range tools {
		if strings.ContainsAny(w, wildcards) {
			if what := l.g.findMatched(tool, w, dir); what != "" {
				return what
			}
		} else if what := l.g.makeFilePart(tool, w, dir).Guards; what != "" {
			return what
		}
	}
	return ""
}

// aimsByName reports whether words stop processes of our name.
func aimsByName(words []string) bool {
	return len(words) > 1 && hasWord(" stop-process spps kill ", strings.ToLower(words[0])) &&
		slices.ContainsFunc(words[1:], namesOurImage)
}

// splitOther lists the words of a line, and those that begin a command. What stands in
// quotes is a word, and all that is in it are words too: it may be a line itself.
func splitOther(text string) (words, starts []string) {
	text = strings.NewReplacer("`", "", "^", "").Replace(replaceVariables(text)) // what quotes one letter
	for _, quote := range [...]string{`"`, `'`} {
		parts := strings.Split(text, quote)
		for i := 1; i < len(parts); i += 2 {
			words = append(words, filepath.ToSlash(parts[i]))
		}
	}
	splitAt := func(text, marks string) []string {
		return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(marks, r) })
	}
	for _, command := range splitAt(text, ";|&(){}\n") {
		first := true
		for _, w := range splitAt(command, " \t\r\"'<>,=@") {
			words = append(words, w)
			if first {
				starts, first = append(starts, w), hasWord(switches, strings.ToLower(w))
			}
		}
	}
	return words, starts
}

// replaceVariables puts what may be anything in place of $name, ${name}, $env:name and
// %name%.
func replaceVariables(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		end := i
		switch c := text[i]; {
		case c == '$':
			end = i + 1
			for end < len(text) && (isWordByte(text[end]) || strings.IndexByte(":{}", text[end]) >= 0) {
				end++
			}
		case c == '%':
			if n := strings.IndexByte(text[i+1:], '%'); n > 0 && !strings.ContainsAny(text[i+1:i+1+n], " \t\n") {
				end = i + n + 2
			}
		}
		if end > i {
			b.WriteString(shell.Unknown)
			i = end - 1
			continue
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

func isWordByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}
