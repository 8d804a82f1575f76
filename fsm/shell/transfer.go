package shell

import (
	"path"
	"regexp"
	"strings"
)

// Copies between machines, and downloads.

// addRemoteCopy adds what a copy between machines reads and changes on this one. It may change the whole target: where
// what is in a source is copied and not the source, with the folders of the sources, or without what these lack.
func addRemoteCopy(p *program) {
	p.addSSHCode(p.options)
	sources, target := p.splitLast()
	if len(sources) == 0 {
		p.addLost()
		return
	}
	if p.has("remove-source-files") {
		p.addFiles(Delete, sources)
	}
	whole := p.has("R relative del delete delete-before delete-during delete-delay delete-after delete-excluded")
	for i, f := range sources {
		whole = whole || matches(`/\.?$`, f.text)
		if !isRemote(f) {
			p.addFile(Read, f)
		} else if _, path, _ := strings.Cut(f.text, ":"); path != "" { // the copy has the name that it has there
			sources[i] = f.with(path)
		}
	}
	switch {
	case isRemote(target):
	case whole:
		p.addFile(Write, target)
	default:
		p.addFiles(Write, placeCopies(sources, target, false))
	}
}

// isRemote reports whether a copy's source or target is on another machine.
func isRemote(f field) bool { return f.known && matches(`^[^/:]*:`, f.text) }

func addCurl(p *program) {
	addUploads(p)
	if strings.Contains(joinFields(p.values("w write-out expand-write-out"), "").text, "%output{") {
		p.addAnyWrite()
	}
	for _, f := range p.values("b cookie") {
		if !strings.Contains(f.text, "=") {
			p.addNamed(Read, f)
		}
	}
	for _, url := range append(p.operands, p.values("url")...) {
		if to, ok := strings.CutPrefix(url.text, "file://"); ok && p.has("T upload-file") {
			p.addFile(Write, url.with(to))
		}
		if p.has("O remote-name remote-name-all") {
			p.addFile(Write, downloadName(url, p.values("output-dir")))
		}
	}
}

// addUploads adds the files that are sent: -d @FILE, -F NAME=@FILE, NAME@FILE.
func addUploads(p *program) {
	sent := p.values("d data data-ascii data-binary data-urlencode json H header F form field")
	if p.name != "curl" {
		sent = append(sent, p.operands...)
	}
	for _, f := range sent {
		if m := regexp.MustCompile(`^[^/:= ]*=?[@<]([^;]*)`).FindStringSubmatch(f.text); m != nil {
			p.addNamed(Read, f.with(m[1]))
		}
	}
}

func addWget(p *program) {
	for _, f := range p.flags {
		if !f.taken && f.isAmong(p.writes) { // wget reads its line twice: the first operand is the value
			p.addFiles(Write, p.operands[:min(1, len(p.operands))])
		}
	}
	switch docs := p.values("O output-document"); {
	case p.has("spider help version"):
	case len(docs) > 0:
		p.addNamed(Write, docs...)
	case p.has("r recursive m mirror i input-file e execute"):
		p.addTrees(Write, p.values("P directory-prefix"))
	default:
		for _, url := range p.operands {
			p.addFile(Write, downloadName(url, p.values("P directory-prefix")))
		}
	}
}

// downloadName returns the file that a download is written to, in dir if given.
func downloadName(url field, dir []field) field {
	text, _, _ := strings.Cut(url.text, "?")
	_, rest, has := strings.Cut(text, "://")
	if !has {
		rest = text
	}
	f := field{text: path.Base(rest), known: url.known}
	if !strings.Contains(rest, "/") || strings.HasSuffix(rest, "/") {
		f.text = "index.html"
	}
	if len(dir) > 0 {
		f.text, f.known, f.tilde = dir[0].text+"/"+f.text, f.known && dir[0].known, dir[0].tilde
	}
	return f
}
