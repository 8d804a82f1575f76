package doctor

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/hooks/claude"
	"github.com/agent-pipeline/pipeline/hooks/kernel"
	"github.com/agent-pipeline/pipeline/hooks/settings"
)

// checkCommands: does the registered program exist, can it run, and is it this pipeline?
func checkCommands(x *exam) {
	seen := map[string]bool{}
	for _, s := range x.registered {
		for _, h := range s.ours {
			name := s.fillPlaceholders(h, x.Dir).Program()
			if name == "" || seen[name] {
				continue
			}
			seen[name] = true
			checkBinary(x, s, h, name)
		}
	}
	if len(x.registered) == 0 {
		x.pass("none is registered")
	}
	x.orPass("the settings have a shell line, which only the canary can check")
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
func checkBinary(x *exam, s source, h settings.Hook, name string) {
	unasked := "the tool runs unjudged"
	if h.OnFailureBlock {
		unasked = "a client that knows onFailure refuses every tool, an older one runs it"
	}
	name = filepath.ToSlash(name)
	file := name
	onPath := x.lookPath(name)
	if isBare := !strings.Contains(name, "/"); isBare && onPath == nil {
		s.problem(x, "%s is not on PATH: %s", name, unasked)
		return
	} else if isBare {
		file = onPath[0]
	}
	at := x.makeAbsolute(file)
	_, err := os.Stat(at)
	switch _, runs := system.FindProgram(at); {
	case err != nil && !runs:
		s.problem(x, "the registered binary is missing: %v: %s", err, unasked)
	case !runs:
		s.problem(x, "%s is not a program that can run: %s", file, unasked)
	default:
		compareBinary(x, s, h, at)
		if strings.Contains(name, "/") && !filepath.IsAbs(name) {
			s.problem(x, "%s is relative: the client looks for it in its current folder", name)
		}
		others := slices.DeleteFunc(onPath, func(f string) bool { return sameContent(f, file) })
		if file != name && len(others) > 0 {
			x.warn("remove the one that is not wanted, or: pipeline install --scope local",
				"%s is registered by its bare name: here it is %s, but %s is on PATH too, and the client's PATH "+
					"may differ", name, file, strings.Join(others, ", "))
		}
	}
}

// compareBinary compares the registered binary with this one.
func compareBinary(x *exam, s source, h settings.Hook, file string) {
	if sameContent(file, x.Self) {
		x.pass("%s: %s is this binary, version %s", s, file, x.Version)
		return
	}
	var answer struct{ Version string }
	r := x.runProgram(file, "version", "--json")
	switch err := json.Unmarshal([]byte(r.out), &answer); {
	case err != nil && r.late:
		x.hung[programKey(h)] = true
		s.problem(x, "%s does not answer within %s: each call waits for it, and then the tool runs; its hooks were "+
			"not tried", file, x.Patience)
		return
	case err != nil || answer.Version == "":
		s.problem(x, "%s does not answer as pipeline does: pipeline version --json has no version", file)
		return
	}
	version := answer.Version
	if !x.Opened.None && x.OpenErr == nil && len(x.Opened.Problems) == 0 { // this one can read the config
		if r := x.runProgram(file, "check"); r.failed != nil || r.exit != 0 {
			s.problem(x, "%s (version %s) is older than the config, of which it says: %s", file, version,
				oneLine(r.out+r.err))
			return
		}
	}
	switch {
	case version == x.Version && s.isPlugin():
		x.pass("%s: %s starts this version, %s", s, file, version)
	case version == x.Version:
		s.warn(x, "%s is another build than this binary (%s), both of version %s", file, x.Self, version)
	default:
		s.warn(x, "%s is version %s, this binary (%s) is %s: the hooks run the registered one", file, version,
			x.Self, x.Version)
	}
}

// programKey is the same for hooks that run the same program, as far as a shell line shows.
func programKey(h settings.Hook) string {
	if h.Exec {
		return h.Command
	}
	before, _, _ := strings.Cut(h.Command, " hook ")
	return before
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
	one, errX := os.ReadFile(a)
	two, errY := os.ReadFile(b)
	return errX == nil && errY == nil && bytes.Equal(one, two)
}

// checkKernel tries what can confine commands here, and looks whether the client runs them through
// our launcher.
func checkKernel(x *exam) {
	launcher := filepath.Join(x.State, kernel.LauncherName)
	_, runs := system.FindProgram(launcher)
	switch prefix := x.getenv(claude.PrefixVariable); {
	case prefix != "" && prefix != launcher:
		x.warn("take "+claude.PrefixVariable+" out of the environment, then: pipeline install",
			"the client runs commands through %s: nothing confines them", prefix)
	case prefix == launcher && !runs:
		x.problem("pipeline install", "%s is missing or cannot run: every command of the client fails", launcher)
	case prefix == launcher:
		switch c, err := kernel.FindCapability(x.Self, x.State); {
		case err != nil:
			x.warn("", "what can confine commands is not kept: %v", err)
		case c.Engine == "":
			x.warn("install bubblewrap, then: pipeline doctor", "%s", c.Describe(x.Opened.Confines()))
		default:
			x.pass("%s", c.Describe(x.Opened.Confines()))
		}
	case x.Opened.Confines():
		x.warn("pipeline install", "the client's settings name no launcher: of rules that confine, `else` counts")
	}
}
