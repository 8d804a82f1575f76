package shell

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// ParsePattern reads a word pattern such as `git push` or `npm run test*`. Each word is a glob as in path.Match.
func ParsePattern(s string) ([]string, error) {
	ws := strings.Fields(s)
	if len(ws) == 0 {
		return nil, errors.New("an empty pattern matches no command")
	}
	for _, w := range ws {
		if _, err := path.Match(w, ""); err != nil {
			return nil, fmt.Errorf("word %q is no pattern: %w", w, err)
		}
	}
	return ws, nil
}

// Match reports whether a command is one that the pattern names.
//
// The first word is the command, whatever directory it is written with. Those that follow are found in this order,
// whatever options stand between; options in the pattern are found anywhere, `-rf` also as `-r -f`. What the command
// has beyond the pattern does not matter: `git` matches every git command.
func Match(pattern, words []string) bool {
	if len(pattern) == 0 || len(words) == 0 || !matchGlob(CommandName(pattern[0]), CommandName(words[0])) {
		return false
	}
	m := matcher{name: CommandName(words[0]), words: words}
	if f := findRow(m.name); f != nil {
		m.findRow, m.takes = findRow, f.takes
	}
	return m.matchRest(pattern[1:], 1) >= 0
}

// CommandName is the name of the command that a word runs: without directory, case, Windows suffix and the g of GNU's
// programs on macOS, none of which makes it another command.
func CommandName(word string) string {
	name := strings.ToLower(path.Base(word))
	if plain, ok := strings.CutPrefix(name, "g"); ok && hasWord(gnuPrograms, plain) {
		return plain
	}
	// npm makes the second and the third.
	if suffix := path.Ext(name); suffix != name && hasWord(".exe .cmd .ps1 .bat .com", suffix) {
		return strings.TrimSuffix(name, suffix)
	}
	return name
}

// gnuPrograms have a second name with a g before the first.
const gnuPrograms = "basename cat chgrp chmod chown cp csplit cut date dd df dirname du env expr find grep head " +
	"install join kill link ln ls make mkdir mkfifo mknod mktemp mv nice nl nohup od paste patch printf pwd readlink " +
	"realpath rm rmdir sed shred shuf sort split stat stdbuf strings strip sync tac tail tar tee timeout touch tr " +
	"truncate uniq unlink wc which who xargs"

// matches reports whether a regular expression fits a text.
func matches(pattern, text string) bool { return regexp.MustCompile(pattern).MatchString(text) }

// hasAnyPart reports whether one of these parts stands in a text.
func hasAnyPart(text string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) })
}

func matchGlob(pattern, word string) bool {
	ok, _ := path.Match(pattern, word)
	return ok
}

// matcher compares a pattern with one command.
type matcher struct {
	name    string
	words   []string
	takes   string             // the command's global options that take a value; "": not known
	findRow func(string) *form // if the table has the command
}

// matchRest finds the pattern's words from index i on.
func (m matcher) matchRest(pattern []string, i int) int {
	if len(pattern) == 0 {
		return i
	}
	p := pattern[0]
	if strings.HasPrefix(p, "-") {
		if m.hasOption(p) {
			return m.matchRest(pattern[1:], i)
		}
		return -1
	}
	if hasWord("make gmake ninja", m.name) {
		return m.matchTarget(pattern, i)
	}
	return m.matchOperand(pattern, i)
}

// matchOperand finds the next word that is no option. Whether an option that we do
// not know takes the next word is tried both ways.
func (m matcher) matchOperand(pattern []string, i int) int {
	first, pending := i == 1, false
	for ; i < len(m.words); i++ {
		w := m.words[i]
		if len(w) > 1 && w[0] == '-' || i == 1 && strings.HasPrefix(w, "+") {
			isKnown := first && m.takes != ""
			if isKnown && takesNext(w, m.takes) {
				i++
			}
			pending = !isKnown && w != "--" && !strings.Contains(w, "=")
			continue
		}
		if at := m.matchWord(pattern, i, first); at >= 0 {
			return at
		}
		if !pending {
			return -1
		}
		pending = false
	}
	return -1
}

// matchWord matches the pattern from word i on, which is no option.
func (m matcher) matchWord(pattern []string, i int, first bool) int {
	p, w := pattern[0], m.words[i]
	if matchGlob(p, w) || first && matchGlob(p, fullSubcommand(m.name, w)) {
		if at := m.matchRest(pattern[1:], i+1); at >= 0 {
			return at
		}
	}
	if !first || !hasWord("npm pnpm yarn bun", m.name) {
		return -1
	}
	switch run := fullSubcommand(m.name, w) == "run"; {
	case run && p != "run":
		return m.matchRest(pattern, i+1) // npm run test is npm test
	case !run && p == "run" && len(pattern) > 1 && (m.name != "npm" || hasWord("test start stop restart", w)):
		return m.matchRest(pattern[1:], i)
	}
	return -1
}

// matchTarget finds the word among the targets of a make, which have no order.
func (m matcher) matchTarget(pattern []string, i int) int {
	for j := 1; j < len(m.words); j++ {
		if takesNext(m.words[j], "C f I j o W l directory file makefile include-dir") {
			j++
			continue
		}
		if w := m.words[j]; (len(w) == 0 || w[0] != '-') && matchGlob(pattern[0], w) {
			return m.matchRest(pattern[1:], max(i, j+1))
		}
	}
	return -1
}

// hasOption finds an option anywhere; a short bundle also letter by letter, up to the
// one that takes the rest as its value. A long option may be abbreviated.
func (m matcher) hasOption(p string) bool {
	letters, takes := "", ""
	if len(p) > 1 && p[1] != '-' {
		takes = m.takenBySubcommand()
	}
	for _, w := range m.words[1:] {
		if w == "--" {
			break
		}
		if matchGlob(p, w) {
			return true
		}
		name, _, _ := strings.Cut(w, "=")
		if len(name) > 3 && strings.HasPrefix(p, "--") && strings.HasPrefix(p, name) {
			return true
		}
		if len(w) > 1 && w[0] == '-' && w[1] != '-' {
			bundle := w[1:]
			if at := indexTaking(bundle, takes); at >= 0 {
				bundle = bundle[:at+1]
			}
			letters += bundle
		}
	}
	return len(p) > 1 && len(p) < 5 && p[1] != '-' && strings.Trim(p[1:], letters) == ""
}

// takenBySubcommand returns the options that take a value, in the row of the subcommand if there is one.
func (m matcher) takenBySubcommand() string {
	if m.findRow == nil {
		return ""
	}
	c := command{name: m.name}
	for _, w := range m.words {
		c.words = append(c.words, field{text: w, known: w != Unknown})
	}
	found := findForm(c, m.findRow)
	if found.lacksForm {
		return ""
	}
	return found.takes
}

// takesNext reports whether a word is an option that takes the next word as its value.
func takesNext(w, takes string) bool {
	if !strings.HasPrefix(w, "-") {
		return false
	}
	if name, isLong := strings.CutPrefix(w, "--"); isLong {
		return len(name) > 1 && hasWord(takes, name)
	}
	if hasWord(takes, w[1:]) {
		return true // -target=x, with one dash
	}
	i := indexTaking(w[1:], takes)
	return i >= 0 && i == len(w)-2
}

// TakesValue reports whether a word is an option of a command, before any subcommand, that takes the next word as its
// value.
func TakesValue(command, word string) bool {
	f := findRow(command)
	return f != nil && takesNext(word, f.takes)
}

// indexTaking returns the place of the first letter in a bundle that takes a value, or -1.
func indexTaking(bundle, takes string) int {
	return strings.IndexFunc(bundle, func(r rune) bool { return hasWord(takes, string(r)) })
}

// hasWord reports whether a list of words, separated by blanks or bars, has this word.
func hasWord(list, word string) bool {
	isEdge := func(at int) bool { return at < 0 || at == len(list) || list[at] == ' ' || list[at] == '|' }
	for at := 0; word != "" && !strings.ContainsAny(word, " |"); at++ {
		next := strings.Index(list[at:], word)
		if next < 0 {
			break
		}
		if at += next; isEdge(at-1) && isEdge(at+len(word)) {
			return true
		}
	}
	return false
}
