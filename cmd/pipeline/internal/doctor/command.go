package doctor

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/hooks/settings"
)

// checkCommands: does the registered program exist, can it run, and is it this pipeline?
func checkCommands(x *exam) []Finding {
	var found []Finding
	seen := map[string]bool{}
	for _, s := range x.registered {
		for _, h := range s.ours {
			name := s.fillPlaceholders(h, x.Dir).Program()
			if name == "" || seen[name] {
				continue
			}
			seen[name] = true
			found = append(found, s.addRemedy(x, checkBinary(x, s, h, name))...)
		}
	}
	if len(x.registered) == 0 {
		return []Finding{pass("none is registered")}
	}
	return orPass(found, "the settings have a shell line, which only the canary can check")
}

// fillPlaceholders fills in the placeholders of a hook as the client does in the exec form.
func (s source) fillPlaceholders(h settings.Hook, dir string) settings.Hook {
	if !h.Exec {
		return h
	}
	r := strings.NewReplacer("${CLAUDE_PROJECT_DIR}", dir, "${CLAUDE_PLUGIN_ROOT}", s.root,
		"${CLAUDE_PLUGIN_DATA}", s.data)
	h.Command = r.Replace(h.Command)
	h.Args = slices.Clone(h.Args)
	for i, a := range h.Args {
		h.Args[i] = r.Replace(a)
	}
	return h
}

// checkBinary looks at the program that a hook names.
func checkBinary(x *exam, s source, h settings.Hook, name string) []Finding {
	unasked := "the tool runs unjudged"
	if h.OnFailureBlock {
		unasked = "a client that knows onFailure refuses every tool, an older one runs it"
	}
	name = filepath.ToSlash(name)
	file := name
	if !strings.Contains(name, "/") {
		onPath, err := x.lookPath(name)
		if err != nil {
			return []Finding{problem("", "%s: %s is not on PATH: %s", s, name, unasked)}
		}
		file = onPath[0]
	}
	_, err := os.Stat(x.makeAbsolute(file))
	_, runs := system.FindProgram(x.makeAbsolute(file))
	switch {
	case err != nil && !runs:
		return []Finding{problem("", "%s: the registered binary is missing: %v: %s", s, err, unasked)}
	case !runs:
		return []Finding{problem("", "%s: %s is not a program that can run: %s", s, file, unasked)}
	}
	found := compareBinary(x, s, h, x.makeAbsolute(file))
	if strings.Contains(name, "/") && !filepath.IsAbs(name) {
		found = append(found, problem("", "%s: %s is relative: the client looks for it in its current folder", s, name))
	}
	if file != name {
		found = append(found, findShadows(&x.Site, name)...)
	}
	return found
}

// findShadows: other programs of the name are on PATH, and the client's PATH decides.
func findShadows(site *Site, name string) []Finding {
	all, _ := site.lookPath(name)
	var others []string
	for _, f := range all[min(1, len(all)):] {
		if !sameContent(f, all[0]) {
			others = append(others, f)
		}
	}
	if others == nil {
		return nil
	}
	return []Finding{warn("remove the one that is not wanted, or: pipeline install --scope local",
		"%s is registered by its bare name: here it is %s, but %s is on PATH too, and the client's PATH may differ",
		name, all[0], strings.Join(others, ", "))}
}

// compareBinary compares the registered binary with this one.
func compareBinary(x *exam, s source, h settings.Hook, file string) []Finding {
	if sameContent(file, x.Self) {
		return []Finding{pass("%s: %s is this binary, version %s", s, file, x.Version)}
	}
	version, late := askVersion(&x.Site, file)
	if late {
		x.hung[programKey(h)] = true
		return []Finding{problem("", "%s: %s does not answer within %s: each call waits for it, and then the "+
			"tool runs; its hooks were not tried", s, file, x.Patience)}
	}
	if version == "" {
		return []Finding{problem("", "%s: %s does not answer as pipeline does: pipeline version --json has no version",
			s, file)}
	}
	if f, older := canReadConfig(&x.Site, s, file, version); !older {
		return []Finding{f}
	}
	if version == x.Version && s.isPlugin() {
		return []Finding{pass("%s: %s starts this version, %s", s, file, version)}
	}
	if version == x.Version {
		return []Finding{warn("", "%s: %s is another build than this binary (%s), both of version %s",
			s, file, x.Self, version)}
	}
	return []Finding{warn("", "%s: %s is version %s, this binary (%s) is %s: the hooks run the registered one",
		s, file, version, x.Self, x.Version)}
}

func askVersion(site *Site, file string) (version string, late bool) {
	var answer struct{ Version string }
	r := site.runProgram(file, "version", "--json")
	if r.failed != nil || json.Unmarshal(r.out, &answer) != nil {
		return "", r.late
	}
	return answer.Version, false
}

// programKey is the same for hooks that run the same program, as far as a shell line shows.
func programKey(h settings.Hook) string {
	if h.Exec {
		return h.Command
	}
	before, _, _ := strings.Cut(h.Command, " hook ")
	return before
}

// canReadConfig asks the registered binary whether it can read the config that this one can.
func canReadConfig(site *Site, s source, file, version string) (Finding, bool) {
	if site.Opened.None || site.OpenErr != nil || len(site.Opened.Problems) > 0 {
		return Finding{}, true
	}
	r := site.runProgram(file, "check")
	if r.failed == nil && r.exit == 0 {
		return Finding{}, true
	}
	return problem("", "%s: %s (version %s) is older than the config, of which it says: %s",
		s, file, version, oneLine(string(r.out)+string(r.err))), false
}

// sameContent: the same file, or the same bytes.
func sameContent(a, b string) bool {
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
