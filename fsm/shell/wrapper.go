package shell

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"
)

// unwrap runs the command of a wrapper. It returns false if there is none; otherwise it has added all calls.
func (p *program) unwrap() bool {
	run := p.innerCommand()
	if run == nil {
		return false
	}
	own := len(p.calls)
	if p.form != p.top || p.fetches || p.in != 0 || p.alsoIn != nil || p.where == elsewhere {
		// Rules judge the call of a wrapper too: it is a tool of its own.
		p.addCommand(false)
	}
	p.addWrapperFiles()
	saved, where := p.place, p.where
	_, words := p.skipOptions(p.rest)
	if p.label == "ssh" && words[0].known && isThisMachine(words[0].text) {
		where = container // an ssh to this machine stays on it
	}
	p.place = max(p.place, where)
	p.withVia(p.label, func() {
		p.inSubshell(func() {
			if p.where == container {
				p.enterContainer()
			}
			run()
		})
	})
	p.place = saved
	if inner := own + 1; p.fetches && inner < len(p.calls) {
		if ws := p.calls[inner].Words; len(ws) > 0 {
			row := p.findRow(CommandName(ws[0])) // a package called cat is no cat
			p.calls[own].Code = row == nil || row.shows == showsAlways
		}
	}
	return true
}

// enterContainer notes what a container sees of our files, and the folder that its command begins in.
func (p *program) enterContainer() {
	o := p.leadingOptions(p.rest)
	textOf := func(f field) string { return strings.TrimPrefix(f.text, "=") } // -v=from:to
	// from:to:ro, or type=bind,src=from,dst=to
	for _, f := range o.values("v volume mount") {
		values := map[string]string{}
		for i, part := range strings.FieldsFunc(textOf(f), func(r rune) bool { return r == ':' || r == ',' }) {
			key, value, isPair := strings.Cut(part, "=")
			if !isPair {
				key, value = strconv.Itoa(i), part
			}
			values[key] = value
		}
		from := cmp.Or(values["src"], values["source"], values["0"])
		if strings.ContainsAny(from, "/.~") { // else it is the name of a volume
			p.mounts = append(p.mounts, mount{enterPath(p.dir, f.with(from)),
				path.Clean(cmp.Or(values["dst"], values["target"], values["destination"], values["1"]))})
		}
	}
	if p.mounts != nil {
		p.dir = Unknown
		for _, f := range o.values("w workdir") {
			p.dir = enterPath(Unknown, f.with(textOf(f)))
		}
	}
}

// addWrapperFiles adds the files that a wrapper itself writes, and the code that ssh runs on this side.
func (p *program) addWrapperFiles() {
	o := p.leadingOptions(p.rest)
	p.addFiles(Read, o.values(p.reads))
	for _, f := range o.values(p.writes) {
		if strings.IndexAny(f.text, "|!") == 0 { // strace runs it
			p.addUnknown()
		} else {
			p.addFile(Write, f)
		}
	}
	p.addOperands(p.form.operands)
	if p.label == "ssh" {
		p.addSSHCode(o)
	}
}

// addSSHCode adds a call where ssh, or what uses it, is given code to run on this side, or a config that may name some.
func (p *program) addSSHCode(o options) {
	if slices.ContainsFunc(o.values("F"), func(f field) bool {
		return !strings.HasPrefix(f.text, "~/.ssh/") && !f.is("none", "/dev/null")
	}) || slices.ContainsFunc(o.values("o"), func(f field) bool {
		return matches(`(?i)^(?:\w*command|match|include|\w*provider)[= ]`, f.text)
	}) {
		p.addUnknown()
	}
}

// innerCommand returns a function that runs the inner command, or nil.
func (p *program) innerCommand() func() {
	o := p.leadingOptions(p.rest)
	env, words := p.skipOptions(p.rest)
	words = skipDashes(words)
	words = skipDashes(words[min(p.before, len(words)):])
	var codes []field
	const names = "c command call run session-command"
	switch p.wraps {
	case byOption:
		words, codes = nil, p.rest.parseOptions(p.takes+" run command").values(names)
	case eitherWay:
		codes = o.values(names)
		if len(words) > 1 && words[0].is("-c") {
			codes = append(codes, words[1])
		}
	case afterC:
		words = wordsBehind(p.args(), "-c", "--command")
	case dashed:
		if behind := wordsBehind(p.args(), "--", "--args"); len(behind) > 0 {
			words = behind
		}
	}
	switch {
	case len(codes) > 0:
		return func() { p.runInline(codes[0]) }
	case len(words) == 0:
		return nil // env and nohup alone run nothing
	case p.wraps == joined && !(p.label == "watch" && o.has("x exec")):
		return func() { p.runInline(joinFields(words, " ")) }
	case p.wraps == fromList:
		return func() { p.runPlain(p.fillFromList(words)) }
	}
	return func() {
		for _, f := range env {
			name, value, _ := strings.Cut(f.text, "=")
			p.bind(name, f.with(value))
		}
		if p.wraps == assigns {
			for _, f := range o.values("C chdir D") {
				p.dir = enterPath(p.dir, f)
			}
			if o.has("S split-string") {
				p.addUnknown() // more words
			}
		}
		p.runPlain(words)
	}
}

// wordsBehind returns the words behind the first mark.
func wordsBehind(words []field, marks ...string) []field {
	at := findField(words, marks...)
	if at < 0 {
		return nil
	}
	return words[at+1:]
}

// skipDashes returns the words behind a first "--".
func skipDashes(args []field) []field {
	if len(args) > 0 && args[0].is("--") {
		return args[1:]
	}
	return args
}

// fillFromList returns the command of xargs with the arguments that it reads from its input: at each mark, or behind
// the command. The input may have an option, or a file of dd.
func (p *program) fillFromList(words []field) []field {
	in, o := p.input, p.leadingOptions(p.rest)
	if in.text != nil && matches(`(?:^|\s)(?:-|[io]f=)`, in.text.text) {
		p.addUnknown()
	}
	marks := o.values("I replace")
	if len(marks) == 0 && o.has("i replace") {
		marks = []field{knownField("{}")}
	}
	words = slices.Clone(words)
	if len(marks) == 0 {
		return append(words, field{text: blank, many: true, shape: in.names, plain: in.plain})
	}
	for i, f := range words {
		words[i] = fillMark(f, marks[0].text, in.names)
		words[i].plain = in.plain
	}
	return words
}
