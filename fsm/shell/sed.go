package shell

import "strings"

// sedWork is what a sed script does beyond editing text.
type sedWork struct {
	runs    bool // it runs commands
	written []string
	read    []string
}

// sedScript reads a script far enough to find the commands that touch files or
// run programs.
func sedScript(s string) sedWork {
	p := sedParser{rest: s}
	for p.rest != "" {
		p.command()
	}
	return p.work
}

type sedParser struct {
	rest string
	work sedWork
}

func (p *sedParser) command() {
	p.rest = strings.TrimLeft(p.rest, " \t\n;{}")
	p.addresses()
	p.rest = strings.TrimLeft(p.rest, " \t!")
	if p.rest == "" {
		return
	}
	c := p.rest[0]
	p.rest = p.rest[1:]
	switch c {
	case 's':
		p.substitute()
	case 'y':
		p.delimited(2)
	case 'w', 'W':
		p.work.written = append(p.work.written, p.name())
	case 'r', 'R':
		p.work.read = append(p.work.read, p.name())
	case 'e':
		p.work.runs = true
		p.line()
	case 'a', 'i', 'c':
		p.text()
	case '#':
		p.line()
	case ':', 'b', 't', 'T':
		p.label()
	}
}

// addresses skips line numbers, $ and regular expressions.
func (p *sedParser) addresses() {
	for p.rest != "" {
		switch c := p.rest[0]; {
		case c >= '0' && c <= '9', c == '$', c == ',', c == '~', c == '+', c == ' ', c == '\t', c == 'I', c == 'M':
			p.rest = p.rest[1:]
		case c == '/':
			p.delimited(1)
		case c == '\\' && len(p.rest) > 1:
			p.rest = p.rest[1:]
			p.delimited(1)
		default:
			return
		}
	}
}

// delimited skips n parts that end with the first character.
func (p *sedParser) delimited(n int) {
	if p.rest == "" {
		return
	}
	end, class := p.rest[0], false
	i := 1
	for ; i < len(p.rest) && n > 0; i++ {
		switch c := p.rest[i]; {
		case c == '\\':
			i++
		case c == '[' && !class:
			class = n > 0 && strings.Contains(p.rest[i+1:], "]") && end != '['
			if class && i+1 < len(p.rest) && p.rest[i+1] == ']' {
				i++
			}
		case c == ']':
			class = false
		case c == end && !class:
			n--
		}
	}
	if n > 0 && class { // the bracket was no class: read it plainly
		p.plainly(n)
		return
	}
	p.rest = p.rest[min(i, len(p.rest)):]
}

// plainly is delimited without character classes.
func (p *sedParser) plainly(n int) {
	end := p.rest[0]
	i := 1
	for ; i < len(p.rest) && n > 0; i++ {
		switch p.rest[i] {
		case '\\':
			i++
		case end:
			n--
		}
	}
	p.rest = p.rest[min(i, len(p.rest)):]
}

// substitute reads s/a/b/flags.
func (p *sedParser) substitute() {
	p.delimited(2)
	for p.rest != "" {
		c := p.rest[0]
		switch {
		case c == 'w':
			p.rest = p.rest[1:]
			p.work.written = append(p.work.written, p.name())
			return
		case c == 'e':
			p.work.runs = true
		case strings.IndexByte("gpiImM0123456789", c) < 0:
			return
		}
		p.rest = p.rest[1:]
	}
}

// name reads a file name, which ends with the line.
func (p *sedParser) name() string {
	name, rest, _ := strings.Cut(p.rest, "\n")
	p.rest = rest
	return strings.TrimSpace(name)
}

func (p *sedParser) line() { p.name() }

// label ends with the line or a semicolon.
func (p *sedParser) label() {
	if i := strings.IndexAny(p.rest, "\n;}"); i >= 0 {
		p.rest = p.rest[i:]
	} else {
		p.rest = ""
	}
}

// text skips the text of a, i and c, which goes on over escaped line ends.
func (p *sedParser) text() {
	p.rest = strings.TrimPrefix(strings.TrimLeft(p.rest, " \t"), "\\\n")
	for i := 0; i < len(p.rest); i++ {
		switch p.rest[i] {
		case '\\':
			i++
		case '\n':
			p.rest = p.rest[i:]
			return
		}
	}
	p.rest = ""
}
