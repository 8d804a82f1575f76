// Package survey looks at a project for `pipeline init`, and fits a preset to it: its
// languages, its size, and the agents that are there.
package survey

import (
	"cmp"
	"io/fs"
	"path/filepath"
	"regexp"
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
	Shipped   []Agent // those of pipeline's that are there, unchanged
}

// A Language is one of the project's, with how many files it has.
type Language struct {
	Name  string
	Files int
}

// An Agent is one that is there already.
type Agent struct {
	Name, Description, File string
	Tools, Without          []string // globs; no Tools for all
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
func (p Project) mainLanguages() (names []string) {
	all := 0
	for _, l := range p.Languages {
		all += l.Files
	}
	for _, l := range p.Languages {
		if l.Files*10 >= all {
			names = append(names, l.Name)
		}
	}
	return names
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
	parts := []string{files}
	if languages := p.mainLanguages(); len(languages) > 0 {
		parts[0] += " (" + strings.Join(languages, ", ") + ")"
	}
	list := func(what string, agents []Agent, isListed func(Agent) bool) {
		var names []string
		for _, a := range agents {
			if isListed(a) {
				names = append(names, a.Name)
			}
		}
		if names != nil {
			parts = append(parts, what+strings.Join(names, ", "))
		}
	}
	list("agents that change files: ", p.Agents, Agent.CanEdit)
	list("agents that read: ", p.Agents, func(a Agent) bool { return !a.CanEdit() })
	list("agents of pipeline: ", p.Shipped, func(Agent) bool { return true })
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

// A language is one that init knows.
type language struct {
	name     string
	files    string // by their suffixes
	keywords string // words of a task, or of an agent's description, that mean it
}

// languages reads the list: one line each.
func languages() (all []language) {
	for line := range strings.Lines(languageTable) {
		of := strings.Split(strings.TrimSpace(line), ": ")
		all = append(all, language{of[0], of[1], of[2]})
	}
	return all
}

const languageTable = `Python: .py .pyi: python py pytest pip uv pyproject
TypeScript: .ts .tsx .mts: typescript ts tsx npm react
JavaScript: .js .jsx .mjs .cjs: javascript js jsx npm node
Go: .go: go golang gofmt goroutine
Rust: .rs: rust rs cargo crate clippy
C: .c .h: c h header gcc clang malloc
C++: .cc .cpp .cxx .hpp: c++ cpp hpp cmake
Nix: .nix: nix nixos flake derivation devshell
Shell: .sh .bash .zsh: bash shell sh shellcheck
Java: .java: java maven gradle spring junit
Kotlin: .kt .kts: kotlin kt gradle android
C#: .cs: c# cs dotnet csproj
F#: .fs .fsx: f# fs dotnet fsproj
Visual Basic: .vb: vb dotnet vbproj
Ruby: .rb: ruby rb rails bundler rspec
PHP: .php: php composer laravel
Swift: .swift: swift xcode ios
Scala: .scala: scala sbt
Elixir: .ex .exs: elixir ex mix phoenix
Haskell: .hs: haskell hs cabal stack
Lua: .lua: lua neovim
Dart: .dart: dart flutter
Zig: .zig: zig
Clojure: .clj .cljs .cljc: clojure clj leiningen
Groovy: .groovy: groovy gradle jenkinsfile
Erlang: .erl .hrl: erlang erl rebar3
OCaml: .ml .mli: ocaml dune opam
Perl: .pl .pm: perl pl cpan
R: .r .R .Rmd: rscript tidyverse cran
Julia: .jl: julia jl
Objective-C: .m .mm: objective xcode ios
Vue: .vue: vue nuxt npm
Svelte: .svelte: svelte sveltekit npm
Terraform: .tf: terraform tf hcl
SQL: .sql: sql postgres mysql migration`

// keywordsOf lists the words of a task that an agent suits: those of the languages that
// its name or description mentions, else of the project's first one.
func (p Project) keywordsOf(a Agent) (out []string) {
	named, described := splitWords(a.Name), splitWords(a.Description)
	known := languages()
	for _, l := range known {
		name, keywords := strings.ToLower(l.name), strings.Fields(l.keywords)
		if slices.Contains(named, name) || slices.ContainsFunc(keywords, func(k string) bool {
			return len(k) > 1 && slices.Contains(named, k)
		}) || len(name) > 2 && slices.Contains(described, name) { // "go" and "c" are words too
			out = append(out, keywords...)
		}
	}
	if main := p.mainLanguages(); len(out) == 0 && a.Description == "" && len(main) > 0 { // of our own agent
		i := slices.IndexFunc(known, func(l language) bool { return l.name == main[0] })
		out = strings.Fields(known[i].keywords)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func splitWords(text string) []string {
	return regexp.MustCompile("[a-z0-9+#]+").FindAllString(strings.ToLower(text), -1)
}
