// Package survey looks at a project for `pipeline init`, and fits a preset to it: its
// languages, its size, and the agents that are there.
package survey

import (
	"cmp"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

// A Project is what init knows of a project.
type Project struct {
	Files     int  // how many there are, at most mostFiles
	More      bool // there are more
	Languages []Language
	Agents    []Agent
	Shipped   []Shipped
}

// A Shipped is an agent of pipeline's that is there, unchanged.
type Shipped struct{ Name, File string }

// A Language is one of the project's, with how many files it has.
type Language struct {
	Name  string
	Files int
}

// An Agent is one that is there already.
type Agent struct {
	Name, Description string
	Tools, Without    []string // globs; no Tools for all
}

// mostFiles bounds the look: the languages of a large project are known long before.
const mostFiles = 20_000

// CountFiles counts a project's files and those of each language, without what tools
// generate or download.
func (p *Project) CountFiles(root string) {
	counts, known := map[string]int{}, map[string]string{} // the name of a language by a suffix
	for _, l := range languages() {
		for suffix := range strings.FieldsSeq(l.files) {
			known[suffix] = l.name
		}
	}
	foreign := []string{"node_modules", "vendor", "target", "dist", "build", "venv", "__pycache__", "testdata"}
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // what cannot be read is not counted
		case d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || slices.Contains(foreign, d.Name())):
			return filepath.SkipDir // its files are not the project's own
		case d.IsDir():
			return nil
		case p.Files == mostFiles:
			p.More = true
			return filepath.SkipAll
		}
		p.Files++
		if name, ok := known[filepath.Ext(d.Name())]; ok {
			counts[name]++
		}
		return nil
	})
	for name, n := range counts {
		p.Languages = append(p.Languages, Language{name, n})
	}
	slices.SortFunc(p.Languages, func(a, b Language) int {
		return cmp.Or(cmp.Compare(b.Files, a.Files), cmp.Compare(a.Name, b.Name))
	})
}

// mainLanguages lists the languages that the project is written in: each has a tenth of the files
// in any language.
func (p Project) mainLanguages() (out []language) {
	all := 0
	for _, l := range p.Languages {
		all += l.Files
	}
	known := languages()
	for _, l := range p.Languages {
		if l.Files*10 >= all {
			out = append(out, known[slices.IndexFunc(known, func(k language) bool { return k.name == l.Name })])
		}
	}
	return out
}

// CanEdit reports whether an agent has a tool that changes files. A shell can change them
// too, but an agent that has only a shell is there to run things.
func (a Agent) CanEdit() bool {
	return slices.ContainsFunc([]string{"Edit", "Write", "MultiEdit", "NotebookEdit"}, a.hasTool)
}

func (a Agent) hasTool(tool string) bool {
	return fsm.KnownAgent{Tools: a.Tools, Without: a.Without}.Has(tool)
}

// Describe says in one line what there is.
func (p Project) Describe() string {
	files := visible.Count(p.Files, "file")
	if p.More {
		files = "more than " + files
	}
	var languages, writers, readers, shipped []string
	for _, l := range p.mainLanguages() {
		languages = append(languages, l.name)
	}
	for _, a := range p.Agents {
		if a.CanEdit() {
			writers = append(writers, a.Name)
		} else {
			readers = append(readers, a.Name)
		}
	}
	for _, a := range p.Shipped {
		shipped = append(shipped, a.Name)
	}
	parts := []string{files}
	if len(languages) > 0 {
		parts[0] += " (" + strings.Join(languages, ", ") + ")"
	}
	for _, list := range []struct {
		what  string
		names []string
	}{{"agents that change files: ", writers}, {"agents that read: ", readers}, {"agents of pipeline: ", shipped}} {
		if len(list.names) > 0 {
			parts = append(parts, list.what+strings.Join(list.names, ", "))
		}
	}
	if len(parts) == 1 {
		parts = append(parts, "no agents")
	}
	return strings.Join(parts, "; ")
}

// Preview is what a person sees of a config before it is written: what it is, and the
// agents in its groups.
func Preview(text string) string {
	var out []string
	inHead, inGroups := true, false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		inHead = inHead && strings.HasPrefix(line, "#")
		inGroups = strings.HasPrefix(line, "groups:") || inGroups && strings.HasPrefix(line, " ")
		switch {
		case inHead && (strings.Contains(line, "$schema=") || strings.HasPrefix(line, "# All keys")):
		case inHead:
			out = append(out, strings.TrimPrefix(strings.TrimPrefix(line, "#"), " "))
		case inGroups && strings.HasPrefix(line, " "):
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}
