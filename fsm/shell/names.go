package shell

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// joinWays joins patterns to one that matches what either matches. An empty one matches nothing.
func joinWays(ways ...string) string {
	ways = slices.DeleteFunc(ways, func(way string) bool { return way == "" })
	if len(ways) < 2 {
		return strings.Join(ways, "")
	}
	return "@(" + strings.Join(ways, "|") + ")"
}

// namesIn returns a pattern of the files that the output of commands may name: what these are given, and what is in it.
// It is "" where nothing is known.
func namesIn(calls []Call) string {
	var ways []string
	for _, c := range calls {
		for i, w := range c.Words {
			w = strings.TrimRight(w, "/")
			if i == 0 || hasWord(". .. ~ "+Unknown, w) || w == "" || w[0] == '-' || strings.ContainsAny(w, " \t\n|()") {
				continue
			}
			ways = append(ways, w)
			if strings.Trim(w, "./*") != "" {
				ways = append(ways, w+"/**")
			}
			if !strings.Contains(w, "/") && CommandName(c.Words[0]) == "find" { // a name that it looks for
				ways = append(ways, "**/"+w)
			}
		}
	}
	return joinWays(ways...)
}

// addNarrowed adds a call on a file or tree, of which only what the pattern says is meant.
func (p *program) addNarrowed(k Kind, f field, pattern string) {
	at := len(p.calls)
	if p.addFile(k, f); at < len(p.calls) && p.place == here && f.filePattern() != "" {
		p.calls[at].Pattern = pattern
	}
}

// foundPattern returns a pattern of what find finds below roots by the tests in front of an action.
func foundPattern(roots, tests []field) string {
	names, ok := parseFindTests(tests)
	if !ok {
		names = []string{"*"}
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
	return joinWays(ways...)
}

// parseFindTests returns the names that the tests in front of an action of find admit. It returns false if that is any
// name: where a way through -o has none, or where a group is negated, or a test unknown or in a list of its own. A
// negated test leaves something out, and so admits no name. Without parentheses the last way counts.
func parseFindTests(words []field) (names []string, ok bool) {
	hasGroups := findField(words, "(") >= 0
	for i, f := range words {
		switch {
		case f.is("!", "-not") && i+1 < len(words) && strings.HasPrefix(words[i+1].text, "-"):
		case f.is("!", "-not", ",") || f.many && !f.known || f.is("-o", "-or") && hasGroups && !ok:
			return nil, false
		case f.is("-o", "-or"):
			if ok = false; !hasGroups {
				names = nil
			}
		case i > 1 && words[i-2].is("!", "-not"):
		case i > 0 && words[i-1].is("-name", "-iname"):
			name := cmp.Or(f.shape, f.text)
			isAny := words[i-1].is("-iname")
			if !f.known || strings.ContainsAny(name, "|()/") || isAny && strings.Contains(name, "[") {
				name = "*"
			} else if isAny {
				name = regexp.MustCompile(`[A-Za-z]`).ReplaceAllStringFunc(name, func(l string) string {
					return "[" + strings.ToLower(l) + strings.ToUpper(l) + "]"
				})
			}
			names, ok = append(names, name), true
		}
	}
	return names, ok
}
