package shell

import "strings"

// filters adds the files of sed, awk, jq and of interpreters that edit in place.
func (r *reader) filters(c command) {
	switch c.name {
	case "sed", "gsed", "ssed":
		r.sed(c)
	case "awk", "gawk", "mawk", "nawk":
		r.awk(c)
	case "jq", "yq":
		r.jq(c)
	case "perl", "ruby":
		r.inPlace(c)
	default:
		if len(c.args()) > 2 && c.args()[0].is("-m") && c.args()[1].is("json.tool") {
			r.look(Read, c.args()[2:3])
		}
	}
}

// sedParts are sed's scripts and its files.
func sedParts(c command) (o options, scripts, files []field) {
	o = c.options("efl", "expression file line-length")
	scripts = o.values("e expression")
	if len(o.operands) > 0 && o.operands[0].is("") {
		o.operands = o.operands[1:] // the empty suffix of BSD's sed -i ''
	}
	if files = o.operands; len(scripts) == 0 && !o.has("f file") && len(files) > 0 {
		n := 1
		for n < len(files) && files[n-1].vanishes() {
			n++ // the script may be the next one
		}
		scripts, files = files[:n], files[1:]
	}
	return o, scripts, files
}

func (r *reader) sed(c command) {
	o, scripts, files := sedParts(c)
	if o.has("i in-place") {
		r.each(Write, files)
	} else {
		r.look(Read, files)
	}
	w := sedScript(sentence(scripts, "\n").text)
	r.each(Write, scripted(w.written))
	r.each(Read, scripted(w.read))
}

// scripted are the file names of a script.
func scripted(names []string) []field {
	var out []field
	for _, n := range names {
		out = append(out, field{text: n, known: !strings.Contains(n, blank)})
	}
	return out
}

// sedRuns tells whether a sed script runs commands, or is in a file.
func sedRuns(c command) bool {
	o, scripts, _ := sedParts(c)
	if o.has("f file") {
		return true
	}
	return sedScript(sentence(scripts, "\n").text).runs
}

func (r *reader) awk(c command) {
	o := c.options("fFvildEW", "file field-separator assign include load source exec")
	files := o.operands
	if !o.has("f file E exec e source") && len(files) > 0 {
		files = files[1:]
	}
	kept := files[:0:0]
	for _, f := range files {
		if name, _, ok := strings.Cut(f.text, "="); !ok || strings.ContainsAny(name, "./") {
			kept = append(kept, f)
		}
	}
	for _, v := range o.values("i include") {
		if v.is("inplace") {
			r.each(Write, kept)
			return
		}
	}
	if len(files) == 0 || len(kept) > 0 {
		r.look(Read, kept)
	}
}

// awkRuns tells whether an awk program runs commands, writes files or is not on
// the line.
func awkRuns(c command) bool {
	o := c.options("fFvildEW", "file field-separator assign include load source exec")
	if o.has("f file E exec l load") || o.has("i include") && !o.values("i include")[0].is("inplace") {
		return true
	}
	programs := o.values("e source")
	if len(programs) == 0 && len(o.operands) > 0 {
		programs = o.operands[:1]
		for n := 1; n < len(o.operands) && programs[n-1].vanishes(); n++ {
			programs = o.operands[:n+1]
		}
	}
	for _, p := range programs {
		if !p.known && strings.HasPrefix(p.text, blank) || awkProgram(p.text) {
			return true
		}
	}
	return false
}

// jq adds the files behind the filter; --arg takes two words.
func (r *reader) jq(c command) {
	var ws []field
	for i := 0; i < len(c.words); i++ {
		switch c.words[i].text {
		case "--arg", "--argjson":
			i += 2
			continue
		case "--slurpfile", "--rawfile":
			if i += 2; i < len(c.words) {
				r.file(Read, c.words[i])
			}
			continue
		case "--args", "--jsonargs":
			i = len(c.words)
			continue
		}
		ws = append(ws, c.words[i])
	}
	if len(ws) > 1 && c.name == "yq" && (ws[1].is("eval") || ws[1].is("e") || ws[1].is("eval-all") || ws[1].is("ea")) {
		ws = append(ws[:1:1], ws[2:]...)
	}
	o := command{words: ws}.options("fLopI", "from-file indent output-format input-format")
	skip := 1
	if o.has("f from-file") || o.has("n null-input") && len(o.operands) < 2 {
		skip = 0
	}
	switch {
	case c.name == "yq" && o.has("i inplace in-place"):
		r.each(Write, o.from(skip))
	case !o.has("n null-input"):
		r.look(Read, o.from(skip))
	}
}

// inPlace adds the files that perl -i or ruby -i changes.
func (r *reader) inPlace(c command) {
	o := c.options("eEIMmxCDF", "")
	inPlace := false
	for _, f := range c.args() {
		t := f.text
		if len(t) < 2 || t[0] != '-' || t == "--" {
			break
		}
		at := strings.IndexByte(t, 'i')
		stop := strings.IndexAny(t, "eEIMmxCDF")
		inPlace = inPlace || at > 0 && (stop < 0 || at < stop)
		if stop == len(t)-1 {
			break
		}
	}
	if !inPlace {
		return
	}
	skip := 1
	if o.has("e E") {
		skip = 0
	}
	r.each(Write, o.from(skip))
}
