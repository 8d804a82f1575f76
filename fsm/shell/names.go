package shell

import (
	"cmp"
	"strings"
)

// eitherOf returns a pattern for one of several words, or "" if it would mean any file.
func eitherOf(words []field) string {
	var ways []string
	for _, f := range words {
		if way := f.filePattern(); way != "" {
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

// addNarrowed adds a call on a file or tree, of which only what the pattern says is meant.
func (p *program) addNarrowed(k Kind, f field, pattern string) {
	at := len(p.calls)
	if p.addFile(k, f); at < len(p.calls) && p.place == here {
		p.calls[at].Pattern = pattern
	}
}

// foundPattern returns a pattern of what find finds below roots by the tests in front of an action.
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
		dir := root.filePattern()
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

// parseFindTests returns the names that the tests in front of an action of find admit. It returns false
// if that is any name. Of an expression without parentheses the last chain of tests counts. With them
// any chain may, and each must have a name: what is found has passed one of them whole.
func parseFindTests(words []field) (names []string, ok bool) {
	groups, named := false, false
	for i := 0; i < len(words); i++ {
		if f := words[i]; !f.known && (f.many || i == 0 || !strings.HasPrefix(words[i-1].text, "-") ||
			hasWord("-o -or -a -and -not -true -depth -empty -prune -print -print0 -delete", words[i-1].text)) {
			return nil, false // it may be an operator, or several words
		}
		negated := i > 0 && (words[i-1].is("!") || words[i-1].is("-not"))
		switch words[i].text {
		case "(":
			if groups = true; negated {
				return nil, false
			}
		case "-o", "-or", ",":
			if groups && !named {
				return nil, false
			}
			if named = false; !groups {
				names = nil
			}
		case "-name", "-iname":
			if i++; i == len(words) || negated || strings.IndexAny(words[i].text, "-(!),") == 0 {
				return nil, false
			}
			names, named = append(names, findName(words[i], words[i-1].text == "-iname")), true
		}
	}
	return names, named
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
