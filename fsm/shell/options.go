package shell

import (
	"slices"
	"strings"
)

// options are a command's arguments, sorted into options and operands.
type options struct {
	flags    []flag
	operands []field
	dashes   int // the operand behind "--", or -1
}

// flag is one option with its value, if it took one.
type flag struct {
	name  string // without dashes
	long  bool
	value field
	taken bool // value is set
	sure  bool // it is given whatever the variables of its word hold
	exact bool // long: it is no abbreviation
}

// parseOptions reads the arguments as getopt does, where some options take a value. Options may follow operands.
func (c command) parseOptions(takes string) options {
	o := options{dashes: -1}
	args := c.args()
	for i := 0; i < len(args); i++ {
		if args[i].is("--") {
			o.dashes = len(o.operands)
			o.operands = append(o.operands, args[i+1:]...)
			break
		}
		i += o.take(args[i:], takes)
	}
	return o
}

// take reads one argument, and returns how many more it used.
func (o *options) take(args []field, takes string) int {
	text := args[0].text
	if rest := args[0].knownText(); strings.HasPrefix(text, blank) && strings.HasPrefix(rest, "-") {
		o.take(append([]field{{text: rest}}, args[1:]...), takes) // an option, if the variables are empty
		o.operands = append(o.operands, args[0])
		return 0
	}
	switch {
	case strings.HasPrefix(text, "--"):
		return o.takeLong(args, takes)
	case len(text) > 1 && text[0] == '-':
		return o.takeLetters(args, takes)
	}
	o.operands = append(o.operands, args[0])
	return 0
}

func (o *options) takeLong(args []field, takes string) int {
	name, value, has := strings.Cut(args[0].text[2:], "=")
	name = strings.ReplaceAll(name, blank, "")
	isAlone := hasWord(takes, "!"+name)
	f := flag{name: name, long: true, value: args[0].with(value), taken: has, sure: args[0].known}
	used := 0
	if !has && !isAlone && len(args) > 1 && (name == "" || f.isAmong(takes)) {
		f.value, f.taken, used = args[1], true, 1
	}
	f.exact = isAlone || len(name) > 1 && hasWord(takes, name)
	o.flags = append(o.flags, f)
	return used
}

// takeLetters reads a bundle of letters, the last of which may take a value.
func (o *options) takeLetters(args []field, takes string) (used int) {
	text := args[0].text
	for i := 1; i < len(text); i++ {
		f := flag{name: text[i : i+1], sure: args[0].known}
		f.taken = hasWord(takes, f.name)
		switch rest := text[i+1:]; {
		case f.taken && rest != "":
			f.value = args[0].with(rest)
		case f.taken && len(args) > 1:
			f.value, used = args[1], 1
		default:
			f.taken = false
		}
		if o.flags = append(o.flags, f); f.taken {
			return used
		}
	}
	return 0
}

// has reports whether one of the options is given. names are letters and long names, which the line may abbreviate.
func (o options) has(names string) bool {
	return slices.ContainsFunc(o.flags, func(f flag) bool { return f.isAmong(names) })
}

// values returns the values of the options with these names.
func (o options) values(names string) (out []field) {
	for _, f := range o.flags {
		if f.taken && f.isAmong(names) {
			out = append(out, f.value)
		}
	}
	return out
}

func (f flag) isAmong(names string) bool {
	for n := range strings.SplitSeq(names, " ") {
		isBegun := f.long && !f.exact && len(n) > 1 && f.name != "" && strings.HasPrefix(n, f.name)
		if isBegun || n == f.name && f.long == (len(n) > 1) {
			return true
		}
	}
	return false
}

// operandsFrom returns the operands from n on.
func (o options) operandsFrom(n int) []field { return o.operands[min(n, len(o.operands)):] }

// splitLast returns the last operand, if there is one, and those before it.
func (o options) splitLast() (before []field, last field) {
	if n := len(o.operands); n > 0 {
		before, last = o.operands[:n-1], o.operands[n-1]
	}
	return before, last
}

// skipOptions returns the words behind a command's first options, and for some wrappers the assignments among these.
func (row *form) skipOptions(c command) (env, words []field) {
	for words = c.args(); len(words) > 0; words = words[1:] {
		w := words[0]
		switch {
		case w.is("--"):
			return env, words
		case len(w.text) > 1 && w.text[0] == '-',
			strings.HasPrefix(w.text, "+") && len(row.forms) > 0 && len(words) == len(c.args()): // cargo +nightly
			if w.known && len(words) > 1 && takesNext(w.text, row.takes) {
				words = words[1:]
			}
		case row.wraps == assigns && strings.Contains(w.text, "=") && !strings.HasPrefix(w.text, blank):
			env = append(env, w)
		default:
			return env, words
		}
	}
	return env, nil
}

// leadingOptions returns the options before a command's first operand.
func (row *form) leadingOptions(c command) options {
	_, words := row.skipOptions(c)
	return command{words: c.words[:len(c.words)-len(words)]}.parseOptions(row.takes)
}

// wordOptions returns the values of options that are whole words, with one dash or two: -o FILE, -out=FILE.
func (c command) wordOptions(names string) (out []field) {
	for i, f := range c.words {
		name, value, has := strings.Cut(f.text, "=")
		if name = strings.TrimPrefix(name, "-"); name == f.text || name == "" {
			continue
		}
		switch name = strings.TrimPrefix(name, "-"); {
		case !hasWord(names, name):
		case has:
			out = append(out, f.with(value))
		case f.known:
			out = append(out, c.words[i+1:min(i+2, len(c.words))]...)
		}
	}
	return out
}
