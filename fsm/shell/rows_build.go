package shell

// buildRows are commands that read sources and say something of them, or change them in place. Those that run
// settings of the project are not listed.
var buildRows = []form{
	{words: "gofmt|goimports|gofumpt|shfmt|stylua", takes: "r", when: "w", then: "w*", missing: blank,
		shows: showsKnown, knows: "l d e s w r i ln simplify"},
	{words: "black|isort|rustfmt|nixfmt|alejandra", takes: formatOptions, operands: "w*", missing: blank,
		unless: checkOnly + " check-only c code version show-config"},
	{words: "ruff", forms: []form{
		{words: "format", unnamed: true, unless: checkOnly},
		{words: "check", unnamed: true, when: "fix fix-only unsafe-fixes add-noqa", writes: usualOutputs,
			shows: showsKnown, knows: "select ignore q quiet statistics no-cache output-format",
			takes: "select ignore output-format config"},
		{words: "rule|config|linter|version|help", shows: showsKnown, knows: "all"}}},
	{words: "clang-format", takes: "W s a l o f v d q style", when: "i in-place", then: "w*", missing: blank,
		shows: showsKnown, knows: "style n dry-run Werror i"},
	{words: "shellcheck|hadolint|yamllint|flake8|actionlint|pycodestyle", shows: showsKnown, knows: "s e f S x d a W " +
		"C color strict max-line-length select ignore format shell exclude severity external-sources no-color oneline"},
	{words: "prettier", unless: "c check l list-different", when: "w write", then: "w*", missing: blank,
		takes: formatOptions, knows: "w write c check l list-different ignore-unknown"},
	{words: "golangci-lint", forms: []form{
		{words: "run", unnamed: true, when: "fix", knows: "v E D c timeout fix"},
		{words: "linters|version|help|config path", shows: showsKnown}}},
	{words: "rollup|webpack|parcel|vite|tsup|browserify|elm|svelte-kit|next|nuxt|astro|rspack|hugo", in: Builds,
		remoteBy: publishTargets, operands: "-*", writes: usualOutputs},
}
