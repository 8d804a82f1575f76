package survey

import (
	"slices"
	"strings"
)

// A language is one that init knows.
type language struct {
	name     string
	files    string // by their suffixes
	keywords string // words of a task, or of an agent's description, that mean it
	agent    string // the shipped agent for it; developer where there is no other
}

// languages is the list: one line each.
func languages() []language {
	return []language{
		{"Python", ".py .pyi", "python py pytest pip uv pyproject", ""},
		{"TypeScript", ".ts .tsx .mts", "typescript ts tsx npm react", ""},
		{"JavaScript", ".js .jsx .mjs .cjs", "javascript js jsx npm node", ""},
		{"Go", ".go", "go golang gofmt goroutine", ""},
		{"Rust", ".rs", "rust rs cargo crate clippy", ""},
		{"C", ".c .h", "c h header gcc clang malloc", "c-developer"},
		{"C++", ".cc .cpp .cxx .hpp", "c++ cpp hpp cmake", "c-developer"},
		{"Nix", ".nix", "nix nixos flake derivation devshell", "nix-developer"},
		{"Shell", ".sh .bash .zsh", "bash shell sh shellcheck", "bash-developer"},
		{"Java", ".java", "java maven gradle spring junit", ""},
		{"Kotlin", ".kt .kts", "kotlin kt gradle android", ""},
		{"C#", ".cs", "c# cs dotnet csproj", ""},
		{"F#", ".fs .fsx", "f# fs dotnet fsproj", ""},
		{"Visual Basic", ".vb", "vb dotnet vbproj", ""},
		{"Ruby", ".rb", "ruby rb rails bundler rspec", ""},
		{"PHP", ".php", "php composer laravel", ""},
		{"Swift", ".swift", "swift xcode ios", ""},
		{"Scala", ".scala", "scala sbt", ""},
		{"Elixir", ".ex .exs", "elixir ex mix phoenix", ""},
		{"Haskell", ".hs", "haskell hs cabal stack", ""},
		{"Lua", ".lua", "lua neovim", ""},
		{"Dart", ".dart", "dart flutter", ""},
		{"Zig", ".zig", "zig", ""},
		{"Clojure", ".clj .cljs .cljc", "clojure clj leiningen", ""},
		{"Groovy", ".groovy", "groovy gradle jenkinsfile", ""},
		{"Erlang", ".erl .hrl", "erlang erl rebar3", ""},
		{"OCaml", ".ml .mli", "ocaml dune opam", ""},
		{"Perl", ".pl .pm", "perl pl cpan", ""},
		{"R", ".r .R .Rmd", "rscript tidyverse cran", ""},
		{"Julia", ".jl", "julia jl", ""},
		{"Objective-C", ".m .mm", "objective xcode ios", ""},
		{"Vue", ".vue", "vue nuxt npm", ""},
		{"Svelte", ".svelte", "svelte sveltekit npm", ""},
		{"Terraform", ".tf", "terraform tf hcl", ""},
		{"SQL", ".sql", "sql postgres mysql migration", ""},
	}
}

// keywordsOf lists the words of a task that an agent suits: those of the languages that
// its name or description mentions, else of the project's first one.
func (p Project) keywordsOf(a Agent) []string {
	named, described := splitWords(a.Name), splitWords(a.Description)
	var out []string
	for _, l := range languages() {
		name, keywords := strings.ToLower(l.name), strings.Fields(l.keywords)
		if slices.Contains(named, name) || slices.ContainsFunc(keywords, func(k string) bool {
			return len(k) > 1 && slices.Contains(named, k)
		}) || len(name) > 2 && slices.Contains(described, name) { // "go" and "c" are words too
			out = append(out, keywords...)
		}
	}
	if main := p.mainLanguages(); len(out) == 0 && a.Description == "" && len(main) > 0 { // of our own agent
		out = strings.Fields(main[0].keywords)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func splitWords(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789+#", r)
	})
}
