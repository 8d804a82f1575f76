package shell

import (
	"path"
	"strings"
)

// copies adds the targets of commands that take sources and a target.
func (r *reader) copies(c command) {
	switch c.name {
	case "dd":
		r.dd(c)
	case "ln", "gln", "link":
		r.link(c)
	case "install", "ginstall":
		r.install(c)
	case "docker", "podman", "kubectl":
		if at := position([]string{c.name, "cp"}, words(c.words)); at > 0 {
			r.remoteCopy(command{words: c.words[at-1:]}.options("c", "container namespace"))
		}
	case "rsync":
		o := c.options("efBTM", "rsh filter exclude include exclude-from include-from files-from temp-dir compare-dest copy-dest link-dest log-file backup-dir suffix port password-file bwlimit chmod chown timeout")
		r.runs(o.values("e rsh"), "rsync")
		if o.has("n dry-run list-only") {
			return
		}
		r.each(Write, o.values("log-file"))
		if before, _, ok := o.last(); ok && o.has("remove-source-files") {
			r.each(Delete, before)
		}
		r.remoteCopy(o)
	case "scp":
		o := c.options("cDFiJloPSX", "")
		r.runs(o.values("S"), "scp")
		r.remoteCopy(o)
	default:
		r.copy(c)
	}
}

// runs reads the values of options that name a command.
func (r *reader) runs(values []field, via string) {
	for _, v := range values {
		r.code(v, via)
	}
}

// copy adds the effects of cp and mv.
func (r *reader) copy(c command) {
	o := c.options("tSZ", "target-directory suffix")
	sources, target, ok := o.split()
	if !ok {
		return
	}
	if strings.HasSuffix(c.name, "mv") {
		r.each(Delete, sources)
	}
	for _, f := range placed(sources, target, o.has("t target-directory")) {
		r.file(Write, f)
		if o.has("s l symbolic-link link") {
			r.links = append(r.links, join(r.dir, f.path()))
		}
	}
	if o.has("l link") && !strings.HasSuffix(c.name, "mv") {
		r.each(Write, sources)
	}
}

// split parts the sources from the target, which -t may name.
func (o options) split() (sources []field, target field, ok bool) {
	if ts := o.values("t target-directory"); len(ts) > 0 {
		return o.operands, ts[0], true
	}
	sources, target, ok = o.last()
	return sources, target, ok && len(sources) > 0
}

// placed is where the sources end up: in the target if it must be a directory,
// else at the target, which may be one all the same.
func placed(sources []field, target field, dir bool) []field {
	if !target.fixed() || !dir && len(sources) == 1 && !directory(target.text) {
		return []field{target}
	}
	var out []field
	for _, s := range sources {
		if !s.fixed() || path.Base(s.text) == ".." || path.Base(s.text) == "." {
			return []field{target}
		}
		f := target
		f.text = strings.TrimSuffix(target.text, "/") + "/" + path.Base(s.text)
		out = append(out, f)
	}
	return out
}

// directory tells whether a name can only be that of a directory.
func directory(name string) bool {
	return strings.HasSuffix(name, "/") || name == "." || name == ".." || strings.HasSuffix(name, "/..") ||
		name == "~" || name == "/tmp" || strings.HasSuffix(name, "/.")
}

// remoteCopy adds the target of a copy between machines, if it is on this one.
func (r *reader) remoteCopy(o options) {
	sources, target, ok := o.last()
	if !ok || len(sources) == 0 {
		return
	}
	if host, _, remote := strings.Cut(target.text, ":"); target.known && remote && !strings.Contains(host, "/") {
		return
	}
	r.each(Write, placed(sources[:1], target, false))
}

// install makes directories with -d, else copies.
func (r *reader) install(c command) {
	o := c.options("mogtS", "mode owner group target-directory suffix strip-program")
	r.runs(o.values("strip-program"), "install")
	if o.has("d directory") {
		r.each(Write, o.operands)
		return
	}
	if sources, target, ok := o.split(); ok {
		r.each(Write, placed(sources, target, o.has("t target-directory")))
	}
}

// link adds a link, and what it gives access to: a hard link is the file itself; a
// symbolic one is remembered, since what is written through it goes elsewhere.
func (r *reader) link(c command) {
	o := c.options("tS", "target-directory suffix")
	sources, target, ok := o.split()
	if !ok {
		if len(o.operands) == 0 {
			return
		}
		sources, target = o.operands, constant(".")
	}
	symbolic := o.has("s symbolic")
	if !symbolic {
		r.each(Write, sources)
	}
	made := placed(sources, target, o.has("t target-directory"))
	r.each(Write, made)
	for _, f := range append(made, target) {
		if symbolic && !f.is(".") {
			r.links = append(r.links, join(r.dir, f.path()))
		}
	}
}

// dd adds the files of if= and of=.
func (r *reader) dd(c command) {
	from := false
	for _, f := range c.args() {
		key, value, _ := strings.Cut(f.text, "=")
		file := field{text: value, known: f.known, glob: f.glob}
		switch key {
		case "of":
			r.file(Write, file)
		case "if":
			from = true
			r.file(Read, file)
		}
	}
	if !from {
		r.input(Read)
	}
}
