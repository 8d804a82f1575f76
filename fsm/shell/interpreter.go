package shell

import (
	"regexp"
	"slices"
	"strings"
)

// harmlessPerl is code of Perl on the line that prints each line of its files, or those that fit a pattern.
const harmlessPerl = `^-l?ne print(?: (?:if|unless) /[\w .^-]*/i?)?;?$`

// runInterpreter adds the call of an interpreter. Its code, on the line or in its input, is unknown.
func runInterpreter(p *program) {
	c := p.whole
	words := append(fieldWords(c.args()), "", "")
	if c.name == "perl" && regexp.MustCompile(harmlessPerl).MatchString(words[0]+" "+words[1]) &&
		!slices.ContainsFunc(c.args()[2:], func(f field) bool { // no name of a file but a program
			return !f.isFixed() || f.isOption() || strings.ContainsAny(f.text, "<>|")
		}) {
		p.addCommand(c, false)
		return
	}
	first := words[0]
	if len(c.args()) > 1 && (hasWord("-e -p -pe --eval --print", first) && c.name == "node" || first == "-e") {
		p.runSnippet(c.args()[1])
		return
	}
	shows := asksVersion(c) || c.name == "node" && hasWord("--check -c --v8-options", first) || // it runs no code
		c.name == "php" && hasWord("-l -i -m", first) || c.name == "dart" && first == "analyze"
	p.addCommand(c, !shows && (len(c.args()) > 0 || p.input.from != inherited))
}

// runForeign adds the call of an interpreter that runs unknown code unless it only prints its version.
func runForeign(p *program) { p.addCommand(p.whole, !asksVersion(p.whole)) }

// asksVersion reports whether an interpreter only prints its version or its help.
func asksVersion(c command) bool {
	return len(c.args()) == 1 && hasWord("-v -V -vV -VV -h --version --help -version version help", c.args()[0].word())
}

// runPython runs -m MODULE as a command of the module's name.
func runPython(p *program) {
	c := p.whole
	args := c.args()
	for ; len(args) > 0 && len(args[0].text) > 1 && args[0].text[0] == '-' && !asksVersion(c); args = args[1:] {
		switch text := args[0].text; {
		case text == "-m" && len(args) > 1 && args[1].isFixed():
			p.runModule(args[1:])
			return
		case strings.HasPrefix(text, "-m") && len(text) > 2 && args[0].known:
			p.runModule(append([]field{knownField(text[2:])}, args[1:]...))
			return
		case text == "-c" && len(args) > 1 && len(args) == len(c.args()):
			p.runSnippet(args[1])
			return
		case !args[0].known || strings.Contains(text, "c") && text[1] != '-':
			p.addCommand(c, true)
			return
		case (text == "-W" || text == "-X") && len(args) > 1:
			args = args[1:]
		}
	}
	p.addCommand(c, !asksVersion(c) && (len(args) > 0 || p.input.from != inherited))
}

// pythonModules are the modules with known effects. Any other may be a file of the project, whatever its name.
const pythonModules = "json.tool compileall py_compile ensurepip zipfile tarfile zipapp gzip base64 cprofile profile " +
	"trace timeit pydoc pdb unittest doctest venv virtualenv http.server this site sysconfig platform calendar " +
	"ast tokenize dis inspect locale webbrowser pip pipx pytest py.test nose2 coverage black isort ruff mypy " +
	"flake8 pylint pyright pycodestyle pydocstyle vulture bandit autopep8 yapf autoflake pyupgrade lib2to3 2to3 " +
	"build twine tox nox poetry pipenv pdm hatch uv piptools sphinx mkdocs jupyter ipykernel ipython pre_commit"

// runModule runs a module as a command of its name.
func (p *program) runModule(ws []field) {
	p.addCommand(p.whole, !hasWord(pythonModules, strings.ToLower(ws[0].text)))
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
	isCode := regexp.MustCompile(`(?:^| )-\w*c`).MatchString(options)
	isKnown := asksVersion(c) || strings.HasPrefix(options, "-n ") || isCode && len(args) == 0
	if c.name == "zsh" || !isKnown && !regexp.MustCompile(shellOptions).MatchString(options) {
		p.addUnknown() // how code is read, and what is run before it
	}
	switch {
	case isKnown:
		p.addCommand(c, false)
	case isCode:
		params := args[1:]
		if len(params) > 0 && !params[0].many && !params[0].glob {
			params = params[1:] // it is $0
		}
		p.setParameters(params)
		p.runCode(args[0], p.label+" -c")
	case len(args) > 0 && !regexp.MustCompile(`(?:^| )-\w*s`).MatchString(options):
		p.addCommand(c, true)
	case in.from == piped && in.text != nil && !in.fromPipe: // a text on the line is known code
		p.setParameters(args)
		p.input = input{}
		p.runCode(*in.text, p.label)
	default:
		if p.addCommand(c, true); in.text != nil {
			p.runCode(*in.text, p.label)
		}
	}
	p.params, p.input = saved, in
}
