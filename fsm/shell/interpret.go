package shell

import "strings"

// interpret runs what a shell or another language's interpreter is given.  It is
// true if c was one of them, and all its calls have been added.
func (r *reader) interpret(c command) bool {
	switch c.name {
	case "sh", "bash", "zsh", "dash", "ksh", "mksh", "ash", "rbash", "ksh93", "yash":
		r.shell(c)
		return true
	case "crontab", "at", "batch":
		r.scheduled(c)
		return true
	case "ssh": // without a command: the other side's shell reads our input
		r.call(c, r.stdin.from != inherited)
		if text := r.stdin.text; text != nil {
			saved := r.where
			r.where = elsewhere
			r.code(*text, c.name)
			r.where = saved
		}
		return true
	case "osascript", "expect", "pwsh", "powershell", "cmd", "fish", "csh", "tcsh", "nu", "elvish", "xonsh",
		"tclsh", "wish", "guile", "emacs", "julia", "octave", "racket", "sbcl", "ghci", "runghc", "runhaskell",
		"groovy", "scala", "kotlin", "jshell", "irb", "pry", "ipython", "nodejs", "ts-node", "tsx", "esno", "swipl":
		r.call(c, !asks(c))
		return true
	}
	if !language(c.name) {
		return false
	}
	r.language(c)
	return true
}

// language tells whether the name, without its version, is an interpreter's.
func language(name string) bool {
	switch strings.TrimRight(name, "0123456789.") {
	case "python", "pypy", "perl", "ruby", "node", "php", "lua", "luajit", "deno", "rscript", "r", "java", "swift", "dart":
		return true
	}
	return false
}

// asks tells whether an interpreter is only asked for its version or its help.
func asks(c command) bool {
	if len(c.args()) != 1 {
		return false
	}
	switch c.args()[0].word() {
	case "-v", "-V", "-vV", "-VV", "-h", "--version", "--help", "-version", "version", "help":
		return true
	}
	return false
}

// language runs an interpreter of code that we do not read.
func (r *reader) language(c command) {
	name := strings.TrimRight(c.name, "0123456789.")
	switch {
	case asks(c), r.checks(name, c):
		r.call(c, false)
	case name == "python" || name == "pypy":
		r.python(c)
	case name == "deno":
		r.call(c, len(c.args()) > 0 && contains("run eval repl", c.args()[0].text))
	default:
		r.call(c, len(c.args()) > 0 || r.stdin.from != inherited)
	}
}

// checks tells whether the interpreter only checks a file's syntax.
func (r *reader) checks(name string, c command) bool {
	first := ""
	if len(c.args()) > 0 {
		first = c.args()[0].word()
	}
	switch name {
	case "node":
		return first == "--check" || first == "-c" || first == "--test"
	case "php":
		return first == "-l" || first == "-i" || first == "-m"
	case "dart", "swift":
		return first == "test" || first == "build" || first == "analyze" || first == "pub" || first == "package"
	}
	return false
}

// python runs -m MODULE as a command of the module's name.
func (r *reader) python(c command) {
	args := c.args()
	for len(args) > 0 && len(args[0].text) > 1 && args[0].text[0] == '-' {
		switch text := args[0].text; {
		case !args[0].known:
			r.call(c, true)
			return
		case text == "-m" && len(args) > 1 && args[1].fixed():
			r.call(c, false)
			r.module(args[1:])
			return
		case strings.HasPrefix(text, "-m") && len(text) > 2:
			r.call(c, false)
			r.module(append([]field{constant(text[2:])}, args[1:]...))
			return
		case strings.Contains(text, "c") && text[1] != '-':
			r.call(c, true)
			return
		case text == "-W" || text == "-X":
			args = args[1:]
		}
		if len(args) > 0 {
			args = args[1:]
		}
	}
	r.call(c, len(args) > 0 || r.stdin.from != inherited)
}

func (r *reader) module(ws []field) {
	r.within("python -m", func() {
		r.subshell(func() { r.bare(ws) })
	})
}

// shell runs a shell: with code on its line, from its input, or from a script.
func (r *reader) shell(c command) {
	args, code := shellOptions(c.args())
	switch {
	case code == checked || asks(c):
		r.call(c, false)
	case code == given && len(args) > 0:
		r.argued(c, args)
	case code == given:
		r.call(c, false)
	case len(args) > 0 && code != fromInput:
		r.call(c, true)
	default:
		r.fed(c, args)
	}
}

// argued runs bash -c CODE NAME ARGUMENTS.
func (r *reader) argued(c command, args []field) {
	params := args[1:]
	if len(params) > 0 && !params[0].many && !params[0].glob {
		params = params[1:] // it is $0
	}
	saved := r.params
	r.parameters(params)
	r.code(args[0], c.name+" -c")
	r.params = saved
}

// fed runs a shell that reads its input: a text of the line is code to read, and
// what another command writes is not known.
func (r *reader) fed(c command, args []field) {
	in := r.stdin
	if in.from == piped && in.text != nil && !in.fromPipe {
		saved := r.params
		r.parameters(args)
		r.stdin = input{}
		r.code(*in.text, c.name)
		r.params, r.stdin = saved, in
		return
	}
	r.call(c, true)
	if in.text != nil {
		r.code(*in.text, c.name)
	}
}

// How a shell is told what to run.
const (
	script    = iota // a file, or its input
	given            // -c
	fromInput        // -s
	checked          // -n: it only reads
)

// shellOptions reads a shell's options, and returns what is behind them.
func shellOptions(args []field) ([]field, int) {
	how := script
	for len(args) > 0 {
		text := args[0].text
		if text == "--" || text == "-" {
			return args[1:], how
		}
		if len(text) < 2 || text[0] != '-' && text[0] != '+' || !args[0].known {
			break
		}
		args = args[1:]
		switch {
		case text == "--rcfile" || text == "--init-file":
			args = args[min(1, len(args)):]
		case strings.HasPrefix(text, "--"):
		default:
			how = letters(text, how)
			if strings.ContainsAny(text, "oO") {
				args = args[min(1, len(args)):]
			}
		}
	}
	return args, how
}

func letters(bundle string, how int) int {
	switch {
	case strings.ContainsRune(bundle, 'n') && bundle[0] == '-' && how != given:
		return checked
	case strings.ContainsRune(bundle, 'c'):
		return given
	case strings.ContainsRune(bundle, 's') && how == script:
		return fromInput
	}
	return how
}

// scheduled is code that runs later.
func (r *reader) scheduled(c command) {
	reads := c.name != "crontab" || len(c.args()) > 0 && !contains("-l -r -e", c.args()[0].text)
	if c.name == "at" && len(c.args()) > 0 && contains("-l -r -d -q", c.args()[0].text) {
		reads = false
	}
	r.call(c, reads)
	if in := r.stdin; in.text != nil && c.name != "crontab" {
		r.code(*in.text, c.name)
	}
}
