package shell

import "strings"

// options are a command's arguments, told apart.
type options struct {
	flags    []flag
	operands []field
	dashes   int // the operand behind "--", if positive
}

// flag is one option with its value, if it took one.
type flag struct {
	name  string // without dashes
	long  bool
	value field
	taken bool // value is set
}

// options reads the arguments as getopt does: short are the letters that take a
// value, long the names (apart) that do.  Options may follow operands.
func (c command) options(short, long string) options {
	var o options
	args := c.args()
	for i := 0; i < len(args); i++ {
		i += o.take(args[i:], short, long)
		if i < len(args) && args[i].is("--") {
			o.dashes = len(o.operands)
			o.operands = append(o.operands, args[i+1:]...)
			break
		}
	}
	return o
}

// take reads one argument, and returns how many more it used.
func (o *options) take(args []field, short, long string) int {
	text := args[0].text
	if rest := args[0].rest(); strings.HasPrefix(text, blank) && strings.HasPrefix(rest, "-") {
		o.take(append([]field{{text: rest}}, args[1:]...), short, long) // an option, if the variables are empty
		o.operands = append(o.operands, args[0])
		return 0
	}
	switch {
	case args[0].is("--"):
		return 0
	case strings.HasPrefix(text, "--"):
		return o.longOption(args, long)
	case len(text) > 1 && text[0] == '-':
		return o.cluster(args, short)
	}
	o.operands = append(o.operands, args[0])
	return 0
}

func (o *options) longOption(args []field, long string) int {
	name, value, has := strings.Cut(args[0].text[2:], "=")
	name = strings.ReplaceAll(name, blank, "")
	f := flag{name: name, long: true, taken: has}
	f.value = field{text: value, known: args[0].known, glob: args[0].glob}
	if has || !abbreviated(long, name) || len(args) < 2 {
		o.flags = append(o.flags, f)
		return 0
	}
	f.value, f.taken = args[1], true
	o.flags = append(o.flags, f)
	return 1
}

// abbreviated tells whether name is, or begins, a word of list.
func abbreviated(list, name string) bool {
	for list != "" {
		var w string
		if w, list, _ = strings.Cut(list, " "); strings.HasPrefix(w, name) {
			return true
		}
	}
	return false
}

func (o *options) cluster(args []field, short string) int {
	text := args[0].text
	for i := 1; i < len(text); i++ {
		f := flag{name: text[i : i+1]}
		if strings.IndexByte(short, text[i]) < 0 {
			o.flags = append(o.flags, f)
			continue
		}
		f.taken = true
		if i+1 < len(text) {
			f.value = field{text: text[i+1:], known: args[0].known, glob: args[0].glob}
			o.flags = append(o.flags, f)
			return 0
		}
		if len(args) < 2 {
			break
		}
		f.value = args[1]
		o.flags = append(o.flags, f)
		return 1
	}
	return 0
}

// has tells whether one of the options is given; names are letters or long names
// apart, and what is given may abbreviate a long one.
func (o options) has(names string) bool {
	for _, f := range o.flags {
		if f.among(names) {
			return true
		}
	}
	return false
}

// values are what the options of these names were given.
func (o options) values(names string) []field {
	var out []field
	for _, f := range o.flags {
		if f.taken && f.among(names) {
			out = append(out, f.value)
		}
	}
	return out
}

func (f flag) among(names string) bool {
	for names != "" {
		var n string
		n, names, _ = strings.Cut(names, " ")
		switch {
		case !f.long && n == f.name, f.long && len(n) > 1 && strings.HasPrefix(n, f.name) && f.name != "":
			return true
		}
	}
	return false
}

// from returns the operands from n on.
func (o options) from(n int) []field {
	if n >= len(o.operands) {
		return nil
	}
	return o.operands[n:]
}

// last returns the last operand and those before it.
func (o options) last() (before []field, last field, ok bool) {
	n := len(o.operands)
	if n == 0 {
		return nil, field{}, false
	}
	return o.operands[:n-1], o.operands[n-1], true
}
