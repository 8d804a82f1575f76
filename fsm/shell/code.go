package shell

import (
	"regexp"
	"strings"
	"unicode"
)

// A dialect says which names code in a language may use that only computes, prints and reads.
type dialect struct {
	calls   string // may be called
	members string // may stand behind a dot
	words   string // of the language, and values
	opens   string // calls whose argument is a file that they read: open("f")
}

var (
	pythonDialect = dialect{
		calls: "print len sum min max range sorted str int float list dict set tuple abs round divmod enumerate zip " +
			"any all hex oct bin ord chr repr reversed bool pow isinstance map filter iter next Counter defaultdict",
		members: "version version_info path executable platform argv stdin stdout stderr buffer read readline " +
			"readlines strip split join upper lower format encode decode startswith endswith items keys values get " +
			"count index maxsize byteorder lstrip rstrip splitlines title zfill ljust rjust hex isdigit prefix load " +
			"loads dump dumps findall finditer search match fullmatch sub group groups compile reader DictReader " +
			"fieldnames append extend most_common sqrt floor ceil log pi now today strftime isoformat date time " +
			"datetime total_seconds Counter defaultdict exit sort pop replace write writelines IGNORECASE MULTILINE " +
			"glob getsizeof maxunicode",
		words: "for in if else elif and or not is None True False import as with lambda pass break continue while " +
			"try except sys json re csv math collections datetime time glob itertools statistics textwrap",
		opens: "open",
	}
	nodeDialect = dialect{
		calls: "parseInt parseFloat String Number Boolean isNaN",
		members: "log error table parse stringify keys values entries version versions platform arch argv cwd " +
			"execPath dependencies devDependencies scripts name main exports length map filter join split forEach " +
			"includes slice trim toString sort find some every indexOf startsWith endsWith toUpperCase toLowerCase " +
			"toISOString now engines node v8 stdout write workspaces bin type license isArray reduce concat flat " +
			"fromEntries test match",
		words: "console JSON Object Array process Math Date const let var of in if else for true false null undefined",
		opens: "require readFileSync",
	}
	rubyDialect = dialect{
		calls:   "puts print p pp Integer Float String",
		members: "parse generate each map select reject join split to_s to_i keys first last size length sort uniq",
		words:   "puts print p pp JSON File STDIN RUBY_VERSION do end if else then nil true false require json",
		opens:   "read readlines",
	}
)

// bindsName are the forms in which a name becomes a variable.
const bindsName = `(?:^|[\s;,(|])([A-Za-z_]\w*)\s*(?:=[^=~>]|=>)|\b(?:for|as|lambda|const|let|var)\s+` +
	`([A-Za-z_]\w*(?:\s*,\s*[A-Za-z_]\w*)*)|[(|]\s*([A-Za-z_]\w*(?:\s*,\s*[A-Za-z_]\w*)*)\s*(?:\)\s*=>|\|)`

// snippetToken is a piece of code: a call of opens that reads a file, a string, a name with what calls it, a number, a
// remainder or any other character.
const snippetToken = `\b(OPENS) *\(\s*(?:"([^"\\|]*)"|'([^'\\|]*)'|0|(sys\.argv\[\d\]|process\.argv\[\d\]|[a-z]))\s*` +
	`(?:,\s*(?:encoding=)?["'](?:r|rb|rt|utf-?8|UTF-8)["']\s*)*\)|` +
	`((?:\b[rb])?"(?:\\[nt\\'"/]|[^"\\])*"|(?:\b[rb])?'(?:\\[nt\\'"/]|[^'\\])*')|` +
	`([A-Za-z_]\w*) *(\()?|\d[\w.]*|%[ 0-9]|(?s:.)`

// readSnippet returns the files that code reads, or false if it may do more than to compute, to print and to read.
func readSnippet(d dialect, code string) (opened []string, ok bool) {
	locals := ""
	for _, m := range regexp.MustCompile(bindsName).FindAllStringSubmatch(code, -1) {
		for _, name := range regexp.MustCompile(`\w+`).FindAllString(strings.Join(m[1:], " "), -1) {
			if hasWord(d.calls+" "+d.opens, name) {
				return nil, false // another function may have its name from now on
			}
			locals += " " + name
		}
	}
	if hasAnyPart(code, "__", "constructor", "#{") {
		return nil, false
	}
	tokens := regexp.MustCompile(strings.Replace(snippetToken, "OPENS", strings.ReplaceAll(d.opens, " ", "|"), 1))
	before, last := byte(' '), byte(' ') // the last character, and the one that was no blank
	for _, m := range tokens.FindAllStringSubmatch(code, -1) {
		token, name, bad := m[0], m[6], false
		switch c := token[0]; {
		case m[1] != "":
			file := m[2] + m[3]
			if m[4] != "" {
				file = blank
			}
			isLibrary := m[1] == "require" && hasWord("fs path os", file)
			bad = m[1] == "require" && !isLibrary && !strings.HasSuffix(file, ".json")
			if file != "" && !isLibrary {
				opened = append(opened, file)
			}
		case m[5] != "":
			bad = unicode.IsLetter(rune(last)) // f"{code}"
		case name != "" && before == '.':
			bad = hasWord(d.opens, name) || !hasWord(d.members, name)
		case name != "":
			isKnown := hasWord(d.calls+" "+d.words, name) || m[7] == "" && (hasWord(locals, name) || len(name) == 1)
			bad = hasWord(d.opens, name) || !isKnown
		case c == '(':
			bad = before == ')' || before == ']'
		default: // in Ruby, %x(…) runs a command
			bad = strings.IndexByte("`@\\$#\"'", c) >= 0 || c >= 0x80 || token == "%"
		}
		if bad {
			return nil, false
		}
		last = token[len(token)-1]
		if text := strings.TrimRight(token, " "); text != "" {
			before = text[len(text)-1]
		}
	}
	return opened, true
}

// sendsByCode are the usual ways in which code sends something away.
const sendsByCode = `(?is)\b(?:requests|httpx|axios)\.(?:post|put|patch|delete)\b|\b(?:smtplib|ftplib|paramiko)\b|` +
	`\bmethod["']?\s*(?:[:=]|=>)\s*["'](?:POST|PUT|PATCH|DELETE)["']|Net::(?:HTTP(?:::|\.)(?:Post|Put|Delete)|SMTP|FTP)|` +
	`\burlopen\([^()]*\bdata=|\bboto3\b.*\.(?:delete|put|create|update|terminate|upload|send|publish|invoke)(?:_\w+)?\(`

// sendsHere are those of them that go to a server on this machine: the address is their first argument.
const sendsHere = `\b(?:requests|httpx|axios)\.(?:post|put|patch|delete)\(\s*` + addressHere +
	`|\bfetch\(\s*` + addressHere + "[^\"'`()]*[\"'`]?\\s*,\\s*\\{[^{}]*?" + `\bmethod["']?\s*:\s*["']\w+["']`

const addressHere = "f?[\"'`]http://(?:" + hostsHere + ")(?::(?:\\d+|\\$?\\{\\w+\\}))?[/?\"'`]"

// stringLiteral is a string in code.
const stringLiteral = `"((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)'|` + "`([^`]*)`"

// groupsOfCode says whether code that is not read sends something away, or names in its strings a command that leaves
// this machine or destroys. Strings with commas between are one command: ["git", "push"]. It may be a line of a shell.
func (e *evaluator) groupsOfCode(code string, isLine bool) (in Group) {
	if sends := regexp.MustCompile(sendsByCode); sends.MatchString(code) &&
		sends.MatchString(regexp.MustCompile(sendsHere).ReplaceAllString(code, "")) {
		return Remote
	}
	lines, end := []string{}, -1
	if isLine {
		lines = append(lines, code)
	}
	for _, at := range regexp.MustCompile(stringLiteral).FindAllStringIndex(code, -1) {
		text := code[at[0]+1 : at[1]-1]
		if end >= 0 && strings.Trim(code[end:at[0]], ", \n") == "" {
			lines[len(lines)-1] += " " + text
		} else {
			lines = append(lines, text)
		}
		end = at[1]
	}
	for _, line := range lines {
		if strings.Contains(line, " ") {
			in |= e.groupsOfLine(line)
		}
	}
	return in
}
