package shell

import (
	"cmp"
	"slices"
	"strings"
)

// eitherOf returns a pattern for one of several words, or "" if it would mean any file.
func eitherOf(words []field) string {
	var ways []string
	for _, f := range words {
		way := f.path()
		if way == Unknown {
			way = f.pattern()
		}
		if way != "" {
			ways = append(ways, way)
		}
	}
	return joinWays(ways)
}

// joinWays joins patterns to one that matches what either matches.
func joinWays(ways []string) string {
	switch len(ways) {
	case 0:
		return ""
	case 1:
		return ways[0]
	}
	return "@(" + strings.Join(ways, "|") + ")"
}

// namesIn returns a pattern of the files that the output of commands may name: what find
// looks for, and what the others are given. It is "" where nothing is known.
func namesIn(calls []Call) string {
	var ways []string
	for _, c := range calls {
		if c.Kind != Command || len(c.Words) == 0 {
			continue
		}
		if baseName(c.Words[0]) == "find" {
			fields := make([]field, len(c.Words)-1)
			for i, w := range c.Words[1:] {
				if fields[i] = knownField(w); w == Unknown {
					fields[i] = unknownField()
				}
				fields[i].tilde = strings.HasPrefix(w, "~")
			}
			ways = append(ways, foundPattern(splitFindRoots(fields)))
			continue
		}
		for _, w := range c.Words[1:] {
			switch strings.TrimRight(w, "/") {
			case "", ".", "..", "~", Unknown:
				continue
			}
			if w[0] != '-' && !strings.ContainsAny(w, " \t\n|()") {
				ways = append(ways, w)
				if strings.Trim(w, "./*") != "" { // what is in it
					ways = append(ways, strings.TrimRight(w, "/")+"/**")
				}
			}
		}
	}
	return joinWays(ways)
}

// addFound adds a call on what find finds in trees: rules see the trees.
func (p *program) addFound(k Kind, roots, tests []field) {
	if len(roots) == 0 {
		roots = []field{knownField(".")}
	}
	for _, root := range roots {
		p.addNarrowed(k, root, foundPattern([]field{root}, tests))
	}
}

// addNarrowed adds a call on a file or tree, of which only what the pattern says is meant.
func (p *program) addNarrowed(k Kind, f field, pattern string) {
	at := len(p.calls)
	if p.addFile(k, f); at < len(p.calls) && p.place == here {
		p.calls[at].Pattern = pattern
	}
}

// foundPattern returns a pattern of what find finds below roots by the tests in front of
// an action.
func foundPattern(roots, tests []field) string {
	names, ok := parseFindTests(tests)
	if !ok {
		names = []string{"*"}
	}
	if len(roots) == 0 {
		roots = []field{knownField(".")}
	}
	var ways []string
	for _, root := range roots {
		dir := root.path()
		if dir == Unknown {
			dir = root.pattern()
		}
		if dir == "" || dir == Unknown {
			continue
		}
		if !ok {
			ways = append(ways, dir)
		}
		for _, name := range names {
			ways = append(ways, strings.TrimSuffix(dir, "/")+"/**/"+name)
		}
	}
	return joinWays(ways)
}

// findSwitches are the words of find's expressions that take no argument.
const findSwitches = "-delete -print -print0 -prune -quit -ls -depth -d -daystart -empty -executable -readable " +
	"-writable -nouser -nogroup -true -false -follow -mount -xdev -noleaf -ignore_readdir_race " +
	"-noignore_readdir_race -warn -nowarn"

// A findChain is a chain of tests in an expression of find, joined by "and".
type findChain struct {
	names, others []string // of this chain, and of those before an -o
	named, any    bool     // names count; a chain before admits any name
	negated       bool     // the parentheses around it are negated
}

// add takes over what the tests in parentheses admit.
func (c *findChain) add(inner findChain) {
	if inner.named && !inner.any && !inner.negated && !c.named {
		c.names, c.named = append(inner.names, inner.others...), true
	}
}

// startAnother begins the chain behind an -o.
func (c *findChain) startAnother() {
	c.others = append(c.others, c.names...)
	c.any = c.any || !c.named
	c.names, c.named = nil, false
}

// parseFindTests returns the names that the last chain of tests in an expression of find
// admits. It returns false if that admits any name. Only -name and -iname count: every
// further test admits less.
func parseFindTests(words []field) (names []string, ok bool) {
	chains, negated := []findChain{{}}, false
	for i := 0; i < len(words); i++ {
		top, word := &chains[len(chains)-1], words[i]
		if !word.known && word.many {
			return nil, false
		}
		switch word.text {
		case "!", "-not":
			negated = true
			continue
		case "(":
			chains = append(chains, findChain{negated: negated})
		case ")":
			inner := *top
			if chains = chains[:len(chains)-1]; len(chains) == 0 {
				return nil, false
			}
			chains[len(chains)-1].add(inner)
		case "-a", "-and":
		case "-o", "-or", ",":
			top.startAnother()
		case "-name", "-iname":
			if i+1 < len(words) && !negated && !top.named {
				top.names, top.named = []string{findName(words[i+1], word.text == "-iname")}, true
			}
			i++
		case "-exec", "-execdir", "-ok", "-okdir":
			for i++; i < len(words) && !words[i].is(";") && !words[i].is("+"); i++ {
			}
		case "-fprintf":
			i += 2
		default:
			if !word.known {
				return nil, false // it may be an operator
			}
			if !hasWord(findSwitches, word.text) {
				i++
			}
		}
		negated = false
	}
	// The action belongs to the last chain, and to those around it.
	for _, c := range slices.Backward(chains) {
		if c.named {
			return c.names, true
		}
	}
	return nil, false
}

// findName returns the pattern of a name that find looks for.
func findName(f field, anyCase bool) string {
	text := cmp.Or(f.shape, f.text)
	if !f.known || strings.ContainsAny(text, "|()/") {
		return "*"
	}
	if !anyCase {
		return text
	}
	var b strings.Builder
	class := false
	for _, r := range text {
		low, up := strings.ToLower(string(r)), strings.ToUpper(string(r))
		switch class = class && r != ']' || r == '['; {
		case low == up:
			b.WriteRune(r)
		case class: // [a-z]: both, as a range each
			return "*"
		default:
			b.WriteString("[" + low + up + "]")
		}
	}
	return b.String()
}
