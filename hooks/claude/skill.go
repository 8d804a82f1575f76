package claude

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/agent-pipeline/pipeline/fsm"
)

// front is the head of a skill's file, as far as we look at it.
type front struct {
	Context string `yaml:"context"`
	Agent   string `yaml:"agent"`
}

// skill reads whether a skill or command runs in an agent of its own, and in which. Not known: a plugin's, or none.
func (h Host) skill(name string) (forks bool, agent string, known bool) {
	if name == "" || strings.ContainsAny(name, `/\`) || strings.HasPrefix(name, ".") {
		return false, "", false
	}
	for _, dir := range []string{filepath.Join(h.Project, ".claude"), h.Config} {
		for _, path := range []string{filepath.Join("skills", name, "SKILL.md"), filepath.Join("commands", name+".md")} {
			body, err := os.ReadFile(filepath.Join(dir, path))
			if err != nil {
				continue
			}
			known = true
			if f := frontMatter(body); f.Context == "fork" { // of two with one name the stricter counts
				return true, cmp.Or(f.Agent, "general-purpose"), true
			}
		}
	}
	return false, "", known
}

// frontMatter decodes what stands between the first two lines of dashes.
func frontMatter(body []byte) (f front) {
	body = bytes.ReplaceAll(body, []byte("\r\n"), []byte("\n"))
	open, rest, _ := bytes.Cut(body, []byte("\n"))
	if string(bytes.TrimRight(open, " \t")) != "---" {
		return f
	}
	head, _, ok := bytes.Cut(rest, []byte("\n---"))
	if ok {
		_ = yaml.Unmarshal(head, &f) // what does not parse is no skill that forks: its agent is checked when it starts
	}
	return f
}

// typed is what a command that a person typed may start. One of a plugin, whose file we do not know, may start anything.
func (c *call) typed() *fsm.Start {
	forks, agent, known := c.host.skill(c.Command)
	if known && !forks {
		return nil
	}
	return &fsm.Start{How: fsm.ByPerson, Type: agent, Name: c.Command}
}
