package shell

import (
	"regexp"
	"strings"
)

// perlActing are the words by which a program in Perl can act on more than its text: functions that touch files,
// processes or the network, those that run or load code, and the list of the files that it reads.
const perlActing = "accept bind binmode chdir chmod chown chroot connect dbmopen do dump eval exec fcntl flock " +
	"fork format glob ioctl kill link listen mkdir no open opendir package pipe qx readlink readpipe recv rename " +
	"require rmdir select send shutdown socket socketpair sub symlink syscall sysopen sysread sysseek system " +
	"syswrite tie truncate umask unlink use utime write bless goto local our ARGV ARGVOUT INC SIG ENV import can " +
	"AUTOLOAD DESTROY CORE main UNIVERSAL shmget shmctl shmread shmwrite msgget msgsnd semop setpgrp setpriority " +
	"sethostent alarm"

// perlActs reports whether a program in Perl may do more than print. Without calls by
// reference and without code in strings, all that it calls is named.
func perlActs(code string) bool {
	for _, form := range [...]string{"`", "->", "::", "*{", "$^", "${^", "(?{", "(??{", "'", "*STD", "\\&"} {
		if strings.Contains(code, form) {
			return true
		}
	}
	if strings.Contains(strings.ReplaceAll(code, "&&", ""), "&") {
		return true
	}
	for word := range eachName(code) {
		// s/…/…/ee runs what it finds.
		if hasWord(perlActing, word) || strings.Contains(word, "ee") && strings.Trim(word, "egimsxor") == "" {
			return true
		}
	}
	return false
}

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
		calls: "puts print p pp Integer Float String",
		members: "parse pretty_generate generate each map select reject join split to_s to_i to_f keys values dig " +
			"first last " +
			"size length sort uniq inspect chomp strip each_line count sum min max upcase downcase key fetch",
		words: "puts print p pp JSON File STDIN RUBY_VERSION RUBY_PLATFORM do end if else then nil true false " +
			"require json",
		opens: "read readlines",
	}
)

// A snippet is code on a line, while it is read.
type snippet struct {
	dialect
	text   string
	locals string   // variables that it sets
	opened []string // the files that it reads
}

// bindsName are the forms in which a name becomes a variable.
const bindsName = `(?:^|[\s;,(|])([A-Za-z_]\w*)\s*(?:=[^=~>]|=>)|\b(?:for|as|lambda|const|let|var)\s+` +
	`([A-Za-z_]\w*(?:\s*,\s*[A-Za-z_]\w*)*)|[(|]\s*([A-Za-z_]\w*(?:\s*,\s*[A-Za-z_]\w*)*)\s*(?:\)\s*=>|\|)`

// readSnippet returns the files that code reads, or false if it may do more than to compute, to print and to read.
func readSnippet(d dialect, code string) (opened []string, ok bool) {
	s := &snippet{dialect: d, text: code}
	for _, m := range regexp.MustCompile(bindsName).FindAllStringSubmatch(code, -1) {
		for name := range eachName(strings.Join(m[1:], " ")) {
			if hasWord(d.calls+" "+d.opens, name) {
				return nil, false // another function may have its name from now on
			}
			s.locals += " " + name
		}
	}
	return s.opened, s.read() && !strings.Contains(code, "__") && !strings.Contains(code, "constructor")
}

// read reads the code name by name, and returns false at the first that is not harmless.
func (s *snippet) read() bool {
	before := byte(' ')
	for i := 0; i < len(s.text); {
		c := s.text[i]
		next := i + 1
		switch {
		case c == '"' || c == '\'':
			if next = s.skipString(i); next < 0 {
				return false
			}
		case c >= '0' && c <= '9':
			for next < len(s.text) && (isLetter(s.text[next]) || s.text[next] == '.') {
				next++
			}
		case isLetter(c):
			for next < len(s.text) && isLetter(s.text[next]) {
				next++
			}
			if next = s.takeName(s.text[i:next], next, before); next < 0 {
				return false
			}
			c = 'a'
		case c == '(' && (before == ')' || before == ']'),
			c == '%' && strings.IndexAny(s.text[next:], " 0123456789") != 0, // in Ruby, %x(…) runs
			strings.IndexByte("`@\\$#", c) >= 0, c >= 0x80:
			return false
		}
		if c != ' ' {
			before = c
		}
		i = next
	}
	return true
}

// skipString returns the index behind a string, or -1 where code may stand in it.
func (s *snippet) skipString(i int) int {
	for at := i + 1; at < len(s.text); at++ {
		switch s.text[at] {
		case s.text[i]:
			return at + 1
		case '\\':
			if at++; at == len(s.text) || strings.IndexByte(`nt\'"/`, s.text[at]) < 0 {
				return -1
			}
		case '#':
			if at+1 < len(s.text) && s.text[at+1] == '{' {
				return -1
			}
		}
	}
	return -1
}

// takeName returns the index behind a name and, if that opens a file, behind the call. It
// returns -1 if the name is not harmless.
func (s *snippet) takeName(name string, end int, before byte) int {
	rest := strings.TrimLeft(s.text[end:], " ")
	called := strings.HasPrefix(rest, "(")
	switch {
	case strings.HasPrefix(rest, `"`) && rest == s.text[end:] || strings.HasPrefix(rest, "'") && rest == s.text[end:]:
		if name == "r" || name == "b" {
			return end
		}
		return -1 // f"{code}"
	case hasWord(s.opens, name):
		return s.takeOpened(end)
	case before == '.':
		if !hasWord(s.members, name) {
			return -1
		}
	case called && !hasWord(s.calls, name) && !hasWord(s.words, name), !called && !hasWord(s.calls, name) &&
		!hasWord(s.words, name) && !hasWord(s.locals, name) && len(name) > 1:
		return -1
	}
	return end
}

// opensFile is a call that reads a file, behind its name.
const opensFile = `^\s*\(\s*(?:"([^"\\|]*)"|'([^'\\|]*)'|0|(sys\.argv\[\d\]|process\.argv\[\d\]|[a-z]))\s*` +
	`(?:,\s*(?:encoding=)?["'](?:r|rb|rt|utf-?8|UTF-8)["']\s*)*\)`

// takeOpened notes the file that a call reads.
func (s *snippet) takeOpened(end int) int {
	m := regexp.MustCompile(opensFile).FindStringSubmatchIndex(s.text[end:])
	if m == nil {
		return -1
	}
	name := ""
	for i := 2; i < 8; i += 2 {
		if m[i] >= 0 {
			name = s.text[end+m[i] : end+m[i+1]]
		}
	}
	isModule := strings.HasSuffix(s.text[:end], "require")
	if isModule && (name == "fs" || name == "path" || name == "os") {
		name = ""
	} else if isModule && !strings.HasSuffix(name, ".json") || m[6] >= 0 && isModule {
		return -1
	}
	if m[6] >= 0 {
		name = blank
	}
	if name != "" {
		s.opened = append(s.opened, name)
	}
	return end + m[1]
}

// eachName calls yield for each name in a text.
func eachName(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for i := 0; i < len(text); {
			end := i
			for end < len(text) && isLetter(text[end]) {
				end++
			}
			if end == i {
				i++
				continue
			}
			if !yield(text[i:end]) {
				return
			}
			i = end
		}
	}
}
