package hooks

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/shell"
)

// role takes the caller from the environment where the payload names none and the config asks for it.
func (h *Handler) role(e *fsm.Event) {
	c := h.Policy.Caller
	if !e.Agent.Main() || c.RoleEnv == "" && c.NameEnv == "" {
		return
	}
	role, name := env(h.Getenv, c.RoleEnv), env(h.Getenv, c.NameEnv)
	who := name
	if role != "" {
		who = role
	}
	if who == "" || slices.Contains(c.Orchestrators, who) {
		return
	}
	e.Agent = fsm.Agent{ID: "environment-" + who, Type: who, Basis: "environment"}
	if name != "" {
		e.Agent.Type = name
	}
}

func env(getenv func(string) string, key string) string {
	if key == "" || getenv == nil {
		return ""
	}
	return getenv(key)
}

// parts are what a call comes to: itself, or each command and file of a shell line.
func (g Guards) parts(t fsm.Tool, dir string) []fsm.Part {
	if t.Name == "" {
		return nil
	}
	if t.Command != "" {
		return g.shellParts(t.Command, dir)
	}
	if len(t.Paths) == 0 {
		return []fsm.Part{{Tool: t.Name}}
	}
	var out []fsm.Part
	for _, p := range t.Paths {
		out = append(out, g.file(t.Name, resolve(p, dir, g.Home)))
	}
	return out
}

func (g Guards) shellParts(line, dir string) []fsm.Part {
	var out []fsm.Part
	for _, c := range shell.Parse(line) {
		if c.Kind == shell.Command {
			out = append(out, fsm.Part{Tool: "Bash", Words: c.Words, Guards: g.command(c.Words, dir), Client: client(c.Words)})
			continue
		}
		out = append(out, g.file(c.Kind.Tool(), place(c, dir, g.Home)))
	}
	return out
}

// place is where a shell's path lies, as far as the line tells.
func place(c shell.Call, dir, home string) string {
	if c.Path == shell.Unknown || c.Dir == shell.Unknown && !filepath.IsAbs(c.Path) {
		return shell.Unknown
	}
	if c.Dir != "" {
		dir = resolve(c.Dir, dir, home)
	}
	return resolve(c.Path, dir, home)
}

// resolve makes a path absolute and follows its links, as far as it exists.
func resolve(path, dir, home string) string {
	switch {
	case path == "~" || strings.HasPrefix(path, "~/"):
		path = home + path[1:]
	case !filepath.IsAbs(path):
		path = filepath.Join(dir, path)
	}
	path = filepath.Clean(path)
	for head, tail := path, ""; ; {
		if real, err := filepath.EvalSymlinks(head); err == nil {
			return filepath.Join(real, tail)
		}
		up := filepath.Dir(head)
		if up == head {
			return path
		}
		head, tail = up, filepath.Join(filepath.Base(head), tail)
	}
}

// client names the agent client that a command starts.
func client(words []string) string {
	if len(words) == 0 {
		return ""
	}
	switch name := filepath.Base(words[0]); name {
	case "claude", "codex", "gemini", "qwen", "copilot", "opencode":
		if len(words) == 2 && (words[1] == "--version" || words[1] == "--help") {
			return ""
		}
		return name
	}
	return ""
}
