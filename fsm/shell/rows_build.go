package shell

var buildFamily = family{
	title: "Compilers, formatters and linters",
	about: "Commands that read sources and write others, or change them in place.",
	rows: []form{
		// Formatters and linters.
		{words: "gofmt|goimports|gofumpt|golines|shfmt|prettier|stylua|swift-format|ormolu|swiftformat|dprint|" +
			"sql-formatter|yamlfmt|taplo|mdformat|gomodifytags|gotests|remark|purs-tidy", long: formatOptions,
			when: "w write i in-place inplace yes", then: "w*", missing: Unknown, outputs: usualOutputs},
		{words: "gopls", forms: []form{
			{words: "rename|format|fix|imports|codeaction", unnamed: true, when: "w write"},
			{words: "version|references|definition|symbols|workspace_symbol|check|call_hierarchy|implementation",
				shows: showsOnly}}},
		{words: "gci", forms: []form{{words: "write", unnamed: true}}},
		{words: "gorename", unnamed: true, unless: "d"},
		// Their long options may have one dash: -Werror, -style=file.
		{words: "clang-format", short: "Wsalofvdq", long: "style", when: "i in-place", then: "w*", missing: Unknown,
			outputs: usualOutputs},
		{words: "clang-tidy", short: "chpelqswauvd", when: "f i fix fix-errors fix-notes", then: "w*", missing: Unknown,
			outputs: "o export-fixes"},
		{words: "autopep8|yapf|astyle|uncrustify|cmake-format|gersemi|ktfmt|google-java-format",
			long: formatOptions, when: "i in-place r replace fix fix-errors", then: "w*", missing: Unknown,
			outputs: "o export-fixes"},
		{words: "eslint|stylelint|standard|rubocop|ktlint|tslint|oxlint|golangci-lint|markdownlint|" +
			"markdownlint-cli2|xo|" +
			"codespell|ansible-lint|sqlfluff|swiftlint|credo|staticcheck|pint|phpcbf|php-cs-fixer|ty|semgrep|deptry",
			short: "o", long: formatOptions + " output-file output out", when: "fix a A w write-changes " +
				"autocorrect auto-correct F x " +
				"autofix autocorrect-all auto-correct-all fix-type", then: "w*", missing: ".", writes: "o " +
				"output-file output out"},
		{words: "shellcheck|hadolint|yamllint|pylint|flake8|mypy|pyright|pycodestyle|pydocstyle|vulture|bandit|" +
			"actionlint|luacheck|jsonlint|vint|proselint|tflint|checkov|trivy|cppcheck|cpplint|cfn-lint|commitlint|" +
			"detekt|revive|errcheck", short: "o",
			outputs: usualOutputs + " junit-xml"},
		{words: "black|isort|rustfmt|nixfmt|alejandra|nixpkgs-fmt|autoflake|pyupgrade|zprint|fourmolu|" +
			"terraform-docs|docformatter|elm-format|csharpier|add-trailing-comma|reorder-python-imports|blue|2to3",
			long: formatOptions, operands: "w*", missing: Unknown, unless: checkOnly + " check-only c code " +
				"version show-config"},
		{words: "ruff", forms: []form{
			{words: "format", unnamed: true, unless: checkOnly},
			{words: "check", unnamed: true, when: "fix fix-only unsafe-fixes add-noqa", outputs: usualOutputs},
			{words: "rule|config|linter|version|help", shows: showsOnly}}},
		{words: "biome|rome", forms: []form{
			{words: "format", unnamed: true, when: "write fix", unless: checkOnly},
			{words: "check|lint", unnamed: true, when: "write apply apply-unsafe fix", unless: checkOnly},
			{words: "migrate|init", unnamed: true}}},
		{words: "mix", in: Builds, forms: []form{
			{words: "help|deps.tree|hex.info|hex.outdated|app.tree", shows: showsOnly, evaluates: true,
				changes: "format"},
			{words: "deps", shows: listsOnly, evaluates: true},
			{words: "test", in: Tests},
			{words: "hex.publish", in: Builds | Remote, dry: "dry-run"},
			{words: "format", unnamed: true, unless: checkOnly},
			{words: "deps.get|deps.update|deps.clean|new|phx.new", unnamed: true},
			{words: "run|eval|cmd", hides: hidesAlways}}},
		{words: "pre-commit", forms: []form{
			{words: "install|autoupdate|migrate-config|sample-config", unnamed: true},
			{words: "run", unnamed: true}}},
		{words: "comby", short: "d", long: "directory", unnamed: true, when: "i in-place"},
		{words: "jscodeshift|codemod|putout", unnamed: true, unless: "d dry"},

		// Compilers and linkers.
		{words: "gcc|cc|g++|c++|clang|clang++|c89|c99|tcc|zig-cc|clang-cl|emcc", short: "oIDULlxTBuA",
			writes:  "o output",
			outputs: "MF MJ dumpdir save-temps-dir serialize-diagnostics foptimization-record-file",
			makes:   Unknown, opaque: "wrapper fplugin specs B",
			prints: "E M MM fsyntax-only v help dumpversion dumpmachine print-search-dirs print-file-name " +
				"print-prog-name version help"},
		{words: "cpp|gcpp", short: "oIDUx", writes: "o", operands: "ro", outputs: "MF time"},
		{words: "nasm|yasm", short: "oflpPdiI", writes: "o l", makes: Unknown, prints: "v h E"},
		{words: "as|ld|erlc|ghc|ocamlc|ocamlopt|swiftc|rustc|ghdl|iverilog|gfortran|gnat|fpc|dmd|ldc2|" +
			"csc|vbc|gold|lld|ld.lld|cl|windres|flex|lex|bison|yacc|re2c|ragel|gperf|moc|uic|rcc|valac",
			short: "obl", long: "output defines graph header-file", writes: "o output defines graph header-file",
			outputs: usualOutputs + " emit dep-info outputdir " +
				"odir hidir", makes: Unknown, prints: "help version V print t", opaque: "plugin linker codegen C"},
		{words: "javac|kotlinc|scalac|groovyc|aspectjc|ecj", outputs: "d s h out", makes: Unknown,
			prints: "version help",
			opaque: "processorpath processor"},
		{words: "tsc|vue-tsc", short: "pbw", long: "project build watch outDir outFile declarationDir tsBuildInfoFile",
			outputs: "outDir outFile declarationDir tsBuildInfoFile generateTrace generateCpuProfile",
			makes:   Unknown, prints: "noEmit noemit showConfig listFilesOnly version v help h all"},
		{words: "esbuild|swc|babel|sass|scss|lessc|postcss|tailwindcss|stylus|coffee|uglifyjs|terser|purs|" +
			"mjml|pug", short: "oi", writes: "o", outputs: bundlerOutputs, when: "init w write", then: "u"},
		{words: "rollup|webpack|parcel|vite|tsup|browserify|elm|svelte-kit|next|nuxt|astro|rspack|microbundle",
			short: "oi", writes: "o", outputs: bundlerOutputs, when: "init w write", then: "u", in: Builds},
		{words: "protoc|buf|thrift|flatc|capnp|grpcurl|swagger-codegen|openapi-generator|openapi-generator-cli|" +
			"graphql-codegen|quicktype|sqlc|mockgen|stringer|wire|oapi-codegen|datamodel-codegen|gqlgen|json2ts|" +
			"cbindgen|bindgen|swig|cython|ent|prisma|drizzle-kit|sequelize|knex|alembic|yo|plop|hygen|cookiecutter|" +
			"copier", short: "oid", outputs: usualOutputs,
			writes: "o",
			makes:  Unknown, prints: "version V help h", opaque: "plugin"},
		{words: "ctags|etags|gtags|cscope|uctags|exuberant-ctags|universal-ctags", short: "foLI", long: "options",
			writes: "f o", reads: "L",
			makes: "tags", when: "e", unnamed: true, prints: "list-languages list-kinds list-maps " +
				"version help", opaque: "options"},
		{words: "xgettext|msgfmt|msgmerge|msgconv|msgcat|msginit", short: "odDL", writes: "o", makes: Unknown,
			prints: "version V h"},
		{words: "kustomize", forms: []form{
			{words: "build", short: "o", long: "output", writes: "o output"},
			{words: "edit|create|localize", unnamed: true}}},
		{words: "m4|envsubst|gettext|gomplate|jinja2|mustache|j2|ytt|jsonnet|cue|dhall|dhall-to-json|" +
			"erb", short: "oD",
			outputs: usualOutputs, writes: "o", operands: "r*", hides: runsMacros},
		{words: "autoconf|automake|autoreconf|aclocal|autoheader|libtoolize|qmake|configure|premake5",
			unnamed: true},
	}}
