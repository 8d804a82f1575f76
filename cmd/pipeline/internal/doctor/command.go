package doctor

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/hooks/claude/settings"
)

// commands: is what is registered there, can it be run, and is it this pipeline?
func (x *exam) commands() []Finding {
	var found []Finding
	seen := map[string]bool{}
	for _, s := range x.registered() {
		for _, h := range s.ours {
			name, ok := program(s.filled(x, h))
			if !ok || seen[name] {
				continue
			}
			seen[name] = true
			found = append(found, x.mendable(s, x.binary(s, h, name))...)
		}
	}
	if len(x.registered()) == 0 {
		return []Finding{fine("none is registered")}
	}
	return orFine(found, "the settings have a shell line, which only the canary can try")
}

// program is what a hook starts, if that can be told without a shell.
func program(h settings.Hook) (string, bool) {
	if h.Exec {
		return h.Command, true
	}
	words := strings.Fields(h.Command)
	if len(words) == 0 || strings.ContainsAny(words[0], "\"'$`\\=;|&<>(){}*?~") {
		return "", false
	}
	return words[0], true
}

// filled is a hook with the client's placeholders filled in, as it does in the exec form.
func (s source) filled(x *exam, h settings.Hook) settings.Hook {
	if !h.Exec {
		return h
	}
	r := strings.NewReplacer("${CLAUDE_PROJECT_DIR}", x.Root, "${CLAUDE_PLUGIN_ROOT}", s.root, "${CLAUDE_PLUGIN_DATA}", x.data(s))
	h.Command = r.Replace(h.Command)
	h.Args = slices.Clone(h.Args)
	for i, a := range h.Args {
		h.Args[i] = r.Replace(a)
	}
	return h
}

// data is the folder that the client gives a plugin.
func (x *exam) data(s source) string {
	if !s.isPlugin() {
		return ""
	}
	return filepath.Join(x.Client, "plugins", "data", strings.ReplaceAll(strings.TrimPrefix(s.scope, "plugin "), "@", "-"))
}

func (x *exam) binary(s source, h settings.Hook, name string) []Finding {
	unasked := "the tool runs unasked"
	if h.OnFailureBlock {
		unasked = "a client that knows onFailure refuses every tool, an older one asks nobody"
	}
	file := name
	if !strings.Contains(name, "/") {
		onPath, err := x.lookPath(name)
		if err != nil {
			return []Finding{problem("", "%s: %s is not on PATH: %s", s, name, unasked)}
		}
		file = onPath[0]
	}
	info, err := os.Stat(x.absolute(file))
	switch {
	case err != nil:
		return []Finding{problem("", "%s: the registered binary is missing: %v: %s", s, err, unasked)}
	case info.IsDir() || info.Mode()&0o111 == 0:
		return []Finding{problem("", "%s: %s is no program that can be run: %s", s, file, unasked)}
	}
	found := x.compared(s, x.absolute(file))
	if strings.Contains(name, "/") && !filepath.IsAbs(name) {
		found = append(found, problem("", "%s: %s is relative: it is looked for wherever the client works at that moment", s, name))
	}
	if file != name {
		found = append(found, x.shadows(name)...)
	}
	return found
}

func (x *exam) absolute(file string) string {
	if filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(x.Root, file)
}

// lookPath lists the programs of a name on PATH, the one that is run first.
func (x *exam) lookPath(name string) ([]string, error) {
	var out []string
	for _, dir := range filepath.SplitList(x.getenv("PATH")) {
		file := filepath.Join(dir, name)
		if info, err := os.Stat(file); filepath.IsAbs(dir) && err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			out = append(out, file)
		}
	}
	if out == nil {
		return nil, exec.ErrNotFound
	}
	return out, nil
}

// shadows: other programs of the name are on PATH, and which one runs depends on who set it.
func (x *exam) shadows(name string) []Finding {
	all, _ := x.lookPath(name)
	var others []string
	for _, f := range all[min(1, len(all)):] {
		if !identical(f, all[0]) {
			others = append(others, f)
		}
	}
	if others == nil {
		return nil
	}
	return []Finding{warn("remove the one that is not wanted, or: pipeline install --scope local", "%s is registered by its bare name: here it is %s, but %s is on PATH too, and the client's PATH may differ",
		name, all[0], strings.Join(others, ", "))}
}

// compared holds the registered binary against this one.
func (x *exam) compared(s source, file string) []Finding {
	if identical(file, x.Self) {
		return []Finding{fine("%s: %s is this binary, version %s", s, file, x.Version)}
	}
	version := x.versionOf(file)
	if version == "" {
		return []Finding{problem("", "%s: %s does not answer as pipeline does: pipeline version --json tells no version", s, file)}
	}
	if f, older := x.understands(s, file, version); !older {
		return []Finding{f}
	}
	if version == x.Version {
		return []Finding{warn("", "%s: %s is another build than this binary (%s), both of version %s", s, file, x.Self, version)}
	}
	return []Finding{warn("", "%s: %s is version %s, this binary (%s) is %s: the hooks do what the former does", s, file, version, x.Self, x.Version)}
}

func (x *exam) versionOf(file string) string {
	var said struct{ Version string }
	r := run(x.Patience, x.Root, x.Environ, "", file, "version", "--json")
	if r.failed != nil || json.Unmarshal(r.out, &said) != nil {
		return ""
	}
	return said.Version
}

// understands asks the registered binary itself whether it can read the config that this one can.
func (x *exam) understands(s source, file, version string) (Finding, bool) {
	if x.Opened.None || x.OpenErr != nil || len(x.Opened.Problems) > 0 {
		return Finding{}, true
	}
	r := run(x.Patience, x.Root, x.Environ, "", file, "check")
	if r.failed == nil && r.exit == 0 {
		return Finding{}, true
	}
	return problem("", "%s: %s (version %s) is older than the config, of which it says: %s", s, file, version, oneLine(string(r.out)+string(r.err))), false
}

// identical: the same file, or the same bytes.
func identical(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	if errX != nil || errY != nil {
		return false
	}
	if os.SameFile(x, y) {
		return true
	}
	if x.Size() != y.Size() {
		return false
	}
	one, errX := os.ReadFile(a)
	two, errY := os.ReadFile(b)
	return errX == nil && errY == nil && bytes.Equal(one, two)
}
