package shell

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// fillFolder adds the folder that a command fills: the working directory, if no option names it.
func fillFolder(p *program) { p.addTrees(Write, p.values("d o output-directory")) }

// addPatch adds the files that a patch on the line makes, changes or removes.
func addPatch(p *program) {
	files := regexp.MustCompile(`(?m)^\*\*\* (?:(Add|Update|Delete) File|Move to): (.*)$`)
	found := files.FindAllStringSubmatch(joinFields(p.givenTexts(), "\n").text, -1)
	for _, m := range found {
		kind := Write
		if m[1] == "Delete" {
			kind = Delete
		}
		p.addFile(kind, knownField(strings.TrimSpace(m[2])))
	}
	if len(found) == 0 {
		p.addAnyWrite()
	}
}

// addCopies adds the effects of cp, mv, install and ln. A hard link is the linked file itself. Behind a symbolic
// one no path is known any more: a write through it changes another file.
func addCopies(p *program) {
	sources, target := p.splitLast()
	ok := len(sources) > 0
	if targets := p.values("t target-directory"); len(targets) > 0 {
		sources, target, ok = p.operands, targets[0], true
	}
	name := p.name
	isLink := name == "ln" || name == "link"
	switch {
	case name == "install" && p.has("d directory"):
		p.addFiles(Write, p.operands)
		return
	case !ok:
		sources, target = p.operands, knownField(".")
		if !isLink || len(sources) == 0 {
			target = unknownField()
		}
	}
	p.addFiles(Read, sources)
	if strings.HasSuffix(name, "mv") {
		p.addFiles(Delete, sources)
	}
	symbolic := p.has("s symbolic symbolic-link") && (isLink || name == "cp")
	if isLink && !symbolic || name == "cp" && p.has("l link") {
		p.addFiles(Write, sources)
		symbolic = symbolic || name == "cp"
	}
	p.addFiles(Write, placeCopies(sources, target, p.has("t target-directory")))
	p.linked = p.linked || symbolic
}

// addLost adds a write of unknown files if one of the arguments may stand for several: xargs cp, mv "${a[@]}".
func (p *program) addLost() {
	if slices.ContainsFunc(p.args(), func(f field) bool { return f.many && !f.known }) {
		p.addAnyWrite()
	}
}

// placeCopies returns the paths of the copies. They are in the target if that must
// be a directory. Otherwise it is the target itself, though that may be a directory.
func placeCopies(sources []field, target field, dir bool) (out []field) {
	name := target.text
	dir = dir || matches(`/\.{0,2}$|^(?:\.\.?|~|/tmp)$`, name)
	if !target.isFixed() || !dir && len(sources) == 1 {
		return []field{target}
	}
	for _, s := range sources {
		if !s.isFixed() || path.Base(s.text) == ".." || path.Base(s.text) == "." {
			return []field{target}
		}
		f := target
		f.text = strings.TrimSuffix(target.text, "/") + "/" + path.Base(s.text)
		out = append(out, f)
	}
	return out
}

// addDD adds the files of if= and of=.
func addDD(p *program) {
	for _, f := range p.args() {
		key, value, _ := strings.Cut(f.text, "=")
		switch {
		case key == "of":
			p.addFile(Write, f.with(value))
		case key == "if":
			p.addFile(Read, f.with(value))
		case strings.Contains(key, blank): // what it names is not known
			p.addAnyWrite()
		}
	}
}

func addTar(p *program) {
	first := append(p.whole.args(), knownField(""))[0]
	hasValues := matches("["+tarLetters+"].*["+tarLetters+"]", first.text)
	if (!first.known || hasValues) && !strings.HasPrefix(first.text, "-") {
		p.addAnyWrite()
	}
	switch {
	case p.has("x extract get") && !p.has("O to-stdout to-command"):
		p.addTrees(Write, p.values("C directory one-top-level"))
		if p.has("P absolute-names") {
			p.addAnyWrite()
		}
	case p.has("delete"):
		p.addNamed(Write, p.values("f file")...)
	case p.has("c create r append u update A catenate concatenate"):
		p.addFiles(Read, p.operands)
		p.addNamed(Write, p.values("f file")...)
		if p.has("remove-files") {
			p.addFiles(Delete, p.operands)
		}
	}
}

// dashTarLetters turns tar xfz FILE into tar -xzf FILE. With two letters that take a value, addTar does not know what
// is written.
func dashTarLetters(words []field) []field {
	if len(words) < 2 || words[1].is("") || strings.HasPrefix(words[1].text, "-") {
		return words
	}
	first, at := words[1], max(0, strings.IndexAny(words[1].text, tarLetters))
	first.text = "-" + first.text[:at] + first.text[at+1:] + first.text[at:at+1]
	return slices.Concat(words[:1], []field{first}, words[2:])
}

// addFind adds the trees in which find looks for files, what it deletes, and what it
// runs. Without a test of names it only lists.
func addFind(p *program) {
	roots, rest := splitFindRoots(p.args())
	if len(roots) == 0 {
		roots = []field{knownField(".")}
	}
	const looks = "-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -samefile"
	if slices.ContainsFunc(rest, func(f field) bool { return hasWord(looks, f.knownText()) }) {
		p.addTrees(List, roots)
	}
	for i := 0; i < len(rest); i++ {
		switch how := rest[i].knownText(); how {
		case "-delete":
			at := findField(rest[:i], "-type")
			if at >= 0 && rest[at+1].is("d") &&
				findField(p.args(), "-L", "-follow", "-o", "-or", "!", "-not", ",") < 0 {
				p.addNamed(Delete, unknownField()) // folders, which must be empty
				continue
			}
			for _, root := range roots { // rules see the trees
				p.addNarrowed(Delete, root, foundPattern([]field{root}, rest[:i]))
			}
		case "-exec", "-execdir", "-ok", "-okdir":
			names := foundPattern(roots, rest[:i])
			at := i + 1
			p.withVia("find "+how, func() { i += p.runFound(rest[at:], strings.HasSuffix(how, "dir"), names) })
		}
	}
}

// splitFindRoots separates the starting points of find from its expression.
func splitFindRoots(args []field) (roots, rest []field) {
	for i := 0; i < len(args); i++ {
		f := args[i]
		switch {
		case f.is("-D") && i+1 < len(args):
			i++
		case f.is("-H", "-L", "-P", "--"), hasWord("-O -D", f.text[:min(2, len(f.text))]):
		case strings.IndexAny(f.knownText(), "-(!") == 0:
			return roots, args[i:]
		default:
			roots = append(roots, f)
		}
	}
	return roots, nil
}

// runFound runs the command of find -exec, up to its end mark. With inPlace it runs
// in the directory of each file. It returns how many words the command has.
func (p *program) runFound(ws []field, inPlace bool, names string) int {
	var cmd []field
	for _, f := range ws {
		if f.is(";") || f.is("+") && len(cmd) > 0 && cmd[len(cmd)-1].text == blank {
			break
		}
		found := fillMark(f, "{}", names)
		found.plain = true
		cmd = append(cmd, found)
	}
	p.inSubshell(func() {
		p.input = input{from: p.input.from}
		if inPlace {
			p.dir = Unknown
		}
		p.runPlain(cmd)
	})
	return len(cmd)
}

// addFD adds the trees that fd walks.
func addFD(p *program) {
	if len(p.operands) > 0 || p.has("e extension g glob") {
		p.addTrees(List, append(p.values("base-directory search-path"), p.operandsFrom(1)...))
	}
}

// fillMark replaces every mark in a word by an unknown piece, which is one of the names.
func fillMark(f field, mark, names string) field {
	if mark == "" || !strings.Contains(f.text, mark) {
		return f
	}
	if names != "" {
		f.shape = strings.ReplaceAll(f.text, mark, names)
	}
	f.text = strings.ReplaceAll(f.text, mark, blank)
	f.known = false
	return f
}
