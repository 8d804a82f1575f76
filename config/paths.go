package config

import (
	"path"
	"path/filepath"
	"strings"
)

// paths compiles path globs to ones that match whole paths, absolute and with links resolved.
func (o *Origins) paths(globs []string) []string {
	var out []string
	for _, g := range globs {
		out = append(out, o.path(g))
	}
	return out
}

// path makes a glob absolute, as .gitignore reads it: without a slash before its end it means that name in any folder
// of the project, with one it is relative to the project; at its end a slash means all that is below.
func (o *Origins) path(glob string) string {
	root := literal(real(o.project.Root))
	name, below := strings.CutSuffix(glob, "/")
	rest, home := strings.CutPrefix(name, "~")
	switch {
	case name == "**":
		name = root + "/**"
	case home && o.home == "": // nobody's home: matches nothing
	case home && (rest == "" || rest[0] == '/'):
		name = outside(literal(real(o.home)) + rest)
	case strings.HasPrefix(glob, "/"):
		name = outside(name)
	case strings.Contains(name, "/"):
		name = root + "/" + name
	default:
		name = root + "/**/" + name
	}
	if below {
		name += "/**"
	}
	return path.Clean(name)
}

// real is a folder with its links resolved, as far as it exists.
func real(dir string) string {
	if to, err := filepath.EvalSymlinks(dir); err == nil && dir != "" {
		return to
	}
	return strings.TrimSuffix(dir, "/")
}

// outside resolves the links on the way to the folder that a glob names: ~/.claude may be one, for those who keep it in
// a repository. The folder itself is not followed, so that nobody moves an exception by making it a link.
func outside(glob string) string {
	named := glob
	if i := strings.IndexAny(glob, `*?[{\`); i >= 0 {
		named = glob[:strings.LastIndex(glob[:i], "/")+1]
	}
	above := path.Dir(strings.TrimSuffix(named, "/"))
	to, err := filepath.EvalSymlinks(above)
	if err != nil || above == "/" || !strings.HasPrefix(glob, above+"/") {
		return glob
	}
	return strings.TrimSuffix(literal(to), "/") + glob[len(above):]
}

// literal writes a path as a glob that matches it alone.
func literal(p string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `{`, `\{`, `}`, `\}`, `]`, `\]`).Replace(p)
}
