package shell

import (
	"path"
	"strings"
)

// archives adds what packers and unpackers make and remove.
func (r *reader) archives(c command) {
	switch c.name {
	case "tar", "gtar", "bsdtar":
		r.tar(c)
	case "unzip":
		r.unzip(c)
	case "zip":
		o := c.options("btniPxO", "")
		r.look(Write, o.operands[:min(1, len(o.operands))])
		if o.has("m move") {
			r.each(Delete, o.from(1))
		}
	case "7z", "7za", "7zz", "unrar":
		r.sevenZip(c)
	case "cpio":
		if o := c.options("EFHIORM", "format file"); o.has("i extract p pass-through") && !o.has("t list") {
			r.under(Write, o.operands[:0])
		}
	case "ar", "jar":
		r.lettered(c)
	default:
		r.compressed(c)
	}
}

// tar reads the old form, tar xf, and the one with dashes.
func (r *reader) tar(c command) {
	words := append([]field(nil), c.words...)
	if len(words) > 1 && words[1].known && !strings.HasPrefix(words[1].text, "-") {
		words = oldTar(words)
	}
	o := command{words: words}.options("fCbIXTFgHKLNV", "file directory use-compress-program to-command checkpoint-action exclude exclude-from files-from transform strip-components format mode mtime owner group new-volume-script info-script rsh-command")
	r.runs(o.values("I use-compress-program to-command F info-script new-volume-script rsh-command"), "tar")
	for _, v := range o.values("checkpoint-action") {
		if code, ok := strings.CutPrefix(v.text, "exec="); ok || !v.known {
			r.code(field{text: code, known: v.known}, "tar")
		}
	}
	switch {
	case o.has("x extract get"):
		if !o.has("O to-stdout to-command") {
			r.under(Write, o.values("C directory"))
		}
	case o.has("c create r append u update A"):
		r.archive(o.values("f file"))
		if o.has("remove-files") {
			r.each(Delete, o.operands)
		}
	}
}

// oldTar gives the letters of tar xzf FILE a dash, with its values behind each.
func oldTar(words []field) []field {
	out := []field{words[0]}
	values := words[2:]
	for _, l := range words[1].text {
		out = append(out, constant("-"+string(l)))
		if strings.ContainsRune("fCbIXTFgHKLNV", l) && len(values) > 0 {
			out = append(out, values[0])
			values = values[1:]
		}
	}
	return append(out, values...)
}

// archive adds an archive that is written, unless it goes to the output.
func (r *reader) archive(files []field) {
	for _, f := range files {
		if !f.is("-") {
			r.file(Write, f)
		}
	}
}

func (r *reader) unzip(c command) {
	o := c.options("dxP", "")
	if o.has("l p t v Z c z") {
		return
	}
	r.under(Write, o.values("d"))
}

func (r *reader) sevenZip(c command) {
	if len(c.args()) == 0 {
		return
	}
	switch c.args()[0].text {
	case "x", "e":
		for _, f := range c.args() {
			if dir, ok := strings.CutPrefix(f.text, "-o"); ok {
				r.file(Write, field{text: dir, known: f.known})
				return
			}
		}
		r.under(Write, nil)
	case "a", "u", "d", "rn":
		r.look(Write, command{words: c.args()}.options("", "").operands[:1])
	}
}

// lettered adds the effects of ar and jar, whose first word is a bundle.
func (r *reader) lettered(c command) {
	if len(c.args()) < 2 {
		return
	}
	switch letters := c.args()[0].text; {
	case strings.Contains(letters, "x"):
		r.under(Write, nil)
	case !strings.Contains(letters, "t") && !strings.Contains(letters, "p"):
		r.file(Write, c.args()[1])
	}
}

// compressed adds what the single-file compressors make, and the file that they
// replace.
func (r *reader) compressed(c command) {
	o := c.options("SboTLMD", "suffix stdout-name output output-dir-flat")
	if o.has("c stdout to-stdout t test l list") {
		r.look(Read, o.operands)
		return
	}
	r.each(Write, o.values("o"))
	keep := o.has("k keep") || c.name == "lz4" || strings.Contains(c.name, "zst") && !o.has("rm")
	unpack := strings.HasPrefix(c.name, "un") || strings.HasPrefix(c.name, "gun") || strings.HasPrefix(c.name, "bun") || o.has("d decompress uncompress")
	for _, f := range o.operands {
		r.file(Write, repacked(f, c.name, unpack))
		if !keep {
			r.file(Delete, f)
		}
	}
}

// repacked is the name of the file that a compressor makes of f.
func repacked(f field, name string, unpack bool) field {
	if unpack {
		f.text = strings.TrimSuffix(f.text, path.Ext(f.text))
		return f
	}
	switch name {
	case "gzip", "pigz":
		f.text += ".gz"
	case "bzip2":
		f.text += ".bz2"
	case "zstd":
		f.text += ".zst"
	default:
		f.text += "." + name
	}
	return f
}

// downloads adds the files that downloaders write.
func (r *reader) downloads(c command) {
	switch c.name {
	case "curl":
		r.curl(c)
	case "wget":
		r.wget(c)
	default:
		r.under(Write, c.options("odP", "out dir output paths").values("o d P out dir output"))
	}
}

func (r *reader) curl(c command) {
	o := c.options("oHdFuAebcTXxmKwrDEyYzUtQC", "output header data data-raw data-binary data-urlencode form user user-agent referer cookie cookie-jar upload-file request proxy max-time connect-timeout config write-out range dump-header cert key cacert url output-dir retry retry-delay json resolve trace trace-ascii stderr limit-rate hsts etag-save etag-compare")
	r.archive(o.values("o output c cookie-jar D dump-header trace trace-ascii stderr etag-save hsts"))
	if o.has("K config") {
		r.file(Write, unknown())
	}
	if !o.has("O remote-name remote-name-all") {
		return
	}
	dir := o.values("output-dir")
	for _, url := range append(o.operands, o.values("url")...) {
		r.file(Write, fetched(url, dir))
	}
}

// fetched is the file that a download is kept in, in dir if given.
func fetched(url field, dir []field) field {
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

func (r *reader) wget(c command) {
	o := c.options("OPoaitTUwQeDIRAXl", "output-document directory-prefix output-file append-output input-file tries timeout user-agent header post-data post-file user password execute load-cookies save-cookies")
	r.archive(o.values("o a output-file append-output save-cookies"))
	switch docs := o.values("O output-document"); {
	case o.has("spider help version"):
	case len(docs) > 0:
		r.archive(docs)
	case o.has("r recursive m mirror i input-file e execute"):
		r.under(Write, o.values("P directory-prefix"))
	default:
		for _, url := range o.operands {
			r.file(Write, fetched(url, o.values("P directory-prefix")))
		}
	}
}
