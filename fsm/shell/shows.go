package shell

import (
	"slices"
	"strings"
)

// markCall says of the command's own call, which is the one at index first, whether it
// only shows something, and what it does with a project.
func (p *program) markCall(first int) {
	if first >= len(p.calls) || p.over {
		return
	}
	c := &p.calls[first]
	if c.Kind != Command || !slices.Equal(c.Words, fieldWords(p.whole.words)) {
		return
	}
	inside := p.calls[first+1:]
	if p.form != nil && (c.Code || !p.onlyLooks(inside) || !p.markLooks(c)) {
		c.Groups = p.groupsOf(inside)
	}
	if c.Code && !slices.ContainsFunc(inside, func(c Call) bool { return c.Kind == Command }) {
		c.Groups |= p.groupsOfHidden()
	}
}

// groupsOfHidden says whether a command of which nothing is known may leave this machine or destroy: by the name of a
// script that is a verb of sending, by words that are a command themselves, because it may be a wrapper, or by commands
// in its code. A name alone is no command where its row has subcommands: render is a verb too.
func (p *program) groupsOfHidden() (in Group) {
	isInterpreter := p.form != nil && p.interpret != nil
	names := p.whole.words[:min(2, len(p.whole.words))]
	if isInterpreter { // its script stands behind its options
		isName := func(f field) bool { return !strings.HasPrefix(f.text, "-") }
		if at := slices.IndexFunc(p.rest.args(), isName); at >= 0 {
			names = []field{names[0], p.rest.args()[at]}
		}
	}
	for i, f := range names {
		text := f.knownText()
		stem, _, isScript := strings.Cut(CommandName(text), ".")
		isScript = isScript || i == 0 && strings.Contains(text, "/") || i == 1 && isInterpreter
		if isScript && !strings.ContainsAny(text, " (;") && matchesAny(sendingVerbs, stem) {
			return Remote
		}
	}
	if p.form == nil || p.lacksForm && !p.others && p.in&Elsewhere == 0 {
		if in = groupsOfVerbs(p.whole.args()); in == 0 && p.whole.name == "git" {
			in = Remote // an alias, or a program of somebody's
		}
		if in != 0 {
			return in
		}
	}
	for i, f := range p.whole.words {
		text := f.knownText()
		name := CommandName(text)
		if i+1 == len(p.whole.words) || i == 0 && !strings.Contains(text, "/") {
			continue
		}
		c := command{name: name, words: p.whole.words[i:]}
		if i == 0 {
			c.words = append([]field{knownField(name)}, c.words[1:]...) // no path, which may be of any program
		}
		if m := findForm(c, p.findRow); m.form != nil && !m.lacksForm {
			read := newEvaluator(p.findRow, p.language)
			newProgram(read, c).run()
			if in = read.groupsOfCalls(); in != 0 || m.form.wraps == noWrapper && name != "exec" {
				break // as a subcommand, exec runs what is behind it
			}
		}
	}
	isLanguage := isInterpreter && !hasWord("pwsh powershell fish", p.whole.name)
	for _, f := range p.whole.words {
		if strings.ContainsAny(f.text, " (") {
			in |= p.groupsOfCode(f.knownText(), !isLanguage)
		}
	}
	if p.input.text != nil && (isLanguage || p.form != nil && p.in&Elsewhere != 0) {
		text := strings.TrimLeft(p.input.text.knownText(), "0123456789*/,- ") // the times of a crontab
		in |= p.groupsOfCode(text, !isLanguage)
	}
	return in
}

// groupsOfVerbs says of a program that nothing is known of whether its first words, or its options, are verbs by which
// something is sent or removed.
func groupsOfVerbs(words []field) (in Group) {
	if findField(words, "--dry-run", "--help") >= 0 {
		return 0
	}
	o := command{words: append([]field{{}}, words...)}.parseOptions("")
	for _, f := range o.flags {
		if matchesAny("push publish upload* deploy send-*", f.name) {
			in |= Remote
		} else if f.name == "delete" {
			in |= Remote | Destroys
		}
	}
	for _, f := range o.operands[:min(2, len(o.operands))] {
		if matchesAny(sendingVerbs+" email", f.text) {
			in |= Remote
		} else if matchesAny("delete delete-* delete_* drop *:drop destroy purge terminate unpublish forget wipe",
			f.text) {
			in |= Remote | Destroys
		}
	}
	return in
}

// markLooks says of a command that only shows something that it does so, unless it is a
// program of the project or runs build files that may lie anywhere.
func (p *program) markLooks(c *Call) bool {
	from, known := p.buildFiles()
	c.Shows, c.Evaluates = known && !c.Code, append(c.Evaluates, from...)
	return known
}

// buildFiles returns where the build files lie that a command runs to show something, or
// false if that is not known: it may be anywhere.
func (p *program) buildFiles() (from []string, known bool) {
	if !hasWord(buildScripts, p.whole.words[0].text) && (p.form == nil || !p.evaluates) {
		return nil, true
	}
	from = []string{"."}
	for _, f := range p.whole.args() {
		switch rest, rooted := strings.CutPrefix(f.text, "/"); {
		case !p.mayLeave(f):
		case rooted && f.isFixed() && !p.mayLeave(knownField(rest)):
			from = append(from, f.text)
		default:
			return nil, false
		}
	}
	return from, true
}

// mayLeave reports whether a word may name a file outside of the folder where the command
// runs. An option with a path counts. For bazel and its like, // begins a target.
func (p *program) mayLeave(f field) bool {
	text := f.text
	if hasWord("bazel bazelisk please plz buck buck2 pants", p.whole.name) {
		text = strings.ReplaceAll(text, "//", "")
	}
	return !f.isFixed() || matches(`(?:^|[=:,; '"\[{\t\n])/|(?:^|/)\.\.(?:/|$)|\.\./|~|^-(?s:.*)/`, text)
}

// onlyLooks reports whether a command changes nothing and runs nothing unknown. effects
// are the calls that it has added.
func (p *program) onlyLooks(effects []Call) bool {
	if p.isGiven(p.unless) {
		return true
	}
	if p.shows == mayChange || p.place == elsewhere ||
		slices.ContainsFunc(effects, func(c Call) bool {
			return c.Kind == Write || c.Kind == Delete || c.Code && len(c.Words) == 0 // a setting of git
		}) {
		return false
	}
	switch {
	case p.shows == showsAlways:
		return true
	case p.given(p.changes) || slices.ContainsFunc(p.beforeDashes(), field.mayBeOption):
		return false
	}
	return p.shows == showsOnly || p.shows == showsKnown || len(p.operands) <= p.upTo || p.given(p.lists)
}

// beforeDashes returns the arguments in front of "--".
func (p *program) beforeDashes() []field {
	args := p.args()
	if at := findField(args, "--"); at >= 0 {
		return args[:at]
	}
	return args
}

// mayBeOption reports whether a word that is not known may turn out as an option.
func (f field) mayBeOption() bool {
	return !f.known && !f.plain && !f.tame && strings.HasPrefix(f.text, blank)
}

// asksHelp reports whether a command only prints its version or its help. A shell, and some interpreters, read code
// after other options than the long ones: bash -v.
func asksHelp(row *form, c command) bool {
	words := fieldWords(c.args())
	switch len(words) {
	case 1:
		names := "--help --version"
		if !hasWord("sh bash zsh dash ksh mksh ash rbash ksh93 yash r", c.name) {
			names += " -V -version"
		}
		if row != nil && len(row.forms) > 0 {
			names += " help version -h --list --info"
		}
		if hasWord("node ruby perl php lua fish elixir julia rails dart deno", c.name) {
			names += " -v -h"
		}
		return hasWord(names, words[0])
	case 2:
		// yarn, pnpm and bun hand the options behind a script's name to the script.
		const letters = "abcdefghijklmnopqrstuvwxyz-"
		return hasWord("--help --version", words[1]) && row != nil && row.takes != "" &&
			(len(row.forms) > 0 || row.fetches) && !hasWord("yarn pnpm bun", c.name) && c.args()[0].isFixed() &&
			strings.Trim(words[0], letters) == "" && !strings.HasPrefix(words[0], "-")
	}
	return false
}

// namesThings reports whether the output of commands is names of files, commits or the like, and not what is in a file:
// none of its words is an option.
func namesThings(calls []Call) bool {
	for _, c := range calls {
		if c.Kind != Command {
			if c.Kind == Read || c.Kind == Search {
				return false
			}
			continue
		}
		if c.Code || len(c.Words) == 0 || slices.ContainsFunc(c.Words, func(word string) bool {
			return word == Unknown || strings.HasPrefix(word, "+-") || hasAnyPart(word, "=-", "output", "printf")
		}) { // it may make the command print an option
			return false
		}
		name, naming := CommandName(c.Words[0]), "find fd fdfind ls basename dirname realpath readlink pwd date wc "+
			"nproc head tail sort uniq cut grep tac"
		if name == "git" {
			name = c.Words[min(1, len(c.Words)-1)]
			naming = "rev-parse rev-list merge-base describe ls-files ls-tree symbolic-ref branch tag for-each-ref " +
				"remote"
		}
		if !hasWord(naming, name) && !(name == "diff" && slices.Contains(c.Words, "--name-only")) {
			return false
		}
	}
	return len(calls) > 0
}
