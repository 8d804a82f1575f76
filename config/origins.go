package config

import (
	"fmt"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
)

// sep joins the keys of a path. It is koanf's delimiter too: no key contains it.
const sep = "\x1f"

// A trail leads to a value: keys and the numbers of list elements, joined by sep.
type trail string

func to(steps ...string) trail { return trail(strings.Join(steps, sep)) }

func (p trail) key(k string) trail {
	if p == "" {
		return trail(k)
	}
	return p + trail(sep+k)
}

func (p trail) item(i int) trail { return p.key(strconv.Itoa(i)) }

// section is the part of the file within which one mistake causes others: a state, an
// agent, a rule, else a key of the file.
func (p trail) section() trail {
	steps := strings.SplitN(string(p), sep, 4)
	deep := max(1, map[string]int{"states": 2, "agents": 2, "orchestrator": 3, "subagents": 3}[steps[0]])
	if deep == 3 && len(steps) > 1 && steps[1] != "rules" {
		deep = 2
	}
	return to(steps[:min(deep, len(steps))]...)
}

// String is the way to a value as people write it: states.IDLE.agents[0].
func (p trail) String() string {
	var b strings.Builder
	for i, step := range strings.Split(string(p), sep) {
		if _, err := strconv.Atoi(step); err == nil {
			step = "[" + step + "]"
		} else if i > 0 {
			step = "." + step
		}
		b.WriteString(step)
	}
	return b.String()
}

// An Origin says where a value is from.
type Origin struct {
	By    string // "default" or "environment PIPELINE_LEVEL"; empty for a file
	field        // as the file has it
	tag   reflect.StructTag
	*source
}

// String is the origin as it is shown beside a value: a file with a line, or By.
func (o Origin) String() string {
	if o.source == nil {
		return o.By
	}
	return fmt.Sprintf("%s:%d", o.file, o.field.at.line)
}

// Origins says for every value of a Config where it is from.
type Origins struct {
	project Project
	home    string // for ~
	account string // the user's home as the system knows it, for ~ as well; empty for none
	at      map[trail]Origin
	bad     map[trail]bool // sections with a known mistake: other problems there may follow from it
	broken  bool           // a file could not be read at all
	ceiling fsm.Ceiling    // what the organisation has locked
	locked  []Problem      // what others wrote and has no effect, or less
}

// Of returns the origin of a value by the keys that lead to it. A list element is its
// number.
func (o *Origins) Of(steps ...string) Origin { return o.at[to(steps...)] }

// keysBelow lists what is written directly below a trail, sorted.
func (o *Origins) keysBelow(p trail) (out []string) {
	for at := range o.at {
		rest, ok := strings.CutPrefix(string(at), string(p)+sep)
		if ok && !strings.Contains(rest, sep) {
			out = append(out, rest)
		}
	}
	slices.Sort(out)
	return out
}

// placeOf names the line of a key, or of a list's element, as policies do: pipeline.yaml:12.
func (o *Origins) placeOf(p trail) string {
	at := o.at[p]
	if at.source == nil {
		return at.By
	}
	return filepath.Base(at.String())
}

func (o Origin) valueAt() spot {
	if o.value == nil {
		return spot{}
	}
	return o.value.at
}

// problemAt makes a problem at a spot of an origin's file.
func (o Origin) problemAt(at spot, message, hint string) Problem {
	if o.source == nil {
		return Problem{File: o.By, Message: message, Hint: hint}
	}
	return o.source.problemAt(at, message, hint)
}

// resolveDir makes a path of the config absolute: "~/x", or relative to the root that
// owns the state.
func (o *Origins) resolveDir(dir string) string {
	if dir == "" {
		return ""
	}
	return absolutePath(dir, World{Home: o.home, Dir: o.project.Owner})
}

// absoluteFile makes a path of the config absolute: "~/x", or relative to the project.
func (o *Origins) absoluteFile(file string) string {
	return absolutePath(file, World{Home: o.home, Dir: o.project.Root})
}

// absoluteGlobs makes globs that match whole paths, absolute and with links resolved.
func (o *Origins) absoluteGlobs(globs []string) (out []string) {
	for _, g := range globs {
		out = append(out, o.absoluteGlob(g))
		if strings.HasPrefix(g, "~") && o.account != "" && o.account != o.home {
			real := Origins{project: o.project, home: o.account}
			out = append(out, real.absoluteGlob(g))
		}
	}
	return out
}

// absoluteGlob makes a glob absolute, as .gitignore reads it. Without a slash before its
// end it means that name in any folder of the project, with one it is relative to the
// project. A slash at its end means all that is below.
func (o *Origins) absoluteGlob(glob string) string {
	root := escapeGlob(resolveLinks(o.project.Root))
	name, below := strings.CutSuffix(glob, "/")
	rest, home := strings.CutPrefix(name, "~")
	switch {
	case name == "**":
		name = root + "/**"
	case home && o.home == "": // there is no home: matches nothing
	case home && (rest == "" || rest[0] == '/'):
		name = resolveGlob(escapeGlob(resolveLinks(o.home)) + rest)
	case system.IsAbs(glob):
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

// resolveLinks resolves the links of a folder, as far as it exists.
func resolveLinks(dir string) string {
	if to, err := system.EvalSymlinks(dir); err == nil && dir != "" {
		return to
	}
	return strings.TrimSuffix(dir, "/")
}

// resolveGlob resolves the links on the way to the folder that a glob names: ~/.claude
// may be a link into a repository. The folder itself is not followed, so that a link in
// its place does not move an exception.
func resolveGlob(glob string) string {
	named := glob
	if i := strings.IndexAny(glob, `*?[{\`); i >= 0 {
		named = glob[:strings.LastIndex(glob[:i], "/")+1]
	}
	above := path.Dir(strings.TrimSuffix(named, "/"))
	to, err := system.EvalSymlinks(above)
	if err != nil || above == "/" || !strings.HasPrefix(glob, above+"/") {
		return glob
	}
	return strings.TrimSuffix(escapeGlob(to), "/") + glob[len(above):]
}

// escapeGlob writes a path as a glob that matches it alone.
func escapeGlob(p string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `{`, `\{`, `}`, `\}`, `]`, `\]`).Replace(p)
}
