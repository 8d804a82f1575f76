package shell

import (
	"path"
	"strings"
)

const wildcards = "*?[" + Unknown

// maxWays limits into how many plain patterns one pattern is taken apart. A pattern beyond that may name any file.
const maxWays = 256

// MayName reports whether a file that a pattern on a shell line may name is one that a glob of a rule matches. Both
// are whole paths, the pattern without @(…). A wildcard of the line does not match the dot that a name begins with. A
// last name of which nothing is known names no file in particular. Nor do two wildcards together: README* and *.pem,
// of which only the files that exist count.
func MayName(pattern, glob string) bool {
	name, base := path.Base(pattern), path.Base(glob)
	if name == Unknown || name != "**" && strings.ContainsAny(name, wildcards) &&
		base != "*" && base != "**" && strings.ContainsAny(base, "*?[") {
		return false
	}
	ways, globs := spreadPattern(pattern, nil), spreadPattern(glob, nil)
	if len(ways) > maxWays || len(globs) > maxWays {
		return true
	}
	for _, w := range ways {
		for _, g := range globs {
			o := overlap{a: readTokens(w), b: readTokens(g)}
			o.seen = make([]bool, (len(o.a)+1)*(len(o.b)+1))
			if o.meets(0, 0) {
				return true
			}
		}
	}
	return false
}

// spreadPattern appends a pattern without its {groups} and without "**/", which may also
// stand for nothing: as several patterns, or as more than maxWays.
func spreadPattern(p string, out []string) []string {
	if len(out) > maxWays {
		return out
	}
	if deep := strings.Index(p, "**/"); deep >= 0 {
		out = spreadPattern(p[:deep]+p[deep+3:], out)
		return spreadPattern(p[:deep]+"\x01/"+p[deep+3:], out)
	}
	end := strings.IndexByte(p, '}') // of a group that has none in it
	at := strings.LastIndexByte(p[:max(0, end)], '{')
	if at < 0 {
		return append(out, p)
	}
	for way := range strings.SplitSeq(p[at+1:end], ",") {
		out = spreadPattern(p[:at]+way+p[end+1:], out)
	}
	return out
}

// token is a piece of a pattern: a character, or a wildcard.
type token struct {
	kind  byte // 'c' this character, '1' one of a name, '*' any of a name, 'd' any, slashes too
	char  byte
	first bool // it begins a name
}

func readTokens(p string) (out []token) {
	for i := 0; i < len(p); {
		t := token{first: i == 0 || p[i-1] == '/'}
		switch end := strings.IndexByte(p[i:], ']'); {
		case strings.HasPrefix(p[i:], Unknown):
			t.kind, t.first = '*', false // it may hold a dot
			i += len(Unknown)
		case p[i] == '\x01' || strings.HasPrefix(p[i:], "**"):
			t.kind, t.first = 'd', false
			i += 1 + strings.Count(p[i:min(i+2, len(p))], "*")/2
		case p[i] == '*':
			t.kind = '*'
			i++
		case p[i] == '?':
			t.kind = '1'
			i++
		case p[i] == '[' && end > 1:
			t.kind = '1'
			i += end + 1
		case p[i] == '\\' && i+1 < len(p):
			t.kind, t.char = 'c', p[i+1]
			i += 2
		default:
			t.kind, t.char = 'c', p[i]
			i++
		}
		out = append(out, t)
	}
	return out
}

// overlap looks for a text that two patterns match.
type overlap struct {
	a, b []token // a is of the call, b of the rule
	seen []bool  // pairs of places that lead nowhere
}

func (o *overlap) meets(i, j int) bool {
	if i == len(o.a) && j == len(o.b) {
		return true
	}
	at := i*(len(o.b)+1) + j
	if o.seen[at] {
		return false
	}
	o.seen[at] = true
	if i < len(o.a) && o.a[i].isMany() && (o.meets(i+1, j) || j < len(o.b) && o.takes(o.a[i], o.b[j], true) &&
		o.meets(i, j+1)) {
		return true
	}
	if j < len(o.b) && o.b[j].isMany() && (o.meets(i, j+1) || i < len(o.a) && o.takes(o.b[j], o.a[i], false) &&
		o.meets(i+1, j)) {
		return true
	}
	if i == len(o.a) || j == len(o.b) || o.a[i].isMany() || o.b[j].isMany() {
		return false
	}
	x, y := o.a[i], o.b[j]
	same := x.kind == 'c' && y.kind == 'c' && x.char == y.char ||
		x.kind == '1' && o.takes(x, y, true) || y.kind == '1' && o.takes(y, x, false)
	return same && o.meets(i+1, j+1)
}

func (t token) isMany() bool { return t.kind == '*' || t.kind == 'd' }

// takes reports whether a wildcard may stand for a piece of the other pattern. byShell:
// the shell expands it, for which dots are special.
func (o *overlap) takes(wild, t token, byShell bool) bool {
	switch {
	case wild.kind == 'd' || t.kind != 'c':
		return true
	case t.char == '/':
		return false
	}
	return !(byShell && wild.first && t.first && t.char == '.')
}
