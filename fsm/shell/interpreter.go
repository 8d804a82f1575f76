package shell

import (
	"strings"
)

// runInterpreter adds the call of an interpreter. Its code, on the line or in its input, is unknown.
func runInterpreter(p *program) {
	c := p.whole
	args, d, marks := c.args(), nodeDialect, "-e -p -pe -ep --eval --print"
	if c.name == "ruby" {
		d, marks = rubyDialect, "-e"
		if len(args) > 0 && args[0].is("-rjson") {
			args = args[1:]
		}
	}
	if hasWord("node ruby", c.name) && len(args) > 1 && args[0].known && args[1].known &&
		hasWord(marks, args[0].text) && p.addOpened(d, args[1].text, args[2:]) {
		return
	}
	first := append(fieldWords(args), "")[0]
	shows := c.name == "node" && hasWord("--check -c --v8-options", first) && len(args) < 3 || // it runs no code
		c.name == "php" && hasWord("-l -i -m", first) || c.name == "dart" && first == "analyze"
	p.addCommand(!shows && (len(c.args()) > 0 || p.input.from != inherited))
}

// addOpened adds the files that code reads. It may be given their names.
func (p *program) addOpened(d dialect, code string, operands []field) bool {
	opened, ok := readSnippet(d, code)
	if !ok {
		return false
	}
	p.addCommand(false)
	p.calls[len(p.calls)-1].Evaluates = []string{"."} // a library is first looked for here
	for _, name := range opened {
		p.addFile(Read, field{text: name, known: name != blank})
	}
	for _, f := range operands {
		if strings.ContainsAny(f.knownText(), "./") {
			p.addFile(Read, f)
		}
	}
	return true
}

// runForeign adds the call of an interpreter that runs unknown code.
func runForeign(p *program) { p.addCommand(true) }

// runPython runs -m MODULE as a command of the module's name.
func runPython(p *program) {
	c := p.whole
	args := c.args()
	for ; len(args) > 0 && len(args[0].text) > 1 && args[0].text[0] == '-'; args = args[1:] {
		switch text := args[0].text; {
		case text == "-m" && len(args) > 1 && args[1].isFixed():
			p.runModule(args[1:])
			return
		case strings.HasPrefix(text, "-m") && len(text) > 2 && args[0].known:
			p.runModule(append([]field{knownField(text[2:])}, args[1:]...))
			return
		case text == "-c" && len(args) > 1 && args[1].known && len(args) == len(c.args()) &&
			p.addOpened(pythonDialect, args[1].text, args[2:]):
			return
		case !args[0].known || strings.Contains(text, "c") && text[1] != '-':
			p.addCommand(true)
			return
		case (text == "-W" || text == "-X") && len(args) > 1:
			args = args[1:]
		}
	}
	p.addCommand(len(args) > 0 || p.input.from != inherited)
}

// pythonModules are the modules that the table knows. Any other may be a file of the project, whatever its name.
const pythonModules = "json.tool unittest venv pip pytest py.test nose2 coverage black isort ruff flake8 pycodestyle " +
	"build twine tox nox poetry pipenv pdm hatch uv"

// runModule runs a module as a command of its name.
func (p *program) runModule(ws []field) {
	p.addCommand(!hasWord(pythonModules, strings.ToLower(ws[0].text)))
	p.calls[len(p.calls)-1].Evaluates = []string{"."} // a module is first looked for here
	p.withVia("python -m", func() {
		p.inSubshell(func() { p.runPlain(ws) })
	})
}

// shellOptions are options of a shell that change neither what its code means nor what runs before it.
const shellOptions = `^(?:-[celuvxs]+ |-[celuvx]*o (?:pipefail|errexit|nounset) |--(?:norc|noprofile|login)? |- )*$`

// runShell runs a shell: with code on its line, from its input, or from a script.
func runShell(p *program) {
	c, in, saved, options := p.whole, p.input, p.params, ""
	args := c.args()
	for len(args) > 0 && args[0].known && strings.IndexAny(args[0].text, "-+") == 0 {
		if strings.HasSuffix(options, "- ") {
			break // behind --
		}
		n := 1
		if strings.ContainsAny(args[0].text, "oO") && args[0].text[1] != '-' {
			n = min(2, len(args)) // the name of an option
		}
		options += joinFields(args[:n], " ").text + " "
		args = args[n:]
	}
	isCode := matches(`(?:^| )-\w*c`, options)
	isKnown := strings.HasPrefix(options, "-n ") || isCode && len(args) == 0
	if c.name == "zsh" || !isKnown && !matches(shellOptions, options) {
		p.addUnknown() // how code is read, and what is run before it
	}
	switch {
	case isKnown:
		p.addCommand(false)
	case isCode:
		params := args[1:]
		if len(params) > 0 && !params[0].many && !params[0].glob {
			params = params[1:] // it is $0
		}
		p.setParameters(params)
		p.runCode(args[0], p.label+" -c")
	case len(args) > 0 && !matches(`(?:^| )-\w*s`, options):
		p.addCommand(true)
	case in.from == piped && in.text != nil && !in.fromPipe: // a text on the line is known code
		p.setParameters(args)
		p.input = input{}
		p.runCode(*in.text, p.label)
	default:
		if p.addCommand(true); in.text != nil {
			p.runCode(*in.text, p.label)
		}
	}
	p.params, p.input = saved, in
}
