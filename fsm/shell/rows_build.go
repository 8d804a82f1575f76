package shell

var buildFamily = family{title: "Compilers, formatters and linters", about: "", rows: []form{
	// Formatters and linters.
	{words: "gofmt|goimports|gofumpt|golines|shfmt|prettier|stylua|swift-format|ormolu", long: formatOptions,
		when: "w write i in-place inplace", then: "w*", missing: Unknown},
	{words: "clang-format|autopep8|yapf|astyle|uncrustify", long: formatOptions, when: "i in-place", then: "w*",
		missing: Unknown},
	{words: "eslint|stylelint|standard|rubocop|ktlint|tslint|oxlint|golangci-lint|markdownlint|xo|codespell",
		long: formatOptions, when: "fix a A w", then: "w*", missing: "."},
	{words: "black|isort|rustfmt|nixfmt|alejandra|nixpkgs-fmt|autoflake|pyupgrade|zprint|fourmolu|terraform-docs",
		long: formatOptions, operands: "w*", missing: Unknown, unless: checkOnly},
	{words: "ruff", forms: []form{
		{words: "format", unnamed: true, unless: checkOnly},
		{words: "check", unnamed: true, when: "fix", unless: checkOnly}}},
	{words: "biome", forms: []form{
		{words: "format", unnamed: true, when: "write", unless: checkOnly},
		{words: "check", unnamed: true, when: "write apply", unless: checkOnly}}},
	{words: "mix", forms: []form{{words: "format", unnamed: true, unless: checkOnly}}},

	// Compilers, converters and other commands with output options.
	{words: "gcc|cc|g++|c++|clang|clang++|rustc|ld|as|ghc|ocamlc|nasm|tcc|zig|pandoc|dot|swiftc|gpg|age|openssl|shuf|" +
		"esbuild|tsc|protoc|cl", outputs: compilerOut},
	{words: "pg_dump|mysqldump|pg_dumpall", short: "fhpUdnrtT", long: "file result-file host port username",
		writes: "f r file result-file"},
	{words: "tcpdump", short: "wircs", writes: "w"},
	{words: "ffmpeg|convert|magick|gs|rsvg-convert", short: "ifctr", operands: "-*o"},
	{words: "ssh-keygen", short: "fNtbCPmY", writes: "f", when: "t"},
}}
