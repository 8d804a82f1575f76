package shell

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

const wildcards = "*?["

// maxWays limits into how many globs one with groups is taken apart. Beyond it any file may be meant.
const maxWays = 256

// MayName reports whether a file that a pattern on a shell line may name is one that a glob of a rule matches. Both
// are whole paths, the pattern without @(…). A wildcard of the line does not match the dot that a name begins with. A
// last name of which nothing is known names no file in particular. Nor do two wildcards together: README* and *.pem,
// of which only the files that exist count.
func MayName(pattern, glob string) bool {
	name, base := path.Base(pattern), path.Base(glob)
	if name == Unknown || name != "**" && strings.ContainsAny(name, wildcards+Unknown) &&
		base != "*" && base != "**" && strings.ContainsAny(base, wildcards) {
		return false
	}
	ways, names := spreadGroups(glob, nil), strings.Split(pattern, "/")
	return len(ways) > maxWays || slices.ContainsFunc(ways, func(way string) bool {
		return meet(names, strings.Split(way, "/"), map[[2]int]bool{})
	})
}

// spreadGroups appends what a glob with {groups} stands for, or more than maxWays.
func spreadGroups(glob string, out []string) []string {
	end := strings.IndexByte(glob, '}') // of a group that has none in it
	at := strings.LastIndexByte(glob[:max(0, end)], '{')
	if at < 0 || len(out) > maxWays {
		return append(out, glob)
	}
	for way := range strings.SplitSeq(glob[at+1:end], ",") {
		out = spreadGroups(glob[:at]+way+glob[end+1:], out)
	}
	return out
}

// meet reports whether a path fits both: names are those of the line's pattern, globs those of the rule's. seen has
// what was left of them before.
func meet(names, globs []string, seen map[[2]int]bool) bool {
	left := [2]int{len(names), len(globs)}
	switch {
	case seen[left]:
		return false
	case len(names) == 0 || len(globs) == 0:
		return len(names) == len(globs)
	case len(names) == 1 && names[0] == "**" || len(globs) == 1 && globs[0] == "**":
		return true
	}
	seen[left] = true
	if names[0] == "**" || globs[0] == "**" { // it ends here, or stands for one name more
		return meet(names[1:], globs, seen) || meet(names, globs[1:], seen)
	}
	return mayBe(names[0], globs[0]) && meet(names[1:], globs[1:], seen)
}

// mayBe reports whether one name may fit both. Two wildcards may.
func mayBe(name, glob string) bool {
	isHidden := strings.HasPrefix(glob, ".") && name != "" && strings.IndexByte(wildcards, name[0]) >= 0
	class := regexp.MustCompile(`\[[^]]+\]`) // the shell and path.Match do not agree on them
	name = class.ReplaceAllString(strings.ReplaceAll(name, Unknown, "*"), "?")
	glob = class.ReplaceAllString(glob, "?")
	switch isWild := strings.ContainsAny(name, wildcards); {
	case isHidden:
		return false
	case isWild && strings.ContainsAny(glob, wildcards):
		return true
	case isWild:
		return matchGlob(name, glob)
	}
	return matchGlob(glob, name)
}
