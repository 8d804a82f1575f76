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
			o.seen = make([]bool, len(o.a)*len(o.b))
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

// Wildcards of a pattern, beside its characters. All but the first stand for any number of characters.
const (
	oneOfName = '\uE000' + iota // not a slash
	anyOfName                   // not a slash, nor a dot at the beginning of a name
	anyText                     // not a slash
	anyOfPath
)

// overlap looks for a text that two patterns match. Both end with a zero.
type overlap struct {
	a, b []rune // a is of the call, b of the rule
	seen []bool // pairs of places that lead nowhere
}

func readTokens(p string) (out []rune) {
	for i := 0; i < len(p); i++ {
		t := rune(p[i])
		switch end := strings.IndexByte(p[i:], ']'); {
		case strings.HasPrefix(p[i:], Unknown):
			t, i = anyText, i+len(Unknown)-1
		case strings.HasPrefix(p[i:], "**"):
			t, i = anyOfPath, i+1
		case t == '\x01':
			t = anyOfPath
		case t == '*':
			t = anyOfName
		case t == '?':
			t = oneOfName
		case t == '[' && end > 1:
			t, i = oneOfName, i+end
		case t == '\\' && i+1 < len(p):
			i++
			t = rune(p[i])
		}
		out = append(out, t)
	}
	return append(out, 0)
}

// meets reports whether a text matches what is left of both from these places on.
func (o *overlap) meets(i, j int) bool {
	at := i*len(o.b) + j
	if o.seen[at] {
		return false
	}
	o.seen[at] = true
	x, y := o.a[i], o.b[j]
	isHidden := y == '.' && (j == 0 || o.b[j-1] == '/') // the shell's wildcards do not match it
	switch {
	case x > oneOfName && (o.meets(i+1, j) || takes(x, y, isHidden) && o.meets(i, j+1)),
		y > oneOfName && (o.meets(i, j+1) || takes(y, x, false) && o.meets(i+1, j)):
		return true
	case x > oneOfName || y > oneOfName:
		return false
	case x == 0 || y == 0:
		return x == y
	}
	return (x == y || x == oneOfName && takes(x, y, isHidden) || y == oneOfName && takes(y, x, false)) &&
		o.meets(i+1, j+1)
}

// takes reports whether a wildcard may stand for a piece of the other pattern.
func takes(wildcard, t rune, isHidden bool) bool {
	return t != 0 && (wildcard == anyOfPath || t >= oneOfName || t != '/' && (wildcard == anyText || !isHidden))
}
