package shell

import "strings"

// perlActing are the words by which a program in Perl can act on more than its text:
// functions that touch files, processes or the network, those that run or load code, and
// the list of the files that it reads.
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

// Names of Python that only compute or print: those that may be called, the others that
// may stand behind a dot, and the words of the language that change nothing.
const (
	pythonCalls = "print len sum min max range sorted str int float list dict set tuple abs round divmod enumerate " +
		"zip any all hex oct bin ord chr repr reversed bool pow isinstance"
	pythonMethods = "version version_info path executable platform argv stdin read readline readlines strip split " +
		"join upper lower replace format encode decode startswith endswith items keys values get count index " +
		"maxsize byteorder lstrip rstrip splitlines title zfill ljust rjust hex isdigit prefix"
	pythonWords = "for in if else and or not is None True False sys"
)

// pythonActs reports whether code in Python may do more than compute and print.
func pythonActs(code string) bool {
	code = strings.TrimSpace(code)
	for _, module := range [...]string{"import sys;", "import sys\n"} { // built in: no file of its name is loaded
		code = strings.TrimPrefix(code, module)
	}
	before := byte(' ')
	for i := 0; i < len(code); {
		c := code[i]
		switch {
		case c == '"' || c == '\'':
			end := strings.IndexByte(code[i+1:], c)
			if end < 0 || strings.IndexByte(code[i+1:i+1+end], '\\') >= 0 {
				return true
			}
			i += end + 2
			before = c
			continue
		case isLetter(c) && (c < '0' || c > '9'):
			end := i
			for end < len(code) && isLetter(code[end]) {
				end++
			}
			word := code[i:end]
			quoted := end < len(code) && (code[end] == '"' || code[end] == '\'') // f'…', b'…'
			if quoted || before == '.' && !hasWord(pythonMethods, word) ||
				before != '.' && !hasWord(pythonCalls, word) && !hasWord(pythonWords, word) &&
					(len(word) > 1 || end < len(code) && code[end] == '(') {
				return true
			}
			i = end
			before = 'a'
			continue
		case c == '@' || c == '=' && before != '=' && before != '!' && before != '<' && before != '>' &&
			(i+1 >= len(code) || code[i+1] != '=') && !strings.Contains(code[:i], "("):
			return true // a decorator, an assignment
		case c >= 0x80:
			return true // a name may be written in other letters
		}
		if c != ' ' {
			before = c
		}
		i++
	}
	return false
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
