package verify

import (
	"path"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
)

// enough is how many names stand for one pattern: a class of characters has no more.
const enough = 128

// witnesses lists names that a pattern of agents matches. A name stands for itself. For a glob they are such as no other
// pattern is likely to name, so that an agent which is taken by an earlier trigger does not hide those that are not.
func witnesses(pattern string) []string {
	return slices.DeleteFunc(fill(pattern), func(name string) bool { return !fsm.MatchAgent([]string{pattern}, name) })
}

// witness is a text that a glob matches, as far as that is easily found.
func witness(glob string) string {
	for _, s := range fill(glob) {
		if ok, err := path.Match(glob, s); ok && err == nil {
			return s
		}
	}
	return glob
}

// fill puts something in place of all that a glob leaves open.
func fill(glob string) []string {
	out := []string{""}
	for rest := glob; rest != ""; {
		var pieces, longer []string
		pieces, rest = piece(rest)
		for _, start := range out {
			for _, p := range pieces {
				longer = append(longer, start+p)
			}
		}
		out = longer[:min(len(longer), enough)]
	}
	return out
}

// piece is what the beginning of a glob may stand for, and the glob behind it.
func piece(glob string) (names []string, rest string) {
	switch glob[0] {
	case '*':
		return []string{"zq7", ""}, glob[1:]
	case '?':
		return []string{"q", "7", "z"}, glob[1:]
	case '[':
		if end := strings.IndexByte(glob[1:], ']'); end > 0 {
			return class(glob[1 : 1+end]), glob[2+end:]
		}
	case '\\':
		if len(glob) > 1 {
			return []string{glob[1:2]}, glob[2:]
		}
	}
	return []string{glob[:1]}, glob[1:]
}

// class lists the characters of a class, as far as they are letters, digits or what names have between them. Those that
// it does not hold are sorted out by who asked.
func class(of string) []string {
	var out []string
	if strings.HasPrefix(of, "^") {
		of = "a-z0-9-"
	}
	r := []rune(of)
	for i := 0; i < len(r); i++ {
		last := r[i]
		if i+2 < len(r) && r[i+1] == '-' {
			last = r[i+2]
		}
		for c := r[i]; c <= last && len(out) < enough; c++ {
			out = append(out, string(c))
		}
		if last != r[i] {
			i += 2
		}
	}
	return out
}
