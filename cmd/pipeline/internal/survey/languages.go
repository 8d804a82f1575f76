package survey

import (
	"slices"
	"strings"
)

// A language is one that init knows.
type language struct {
	name     string
	files    []string // by their suffixes
	keywords []string // words of a task, or of an agent's description, that mean it
	agent    string   // the shipped agent for it; developer where there is no other
}

// languages is the list: one line each.
func languages() []language {
	return []language{
		{"Python", []string{".py", ".pyi"}, []string{"python", "py", "pytest", "pip", "uv", "pyproject"}, ""},
		{"TypeScript", []string{".ts", ".tsx", ".mts"}, []string{"typescript", "ts", "tsx", "npm", "react"}, ""},
		{"JavaScript", []string{".js", ".jsx", ".mjs", ".cjs"}, []string{"javascript", "js", "jsx", "npm", "node"}, ""},
		{"Go", []string{".go"}, []string{"go", "golang", "gofmt", "goroutine"}, ""},
		{"Rust", []string{".rs"}, []string{"rust", "rs", "cargo", "crate", "clippy"}, ""},
		{"C", []string{".c", ".h"}, []string{"c", "h", "header", "gcc", "clang", "malloc"}, "c-developer"},
		{"C++", []string{".cc", ".cpp", ".cxx", ".hpp"}, []string{"c++", "cpp", "hpp", "cmake"}, "c-developer"},
		{"Nix", []string{".nix"}, []string{"nix", "nixos", "flake", "derivation", "devshell"}, "nix-developer"},
		{"Shell", []string{".sh", ".bash", ".zsh"}, []string{"bash", "shell", "sh", "shellcheck"}, "bash-developer"},
		{"Java", []string{".java"}, []string{"java", "maven", "gradle", "spring", "junit"}, ""},
		{"Kotlin", []string{".kt", ".kts"}, []string{"kotlin", "kt", "gradle", "android"}, ""},
		{"C#", []string{".cs"}, []string{"c#", "cs", "dotnet", "csproj"}, ""},
		{"F#", []string{".fs", ".fsx"}, []string{"f#", "fs", "dotnet", "fsproj"}, ""},
		{"Visual Basic", []string{".vb"}, []string{"vb", "dotnet", "vbproj"}, ""},
		{"Ruby", []string{".rb"}, []string{"ruby", "rb", "rails", "bundler", "rspec"}, ""},
		{"PHP", []string{".php"}, []string{"php", "composer", "laravel"}, ""},
		{"Swift", []string{".swift"}, []string{"swift", "xcode", "ios"}, ""},
		{"Scala", []string{".scala"}, []string{"scala", "sbt"}, ""},
		{"Elixir", []string{".ex", ".exs"}, []string{"elixir", "ex", "mix", "phoenix"}, ""},
		{"Haskell", []string{".hs"}, []string{"haskell", "hs", "cabal", "stack"}, ""},
		{"Lua", []string{".lua"}, []string{"lua", "neovim"}, ""},
		{"Dart", []string{".dart"}, []string{"dart", "flutter"}, ""},
		{"Zig", []string{".zig"}, []string{"zig"}, ""},
		{"Clojure", []string{".clj", ".cljs", ".cljc"}, []string{"clojure", "clj", "leiningen"}, ""},
		{"Groovy", []string{".groovy"}, []string{"groovy", "gradle", "jenkinsfile"}, ""},
		{"Erlang", []string{".erl", ".hrl"}, []string{"erlang", "erl", "rebar3"}, ""},
		{"OCaml", []string{".ml", ".mli"}, []string{"ocaml", "dune", "opam"}, ""},
		{"Perl", []string{".pl", ".pm"}, []string{"perl", "pl", "cpan"}, ""},
		{"R", []string{".r", ".R", ".Rmd"}, []string{"rscript", "tidyverse", "cran"}, ""},
		{"Julia", []string{".jl"}, []string{"julia", "jl"}, ""},
		{"Objective-C", []string{".m", ".mm"}, []string{"objective", "xcode", "ios"}, ""},
		{"Vue", []string{".vue"}, []string{"vue", "nuxt", "npm"}, ""},
		{"Svelte", []string{".svelte"}, []string{"svelte", "sveltekit", "npm"}, ""},
		{"Terraform", []string{".tf"}, []string{"terraform", "tf", "hcl"}, ""},
		{"SQL", []string{".sql"}, []string{"sql", "postgres", "mysql", "migration"}, ""},
	}
}

// keywordsOf lists the words of a task that an agent suits: those of the languages that
// its name or description mentions, else of the project's first one.
func (p Project) keywordsOf(a Agent) []string {
	named, described := splitWords(a.Name), splitWords(a.Description)
	var out []string
	for _, l := range languages() {
		name := strings.ToLower(l.name)
		if slices.Contains(named, name) || slices.ContainsFunc(l.keywords, func(k string) bool {
			return len(k) > 1 && slices.Contains(named, k)
		}) || len(name) > 2 && slices.Contains(described, name) { // "go" and "c" are words too
			out = append(out, l.keywords...)
		}
	}
	if main := p.mainLanguages(); len(out) == 0 && a.Description == "" && len(main) > 0 { // of our own agent
		out = slices.Clone(main[0].keywords)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func splitWords(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789+#", r)
	})
}
