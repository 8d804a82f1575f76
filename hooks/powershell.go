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
