package shell

import (
	"regexp"
	"slices"
	"strings"
)

// addGrep adds where a grep or one of its successors looks for text.
func addGrep(p *program) {
	name := p.name
	if p.has("version help") && len(p.operands) == 0 {
		return
	}
	if p.has("files type-list") && name == "rg" {
		if p.has("g glob iglob") {
			p.addTrees(List, p.operands)
		}
		return
	}
	files := p.operandsFrom(1)
	if p.has("e f regexp file") {
		files = p.operands
	}
	recursive := !strings.HasSuffix(name, "grep") || p.has("r R recursive dereference-recursive")
	if len(files) == 0 && recursive && (p.input.from == inherited || p.input.from == typed ||
		strings.HasSuffix(name, "grep")) {
		p.addTrees(Search, nil)
		return
	}
	p.addNamed(Search, files...)
}

// splitSed returns sed's scripts and its files.
func (p *program) splitSed() (scripts, files []field) {
	scripts, files = p.values("e expression"), p.operands
	if len(files) > 0 && files[0].is("") {
		files = files[1:] // the empty suffix of BSD's sed -i ''
	}
	if len(scripts) == 0 && !p.has("f file") && len(files) > 0 {
		scripts, files = files[:1], files[1:]
	}
	return scripts, files
}

func addSed(p *program) {
	scripts, files := p.splitSed()
	if !p.has("i in-place") {
		p.addNamed(Read, files...)
	} else if p.addFiles(Write, files); len(files) == 0 {
		p.addLost()
	}
	if script := joinFields(scripts, "\n").text; !editsOnly(script) {
		p.addFiles(Write, namedIn(script, `(?m)(?:^|[^a-zA-Z]|/[gpIM]+)[wW]\s*(\S+)$`))
	}
}

// namedIn returns the files that a script names where a pattern says.
func namedIn(script, pattern string) (out []field) {
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(script, -1) {
		out = append(out, field{text: m[1], known: !strings.Contains(m[1], blank)})
	}
	return out
}

// hidesSed reports whether a sed script may do more than to edit text.
func hidesSed(p *program) bool {
	scripts, _ := p.splitSed()
	edits := p.has("i in-place") // it writes files that are not known already
	unknown := func(f field) bool { return !f.known && f.knownText() == "" && !(edits && f.many) }
	return slices.ContainsFunc(scripts, unknown) || !editsOnly(joinFields(scripts, "\n").text)
}

// A sed script that only edits text: commands behind their addresses. END is the sign that ends a pattern or a text; no
// class in a pattern has it, as programs do not agree on what it then means.
const (
	sedPattern = `(?:\\.|\[\^?(?:\\[^\]\n]|\[:\w+:\]|[^\]\[\\\nEND])+\]|[^\\\[\nEND])*END`
	sedEdit    = `|[sy]END` + sedPattern + `(?:\\.|[^\\\nEND])*END[gpiImM\d]*`
	sedAddress = `[\s;{}!$,~+\d]*`
	sedCommand = `(?:` + sedAddress + `(?:[=dDgGhHlnNpPqQxzF]|[aic#][^\n]*(?:\n|$)|` +
		`[:btT](?:[ \t]*\w+)?[ \t]*(?:[;\n]|$)`
)

// editsOnly reports whether a sed script only edits text: it opens no other file and runs nothing.
// What is unknown in it counts as a number.
func editsOnly(s string) bool {
	if strings.Trim(s, "0123456789,$;pdq") == "" {
		return true
	}
	s = regexp.MustCompile(`\$\{(?:__\w*|PWD|HOME|PATH|PPID)\}`).ReplaceAllString(s, "1")
	grammar := sedCommand + "|/" + strings.ReplaceAll(sedPattern, "END", "/") + "[IM]*"
	for _, m := range regexp.MustCompile(`[sy]([^\w\s\\\[\]^-])`).FindAllStringSubmatch(s, -1) {
		if edit := strings.ReplaceAll(sedEdit, "END", regexp.QuoteMeta(m[1])); !strings.Contains(grammar, edit) {
			grammar += edit
		}
	}
	return !strings.Contains(s, "\\\n") && matches(`^`+grammar+`))*`+sedAddress+`$`, s)
}

func addAwk(p *program) {
	files := p.operands
	if !p.has("f file E exec e source") && len(files) > 0 {
		if awkActs(files[0].text) {
			p.addFiles(Write, namedIn(files[0].text, `>\s*"([^"\\]+)"\s*(?:[;}\n]|$)`))
		}
		files = files[1:]
	}
	isAssignment := func(f field) bool { return matches(`^[^./=]*=`, f.text) } // FS=:
	read := slices.DeleteFunc(slices.Clone(files), isAssignment)
	if findField(p.values("i include"), "inplace") >= 0 {
		p.addFiles(Write, read)
	} else if len(files) == 0 || len(read) > 0 {
		p.addNamed(Read, read...)
	}
}

// hidesAwk reports whether an awk program runs commands or writes files.
func hidesAwk(p *program) bool {
	return slices.ContainsFunc(p.operands[:min(1, len(p.operands))], func(f field) bool {
		return !f.known && strings.HasPrefix(f.text, blank) || awkActs(f.text)
	})
}

// addJQ adds the files behind the filter; --arg takes two words.
func addJQ(p *program) {
	var ws []field
	isYQ := p.name == "yq"
	for i := 0; i < len(p.words) && !hasWord("--args --jsonargs", p.words[i].text); i++ {
		switch text := p.words[i].text; {
		case hasWord("--arg --argjson --slurpfile --rawfile", text):
			if i += 2; i < len(p.words) && strings.HasSuffix(text, "file") {
				p.addFile(Read, p.words[i])
			}
		case !isYQ || i != 1 || !hasWord("eval e eval-all ea", text):
			ws = append(ws, p.words[i])
		}
	}
	o := command{words: ws}.parseOptions(p.takes)
	skip := 1
	if o.has("f from-file") || o.has("n null-input") && len(o.operands) < 2 {
		skip = 0
	}
	if isYQ && o.has("i inplace in-place") {
		p.addFiles(Write, o.operandsFrom(skip))
	} else if !o.has("n null-input") {
		p.addNamed(Read, o.operandsFrom(skip)...)
	}
}

// addEditedInPlace adds the files that perl -i or ruby -i changes, or perl -n reads.
func addEditedInPlace(p *program) {
	switch code := p.has("e E"); {
	case p.has("i") && code:
		p.addFiles(Write, p.operands)
	case p.has("i"):
		p.addFiles(Write, p.operandsFrom(1))
	case code && p.has("n p"):
		p.addNamed(Read, p.operands...)
	}
}

// awkActs reports whether an awk program may do more than to read its input and to print: it has a pipe, a > behind a
// print, or the name of a function that runs or opens something. A slash that is not known to begin a pattern may still
// do so: then quotes and comments with a slash in them are no such.
func awkActs(s string) bool {
	if !strings.ContainsAny(s, "|>@") && !hasAnyPart(s, "system", "getline") {
		return false
	}
	const text = `"(?:\\.|[^"\\\n])*"|#[^\n]*|`
	const pattern = `(^|[({,;!~&|\n])[ \t]*/(?:\\.|\[\^?\]?[^]\n]*\]|[^/\\\n[])*/`
	slashes := false
	s = regexp.MustCompile(text+pattern).ReplaceAllStringFunc(s, func(token string) string {
		switch {
		case hasWord(`"/dev/stderr" "/dev/stdout" "/dev/null" "/dev/tty"`, token):
			return "&" // > & is no file
		case token[0] == '"' || token[0] == '#':
			slashes = slashes || strings.Contains(token, "/")
			return ""
		case token[0] == '/':
			return ""
		}
		return token[:1]
	})
	s = strings.ReplaceAll(s, "||", "")
	if slashes && strings.Contains(s, "/") || matches(`\||@|system|getline`, s) {
		return true
	}
	for range 4 { // in parentheses it compares
		s = regexp.MustCompile(`\([^()]*\)`).ReplaceAllString(s, "")
	}
	return matches(`print[^;}]*>>?[ \t]*(?:[^& \t>]|$)`, s)
}
