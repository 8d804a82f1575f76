package config

import (
	"path"
	"path/filepath"
	"strings"
)

// absoluteGlobs compiles path globs to ones that match whole paths, absolute and with links resolved.
func (o *Origins) absoluteGlobs(globs []string) []string {
	var out []string
	for _, g := range globs {
		out = append(out, o.absoluteGlob(g))
	}
	return out
}

// absoluteGlob makes a glob absolute, as .gitignore reads it: without a slash before its end it means that name in any folder
// of the project, with one it is relative to the project; at its end a slash means all that is below.
func (o *Origins) absoluteGlob(glob string) string {
	root := escapeGlob(resolveLinks(o.project.Root))
	name, below := strings.CutSuffix(glob, "/")
	rest, home := strings.CutPrefix(name, "~")
	switch {
	case name == "**":
		name = root + "/**"
	case home && o.home == "": // nobody's home: matches nothing
	case home && (rest == "" || rest[0] == '/'):
		name = resolveGlob(escapeGlob(resolveLinks(o.home)) + rest)
	case strings.HasPrefix(glob, "/"):
		name = resolveGlob(name)
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

// resolveLinks is a folder with its links resolved, as far as it exists.
func resolveLinks(dir string) string {
	if to, err := filepath.EvalSymlinks(dir); err == nil && dir != "" {
		return to
	}
	return strings.TrimSuffix(dir, "/")
}

// resolveGlob resolves the links on the way to the folder that a glob names: ~/.claude may be one, for those who keep it in
// a repository. The folder itself is not followed, so that nobody moves an exception by making it a link.
func resolveGlob(glob string) string {
	named := glob
	if i := strings.IndexAny(glob, `*?[{\`); i >= 0 {
		named = glob[:strings.LastIndex(glob[:i], "/")+1]
	}
	above := path.Dir(strings.TrimSuffix(named, "/"))
	to, err := filepath.EvalSymlinks(above)
	if err != nil || above == "/" || !strings.HasPrefix(glob, above+"/") {
		return glob
	}
	return strings.TrimSuffix(escapeGlob(to), "/") + glob[len(above):]
}

// escapeGlob writes a path as a glob that matches it alone.
func escapeGlob(p string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `{`, `\{`, `}`, `\}`, `]`, `\]`).Replace(p)
}
